// SPDX-License-Identifier: GPL-2.0-only
#include "xe/xetile_xe.h"

#include <linux/align.h>
#include <linux/bits.h>
#include <linux/log2.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>

#include <drm/drm_file.h>
#include <drm/drm_gem.h>
#include <drm/drm_vma_manager.h>
#include <drm/xe_drm.h>

#include "exec/xetile_client.h"
#include "ioctl/xetile_file.h"
#include "mem/xetile_bo.h"
#include "mem/xetile_color.h"
#include "mem/xetile_hbm.h"
#include "mem/xetile_hbm_manager.h"
#include "mem/xetile_sysmem.h"
#include "mem/xetile_vm.h"
#include "xe/xetile_xe_barrier.h"
#include "xe/xetile_xe_errno.h"
#include "xetile_device.h"

/**
 * DOC: the xe driver's calls on buffer objects
 *
 * Checks, and translation of structs. The DRM core calls them in process context, without a lock.
 *
 * A placement is a mask of regions: system memory, and the HBM of each tile. A buffer with one tile
 * has the color of that tile, exactly as it was asked for; one with several tiles is spread evenly
 * over them. With system memory as well it lies there when the tiles have no room.
 */

/* Regions as the query of memory regions numbers them */
#define REGION_SYSTEM		BIT(0)
#define REGIONS_HBM(tiles)	((u32)(tiles) << 1)

/* All HBM is visible, nothing scans out, and memory comes when it is first used. */
#define CREATE_FLAGS									\
	(DRM_XE_GEM_CREATE_FLAG_DEFER_BACKING | DRM_XE_GEM_CREATE_FLAG_SCANOUT |	\
	 DRM_XE_GEM_CREATE_FLAG_NEEDS_VISIBLE_VRAM)

static int check_fields(const struct drm_xe_gem_create *args)
{
	if (args->extensions || args->pad[0] || args->pad[1] || args->pad[2] ||
	    args->reserved[0] || args->reserved[1])
		return -EINVAL;
	if ((args->flags & ~CREATE_FLAGS) || args->handle)
		return -EINVAL;
	return 0;
}

/* What is in HBM some day is write-combined, because the CPU sees it there so. */
static int check_caching(const struct drm_xe_gem_create *args, u32 tiles)
{
	bool combined = args->cpu_caching == DRM_XE_GEM_CPU_CACHING_WC;

	if (!combined && args->cpu_caching != DRM_XE_GEM_CPU_CACHING_WB)
		return -EINVAL;
	if (!combined && (tiles || (args->flags & DRM_XE_GEM_CREATE_FLAG_SCANOUT)))
		return -EINVAL;
	if ((args->flags & DRM_XE_GEM_CREATE_FLAG_NEEDS_VISIBLE_VRAM) && !tiles)
		return -EINVAL;
	return 0;
}

static int read_create(struct xetile_device *xt, const struct drm_xe_gem_create *args,
		       struct xetile_bo_args *bo)
{
	u32 present = GENMASK(xt->num_tiles - 1, 0);
	u32 tiles = args->placement >> 1;
	int err;

	err = check_fields(args);
	if (err)
		return err;
	if (!args->placement || (args->placement & ~(REGION_SYSTEM | REGIONS_HBM(present))))
		return -EINVAL;
	err = check_caching(args, tiles);
	if (err)
		return err;
	if (args->placement & REGION_SYSTEM)
		bo->placement |= XETILE_PLACE_SYSTEM;
	if (tiles) {
		bo->placement |= XETILE_PLACE_HBM;
		bo->flags |= XETILE_BO_STRICT;
	}
	if (args->cpu_caching == DRM_XE_GEM_CPU_CACHING_WC)
		bo->flags |= XETILE_BO_WC;
	if (!args->size || !IS_ALIGNED(args->size, xetile_bo_granule(bo->placement)) ||
	    args->size > ALIGN_DOWN(U64_MAX, XETILE_COLOR_PAGE))
		return -EINVAL;
	bo->size = args->size;
	bo->color.policy = is_power_of_2(tiles) ? XETILE_POLICY_TILE : XETILE_POLICY_EVEN;
	bo->color.tile_mask = tiles ?: present;
	return 0;
}

/* The color that the process has for buffers in the HBM of one tile, if it has any */
static void color_by_process(struct xetile_device *xt, struct xetile_bo_args *bo)
{
	struct xetile_client_wish wish;

	if (bo->placement != XETILE_PLACE_HBM || bo->color.policy != XETILE_POLICY_TILE)
		return;
	xetile_client_wish(xt, task_tgid(current), &wish);
	if (!wish.colors || bo->size < wish.min_size)
		return;
	bo->flags &= ~XETILE_BO_STRICT;
	/* The tile stays that of the call, but may be full. */
	if (wish.color.policy != XETILE_POLICY_TILE)
		bo->color = wish.color;
}

/* Is there any memory that a BO could ever lie in? */
static int check_capacity(struct xetile_device *xt, const struct xetile_bo_args *args)
{
	struct xetile_tile *tile;

	if ((args->placement & XETILE_PLACE_SYSTEM) && args->size <= xetile_sysmem_capacity(xt))
		return 0;
	if (!(args->placement & XETILE_PLACE_HBM) || !xetile_hbm_can_hold(xt, args->size))
		return -ENOSPC;
	if (!(args->flags & XETILE_BO_STRICT))
		return 0;
	xetile_for_each_tile(tile, xt)
		if (xetile_color_share(&args->color, args->size / XETILE_COLOR_PAGE, tile->id) >
		    xetile_hbm_capacity(tile) / XETILE_COLOR_PAGE)
			return -ENOSPC;
	return 0;
}

/**
 * xetile_xe_gem_create() - DRM_IOCTL_XE_GEM_CREATE
 * @drm: card
 * @data: struct drm_xe_gem_create
 * @file: caller
 *
 * Context: process; may sleep.
 *
 * Return: 0 or -errno.
 */
int xetile_xe_gem_create(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct xetile_device *xt = to_xetile_device(drm);
	struct xetile_file *xf = file->driver_priv;
	struct xetile_bo_args bo_args = { .moves = xf->moves, .quota = xf->quota };
	struct drm_xe_gem_create *args = data;
	struct xetile_vm *vm = NULL;
	u32 handle;
	int err;

	err = read_create(xt, args, &bo_args);
	if (err)
		return err;
	color_by_process(xt, &bo_args);
	if (args->vm_id) {
		vm = xetile_file_vm(xf, args->vm_id);
		if (!vm)
			return -ENOENT;
		bo_args.owner = xetile_vm_gem(vm);
		bo_args.owner_id = args->vm_id;
	}
	err = check_capacity(xt, &bo_args) ?: xetile_file_make_bo(file, &bo_args, &handle);
	if (!err)
		args->handle = handle;
	xetile_vm_put(vm);
	return xetile_xe_errno(err);
}

/**
 * xetile_xe_gem_mmap_offset() - DRM_IOCTL_XE_GEM_MMAP_OFFSET
 * @drm: card
 * @data: struct drm_xe_gem_mmap_offset
 * @file: caller
 *
 * Context: process; may sleep.
 *
 * Return: 0 or -errno.
 */
int xetile_xe_gem_mmap_offset(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_xe_gem_mmap_offset *args = data;
	struct drm_gem_object *gem;

	if (args->extensions || (args->flags & ~DRM_XE_MMAP_OFFSET_FLAG_PCI_BARRIER) ||
	    args->reserved[0] || args->reserved[1])
		return -EINVAL;
	if (args->flags) {
		if (args->handle)
			return -EINVAL;
		args->offset = xetile_xe_barrier_offset();
		return 0;
	}
	gem = drm_gem_object_lookup(file, args->handle);
	if (!gem)
		return -ENOENT;
	args->offset = drm_vma_node_offset_addr(&gem->vma_node);
	drm_gem_object_put(gem);
	return 0;
}
