// SPDX-License-Identifier: GPL-2.0-only
#include "exec/xetile_sched_ports.h"

#include <linux/bitops.h>
#include <linux/err.h>
#include <linux/lockdep.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "card/xetile_irq.h"
#include "exec/xetile_dispatch.h"
#include "exec/xetile_dispatch_limit.h"
#include "exec/xetile_dispatch_owner.h"
#include "exec/xetile_dispatch_yield.h"
#include "exec/xetile_execlist.h"
#include "exec/xetile_lrc.h"
#include "exec/xetile_sched_ban.h"
#include "exec/xetile_sched_engine.h"
#include "exec/xetile_sched_queue.h"
#include "exec/xetile_sched_usage.h"
#include "mem/xetile_number.h"
#include "xetile_device.h"

/**
 * DOC: what engines report
 *
 * Each engine has a port (xetile_execlist.c), which loads contexts and reads the engine's events.
 * The engines' interrupts come here, those of one message of the card together, and so do the
 * polls of a silent engine: jobs that are done leave, and the dispatcher is told which gang's
 * context has left. The execution lock is held for all of it.
 */

static void port_taken(struct xetile_lrc *lrc)
{
	struct xetile_sched_queue *sq = lrc->owner;

	lockdep_assert_held(&sq->xt->sched->lock);
	xetile_sched_taken_locked(sq, lrc->member);
}

static void port_off(struct xetile_lrc *lrc)
{
	struct xetile_sched_queue *sq = lrc->owner;
	struct xetile_sched *sched = sq->xt->sched;

	lockdep_assert_held(&sched->lock);
	xetile_sched_usage_left(sq, lrc->member);
	xetile_dispatch_member_left(&sched->dispatch, &sq->gang, lrc->member, xetile_sched_now());
	/* Perhaps only this context of its gang leaves. */
	if (sq->gang.holds)
		wake_up_all(&sched->left);
}

static void port_broken(struct xetile_engine *engine)
{
	struct xetile_sched *sched = engine->tile->xt->sched;

	lockdep_assert_held(&sched->lock);
	sched->reset_engines |= xetile_sched_engine_bit(engine);
	queue_work(sched->xt->fence_wq, &sched->reset_work);
	/* A reset that is under way need not wait for this engine any more. */
	wake_up_all(&sched->left);
}

/* The reset's work looks at the card, because it may be silent for a moment only. */
static void port_gone(struct xetile_engine *engine)
{
	struct xetile_sched *sched = engine->tile->xt->sched;

	lockdep_assert_held(&sched->lock);
	if (sched->gone)
		return;
	sched->gone = true;
	queue_work(sched->xt->fence_wq, &sched->reset_work);
}

static void port_asked(struct xetile_engine *engine)
{
	struct xetile_sched *sched = engine->tile->xt->sched;
	struct xetile_gang *gang = sched->dispatch.owners[xetile_sched_engine_index(engine)];

	lockdep_assert_held(&sched->lock);
	if (gang)
		xetile_dispatch_asked(gang, xetile_sched_now());
}

static const struct xetile_execlist_ops sched_port_ops = {
	.taken = port_taken,
	.left = port_off,
	.gone = port_gone,
	.broken = port_broken,
	.asked = port_asked,
};

static void lrc_retire(struct xetile_lrc *lrc)
{
	struct xetile_sched_queue *sq = lrc ? lrc->owner : NULL;

	if (sq && sq->num_running)
		xetile_sched_retire_locked(sq);
}

static void port_retire(struct xetile_execlist *port)
{
	lockdep_assert_held(&port->engine->tile->xt->sched->lock);
	lrc_retire(port->active);
	if (port->pending != port->active)
		lrc_retire(port->pending);
}

/* An engine without an owner may have got rid of its context, for which another mode waits. */
static void port_settled(struct xetile_sched *sched, const struct xetile_execlist *port)
{
	lockdep_assert_held(&sched->lock);
	if (port->engine->class == XETILE_ENGINE_COMPUTE && xetile_execlist_is_quiet(port))
		xetile_dispatch_settled(&sched->dispatch, xetile_sched_now());
}

static void engine_reports(struct xetile_sched *sched, const struct xetile_irq_event *event)
{
	struct xetile_execlist *port = event->engine->execlist;

	unsigned int index = xetile_sched_engine_index(event->engine);

	lockdep_assert_held(&sched->lock);
	xetile_sched_heard(sched, index);
	port_retire(port);
	/* The one that waited may be about to leave: it is, rather than the next, who spins. */
	if (event->vector & XETILE_IRQ_SEMAPHORE)
		xetile_dispatch_spins(&sched->dispatch, index);
	xetile_execlist_events(port, event->vector);
	if (sched->dispatch.mixed)
		port_settled(sched, port);
}

/* The dispatcher looks once at what all these engines report. */
static void sched_irq(struct xetile_device *xt, const struct xetile_irq_event *events,
		      unsigned int num)
{
	struct xetile_sched *sched = xt->sched;
	unsigned long flags = xetile_sched_lock(sched);
	unsigned int i;

	for (i = 0; i < num; i++)
		engine_reports(sched, &events[i]);
	xetile_sched_unlock(sched, flags);
	/* A batch may have written a number, whether or not it has ended. */
	xetile_number_wake(xt);
}

static void poll_engine(struct xetile_sched *sched, unsigned int engine)
{
	struct xetile_execlist *port = xetile_sched_engine(sched->xt, engine)->execlist;

	lockdep_assert_held(&sched->lock);
	xetile_sched_heard(sched, engine);
	port_retire(port);
	xetile_execlist_poll(port);
	if (sched->dispatch.mixed)
		port_settled(sched, port);
}

/* Engines that gangs own, and those that a tile waits for that is to come into another mode */
static u64 busy_engines(const struct xetile_dispatch *dispatch)
{
	u64 mask = dispatch->owned;
	unsigned int d;

	for (d = 0; d < XETILE_DISPATCH_DOMAINS; d++)
		if (dispatch->domains[d].next)
			mask |= dispatch->domains[d].engines;
	return mask;
}

/**
 * xetile_sched_poll_locked() - look at the reports of busy engines
 * @sched: execution state, locked
 *
 * For the case that an interrupt was lost.
 *
 * Context: the execution lock is held.
 */
void xetile_sched_poll_locked(struct xetile_sched *sched)
{
	u64 rest;

	lockdep_assert_held(&sched->lock);
	/* Gangs may leave, and others start, meanwhile: look at the engines that are busy now. */
	for (rest = sched->dispatch.owned; rest; rest &= rest - 1)
		poll_engine(sched, __ffs64(rest));
}

/* An engine without an owner that keeps its idle context for so long is reset. */
static void check_left(struct xetile_sched *sched, unsigned int e)
{
	struct xetile_engine *engine = xetile_sched_engine(sched->xt, e);

	lockdep_assert_held(&sched->lock);
	if (!sched->dispatch.owners[e] && !xetile_execlist_is_quiet(engine->execlist))
		port_broken(engine);
}

/**
 * xetile_sched_poll_silent_locked() - look at the reports of silent engines
 * @sched: execution state, locked
 *
 * As xetile_sched_poll_locked(), for engines that were silent for long, or whose gang is about
 * to be reported as hung. A read goes to the card and back, which is long with interrupts off:
 * at the end of a time slice there is nothing to ask for.
 *
 * Context: the execution lock is held.
 */
void xetile_sched_poll_silent_locked(struct xetile_sched *sched)
{
	u64 now = xetile_sched_now(), rest;

	lockdep_assert_held(&sched->lock);
	for (rest = busy_engines(&sched->dispatch); rest; rest &= rest - 1) {
		unsigned int e = __ffs64(rest);
		const struct xetile_gang *gang = sched->dispatch.owners[e];

		/* The gang may have left when another engine was asked. */
		if (now < sched->heard_ns[e] + XETILE_SCHED_POLL_NS &&
		    !(gang && xetile_dispatch_is_late(gang, now)))
			continue;
		poll_engine(sched, e);
		if (!gang)
			check_left(sched, e);
	}
}

/**
 * xetile_sched_ports_destroy() - free the ports of the engines
 * @xt: the card, stopped; it need not have all ports, or any
 *
 * On return no interrupt of an engine is handled any more.
 *
 * Context: process.
 */
void xetile_sched_ports_destroy(struct xetile_device *xt)
{
	struct xetile_tile *tile;
	unsigned int i;

	xetile_irq_unlisten(xt);
	xetile_for_each_tile(tile, xt) {
		for (i = 0; i < tile->num_engines; i++) {
			xetile_execlist_destroy(tile->engines[i].execlist);
			tile->engines[i].execlist = NULL;
		}
	}
}

/**
 * xetile_sched_ports_create() - give each engine a port
 * @xt: the card
 *
 * Context: process; may sleep.
 *
 * Return: 0 or -errno; on failure some engines may have a port, for
 * xetile_sched_ports_destroy().
 */
int xetile_sched_ports_create(struct xetile_device *xt)
{
	struct xetile_tile *tile;
	unsigned int i;

	xetile_for_each_tile(tile, xt) {
		for (i = 0; i < tile->num_engines; i++) {
			struct xetile_engine *engine = &tile->engines[i];
			struct xetile_execlist *port;

			port = xetile_execlist_create(engine, &sched_port_ops);
			if (IS_ERR(port))
				return PTR_ERR(port);
			engine->execlist = port;
		}
	}
	return 0;
}

/**
 * xetile_sched_ports_listen() - handle the reports of the engines
 * @xt: the card
 *
 * Called only when all engines have a port, because an interrupt may ask for a reset of many
 * engines.
 *
 * Context: any.
 */
void xetile_sched_ports_listen(struct xetile_device *xt)
{
	xetile_irq_listen(xt, sched_irq);
}
