// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_vm_job.h"

#include <linux/atomic.h>
#include <linux/dma-fence.h>
#include <linux/dma-resv.h>

#include <drm/drm_exec.h>
#include <drm/drm_gpuvm.h>
#include <drm/ttm/ttm_bo.h>

#include "mem/xetile_bo_fill.h"
#include "mem/xetile_bo_group.h"
#include "mem/xetile_bo_layout.h"
#include "mem/xetile_bo_validate.h"
#include "mem/xetile_hbm_walk.h"
#include "mem/xetile_managed_copies.h"
#include "mem/xetile_managed_read.h"
#include "mem/xetile_pt_stage.h"
#include "mem/xetile_stray.h"
#include "mem/xetile_user.h"
#include "mem/xetile_va.h"
#include "mem/xetile_vm.h"
#include "mem/xetile_vm_order.h"
#include "mem/xetile_vm_types.h"
#include "mem/xetile_vm_update.h"
#include "mem/xetile_vma.h"

/**
 * DOC: what a job needs of its address space
 *
 * All BOs that a VM maps are locked, are where the tables say they are, and stay there until the
 * job is done. Fences keep them there: the fence of a VM's job is BOOKKEEP in the reservation of
 * every BO that the VM maps, so TTM moves and frees no BO that may be in use. A BO whose move left
 * stale entries in the tables is mapped anew before the next job, see xetile_vm_bo_validate(). The
 * submission of a job calls these functions, with the reservations of the VM and of its BOs held
 * from xetile_vm_lock() on.
 */

/* BOs that are not private, of which one job tells TTM that they are used */
#define TOUCH_BOS	16u

/* @bo: that is mapped; NULL: memory of a process */
static int map_vma(struct xetile_pt_update *pt, struct xetile_vm *vm, struct drm_gpuva *va,
		   const struct xetile_bo *bo, const struct xetile_layout *layout)
{
	dma_resv_assert_held(vm->gem->resv);
	return xetile_pt_map(pt, &vm->trees[xetile_vma_tile(va)],
			     va->va.addr & (XETILE_VA_SIZE - 1), va->va.range, layout,
			     va->gem.offset, xetile_vma_pte_flags(bo, to_xetile_vma(va)->flags));
}

/* Map what a tile sees of a BO: the BO, or the tile's copy */
static int map_bo(struct xetile_pt_update *pt, struct xetile_vm *vm, struct drm_gpuva *va)
{
	struct xetile_bo *bo = gem_to_xetile_bo(va->gem.obj), *seen;
	struct xetile_layout layout;

	dma_resv_assert_held(vm->gem->resv);
	seen = xetile_managed_seen(bo, xetile_vma_tile(va));
	xetile_bo_layout(seen, &layout);
	return map_vma(pt, vm, va, bo, &layout);
}

/*
 * Jobs that run already do not wait until a copy is filled. Until then it has the data of its
 * memory's last owner.
 */
static int wait_copies(struct xetile_vm *vm, struct xetile_bo *bo)
{
	struct xetile_bo *copy;
	unsigned int t;
	int err = 0;

	dma_resv_assert_held(vm->gem->resv);
	if (!bo->copies || !xetile_bo_group_has_jobs(vm->group))
		return 0;
	for (t = 0; t < XETILE_MAX_TILES && !err; t++) {
		copy = bo->copies->on[t];
		if (!copy || !copy->filled)
			continue;
		err = dma_fence_wait(copy->filled, true);
		if (!err && xetile_bo_is_lost(copy))
			xetile_copies_drop_one(copy);
	}
	return err;
}

/* Mask of the tiles that map a BO */
static u32 tiles_of(struct drm_gpuvm_bo *vm_bo)
{
	struct drm_gpuva *va;
	u32 tiles = 0;

	dma_resv_assert_held(vm_bo->obj->resv);
	drm_gpuvm_bo_for_each_va(va, vm_bo)
		tiles |= BIT(xetile_vma_tile(va));
	return tiles;
}

/* Begin a change that a job needs. In a run of endless jobs nobody could hear of a limit. */
static struct xetile_vm_update *begin_anew(struct xetile_vm *vm)
{
	dma_resv_assert_held(vm->gem->resv);
	return vm->flags & XETILE_VM_LR ? xetile_vm_update_create_uncounted(&vm->updates) :
					  xetile_vm_update_create(&vm->updates);
}

/* Map a BO where it is now, and note that */
static int map_anew(struct xetile_vm *vm, struct drm_gpuvm_bo *vm_bo)
{
	struct xetile_vm_update *upd = begin_anew(vm);
	struct drm_gpuva *va;
	int err = 0;

	dma_resv_assert_held(vm->gem->resv);
	if (IS_ERR(upd))
		return PTR_ERR(upd);
	drm_gpuvm_bo_for_each_va(va, vm_bo) {
		err = map_bo(xetile_vm_update_pt(upd), vm, va);
		if (err)
			break;
	}
	err = err ?: xetile_vm_update_order(upd, &(struct xetile_vm_place) { 0 });
	if (err) {
		xetile_vm_update_cancel(upd);
		return err;
	}
	xetile_stray_set_current(vm_bo);
	xetile_vm_update_stale(upd);
	dma_fence_put(xetile_vm_update_apply(upd, NULL));
	return 0;
}

/**
 * xetile_vm_bo_validate() - bring a BO back, and map it where it is now, for drm_gpuvm
 * @vm_bo: BO that was moved since the VM mapped it
 * @exec: all that the VM maps is locked in it
 *
 * Context: process, with the reservations of all that the VM maps.
 * Return: as xetile_vm_validate().
 */
int xetile_vm_bo_validate(struct drm_gpuvm_bo *vm_bo, struct drm_exec *exec)
{
	struct xetile_bo *bo = gem_to_xetile_bo(vm_bo->obj);
	struct xetile_vm *vm = to_xetile_vm(vm_bo->vm);
	bool reads = bo->advice == XETILE_ADVICE_READ;
	int err;

	dma_resv_assert_held(vm->gem->resv);
	err = xetile_bo_validate(bo, vm->room);
	if (err)
		return err;
	/* Other BOs of the VM need the room more than copies do. */
	if (reads && !vm->placed) {
		vm->may_copy = true;
		return 0;
	}
	if (reads)
		err = xetile_managed_read(bo, tiles_of(vm_bo), xetile_bo_group_has_jobs(vm->group),
					  vm->room) ?: wait_copies(vm, bo);
	if (!err && !xetile_stray_is_current(vm_bo))
		err = map_anew(vm, vm_bo);
	if (err)
		return err;
	/* As long as a bind of a bind queue holds it, jobs may write it. */
	drm_gpuvm_bo_evict(vm_bo, reads && !bo->copies);
	xetile_stray_note(&vm->strays, vm_bo);
	return 0;
}

/* A mapping of memory that its process has no more: a job that uses it has a page fault. */
static int unmap_vma(struct xetile_pt_update *pt, struct xetile_vm *vm, struct drm_gpuva *va)
{
	dma_resv_assert_held(vm->gem->resv);
	return xetile_pt_unmap(pt, &vm->trees[xetile_vma_tile(va)],
			       va->va.addr & (XETILE_VA_SIZE - 1), va->va.range);
}

/* Map the pages of a process that were faulted in: as a BO that was moved. */
static int map_user(struct xetile_vm *vm, struct xetile_user_range *range)
{
	struct xetile_vm_update *upd = begin_anew(vm);
	struct xetile_user_link *link;
	struct xetile_layout layout;
	int err = 0;

	dma_resv_assert_held(vm->gem->resv);
	if (IS_ERR(upd))
		return PTR_ERR(upd);
	xetile_user_layout(range, &layout);
	list_for_each_entry(link, xetile_user_links(range), link) {
		struct drm_gpuva *va = &container_of(link, struct xetile_vma, user)->base;

		if (err)
			break;
		err = xetile_user_is_absent(range) ?
		      unmap_vma(xetile_vm_update_pt(upd), vm, va) :
		      map_vma(xetile_vm_update_pt(upd), vm, va, NULL, &layout);
	}
	err = err ?: xetile_vm_update_order(upd, &(struct xetile_vm_place) { 0 });
	if (err) {
		xetile_vm_update_cancel(upd);
		return err;
	}
	xetile_vm_update_stale(upd);
	dma_fence_put(xetile_vm_update_apply(upd, NULL));
	return 0;
}

static int validate_users(struct xetile_vm *vm)
{
	struct xetile_user_range *range;
	int err = 0;

	dma_resv_assert_held(vm->gem->resv);
	while (vm->ranges.bound && !err) {
		range = xetile_users_take_fresh(&vm->ranges, &err);
		if (!range)
			break;
		err = map_user(vm, range);
		if (err)
			xetile_user_untake(range);
	}
	return err;
}

/* Stage the removal of directories that changes that waited left empty. Returns 0 or -ENOMEM. */
static int prune_trees(struct xetile_vm *vm, struct xetile_pt_update *pt)
{
	unsigned int t;
	int err = 0;

	dma_resv_assert_held(vm->gem->resv);
	for_each_set_bit(t, &vm->tile_mask, XETILE_MAX_TILES)
		err = err ?: xetile_pt_prune(pt, &vm->trees[t], vm->sparse_start,
					     vm->sparse_end - vm->sparse_start);
	return err;
}

/**
 * xetile_vm_tidy() - free tables that are not needed any more
 * @vm: VM with its reservation held
 *
 * Frees empty directories when no change waits, and tables out of use.
 *
 * Context: process, with the VM's reservation.
 */
void xetile_vm_tidy(struct xetile_vm *vm)
{
	struct xetile_vm_update *upd;

	dma_resv_assert_held(vm->gem->resv);
	if (vm->sparse_end && !xetile_vm_updates_wait(&vm->updates)) {
		upd = xetile_vm_update_create(&vm->updates);
		if (!IS_ERR(upd) && prune_trees(vm, xetile_vm_update_pt(upd))) {
			/* Next time, then */
			xetile_vm_update_cancel(upd);
		} else if (!IS_ERR(upd)) {
			xetile_vm_update_try(upd);
			vm->sparse_start = 0;
			vm->sparse_end = 0;
		}
	}
	xetile_vm_updates_reap(&vm->updates);
}

/**
 * xetile_vm_pdp0() - root pointer of a VM for a context
 * @vm: VM
 * @tile: tile the context runs on
 *
 * Context: any.
 * Return: the value of PDP0; constant.
 */
u64 xetile_vm_pdp0(struct xetile_vm *vm, struct xetile_tile *tile)
{
	return xetile_pt_tree_root(&vm->trees[tile->id]);
}

/**
 * xetile_vm_asid() - number of a VM for a context
 * @vm: VM
 *
 * Context: any.
 * Return: 1..0xfffff; constant.
 */
u32 xetile_vm_asid(struct xetile_vm *vm)
{
	return vm->asid;
}

/**
 * xetile_vm_tlb_seq() - when did a TLB last become stale
 * @vm: VM
 *
 * The number grows when a change was made after which old translations must not be used. A job
 * flushes its engine's TLB before its batch, unless a job with the same number did so on the same
 * context. It must read the number when its commands are written into the ring: the changes that it
 * waited for are made by then, and its flush may be too early for changes that are made later.
 *
 * Context: any.
 *
 * Return: a number, at least 1.
 */
u64 xetile_vm_tlb_seq(struct xetile_vm *vm)
{
	return atomic64_read_acquire(&vm->updates.tlb_seq);
}

/**
 * xetile_vm_bound() - the fence that a job waits for to see earlier binds
 * @vm: VM whose reservation is held
 *
 * The binds of bind queues are not among them.
 *
 * Context: process, with the VM's reservation.
 * Return: a fence, without a reference; NULL when no such bind waits.
 */
struct dma_fence *xetile_vm_bound(struct xetile_vm *vm)
{
	dma_resv_assert_held(vm->gem->resv);
	return xetile_vm_updates_last(&vm->updates);
}

/**
 * xetile_vm_lock() - lock a VM and all it maps, for a job
 * @vm: VM
 * @exec: within drm_exec_until_all_locked(); with DRM_EXEC_IGNORE_DUPLICATES
 *
 * Context: process; takes the reservations of all that the VM maps.
 * Return: 0 or a negative error code; the caller then calls
 * drm_exec_retry_on_contention().
 */
int xetile_vm_lock(struct xetile_vm *vm, struct drm_exec *exec)
{
	int err;

	err = drm_exec_lock_obj(exec, vm->gem);
	return err ?: drm_gpuvm_prepare_objects(&vm->gpuvm, exec, 0);
}

/* Have all BOs in their places, and then those that may have copies mapped with them */
static int validate_bos(struct xetile_vm *vm, struct drm_exec *exec)
{
	struct xetile_bo *copy;
	int err;

	dma_resv_assert_held(vm->gem->resv);
	/* Most jobs have no copy in the making. */
	while (!list_empty(&vm->group->unfilled)) {
		copy = xetile_bo_group_failed_copy(vm->group);
		if (!copy)
			break;
		xetile_copies_drop_one(copy);
	}
	vm->may_copy = false;
	err = drm_gpuvm_validate(&vm->gpuvm, exec);
	if (err || !vm->may_copy)
		return err;
	vm->placed = true;
	err = drm_gpuvm_validate(&vm->gpuvm, exec);
	vm->placed = false;
	return err;
}

/* The validation of a VM does not look at BOs that did not move, so look for lost ones here. */
static int prepare_locked(struct xetile_vm *vm, struct drm_exec *exec)
{
	struct drm_gem_object *gem;
	int err;

	dma_resv_assert_held(vm->gem->resv);
	drm_exec_for_each_locked_object(exec, gem) {
		if (gem != vm->gem && xetile_bo_is_lost(gem_to_xetile_bo(gem)))
			return -ENODATA;
		err = dma_resv_reserve_fences(gem->resv, 1);
		if (err)
			return err;
	}
	return 0;
}

/**
 * xetile_vm_validate() - have all BOs that a VM maps where its tables say they are
 * @vm: VM
 * @exec: all objects of xetile_vm_lock() are locked in it
 * @room: the call
 *
 * BOs that were evicted come back, regain their color, and are mapped anew. On return each object
 * of @exec has a slot for the job's fence. The job must wait for the KERNEL fences of the objects
 * in @exec, which are those of moves, and for xetile_vm_bound(). May sleep, but not for jobs.
 *
 * Context: process, with the reservations of all that the VM maps.
 * Return: 0, -EDQUOT, -ENOSPC, -ENOMEM, -ERESTARTSYS, -ENODATA; -EBUSY: drop all reservations
 * and ask xetile_room_again(); -ESTALE: drop all locks and call xetile_vm_fault_in().
 */
int xetile_vm_validate(struct xetile_vm *vm, struct drm_exec *exec, struct xetile_room *room)
{
	int err;

	dma_resv_assert_held(vm->gem->resv);
	vm->room = room;
	err = xetile_strays_return(&vm->strays, exec, room) ?:
	      validate_bos(vm, exec) ?:
	      validate_users(vm) ?:
	      prepare_locked(vm, exec) ?:
	      xetile_bo_group_check(vm->group);
	if (err)
		return err;
	/*
	 * Mapping anew can replace tables, and a program that never binds again would not free
	 * them.
	 */
	xetile_vm_tidy(vm);
	return 0;
}

/* What another device does with its BO has an end, but nobody knows when. */
static int settle_import(struct drm_gem_object *gem, struct dma_fence **other)
{
	int err = dma_resv_get_singleton(gem->resv, DMA_RESV_USAGE_KERNEL, other);

	dma_resv_assert_held(gem->resv);
	if (err || !*other)
		return err;
	if (!dma_fence_is_signaled(*other))
		return -EAGAIN;
	dma_fence_put(*other);
	*other = NULL;
	return 0;
}

/**
 * xetile_vm_settle_imports() - find out whether another device still moves what a VM maps
 * @vm: VM
 * @exec: all objects of xetile_vm_lock() are locked in it
 * @other: out: with -EAGAIN, its fence, as of xetile_vm_settle()
 *
 * To be called before xetile_vm_validate(), which maps imports anew: there, a card of this driver
 * that moves its BO is waited for.
 *
 * Context: process, with the reservations of all that the VM maps.
 * Return: 0, -EAGAIN, or -ENOMEM.
 */
int xetile_vm_settle_imports(struct xetile_vm *vm, struct drm_exec *exec, struct dma_fence **other)
{
	struct drm_gem_object *gem;
	int err;

	dma_resv_assert_held(vm->gem->resv);
	drm_exec_for_each_locked_object(exec, gem) {
		if (gem == vm->gem || !gem_to_xetile_bo(gem)->import)
			continue;
		err = settle_import(gem, other);
		if (err)
			return err;
	}
	return 0;
}

static int settle_bo(struct drm_gem_object *gem, struct dma_fence **other)
{
	struct xetile_bo *bo = gem_to_xetile_bo(gem);
	int err;

	dma_resv_assert_held(gem->resv);
	err = bo->import ? settle_import(gem, other) : 0;
	if (err)
		return err;
	dma_resv_wait_timeout(gem->resv, DMA_RESV_USAGE_KERNEL, false, MAX_SCHEDULE_TIMEOUT);
	return xetile_bo_is_lost(bo) ? -ENODATA : 0;
}

/**
 * xetile_vm_settle() - wait until all that a VM maps is there, byte for byte
 * @vm: VM that was validated
 * @exec: all objects of xetile_vm_lock() are locked in it
 * @other: out: with -EAGAIN, the fence of another device that moves its BO; the caller has a
 *	reference, drops all locks, waits for it, and begins again
 *
 * For jobs that do not wait for the fences of moves themselves. Waits for copies of the card's
 * alone, and for changes of the VM's own line.
 *
 * Context: process, with the reservations of all that the VM maps.
 * Return: 0; -ENODATA: the bytes of a BO are lost; -EAGAIN; -ENOMEM.
 */
int xetile_vm_settle(struct xetile_vm *vm, struct drm_exec *exec, struct dma_fence **other)
{
	struct dma_fence *bound = xetile_vm_bound(vm);
	struct drm_gem_object *gem;
	int err;

	dma_resv_assert_held(vm->gem->resv);
	if (bound)
		dma_fence_wait(bound, false);
	drm_exec_for_each_locked_object(exec, gem) {
		if (gem == vm->gem) {
			dma_resv_wait_timeout(gem->resv, DMA_RESV_USAGE_KERNEL, false,
					      MAX_SCHEDULE_TIMEOUT);
			continue;
		}
		err = settle_bo(gem, other);
		if (err)
			return err;
	}
	return xetile_bo_group_check(vm->group);
}

/**
 * xetile_vm_fills() - the fences of the jobs that fill the private BOs that a VM maps
 * @vm: VM whose reservation is held
 * @fences: out: array for kvfree(), with a reference of each fence
 * @num: out: number of elements of @fences
 *
 * A job must not run if one of them fails.
 *
 * Context: process, with the VM's reservation.
 * Return: 0 or -ENOMEM.
 */
int xetile_vm_fills(struct xetile_vm *vm, struct dma_fence ***fences, unsigned int *num)
{
	dma_resv_assert_held(vm->gem->resv);
	return xetile_bo_group_fills(vm->group, fences, num);
}

/**
 * xetile_vm_fault_in() - have the pages of processes that a VM maps
 * @vm: VM
 *
 * Context: process, with no lock, and not inside xetile_device_enter().
 * Return: as xetile_users_fault_in().
 */
int xetile_vm_fault_in(struct xetile_vm *vm)
{
	return xetile_users_fault_in(&vm->ranges);
}

/**
 * xetile_vm_is_stale() - must xetile_vm_fault_in() come before a job
 * @vm: VM
 *
 * It spares the caller work that would be in vain. xetile_vm_begin() decides.
 *
 * Context: any. The answer may be old.
 * Return: true if so.
 */
bool xetile_vm_is_stale(const struct xetile_vm *vm)
{
	return xetile_users_are_stale(&vm->ranges);
}

/**
 * xetile_vm_begin() - nothing that a VM maps may leave before xetile_vm_add_fence()
 * @vm: VM that was validated
 *
 * Nothing is allocated until then.
 *
 * Context: process, with the reservations of all that the VM maps; takes the notifier lock.
 * Return: true; or false: pages of a process have left.
 */
bool xetile_vm_begin(struct xetile_vm *vm)
{
	return xetile_users_begin(&vm->ranges);
}

/**
 * xetile_vm_add_fence() - a job will use all that a VM maps
 * @vm: VM
 * @exec: all objects of xetile_vm_lock() are locked in it
 * @fence: signals when the job is done
 *
 * After xetile_vm_begin(). Until then no BO of the VM is moved or freed. From then on TTM evicts
 * the private BOs last. TTM must be told of the other BOs one by one: each job tells it of the next
 * few.
 *
 * Context: process, with the reservations of all that the VM maps.
 */
void xetile_vm_add_fence(struct xetile_vm *vm, struct drm_exec *exec, struct dma_fence *fence)
{
	unsigned int n = min(exec->num_objects, TOUCH_BOS);
	u64 now = xetile_hbm_now(vm->xt);
	struct drm_gem_object *gem;

	dma_resv_assert_held(vm->gem->resv);
	drm_exec_for_each_locked_object(exec, gem) {
		dma_resv_add_fence(gem->resv, fence, DMA_RESV_USAGE_BOOKKEEP);
		if (gem != vm->gem)
			WRITE_ONCE(gem_to_xetile_bo(gem)->used, now);
	}
	xetile_users_end(&vm->ranges);
	xetile_bo_group_touch(vm->group);
	while (n--) {
		gem = exec->objects[vm->touch++ % exec->num_objects];
		if (gem != vm->gem)
			ttm_bo_move_to_lru_tail_unlocked(&gem_to_xetile_bo(gem)->ttm);
	}
}
