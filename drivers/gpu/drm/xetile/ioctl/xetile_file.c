// SPDX-License-Identifier: GPL-2.0-only
#include "ioctl/xetile_file.h"

#include <linux/cred.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include <drm/drm_file.h>
#include <drm/drm_gem.h>

#include "card/xetile_awake.h"
#include "exec/xetile_client.h"
#include "exec/xetile_queue.h"
#include "exec/xetile_sched_usage.h"
#include "mem/xetile_account.h"
#include "mem/xetile_bind_queue.h"
#include "mem/xetile_bo.h"
#include "mem/xetile_managed.h"
#include "mem/xetile_moves.h"
#include "mem/xetile_quota.h"
#include "mem/xetile_score.h"
#include "mem/xetile_vm.h"
#include "xetile_device.h"

/**
 * DOC: opened cards
 *
 * A file of the card: ids of its address spaces, queues and bind queues, and what is counted
 * for it. The DRM core opens and closes it; the calls look ids up. Each table of ids has its
 * own spinlock, under which the caller gets its reference.
 */

/* How long a closing file waits for its queues to leave their engines, for all of them together */
#define DRAIN_TIMEOUT_MS	3000

/*
 * A file that nobody closes, because it was sent over a socket that is gone, ends in a thread of
 * the kernel's, which ends the files of everybody, one after the other: it waits for nothing.
 */
static unsigned int drain_ms(void)
{
	return current->flags & PF_KTHREAD ? 0 : DRAIN_TIMEOUT_MS;
}

static int file_init(struct xetile_device *xt, struct drm_file *file)
{
	struct xetile_file *xf;

	xf = kzalloc(sizeof(*xf), GFP_KERNEL_ACCOUNT);
	if (!xf)
		return -ENOMEM;

	xf->xt = xt;
	xf->account = xetile_account_create(xf->xt, current_euid());
	xf->usage = xetile_sched_usage_create();
	xf->moves = xetile_moves_create();
	xf->quota = xetile_quota_create();
	if (xf->account)
		xf->score = xetile_score_create(xetile_account_user_score(xf->account));
	if (!xf->account || !xf->usage || !xf->moves || !xf->quota || !xf->score) {
		xetile_account_put(xf->account);
		xetile_sched_usage_put(xf->usage);
		xetile_moves_put(xf->moves);
		xetile_quota_put(xf->quota);
		xetile_score_put(xf->score);
		kfree(xf);
		return -ENOMEM;
	}
	/* Ids start at 1: 0 stands for none. */
	xa_init_flags(&xf->vms, XA_FLAGS_ALLOC1);
	xa_init_flags(&xf->queues, XA_FLAGS_ALLOC1);
	INIT_LIST_HEAD(&xf->given_up);
	xa_init(&xf->bind_queues);
	file->driver_priv = xf;
	return 0;
}

/**
 * xetile_file_open() - a process opens the card
 * @drm: the card
 * @file: the DRM file that is made
 *
 * Wakes the card up. The file's account keeps it awake.
 *
 * Context: process.
 * Return: 0 or -ENOMEM; or the error of xetile_awake_get().
 */
int xetile_file_open(struct drm_device *drm, struct drm_file *file)
{
	struct xetile_device *xt = to_xetile_device(drm);
	int err;

	err = xetile_awake_get(xt);
	if (err)
		return err;
	err = file_init(xt, file);
	xetile_awake_put(xt);
	return err;
}

/**
 * xetile_file_close() - the last reference of an opened card is dropped
 * @drm: the card
 * @file: the DRM file
 *
 * No call runs on the file any more. Its queues go before its VMs, so that its queue ends work
 * in flight, and not a fault on pages that vanish. Waits for the file's own jobs only, so that
 * the mode of their tiles can be changed on return; in a thread of the kernel's for none. Workers
 * free the rest, because that may have to wait for jobs of others.
 *
 * Context: process.
 */
void xetile_file_close(struct drm_device *drm, struct drm_file *file)
{
	struct xetile_file *xf = file->driver_priv;
	struct xetile_bind_queue *bind_queue;
	struct xetile_queue *queue;
	struct xetile_vm *vm;
	unsigned long id, until;

	/* Ask all queues to stop before the first one is waited for */
	xa_for_each(&xf->queues, id, queue)
		xetile_queue_kill(queue);
	xetile_queues_kill(xf->xt, &xf->given_up);
	until = jiffies + msecs_to_jiffies(drain_ms());
	xa_for_each(&xf->queues, id, queue) {
		xetile_queue_drain(queue, until);
		xetile_queue_put(queue);
	}
	xa_destroy(&xf->queues);
	xetile_queues_drain(&xf->given_up, until);
	xa_for_each(&xf->bind_queues, id, bind_queue)
		xetile_bind_queue_put(bind_queue);
	xa_destroy(&xf->bind_queues);

	xa_for_each(&xf->vms, id, vm)
		xetile_vm_close(vm);
	xa_destroy(&xf->vms);

	if (xf->client)
		xetile_client_put(xf->client);
	xetile_account_put(xf->account);
	xetile_sched_usage_put(xf->usage);
	xetile_moves_put(xf->moves);
	xetile_quota_put(xf->quota);
	xetile_score_put(xf->score);
	kfree(xf);
}

/**
 * xetile_file_vm() - look a VM up
 * @xf: the file
 * @id: userspace's number of the VM
 *
 * Context: process.
 * Return: the VM with a reference for the caller, or NULL.
 */
struct xetile_vm *xetile_file_vm(struct xetile_file *xf, u32 id)
{
	struct xetile_vm *vm;

	/* The lock keeps the file's reference until the caller has its own. */
	xa_lock(&xf->vms);
	vm = xa_load(&xf->vms, id);
	if (vm)
		xetile_vm_get(vm);
	xa_unlock(&xf->vms);
	return vm;
}

/**
 * xetile_file_queue() - look a queue up
 * @xf: the file
 * @id: userspace's number of the queue
 *
 * Context: process.
 * Return: the queue with a reference for the caller, or NULL.
 */
struct xetile_queue *xetile_file_queue(struct xetile_file *xf, u32 id)
{
	struct xetile_queue *queue;

	xa_lock(&xf->queues);
	queue = xa_load(&xf->queues, id);
	if (queue)
		xetile_queue_get(queue);
	xa_unlock(&xf->queues);
	return queue;
}

/**
 * xetile_file_bind_queue() - look a bind queue up
 * @xf: the file
 * @id: userspace's number of the queue
 *
 * Context: process.
 * Return: the queue with a reference for the caller, or NULL.
 */
struct xetile_bind_queue *xetile_file_bind_queue(struct xetile_file *xf, u32 id)
{
	struct xetile_bind_queue *queue;

	xa_lock(&xf->bind_queues);
	queue = xa_load(&xf->bind_queues, id);
	if (queue)
		xetile_bind_queue_get(queue);
	xa_unlock(&xf->bind_queues);
	return queue;
}

/**
 * xetile_file_make_bo() - make a buffer object, and give it its handle
 * @file: DRM file that gets the handle
 * @args: arguments of its creation, checked
 * @handle: set to the handle
 *
 * Context: process, outside of xetile_device_enter(); may sleep.
 * Return: 0, -ENODEV, -ENOMEM, or the error of xetile_bo_create().
 */
int xetile_file_make_bo(struct drm_file *file, const struct xetile_bo_args *args, u32 *handle)
{
	struct xetile_device *xt = to_xetile_device(file->minor->dev);
	struct xetile_bo *bo;
	int err, idx;

	if (!xetile_device_enter(xt, &idx))
		return -ENODEV;
	bo = args->flags & XETILE_BO_MIGRATE ? xetile_managed_create(xt, args) :
					       xetile_bo_create(xt, args);
	xetile_device_exit(xt, idx);
	if (IS_ERR(bo))
		return PTR_ERR(bo);
	err = drm_gem_handle_create(file, xetile_bo_gem(bo), handle);
	if (err)
		xetile_bo_closed(bo);
	/* From here on the handle keeps the BO. */
	drm_gem_object_put(xetile_bo_gem(bo));
	return err;
}

/**
 * xetile_file_add_queue() - give a new queue its id
 * @xf: the file
 * @queue: the queue, whose reference the file takes, or drops on failure
 * @id: set to userspace's number of the queue
 *
 * Context: process; may sleep.
 * Return: 0 or -ENOMEM.
 */
int xetile_file_add_queue(struct xetile_file *xf, struct xetile_queue *queue, u32 *id)
{
	int err;

	/* From here on the file owns the other reference, and any thread may destroy the id. */
	xetile_queue_get(queue);
	err = xa_alloc(&xf->queues, id, queue, XA_LIMIT(1, INT_MAX), GFP_KERNEL_ACCOUNT);
	if (err) {
		xetile_queue_close(queue, &xf->given_up);
		xetile_queue_put(queue);
	} else {
		xetile_queue_set_id(queue, *id);
	}
	xetile_queue_put(queue);
	return err;
}

/**
 * xetile_file_add_bind_queue() - give a new bind queue its id, among those of all queues
 * @xf: the file
 * @queue: the queue, whose reference the file takes on success
 * @id: set to userspace's number of the queue
 *
 * Context: process; may sleep.
 * Return: 0 or -ENOMEM.
 */
int xetile_file_add_bind_queue(struct xetile_file *xf, struct xetile_bind_queue *queue, u32 *id)
{
	int err;

	err = xa_alloc(&xf->queues, id, NULL, XA_LIMIT(1, INT_MAX), GFP_KERNEL_ACCOUNT);
	if (err)
		return err;
	err = xa_insert(&xf->bind_queues, *id, queue, GFP_KERNEL_ACCOUNT);
	if (err)
		xa_release(&xf->queues, *id);
	return err;
}

/* The caller that gets the queue closes it, so it is closed once. Reserved ids stay reserved. */
static struct xetile_queue *take_queue(struct xetile_file *xf, u32 id)
{
	struct xetile_queue *queue;

	xa_lock(&xf->queues);
	queue = xa_load(&xf->queues, id);
	if (queue)
		__xa_erase(&xf->queues, id);
	xa_unlock(&xf->queues);
	return queue;
}

static int destroy_bind_queue(struct xetile_file *xf, u32 id)
{
	struct xetile_bind_queue *queue = xa_erase(&xf->bind_queues, id);

	if (!queue)
		return -ENOENT;
	xa_release(&xf->queues, id);
	xetile_bind_queue_put(queue);
	return 0;
}

/**
 * xetile_file_destroy_queue() - give a queue up, or a bind queue
 * @xf: the file
 * @id: userspace's number of the queue
 *
 * Context: process; may sleep.
 * Return: 0, or -ENOENT if there is none.
 */
int xetile_file_destroy_queue(struct xetile_file *xf, u32 id)
{
	struct xetile_queue *queue = take_queue(xf, id);

	if (!queue)
		return destroy_bind_queue(xf, id);
	xetile_queue_close(queue, &xf->given_up);
	xetile_queue_put(queue);
	return 0;
}
