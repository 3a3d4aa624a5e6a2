// SPDX-License-Identifier: GPL-2.0-only
#include "exec/xetile_execlist.h"

#include <linux/err.h>
#include <linux/iosys-map.h>
#include <linux/pci.h>
#include <linux/slab.h>

#include "regs/pvc_engine_regs.h"
#include "regs/pvc_lrc_regs.h"

#include "card/xetile_bisect.h"
#include "card/xetile_engine.h"
#include "card/xetile_irq.h"
#include "exec/xetile_lrc.h"
#include "exec/xetile_ring.h"
#include "exec/xetile_sched_types.h"
#include "xetile_device.h"

/**
 * DOC: execlist ports
 *
 * An engine takes one context at a time from the driver: a context that is loaded replaces the
 * one that runs, at the next point where that one can be interrupted. The engine reports its
 * switches in a ring of events, the context status buffer (CSB), in its status page.
 *
 * Only one load is outstanding; a load that is wanted meanwhile waits in ``next``, where the
 * next one replaces it. An event either acknowledges the load (and says thereby that the engine
 * has left the context that it ran before), or says that the context that runs has run dry.
 *
 * A context that got work while it ran is loaded again: the engine takes its new tail. If the
 * context runs dry at the same moment, it is not reported as off, because the load starts it
 * once more.
 *
 * No event is believed that does not fit the loaded context.
 */

#define CSB_ID(entry, name) \
	((u32)(((entry) & PVC_CSB_##name##_ID_MASK) >> PVC_CSB_##name##_ID_SHIFT))

/**
 * xetile_execlist_create() - make the port of an engine
 * @engine: a started engine
 * @ops: operations of the owner, for reports
 *
 * Context: process; may sleep.
 *
 * Return: the port, or an error pointer.
 */
struct xetile_execlist *xetile_execlist_create(struct xetile_engine *engine,
					       const struct xetile_execlist_ops *ops)
{
	struct xetile_execlist *port = kzalloc(sizeof(*port), GFP_KERNEL);

	if (!port)
		return ERR_PTR(-ENOMEM);
	port->engine = engine;
	port->ops = ops;
	port->csb_head = PVC_CSB_ENTRIES - 1;
	port->idle = xetile_lrc_create(engine->tile, engine->class, NULL, 0, NULL);
	if (IS_ERR(port->idle)) {
		int err = PTR_ERR(port->idle);

		kfree(port);
		return ERR_PTR(err);
	}
	return port;
}

/**
 * xetile_execlist_destroy() - free a port
 * @port: a port whose engine is stopped, or NULL
 *
 * Context: process; may sleep.
 */
void xetile_execlist_destroy(struct xetile_execlist *port)
{
	if (!port)
		return;
	xetile_lrc_destroy(port->idle);
	kfree(port);
}

/* Ports are protected by the execution lock. */
static void assert_locked(const struct xetile_execlist *port)
{
	lockdep_assert_held(&port->engine->tile->xt->sched->lock);
}

static void port_submit(struct xetile_execlist *port, struct xetile_lrc *lrc)
{
	struct xetile_engine *engine = port->engine;
	u64 desc = xetile_lrc_load(lrc, engine, lrc == port->active);

	assert_locked(port);
	/* Ring and image are in HBM, behind a write-combining mapping. */
	wmb();
	/* The second place of the queue is empty, see xetile_engine_start(). */
	xetile_engine_write(engine, PVC_EXECLIST_SQ_CONTENTS(engine->base, 0),
			    lower_32_bits(desc));
	xetile_engine_write(engine, PVC_EXECLIST_SQ_CONTENTS_UDW(engine->base, 0),
			    upper_32_bits(desc));
	xetile_engine_write(engine, PVC_EXECLIST_CONTROL(engine->base), PVC_EXECLIST_CONTROL_LOAD);
	port->pending = lrc;
}

static void port_kick(struct xetile_execlist *port)
{
	struct xetile_lrc *lrc = port->next;

	assert_locked(port);
	if (!lrc || port->pending || port->broken)
		return;
	/* The engine is given nothing until it reports that its context has run dry. */
	if (xetile_bisect.preempt_off && port->active)
		return;
	port->next = NULL;
	if (lrc == port->idle) {
		/* No context runs: there is none to leave. */
		if (!port->active)
			return;
		xetile_ring_emit_noops(lrc);
	}
	port_submit(port, lrc);
	if (lrc == port->idle)
		port->ops->asked(port->engine);
}

/**
 * xetile_execlist_load() - let an engine run a context up to its present tail
 * @port: the engine's port
 * @lrc: context of the engine's class and tile; may be loaded already
 *
 * &xetile_execlist_ops.left follows once for the context, however often it was
 * loaded meanwhile.
 *
 * Context: the execution lock is held.
 */
void xetile_execlist_load(struct xetile_execlist *port, struct xetile_lrc *lrc)
{
	assert_locked(port);
	port->next = lrc;
	port_kick(port);
}

/**
 * xetile_execlist_unload() - ask an engine to leave its context
 * @port: the engine's port
 *
 * The engine takes one load at a time: it is asked, and &xetile_execlist_ops.asked says so,
 * when the load before is acknowledged. &xetile_execlist_ops.left follows when it has left.
 *
 * Context: the execution lock is held.
 */
void xetile_execlist_unload(struct xetile_execlist *port)
{
	struct xetile_lrc *dropped = port->next;

	assert_locked(port);
	port->next = port->idle;
	port_kick(port);
	/* A context that never got to the engine is off at once. */
	if (dropped && dropped != port->idle && dropped != port->active &&
	    dropped != port->pending)
		port->ops->left(dropped);
}

/**
 * xetile_execlist_has() - whether an engine has taken a context
 * @port: the engine's port
 * @lrc: the context
 *
 * Context: the execution lock is held.
 * Return: true if it has, and has not left it, as far as its events tell.
 */
bool xetile_execlist_has(const struct xetile_execlist *port, const struct xetile_lrc *lrc)
{
	assert_locked(port);
	return port->active == lrc;
}

/**
 * xetile_execlist_read_time() - read the count of time of the context that an engine has
 * @port: the engine's port
 * @count: out: the count, in ticks of the card's clock, modulo 2^32
 *
 * Slow: two registers are read. The second one tells whether the engine has switched meanwhile:
 * events that are handled by now were reported before the first one was read.
 *
 * Context: the execution lock is held.
 * Return: true if it is the count of the context that xetile_execlist_has() knows; else the engine
 * has none, or switches.
 */
bool xetile_execlist_read_time(const struct xetile_execlist *port, u32 *count)
{
	u32 base = port->engine->base, ptr;

	assert_locked(port);
	if (!port->active || port->broken)
		return false;
	*count = xetile_engine_read(port->engine, PVC_CTX_TIMESTAMP(base));
	ptr = xetile_engine_read(port->engine, PVC_CONTEXT_STATUS_PTR(base));
	return !PCI_POSSIBLE_ERROR(ptr) && (ptr & PVC_CSB_PTR_WRITE_MASK) == port->csb_head;
}

/**
 * xetile_execlist_is_quiet() - whether an engine has no context, and none to take
 * @port: the engine's port
 *
 * Context: the execution lock is held.
 * Return: true if so, as far as its events tell. A broken port's engine is reset next, and is not
 * quiet before.
 */
bool xetile_execlist_is_quiet(const struct xetile_execlist *port)
{
	assert_locked(port);
	return !port->active && !port->pending && !port->next && !port->broken;
}

static void port_broken(struct xetile_execlist *port, const char *why, u64 event)
{
	assert_locked(port);
	if (port->broken)
		return;
	port->broken = true;
	/* The reset prints the reason, because this is a hard interrupt with a lock held. */
	port->why = why;
	port->event = event;
	port->ops->broken(port->engine);
}

static void port_off(struct xetile_execlist *port, struct xetile_lrc *lrc)
{
	assert_locked(port);
	if (lrc && lrc != port->idle)
		port->ops->left(lrc);
}

/* The engine took the load. */
static void port_promote(struct xetile_execlist *port, u64 event)
{
	struct xetile_lrc *old = port->active;

	assert_locked(port);
	if (!port->pending || CSB_ID(event, TO) != port->pending->sw_id) {
		port_broken(port, "acknowledges a context that was not loaded", event);
		return;
	}
	port->active = port->pending;
	port->pending = NULL;
	if (old != port->active && port->active != port->idle)
		port->ops->taken(port->active);
	if (old != port->active && old != port->next)
		port_off(port, old);
}

/* The context that runs has run dry. */
static void port_complete(struct xetile_execlist *port, u64 event)
{
	struct xetile_lrc *old = port->active;

	assert_locked(port);
	if (!old || CSB_ID(event, AWAY) != old->sw_id) {
		port_broken(port, "completes a context it does not run", event);
		return;
	}
	port->active = NULL;
	if (old != port->pending && old != port->next)
		port_off(port, old);
}

static void port_event(struct xetile_execlist *port, u64 event)
{
	bool away = CSB_ID(event, AWAY) != PVC_CTX_SW_ID_NONE;

	assert_locked(port);
	if (!away || (event & PVC_CSB_NEW_QUEUE))
		port_promote(port, event);
	else
		port_complete(port, event);
}

/*
 * The pointer may be seen before the entry that it points to: then the engine's own copy in its
 * registers is read. The late entry might be taken for that of the next round, if that is late
 * as well: so a place whose entry was late is never read again.
 */
static u64 csb_read(struct xetile_execlist *port, unsigned int index)
{
	struct iosys_map *map = &port->engine->hwsp;
	size_t offset = PVC_HWSP_CSB + index * sizeof(u64);
	u32 base = port->engine->base;
	u64 entry = iosys_map_rd(map, offset, u64);

	assert_locked(port);
	if (entry == U64_MAX || port->csb_late & BIT(index)) {
		port->csb_late |= BIT(index);
		entry = (u64)xetile_engine_read(port->engine, PVC_RING_CSB_HI(base, index)) << 32 |
			xetile_engine_read(port->engine, PVC_RING_CSB_LO(base, index));
	}
	/* Mark the place, so that a late entry of the next round is recognised. */
	iosys_map_wr(map, offset, u64, U64_MAX);
	return entry;
}

/*
 * Handle the events up to the one at index @tail.
 *
 * There are two pointers, in the status page and in a register, and either may be behind the
 * other: the engine does not change both at once, and its write to memory may get lost. The
 * events up to the older pointer were handled already, when the newer one was seen. The older
 * pointer must not be taken for one that is nearly a round ahead: with one load outstanding an
 * engine has three events to report at most.
 */
static void port_events(struct xetile_execlist *port, u32 tail)
{
	u32 num = tail - port->csb_head;

	assert_locked(port);
	if (tail >= PVC_CSB_ENTRIES) {
		port_broken(port, "writes events beyond their buffer", tail);
		return;
	}
	if (tail < port->csb_head)
		num += PVC_CSB_ENTRIES;
	if (num > PVC_CSB_ENTRIES / 2)
		return;
	/* Entries are written before the pointer. */
	rmb();
	for (; num && !port->broken; num--) {
		if (++port->csb_head == PVC_CSB_ENTRIES)
			port->csb_head = 0;
		port_event(port, csb_read(port, port->csb_head));
	}
}

/**
 * xetile_execlist_events() - handle an engine's interrupt
 * @port: the engine's port
 * @vector: mask of XETILE_IRQ_*
 *
 * Context: hard interrupt.
 */
void xetile_execlist_events(struct xetile_execlist *port, u16 vector)
{
	struct iosys_map *map = &port->engine->hwsp;

	assert_locked(port);
	if (port->broken)
		return;
	port_events(port, iosys_map_rd(map, PVC_HWSP_CSB_WRITE_PTR, u32));
	/*
	 * The interrupt may be late, and come when the engine was reset for that error already: the
	 * error would be blamed on the context that the engine has now. So ask the engine's
	 * registers. If they are late, xetile_execlist_poll() finds the error.
	 */
	if ((vector & XETILE_IRQ_CS_ERROR) && xetile_engine_failed(port->engine))
		port_broken(port, "command streamer error", vector);
	port_kick(port);
}

/**
 * xetile_execlist_poll() - look for events without having been interrupted
 * @port: the engine's port
 *
 * Asks the engine itself, in case that an event did not get to the status page
 * either, or that the interrupt for an error was lost.
 *
 * Context: the execution lock is held.
 */
void xetile_execlist_poll(struct xetile_execlist *port)
{
	u32 ptr;

	assert_locked(port);
	if (port->broken)
		return;
	ptr = xetile_engine_read(port->engine, PVC_CONTEXT_STATUS_PTR(port->engine->base));
	if (PCI_POSSIBLE_ERROR(ptr)) {
		port->ops->gone(port->engine);
		return;
	}
	port_events(port, ptr & PVC_CSB_PTR_WRITE_MASK);
	if (xetile_engine_failed(port->engine))
		port_broken(port, "command streamer error", XETILE_IRQ_CS_ERROR);
	port_kick(port);
}

/**
 * xetile_execlist_disable() - ignore an engine that is to be reset
 * @port: the engine's port
 *
 * From here on the engine's contexts may be freed, whatever it reports of them.
 *
 * Context: the execution lock is held.
 */
void xetile_execlist_disable(struct xetile_execlist *port)
{
	assert_locked(port);
	port->active = NULL;
	port->pending = NULL;
	port->next = NULL;
	port->broken = true;
}

/**
 * xetile_execlist_why() - why an engine waits for its reset
 * @port: the engine's port
 * @event: out: the engine's report, if there is a reason
 *
 * The reason stays until xetile_execlist_reset().
 *
 * Context: any; the caller has seen &xetile_execlist_ops.broken.
 *
 * Return: a few words; NULL when the engine's reports make sense.
 */
const char *xetile_execlist_why(const struct xetile_execlist *port, u64 *event)
{
	*event = port->event;
	return port->why;
}

/**
 * xetile_execlist_reset() - begin anew after the engine was reset and started
 * @port: the engine's port
 *
 * The engine's contexts are not reported as off, because their owner knows.
 *
 * Context: the execution lock is held.
 */
void xetile_execlist_reset(struct xetile_execlist *port)
{
	assert_locked(port);
	port->active = NULL;
	port->pending = NULL;
	port->next = NULL;
	port->csb_head = PVC_CSB_ENTRIES - 1;
	/* Entries that were late before the reset come no more. */
	port->csb_late = 0;
	port->why = NULL;
	port->broken = false;
	xetile_lrc_rewind(port->idle, port->idle->tail);
}
