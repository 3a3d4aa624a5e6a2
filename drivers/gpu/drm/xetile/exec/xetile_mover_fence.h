/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_MOVER_FENCE_H__
#define __XETILE_MOVER_FENCE_H__

struct dma_fence;
struct xetile_mover_fence;

struct xetile_mover_fence *xetile_mover_fence_alloc(void);
void xetile_mover_fence_free(struct xetile_mover_fence *joint);
struct dma_fence *xetile_mover_fence_join(struct xetile_mover_fence *joint,
					  struct dma_fence **fences, unsigned int num);

#endif
