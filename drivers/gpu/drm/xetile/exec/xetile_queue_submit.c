// SPDX-License-Identifier: GPL-2.0-only
#include "exec/xetile_queue_submit.h"

#include <linux/device.h>
#include <linux/dma-fence.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/mutex.h>

#include <drm/drm_exec.h>
#include <drm/drm_gem.h>

#include "exec/xetile_job.h"
#include "exec/xetile_queue_types.h"
#include "exec/xetile_sched_queue.h"
#include "mem/xetile_account.h"
#include "mem/xetile_fence.h"
#include "mem/xetile_room.h"
#include "mem/xetile_sync.h"
#include "mem/xetile_vm.h"
#include "mem/xetile_vm_job.h"
#include "mem/xetile_vm_run.h"
#include "xetile_device.h"
#include "xetile_trace.h"

/**
 * DOC: submission
 *
 * A submission makes the VM's BOs resident, makes a job that waits for them and for the caller's
 * fences, and hands the job to the scheduler. The ioctls call these functions, and so do the
 * kernel's own copies, with jobs that are made already. The VM's reservation orders submitters,
 * from the number of a job's fence to the queue's line; &xetile_queue.order does where jobs may run
 * for ever.
 */

static void trace_job(const struct xetile_queue *queue, const struct xetile_job *job)
{
	const struct dma_fence *fence = &job->fence.base;

	trace_xetile_submit(dev_name(queue->sq.xt->drm.dev), fence->context, fence->seqno,
			    READ_ONCE(queue->id), queue->sq.pid,
			    queue->sq.class == XETILE_ENGINE_COMPUTE ? "compute" : "copy",
			    xetile_queue_target_names[queue->target], queue->tiles[0]->id,
			    queue->cslice);
}

/* Give a job its number in the queue; nothing can fail after this. */
static void queue_arm(struct xetile_queue *queue, struct xetile_job *job)
{
	xetile_fence_arm_job(&job->fence.base, queue->sq.fence_context, ++queue->fence_seqno);
	job->armed = true;
	trace_job(queue, job);
}

/**
 * xetile_queue_push() - submit a job of the kernel's own
 * @queue: queue of the kernel; the caller serializes
 * @job: job with its batches and dependencies; it is the queue's from now on
 *
 * Allocates nothing, and waits for nothing: others may wait for the fence.
 *
 * Context: process; takes the execution lock.
 *
 * Return: the job's fence, with a reference.
 */
struct dma_fence *xetile_queue_push(struct xetile_queue *queue, struct xetile_job *job)
{
	struct dma_fence *fence;

	queue_arm(queue, job);
	fence = dma_fence_get(&job->fence.base);
	xetile_sched_push(&queue->sq, job);
	return fence;
}

static struct xetile_job *queue_create_job(struct xetile_queue *queue,
					   const struct xetile_submit *submit)
{
	struct xetile_job *job = xetile_job_create();
	unsigned int i;
	int err;

	if (!job)
		return ERR_PTR(-ENOMEM);
	job->no_batch = !submit->num_batches;
	for (i = 0; i < queue->num_members && submit->num_batches; i++)
		job->batches[i] = submit->batches[submit->num_batches == 1 ? 0 : i];
	job->store = submit->store;
	for (i = 0; i < submit->num_syncs; i++) {
		err = xetile_job_add_dep(job, submit->syncs[i].fence, false);
		if (err) {
			xetile_job_destroy(job);
			return ERR_PTR(err);
		}
	}
	return job;
}

/* Lock the VM's BOs, and make them resident. */
static int queue_lock_vm(struct xetile_queue *queue, struct drm_exec *exec,
			 struct xetile_room *room)
{
	int err;

	drm_exec_until_all_locked(exec) {
		err = xetile_vm_lock(queue->vm, exec);
		drm_exec_retry_on_contention(exec);
		if (err)
			return err;
		err = xetile_vm_validate(queue->vm, exec, room);
		drm_exec_retry_on_contention(exec);
		if (err)
			return err;
	}
	return 0;
}

/*
 * Lock only the VM, which keeps submitters in order, for a job that uses no memory. On success
 * the caller ends @exec.
 */
static int queue_lock_order(struct xetile_queue *queue, struct drm_exec *exec)
{
	int err;

	drm_exec_init(exec, DRM_EXEC_INTERRUPTIBLE_WAIT, 0);
	drm_exec_until_all_locked(exec) {
		err = drm_exec_lock_obj(exec, xetile_vm_gem(queue->vm));
		drm_exec_retry_on_contention(exec);
		if (err)
			break;
	}
	if (err)
		drm_exec_fini(exec);
	return err;
}

static int queue_add_fills(struct xetile_queue *queue, struct xetile_job *job)
{
	struct dma_fence **fences;
	unsigned int num, i;
	int err;

	err = xetile_vm_fills(queue->vm, &fences, &num);
	for (i = 0; i < num; i++) {
		err = err ?: xetile_job_add_dep(job, fences[i], true);
		dma_fence_put(fences[i]);
	}
	kvfree(fences);
	return err;
}

static int queue_add_memory_deps(struct xetile_queue *queue, struct drm_exec *exec,
				 struct xetile_job *job)
{
	unsigned int i;
	int err;

	err = xetile_job_add_dep(job, xetile_vm_bound(queue->vm), true) ?:
	      queue_add_fills(queue, job);
	if (err)
		return err;
	for (i = 0; i < exec->num_objects; i++) {
		err = xetile_job_add_resv_deps(job, exec->objects[i]->resv);
		if (err)
			return err;
	}
	return 0;
}

/*
 * Lock the VM's BOs and add the job's dependencies. While HBM is full, wait without a lock held,
 * and try again.
 */
static int queue_prepare(struct xetile_queue *queue, struct drm_exec *exec, struct xetile_job *job)
{
	struct xetile_room room;
	int err;

	xetile_room_begin(&room, queue->sq.xt, xetile_vm_gem(queue->vm));
	do {
		/* The same object may be mapped in the tables of several tiles. */
		drm_exec_init(exec, DRM_EXEC_INTERRUPTIBLE_WAIT | DRM_EXEC_IGNORE_DUPLICATES, 0);
		err = queue_lock_vm(queue, exec, &room) ?:
		      queue_add_memory_deps(queue, exec, job);
		if (err)
			drm_exec_fini(exec);
	} while (xetile_room_again(&room, &err));
	xetile_room_end(&room);
	return err;
}

static int queue_submit(struct xetile_queue *queue, const struct xetile_submit *submit)
{
	struct xetile_job *job;
	struct drm_exec exec;
	bool cookie;
	int err;

	if (submit->num_batches && xetile_vm_is_stale(queue->vm))
		return -ESTALE;
	job = queue_create_job(queue, submit);
	if (IS_ERR(job))
		return PTR_ERR(job);

	err = job->no_batch ? queue_lock_order(queue, &exec) : queue_prepare(queue, &exec, job);
	if (!err && !job->no_batch && !xetile_vm_begin(queue->vm)) {
		drm_exec_fini(&exec);
		err = -ESTALE;
	}
	if (err) {
		xetile_job_destroy(job);
		return err;
	}

	/* Nothing fails from here on. The VM's lock keeps submitters in order. */
	cookie = dma_fence_begin_signalling();
	queue_arm(queue, job);
	if (!job->no_batch)
		xetile_vm_add_fence(queue->vm, &exec, &job->fence.base);
	xetile_syncs_publish(submit->syncs, submit->num_syncs, &job->fence.base);
	xetile_sched_push(&queue->sq, job);
	dma_fence_end_signalling(cookie);
	drm_exec_fini(&exec);
	return 0;
}

static bool signals_syncobj(const struct xetile_submit *submit)
{
	unsigned int i;

	for (i = 0; i < submit->num_syncs; i++)
		if (submit->syncs[i].syncobj)
			return true;
	return false;
}

/*
 * Nobody is told of the end of a job that may run for ever, so its fence is published nowhere. What
 * the address space maps is in its place as long as its queues run, see xetile_vm_run.c: no BO is
 * looked at.
 */
static int queue_submit_endless(struct xetile_queue *queue, const struct xetile_submit *submit)
{
	struct xetile_job *job;
	bool cookie;

	if (signals_syncobj(submit))
		return -EOPNOTSUPP;
	job = queue_create_job(queue, submit);
	if (IS_ERR(job))
		return PTR_ERR(job);
	cookie = dma_fence_begin_signalling();
	mutex_lock(&queue->order);
	queue_arm(queue, job);
	xetile_sched_push(&queue->sq, job);
	mutex_unlock(&queue->order);
	dma_fence_end_signalling(cookie);
	xetile_vm_run_want(queue->vm);
	return 0;
}

/**
 * xetile_queue_submit() - run a batch
 * @queue: the queue
 * @submit: what to run
 *
 * Context: process, inside xetile_device_enter().
 * Return: 0; -ECANCELED: the queue is banned; -EIO: the card is wedged; -ENODEV: it is gone;
 * -ENOENT: the queue was closed; -EOPNOTSUPP: a syncobj is to tell of the end of what may have
 * none; -ENODATA: a BO that the VM maps is lost; -ERESTARTSYS;
 * -EDQUOT: too many of the file's jobs are not done, or its user may have no more page tables;
 * -ENOSPC, -ENOMEM: the VM's BOs cannot be made resident; -ESTALE: call xetile_vm_fault_in(),
 * and then again.
 */
int xetile_queue_submit(struct xetile_queue *queue, const struct xetile_submit *submit)
{
	int err;

	err = xetile_sched_queue_wait_room(&queue->sq);
	if (err)
		return err;
	/*
	 * Either the call that closes the queue sees this submission, or this submission sees
	 * that the queue is closed: a job that binds to a virtual slice must not find the slice
	 * given up.
	 */
	xetile_sched_submit_begin(&queue->sq);
	err = READ_ONCE(queue->closed) ? -ENOENT : xetile_sched_queue_error(&queue->sq);
	err = err ?: xetile_account_take_job(queue->sq.account);
	if (!err) {
		/* The scheduler gives it back when the job is done. */
		err = queue->sq.lr ? queue_submit_endless(queue, submit) :
				     queue_submit(queue, submit);
		if (err)
			xetile_account_give_job(queue->sq.account);
	}
	xetile_sched_submit_end(&queue->sq);
	return err;
}
