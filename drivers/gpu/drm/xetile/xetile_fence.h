/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_FENCE_H__
#define __XETILE_FENCE_H__

#include <linux/types.h>

struct dma_fence;

struct dma_fence *xetile_fence_alloc(void);
void xetile_fence_free(struct dma_fence *fence);
void xetile_fence_arm_job(struct dma_fence *fence, u64 context, u32 seqno);
void xetile_fence_arm_bind(struct dma_fence *fence, u64 context, u32 seqno);

#endif
