// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_fence.h"

#include <linux/dma-fence.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

/**
 * DOC: fences of jobs, binds, copies and runs
 *
 * The fence of a job, of a bind that waits, or of a copy by several tiles, outlives everything else
 * of it: a sync_file may keep the fence after the queue, the file and the card are gone. So the
 * fence points to no other object: its lock and its names are its own. (The memory of a job is that
 * of its fence, to save an allocation, but nobody looks at the job any more.) Not every kernel
 * forgets a fence's operations when the fence has signalled, so the fence holds a reference of the
 * module for its code. The driver itself must not keep a fence for longer than needed, because the
 * module could not be unloaded. The fence of a run (xetile_vm_run.c) points to its address space,
 * which is there until the fence has signalled, and nobody asks for the signal after that.
 */

/* struct run_fence - fence that is told when somebody waits for it */
struct run_fence {
	struct xetile_fence fence;
	/* allocates nothing, and waits for nothing; with the fence's lock, in any context */
	void (*wanted)(void *arg);
	void *arg;
};

static_assert(!offsetof(struct run_fence, fence));

static const char *fence_driver_name(struct dma_fence *fence)
{
	return "xetile";
}

static const char *job_timeline_name(struct dma_fence *fence)
{
	return "queue";
}

static const char *bind_timeline_name(struct dma_fence *fence)
{
	return "bind";
}

static const char *run_timeline_name(struct dma_fence *fence)
{
	return "run";
}

static const char *copy_timeline_name(struct dma_fence *fence)
{
	return "copy";
}

/*
 * Readers under RCU may still look at the fence. The module's memory is freed after another
 * grace period, which waits until this callback has returned: callbacks run with bottom halves
 * off. So the module's own code may drop the last reference of the module.
 */
static void fence_free_rcu(struct rcu_head *rcu)
{
	kfree(container_of(rcu, struct xetile_fence, base.rcu));
	module_put(THIS_MODULE);
}

static void fence_release(struct dma_fence *fence)
{
	call_rcu(&fence->rcu, fence_free_rcu);
}

static const struct dma_fence_ops job_fence_ops = {
	.get_driver_name = fence_driver_name,
	.get_timeline_name = job_timeline_name,
	.release = fence_release,
};

static const struct dma_fence_ops bind_fence_ops = {
	.get_driver_name = fence_driver_name,
	.get_timeline_name = bind_timeline_name,
	.release = fence_release,
};

static const struct dma_fence_ops copy_fence_ops = {
	.get_driver_name = fence_driver_name,
	.get_timeline_name = copy_timeline_name,
	.release = fence_release,
};

static bool run_enable_signaling(struct dma_fence *fence)
{
	struct run_fence *run = container_of(fence, struct run_fence, fence.base);

	run->wanted(run->arg);
	return true;
}

static const struct dma_fence_ops run_fence_ops = {
	.get_driver_name = fence_driver_name,
	.get_timeline_name = run_timeline_name,
	.enable_signaling = run_enable_signaling,
	.release = fence_release,
};

/**
 * xetile_fence_init() - prepare a fence that is a part of something
 * @fence: zeroed; to be armed, or to be freed with what it is a part of
 */
void xetile_fence_init(struct xetile_fence *fence)
{
	spin_lock_init(&fence->lock);
}

/**
 * xetile_fence_alloc() - memory for a fence
 *
 * Return: a fence to be armed or freed; NULL without memory.
 */
struct dma_fence *xetile_fence_alloc(void)
{
	struct xetile_fence *fence = kzalloc(sizeof(*fence), GFP_KERNEL_ACCOUNT);

	if (!fence)
		return NULL;
	xetile_fence_init(fence);
	return &fence->base;
}

/**
 * xetile_fence_free() - free a fence that was never armed
 * @fence: of xetile_fence_alloc(), or NULL
 */
void xetile_fence_free(struct dma_fence *fence)
{
	if (fence)
		kfree(container_of(fence, struct xetile_fence, base));
}

static void fence_arm(struct dma_fence *fence, const struct dma_fence_ops *ops, u64 context,
		      u32 seqno)
{
	struct xetile_fence *xf = container_of(fence, struct xetile_fence, base);

	__module_get(THIS_MODULE);
	dma_fence_init(fence, ops, &xf->lock, context, seqno);
}

/**
 * xetile_fence_arm_job() - make a job's fence that others can be given
 * @fence: of xetile_fence_alloc(); reference counted from now on
 * @context: its timeline
 * @seqno: its place there, in the order in which the fences will signal
 */
void xetile_fence_arm_job(struct dma_fence *fence, u64 context, u32 seqno)
{
	fence_arm(fence, &job_fence_ops, context, seqno);
}

/**
 * xetile_fence_arm_bind() - make a bind's fence that others can be given
 * @fence: of xetile_fence_alloc(); reference counted from now on
 * @context: its timeline
 * @seqno: its place there, in the order in which the fences will signal
 */
void xetile_fence_arm_bind(struct dma_fence *fence, u64 context, u32 seqno)
{
	fence_arm(fence, &bind_fence_ops, context, seqno);
}

/**
 * xetile_fence_alloc_run() - memory for the fence of a run
 *
 * Return: a fence to be armed or freed; NULL without memory.
 */
struct dma_fence *xetile_fence_alloc_run(void)
{
	struct run_fence *run = kzalloc(sizeof(*run), GFP_KERNEL_ACCOUNT);

	if (!run)
		return NULL;
	xetile_fence_init(&run->fence);
	return &run->fence.base;
}

/**
 * xetile_fence_arm_run() - make the fence of a run that others can be given
 * @fence: of xetile_fence_alloc_run(); reference counted from now on
 * @context: its timeline
 * @seqno: its place there, in the order in which the fences will signal
 * @wanted: called once, when somebody waits for the fence, unless it has signalled; with the
 *	fence's lock, in any context
 * @arg: for @wanted
 */
void xetile_fence_arm_run(struct dma_fence *fence, u64 context, u32 seqno,
			  void (*wanted)(void *arg), void *arg)
{
	struct run_fence *run = container_of(fence, struct run_fence, fence.base);

	run->wanted = wanted;
	run->arg = arg;
	fence_arm(fence, &run_fence_ops, context, seqno);
}

/**
 * xetile_fence_arm_copy() - make the fence of a copy by several tiles that others can be given
 * @fence: a part of something, with its lock initialized; reference counted from now on
 * @context: its timeline
 * @seqno: its place there, in the order in which the fences will signal
 */
void xetile_fence_arm_copy(struct dma_fence *fence, u64 context, u32 seqno)
{
	fence_arm(fence, &copy_fence_ops, context, seqno);
}
