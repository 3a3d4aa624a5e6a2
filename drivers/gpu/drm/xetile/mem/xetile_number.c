// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_number.h"

#include <linux/atomic.h>
#include <linux/sched.h>
#include <linux/workqueue.h>

#include "xetile_device.h"

/**
 * DOC: waiting for numbers in memory
 *
 * Tasks wait for numbers that the GPU, or a bind, writes to memory, and nobody knows which numbers
 * these are. So every report of an engine, every write of a bind's number and every end of a queue
 * wakes all of a card's waiters, who look for themselves.
 *
 * There may be thousands of them, and an interrupt must not take long. So each waiter leaves when
 * it is woken, and comes back at the end of the line; an interrupt wakes the first ones, and a work
 * the others, some at a time.
 */

/* Waiters that are woken at once, which is many more than all runtimes of a machine have */
#define FIRST	64

/*
 * Not in line any more, so that the next FIRST waiters are others. The number of those that were
 * woken counts, also of those that were not asleep yet.
 */
static int wake_and_leave(struct wait_queue_entry *entry, unsigned int mode, int flags, void *key)
{
	woken_wake_function(entry, mode, flags, key);
	list_del_init_careful(&entry->entry);
	return 1;
}

static void wake_all(struct work_struct *work)
{
	struct xetile_device *xt = container_of(work, struct xetile_device, user_fences.work);
	int left;

	/* Those who have come back meanwhile have looked. */
	for (left = atomic_read(&xt->user_fences.num); left > 0; left -= FIRST) {
		wake_up_nr(&xt->user_fences.waiters, FIRST);
		cond_resched();
	}
}

/**
 * xetile_number_init() - prepare the waits for numbers
 * @xt: the card
 *
 * Context: any.
 */
void xetile_number_init(struct xetile_device *xt)
{
	init_waitqueue_head(&xt->user_fences.waiters);
	atomic_set(&xt->user_fences.num, 0);
	INIT_WORK(&xt->user_fences.work, wake_all);
}

/**
 * xetile_number_wake() - have all who wait for numbers of a card look again
 * @xt: the card
 *
 * Context: any.
 */
void xetile_number_wake(struct xetile_device *xt)
{
	/* The barrier in it orders the number before the look for waiters. */
	if (!wq_has_sleeper(&xt->user_fences.waiters))
		return;
	wake_up_nr(&xt->user_fences.waiters, FIRST);
	if (unlikely(atomic_read(&xt->user_fences.num) > FIRST))
		queue_work(xt->wq, &xt->user_fences.work);
}

/**
 * xetile_number_begin() - the current task is about to wait
 * @wait: filled in; to be given back with xetile_number_end() by the same task
 * @xt: the card, which the task has a reference of
 *
 * Context: process.
 */
void xetile_number_begin(struct xetile_number_wait *wait, struct xetile_device *xt)
{
	wait->xt = xt;
	init_wait(&wait->entry);
	wait->entry.func = wake_and_leave;
	atomic_inc(&xt->user_fences.num);
}

/**
 * xetile_number_line_up() - have xetile_number_sleep() end when something happens from here on
 * @wait: the wait
 *
 * The caller then looks at its number, and sleeps if it is not what it waits for.
 *
 * Context: process.
 */
void xetile_number_line_up(struct xetile_number_wait *wait)
{
	if (list_empty_careful(&wait->entry.entry))
		add_wait_queue_exclusive(&wait->xt->user_fences.waiters, &wait->entry);
}

/**
 * xetile_number_sleep() - sleep until something happens, or has happened since the task lined up
 * @wait: the wait
 * @timeout: jiffies
 *
 * Also a signal ends it.
 *
 * Context: process; sleeps.
 */
void xetile_number_sleep(struct xetile_number_wait *wait, long timeout)
{
	wait_woken(&wait->entry, TASK_INTERRUPTIBLE, timeout);
}

/**
 * xetile_number_end() - the task waits no more
 * @wait: the wait
 *
 * Context: process.
 */
void xetile_number_end(struct xetile_number_wait *wait)
{
	finish_wait(&wait->xt->user_fences.waiters, &wait->entry);
	atomic_dec(&wait->xt->user_fences.num);
}
