// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_bo.h"

#include <linux/dma-buf.h>
#include <linux/dma-fence.h>
#include <linux/dma-resv.h>
#include <linux/memcontrol.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include <drm/drm_gem_ttm_helper.h>
#include <drm/ttm/ttm_bo.h>

#include "card/xetile_awake.h"
#include "mem/xetile_bo_cpu.h"
#include "mem/xetile_bo_fill.h"
#include "mem/xetile_bo_group.h"
#include "mem/xetile_bo_layout.h"
#include "mem/xetile_bo_validate.h"
#include "mem/xetile_dma_buf.h"
#include "mem/xetile_hbm.h"
#include "mem/xetile_import.h"
#include "mem/xetile_moves.h"
#include "mem/xetile_pin.h"
#include "mem/xetile_quota.h"
#include "mem/xetile_room.h"
#include "xetile_device.h"

/**
 * DOC: buffer objects of users
 *
 * GEM objects over TTM, in the HBM of the tiles that their color names, or in system memory. This
 * file makes and frees them, decides who may have a handle of one, and tells where one lies. The
 * ioctls make them, and the DRM core closes and frees them. A buffer's reservation protects where
 * it is; it is taken here unless a function says otherwise.
 */

static void bo_free(struct xetile_bo *bo)
{
	xetile_awake_put(to_xetile_device(bo->ttm.base.dev));
	drm_gem_object_release(&bo->ttm.base);
	if (bo->args.owner)
		drm_gem_object_put(bo->args.owner);
	dma_fence_put(bo->filled);
	kvfree(bo->args.color.runs);
	xetile_moves_put(bo->args.moves);
	xetile_quota_put(bo->args.quota);
	mem_cgroup_put(bo->memcg);
	kfree(bo);
}

/**
 * xetile_bo_destroy() - free a BO, for TTM, which has given back its memory
 * @ttm: BO; this function as its destroy function tells a user's BO from TTM's own BOs
 *
 * Context: process; also in the shrinker of system memory, which drops references.
 */
void xetile_bo_destroy(struct ttm_buffer_object *ttm)
{
	struct xetile_bo *bo = ttm_to_xetile_bo(ttm);

	/*
	 * TTM may have moved the BO, and so listed it as unfilled, since the last GEM reference
	 * went.
	 */
	xetile_bo_note_unfilled(bo, false);
	if (bo->import)
		xetile_import_end(bo, bo_free);
	else
		bo_free(bo);
}

static void gem_free(struct drm_gem_object *gem)
{
	struct xetile_bo *bo = gem_to_xetile_bo(gem);

	xetile_bo_note_unfilled(bo, false);
	ttm_bo_fini(&bo->ttm);
}

/**
 * xetile_bo_unmapped() - a VM does not map a BO any more
 * @bo: BO with its reservation held
 *
 * A private BO leaves the group's place in TTM's lists when it has neither a handle nor a
 * mapping. Not later, because leaving needs the reservation, and the last reference may be
 * dropped with the reservation held or without it.
 *
 * Context: process, with the BO's reservation.
 */
void xetile_bo_unmapped(struct xetile_bo *bo)
{
	dma_resv_assert_held(bo->ttm.base.resv);
	if (!bo->ttm.bulk_move || !bo->closed || !list_empty(&bo->ttm.base.gpuva.list))
		return;
	ttm_bo_set_bulk_move(&bo->ttm, NULL);
	xetile_bo_group_of(bo)->num_bulk--;
}

static void note_closed(struct xetile_bo *bo)
{
	dma_resv_assert_held(bo->ttm.base.resv);
	bo->closed = true;
	xetile_pin_end(bo);
	xetile_bo_unmapped(bo);
}

/**
 * xetile_bo_closed() - a private BO has no handle any more, or got none
 * @bo: BO; its reservation is taken if it is private
 *
 * Context: process; takes the BO's reservation if the BO is private.
 */
void xetile_bo_closed(struct xetile_bo *bo)
{
	unsigned int i;

	if (!bo->args.owner)
		return;
	dma_resv_lock(bo->ttm.base.resv, NULL);
	note_closed(bo);
	/* The parts have no handle of their own. */
	for (i = 0; i < bo->num_parts; i++)
		note_closed(bo->parts[i]);
	dma_resv_unlock(bo->ttm.base.resv);
}

/* A private BO has but one handle. */
static void gem_close(struct drm_gem_object *gem, struct drm_file *file)
{
	xetile_bo_closed(gem_to_xetile_bo(gem));
}

/*
 * A file gets a handle. A BO that is private to an address space is shared by none of the ways
 * that the DRM core has: its first handle, made with the BO, is its only one.
 */
static int gem_open(struct drm_gem_object *gem, struct drm_file *file)
{
	return gem_to_xetile_bo(gem)->args.owner && READ_ONCE(gem->handle_count) > 1 ? -EPERM : 0;
}

static struct dma_buf *gem_export(struct drm_gem_object *gem, int flags)
{
	if (gem_to_xetile_bo(gem)->args.owner)
		return ERR_PTR(-EPERM);
	/* The core gives out an import's own dma-buf, unless the card was removed. */
	if (gem_to_xetile_bo(gem)->import)
		return ERR_PTR(-ENODEV);
	return xetile_dma_buf_export(gem, flags);
}

static int gem_mmap(struct drm_gem_object *gem, struct vm_area_struct *vma)
{
	struct xetile_bo *bo = gem_to_xetile_bo(gem);

	return bo->import ? xetile_import_mmap(bo, vma) : drm_gem_ttm_mmap(gem, vma);
}

static const struct drm_gem_object_funcs gem_funcs = {
	.free = gem_free,
	.open = gem_open,
	.close = gem_close,
	.export = gem_export,
	.mmap = gem_mmap,
	.vm_ops = &xetile_bo_vm_ops,
};

static void note_shares(struct xetile_bo *bo)
{
	struct xetile_color_iter it;
	u64 pages;
	u32 tile;

	memset(bo->shares, 0, sizeof(bo->shares));
	xetile_color_begin(&it, bo->color, bo->args.size / XETILE_COLOR_PAGE);
	while (xetile_color_next(&it, &tile, &pages))
		bo->shares[tile] += pages;
}

/*
 * Add a place in HBM, and one that is tried right after it: for that, BOs go which dmem.low
 * protects, because no others are left to go.
 */
static struct ttm_place *add_hbm(struct ttm_place *place, u32 flags)
{
	*place++ = (struct ttm_place) { .mem_type = XETILE_PL_HBM, .flags = flags };
	if (IS_ENABLED(CONFIG_CGROUP_DMEM))
		*place++ = (struct ttm_place) {
			.mem_type = XETILE_PL_HBM,
			.flags = flags | TTM_PL_FLAG_FALLBACK | XETILE_PLACE_LOW,
		};
	return place;
}

/**
 * xetile_bo_place() - say where a BO is to lie, by its color and by advice
 * @bo: BO with its reservation held, or one that nobody else has
 *
 * The order of the places is the documented one. TTM first tries the places that are no FALLBACK,
 * and evicts nothing. Then TTM tries all places in order, and evicts for each the BOs that
 * bo_eviction_valuable() of xetile_bo_move.c allows. A BO whose color must hold never spills. A
 * call that finds no room even so waits for busy BOs, see xetile_room.c. A BO that the user has
 * given advice for moves from tile to tile if its tile has room, and else stays where it is.
 *
 * Context: process, with the BO's reservation, once others have the BO.
 */
void xetile_bo_place(struct xetile_bo *bo)
{
	struct ttm_place *place = bo->places;
	bool advised = bo->advice != XETILE_ADVICE_NONE;
	bool system = bo->advice == XETILE_ADVICE_SYSTEM;
	/* Before note_shares(), because the size bounds the runs of the color that it walks */
	bool hbm = (bo->args.placement & XETILE_PLACE_HBM) &&
		   xetile_hbm_can_hold(to_xetile_device(bo->ttm.base.dev), bo->args.size);

	if (hbm)
		note_shares(bo);

	if (system)
		*place++ = (struct ttm_place) {
			.mem_type = XETILE_PL_SYSTEM, .flags = XETILE_PLACE_LIMITED,
		};
	if (hbm)
		place = add_hbm(place, system ? TTM_PL_FLAG_FALLBACK :
				advised ? XETILE_PLACE_EXACT : 0);
	if (hbm && !(bo->args.flags & XETILE_BO_STRICT))
		place = add_hbm(place, TTM_PL_FLAG_FALLBACK | XETILE_PLACE_SPILL);
	if ((bo->args.placement & XETILE_PLACE_SYSTEM) && !system)
		*place++ = (struct ttm_place) {
			.mem_type = XETILE_PL_SYSTEM,
			.flags = XETILE_PLACE_LIMITED | (hbm ? TTM_PL_FLAG_FALLBACK : 0),
		};
	bo->placement.placement = bo->places;
	bo->placement.num_placement = place - bo->places;
}

static int copy_runs(struct xetile_coloring *color)
{
	struct xetile_color_run *runs;

	if (!color->num_runs) {
		color->runs = NULL;
		return 0;
	}
	runs = kvmemdup(color->runs, array_size(color->num_runs, sizeof(*runs)),
			GFP_KERNEL_ACCOUNT);
	if (!runs)
		return -ENOMEM;
	color->runs = runs;
	return 0;
}

/**
 * xetile_bo_alloc() - make a GEM object of a BO, without memory, which TTM does not know yet
 * @xt: card
 * @args: arguments of its creation, checked
 *
 * Context: process.
 * Return: the BO with one reference, for xetile_bo_destroy(); or ERR_PTR(-ENOMEM).
 */
struct xetile_bo *xetile_bo_alloc(struct xetile_device *xt, const struct xetile_bo_args *args)
{
	struct xetile_bo *bo = kzalloc_obj(*bo, GFP_KERNEL_ACCOUNT);
	int err;

	if (!bo)
		return ERR_PTR(-ENOMEM);
	bo->args = *args;
	err = copy_runs(&bo->args.color);
	if (err) {
		kfree(bo);
		return ERR_PTR(err);
	}
	if (args->owner)
		drm_gem_object_get(args->owner);
	xetile_moves_get(args->moves);
	xetile_quota_get(args->quota);
	bo->memcg = get_mem_cgroup_from_mm(current->mm);
	INIT_LIST_HEAD(&bo->unfilled);
	INIT_LIST_HEAD(&bo->export_link);
	bo->color = &bo->args.color;
	bo->ttm.priority = XETILE_PRIORITY_NORMAL;
	bo->ttm.base.funcs = &gem_funcs;
	drm_gem_private_object_init(&xt->drm, &bo->ttm.base, args->size);
	xetile_bo_place(bo);
	xetile_awake_hold(xt);
	return bo;
}

/* @resv: reservation of the BO's group, locked, or NULL. On failure the BO is destroyed. */
static int bo_init(struct xetile_device *xt, struct xetile_bo *bo, struct dma_resv *resv,
		   struct xetile_room *room)
{
	struct ttm_operation_ctx ctx = {
		.interruptible = true,
		.gfp_retry_mayfail = true,
		/* Other BOs of the group are evicted to make room, as anybody's are. */
		.resv = resv,
		.allow_res_evict = resv,
	};
	int err;

	bo->lack = &room->lack;
	err = ttm_bo_init_reserved(&xt->ttm, &bo->ttm, ttm_bo_type_device, &bo->placement, 0,
				   &ctx, NULL, resv, xetile_bo_destroy);
	/*
	 * On failure the BO is gone, or about to go: leave it alone, because nobody places it any
	 * more.
	 */
	if (err)
		return xetile_bo_tell_lack(room, err);
	bo->lack = NULL;
	return 0;
}

static struct xetile_bo *try_create(struct xetile_device *xt, const struct xetile_bo_args *args,
				    struct xetile_room *room)
{
	struct dma_resv *resv = args->owner ? args->owner->resv : NULL;
	struct xetile_bo *bo = xetile_bo_alloc(xt, args);
	int err;

	if (IS_ERR(bo))
		return bo;
	if (resv) {
		err = dma_resv_lock_interruptible(resv, NULL);
		if (err) {
			xetile_bo_destroy(&bo->ttm);
			return ERR_PTR(err);
		}
	}
	err = bo_init(xt, bo, resv, room);
	if (!err) {
		if (resv) {
			ttm_bo_set_bulk_move(&bo->ttm, &xetile_bo_group_of(bo)->bulk);
			xetile_bo_group_of(bo)->num_bulk++;
		}
		ttm_bo_unreserve(&bo->ttm);
	} else if (resv) {
		dma_resv_unlock(resv);
	}
	return err ? ERR_PTR(err) : bo;
}

/**
 * xetile_bo_create() - make a buffer object
 * @xt: card
 * @args: arguments of its creation, checked
 *
 * The memory is allocated on return, and it is zero once the KERNEL fences of the BO's
 * reservation have signalled. May sleep for evictions and, with no reservation held, for the
 * jobs of others. Takes the reservation of the group.
 *
 * Return: the BO with one reference, or an ERR_PTR: ENOSPC, EDQUOT, ENOMEM, ERESTARTSYS.
 */
struct xetile_bo *xetile_bo_create(struct xetile_device *xt, const struct xetile_bo_args *args)
{
	struct xetile_room room;
	struct xetile_bo *bo;
	int err;

	xetile_room_begin(&room, xt, NULL);
	do {
		bo = try_create(xt, args, &room);
		err = PTR_ERR_OR_ZERO(bo);
	} while (xetile_room_again(&room, &err));
	xetile_room_end(&room);
	return err ? ERR_PTR(err) : bo;
}

/* Append a run, unless it goes on with the one before. Returns the number of runs. */
static u32 append_run(struct xetile_color_run *runs, u32 num, u32 tile, u64 size)
{
	u32 pages = DIV_ROUND_UP_ULL(size, XETILE_COLOR_PAGE);

	if (num && runs[num - 1].tile == tile)
		runs[num - 1].pages += pages;
	else
		runs[num++] = (struct xetile_color_run) { tile, pages };
	return num;
}

/*
 * Append the runs of a BO that has memory of its own. Also an import has one in system memory: the
 * colors of another card mean nothing here.
 */
static u32 append_runs(struct xetile_bo *bo, struct xetile_color_run *runs, u32 num)
{
	struct xetile_layout layout;
	u32 i;

	dma_resv_assert_held(bo->ttm.base.resv);
	/* It lies nowhere. */
	if (bo->purged)
		return num;
	xetile_bo_layout(bo, &layout);
	if (!layout.num)
		return append_run(runs, num, XETILE_COLOR_SYSTEM, bo->args.size);
	for (i = 0; i < layout.num; i++)
		num = append_run(runs, num, layout.ext[i].tile, layout.ext[i].size);
	return num;
}

/* The runs that a BO has at most */
static u32 max_runs(struct xetile_bo *bo)
{
	struct xetile_layout layout;

	dma_resv_assert_held(bo->ttm.base.resv);
	xetile_bo_layout(bo, &layout);
	return max(layout.num, 1);
}

static int fill_runs(struct xetile_bo *bo, struct xetile_color_run **runs, u32 *num_runs)
{
	struct xetile_bo **bos = bo->parts ?: &bo;
	unsigned int num = bo->parts ? bo->num_parts : 1, i;
	u32 max = 0, n = 0;

	dma_resv_assert_held(bo->ttm.base.resv);
	/* Parts are under the same reservation. */
	for (i = 0; i < num; i++)
		max += max_runs(bos[i]);
	*runs = kvcalloc(max, sizeof(**runs), GFP_KERNEL_ACCOUNT);
	if (!*runs)
		return -ENOMEM;
	for (i = 0; i < num; i++)
		n = append_runs(bos[i], *runs, n);
	*num_runs = n;
	return 0;
}

/* Mask of XETILE_SHARE_* */
static u32 how_shared(struct xetile_bo *bo)
{
	struct xetile_import *import = bo->import;

	dma_resv_assert_held(bo->ttm.base.resv);
	if (import && (!import->sgt || import->stale))
		return XETILE_SHARE_IMPORTED;
	if (import)
		return XETILE_SHARE_IMPORTED |
		       (import->peer ? XETILE_SHARE_PEER : XETILE_SHARE_SYSTEM);
	return (bo->peers ? XETILE_SHARE_PEER : 0) | (bo->lent ? XETILE_SHARE_SYSTEM : 0) |
	       (bo->ttm.pin_count ? XETILE_SHARE_PINNED : 0);
}

/**
 * xetile_bo_runs() - where a BO's pages lie now, and where they are to lie
 * @bo: BO; its reservation is taken
 * @state: out: what the caller wants to know
 *
 * Context: process; takes the BO's reservation.
 * Return: 0, -ENOMEM or -EINTR.
 */
int xetile_bo_runs(struct xetile_bo *bo, struct xetile_bo_state *state)
{
	int err;

	/* TTM does not know a BO that is made of parts. */
	err = dma_resv_lock_interruptible(bo->ttm.base.resv, NULL);
	if (err)
		return err;
	err = fill_runs(bo, &state->runs, &state->num_runs);
	state->color = bo->args.color;
	state->color.num_runs = 0;
	state->color.runs = NULL;
	state->share = how_shared(bo);
	state->pinned = bo->pin;
	dma_resv_unlock(bo->ttm.base.resv);
	return err;
}

/**
 * xetile_bo_usage() - bytes of a BO that are in memory now
 * @bo: BO
 * @hbm: out: bytes in HBM, by tile, copies of parts included
 * @system: out: bytes in system memory
 *
 * Takes no lock, because statistics are out of date anyway when they are read. The memory of an
 * import counts for its exporter.
 */
void xetile_bo_usage(struct xetile_bo *bo, u64 hbm[XETILE_MAX_TILES], u64 *system)
{
	int t;

	*system = bo->import || READ_ONCE(bo->purged) ? 0 : bo->args.size;
	for (t = 0; t < XETILE_MAX_TILES; t++) {
		hbm[t] = READ_ONCE(bo->hbm_bytes[t]);
		*system -= min(hbm[t], *system);
		hbm[t] += READ_ONCE(bo->copy_bytes[t]);
	}
}

/* On failure the BO is destroyed. */
static int init_import(struct xetile_device *xt, struct xetile_bo *bo, struct dma_buf *buf)
{
	struct ttm_operation_ctx ctx = { .interruptible = true };
	int err;

	/* TTM's own place without pages: the memory is the exporter's. */
	bo->places[0] = (struct ttm_place) { .mem_type = TTM_PL_SYSTEM };
	bo->placement.num_placement = 1;
	dma_resv_lock(buf->resv, NULL);
	err = ttm_bo_init_reserved(&xt->ttm, &bo->ttm, ttm_bo_type_sg, &bo->placement, 0, &ctx,
				   NULL, buf->resv, xetile_bo_destroy);
	dma_resv_unlock(buf->resv);
	if (err)
		return err;
	err = xetile_import_attach(bo);
	if (err)
		drm_gem_object_put(xetile_bo_gem(bo));
	return err;
}

static struct xetile_bo *create_import(struct xetile_device *xt, struct dma_buf *buf)
{
	const struct xetile_bo_args args = {
		.size = buf->size,
		.placement = XETILE_PLACE_SYSTEM,
		.color.tile_mask = GENMASK(xt->num_tiles - 1, 0),
	};
	struct xetile_bo *bo = xetile_bo_alloc(xt, &args);
	int err;

	if (IS_ERR(bo))
		return bo;
	err = xetile_import_begin(bo, buf);
	if (err) {
		xetile_bo_destroy(&bo->ttm);
		return ERR_PTR(err);
	}
	err = init_import(xt, bo, buf);
	return err ? ERR_PTR(err) : bo;
}

/**
 * xetile_bo_prime_import() - make a GEM object of a dma-buf
 * @drm: card
 * @buf: dma-buf
 *
 * Context: process, with &drm_device.object_name_lock; takes the exporter's reservation, and
 * &xetile_device.share.lock.
 * Return: the exported object itself, with a new reference, when it is one of this card; else an
 * import, or an ERR_PTR: -EOPNOTSUPP for a size that is no whole pages, or if the card cannot
 * reach the memory; -ENODEV; -ENOMEM; or the exporter's error.
 */
struct drm_gem_object *xetile_bo_prime_import(struct drm_device *drm, struct dma_buf *buf)
{
	struct xetile_device *xt = to_xetile_device(drm);
	struct xetile_bo *bo = xetile_dma_buf_source(buf);
	int idx;

	if (bo && bo->ttm.base.dev == drm) {
		drm_gem_object_get(xetile_bo_gem(bo));
		return xetile_bo_gem(bo);
	}
	if (!buf->size || !PAGE_ALIGNED(buf->size))
		return ERR_PTR(-EOPNOTSUPP);
	if (!xetile_device_enter(xt, &idx))
		return ERR_PTR(-ENODEV);
	bo = create_import(xt, buf);
	xetile_device_exit(xt, idx);
	return IS_ERR(bo) ? ERR_CAST(bo) : xetile_bo_gem(bo);
}
