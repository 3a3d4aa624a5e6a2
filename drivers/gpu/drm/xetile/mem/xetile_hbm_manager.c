// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_hbm_manager.h"

#include <linux/atomic.h>
#include <linux/bitfield.h>
#include <linux/dma-resv.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include <drm/drm_managed.h>
#include <drm/ttm/ttm_device.h>
#include <drm/ttm/ttm_resource.h>

#include "mem/xetile_bo_types.h"
#include "mem/xetile_color.h"
#include "mem/xetile_hbm.h"
#include "mem/xetile_hbm_residents.h"
#include "mem/xetile_hbm_resource.h"
#include "mem/xetile_hbm_types.h"
#include "mem/xetile_place.h"
#include "mem/xetile_quota.h"
#include "mem/xetile_recolor_types.h"
#include "xetile_device.h"

/**
 * DOC: TTM's manager of HBM
 *
 * One for all tiles, because a buffer lies on tiles as its color says.
 *
 * Limits of control groups and files come before room: for a BO of a control group that has as much
 * as it may on a tile, BOs of that group are evicted there, and no others.
 *
 * When a tile is full: BOs with pages there are evicted if they are idle; then, unless the BO is
 * STRICT, pages that find no room go to the tile with the most room; then the BO goes to system
 * memory if its placement allows that. So far the order is laid down by the places of a BO, see
 * xetile_bo.c. Then busy BOs are waited for and evicted, see xetile_room.c; then the answer is
 * ENOSPC.
 *
 * TTM calls, with the buffer's reservation held when it allocates; when it frees, nothing need
 * be held.
 */

static struct xetile_device *manager_to_xt(struct ttm_resource_manager *man)
{
	return container_of(man, struct xetile_hbm_manager, base)->xt;
}

static u64 room_on(struct xetile_tile *tile)
{
	struct xetile_hbm *hbm = tile->hbm;
	u64 avail;

	mutex_lock(&hbm->lock);
	avail = xetile_hbm_free_bytes(hbm);
	mutex_unlock(&hbm->lock);
	return avail > hbm->reserve ? round_down(avail - hbm->reserve, SZ_64K) : 0;
}

static struct xetile_tile *roomiest(struct xetile_device *xt, u32 exhausted)
{
	struct xetile_tile *best = NULL, *tile;
	u64 most = 0;

	xetile_for_each_tile(tile, xt) {
		u64 room = exhausted & BIT(tile->id) ? 0 : room_on(tile);

		if (room > most) {
			most = room;
			best = tile;
		}
	}
	return best;
}

/**
 * xetile_hbm_least_occupied() - the tile that has the most free HBM for BOs
 * @xt: card
 * @tiles: mask of the tiles to choose from, not empty
 *
 * Takes the allocators' mutexes.
 *
 * Return: number of the tile; the first one of the mask if no tile has room.
 */
unsigned int xetile_hbm_least_occupied(struct xetile_device *xt, u32 tiles)
{
	struct xetile_tile *tile = roomiest(xt, ~tiles);

	return tile ? tile->id : __ffs(tiles);
}

/* Take a run; the part that its tile has no room for comes from the roomiest other tiles */
static int take_run_spilling(struct xetile_device *xt, struct xetile_hbm_resource *res,
			     u32 *exhausted, u32 wanted, u64 offset, u64 size)
{
	struct xetile_tile *tile = &xt->tiles[wanted];

	while (size) {
		u64 room = *exhausted & BIT(tile->id) ? 0 : room_on(tile);
		u64 done = 0;
		int err = -ENOSPC;

		if (room)
			err = xetile_hbm_take_run(res, tile, offset, min(size, room), &done);
		if (err && err != -ENOSPC)
			return err;
		offset += done;
		size -= done;
		if (done && tile->id != wanted)
			res->spilled = true;

		/* Memory is in fragments, or another call was faster: this tile gives no more. */
		if (err)
			*exhausted |= BIT(tile->id);
		if (size) {
			tile = roomiest(xt, *exhausted);
			if (!tile)
				return -ENOSPC;
		}
	}
	return 0;
}

/* Bytes that a BO is to get on a tile: all, or what a recolor moves there */
static u64 wanted_on(const struct xetile_bo *bo, unsigned int tile)
{
	dma_resv_assert_held(bo->ttm.base.resv);
	return bo->recolor ? bo->recolor->bytes[tile] : bo->shares[tile] * XETILE_COLOR_PAGE;
}

/*
 * The HBM that a BO gives back when it has moved, or NULL. What a recolor moves is given back as
 * well, but it may not find room for all of it, so nothing is said of that before.
 */
static const struct xetile_hbm_resource *left_by(const struct xetile_bo *bo)
{
	struct ttm_resource *now = bo->ttm.resource;

	dma_resv_assert_held(bo->ttm.base.resv);
	return now && now->mem_type == XETILE_PL_HBM && !bo->recolor ?
	       to_xetile_hbm_resource(now) : NULL;
}

/* Have limits allow what a BO is to get on each tile */
static int charge(struct xetile_device *xt, struct xetile_hbm_resource *res,
		  const struct xetile_bo *bo, const u64 bytes[XETILE_MAX_TILES])
{
	dma_resv_assert_held(bo->ttm.base.resv);
	return xetile_hbm_charge(xt, res, bytes) ?: xetile_hbm_count(xt, res, left_by(bo), bytes);
}

/* Charge what the BO is to get on each tile, before anything is evicted for the BO */
static int charge_wanted(struct xetile_device *xt, struct xetile_hbm_resource *res,
			 const struct xetile_bo *bo)
{
	u64 bytes[XETILE_MAX_TILES];
	unsigned int t;

	dma_resv_assert_held(bo->ttm.base.resv);
	for (t = 0; t < XETILE_MAX_TILES; t++)
		bytes[t] = wanted_on(bo, t);
	return charge(xt, res, bo, bytes);
}

static void destroy(struct ttm_resource_manager *man, struct xetile_hbm_resource *res)
{
	ttm_resource_fini(man, &res->base);
	xetile_quota_put(res->quota);
	kvfree(res->ext);
	kvfree(res->start);
	kfree(res);
}

/* Which tiles lack room for what a BO is to get; NEVER if they are too small for the BO */
static u32 lacking(struct xetile_device *xt, const struct xetile_bo *bo)
{
	const u64 *shares = bo->recolor ? bo->recolor->shares : bo->shares;
	struct xetile_tile *tile;
	u32 lack = 0;

	dma_resv_assert_held(bo->ttm.base.resv);
	xetile_for_each_tile(tile, xt) {
		if (shares[tile->id] * XETILE_COLOR_PAGE > xetile_hbm_capacity(tile))
			return XETILE_PLACE_NEVER;
		if (wanted_on(bo, tile->id) > room_on(tile))
			lack |= FIELD_PREP(XETILE_PLACE_SHORT, BIT(tile->id));
	}
	return lack;
}

/*
 * Is there room for a BO that spills? If not, its runs need not be walked. A BO that is recolored
 * needs no room for what finds none, because this stays where it is.
 */
static bool has_room(struct xetile_device *xt, const struct xetile_bo *bo)
{
	struct xetile_tile *tile;
	u64 room = 0;

	dma_resv_assert_held(bo->ttm.base.resv);
	if (bo->recolor)
		return true;
	xetile_for_each_tile(tile, xt)
		room += room_on(tile);
	return bo->args.size <= room;
}

/**
 * xetile_hbm_has_room() - would a BO find room now, as it is colored, without an eviction
 * @xt: card
 * @shares: color pages of it on each tile
 * @given: bytes on each tile that it would give back before, or NULL
 *
 * Takes the allocators' mutexes.
 *
 * Return: true, unless memory is in pieces too small.
 */
bool xetile_hbm_has_room(struct xetile_device *xt, const u64 shares[], const u64 *given)
{
	struct xetile_tile *tile;

	xetile_for_each_tile(tile, xt)
		if (shares[tile->id] * XETILE_COLOR_PAGE >
		    room_on(tile) + (given ? given[tile->id] : 0))
			return false;
	return true;
}

/**
 * xetile_hbm_freed() - how often BOs gave HBM back
 * @xt: card
 *
 * Return: a number that only grows.
 */
u64 xetile_hbm_freed(struct xetile_device *xt)
{
	struct xetile_tile *tile;
	u64 freed = 0;

	xetile_for_each_tile(tile, xt)
		freed += atomic64_read(&tile->hbm->freed);
	return freed;
}

static int take_all(struct xetile_device *xt, struct xetile_hbm_resource *res,
		    const struct xetile_bo *bo, bool spill, u32 *lack)
{
	struct xetile_color_iter it;
	u64 offset = 0, pages, done;
	u32 exhausted = 0, t;
	int err = 0;

	dma_resv_assert_held(bo->ttm.base.resv);
	xetile_color_begin(&it, bo->color, bo->args.size / XETILE_COLOR_PAGE);
	while (!err && xetile_color_next(&it, &t, &pages)) {
		u64 size = pages * XETILE_COLOR_PAGE;

		atomic64_inc(&xt->tiles[t].hbm->runs);
		err = spill ? take_run_spilling(xt, res, &exhausted, t, offset, size) :
			      xetile_hbm_take_run(res, &xt->tiles[t], offset, size, &done);
		if (err == -ENOSPC && !spill)
			*lack = FIELD_PREP(XETILE_PLACE_SHORT, BIT(t));
		offset += size;
		/* TTM asks again after each eviction, and a BO may have very many runs. */
		if (!err && signal_pending(current))
			err = -ERESTARTSYS;
	}
	return err;
}

/* Take memory for a part of a BO that changes its tile. If the BO may spill, as far as there is. */
static int take_change(struct xetile_device *xt, struct xetile_hbm_resource *res,
		       struct xetile_change *change, bool spill, u32 *exhausted)
{
	struct xetile_tile *tile = &xt->tiles[change->tile];
	u64 size = change->size;
	int err = 0;

	change->taken = 0;
	if (spill)
		size = *exhausted & BIT(tile->id) ? 0 : min(size, room_on(tile));
	atomic64_inc(&tile->hbm->runs);
	if (size)
		err = xetile_hbm_take_run(res, tile, change->offset, size, &change->taken);
	if (spill && change->taken != change->size)
		*exhausted |= BIT(tile->id);
	return spill && err == -ENOSPC ? 0 : err;
}

/* Take memory for the parts of a BO that a recolor moves */
static int take_changes(struct xetile_device *xt, struct xetile_hbm_resource *res,
			struct xetile_recolor *recolor, bool spill, u32 *lack)
{
	u32 exhausted = 0;
	unsigned int i;
	int err = 0;

	for (i = 0; !err && i < recolor->num; i++) {
		err = take_change(xt, res, &recolor->changes[i], spill, &exhausted);
		if (err == -ENOSPC)
			*lack = FIELD_PREP(XETILE_PLACE_SHORT, BIT(recolor->changes[i].tile));
		if (!err && signal_pending(current))
			err = -ERESTARTSYS;
	}
	return err;
}

/*
 * Tells the call that wants a BO placed why a place failed. The last place that is tried counts: a
 * buffer that may spill can use room on any tile. But not if a limit refuses that place, while an
 * earlier one lacked room alone: then it helps to wait for that room.
 */
static void tell_call(struct xetile_device *xt, struct xetile_place_lack *told,
		      const struct ttm_place *place, u32 lack, int err)
{
	bool hopeless = lack & (XETILE_PLACE_NEVER | XETILE_PLACE_LIMIT);

	if (err != -ENOSPC && told->lacks && told->tiles)
		return;
	told->lacks = true;
	told->quota = err == -EDQUOT;
	told->any = (place->flags & XETILE_PLACE_SPILL) && !hopeless;
	told->tiles = told->any ? GENMASK(xt->num_tiles - 1, 0) :
		      hopeless ? 0 : FIELD_GET(XETILE_PLACE_SHORT, lack);
}

/* A limit has refused a place: which BOs count for it? Returns what TTM is to be told. */
static u32 note_limit(struct xetile_bo *bo, struct xetile_hbm_resource *res)
{
	dma_resv_assert_held(bo->ttm.base.resv);
	/* Nothing is evicted for a move that no call waits for. */
	if (!bo->lack)
		return XETILE_PLACE_NEVER;
	swap(bo->lack->group, res->limit);
	return XETILE_PLACE_LIMIT | FIELD_PREP(XETILE_PLACE_SHORT, BIT(res->full));
}

/* Says why a place failed, to TTM and to the call that wants the BO placed. @err: why */
static void note_lack(struct xetile_bo *bo, const struct ttm_place *place, u32 lack, int err)
{
	struct ttm_place *own;

	dma_resv_assert_held(bo->ttm.base.resv);
	if (bo->lack)
		tell_call(to_xetile_device(bo->ttm.base.dev), bo->lack, place, lack, err);
	for (own = bo->places; own < bo->places + ARRAY_SIZE(bo->places); own++) {
		if (own != place)
			continue;
		own->flags &= ~(XETILE_PLACE_SHORT | XETILE_PLACE_NEVER | XETILE_PLACE_LIMIT |
				XETILE_PLACE_INDEX);
		own->flags |= lack | FIELD_PREP(XETILE_PLACE_INDEX, own - bo->places);
	}
}

static int hbm_alloc(struct ttm_resource_manager *man, struct ttm_buffer_object *ttm_bo,
		     const struct ttm_place *place, struct ttm_resource **out)
{
	struct xetile_device *xt = manager_to_xt(man);
	struct xetile_bo *bo = ttm_to_xetile_bo(ttm_bo);
	bool spill = place->flags & XETILE_PLACE_SPILL;
	struct xetile_hbm_resource *res;
	u32 lack = 0;
	int err, i;

	res = kzalloc_obj(*res, GFP_KERNEL_ACCOUNT);
	if (!res)
		return -ENOMEM;
	for (i = 0; i < XETILE_MAX_TILES; i++)
		INIT_LIST_HEAD(&res->blocks[i]);
	ttm_resource_init(ttm_bo, place, &res->base);
	res->fresh = xetile_bo_is_fresh(bo) && !bo->copy_of;
	res->quota = xetile_quota_get(bo->args.quota);

	err = charge_wanted(xt, res, bo);
	if (err)
		goto err_free;
	/* TTM asks again after each eviction: so the walk over the runs of the color comes last. */
	err = -ENOSPC;
	if (spill && !has_room(xt, bo))
		goto err_free;
	if (!spill)
		lack = lacking(xt, bo);
	if (lack)
		goto err_free;
	err = bo->recolor ? take_changes(xt, res, bo->recolor, spill, &lack) :
			    take_all(xt, res, bo, spill, &lack);
	if (!err)
		err = charge(xt, res, bo, res->bytes);
	if (err)
		goto err_free;
	res->owner = bo;
	err = xetile_hbm_residents_add(container_of(man, struct xetile_hbm_manager, base), res);
	if (err)
		goto err_free;

	for (i = 0; i < XETILE_MAX_TILES; i++)
		if (res->bytes[i])
			atomic64_add(res->bytes[i], &xt->tiles[i].hbm->clients);
	/* TTM wants a number; the driver does not use it. */
	res->base.start = 0;
	*out = &res->base;
	return 0;

err_free:
	if (err == -EAGAIN || err == -EDQUOT)
		lack = note_limit(bo, res);
	if (err == -ENOSPC || err == -EAGAIN || err == -EDQUOT) {
		note_lack(bo, place, lack, err);
		err = -ENOSPC;
	}
	xetile_hbm_give_back(xt, res, false);
	destroy(man, res);
	return err;
}

static void hbm_free(struct ttm_resource_manager *man, struct ttm_resource *base)
{
	struct xetile_hbm_resource *res = to_xetile_hbm_resource(base);
	struct xetile_device *xt = manager_to_xt(man);

	xetile_hbm_give_back(xt, res, true);
	xetile_hbm_residents_remove(container_of(man, struct xetile_hbm_manager, base), res);
	destroy(man, res);
	wake_up_all(&xt->room.changed);
}

/* The BO that one of its own places is for; only for a place that LIMIT says more of */
static const struct xetile_bo *place_to_bo(const struct ttm_place *place)
{
	place -= FIELD_GET(XETILE_PLACE_INDEX, place->flags);
	return container_of(place, struct xetile_bo, places[0]);
}

/*
 * Is HBM of another BO worth evicting because a limit has refused a place? A control group's BOs
 * go for each other. A file's do not: its limit is for what it keeps. But those that it has closed
 * are freed at once, because TTM's workers may be long in coming to them, and copies of what jobs
 * only read end, because nobody has asked for each of them.
 */
static bool counts_for(const struct ttm_place *place, struct ttm_resource *base)
{
	const struct xetile_hbm_resource *res = to_xetile_hbm_resource(base);
	const struct xetile_bo *bo = place_to_bo(place);
	u32 tile = __ffs(FIELD_GET(XETILE_PLACE_SHORT, place->flags));

	if (base->bo == &bo->ttm)
		return false;
	if (bo->lack->group)
		return xetile_hbm_counts_for(res, tile, bo->lack->group,
					     place->flags & XETILE_PLACE_LOW);
	if (res->quota != bo->args.quota)
		return false;
	return base->bo->deleted || (base->bo == &res->owner->ttm && res->owner->copy_of);
}

static bool hbm_intersects(struct ttm_resource_manager *man, struct ttm_resource *base,
			   const struct ttm_place *place, size_t size)
{
	u32 lack = FIELD_GET(XETILE_PLACE_SHORT, place->flags);

	if (place->flags & XETILE_PLACE_NEVER)
		return false;
	if (lack && !xetile_hbm_on_tiles(base, lack))
		return false;
	return !(place->flags & XETILE_PLACE_LIMIT) || counts_for(place, base);
}

/* Any HBM will do for a BO that lies in HBM, unless xetile_bo_return(), advice or a recolor asks */
static bool hbm_compatible(struct ttm_resource_manager *man, struct ttm_resource *base,
			   const struct ttm_place *place, size_t size)
{
	if (to_xetile_hbm_resource(base)->owner->recolor)
		return false;
	return !(place->flags & XETILE_PLACE_EXACT) || !to_xetile_hbm_resource(base)->spilled;
}

static const struct ttm_resource_manager_func hbm_manager_func = {
	.alloc = hbm_alloc,
	.free = hbm_free,
	.intersects = hbm_intersects,
	.compatible = hbm_compatible,
};

static void hbm_manager_fini(struct drm_device *drm, void *arg)
{
	struct xetile_device *xt = to_xetile_device(drm);
	struct xetile_hbm_manager *man = arg;

	/*
	 * No file is open and no buffer exported any more, so that no new BO comes; works on
	 * these queues may still free the last BOs.
	 */
	drain_workqueue(xt->wq);
	drain_workqueue(xt->ttm.wq);
	/* Imports, which TTM's works have given up */
	drain_workqueue(xt->wq);
	ttm_resource_manager_evict_all(&xt->ttm, &man->base);
	ttm_resource_manager_set_used(&man->base, false);
	ttm_resource_manager_cleanup(&man->base);
	ttm_set_driver_manager(&xt->ttm, XETILE_PL_HBM, NULL);
	xa_destroy(&man->residents);
}

/**
 * xetile_hbm_manager_init() - let BOs have the memory of a card's banks
 * @xt: card with its banks and TTM's device
 *
 * The manager is freed with the DRM device, after the last buffer.
 *
 * Return: 0 or a negative error code.
 */
int xetile_hbm_manager_init(struct xetile_device *xt)
{
	struct xetile_hbm_manager *man;
	struct xetile_tile *tile;
	u64 total = 0;

	man = drmm_kzalloc(&xt->drm, sizeof(*man), GFP_KERNEL);
	if (!man)
		return -ENOMEM;
	xetile_for_each_tile(tile, xt)
		total += tile->range.usable;
	man->xt = xt;
	xa_init(&man->residents);
	man->base.func = &hbm_manager_func;
	ttm_resource_manager_init(&man->base, &xt->ttm, total);
	ttm_set_driver_manager(&xt->ttm, XETILE_PL_HBM, &man->base);
	ttm_resource_manager_set_used(&man->base, true);
	return drmm_add_action_or_reset(&xt->drm, hbm_manager_fini, man);
}
