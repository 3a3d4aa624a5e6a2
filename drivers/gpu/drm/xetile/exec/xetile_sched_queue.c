// SPDX-License-Identifier: GPL-2.0-only
#include "exec/xetile_sched_queue.h"

#include <linux/device.h>
#include <linux/dma-fence.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "card/xetile_bisect.h"
#include "exec/xetile_cslice_map.h"
#include "exec/xetile_dispatch.h"
#include "exec/xetile_job.h"
#include "exec/xetile_lrc.h"
#include "exec/xetile_ring.h"
#include "exec/xetile_sched_lock.h"
#include "exec/xetile_sched_rest.h"
#include "xetile_device.h"
#include "xetile_trace.h"

/**
 * DOC: jobs in a row
 *
 * A queue's jobs wait in a line for their dependencies, are written into the rings of its contexts,
 * and leave when all contexts have reported their number. The ioctls push jobs, the queue's work
 * takes them off the line, interrupts and resets have them leave. The execution lock protects all
 * of this; tasks that wait here do not hold it.
 */

/* In a shorter turn nothing would run. */
#define LEAST_NS	250000ull

static_assert(XETILE_MAX_TILES <= XETILE_GANG_MEMBERS);
static_assert((XETILE_SCHED_DEPTH + 1) * XETILE_RING_JOB_BYTES < XETILE_RING_SIZE);

/* The job has ended: its fence signals after those of the queue's jobs that ended before. */
static void job_done(struct xetile_sched_queue *sq, struct xetile_job *job)
{
	struct xetile_sched *sched = sq->xt->sched;

	lockdep_assert_held(&sched->lock);
	trace_xetile_complete(dev_name(sq->xt->drm.dev), job->fence.base.context,
			      job->fence.base.seqno, job->error);
	list_move_tail(&job->link, &sq->done);
	if (!sq->signalling && list_empty(&sq->done_link))
		list_add_tail(&sq->done_link, &sched->done);
}

/**
 * xetile_sched_retire_locked() - jobs that all contexts are done with leave
 * @sq: the queue
 *
 * Their fences signal when the execution lock is dropped.
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

	/* The job that was blamed is done. */
	if (!sq->error)
		sq->head_error = 0;
	xetile_dispatch_progress(&sq->gang, sq->num_running, xetile_sched_now());
	if (sq->num_waiting)
		queue_work(sched->xt->fence_wq, &sq->work);
	xetile_sched_queue_wake_waiters(sq);
}

/*
 * The queue is off its engines for good: its jobs leave. The job at the head is the one that
 * was stopped.
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
 * Jobs that are done leave; of a queue that is banned, all jobs do.
 *
 * Context: the execution lock is held.
 */
void xetile_sched_settle_locked(struct xetile_sched_queue *sq)
{
	lockdep_assert_held(&sq->xt->sched->lock);
	if (sq->num_running)
		xetile_sched_retire_locked(sq);
	if (sq->error)
		sq_cancel(sq);
	/* A lenient queue that was blamed, and left before the reset, loses nothing in it. */
	if (!sq->error)
		sq->head_error = 0;
	/* A job that waits for a fence needs no engine: it may wait for ever. */
	if (!sq->gang.work && sq->bound) {
		sq->bound = false;
		sq->ops->unbind(sq);
		/* Jobs may have waited for the end of a loan. */
		if (sq->num_waiting)
			queue_work(sq->xt->fence_wq, &sq->work);
	}
	xetile_sched_rest_settle_locked(sq);
	xetile_sched_queue_wake_waiters(sq);
}

/* How many of its jobs may be in the rings */
static unsigned int sq_depth(struct xetile_sched_queue *sq)
{
	lockdep_assert_held(&sq->xt->sched->lock);
	if (sq->loan == 1)
		return XETILE_SCHED_DEPTH;
	/* Who claims what it has borrowed has it after the jobs that are there. */
	return sq->ops->claims(sq) ? 0 : XETILE_SCHED_LOAN_DEPTH;
}

/*
 * The job at the head of the line; NULL when it has to wait. A job that is cancelled waits
 * until those before it have left the engines, because whoever sees the last fence of a
 * timeline signalled takes the memory of all jobs before it for free.
 */
static struct xetile_job *sq_next(struct xetile_sched_queue *sq)
{
	struct xetile_sched *sched = sq->xt->sched;
	struct xetile_job *job;

	spin_lock_irq(&sched->lock);
	job = list_first_entry_or_null(&sq->waiting, struct xetile_job, link);
	if (job && (sq->error ? !xetile_gang_is_off(&sq->gang) :
				sq->num_running >= sq_depth(sq)))
		job = NULL;
	/* Jobs of a banned queue end: the card may be gone, and never wake up. */
	if ((sq->hold & (XETILE_HOLD_ASLEEP | XETILE_HOLD_RESTING)) && !sq->error)
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

/* Does a job wait for nothing? If it waits, the queue's work is run again. */
static bool job_ready(struct xetile_job *job)
{
	while (job->next_dep < job->num_deps) {
		struct dma_fence *dep = job->deps[job->next_dep].fence;

		/* The callback is still there: the work was queued for another reason. */
		if (job->cb_armed && !dma_fence_is_signaled(dep))
			return false;
		if (!job->cb_armed && !dma_fence_add_callback(dep, &job->cb, dep_signalled)) {
			job->cb_armed = true;
			return false;
		}
		/* The callback may be running just now, and it uses the job. */
		if (job->cb_armed)
			dma_fence_remove_callback(dep, &job->cb);
		job->cb_armed = false;
		if (job->deps[job->next_dep].vital && dep->error)
			job->error = -ENODATA;
		job->next_dep++;
	}
	return true;
}

/* Called in process context, because fences of others may be freed by it. */
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
		struct xetile_ring_job ring = {
			.batch = runs ? &job->batches[m] : NULL,
			.seqno = job->seqno,
			.invalidate_tlb = job->invalidate_tlb || xetile_bisect.tlb_always ||
					  (runs && lrc->tlb_seq != tlb_seq),
			.store = job->store.wanted && !job->error ? &job->store.addr : NULL,
			.value = job->store.value,
		};

		job->heads[m] = lrc->tail;
		job->calls[m] = xetile_ring_emit_job(lrc, sq->class, &ring);
		/*
		 * The flush comes later than the read of tlb_seq; it may miss changes made after
		 * the read. A batch that runs for ever may come before it.
		 */
		if (runs && !sq->lr)
			lrc->tlb_seq = tlb_seq;
	}
}

/*
 * How long its turns are, and its weight. With a loan they are shorter, and it weighs less beside
 * queues whose own engine it has borrowed, so that it has no more than its own.
 */
static void sq_read_slice(struct xetile_sched_queue *sq)
{
	u32 slice_us = sq->slice_us ?:
		       xetile_times_read(sq->times, XETILE_TIME_SLICE, XETILE_TIME_SET);
	unsigned int weight = sq->weight, claims = 0;
	struct xetile_gang *gang = &sq->gang;

	lockdep_assert_held(&sq->xt->sched->lock);
	if (sq->loan > 1) {
		/* By more weight it would have more of the tile than others, not of its engine. */
		weight = min(weight, 100u);
		claims = sq->ops->claims(sq);
	}
	slice_us = xetile_times_clamp(sq->times, XETILE_TIME_SLICE, (u64)slice_us * weight / 100);
	gang->slice_ns = max(xetile_cslice_turn((u64)slice_us * NSEC_PER_USEC, sq->loan, claims),
			     LEAST_NS);
	gang->weight = max(xetile_cslice_turn(weight, sq->loan, claims), 1ull);
}

/**
 * xetile_sched_queue_read_times() - read the times that the administrator sets now
 * @sq: the queue
 *
 * Context: the execution lock is held.
 */
void xetile_sched_queue_read_times(struct xetile_sched_queue *sq)
{
	const struct xetile_times *times = sq->times;
	struct xetile_gang *gang = &sq->gang;

	lockdep_assert_held(&sq->xt->sched->lock);
	gang->limit_ns = sq->lr ? XETILE_DISPATCH_NEVER :
				  (u64)xetile_sched_limit_ms(sq) * NSEC_PER_MSEC;
	gang->leave_ns = (u64)xetile_times_clamp(times, XETILE_TIME_PREEMPT,
						 xetile_times_read(times, XETILE_TIME_PREEMPT,
								   XETILE_TIME_SET)) *
			 NSEC_PER_USEC;
	/* Without preemption it leaves when all jobs in its rings are over. */
	if (unlikely(xetile_bisect.preempt_off) && !sq->lr)
		gang->leave_ns = gang->limit_ns * (XETILE_SCHED_DEPTH + 1);
	sq_read_slice(sq);
}

/* Bind the queue, because a job is about to need engines. */
static void sq_bind(struct xetile_sched_queue *sq)
{
	lockdep_assert_held(&sq->xt->sched->lock);
	if (sq->bound)
		return;
	sq->bound = true;
	sq->ops->bind(sq);
	/* An epoch that begins with the queue lasts as long as its loan allows. */
	if (sq->loan > 1)
		xetile_sched_queue_read_times(sq);
}

/* Put a job, which is in no line any more, into the rings. */
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

/*
 * What earlier batches of the queue had set up was lost while no batch was in the rings. The next
 * batch may rely on it: the job tells its fence, and runs nothing.
 */
static void job_tell_lost(struct xetile_sched_queue *sq, struct xetile_job *job)
{
	lockdep_assert_held(&sq->xt->sched->lock);
	if (!(sq->hold & XETILE_HOLD_STATE_LOST) || job->no_batch || job->error)
		return;
	job->error = -EAGAIN;
	sq->hold &= ~XETILE_HOLD_STATE_LOST;
}

/* Put a job into the rings, or end it with its error. */
static void sq_run(struct xetile_sched_queue *sq, struct xetile_job *job)
{
	struct xetile_sched *sched = sq->xt->sched;
	unsigned long flags = xetile_sched_lock(sched);

	if (sq->error && !xetile_gang_is_off(&sq->gang)) {
		/* The queue was banned just now: the job stays in line, see sq_next(). */
	} else if (sq->error) {
		sq->num_waiting--;
		job->error = -ECANCELED;
		job_done(sq, job);
		xetile_sched_settle_locked(sq);
	} else {
		list_del(&job->link);
		/* There is room for another job. */
		if (--sq->num_waiting == XETILE_SCHED_BACKLOG - 1)
			xetile_sched_queue_wake_waiters(sq);
		job_tell_lost(sq, job);
		job_start(sq, job);
	}
	xetile_sched_unlock(sched, flags);
}

/* Only this work takes jobs off the line, so the job that it looks at stays. */
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
	/* Nothing changes under the lock: the dispatcher need not look. */
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
	 * The queue's last context may still be on the way off its engine. The dispatcher finds
	 * a context that does not leave, and has it reset.
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
 * @sq: zeroed; &xetile_sched_queue.lrcs are filled in by the caller
 * @xt: the card
 * @ops: operations of the queue
 * @client: client whose turns it takes; outlives the queue
 * @class: class of its engines
 * @num_members: contexts that start together
 * @priority: -1 low, 0 normal, 1 high
 * @weight: 1..1000, share of engine time
 * @timeout_ms: engine time of a job in ms, 0: as @times says
 * @times: times of its engines; they live as long as the card
 *
 * Context: any.
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
	sq->loan = 1;
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
 * Context: any.
 *
 * Return: 0, or the error: -ECANCELED when it is banned, or was closed; -EIO when the card is
 * wedged; -ENODEV when it is gone.
 */
int xetile_sched_queue_error(struct xetile_sched_queue *sq)
{
	/* Errors of the whole card come first. */
	return READ_ONCE(sq->xt->sched->wedged) ?: READ_ONCE(sq->error);
}

/**
 * xetile_sched_queue_wait_room() - wait until a queue takes another job
 * @sq: the queue
 *
 * Context: process, with no lock held.
 * Return: 0, or -ERESTARTSYS.
 */
int xetile_sched_queue_wait_room(struct xetile_sched_queue *sq)
{
	return wait_event_interruptible(sq->off,
					READ_ONCE(sq->num_waiting) < XETILE_SCHED_BACKLOG ||
					READ_ONCE(sq->error));
}

/**
 * xetile_sched_submit_begin() - a job for a queue is being made
 * @sq: the queue
 *
 * Counts as a job until xetile_sched_submit_end(), so that a call that finds the queue without
 * jobs does not take from it what the job will need.
 *
 * Context: any.
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
 *
 * Context: any.
 */
void xetile_sched_submit_end(struct xetile_sched_queue *sq)
{
	if (atomic_dec_and_test(&sq->submitters))
		xetile_sched_queue_wake_waiters(sq);
}

/*
 * A job may start now if it waits for nothing and overtakes none: the queue's work takes a job off
 * the line only when that goes on. A job of a banned queue is not started, and is cancelled later,
 * in its turn. While the machine sleeps nothing is written into rings. A job that has to tell that
 * the queue's state was lost does so in the queue's work.
 */
static bool may_start_now(struct xetile_sched_queue *sq, struct xetile_job *job)
{
	lockdep_assert_held(&sq->xt->sched->lock);
	return !job->num_deps && list_empty(&sq->waiting) && !sq->error && !sq->hold &&
	       sq->num_running < sq_depth(sq);
}

/**
 * xetile_sched_push() - hand over a job
 * @sq: the queue
 * @job: an armed job; it is the scheduler's from now on, and its fence signals
 * whatever happens
 *
 * Callers push in the order of their fences. Waits for nothing; fences of other queues' jobs
 * may be signalled here.
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

	/* A call that closed the queue did so before this looks for submitters. */
	smp_mb();
	spin_lock_irqsave(&sched->lock, flags);
	jobs = atomic_read(&sq->submitters) || sq->num_waiting || sq->num_running;
	spin_unlock_irqrestore(&sched->lock, flags);
	return jobs;
}

/**
 * xetile_sched_wait_idle() - wait until a queue has no job and no engine
 * @sq: the queue
 * @timeout: how long to wait, in jiffies; a task that is killed waits no longer
 *
 * Context: process; takes the execution lock.
 * Return: whether it is idle.
 */
bool xetile_sched_wait_idle(struct xetile_sched_queue *sq, unsigned long timeout)
{
	return wait_event_killable_timeout(sq->off, sq_is_idle(sq), timeout) > 0;
}
