/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_QUEUE_SUBMIT_H__
#define __XETILE_QUEUE_SUBMIT_H__

#include <linux/types.h>

#include "mem/xetile_sync.h"

struct dma_fence;
struct xetile_job;
struct xetile_queue;

/** struct xetile_submit - a submission; checked by the caller */
struct xetile_submit {
	/** @batches: GPU addresses */
	const u64 *batches;
	/** @num_batches: 1, or xetile_queue_num_members(); 0: no batch, only a fence */
	unsigned int num_batches;
	/** @syncs: fences to wait for, syncobjs to signal */
	struct xetile_sync *syncs;
	/** @num_syncs: elements of @syncs */
	unsigned int num_syncs;
	/** @store: what the GPU writes when the batch is done; for a queue of one member only */
	struct xetile_sync_store store;
};

int xetile_queue_submit(struct xetile_queue *queue, const struct xetile_submit *submit);

/* For the kernel's own queues: the caller serializes */
struct dma_fence *xetile_queue_push(struct xetile_queue *queue, struct xetile_job *job);

#endif
