/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_BO_H__
#define __XETILE_BO_H__

#include "mem/xetile_bo_types.h"

struct dma_buf;
struct xetile_room;

int xetile_bo_init(struct xetile_device *xt);

struct xetile_bo_group *xetile_bo_group_create(struct xetile_device *xt);
int xetile_bo_group_check(struct xetile_bo_group *group);
int xetile_bo_group_fills(struct xetile_bo_group *group, struct dma_fence ***fences,
			  unsigned int *num);
void xetile_bo_group_touch(struct xetile_bo_group *group);

struct xetile_bo *xetile_bo_create(struct xetile_device *xt, const struct xetile_bo_args *args);
void xetile_bo_closed(struct xetile_bo *bo);
void xetile_bo_close_window(struct xetile_device *xt);
void xetile_bo_open_window(struct xetile_device *xt);
int xetile_bo_runs(struct xetile_bo *bo, struct xetile_color_run **runs, u32 *num_runs);
void xetile_bo_usage(struct xetile_bo *bo, u64 hbm[XETILE_MAX_TILES], u64 *system);
struct drm_gem_object *xetile_bo_prime_import(struct drm_device *drm, struct dma_buf *buf);

/* With the reservation held */
bool xetile_bo_is_placed(struct xetile_bo *bo);
bool xetile_bo_is_stray(struct xetile_bo *bo);
int xetile_bo_return(struct xetile_bo *bo);
int xetile_bo_validate(struct xetile_bo *bo, struct xetile_room *room);
void xetile_bo_unmapped(struct xetile_bo *bo);
bool xetile_bo_is_lost(struct xetile_bo *bo);
void xetile_bo_layout(struct xetile_bo *bo, struct xetile_layout *layout);

#endif
