// SPDX-License-Identifier: GPL-2.0-only
#include "ioctl/xetile_ioctl.h"

#include <linux/err.h>
#include <linux/nospec.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include <drm/drm_file.h>
#include <drm/drm_gem.h>
#include <drm/xetile_drm.h>

#include "ioctl/xetile_ioctl_color.h"
#include "mem/xetile_bo.h"
#include "mem/xetile_hbm.h"
#include "mem/xetile_managed_advice.h"
#include "mem/xetile_managed_types.h"
#include "mem/xetile_overlay.h"
#include "mem/xetile_recolor.h"
#include "mem/xetile_sync.h"
#include "xetile_device.h"

/**
 * DOC: calls on ranges of a buffer object
 *
 * Checks, and translation of uAPI structs, for DRM_XETILE_BO_RECOLOR and DRM_XETILE_BO_ADVISE. The
 * DRM core calls them in process context, without a lock.
 */

static_assert(DRM_XETILE_MIGRATE_RANGE == XETILE_MANAGED_RANGE);
static_assert(sizeof(struct drm_xetile_bo_range) == 48);
static_assert(sizeof(struct drm_xetile_bo_recolor) == 40);

static struct xetile_ioctl_color range_color(const struct drm_xetile_bo_range *args)
{
	return (struct xetile_ioctl_color) {
		.runs = &args->runs, .granule = args->granule,
		.color = args->color, .tile_mask = args->tile_mask,
	};
}

/* struct patches - the ranges of a recolor */
struct patches {
	struct xetile_color_patch *array;
	u32 num;
};

static void put_patches(struct patches *patches)
{
	while (patches->num--)
		kvfree(patches->array[patches->num].color.runs);
	kvfree(patches->array);
}

/* Read a range of an object of @size bytes. On failure there is nothing to put. */
static int read_range(struct xetile_device *xt, const struct drm_xetile_bo_range *args, u64 size,
		      struct xetile_color_patch *patch)
{
	const struct xetile_ioctl_color color = range_color(args);
	int err;

	if (!args->size || !IS_ALIGNED(args->offset | args->size, XETILE_COLOR_PAGE) ||
	    args->offset > size || args->size > size - args->offset)
		return -EINVAL;
	err = xetile_ioctl_color_check(&color);
	if (err)
		return err;
	/* A part of a BO cannot have more copies than the rest. */
	if (args->color == DRM_XETILE_COLOR_REPLICATE)
		return -EOPNOTSUPP;
	patch->page = args->offset / XETILE_COLOR_PAGE;
	patch->pages = args->size / XETILE_COLOR_PAGE;
	return xetile_ioctl_color_read(xt, &color, patch->pages, &patch->color);
}

static int compare_patches(const void *a, const void *b)
{
	const struct xetile_color_patch *l = a, *r = b;

	return l->page < r->page ? -1 : l->page > r->page;
}

/* Read the ranges of an object of @size bytes. On failure there is nothing to put. */
static int read_ranges(struct xetile_device *xt, const struct drm_xetile_array *from, u64 size,
		       struct patches *patches)
{
	struct drm_xetile_bo_range args;
	u64 runs = 0;
	int err;

	*patches = (struct patches) { };
	err = xetile_ioctl_array_ok(from, struct drm_xetile_bo_range, tile_mask);
	if (err)
		return err;
	if (!from->count)
		return -EINVAL;
	patches->array = kvcalloc(from->count, sizeof(*patches->array), GFP_KERNEL_ACCOUNT);
	if (!patches->array)
		return -ENOMEM;
	while (!err && patches->num < from->count) {
		struct xetile_color_patch *patch = &patches->array[patches->num];

		err = xetile_ioctl_elem(from, patches->num, &args, sizeof(args)) ?:
		      read_range(xt, &args, size, patch);
		if (err)
			break;
		patches->num++;
		runs += patch->color.num_runs;
		if (runs > DRM_XETILE_MAX_RECOLOR_RUNS)
			err = -EINVAL;
	}
	sort(patches->array, patches->num, sizeof(*patches->array), compare_patches, NULL);
	err = err ?: xetile_overlay_check(patches->array, patches->num, size / XETILE_COLOR_PAGE);
	if (err)
		put_patches(patches);
	return err;
}

static int recolor(struct xetile_device *xt, struct xetile_bo *bo, u32 handle,
		   const struct patches *patches, const struct xetile_sync_set *syncs)
{
	int err, idx;

	/* First, because the removal of the card waits for those who have entered it. */
	err = xetile_syncs_wait(syncs->array, syncs->num);
	if (err)
		return err;
	if (!xetile_device_enter(xt, &idx))
		return -ENODEV;
	err = xetile_recolor(bo, handle, patches->array, patches->num, syncs);
	xetile_device_exit(xt, idx);
	return err;
}

static int recolor_object(struct xetile_device *xt, struct drm_file *file, struct xetile_bo *bo,
			  const struct drm_xetile_bo_recolor *args)
{
	struct xetile_sync_set syncs;
	struct patches patches;
	int err;

	if (!(bo->args.placement & XETILE_PLACE_HBM))
		return -EINVAL;
	if (bo->args.replicas || bo->parts)
		return -EOPNOTSUPP;
	/* Also because HBM bounds the runs of the color */
	if (!xetile_hbm_can_hold(xt, bo->args.size))
		return -ENOSPC;
	err = read_ranges(xt, &args->ranges, bo->args.size, &patches);
	if (err)
		return err;
	err = xetile_ioctl_syncs(file, &args->syncs, &syncs);
	if (!err) {
		err = recolor(xt, bo, args->handle, &patches, &syncs);
		xetile_ioctl_syncs_put(&syncs);
	}
	put_patches(&patches);
	return err;
}

/**
 * xetile_ioctl_bo_recolor() - DRM_IOCTL_XETILE_BO_RECOLOR
 * @drm: card
 * @data: struct drm_xetile_bo_recolor
 * @file: caller
 *
 * Context: process; may sleep.
 *
 * Return: 0 or what the uAPI header says.
 */
int xetile_ioctl_bo_recolor(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_xetile_bo_recolor *args = data;
	struct drm_gem_object *gem;
	int err;

	if (args->flags)
		return -EINVAL;
	gem = drm_gem_object_lookup(file, args->handle);
	if (!gem)
		return -ENOENT;
	err = recolor_object(to_xetile_device(drm), file, gem_to_xetile_bo(gem), args);
	drm_gem_object_put(gem);
	return err;
}

static int read_advice(struct xetile_device *xt, const struct drm_xetile_bo_advice *args,
		       const struct xetile_bo *whole, struct xetile_managed_advice *advice)
{
	static const enum xetile_advice kinds[] = {
		[DRM_XETILE_ADVICE_DEFAULT] = XETILE_ADVICE_COLOR,
		[DRM_XETILE_ADVICE_TILE] = XETILE_ADVICE_TILE,
		[DRM_XETILE_ADVICE_SYSTEM] = XETILE_ADVICE_SYSTEM,
		[DRM_XETILE_ADVICE_READ_MOSTLY] = XETILE_ADVICE_READ,
	};
	u64 size = whole->args.size;

	if (args->advice >= ARRAY_SIZE(kinds) ||
	    args->tile >= (args->advice == DRM_XETILE_ADVICE_TILE ? xt->num_tiles : 1))
		return -EINVAL;
	if (!args->size || args->offset > size || args->size > size - args->offset ||
	    !IS_ALIGNED(args->offset, XETILE_MANAGED_RANGE) ||
	    (!IS_ALIGNED(args->size, XETILE_MANAGED_RANGE) && args->offset + args->size != size))
		return -EINVAL;
	*advice = (struct xetile_managed_advice) {
		.first = args->offset >> XETILE_MANAGED_SHIFT,
		.num = DIV_ROUND_UP_ULL(args->size, XETILE_MANAGED_RANGE),
		.advice = kinds[array_index_nospec(args->advice, ARRAY_SIZE(kinds))],
		.tile = array_index_nospec(args->tile, XETILE_MAX_TILES),
	};
	return 0;
}

/* Returns an array for kvfree(), or an ERR_PTR. */
static struct xetile_managed_advice *read_advices(struct xetile_device *xt,
						  const struct drm_xetile_array *from,
						  const struct xetile_bo *whole)
{
	struct xetile_managed_advice *list;
	struct drm_xetile_bo_advice args;
	u64 parts = 0;
	int err;
	u32 i;

	err = xetile_ioctl_array_ok(from, struct drm_xetile_bo_advice, tile);
	if (!err && !from->count)
		err = -EINVAL;
	if (err)
		return ERR_PTR(err);
	list = kvmalloc_array(from->count, sizeof(*list), GFP_KERNEL_ACCOUNT);
	if (!list)
		return ERR_PTR(-ENOMEM);
	for (i = 0; i < from->count && !err; i++) {
		err = xetile_ioctl_elem(from, i, &args, sizeof(args)) ?:
		      read_advice(xt, &args, whole, &list[i]);
		if (err)
			break;
		/* The reservation is held for so many. */
		parts += list[i].num;
		if (parts > DRM_XETILE_MAX_RANGES)
			err = -EINVAL;
	}
	if (!err)
		return list;
	kvfree(list);
	return ERR_PTR(err);
}

static int advise_object(struct xetile_device *xt, struct xetile_bo *bo,
			 const struct drm_xetile_array *ranges)
{
	struct xetile_managed_advice *list;
	int err;

	if (!bo->parts)
		return -EOPNOTSUPP;
	list = read_advices(xt, ranges, bo);
	if (IS_ERR(list))
		return PTR_ERR(list);
	err = xetile_managed_advise(bo, list, ranges->count);
	kvfree(list);
	return err;
}

/**
 * xetile_ioctl_bo_advise() - DRM_IOCTL_XETILE_BO_ADVISE
 * @drm: card
 * @data: struct drm_xetile_bo_advise
 * @file: caller
 *
 * Context: process; may sleep.
 *
 * Return: 0 or what the uAPI header says.
 */
int xetile_ioctl_bo_advise(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_xetile_bo_advise *args = data;
	struct drm_gem_object *gem;
	int err;

	if (args->flags)
		return -EINVAL;
	gem = drm_gem_object_lookup(file, args->handle);
	if (!gem)
		return -ENOENT;
	err = advise_object(to_xetile_device(drm), gem_to_xetile_bo(gem), &args->ranges);
	drm_gem_object_put(gem);
	return err;
}
