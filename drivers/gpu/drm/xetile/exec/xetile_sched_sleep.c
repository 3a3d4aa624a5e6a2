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
 * The machine's sleep (xetile_pm.c) has queues leave their engines, users' queues first, then
 * the kernel's own, and lets them go on in the reverse order. The execution lock protects who is
 * asleep; it is let go of between some queues and the next.
 */

/* How often an engine is asked whether it has been left, in case an interrupt was lost */
#define LEAVE_POLL	(HZ / 10)

/* The kernel's own have no account. */
static bool is_users(const struct xetile_sched_queue *sq)
{
	return sq->account;
}

/* Keep a queue off the engines. */
static void sq_sleep(struct xetile_sched_queue *sq)
{
	struct xetile_sched *sched = sq->xt->sched;

	lockdep_assert_held(&sched->lock);
	if (sq->asleep)
		return;
	sq->asleep = true;
	xetile_dispatch_suspend(&sched->dispatch, &sq->gang, xetile_sched_now());
}

static void sq_wake_up(struct xetile_sched_queue *sq)
{
	struct xetile_sched *sched = sq->xt->sched;

	lockdep_assert_held(&sched->lock);
	if (!sq->asleep)
		return;
	sq->asleep = false;
	xetile_dispatch_resume(&sched->dispatch, &sq->gang, xetile_sched_now());
	if (sq->num_waiting)
		queue_work(sched->xt->fence_wq, &sq->work);
}

/* For xetile_sched_visit_queues(), which may come to a queue twice */
static void sleep_users(struct xetile_sched_queue *sq)
{
	if (is_users(sq))
		sq_sleep(sq);
}

static void sleep_kernels(struct xetile_sched_queue *sq)
{
	if (!is_users(sq))
		sq_sleep(sq);
}

static void wake_users(struct xetile_sched_queue *sq)
{
	if (is_users(sq))
		sq_wake_up(sq);
}

static void wake_kernels(struct xetile_sched_queue *sq)
{
	if (!is_users(sq))
		sq_wake_up(sq);
}

/* The engines have forgotten which context they had last. */
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
		if (xetile_gang_to_sq(sched->dispatch.owners[__ffs64(rest)])->asleep)
			left = false;
	xetile_sched_unlock(sched, flags);
	return left;
}

/* Whoever does not leave in time is reset, and if that fails the card is wedged. */
static void wait_left(struct xetile_sched *sched)
{
	while (!wait_event_timeout(sched->left, xetile_wedged(sched) || all_left(sched),
				   LEAVE_POLL))
		;
}

/**
 * xetile_sched_sleep() - keep queues off the engines, and wait until they have left
 * @sched: execution state
 * @users: users' queues, or the kernel's own
 *
 * None of them has an engine on return, and no job is written into its rings.
 *
 * Context: process, with the device's lock.
 */
void xetile_sched_sleep(struct xetile_sched *sched, bool users)
{
	xetile_sched_visit_queues(sched, users ? sleep_users : sleep_kernels);
	wait_left(sched);
}

/**
 * xetile_sched_wake_up() - undo xetile_sched_sleep()
 * @sched: execution state
 * @users: users' queues, or the kernel's own; those that are awake stay so
 *
 * Context: process, with the device's lock.
 */
void xetile_sched_wake_up(struct xetile_sched *sched, bool users)
{
	xetile_sched_visit_queues(sched, users ? wake_users : wake_kernels);
}

/**
 * xetile_sched_force_load() - have all contexts loaded anew when they run again
 * @sched: execution state; all queues are asleep
 *
 * The engines have forgotten which context they had last.
 *
 * Context: process, with the device's lock.
 */
void xetile_sched_force_load(struct xetile_sched *sched)
{
	xetile_sched_visit_queues(sched, force_load);
}
