// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_vm.h"

#include <linux/dma-fence.h>
#include <linux/dma-resv.h>
#include <linux/kref.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include <drm/drm_drv.h>
#include <drm/drm_gpuvm.h>

#include "card/xetile_gate.h"
#include "mem/xetile_account.h"
#include "mem/xetile_bo_group.h"
#include "mem/xetile_pt.h"
#include "mem/xetile_pt_top.h"
#include "mem/xetile_stray.h"
#include "mem/xetile_user.h"
#include "mem/xetile_vm_hold.h"
#include "mem/xetile_vm_job.h"
#include "mem/xetile_vm_run.h"
#include "mem/xetile_vm_types.h"
#include "mem/xetile_vm_update.h"
#include "mem/xetile_vma.h"
#include "xetile_device.h"
#include "xetile_release.h"

/**
 * DOC: address spaces
 *
 * A VM is a drm_gpuvm, which knows the mappings, and a tree of page tables on each tile. One
 * reservation protects all of them: a bind that names only some tiles leaves the trees of the
 * others alone, and takes no other lock.
 *
 * BOs that are private to a VM share its reservation; all others are external objects: they can
 * be mapped in many VMs.
 *
 * Files and queues have references. xetile_vm_bind.c changes the mappings, xetile_vm_job.c
 * serves jobs.
 */

#define MAX_ASID	0xfffff		/* hardware: 20 bits */

static void vm_free(struct drm_gpuvm *gpuvm)
{
	kfree(to_xetile_vm(gpuvm));
}

static const struct drm_gpuvm_ops gpuvm_ops = {
	.vm_free = vm_free,
	.vm_bo_alloc = xetile_stray_alloc,
	.vm_bo_free = xetile_stray_free,
	.vm_bo_validate = xetile_vm_bo_validate,
	.sm_step_map = xetile_vma_step_map,
	.sm_step_remap = xetile_vma_step_remap,
	.sm_step_unmap = xetile_vma_step_unmap,
};

/* No job uses the VM: it has no memory of processes from now on. May be repeated. */
static void vm_drop_users(struct xetile_vm *vm)
{
	struct drm_gpuva *va;

	drm_gpuvm_for_each_va(va, &vm->gpuvm) {
		struct xetile_vma *vma = to_xetile_vma(va);

		if (!vma->user.range)
			continue;
		dma_resv_lock(vm->gem->resv, NULL);
		xetile_user_unlink(&vma->user);
		dma_resv_unlock(vm->gem->resv);
	}
	xetile_users_fini(&vm->ranges);
}

static void vm_unmap_all(struct xetile_vm *vm)
{
	struct drm_gpuva *va, *next;
	struct ww_acquire_ctx ctx;

	drm_gpuvm_for_each_va_safe(va, next, &vm->gpuvm) {
		struct drm_gem_object *gem = va->gem.obj;

		/* A client may have millions of them. */
		cond_resched();
		if (!gem) {
			drm_gpuva_remove(va);
			kfree(to_xetile_vma(va));
			continue;
		}
		/*
		 * The mapping may hold the last reference of the BO, whose reservation is locked
		 * here.
		 */
		drm_gem_object_get(gem);
		xetile_vm_lock_both(vm->gem->resv, gem->resv, &ctx);
		drm_gpuva_remove(va);
		drm_gpuva_unlink(va);
		xetile_vm_unlock_both(vm->gem->resv, gem->resv, &ctx);
		drm_gem_object_put(gem);
		kfree(to_xetile_vma(va));
	}
}

/* May drop the last reference of the card, which frees the workqueue of vm_free_work() too */
static void vm_put_work(struct work_struct *work)
{
	struct xetile_vm *vm = container_of(work, struct xetile_vm, put_work);
	struct xetile_device *xt = vm->xt;

	/* Frees the VM. */
	drm_gpuvm_put(&vm->gpuvm);
	drm_dev_put(&xt->drm);
}

static void vm_free_work(struct work_struct *work)
{
	struct xetile_vm *vm = container_of(work, struct xetile_vm, free_work.work);
	struct xetile_gate *gate = &vm->xt->gate;
	unsigned int t;

	/* Nobody can submit any more, but jobs may still walk the tables. */
	dma_resv_wait_timeout(vm->gem->resv, DMA_RESV_USAGE_BOOKKEEP, false, MAX_SCHEDULE_TIMEOUT);
	xetile_vm_run_fini(vm);
	/*
	 * Outside of the gate: the end of a range waits until the kernel has taken away what it is
	 * taking away from the process. That may wait for a job of another VM, which waits for a
	 * bind, whose work the gate keeps out.
	 */
	vm_drop_users(vm);
	if (!xetile_gate_enter(gate, &vm->free_work))
		return;

	vm_unmap_all(vm);
	for_each_set_bit(t, &vm->tile_mask, XETILE_MAX_TILES)
		xetile_pt_tree_fini(&vm->trees[t]);
	xetile_vm_updates_fini(&vm->updates);
	dma_resv_lock(vm->gem->resv, NULL);
	xetile_vma_drop_spares(vm, 0);
	dma_resv_unlock(vm->gem->resv);
	kfree(vm->window);
	if (vm->asid)
		xa_erase(&vm->xt->asids, vm->asid);
	drm_gem_object_put(vm->gem);
	xetile_account_give_vm(vm->updates.account);
	xetile_account_put(vm->updates.account);
	xetile_gate_leave(gate);
	xetile_release_queue(&vm->put_work);
}

/* __cold, because otherwise each bind would cost one call more: the last reference goes once. */
static void __cold vm_release(struct kref *ref)
{
	struct xetile_vm *vm = container_of(ref, struct xetile_vm, ref);

	/* The last reference may be dropped where nothing may sleep, or wait for a fence. */
	xetile_gated_queue(&vm->free_work);
}

static void updates_get(struct xetile_vm_updates *ups)
{
	xetile_vm_get(container_of(ups, struct xetile_vm, updates));
}

static void updates_put(struct xetile_vm_updates *ups)
{
	xetile_vm_put(container_of(ups, struct xetile_vm, updates));
}

static void updates_made(struct xetile_vm_updates *ups, void *hold)
{
	xetile_vm_holds_drop(&container_of(ups, struct xetile_vm, updates)->holds, hold);
}

static void holds_get(struct xetile_vm_holds *holds)
{
	xetile_vm_get(container_of(holds, struct xetile_vm, holds));
}

static void holds_put(struct xetile_vm_holds *holds)
{
	xetile_vm_put(container_of(holds, struct xetile_vm, holds));
}

static void ranges_get(struct xetile_users *ranges)
{
	xetile_vm_get(container_of(ranges, struct xetile_vm, ranges));
}

static void ranges_put(struct xetile_users *ranges)
{
	xetile_vm_put(container_of(ranges, struct xetile_vm, ranges));
}

static void ranges_hurry(struct xetile_users *ranges)
{
	xetile_vm_run_hurry(container_of(ranges, struct xetile_vm, ranges));
}

static int vm_init_trees(struct xetile_vm *vm)
{
	unsigned int t;
	int err;

	for_each_set_bit(t, &vm->tile_mask, XETILE_MAX_TILES) {
		struct xetile_tile *tile = &vm->xt->tiles[t];

		err = xetile_pt_tree_init(&vm->trees[t], tile, vm->updates.account,
					  vm->flags & XETILE_VM_SCRATCH ? tile->scratch : NULL);
		if (err)
			return err;
		xetile_pt_top_link(&vm->trees[t]);
	}
	return 0;
}

/**
 * xetile_vm_create_on() - make an address space on some tiles
 * @xt: card
 * @account: of the user's file, or NULL: the kernel's own
 * @tile_mask: mask of tiles
 * @flags: mask of XETILE_VM_*
 *
 * Return: as xetile_vm_create().
 */
struct xetile_vm *xetile_vm_create_on(struct xetile_device *xt, struct xetile_account *account,
				      unsigned long tile_mask, u32 flags)
{
	struct xetile_vm *vm;
	int err;

	err = xetile_account_take_vm(account);
	if (err)
		return ERR_PTR(err);
	err = -ENOMEM;
	vm = kzalloc_obj(*vm, GFP_KERNEL_ACCOUNT);
	if (!vm)
		goto err_give;
	vm->group = xetile_bo_group_create(xt);
	if (!vm->group)
		goto err_free;
	vm->gem = &vm->group->base;

	kref_init(&vm->ref);
	refcount_set(&vm->users, 1);
	drm_dev_get(&xt->drm);
	vm->xt = xt;
	vm->tile_mask = tile_mask;
	vm->flags = flags;
	INIT_WORK(&vm->free_work.work, vm_free_work);
	xetile_gated_init(&vm->free_work, xt->release_wq);
	INIT_WORK(&vm->put_work, vm_put_work);
	vm->updates.get = updates_get;
	vm->updates.put = updates_put;
	vm->updates.made = updates_made;
	vm->holds.get = holds_get;
	vm->holds.put = holds_put;
	xetile_vm_holds_init(&vm->holds, vm->gem);
	vm->ranges.get = ranges_get;
	vm->ranges.put = ranges_put;
	if (flags & XETILE_VM_LR)
		vm->ranges.hurry = ranges_hurry;
	vm->ranges.account = account;
	vm->ranges.outlives = flags & (XETILE_VM_LR | XETILE_VM_OUTLIVES);
	xetile_users_init(&vm->ranges, xt->drm.dev, xt->release_wq, vm->gem->resv);
	xetile_vm_updates_init(&vm->updates, xt, vm->gem->resv);
	vm->updates.account = xetile_account_get(account);
	xetile_strays_init(&vm->strays);
	xetile_vm_run_init(vm, xetile_vm_put);
	/* A job walks the VM's BOs under the reservation, without another lock. */
	drm_gpuvm_init(&vm->gpuvm, "xetile", DRM_GPUVM_RESV_PROTECTED, &xt->drm, vm->gem, 0,
		       xetile_vma_addr(XETILE_MAX_TILES, 0), 0, 0, &gpuvm_ops);

	/* From here on xetile_vm_put() undoes all of it. */
	err = vm_init_trees(vm);
	/* In turn, so that a freed id, under which an engine may keep things, is used again late */
	if (!err)
		err = xa_alloc_cyclic(&xt->asids, &vm->asid, vm, XA_LIMIT(1, MAX_ASID),
				      &xt->next_asid, GFP_KERNEL_ACCOUNT);
	/* 1: the ids have begun anew */
	if (err < 0) {
		vm->asid = 0;
		xetile_vm_put(vm);
		/* All numbers are in use. */
		return ERR_PTR(err == -EBUSY ? -ENOBUFS : err);
	}
	return vm;

err_free:
	kfree(vm);
err_give:
	xetile_account_give_vm(account);
	return ERR_PTR(err);
}

/**
 * xetile_vm_create() - make an address space for a user
 * @xt: card
 * @account: of the user's file
 * @flags: mask of XETILE_VM_*; never changes
 *
 * Return: the VM with one reference, or an ERR_PTR: -ENOBUFS when all address spaces that the
 * card can tell apart are in use, -EDQUOT when the user has as many address spaces, or as much
 * HBM for page tables, as a user may have, -ENOSPC, -ENOMEM.
 */
struct xetile_vm *xetile_vm_create(struct xetile_device *xt, struct xetile_account *account,
				   u32 flags)
{
	return xetile_vm_create_on(xt, account, GENMASK(xt->num_tiles - 1, 0), flags);
}

/**
 * xetile_vm_is_lr() - do jobs of a VM run for as long as they like
 * @vm: VM
 *
 * Return: whether it was made with XETILE_VM_LR; constant.
 */
bool xetile_vm_is_lr(const struct xetile_vm *vm)
{
	return vm->flags & XETILE_VM_LR;
}

/**
 * xetile_vm_get() - take a reference
 * @vm: VM
 *
 * Any context.
 *
 * Return: @vm.
 */
struct xetile_vm *xetile_vm_get(struct xetile_vm *vm)
{
	kref_get(&vm->ref);
	return vm;
}

/**
 * xetile_vm_put() - drop a reference
 * @vm: VM or NULL
 *
 * Any context. The last one unmaps everything, in a worker, when all jobs in the
 * VM's reservation are done.
 */
void xetile_vm_put(struct xetile_vm *vm)
{
	if (!vm)
		return;
	/* Until the work is queued, if this is the last reference: see xetile_vms_unmap_users(). */
	rcu_read_lock();
	kref_put(&vm->ref, vm_release);
	rcu_read_unlock();
}

/**
 * xetile_vm_use() - begin to use a VM: a queue of it is made
 * @vm: VM the caller has a reference of
 *
 * Return: true, and @vm has one more reference, for xetile_vm_unuse(); or false: the VM's last
 * user is gone.
 */
bool xetile_vm_use(struct xetile_vm *vm)
{
	if (!refcount_inc_not_zero(&vm->users))
		return false;
	xetile_vm_get(vm);
	return true;
}

/**
 * xetile_vm_unuse() - a queue of the VM is gone, or its id
 * @vm: VM; the reference is dropped as well
 *
 * With the last user binds end that still wait, because no job will see them, and they may wait
 * for fences of others that never signal. Their own fences get -ECANCELED.
 *
 * Context: any.
 */
void xetile_vm_unuse(struct xetile_vm *vm)
{
	if (refcount_dec_and_test(&vm->users))
		xetile_vm_updates_end(&vm->updates, -ECANCELED);
	xetile_vm_put(vm);
}

/**
 * xetile_vm_close() - the id of a VM is given up
 * @vm: VM; queues keep it alive, but nothing is bound any more; a reference is dropped
 */
void xetile_vm_close(struct xetile_vm *vm)
{
	WRITE_ONCE(vm->closed, true);
	xetile_vm_unuse(vm);
}

/**
 * xetile_vms_end() - the card is gone: end the binds that wait in its VMs
 * @xt: card, unplugged
 *
 * Fences of binds that still wait get -ENODEV.
 *
 * Context: process.
 */
void xetile_vms_end(struct xetile_device *xt)
{
	bool cookie = dma_fence_begin_signalling();
	struct xetile_vm *vm;
	unsigned long asid;

	xa_lock(&xt->asids);
	xa_for_each(&xt->asids, asid, vm) {
		/* A VM that is being freed has no bind that waits. */
		if (!kref_get_unless_zero(&vm->ref))
			continue;
		xa_unlock(&xt->asids);
		xetile_vm_updates_end(&vm->updates, -ENODEV);
		xetile_vm_put(vm);
		xa_lock(&xt->asids);
	}
	xa_unlock(&xt->asids);
	dma_fence_end_signalling(cookie);
}

static void visit_users(struct xetile_device *xt, void (*visit)(struct xetile_users *users))
{
	struct xetile_vm *vm;
	unsigned long asid;

	xa_lock(&xt->asids);
	xa_for_each(&xt->asids, asid, vm) {
		if (!kref_get_unless_zero(&vm->ref))
			continue;
		xa_unlock(&xt->asids);
		visit(&vm->ranges);
		xetile_vm_put(vm);
		xa_lock(&xt->asids);
	}
	xa_unlock(&xt->asids);
}

/**
 * xetile_vms_rest_users() - have no job use memory of processes before the machine sleeps
 * @xt: card, to which nobody submits
 *
 * Context: process.
 */
void xetile_vms_rest_users(struct xetile_device *xt)
{
	/* A VM that is being freed has no job. */
	visit_users(xt, xetile_users_rest);
}

/**
 * xetile_vms_unmap_users() - unmap all memory of processes from a card that is removed
 * @xt: card, which nobody uses any more
 *
 * Context: process.
 */
void xetile_vms_unmap_users(struct xetile_device *xt)
{
	visit_users(xt, xetile_users_unplug);
	/*
	 * A VM that is being freed unmaps its ranges itself. If it has no reference it may not have
	 * queued its work yet.
	 */
	synchronize_rcu();
	/* Works that free VMs and ranges */
	flush_workqueue(xt->release_wq);
}

/**
 * xetile_vm_gem() - the object that carries a VM's reservation
 * @vm: VM
 *
 * BOs that are private to the VM name the object as their owner. It may outlive the VM.
 *
 * Return: the object, without a reference for the caller.
 */
struct drm_gem_object *xetile_vm_gem(struct xetile_vm *vm)
{
	return vm->gem;
}

/**
 * xetile_vm_user_range() - prepare to map memory of the calling process
 * @vm: VM
 * @start: address in the process
 * @size: bytes
 * @readonly: the card only reads
 *
 * Context: process, with no lock.
 * Return: as xetile_user_create(); -EOPNOTSUPP: the kernel cannot do this.
 */
struct xetile_user_range *xetile_vm_user_range(struct xetile_vm *vm, u64 start, u64 size,
					       bool readonly)
{
	return xetile_user_create(&vm->ranges, start, size, readonly);
}

/**
 * xetile_vm_add_queue() - jobs of a queue may use memory of processes
 * @vm: VM
 * @queue: the queue's part; its function is set
 *
 * Context: process; takes &xetile_users.lock.
 */
void xetile_vm_add_queue(struct xetile_vm *vm, struct xetile_user_queue *queue)
{
	xetile_users_add_queue(&vm->ranges, queue);
}

/**
 * xetile_vm_del_queue() - undo xetile_vm_add_queue()
 * @vm: VM
 * @queue: the queue's part, or one whose link is empty
 *
 * Context: process; takes &xetile_users.lock.
 */
void xetile_vm_del_queue(struct xetile_vm *vm, struct xetile_user_queue *queue)
{
	xetile_users_del_queue(&vm->ranges, queue);
}

/**
 * xetile_vm_reap_users() - free memory of processes that is not mapped any more
 * @vm: VM
 *
 * Context: any.
 */
void xetile_vm_reap_users(struct xetile_vm *vm)
{
	xetile_users_reap(&vm->ranges);
}
