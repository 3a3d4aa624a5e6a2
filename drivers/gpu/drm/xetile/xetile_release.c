// SPDX-License-Identifier: GPL-2.0-only
#include "xetile_release.h"

#include <linux/array_size.h>
#include <linux/atomic.h>
#include <linux/rcupdate.h>
#include <linux/wait_bit.h>
#include <linux/workqueue.h>

#include <drm/drm_drv.h>
#include <drm/drm_managed.h>

#include "xetile_device.h"

/**
 * DOC: release
 *
 * Files that stay open, and their jobs and binds, outlive a card's binding. The last of them drops
 * the last reference of the card, and the card's release waits for the card's own work. So work
 * that may drop that reference belongs to no card: it runs on a queue of the module's. The module
 * is unloaded when nothing is left of any card.
 */

static struct workqueue_struct *release_wq;

/* Resets of whole cards. They take a card down, so they can be no work of the card's. */
static struct workqueue_struct *recover_wq;

/* Writes to pages of processes that are there */
static struct workqueue_struct *user_wq;

/*
 * Works that bring pages of processes, and may wait for ever for a third process: a few of each
 * user, see xetile_fault_line.c
 */
static struct workqueue_struct *fault_wq;

/* Cards that are bound, or that files and jobs still refer to */
static atomic_t num_devices = ATOMIC_INIT(0);

static void destroy_queues(void)
{
	struct workqueue_struct *queues[] = {
		recover_wq, user_wq, fault_wq, release_wq,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(queues); i++)
		if (queues[i])
			destroy_workqueue(queues[i]);
}

/**
 * xetile_release_init() - prepare the queues, before a card can be bound
 *
 * Context: process, when the module comes.
 * Return: 0 or -ENOMEM.
 */
int xetile_release_init(void)
{
	release_wq = alloc_workqueue("xetile-release", WQ_UNBOUND, 0);
	/* Frozen while the machine sleeps, because no card comes or goes then. */
	recover_wq = alloc_workqueue("xetile-recover", WQ_UNBOUND | WQ_FREEZABLE, 0);
	user_wq = alloc_workqueue("xetile-user", WQ_UNBOUND, 0);
	fault_wq = alloc_workqueue("xetile-fault", WQ_UNBOUND, WQ_MAX_ACTIVE);
	if (release_wq && recover_wq && user_wq && fault_wq)
		return 0;
	destroy_queues();
	return -ENOMEM;
}

/**
 * xetile_release_fini() - wait until there is nothing left of any card
 *
 * All files are closed and no card is bound: the rest ends in workers.
 *
 * Context: process, when the module goes, or did not come.
 */
void xetile_release_fini(void)
{
	wait_var_event(&num_devices, !atomic_read(&num_devices));
	destroy_queues();
	/* The module's callbacks free clients. */
	rcu_barrier();
}

/* The last one of a card's release actions */
static void device_gone(struct drm_device *drm, void *arg)
{
	if (atomic_dec_and_test(&num_devices))
		wake_up_var(&num_devices);
}

/**
 * xetile_release_count() - count a card until its release is over
 * @xt: the card; the driver has no action of it yet
 *
 * Context: process; may sleep.
 *
 * Return: 0 or -ENOMEM; on failure the card does not count.
 */
int xetile_release_count(struct xetile_device *xt)
{
	atomic_inc(&num_devices);
	return drmm_add_action_or_reset(&xt->drm, device_gone, NULL);
}

/**
 * xetile_release_queue() - run work that may drop the last reference of a card
 * @work: the work
 *
 * The queue runs no other work, because no card is to wait for the work of another card.
 * Context: any.
 */
void xetile_release_queue(struct work_struct *work)
{
	queue_work(release_wq, work);
}

/**
 * xetile_release_queue_user() - run work that writes to pages of a process if they are there
 * @work: the work; it may drop the last reference of a card
 *
 * Context: any.
 */
void xetile_release_queue_user(struct work_struct *work)
{
	queue_work(user_wq, work);
}

/**
 * xetile_release_queue_fault() - run work that has pages of a process brought
 * @work: the work; it may take for ever, and may drop the last reference of a card
 *
 * Context: any.
 */
void xetile_release_queue_fault(struct work_struct *work)
{
	queue_work(fault_wq, work);
}

/**
 * xetile_release_recover() - have a card that is wedged reset, and another one take its place
 * @xt: the card, bound; &xetile_device.recover_work is set
 *
 * The work may drop the last reference of the card. A second call has no effect until the work
 * has begun.
 *
 * Context: any.
 */
void xetile_release_recover(struct xetile_device *xt)
{
	drm_dev_get(&xt->drm);
	if (!queue_work(recover_wq, &xt->recover_work))
		drm_dev_put(&xt->drm);
}
