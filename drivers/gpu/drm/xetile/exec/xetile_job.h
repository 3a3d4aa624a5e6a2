/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_JOB_H__
#define __XETILE_JOB_H__

#include <linux/dma-fence.h>
#include <linux/list.h>
#include <linux/types.h>

#include "card/xetile_tile.h"
#include "mem/xetile_fence.h"
#include "mem/xetile_sync.h"

struct dma_resv;

/** struct xetile_job_dep - a fence to wait for */
struct xetile_job_dep {
	/** @fence: the fence */
	struct dma_fence *fence;
	/** @vital: if it fails the job fails, without running its batch */
	bool vital;
};

/** struct xetile_job - one batch of a queue, on each of its members */
struct xetile_job {
	/**
	 * @fence: signals when the job is done on all members; once it is armed, the memory of the
	 *	job is freed with the fence
	 */
	struct xetile_fence fence;
	/** @link: in a list of its queue, or of jobs that have ended */
	struct list_head link;
	/** @armed: the fence is initialized; the job has a reference */
	bool armed;
	/** @error: error of the fence; if it is set before the job runs, no batch is run */
	int error;
	/** @deps: fences to wait for */
	struct xetile_job_dep *deps;
	/** @num_deps: elements of @deps */
	unsigned int num_deps;
	/** @max_deps: room at @deps */
	unsigned int max_deps;
	/** @next_dep: the first of @deps not known to have signalled */
	unsigned int next_dep;
	/** @cb: callback of the dependency that is waited for now */
	struct dma_fence_cb cb;
	/** @cb_armed: @cb was added to that dependency */
	bool cb_armed;
	/** @owner: for the scheduler */
	void *owner;
	/** @seqno: its number in the rings */
	u32 seqno;
	/** @replays: how often it was lost, and runs again */
	unsigned int replays;
	/** @no_batch: a fence only: it runs nothing, and waits for no memory */
	bool no_batch;
	/** @invalidate_tlb: drop translations even if the VM does not ask for it */
	bool invalidate_tlb;
	/** @store: what is written when the batch is done */
	struct xetile_sync_store store;
	/** @batches: GPU address on each member */
	u64 batches[XETILE_MAX_TILES];
	/** @heads: where it begins in each member's ring */
	u32 heads[XETILE_MAX_TILES];
	/** @calls: where its batch is called in each member's ring */
	u32 calls[XETILE_MAX_TILES];
};

struct xetile_job *xetile_job_create(void);
void xetile_job_destroy(struct xetile_job *job);
int xetile_job_reserve_deps(struct xetile_job *job, unsigned int num);
int xetile_job_add_dep(struct xetile_job *job, struct dma_fence *fence, bool vital);
int xetile_job_add_resv_deps(struct xetile_job *job, struct dma_resv *resv);
void xetile_job_finish(struct xetile_job *job);

#endif
