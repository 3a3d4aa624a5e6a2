// SPDX-License-Identifier: GPL-2.0-only
#include "exec/xetile_sched_rest.h"

#include <linux/lockdep.h>
#include <linux/workqueue.h>

#include "exec/xetile_dispatch.h"
#include "exec/xetile_sched_lock.h"
#include "exec/xetile_sched_queue.h"
#include "xetile_device.h"

/**
 * DOC: queues that rest while their memory may leave
 *
 * A batch that runs for ever has no end that others could wait for before they take its memory
 * away. Its queue is asked to rest instead: it leaves its engines, which save its contexts, and it
 * says so. No job is written into its rings, and nothing of it reads or writes memory, until it
 * goes on. A context that does not leave in the time that the administrator sets is reset, and its
 * queue is banned: then it is off as well. So the answer always comes, and nothing on the way to
 * it allocates memory.
 *
 * The address space of the queue (xetile_vm_run.c) asks, and waits for the answers of all of its
 * queues.
 */

/**
 * xetile_sched_rest_settle_locked() - tell that a queue that was asked to rest is off its engines
 * @sq: the queue
 *
 * Context: the execution lock is held.
 */
void xetile_sched_rest_settle_locked(struct xetile_sched_queue *sq)
{
	lockdep_assert_held(&sq->xt->sched->lock);
	if (!sq->leaving || !xetile_gang_is_off(&sq->gang))
		return;
	sq->leaving = false;
	sq->ops->rested(sq);
}

/**
 * xetile_sched_begin_at_rest() - let a new queue run nothing until xetile_sched_go_on()
 * @sq: the queue, of which nobody knows yet
 *
 * Context: any; takes the execution lock.
 */
void xetile_sched_begin_at_rest(struct xetile_sched_queue *sq)
{
	struct xetile_sched *sched = sq->xt->sched;
	unsigned long flags = xetile_sched_lock(sched);

	sq->hold |= XETILE_HOLD_RESTING;
	xetile_dispatch_suspend(&sched->dispatch, &sq->gang, xetile_sched_now());
	xetile_sched_unlock(sched, flags);
}

/**
 * xetile_sched_rest() - ask a queue to leave its engines
 * @sq: the queue; may rest already
 *
 * &xetile_sched_queue_ops.rested follows once for each call, perhaps before the call returns.
 *
 * Context: any; takes the execution lock; not called again before the answer to the last call.
 */
void xetile_sched_rest(struct xetile_sched_queue *sq)
{
	struct xetile_sched *sched = sq->xt->sched;
	unsigned long flags = xetile_sched_lock(sched);

	sq->leaving = true;
	if (!(sq->hold & XETILE_HOLD_RESTING)) {
		sq->hold |= XETILE_HOLD_RESTING;
		xetile_dispatch_suspend(&sched->dispatch, &sq->gang, xetile_sched_now());
	}
	xetile_sched_rest_settle_locked(sq);
	xetile_sched_unlock(sched, flags);
}

/**
 * xetile_sched_go_on() - let a queue that rests go on
 * @sq: the queue; may be awake
 *
 * Context: any; takes the execution lock; after the answer to xetile_sched_rest().
 */
void xetile_sched_go_on(struct xetile_sched_queue *sq)
{
	struct xetile_sched *sched = sq->xt->sched;
	unsigned long flags = xetile_sched_lock(sched);

	if (sq->hold & XETILE_HOLD_RESTING) {
		sq->hold &= ~XETILE_HOLD_RESTING;
		xetile_dispatch_resume(&sched->dispatch, &sq->gang, xetile_sched_now());
		if (sq->num_waiting)
			queue_work(sched->xt->fence_wq, &sq->work);
	}
	xetile_sched_unlock(sched, flags);
}
