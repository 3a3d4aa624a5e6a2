// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_vm_bind_lock.h"

#include <linux/dma-fence.h>
#include <linux/dma-resv.h>
#include <linux/sched.h>

#include <drm/drm_exec.h>
#include <drm/drm_gpuvm.h>

#include "mem/xetile_bind_op.h"
#include "mem/xetile_bo_fill.h"
#include "mem/xetile_bo_group.h"
#include "mem/xetile_bo_types.h"
#include "mem/xetile_bo_validate.h"
#include "mem/xetile_vm.h"
#include "mem/xetile_vm_bind_types.h"
#include "mem/xetile_vm_bind_walk.h"
#include "mem/xetile_vm_plan.h"
#include "mem/xetile_vm_types.h"
#include "mem/xetile_vma.h"

/**
 * DOC: what a call that binds locks
 *
 * It locks the VM, the BOs to be mapped, and those that are mapped where it changes something. The
 * VM comes first, because only its reservation makes the mappings stay. The BOs to be mapped are
 * brought where the GPU reaches them under the same locks. A wait until they are filled holds none:
 * after that the call begins anew.
 */

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
		/*
		 * The next start of endless jobs would be in time to find a BO lost, but that bans
		 * the address space: rather the bind fails, whether anything runs now or not.
		 */
		if (!xetile_vm_is_lr(bind->vm) && !xetile_bo_group_has_jobs(bind->vm->group))
			return 0;
		if (lost)
			return -ENODATA;
		*fill = dma_fence_get(bo->filled);
		return 0;
	}
	return 0;
}

/**
 * xetile_vm_bind_lock() - lock all that a call needs, and have its BOs where the GPU reaches them
 * @bind: call; out: its binds, each of which names a range, and the spares they need
 * @exec: out: on success the locks, for drm_exec_fini()
 * @room: room for BOs that have to move
 *
 * On success no job sees a BO that is not filled.
 *
 * Context: process; takes the reservations of the VM and of BOs; no other one is held. Sleeps.
 * Return: 0 or an error, with nothing locked; xetile_room_again() says whether to try again.
 */
int xetile_vm_bind_lock(struct xetile_vm_bind *bind, struct drm_exec *exec,
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
