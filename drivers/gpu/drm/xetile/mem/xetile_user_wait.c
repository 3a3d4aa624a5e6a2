// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_user.h"

#include <linux/dma-fence.h>
#include <linux/dma-resv.h>
#include <linux/jiffies.h>
#include <linux/limits.h>
#include <linux/list.h>
#include <linux/sched.h>

#include "mem/xetile_user_types.h"

/**
 * DOC: waiting for jobs that use memory of processes
 *
 * A page leaves only when no job uses it any more. The task that waits for that may be the one
 * that finds memory for the whole machine, and a client may have thousands of jobs under way, or
 * jobs that wait for other drivers' fences. So the wait ends the jobs of a queue that has not got
 * through with all of its jobs in the time that one of them may take. The process itself has more
 * patience with its jobs, because it alone waits; a process that ends has less, because nobody
 * wants them any more.
 *
 * The wait goes on until the queues are off their engines: a page that the GPU uses never leaves.
 * Whoever signals fences, or resets an engine, needs no memory for it, see locking.rst.
 */

/* How often the time is looked at */
#define STEP		(HZ / 10)

/* How long a process waits at least for jobs with its own memory */
#define OWN_MS		(60 * MSEC_PER_SEC)

/* How long the end of a process waits for them */
#define RELEASE_MS	MSEC_PER_SEC

static bool wait_a_step(struct xetile_users *users, struct dma_fence *last)
{
	if (last)
		return dma_fence_wait_timeout(last, false, STEP) > 0;
	return dma_resv_wait_timeout(users->resv, DMA_RESV_USAGE_BOOKKEEP, false, STEP) > 0;
}

/* End the jobs of queues whose jobs may not take as long as this. */
static void end_late(struct xetile_users *users, unsigned int ms)
{
	struct xetile_user_queue *queue;

	down_read(&users->lock);
	list_for_each_entry(queue, &users->queues, link) {
		queue->end_late(queue, ms);
		cond_resched();
	}
	up_read(&users->lock);
}

/**
 * xetile_users_wait() - wait until jobs are over, and see to it that they are
 * @users: ranges of an address space
 * @last: end of the jobs; NULL: all jobs of the address space
 * @patience: who waits
 *
 * Context: process, reclaim included; takes &xetile_users.lock.
 */
void xetile_users_wait(struct xetile_users *users, struct dma_fence *last,
		       enum xetile_user_patience patience)
{
	unsigned long begun = jiffies;
	unsigned int ms;

	/* Who needs memory does not wait until such jobs have had their time. */
	if (users->hurry)
		users->hurry(users);
	while (!wait_a_step(users, last)) {
		ms = jiffies_to_msecs(jiffies - begun);
		if (patience == XETILE_USER_RELEASE && ms >= RELEASE_MS)
			end_late(users, UINT_MAX);
		else if (patience == XETILE_USER_OTHERS || ms >= OWN_MS)
			end_late(users, ms);
	}
}

/**
 * xetile_users_add_queue() - jobs of a queue use the ranges of an address space
 * @users: ranges of an address space
 * @queue: the queue's part; its function is set
 *
 * Context: process; takes &xetile_users.lock.
 */
void xetile_users_add_queue(struct xetile_users *users, struct xetile_user_queue *queue)
{
	down_write(&users->lock);
	list_add(&queue->link, &users->queues);
	up_write(&users->lock);
}

/**
 * xetile_users_del_queue() - a queue has no jobs any more
 * @users: ranges of an address space
 * @queue: the queue's part, of xetile_users_add_queue(), or with an empty link
 *
 * Context: process; takes &xetile_users.lock.
 */
void xetile_users_del_queue(struct xetile_users *users, struct xetile_user_queue *queue)
{
	down_write(&users->lock);
	list_del_init(&queue->link);
	up_write(&users->lock);
}
