// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_vm_bind_change.h"

#include <linux/bitops.h>
#include <linux/dma-fence.h>
#include <linux/dma-resv.h>
#include <linux/list.h>

#include <drm/drm_gpuvm.h>

#include "mem/xetile_bind_op.h"
#include "mem/xetile_bo_fill.h"
#include "mem/xetile_bo_layout.h"
#include "mem/xetile_bo_types.h"
#include "mem/xetile_bo_validate.h"
#include "mem/xetile_pt_stage.h"
#include "mem/xetile_stray.h"
#include "mem/xetile_sync.h"
#include "mem/xetile_vm.h"
#include "mem/xetile_vm_bind_grow.h"
#include "mem/xetile_vm_bind_hold.h"
#include "mem/xetile_vm_bind_types.h"
#include "mem/xetile_vm_bind_walk.h"
#include "mem/xetile_vm_granule.h"
#include "mem/xetile_vm_hold.h"
#include "mem/xetile_vm_job.h"
#include "mem/xetile_vm_need.h"
#include "mem/xetile_vm_order.h"
#include "mem/xetile_vm_types.h"
#include "mem/xetile_vm_update.h"
#include "mem/xetile_vma.h"

/**
 * DOC: the change that a call makes under its locks
 *
 * First comes all that may fail: memory for mappings, the BOs in the VM, what the change holds and
 * waits for, and the tables, which are staged. Then mappings and tables change, which cannot fail;
 * tables now, or when the fences have signalled.
 */

/* Spare mappings that a VM keeps: as many as a bind of one range on each tile may need */
#define KEPT_SPARES	(3 * XETILE_MAX_TILES)

/* On each of its tiles a bind makes one mapping at most, and two of what it cuts through. */
static unsigned int most_spares(const struct xetile_vm_bind *bind)
{
	const struct xetile_bind_op *op;
	unsigned int num = 0;

	for (op = bind->ops; op < bind->ops + bind->num_ops; op++)
		num += 3 * hweight32(op->tile_mask & bind->vm->tile_mask);
	return num;
}

/* Allocate memory for the part of a bind that must not fail */
static int bind_alloc(struct xetile_vm_bind *bind)
{
	unsigned int num = bind->num_spares;

	dma_resv_assert_held(bind->vm->gem->resv);
	if (!xetile_bind_ops_ascend(bind->ops, bind->num_ops))
		num = most_spares(bind);
	return xetile_vma_have_spares(bind->vm, num);
}

/*
 * A job that runs in the VM already can use a BO that is mapped now, so the job's fence must
 * keep the BO from being moved, as if it had been mapped before.
 */
static int reserve_for_jobs(struct xetile_vm *vm, struct drm_gem_object *gem)
{
	struct dma_resv_iter cursor;
	struct dma_fence *fence;
	unsigned int n = 0;

	dma_resv_assert_held(vm->gem->resv);
	/* A private BO has the VM's fences, all of them. */
	if (gem->resv == vm->gem->resv)
		return 0;
	dma_resv_for_each_fence(&cursor, vm->gem->resv, DMA_RESV_USAGE_BOOKKEEP, fence)
		n++;
	return n ? dma_resv_reserve_fences(gem->resv, n) : 0;
}

static void keep_for_jobs(struct xetile_vm *vm, struct drm_gem_object *gem)
{
	struct dma_resv_iter cursor;
	struct dma_fence *fence;

	dma_resv_assert_held(vm->gem->resv);
	if (gem->resv == vm->gem->resv)
		return;
	dma_resv_for_each_fence(&cursor, vm->gem->resv, DMA_RESV_USAGE_BOOKKEEP, fence)
		dma_resv_add_fence(gem->resv, fence, DMA_RESV_USAGE_BOOKKEEP);
}

static int op_get_vm_bo(struct xetile_vm_bind *bind, struct xetile_bind_op *op)
{
	struct xetile_bo *bo = gem_to_xetile_bo(op->gem);
	struct drm_gpuvm_bo *vm_bo;
	int err;

	dma_resv_assert_held(bind->vm->gem->resv);
	vm_bo = drm_gpuvm_bo_obtain_locked(&bind->vm->gpuvm, op->gem);
	if (IS_ERR(vm_bo))
		return PTR_ERR(vm_bo);
	op->vm_bo = vm_bo;
	if (xetile_vm_is_lr(bind->vm)) {
		err = xetile_vm_need_take(&bind->vm->needs, xetile_stray_need(vm_bo), bo);
		if (err)
			return err;
	}
	drm_gpuvm_bo_extobj_add(vm_bo);
	/* Older mappings of the BO in the VM may name another place. */
	if (list_empty(&vm_bo->list.gpuva))
		xetile_stray_set_current(vm_bo);
	/* The next job maps copies, which may not be filled while other jobs see them. */
	if (bo->copies)
		bo->moves++;
	/* Another BO of this call may have taken its place: then the next job brings it back. */
	if (!xetile_bo_is_placed(bo) || bo->advice == XETILE_ADVICE_READ)
		drm_gpuvm_bo_evict(vm_bo, true);
	else
		xetile_stray_note(&bind->vm->strays, vm_bo);
	return 0;
}

static int bind_prepare_bos(struct xetile_vm_bind *bind)
{
	struct xetile_bind_op *op;
	int err;

	dma_resv_assert_held(bind->vm->gem->resv);
	for (op = bind->ops; op < bind->ops + bind->num_ops; op++) {
		if (op->kind != XETILE_BIND_MAP)
			continue;
		err = reserve_for_jobs(bind->vm, op->gem);
		if (!err)
			err = op_get_vm_bo(bind, op);
		if (err)
			return err;
	}
	return 0;
}

/* Each tile maps its own copy of a BO that has several. */
static u64 op_offset(const struct xetile_bind_op *op, unsigned int tile)
{
	if (op->kind != XETILE_BIND_MAP)
		return op->offset;
	return op->offset + xetile_bo_copy_offset(gem_to_xetile_bo(op->gem), tile);
}

static int op_stage(struct xetile_vm_bind *bind, struct xetile_bind_op *op, unsigned int tile,
		    void *arg)
{
	struct xetile_pt_update *pt = xetile_vm_update_pt(bind->upd);
	struct xetile_pt_tree *tree = &bind->vm->trees[tile];
	struct xetile_layout layout;
	struct xetile_bo *bo;

	dma_resv_assert_held(bind->vm->gem->resv);
	/* The next job maps the pages of a process, see xetile_user.c. */
	if (op->kind == XETILE_BIND_UNMAP || op->kind == XETILE_BIND_USER)
		return xetile_pt_unmap(pt, tree, op->addr, op->range);
	if (op->kind == XETILE_BIND_NULL)
		return xetile_pt_map_null(pt, tree, op->addr, op->range);
	bo = gem_to_xetile_bo(op->gem);
	/* If it was purgeable, another BO of this call may have its memory now. */
	if (xetile_bo_is_lost(bo))
		return -ENODATA;
	xetile_bo_layout(bo, &layout);
	return xetile_pt_map(pt, tree, op->addr, op->range, &layout, op_offset(op, tile),
			     xetile_vma_pte_flags(bo, op->flags));
}

static int op_change_mappings(struct xetile_vm_bind *bind, struct xetile_bind_op *op,
			      unsigned int tile, void *arg)
{
	struct drm_gpuvm *gpuvm = &bind->vm->gpuvm;
	struct xetile_vma_steps *steps = arg;
	struct drm_gpuvm_map_req req = {
		.map.va.addr = xetile_vma_addr(tile, op->addr),
		.map.va.range = op->range,
		.map.gem.obj = op->gem,
		.map.gem.offset = op_offset(op, tile),
	};

	dma_resv_assert_held(bind->vm->gem->resv);
	steps->flags = op->flags;
	steps->vm_bo = op->vm_bo;
	steps->user = op->user;
	/* Neither function fails: the steps do not, and the range was checked. */
	if (op->kind == XETILE_BIND_UNMAP)
		drm_gpuvm_sm_unmap(gpuvm, steps, req.map.va.addr, op->range);
	else
		drm_gpuvm_sm_map(gpuvm, steps, &req);
	return 0;
}

static void bind_change_mappings(struct xetile_vm_bind *bind)
{
	struct xetile_vma_steps steps = { .vm = bind->vm };

	dma_resv_assert_held(bind->vm->gem->resv);
	xetile_vm_bind_walk(bind, &steps, op_change_mappings);
	/* Without memory, too, there may be a translation in a TLB. */
	if (steps.replaced || (bind->vm->flags & XETILE_VM_SCRATCH))
		xetile_vm_update_stale(bind->upd);
}

static void bind_put_vm_bos(struct xetile_vm_bind *bind)
{
	struct xetile_bind_op *op;

	dma_resv_assert_held(bind->vm->gem->resv);
	for (op = bind->ops; op < bind->ops + bind->num_ops; op++)
		if (op->vm_bo)
			drm_gpuvm_bo_put(op->vm_bo);
}

static int bind_order(struct xetile_vm_bind *bind)
{
	struct xetile_vm_place place = {
		.line = bind->line, .other = bind->other,
		.syncs = bind->syncs, .num_syncs = bind->num_syncs,
	};
	int err = xetile_vm_update_order(bind->upd, &place);

	dma_resv_assert_held(bind->vm->gem->resv);
	if (!err && xetile_vm_update_is_too_much(bind->upd))
		err = -EDQUOT;
	return err;
}

/* Everything that may fail */
static int bind_prepare(struct xetile_vm_bind *bind)
{
	int err;

	dma_resv_assert_held(bind->vm->gem->resv);
	err = xetile_vm_granule_check(bind->vm, bind->ops, bind->num_ops) ?:
	      bind_alloc(bind) ?: bind_prepare_bos(bind) ?: xetile_vm_bind_hold(bind);
	if (err)
		return err;
	xetile_vm_bind_grow(bind);
	err = xetile_vm_bind_walk(bind, NULL, op_stage);
	return err ?: bind_order(bind);
}

/*
 * Where jobs may run for ever no job comes that would invalidate translations, map the pages of a
 * process, or bring a BO back: the run has to end and begin anew. The card may keep a translation
 * of what is not mapped where that is something, too.
 */
static bool bind_ends_run(struct xetile_vm_bind *bind)
{
	struct xetile_vm *vm = bind->vm;
	struct xetile_bind_op *op;

	dma_resv_assert_held(vm->gem->resv);
	if (!xetile_vm_is_lr(vm))
		return false;
	for (op = bind->ops; op < bind->ops + bind->num_ops; op++)
		if ((op->vm_bo && op->vm_bo->evicted) || op->user)
			return true;
	return xetile_vm_update_is_stale(bind->upd) || xetile_vm_is_stale(vm);
}

/**
 * xetile_vm_bind_change() - change mappings and page tables, or nothing
 * @bind: call, with all that xetile_vm_bind_lock() locks; its update is used up
 *
 * Context: process, with the reservations of the VM and of the BOs.
 * Return: 0 or an error of xetile_vm_bind().
 */
int xetile_vm_bind_change(struct xetile_vm_bind *bind)
{
	struct xetile_bind_op *op;
	struct dma_fence *fence;
	int err;

	dma_resv_assert_held(bind->vm->gem->resv);
	err = bind_prepare(bind);
	if (!err)
		bind_change_mappings(bind);
	xetile_vma_drop_spares(bind->vm, KEPT_SPARES);
	if (err) {
		xetile_vm_hold_drop(bind->hold);
		bind_put_vm_bos(bind);
		xetile_vm_update_cancel(bind->upd);
		return err;
	}

	bind->bounce = bind_ends_run(bind);
	bind_put_vm_bos(bind);
	for (op = bind->ops; op < bind->ops + bind->num_ops; op++)
		if (op->kind == XETILE_BIND_MAP)
			keep_for_jobs(bind->vm, op->gem);

	fence = xetile_vm_update_apply(bind->upd, bind->hold);
	if (!fence)
		xetile_vm_hold_drop(bind->hold);
	/* Where jobs may run for ever nothing is told before the run has ended. */
	if (!xetile_vm_is_lr(bind->vm))
		xetile_syncs_publish(bind->syncs, bind->num_syncs, fence);
	dma_fence_put(fence);
	return 0;
}
