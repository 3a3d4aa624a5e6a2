// SPDX-License-Identifier: GPL-2.0-only
#include "exec/xetile_sched_lost.h"

#include <linux/errno.h>
#include <linux/list.h>
#include <linux/lockdep.h>

#include "exec/xetile_dispatch.h"
#include "exec/xetile_job.h"
#include "exec/xetile_lrc.h"
#include "exec/xetile_ring.h"
#include "exec/xetile_sched_lock.h"
#include "xetile_device.h"

/**
 * DOC: contexts that a reset took
 *
 * An engine that is reset with a context on it loses the place where the context was. Resets call
 * this, with the execution lock held: the context goes on at a job's beginning, and a job that was
 * done in part ends with an error.
 */

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
 * End a job that one context has done half of, and that nobody goes on with. The other contexts
 * of its gang have left their engines as well. A context that is in the batch gives it up,
 * because it may wait there for the context that was lost; a context that has not begun the
 * batch passes it by.
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
		/* The image was saved in the midst of a batch. */
		lrc_go_on(sq, m, false);
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
 * The job that ends because the context was lost, with its error; NULL: every job is run, from its
 * beginning. The kernel's own batches may be run twice, and rely on no state. Others may not,
 * because they may count, or have overwritten data that they read. They do not run either after
 * the state is lost that earlier batches have set up for them: then the next job with a batch ends,
 * whatever jobs without one are before it.
 */
static struct xetile_job *lost_job(struct xetile_sched_queue *sq, struct xetile_lrc *lrc,
				   bool intact, int *error)
{
	struct xetile_job *job;

	lockdep_assert_held(&sq->xt->sched->lock);
	if (sq->gang.lenient) {
		*error = sq->head_error;
		return *error ? lrc_next_job(sq, lrc) : NULL;
	}
	*error = -EAGAIN;
	if (intact)
		return NULL;
	/* A job that has failed already has no batch that is run. */
	list_for_each_entry(job, &sq->running, link)
		if (!lrc_is_done(lrc, job) && !job->error && !job->no_batch)
			return job;
	return NULL;
}

/**
 * xetile_sched_lost_locked() - an engine lost a queue's context in a reset
 * @sq: the queue
 * @member: the context
 *
 * The context goes on, if it ever does, at the first job that is not done. If that job had
 * begun, or the state is lost that the next batch begins with, a job ends here: with -EAGAIN,
 * because it did nothing wrong, or with the error that it is to blame for, if its queue is lenient
 * and goes on all the same.
 *
 * A queue that is to blame goes on as a new context, if it is lenient. So does any other, unless
 * its image is intact. Contexts that left their engines before the reset are not lost: the engine
 * has reported that it saved them.
 *
 * Context: the execution lock is held.
 */
void xetile_sched_lost_locked(struct xetile_sched_queue *sq, unsigned int member)
{
	struct xetile_lrc *lrc = sq->lrcs[member];
	struct xetile_job *job = NULL;
	bool intact;
	int error;

	lockdep_assert_held(&sq->xt->sched->lock);
	intact = !sq->head_error && lrc_is_intact(lrc, lrc_next_job(sq, lrc));
	/*
	 * All jobs of a banned queue are cancelled. So are those of a wedged card, perhaps in a
	 * moment; there nobody waited until the other contexts of the gang had left.
	 */
	if (!sq->error && !sq->xt->sched->wedged)
		job = lost_job(sq, lrc, intact, &error);
	if (job) {
		if (!sq->head_error)
			sq->resets++;
		job_lost(sq, job, error);
	}
	lrc_go_on(sq, member, intact);
	xetile_dispatch_member_left(&sq->xt->sched->dispatch, &sq->gang, member,
				    xetile_sched_now());
}
