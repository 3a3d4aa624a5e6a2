// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_bo_validate.h"

#include <linux/bits.h>
#include <linux/dma-resv.h>
#include <linux/jiffies.h>

#include <drm/ttm/ttm_bo.h>
#include <drm/ttm/ttm_placement.h>

#include "mem/xetile_bo_fill.h"
#include "mem/xetile_bo_layout.h"
#include "mem/xetile_bo_types.h"
#include "mem/xetile_hbm_manager.h"
#include "mem/xetile_hbm_resource.h"
#include "mem/xetile_import.h"
#include "mem/xetile_overlay.h"
#include "mem/xetile_sysmem.h"
#include "mem/xetile_turn.h"
#include "xetile_device.h"

/**
 * DOC: a buffer where it should be
 *
 * Binds and jobs want a buffer where the GPU reaches it. A buffer that was evicted comes back; a
 * buffer that does not lie where it was asked to lie is moved when HBM has room. These functions do
 * not wait for jobs: the caller is told which buffer is busy, and waits with no lock held, see
 * xetile_room.c. Callers hold the buffer's reservation.
 */

/* Delay between a failed move by way of system memory and the next attempt */
#define DETOUR_MS	10000

/**
 * xetile_bo_is_placed() - does a BO lie where it was asked to lie first
 * @bo: BO with its reservation held
 *
 * Context: process, with the BO's reservation.
 * Return: true if so; HBM of another tile is right, too, unless there is advice about the BO.
 */
bool xetile_bo_is_placed(struct xetile_bo *bo)
{
	const struct ttm_place *first = &bo->places[0];
	struct ttm_resource *res = bo->ttm.resource;

	dma_resv_assert_held(bo->ttm.base.resv);
	if (!res || res->mem_type != first->mem_type)
		return false;
	return !(first->flags & XETILE_PLACE_EXACT) || !to_xetile_hbm_resource(res)->spilled;
}

/*
 * May TTM validate the BO now: does it lie as asked, or does nothing keep it from being moved? If
 * not, the BO stays if will_do() says so, or the caller waits for the jobs that use it.
 */
static bool is_settled(struct xetile_bo *bo)
{
	dma_resv_assert_held(bo->ttm.base.resv);
	return xetile_bo_is_placed(bo) || xetile_room_is_idle(bo);
}

/*
 * May a busy BO stay where it is for now? Not a private BO that a job wants elsewhere: only the
 * VM's own jobs can use it, and they are waited for, unless a bind that waits keeps the BO there. A
 * bind must not wait for jobs; the next job brings the BO to where it should be.
 */
static bool will_do(struct xetile_bo *bo, struct xetile_room *room)
{
	dma_resv_assert_held(bo->ttm.base.resv);
	return (!bo->args.owner || !room->vm || bo->binds ||
		!(bo->args.placement & XETILE_PLACE_HBM)) &&
	       (bo->args.placement & XETILE_PLACE_SYSTEM) &&
	       bo->ttm.resource->mem_type != TTM_PL_SYSTEM;
}

/*
 * Does another device have the BO in system memory, mapped or pinned? One that is told of moves may
 * still have a mapping of what the BO has left: that one keeps it nowhere.
 */
static bool is_lent(struct xetile_bo *bo)
{
	dma_resv_assert_held(bo->ttm.base.resv);
	return bo->ttm.resource->mem_type == XETILE_PL_SYSTEM && (bo->lent || bo->ttm.pin_count);
}

/**
 * xetile_bo_is_stray() - does a BO not lie as asked
 * @bo: BO with its reservation held
 *
 * Context: process, with the BO's reservation.
 * Return: true if it should lie in HBM and does not, or if a part of it is not on the tile of its
 * color.
 */
bool xetile_bo_is_stray(struct xetile_bo *bo)
{
	dma_resv_assert_held(bo->ttm.base.resv);
	/* It comes back when its user wants it again. */
	if (bo->purged)
		return false;
	/* What stays in HBM against advice need not come back from there. */
	if (bo->places[0].mem_type != XETILE_PL_HBM)
		return false;
	return !xetile_bo_is_placed(bo) ||
	       (bo->ttm.resource->mem_type == XETILE_PL_HBM &&
		to_xetile_hbm_resource(bo->ttm.resource)->spilled);
}

/**
 * xetile_bo_note_spilled() - note whether a BO lies as colored, after its color has changed
 * @bo: BO with its reservation held
 * @color: its color
 *
 * Context: process, with the BO's reservation.
 */
void xetile_bo_note_spilled(struct xetile_bo *bo, const struct xetile_coloring *color)
{
	struct xetile_layout now;

	dma_resv_assert_held(bo->ttm.base.resv);
	if (bo->ttm.resource->mem_type != XETILE_PL_HBM)
		return;
	xetile_bo_layout(bo, &now);
	to_xetile_hbm_resource(bo->ttm.resource)->spilled = !xetile_color_lies(color, &now);
}

/* Nothing is evicted to make room for this place. */
static const struct ttm_place exact_place = {
	.mem_type = XETILE_PL_HBM, .flags = XETILE_PLACE_EXACT | TTM_PL_FLAG_DESIRED,
};

static int go_home(struct xetile_bo *bo)
{
	struct ttm_operation_ctx ctx = { .interruptible = true, .gfp_retry_mayfail = true };
	struct ttm_placement home = { .num_placement = 1, .placement = &exact_place };

	dma_resv_assert_held(bo->ttm.base.resv);
	return ttm_bo_validate(&bo->ttm, &home, &ctx);
}

/* The tiles that a BO lies on now, or that it is to lie on */
static u32 tiles_of(const struct xetile_bo *bo)
{
	u32 tiles = 0;
	int t;

	dma_resv_assert_held(bo->ttm.base.resv);
	for (t = 0; t < XETILE_MAX_TILES; t++)
		if (bo->shares[t] || bo->hbm_bytes[t])
			tiles |= BIT(t);
	return tiles;
}

/*
 * HBM has room once the memory that the BO has is given up. The move needs the turns of
 * xetile_room.c, because a call that has a turn waits for HBM, and would take the memory that is
 * given up. If the move fails all the same, because memory is in pieces too small or another call
 * was faster, two copies were made for nothing, and memory that was given up and taken back looks
 * like room to the next job: so the next attempt is put off for a while.
 */
static int return_by_detour(struct xetile_bo *bo)
{
	struct xetile_device *xt = ttm_to_xetile_device(bo->ttm.bdev);
	u32 tiles = tiles_of(bo);
	int err;

	dma_resv_assert_held(bo->ttm.base.resv);
	if (time_before64(get_jiffies_64(), bo->detour_after) ||
	    !xetile_sysmem_has_room(xt, bo->args.size) || !xetile_turns_try(xt->room.turns, tiles))
		return -ENOSPC;
	err = xetile_sysmem_take(&bo->ttm);
	if (!err)
		err = go_home(bo);
	xetile_turns_give(xt->room.turns, tiles);
	if (err)
		bo->detour_after = get_jiffies_64() + msecs_to_jiffies(DETOUR_MS);
	return err;
}

/**
 * xetile_bo_return() - move a BO where it was asked to lie, if HBM has room for it now
 * @bo: BO with its reservation held
 *
 * Where HBM has no room for both the new memory and the old, the BO goes by way of system memory,
 * unless a call waits for HBM, or the last such move failed a moment ago. May sleep, but not for
 * jobs.
 *
 * Context: process, with the BO's reservation.
 * Return: 0: it lies as asked; -EAGAIN: there is room, but a job uses the BO; -ENOSPC and others:
 * it stays, or is in system memory.
 */
int xetile_bo_return(struct xetile_bo *bo)
{
	struct xetile_device *xt = ttm_to_xetile_device(bo->ttm.bdev);

	dma_resv_assert_held(bo->ttm.base.resv);
	if (!xetile_bo_is_stray(bo))
		return 0;
	if (is_lent(bo) || bo->pin)
		return -ENOSPC;
	if (!xetile_hbm_has_room(xt, bo->shares, bo->hbm_bytes))
		return -ENOSPC;
	if (bo->held_by || xetile_room_is_kept(bo) || !xetile_room_is_idle(bo))
		return -EAGAIN;
	return xetile_hbm_has_room(xt, bo->shares, NULL) ? go_home(bo) : return_by_detour(bo);
}

/*
 * Have TTM move the BO where it is to lie. What is only better in system memory stays in HBM when
 * its owner can have no more system memory.
 */
static int place(struct xetile_bo *bo, struct xetile_room *room, struct ttm_operation_ctx *ctx)
{
	int err;

	dma_resv_assert_held(bo->ttm.base.resv);
	bo->leaves = bo->advice == XETILE_ADVICE_SYSTEM;
	/* What another BO of the call lacked says nothing of this one. */
	room->lack.lacks = false;
	room->lack.quota = false;
	bo->lack = &room->lack;
	err = ttm_bo_validate(&bo->ttm, &bo->placement, ctx);
	bo->lack = NULL;
	bo->leaves = false;
	if (err == -ENOMEM && bo->advice == XETILE_ADVICE_SYSTEM &&
	    bo->ttm.resource->mem_type == XETILE_PL_HBM)
		return 0;
	return err;
}

/**
 * xetile_bo_validate() - have a BO where the GPU reaches it, and as colored
 * @bo: BO with its reservation held
 * @room: the call that wants the BO; if it names a VM, no other BO of the BO's group is evicted
 *
 * A BO that was evicted comes back and regains its color, unless another device uses it in system
 * memory. May sleep, but not for jobs.
 *
 * Context: process, with the BO's reservation.
 * Return: 0; -EBUSY: drop all reservations and ask xetile_room_again(); -ENOMEM;
 * -ERESTARTSYS; -ENODATA when its bytes are lost, because the copy engine failed; and for an
 * import the errors of xetile_import_validate().
 */
int xetile_bo_validate(struct xetile_bo *bo, struct xetile_room *room)
{
	bool evict_own = bo->args.owner && !room->vm;
	struct ttm_operation_ctx ctx = {
		.interruptible = true,
		.gfp_retry_mayfail = true,
		.resv = evict_own ? bo->ttm.base.resv : NULL,
		.allow_res_evict = evict_own,
	};
	int err;

	dma_resv_assert_held(bo->ttm.base.resv);
	if (bo->import)
		return xetile_import_validate(bo, room);
	if (xetile_bo_is_lost(bo))
		return -ENODATA;
	bo->needed_by = room->id;
	if ((bo->held_by && bo->held_by != room->id) || xetile_room_is_kept(bo))
		goto err_busy;
	if (is_lent(bo))
		return 0;
	if (!is_settled(bo)) {
		if (will_do(bo, room))
			return 0;
		goto err_busy;
	}
	err = place(bo, room, &ctx);
	if (err == -EBUSY)
		goto err_busy;
	return xetile_bo_tell_lack(room, err);

err_busy:
	xetile_room_note_busy(room, bo);
	return -EBUSY;
}
