// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_stray.h"

#include <linux/dma-resv.h>
#include <linux/jiffies.h>
#include <linux/slab.h>

#include <drm/drm_gpuvm.h>

#include "mem/xetile_bo.h"
#include "mem/xetile_bo_validate.h"
#include "mem/xetile_hbm_manager.h"
#include "mem/xetile_room.h"
#include "xetile_device.h"

/**
 * DOC: buffers that do not lie as asked
 *
 * A buffer that found HBM full lies in system memory, or with a part of it on another
 * tile than its color says. It works there, but slower, so it is put right when HBM has
 * room again. A VM keeps a list of such buffers. A job of the VM looks at some of them,
 * if HBM has been freed since all were looked at, and moves those there is room for.
 * Nothing else is evicted for them, because others may want it more.
 *
 * A buffer moves only when no job uses it. One that is always in use is waited for now and
 * then: without a reservation held, for as long as xetile_room.c waits for one buffer.
 */

/* What one job looks at, and moves, at most; it moves at least one */
#define MAX_LOOKS	16u
#define MAX_BYTES	((u64)SZ_256M)

/* How often it is found in use before it is waited for */
#define MAX_BUSY	64
/* How often jobs of a VM wait for one, at most */
#define WAIT_MS		10000

/* struct xetile_stray - a BO in a VM */
struct xetile_stray {
	struct drm_gpuvm_bo base;
	/* where it is listed, or NULL */
	struct xetile_strays *strays;
	struct list_head link;
	unsigned int busy;
	/* &xetile_bo.moves when the VM mapped it where it was then */
	u64 moves;
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
 * @vm_bo: of xetile_stray_alloc(); with the BO's reservation held, and the VM's unless nobody
 *	uses that any more
 *
 * Context: process, with the BO's reservation.
 */
void xetile_stray_free(struct drm_gpuvm_bo *vm_bo)
{
	dma_resv_assert_held(vm_bo->obj->resv);
	remove(to_stray(vm_bo));
	xetile_bo_unmapped(gem_to_xetile_bo(vm_bo->obj));
	kfree(to_stray(vm_bo));
}

/**
 * xetile_stray_note() - a VM maps a BO where it lies now
 * @strays: the VM's, with its reservation held
 * @vm_bo: the BO in the VM, with its reservation held
 *
 * Context: process, with the reservations of the VM and of the BO.
 */
void xetile_stray_note(struct xetile_strays *strays, struct drm_gpuvm_bo *vm_bo)
{
	struct xetile_stray *stray = to_stray(vm_bo);

	drm_gpuvm_resv_assert_held(vm_bo->vm);
	dma_resv_assert_held(vm_bo->obj->resv);
	remove(stray);
	if (!xetile_bo_is_stray(gem_to_xetile_bo(vm_bo->obj)))
		return;
	/* Memory may have been freed since it found none: it is looked at once more. */
	list_add(&stray->link, &strays->list);
	stray->strays = strays;
	stray->busy = 0;
	strays->num++;
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
 * One that is only held back from jobs, see xetile_room.c, or that could lie better, has to
 * be validated before the next job as well, but need not be mapped anew.
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

/* It is in use. Returns 0, or -EBUSY: it is to be waited for */
static int note_busy(struct xetile_strays *strays, struct xetile_stray *stray,
		     struct xetile_room *room)
{
	drm_gpuvm_resv_assert_held(stray->base.vm);
	dma_resv_assert_held(stray->base.obj->resv);
	/* That it is idle one day is told by nobody. */
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
 * It was moved, well or not, after drm_gpuvm had looked for such when they were locked: map
 * it where it is now. Returns 0 or what that returns.
 */
static int map_anew(struct xetile_strays *strays, struct xetile_stray *stray,
		    struct drm_exec *exec)
{
	struct drm_gpuvm_bo *vm_bo = &stray->base;
	int err = vm_bo->vm->ops->vm_bo_validate(vm_bo, exec);

	drm_gpuvm_resv_assert_held(stray->base.vm);
	dma_resv_assert_held(stray->base.obj->resv);
	/* Where it was noted again that was enough for this job. */
	if (!err && stray->strays)
		put_off(strays, stray);
	return err;
}

/* @bytes: grows by what is moved. Returns 0, -EBUSY, and what validation returns */
static int look_at(struct xetile_strays *strays, struct xetile_stray *stray,
		   struct drm_exec *exec, struct xetile_room *room, u64 *bytes)
{
	struct xetile_bo *bo = gem_to_xetile_bo(stray->base.obj);
	int err;

	drm_gpuvm_resv_assert_held(stray->base.vm);
	dma_resv_assert_held(stray->base.obj->resv);
	put_off(strays, stray);
	/* Then drm_gpuvm knows, and it is validated behind this. */
	if (stray->base.evicted)
		return 0;
	err = xetile_bo_return(bo);
	if (stray->base.evicted) {
		*bytes += bo->args.size;
		return map_anew(strays, stray, exec);
	}
	if (!err)
		remove(stray);
	if (err == -EAGAIN)
		return note_busy(strays, stray, room);
	/* To stay where it is will do. */
	return err == -ERESTARTSYS || err == -EINTR ? err : 0;
}

/**
 * xetile_strays_return() - put right what does not lie as asked, if there is room now
 * @strays: of the VM; its reservation, and those of all it maps, are held
 * @exec: all that the VM maps is locked in it, and validated next
 * @room: the call, which is a job of the VM
 *
 * What is moved is mapped anew. May sleep, but not for jobs.
 *
 * Return: 0, -EBUSY: drop all reservations and ask xetile_room_again(); and what the VM's
 * validation returns.
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
	/* At each once: who is found in use is looked at again by the next job. */
	looks = min(strays->rest, MAX_LOOKS);
	for (i = 0; i < looks && strays->rest && bytes < MAX_BYTES && !err; i++)
		err = look_at(strays, list_first_entry(&strays->list, struct xetile_stray, link),
			      exec, room, &bytes);
	return err;
}
