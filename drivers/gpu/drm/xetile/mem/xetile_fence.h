/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_FENCE_H__
#define __XETILE_FENCE_H__

#include <linux/dma-fence.h>
#include <linux/spinlock_types.h>
#include <linux/types.h>

/**
 * struct xetile_fence - a fence of the driver's
 *
 * An object that embeds a fence has it as its first member, because kfree() of the fence frees the
 * object.
 */
struct xetile_fence {
	/** @base: the fence */
	struct dma_fence base;
	/** @lock: protects @base; taken with interrupts off */
	spinlock_t lock;
};

void xetile_fence_init(struct xetile_fence *fence);
struct dma_fence *xetile_fence_alloc(void);
void xetile_fence_free(struct dma_fence *fence);
void xetile_fence_arm_job(struct dma_fence *fence, u64 context, u32 seqno);
void xetile_fence_arm_bind(struct dma_fence *fence, u64 context, u32 seqno);
struct dma_fence *xetile_fence_alloc_run(void);
void xetile_fence_arm_run(struct dma_fence *fence, u64 context, u32 seqno,
			  void (*wanted)(void *arg), void *arg);
void xetile_fence_arm_copy(struct dma_fence *fence, u64 context, u32 seqno);

#endif
