// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_vm_bind.h"

#include <linux/dma-fence.h>

#include <drm/drm_exec.h>

#include "regs/pvc_soc_regs.h"

#include "mem/xetile_bind_op.h"
#include "mem/xetile_bo_types.h"
#include "mem/xetile_room.h"
#include "mem/xetile_sync.h"
#include "mem/xetile_vm.h"
#include "mem/xetile_vm_bind_change.h"
#include "mem/xetile_vm_bind_lock.h"
#include "mem/xetile_vm_bind_types.h"
#include "mem/xetile_vm_job.h"
#include "mem/xetile_vm_plan.h"
#include "mem/xetile_vm_run.h"
#include "mem/xetile_vm_types.h"
#include "mem/xetile_vm_update.h"
#include "xetile_device.h"

/**
 * DOC: a call that changes what an address space maps
 *
 * The call locks the VM, the BOs to be mapped and the BOs that are displaced, has the BOs to be
 * mapped where the GPU reaches them (xetile_vm_bind_lock.c), does all that may fail, and then
 * changes mappings and tables, which cannot fail (xetile_vm_bind_change.c). The ioctls make such
 * calls.
 */

/* How often a wait for a fence looks whether the card is still there */
#define WAIT_STEP	(HZ / 10)

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
 * Context: process, within xetile_device_enter(); takes the reservations of the VM and of BOs.
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
