// SPDX-License-Identifier: GPL-2.0-only
#include "ioctl/xetile_ioctl.h"

#include <linux/err.h>
#include <linux/slab.h>

#include <drm/drm_file.h>
#include <drm/drm_gem.h>
#include <drm/drm_vma_manager.h>
#include <drm/xetile_drm.h>

#include "ioctl/xetile_file.h"
#include "ioctl/xetile_ioctl_color.h"
#include "mem/xetile_bo.h"
#include "mem/xetile_hbm.h"
#include "mem/xetile_hbm_manager.h"
#include "mem/xetile_sysmem.h"
#include "mem/xetile_vm.h"
#include "xetile_device.h"

/**
 * DOC: calls on buffer objects
 *
 * Checks, and translation of uAPI structs, for DRM_XETILE_BO_CREATE, DRM_XETILE_BO_INFO and
 * DRM_XETILE_BO_MMAP. The DRM core calls them in process context, without a lock.
 */

static_assert(DRM_XETILE_PLACE_HBM == XETILE_PLACE_HBM);
static_assert(DRM_XETILE_PLACE_SYSTEM == XETILE_PLACE_SYSTEM);
static_assert(DRM_XETILE_BO_STRICT == XETILE_BO_STRICT);
static_assert(DRM_XETILE_BO_LEAST_OCCUPIED == XETILE_BO_LEAST_OCCUPIED);
static_assert(DRM_XETILE_BO_MIGRATE == XETILE_BO_MIGRATE);
static_assert(DRM_XETILE_SHARE_IMPORTED == XETILE_SHARE_IMPORTED);
static_assert(DRM_XETILE_SHARE_PEER == XETILE_SHARE_PEER);
static_assert(DRM_XETILE_SHARE_SYSTEM == XETILE_SHARE_SYSTEM);
static_assert(DRM_XETILE_SHARE_PINNED == XETILE_SHARE_PINNED);

static struct xetile_ioctl_color created_color(const struct drm_xetile_bo_create *args)
{
	return (struct xetile_ioctl_color) {
		.runs = &args->runs, .granule = args->granule,
		.color = args->color, .tile_mask = args->tile_mask,
	};
}

/* The flags of BO_CREATE */
#define BO_FLAGS \
	(DRM_XETILE_BO_STRICT | DRM_XETILE_BO_LEAST_OCCUPIED | DRM_XETILE_BO_MIGRATE)

static bool may_migrate(const struct drm_xetile_bo_create *args)
{
	return args->vm_id &&
	       args->placement == (DRM_XETILE_PLACE_HBM | DRM_XETILE_PLACE_SYSTEM);
}

static int check_fields(const struct drm_xetile_bo_create *args)
{
	const struct xetile_ioctl_color color = created_color(args);
	bool hbm = args->placement & DRM_XETILE_PLACE_HBM;

	if (!args->size || args->size > ALIGN_DOWN(U64_MAX, XETILE_COLOR_PAGE))
		return -EINVAL;
	if (!args->placement ||
	    (args->placement & ~(DRM_XETILE_PLACE_HBM | DRM_XETILE_PLACE_SYSTEM)))
		return -EINVAL;
	if (args->flags & ~BO_FLAGS)
		return -EINVAL;
	if ((args->flags & DRM_XETILE_BO_MIGRATE) && !may_migrate(args))
		return -EINVAL;
	if ((args->flags & DRM_XETILE_BO_LEAST_OCCUPIED) &&
	    (!hbm ||
	     (args->color != DRM_XETILE_COLOR_TILE && args->color != DRM_XETILE_COLOR_EVEN)))
		return -EINVAL;
	if (!hbm && args->color != DRM_XETILE_COLOR_EVEN)
		return -EINVAL;
	return xetile_ioctl_color_check(&color);
}

/* The bytes of a BO are those of all its copies. */
static int read_size(struct xetile_device *xt, const struct drm_xetile_bo_create *args,
		     struct xetile_bo_args *bo_args)
{
	u64 size = ALIGN(args->size, XETILE_COLOR_PAGE);
	u32 tiles = args->tile_mask ?: GENMASK(xt->num_tiles - 1, 0);

	if (args->color != DRM_XETILE_COLOR_REPLICATE) {
		bo_args->size = size;
		return 0;
	}
	/* The CPU has one copy. */
	if (args->flags & DRM_XETILE_BO_MIGRATE)
		return -EOPNOTSUPP;
	bo_args->replicas = tiles;
	return check_mul_overflow(size, (u64)hweight32(tiles), &bo_args->size) ? -EINVAL : 0;
}

/* Leave one tile in the mask of a color, if the flags want the emptiest one of the mask */
static int choose_tile(struct xetile_device *xt, const struct drm_xetile_bo_create *args,
		       struct xetile_ioctl_color *color)
{
	u32 present = GENMASK(xt->num_tiles - 1, 0);
	u32 tiles = args->tile_mask ?: present;

	if (!(args->flags & DRM_XETILE_BO_LEAST_OCCUPIED))
		return 0;
	if (tiles & ~present)
		return -EINVAL;
	if (args->color == DRM_XETILE_COLOR_TILE || args->size <= XETILE_COLOR_PAGE)
		color->tile_mask = BIT(xetile_hbm_least_occupied(xt, tiles));
	return 0;
}

/* Is there any memory that a BO could ever lie in? */
static int check_capacity(struct xetile_device *xt, const struct xetile_bo_args *args)
{
	bool strict = args->flags & XETILE_BO_STRICT;
	struct xetile_tile *tile;
	bool fits = true;

	if (args->flags & XETILE_BO_MIGRATE)
		return xetile_hbm_can_hold(xt, args->size) &&
		       args->size <= xetile_sysmem_capacity(xt) ? 0 : -ENOSPC;
	if ((args->placement & XETILE_PLACE_SYSTEM) && args->size <= xetile_sysmem_capacity(xt))
		return 0;
	if (!(args->placement & XETILE_PLACE_HBM))
		return -ENOSPC;

	/* First, because the size bounds the walks over the color */
	if (!xetile_hbm_can_hold(xt, args->size))
		return -ENOSPC;
	if (!strict)
		return 0;
	xetile_for_each_tile(tile, xt)
		if (xetile_color_share(&args->color, args->size / XETILE_COLOR_PAGE, tile->id) >
		    xetile_hbm_capacity(tile) / XETILE_COLOR_PAGE)
			fits = false;
	return fits ? 0 : -ENOSPC;
}

/**
 * xetile_ioctl_bo_create() - DRM_IOCTL_XETILE_BO_CREATE
 * @drm: card
 * @data: struct drm_xetile_bo_create
 * @file: caller
 *
 * Context: process; may sleep.
 *
 * Return: 0 or what the uAPI header says.
 */
int xetile_ioctl_bo_create(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct xetile_device *xt = to_xetile_device(drm);
	struct drm_xetile_bo_create *args = data;
	struct xetile_ioctl_color color = created_color(args);
	struct xetile_file *xf = file->driver_priv;
	struct xetile_bo_args bo_args = { .moves = xf->moves, .quota = xf->quota };
	struct xetile_vm *vm = NULL;
	u32 handle;
	int err;

	err = check_fields(args) ?: read_size(xt, args, &bo_args) ?:
	      choose_tile(xt, args, &color);
	if (err)
		return err;
	if (args->vm_id) {
		vm = xetile_file_vm(xf, args->vm_id);
		if (!vm)
			return -ENOENT;
		bo_args.owner = xetile_vm_gem(vm);
		bo_args.owner_id = args->vm_id;
	}
	err = xetile_ioctl_color_read(xt, &color, bo_args.size / XETILE_COLOR_PAGE, &bo_args.color);
	if (err)
		goto out;

	bo_args.placement = args->placement;
	bo_args.flags = args->flags;
	err = check_capacity(xt, &bo_args) ?: xetile_file_make_bo(file, &bo_args, &handle);
	if (!err) {
		args->size = ALIGN(args->size, XETILE_COLOR_PAGE);
		args->handle = handle;
	}
	kvfree(bo_args.color.runs);
out:
	xetile_vm_put(vm);
	return err;
}

/* A private BO may outlive its VM, and the VM's id may be that of another VM by then. */
static u32 owner_id(struct xetile_file *xf, const struct xetile_bo *bo)
{
	struct xetile_vm *vm = xetile_file_vm(xf, bo->args.owner_id);
	bool is_owner = vm && xetile_vm_gem(vm) == bo->args.owner;

	xetile_vm_put(vm);
	return is_owner ? bo->args.owner_id : 0;
}

/**
 * xetile_ioctl_bo_info() - DRM_IOCTL_XETILE_BO_INFO
 * @drm: card
 * @data: struct drm_xetile_bo_info
 * @file: caller
 *
 * Context: process; may sleep.
 *
 * Return: 0 or what the uAPI header says.
 */
int xetile_ioctl_bo_info(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_xetile_bo_info *args = data;
	struct xetile_bo_state state;
	struct drm_gem_object *gem;
	struct xetile_bo *bo;
	int err;

	gem = drm_gem_object_lookup(file, args->handle);
	if (!gem)
		return -ENOENT;
	bo = gem_to_xetile_bo(gem);

	err = xetile_bo_runs(bo, &state);
	if (err)
		goto out;
	err = xetile_ioctl_answer(&args->runs, state.runs, state.num_runs,
				  struct drm_xetile_color_run, pages);
	kvfree(state.runs);
	if (err)
		goto out;

	args->size = xetile_bo_copy_size(bo);
	args->granule = (u64)state.color.granule * XETILE_COLOR_PAGE;
	args->placement = bo->args.placement;
	/* Another interface has more of them. */
	args->flags = bo->args.flags & BO_FLAGS;
	args->color = state.color.policy;
	args->tile_mask = state.color.tile_mask;
	args->vm_id = owner_id(file->driver_priv, bo);
	args->share = state.share;
	args->pinned = state.pinned;
	args->pad = 0;
out:
	drm_gem_object_put(gem);
	return err;
}

/**
 * xetile_ioctl_bo_mmap() - DRM_IOCTL_XETILE_BO_MMAP
 * @drm: card
 * @data: struct drm_xetile_bo_mmap
 * @file: caller
 *
 * Context: process; may sleep.
 *
 * Return: 0 or what the uAPI header says.
 */
int xetile_ioctl_bo_mmap(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_xetile_bo_mmap *args = data;
	struct drm_gem_object *gem;

	if (args->flags)
		return -EINVAL;
	gem = drm_gem_object_lookup(file, args->handle);
	if (!gem)
		return -ENOENT;
	args->offset = drm_vma_node_offset_addr(&gem->vma_node);
	drm_gem_object_put(gem);
	return 0;
}
