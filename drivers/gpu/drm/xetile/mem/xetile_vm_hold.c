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
 * Jobs do not wait for such a change: as long as it is not made they may use what it
 * will displace, and from then on what it maps, or both. So it holds all of that:
 *
 * - it is counted in &xetile_bo.binds of these BOs, so that they stay where the page
 *   tables say they are, before and after the change. Its fence is in no reservation, because
 *   that of a private BO is that of all the VM's: none of them could be moved;
 * - it has references of their &struct drm_gpuvm_bo, so that the VM goes on to lock
 *   those BOs for its jobs, although it does not map them any more: the fences of jobs that
 *   are submitted until the change is made are in their reservations.
 *
 * A job that is submitted later flushes what its engine remembers of the tables.
 */

/** struct xetile_vm_hold - what one change holds */
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
 * Return: what holds nothing yet, or NULL without memory.
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
 * @hold: what one change holds
 * @vm_bo: the BO in the VM; it may be held more than once
 *
 * Context: process, with the reservations of the VM and of the BO.
 * Return: 0; -ENODATA: it is not where the page tables say it is, or it is in system memory
 * and no job can use it there.
 */
int xetile_vm_hold_add(struct xetile_vm_hold *hold, struct drm_gpuvm_bo *vm_bo)
{
	struct xetile_bo *bo = gem_to_xetile_bo(vm_bo->obj);

	dma_resv_assert_held(vm_bo->obj->resv);
	/* Whether it is on the VM's list of those to be mapped anew says nothing of that. */
	if (!xetile_stray_is_current(vm_bo) || WARN_ON_ONCE(hold->num == hold->max))
		return -ENODATA;
	/* Each job would wait until it may come back, which is when it is not held any more. */
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
 * xetile_vm_hold_drop() - let go of held memory
 * @hold: what one change holds, or NULL
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
 * The lists of a drm_gpuvm are the VM's, those of a BO are the BO's: who leaves both locks
 * both. Not while other reservations are held.
 *
 * Context: process; takes both reservations; no other one is held.
 */
void xetile_vm_lock_both(struct dma_resv *a, struct dma_resv *b, struct ww_acquire_ctx *ctx)
{
	ww_acquire_init(ctx, &reservation_ww_class);
	/* The first one is waited for, whoever has it. */
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

	/* It may be the last reference to what is locked. */
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
 * xetile_vm_holds_drop() - let go of held memory, later
 * @holds: those of the VM
 * @hold: what one change held that is made now
 *
 * Context: any.
 */
void xetile_vm_holds_drop(struct xetile_vm_holds *holds, struct xetile_vm_hold *hold)
{
	/* Who finds the list empty starts the work, which has a reference. */
	if (!llist_add(&hold->link, &holds->done))
		return;
	holds->get(holds);
	queue_work(to_xetile_device(holds->gem->dev)->release_wq, &holds->work);
}

/**
 * xetile_vm_holds_init() - begin to let go
 * @holds: those of a VM; get and put are set by the caller
 * @gem: carries the VM's reservation; there as long as @holds
 */
void xetile_vm_holds_init(struct xetile_vm_holds *holds, struct drm_gem_object *gem)
{
	holds->gem = gem;
	init_llist_head(&holds->done);
	INIT_WORK(&holds->work, holds_work);
}
