/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_BO_H__
#define __XETILE_BO_H__

#include <drm/ttm/ttm_bo.h>
#include <linux/iosys-map.h>

#include "xetile_color.h"
#include "xetile_hbm.h"

struct dma_fence;
struct drm_file;
struct drm_memory_stats;
struct xetile_device;
struct xetile_tile;

/* Placements, neutral twins of the uAPI's */
#define XETILE_PLACE_HBM	BIT(0)
#define XETILE_PLACE_SYSTEM	BIT(1)

/* Flags of a BO */
#define XETILE_BO_STRICT	BIT(0)	/* color holds exactly or fails */

/* Flags of a kernel BO */
#define XETILE_KBO_SYSTEM	BIT(0)	/* system memory, CPU-cached, snooped */
#define XETILE_KBO_GGTT		BIT(1)	/* mapped in the tile's GGTT */

/** struct xetile_bo_args - what a user asks for */
struct xetile_bo_args {
	/** @size: bytes, already rounded to color pages */
	u64 size;
	/** @placement: mask of XETILE_PLACE_* */
	u32 placement;
	/** @flags: mask of XETILE_BO_* */
	u32 flags;
	/** @color: checked; its runs are copied */
	struct xetile_color color;
};

/**
 * struct xetile_bo_mover - how buffers are cleared and copied
 *
 * Owned by xetile_bo.c, provided by a higher level (the copy engine). The
 * returned fence signals when the bytes are in place.
 */
struct xetile_bo_mover {
	/** @clear: zero @n extents of HBM */
	struct dma_fence *(*clear)(struct xetile_device *xt, const struct xetile_extent *ext,
				   unsigned int n);
	/** @copy: copy @size bytes from one list of extents to another */
	struct dma_fence *(*copy)(struct xetile_device *xt,
				  const struct xetile_extent *dst, unsigned int num_dst,
				  const struct xetile_extent *src, unsigned int num_src,
				  u64 size);
};

struct xetile_bo;

/* User BOs: references are GEM references */
struct xetile_bo *xetile_bo_create(struct xetile_device *xt, const struct xetile_bo_args *args);
struct drm_gem_object *xetile_bo_gem(struct xetile_bo *bo);
struct xetile_bo *gem_to_xetile_bo(struct drm_gem_object *gem);
u64 xetile_bo_size(const struct xetile_bo *bo);
const struct xetile_bo_args *xetile_bo_args(const struct xetile_bo *bo);
int xetile_bo_runs(struct xetile_bo *bo, struct xetile_color_run **runs, u32 *num_runs);

/* Kernel BOs: one contiguous pinned piece, zeroed, mapped for the CPU */
struct xetile_bo *xetile_kbo_create(struct xetile_tile *tile, u64 size, u32 flags);
void xetile_kbo_destroy(struct xetile_bo *bo);
struct iosys_map *xetile_kbo_map(struct xetile_bo *bo);
u64 xetile_kbo_dpa(const struct xetile_bo *bo);
u64 xetile_kbo_ggtt(const struct xetile_bo *bo);

#endif
