// SPDX-License-Identifier: GPL-2.0-only
#include "ioctl/xetile_ioctl.h"

#include <linux/err.h>
#include <linux/uaccess.h>

#include <drm/drm_file.h>
#include <drm/xetile_drm.h>

#include "exec/xetile_queue.h"
#include "exec/xetile_queue_submit.h"
#include "ioctl/xetile_file.h"
#include "mem/xetile_sync.h"
#include "mem/xetile_va.h"
#include "mem/xetile_vm.h"
#include "mem/xetile_vm_job.h"
#include "xetile_device.h"

/**
 * DOC: the call that submits
 *
 * Checks, and translation of uAPI structs, for DRM_XETILE_EXEC. The DRM core calls it in
 * process context, without a lock; addresses and syncs are read before the card is entered.
 */

static_assert(sizeof(struct drm_xetile_exec) == 40);

/* Read and check the addresses of the batches; a single one is in the struct itself. */
static int exec_batches(const struct drm_xetile_exec *args, u64 *batches)
{
	unsigned int i;

	if (!args->num_batches)
		return args->batch ? -EINVAL : 0;
	if (args->num_batches == 1) {
		batches[0] = args->batch;
	} else {
		if (args->batch != (uintptr_t)args->batch ||
		    copy_from_user(batches, u64_to_user_ptr(args->batch),
				   args->num_batches * sizeof(*batches)))
			return -EFAULT;
	}

	for (i = 0; i < args->num_batches; i++)
		if (batches[i] % 8 || batches[i] >= XETILE_VA_END)
			return -EINVAL;
	return 0;
}

/**
 * xetile_ioctl_submit() - submit to a queue, and have what is missing
 * @xt: the card
 * @queue: the queue; the reference is dropped
 * @submit: what to run
 *
 * Context: process, outside of xetile_device_enter().
 * Return: as xetile_queue_submit(); but -ESTALE: the pages that were missing are there: look the
 * queue up again, and call again.
 */
int xetile_ioctl_submit(struct xetile_device *xt, struct xetile_queue *queue,
			const struct xetile_submit *submit)
{
	struct xetile_vm *vm;
	int err = -ENODEV, idx;

	if (xetile_device_enter(xt, &idx)) {
		err = xetile_queue_submit(queue, submit);
		xetile_device_exit(xt, idx);
	}
	if (likely(err != -ESTALE)) {
		xetile_queue_put(queue);
		return err;
	}
	/*
	 * Pages of a process have left, or were never there. To have them may take for ever, see
	 * xetile_ioctl_exec(): only the VM is held meanwhile.
	 */
	vm = xetile_vm_get(xetile_queue_vm(queue));
	xetile_queue_put(queue);
	err = xetile_vm_fault_in(vm);
	xetile_vm_put(vm);
	return err ?: -ESTALE;
}

static int exec_queue(struct xetile_file *xf, const struct drm_xetile_exec *args,
		      const struct xetile_submit *submit)
{
	struct xetile_queue *queue = xetile_file_queue(xf, args->queue_id);

	if (!queue)
		return xa_load(&xf->bind_queues, args->queue_id) ? -EINVAL : -ENOENT;
	if (args->num_batches > 1 && args->num_batches != xetile_queue_num_members(queue)) {
		xetile_queue_put(queue);
		return -EINVAL;
	}
	return xetile_ioctl_submit(xf->xt, queue, submit);
}

static int exec_submit(struct xetile_file *xf, const struct drm_xetile_exec *args,
		       const u64 *batches, const struct xetile_sync_set *syncs)
{
	const struct xetile_submit submit = {
		.batches = batches, .num_batches = args->num_batches,
		.syncs = syncs->array, .num_syncs = syncs->num,
	};
	int err;

	do {
		err = exec_queue(xf, args, &submit);
	} while (unlikely(err == -ESTALE));
	return err;
}

/**
 * xetile_ioctl_exec() - DRM_IOCTL_XETILE_EXEC
 * @drm: the card
 * @data: struct drm_xetile_exec
 * @file: caller's file
 *
 * Context: process; may sleep.
 *
 * Return: 0 or -errno, see the uAPI.
 */
int xetile_ioctl_exec(struct drm_device *drm, void *data, struct drm_file *file)
{
	const struct drm_xetile_exec *args = data;
	u64 batches[XETILE_MAX_TILES];
	struct xetile_sync_set syncs;
	int err;

	if (args->flags || args->pad || args->num_batches > XETILE_MAX_TILES)
		return -EINVAL;
	/*
	 * Read the caller's memory first: the read may take for ever, and a queue that is held
	 * meanwhile would keep its contexts after its destruction, and without counting any more.
	 */
	err = exec_batches(args, batches);
	if (err)
		return err;
	err = xetile_ioctl_syncs(file, &args->syncs, &syncs);
	if (err)
		return err;
	err = exec_submit(file->driver_priv, args, batches, &syncs);
	xetile_ioctl_syncs_put(&syncs);
	return err;
}
