// SPDX-License-Identifier: GPL-2.0-only
#include "ioctl/xetile_ioctl.h"

#include <linux/err.h>
#include <linux/eventfd.h>
#include <linux/nospec.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include <drm/drm_file.h>
#include <drm/drm_gem.h>
#include <drm/drm_vma_manager.h>
#include <drm/xetile_drm.h>

#include "ioctl/xetile_file.h"
#include "mem/xetile_bo.h"
#include "mem/xetile_hbm.h"
#include "mem/xetile_hbm_manager.h"
#include "mem/xetile_managed_advice.h"
#include "mem/xetile_managed_types.h"
#include "mem/xetile_overlay.h"
#include "mem/xetile_pin.h"
#include "mem/xetile_purge.h"
#include "mem/xetile_recolor.h"
#include "mem/xetile_sync.h"
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
static_assert(DRM_XETILE_BO_LEAST_OCCUPIED == XETILE_BO_LEAST_OCCUPIED);
static_assert(DRM_XETILE_BO_MIGRATE == XETILE_BO_MIGRATE);
static_assert(DRM_XETILE_MIGRATE_RANGE == XETILE_MANAGED_RANGE);
static_assert(DRM_XETILE_SHARE_IMPORTED == XETILE_SHARE_IMPORTED);
static_assert(DRM_XETILE_SHARE_PEER == XETILE_SHARE_PEER);
static_assert(DRM_XETILE_SHARE_SYSTEM == XETILE_SHARE_SYSTEM);
static_assert(DRM_XETILE_SHARE_PINNED == XETILE_SHARE_PINNED);
static_assert(sizeof(struct drm_xetile_bo_range) == 48);
static_assert(sizeof(struct drm_xetile_bo_recolor) == 40);

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

/* A color as a call describes it */
struct color_args {
	const struct drm_xetile_array *runs;
	u64 granule;
	u32 color;
	u32 tile_mask;
};

static struct color_args created_color(const struct drm_xetile_bo_create *args)
{
	return (struct color_args) { &args->runs, args->granule, args->color, args->tile_mask };
}

static struct color_args range_color(const struct drm_xetile_bo_range *args)
{
	return (struct color_args) { &args->runs, args->granule, args->color, args->tile_mask };
}

static int check_color(const struct color_args *args)
{
	const struct xetile_policy *policy = find_policy(args->color);

	if (!policy)
		return -EINVAL;
	if (args->granule && (!policy->needs_granule ||
			      !IS_ALIGNED(args->granule, XETILE_COLOR_PAGE) ||
			      args->granule / XETILE_COLOR_PAGE > U32_MAX))
		return -EINVAL;
	if (policy->needs_runs != !!args->runs->data || policy->needs_runs != !!args->runs->count)
		return -EINVAL;
	return 0;
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
	const struct color_args color = created_color(args);
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
	return check_color(&color);
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
		       struct color_args *color)
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

/* @pages: color pages of what is colored */
static int read_color(struct xetile_device *xt, const struct color_args *args, u64 pages,
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

	runs = xetile_ioctl_array(args->runs, struct drm_xetile_color_run, pages);
	if (IS_ERR(runs))
		return PTR_ERR(runs);
	color->runs = runs;
	color->num_runs = args->runs->count;
	err = xetile_color_check(color, pages, present);
	if (err)
		kvfree(runs);
	return err;
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
	struct color_args color = created_color(args);
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
	err = read_color(xt, &color, bo_args.size / XETILE_COLOR_PAGE, &bo_args.color);
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
	const struct color_args color = range_color(args);
	int err;

	if (!args->size || !IS_ALIGNED(args->offset | args->size, XETILE_COLOR_PAGE) ||
	    args->offset > size || args->size > size - args->offset)
		return -EINVAL;
	err = check_color(&color);
	if (err)
		return err;
	/* A part of a BO cannot have more copies than the rest. */
	if (args->color == DRM_XETILE_COLOR_REPLICATE)
		return -EOPNOTSUPP;
	patch->page = args->offset / XETILE_COLOR_PAGE;
	patch->pages = args->size / XETILE_COLOR_PAGE;
	return read_color(xt, &color, patch->pages, &patch->color);
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

/* @event: the pin takes the reference on success. */
static int pin_object(struct xetile_device *xt, struct drm_file *file, struct xetile_bo *bo,
		      struct eventfd_ctx *event)
{
	struct xetile_file *xf = file->driver_priv;
	int err, idx;

	if (!bo->args.owner || bo->parts)
		return -EOPNOTSUPP;
	if (!(bo->args.placement & XETILE_PLACE_HBM))
		return -EINVAL;
	if (!xetile_hbm_can_hold(xt, bo->args.size))
		return -ENOSPC;
	if (!xetile_device_enter(xt, &idx))
		return -ENODEV;
	err = xetile_pin(bo, xf->account, event);
	xetile_device_exit(xt, idx);
	return err;
}

static int unpin_object(struct xetile_bo *bo)
{
	if (!bo->args.owner || bo->parts)
		return -EOPNOTSUPP;
	return xetile_unpin(bo);
}

/**
 * xetile_ioctl_bo_pin() - DRM_IOCTL_XETILE_BO_PIN
 * @drm: card
 * @data: struct drm_xetile_bo_pin
 * @file: caller
 *
 * Context: process; may sleep.
 *
 * Return: 0 or what the uAPI header says.
 */
int xetile_ioctl_bo_pin(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_xetile_bo_pin *args = data;
	bool end = args->flags & DRM_XETILE_PIN_END;
	struct eventfd_ctx *event = NULL;
	struct drm_gem_object *gem;
	int err;

	if (args->flags & ~DRM_XETILE_PIN_END || args->pad || args->event_fd < -1 ||
	    (end && args->event_fd != -1))
		return -EINVAL;
	gem = drm_gem_object_lookup(file, args->handle);
	if (!gem)
		return -ENOENT;
	if (args->event_fd >= 0)
		event = eventfd_ctx_fdget(args->event_fd);
	if (IS_ERR(event)) {
		err = -EINVAL;
		goto out;
	}
	err = end ? unpin_object(gem_to_xetile_bo(gem)) :
		    pin_object(to_xetile_device(drm), file, gem_to_xetile_bo(gem), event);
	if (err && event)
		eventfd_ctx_put(event);
out:
	drm_gem_object_put(gem);
	return err;
}

static int purge_object(struct xetile_device *xt, struct xetile_bo *bo, bool allow, bool *retained)
{
	int err, idx;

	if (!bo->args.owner || bo->parts)
		return -EOPNOTSUPP;
	if (!(bo->args.placement & XETILE_PLACE_HBM))
		return -EINVAL;
	if (allow)
		return xetile_purge_allow(bo, retained);
	if (!xetile_device_enter(xt, &idx))
		return -ENODEV;
	err = xetile_purge_forbid(bo, retained);
	xetile_device_exit(xt, idx);
	return err;
}

/**
 * xetile_ioctl_bo_purge() - DRM_IOCTL_XETILE_BO_PURGE
 * @drm: card
 * @data: struct drm_xetile_bo_purge
 * @file: caller
 *
 * Context: process; may sleep.
 *
 * Return: 0 or what the uAPI header says.
 */
int xetile_ioctl_bo_purge(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_xetile_bo_purge *args = data;
	struct drm_gem_object *gem;
	bool retained;
	int err;

	if (args->flags & ~DRM_XETILE_PURGE_ALLOW || args->pad)
		return -EINVAL;
	gem = drm_gem_object_lookup(file, args->handle);
	if (!gem)
		return -ENOENT;
	err = purge_object(to_xetile_device(drm), gem_to_xetile_bo(gem),
			   args->flags & DRM_XETILE_PURGE_ALLOW, &retained);
	if (!err)
		args->retained = retained;
	drm_gem_object_put(gem);
	return err;
}
