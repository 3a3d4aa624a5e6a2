// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_vm_hold.h"

#include <linux/dma-resv.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/wait.h>
#include <linux/ww_mutex.h>

#include <drm/drm_gpuvm.h>

#include "mem/xetile_bo.h"
#include "mem/xetile_bo_validate.h"
#include "mem/xetile_stray.h"
#include "xetile_device.h"

/**
 * DOC: memory that a change of a bind queue holds
 *
 * Jobs do not wait for such a change: before it is made they may use the BOs that it will displace,
 * after that those that it maps, or both. So the change holds all these BOs:
 *
 * - it counts in &xetile_bo.binds of each, so that the BO stays where the page tables say it is,
 *   before and after the change. The change's fence is in no reservation, because all private
 *   BOs share the VM's: none of them could be moved;
 * - it has a reference of each &struct drm_gpuvm_bo, so that the VM goes on to lock the BO for
 *   its jobs, although it does not map it any more: the fences of jobs that are submitted until
 *   the change is made are in the BO's reservation.
 *
 * A job that is submitted later flushes its engine's TLB.
 */

/** struct xetile_vm_hold - BOs that one change holds */
struct xetile_vm_hold {
	/* in xetile_vm_holds.done */
	struct llist_node link;
	unsigned int num;
	unsigned int max;
	struct drm_gpuvm_bo *vm_bos[] __counted_by(max);
};

/**
 * xetile_vm_hold_create() - begin to hold memory
 * @num: how many times xetile_vm_hold_add() will be called at most
 *
 * Return: a hold of no BO yet, or NULL without memory.
 */
struct xetile_vm_hold *xetile_vm_hold_create(unsigned int num)
{
	struct xetile_vm_hold *hold;

	hold = kvzalloc(struct_size(hold, vm_bos, num), GFP_KERNEL_ACCOUNT);
	if (hold)
		hold->max = num;
	return hold;
}

/**
 * xetile_vm_hold_add() - hold a BO
 * @hold: hold of the change
 * @vm_bo: the BO in the VM; it may be held more than once
 *
 * Context: process, with the reservations of the VM and of the BO.
 * Return: 0; -ENODATA: the BO is not where the page tables say it is, or it is in system memory and
 * no job can use it there, or it is another device's, which may move it, or it may have copies.
 */
int xetile_vm_hold_add(struct xetile_vm_hold *hold, struct drm_gpuvm_bo *vm_bo)
{
	struct xetile_bo *bo = gem_to_xetile_bo(vm_bo->obj);

	dma_resv_assert_held(vm_bo->obj->resv);
	/* The VM's list of evicted BOs does not tell, because it has BOs held back, too. */
	if (!xetile_stray_is_current(vm_bo) || WARN_ON_ONCE(hold->num == hold->max))
		return -ENODATA;
	/* Copies go when anybody wants their memory. */
	if (bo->import || bo->advice == XETILE_ADVICE_READ)
		return -ENODATA;
	/* Each job would wait until the BO may come back, which is when it is not held any more. */
	if (!xetile_bo_is_placed(bo) && !(bo->args.placement & XETILE_PLACE_SYSTEM))
		return -ENODATA;
	WRITE_ONCE(bo->binds, bo->binds + 1);
	hold->vm_bos[hold->num++] = drm_gpuvm_bo_get(vm_bo);
	return 0;
}

static void hold_put(struct drm_gpuvm_bo *vm_bo)
{
	struct xetile_bo *bo = gem_to_xetile_bo(vm_bo->obj);

	dma_resv_assert_held(vm_bo->obj->resv);
	WRITE_ONCE(bo->binds, bo->binds - 1);
	if (!bo->binds)
		wake_up_all(&to_xetile_device(vm_bo->obj->dev)->room.changed);
	drm_gpuvm_bo_put(vm_bo);
}

/**
 * xetile_vm_hold_drop() - release held memory
 * @hold: hold of a change, or NULL
 *
 * Needs the reservations that xetile_vm_hold_add() needed.
 */
void xetile_vm_hold_drop(struct xetile_vm_hold *hold)
{
	unsigned int i;

	if (!hold)
		return;
	for (i = 0; i < hold->num; i++)
		hold_put(hold->vm_bos[i]);
	kvfree(hold);
}

/**
 * xetile_vm_lock_both() - lock a VM and a BO, to take the BO out of the VM
 * @a: reservation of one
 * @b: reservation of the other; a private BO has the VM's
 * @ctx: on the stack; for xetile_vm_unlock_both()
 *
 * The VM's reservation protects the lists of a drm_gpuvm, and the BO's those of the BO: to take
 * a BO off both, lock both. The caller holds no other reservation.
 *
 * Context: process; takes both reservations; no other one is held.
 */
void xetile_vm_lock_both(struct dma_resv *a, struct dma_resv *b, struct ww_acquire_ctx *ctx)
{
	ww_acquire_init(ctx, &reservation_ww_class);
	/* The first lock of a context is waited for, whoever has it. */
	dma_resv_lock(a, ctx);
	while (a != b && dma_resv_lock(b, ctx)) {
		dma_resv_unlock(a);
		dma_resv_lock_slow(b, ctx);
		swap(a, b);
	}
	ww_acquire_done(ctx);
}

/**
 * xetile_vm_unlock_both() - end what xetile_vm_lock_both() began
 * @a: as there
 * @b: as there
 * @ctx: as there
 */
void xetile_vm_unlock_both(struct dma_resv *a, struct dma_resv *b, struct ww_acquire_ctx *ctx)
{
	dma_resv_unlock(a);
	if (a != b)
		dma_resv_unlock(b);
	ww_acquire_fini(ctx);
}

static void let_go(struct xetile_vm_holds *holds, struct drm_gpuvm_bo *vm_bo)
{
	struct drm_gem_object *bo = vm_bo->obj;
	struct ww_acquire_ctx ctx;

	/* @vm_bo may have the last reference of the BO, whose reservation is locked here. */
	drm_gem_object_get(bo);
	xetile_vm_lock_both(holds->gem->resv, bo->resv, &ctx);
	hold_put(vm_bo);
	xetile_vm_unlock_both(holds->gem->resv, bo->resv, &ctx);
	drm_gem_object_put(bo);
}

static void holds_work(struct work_struct *work)
{
	struct xetile_vm_holds *holds = container_of(work, struct xetile_vm_holds, work);
	struct llist_node *list = llist_del_all(&holds->done);
	struct xetile_vm_hold *hold, *next;
	unsigned int i;

	llist_for_each_entry_safe(hold, next, list, link) {
		for (i = 0; i < hold->num; i++)
			let_go(holds, hold->vm_bos[i]);
		kvfree(hold);
	}
	holds->put(holds);
}

/**
 * xetile_vm_holds_drop() - release held memory, later
 * @holds: holds of the VM
 * @hold: hold of a change that is made now
 *
 * Context: any.
 */
void xetile_vm_holds_drop(struct xetile_vm_holds *holds, struct xetile_vm_hold *hold)
{
	/* The call that finds the list empty queues the work, which has a reference. */
	if (!llist_add(&hold->link, &holds->done))
		return;
	holds->get(holds);
	queue_work(to_xetile_device(holds->gem->dev)->release_wq, &holds->work);
}

/**
 * xetile_vm_holds_init() - prepare to release holds
 * @holds: holds of a VM; get and put are set by the caller
 * @gem: carries the VM's reservation; lives as long as @holds
 */
void xetile_vm_holds_init(struct xetile_vm_holds *holds, struct drm_gem_object *gem)
{
	holds->gem = gem;
	init_llist_head(&holds->done);
	INIT_WORK(&holds->work, holds_work);
}
