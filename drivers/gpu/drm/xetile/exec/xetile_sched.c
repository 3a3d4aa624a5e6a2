// SPDX-License-Identifier: GPL-2.0-only
#include "exec/xetile_sched.h"

#include <linux/device.h>
#include <linux/dma-fence.h>
#include <linux/hrtimer.h>
#include <linux/lockdep.h>
#include <linux/sched.h>

#include <drm/drm_managed.h>

#include "exec/xetile_ccs.h"
#include "exec/xetile_dispatch.h"
#include "exec/xetile_execlist.h"
#include "exec/xetile_lrc.h"
#include "exec/xetile_lrc_record.h"
#include "exec/xetile_sched_ban.h"
#include "exec/xetile_sched_engine.h"
#include "exec/xetile_sched_lock.h"
#include "exec/xetile_sched_ports.h"
#include "exec/xetile_sched_queue.h"
#include "exec/xetile_sched_trace.h"
#include "exec/xetile_sched_usage.h"
#include "mem/xetile_account.h"
#include "xetile_device.h"

/**
 * DOC: from a pushed job to its signalled fence
 *
 * A job is pushed to its queue, waits there for its dependencies, is written into the ring of each
 * of the queue's contexts, and makes the queue's gang ready. The task that pushes a job without
 * dependencies writes it into the rings itself; the queue's work writes the others. The dispatcher
 * (xetile_dispatch.c) says when the gang's engines are free, the ports (xetile_execlist.c) load the
 * contexts. When the GPU has reported the job's number from every context the job's fence signals.
 *
 * This is not drm_gpu_scheduler. A job's time limit must count the time on the engines only,
 * because engines are shared in time slices that only this driver sees; a queue has to be suspended
 * and resumed; and the scheduler's names must not be freed as long as fences have them. A general
 * scheduler would only have to wait for dependencies, which is one function of the queue's
 * (xetile_sched_queue.c).
 *
 * One lock guards all of it (xetile_sched_lock.c). Work under the lock is bounded: a job's
 * commands, a context's descriptor, twelve events of each engine, because one interrupt may tell
 * of all engines, the jobs in the rings of a hundred queues; and one read of HBM for each context
 * that has left its engine, of its time (xetile_sched_usage.c). Nothing under it goes through all
 * queues. Jobs that are done leave through a list of their queue, which one task at a time
 * signals, in the queue's order.
 *
 * The code that leads to a fence's signal (the interrupt, the timer, the queue's work, the reset)
 * allocates nothing.
 */

static struct xetile_sched *gang_to_gangs(struct xetile_dispatch *dispatch)
{
	return container_of(dispatch, struct xetile_sched, dispatch);
}

/**
 * xetile_sched_engine_is_owned() - whether a queue holds an engine
 * @engine: the engine
 *
 * A queue still holds an engine for a moment after its last job has ended, until the engine
 * reports that it switched. The answer may be out of date when it arrives.
 *
 * Context: any.
 *
 * Return: true if one does.
 */
bool xetile_sched_engine_is_owned(const struct xetile_engine *engine)
{
	const struct xetile_sched *sched = engine->tile->xt->sched;

	return READ_ONCE(sched->dispatch.owned) & xetile_sched_engine_bit(engine);
}

static struct xetile_execlist *member_port(struct xetile_sched_queue *sq, unsigned int member)
{
	return xetile_sched_engine(sq->xt, sq->gang.members[member].engine)->execlist;
}

static void gang_run(struct xetile_dispatch *dispatch, struct xetile_gang *gang)
{
	struct xetile_sched_queue *sq = xetile_gang_to_sq(gang);
	unsigned int m;

	lockdep_assert_held(&sq->xt->sched->lock);
	xetile_sched_queue_read_times(sq);
	xetile_sched_usage_begin(sq);
	xetile_sched_trace_run(sq);
	for (m = 0; m < gang->num_members; m++) {
		xetile_sched_heard(sq->xt->sched, gang->members[m].engine);
		if (sq->lr)
			sq->lrcs[m]->vm_seq = sq->ops->tlb_seq(sq);
		xetile_execlist_load(member_port(sq, m), sq->lrcs[m]);
	}
}

static void gang_stop(struct xetile_dispatch *dispatch, struct xetile_gang *gang)
{
	struct xetile_sched_queue *sq = xetile_gang_to_sq(gang);
	unsigned int m;

	lockdep_assert_held(&sq->xt->sched->lock);
	xetile_sched_trace_stop(sq);
	for (m = 0; m < gang->num_members; m++) {
		/* The last member that left was the last of the gang, which may have begun anew. */
		if (gang->state != XETILE_GANG_STOPPING)
			break;
		if (!gang->members[m].loaded)
			continue;
		xetile_sched_heard(sq->xt->sched, gang->members[m].engine);
		xetile_execlist_unload(member_port(sq, m));
	}
}

static void gang_left(struct xetile_dispatch *dispatch, struct xetile_gang *gang)
{
	struct xetile_sched_queue *sq = xetile_gang_to_sq(gang);

	lockdep_assert_held(&sq->xt->sched->lock);
	xetile_sched_usage_end(sq);
	xetile_sched_settle_locked(sq);
	xetile_sched_trace_left(sq);
}

static void gang_hung(struct xetile_dispatch *dispatch, struct xetile_gang *gang)
{
	struct xetile_sched *sched = gang_to_gangs(dispatch);

	lockdep_assert_held(&sched->lock);
	list_move_tail(&xetile_gang_to_sq(gang)->hung_link, &sched->hung);
	queue_work(sched->xt->fence_wq, &sched->reset_work);
}

/* The dispatcher's domains are the tiles. */
static void tile_mode(struct xetile_dispatch *dispatch, unsigned int domain, unsigned int mode)
{
	struct xetile_sched *sched = gang_to_gangs(dispatch);

	lockdep_assert_held(&sched->lock);
	xetile_ccs_change(&sched->xt->tiles[domain], mode);
}

/*
 * An engine that was told to leave takes the idle context, and its gang has left then; the engine
 * has that context until it reports its end.
 */
static bool tile_quiet(struct xetile_dispatch *dispatch, unsigned int domain)
{
	struct xetile_sched *sched = gang_to_gangs(dispatch);
	struct xetile_tile *tile = &sched->xt->tiles[domain];
	unsigned int i;

	lockdep_assert_held(&sched->lock);
	for (i = 0; i < tile->num_engines; i++)
		if (tile->engines[i].class == XETILE_ENGINE_COMPUTE &&
		    !xetile_execlist_is_quiet(tile->engines[i].execlist))
			return false;
	return true;
}

static const struct xetile_dispatch_ops dispatch_ops = {
	.run = gang_run,
	.stop = gang_stop,
	.left = gang_left,
	.hung = gang_hung,
	.mode = tile_mode,
	.quiet = tile_quiet,
};

static enum hrtimer_restart sched_timer(struct hrtimer *timer)
{
	struct xetile_sched *sched = container_of(timer, struct xetile_sched, timer);
	unsigned long flags = xetile_sched_lock(sched);

	sched->timer_ns = XETILE_DISPATCH_NEVER;
	xetile_sched_poll_silent_locked(sched);
	xetile_sched_unlock(sched, flags);
	return HRTIMER_NORESTART;
}

/**
 * xetile_sched_queue_add() - let the scheduler know a queue
 * @sq: a queue with its contexts
 *
 * Context: any; takes the execution lock.
 */
void xetile_sched_queue_add(struct xetile_sched_queue *sq)
{
	struct xetile_sched *sched = sq->xt->sched;
	unsigned long flags;
	unsigned int m;

	for (m = 0; m < sq->gang.num_members; m++)
		sq->lrcs[m]->owner = sq;
	flags = xetile_sched_lock(sched);
	/* In front, where a walk still comes to it: xetile_sched_visit_queues() */
	list_add(&sq->link, &sched->queues);
	/* A wedging has banned all queues that there were, but not this one. */
	if (sched->wedged)
		xetile_sched_ban_locked(sq, sched->wedged, -ECANCELED);
	xetile_sched_unlock(sched, flags);
}

/* Visit some queues of a list; returns whether there are more. */
static bool visit_some(struct xetile_sched *sched, struct list_head *queues,
		       void (*visit)(struct xetile_sched_queue *sq))
{
	unsigned long flags = xetile_sched_lock(sched);
	struct xetile_sched_queue *sq;
	unsigned int n;

	for (n = 0; n < XETILE_SCHED_BATCH; n++) {
		sq = list_first_entry_or_null(queues, struct xetile_sched_queue, link);
		if (!sq || sq->walk == sched->walk)
			break;
		sq->walk = sched->walk;
		list_move_tail(&sq->link, queues);
		visit(sq);
	}
	xetile_sched_unlock(sched, flags);
	return n == XETILE_SCHED_BATCH;
}

static void visit_list(struct xetile_sched *sched, struct list_head *queues,
		       void (*visit)(struct xetile_sched_queue *sq))
{
	unsigned long flags = xetile_sched_lock(sched);

	sched->walk++;
	xetile_sched_unlock(sched, flags);
	while (visit_some(sched, queues, visit))
		cond_resched();
}

/**
 * xetile_sched_visit_queues() - call a function for each queue
 * @sched: execution state
 * @visit: the function, called with the execution lock held; it may be called for a queue twice
 *
 * There may be very many queues, so the execution lock is dropped after each batch of them.
 * A walk through a list begins at its front each time, and moves the queues it has visited to
 * the end. A queue that is added, or comes from the other list because it is banned, is put in
 * front, and a queue that is freed may leave from anywhere. So the queues that the walk has not
 * visited are always in front of those that it has, and when the first queue has been visited
 * all have. Queues are banned, but never the other way round: a queue that leaves the first
 * list before the walk has come to it is in the second list when that is walked through. Each
 * list has a walk of its own, so that such a queue does not count as visited there.
 *
 * Context: process, with the device's lock: one walk at a time.
 */
void xetile_sched_visit_queues(struct xetile_sched *sched,
			       void (*visit)(struct xetile_sched_queue *sq))
{
	device_lock_assert(sched->xt->drm.dev);
	visit_list(sched, &sched->queues, visit);
	visit_list(sched, &sched->banned, visit);
}

static u64 engines_present(struct xetile_device *xt)
{
	struct xetile_tile *tile;
	u64 mask = 0;
	unsigned int i;

	xetile_for_each_tile(tile, xt)
		for (i = 0; i < tile->num_engines; i++)
			mask |= xetile_sched_engine_bit(&tile->engines[i]);
	return mask;
}

static u64 compute_engines(struct xetile_tile *tile)
{
	u64 mask = 0;
	unsigned int i;

	for (i = 0; i < tile->num_engines; i++)
		if (tile->engines[i].class == XETILE_ENGINE_COMPUTE)
			mask |= xetile_sched_engine_bit(&tile->engines[i]);
	return mask;
}

/* The compute engines of each tile are in the mode that the tile is in now. */
static void init_modes(struct xetile_sched *sched)
{
	struct xetile_tile *tile;

	xetile_for_each_tile(tile, sched->xt)
		xetile_dispatch_set_mode(&sched->dispatch, tile->id, compute_engines(tile),
					 xetile_ccs_present(tile), xetile_sched_now());
}

/**
 * xetile_sched_idle_mode() - put a tile in a mode, if none of its compute engines has a context
 * @tile: the tile
 * @mode: a mode of it
 *
 * Otherwise it comes into the mode when a queue has work that wants it.
 *
 * Context: any; takes the execution lock.
 */
void xetile_sched_idle_mode(struct xetile_tile *tile, unsigned int mode)
{
	struct xetile_sched *sched = tile->xt->sched;
	u64 engines = compute_engines(tile);
	unsigned long flags = xetile_sched_lock(sched);

	/* Engines that are not usable are being reset. */
	if (!(engines & (sched->dispatch.owned | ~sched->dispatch.usable)) &&
	    tile_quiet(&sched->dispatch, tile->id)) {
		xetile_ccs_change(tile, mode);
		xetile_dispatch_set_mode(&sched->dispatch, tile->id, engines, mode,
					 xetile_sched_now());
	}
	xetile_sched_unlock(sched, flags);
}

static void sched_release(struct drm_device *drm, void *arg)
{
	struct xetile_sched *sched = arg;

	/* The works of this queue, and the state that resets use, are freed next. */
	flush_workqueue(sched->xt->fence_wq);
}

/**
 * xetile_sched_init() - make the state of execution
 * @xt: the card, with started engines
 *
 * xetile_reset_init() comes next, then xetile_sched_start().
 *
 * Context: process; may sleep.
 *
 * Return: 0 or -errno.
 */
int xetile_sched_init(struct xetile_device *xt)
{
	struct xetile_sched *sched;
	unsigned int t;

	sched = drmm_kzalloc(&xt->drm, sizeof(*sched), GFP_KERNEL);
	if (!sched)
		return -ENOMEM;
	sched->xt = xt;
	spin_lock_init(&sched->lock);
	INIT_LIST_HEAD(&sched->queues);
	INIT_LIST_HEAD(&sched->banned);
	INIT_LIST_HEAD(&sched->hung);
	INIT_LIST_HEAD(&sched->held);
	INIT_LIST_HEAD(&sched->done);
	init_waitqueue_head(&sched->left);
	sched->timer_ns = XETILE_DISPATCH_NEVER;
	hrtimer_setup(&sched->timer, sched_timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
	xetile_dispatch_init(&sched->dispatch, &dispatch_ops, engines_present(xt));
	init_modes(sched);
	xetile_dispatch_client_init(&sched->kernel);
	for (t = 0; t < XETILE_MAX_TILES; t++)
		sched->kernel.accounts[XETILE_DISPATCH_PRIORITIES - 1][t] =
			sched->kernel_accounts[t];

	/* The interrupt finds this state once it is listened to: xetile_sched_ports_listen(). */
	xt->sched = sched;
	return 0;
}

/**
 * xetile_sched_start() - give the engines their ports
 * @xt: the card, after xetile_sched_init() and xetile_reset_init()
 *
 * Jobs may be pushed on return, and reports of the engines are handled.
 *
 * Context: process; may sleep.
 *
 * Return: 0 or -errno; on failure there is no port.
 */
int xetile_sched_start(struct xetile_device *xt)
{
	int err;

	err = drmm_add_action_or_reset(&xt->drm, sched_release, xt->sched);
	if (err)
		return err;
	err = xetile_lrc_record(xt);
	if (err)
		return err;
	err = xetile_sched_ports_create(xt);
	if (err) {
		xetile_sched_ports_destroy(xt);
		return err;
	}
	xetile_sched_ports_listen(xt);
	return 0;
}

static bool all_signalled(struct xetile_sched *sched)
{
	unsigned long flags;
	bool all;

	spin_lock_irqsave(&sched->lock, flags);
	all = list_empty(&sched->done) && !sched->signallers;
	spin_unlock_irqrestore(&sched->lock, flags);
	return all;
}

/**
 * xetile_sched_stop() - end all work for good
 * @xt: the card; its engines have been stopped, or are gone, and all queues were dropped
 *
 * On return all fences have signalled, and later ones signal at once.
 *
 * Context: process; takes the execution lock.
 */
void xetile_sched_stop(struct xetile_device *xt)
{
	struct xetile_sched *sched = xt->sched;
	bool cookie = dma_fence_begin_signalling();
	unsigned long flags = xetile_sched_lock(sched);

	sched->stopped = true;
	xetile_sched_unlock(sched, flags);
	hrtimer_cancel(&sched->timer);
	dma_fence_end_signalling(cookie);
	flush_workqueue(xt->fence_wq);
	wait_event(sched->left, all_signalled(sched));
}

/*
 * Take the contexts of a queue from it, and a reference of the account that counts them. Nobody
 * looks for the queue in the lists any more. Returns false when there is no queue left.
 */
static bool take_lrcs(struct xetile_sched *sched, struct list_head *queues,
		      struct xetile_lrc *lrcs[XETILE_MAX_TILES], struct xetile_account **account)
{
	struct xetile_sched_queue *sq;
	unsigned int m;

	spin_lock_irq(&sched->lock);
	sq = list_first_entry_or_null(queues, struct xetile_sched_queue, link);
	for (m = 0; m < XETILE_MAX_TILES; m++) {
		lrcs[m] = NULL;
		if (sq)
			swap(lrcs[m], sq->lrcs[m]);
	}
	if (sq) {
		list_del_init(&sq->link);
		*account = xetile_account_get(sq->account);
	}
	spin_unlock_irq(&sched->lock);
	return sq;
}

static void destroy_lrcs(struct xetile_sched *sched, struct list_head *queues)
{
	struct xetile_lrc *lrcs[XETILE_MAX_TILES];
	struct xetile_account *account;
	unsigned int m;

	while (take_lrcs(sched, queues, lrcs, &account)) {
		for (m = 0; m < XETILE_MAX_TILES; m++)
			xetile_lrc_destroy(lrcs[m]);
		xetile_account_put(account);
	}
}

/**
 * xetile_sched_fini() - free the memory that execution has on the card
 * @xt: the card, stopped, without interrupts
 *
 * Queues may live on with open files; their contexts are freed now.
 *
 * Context: process; waits for workers.
 */
void xetile_sched_fini(struct xetile_device *xt)
{
	destroy_lrcs(xt->sched, &xt->sched->banned);
	destroy_lrcs(xt->sched, &xt->sched->queues);
	/* Wait for queues that are being freed just now. */
	flush_workqueue(xt->wq);
	xetile_sched_ports_destroy(xt);
}
