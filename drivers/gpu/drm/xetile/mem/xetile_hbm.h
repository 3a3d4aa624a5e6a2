/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_HBM_H__
#define __XETILE_HBM_H__

#include <drm/ttm/ttm_resource.h>
#include <linux/list.h>
#include <linux/types.h>

#include "card/xetile_tile.h"
#include "mem/xetile_layout.h"
#include "mem/xetile_place.h"

struct dma_fence;
struct dmem_cgroup_pool_state;
struct drm_printer;
struct xetile_account;
struct xetile_bo;
struct xetile_device;

/** struct xetile_hbm_resource - HBM of one BO */
struct xetile_hbm_resource {
	/** @base: TTM's part */
	struct ttm_resource base;
	/** @owner: the BO it was made for; TTM may give it to a ghost */
	struct xetile_bo *owner;
	/** @age: index among the residents; older ones are smaller */
	unsigned long age;
	/** @blocks: buddy blocks, by tile */
	struct list_head blocks[XETILE_MAX_TILES];
	/** @bytes: bytes, by tile */
	u64 bytes[XETILE_MAX_TILES];
	/** @charged: bytes that a control group was charged for, by tile */
	u64 charged[XETILE_MAX_TILES];
	/** @pools: that group, or NULL */
	struct dmem_cgroup_pool_state *pools[XETILE_MAX_TILES];
	/** @ext: the pieces in the BO's order; neighbours are merged */
	struct xetile_extent *ext;
	/** @start: offset of each piece in the BO */
	u64 *start;
	/** @num: elements of @ext and @start */
	unsigned int num;
	/** @room: elements @ext and @start have room for */
	unsigned int room;
	/** @fresh: was asked for without bytes to be moved there: rather clear memory */
	bool fresh;
	/** @dirty: mask of tiles: what lies there was not all clear */
	u32 dirty;
	/** @spilled: a piece lies on another tile than the color says */
	bool spilled;
	/** @beyond: a piece lies where the CPU does not reach */
	bool beyond;
};

static inline struct xetile_hbm_resource *to_xetile_hbm_resource(struct ttm_resource *res)
{
	return container_of(res, struct xetile_hbm_resource, base);
}

int xetile_hbm_init(struct xetile_device *xt);
int xetile_hbm_manager_init(struct xetile_device *xt);
u64 xetile_hbm_capacity(const struct xetile_tile *tile);
bool xetile_hbm_can_hold(struct xetile_device *xt, u64 size);
u64 xetile_hbm_used(struct xetile_tile *tile);
void xetile_hbm_print(struct xetile_tile *tile, struct drm_printer *p);
bool xetile_hbm_has_room(struct xetile_device *xt, const u64 shares[], const u64 *given);
u64 xetile_hbm_freed(struct xetile_device *xt);
bool xetile_hbm_on_tiles(struct ttm_resource *res, u32 tiles);
struct xetile_bo *xetile_hbm_next_bo(struct xetile_device *xt, u32 tiles, unsigned long *cursor,
				     bool *dying);

/* What is cleared before anybody asks for it */
u32 xetile_hbm_begin_ahead(struct xetile_device *xt, struct xetile_hbm_resource *res,
			   struct xetile_layout *layout);
void xetile_hbm_end_ahead(struct xetile_device *xt, u32 taken, struct dma_fence *fence);

/* One tile's bank: pinned pieces for the kernel's own objects */
bool xetile_hbm_is_gone(const struct xetile_tile *tile);
int xetile_hbm_alloc(struct xetile_tile *tile, u64 size, struct xetile_account *account, u64 *dpa,
		     void **cookie);
void xetile_hbm_free(struct xetile_tile *tile, void *cookie);
void __iomem *xetile_hbm_map(struct xetile_tile *tile, u64 dpa, u64 size);

/* For a card that loses its HBM */
u64 xetile_hbm_own_size(struct xetile_tile *tile);
void xetile_hbm_save_own(struct xetile_tile *tile, void *buf);
void xetile_hbm_restore_own(struct xetile_tile *tile, void *buf);
int xetile_hbm_extents(struct xetile_device *xt, struct xetile_extent **ext, unsigned int *num);

#endif
