// SPDX-License-Identifier: GPL-2.0-only
#include "ioctl/xetile_ioctl.h"

#include <linux/device.h>
#include <linux/slab.h>

#include <drm/drm_file.h>
#include <drm/drm_gem.h>
#include <drm/xetile_drm.h>

#include "ioctl/xetile_file.h"
#include "mem/xetile_bind_op.h"
#include "mem/xetile_bind_queue.h"
#include "mem/xetile_bo.h"
#include "mem/xetile_managed.h"
#include "mem/xetile_sync.h"
#include "mem/xetile_user.h"
#include "mem/xetile_va.h"
#include "mem/xetile_vm.h"
#include "mem/xetile_vm_bind.h"
#include "mem/xetile_vm_granule.h"
#include "xetile_device.h"
#include "xetile_trace.h"

/**
 * DOC: calls on address spaces
 *
 * Checks, and translation of uAPI structs, for DRM_XETILE_VM_*. The DRM core calls them in
 * process context, without a lock.
 */

static_assert(DRM_XETILE_BIND_READONLY == XETILE_BIND_READONLY);
static_assert(DRM_XETILE_VA_NOWHERE == XETILE_VA_NOWHERE);
static_assert(sizeof(struct drm_xetile_vm_bind) == 48);

/* Any BO that moves on access can be bound as a whole: HBM can hold no larger one. */
static_assert((u64)DRM_XETILE_MAX_RANGES * DRM_XETILE_MIGRATE_RANGE >=
	      (u64)DRM_XETILE_MAX_TILES * SZ_128G);

/**
 * xetile_ioctl_vm_create() - DRM_IOCTL_XETILE_VM_CREATE
 * @drm: card
 * @data: struct drm_xetile_vm_create
 * @file: caller
 *
 * Context: process; may sleep.
 *
 * Return: 0 or what the uAPI header says.
 */
int xetile_ioctl_vm_create(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct xetile_file *xf = file->driver_priv;
	struct drm_xetile_vm_create *args = data;
	struct xetile_vm *vm;
	int err, idx;
	u32 id;

	if (args->flags)
		return -EINVAL;
	if (!xetile_device_enter(xf->xt, &idx))
		return -ENODEV;
	vm = xetile_vm_create(xf->xt, xf->account, 0);
	xetile_device_exit(xf->xt, idx);
	if (IS_ERR(vm))
		return PTR_ERR(vm);
	err = xa_alloc(&xf->vms, &id, vm, XA_LIMIT(1, XETILE_FILE_MAX_VMS), GFP_KERNEL_ACCOUNT);
	if (err) {
		xetile_vm_put(vm);
		return err == -EBUSY ? -EDQUOT : err;
	}
	args->vm_id = id;
	return 0;
}

/**
 * xetile_ioctl_vm_destroy() - DRM_IOCTL_XETILE_VM_DESTROY
 * @drm: card
 * @data: struct drm_xetile_vm_destroy
 * @file: caller
 *
 * Context: process; may sleep.
 *
 * Return: 0 or what the uAPI header says.
 */
int xetile_ioctl_vm_destroy(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct xetile_file *xf = file->driver_priv;
	struct drm_xetile_vm_destroy *args = data;
	struct xetile_vm *vm;

	if (args->pad)
		return -EINVAL;
	vm = xa_erase(&xf->vms, args->vm_id);
	if (!vm)
		return -ENOENT;
	xetile_vm_close(vm);
	return 0;
}

static int check_range(u64 start, u64 range, u64 limit)
{
	return start > limit || range > limit - start ? -EINVAL : 0;
}

static int check_object(struct xetile_vm *vm, struct xetile_bo *bo,
			const struct drm_xetile_bind *args)
{
	if (bo->args.owner && bo->args.owner != xetile_vm_gem(vm))
		return -EPERM;
	if (!IS_ALIGNED(args->addr | args->offset | args->range, xetile_vm_granule(&bo->ttm.base)))
		return -EINVAL;
	return check_range(args->offset, args->range, xetile_bo_copy_size(bo));
}

static int read_map(struct xetile_vm *vm, struct drm_file *file,
		    const struct drm_xetile_bind *args, struct xetile_bind_op *op)
{
	int err;

	if (args->flags & ~DRM_XETILE_BIND_READONLY)
		return -EINVAL;
	op->gem = drm_gem_object_lookup(file, args->handle);
	if (!op->gem)
		return -ENOENT;
	err = check_object(vm, gem_to_xetile_bo(op->gem), args);
	if (err) {
		drm_gem_object_put(op->gem);
		op->gem = NULL;
		return err;
	}
	op->kind = XETILE_BIND_MAP;
	op->flags = args->flags;
	op->offset = args->offset;
	return 0;
}

static int read_user(struct xetile_vm *vm, const struct drm_xetile_bind *args,
		     struct xetile_bind_op *op)
{
	bool readonly = args->flags & DRM_XETILE_BIND_READONLY;
	struct xetile_user_range *range;

	if ((args->flags & ~DRM_XETILE_BIND_READONLY) || args->handle)
		return -EINVAL;
	range = xetile_vm_user_range(vm, args->offset, args->range, readonly);
	if (IS_ERR(range))
		return PTR_ERR(range);
	op->kind = XETILE_BIND_USER;
	op->flags = args->flags;
	op->user = range;
	return 0;
}

static int read_bind(struct xetile_vm *vm, struct drm_file *file,
		     const struct drm_xetile_bind *args, struct xetile_bind_op *op)
{
	u32 present = GENMASK(to_xetile_device(file->minor->dev)->num_tiles - 1, 0);

	if (args->op > DRM_XETILE_BIND_MAP_NULL || (args->tile_mask & ~present))
		return -EINVAL;
	if (!args->range || !IS_ALIGNED(args->addr | args->range, XETILE_BIND_ALIGN_SYSTEM) ||
	    check_range(args->addr, args->range, XETILE_VA_END))
		return -EINVAL;

	op->addr = args->addr;
	op->range = args->range;
	op->tile_mask = args->tile_mask ?: present;
	if (args->op == DRM_XETILE_BIND_MAP)
		return read_map(vm, file, args, op);
	if (args->op == DRM_XETILE_BIND_MAP_USER)
		return read_user(vm, args, op);

	if (args->offset || args->flags || args->handle)
		return -EINVAL;
	op->kind = args->op == DRM_XETILE_BIND_UNMAP ? XETILE_BIND_UNMAP : XETILE_BIND_NULL;
	return 0;
}

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

/* On failure there is nothing to put. */
static int read_binds(struct xetile_vm *vm, struct drm_file *file,
		      const struct drm_xetile_array *from, struct binds *binds)
{
	struct drm_xetile_bind args;
	int err;

	*binds = (struct binds) { .ops = &binds->one };
	/* An empty array is valid. */
	err = xetile_ioctl_array_ok(from, struct drm_xetile_bind, tile_mask);
	if (err)
		return err;
	if (from->count > 1) {
		binds->ops = kvcalloc(from->count, sizeof(*binds->ops), GFP_KERNEL_ACCOUNT);
		if (!binds->ops)
			return -ENOMEM;
	}
	while (binds->num < from->count) {
		err = xetile_ioctl_elem(from, binds->num, &args, sizeof(args));
		if (!err)
			err = read_bind(vm, file, &args, &binds->ops[binds->num]);
		if (err) {
			put_binds(binds);
			return err;
		}
		binds->num++;
	}
	return 0;
}

/* Make binds of parts of the binds of BOs that move on access. @binds: as they are on failure */
static int split_binds(struct binds *binds)
{
	struct binds split = { .num = 0 };
	u64 num = binds->num, parts = 0;
	u32 i;

	/* A whole may have one part only, which takes the whole's place, too. */
	for (i = 0; i < binds->num; i++) {
		u32 more = xetile_managed_binds(&binds->ops[i]);

		parts += more;
		num += more ? more - 1 : 0;
	}
	if (!parts)
		return 0;
	if (num - binds->num > DRM_XETILE_MAX_RANGES)
		return -EINVAL;
	split.ops = kvcalloc(num, sizeof(*split.ops), GFP_KERNEL_ACCOUNT);
	if (!split.ops)
		return -ENOMEM;
	for (i = 0; i < binds->num; i++) {
		u32 more = xetile_managed_binds(&binds->ops[i]);

		xetile_managed_split(&binds->ops[i], &split.ops[split.num]);
		split.num += more ?: 1;
	}
	/* The references are those of the parts now. */
	binds->num = 0;
	put_binds(binds);
	binds->ops = split.ops;
	binds->num = split.num;
	return 0;
}

/**
 * xetile_ioctl_bind_queue() - look up the bind queue of a call
 * @xf: caller's file
 * @vm: address space that the call changes
 * @id: userspace's number of the queue, or 0 for none
 * @queue: set to the queue, with a reference; stays as it is for 0
 *
 * Context: process.
 * Return: 0; -ENOENT: there is none; -EINVAL: a queue of another class, or of another VM.
 */
int xetile_ioctl_bind_queue(struct xetile_file *xf, struct xetile_vm *vm, u32 id,
			    struct xetile_bind_queue **queue)
{
	if (!id)
		return 0;
	*queue = xetile_file_bind_queue(xf, id);
	if (!*queue)
		return xa_load(&xf->queues, id) ? -EINVAL : -ENOENT;
	return xetile_bind_queue_line(*queue, vm) ? 0 : -EINVAL;
}

static void trace_binds(struct drm_file *file, u32 vm_id, const struct xetile_bind_op *ops,
			u32 num)
{
	static const char * const names[] = {
		[XETILE_BIND_MAP] = "map",
		[XETILE_BIND_UNMAP] = "unmap",
		[XETILE_BIND_NULL] = "map-null",
		[XETILE_BIND_USER] = "map-user",
		[XETILE_BIND_UNMAP_ALL] = "unmap-all",
		[XETILE_BIND_PREFETCH] = "prefetch",
	};
	u32 i;

	if (!trace_xetile_bind_enabled())
		return;
	for (i = 0; i < num; i++)
		trace_xetile_bind(dev_name(file->minor->dev->dev), vm_id, ops[i].addr,
				  ops[i].range, names[ops[i].kind]);
}

/**
 * xetile_ioctl_make_binds() - make the binds of a call
 * @file: caller's file
 * @vm: address space
 * @vm_id: userspace's number of @vm
 * @line: of the call's bind queue, or NULL
 * @ops: the binds, checked
 * @num: elements of @ops
 * @syncs: fences to wait for and to signal
 *
 * Context: process, outside of xetile_device_enter().
 * Return: 0, -ENODEV, or as xetile_vm_bind().
 */
int xetile_ioctl_make_binds(struct drm_file *file, struct xetile_vm *vm, u32 vm_id,
			    struct xetile_vm_line *line, struct xetile_bind_op *ops, u32 num,
			    const struct xetile_sync_set *syncs)
{
	struct xetile_device *xt = to_xetile_device(file->minor->dev);
	int err, idx;

	if (!xetile_device_enter(xt, &idx))
		return -ENODEV;
	err = xetile_vm_bind(vm, line, ops, num, syncs->array, syncs->num);
	xetile_device_exit(xt, idx);
	if (!err)
		trace_binds(file, vm_id, ops, num);
	return err;
}

static int vm_bind(struct drm_file *file, struct xetile_vm *vm, struct xetile_vm_line *line,
		   const struct drm_xetile_vm_bind *args)
{
	struct xetile_sync_set syncs;
	struct binds binds;
	int err;

	/* Read the caller's memory first: the read may take for ever. */
	err = read_binds(vm, file, &args->binds, &binds);
	if (err)
		return err;
	err = split_binds(&binds) ?: xetile_ioctl_syncs(file, &args->syncs, &syncs);
	if (!err) {
		err = xetile_ioctl_make_binds(file, vm, args->vm_id, line, binds.ops, binds.num,
					      &syncs);
		xetile_ioctl_syncs_put(&syncs);
	}
	put_binds(&binds);
	return err;
}

/**
 * xetile_ioctl_vm_bind() - DRM_IOCTL_XETILE_VM_BIND
 * @drm: card
 * @data: struct drm_xetile_vm_bind
 * @file: caller
 *
 * Context: process; may sleep.
 *
 * Return: 0 or what the uAPI header says.
 */
int xetile_ioctl_vm_bind(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_xetile_vm_bind *args = data;
	struct xetile_bind_queue *queue = NULL;
	struct xetile_vm *vm;
	int err;

	if (args->flags || args->pad)
		return -EINVAL;
	vm = xetile_file_vm(file->driver_priv, args->vm_id);
	if (!vm)
		return -ENOENT;
	err = xetile_ioctl_bind_queue(file->driver_priv, vm, args->queue_id, &queue);
	if (!err)
		err = vm_bind(file, vm, queue ? xetile_bind_queue_line(queue, vm) : NULL, args);
	xetile_bind_queue_put(queue);
	xetile_vm_reap_users(vm);
	xetile_vm_put(vm);
	return err;
}
