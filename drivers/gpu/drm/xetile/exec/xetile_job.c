// SPDX-License-Identifier: GPL-2.0-only
#include "exec/xetile_job.h"

#include <linux/dma-resv.h>
#include <linux/err.h>
#include <linux/minmax.h>
#include <linux/slab.h>

/**
 * DOC: jobs
 *
 * A job is one batch of a queue, on each of its members, with the fences it waits for and the
 * fence it signals. Submission (xetile_queue_submit.c) and the kernel's own copies
 * (xetile_mover.c) make jobs and fill them in, alone and without a lock. From
 * xetile_sched_push() on a job is the scheduler's, under the execution lock, until its fence
 * signals.
 */

/* Freeing the fence frees the job. */
static_assert(!offsetof(struct xetile_job, fence));

/**
 * xetile_job_create() - an empty job
 *
 * Context: process; may sleep.
 *
 * Return: the job, or NULL without memory.
 */
struct xetile_job *xetile_job_create(void)
{
	struct xetile_job *job = kzalloc(sizeof(*job), GFP_KERNEL_ACCOUNT);

	if (job)
		xetile_fence_init(&job->fence);
	return job;
}

/**
 * xetile_job_destroy() - free a job
 * @job: one that was never pushed, or is finished, or NULL
 *
 * Context: any, interrupts included.
 */
void xetile_job_destroy(struct xetile_job *job)
{
	if (!job)
		return;
	while (job->num_deps)
		dma_fence_put(job->deps[--job->num_deps].fence);
	kfree(job->deps);
	if (job->armed)
		dma_fence_put(&job->fence.base);
	else
		kfree(job);
}

/*
 * Can one dependency stand for it and for @fence, because both are of one timeline? If so, the
 * later fence is kept.
 */
static bool dep_merge(struct xetile_job_dep *dep, struct dma_fence *fence)
{
	if (dep->vital || dep->fence->context != fence->context)
		return false;
	if (dma_fence_is_later(fence, dep->fence)) {
		dma_fence_put(dep->fence);
		dep->fence = dma_fence_get(fence);
	}
	return true;
}

/*
 * Does the job wait for @fence already? A vital fence is not looked for: no other could stand
 * for it, because the last fence of a timeline does not say how the fences before it ended. And
 * there may be one for each of thousands of buffers.
 */
static bool job_has_dep(struct xetile_job *job, struct dma_fence *fence, bool vital)
{
	unsigned int i;

	for (i = 0; !vital && i < job->num_deps; i++)
		if (dep_merge(&job->deps[i], fence))
			return true;
	return false;
}

/**
 * xetile_job_reserve_deps() - have memory for fences that a job will wait for
 * @job: a job not yet pushed
 * @num: how many more; so many calls of xetile_job_add_dep() do not fail then
 *
 * Context: process; may sleep.
 *
 * Return: 0, or -ENOMEM.
 */
int xetile_job_reserve_deps(struct xetile_job *job, unsigned int num)
{
	unsigned int max = max(8u, job->max_deps);
	struct xetile_job_dep *deps;

	if (job->num_deps + num <= job->max_deps)
		return 0;
	while (max < job->num_deps + num)
		max *= 2;
	deps = krealloc_array(job->deps, max, sizeof(*deps), GFP_KERNEL_ACCOUNT);
	if (!deps)
		return -ENOMEM;
	job->deps = deps;
	job->max_deps = max;
	return 0;
}

/**
 * xetile_job_add_dep() - let a job wait for a fence
 * @job: a job not yet pushed
 * @fence: the fence, or NULL for nothing
 * @vital: if the fence fails the job fails with -ENODATA, without running its batch
 *
 * Of fences of one timeline that are not vital only the last is kept.
 *
 * Context: process; may sleep.
 *
 * Return: 0, or -ENOMEM.
 */
int xetile_job_add_dep(struct xetile_job *job, struct dma_fence *fence, bool vital)
{
	int err;

	if (!fence)
		return 0;
	if (dma_fence_is_signaled(fence)) {
		if (vital && fence->error)
			job->error = -ENODATA;
		return 0;
	}

	if (job_has_dep(job, fence, vital))
		return 0;

	err = xetile_job_reserve_deps(job, 1);
	if (err)
		return err;
	job->deps[job->num_deps++] = (struct xetile_job_dep) { dma_fence_get(fence), vital };
	return 0;
}

/**
 * xetile_job_add_resv_deps() - let a job wait until a buffer's memory is in place
 * @job: a job not yet pushed
 * @resv: the buffer's reservation, locked
 *
 * Memory that could not be cleared or copied holds somebody else's data: then the batch is not
 * run.
 *
 * Context: process, with the lock of @resv; may sleep.
 *
 * Return: 0, or -ENOMEM.
 */
int xetile_job_add_resv_deps(struct xetile_job *job, struct dma_resv *resv)
{
	struct dma_resv_iter cursor;
	struct dma_fence *fence;
	int err;

	dma_resv_for_each_fence(&cursor, resv, DMA_RESV_USAGE_KERNEL, fence) {
		err = xetile_job_add_dep(job, fence, true);
		if (err)
			return err;
	}
	return 0;
}

/**
 * xetile_job_finish() - signal a job's fence and free it
 * @job: an armed job; &xetile_job.error tells how it ended
 *
 * Context: any, interrupts included; no lock of the driver may be held.
 */
void xetile_job_finish(struct xetile_job *job)
{
	if (job->error)
		dma_fence_set_error(&job->fence.base, job->error);
	dma_fence_signal(&job->fence.base);
	xetile_job_destroy(job);
}
