// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_stray.h"

#include <linux/dma-resv.h>
#include <linux/jiffies.h>
#include <linux/slab.h>

#include <drm/drm_gpuvm.h>

#include "mem/xetile_bo.h"
#include "mem/xetile_bo_validate.h"
#include "mem/xetile_hbm_manager.h"
#include "mem/xetile_managed_copies.h"
#include "mem/xetile_managed_read.h"
#include "mem/xetile_room.h"
#include "mem/xetile_vm_need.h"
#include "xetile_device.h"

/**
 * DOC: buffers that do not lie as asked
 *
 * A buffer that found HBM full lies in system memory, or with a part of it on another tile than
 * its color says: it is a *stray*. It works there, but slower, so it is moved to its place when
 * HBM has room again. A VM keeps a list of its strays. A job of the VM looks at some of them,
 * if HBM has been freed since all were looked at, and moves those that HBM has room for.
 * Nothing else is evicted for them, because others may want it more.
 *
 * A buffer moves only when no job uses it. Jobs wait now and then for a buffer that is always
 * in use: without a reservation held, for as long as xetile_room.c waits for one buffer.
 */

/* Strays that one job looks at, and bytes that it moves, at most; it moves at least one stray */
#define MAX_LOOKS	16u
#define MAX_BYTES	((u64)SZ_256M)

/* How often a stray is found in use before a job waits for it */
#define MAX_BUSY	64
/* Time between two such waits of a VM's jobs, at least */
#define WAIT_MS		10000

/* struct xetile_stray - a BO in a VM, whether it is a stray or not */
struct xetile_stray {
	struct drm_gpuvm_bo base;
	/* the list that the BO is in, or NULL: it is no stray */
	struct xetile_strays *strays;
	struct list_head link;
	unsigned int busy;
	/* &xetile_bo.moves when the VM last mapped the BO */
	u64 moves;
	/* HBM that the VM counts for the BO */
	struct xetile_vm_need need;
};

static struct xetile_stray *to_stray(struct drm_gpuvm_bo *vm_bo)
{
	return container_of(vm_bo, struct xetile_stray, base);
}

/**
 * xetile_strays_init() - a VM has no stray
 * @strays: the VM's
 */
void xetile_strays_init(struct xetile_strays *strays)
{
	*strays = (struct xetile_strays) { };
	INIT_LIST_HEAD(&strays->list);
}

/**
 * xetile_stray_alloc() - memory for a BO in a VM, for drm_gpuvm
 *
 * Return: zeroed memory, or NULL.
 */
struct drm_gpuvm_bo *xetile_stray_alloc(void)
{
	struct xetile_stray *stray = kzalloc_obj(*stray, GFP_KERNEL_ACCOUNT);

	return stray ? &stray->base : NULL;
}

static void remove(struct xetile_stray *stray)
{
	struct xetile_strays *strays = stray->strays;

	if (!strays)
		return;
	drm_gpuvm_resv_assert_held(stray->base.vm);
	list_del(&stray->link);
	stray->strays = NULL;
	strays->num--;
	strays->rest = min(strays->rest, strays->num);
}

/**
 * xetile_stray_free() - the VM does not map the BO any more, for drm_gpuvm
 * @vm_bo: of xetile_stray_alloc(); with the BO's reservation held, and the VM's unless nobody uses
 *	the VM any more
 *
 * Context: process, with the BO's reservation.
 */
void xetile_stray_free(struct drm_gpuvm_bo *vm_bo)
{
	dma_resv_assert_held(vm_bo->obj->resv);
	remove(to_stray(vm_bo));
	xetile_vm_need_give(&to_stray(vm_bo)->need);
	/* A part is mapped by one VM only. */
	xetile_copies_end(gem_to_xetile_bo(vm_bo->obj));
	xetile_bo_unmapped(gem_to_xetile_bo(vm_bo->obj));
	kfree(to_stray(vm_bo));
}

/**
 * xetile_stray_need() - what a VM counts for a BO
 * @vm_bo: of xetile_stray_alloc()
 *
 * Context: any.
 * Return: the need, which lives as long as @vm_bo.
 */
struct xetile_vm_need *xetile_stray_need(struct drm_gpuvm_bo *vm_bo)
{
	return &to_stray(vm_bo)->need;
}

/**
 * xetile_stray_note() - note whether a BO that a VM has mapped is a stray
 * @strays: the VM's, with its reservation held
 * @vm_bo: the BO in the VM, with its reservation held
 *
 * Context: process, with the reservations of the VM and of the BO.
 */
void xetile_stray_note(struct xetile_strays *strays, struct drm_gpuvm_bo *vm_bo)
{
	struct xetile_bo *bo = gem_to_xetile_bo(vm_bo->obj);
	struct xetile_stray *stray = to_stray(vm_bo);

	drm_gpuvm_resv_assert_held(vm_bo->vm);
	dma_resv_assert_held(vm_bo->obj->resv);
	remove(stray);
	if (!xetile_bo_is_stray(bo) && !xetile_managed_lacks(bo))
		return;
	stray->strays = strays;
	stray->busy = 0;
	strays->num++;
	/* A copy that was refused a moment ago is tried again when memory has been freed. */
	if (!xetile_bo_is_stray(bo)) {
		list_add_tail(&stray->link, &strays->list);
		return;
	}
	/* Memory may have been freed since the BO found none: look at it once more. */
	list_add(&stray->link, &strays->list);
	strays->rest++;
}

/**
 * xetile_stray_set_current() - a VM maps all it maps of a BO where the BO lies now
 * @vm_bo: the BO in the VM; both reservations are held
 *
 * Context: process, with the reservations of the VM and of the BO.
 */
void xetile_stray_set_current(struct drm_gpuvm_bo *vm_bo)
{
	drm_gpuvm_resv_assert_held(vm_bo->vm);
	dma_resv_assert_held(vm_bo->obj->resv);
	to_stray(vm_bo)->moves = gem_to_xetile_bo(vm_bo->obj)->moves;
}

/**
 * xetile_stray_is_current() - does a VM map a BO where the BO lies now
 * @vm_bo: the BO in the VM; both reservations are held
 *
 * A BO that is only held back from jobs, see xetile_room.c, or that could lie better, has to be
 * validated before the next job as well, but need not be mapped anew.
 *
 * Context: process, with the reservations of the VM and of the BO.
 * Return: true if so.
 */
bool xetile_stray_is_current(struct drm_gpuvm_bo *vm_bo)
{
	drm_gpuvm_resv_assert_held(vm_bo->vm);
	dma_resv_assert_held(vm_bo->obj->resv);
	return to_stray(vm_bo)->moves == gem_to_xetile_bo(vm_bo->obj)->moves;
}

static void put_off(struct xetile_strays *strays, struct xetile_stray *stray)
{
	drm_gpuvm_resv_assert_held(stray->base.vm);
	list_move_tail(&stray->link, &strays->list);
	strays->rest--;
}

/* A stray is in use. Returns 0, or -EBUSY: the job is to wait for it. */
static int note_busy(struct xetile_strays *strays, struct xetile_stray *stray,
		     struct xetile_room *room)
{
	drm_gpuvm_resv_assert_held(stray->base.vm);
	dma_resv_assert_held(stray->base.obj->resv);
	/* Nobody tells when the stray is idle: so all are to be looked at again. */
	strays->rest = strays->num;
	/* Jobs do not wait for binds of bind queues. */
	if (gem_to_xetile_bo(stray->base.obj)->binds || ++stray->busy < MAX_BUSY ||
	    time_before64(get_jiffies_64(), strays->waited + msecs_to_jiffies(WAIT_MS)))
		return 0;
	strays->waited = get_jiffies_64();
	stray->busy = 0;
	xetile_room_note_busy(room, gem_to_xetile_bo(stray->base.obj));
	return -EBUSY;
}

/*
 * A stray was moved, to its place or not, after drm_gpuvm had collected the evicted BOs when they
 * were locked: map it where it is now. Returns 0 or the error of the mapping.
 */
static int map_anew(struct xetile_strays *strays, struct xetile_stray *stray,
		    struct drm_exec *exec)
{
	struct drm_gpuvm_bo *vm_bo = &stray->base;
	int err = vm_bo->vm->ops->vm_bo_validate(vm_bo, exec);

	drm_gpuvm_resv_assert_held(stray->base.vm);
	dma_resv_assert_held(stray->base.obj->resv);
	/*
	 * If the BO was listed as a stray again, one look at it is enough for this job. A part that
	 * may have copies is mapped when all BOs have their places, and listed then.
	 */
	if (!err && stray->strays && !vm_bo->evicted)
		put_off(strays, stray);
	return err;
}

/* @bytes: grows by what is moved. Returns 0, -EBUSY, or an error of the validation. */
static int look_at(struct xetile_strays *strays, struct xetile_stray *stray,
		   struct drm_exec *exec, struct xetile_room *room, u64 *bytes)
{
	struct xetile_bo *bo = gem_to_xetile_bo(stray->base.obj);
	int err;

	drm_gpuvm_resv_assert_held(stray->base.vm);
	dma_resv_assert_held(stray->base.obj->resv);
	put_off(strays, stray);
	/* drm_gpuvm knows that the BO was evicted, and validates it after this. */
	if (stray->base.evicted)
		return 0;
	/* It lies as asked, but a tile has no copy of it. */
	if (!xetile_bo_is_stray(bo) && xetile_managed_lacks(bo)) {
		if (xetile_managed_may_copy(bo))
			drm_gpuvm_bo_evict(&stray->base, true);
		return 0;
	}
	err = xetile_bo_return(bo);
	if (stray->base.evicted) {
		*bytes += bo->args.size;
		return map_anew(strays, stray, exec);
	}
	if (!err)
		remove(stray);
	if (err == -EAGAIN)
		return note_busy(strays, stray, room);
	/* On other errors the BO can stay where it is. */
	return err == -ERESTARTSYS || err == -EINTR ? err : 0;
}

/**
 * xetile_strays_return() - move strays to their places, if there is room now
 * @strays: strays of the VM, whose reservation is held, as are those of all BOs that it maps
 * @exec: all that the VM maps is locked in it, and validated next
 * @room: the call, which is a job of the VM
 *
 * A BO that is moved is mapped anew. May sleep, but not for jobs.
 *
 * Return: 0, -EBUSY: drop all reservations and ask xetile_room_again(); and errors of the VM's
 * validation.
 */
int xetile_strays_return(struct xetile_strays *strays, struct drm_exec *exec,
			 struct xetile_room *room)
{
	u64 freed, bytes = 0;
	unsigned int i, looks;
	int err = 0;

	if (!strays->num)
		return 0;
	freed = xetile_hbm_freed(room->xt);
	if (freed != strays->freed) {
		strays->freed = freed;
		strays->rest = strays->num;
	}
	/* Look at each once: the next job looks again at those that are in use. */
	looks = min(strays->rest, MAX_LOOKS);
	for (i = 0; i < looks && strays->rest && bytes < MAX_BYTES && !err; i++)
		err = look_at(strays, list_first_entry(&strays->list, struct xetile_stray, link),
			      exec, room, &bytes);
	return err;
}
