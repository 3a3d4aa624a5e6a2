// SPDX-License-Identifier: GPL-2.0-only
#include "xe/xetile_xe.h"

#include <linux/err.h>

#include <drm/drm_file.h>
#include <drm/xe_drm.h>

#include "exec/xetile_queue.h"
#include "exec/xetile_queue_submit.h"
#include "ioctl/xetile_file.h"
#include "ioctl/xetile_ioctl.h"
#include "mem/xetile_sync.h"
#include "mem/xetile_va.h"
#include "mem/xetile_vm.h"
#include "xe/xetile_xe_errno.h"
#include "xe/xetile_xe_sync.h"

/**
 * DOC: the EXEC call
 *
 * Checks, and translation of the structs of xe_drm.h. The DRM core calls the handler in process
 * context, without a lock; syncs are read before the card is entered, and without a reference of
 * the queue, because that may take for ever.
 */

static_assert(sizeof(struct drm_xe_exec) == 56);

static int check_exec(const struct drm_xe_exec *args)
{
	if (args->extensions || args->pad[0] || args->pad[1] || args->pad[2] ||
	    args->reserved[0] || args->reserved[1])
		return -EINVAL;
	/* Queues have width 1, see find_queue(). Without a batch nothing of it matters. */
	if (args->num_batch_buffer > 1)
		return -EINVAL;
	if (args->num_batch_buffer && (args->address % 4 || args->address >= XETILE_VA_END))
		return -EINVAL;
	return 0;
}

/*
 * With a reference for the caller. A queue of several tiles is of the other interface: each tile
 * would write the number that tells the end, and the first one too early.
 */
static struct xetile_queue *find_queue(struct xetile_file *xf, u32 id)
{
	struct xetile_queue *queue = xetile_file_queue(xf, id);

	if (!queue)
		return ERR_PTR(xa_load(&xf->bind_queues, id) ? -EINVAL : -ENOENT);
	if (xetile_queue_num_members(queue) == 1)
		return queue;
	xetile_queue_put(queue);
	return ERR_PTR(-EINVAL);
}

static bool queue_is_lr(const struct xetile_queue *queue)
{
	return xetile_vm_is_lr(xetile_queue_vm(queue));
}

/* Jobs of a long-running VM have no fences; what the syncs of a call may be depends on that. */
static int ask_lr(struct xetile_file *xf, u32 id, bool *lr)
{
	struct xetile_queue *queue = find_queue(xf, id);

	if (IS_ERR(queue))
		return PTR_ERR(queue);
	*lr = queue_is_lr(queue);
	xetile_queue_put(queue);
	return 0;
}

/* Runtimes know one error for a queue that runs nothing any more, whatever the cause. */
static int to_answer(int err)
{
	return err == -EIO || err == -ENODATA ? -ECANCELED : xetile_xe_errno(err);
}

static int exec_queue(struct xetile_file *xf, u32 id, bool lr, const struct xetile_submit *submit)
{
	struct xetile_queue *queue = find_queue(xf, id);
	int err;

	if (IS_ERR(queue))
		return PTR_ERR(queue);
	/* Another queue has the id now: the one that was called is gone. */
	err = -ENOENT;
	if (queue_is_lr(queue) != lr)
		goto out;
	/* Without a batch there is no end that anybody could be told of; a ban is told. */
	err = xetile_queue_is_banned(queue) ? -ECANCELED : 0;
	if (lr && !submit->num_batches)
		goto out;
	return xetile_ioctl_submit(xf->xt, queue, submit);
out:
	xetile_queue_put(queue);
	return err;
}

static int exec_again(struct xetile_file *xf, const struct drm_xe_exec *args, bool lr,
		      const struct xetile_sync_set *syncs)
{
	const u64 batch = args->address;
	const struct xetile_submit submit = {
		.batches = &batch, .num_batches = args->num_batch_buffer,
		.syncs = syncs->array, .num_syncs = syncs->num,
		/* Without a batch the GPU is told nothing: only fences are. */
		.store = args->num_batch_buffer ? syncs->store : (struct xetile_sync_store) { },
	};
	int err;

	do {
		err = exec_queue(xf, args->exec_queue_id, lr, &submit);
	} while (unlikely(err == -ESTALE));
	return err;
}

/**
 * xetile_xe_exec() - DRM_IOCTL_XE_EXEC
 * @drm: the card
 * @data: struct drm_xe_exec
 * @file: caller's file
 *
 * Context: process; may sleep.
 *
 * Return: 0; -EINVAL: a field, or a queue of class VM_BIND or of several tiles; -ENOENT: no such
 * queue, or syncobj; -ECANCELED: the queue is banned, the card wedged, or memory of the VM lost;
 * -EOPNOTSUPP: a sync that the queue's VM does not take; -EFAULT; or as xetile_queue_submit(), with
 * -ENOMEM for -EDQUOT.
 */
int xetile_xe_exec(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct xetile_file *xf = file->driver_priv;
	const struct drm_xe_exec *args = data;
	struct xetile_sync_set syncs;
	bool lr;
	int err;

	err = check_exec(args) ?: ask_lr(xf, args->exec_queue_id, &lr) ?:
	      xetile_xe_syncs(file, args->syncs, args->num_syncs,
			      XETILE_XE_SYNCS_STORE | (lr ? XETILE_XE_SYNCS_NO_FENCES : 0),
			      &syncs);
	if (err)
		return err;
	err = to_answer(exec_again(xf, args, lr, &syncs));
	if (!err)
		xetile_syncs_finish(syncs.array, syncs.num);
	xetile_ioctl_syncs_put(&syncs);
	return err;
}
