/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_BO_H__
#define __XETILE_BO_H__

#include "mem/xetile_bo_types.h"

struct dma_buf;

/** struct xetile_bo_state - where a BO's pages lie now, and where they are to lie */
struct xetile_bo_state {
	/** @color: the BO's color, without the runs that it has of its own */
	struct xetile_coloring color;
	/** @runs: array for kvfree(); neighbours on the same tile are one run */
	struct xetile_color_run *runs;
	/** @num_runs: elements of @runs */
	u32 num_runs;
	/** @share: mask of XETILE_SHARE_*: how it is shared */
	u32 share;
	/** @pinned: it stays in HBM, see xetile_pin.c */
	bool pinned;
};

struct xetile_bo *xetile_bo_alloc(struct xetile_device *xt, const struct xetile_bo_args *args);
struct xetile_bo *xetile_bo_create(struct xetile_device *xt, const struct xetile_bo_args *args);
void xetile_bo_place(struct xetile_bo *bo);
void xetile_bo_destroy(struct ttm_buffer_object *ttm);
void xetile_bo_closed(struct xetile_bo *bo);
void xetile_bo_unmapped(struct xetile_bo *bo);
int xetile_bo_runs(struct xetile_bo *bo, struct xetile_bo_state *state);
void xetile_bo_usage(struct xetile_bo *bo, u64 hbm[XETILE_MAX_TILES], u64 *system);
struct drm_gem_object *xetile_bo_prime_import(struct drm_device *drm, struct dma_buf *buf);

#endif
