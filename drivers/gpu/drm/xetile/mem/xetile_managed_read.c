// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_managed_read.h"

#include <linux/bits.h>
#include <linux/dma-fence.h>
#include <linux/dma-resv.h>
#include <linux/err.h>
#include <linux/slab.h>

#include <drm/ttm/ttm_bo.h>
#include <drm/ttm/ttm_placement.h>

#include "mem/xetile_bo.h"
#include "mem/xetile_bo_fill.h"
#include "mem/xetile_hbm_manager.h"
#include "mem/xetile_managed_copies.h"
#include "mem/xetile_place.h"
#include "mem/xetile_room.h"
#include "mem/xetile_turn.h"
#include "xetile_device.h"

/**
 * DOC: the making of copies
 *
 * A job that finds a part marked (see xetile_managed_copies.c) makes the copies that are missing,
 * after all buffers of its address space have found their places. Nothing is evicted for a copy,
 * and a call that waits for HBM goes first. A copy whose tile has no room is tried again when HBM
 * has been freed, as a stray is. xetile_vm_job.c calls.
 */

/* Nothing is evicted to make room for this place. */
static const struct ttm_place copy_place = {
	.mem_type = XETILE_PL_HBM, .flags = TTM_PL_FLAG_DESIRED,
};

/* The copy's first memory gets the part's bytes, see bo_move(). On failure the BO is destroyed. */
static struct xetile_bo *create(struct xetile_bo *part, unsigned int tile)
{
	struct ttm_operation_ctx ctx = { .interruptible = true, .gfp_retry_mayfail = true };
	struct ttm_placement placement = { .num_placement = 1, .placement = &copy_place };
	struct xetile_device *xt = ttm_to_xetile_device(part->ttm.bdev);
	struct xetile_bo_args args = part->args;
	struct xetile_bo *copy;
	int err;

	dma_resv_assert_held(part->ttm.base.resv);
	args.placement = XETILE_PLACE_HBM;
	args.flags = XETILE_BO_STRICT;
	args.moves = NULL;
	args.color = (struct xetile_coloring) {
		.policy = XETILE_POLICY_TILE, .tile_mask = BIT(tile),
	};
	copy = xetile_bo_alloc(xt, &args);
	if (IS_ERR(copy))
		return copy;
	copy->copy_of = part;
	copy->purgeable = true;
	copy->ttm.priority = XETILE_PRIORITY_PURGEABLE;
	err = ttm_bo_init_reserved(&xt->ttm, &copy->ttm, ttm_bo_type_device, &placement, 0, &ctx,
				   NULL, part->ttm.base.resv, xetile_bo_destroy);
	return err ? ERR_PTR(err) : copy;
}

static bool has_room(struct xetile_bo *part, unsigned int tile)
{
	struct xetile_device *xt = ttm_to_xetile_device(part->ttm.bdev);
	u64 pages[XETILE_MAX_TILES] = { };

	pages[tile] = part->args.size / XETILE_COLOR_PAGE;
	return xetile_hbm_has_room(xt, pages, NULL);
}

/* Make a copy, if its tile has room. Returns 0, also if not, or -ERESTARTSYS. */
static int make(struct xetile_bo *part, unsigned int tile)
{
	struct xetile_turns *turns = ttm_to_xetile_device(part->ttm.bdev)->room.turns;
	struct xetile_bo *copy = ERR_PTR(-ENOSPC);

	dma_resv_assert_held(part->ttm.base.resv);
	/* Who has the turn would find the memory gone that is given up for it. */
	if (has_room(part, tile) && xetile_turns_try(turns, BIT(tile))) {
		copy = create(part, tile);
		xetile_turns_give(turns, BIT(tile));
	}
	if (PTR_ERR_OR_ZERO(copy) == -ERESTARTSYS)
		return -ERESTARTSYS;
	if (IS_ERR(copy)) {
		part->copies->lacks |= BIT(tile);
		return 0;
	}
	part->copies->on[tile] = copy;
	part->moves++;
	return 0;
}

/* Is a part in HBM, and not all of it on a tile? */
static bool is_remote(struct xetile_bo *part, unsigned int tile)
{
	dma_resv_assert_held(part->ttm.base.resv);
	return part->ttm.resource->mem_type == XETILE_PL_HBM &&
	       part->hbm_bytes[tile] != part->args.size;
}

static int read_on(struct xetile_bo *part, unsigned int tile, bool maps, struct xetile_room *room)
{
	struct xetile_bo *copy = part->copies->on[tile];
	u64 holder = copy ? READ_ONCE(copy->held_by) : 0;

	dma_resv_assert_held(part->ttm.base.resv);
	/* Others wait for its HBM, and for the jobs that use it. */
	if (holder && holder != room->id) {
		xetile_room_note_busy(room, copy);
		return -EBUSY;
	}
	maps = maps && is_remote(part, tile);
	if (copy && (!maps || xetile_bo_is_lost(copy))) {
		xetile_copies_drop_one(copy);
		copy = NULL;
	}
	part->copies->lacks &= ~BIT(tile);
	return maps && !copy ? make(part, tile) : 0;
}

/* From here on nobody writes a part. */
static int begin(struct xetile_bo *part, bool jobs, struct xetile_room *room)
{
	dma_resv_assert_held(part->ttm.base.resv);
	if (jobs) {
		xetile_room_note_busy(room, part);
		return -EBUSY;
	}
	part->copies = kzalloc_obj(*part->copies, GFP_KERNEL_ACCOUNT);
	if (!part->copies)
		return -ENOMEM;
	part->moves++;
	return 0;
}

/**
 * xetile_managed_read() - have a copy of a part on each tile that has room for one
 * @part: part that jobs only read, where it is to lie, with its reservation held
 * @tiles: mask of the tiles that map it
 * @jobs: jobs may be using it
 * @room: the call, which is a job of the part's address space
 *
 * The first time jobs must not use the part, because they may write it. If a bind of a bind queue
 * waits, nothing happens. The caller maps what xetile_managed_seen() says, if the part's number of
 * moves has changed. May sleep, but not for jobs.
 *
 * Context: process, with the BO's reservation.
 * Return: 0; -EBUSY: drop all reservations and ask xetile_room_again(); -ENOMEM; -ERESTARTSYS;
 * -ENODATA: the part is lost.
 */
int xetile_managed_read(struct xetile_bo *part, u32 tiles, bool jobs, struct xetile_room *room)
{
	unsigned int t;
	int err = 0;

	dma_resv_assert_held(part->ttm.base.resv);
	if (!part->copies && part->binds)
		return 0;
	if (!part->copies)
		err = begin(part, jobs, room);
	/* The engine of another tile copies, so the order of the copies would not do. */
	if (!err && part->filled)
		err = dma_fence_wait(part->filled, true);
	if (!err && xetile_bo_is_lost(part))
		err = -ENODATA;
	for (t = 0; t < XETILE_MAX_TILES && !err; t++)
		err = read_on(part, t, tiles & BIT(t), room);
	return err;
}

/**
 * xetile_managed_lacks() - did a tile have no room for its copy of a part
 * @part: BO with its reservation held
 *
 * Context: process, with the BO's reservation.
 * Return: true if so; false if it is no part that jobs only read.
 */
bool xetile_managed_lacks(struct xetile_bo *part)
{
	dma_resv_assert_held(part->ttm.base.resv);
	return part->copies && part->copies->lacks;
}

/**
 * xetile_managed_may_copy() - is there room now for a copy that found none
 * @part: BO with its reservation held
 *
 * Context: process, with the BO's reservation; takes allocators' mutexes.
 * Return: true if so.
 */
bool xetile_managed_may_copy(struct xetile_bo *part)
{
	unsigned long lacks = xetile_managed_lacks(part) ? part->copies->lacks : 0;
	unsigned int t;

	dma_resv_assert_held(part->ttm.base.resv);
	for_each_set_bit(t, &lacks, XETILE_MAX_TILES)
		if (has_room(part, t))
			return true;
	return false;
}

/**
 * xetile_managed_seen() - the memory that a tile sees of a BO
 * @bo: BO with its reservation held
 * @tile: number of the tile
 *
 * Context: process, with the BO's reservation.
 * Return: the copy, or the BO itself if the tile has none.
 */
struct xetile_bo *xetile_managed_seen(struct xetile_bo *bo, unsigned int tile)
{
	dma_resv_assert_held(bo->ttm.base.resv);
	return (bo->copies ? bo->copies->on[tile] : NULL) ?: bo;
}
