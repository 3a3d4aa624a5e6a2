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
 * Register access at base + @off, @off < XT_ENGINE_REGS_SIZE, a multiple of 4.
 * Called by the host thread or by mmio_cs_*() on some engine's thread, without
 * locks.  Must return at once: note the request, wake the engine's thread.
 * Give registers without a meaning to reg_store() / reg_read().
 * TIMESTAMP (0x358, 0x35c) and ENGINE_ID (0x8c) never arrive here.
 */
uint32_t engine_mmio_read(struct engine *e, uint32_t off);
void engine_mmio_write(struct engine *e, uint32_t off, uint32_t val);

/*
 * GDRST, FLR or device reset: host thread.  Drop whatever runs or is queued,
 * without a context save, an event or an interrupt; on return the engine is
 * idle and touches no memory.  Bounded: a few ms, so the engine's loops look
 * at a stop flag.  Right after it the caller puts the registers of the range to
 * their reset values (storage, without engine_mmio_write()).
 */
void engine_reset(struct engine *e);

/*
 * What the engine does, for the control socket: "absent", "idle", "active" (it has
 * a context) or "stopped" (by an error or a fault: until a reset).
 */
const char *engine_state(struct engine *e);

#endif
