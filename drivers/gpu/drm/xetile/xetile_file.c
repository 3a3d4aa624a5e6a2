// SPDX-License-Identifier: GPL-2.0-only

#include "xetile_file.h"

#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include <drm/drm_drv.h>
#include <drm/drm_file.h>

#include "xetile_cslice.h"
#include "xetile_device.h"
#include "xetile_irq.h"
#include "xetile_queue.h"
#include "xetile_vm.h"

/**
 * xetile_file_open - a process opens the card
 * @drm: the card
 * @file: the DRM file that is made
 *
 * Context: process.
 * Return: 0 or -ENOMEM.
 */
int xetile_file_open(struct drm_device *drm, struct drm_file *file)
{
	struct xetile_file *xf;

	xf = kzalloc(sizeof(*xf), GFP_KERNEL);
	if (!xf)
		return -ENOMEM;

	xf->xt = to_xetile_device(drm);
	xf->client = xetile_client_get(xf->xt, task_tgid(current));
	if (IS_ERR(xf->client)) {
		int err = PTR_ERR(xf->client);

		kfree(xf);
		return err;
	}
	/* Ids start at 1: 0 stands for none. */
	xa_init_flags(&xf->vms, XA_FLAGS_ALLOC1);
	xa_init_flags(&xf->queues, XA_FLAGS_ALLOC1);
	file->driver_priv = xf;
	return 0;
}

/*
 * Queues, VMs and buffers are freed by work, and their fences hold the module:
 * a process that has exited shall not keep it from being unloaded.
 */
static void flush_releases(struct xetile_device *xt)
{
	int idx;

	/* The handler that signalled a fence lets go of it only after that. */
	if (drm_dev_enter(&xt->drm, &idx)) {
		xetile_irq_synchronize(xt);
		drm_dev_exit(idx);
	}
	flush_workqueue(xt->wq);
	/* A VM's last buffers go when the VM does. */
	flush_workqueue(xetile_release_wq);
	flush_workqueue(xt->ttm.wq);
}

/**
 * xetile_file_close - the last reference to an opened card goes
 * @drm: the card
 * @file: the DRM file
 *
 * No call runs on the file any more. Its queues go before its VMs, so that work
 * in flight is ended by its queue and not by pages that vanish.
 *
 * Context: process.
 */
void xetile_file_close(struct drm_device *drm, struct drm_file *file)
{
	struct xetile_file *xf = file->driver_priv;
	struct xetile_queue *queue;
	struct xetile_vm *vm;
	unsigned long id;

	/* All are asked to stop before the first is waited for. */
	xa_for_each(&xf->queues, id, queue)
		xetile_queue_kill(queue);
	xa_for_each(&xf->queues, id, queue) {
		xetile_queue_drain(queue);
		xetile_queue_put(queue);
	}
	xa_destroy(&xf->queues);

	xa_for_each(&xf->vms, id, vm) {
		xetile_vm_close(vm);
		xetile_vm_put(vm);
	}
	xa_destroy(&xf->vms);

	xetile_client_put(xf->client);
	flush_releases(xf->xt);
	kfree(xf);
}

/**
 * xetile_file_vm - look a VM up
 * @xf: the file
 * @id: what userspace calls it
 *
 * Context: process.
 * Return: the VM with a reference for the caller, or NULL.
 */
struct xetile_vm *xetile_file_vm(struct xetile_file *xf, u32 id)
{
	struct xetile_vm *vm;

	/* The lock keeps the file's reference alive until we have our own. */
	xa_lock(&xf->vms);
	vm = xa_load(&xf->vms, id);
	if (vm)
		xetile_vm_get(vm);
	xa_unlock(&xf->vms);
	return vm;
}

/**
 * xetile_file_queue - look a queue up
 * @xf: the file
 * @id: what userspace calls it
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
