// SPDX-License-Identifier: GPL-2.0-only
/*
 * Address spaces. A VM is a drm_gpuvm, which knows what is mapped where, and on each
 * tile a tree of page tables. One reservation is the lock of all of it: a bind that
 * names only some tiles leaves the others alone, and nothing else has to know.
 *
 * BOs that are private to a VM share its reservation; all others are external objects:
 * they can be mapped in many VMs. What keeps memory where page tables say it is, is
 * fences: those of a VM's jobs are BOOKKEEP in the reservation of every BO it maps, so
 * TTM moves and frees nothing that may be in use. What a move left stale in the tables
 * is mapped anew before the next job, see vm_bo_validate().
 */
#include <drm/drm_drv.h>
#include <drm/drm_exec.h>
#include <drm/drm_gpuvm.h>
#include <drm/drm_print.h>
#include <linux/dma-fence.h>
#include <linux/dma-resv.h>
#include <linux/kref.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "card/xetile_gate.h"
#include "mem/xetile_account.h"
#include "mem/xetile_bo.h"
#include "mem/xetile_pt.h"
#include "mem/xetile_pte.h"
#include "mem/xetile_room.h"
#include "mem/xetile_stray.h"
#include "mem/xetile_sync.h"
#include "mem/xetile_vm.h"
#include "mem/xetile_vm_hold.h"
#include "mem/xetile_vm_update.h"
#include "xetile_device.h"
#include "xetile_release.h"

#define MAX_ASID	0xfffff		/* hardware: 20 bits */
#define WINDOW_BASE	SZ_2M
#define WINDOW_TABLE	512		/* pages of a level 0 table */

/* Mappings that a VM keeps memory for: what a bind of one range on each tile may want */
#define KEPT_SPARES	(3 * XETILE_MAX_TILES)

/* Of how many BOs a job tells TTM that they are used, which others can map */
#define TOUCH_BOS	16u

/* struct xetile_vma - a mapping on one tile */
struct xetile_vma {
	struct drm_gpuva base;
	/* mask of XETILE_BIND_* */
	u32 flags;
	struct xetile_vma *next_spare;
};

/* struct xetile_vm - an address space */
struct xetile_vm {
	struct kref ref;
	/*
	 * its id, its queues, and binds in the making: without any, nobody can see what a
	 * bind does that still waits
	 */
	refcount_t users;
	/* held: what waits in the VM for others' fences may outlive the files */
	struct xetile_device *xt;
	/* BOs private to it; carries the reservation */
	struct xetile_bo_group *group;
	/* its base */
	struct drm_gem_object *gem;
	u32 asid;
	/* the id is given up */
	bool closed;
	/* tiles it exists on: all, or one for a kernel VM */
	unsigned long tile_mask;
	/* what is mapped, on all tiles: see tile_addr() */
	struct drm_gpuvm gpuvm;
	struct xetile_pt_tree trees[XETILE_MAX_TILES];
	struct xetile_vm_updates updates;
	/* what changes of bind queues held that are made */
	struct xetile_vm_holds holds;
	/* memory for mappings; under the reservation */
	struct xetile_vma *spare;
	unsigned int num_spares;
	/* The call that has the BOs validated; under the reservation */
	struct xetile_room *room;
	/* of which of the BOs that others can map TTM is told next; under the reservation */
	unsigned int touch;
	/* What it maps that does not lie as asked */
	struct xetile_strays strays;
	/* Where changes that waited may have left empty directories; under the reservation */
	u64 sparse_start, sparse_end;
	struct xetile_gated free_work;
	struct work_struct put_work;
	/* kernel VM: tables of the window */
	struct xetile_pt **window;
	unsigned int window_tables;
};

static struct xetile_vm *to_vm(struct drm_gpuvm *gpuvm)
{
	return container_of(gpuvm, struct xetile_vm, gpuvm);
}

/*
 * For drm_gpuvm the tiles' address spaces lie one after the other in one: what a BO costs,
 * it costs once and not once a tile.
 */
static u64 tile_addr(unsigned int tile, u64 addr)
{
	return tile * XETILE_VA_SIZE + addr;
}

static unsigned int va_tile(const struct drm_gpuva *va)
{
	return va->va.addr >> XETILE_VA_BITS;
}

static struct xetile_vma *to_vma(struct drm_gpuva *va)
{
	return container_of(va, struct xetile_vma, base);
}

/* --- what drm_gpuvm calls ------------------------------------------------------ */

/* struct steps - state while the mappings of one operation change; nothing fails */
struct steps {
	struct xetile_vm *vm;
	/* NULL where no memory is mapped */
	struct drm_gpuvm_bo *vm_bo;
	u32 flags;
	/* something that was mapped no longer is, or elsewhere */
	bool replaced;
};

static struct xetile_vma *take_spare(struct xetile_vm *vm, u32 flags)
{
	struct xetile_vma *vma = vm->spare;

	dma_resv_assert_held(vm->gem->resv);
	vm->spare = vma->next_spare;
	vm->num_spares--;
	memset(vma, 0, sizeof(*vma));
	vma->flags = flags;
	return vma;
}

static void give_spare(struct xetile_vm *vm, struct xetile_vma *vma)
{
	dma_resv_assert_held(vm->gem->resv);
	vma->next_spare = vm->spare;
	vm->spare = vma;
	vm->num_spares++;
}

/* Have memory for so many mappings. Returns 0 or -ENOMEM. */
static int have_spares(struct xetile_vm *vm, unsigned int num)
{
	dma_resv_assert_held(vm->gem->resv);
	while (vm->num_spares < num) {
		struct xetile_vma *vma = kzalloc_obj(*vma, GFP_KERNEL_ACCOUNT);

		if (!vma)
			return -ENOMEM;
		give_spare(vm, vma);
	}
	return 0;
}

/* Keep memory for no more than so many. */
static void drop_spares(struct xetile_vm *vm, unsigned int num)
{
	dma_resv_assert_held(vm->gem->resv);
	while (vm->num_spares > num) {
		struct xetile_vma *vma = take_spare(vm, 0);

		kfree(vma);
	}
}

static int step_map(struct drm_gpuva_op *op, void *priv)
{
	struct steps *steps = priv;
	struct xetile_vma *vma = take_spare(steps->vm, steps->flags);

	dma_resv_assert_held(steps->vm->gem->resv);
	drm_gpuva_map(&steps->vm->gpuvm, &vma->base, &op->map);
	drm_gpuva_link(&vma->base, steps->vm_bo);
	return 0;
}

static int step_remap(struct drm_gpuva_op *op, void *priv)
{
	struct drm_gpuva *old = op->remap.unmap->va;
	struct steps *steps = priv;
	struct xetile_vma *prev = NULL, *next = NULL;

	dma_resv_assert_held(steps->vm->gem->resv);
	if (op->remap.prev)
		prev = take_spare(steps->vm, to_vma(old)->flags);
	if (op->remap.next)
		next = take_spare(steps->vm, to_vma(old)->flags);
	drm_gpuva_remap(prev ? &prev->base : NULL, next ? &next->base : NULL, &op->remap);
	if (prev)
		drm_gpuva_link(&prev->base, old->vm_bo);
	if (next)
		drm_gpuva_link(&next->base, old->vm_bo);
	drm_gpuva_unlink(old);
	give_spare(steps->vm, to_vma(old));
	steps->replaced = true;
	return 0;
}

static int step_unmap(struct drm_gpuva_op *op, void *priv)
{
	struct drm_gpuva *old = op->unmap.va;
	struct steps *steps = priv;

	dma_resv_assert_held(steps->vm->gem->resv);
	drm_gpuva_unmap(&op->unmap);
	drm_gpuva_unlink(old);
	give_spare(steps->vm, to_vma(old));
	steps->replaced = true;
	return 0;
}

static u32 bind_to_pte_flags(u32 bind_flags)
{
	return bind_flags & XETILE_BIND_READONLY ? XETILE_PTE_READONLY : 0;
}

static int map_vma(struct xetile_pt_update *pt, struct xetile_vm *vm, struct drm_gpuva *va)
{
	struct xetile_layout layout;

	dma_resv_assert_held(vm->gem->resv);
	xetile_bo_layout(gem_to_xetile_bo(va->gem.obj), &layout);
	return xetile_pt_map(pt, &vm->trees[va_tile(va)], va->va.addr & (XETILE_VA_SIZE - 1),
			     va->va.range, &layout, va->gem.offset,
			     bind_to_pte_flags(to_vma(va)->flags));
}

/* A BO was moved since it was mapped: bring it back, and map it where it is now */
static int vm_bo_validate(struct drm_gpuvm_bo *vm_bo, struct drm_exec *exec)
{
	struct xetile_vm *vm = to_vm(vm_bo->vm);
	struct xetile_vm_update *upd;
	struct drm_gpuva *va;
	int err;

	dma_resv_assert_held(vm->gem->resv);
	err = xetile_bo_validate(gem_to_xetile_bo(vm_bo->obj), vm->room);
	if (err)
		return err;
	if (xetile_stray_is_current(vm_bo)) {
		drm_gpuvm_bo_evict(vm_bo, false);
		xetile_stray_note(&vm->strays, vm_bo);
		return 0;
	}

	upd = xetile_vm_update_create(&vm->updates);
	if (IS_ERR(upd))
		return PTR_ERR(upd);
	drm_gpuvm_bo_for_each_va(va, vm_bo) {
		err = map_vma(xetile_vm_update_pt(upd), vm, va);
		if (err)
			goto cancel;
	}
	err = xetile_vm_update_order(upd, &(struct xetile_vm_place) { 0 });
	if (err)
		goto cancel;
	drm_gpuvm_bo_evict(vm_bo, false);
	xetile_stray_set_current(vm_bo);
	xetile_stray_note(&vm->strays, vm_bo);
	xetile_vm_update_stale(upd);
	dma_fence_put(xetile_vm_update_apply(upd, NULL));
	return 0;

cancel:
	xetile_vm_update_cancel(upd);
	return err;
}

static void vm_free(struct drm_gpuvm *gpuvm)
{
	kfree(to_vm(gpuvm));
}

static const struct drm_gpuvm_ops gpuvm_ops = {
	.vm_free = vm_free,
	.vm_bo_alloc = xetile_stray_alloc,
	.vm_bo_free = xetile_stray_free,
	.vm_bo_validate = vm_bo_validate,
	.sm_step_map = step_map,
	.sm_step_remap = step_remap,
	.sm_step_unmap = step_unmap,
};

/* --- life ---------------------------------------------------------------------- */

static void vm_unmap_all(struct xetile_vm *vm)
{
	struct drm_gpuva *va, *next;
	struct ww_acquire_ctx ctx;

	drm_gpuvm_for_each_va_safe(va, next, &vm->gpuvm) {
		struct drm_gem_object *gem = va->gem.obj;

		if (!gem) {
			drm_gpuva_remove(va);
			kfree(to_vma(va));
			continue;
		}
		/* The mapping may hold the last reference to what is locked. */
		drm_gem_object_get(gem);
		xetile_vm_lock_both(vm->gem->resv, gem->resv, &ctx);
		drm_gpuva_remove(va);
		drm_gpuva_unlink(va);
		xetile_vm_unlock_both(vm->gem->resv, gem->resv, &ctx);
		drm_gem_object_put(gem);
		kfree(to_vma(va));
	}
}

/* What may be the end of the card, and so of the workqueue of the rest */
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

	/* Nobody can submit any more; the card may still walk the tables. */
	dma_resv_wait_timeout(vm->gem->resv, DMA_RESV_USAGE_BOOKKEEP, false, MAX_SCHEDULE_TIMEOUT);
	if (!xetile_gate_enter(gate, &vm->free_work))
		return;

	vm_unmap_all(vm);
	for_each_set_bit(t, &vm->tile_mask, XETILE_MAX_TILES)
		xetile_pt_tree_fini(&vm->trees[t]);
	xetile_vm_updates_fini(&vm->updates);
	dma_resv_lock(vm->gem->resv, NULL);
	drop_spares(vm, 0);
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

static void vm_release(struct kref *ref)
{
	struct xetile_vm *vm = container_of(ref, struct xetile_vm, ref);

	/* The last reference may go where nothing may sleep, or wait for a fence. */
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

static int vm_init_trees(struct xetile_vm *vm)
{
	unsigned int t;
	int err;

	for_each_set_bit(t, &vm->tile_mask, XETILE_MAX_TILES) {
		err = xetile_pt_tree_init(&vm->trees[t], &vm->xt->tiles[t],
					  vm->updates.account);
		if (err)
			return err;
	}
	return 0;
}

static struct xetile_vm *vm_create(struct xetile_device *xt, struct xetile_account *account,
				   unsigned long tile_mask)
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
	INIT_WORK(&vm->free_work.work, vm_free_work);
	xetile_gated_init(&vm->free_work, xt->release_wq);
	INIT_WORK(&vm->put_work, vm_put_work);
	vm->updates.get = updates_get;
	vm->updates.put = updates_put;
	vm->updates.made = updates_made;
	vm->holds.get = holds_get;
	vm->holds.put = holds_put;
	xetile_vm_holds_init(&vm->holds, vm->gem);
	xetile_vm_updates_init(&vm->updates, xt, vm->gem->resv);
	vm->updates.account = xetile_account_get(account);
	xetile_strays_init(&vm->strays);
	/* A job goes through what the VM maps under the reservation, without another lock. */
	drm_gpuvm_init(&vm->gpuvm, "xetile", DRM_GPUVM_RESV_PROTECTED, &xt->drm, vm->gem, 0,
		       tile_addr(XETILE_MAX_TILES, 0), 0, 0, &gpuvm_ops);

	/* From here on xetile_vm_put() undoes all of it. */
	err = vm_init_trees(vm);
	if (!err)
		err = xa_alloc(&xt->asids, &vm->asid, vm, XA_LIMIT(1, MAX_ASID),
			       GFP_KERNEL_ACCOUNT);
	if (err) {
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
 *
 * Return: the VM with one reference, or an ERR_PTR: -ENOBUFS when all address spaces
 * that the card can tell apart are in use, -EDQUOT when the user has as many as a user
 * may, or as much HBM for page tables, -ENOSPC, -ENOMEM.
 */
struct xetile_vm *xetile_vm_create(struct xetile_device *xt, struct xetile_account *account)
{
	return vm_create(xt, account, GENMASK(xt->num_tiles - 1, 0));
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
	if (vm)
		kref_put(&vm->ref, vm_release);
}

/**
 * xetile_vm_use() - begin to use a VM: a queue of it is made
 * @vm: VM the caller has a reference of
 *
 * Return: true, and @vm has one more reference, for xetile_vm_unuse(); or false: its
 * last user is gone.
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
 * @vm: VM; the reference goes as well
 *
 * With the last of them go binds that still wait, for fences of others maybe, which may
 * never signal: no job will see them. Their own fences say -ECANCELED.
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
 * @vm: VM; queues keep it alive, but nothing is bound any more; a reference goes
 */
void xetile_vm_close(struct xetile_vm *vm)
{
	WRITE_ONCE(vm->closed, true);
	xetile_vm_unuse(vm);
}

/**
 * xetile_vms_end() - the card is gone: end what waits in its VMs
 * @xt: card, unplugged
 *
 * Fences of binds that still wait say -ENODEV. Context: process.
 */
void xetile_vms_end(struct xetile_device *xt)
{
	bool cookie = dma_fence_begin_signalling();
	struct xetile_vm *vm;
	unsigned long asid;

	xa_lock(&xt->asids);
	xa_for_each(&xt->asids, asid, vm) {
		/* One that is being freed has nothing that waits. */
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

/**
 * xetile_vm_gem() - the object that carries a VM's reservation
 * @vm: VM
 *
 * It is what BOs private to the VM name as their owner, and may outlive the VM.
 *
 * Return: the object, without a reference for the caller.
 */
struct drm_gem_object *xetile_vm_gem(struct xetile_vm *vm)
{
	return vm->gem;
}

/* Stage that the directories go which changes that waited left empty. Returns 0 or -ENOMEM. */
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

/* Give back what is not needed any more: directories when no change waits, and old tables */
static void vm_tidy(struct xetile_vm *vm)
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

/* --- binds --------------------------------------------------------------------- */

/* struct bind - a call in the making */
struct bind {
	struct xetile_vm *vm;
	struct xetile_bind_op *ops;
	unsigned int num_ops;
	struct xetile_vm_update *upd;
	/* where it takes its place: a bind queue, or NULL, which is the VM's own line */
	struct xetile_vm_line *line;
	/* a bind queue for which it takes its place in the VM's own line, or NULL */
	struct xetile_vm_line *other;
	struct xetile_sync *syncs;
	unsigned int num_syncs;
	/* what jobs may see that do not wait for the change, or NULL */
	struct xetile_vm_hold *hold;
};

/* Do the same for each operation, on each of its tiles, up to the first failure */
static int bind_for_each(struct bind *bind, void *arg,
			 int (*fn)(struct bind *bind, struct xetile_bind_op *op,
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
	}
	return 0;
}

static int op_count_spares(struct bind *bind, struct xetile_bind_op *op, unsigned int tile,
			   void *arg)
{
	unsigned int *num = arg;

	/* The rests of what is cut at either end, and the mapping itself */
	*num += 2 + (op->kind != XETILE_BIND_UNMAP);
	return 0;
}

/* Memory that the part of a bind that must not fail will want */
static int bind_alloc(struct bind *bind)
{
	unsigned int num = 0;

	dma_resv_assert_held(bind->vm->gem->resv);
	bind_for_each(bind, &num, op_count_spares);
	return have_spares(bind->vm, num);
}

static int op_lock(struct bind *bind, struct xetile_bind_op *op, unsigned int tile, void *exec)
{
	u64 addr = tile_addr(tile, op->addr);
	struct drm_gpuva *va;
	int err;

	dma_resv_assert_held(bind->vm->gem->resv);
	/* drm_gpuvm_prepare_range() takes every mapping for one of an object. */
	drm_gpuvm_for_each_va_range(va, &bind->vm->gpuvm, addr, addr + op->range) {
		err = va->gem.obj ? drm_exec_prepare_obj(exec, va->gem.obj, 1) : 0;
		if (err)
			return err;
		/* Each of thousands of binds may be of millions of mappings, the same ones. */
		if (fatal_signal_pending(current))
			return -EINTR;
		if (xetile_device_is_unplugged(bind->vm->xt))
			return -ENODEV;
		cond_resched();
	}
	return op->kind == XETILE_BIND_MAP ? drm_exec_prepare_obj(exec, op->gem, 1) : 0;
}

/* The VM, what is to be mapped, and what is mapped there now */
static int bind_lock(struct bind *bind, struct drm_exec *exec)
{
	int err;

	/* First, for it protects the mappings that are looked up then. */
	err = drm_exec_prepare_obj(exec, bind->vm->gem, 1);
	return err ?: bind_for_each(bind, exec, op_lock);
}

static int bind_validate(struct bind *bind, struct xetile_room *room)
{
	struct xetile_bind_op *op;
	int err = 0;

	dma_resv_assert_held(bind->vm->gem->resv);
	for (op = bind->ops; op < bind->ops + bind->num_ops && !err; op++)
		if (op->kind == XETILE_BIND_MAP)
			err = xetile_bo_validate(gem_to_xetile_bo(op->gem), room);
	return err;
}

/* Lock all, and have what is to be mapped where the GPU reaches it; once */
static int bind_try_lock(struct bind *bind, struct drm_exec *exec, struct xetile_room *room)
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

static bool has_jobs(struct xetile_vm *vm)
{
	struct dma_resv_iter cursor;
	struct dma_fence *fence;

	dma_resv_assert_held(vm->gem->resv);
	/* Others are of moves, and of BOs that are being filled. */
	dma_resv_for_each_fence(&cursor, vm->gem->resv, DMA_RESV_USAGE_BOOKKEEP, fence)
		if (dma_resv_iter_usage(&cursor) == DMA_RESV_USAGE_BOOKKEEP &&
		    !dma_fence_is_signaled(fence))
			return true;
	return false;
}

/*
 * Jobs that run in the VM now do not know of a BO that is mapped only now, and do not wait until
 * it is filled: before that it holds what its memory's last owner left there, and for good if
 * that fails. @fill: out: what fills one of them just now, or NULL.
 */
static int bind_unfilled(struct bind *bind, struct dma_fence **fill)
{
	struct xetile_bind_op *op;

	dma_resv_assert_held(bind->vm->gem->resv);
	*fill = NULL;
	if (!has_jobs(bind->vm))
		return 0;
	for (op = bind->ops; op < bind->ops + bind->num_ops && !*fill; op++) {
		if (op->kind != XETILE_BIND_MAP)
			continue;
		if (xetile_bo_is_lost(gem_to_xetile_bo(op->gem)))
			return -ENODATA;
		*fill = gem_to_xetile_bo(op->gem)->filled;
	}
	dma_fence_get(*fill);
	return 0;
}

/* As bind_try_lock(), but on success no job sees what is not filled. */
static int bind_try(struct bind *bind, struct drm_exec *exec, struct xetile_room *room)
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
		/* A job of the kernel's; it is waited for with no reservation held. */
		drm_exec_fini(exec);
		if (!err)
			err = dma_fence_wait(fill, true);
		dma_fence_put(fill);
		if (err)
			return err;
	}
}

/*
 * A job that runs in the VM now can use what is mapped from now on, so that its
 * fence must keep the memory from being moved, as if it had been mapped before.
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

static int op_get_vm_bo(struct bind *bind, struct xetile_bind_op *op)
{
	struct drm_gpuvm_bo *vm_bo;

	dma_resv_assert_held(bind->vm->gem->resv);
	vm_bo = drm_gpuvm_bo_obtain_locked(&bind->vm->gpuvm, op->gem);
	if (IS_ERR(vm_bo))
		return PTR_ERR(vm_bo);
	op->vm_bo = vm_bo;
	drm_gpuvm_bo_extobj_add(vm_bo);
	/* What the VM mapped of it before may have been mapped somewhere else. */
	if (list_empty(&vm_bo->list.gpuva))
		xetile_stray_set_current(vm_bo);
	/* The next job brings it back; another one of this call may have taken its place. */
	if (!xetile_bo_is_placed(gem_to_xetile_bo(op->gem)))
		drm_gpuvm_bo_evict(vm_bo, true);
	else
		xetile_stray_note(&bind->vm->strays, vm_bo);
	return 0;
}

static int bind_prepare_bos(struct bind *bind)
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

static int op_stage(struct bind *bind, struct xetile_bind_op *op, unsigned int tile, void *arg)
{
	struct xetile_pt_update *pt = xetile_vm_update_pt(bind->upd);
	struct xetile_pt_tree *tree = &bind->vm->trees[tile];
	struct xetile_layout layout;

	dma_resv_assert_held(bind->vm->gem->resv);
	if (op->kind == XETILE_BIND_UNMAP)
		return xetile_pt_unmap(pt, tree, op->addr, op->range);
	if (op->kind == XETILE_BIND_NULL)
		return xetile_pt_map_null(pt, tree, op->addr, op->range);
	xetile_bo_layout(gem_to_xetile_bo(op->gem), &layout);
	return xetile_pt_map(pt, tree, op->addr, op->range, &layout, op->offset,
			     bind_to_pte_flags(op->flags));
}

static int op_change_mappings(struct bind *bind, struct xetile_bind_op *op, unsigned int tile,
			      void *arg)
{
	struct drm_gpuvm *gpuvm = &bind->vm->gpuvm;
	struct steps *steps = arg;
	struct drm_gpuvm_map_req req = {
		.map.va.addr = tile_addr(tile, op->addr),
		.map.va.range = op->range,
		.map.gem.obj = op->gem,
		.map.gem.offset = op->offset,
	};

	dma_resv_assert_held(bind->vm->gem->resv);
	steps->flags = op->flags;
	steps->vm_bo = op->vm_bo;
	/* Neither fails: the steps do not, and the range was checked. */
	if (op->kind == XETILE_BIND_UNMAP)
		drm_gpuvm_sm_unmap(gpuvm, steps, req.map.va.addr, op->range);
	else
		drm_gpuvm_sm_map(gpuvm, steps, &req);
	return 0;
}

static void bind_change_mappings(struct bind *bind)
{
	struct steps steps = { .vm = bind->vm };

	dma_resv_assert_held(bind->vm->gem->resv);
	bind_for_each(bind, &steps, op_change_mappings);
	if (steps.replaced)
		xetile_vm_update_stale(bind->upd);
}

static void bind_put_vm_bos(struct bind *bind)
{
	struct xetile_bind_op *op;

	dma_resv_assert_held(bind->vm->gem->resv);
	for (op = bind->ops; op < bind->ops + bind->num_ops; op++)
		if (op->vm_bo)
			drm_gpuvm_bo_put(op->vm_bo);
}

/*
 * What one change holds at most: 4096 binds of a call, each of one buffer in the place of
 * another on four tiles, have no more. But each may be about all the mappings there are.
 */
#define MAX_HOLDS	32768u

static int op_count_holds(struct bind *bind, struct xetile_bind_op *op, unsigned int tile,
			  void *arg)
{
	u64 addr = tile_addr(tile, op->addr);
	unsigned int *num = arg;
	struct drm_gpuva *va;

	dma_resv_assert_held(bind->vm->gem->resv);
	drm_gpuvm_for_each_va_range(va, &bind->vm->gpuvm, addr, addr + op->range)
		if (va->vm_bo && ++*num > MAX_HOLDS)
			return -ENODATA;
	if (op->kind == XETILE_BIND_MAP && ++*num > MAX_HOLDS)
		return -ENODATA;
	return 0;
}

static int op_add_holds(struct bind *bind, struct xetile_bind_op *op, unsigned int tile,
			void *arg)
{
	u64 addr = tile_addr(tile, op->addr);
	struct drm_gpuva *va;
	int err = 0;

	dma_resv_assert_held(bind->vm->gem->resv);
	drm_gpuvm_for_each_va_range(va, &bind->vm->gpuvm, addr, addr + op->range)
		if (va->vm_bo && !err)
			err = xetile_vm_hold_add(bind->hold, va->vm_bo);
	if (op->kind == XETILE_BIND_MAP && !err)
		err = xetile_vm_hold_add(bind->hold, op->vm_bo);
	return err;
}

/*
 * Jobs do not wait for the change of a bind queue: what is mapped where it will be made, and
 * what will be, must stay where it is. If it is not there, or is too much, jobs wait.
 */
static int bind_hold(struct bind *bind)
{
	unsigned int num = 0;
	int err;

	dma_resv_assert_held(bind->vm->gem->resv);
	if (!bind->line)
		return 0;
	err = bind_for_each(bind, &num, op_count_holds);
	if (!err && !num)
		return 0;
	if (!err) {
		bind->hold = xetile_vm_hold_create(num);
		if (!bind->hold)
			return -ENOMEM;
		err = bind_for_each(bind, NULL, op_add_holds);
	}
	if (err != -ENODATA)
		return err;
	xetile_vm_hold_drop(bind->hold);
	bind->hold = NULL;
	swap(bind->line, bind->other);
	return 0;
}

/* Whether a change may have to wait: for others or for fences */
static bool bind_may_wait(struct bind *bind)
{
	bool wait = xetile_vm_updates_wait(&bind->vm->updates);
	unsigned int i;

	dma_resv_assert_held(bind->vm->gem->resv);
	for (i = 0; i < bind->num_syncs; i++)
		wait |= bind->syncs[i].fence && !dma_fence_is_signaled(bind->syncs[i].fence);
	return wait;
}

static int op_grow(struct bind *bind, struct xetile_bind_op *op, unsigned int tile, void *upd)
{
	dma_resv_assert_held(bind->vm->gem->resv);
	if (op->kind == XETILE_BIND_UNMAP)
		return 0;
	return xetile_pt_grow(xetile_vm_update_pt(upd), &bind->vm->trees[tile], op->addr,
			      op->range);
}

/* Where directories are made for the change, or kept */
static void note_sparse(struct bind *bind)
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
 * A change that may have to wait makes others wait near it: the nearer the fewer directories
 * it makes and gives back. Where this fails it makes them itself.
 */
static void bind_grow(struct bind *bind)
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
	if (bind_for_each(bind, upd, op_grow))
		xetile_vm_update_cancel(upd);
	else
		xetile_vm_update_try(upd);
}

static int bind_order(struct bind *bind)
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

/* All that may fail */
static int bind_prepare(struct bind *bind)
{
	int err;

	dma_resv_assert_held(bind->vm->gem->resv);
	err = bind_alloc(bind) ?: bind_prepare_bos(bind) ?: bind_hold(bind);
	if (err)
		return err;
	bind_grow(bind);
	err = bind_for_each(bind, NULL, op_stage);
	return err ?: bind_order(bind);
}

static int bind_locked(struct bind *bind)
{
	struct xetile_bind_op *op;
	struct dma_fence *fence;
	int err;

	dma_resv_assert_held(bind->vm->gem->resv);
	err = bind_prepare(bind);
	if (!err)
		bind_change_mappings(bind);
	drop_spares(bind->vm, KEPT_SPARES);
	if (err) {
		xetile_vm_hold_drop(bind->hold);
		bind_put_vm_bos(bind);
		xetile_vm_update_cancel(bind->upd);
		return err;
	}

	bind_put_vm_bos(bind);
	for (op = bind->ops; op < bind->ops + bind->num_ops; op++)
		if (op->kind == XETILE_BIND_MAP)
			keep_for_jobs(bind->vm, op->gem);

	fence = xetile_vm_update_apply(bind->upd, bind->hold);
	if (!fence)
		xetile_vm_hold_drop(bind->hold);
	xetile_syncs_publish(bind->syncs, bind->num_syncs, fence);
	dma_fence_put(fence);
	return 0;
}

/**
 * xetile_vm_bind() - change what a VM maps
 * @vm: VM
 * @line: a bind queue of the VM, or NULL: its own
 * @ops: what to do, in this order; checked
 * @num_ops: elements of @ops
 * @syncs: fences to wait for and syncobjs to signal
 * @num_syncs: elements of @syncs
 *
 * All operations or none. Jobs submitted after the call see the change, whether
 * it has been made by then or still waits for its fences, if @line is the VM's own. May
 * sleep, but for no fence of @syncs and for no job of a user's.
 *
 * Return: 0, -ENOENT when the VM is given up, -EDQUOT when too many jobs and binds of the
 * file are not done, too many changes of the VM wait, or the user has as much HBM for page
 * tables as a user may, -ENOSPC, -ENOMEM, -EINTR, -ERESTARTSYS.
 */
int xetile_vm_bind(struct xetile_vm *vm, struct xetile_vm_line *line,
		   struct xetile_bind_op *ops, unsigned int num_ops,
		   struct xetile_sync *syncs, unsigned int num_syncs)
{
	struct bind bind = {
		.vm = vm, .line = line, .ops = ops, .num_ops = num_ops,
		.syncs = syncs, .num_syncs = num_syncs,
	};
	struct xetile_room room;
	struct drm_exec exec;
	int err;

	if (READ_ONCE(vm->closed) || !xetile_vm_use(vm))
		return -ENOENT;

	bind.upd = xetile_vm_update_create(&vm->updates);
	if (IS_ERR(bind.upd)) {
		err = PTR_ERR(bind.upd);
		goto out;
	}

	/* What the VM maps may make room for it: no job needs both yet. */
	xetile_room_begin(&room, vm->xt, NULL);
	do {
		err = bind_try(&bind, &exec, &room);
	} while (xetile_room_again(&room, &err));
	if (err) {
		/* Nothing is staged, so that nothing needs the lock. */
		xetile_vm_update_cancel(bind.upd);
	} else {
		err = bind_locked(&bind);
		vm_tidy(vm);
		drm_exec_fini(&exec);
	}
	xetile_room_end(&room);
out:
	xetile_vm_unuse(vm);
	return err;
}

/* --- jobs ---------------------------------------------------------------------- */

/**
 * xetile_vm_pdp0() - root pointer of a VM for a context
 * @vm: VM
 * @tile: tile the context runs on
 *
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
 * It grows when a change was made that a TLB must not outlive. A job whose commands
 * are written into a ring flushes its engine's TLB before its batch, unless one with
 * the same number did so on the same context. It must look when it is written there: what it
 * waited for is made by then, and what is made later its flush may be too early for.
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
 * xetile_vm_bound() - what a job waits for to see all that was bound
 * @vm: VM whose reservation is held
 *
 * By other queues than bind queues.
 *
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
 * Return: 0 or a negative error code; the caller then calls
 * drm_exec_retry_on_contention().
 */
int xetile_vm_lock(struct xetile_vm *vm, struct drm_exec *exec)
{
	int err;

	err = drm_exec_lock_obj(exec, vm->gem);
	return err ?: drm_gpuvm_prepare_objects(&vm->gpuvm, exec, 0);
}

/* What is where it was is not looked at when a VM is validated. */
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
 * xetile_vm_validate() - have all that a VM maps where its tables say it is
 * @vm: VM
 * @exec: all objects of xetile_vm_lock() are locked in it
 * @room: the call
 *
 * BOs that were evicted come back, regain their color, and are mapped anew. Each object of
 * @exec has room for the job's fence then. Moves are KERNEL fences of the objects in @exec,
 * which a job must wait for, as for xetile_vm_bound(). May sleep, but not for jobs.
 *
 * Return: 0, -EDQUOT, -ENOSPC, -ENOMEM, -ERESTARTSYS, -ENODATA; -EBUSY: drop all reservations
 * and ask xetile_room_again().
 */
int xetile_vm_validate(struct xetile_vm *vm, struct drm_exec *exec, struct xetile_room *room)
{
	int err;

	dma_resv_assert_held(vm->gem->resv);
	vm->room = room;
	err = xetile_strays_return(&vm->strays, exec, room) ?:
	      drm_gpuvm_validate(&vm->gpuvm, exec) ?:
	      prepare_locked(vm, exec) ?:
	      xetile_bo_group_check(vm->group);
	if (err)
		return err;
	/* Mapping anew can replace tables, and many a program binds once and for all. */
	vm_tidy(vm);
	return 0;
}

/**
 * xetile_vm_fills() - what fills the private BOs that a VM maps just now
 * @vm: VM whose reservation is held
 * @fences: out: array for kvfree(), with a reference of each fence
 * @num: out: its elements
 *
 * A job must not run if one of them fails.
 *
 * Return: 0 or -ENOMEM.
 */
int xetile_vm_fills(struct xetile_vm *vm, struct dma_fence ***fences, unsigned int *num)
{
	dma_resv_assert_held(vm->gem->resv);
	return xetile_bo_group_fills(vm->group, fences, num);
}

/**
 * xetile_vm_add_fence() - a job will use all that a VM maps
 * @vm: VM
 * @exec: all objects of xetile_vm_lock() are locked in it
 * @fence: signals when the job is done
 *
 * Until then nothing of it is moved or freed. What is private is the last that TTM evicts
 * from then on. Of what is not TTM must be told one by one: of a few, those whose turn it is.
 */
void xetile_vm_add_fence(struct xetile_vm *vm, struct drm_exec *exec, struct dma_fence *fence)
{
	unsigned int n = min(exec->num_objects, TOUCH_BOS);
	struct drm_gem_object *gem;

	dma_resv_assert_held(vm->gem->resv);
	drm_exec_for_each_locked_object(exec, gem)
		dma_resv_add_fence(gem->resv, fence, DMA_RESV_USAGE_BOOKKEEP);
	xetile_bo_group_touch(vm->group);
	while (n--) {
		gem = exec->objects[vm->touch++ % exec->num_objects];
		if (gem != vm->gem)
			ttm_bo_move_to_lru_tail_unlocked(&gem_to_xetile_bo(gem)->ttm);
	}
}

/* --- for reports ---------------------------------------------------------------- */

#define PRINT_RUNS	4

/* The first runs of a buffer's color, which is what was asked for */
static void print_runs(const struct xetile_bo_args *args, struct drm_printer *p)
{
	struct xetile_color_iter it;
	unsigned int n;
	u64 pages;
	u32 tile;

	if (!(args->placement & XETILE_PLACE_HBM))
		return;
	drm_puts(p, ", colored");
	xetile_color_begin(&it, &args->color, args->size / XETILE_COLOR_PAGE);
	for (n = 0; xetile_color_next(&it, &tile, &pages); n++) {
		if (n == PRINT_RUNS) {
			drm_puts(p, " ...");
			break;
		}
		drm_printf(p, " %llux tile%u", pages, tile);
	}
}

/* Of a buffer how large it is and where it lies, but nothing of what is in it */
static void print_vma(struct drm_gpuva *va, struct drm_printer *p)
{
	u64 addr = va->va.addr & (XETILE_VA_SIZE - 1);
	const struct xetile_bo *bo;
	unsigned int t;

	drm_gpuvm_resv_assert_held(va->vm);
	drm_printf(p, "  tile%u %#llx-%#llx", va_tile(va), addr, addr + va->va.range - 1);
	if (!va->gem.obj) {
		drm_puts(p, " null\n");
		return;
	}
	bo = gem_to_xetile_bo(va->gem.obj);
	drm_printf(p, "%s: from %#llx of %#zx bytes",
		   to_vma(va)->flags & XETILE_BIND_READONLY ? " read-only" : "",
		   va->gem.offset, va->gem.obj->size);
	/* Of one that is no VM's own these may change meanwhile. */
	for (t = 0; t < XETILE_MAX_TILES; t++)
		if (READ_ONCE(bo->hbm_bytes[t]))
			drm_printf(p, ", %#llx on tile%u", READ_ONCE(bo->hbm_bytes[t]), t);
	print_runs(&bo->args, p);
	drm_puts(p, "\n");
}

/**
 * xetile_vm_print() - tell what a VM maps
 * @vm: VM
 * @p: where to
 * @max: how many mappings at most
 *
 * Context: process; takes the VM's reservation.
 */
void xetile_vm_print(struct xetile_vm *vm, struct drm_printer *p, unsigned int max)
{
	struct drm_gpuva *va;

	drm_printf(p, "mappings of address space %u\n", vm->asid);
	dma_resv_lock(vm->gem->resv, NULL);
	drm_gpuvm_for_each_va(va, &vm->gpuvm) {
		if (!max--) {
			drm_puts(p, "  ...\n");
			break;
		}
		print_vma(va, p);
	}
	dma_resv_unlock(vm->gem->resv);
}

/* --- a tile's kernel VM -------------------------------------------------------- */

static int map_identity(struct xetile_vm *vm, struct xetile_pt_tree *tree)
{
	struct xetile_vm_update *upd;
	struct xetile_tile *tile;
	int err;

	dma_resv_assert_held(vm->gem->resv);
	upd = xetile_vm_update_create(&vm->updates);
	if (IS_ERR(upd))
		return PTR_ERR(upd);

	xetile_for_each_tile(tile, vm->xt) {
		struct xetile_extent ext = {
			.addr = tile->range.base, .size = tile->range.usable, .tile = tile->id,
		};
		struct xetile_layout layout = {
			.ext = &ext, .start = &(u64){ 0 }, .num = 1, .size = ext.size,
		};

		err = xetile_pt_map(xetile_vm_update_pt(upd), tree,
				    XETILE_IDENTITY_BASE + ext.addr, ext.size, &layout, 0, 0);
		if (err) {
			xetile_vm_update_cancel(upd);
			return err;
		}
	}
	dma_fence_put(xetile_vm_update_apply(upd, NULL));
	return 0;
}

static int make_window(struct xetile_vm *vm, struct xetile_pt_tree *tree, unsigned int pages)
{
	unsigned int n = DIV_ROUND_UP(pages, WINDOW_TABLE), i;
	int err;

	dma_resv_assert_held(vm->gem->resv);
	vm->window = kcalloc(n, sizeof(*vm->window), GFP_KERNEL_ACCOUNT);
	if (!vm->window)
		return -ENOMEM;
	vm->window_tables = n;
	for (i = 0; i < n; i++) {
		err = xetile_pt_window(tree, WINDOW_BASE + i * SZ_2M, &vm->window[i]);
		if (err)
			return err;
	}
	return 0;
}

/**
 * xetile_vm_create_kernel() - make the address space of a tile's own copies
 * @tile: tile
 * @window_pages: 4 KiB pages of the window for system memory
 *
 * The HBM of all tiles is mapped at XETILE_IDENTITY_BASE + device physical
 * address, in the biggest leaves there are.
 *
 * Return: the VM with one reference, or an ERR_PTR.
 */
struct xetile_vm *xetile_vm_create_kernel(struct xetile_tile *tile, unsigned int window_pages)
{
	struct xetile_vm *vm = vm_create(tile->xt, NULL, BIT(tile->id));
	struct xetile_pt_tree *tree;
	int err;

	if (IS_ERR(vm))
		return vm;
	tree = &vm->trees[tile->id];
	dma_resv_lock(vm->gem->resv, NULL);
	err = map_identity(vm, tree);
	if (!err)
		err = make_window(vm, tree, window_pages);
	dma_resv_unlock(vm->gem->resv);
	if (err) {
		xetile_vm_put(vm);
		return ERR_PTR(err);
	}
	return vm;
}

/**
 * xetile_vm_window() - where the window of a kernel VM begins
 * @vm: of xetile_vm_create_kernel()
 *
 * Return: GPU address; page n of the window is at n * 4096 from it.
 */
u64 xetile_vm_window(struct xetile_vm *vm)
{
	return WINDOW_BASE;
}

/**
 * xetile_vm_window_set() - map pages of system memory in the window
 * @vm: of xetile_vm_create_kernel()
 * @first: first page of the window to map
 * @addr: DMA address of the first of them, which lie in a row
 * @n: how many; @first + @n is at most the size of the window
 *
 * Takes no lock and allocates nothing. The card must be there. What runs must
 * not use these pages of the window, and what runs next must flush its TLB. The caller has
 * it all leave the CPU (wmb()) before that.
 */
void xetile_vm_window_set(struct xetile_vm *vm, unsigned int first, dma_addr_t addr,
			  unsigned int n)
{
	while (n) {
		unsigned int at = first % WINDOW_TABLE;
		unsigned int part = min(n, WINDOW_TABLE - at);

		xetile_pt_window_set(vm->window[first / WINDOW_TABLE], at, addr, part);
		first += part;
		addr += (u64)part * PAGE_SIZE;
		n -= part;
	}
}
