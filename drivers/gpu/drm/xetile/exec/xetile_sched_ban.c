// SPDX-License-Identifier: GPL-2.0-only
#include "exec/xetile_sched_ban.h"

#include <linux/bits.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/ratelimit.h>
#include <linux/workqueue.h>

#include <drm/drm_print.h>

#include "exec/xetile_ban_event.h"
#include "exec/xetile_dispatch.h"
#include "exec/xetile_dispatch_limit.h"
#include "exec/xetile_execlist.h"
#include "exec/xetile_job.h"
#include "exec/xetile_lrc.h"
#include "exec/xetile_sched_engine.h"
#include "exec/xetile_sched_lock.h"
#include "exec/xetile_sched_queue.h"
#include "mem/xetile_number.h"
#include "mem/xetile_score.h"
#include "xetile_device.h"

/**
 * DOC: queues that run nothing any more
 *
 * A queue is banned because a job of it failed, because its file is closed, or because the card is
 * wedged. Resets tell which queue is to blame, and for what reason; users are told the first
 * reason. The execution lock protects the notes of a queue.
 */

/* How long a queue that is killed may take to leave its engines by itself */
#define KILL_NS		(640 * NSEC_PER_MSEC)

/**
 * xetile_sched_ban_locked() - run no more jobs of a queue
 * @sq: the queue
 * @error: error that the queue's users get from now on
 * @head_error: error of the fence of the job at the head; others get -ECANCELED
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
	xetile_sched_retire_locked(sq);
	WRITE_ONCE(sq->error, error);
	sq->head_error = head_error;
	/* This suspension is never undone. */
	xetile_dispatch_suspend(&sched->dispatch, &sq->gang, xetile_sched_now());
	if (xetile_gang_is_off(&sq->gang))
		xetile_sched_settle_locked(sq);
	else if (sq->num_waiting)
		queue_work(sched->xt->fence_wq, &sq->work);
	xetile_sched_queue_wake_waiters(sq);
	/* A wait for a number that a banned queue was to write ends. */
	xetile_number_wake(sq->xt);
}

/* Ban a queue, and reset its engines if it does not leave them soon. */
static void kill_locked(struct xetile_sched_queue *sq, int error, int head_error)
{
	u64 now = xetile_sched_now();

	lockdep_assert_held(&sq->xt->sched->lock);
	xetile_sched_ban_locked(sq, error, head_error);
	sq->gang.limit_ns = min(sq->gang.limit_ns,
				sq->gang.ran_ns + (now - sq->gang.since_ns) + KILL_NS);
}

/**
 * xetile_sched_kill() - end a queue's jobs
 * @sq: the queue
 * @error: error that the queue's users get from now on
 *
 * If the queue runs it is asked to leave its engines; if it does not leave in time they are
 * reset.
 *
 * Context: any; takes the execution lock.
 */
void xetile_sched_kill(struct xetile_sched_queue *sq, int error)
{
	struct xetile_sched *sched = sq->xt->sched;
	unsigned long flags = xetile_sched_lock(sched);

	kill_locked(sq, error, -ECANCELED);
	xetile_sched_unlock(sched, flags);
}

/* Whether one of a queue's contexts is not done with the oldest job */
static bool member_is_behind(struct xetile_sched_queue *sq, unsigned int member)
{
	struct xetile_job *job = list_first_entry_or_null(&sq->running, struct xetile_job, link);

	lockdep_assert_held(&sq->xt->sched->lock);
	return job && (s32)(xetile_lrc_seqno(sq->lrcs[member]) - job->seqno) < 0;
}

/*
 * Whether it is one of a queue's contexts that is late: it is not done with the oldest job, or has
 * not left its engine. One that has left may be in the midst of that job, and none the worse.
 */
static bool member_is_late(struct xetile_sched_queue *sq, unsigned int member)
{
	lockdep_assert_held(&sq->xt->sched->lock);
	return sq->gang.stuck ? sq->gang.members[member].loaded : member_is_behind(sq, member);
}

/* The first of a queue's contexts that is late */
static unsigned int late_member(struct xetile_sched_queue *sq)
{
	unsigned int m;

	for (m = 0; m < sq->gang.num_members; m++)
		if (member_is_late(sq, m))
			return m;
	return 0;
}

/**
 * xetile_sched_late_locked() - engines on which a queue's oldest job does not end, or leave
 * @sq: the queue, on its engines
 *
 * The other engines of a gang are done with the job, and only wait for these.
 *
 * Context: the execution lock is held.
 * Return: mask of engines; all of the queue's if no job tells.
 */
u64 xetile_sched_late_locked(struct xetile_sched_queue *sq)
{
	u64 late = 0, all = 0;
	unsigned int m;

	lockdep_assert_held(&sq->xt->sched->lock);
	for (m = 0; m < sq->gang.num_members; m++) {
		u64 engine = BIT_ULL(sq->gang.members[m].engine);

		all |= engine;
		if (member_is_late(sq, m))
			late |= engine;
	}
	return late ?: all;
}

/* The members of a queue that are done with its oldest job are not among @behind. */
static void look_at_members(struct xetile_sched_queue *sq, u32 *taken, u32 *behind)
{
	unsigned int m;

	lockdep_assert_held(&sq->xt->sched->lock);
	*taken = 0;
	*behind = 0;
	for (m = 0; m < sq->gang.num_members; m++) {
		const struct xetile_gang_member *member = &sq->gang.members[m];

		if (xetile_execlist_has(xetile_sched_engine(sq->xt, member->engine)->execlist,
					sq->lrcs[m]))
			*taken |= BIT(m);
		if (member_is_behind(sq, m))
			*behind |= BIT(m);
	}
}

/**
 * xetile_sched_taken_locked() - an engine has taken a queue's context
 * @sq: the queue, on its engines
 * @member: the context
 *
 * Context: the execution lock is held.
 */
void xetile_sched_taken_locked(struct xetile_sched_queue *sq, unsigned int member)
{
	u32 taken, behind;

	lockdep_assert_held(&sq->xt->sched->lock);
	/* One that is killed has its time to leave already. */
	if (sq->error)
		return;
	look_at_members(sq, &taken, &behind);
	xetile_dispatch_taken(&sq->gang, member, taken, behind, xetile_sched_now());
}

/**
 * xetile_sched_untaken_locked() - engines that have not even taken a queue's contexts
 * @sq: the queue, on its engines
 *
 * That is the engines' fault, or nobody's: where the card is software an engine may wait for a
 * processor.
 *
 * Context: the execution lock is held.
 * Return: mask of the engines for which the queue waits, see xetile_dispatch_untaken().
 */
u64 xetile_sched_untaken_locked(struct xetile_sched_queue *sq)
{
	u32 taken, behind, untaken;
	u64 engines = 0;
	unsigned int m;

	lockdep_assert_held(&sq->xt->sched->lock);
	look_at_members(sq, &taken, &behind);
	untaken = xetile_dispatch_untaken(&sq->gang, taken, behind);
	for (m = 0; m < sq->gang.num_members; m++)
		if (untaken & BIT(m))
			engines |= BIT_ULL(sq->gang.members[m].engine);
	return engines;
}

/* Note the reason for the queue's users, and the engine, if the queue is still on one. */
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
 * xetile_sched_end_late() - others have waited for a queue's jobs
 * @sq: the queue
 * @ms: for how long, in milliseconds
 *
 * The queue is banned as if its batch had taken too long, if it has jobs and none of them may take
 * so long. The client is not blamed, and no event tells of it, because its jobs may be many, or
 * wait for others.
 *
 * Context: any; takes the execution lock.
 */
void xetile_sched_end_late(struct xetile_sched_queue *sq, unsigned int ms)
{
	struct xetile_sched *sched = sq->xt->sched;
	unsigned long flags = xetile_sched_lock(sched);
	bool late;

	xetile_sched_retire_locked(sq);
	late = !sq->error && (sq->num_waiting || sq->num_running) &&
	       ms >= xetile_sched_limit_ms(sq);
	if (late) {
		note_ban(sq, -ETIME);
		kill_locked(sq, -ECANCELED, -ETIME);
	}
	xetile_sched_unlock(sched, flags);
	if (late && __ratelimit(&sched->log_limit))
		drm_notice(&sq->xt->drm,
			   "process %d: batches are ended, because the memory that they use has to leave\n",
			   sq->pid);
}

/**
 * xetile_sched_note_fault() - the error of an engine is a page fault
 * @engine: the engine
 * @fault: the page fault
 *
 * To be called before the engine is reset, because until then the queue that was banned for the
 * error owns the engine.
 *
 * Context: any.
 */
void xetile_sched_note_fault(struct xetile_engine *engine, const struct xetile_fault *fault)
{
	struct xetile_sched *sched = engine->tile->xt->sched;
	unsigned int index = xetile_sched_engine_index(engine);
	struct xetile_sched_queue *sq;
	unsigned long flags;

	flags = xetile_sched_lock(sched);
	if (sched->dispatch.owners[index]) {
		sq = xetile_gang_to_sq(sched->dispatch.owners[index]);
		/* Of a queue of several tiles, a tile may know the address, and another not. */
		if (sq->ban.reason == XETILE_BAN_ERROR ||
		    (sq->ban.reason == XETILE_BAN_FAULT && !sq->ban.fault.known))
			sq->ban = (struct xetile_ban) {
				.reason = XETILE_BAN_FAULT, .engine = engine, .fault = *fault,
			};
	}
	xetile_sched_unlock(sched, flags);
}

/**
 * xetile_sched_blame_locked() - the job at a queue's head failed, or does not end
 * @sq: the queue
 * @head_error: error of that job's fence
 *
 * The queue is banned. A lenient queue only loses that job, when its engine is reset.
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
		xetile_ban_event_note_locked(sq);
		xetile_sched_ban_locked(sq, -ECANCELED, head_error);
	} else if (xetile_gang_is_off(&sq->gang)) {
		/* Nothing is reset: the queue is reported again as soon as it runs. */
		sq->gang.hung = false;
	} else {
		sq->head_error = head_error;
	}
}
