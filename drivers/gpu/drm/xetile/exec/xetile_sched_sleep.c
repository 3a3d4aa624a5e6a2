// SPDX-License-Identifier: GPL-2.0-only
#include "exec/xetile_sched_sleep.h"

#include <linux/bitops.h>
#include <linux/jiffies.h>
#include <linux/lockdep.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "exec/xetile_dispatch.h"
#include "exec/xetile_lrc.h"
#include "exec/xetile_sched.h"
#include "exec/xetile_sched_lock.h"
#include "exec/xetile_sched_ports.h"
#include "exec/xetile_wedge.h"
#include "xetile_device.h"

/**
 * DOC: queues while the machine sleeps
 *
 * The machine's sleep (xetile_pm.c) has queues leave their engines, users' queues first, then the
 * kernel's own, and lets them go on in the reverse order. The execution lock protects which queues
 * are asleep; it is dropped after each batch of queues.
 */

/* How often an engine is asked whether it has been left, in case an interrupt was lost */
#define LEAVE_POLL	(HZ / 10)

/* The kernel's own queues have no account. */
static bool is_users(const struct xetile_sched_queue *sq)
{
	return sq->account;
}

/* Keep a queue off the engines. */
static void sq_suspend(struct xetile_sched_queue *sq)
{
	struct xetile_sched *sched = sq->xt->sched;

	lockdep_assert_held(&sched->lock);
	if (sq->hold & XETILE_HOLD_ASLEEP)
		return;
	sq->hold |= XETILE_HOLD_ASLEEP;
	xetile_dispatch_suspend(&sched->dispatch, &sq->gang, xetile_sched_now());
}

static void sq_resume(struct xetile_sched_queue *sq)
{
	struct xetile_sched *sched = sq->xt->sched;

	lockdep_assert_held(&sched->lock);
	if (!(sq->hold & XETILE_HOLD_ASLEEP))
		return;
	sq->hold &= ~XETILE_HOLD_ASLEEP;
	xetile_dispatch_resume(&sched->dispatch, &sq->gang, xetile_sched_now());
	if (sq->num_waiting)
		queue_work(sched->xt->fence_wq, &sq->work);
}

/* For xetile_sched_visit_queues(), which may come to a queue twice */
static void suspend_users(struct xetile_sched_queue *sq)
{
	if (is_users(sq))
		sq_suspend(sq);
}

static void suspend_own(struct xetile_sched_queue *sq)
{
	if (!is_users(sq))
		sq_suspend(sq);
}

static void resume_users(struct xetile_sched_queue *sq)
{
	if (is_users(sq))
		sq_resume(sq);
}

static void resume_own(struct xetile_sched_queue *sq)
{
	if (!is_users(sq))
		sq_resume(sq);
}

/* The engines no longer know which context they had last. */
static void force_load(struct xetile_sched_queue *sq)
{
	unsigned int m;

	lockdep_assert_held(&sq->xt->sched->lock);
	for (m = 0; m < sq->gang.num_members; m++)
		sq->lrcs[m]->force = true;
}

/* No queue that is asleep owns an engine. */
static bool all_left(struct xetile_sched *sched)
{
	unsigned long flags = xetile_sched_lock(sched);
	bool left = true;
	u64 rest;

	xetile_sched_poll_locked(sched);
	for (rest = sched->dispatch.owned; rest; rest &= rest - 1)
		if (xetile_gang_to_sq(sched->dispatch.owners[__ffs64(rest)])->hold &
		    XETILE_HOLD_ASLEEP)
			left = false;
	xetile_sched_unlock(sched, flags);
	return left;
}

/* A context that does not leave in time is reset, and if that fails the card is wedged. */
static void wait_left(struct xetile_sched *sched)
{
	while (!wait_event_timeout(sched->left, xetile_wedged(sched) || all_left(sched),
				   LEAVE_POLL))
		;
}

/**
 * xetile_sched_suspend_users() - keep users' queues off the engines, and wait until they have left
 * @sched: execution state
 *
 * None of them has an engine on return, and no job is written into its rings.
 *
 * Context: process, with the device's lock.
 */
void xetile_sched_suspend_users(struct xetile_sched *sched)
{
	xetile_sched_visit_queues(sched, suspend_users);
	wait_left(sched);
}

/**
 * xetile_sched_suspend_own() - the same for the kernel's own queues
 * @sched: execution state; users' queues are suspended
 *
 * Context: process, with the device's lock.
 */
void xetile_sched_suspend_own(struct xetile_sched *sched)
{
	xetile_sched_visit_queues(sched, suspend_own);
	wait_left(sched);
}

/**
 * xetile_sched_resume_own() - undo xetile_sched_suspend_own()
 * @sched: execution state; queues that are awake stay so
 *
 * Context: process, with the device's lock.
 */
void xetile_sched_resume_own(struct xetile_sched *sched)
{
	xetile_sched_visit_queues(sched, resume_own);
}

/**
 * xetile_sched_resume_users() - undo xetile_sched_suspend_users()
 * @sched: execution state; queues that are awake stay so
 *
 * Context: process, with the device's lock.
 */
void xetile_sched_resume_users(struct xetile_sched *sched)
{
	xetile_sched_visit_queues(sched, resume_users);
}

/**
 * xetile_sched_force_load() - have all contexts loaded anew when they run again
 * @sched: execution state; all queues are asleep
 *
 * The engines no longer know which context they had last.
 *
 * Context: process, with the device's lock.
 */
void xetile_sched_force_load(struct xetile_sched *sched)
{
	xetile_sched_visit_queues(sched, force_load);
}
