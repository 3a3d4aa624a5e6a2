// SPDX-License-Identifier: GPL-2.0-only
#include "exec/xetile_sched_queue.h"

#include <linux/dma-fence.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "exec/xetile_dispatch.h"
#include "exec/xetile_job.h"
#include "exec/xetile_lrc.h"
#include "exec/xetile_ring.h"
#include "exec/xetile_sched_lock.h"
#include "xetile_device.h"

/**
 * DOC: jobs in a row
 *
 * A queue's jobs wait in a line for their dependencies, are written into the rings of its
 * contexts, and leave when all contexts have reported their number. Calls push them, the
 * queue's work takes them off the line, interrupts and resets have them leave. The execution
 * lock protects it all; what waits for something here waits without it.
 */

static_assert(XETILE_MAX_TILES <= XETILE_GANG_MEMBERS);
static_assert((XETILE_SCHED_DEPTH + 1) * XETILE_RING_JOB_BYTES < XETILE_RING_SIZE);

/* The job has ended: its fence signals after those of its queue that ended before. */
static void job_done(struct xetile_sched_queue *sq, struct xetile_job *job)
{
	struct xetile_sched *sched = sq->xt->sched;

	lockdep_assert_held(&sched->lock);
	list_move_tail(&job->link, &sq->done);
	if (!sq->signalling && list_empty(&sq->done_link))
		list_add_tail(&sq->done_link, &sched->done);
}

/**
 * xetile_sched_retire_locked() - jobs that all contexts are done with leave
 * @sq: the queue
 *
 * Their fences signal when the execution lock is let go of.
 *
 * Context: the execution lock is held.
 */
void xetile_sched_retire_locked(struct xetile_sched_queue *sq)
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
	xetile_sched_queue_wake_waiters(sq);
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

/**
 * xetile_sched_settle_locked() - a queue is off its engines
 * @sq: the queue
 *
 * What is done leaves; of a queue that is banned, everything does.
 *
 * Context: the execution lock is held.
 */
void xetile_sched_settle_locked(struct xetile_sched_queue *sq)
{
	lockdep_assert_held(&sq->xt->sched->lock);
	xetile_sched_retire_locked(sq);
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
	xetile_sched_queue_wake_waiters(sq);
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
		xetile_sched_settle_locked(sq);
	} else {
		list_del(&job->link);
		/* There is room for another one. */
		if (--sq->num_waiting == XETILE_SCHED_BACKLOG - 1)
			xetile_sched_queue_wake_waiters(sq);
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
		xetile_sched_queue_wake_waiters(sq);
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
 *
 * Context: process; takes the execution lock.
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
 * xetile_sched_has_jobs() - whether a queue has unfinished jobs
 * @sq: the queue
 *
 * Context: any; takes the execution lock.
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
