// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_score.h"

#include <linux/capability.h>
#include <linux/kref.h>
#include <linux/ktime.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

/**
 * DOC: files and users whose batches fail again and again
 *
 * A batch that hangs or faults costs its file the queue, and everybody else on the same
 * engines a reset. A file that makes another queue each time could go on for ever, so it
 * gets none any more after so many such batches in so short a time, until the oldest of
 * them is long enough ago. Its other queues are not touched.
 *
 * A user can open the card again, so there is a score of all that a user's files do, too.
 * It allows more, because one file that is bad is not to stop the user's others.
 */

#define FILE_BLAMES	32
#define USER_BLAMES	64
#define SCORE_NS	(60ull * NSEC_PER_SEC)

/**
 * struct xetile_score - the last batches of a file, or of a user, that failed
 *
 * Belongs to the file and to its queues, which may outlive it; a user's to its files' as well.
 */
struct xetile_score {
	/** @ref: references */
	struct kref ref;
	/** @lock: protects what follows; nests inside the execution lock */
	spinlock_t lock;
	/** @user: of a file: the score of its user, with a reference; never changes */
	struct xetile_score *user;
	/** @blames: how many there were */
	u64 blames;
	/** @max: how many in SCORE_NS are too many */
	unsigned int max;
	/** @at: when the last of them were, in ns; a ring */
	u64 at[] __counted_by(max);
};

/**
 * xetile_score_create() - a score of nothing
 * @user: it is a file's, and this its user's; NULL: it is a user's
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
 * @score: of its file
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

/* Were there @max of late? */
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
 * Context: process, of who wants a queue. With CAP_SYS_RESOURCE what other files of its user
 * do does not count.
 *
 * Return: true if the file is to get no queue.
 */
bool xetile_score_is_bad(struct xetile_score *score)
{
	struct xetile_score *user = score->user;

	return has(score, score->max) || (has(user, user->max) && !capable(CAP_SYS_RESOURCE));
}
