/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_SYSMEM_H__
#define __XETILE_SYSMEM_H__

#include <linux/types.h>

struct mem_cgroup;
struct ttm_buffer_object;
struct ttm_device;
struct ttm_operation_ctx;
struct ttm_place;
struct ttm_tt;
struct xetile_device;

extern const struct ttm_place xetile_sysmem_place;
extern const struct ttm_place xetile_nowhere_place;

int xetile_sysmem_init(struct xetile_device *xt);
u64 xetile_sysmem_capacity(struct xetile_device *xt);
int xetile_sysmem_take(struct ttm_buffer_object *bo);
int xetile_sysmem_drop(struct ttm_buffer_object *bo);
bool xetile_sysmem_has_room(struct xetile_device *xt, u64 size);

/* For TTM, by way of xetile_bo_move.c */
struct ttm_tt *xetile_sysmem_tt_create(struct ttm_buffer_object *bo, struct mem_cgroup *memcg,
				       bool evicted, bool wc, u32 page_flags);
void xetile_sysmem_tt_destroy(struct ttm_device *bdev, struct ttm_tt *tt);
void xetile_sysmem_tt_forget(struct ttm_buffer_object *bo);
int xetile_sysmem_populate(struct ttm_device *bdev, struct ttm_tt *tt,
			   struct ttm_operation_ctx *ctx);
void xetile_sysmem_unpopulate(struct ttm_device *bdev, struct ttm_tt *tt);
void xetile_sysmem_unmap_all(struct xetile_device *xt);
void xetile_sysmem_swap_notify(struct ttm_buffer_object *bo);
bool xetile_sysmem_may_swap(struct ttm_buffer_object *bo);

/* For statistics */
u64 xetile_sysmem_pages(struct xetile_device *xt);
u64 xetile_sysmem_swapped(struct xetile_device *xt);

#endif
