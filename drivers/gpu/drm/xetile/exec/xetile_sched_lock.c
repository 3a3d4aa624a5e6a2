// SPDX-License-Identifier: GPL-2.0-only
#include "exec/xetile_sched_lock.h"

#include <linux/dma-fence.h>
#include <linux/hrtimer.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/preempt.h>
#include <linux/wait.h>

#include "exec/xetile_dispatch.h"
#include "exec/xetile_job.h"
#include "exec/xetile_sched_queue.h"
#include "mem/xetile_account.h"
#include "xetile_device.h"

/**
 * DOC: the execution lock
 *
 * This file drops the lock. Documentation/gpu/xetile/locking.rst tells what the lock protects, who
 * takes it, and why a card has only one. The drop has the dispatcher look at the time, starts the
 * timer for its next look, and signals the fences of the jobs that are done.
 */

static void jobs_finish(struct list_head *done)
{
	struct xetile_job *job, *next;

	list_for_each_entry_safe(job, next, done, link) {
		struct xetile_sched_queue *sq = job->owner;

		/* Give the account back first: a file that sees the fence may push a job. */
		xetile_account_give_job(sq->account);
		xetile_job_finish(job);
		xetile_sched_queue_put(sq);
	}
}

static void start_timer(struct xetile_sched *sched, u64 at)
{
	lockdep_assert_held(&sched->lock);
	if (at >= sched->timer_ns)
		return;
	sched->timer_ns = at;
	hrtimer_start(&sched->timer, ns_to_ktime(at), HRTIMER_MODE_ABS);
}

/*
 * Signal the fences of a queue's jobs that have ended, without the lock. Only one task does so at a
 * time: a second one leaves its jobs to the first, because otherwise a later fence of a timeline
 * might signal before an earlier one.
 *
 * The fences may be those of anybody, whichever task drops the lock. Nothing here can wait for
 * anything, because preemption is off all the while.
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
	/*
	 * A job that is finished drops its reference of the queue, which may be the last but this
	 * one.
	 */
	xetile_sched_queue_get(sq);
	while (!list_empty(&sq->done)) {
		list_replace_init(&sq->done, &done);
		/* Others leave their jobs to this task: it must not lose the CPU for long. */
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
 * xetile_sched_unlock() - drop the card's execution lock
 * @sched: execution state
 * @flags: of xetile_sched_lock()
 *
 * Has the dispatcher look at the time, and signals the fences of jobs that are done, unless
 * another task that dropped the lock is about to.
 *
 * Context: any; the execution lock is held, and dropped.
 */
void xetile_sched_unlock(struct xetile_sched *sched, unsigned long flags) __releases(&sched->lock)
{
	u64 now = xetile_sched_now();
	u64 next = xetile_dispatch_tick(&sched->dispatch, now);

	/*
	 * While a gang runs look in time, but not much later than now, in case an interrupt was
	 * lost; also if its batch has no limit. A timer that is running and early enough stays,
	 * because a look in vain costs less than to start the timer anew each time.
	 */
	if ((next != XETILE_DISPATCH_NEVER || sched->dispatch.owned) && !sched->stopped)
		start_timer(sched, min(next, now + XETILE_SCHED_POLL_NS));
	while (!list_empty(&sched->done))
		sq_signal(list_first_entry(&sched->done, struct xetile_sched_queue, done_link),
			  &flags);
	spin_unlock_irqrestore(&sched->lock, flags);
}
