/* SPDX-License-Identifier: MIT */
/* The interface of an engine to the rest of the card: its thread, its ports, its reset. */
#ifndef VPVC_EXECLIST_H
#define VPVC_EXECLIST_H

#include "card.h"

/*
 * Start and end a present engine: card_create() and card_destroy(), while no guest can
 * reach the card.  engine_init() returns 0 or -errno.
 */
int engine_init(struct engine *e);
void engine_fini(struct engine *e);

/*
 * Hooks of engine registers.  The host thread or mmio_cs_*() on any engine's thread calls
 * them, without locks.  They must not wait: they leave a request and wake the engine's
 * thread.
 */
void execlist_write_control(struct tile *t, uint32_t off, uint32_t val);
uint32_t execlist_read_mi_mode(struct tile *t, uint32_t off);
void execlist_write_mi_mode(struct tile *t, uint32_t off, uint32_t val);
void execlist_write_reset_ctl(struct tile *t, uint32_t off, uint32_t val);
uint32_t execlist_read_context_time(struct tile *t, uint32_t off);
void execlist_write_context_time(struct tile *t, uint32_t off, uint32_t val);

/*
 * GDRST, FLR or device reset; host thread.  Drops the running context and all loads,
 * without a context save, an event or an interrupt; on return the engine is idle and
 * accesses no memory.  The call takes a few ms at most, because the engine's loops check
 * for it.  The caller then sets the registers of the range to their reset values.
 */
void engine_reset(struct engine *e);

/*
 * The engine's state for the control socket: "absent", "idle", "active" (a context is
 * loaded) or "stopped" (by an error or a fault, until a reset).
 */
const char *engine_state(struct engine *e);

#endif
