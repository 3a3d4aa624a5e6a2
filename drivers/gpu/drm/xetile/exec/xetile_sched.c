// SPDX-License-Identifier: GPL-2.0-only
#include "exec/xetile_sched.h"

#include <linux/device.h>
#include <linux/dma-fence.h>
#include <linux/ktime.h>
#include <linux/preempt.h>
#include <linux/lockdep.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include <drm/drm_managed.h>
#include <drm/drm_print.h>

#include "card/xetile_irq.h"
#include "exec/xetile_execlist.h"
#include "exec/xetile_job.h"
#include "exec/xetile_lrc.h"
#include "exec/xetile_ring.h"
#include "mem/xetile_account.h"
#include "mem/xetile_score.h"
#include "xetile_device.h"

/**
 * DOC: from a pushed job to its signalled fence
 *
 * A job is pushed to its queue, waits there for its dependencies, is written
 * into the ring of each of the queue's contexts, and makes the queue's gang
 * ready. One that waits for nothing is written there by who pushes it, others by
 * the queue's work. The dispatcher (xetile_dispatch.c) says when the gang's engines are free,
 * the ports (xetile_execlist.c) load the contexts. When the GPU has reported the
 * job's number from every context the job's fence signals.
 *
 * This is not drm_gpu_scheduler. A job's time limit must count the time on the
 * engines only, as engines are shared in time slices that only we see; a queue
 * has to be suspended and resumed; and its scheduler's names may not be freed
 * under the fences. What is left for a general scheduler is waiting for
 * dependencies, which is one function here.
 *
 * One lock guards all of it for the whole card: a gang spans tiles, so no finer
 * one could decide whether it starts. Work that is done under it is bounded:
 * a job's commands, a context's descriptor, twelve events, the jobs in the rings of
 * a hundred queues; nothing under it goes through all queues. Fences are signalled
 * after it is dropped: jobs that are done leave through a list of their queue, which
 * one signals at a time, in the queue's order.
 *
 * What leads to a fence's signal (the interrupt, the timer, the queue's work, the
 * reset) allocates nothing.
 */

/* How long a queue that is killed may take to leave its engines by itself */
#define KILL_NS		(640 * NSEC_PER_MSEC)
/* How late the loss of an interrupt may be found */
#define POLL_NS		NSEC_PER_SEC
#define GANG_STRIDE	16

static_assert(GANG_STRIDE * XETILE_MAX_TILES <= XETILE_DISPATCH_ENGINES);
static_assert(XETILE_MAX_ENGINES <= GANG_STRIDE);
static_assert(XETILE_MAX_TILES <= XETILE_GANG_MEMBERS);
static_assert((XETILE_SCHED_DEPTH + 1) * XETILE_RING_JOB_BYTES < XETILE_RING_SIZE);

static struct xetile_sched_queue *gang_to_sq(struct xetile_gang *gang)
{
	return container_of(gang, struct xetile_sched_queue, gang);
}

static struct xetile_sched *gang_to_gangs(struct xetile_dispatch *dispatch)
{
	return container_of(dispatch, struct xetile_sched, dispatch);
}

/**
 * xetile_sched_now() - the dispatcher's clock
 *
 * Return: time in ns.
 */
u64 xetile_sched_now(void)
{
	return ktime_get_ns();
}

/**
 * xetile_sched_engine_index() - number of an engine among those of the card
 * @engine: the engine
 *
 * Return: its bit in the dispatcher's masks.
 */
unsigned int xetile_sched_engine_index(const struct xetile_engine *engine)
{
	return engine->tile->id * GANG_STRIDE + (engine - engine->tile->engines);
}

/**
 * xetile_sched_engine() - engine of a number
 * @xt: the card
 * @index: of xetile_sched_engine_index()
 *
 * Return: the engine.
 */
struct xetile_engine *xetile_sched_engine(struct xetile_device *xt, unsigned int index)
{
	return &xt->tiles[index / GANG_STRIDE].engines[index % GANG_STRIDE];
}

/**
 * xetile_sched_engine_is_owned() - whether a queue holds an engine
 * @engine: the engine
 *
 * A moment after a queue's last job has ended it still does: until the engine says
 * that it switched. The answer may be old when it arrives. Context: any.
 *
 * Return: true if one does.
 */
bool xetile_sched_engine_is_owned(const struct xetile_engine *engine)
{
	const struct xetile_sched *sched = engine->tile->xt->sched;

	return READ_ONCE(sched->dispatch.owned) & BIT_ULL(xetile_sched_engine_index(engine));
}

static struct xetile_execlist *member_port(struct xetile_sched_queue *sq, unsigned int member)
{
	return xetile_sched_engine(sq->xt, sq->gang.members[member].engine)->execlist;
}

/**
 * xetile_sched_lock() - take the card's execution lock
 * @sched: execution state
 *
 * Return: flags for xetile_sched_unlock().
 */
unsigned long xetile_sched_lock(struct xetile_sched *sched) __acquires(&sched->lock)
{
	unsigned long flags;

	spin_lock_irqsave(&sched->lock, flags);
	return flags;
}

static void jobs_finish(struct list_head *done)
{
	struct xetile_job *job, *next;

	list_for_each_entry_safe(job, next, done, link) {
		struct xetile_sched_queue *sq = job->owner;

		/* Who sees the fence signalled has room for another one. */
		xetile_account_give_job(sq->account);
		xetile_job_finish(job);
		xetile_sched_queue_put(sq);
	}
}

/* Who waits for something of the queue looks again. Mostly nobody does. */
static void sq_wake(struct xetile_sched_queue *sq)
{
	if (wq_has_sleeper(&sq->off))
		wake_up_all(&sq->off);
}

static void start_timer(struct xetile_sched *sched, u64 at)
{
	lockdep_assert_held(&sched->lock);
	if (at >= sched->timer_ns)
		return;
	sched->timer_ns = at;
	hrtimer_start(&sched->timer, ns_to_ktime(at), HRTIMER_MODE_ABS);
}

/* The job has ended: its fence signals after those of its queue that ended before. */
static void job_done(struct xetile_sched_queue *sq, struct xetile_job *job)
{
	struct xetile_sched *sched = sq->xt->sched;

	lockdep_assert_held(&sched->lock);
	list_move_tail(&job->link, &sq->done);
	if (!sq->signalling && list_empty(&sq->done_link))
		list_add_tail(&sq->done_link, &sched->done);
}

/*
 * Signal what has ended of a queue, without the lock. Only one does at a time: who comes
 * second leaves its jobs to the first, or a later fence of a timeline might signal before
 * an earlier one.
 *
 * The fences are everybody's, whoever it is that lets go of the lock. Nothing here can wait
 * for anything, because preemption is off all the while.
 */
static void sq_signal(struct xetile_sched_queue *sq, unsigned long *flags)
	__must_hold(&sq->xt->sched->lock)
{
	struct xetile_sched *sched = sq->xt->sched;
	bool cookie = dma_fence_begin_signalling();
	LIST_HEAD(done);

	lockdep_assert_held(&sched->lock);
	list_del_init(&sq->done_link);
	sq->signalling = true;
	sched->signallers++;
	/* A job that is finished drops its reference, which may be the last but this one. */
	xetile_sched_queue_get(sq);
	while (!list_empty(&sq->done)) {
		list_replace_init(&sq->done, &done);
		/* Others leave theirs to this task, whose turn on the CPU may be long to come. */
		preempt_disable();
		spin_unlock_irqrestore(&sched->lock, *flags);
		jobs_finish(&done);
		spin_lock_irqsave(&sched->lock, *flags);
		preempt_enable();
	}
	sq->signalling = false;
	if (!--sched->signallers && sched->stopped)
		wake_up_all(&sched->left);
	xetile_sched_queue_put(sq);
	dma_fence_end_signalling(cookie);
}

/**
 * xetile_sched_unlock() - let go of the card's execution lock
 * @sched: execution state
 * @flags: of xetile_sched_lock()
 *
 * Lets the dispatcher look at the time, and signals what is done, unless another one
 * who let go of the lock is about to.
 */
void xetile_sched_unlock(struct xetile_sched *sched, unsigned long flags) __releases(&sched->lock)
{
	u64 now = xetile_sched_now();
	u64 next = xetile_dispatch_tick(&sched->dispatch, now);

	/*
	 * While a gang runs there is always a limit ahead: look in time, but
	 * not much later than now, in case an interrupt was lost. A timer that
	 * is on its way and early enough stays: to look in vain costs less than
	 * to start it anew each time.
	 */
	if (next != XETILE_DISPATCH_NEVER && !sched->stopped)
		start_timer(sched, min(next, now + POLL_NS));
	while (!list_empty(&sched->done))
		sq_signal(list_first_entry(&sched->done, struct xetile_sched_queue, done_link),
			  &flags);
	spin_unlock_irqrestore(&sched->lock, flags);
}

/* Jobs that all contexts are done with leave. */
static void sq_retire(struct xetile_sched_queue *sq)
{
	struct xetile_sched *sched = sq->xt->sched;
	struct xetile_job *job, *next;
	bool any = false;

	lockdep_assert_held(&sched->lock);
	list_for_each_entry_safe(job, next, &sq->running, link) {
		unsigned int m;

		for (m = 0; m < sq->gang.num_members; m++)
			if ((s32)(xetile_lrc_seqno(sq->lrcs[m]) - job->seqno) < 0)
				break;
		if (m < sq->gang.num_members)
			break;
		job_done(sq, job);
		sq->num_running--;
		any = true;
	}
	if (!any)
		return;

	/* Whom it blamed is done. */
	if (!sq->error)
		sq->head_error = 0;
	xetile_dispatch_progress(&sq->gang, sq->num_running, xetile_sched_now());
	if (sq->num_waiting)
		queue_work(sched->xt->fence_wq, &sq->work);
	sq_wake(sq);
}

/*
 * Nothing of the queue runs any more, and nothing shall: its jobs leave. The one
 * that was at the head is the one that was stopped.
 */
static void sq_cancel(struct xetile_sched_queue *sq)
{
	struct xetile_sched *sched = sq->xt->sched;
	struct xetile_job *job, *next;
	int error = sq->head_error;

	lockdep_assert_held(&sched->lock);
	list_for_each_entry_safe(job, next, &sq->running, link) {
		job->error = error;
		error = -ECANCELED;
		job_done(sq, job);
	}
	sq->num_running = 0;
	xetile_dispatch_progress(&sq->gang, false, xetile_sched_now());
	if (sq->num_waiting)
		queue_work(sched->xt->fence_wq, &sq->work);
}

/* The queue is off its engines. */
static void sq_settle(struct xetile_sched_queue *sq)
{
	lockdep_assert_held(&sq->xt->sched->lock);
	sq_retire(sq);
	if (sq->error)
		sq_cancel(sq);
	/* A lenient one that was blamed, and left before the reset, loses nothing in it. */
	if (!sq->error)
		sq->head_error = 0;
	/* What waits for a fence wants no engine: it may wait for ever. */
	if (!sq->gang.work && sq->bound) {
		sq->bound = false;
		sq->ops->unbind(sq);
	}
	sq_wake(sq);
}

/* What is not heard of from now on for POLL_NS is asked. */
static void heard(struct xetile_sched *sched, unsigned int engine)
{
	lockdep_assert_held(&sched->lock);
	sched->heard_ns[engine] = xetile_sched_now();
}

/* What the administrator says now */
static void sq_read_times(struct xetile_sched_queue *sq)
{
	const struct xetile_times *times = sq->times;
	struct xetile_gang *gang = &sq->gang;
	u32 limit_ms = sq->timeout_ms, slice_us = xetile_times_read(times, XETILE_TIME_SLICE,
								    XETILE_TIME_SET);

	lockdep_assert_held(&sq->xt->sched->lock);
	if (!limit_ms)
		limit_ms = xetile_times_clamp(times, XETILE_TIME_JOB,
					      xetile_times_read(times, XETILE_TIME_JOB,
								XETILE_TIME_SET));
	gang->limit_ns = (u64)limit_ms * NSEC_PER_MSEC;
	gang->leave_ns = (u64)xetile_times_clamp(times, XETILE_TIME_PREEMPT,
						 xetile_times_read(times, XETILE_TIME_PREEMPT,
								   XETILE_TIME_SET)) *
			 NSEC_PER_USEC;
	gang->slice_ns = (u64)xetile_times_clamp(times, XETILE_TIME_SLICE,
						 (u64)slice_us * sq->weight / 100) * NSEC_PER_USEC;
}

static void gang_run(struct xetile_dispatch *dispatch, struct xetile_gang *gang)
{
	struct xetile_sched_queue *sq = gang_to_sq(gang);
	unsigned int m;

	lockdep_assert_held(&sq->xt->sched->lock);
	sq_read_times(sq);
	for (m = 0; m < gang->num_members; m++) {
		heard(sq->xt->sched, gang->members[m].engine);
		xetile_execlist_load(member_port(sq, m), sq->lrcs[m]);
	}
}

static void gang_stop(struct xetile_dispatch *dispatch, struct xetile_gang *gang)
{
	struct xetile_sched_queue *sq = gang_to_sq(gang);
	unsigned int m;

	lockdep_assert_held(&sq->xt->sched->lock);
	for (m = 0; m < gang->num_members; m++) {
		if (!gang->members[m].loaded)
			continue;
		heard(sq->xt->sched, gang->members[m].engine);
		xetile_execlist_unload(member_port(sq, m));
	}
}

/* Engine time of a turn, on @engines of the queue's class */
static void usage_add(struct xetile_sched_queue *sq, u64 ns, unsigned int engines)
{
	lockdep_assert_held(&sq->xt->sched->lock);
	if (!sq->usage)
		return;
	if (sq->class == XETILE_ENGINE_COMPUTE)
		sq->usage->compute_ns += ns * engines;
	else
		sq->usage->copy_ns += ns * engines;
}

static void gang_left(struct xetile_dispatch *dispatch, struct xetile_gang *gang)
{
	struct xetile_sched_queue *sq = gang_to_sq(gang);

	lockdep_assert_held(&sq->xt->sched->lock);
	usage_add(sq, xetile_sched_now() - gang->dispatched_ns, gang->num_members);
	sq_settle(sq);
}

static void gang_hung(struct xetile_dispatch *dispatch, struct xetile_gang *gang)
{
	struct xetile_sched *sched = gang_to_gangs(dispatch);

	lockdep_assert_held(&sched->lock);
	list_move_tail(&gang_to_sq(gang)->hung_link, &sched->hung);
	queue_work(sched->xt->fence_wq, &sched->reset_work);
}

static const struct xetile_dispatch_ops dispatch_ops = {
	.run = gang_run,
	.stop = gang_stop,
	.left = gang_left,
	.hung = gang_hung,
};

static void port_off(struct xetile_lrc *lrc)
{
	struct xetile_sched_queue *sq = lrc->owner;
	struct xetile_sched *sched = sq->xt->sched;

	lockdep_assert_held(&sched->lock);
	xetile_dispatch_member_left(&sched->dispatch, &sq->gang, lrc->member, xetile_sched_now());
	/* Of a gang perhaps only this one leaves. */
	if (sq->gang.holds)
		wake_up_all(&sched->left);
}

static void port_broken(struct xetile_engine *engine)
{
	struct xetile_sched *sched = engine->tile->xt->sched;

	lockdep_assert_held(&sched->lock);
	sched->reset_engines |= BIT_ULL(xetile_sched_engine_index(engine));
	queue_work(sched->xt->fence_wq, &sched->reset_work);
	/* A reset that goes on need not wait for this one any more. */
	wake_up_all(&sched->left);
}

/* Looked at by the reset's work, as the card may be silent for a moment only. */
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
	.left = port_off,
	.gone = port_gone,
	.broken = port_broken,
	.asked = port_asked,
};

static void lrc_retire(struct xetile_lrc *lrc)
{
	if (lrc && lrc->owner)
		sq_retire(lrc->owner);
}

static void port_retire(struct xetile_execlist *port)
{
	lockdep_assert_held(&port->engine->tile->xt->sched->lock);
	lrc_retire(port->active);
	if (port->pending != port->active)
		lrc_retire(port->pending);
}

static void sched_irq(struct xetile_engine *engine, u16 vector)
{
	struct xetile_sched *sched = engine->tile->xt->sched;
	unsigned long flags = xetile_sched_lock(sched);

	heard(sched, xetile_sched_engine_index(engine));
	port_retire(engine->execlist);
	xetile_execlist_events(engine->execlist, vector);
	xetile_sched_unlock(sched, flags);
}

static void poll_engine(struct xetile_sched *sched, unsigned int engine)
{
	struct xetile_execlist *port = xetile_sched_engine(sched->xt, engine)->execlist;

	lockdep_assert_held(&sched->lock);
	heard(sched, engine);
	port_retire(port);
	xetile_execlist_poll(port);
}

/**
 * xetile_sched_poll_locked() - look at what busy engines reported
 * @sched: execution state, locked
 *
 * For when an interrupt was lost.
 */
void xetile_sched_poll_locked(struct xetile_sched *sched)
{
	u64 rest;

	lockdep_assert_held(&sched->lock);
	/* Gangs may leave, others start meanwhile: the engines that are busy now. */
	for (rest = sched->dispatch.owned; rest; rest &= rest - 1)
		poll_engine(sched, __ffs64(rest));
}

/*
 * The same for engines that were silent for long, or whose gang is about to be called
 * hung. A read goes to the card and back, which is long with interrupts off: at the end
 * of a time slice there is nothing to ask for.
 */
static void poll_silent(struct xetile_sched *sched)
{
	u64 now = xetile_sched_now(), rest;

	lockdep_assert_held(&sched->lock);
	for (rest = sched->dispatch.owned; rest; rest &= rest - 1) {
		unsigned int e = __ffs64(rest);
		const struct xetile_gang *gang = sched->dispatch.owners[e];

		/* It may have left when another engine was asked. */
		if (gang && (now >= sched->heard_ns[e] + POLL_NS ||
			     xetile_dispatch_is_late(gang, now)))
			poll_engine(sched, e);
	}
}

static enum hrtimer_restart sched_timer(struct hrtimer *timer)
{
	struct xetile_sched *sched = container_of(timer, struct xetile_sched, timer);
	unsigned long flags = xetile_sched_lock(sched);

	sched->timer_ns = XETILE_DISPATCH_NEVER;
	poll_silent(sched);
	xetile_sched_unlock(sched, flags);
	return HRTIMER_NORESTART;
}

/*
 * The job at the head of the line; NULL when it has to wait. One that is cancelled
 * waits until those before it have left the engines: whoever sees the last fence of
 * a timeline signalled takes the memory of them all for free.
 */
static struct xetile_job *sq_next(struct xetile_sched_queue *sq)
{
	struct xetile_sched *sched = sq->xt->sched;
	struct xetile_job *job;

	spin_lock_irq(&sched->lock);
	job = list_first_entry_or_null(&sq->waiting, struct xetile_job, link);
	if (job && (sq->error ? !xetile_gang_is_off(&sq->gang) :
				sq->num_running == XETILE_SCHED_DEPTH))
		job = NULL;
	/* Those of a banned one end: the card may be gone, and not wake up. */
	if (sq->asleep && !sq->error)
		job = NULL;
	spin_unlock_irq(&sched->lock);
	return job;
}

static void dep_signalled(struct dma_fence *fence, struct dma_fence_cb *cb)
{
	struct xetile_job *job = container_of(cb, struct xetile_job, cb);
	struct xetile_sched_queue *sq = job->owner;

	queue_work(sq->xt->fence_wq, &sq->work);
}

/* Whether a job waits for nothing; if it does the queue's work is run again. */
static bool job_ready(struct xetile_job *job)
{
	while (job->next_dep < job->num_deps) {
		struct dma_fence *dep = job->deps[job->next_dep].fence;

		/* A callback that is still there: woken for another reason */
		if (job->cb_armed && !dma_fence_is_signaled(dep))
			return false;
		if (!job->cb_armed && !dma_fence_add_callback(dep, &job->cb, dep_signalled)) {
			job->cb_armed = true;
			return false;
		}
		/* It may be running just now, and it uses the job. */
		if (job->cb_armed)
			dma_fence_remove_callback(dep, &job->cb);
		job->cb_armed = false;
		if (job->deps[job->next_dep].vital && dep->error)
			job->error = -ENODATA;
		job->next_dep++;
	}
	return true;
}

/* In process context, as fences of others may be freed by it */
static void job_drop_deps(struct xetile_job *job)
{
	if (job->cb_armed)
		dma_fence_remove_callback(job->deps[job->next_dep].fence, &job->cb);
	job->cb_armed = false;
	while (job->num_deps)
		dma_fence_put(job->deps[--job->num_deps].fence);
}

static void job_emit(struct xetile_sched_queue *sq, struct xetile_job *job)
{
	u64 tlb_seq = sq->ops->tlb_seq(sq);
	unsigned int m;

	lockdep_assert_held(&sq->xt->sched->lock);
	job->seqno = ++sq->seqno;
	for (m = 0; m < sq->gang.num_members; m++) {
		struct xetile_lrc *lrc = sq->lrcs[m];
		bool runs = !job->error && !job->no_batch;

		job->heads[m] = lrc->tail;
		job->calls[m] =
			xetile_ring_emit_job(lrc, sq->class, runs ? &job->batches[m] : NULL,
					     job->seqno, job->invalidate_tlb ||
					     (runs && lrc->tlb_seq != tlb_seq));
		/* The flush comes later than the look: what is changed after that it may miss. */
		if (runs)
			lrc->tlb_seq = tlb_seq;
	}
}

/* A job is about to want engines. */
static void sq_bind(struct xetile_sched_queue *sq)
{
	lockdep_assert_held(&sq->xt->sched->lock);
	if (sq->bound)
		return;
	sq->bound = true;
	sq->ops->bind(sq);
}

/* The job is in no line any more: into the rings. */
static void job_start(struct xetile_sched_queue *sq, struct xetile_job *job)
{
	struct xetile_sched *sched = sq->xt->sched;

	lockdep_assert_held(&sched->lock);
	sq_bind(sq);
	job_emit(sq, job);
	list_add_tail(&job->link, &sq->running);
	sq->num_running++;
	xetile_dispatch_wake(&sched->dispatch, &sq->gang, xetile_sched_now());
}

/* Into the rings, or out with its error. */
static void sq_run(struct xetile_sched_queue *sq, struct xetile_job *job)
{
	struct xetile_sched *sched = sq->xt->sched;
	unsigned long flags = xetile_sched_lock(sched);

	if (sq->error && !xetile_gang_is_off(&sq->gang)) {
		/* Banned just now: it stays in line, see sq_next(). */
	} else if (sq->error) {
		sq->num_waiting--;
		job->error = -ECANCELED;
		job_done(sq, job);
		sq_settle(sq);
	} else {
		list_del(&job->link);
		/* There is room for another one. */
		if (--sq->num_waiting == XETILE_SCHED_BACKLOG - 1)
			sq_wake(sq);
		job_start(sq, job);
	}
	xetile_sched_unlock(sched, flags);
}

/* The only one that takes jobs off the line: what it looks at stays. */
static void sq_work(struct work_struct *work)
{
	struct xetile_sched_queue *sq = container_of(work, struct xetile_sched_queue, work);
	bool cookie = dma_fence_begin_signalling();
	struct xetile_job *job;

	while ((job = sq_next(sq))) {
		if (!READ_ONCE(sq->error) && !job_ready(job))
			break;
		job_drop_deps(job);
		sq_run(sq, job);
	}
	dma_fence_end_signalling(cookie);
}

static bool sq_is_idle(struct xetile_sched_queue *sq)
{
	struct xetile_sched *sched = sq->xt->sched;
	unsigned long flags;
	bool idle;

	/* As in xetile_sched_has_jobs() */
	smp_mb();
	/* Changes nothing: the dispatcher need not look. */
	spin_lock_irqsave(&sched->lock, flags);
	idle = !atomic_read(&sq->submitters) && !sq->num_waiting && !sq->num_running &&
	       sq->gang.state == XETILE_GANG_IDLE;
	spin_unlock_irqrestore(&sched->lock, flags);
	return idle;
}

static void sq_free_work(struct work_struct *work)
{
	struct xetile_sched_queue *sq =
		container_of(work, struct xetile_sched_queue, free_work.work);
	struct xetile_sched *sched = sq->xt->sched;
	struct xetile_gate *gate = &sq->xt->gate;
	unsigned long flags;

	cancel_work_sync(&sq->work);
	/*
	 * Its last context may still be on the way off its engine. One that does
	 * not leave is found by the dispatcher, and reset.
	 */
	wait_event(sq->off, sq_is_idle(sq));
	if (!xetile_gate_enter(gate, &sq->free_work))
		return;
	flags = xetile_sched_lock(sched);
	list_del(&sq->link);
	list_del(&sq->hung_link);
	list_del(&sq->held_link);
	xetile_sched_unlock(sched, flags);
	sq->ops->free(sq);
	xetile_gate_leave(gate);
}

/**
 * xetile_sched_usage_create() - begin to count engine time
 *
 * Return: a reference for xetile_sched_usage_put(), or NULL without memory.
 */
struct xetile_sched_usage *xetile_sched_usage_create(void)
{
	struct xetile_sched_usage *usage = kzalloc(sizeof(*usage), GFP_KERNEL_ACCOUNT);

	if (usage)
		kref_init(&usage->ref);
	return usage;
}

/**
 * xetile_sched_usage_get() - take a reference
 * @usage: usage the caller has a reference of
 */
void xetile_sched_usage_get(struct xetile_sched_usage *usage)
{
	kref_get(&usage->ref);
}

static void usage_release(struct kref *ref)
{
	kfree(container_of(ref, struct xetile_sched_usage, ref));
}

/**
 * xetile_sched_usage_put() - drop a reference
 * @usage: usage, or NULL
 */
void xetile_sched_usage_put(struct xetile_sched_usage *usage)
{
	if (usage)
		kref_put(&usage->ref, usage_release);
}

/**
 * xetile_sched_usage_read() - how much engine time was used
 * @xt: the card
 * @usage: of a file
 * @compute_ns: on compute engines, the turns that go on included
 * @copy_ns: on copy engines
 *
 * A queue uses its engines from being given them until they have left its contexts.
 */
void xetile_sched_usage_read(struct xetile_device *xt, struct xetile_sched_usage *usage,
			     u64 *compute_ns, u64 *copy_ns)
{
	struct xetile_sched *sched = xt->sched;
	unsigned long flags;
	u64 now, rest;

	/* Nothing changes here, so the dispatcher need not look. */
	spin_lock_irqsave(&sched->lock, flags);
	now = xetile_sched_now();
	*compute_ns = usage->compute_ns;
	*copy_ns = usage->copy_ns;
	for (rest = sched->dispatch.owned; rest; rest &= rest - 1) {
		struct xetile_sched_queue *sq = gang_to_sq(sched->dispatch.owners[__ffs64(rest)]);

		if (sq->usage != usage)
			continue;
		if (sq->class == XETILE_ENGINE_COMPUTE)
			*compute_ns += now - sq->gang.dispatched_ns;
		else
			*copy_ns += now - sq->gang.dispatched_ns;
	}
	spin_unlock_irqrestore(&sched->lock, flags);
}

/**
 * xetile_sched_queue_init() - make a queue the scheduler can work on
 * @sq: zeroed; &xetile_sched_queue.lrcs are the caller's to fill in
 * @xt: the card
 * @ops: the queue
 * @client: whose turns it takes; lives longer
 * @class: class of its engines
 * @num_members: contexts that start together
 * @priority: -1 low, 0 normal, 1 high
 * @weight: 1..1000, scales the time slice
 * @timeout_ms: engine time of a job in ms, 0: as @times says
 * @times: of its engines; there as long as the card is
 */
void xetile_sched_queue_init(struct xetile_sched_queue *sq, struct xetile_device *xt,
			     const struct xetile_sched_queue_ops *ops,
			     struct xetile_dispatch_client *client,
			     enum xetile_engine_class class, unsigned int num_members,
			     int priority, unsigned int weight, unsigned int timeout_ms,
			     const struct xetile_times *times)
{
	sq->xt = xt;
	sq->ops = ops;
	sq->class = class;
	sq->times = times;
	sq->weight = weight;
	sq->timeout_ms = timeout_ms;
	kref_init(&sq->ref);
	INIT_LIST_HEAD(&sq->link);
	INIT_LIST_HEAD(&sq->hung_link);
	INIT_LIST_HEAD(&sq->held_link);
	init_waitqueue_head(&sq->off);
	INIT_LIST_HEAD(&sq->done);
	INIT_LIST_HEAD(&sq->done_link);
	INIT_LIST_HEAD(&sq->waiting);
	INIT_LIST_HEAD(&sq->running);
	INIT_WORK(&sq->work, sq_work);
	INIT_WORK(&sq->free_work.work, sq_free_work);
	xetile_gated_init(&sq->free_work, xt->wq);
	xetile_gang_init(&sq->gang, client, num_members, priority + 1, weight,
			 (u64)timeout_ms * NSEC_PER_MSEC);
}

/**
 * xetile_sched_queue_add() - let the scheduler know a queue
 * @sq: a queue with its contexts
 */
void xetile_sched_queue_add(struct xetile_sched_queue *sq)
{
	struct xetile_sched *sched = sq->xt->sched;
	unsigned long flags;
	unsigned int m;

	for (m = 0; m < sq->gang.num_members; m++)
		sq->lrcs[m]->owner = sq;
	flags = xetile_sched_lock(sched);
	/* In front, where a walk comes to it yet: xetile_sched_visit_queues() */
	list_add(&sq->link, &sched->queues);
	/* Too late for those who stopped all queues there were. */
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
 * xetile_sched_visit_queues() - do something with each queue there is
 * @sched: execution state
 * @visit: what to do, with the execution lock held; it may come to a queue twice
 *
 * There may be very many queues: the execution lock is let go of between some and the next.
 * A walk through a list begins at its front each time, and moves whom it has visited to the
 * end. A queue that is added, or comes from the other list because it is banned, is put in
 * front, and one that is freed may leave from anywhere. So whom the walk has not visited are
 * always in front of those that it has, and when the first one has been visited all have.
 * Queues are banned, but never the other way round: one that leaves the first list
 * before the walk has come to it is in the second one when that is walked through. As each
 * list has a walk of its own, it is not taken for one that was visited there.
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

/**
 * xetile_sched_queue_get() - take a reference
 * @sq: a queue the caller has a reference of
 */
void xetile_sched_queue_get(struct xetile_sched_queue *sq)
{
	kref_get(&sq->ref);
}

static void sq_release(struct kref *ref)
{
	struct xetile_sched_queue *sq = container_of(ref, struct xetile_sched_queue, ref);

	xetile_gated_queue(&sq->free_work);
}

/**
 * xetile_sched_queue_put() - drop a reference
 * @sq: the queue
 *
 * Context: any, interrupts included.
 */
void xetile_sched_queue_put(struct xetile_sched_queue *sq)
{
	kref_put(&sq->ref, sq_release);
}

/**
 * xetile_sched_queue_error() - whether a queue still runs jobs
 * @sq: the queue
 *
 * Return: 0, or why not: -ECANCELED when it is banned, or was closed; -EIO when the
 * card is wedged; -ENODEV when it is gone.
 */
int xetile_sched_queue_error(struct xetile_sched_queue *sq)
{
	/* What is true of the whole card comes first. */
	return READ_ONCE(sq->xt->sched->wedged) ?: READ_ONCE(sq->error);
}

/**
 * xetile_sched_queue_wait_room() - wait until a queue takes another job
 * @sq: the queue
 *
 * Return: 0, or -ERESTARTSYS.
 */
int xetile_sched_queue_wait_room(struct xetile_sched_queue *sq)
{
	return wait_event_interruptible(sq->off,
					READ_ONCE(sq->num_waiting) < XETILE_SCHED_BACKLOG ||
					READ_ONCE(sq->error));
}

/**
 * xetile_sched_submit_begin() - a job for a queue is in the making
 * @sq: the queue
 *
 * Counts as a job until xetile_sched_submit_end(), so that nobody who finds the queue
 * without jobs takes from it what they will need.
 */
void xetile_sched_submit_begin(struct xetile_sched_queue *sq)
{
	atomic_inc(&sq->submitters);
	/* Counted before the caller looks whether the queue takes jobs: xetile_sched_has_jobs() */
	smp_mb__after_atomic();
}

/**
 * xetile_sched_submit_end() - the job was pushed, or given up
 * @sq: the queue
 */
void xetile_sched_submit_end(struct xetile_sched_queue *sq)
{
	if (atomic_dec_and_test(&sq->submitters))
		sq_wake(sq);
}

/*
 * Nothing to wait for, and nobody to overtake: the queue's work takes a job off the line
 * only when it goes on. One of a queue that is banned is not to be started, but its turn to
 * be cancelled comes later. While the machine sleeps nothing is written into rings.
 */
static bool may_start_now(struct xetile_sched_queue *sq, struct xetile_job *job)
{
	lockdep_assert_held(&sq->xt->sched->lock);
	return !job->num_deps && list_empty(&sq->waiting) && !sq->error && !sq->asleep &&
	       sq->num_running < XETILE_SCHED_DEPTH;
}

/**
 * xetile_sched_push() - hand over a job
 * @sq: the queue
 * @job: an armed job; it is the scheduler's from now on, and its fence signals
 * whatever happens
 *
 * Callers push in the order of their fences. Waits for nothing; jobs that others have
 * done may be signalled here.
 */
void xetile_sched_push(struct xetile_sched_queue *sq, struct xetile_job *job)
{
	struct xetile_sched *sched = sq->xt->sched;
	unsigned long flags;

	xetile_sched_queue_get(sq);
	job->owner = sq;
	flags = xetile_sched_lock(sched);
	if (may_start_now(sq, job)) {
		job_start(sq, job);
	} else {
		list_add_tail(&job->link, &sq->waiting);
		sq->num_waiting++;
		queue_work(sched->xt->fence_wq, &sq->work);
	}
	xetile_sched_unlock(sched, flags);
}

/**
 * xetile_sched_ban_locked() - run no more jobs of a queue
 * @sq: the queue
 * @error: what the queue's users are told from now on
 * @head_error: what the fence of the job at the head says; others say -ECANCELED
 *
 * Jobs end as soon as the queue has left its engines.
 *
 * Context: the execution lock is held.
 */
void xetile_sched_ban_locked(struct xetile_sched_queue *sq, int error, int head_error)
{
	struct xetile_sched *sched = sq->xt->sched;

	lockdep_assert_held(&sched->lock);
	if (sq->error)
		return;
	sq_retire(sq);
	WRITE_ONCE(sq->error, error);
	sq->head_error = head_error;
	/* Never resumed */
	xetile_dispatch_suspend(&sched->dispatch, &sq->gang, xetile_sched_now());
	if (xetile_gang_is_off(&sq->gang))
		sq_settle(sq);
	else if (sq->num_waiting)
		queue_work(sched->xt->fence_wq, &sq->work);
	sq_wake(sq);
}

/* The first of a queue's contexts that is not done with its oldest job */
static unsigned int late_member(struct xetile_sched_queue *sq)
{
	struct xetile_job *job = list_first_entry_or_null(&sq->running, struct xetile_job, link);
	unsigned int m;

	lockdep_assert_held(&sq->xt->sched->lock);
	for (m = 0; job && m < sq->gang.num_members; m++)
		if ((s32)(xetile_lrc_seqno(sq->lrcs[m]) - job->seqno) < 0)
			return m;
	return 0;
}

/* What its users will be told, and where it is, if it is on an engine yet */
static void note_ban(struct xetile_sched_queue *sq, int head_error)
{
	struct xetile_gang *gang = &sq->gang;

	lockdep_assert_held(&sq->xt->sched->lock);
	sq->ban.reason = head_error != -ETIME ? XETILE_BAN_ERROR :
			 gang->stuck ? XETILE_BAN_PREEMPT : XETILE_BAN_TIMEOUT;
	if (!xetile_gang_is_off(gang))
		sq->ban.engine = xetile_sched_engine(sq->xt,
						     gang->members[late_member(sq)].engine);
}

/**
 * xetile_sched_note_fault() - the error of an engine is a page fault
 * @engine: the engine
 * @addr: GPU address of the page
 * @write: it was to be written
 *
 * To be told before the engine is reset: until then the queue that was banned for the
 * error has it.
 *
 * Context: any.
 */
void xetile_sched_note_fault(struct xetile_engine *engine, u64 addr, bool write)
{
	struct xetile_sched *sched = engine->tile->xt->sched;
	unsigned int index = xetile_sched_engine_index(engine);
	struct xetile_sched_queue *sq;
	unsigned long flags;

	flags = xetile_sched_lock(sched);
	if (sched->dispatch.owners[index]) {
		sq = gang_to_sq(sched->dispatch.owners[index]);
		if (sq->ban.reason == XETILE_BAN_ERROR)
			sq->ban = (struct xetile_ban) {
				.reason = XETILE_BAN_FAULT, .engine = engine,
				.fault_addr = addr, .fault_write = write,
			};
	}
	xetile_sched_unlock(sched, flags);
}

/**
 * xetile_sched_blame_locked() - the job at a queue's head failed, or does not end
 * @sq: the queue
 * @head_error: what that job's fence says
 *
 * The queue is banned. A lenient one only loses that job, when its engine is reset.
 *
 * Context: the execution lock is held.
 */
void xetile_sched_blame_locked(struct xetile_sched_queue *sq, int head_error)
{
	lockdep_assert_held(&sq->xt->sched->lock);
	sq->resets++;
	if (sq->score)
		xetile_score_blame(sq->score);
	if (!sq->gang.lenient) {
		note_ban(sq, head_error);
		xetile_sched_ban_locked(sq, -ECANCELED, head_error);
	} else if (xetile_gang_is_off(&sq->gang)) {
		/* Nothing is reset: it is told again as soon as it runs. */
		sq->gang.hung = false;
	} else {
		sq->head_error = head_error;
	}
}

/**
 * xetile_sched_kill() - end a queue's jobs
 * @sq: the queue
 * @error: what its users are told from now on
 *
 * What runs is asked to leave its engines; what does not in time is reset.
 */
void xetile_sched_kill(struct xetile_sched_queue *sq, int error)
{
	struct xetile_sched *sched = sq->xt->sched;
	unsigned long flags = xetile_sched_lock(sched);
	u64 now = xetile_sched_now();

	xetile_sched_ban_locked(sq, error, -ECANCELED);
	sq->gang.limit_ns = min(sq->gang.limit_ns,
				sq->gang.ran_ns + (now - sq->gang.since_ns) + KILL_NS);
	xetile_sched_unlock(sched, flags);
}

/**
 * xetile_sched_has_jobs() - whether a queue has unfinished jobs
 * @sq: the queue
 *
 * Return: true if it has.
 */
bool xetile_sched_has_jobs(struct xetile_sched_queue *sq)
{
	struct xetile_sched *sched = sq->xt->sched;
	unsigned long flags;
	bool jobs;

	/* Whoever said that the queue takes no jobs did so before this looks who makes one. */
	smp_mb();
	spin_lock_irqsave(&sched->lock, flags);
	jobs = atomic_read(&sq->submitters) || sq->num_waiting || sq->num_running;
	spin_unlock_irqrestore(&sched->lock, flags);
	return jobs;
}

/**
 * xetile_sched_wait_idle() - wait until a queue has no job and no engine
 * @sq: the queue
 * @timeout: how long to wait, in jiffies; who is killed waits no longer
 *
 * Return: whether it is idle.
 */
bool xetile_sched_wait_idle(struct xetile_sched_queue *sq, unsigned long timeout)
{
	return wait_event_killable_timeout(sq->off, sq_is_idle(sq), timeout) > 0;
}

static bool lrc_is_done(const struct xetile_lrc *lrc, const struct xetile_job *job)
{
	return (s32)(xetile_lrc_seqno(lrc) - job->seqno) >= 0;
}

/* The first job that a context is not done with, or NULL */
static struct xetile_job *lrc_next_job(struct xetile_sched_queue *sq, struct xetile_lrc *lrc)
{
	struct xetile_job *job;

	lockdep_assert_held(&sq->xt->sched->lock);
	list_for_each_entry(job, &sq->running, link)
		if (!lrc_is_done(lrc, job))
			return job;
	return NULL;
}

static bool lrc_has_begun(const struct xetile_lrc *lrc, const struct xetile_job *job)
{
	return (s32)(xetile_lrc_begun(lrc) - job->seqno) >= 0;
}

/* No engine has the context: it goes on at the first job that it is not done with. */
static void lrc_go_on(struct xetile_sched_queue *sq, unsigned int member)
{
	struct xetile_lrc *lrc = sq->lrcs[member];
	struct xetile_job *job = lrc_next_job(sq, lrc);

	lockdep_assert_held(&sq->xt->sched->lock);
	xetile_lrc_rewind(lrc, job ? job->heads[member] : lrc->tail);
}

/*
 * A job that one context has done half of, and that nobody goes on with. The other
 * contexts of its gang have left their engines as well. One that is in the batch gives
 * it up, for it may wait there for the one that was lost; one that has not begun it
 * passes it by.
 */
static void job_lost(struct xetile_sched_queue *sq, struct xetile_job *job, int error)
{
	bool has_batch = !job->error && !job->no_batch;
	unsigned int m;

	lockdep_assert_held(&sq->xt->sched->lock);
	job->error = error;
	for (m = 0; m < sq->gang.num_members; m++) {
		struct xetile_lrc *lrc = sq->lrcs[m];

		if (lrc_is_done(lrc, job))
			continue;
		if (has_batch && !lrc_has_begun(lrc, job)) {
			xetile_ring_skip_batch(lrc, job->calls[m]);
			continue;
		}
		xetile_lrc_set_seqno(lrc, job->seqno);
		lrc_go_on(sq, m);
	}
}

/*
 * What the fence of a job says whose context was lost; 0: its batch is run from its
 * beginning. The kernel's own batches may be run twice, others may not: they count, say,
 * or have overwritten what they read.
 */
static int lost_error(struct xetile_sched_queue *sq, const struct xetile_lrc *lrc,
		      const struct xetile_job *job)
{
	lockdep_assert_held(&sq->xt->sched->lock);
	if (sq->gang.lenient)
		return sq->head_error;
	/* One that has failed already has no batch, or none that is run. */
	return job->error || job->no_batch || !lrc_has_begun(lrc, job) ? 0 : -EAGAIN;
}

/**
 * xetile_sched_lost_locked() - an engine lost a queue's context in a reset
 * @sq: the queue
 * @member: the context
 *
 * The context goes on, if it ever does, at the first job that is not done. If that one
 * had begun, it ends here: with -EAGAIN, because it did nothing wrong but was done in
 * part, or with the error it is to blame for, where its queue goes on all the same.
 *
 * Context: the execution lock is held.
 */
void xetile_sched_lost_locked(struct xetile_sched_queue *sq, unsigned int member)
{
	struct xetile_lrc *lrc = sq->lrcs[member];
	struct xetile_job *job;
	int error = 0;

	lockdep_assert_held(&sq->xt->sched->lock);
	job = lrc_next_job(sq, lrc);
	/*
	 * Those of a banned queue are cancelled, all of them. So are those of a wedged card,
	 * perhaps in a moment; nobody waited until the others of the gang had left.
	 */
	if (job && !sq->error && !sq->xt->sched->wedged)
		error = lost_error(sq, lrc, job);
	if (error) {
		if (!sq->head_error)
			sq->resets++;
		job_lost(sq, job, error);
	}
	lrc_go_on(sq, member);
	xetile_dispatch_member_left(&sq->xt->sched->dispatch, &sq->gang, member,
				    xetile_sched_now());
}

static void ports_destroy(struct xetile_device *xt)
{
	struct xetile_tile *tile;
	unsigned int i;

	xetile_for_each_tile(tile, xt)
		for (i = 0; i < tile->num_engines; i++)
			WRITE_ONCE(tile->engines[i].irq, NULL);
	xetile_irq_synchronize(xt);

	xetile_for_each_tile(tile, xt) {
		for (i = 0; i < tile->num_engines; i++) {
			xetile_execlist_destroy(tile->engines[i].execlist);
			tile->engines[i].execlist = NULL;
		}
	}
}

static int ports_create(struct xetile_device *xt)
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

/* Not before all have a port: a reset that an interrupt asks for is of many engines. */
static void ports_listen(struct xetile_device *xt)
{
	struct xetile_tile *tile;
	unsigned int i;

	xetile_for_each_tile(tile, xt)
		for (i = 0; i < tile->num_engines; i++)
			/* The handler reads it with acquire: the port is there then. */
			smp_store_release(&tile->engines[i].irq, sched_irq);
}

static u64 engines_present(struct xetile_device *xt)
{
	struct xetile_tile *tile;
	u64 mask = 0;
	unsigned int i;

	xetile_for_each_tile(tile, xt)
		for (i = 0; i < tile->num_engines; i++)
			mask |= BIT_ULL(xetile_sched_engine_index(&tile->engines[i]));
	return mask;
}

static void sched_release(struct drm_device *drm, void *arg)
{
	struct xetile_sched *sched = arg;

	/* Its works, and what resets use, are freed next. */
	flush_workqueue(sched->xt->fence_wq);
}

/**
 * xetile_sched_init() - make the state of execution
 * @xt: the card, with started engines
 *
 * What resets need comes next, then xetile_sched_start().
 *
 * Return: 0 or -errno.
 */
int xetile_sched_init(struct xetile_device *xt)
{
	struct xetile_sched *sched;

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
	xetile_dispatch_client_init(&sched->kernel);

	/* The interrupt finds this through the engines' ports only. */
	xt->sched = sched;
	return 0;
}

/**
 * xetile_sched_start() - give the engines their ports
 * @xt: the card, after xetile_sched_init() and xetile_reset_init()
 *
 * Jobs may be pushed on return, and what the engines report is dealt with.
 *
 * Return: 0 or -errno; then there is no port.
 */
int xetile_sched_start(struct xetile_device *xt)
{
	int err;

	err = drmm_add_action_or_reset(&xt->drm, sched_release, xt->sched);
	if (err)
		return err;
	err = ports_create(xt);
	if (err) {
		ports_destroy(xt);
		return err;
	}
	ports_listen(xt);
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
 * All fences have signalled on return, and will at once from now on.
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
 * Take the contexts of a queue from it, which nobody looks for in the lists from then
 * on, and a reference of the account that they are in. Returns false when there is no queue
 * left.
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
 * xetile_sched_fini() - free what is in the card's memory
 * @xt: the card, stopped, without interrupts
 *
 * Queues may live on with open files; their contexts go now.
 */
void xetile_sched_fini(struct xetile_device *xt)
{
	destroy_lrcs(xt->sched, &xt->sched->banned);
	destroy_lrcs(xt->sched, &xt->sched->queues);
	/* Queues that are being freed just now */
	flush_workqueue(xt->wq);
	ports_destroy(xt);
}
