/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_QUEUE_SUBMIT_H__
#define __XETILE_QUEUE_SUBMIT_H__

#include <linux/types.h>

struct dma_fence;
struct xetile_job;
struct xetile_queue;
struct xetile_sync;

int xetile_queue_submit(struct xetile_queue *queue, const u64 *batches, unsigned int num_batches,
			struct xetile_sync *syncs, unsigned int num_syncs);

/* For the kernel's own queues: the caller serializes */
struct dma_fence *xetile_queue_push(struct xetile_queue *queue, struct xetile_job *job);

#endif
