// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_bo_move.h"

#include <linux/dma-fence.h>
#include <linux/dma-resv.h>

#include <drm/drm_gpuvm.h>
#include <drm/drm_managed.h>
#include <drm/ttm/ttm_bo.h>
#include <drm/ttm/ttm_device.h>
#include <drm/ttm/ttm_placement.h>

#include "mem/xetile_bo.h"
#include "mem/xetile_bo_cpu.h"
#include "mem/xetile_bo_fill.h"
#include "mem/xetile_bo_layout.h"
#include "mem/xetile_dma_buf.h"
#include "mem/xetile_hbm_resource.h"
#include "mem/xetile_import.h"
#include "mem/xetile_managed_copies.h"
#include "mem/xetile_managed_cpu.h"
#include "mem/xetile_moves.h"
#include "mem/xetile_pin.h"
#include "mem/xetile_place.h"
#include "mem/xetile_recolor_move.h"
#include "mem/xetile_sysmem.h"
#include "xetile_device.h"

/**
 * DOC: how buffers are moved
 *
 * The callbacks of TTM: they say which buffer may be evicted and where to, move a buffer's bytes,
 * and clear its first memory. The copy engine moves and clears, by &struct xetile_bo_mover. Only a
 * move out of HBM waits for the copy here, because that HBM must be free in fact when TTM frees it.
 * TTM calls with the buffer's reservation held.
 */

/* TTM's ghosts, which free the old memory after a move, are no BOs of the driver */
static bool is_ours(const struct ttm_buffer_object *ttm)
{
	return ttm->destroy == xetile_bo_destroy;
}

/* Where a whole counts the bytes of a part, or of a part's copy, or NULL */
static u64 *sums_of(struct xetile_bo *bo)
{
	struct xetile_bo *part = bo->copy_of ?: bo;

	/* They are all under one reservation. */
	if (!part->whole)
		return NULL;
	return bo->copy_of ? part->whole->copy_bytes : part->whole->hbm_bytes;
}

static void count_bytes(struct xetile_bo *bo, struct ttm_resource *res)
{
	u64 *sums = sums_of(bo);
	int t;

	dma_resv_assert_held(bo->ttm.base.resv);
	for (t = 0; t < XETILE_MAX_TILES; t++) {
		u64 bytes = res->mem_type == XETILE_PL_HBM ?
			    to_xetile_hbm_resource(res)->bytes[t] : 0;

		if (sums)
			WRITE_ONCE(sums[t], sums[t] + bytes - bo->hbm_bytes[t]);
		WRITE_ONCE(bo->hbm_bytes[t], bytes);
	}
}

static void add_moves(struct xetile_bo *bo, enum xetile_move cause, const u64 *bytes)
{
	struct xetile_tile *tile;

	xetile_for_each_tile(tile, ttm_to_xetile_device(bo->ttm.bdev))
		if (bytes[tile->id])
			xetile_moves_add(bo->args.moves, tile, cause, bytes[tile->id]);
}

/* Before count_bytes(). @from: type of the memory that the BO left */
static void count_move(struct xetile_bo *bo, u32 from, struct ttm_resource *new)
{
	bool was = from == XETILE_PL_HBM, is = new->mem_type == XETILE_PL_HBM;

	dma_resv_assert_held(bo->ttm.base.resv);
	if (was && !is)
		add_moves(bo, bo->touched ? XETILE_MOVED_ACCESS : XETILE_MOVED_EVICT,
			  bo->hbm_bytes);
	else if (!was && is)
		add_moves(bo, XETILE_MOVED_RETURN, to_xetile_hbm_resource(new)->bytes);
}

static int clear_fresh(struct xetile_bo *bo, struct ttm_resource *new, bool killable)
{
	struct xetile_device *xt = ttm_to_xetile_device(bo->ttm.bdev);
	struct xetile_layout layout;
	struct dma_fence *fence;
	u32 ahead;

	dma_resv_assert_held(bo->ttm.base.resv);
	xetile_bo_layout_in(bo, new, &layout);
	ahead = xetile_hbm_begin_ahead(xt, to_xetile_hbm_resource(new), &layout);
	fence = xt->mover->clear(xt, &layout, killable);
	xetile_hbm_end_ahead(xt, ahead, IS_ERR(fence) ? NULL : fence);
	if (IS_ERR(fence))
		return PTR_ERR(fence);
	dma_resv_add_fence(bo->ttm.base.resv, fence, DMA_RESV_USAGE_KERNEL);
	xetile_bo_note_filled(bo, fence);
	return 0;
}

/* A copy's first memory: the part's bytes are there already, and stay while they are copied. */
static int copy_part(struct xetile_bo *copy, struct ttm_resource *new, bool killable)
{
	struct xetile_device *xt = ttm_to_xetile_device(copy->ttm.bdev);
	struct xetile_layout dst, src;
	struct dma_fence *fence;

	dma_resv_assert_held(copy->ttm.base.resv);
	xetile_bo_layout(copy->copy_of, &src);
	xetile_bo_layout_in(copy, new, &dst);
	fence = xt->mover->copy(xt, &dst, &src, killable);
	if (IS_ERR(fence))
		return PTR_ERR(fence);
	dma_resv_add_fence(copy->ttm.base.resv, fence, DMA_RESV_USAGE_KERNEL);
	xetile_bo_note_filled(copy, fence);
	return 0;
}

/* A BO's first memory: nobody may see the data that the last owner left in HBM */
static int move_fresh(struct xetile_bo *bo, struct ttm_resource *new, bool killable)
{
	struct xetile_device *xt = ttm_to_xetile_device(bo->ttm.bdev);
	int err = 0;

	dma_resv_assert_held(bo->ttm.base.resv);
	if (bo->copy_of)
		err = copy_part(bo, new, killable);
	else if (new->mem_type == XETILE_PL_HBM)
		err = to_xetile_hbm_resource(new)->dirty ? clear_fresh(bo, new, killable) :
							   xt->mover->check(xt);
	if (!err)
		ttm_bo_move_null(&bo->ttm, new);
	return err;
}

static int move_data(struct xetile_bo *bo, bool evict, struct ttm_resource *new, bool killable)
{
	struct xetile_device *xt = ttm_to_xetile_device(bo->ttm.bdev);
	struct xetile_layout dst, src;
	struct dma_fence *fence;
	int err;

	dma_resv_assert_held(bo->ttm.base.resv);
	xetile_bo_layout(bo, &src);
	xetile_bo_layout_in(bo, new, &dst);
	fence = xt->mover->copy(xt, &dst, &src, killable);
	if (IS_ERR(fence))
		return PTR_ERR(fence);
	/*
	 * Not pipelined: HBM that is freed may become a page table, which the CPU writes at once,
	 * so the copy must have ended before TTM frees the HBM. A move to system memory is made to
	 * free HBM, even if TTM does not call it an eviction.
	 */
	err = ttm_bo_move_accel_cleanup(&bo->ttm, fence, evict || dst.dma, false, new);
	if (err) {
		/*
		 * TTM waits for 15 s only, and then frees memory that the copy must not touch any
		 * more.
		 */
		dma_fence_wait(fence, false);
		dma_fence_put(fence);
		return err;
	}
	xetile_bo_note_filled(bo, fence);
	return 0;
}

/* TTM has made an object for pages on the way here, which would not be cleared. */
static void drop_data(struct xetile_bo *bo, struct ttm_resource *new)
{
	dma_resv_assert_held(bo->ttm.base.resv);
	ttm_bo_move_null(&bo->ttm, new);
	xetile_sysmem_tt_forget(&bo->ttm);
	/* If a copy into it had failed, that is over as well. */
	xetile_bo_note_unfilled(bo, false);
	dma_fence_put(bo->filled);
	bo->filled = NULL;
	WRITE_ONCE(bo->purged, true);
}

static int bo_move(struct ttm_buffer_object *ttm, bool evict, struct ttm_operation_ctx *ctx,
		   struct ttm_resource *new, struct ttm_place *hop)
{
	struct xetile_bo *bo = ttm_to_xetile_bo(ttm);
	struct ttm_resource *old = ttm->resource;
	u32 from = old ? old->mem_type : TTM_PL_SYSTEM;
	bool to_nowhere, drop;
	int err;

	dma_resv_assert_held(ttm->base.resv);
	/*
	 * The mover is there before the card is registered, and until drm_dev_unplug() has waited
	 * for all callers that may still place a BO.
	 */
	if (WARN_ON_ONCE(!ttm_to_xetile_device(ttm->bdev)->mover))
		return -ENODEV;
	if (xetile_bo_is_fresh(bo)) {
		err = move_fresh(bo, new, ctx->interruptible);
		goto out;
	}

	to_nowhere = old->mem_type == XETILE_PL_HBM && new->mem_type == TTM_PL_SYSTEM;
	drop = to_nowhere && bo->purgeable;
	/* Between HBM and swapped-out pages the data goes by way of mapped pages. */
	if ((old->mem_type == TTM_PL_SYSTEM && new->mem_type == XETILE_PL_HBM) ||
	    (to_nowhere && !drop)) {
		*hop = (struct ttm_place) {
			.mem_type = XETILE_PL_SYSTEM, .flags = TTM_PL_FLAG_TEMPORARY,
		};
		return -EMULTIHOP;
	}

	/* A bind that waits needs the BO where it is; xetile_room_is_idle() checks this as well. */
	if (bo->binds)
		return -EBUSY;
	/*
	 * The BO is idle but for a copy of its own, see bo_eviction_valuable(), and is_settled() of
	 * xetile_bo_validate.c.
	 */
	err = ttm_bo_wait_ctx(ttm, ctx);
	if (err)
		return err;
	/* Jobs that are submitted from now on map the BO anew; so do other devices. */
	drm_gpuvm_bo_gem_evict(&ttm->base, true);
	xetile_dma_buf_moves(bo);
	xetile_managed_moves(bo);
	xetile_copies_moves(bo);

	if (drop)
		drop_data(bo, new);
	else if (bo->recolor && new->mem_type == XETILE_PL_HBM)
		err = xetile_recolor_move(bo, new, ctx->interruptible);
	else if (old->mem_type == XETILE_PL_HBM || new->mem_type == XETILE_PL_HBM)
		err = move_data(bo, evict, new, ctx->interruptible);
	else
		ttm_bo_move_null(ttm, new);
	if (!err) {
		bo->moves++;
		if (!drop)
			count_move(bo, from, new);
		xetile_pin_break(bo);
	}
out:
	if (!err)
		count_bytes(bo, new);
	return err;
}

static void bo_evict_flags(struct ttm_buffer_object *ttm, struct ttm_placement *placement)
{
	placement->num_placement = 0;
	if (!is_ours(ttm))
		return;
	placement->num_placement = 1;
	placement->placement = ttm->resource->mem_type == XETILE_PL_HBM &&
			       !ttm_to_xetile_bo(ttm)->purgeable ?
				  &xetile_sysmem_place : &xetile_nowhere_place;
}

/*
 * Do control groups keep a BO from being evicted for this place? Those that count for the limit of
 * a group are told by the manager of HBM.
 */
static bool is_protected(struct ttm_buffer_object *ttm, const struct ttm_place *place)
{
	dma_resv_assert_held(ttm->base.resv);
	return place->mem_type == XETILE_PL_HBM && ttm->resource->mem_type == XETILE_PL_HBM &&
	       !ttm->deleted && !(place->flags & XETILE_PLACE_LIMIT) &&
	       !(is_ours(ttm) && ttm_to_xetile_bo(ttm)->copy_of) &&
	       !xetile_hbm_may_evict(to_xetile_hbm_resource(ttm->resource),
				     place->flags & XETILE_PLACE_LOW);
}

static bool bo_eviction_valuable(struct ttm_buffer_object *ttm, const struct ttm_place *place)
{
	dma_resv_assert_held(ttm->base.resv);
	/* A private BO that is recolored shares the reservation that the call evicts under. */
	if (is_ours(ttm) && ttm_to_xetile_bo(ttm)->recolor)
		return false;
	if (is_ours(ttm) && ttm_to_xetile_bo(ttm)->pin)
		return false;
	/* A ghost belongs to nobody, and TTM is about to free it. */
	if (!is_ours(ttm) && !ttm->deleted)
		return false;
	/* The kernel wants pages back, and has few free pages to copy to. */
	if (place->mem_type != XETILE_PL_HBM && !xetile_sysmem_may_swap(ttm))
		return false;
	/*
	 * Swapping BOs out to get below the limit would only evade the limit. BOs that are deleted
	 * are freed, because it may take for ever until TTM's few workers get to them.
	 */
	if ((place->flags & XETILE_PLACE_LIMITED) && !ttm->deleted)
		return false;
	/* Jobs are not waited for with reservations held, see xetile_room.c. */
	if (!dma_resv_test_signaled(ttm->base.resv, DMA_RESV_USAGE_BOOKKEEP))
		return false;
	if (is_ours(ttm) && READ_ONCE(ttm_to_xetile_bo(ttm)->binds))
		return false;
	/*
	 * An eviction that fails on the way would end TTM's search for other places. Nothing is
	 * copied of what is purgeable.
	 */
	if (place->mem_type == XETILE_PL_HBM && !ttm->deleted &&
	    !(is_ours(ttm) && ttm_to_xetile_bo(ttm)->purgeable) &&
	    !xetile_sysmem_has_room(ttm_to_xetile_device(ttm->bdev), ttm->base.size))
		return false;
	/* Last, because it walks over the control groups. */
	return ttm_bo_eviction_valuable(ttm, place) && !is_protected(ttm, place);
}

static struct ttm_tt *bo_tt_create(struct ttm_buffer_object *ttm, u32 page_flags)
{
	struct xetile_bo *bo = ttm_to_xetile_bo(ttm);
	bool evicted = ttm->resource && ttm->resource->mem_type == XETILE_PL_HBM &&
		       !bo->touched && !bo->leaves;

	return xetile_sysmem_tt_create(ttm, bo->memcg, evicted, bo->args.flags & XETILE_BO_WC,
				       page_flags);
}

/* TTM frees a BO. It keeps the exporter's reservation of an import until then. */
static void bo_delete_notify(struct ttm_buffer_object *ttm)
{
	dma_resv_assert_held(ttm->base.resv);
	if (is_ours(ttm) && ttm_to_xetile_bo(ttm)->import)
		xetile_import_unmap(ttm_to_xetile_bo(ttm));
}

static struct ttm_device_funcs bo_ttm_funcs = {
	.ttm_tt_create = bo_tt_create,
	.ttm_tt_populate = xetile_sysmem_populate,
	.ttm_tt_unpopulate = xetile_sysmem_unpopulate,
	.swap_notify = xetile_sysmem_swap_notify,
	.delete_mem_notify = bo_delete_notify,
	.ttm_tt_destroy = xetile_sysmem_tt_destroy,
	.eviction_valuable = bo_eviction_valuable,
	.evict_flags = bo_evict_flags,
	.move = bo_move,
	.io_mem_reserve = xetile_bo_io_mem_reserve,
	.io_mem_pfn = xetile_bo_io_mem_pfn,
};

static void ttm_fini(struct drm_device *drm, void *arg)
{
	ttm_device_fini(&to_xetile_device(drm)->ttm);
}

/**
 * xetile_bo_move_init() - make TTM's device, with the callbacks of this file
 * @xt: card
 *
 * TTM's device is freed with the DRM device, after the last buffer.
 *
 * Return: 0 or a negative error code.
 */
int xetile_bo_move_init(struct xetile_device *xt)
{
	struct drm_device *drm = &xt->drm;
	int err;

	err = ttm_device_init(&xt->ttm, &bo_ttm_funcs, drm->dev, drm->anon_inode->i_mapping,
			      drm->vma_offset_manager, 0);
	if (err)
		return err;
	return drmm_add_action_or_reset(drm, ttm_fini, NULL);
}
