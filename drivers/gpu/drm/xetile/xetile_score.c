// SPDX-License-Identifier: GPL-2.0-only
#include "xetile_score.h"

#include <linux/kref.h>
#include <linux/ktime.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

/**
 * DOC: files whose batches fail again and again
 *
 * A batch that hangs or faults costs its file the queue, and everybody else on the same
 * engines a reset. A file that makes another queue each time could go on for ever, so it
 * gets none any more after so many such batches in so short a time, until the oldest of
 * them is long enough ago. Its other queues are not touched.
 */

#define SCORE_BLAMES	32
#define SCORE_NS	(60ull * NSEC_PER_SEC)

/**
 * struct xetile_score - the last batches of a file that failed
 *
 * Belongs to the file and to its queues, which may outlive it.
 */
struct xetile_score {
	/** @ref: references */
	struct kref ref;
	/** @lock: protects what follows; nests inside the execution lock */
	spinlock_t lock;
	/** @blames: how many there were */
	u64 blames;
	/** @at: when the last of them were, in ns; a ring */
	u64 at[SCORE_BLAMES];
};

/**
 * xetile_score_create() - a score of nothing
 *
 * Return: a reference, or NULL without memory.
 */
struct xetile_score *xetile_score_create(void)
{
	struct xetile_score *score = kzalloc(sizeof(*score), GFP_KERNEL_ACCOUNT);

	if (!score)
		return NULL;
	kref_init(&score->ref);
	spin_lock_init(&score->lock);
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
	kfree(container_of(ref, struct xetile_score, ref));
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

	spin_lock_irqsave(&score->lock, flags);
	score->at[score->blames++ % SCORE_BLAMES] = ktime_get_ns();
	spin_unlock_irqrestore(&score->lock, flags);
}

/**
 * xetile_score_is_bad() - whether too many batches failed of late
 * @score: of a file
 *
 * Context: any.
 *
 * Return: true if the file is to get no queue.
 */
bool xetile_score_is_bad(struct xetile_score *score)
{
	unsigned long flags;
	bool bad;

	spin_lock_irqsave(&score->lock, flags);
	/* The next place is that of the oldest. */
	bad = score->blames >= SCORE_BLAMES &&
	      ktime_get_ns() - score->at[score->blames % SCORE_BLAMES] < SCORE_NS;
	spin_unlock_irqrestore(&score->lock, flags);
	return bad;
}
