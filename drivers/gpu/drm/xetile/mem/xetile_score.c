// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_score.h"

#include <linux/jiffies.h>
#include <linux/kref.h>
#include <linux/ktime.h>
#include <linux/ratelimit.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "mem/xetile_privilege.h"

/**
 * DOC: files and users whose batches fail again and again
 *
 * A batch that hangs or faults costs its file the queue, and everybody else on the same engines
 * a reset. A file that makes another queue each time could go on for ever, so it gets no queue
 * any more after FILE_BLAMES such batches in SCORE_NS, until the oldest of them is longer ago
 * than that. Its other queues are not touched.
 *
 * A user can open the card again, so there is a score of all files of a user, too. It allows
 * more failures, because one bad file must not stop the user's other files.
 */

#define FILE_BLAMES	32
#define USER_BLAMES	64
#define SCORE_NS	(60ull * NSEC_PER_SEC)

/*
 * So many of a file's, and of a user's, failures are told to others in so many seconds. Less than
 * are told of all users together, so that one user leaves room for the others.
 */
#define FILE_TELLS	5
#define USER_TELLS	10
#define TELL_SECONDS	5

/**
 * struct xetile_score - the last batches of a file, or of a user, that failed
 *
 * The file has a reference of its score, and so have its queues, which may outlive the file. The
 * scores of a user's files have references of the user's score.
 */
struct xetile_score {
	/** @ref: references */
	struct kref ref;
	/** @lock: protects @blames and @at; nests inside the execution lock */
	spinlock_t lock;
	/** @user: of a file: the score of its user, with a reference; never changes */
	struct xetile_score *user;
	/** @tells: limits how many failures are told to others */
	struct ratelimit_state tells;
	/** @blames: number of failures so far */
	u64 blames;
	/** @max: number of failures in SCORE_NS that is too many */
	unsigned int max;
	/** @at: times of the last failures, in ns; a ring */
	u64 at[] __counted_by(max);
};

/**
 * xetile_score_create() - make an empty score
 * @user: to make the score of a file: that of its user; NULL: to make the score of a user
 *
 * Return: a reference, or NULL without memory.
 */
struct xetile_score *xetile_score_create(struct xetile_score *user)
{
	unsigned int max = user ? FILE_BLAMES : USER_BLAMES;
	struct xetile_score *score = kzalloc(struct_size(score, at, max), GFP_KERNEL_ACCOUNT);

	if (!score)
		return NULL;
	score->max = max;
	kref_init(&score->ref);
	spin_lock_init(&score->lock);
	ratelimit_state_init(&score->tells, TELL_SECONDS * HZ, user ? FILE_TELLS : USER_TELLS);
	/* What is left out is not worth a line in the log. */
	ratelimit_set_flags(&score->tells, RATELIMIT_MSG_ON_RELEASE);
	if (user)
		score->user = xetile_score_get(user);
	return score;
}

/**
 * xetile_score_get() - take a reference
 * @score: a score the caller has a reference of
 *
 * Return: @score.
 */
struct xetile_score *xetile_score_get(struct xetile_score *score)
{
	kref_get(&score->ref);
	return score;
}

static void score_release(struct kref *ref)
{
	struct xetile_score *score = container_of(ref, struct xetile_score, ref);

	xetile_score_put(score->user);
	kfree(score);
}

/**
 * xetile_score_put() - drop a reference
 * @score: the score, or NULL
 *
 * Context: any.
 */
void xetile_score_put(struct xetile_score *score)
{
	if (score)
		kref_put(&score->ref, score_release);
}

/**
 * xetile_score_blame() - a batch failed
 * @score: score of the batch's file
 *
 * Context: any; the execution lock may be held.
 */
void xetile_score_blame(struct xetile_score *score)
{
	unsigned long flags;

	for (; score; score = score->user) {
		spin_lock_irqsave(&score->lock, flags);
		score->at[score->blames++ % score->max] = ktime_get_ns();
		spin_unlock_irqrestore(&score->lock, flags);
	}
}

/**
 * xetile_score_may_tell() - whether others may be told of one more failure
 * @score: score of the batch's file
 *
 * Context: any.
 *
 * Return: false if there were too many in the last seconds.
 */
bool xetile_score_may_tell(struct xetile_score *score)
{
	for (; score; score = score->user)
		if (!__ratelimit(&score->tells))
			return false;
	return true;
}

/* Did @max batches fail within SCORE_NS? */
static bool has(struct xetile_score *score, unsigned int max)
{
	unsigned long flags;
	bool has;

	spin_lock_irqsave(&score->lock, flags);
	has = score->blames >= max &&
	      ktime_get_ns() - score->at[(score->blames - max) % score->max] < SCORE_NS;
	spin_unlock_irqrestore(&score->lock, flags);
	return has;
}

/**
 * xetile_score_is_clean() - whether nothing failed of late
 * @score: a score
 *
 * Context: any.
 *
 * Return: true if a new score would say the same.
 */
bool xetile_score_is_clean(struct xetile_score *score)
{
	return !has(score, 1);
}

/**
 * xetile_score_is_bad() - whether too many batches failed of late
 * @score: of a file
 *
 * Context: process, in the task that wants a queue. With CAP_SYS_RESOURCE failures of the user's
 * other files do not count.
 *
 * Return: true if the file is to get no queue.
 */
bool xetile_score_is_bad(struct xetile_score *score)
{
	struct xetile_score *user = score->user;

	return has(score, score->max) || (has(user, user->max) && !xetile_may_exceed_limits());
}
