// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_recolor.h"

#include <linux/device.h>
#include <linux/dma-fence.h>
#include <linux/dma-resv.h>
#include <linux/slab.h>

#include <drm/drm_gem.h>
#include <drm/ttm/ttm_bo.h>

#include "mem/xetile_bo_fill.h"
#include "mem/xetile_bo_layout.h"
#include "mem/xetile_bo_types.h"
#include "mem/xetile_bo_validate.h"
#include "mem/xetile_hbm.h"
#include "mem/xetile_overlay.h"
#include "mem/xetile_place.h"
#include "mem/xetile_recolor_types.h"
#include "mem/xetile_room.h"
#include "mem/xetile_sync.h"
#include "mem/xetile_sysmem.h"
#include "xetile_device.h"
#include "xetile_trace.h"

/**
 * DOC: another color for a buffer, or for parts of it
 *
 * A recolor is made under the buffer's reservation as a whole, or not at all. The new color is one
 * flat coloring again. Pages that lie on another tile than it says get memory there, and are moved
 * by TTM as a move of the buffer, see xetile_recolor_move.c; if there are none, only the color
 * changes. So it does when the buffer is in system memory, and comes back with its new color. A
 * buffer in use is waited for with no reservation held, see xetile_room.c, and everything is found
 * out anew then. The ioctl calls.
 */

static u64 color_pages(const struct xetile_bo *bo)
{
	return bo->args.size >> XETILE_COLOR_PAGE_SHIFT;
}

/* A copy of a coloring, with runs of its own */
static int copy_color(struct xetile_coloring *to, const struct xetile_coloring *from)
{
	struct xetile_color_run *runs = NULL;

	if (from->num_runs) {
		runs = kvmemdup(from->runs, array_size(from->num_runs, sizeof(*runs)),
				GFP_KERNEL_ACCOUNT);
		if (!runs)
			return -ENOMEM;
	}
	*to = *from;
	to->runs = runs;
	return 0;
}

/* The coloring that an overlay makes, as a map */
static int flatten(struct xetile_coloring *to, const struct xetile_overlay *overlay)
{
	u64 num = xetile_overlay_runs(overlay, NULL, 0), i;
	struct xetile_color_run *runs;

	/* HBM can hold the BO, so that this is far from what an integer holds. */
	if (WARN_ON_ONCE(num > U32_MAX))
		return -ENOMEM;
	runs = kvmalloc_array(num, sizeof(*runs), GFP_KERNEL_ACCOUNT);
	if (!runs)
		return -ENOMEM;
	xetile_overlay_runs(overlay, runs, num);
	*to = (struct xetile_coloring) {
		.policy = XETILE_POLICY_MAP, .num_runs = num, .runs = runs,
	};
	for (i = 0; i < num; i++)
		to->tile_mask |= BIT(runs[i].tile);
	return 0;
}

/* The new color of a BO: the caller's own if it is for all of the BO, the old if it is the same */
static int find_color(struct xetile_coloring *to, const struct xetile_overlay *overlay)
{
	if (overlay->num == 1 && overlay->patches[0].pages == overlay->pages)
		return copy_color(to, &overlay->patches[0].color);
	if (xetile_overlay_is_base(overlay))
		return copy_color(to, overlay->base);
	return flatten(to, overlay);
}

/* The shares of the new color; -ENOSPC if the BO could never lie so, nor anywhere else */
static int find_shares(struct xetile_device *xt, const struct xetile_bo *bo,
		       struct xetile_recolor *recolor)
{
	struct xetile_color_iter it;
	struct xetile_tile *tile;
	u64 pages;
	u32 t;

	dma_resv_assert_held(bo->ttm.base.resv);
	xetile_color_begin(&it, &recolor->color, color_pages(bo));
	while (xetile_color_next(&it, &t, &pages))
		recolor->shares[t] += pages;
	if (!(bo->args.flags & XETILE_BO_STRICT) || (bo->args.placement & XETILE_PLACE_SYSTEM))
		return 0;
	xetile_for_each_tile(tile, xt)
		if (recolor->shares[tile->id] * XETILE_COLOR_PAGE > xetile_hbm_capacity(tile))
			return -ENOSPC;
	return 0;
}

/* List what is to move, or count it if there is no array; neighbours on one tile are one change. */
static void walk_changes(struct xetile_recolor *recolor, const struct xetile_overlay *overlay,
			 const struct xetile_layout *now)
{
	struct xetile_change last = { };
	struct xetile_overlay_diff diff;
	struct xetile_overlay_run run;

	recolor->num = 0;
	xetile_overlay_diff_begin(&diff, overlay, now);
	while (xetile_overlay_diff_next(&diff, &run)) {
		u64 offset = run.page * XETILE_COLOR_PAGE, size = run.pages * XETILE_COLOR_PAGE;

		if (recolor->num && last.tile == run.tile && last.offset + last.size == offset) {
			last.size += size;
		} else {
			last = (struct xetile_change) {
				.offset = offset, .size = size, .tile = run.tile,
			};
			recolor->num++;
		}
		if (!recolor->changes)
			continue;
		recolor->changes[recolor->num - 1] = last;
		recolor->bytes[run.tile] += size;
	}
}

static int find_changes(struct xetile_bo *bo, struct xetile_recolor *recolor,
			const struct xetile_overlay *overlay)
{
	struct xetile_layout now;

	dma_resv_assert_held(bo->ttm.base.resv);
	if (bo->ttm.resource->mem_type != XETILE_PL_HBM)
		return 0;
	xetile_bo_layout(bo, &now);
	walk_changes(recolor, overlay, &now);
	if (!recolor->num)
		return 0;
	recolor->changes = kvmalloc_array(recolor->num, sizeof(*recolor->changes),
					  GFP_KERNEL_ACCOUNT);
	if (!recolor->changes)
		return -ENOMEM;
	walk_changes(recolor, overlay, &now);
	return 0;
}

/* Have TTM find memory for the changes, and move the BO. -EBUSY: ask xetile_room_again(). */
static int move(struct xetile_bo *bo, struct xetile_recolor *recolor, struct xetile_room *room)
{
	struct ttm_operation_ctx ctx = {
		.interruptible = true,
		.gfp_retry_mayfail = true,
		/* Other BOs of the group are evicted to make room, as anybody's are. */
		.resv = bo->args.owner ? bo->ttm.base.resv : NULL,
		.allow_res_evict = bo->args.owner,
	};
	int err;

	dma_resv_assert_held(bo->ttm.base.resv);
	bo->needed_by = room->id;
	if ((bo->held_by && bo->held_by != room->id) || !xetile_room_is_idle(bo)) {
		xetile_room_note_wanted(room, bo);
		return -EBUSY;
	}
	bo->lack = &room->lack;
	bo->recolor = recolor;
	err = ttm_bo_validate(&bo->ttm, &bo->placement, &ctx);
	bo->recolor = NULL;
	bo->lack = NULL;
	/* The caller's group may not have as much HBM as stays where it is: as for a new BO */
	if (err == -ENOSPC && (bo->args.placement & XETILE_PLACE_SYSTEM))
		return xetile_sysmem_take(&bo->ttm);
	return xetile_bo_tell_lack(room, err);
}

/* @recolor: the BO takes its color over. */
static void set_color(struct xetile_bo *bo, struct xetile_recolor *recolor)
{
	dma_resv_assert_held(bo->ttm.base.resv);
	kvfree(bo->args.color.runs);
	bo->args.color = recolor->color;
	recolor->color.runs = NULL;
	memcpy(bo->shares, recolor->shares, sizeof(bo->shares));
}

/* Find out what the recolor is, and make it. @recolor: gives back what it has afterwards. */
static int make(struct xetile_bo *bo, struct xetile_recolor *recolor,
		const struct xetile_overlay *overlay, struct xetile_room *room)
{
	struct xetile_device *xt = ttm_to_xetile_device(bo->ttm.bdev);
	int err;

	dma_resv_assert_held(bo->ttm.base.resv);
	if (xetile_bo_is_lost(bo))
		return -ENODATA;
	err = find_color(&recolor->color, overlay) ?:
	      find_shares(xt, bo, recolor) ?:
	      find_changes(bo, recolor, overlay);
	if (err)
		return err;
	if (recolor->num)
		err = move(bo, recolor, room);
	else
		xetile_bo_note_spilled(bo, &recolor->color);
	if (!err)
		set_color(bo, recolor);
	return err;
}

static void trace_recolor(const struct xetile_bo *bo, u32 handle,
			  const struct xetile_recolor *recolor)
{
	struct xetile_device *xt = ttm_to_xetile_device(bo->ttm.bdev);
	u64 moved = 0;
	unsigned int i;

	for (i = 0; i < XETILE_MAX_TILES; i++)
		moved += recolor->bytes[i];
	trace_xetile_recolor(dev_name(xt->drm.dev), handle, bo->args.size, moved);
}

static int try_recolor(struct xetile_bo *bo, u32 handle, struct xetile_overlay *overlay,
		       const struct xetile_sync_set *syncs, struct xetile_room *room)
{
	struct xetile_recolor recolor = { };
	int err;

	err = ttm_bo_reserve(&bo->ttm, true, false, NULL);
	if (err)
		return err;
	overlay->base = &bo->args.color;
	err = make(bo, &recolor, overlay, room);
	/* An older copy has not ended either before its fence has signalled. */
	if (!err) {
		xetile_syncs_publish(syncs->array, syncs->num, recolor.fence ?: bo->filled);
		trace_recolor(bo, handle, &recolor);
	}
	ttm_bo_unreserve(&bo->ttm);
	dma_fence_put(recolor.fence);
	kvfree(recolor.changes);
	kvfree(recolor.color.runs);
	return err;
}

/**
 * xetile_recolor() - give a BO, or ranges of it, another color
 * @bo: BO that may lie in HBM, and that HBM can hold
 * @handle: the caller's name for it, for the trace event
 * @patches: the ranges, which xetile_overlay_check() accepts, with their colorings
 * @num: number of them
 * @syncs: those to signal are signalled when the bytes are in their new places
 *
 * All ranges are recolored, or none. The bytes are moved by the copy engines; jobs that are
 * submitted later wait for that. May sleep for evictions and, with no reservation held, for the
 * jobs that use the BO.
 *
 * Context: process; takes the BO's reservation.
 * Return: 0, -ENOSPC, -ENOMEM, -ERESTARTSYS, -ENODATA: the BO is lost; the error of a wedged card.
 */
int xetile_recolor(struct xetile_bo *bo, u32 handle, const struct xetile_color_patch *patches,
		   u32 num, const struct xetile_sync_set *syncs)
{
	struct xetile_overlay overlay = {
		.patches = patches, .num = num, .pages = color_pages(bo),
	};
	struct xetile_room room;
	int err;

	xetile_room_begin(&room, ttm_to_xetile_device(bo->ttm.bdev), NULL);
	do {
		err = try_recolor(bo, handle, &overlay, syncs, &room);
	} while (xetile_room_again(&room, &err));
	xetile_room_end(&room);
	return err;
}
