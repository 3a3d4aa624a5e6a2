// SPDX-License-Identifier: GPL-2.0-only
#include "exec/xetile_reset.h"

#include <linux/device.h>
#include <linux/dma-fence.h>
#include <linux/jiffies.h>
#include <linux/pci.h>
#include <linux/ratelimit.h>
#include <linux/time64.h>

#include <drm/drm_drv.h>
#include <drm/drm_print.h>

#include "regs/pvc_engine_regs.h"
#include "regs/pvc_soc_regs.h"

#include "card/xetile_engine.h"
#include "card/xetile_irq.h"
#include "exec/xetile_ban_event.h"
#include "exec/xetile_coredump.h"
#include "exec/xetile_dispatch.h"
#include "exec/xetile_dispatch_limit.h"
#include "exec/xetile_execlist.h"
#include "exec/xetile_fault.h"
#include "exec/xetile_job.h"
#include "exec/xetile_lrc.h"
#include "exec/xetile_reset_tile.h"
#include "exec/xetile_sched_ban.h"
#include "exec/xetile_sched_engine.h"
#include "exec/xetile_sched_lock.h"
#include "exec/xetile_sched_lost.h"
#include "exec/xetile_sched_ports.h"
#include "exec/xetile_sched_types.h"
#include "exec/xetile_wedge.h"
#include "xetile_device.h"
#include "xetile_release.h"
#include "xetile_trace.h"

/**
 * DOC: resets
 *
 * A batch that uses up its time, or for which an engine reports an error, is stopped by a reset
 * of its engine. Its queue is banned, and all other queues go on. Engines are reset by
 * *domain*: each copy engine is one, the compute engines of a tile are one together. So queues
 * that are not to blame are asked to leave their engines first, which saves their contexts; so
 * are the parts of a gang that hang only because another part does. A context that does not
 * leave in time is lost with its engine's state. If its queue is innocent, the queue goes on:
 * with the batch it was in, when that had not begun yet, or else with the next one. A batch
 * that was done in part is not run again, because that would do a part of it twice: its fence
 * says -EAGAIN, unless its queue's user allowed it (xetile_sched_lost.c).
 *
 * When a domain does not end its reset the other engines of its tile are asked to leave as
 * well, and all of the tile is reset. If that fails, too, the card is wedged. All engines of all
 * tiles are stopped, also those that did not fail, because all fences signal with an error then
 * and memory goes back to others. If an engine does not let itself be stopped, the card loses its
 * access to the bus. What is left to try is a reset of the card (xetile_binding.c).
 */

/* Limit of the log for batches that fail: so many engines in so many seconds */
#define LOG_BURST		20
#define LOG_SECONDS		5

/* How long an engine may take to take a context, before it is reset without blame for anybody */
#define TAKE_NS			(10 * NSEC_PER_SEC)

static struct xetile_sched_queue *owner(struct xetile_sched *sched, unsigned int engine)
{
	struct xetile_gang *gang = sched->dispatch.owners[engine];

	lockdep_assert_held(&sched->lock);
	return gang ? xetile_gang_to_sq(gang) : NULL;
}

/* All engines that are reset when those of @engines are */
static u64 whole_domains(struct xetile_device *xt, u64 engines)
{
	struct xetile_tile *tile;
	u64 mask = 0;

	xetile_for_each_tile(tile, xt) {
		u32 domains = 0;
		unsigned int i;

		for (i = 0; i < tile->num_engines; i++)
			if (engines & xetile_sched_engine_bit(&tile->engines[i]))
				domains |= tile->engines[i].reset_domain;
		for (i = 0; i < tile->num_engines; i++)
			if (domains & tile->engines[i].reset_domain)
				mask |= xetile_sched_engine_bit(&tile->engines[i]);
	}
	return mask;
}

static u64 tile_engines(const struct xetile_tile *tile)
{
	u64 mask = 0;
	unsigned int i;

	for (i = 0; i < tile->num_engines; i++)
		mask |= xetile_sched_engine_bit(&tile->engines[i]);
	return mask;
}

static u64 all_engines(struct xetile_device *xt)
{
	struct xetile_tile *tile;
	u64 mask = 0;

	xetile_for_each_tile(tile, xt)
		mask |= tile_engines(tile);
	return mask;
}

/* All engines of the tiles that have one of @engines */
static u64 whole_tiles(struct xetile_device *xt, u64 engines)
{
	struct xetile_tile *tile;
	u64 mask = 0;

	xetile_for_each_tile(tile, xt)
		if (engines & tile_engines(tile))
			mask |= tile_engines(tile);
	return mask;
}

/* The engines that a reset of @engines reaches: their domains, or with @full all of their tiles */
static u64 reset_reach(struct xetile_device *xt, u64 engines, bool full)
{
	return full ? whole_tiles(xt, engines) : whole_domains(xt, engines);
}

/* Say which engines may be given out: none, if the card was wedged meanwhile. */
static void set_usable(struct xetile_sched *sched, u64 usable)
{
	lockdep_assert_held(&sched->lock);
	xetile_dispatch_set_usable(&sched->dispatch, sched->wedged ? 0 : usable,
				   xetile_sched_now());
}

/*
 * Engines that still have contexts of queues that the reset has suspended. Queues that their
 * files close meanwhile are suspended as well, but do not concern the reset.
 */
static u64 engines_left_on(struct xetile_sched *sched)
{
	u64 mask = 0;
	unsigned int e, m;

	lockdep_assert_held(&sched->lock);
	for (e = 0; e < XETILE_DISPATCH_ENGINES; e++) {
		struct xetile_sched_queue *sq = owner(sched, e);

		if (!sq || list_empty(&sq->held_link))
			continue;
		for (m = 0; m < sq->gang.num_members; m++)
			if (sq->gang.members[m].engine == e && sq->gang.members[m].loaded)
				mask |= BIT_ULL(e);
	}
	return mask;
}

/*
 * Have all queues that were asked to leave left, except those on the @hurt engines and on
 * engines that report an error meanwhile?
 */
static bool all_left(struct xetile_sched *sched, u64 hurt)
{
	unsigned long flags = xetile_sched_lock(sched);
	u64 left;

	xetile_sched_poll_locked(sched);
	left = engines_left_on(sched) & ~(hurt | sched->reset_engines);
	xetile_sched_unlock(sched, flags);
	return !left;
}

static void report_engine(struct xetile_engine *engine, const char *why, pid_t pid)
{
	struct drm_device *drm = &engine->tile->xt->drm;
	u32 base = engine->base;
	const char *words;
	u64 event;

	words = xetile_execlist_why(engine->execlist, &event);
	if (words)
		drm_err(drm, "%s: %s, event %#llx\n", engine->name, words, event);
	drm_err(drm, "%s: %s, command %#x at %#llx, errors %#x, reset control %#x, process %d\n",
		engine->name, why, xetile_engine_read(engine, PVC_RING_IPEHR(base)),
		(u64)xetile_engine_read(engine, PVC_RING_ACTHD_UDW(base)) << 32 |
		xetile_engine_read(engine, PVC_RING_ACTHD(base)),
		xetile_engine_read(engine, PVC_RING_EIR(base)),
		xetile_engine_read(engine, PVC_RING_RESET_CTL(base)), pid);
}

/*
 * Anybody can have batches fail as fast as engines are reset, and a console is slow: so the log
 * tells of a few, and how many were left out. A process that asks for its queue's state is
 * always told.
 */
static void report(struct xetile_sched *sched, u64 hurt, u64 failed, u64 errors, u64 untaken,
		   const pid_t *pids)
{
	unsigned int e;

	for (e = 0; e < XETILE_DISPATCH_ENGINES; e++) {
		struct xetile_engine *engine;
		bool tell;

		/* Numbers without an engine are not in the tile's array. */
		if (!(hurt & BIT_ULL(e)))
			continue;
		engine = xetile_sched_engine(sched->xt, e);
		tell = failed & BIT_ULL(e) && __ratelimit(&sched->log_limit);
		if (tell)
			report_engine(engine, errors & BIT_ULL(e) ? "batch failed" :
				      untaken & BIT_ULL(e) ? "does not take a context" :
				      "batch did not end in time", pids[e]);
		xetile_fault_report(engine, tell);
	}
}

/* Engines that a queue owns */
static u64 engines_of(struct xetile_sched_queue *sq)
{
	u64 mask = 0;
	unsigned int m;

	lockdep_assert_held(&sq->xt->sched->lock);
	if (xetile_gang_is_off(&sq->gang))
		return 0;
	for (m = 0; m < sq->gang.num_members; m++)
		mask |= BIT_ULL(sq->gang.members[m].engine);
	return mask;
}

/*
 * Engines whose fault it is that a queue hangs: they have not even taken its contexts, and its
 * batch had not used up its time in earlier turns.
 */
static u64 untaken_by(struct xetile_sched_queue *sq)
{
	lockdep_assert_held(&sq->xt->sched->lock);
	return sq->gang.ran_ns < sq->gang.limit_ns ? xetile_sched_untaken_locked(sq) : 0;
}

/*
 * Engines have not taken a queue's contexts: its times begin anew, as the time to leave does when
 * an engine is asked. Returns false if the engines have had time enough: then they are reset, and
 * the queue is not to blame.
 */
static bool wait_until_taken(struct xetile_sched_queue *sq)
{
	u64 now = xetile_sched_now();

	lockdep_assert_held(&sq->xt->sched->lock);
	if (sq->error)
		return false;
	xetile_dispatch_restart_times(&sq->gang, now);
	return now < sq->gang.dispatched_ns + TAKE_NS;
}

/*
 * Blame the queues that are to blame. Returns the engines they are on, and those that reported
 * an error without running anything of a queue; @failed becomes those of them on which something
 * failed or did not end, and @none_taken those that have not taken a context in time. A queue that
 * used up its time may be off its engines just now, at the end of a slice: then it is banned and
 * nothing needs a reset.
 */
static u64 blame_guilty(struct xetile_sched *sched, u64 errors, u64 *failed, u64 *none_taken)
{
	struct xetile_sched_queue *sq, *next;
	u64 hurt = errors, rest;

	lockdep_assert_held(&sched->lock);
	*failed = errors;
	*none_taken = 0;
	/* List each queue once, on however many engines it is. */
	for (rest = errors; rest; rest &= rest - 1) {
		sq = owner(sched, __ffs64(rest));
		if (sq)
			list_move_tail(&sq->hung_link, &sched->hung);
	}
	list_for_each_entry_safe(sq, next, &sched->hung, hung_link) {
		u64 engines = engines_of(sq);
		bool error = errors & engines;
		u64 untaken = !error && engines && sq->gang.hung ? untaken_by(sq) : 0;

		list_del_init(&sq->hung_link);
		if (!error && !sq->gang.hung)
			continue;
		if (untaken && wait_until_taken(sq))
			continue;
		/* What the others have of the queue they are asked to leave, and save. */
		hurt |= untaken && !sq->error ? untaken : engines;
		if (!error && engines)
			*failed |= untaken ?: xetile_sched_late_locked(sq);
		*none_taken |= untaken;
		/* A queue without work did nothing wrong: its engine did. */
		if (!sq->gang.work || sq->error || untaken)
			continue;
		xetile_coredump_begin_locked(sched->coredump, sq, error);
		xetile_sched_blame_locked(sq, error ? -EIO : -ETIME);
		if (error)
			sq->ban.engine = xetile_sched_engine(sched->xt, __ffs64(errors & engines));
	}
	return hurt;
}

/* Ask all queues that share a domain with @engines to leave. */
static void suspend_bystanders(struct xetile_sched *sched, u64 engines)
{
	unsigned int e;

	lockdep_assert_held(&sched->lock);
	for (e = 0; e < XETILE_DISPATCH_ENGINES; e++) {
		struct xetile_sched_queue *sq = owner(sched, e);

		if (!(engines & BIT_ULL(e)) || !sq || !list_empty(&sq->held_link))
			continue;
		list_add_tail(&sq->held_link, &sched->held);
		xetile_dispatch_suspend(&sched->dispatch, &sq->gang, xetile_sched_now());
	}
}

static void resume_bystanders(struct xetile_sched *sched)
{
	struct xetile_sched_queue *sq, *next;

	lockdep_assert_held(&sched->lock);
	list_for_each_entry_safe(sq, next, &sched->held, held_link) {
		list_del_init(&sq->held_link);
		xetile_dispatch_resume(&sched->dispatch, &sq->gang, xetile_sched_now());
	}
}

/*
 * Count the contexts on @engines as lost. Runs after the engines were reset and before anything
 * is given to them again.
 */
static void drop_lost(struct xetile_sched *sched, u64 engines)
{
	unsigned int e, m;

	lockdep_assert_held(&sched->lock);
	for (e = 0; e < XETILE_DISPATCH_ENGINES; e++) {
		struct xetile_sched_queue *sq = owner(sched, e);

		if (!(engines & BIT_ULL(e)) || !sq)
			continue;
		for (m = 0; m < sq->gang.num_members; m++) {
			if (sq->gang.members[m].engine == e && sq->gang.members[m].loaded) {
				xetile_sched_lost_locked(sq, m);
				break;
			}
		}
	}
}

/* How long queues that were asked to leave may take: the longest of their times to leave */
static unsigned long leave_timeout(struct xetile_sched *sched)
{
	struct xetile_sched_queue *sq;
	u64 ns = 0;

	lockdep_assert_held(&sched->lock);
	list_for_each_entry(sq, &sched->held, held_link)
		if (!xetile_gang_is_off(&sq->gang))
			ns = max(ns, sq->gang.leave_ns);
	return nsecs_to_jiffies(ns) + 1;
}

/* Have other queues leave. Returns the engines to reset: all that a reset reaches. */
static u64 clear_engines(struct xetile_sched *sched, u64 hurt, u64 usable, bool full)
{
	unsigned long flags, timeout;
	unsigned int round;
	u64 engines = 0, engines_next, more;

	/* Each round may find that another domain does not let go: as many as tiles at most. */
	for (round = 0; round <= XETILE_MAX_TILES; round++) {
		flags = xetile_sched_lock(sched);
		engines = reset_reach(sched->xt, hurt, full);
		set_usable(sched, usable & ~engines);
		suspend_bystanders(sched, engines);
		timeout = leave_timeout(sched);
		xetile_sched_unlock(sched, flags);

		wait_event_timeout(sched->left, xetile_wedged(sched) || all_left(sched, hurt),
				   timeout);
		/* The card's wedging stops all engines in a moment. */
		if (xetile_wedged(sched))
			break;
		flags = xetile_sched_lock(sched);
		more = engines_left_on(sched) & ~engines;
		/* No other queue may get an engine that becomes free in a moment. */
		engines_next = reset_reach(sched->xt, hurt | more, full);
		set_usable(sched, usable & ~engines_next);
		xetile_sched_unlock(sched, flags);
		if (!more)
			break;
		hurt |= more;
	}
	return engines;
}

static void disable_ports(struct xetile_sched *sched, u64 engines)
{
	unsigned long flags = xetile_sched_lock(sched);
	unsigned int e;

	for (e = 0; e < XETILE_DISPATCH_ENGINES; e++)
		if (engines & BIT_ULL(e))
			xetile_execlist_disable(xetile_sched_engine(sched->xt, e)->execlist);
	xetile_sched_unlock(sched, flags);
}

static int reset_engines(struct xetile_sched *sched, u64 engines, bool full)
{
	struct xetile_device *xt = sched->xt;
	struct xetile_tile *tile;
	int err;

	disable_ports(sched, engines);
	xetile_for_each_tile(tile, xt) {
		err = xetile_reset_tile_engines(tile, engines, full);
		if (err)
			return err;
	}
	xetile_for_each_tile(tile, xt)
		xetile_reset_tile_start(tile, engines);
	if (full)
		xetile_irq_enable(xt);
	return 0;
}

/*
 * Let nothing of the card run on, whatever the tiles answer, because all fences signal then,
 * and memory is given back that engines could still write. Engines of a tile that does not end
 * its reset cannot be trusted to stand still. They are kept from system memory, which is the
 * kernel's again then. HBM needs no such care: a wedged card gives none out.
 */
static void stop_all(struct xetile_device *xt)
{
	bool cookie = dma_fence_begin_signalling();
	struct xetile_tile *tile;
	bool answered = true;

	xetile_for_each_tile(tile, xt) {
		if (!xetile_reset_tile_engines(tile, U64_MAX, false) ||
		    !xetile_reset_tile_engines(tile, U64_MAX, true))
			continue;
		answered = false;
		drm_dbg(&xt->drm, "tile%u: no answer to the last reset\n", tile->id);
	}
	if (!answered)
		pci_clear_master(to_pci_dev(xt->drm.dev));
	xetile_wedge_set_still(xt->sched);
	dma_fence_end_signalling(cookie);
}

/* Let all queues go on. */
static void release_engines(struct xetile_sched *sched, u64 engines, u64 usable)
{
	unsigned long flags = xetile_sched_lock(sched);
	unsigned int e;

	for (e = 0; e < XETILE_DISPATCH_ENGINES; e++)
		if (engines & BIT_ULL(e))
			xetile_execlist_reset(xetile_sched_engine(sched->xt, e)->execlist);
	/* Forget errors that the engines reported while they were waited for. */
	sched->reset_engines &= ~engines;
	drop_lost(sched, engines);
	resume_bystanders(sched);
	set_usable(sched, usable);
	xetile_sched_unlock(sched, flags);
}

/* All jobs end, because nothing less than a reset of the card can help. */
static void wedge_card(struct xetile_sched *sched, int err)
{
	drm_err(&sched->xt->drm, "reset failed: %d, the card is wedged\n", err);
	xetile_wedge(sched, -EIO);
	disable_ports(sched, all_engines(sched->xt));
	stop_all(sched->xt);
	xetile_wedge_drop(sched);
	xetile_release_recover(sched->xt);
}

/* The event allocates memory, so no fence may wait for it. */
static void wedged_work(struct work_struct *work)
{
	struct xetile_sched *sched = container_of(work, struct xetile_sched, wedged_work);
	struct xetile_tile *tile;

	/* Who waits until a mode can change would wait in vain. */
	xetile_for_each_tile(tile, sched->xt)
		if (tile->ccs_idle)
			tile->ccs_idle(tile);
	drm_dev_wedged_event(&sched->xt->drm,
			     DRM_WEDGE_RECOVERY_REBIND | DRM_WEDGE_RECOVERY_BUS_RESET, NULL);
}

static void trace_resets(struct xetile_sched *sched, u64 engines, u64 errors, bool full)
{
	struct xetile_tile *tile;

	xetile_for_each_tile(tile, sched->xt) {
		u64 mine = engines & tile_engines(tile);
		const char *reason = full ? "unfinished" : mine & errors ? "error" : "timeout";

		if (mine)
			trace_xetile_reset(dev_name(sched->xt->drm.dev), full ? "tile" : "engines",
					   tile->id, reason);
	}
}

static void reset_hurt(struct xetile_sched *sched)
{
	unsigned long flags = xetile_sched_lock(sched);
	pid_t pids[XETILE_DISPATCH_ENGINES] = { 0 };
	u64 errors, hurt, failed, untaken, usable, engines;
	unsigned int e;
	int err;

	/* Perhaps only an interrupt was lost. */
	xetile_sched_poll_locked(sched);
	errors = sched->reset_engines;
	sched->reset_engines = 0;
	hurt = blame_guilty(sched, errors, &failed, &untaken);
	for (e = 0; e < XETILE_DISPATCH_ENGINES; e++)
		if (owner(sched, e))
			pids[e] = owner(sched, e)->pid;
	usable = sched->dispatch.usable;
	/*
	 * A queue that is to blame may leave by itself from here on. A queue that got its
	 * engine then would be lost in the reset, which does not wait for queues on hurt
	 * engines.
	 */
	set_usable(sched, usable & ~whole_domains(sched->xt, hurt));
	xetile_sched_unlock(sched, flags);

	/* Capture before the report clears the faults. */
	xetile_coredump_capture(sched->coredump);
	report(sched, hurt, failed, errors, untaken, pids);
	xetile_coredump_publish(sched->coredump);
	xetile_ban_event_send(sched);
	if (!hurt)
		return;

	engines = clear_engines(sched, hurt, usable, false);
	trace_resets(sched, engines, errors, false);
	err = reset_engines(sched, engines, false);
	if (err == -ETIMEDOUT) {
		drm_err(&sched->xt->drm, "engines do not end their reset: resetting their tiles\n");
		engines = clear_engines(sched, engines, usable, true);
		trace_resets(sched, engines, 0, true);
		err = reset_engines(sched, engines, true);
	}
	if (err)
		wedge_card(sched, err);
	else
		release_engines(sched, engines, usable);
}

/*
 * An engine answered all ones. If the whole card does so, it was pulled out, or its link is
 * down: then no reset can help, and no time limit is worth waiting for.
 */
static void check_gone(struct xetile_sched *sched)
{
	struct xetile_device *xt = sched->xt;
	unsigned long flags;

	if (!PCI_POSSIBLE_ERROR(xetile_mmio_read(&xt->mmio, PVC_MTCFG))) {
		flags = xetile_sched_lock(sched);
		sched->gone = false;
		xetile_sched_unlock(sched, flags);
		return;
	}
	drm_err(&xt->drm, "registers read all ones: the card is gone\n");
	xetile_wedge(sched, -ENODEV);
	disable_ports(sched, all_engines(xt));
	stop_all(xt);
	xetile_wedge_drop(sched);
}

/* Reset engines whose queues hang, or that reported an error. */
static void reset_work(struct work_struct *work)
{
	struct xetile_sched *sched = container_of(work, struct xetile_sched, reset_work);
	bool cookie = dma_fence_begin_signalling();

	if (!xetile_wedged(sched) && READ_ONCE(sched->gone))
		check_gone(sched);
	if (!xetile_wedged(sched))
		reset_hurt(sched);
	dma_fence_end_signalling(cookie);
}

/**
 * xetile_reset_init() - set up the state that resets need
 * @sched: execution state, before any engine has a port
 *
 * Context: process; may sleep.
 *
 * Return: 0 or -ENOMEM.
 */
int xetile_reset_init(struct xetile_sched *sched)
{
	sched->coredump = xetile_coredump_create(sched->xt);
	if (!sched->coredump)
		return -ENOMEM;
	INIT_WORK(&sched->reset_work, reset_work);
	INIT_WORK(&sched->wedged_work, wedged_work);
	xetile_ban_event_init(sched);
	ratelimit_state_init(&sched->log_limit, LOG_SECONDS * HZ, LOG_BURST);
	return 0;
}

/**
 * xetile_reset_stop() - stop all engines for good
 * @xt: the card, wedged
 *
 * On return the engines, if they are still there, read and write nothing. Those of a tile that
 * does not end its reset read and write nothing outside of HBM.
 *
 * Context: process; waits for the worker that resets.
 */
void xetile_reset_stop(struct xetile_device *xt)
{
	cancel_work_sync(&xt->sched->reset_work);
	stop_all(xt);
}
