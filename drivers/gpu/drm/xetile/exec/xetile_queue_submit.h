/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_QUEUE_SUBMIT_H__
#define __XETILE_QUEUE_SUBMIT_H__

#include <linux/types.h>

struct dma_fence;
struct xetile_job;
struct xetile_queue;
struct xetile_sync;

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
	/** @stores: @store_value is written when the batch is done; a queue of one member only */
	bool stores;
	/** @store_addr: GPU address of 8 bytes, a multiple of 8 */
	u64 store_addr;
	/** @store_value: what is written there */
	u64 store_value;
};

int xetile_queue_submit(struct xetile_queue *queue, const struct xetile_submit *submit);

/* For the kernel's own queues: the caller serializes */
struct dma_fence *xetile_queue_push(struct xetile_queue *queue, struct xetile_job *job);

#endif
