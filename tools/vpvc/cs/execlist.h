/* SPDX-License-Identifier: MIT */
/* An engine as the rest of the card sees it: its thread, its ports, its reset. */
#ifndef VPVC_EXECLIST_H
#define VPVC_EXECLIST_H

#include "card.h"

/*
 * Once per present engine, before the guest can reach the card / after it is
 * gone.  engine_init() returns 0 or -errno.
 */
int engine_init(struct engine *e);
void engine_fini(struct engine *e);

/*
 * Hooks of the rows of an engine's registers.  Called by the host thread or by
 * mmio_cs_*() on some engine's thread, without locks.  They must return at once: note the
 * request, wake the engine's thread.
 */
void execlist_write_control(struct tile *t, uint32_t off, uint32_t val);
uint32_t execlist_read_mi_mode(struct tile *t, uint32_t off);
void execlist_write_mi_mode(struct tile *t, uint32_t off, uint32_t val);
void execlist_write_reset_ctl(struct tile *t, uint32_t off, uint32_t val);
uint32_t execlist_read_context_time(struct tile *t, uint32_t off);
void execlist_write_context_time(struct tile *t, uint32_t off, uint32_t val);

/*
 * GDRST, FLR or device reset: host thread.  Drop whatever runs or is queued,
 * without a context save, an event or an interrupt; on return the engine is
 * idle and touches no memory.  Bounded: a few ms, so the engine's loops look
 * at a stop flag.  Right after it the caller puts the registers of the range to
 * their reset values (storage, without their hooks).
 */
void engine_reset(struct engine *e);

/*
 * What the engine does, for the control socket: "absent", "idle", "active" (it has
 * a context) or "stopped" (by an error or a fault: until a reset).
 */
const char *engine_state(struct engine *e);

#endif
