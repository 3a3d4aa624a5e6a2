/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_HBM_RESOURCE_H__
#define __XETILE_HBM_RESOURCE_H__

#include <linux/list.h>
#include <linux/types.h>

#include <drm/ttm/ttm_resource.h>

#include "card/xetile_tile.h"
#include "mem/xetile_layout.h"

struct dma_fence;
struct dmem_cgroup_pool_state;
struct xetile_bo;
struct xetile_device;
struct xetile_quota;

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
	/** @quota: of the file that has made the BO, with a reference, or NULL */
	struct xetile_quota *quota;
	/** @counted: bytes that count for @quota, by tile */
	u64 counted[XETILE_MAX_TILES];
	/** @limit: the group whose limit refused the last charge, with a reference, or NULL */
	struct dmem_cgroup_pool_state *limit;
	/** @full: number of the tile where a limit refused the last charge or count */
	unsigned int full;
	/** @ext: the pieces in the BO's order; neighbours are merged */
	struct xetile_extent *ext;
	/** @start: offset of each piece in the BO */
	u64 *start;
	/** @num: elements of @ext and @start */
	unsigned int num;
	/** @room: elements @ext and @start have room for */
	unsigned int room;
	/** @fresh: no bytes are to be moved there, so that clear memory is preferred */
	bool fresh;
	/** @dirty: mask of tiles whose pieces were not all clear */
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

int xetile_hbm_take_run(struct xetile_hbm_resource *res, struct xetile_tile *tile, u64 offset,
			u64 size, u64 *done);
int xetile_hbm_charge(struct xetile_device *xt, struct xetile_hbm_resource *res,
		      const u64 bytes[XETILE_MAX_TILES]);
int xetile_hbm_count(struct xetile_device *xt, struct xetile_hbm_resource *res,
		     const struct xetile_hbm_resource *old, const u64 bytes[XETILE_MAX_TILES]);
bool xetile_hbm_may_evict(const struct xetile_hbm_resource *res, bool low);
bool xetile_hbm_counts_for(const struct xetile_hbm_resource *res, unsigned int tile,
			   struct dmem_cgroup_pool_state *group, bool low);
void xetile_hbm_give_back(struct xetile_device *xt, struct xetile_hbm_resource *res, bool lay);

/* Memory that is cleared before anybody asks for it */
u32 xetile_hbm_begin_ahead(struct xetile_device *xt, struct xetile_hbm_resource *res,
			   struct xetile_layout *layout);
void xetile_hbm_end_ahead(struct xetile_device *xt, u32 taken, struct dma_fence *fence);

#endif
