// SPDX-License-Identifier: GPL-2.0-only
#include "exec/xetile_sched_lost.h"

#include <linux/errno.h>
#include <linux/list.h>
#include <linux/lockdep.h>

#include "exec/xetile_dispatch.h"
#include "exec/xetile_dispatch_owner.h"
#include "exec/xetile_job.h"
#include "exec/xetile_lrc.h"
#include "exec/xetile_ring.h"
#include "exec/xetile_sched_ban.h"
#include "exec/xetile_sched_engine.h"
#include "exec/xetile_sched_lock.h"
#include "xetile_device.h"

/**
 * DOC: contexts that a reset took
 *
 * An engine that is reset with a context on it loses the place where the context was. Resets call
 * this, with the execution lock held: the context goes on at a job's beginning, and a job that was
 * done in part ends with an error, or, if its queue's user said that it can, runs again.
 */

/*
 * How often a batch may run again. A batch that is lost each time is one that does not leave in
 * time: it must not go on for ever, because others wait for its fence, and for the memory.
 */
#define MAX_REPLAYS	2

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

static bool job_has_batch(const struct xetile_job *job)
{
	/* A job that has failed already has no batch that is run. */
	return !job->error && !job->no_batch;
}

/* Has a context of the gang begun the batch of a job? */
static bool gang_has_begun(struct xetile_sched_queue *sq, const struct xetile_job *job)
{
	unsigned int m;

	lockdep_assert_held(&sq->xt->sched->lock);
	for (m = 0; m < sq->gang.num_members; m++)
		if (lrc_has_begun(sq->lrcs[m], job))
			return true;
	return false;
}

/* Are all contexts of the gang done with a job? It only has not left the queue yet. */
static bool gang_is_done(struct xetile_sched_queue *sq, const struct xetile_job *job)
{
	unsigned int m;

	lockdep_assert_held(&sq->xt->sched->lock);
	for (m = 0; m < sq->gang.num_members; m++)
		if (!lrc_is_done(sq->lrcs[m], job))
			return false;
	return true;
}

/*
 * No engine has the context: it goes on at the first job that it has not done, with the state that
 * its batches have set up, or as a new context.
 */
static void lrc_go_on(struct xetile_sched_queue *sq, unsigned int member, bool intact)
{
	struct xetile_lrc *lrc = sq->lrcs[member];
	struct xetile_job *job = lrc_next_job(sq, lrc);
	u32 head = job ? job->heads[member] : lrc->tail;

	lockdep_assert_held(&sq->xt->sched->lock);
	if (intact)
		xetile_lrc_resume(lrc, head);
	else
		xetile_lrc_rewind(lrc, head);
}

/*
 * End a job that nobody goes on with. All contexts of the gang have left their engines. A context
 * that is in the batch gives it up, because it may wait there for a context that was lost; a
 * context that has not begun the batch passes it by, because the job's other commands may
 * invalidate translations for the jobs behind it.
 */
static void job_lost(struct xetile_sched_queue *sq, struct xetile_job *job, int error)
{
	bool has_batch = job_has_batch(job);
	unsigned int m;

	lockdep_assert_held(&sq->xt->sched->lock);
	job->error = error;
	for (m = 0; m < sq->gang.num_members; m++) {
		struct xetile_lrc *lrc = sq->lrcs[m];

		if (lrc_is_done(lrc, job))
			continue;
		if (has_batch && !lrc_has_begun(lrc, job))
			xetile_ring_skip_batch(lrc, job->calls[m]);
		else
			xetile_lrc_set_seqno(lrc, job->seqno);
	}
}

/*
 * Has the image of a context that was lost the state that @job begins with? It has not if a batch
 * has begun since the context was loaded, or it was loaded in the midst of a batch.
 */
static bool lrc_is_intact(const struct xetile_lrc *lrc, const struct xetile_job *job)
{
	return xetile_lrc_is_intact(lrc) && !(job && lrc_has_begun(lrc, job));
}

/*
 * The state is lost that the batches of a queue have set up in one context. The contexts of a gang
 * begin a batch with the state that the batch before has left in all of them, so all of them go on
 * as new contexts, also those that were saved.
 *
 * Batches that a context has begun may not be run twice, because they may count, or have
 * overwritten data that they read. They end with -EAGAIN, on all contexts. If there is none, the
 * next batch does, because it may rely on what is lost: if it is not in the rings yet, as soon as
 * it comes. Jobs without a batch rely on nothing.
 */
static void state_lost(struct xetile_sched_queue *sq)
{
	bool told = false;
	struct xetile_job *job;
	unsigned int m;

	lockdep_assert_held(&sq->xt->sched->lock);
	list_for_each_entry(job, &sq->running, link) {
		if (!job_has_batch(job) || gang_is_done(sq, job))
			continue;
		if (told && !gang_has_begun(sq, job))
			break;
		job_lost(sq, job, -EAGAIN);
		told = true;
	}
	if (!told)
		sq->hold |= XETILE_HOLD_STATE_LOST;
	sq->resets++;
	for (m = 0; m < sq->gang.num_members; m++)
		lrc_go_on(sq, m, false);
}

/* The first batch that is not done on all contexts, or NULL */
static struct xetile_job *gang_next_batch(struct xetile_sched_queue *sq)
{
	struct xetile_job *job;

	lockdep_assert_held(&sq->xt->sched->lock);
	list_for_each_entry(job, &sq->running, link)
		if (job_has_batch(job) && !gang_is_done(sq, job))
			return job;
	return NULL;
}

/* Count all batches that have begun, from @first on, as ones that run again. */
static void count_replays(struct xetile_sched_queue *sq, struct xetile_job *first)
{
	struct xetile_job *job = first;

	lockdep_assert_held(&sq->xt->sched->lock);
	list_for_each_entry_from(job, &sq->running, link) {
		if (!gang_has_begun(sq, job))
			break;
		job->replays++;
	}
}

/*
 * The state of a queue is lost whose batches may be run twice, and rely on no state. The contexts
 * of a gang may wait for each other in a batch. So either all of them begin it again, also those
 * that are done with it, or none does. Batches that have run too often end with -EAGAIN.
 */
static void replay(struct xetile_sched_queue *sq)
{
	struct xetile_job *first = gang_next_batch(sq);
	bool begun = first && gang_has_begun(sq, first);
	/* It used up its time beside the reset, by itself. */
	bool late = sq->gang.hung && !sq->gang.stuck;
	unsigned int m;

	lockdep_assert_held(&sq->xt->sched->lock);
	if (begun)
		sq->resets++;
	while (begun && (late || first->replays == MAX_REPLAYS)) {
		job_lost(sq, first, -EAGAIN);
		late = false;
		first = gang_next_batch(sq);
		begun = first && gang_has_begun(sq, first);
	}
	if (begun)
		count_replays(sq, first);
	for (m = 0; m < sq->gang.num_members; m++) {
		if (first && lrc_has_begun(sq->lrcs[m], first))
			xetile_lrc_undo(sq->lrcs[m], first->seqno - 1);
		lrc_go_on(sq, m, false);
	}
}

/*
 * A context of the kernel's own was lost. Its batches may be run twice, and rely on no state; so
 * only a job that is to blame ends.
 */
static void own_lost(struct xetile_sched_queue *sq, unsigned int member, bool intact)
{
	struct xetile_job *job = lrc_next_job(sq, sq->lrcs[member]);

	lockdep_assert_held(&sq->xt->sched->lock);
	if (sq->head_error && job)
		job_lost(sq, job, sq->head_error);
	lrc_go_on(sq, member, intact);
}

/**
 * xetile_sched_lost_locked() - an engine lost a queue's context in a reset
 * @sq: the queue
 * @member: the context
 *
 * The context goes on, if it ever does, at the first job that is not done, with the state that its
 * image has. If that is not the state that the next batch begins with, all contexts of the gang go
 * on as new ones, and a batch ends with -EAGAIN, because it did nothing wrong; or it is run again,
 * if its queue's user allowed that. A queue whose batches may run for ever is banned. A lenient
 * queue goes on all the same: if it is to blame, the
 * job at its head ends with the error that it is to blame for.
 *
 * Contexts that left their engines before the reset are not lost: the engine has reported that it
 * saved them.
 *
 * Context: the execution lock is held.
 */
void xetile_sched_lost_locked(struct xetile_sched_queue *sq, unsigned int member)
{
	struct xetile_lrc *lrc = sq->lrcs[member];
	bool intact;

	lockdep_assert_held(&sq->xt->sched->lock);
	intact = !sq->head_error && lrc_is_intact(lrc, lrc_next_job(sq, lrc));
	/*
	 * Its batch may be a ring that its user writes to, and that must not begin anew. The
	 * context did not leave when it was asked to, or it would not have been lost.
	 */
	if (sq->lr && !intact && !sq->error && !sq->xt->sched->wedged) {
		sq->resets++;
		sq->ban.reason = XETILE_BAN_PREEMPT;
		sq->ban.engine = xetile_sched_engine(sq->xt, sq->gang.members[member].engine);
		xetile_sched_ban_locked(sq, -ECANCELED, -EAGAIN);
	}
	/*
	 * All jobs of a banned queue are cancelled. So are those of a wedged card, perhaps in a
	 * moment; there nobody waited until the other contexts of the gang had left.
	 */
	if (sq->gang.lenient && !sq->error && !sq->xt->sched->wedged)
		own_lost(sq, member, intact);
	else if (intact || sq->error || sq->xt->sched->wedged)
		lrc_go_on(sq, member, intact);
	else if (sq->replay)
		replay(sq);
	else
		state_lost(sq);
	/*
	 * The time of the batch that is next begins anew: it waited for the reset, or runs again,
	 * and neither is its fault.
	 */
	if (!sq->error && !sq->head_error && !sq->xt->sched->wedged)
		xetile_dispatch_progress(&sq->gang, sq->gang.work, xetile_sched_now());
	xetile_dispatch_member_left(&sq->xt->sched->dispatch, &sq->gang, member,
				    xetile_sched_now());
}
