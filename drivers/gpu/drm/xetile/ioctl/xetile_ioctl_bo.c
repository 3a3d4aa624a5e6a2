// SPDX-License-Identifier: GPL-2.0-only
#include "ioctl/xetile_ioctl.h"

#include <linux/nospec.h>
#include <linux/slab.h>

#include <drm/drm_file.h>
#include <drm/drm_gem.h>
#include <drm/drm_vma_manager.h>
#include <drm/xetile_drm.h>

#include "ioctl/xetile_file.h"
#include "mem/xetile_bo.h"
#include "mem/xetile_hbm.h"
#include "mem/xetile_sysmem.h"
#include "mem/xetile_vm.h"
#include "xetile_device.h"

/**
 * DOC: calls on buffer objects
 *
 * Checks, and translation of uAPI structs, for DRM_XETILE_BO_*. The DRM core calls them in
 * process context, without a lock.
 */

static_assert(sizeof(struct drm_xetile_color_run) == sizeof(struct xetile_color_run));
static_assert(offsetof(struct drm_xetile_color_run, pages) ==
	      offsetof(struct xetile_color_run, pages));
static_assert(DRM_XETILE_MEM_SYSTEM == XETILE_COLOR_SYSTEM);
static_assert(DRM_XETILE_COLOR_PAGE == XETILE_COLOR_PAGE);
static_assert(DRM_XETILE_PLACE_HBM == XETILE_PLACE_HBM);
static_assert(DRM_XETILE_PLACE_SYSTEM == XETILE_PLACE_SYSTEM);
static_assert(DRM_XETILE_BO_STRICT == XETILE_BO_STRICT);
static_assert(DRM_XETILE_SHARE_IMPORTED == XETILE_SHARE_IMPORTED);
static_assert(DRM_XETILE_SHARE_PEER == XETILE_SHARE_PEER);
static_assert(DRM_XETILE_SHARE_SYSTEM == XETILE_SHARE_SYSTEM);
static_assert(DRM_XETILE_SHARE_PINNED == XETILE_SHARE_PINNED);

#define SAME_NUMBER(name) \
	static_assert((int)DRM_XETILE_COLOR_##name == (int)XETILE_POLICY_##name);
XETILE_POLICIES(SAME_NUMBER)

#define LISTED(name)	LISTED_##name,
enum { XETILE_POLICIES(LISTED) NUM_LISTED };
static_assert((int)NUM_LISTED == (int)XETILE_NUM_POLICIES);

/*
 * The rule of a color, or NULL. The number chooses a row, so speculation of the CPU must not take
 * it past the table.
 */
static const struct xetile_policy *find_policy(u32 color)
{
	if (color >= XETILE_NUM_POLICIES)
		return NULL;
	return xetile_policy_find(array_index_nospec(color, XETILE_NUM_POLICIES));
}

static int check_fields(const struct drm_xetile_bo_create *args)
{
	const struct xetile_policy *policy = find_policy(args->color);
	bool hbm = args->placement & DRM_XETILE_PLACE_HBM;

	if (!args->size || args->size > ALIGN_DOWN(U64_MAX, XETILE_COLOR_PAGE))
		return -EINVAL;
	if (!args->placement ||
	    (args->placement & ~(DRM_XETILE_PLACE_HBM | DRM_XETILE_PLACE_SYSTEM)))
		return -EINVAL;
	if (args->flags & ~DRM_XETILE_BO_STRICT)
		return -EINVAL;
	if (!policy || (!hbm && args->color != DRM_XETILE_COLOR_EVEN))
		return -EINVAL;
	if (args->granule && (!policy->needs_granule ||
			      !IS_ALIGNED(args->granule, XETILE_COLOR_PAGE) ||
			      args->granule / XETILE_COLOR_PAGE > U32_MAX))
		return -EINVAL;
	if (policy->needs_runs != !!args->runs.data || policy->needs_runs != !!args->runs.count)
		return -EINVAL;
	return policy->next ? 0 : -EOPNOTSUPP;
}

/* Is there any memory that a BO could ever lie in? */
static int check_capacity(struct xetile_device *xt, const struct xetile_bo_args *args)
{
	bool strict = args->flags & XETILE_BO_STRICT;
	struct xetile_tile *tile;
	bool fits = true;

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

static int read_color(struct xetile_device *xt, const struct drm_xetile_bo_create *args,
		      struct xetile_coloring *color)
{
	u32 present = GENMASK(xt->num_tiles - 1, 0);
	void *runs;
	int err;

	/* The coloring keeps the number, by which later calls choose functions. */
	color->policy = array_index_nospec(args->color, XETILE_NUM_POLICIES);
	color->tile_mask = args->tile_mask ?: present;
	if (xetile_policy_find(color->policy)->needs_granule)
		color->granule = args->granule ? args->granule / XETILE_COLOR_PAGE : 1;

	runs = xetile_ioctl_array(&args->runs, struct drm_xetile_color_run, pages);
	if (IS_ERR(runs))
		return PTR_ERR(runs);
	color->runs = runs;
	color->num_runs = args->runs.count;
	err = xetile_color_check(color, ALIGN(args->size, XETILE_COLOR_PAGE) / XETILE_COLOR_PAGE,
				 present);
	if (err)
		kvfree(runs);
	return err;
}

static int create_checked(struct xetile_device *xt, struct drm_file *file,
			  const struct xetile_bo_args *args, u32 *handle)
{
	struct xetile_bo *bo;
	int err, idx;

	err = check_capacity(xt, args);
	if (err)
		return err;
	if (!xetile_device_enter(xt, &idx))
		return -ENODEV;
	bo = xetile_bo_create(xt, args);
	xetile_device_exit(xt, idx);
	if (IS_ERR(bo))
		return PTR_ERR(bo);
	err = drm_gem_handle_create(file, xetile_bo_gem(bo), handle);
	if (err)
		xetile_bo_closed(bo);
	/* From here on the handle keeps the BO. */
	drm_gem_object_put(xetile_bo_gem(bo));
	return err;
}

/**
 * xetile_ioctl_bo_create() - DRM_IOCTL_XETILE_BO_CREATE
 * @drm: card
 * @data: struct drm_xetile_bo_create
 * @file: caller
 *
 * Return: 0 or what the uAPI header says.
 */
int xetile_ioctl_bo_create(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct xetile_device *xt = to_xetile_device(drm);
	struct drm_xetile_bo_create *args = data;
	struct xetile_bo_args bo_args = { };
	struct xetile_vm *vm = NULL;
	u32 handle;
	int err;

	err = check_fields(args);
	if (err)
		return err;
	if (args->vm_id) {
		vm = xetile_file_vm(file->driver_priv, args->vm_id);
		if (!vm)
			return -ENOENT;
		bo_args.owner = xetile_vm_gem(vm);
		bo_args.owner_id = args->vm_id;
	}
	err = read_color(xt, args, &bo_args.color);
	if (err)
		goto out;

	bo_args.size = ALIGN(args->size, XETILE_COLOR_PAGE);
	bo_args.placement = args->placement;
	bo_args.flags = args->flags;
	err = create_checked(xt, file, &bo_args, &handle);
	if (!err) {
		args->size = bo_args.size;
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
 * Return: 0 or what the uAPI header says.
 */
int xetile_ioctl_bo_info(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_xetile_bo_info *args = data;
	struct xetile_color_run *runs;
	struct drm_gem_object *gem;
	struct xetile_bo *bo;
	u32 num, share;
	int err;

	gem = drm_gem_object_lookup(file, args->handle);
	if (!gem)
		return -ENOENT;
	bo = gem_to_xetile_bo(gem);

	err = xetile_bo_runs(bo, &runs, &num, &share);
	if (err)
		goto out;
	err = xetile_ioctl_answer(&args->runs, runs, num, struct drm_xetile_color_run, pages);
	kvfree(runs);
	if (err)
		goto out;

	args->size = bo->args.size;
	args->granule = (u64)bo->args.color.granule * XETILE_COLOR_PAGE;
	args->placement = bo->args.placement;
	args->flags = bo->args.flags;
	args->color = bo->args.color.policy;
	args->tile_mask = bo->args.color.tile_mask;
	args->vm_id = owner_id(file->driver_priv, bo);
	args->share = share;
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
