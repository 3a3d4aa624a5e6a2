// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_vm_bind.h"

#include <linux/dma-fence.h>
#include <linux/dma-resv.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>

#include <drm/drm_exec.h>
#include <drm/drm_gpuvm.h>

#include "regs/pvc_soc_regs.h"

#include "mem/xetile_bind_op.h"
#include "mem/xetile_bo_fill.h"
#include "mem/xetile_bo_group.h"
#include "mem/xetile_bo_layout.h"
#include "mem/xetile_bo_validate.h"
#include "mem/xetile_pt_stage.h"
#include "mem/xetile_pt_update.h"
#include "mem/xetile_room.h"
#include "mem/xetile_stray.h"
#include "mem/xetile_sync.h"
#include "mem/xetile_vm.h"
#include "mem/xetile_vm_granule.h"
#include "mem/xetile_vm_hold.h"
#include "mem/xetile_vm_job.h"
#include "mem/xetile_vm_need.h"
#include "mem/xetile_vm_order.h"
#include "mem/xetile_vm_plan.h"
#include "mem/xetile_vm_run.h"
#include "mem/xetile_vm_types.h"
#include "mem/xetile_vm_update.h"
#include "mem/xetile_vma.h"
#include "xetile_device.h"

/**
 * DOC: a call that changes what an address space maps
 *
 * The call locks the VM, the BOs to be mapped and the BOs that are displaced, has the BOs to be
 * mapped where the GPU reaches them, does all that may fail, and then changes mappings and tables,
 * which cannot fail. The ioctls make such calls.
 */

/* Spare mappings that a VM keeps: as many as a bind of one range on each tile may need */
#define KEPT_SPARES	(3 * XETILE_MAX_TILES)

/* How often a wait for a fence looks whether the card is still there */
#define WAIT_STEP	(HZ / 10)

/** struct xetile_vm_bind - a call in the making */
struct xetile_vm_bind {
	/** @vm: VM, in use by the call */
	struct xetile_vm *vm;
	/** @bounce: the run of an address space of endless jobs has to end and begin anew */
	bool bounce;
	/** @ops: what is done: what was asked for, or the plan of that */
	struct xetile_bind_op *ops;
	/** @num_ops: elements of @ops */
	unsigned int num_ops;
	/** @asked: what was asked for, if it needs a plan; else NULL */
	struct xetile_bind_op *asked;
	/** @num_asked: elements of @asked */
	unsigned int num_asked;
	/** @plan: plan of what was asked for, with which @ops are made */
	struct xetile_vm_plan plan;
	/** @upd: change of the page tables */
	struct xetile_vm_update *upd;
	/** @line: the line in which it takes its place: a bind queue's; NULL: the VM's own */
	struct xetile_vm_line *line;
	/**
	 * @other: line of a bind queue, if it takes its place in that and in the VM's own line; or
	 *	NULL
	 */
	struct xetile_vm_line *other;
	/** @syncs: fences to wait for and syncobjs to signal */
	struct xetile_sync *syncs;
	/** @num_syncs: elements of @syncs */
	unsigned int num_syncs;
	/** @hold: BOs that jobs may use that do not wait for the change, or NULL */
	struct xetile_vm_hold *hold;
	/** @num_spares: mappings that are made if no bind meets an earlier one */
	unsigned int num_spares;
};

/* Do the same for each operation, on each of its tiles, up to the first failure */
static int xetile_vm_bind_walk(struct xetile_vm_bind *bind, void *arg,
			       int (*fn)(struct xetile_vm_bind *bind, struct xetile_bind_op *op,
					 unsigned int tile, void *arg))
{
	struct xetile_bind_op *op;
	unsigned int t;
	int err;

	dma_resv_assert_held(bind->vm->gem->resv);
	for (op = bind->ops; op < bind->ops + bind->num_ops; op++) {
		unsigned long tiles = op->tile_mask & bind->vm->tile_mask;

		for_each_set_bit(t, &tiles, XETILE_MAX_TILES) {
			err = fn(bind, op, t, arg);
			if (err)
				return err;
		}
		/* A call may have thousands of binds. */
		cond_resched();
	}
	return 0;
}

/* Allocate memory for the part of a bind that must not fail */
static int bind_alloc(struct xetile_vm_bind *bind)
{
	unsigned int num = bind->num_spares;

	dma_resv_assert_held(bind->vm->gem->resv);
	if (!xetile_bind_ops_ascend(bind->ops, bind->num_ops))
		num = 3 * bind->num_ops * hweight_long(bind->vm->tile_mask);
	return xetile_vma_have_spares(bind->vm, num);
}

/*
 * Between two mappings that a bind covers: each of thousands of binds of a call may cover the same
 * millions of mappings.
 */
static int xetile_vm_bind_go_on(struct xetile_vm_bind *bind)
{
	cond_resched();
	if (fatal_signal_pending(current))
		return -EINTR;
	return xetile_device_is_unplugged(bind->vm->xt) ? -ENODEV : 0;
}

static int op_lock(struct xetile_vm_bind *bind, struct xetile_bind_op *op, unsigned int tile,
		   void *exec)
{
	u64 addr = xetile_vma_addr(tile, op->addr);
	struct drm_gpuva *va;
	int err;

	dma_resv_assert_held(bind->vm->gem->resv);
	bind->num_spares++;
	/* drm_gpuvm_prepare_range() assumes that every mapping has an object. */
	drm_gpuvm_for_each_va_range(va, &bind->vm->gpuvm, addr, addr + op->range) {
		err = va->gem.obj ? drm_exec_prepare_obj(exec, va->gem.obj, 1) : 0;
		if (err)
			return err;
		/* The parts that stay of a mapping that is cut at either end */
		bind->num_spares += (va->va.addr < addr) +
				    (va->va.addr + va->va.range > addr + op->range);
		err = xetile_vm_bind_go_on(bind);
		if (err)
			return err;
	}
	return op->kind == XETILE_BIND_MAP ? drm_exec_prepare_obj(exec, op->gem, 1) : 0;
}

/*
 * A way of access that does not look into the CPU's caches shows of memory that may be there what
 * was in it before the kernel cleared it: other people's data.
 */
static bool pat_is_allowed(const struct xetile_bind_op *op)
{
	u32 pat = (op->flags & XETILE_PTE_PAT_MASK) >> XETILE_PTE_PAT_SHIFT ^ XETILE_PAT_WB;
	const struct xetile_bo *bo;

	if (xetile_pat_is_coherent(pat))
		return true;
	if (op->kind != XETILE_BIND_MAP)
		return op->kind != XETILE_BIND_USER;
	bo = gem_to_xetile_bo(op->gem);
	return !bo->import && (bo->args.flags & XETILE_BO_WC ||
			       !(bo->args.placement & XETILE_PLACE_SYSTEM));
}

/* Callers split a BO that moves on access, which has no memory of its own. */
static bool gem_is_allowed(const struct xetile_vm *vm, struct drm_gem_object *gem)
{
	const struct xetile_bo *bo = gem_to_xetile_bo(gem);

	return !bo->parts && (!bo->args.owner || bo->args.owner == vm->gem);
}

static int bind_check(struct xetile_vm_bind *bind)
{
	struct xetile_bind_op *op;

	for (op = bind->ops; op < bind->ops + bind->num_ops; op++) {
		if ((op->gem && !gem_is_allowed(bind->vm, op->gem)) || !pat_is_allowed(op))
			return -EINVAL;
		if (!xetile_bind_needs_plan(op))
			continue;
		bind->asked = bind->ops;
		bind->num_asked = bind->num_ops;
	}
	return 0;
}

/* Find out what binds change that do not say it; with the locks held for which that is right */
static int bind_plan(struct xetile_vm_bind *bind, struct drm_exec *exec)
{
	unsigned int i;
	int err;

	dma_resv_assert_held(bind->vm->gem->resv);
	if (!bind->asked)
		return 0;
	for (i = 0; i < bind->num_asked; i++) {
		if (bind->asked[i].kind != XETILE_BIND_UNMAP_ALL)
			continue;
		err = drm_exec_prepare_obj(exec, bind->asked[i].gem, 1);
		if (err)
			return err;
		cond_resched();
	}
	err = xetile_vm_plan(bind->vm, bind->asked, bind->num_asked, &bind->plan);
	bind->ops = bind->plan.ops;
	bind->num_ops = err ? 0 : bind->plan.num;
	return err;
}

/* Lock the VM, the BOs to be mapped, and the BOs that are mapped there now */
static int bind_lock(struct xetile_vm_bind *bind, struct drm_exec *exec)
{
	int err;

	bind->num_spares = 0;
	/* First, because it protects the mappings that are looked up next */
	err = drm_exec_prepare_obj(exec, bind->vm->gem, 1);
	return err ?: bind_plan(bind, exec) ?: xetile_vm_bind_walk(bind, exec, op_lock);
}

static int bind_validate(struct xetile_vm_bind *bind, struct xetile_room *room)
{
	struct xetile_bind_op *op;
	int err = 0;

	dma_resv_assert_held(bind->vm->gem->resv);
	for (op = bind->ops; op < bind->ops + bind->num_ops && !err; op++)
		if (op->kind == XETILE_BIND_MAP)
			err = xetile_bo_validate(gem_to_xetile_bo(op->gem), room);
	return err;
}

/* Try once to lock all, and to have the BOs to be mapped where the GPU reaches them */
static int bind_try_lock(struct xetile_vm_bind *bind, struct drm_exec *exec,
			 struct xetile_room *room)
{
	int err = 0;

	drm_exec_init(exec, DRM_EXEC_INTERRUPTIBLE_WAIT | DRM_EXEC_IGNORE_DUPLICATES, 0);
	drm_exec_until_all_locked(exec) {
		err = bind_lock(bind, exec);
		drm_exec_retry_on_contention(exec);
		if (err)
			break;
	}
	err = err ?: bind_validate(bind, room);
	if (err)
		drm_exec_fini(exec);
	return err;
}

/*
 * Jobs that run in the VM already do not wait until a BO that is mapped now is filled. Until then
 * the BO holds the data of its memory's last owner, and for good if the filling fails. @fill: out:
 * fence of the filling of one such BO, or NULL.
 */
static int bind_unfilled(struct xetile_vm_bind *bind, struct dma_fence **fill)
{
	struct xetile_bind_op *op;

	dma_resv_assert_held(bind->vm->gem->resv);
	*fill = NULL;
	for (op = bind->ops; op < bind->ops + bind->num_ops; op++) {
		struct xetile_bo *bo;
		bool lost;

		if (op->kind != XETILE_BIND_MAP)
			continue;
		bo = gem_to_xetile_bo(op->gem);
		/* Before the look at the fence, because it forgets one that has signalled. */
		lost = xetile_bo_is_lost(bo);
		if (!lost && !bo->filled)
			continue;
		/* The reservation does not know of endless jobs. */
		if (!xetile_vm_is_lr(bind->vm) && !xetile_bo_group_has_jobs(bind->vm->group))
			return 0;
		if (lost)
			return -ENODATA;
		*fill = dma_fence_get(bo->filled);
		return 0;
	}
	return 0;
}

/* As bind_try_lock(), but on success no job sees a BO that is not filled. */
static int xetile_vm_bind_lock(struct xetile_vm_bind *bind, struct drm_exec *exec,
			       struct xetile_room *room)
{
	struct dma_fence *fill;
	int err;

	for (;;) {
		err = bind_try_lock(bind, exec, room);
		if (err)
			return err;
		err = bind_unfilled(bind, &fill);
		if (!err && !fill)
			return 0;
		/* The fence of a job of the kernel's; wait for it with no reservation held. */
		drm_exec_fini(exec);
		if (!err)
			err = dma_fence_wait(fill, true);
		dma_fence_put(fill);
		if (err)
			return err;
	}
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

/*
 * BOs that one change holds at most. 4096 binds of a call, each of which replaces one buffer by
 * another on four tiles, do not hold more. But one bind may cover all mappings of the VM.
 */
#define MAX_HOLDS	32768u

static int op_count_holds(struct xetile_vm_bind *bind, struct xetile_bind_op *op,
			  unsigned int tile, void *arg)
{
	u64 addr = xetile_vma_addr(tile, op->addr);
	unsigned int *num = arg;
	struct drm_gpuva *va;
	int err;

	dma_resv_assert_held(bind->vm->gem->resv);
	drm_gpuvm_for_each_va_range(va, &bind->vm->gpuvm, addr, addr + op->range) {
		if (to_xetile_vma(va)->user.range || (va->vm_bo && ++*num > MAX_HOLDS))
			return -ENODATA;
		err = xetile_vm_bind_go_on(bind);
		if (err)
			return err;
	}
	if (op->user || (op->kind == XETILE_BIND_MAP && ++*num > MAX_HOLDS))
		return -ENODATA;
	return 0;
}

static int op_add_holds(struct xetile_vm_bind *bind, struct xetile_bind_op *op, unsigned int tile,
			void *arg)
{
	u64 addr = xetile_vma_addr(tile, op->addr);
	struct drm_gpuva *va;
	int err;

	dma_resv_assert_held(bind->vm->gem->resv);
	drm_gpuvm_for_each_va_range(va, &bind->vm->gpuvm, addr, addr + op->range) {
		err = va->vm_bo ? xetile_vm_hold_add(bind->hold, va->vm_bo) : 0;
		if (!err)
			err = xetile_vm_bind_go_on(bind);
		if (err)
			return err;
	}
	return op->kind == XETILE_BIND_MAP ? xetile_vm_hold_add(bind->hold, op->vm_bo) : 0;
}

/*
 * Jobs do not wait for the change of a bind queue. So the BOs that are mapped in its range now, and
 * those that will be, must stay where they are. If one is not where the tables say it is, if they
 * are too many, or if memory of a process is among them, jobs wait for the change.
 */
static int xetile_vm_bind_hold(struct xetile_vm_bind *bind)
{
	unsigned int num = 0;
	int err;

	dma_resv_assert_held(bind->vm->gem->resv);
	if (!bind->line)
		return 0;
	err = xetile_vm_bind_walk(bind, &num, op_count_holds);
	if (!err && !num)
		return 0;
	if (!err) {
		bind->hold = xetile_vm_hold_create(num);
		if (!bind->hold)
			return -ENOMEM;
		err = xetile_vm_bind_walk(bind, NULL, op_add_holds);
	}
	if (err != -ENODATA)
		return err;
	xetile_vm_hold_drop(bind->hold);
	bind->hold = NULL;
	swap(bind->line, bind->other);
	return 0;
}

/* Whether a change may have to wait: for other changes or for fences */
static bool bind_may_wait(struct xetile_vm_bind *bind)
{
	bool wait = xetile_vm_updates_wait(&bind->vm->updates);
	unsigned int i;

	dma_resv_assert_held(bind->vm->gem->resv);
	for (i = 0; i < bind->num_syncs; i++)
		wait |= bind->syncs[i].fence && !dma_fence_is_signaled(bind->syncs[i].fence);
	return wait;
}

static int op_grow(struct xetile_vm_bind *bind, struct xetile_bind_op *op, unsigned int tile,
		   void *upd)
{
	dma_resv_assert_held(bind->vm->gem->resv);
	if (op->kind == XETILE_BIND_UNMAP || op->user)
		return 0;
	return xetile_pt_grow(xetile_vm_update_pt(upd), &bind->vm->trees[tile], op->addr,
			      op->range);
}

/* Note the range where directories are made for the change, or kept */
static void note_sparse(struct xetile_vm_bind *bind)
{
	struct xetile_vm *vm = bind->vm;
	struct xetile_bind_op *op;

	dma_resv_assert_held(vm->gem->resv);
	for (op = bind->ops; op < bind->ops + bind->num_ops; op++) {
		bool none = vm->sparse_start == vm->sparse_end;

		vm->sparse_start = none ? op->addr : min(vm->sparse_start, op->addr);
		vm->sparse_end = max(vm->sparse_end, op->addr + op->range);
	}
}

/*
 * A change that waits makes other changes wait whose ranges overlap its own, and its range is the
 * smaller the fewer directories it makes and removes. So a change before it makes the directories,
 * and empty ones are kept. If this fails, the change makes them itself.
 */
static void xetile_vm_bind_grow(struct xetile_vm_bind *bind)
{
	struct xetile_vm_update *upd;

	dma_resv_assert_held(bind->vm->gem->resv);
	if (!bind_may_wait(bind))
		return;
	note_sparse(bind);
	xetile_vm_update_pt(bind->upd)->keep_directories = true;
	upd = xetile_vm_update_create(&bind->vm->updates);
	if (IS_ERR(upd))
		return;
	if (xetile_vm_bind_walk(bind, upd, op_grow))
		xetile_vm_update_cancel(upd);
	else
		xetile_vm_update_try(upd);
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

/* What is mapped in an address space of endless jobs is there on return. */
static void bind_end_run(struct xetile_vm_bind *bind)
{
	struct xetile_vm *vm = bind->vm;

	if (!xetile_vm_is_lr(vm))
		return;
	/*
	 * A ring that runs on may use the change as soon as its user writes to it, in memory that
	 * the card reads without waiting for what is on the way to HBM. The answer to a read pushes
	 * that there.
	 */
	xetile_mmio_read(&vm->xt->mmio, PVC_MTCFG);
	if (bind->bounce)
		xetile_vm_run_bounce(vm);
	xetile_syncs_publish(bind->syncs, bind->num_syncs, NULL);
}

/*
 * A change of an address space of endless jobs is made within the call: what waits could be made
 * beside a run that does not end.
 */
static int bind_wait(struct xetile_vm_bind *bind)
{
	struct dma_fence *fence;
	unsigned int i;
	long left;

	if (!xetile_vm_is_lr(bind->vm))
		return 0;
	for (i = 0; i < bind->num_syncs; i++) {
		fence = bind->syncs[i].fence;
		left = fence ? 0 : 1;
		while (!left) {
			/* The fence may be another driver's, and never signal. */
			if (xetile_device_is_unplugged(bind->vm->xt))
				return -ENODEV;
			left = dma_fence_wait_timeout(fence, true, WAIT_STEP);
		}
		if (left < 0)
			return left;
	}
	return 0;
}

static int xetile_vm_bind_change(struct xetile_vm_bind *bind)
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

/**
 * xetile_vm_bind() - change what a VM maps
 * @vm: VM
 * @line: line of a bind queue of the VM; NULL: the VM's own
 * @ops: what to do, in this order; checked
 * @num_ops: elements of @ops
 * @syncs: fences to wait for and syncobjs to signal
 * @num_syncs: elements of @syncs
 *
 * Does all operations or none. If @line is the VM's own, jobs that are submitted after the call
 * see the change, whether it has been made by then or still waits for its fences. May sleep,
 * but for no fence of @syncs, and for jobs of users only when a BO to be mapped finds no room,
 * see xetile_room.c. Where jobs may run already it waits until the BOs to be mapped are filled: a
 * signal ends that, too. In an address space of endless jobs it waits for the fences of @syncs, and
 * for as long as a batch may take to leave its engine.
 *
 * The BO of a bind of XETILE_BIND_UNMAP_ALL need not be mapped. Binds of the kinds that name a
 * range name one that is not empty, aligned to what is mapped there, and below XETILE_VA_END.
 *
 * An entry of the PAT with which the card does not look into the CPU's caches is for BOs that are
 * in no CPU's cache: those of XETILE_BO_WC, and those that are mapped in HBM only.
 *
 * Return: 0, -ENOENT when the VM is given up, or banned, -EDQUOT when too many jobs and binds of
 * the file are not done, too many changes of the VM wait, or the user has as much HBM for page
 * tables as a user may, -EINVAL when HBM would be cut, memory is not for the entry of the PAT, or
 * a BO is not one that the VM may map, -ENODATA when a BO is lost, -ENODEV when the card is gone,
 * -ENOSPC, -ENOMEM, -EINTR, -ERESTARTSYS.
 */
int xetile_vm_bind(struct xetile_vm *vm, struct xetile_vm_line *line,
		   struct xetile_bind_op *ops, unsigned int num_ops,
		   struct xetile_sync *syncs, unsigned int num_syncs)
{
	struct xetile_vm_bind bind = {
		.vm = vm, .line = line, .ops = ops, .num_ops = num_ops,
		.syncs = syncs, .num_syncs = num_syncs,
	};
	struct xetile_room room;
	struct drm_exec exec;
	int err;

	err = bind_check(&bind);
	if (err)
		return err;
	err = bind_wait(&bind);
	if (err)
		return err;
	if (READ_ONCE(vm->closed) || xetile_vm_is_banned(vm) || !xetile_vm_use(vm))
		return -ENOENT;

	bind.upd = xetile_vm_update_create(&vm->updates);
	if (IS_ERR(bind.upd)) {
		err = PTR_ERR(bind.upd);
		goto out;
	}

	/* BOs that the VM maps may be evicted for the new ones: no job needs both yet. */
	xetile_room_begin(&room, vm->xt, NULL);
	do {
		err = xetile_vm_bind_lock(&bind, &exec, &room);
	} while (xetile_room_again(&room, &err));
	if (err) {
		/* Nothing is staged, so that nothing needs the lock. */
		xetile_vm_update_cancel(bind.upd);
	} else {
		err = xetile_vm_bind_change(&bind);
		xetile_vm_tidy(vm);
		drm_exec_fini(&exec);
	}
	xetile_room_end(&room);
	if (!err)
		bind_end_run(&bind);
	xetile_vm_plan_fini(&bind.plan);
	xetile_users_reap(&vm->ranges);
out:
	xetile_vm_unuse(vm);
	return err;
}
