// SPDX-License-Identifier: GPL-2.0-only
#include "exec/xetile_mover_fence.h"

#include <linux/atomic.h>
#include <linux/dma-fence.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "card/xetile_tile.h"
#include "mem/xetile_fence.h"

/**
 * DOC: one fence for the copies of several tiles
 *
 * A reservation takes no fence that is made of others, as &struct dma_fence_array is. So this is a
 * fence of its own, which the last of the tiles' fences signals from its callback; it fails if one
 * of them does. Its lock is taken under theirs, therefore it is of another class. The mover
 * (xetile_mover.c) makes these fences, without a lock.
 */

/* struct xetile_mover_fence - the fence of a request, before and after it is joined */
struct xetile_mover_fence {
	struct xetile_fence fence;
	/* Parts that are not done, and the error of the first one that failed */
	atomic_t left;
	atomic_t error;
	struct joint_part {
		struct xetile_mover_fence *joint;
		struct dma_fence_cb cb;
	} parts[XETILE_MAX_TILES];
};

/* Freeing the fence frees all of it. */
static_assert(!offsetof(struct xetile_mover_fence, fence));

/**
 * xetile_mover_fence_alloc() - memory for the fence of a request
 *
 * Context: process; may sleep.
 * Return: a fence to be joined or freed; NULL without memory.
 */
struct xetile_mover_fence *xetile_mover_fence_alloc(void)
{
	struct xetile_mover_fence *joint = kzalloc(sizeof(*joint), GFP_KERNEL_ACCOUNT);

	/* Not xetile_fence_init(), which would make the lock one of the jobs' class */
	if (joint)
		spin_lock_init(&joint->fence.lock);
	return joint;
}

/**
 * xetile_mover_fence_free() - free a fence that was not joined
 * @joint: of xetile_mover_fence_alloc(), or NULL
 *
 * Context: any.
 */
void xetile_mover_fence_free(struct xetile_mover_fence *joint)
{
	kfree(joint);
}

static void part_done(struct dma_fence *fence, struct dma_fence_cb *cb)
{
	struct xetile_mover_fence *joint = container_of(cb, struct joint_part, cb)->joint;
	int error;

	if (fence->error)
		atomic_cmpxchg(&joint->error, 0, fence->error);
	if (!atomic_dec_and_test(&joint->left))
		return;
	error = atomic_read(&joint->error);
	if (error)
		dma_fence_set_error(&joint->fence.base, error);
	dma_fence_signal(&joint->fence.base);
	dma_fence_put(&joint->fence.base);
}

/**
 * xetile_mover_fence_join() - make the fence that signals when all of some fences have
 * @joint: of xetile_mover_fence_alloc()
 * @fences: fences with references, which this function takes; each signals within bounded time
 * @num: how many, at most XETILE_MAX_TILES
 *
 * Context: process.
 * Return: the fence, with a reference.
 */
struct dma_fence *xetile_mover_fence_join(struct xetile_mover_fence *joint,
					  struct dma_fence **fences, unsigned int num)
{
	struct dma_fence *fence = &joint->fence.base;
	unsigned int i;

	/* A timeline of its own, because these fences signal in any order */
	xetile_fence_arm_copy(fence, dma_fence_context_alloc(1), 1);
	/* For the callback that signals */
	dma_fence_get(fence);
	atomic_set(&joint->left, num);
	for (i = 0; i < num; i++) {
		joint->parts[i].joint = joint;
		if (dma_fence_add_callback(fences[i], &joint->parts[i].cb, part_done))
			part_done(fences[i], &joint->parts[i].cb);
		dma_fence_put(fences[i]);
	}
	return fence;
}
