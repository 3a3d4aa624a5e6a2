// SPDX-License-Identifier: GPL-2.0-only
#include "xe/xetile_xe.h"

#include <linux/align.h>
#include <linux/bits.h>
#include <linux/err.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include <drm/drm_file.h>
#include <drm/drm_gem.h>
#include <drm/xe_drm.h>

#include "ioctl/xetile_file.h"
#include "ioctl/xetile_ioctl.h"
#include "mem/xetile_bind_op.h"
#include "mem/xetile_bind_queue.h"
#include "mem/xetile_bo.h"
#include "mem/xetile_sync.h"
#include "mem/xetile_user.h"
#include "mem/xetile_va.h"
#include "mem/xetile_vm.h"
#include "mem/xetile_vm_bind.h"
#include "mem/xetile_vm_granule.h"
#include "xe/xetile_xe_errno.h"
#include "xe/xetile_xe_sync.h"
#include "xetile_device.h"

/**
 * DOC: the xe driver's call that binds
 *
 * Checks, and translation of structs. The DRM core calls it in process context, without a lock. An
 * array of binds is made as a whole or not at all, whatever its kinds are.
 */

static_assert(DRM_XE_VM_BIND_FLAG_READONLY == XETILE_BIND_READONLY);

/*
 * Binds of a call, during which nobody else uses the address space. Users answer ENOBUFS with
 * smaller arrays.
 */
#define MAX_BINDS	512

/*
 * Memory is always bound at once, dumps do not depend on the flag, and nothing is protected content
 * that a key could be missing for.
 */
#define BIND_FLAGS									\
	(DRM_XE_VM_BIND_FLAG_READONLY | DRM_XE_VM_BIND_FLAG_IMMEDIATE |			\
	 DRM_XE_VM_BIND_FLAG_NULL | DRM_XE_VM_BIND_FLAG_DUMPABLE |			\
	 DRM_XE_VM_BIND_FLAG_CHECK_PXP)

/* struct binds - the binds of a call */
struct binds {
	/* @one, or memory of its own */
	struct xetile_bind_op *ops;
	u32 num;
	struct xetile_bind_op one;
};

static void put_binds(struct binds *binds)
{
	while (binds->num--) {
		if (binds->ops[binds->num].gem)
			drm_gem_object_put(binds->ops[binds->num].gem);
		xetile_user_put(binds->ops[binds->num].user);
	}
	if (binds->ops != &binds->one)
		kvfree(binds->ops);
}

/* Fields that are right for any kind of bind */
static int check_fields(const struct drm_xe_vm_bind_op *args)
{
	if (args->extensions || args->pad || args->pad2 || args->reserved[0] ||
	    args->reserved[1] || args->reserved[2])
		return -EINVAL;
	if ((args->flags & ~BIND_FLAGS) || args->pat_index >= XETILE_NUM_PATS)
		return -EINVAL;
	if ((args->flags & DRM_XE_VM_BIND_FLAG_NULL) && args->op != DRM_XE_VM_BIND_OP_MAP)
		return -EINVAL;
	if (args->prefetch_mem_region_instance && args->op != DRM_XE_VM_BIND_OP_PREFETCH)
		return -EINVAL;
	return 0;
}

static int check_range(u64 start, u64 range, u64 limit)
{
	return start > limit || range > limit - start ? -EINVAL : 0;
}

static int read_range(const struct drm_xe_vm_bind_op *args, u32 tiles, struct xetile_bind_op *op)
{
	if (!args->range || !IS_ALIGNED(args->addr | args->range, XETILE_BIND_ALIGN_SYSTEM))
		return -EINVAL;
	op->addr = args->addr;
	op->range = args->range;
	op->tile_mask = tiles;
	return check_range(args->addr, args->range, XETILE_VA_END);
}

/* What may be mapped with which entry of the PAT is known to xetile_vm_bind(). */
static u32 map_flags(const struct drm_xe_vm_bind_op *args)
{
	return (args->flags & XETILE_BIND_READONLY) | XETILE_BIND_PAT(args->pat_index);
}

static int check_object(struct xetile_vm *vm, struct xetile_bo *bo,
			const struct drm_xe_vm_bind_op *args)
{
	if (bo->args.owner && bo->args.owner != xetile_vm_gem(vm))
		return -EINVAL;
	if (!IS_ALIGNED(args->addr | args->obj_offset | args->range,
			xetile_vm_granule(&bo->ttm.base)))
		return -EINVAL;
	return check_range(args->obj_offset, args->range, xetile_bo_copy_size(bo));
}

static int find_object(struct drm_file *file, u32 handle, struct xetile_bind_op *op)
{
	op->gem = drm_gem_object_lookup(file, handle);
	if (!op->gem)
		return -ENOENT;
	/* BOs that move on access are of another interface. */
	if (!gem_to_xetile_bo(op->gem)->parts)
		return 0;
	drm_gem_object_put(op->gem);
	op->gem = NULL;
	return -EOPNOTSUPP;
}

static int read_object(struct xetile_vm *vm, struct drm_file *file,
		       const struct drm_xe_vm_bind_op *args, struct xetile_bind_op *op)
{
	int err;

	err = find_object(file, args->obj, op);
	if (err)
		return err;
	err = check_object(vm, gem_to_xetile_bo(op->gem), args);
	if (err) {
		drm_gem_object_put(op->gem);
		op->gem = NULL;
		return err;
	}
	op->kind = XETILE_BIND_MAP;
	op->flags = map_flags(args);
	op->offset = args->obj_offset;
	return 0;
}

static int read_map(struct xetile_vm *vm, struct drm_file *file,
		    const struct drm_xe_vm_bind_op *args, struct xetile_bind_op *op)
{
	if (!(args->flags & DRM_XE_VM_BIND_FLAG_NULL))
		return args->obj ? read_object(vm, file, args, op) : -EINVAL;
	if (args->obj || args->obj_offset)
		return -EINVAL;
	op->kind = XETILE_BIND_NULL;
	return 0;
}

static int read_user(struct xetile_vm *vm, const struct drm_xe_vm_bind_op *args,
		     struct xetile_bind_op *op)
{
	bool readonly = args->flags & DRM_XE_VM_BIND_FLAG_READONLY;
	struct xetile_user_range *range;
	int err;

	if (args->obj)
		return -EINVAL;
	range = xetile_vm_user_range(vm, args->userptr, args->range, readonly);
	if (IS_ERR(range))
		return PTR_ERR(range);
	/* The caller hears now that there is no memory. */
	err = xetile_user_fault_in(range);
	if (err) {
		xetile_user_put(range);
		return err;
	}
	op->kind = XETILE_BIND_USER;
	op->flags = map_flags(args);
	op->user = range;
	return 0;
}

static int read_unmap(const struct drm_xe_vm_bind_op *args, struct xetile_bind_op *op)
{
	if (args->obj)
		return -EINVAL;
	op->kind = XETILE_BIND_UNMAP;
	return 0;
}

static int read_unmap_all(struct drm_file *file, const struct drm_xe_vm_bind_op *args, u32 tiles,
			  struct xetile_bind_op *op)
{
	if (!args->obj || args->addr || args->range)
		return -EINVAL;
	op->kind = XETILE_BIND_UNMAP_ALL;
	op->tile_mask = tiles;
	return find_object(file, args->obj, op);
}

static int read_prefetch(struct xetile_device *xt, const struct drm_xe_vm_bind_op *args,
			 struct xetile_bind_op *op)
{
	/* System memory, and the HBM of each tile */
	if (args->obj || args->prefetch_mem_region_instance > xt->num_tiles)
		return -EINVAL;
	op->kind = XETILE_BIND_PREFETCH;
	return 0;
}

static int read_bind(struct xetile_vm *vm, struct drm_file *file,
		     const struct drm_xe_vm_bind_op *args, struct xetile_bind_op *op)
{
	struct xetile_device *xt = to_xetile_device(file->minor->dev);
	u32 tiles = GENMASK(xt->num_tiles - 1, 0);
	int err;

	err = check_fields(args);
	if (err)
		return err;
	if (args->op == DRM_XE_VM_BIND_OP_UNMAP_ALL)
		return read_unmap_all(file, args, tiles, op);
	err = read_range(args, tiles, op);
	if (err)
		return err;
	switch (args->op) {
	case DRM_XE_VM_BIND_OP_MAP:
		return read_map(vm, file, args, op);
	case DRM_XE_VM_BIND_OP_UNMAP:
		return read_unmap(args, op);
	case DRM_XE_VM_BIND_OP_MAP_USERPTR:
		return read_user(vm, args, op);
	case DRM_XE_VM_BIND_OP_PREFETCH:
		return read_prefetch(xt, args, op);
	default:
		return -EINVAL;
	}
}

/* A single bind is in the struct of the call. */
static int copy_bind(const struct drm_xe_vm_bind *args, u32 i, struct drm_xe_vm_bind_op *bind)
{
	const struct drm_xe_vm_bind_op __user *from = u64_to_user_ptr(args->vector_of_binds);

	if (args->num_binds == 1) {
		*bind = args->bind;
		return 0;
	}
	if (args->vector_of_binds != (uintptr_t)args->vector_of_binds)
		return -EFAULT;
	return copy_from_user(bind, from + i, sizeof(*bind)) ? -EFAULT : 0;
}

/* On failure there is nothing to put. */
static int read_binds(struct xetile_vm *vm, struct drm_file *file,
		      const struct drm_xe_vm_bind *args, struct binds *binds)
{
	struct drm_xe_vm_bind_op bind;
	int err = 0;

	*binds = (struct binds) { .ops = &binds->one };
	if (args->num_binds > MAX_BINDS)
		return -ENOBUFS;
	if (args->num_binds > 1) {
		binds->ops = kvcalloc(args->num_binds, sizeof(*binds->ops), GFP_KERNEL_ACCOUNT);
		if (!binds->ops)
			return -ENOMEM;
	}
	while (!err && binds->num < args->num_binds) {
		err = copy_bind(args, binds->num, &bind);
		if (!err)
			err = read_bind(vm, file, &bind, &binds->ops[binds->num]);
		if (!err)
			binds->num++;
	}
	if (err)
		put_binds(binds);
	return err;
}

static int read_syncs(struct drm_file *file, struct xetile_vm *vm,
		      const struct drm_xe_vm_bind *args, struct xetile_sync_set *syncs)
{
	u32 kinds = xetile_vm_is_lr(vm) ? XETILE_XE_SYNCS_NO_FENCES : 0;
	u32 i, users = 0;
	int err;

	if (!args->num_binds)
		kinds |= XETILE_XE_SYNCS_NO_USER;
	err = xetile_xe_syncs(file, args->syncs, args->num_syncs, kinds, syncs);
	if (err)
		return err;
	for (i = 0; i < syncs->num; i++)
		users += !!syncs->array[i].user;
	if (users <= 1)
		return 0;
	xetile_ioctl_syncs_put(syncs);
	return -EINVAL;
}

static int vm_bind(struct drm_file *file, struct xetile_vm *vm, struct xetile_vm_line *line,
		   const struct drm_xe_vm_bind *args)
{
	struct xetile_sync_set syncs;
	struct binds binds;
	int err;

	/* Read the caller's memory first: the read may take for ever. */
	err = read_binds(vm, file, args, &binds);
	if (err)
		return err;
	err = read_syncs(file, vm, args, &syncs);
	if (!err) {
		err = xetile_ioctl_make_binds(file, vm, args->vm_id, line, binds.ops, binds.num,
					      &syncs);
		if (!err)
			xetile_syncs_finish(syncs.array, syncs.num);
		xetile_ioctl_syncs_put(&syncs);
	}
	put_binds(&binds);
	return err;
}

/**
 * xetile_xe_vm_bind() - DRM_IOCTL_XE_VM_BIND
 * @drm: card
 * @data: struct drm_xe_vm_bind
 * @file: caller
 *
 * Context: process; may sleep.
 *
 * Return: 0 or -errno.
 */
int xetile_xe_vm_bind(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_xe_vm_bind *args = data;
	struct xetile_bind_queue *queue = NULL;
	struct xetile_vm *vm;
	int err;

	if (args->extensions || args->pad || args->pad2 || args->reserved[0] || args->reserved[1])
		return -EINVAL;
	vm = xetile_file_vm(file->driver_priv, args->vm_id);
	if (!vm)
		return -EINVAL;
	err = xetile_ioctl_bind_queue(file->driver_priv, vm, args->exec_queue_id, &queue);
	if (!err)
		err = vm_bind(file, vm, queue ? xetile_bind_queue_line(queue, vm) : NULL, args);
	xetile_bind_queue_put(queue);
	xetile_vm_reap_users(vm);
	xetile_vm_put(vm);
	return xetile_xe_errno(err);
}
