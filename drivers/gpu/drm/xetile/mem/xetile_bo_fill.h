/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_BO_FILL_H__
#define __XETILE_BO_FILL_H__

#include <linux/types.h>

struct dma_fence;
struct xetile_bo;
struct xetile_bo_group;

void xetile_bo_note_unfilled(struct xetile_bo *bo, bool on);
void xetile_bo_note_filled(struct xetile_bo *bo, struct dma_fence *fence);
bool xetile_bo_is_lost(struct xetile_bo *bo);

int xetile_bo_group_check(struct xetile_bo_group *group);
struct xetile_bo *xetile_bo_group_failed_copy(struct xetile_bo_group *group);
int xetile_bo_group_fills(struct xetile_bo_group *group, struct dma_fence ***fences,
			  unsigned int *num);

#endif
