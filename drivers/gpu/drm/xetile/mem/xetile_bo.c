// SPDX-License-Identifier: GPL-2.0-only
/*
 * Buffer objects of users: GEM objects over TTM, in the HBM of the tiles their
 * color names, or in system memory.
 */
#include <drm/drm_gem_ttm_helper.h>
#include <drm/drm_gpuvm.h>
#include <drm/drm_managed.h>
#include <drm/drm_prime.h>
#include <drm/drm_print.h>
#include <drm/ttm/ttm_tt.h>
#include <linux/dma-buf.h>
#include <linux/dma-fence.h>
#include <linux/dma-resv.h>
#include <linux/jiffies.h>
#include <linux/memcontrol.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/wait.h>

#include "mem/xetile_bo.h"
#include "mem/xetile_hbm.h"
#include "mem/xetile_room.h"
#include "mem/xetile_sysmem.h"
#include "xetile_device.h"

/* How long after a way by system memory that led nowhere the next one is tried */
#define DETOUR_MS	10000

/* Pages a fault maps at once: 2 MiB, for a fault costs more than the entries */
#define FAULT_PAGES	512

static struct xetile_bo_group *bo_group(const struct xetile_bo *bo)
{
	return bo->args.owner ? container_of(bo->args.owner, struct xetile_bo_group, base) : NULL;
}

/* @on: it is not known to be filled well */
static void note_unfilled(struct xetile_bo *bo, bool on)
{
	struct xetile_bo_group *group = bo_group(bo);

	if (!group)
		return;
	spin_lock(&group->lock);
	if (on)
		list_move_tail(&bo->unfilled, &group->unfilled);
	else
		list_del_init(&bo->unfilled);
	spin_unlock(&group->lock);
}

static void bo_destroy(struct ttm_buffer_object *ttm)
{
	struct xetile_bo *bo = ttm_to_xetile_bo(ttm);

	/* TTM may have moved it, and thereby filled it anew, since the last GEM reference went. */
	note_unfilled(bo, false);
	drm_gem_object_release(&ttm->base);
	if (bo->args.owner)
		drm_gem_object_put(bo->args.owner);
	dma_fence_put(bo->filled);
	kvfree(bo->args.color.runs);
	mem_cgroup_put(bo->memcg);
	kfree(bo);
}

/* TTM's ghosts, which carry old memory away after a move, are no BOs of ours */
static bool is_ours(const struct ttm_buffer_object *ttm)
{
	return ttm->destroy == bo_destroy;
}

/* Where the bytes are, or will be, if a BO lies in @res */
static void layout_in(struct xetile_bo *bo, struct ttm_resource *res, struct xetile_layout *layout)
{
	*layout = (struct xetile_layout) { .size = bo->args.size };
	if (res && res->mem_type == XETILE_PL_HBM) {
		struct xetile_hbm_resource *hbm = to_xetile_hbm_resource(res);

		layout->ext = hbm->ext;
		layout->start = hbm->start;
		layout->num = hbm->num;
	} else if (res && res->mem_type == XETILE_PL_SYSTEM && bo->ttm.ttm &&
		   ttm_tt_is_populated(bo->ttm.ttm)) {
		layout->dma = bo->ttm.ttm->dma_address;
	} else {
		layout->size = 0;
	}
}

/**
 * xetile_bo_layout() - where a BO's bytes lie
 * @bo: BO with its reservation held
 * @layout: out: valid until the reservation is dropped; @layout->size is 0 when
 *	the GPU cannot reach the BO (swapped out, or not yet backed)
 */
void xetile_bo_layout(struct xetile_bo *bo, struct xetile_layout *layout)
{
	dma_resv_assert_held(bo->ttm.base.resv);
	layout_in(bo, bo->ttm.resource, layout);
}

/* --- groups ------------------------------------------------------------------ */

static void group_free(struct drm_gem_object *gem)
{
	struct xetile_bo_group *group = container_of(gem, struct xetile_bo_group, base);

	ttm_lru_bulk_move_fini(&to_xetile_device(gem->dev)->ttm, &group->bulk);
	drm_gem_object_release(gem);
	kfree(group);
}

static const struct drm_gem_object_funcs group_funcs = {
	.free = group_free,
};

/**
 * xetile_bo_group_create() - make the group of a VM, and with it the VM's reservation
 * @xt: card
 *
 * Return: the group with one reference, or NULL without memory.
 */
struct xetile_bo_group *xetile_bo_group_create(struct xetile_device *xt)
{
	struct xetile_bo_group *group = kzalloc_obj(*group, GFP_KERNEL_ACCOUNT);

	if (!group)
		return NULL;
	group->base.funcs = &group_funcs;
	drm_gem_private_object_init(&xt->drm, &group->base, 0);
	ttm_lru_bulk_move_init(&group->bulk);
	spin_lock_init(&group->lock);
	INIT_LIST_HEAD(&group->unfilled);
	return group;
}

/**
 * xetile_bo_group_check() - whether the bytes of a VM's private BOs are there
 * @group: group with its reservation held
 *
 * Return: 0, or -ENODATA when the copy engine failed to fill one that is mapped.
 */
int xetile_bo_group_check(struct xetile_bo_group *group)
{
	struct xetile_bo *bo, *next;
	int err = 0;

	dma_resv_assert_held(group->base.resv);
	spin_lock(&group->lock);
	list_for_each_entry_safe(bo, next, &group->unfilled, unfilled) {
		int status = dma_fence_get_status(bo->filled);

		if (status == 1)
			list_del_init(&bo->unfilled);
		else if (status < 0 && !list_empty(&bo->ttm.base.gpuva.list))
			err = -ENODATA;
	}
	spin_unlock(&group->lock);
	return err;
}

/**
 * xetile_bo_group_fills() - what fills a VM's private BOs just now
 * @group: group with its reservation held
 * @fences: out: array for kvfree(), with a reference of each fence; NULL if there are none
 * @num: out: its elements
 *
 * The reservation keeps the last fence of a timeline only, which tells nothing of how those
 * before it ended.
 *
 * Return: 0 or -ENOMEM.
 */
int xetile_bo_group_fills(struct xetile_bo_group *group, struct dma_fence ***fences,
			  unsigned int *num)
{
	struct xetile_bo *bo;
	unsigned int max;

	dma_resv_assert_held(group->base.resv);
	*num = 0;
	*fences = NULL;
	/* It can only get shorter while the reservation is held. */
	spin_lock(&group->lock);
	max = list_count_nodes(&group->unfilled);
	spin_unlock(&group->lock);
	if (!max)
		return 0;
	*fences = kvmalloc_array(max, sizeof(**fences), GFP_KERNEL_ACCOUNT);
	if (!*fences)
		return -ENOMEM;

	spin_lock(&group->lock);
	list_for_each_entry(bo, &group->unfilled, unfilled)
		if (!list_empty(&bo->ttm.base.gpuva.list))
			(*fences)[(*num)++] = dma_fence_get(bo->filled);
	spin_unlock(&group->lock);
	return 0;
}

/**
 * xetile_bo_group_touch() - a VM's private BOs are used: others go first
 * @group: group with its reservation held
 */
void xetile_bo_group_touch(struct xetile_bo_group *group)
{
	struct ttm_device *ttm = &to_xetile_device(group->base.dev)->ttm;

	dma_resv_assert_held(group->base.resv);
	/* TTM looks at each of its lists, however many there are in them. */
	if (!group->num_bulk)
		return;
	spin_lock(&ttm->lru_lock);
	ttm_lru_bulk_move_tail(&group->bulk);
	spin_unlock(&ttm->lru_lock);
}

/* --- moves ------------------------------------------------------------------- */

static void count_bytes(struct xetile_bo *bo, struct ttm_resource *res)
{
	int t;

	for (t = 0; t < XETILE_MAX_TILES; t++)
		WRITE_ONCE(bo->hbm_bytes[t], res->mem_type == XETILE_PL_HBM ?
			   to_xetile_hbm_resource(res)->bytes[t] : 0);
}

/**
 * xetile_bo_is_lost() - whether the copy engine failed to fill a BO
 * @bo: BO with its reservation held
 *
 * What is in its memory belongs to somebody else then: nobody may see it.
 *
 * Return: true if so; not yet while the copy goes on.
 */
bool xetile_bo_is_lost(struct xetile_bo *bo)
{
	int status;

	dma_resv_assert_held(bo->ttm.base.resv);
	if (!bo->filled)
		return false;
	status = dma_fence_get_status(bo->filled);
	if (status == 1) {
		note_unfilled(bo, false);
		dma_fence_put(bo->filled);
		bo->filled = NULL;
	}
	return status < 0;
}

/* Takes the fence over; what is lost stays lost, wherever it is moved. */
static void note_filled(struct xetile_bo *bo, struct dma_fence *fence)
{
	dma_resv_assert_held(bo->ttm.base.resv);
	if (xetile_bo_is_lost(bo)) {
		dma_fence_put(fence);
		return;
	}
	dma_fence_put(bo->filled);
	bo->filled = fence;
	note_unfilled(bo, true);
}

static int clear_fresh(struct xetile_bo *bo, struct ttm_resource *new, bool killable)
{
	struct xetile_device *xt = ttm_to_xetile_device(bo->ttm.bdev);
	struct xetile_layout layout;
	struct dma_fence *fence;
	u32 ahead;

	dma_resv_assert_held(bo->ttm.base.resv);
	layout_in(bo, new, &layout);
	ahead = xetile_hbm_begin_ahead(xt, to_xetile_hbm_resource(new), &layout);
	fence = xt->mover->clear(xt, &layout, killable);
	xetile_hbm_end_ahead(xt, ahead, IS_ERR(fence) ? NULL : fence);
	if (IS_ERR(fence))
		return PTR_ERR(fence);
	dma_resv_add_fence(bo->ttm.base.resv, fence, DMA_RESV_USAGE_KERNEL);
	note_filled(bo, fence);
	return 0;
}

/* Fresh memory: nobody may see what its last owner left in HBM */
static int move_fresh(struct xetile_bo *bo, struct ttm_resource *new, bool killable)
{
	struct xetile_device *xt = ttm_to_xetile_device(bo->ttm.bdev);
	int err = 0;

	dma_resv_assert_held(bo->ttm.base.resv);
	if (new->mem_type == XETILE_PL_HBM)
		err = to_xetile_hbm_resource(new)->dirty ? clear_fresh(bo, new, killable) :
							   xt->mover->check(xt);
	if (!err)
		ttm_bo_move_null(&bo->ttm, new);
	return err;
}

static int move_data(struct xetile_bo *bo, bool evict, struct ttm_resource *new, bool killable)
{
	struct xetile_device *xt = ttm_to_xetile_device(bo->ttm.bdev);
	struct xetile_layout dst, src;
	struct dma_fence *fence;
	int err;

	dma_resv_assert_held(bo->ttm.base.resv);
	xetile_bo_layout(bo, &src);
	layout_in(bo, new, &dst);
	fence = xt->mover->copy(xt, &dst, &src, killable);
	if (IS_ERR(fence))
		return PTR_ERR(fence);
	/*
	 * Not pipelined: memory that is evicted may become a page table, which
	 * the CPU writes at once, so it must be free in fact when it is freed. Whoever
	 * moves it to system memory wants its HBM, even if TTM does not call that to evict.
	 */
	err = ttm_bo_move_accel_cleanup(&bo->ttm, fence, evict || dst.dma, false, new);
	if (err) {
		/* TTM waits for 15 s; what it frees then must not be written any more. */
		dma_fence_wait(fence, false);
		dma_fence_put(fence);
		return err;
	}
	note_filled(bo, fence);
	return 0;
}

static int bo_move(struct ttm_buffer_object *ttm, bool evict, struct ttm_operation_ctx *ctx,
		   struct ttm_resource *new, struct ttm_place *hop)
{
	struct xetile_bo *bo = ttm_to_xetile_bo(ttm);
	struct ttm_resource *old = ttm->resource;
	int err;

	dma_resv_assert_held(ttm->base.resv);
	/*
	 * There before the card is registered, and until drm_dev_unplug() has waited for all
	 * that may still place a BO.
	 */
	if (WARN_ON_ONCE(!ttm_to_xetile_device(ttm->bdev)->mover))
		return -ENODEV;
	if (xetile_bo_is_fresh(bo)) {
		err = move_fresh(bo, new, ctx->interruptible);
		goto done;
	}

	/* Between HBM and swapped-out pages the data goes by way of mapped pages. */
	if ((old->mem_type == TTM_PL_SYSTEM && new->mem_type == XETILE_PL_HBM) ||
	    (old->mem_type == XETILE_PL_HBM && new->mem_type == TTM_PL_SYSTEM)) {
		*hop = (struct ttm_place) {
			.mem_type = XETILE_PL_SYSTEM, .flags = TTM_PL_FLAG_TEMPORARY,
		};
		return -EMULTIHOP;
	}

	/* A bind that waits has it where it is; xetile_room_is_idle() says so as well. */
	if (bo->binds)
		return -EBUSY;
	/* It is idle but for a copy of its own, see bo_eviction_valuable() and is_settled(). */
	err = ttm_bo_wait_ctx(ttm, ctx);
	if (err)
		return err;
	/* What is submitted from now on maps it anew. */
	drm_gpuvm_bo_gem_evict(&ttm->base, true);

	if (old->mem_type == XETILE_PL_HBM || new->mem_type == XETILE_PL_HBM)
		err = move_data(bo, evict, new, ctx->interruptible);
	else
		ttm_bo_move_null(ttm, new);
	if (!err)
		bo->moves++;
done:
	if (!err)
		count_bytes(bo, new);
	return err;
}

static const struct ttm_place swap_place = { .mem_type = TTM_PL_SYSTEM };

static void bo_evict_flags(struct ttm_buffer_object *ttm, struct ttm_placement *placement)
{
	placement->num_placement = 0;
	if (!is_ours(ttm))
		return;
	placement->num_placement = 1;
	placement->placement = ttm->resource->mem_type == XETILE_PL_HBM ?
				  &xetile_sysmem_place : &swap_place;
}

static bool bo_eviction_valuable(struct ttm_buffer_object *ttm, const struct ttm_place *place)
{
	dma_resv_assert_held(ttm->base.resv);
	/* A ghost is nobody's, and about to go. */
	if (!is_ours(ttm) && !ttm->deleted)
		return false;
	/* The kernel wants pages back, and has few to copy them to. */
	if (place->mem_type != XETILE_PL_HBM && !xetile_sysmem_may_swap(ttm))
		return false;
	/*
	 * Making room below the limit by swapping would only pass the limit by. What nobody has
	 * any more is freed, and TTM's few workers may wait for ever before they get to it.
	 */
	if ((place->flags & XETILE_PLACE_LIMITED) && !ttm->deleted)
		return false;
	/* Jobs are not waited for with reservations held, see xetile_room.c. */
	if (!dma_resv_test_signaled(ttm->base.resv, DMA_RESV_USAGE_BOOKKEEP))
		return false;
	if (is_ours(ttm) && READ_ONCE(ttm_to_xetile_bo(ttm)->binds))
		return false;
	/* To fail on the way would end the search for other places. */
	if (place->mem_type == XETILE_PL_HBM && !ttm->deleted &&
	    !xetile_sysmem_has_room(ttm_to_xetile_device(ttm->bdev), ttm->base.size))
		return false;
	return ttm_bo_eviction_valuable(ttm, place);
}

static struct ttm_tt *bo_tt_create(struct ttm_buffer_object *ttm, u32 page_flags)
{
	return xetile_sysmem_tt_create(ttm, ttm_to_xetile_bo(ttm)->memcg, page_flags);
}

/* Can the CPU reach it through BAR2, which may be smaller than HBM? */
static bool in_reach(struct ttm_resource *res)
{
	return res->mem_type != XETILE_PL_HBM || !to_xetile_hbm_resource(res)->beyond;
}

static int bo_io_mem_reserve(struct ttm_device *bdev, struct ttm_resource *res)
{
	if (res->mem_type != XETILE_PL_HBM)
		return 0;
	if (!in_reach(res))
		return -EINVAL;
	res->bus.is_iomem = true;
	res->bus.caching = ttm_write_combined;
	return 0;
}

static unsigned long bo_io_mem_pfn(struct ttm_buffer_object *ttm, unsigned long page)
{
	struct xetile_device *xt = ttm_to_xetile_device(ttm->bdev);
	struct xetile_layout layout;
	u64 addr;

	xetile_bo_layout(ttm_to_xetile_bo(ttm), &layout);
	xetile_layout_find(&layout, (u64)page << PAGE_SHIFT, PAGE_SIZE, &addr);
	return PHYS_PFN(xt->bar2.start + addr);
}

static struct ttm_device_funcs bo_ttm_funcs = {
	.ttm_tt_create = bo_tt_create,
	.ttm_tt_populate = xetile_sysmem_populate,
	.ttm_tt_unpopulate = xetile_sysmem_unpopulate,
	.swap_notify = xetile_sysmem_swap_notify,
	.ttm_tt_destroy = xetile_sysmem_tt_destroy,
	.eviction_valuable = bo_eviction_valuable,
	.evict_flags = bo_evict_flags,
	.move = bo_move,
	.io_mem_reserve = bo_io_mem_reserve,
	.io_mem_pfn = bo_io_mem_pfn,
};

/* --- GEM --------------------------------------------------------------------- */

static void gem_free(struct drm_gem_object *gem)
{
	struct xetile_bo *bo = gem_to_xetile_bo(gem);

	note_unfilled(bo, false);
	ttm_bo_fini(&bo->ttm);
}

/**
 * xetile_bo_unmapped() - a VM does not map a BO any more
 * @bo: BO with its reservation held
 *
 * What is private leaves the group's place in TTM's lists when it has neither a handle nor
 * a mapping. Not later, because that needs the reservation, and whoever drops the last
 * reference may hold it or not.
 */
void xetile_bo_unmapped(struct xetile_bo *bo)
{
	dma_resv_assert_held(bo->ttm.base.resv);
	if (!bo->ttm.bulk_move || !bo->closed || !list_empty(&bo->ttm.base.gpuva.list))
		return;
	ttm_bo_set_bulk_move(&bo->ttm, NULL);
	bo_group(bo)->num_bulk--;
}

/**
 * xetile_bo_closed() - a private BO has no handle any more, or got none
 * @bo: BO; its reservation is taken if it is private
 */
void xetile_bo_closed(struct xetile_bo *bo)
{
	if (!bo->args.owner)
		return;
	dma_resv_lock(bo->ttm.base.resv, NULL);
	bo->closed = true;
	xetile_bo_unmapped(bo);
	dma_resv_unlock(bo->ttm.base.resv);
}

/* What is private has but one handle. */
static void gem_close(struct drm_gem_object *gem, struct drm_file *file)
{
	xetile_bo_closed(gem_to_xetile_bo(gem));
}

/* May a fault let go of the address space while it waits? */
static bool may_drop_mmap_lock(struct vm_fault *vmf)
{
	return (vmf->flags & FAULT_FLAG_ALLOW_RETRY) && !(vmf->flags & FAULT_FLAG_RETRY_NOWAIT);
}

/* Whoever wants the address space or the BO meanwhile need not wait too. */
static void fault_drop_locks(struct xetile_bo *bo, struct vm_fault *vmf)
{
	drm_gem_object_get(&bo->ttm.base);
	mmap_read_unlock(vmf->vma->vm_mm);
	dma_resv_unlock(bo->ttm.base.resv);
}

/*
 * How the last copy ended must be known before anything is mapped. TTM would wait as
 * well, but maps whatever came of it. Returns what to answer, or 0 to go on.
 */
static vm_fault_t fault_wait_filled(struct xetile_bo *bo, struct vm_fault *vmf)
{
	struct dma_fence *fence = bo->filled;

	if (!fence || dma_fence_is_signaled(fence))
		return 0;
	if (vmf->flags & FAULT_FLAG_RETRY_NOWAIT)
		return VM_FAULT_RETRY;
	if (!may_drop_mmap_lock(vmf))
		return dma_fence_wait(fence, true) ? VM_FAULT_NOPAGE : 0;

	dma_fence_get(fence);
	fault_drop_locks(bo, vmf);
	dma_fence_wait(fence, true);
	dma_fence_put(fence);
	drm_gem_object_put(&bo->ttm.base);
	return VM_FAULT_RETRY;
}

/*
 * A BO the CPU cannot reach must go to system memory, but jobs use it. They are waited for,
 * however long they run; a signal ends the wait. Outside of xetile_device_enter(), so that
 * it does not hold the removal of the card up. Returns what to answer, or 0 to go on.
 */
static vm_fault_t fault_wait_idle(struct xetile_bo *bo, struct vm_fault *vmf)
{
	dma_resv_assert_held(bo->ttm.base.resv);
	if (in_reach(bo->ttm.resource) || xetile_room_is_idle(bo))
		return 0;
	if (vmf->flags & FAULT_FLAG_RETRY_NOWAIT)
		return VM_FAULT_RETRY;
	if (!may_drop_mmap_lock(vmf)) {
		/*
		 * Rare: the caller comes back, and looks for signals before. For fences alone,
		 * because binds let go of a BO under the reservation that is held here.
		 */
		dma_resv_wait_timeout(bo->ttm.base.resv, DMA_RESV_USAGE_BOOKKEEP, true, HZ / 10);
		return VM_FAULT_NOPAGE;
	}

	fault_drop_locks(bo, vmf);
	/* What becomes of it the next fault sees. */
	xetile_room_vacate(bo);
	drm_gem_object_put(&bo->ttm.base);
	return VM_FAULT_RETRY;
}

/*
 * What the CPU cannot reach goes to system memory, and comes back as what was evicted
 * does, when a job wants it. Within xetile_device_enter(); no job uses the BO.
 */
static vm_fault_t fault_out_of_reach(struct xetile_bo *bo)
{
	int err = xetile_sysmem_take(&bo->ttm);

	dma_resv_assert_held(bo->ttm.base.resv);
	/* The access is tried again, and its fault then waits for the copy. */
	if (!err || err == -ERESTARTSYS || err == -EINTR || err == -EBUSY)
		return VM_FAULT_NOPAGE;
	return VM_FAULT_SIGBUS;
}

/*
 * HBM loses its content, or does not answer, for a while: the access is made afterwards.
 * Outside of xetile_device_enter().
 */
static vm_fault_t fault_wait_open(struct xetile_bo *bo, struct vm_fault *vmf)
{
	struct xetile_device *xt = to_xetile_device(bo->ttm.base.dev);

	if (vmf->flags & FAULT_FLAG_RETRY_NOWAIT)
		return VM_FAULT_RETRY;
	if (!may_drop_mmap_lock(vmf)) {
		/* Rare: the caller comes back, and looks for signals before. */
		wait_event_interruptible_timeout(xt->bar2.opened, !READ_ONCE(xt->bar2.closed),
						 HZ / 10);
		return VM_FAULT_NOPAGE;
	}

	fault_drop_locks(bo, vmf);
	wait_event_interruptible(xt->bar2.opened, !READ_ONCE(xt->bar2.closed));
	drm_gem_object_put(&bo->ttm.base);
	return VM_FAULT_RETRY;
}

/* What is in reach; @closed: it is in HBM, which no user may see now, and nothing is done */
static vm_fault_t fault_in_reach(struct xetile_bo *bo, struct vm_fault *vmf, bool *closed)
{
	struct xetile_device *xt = to_xetile_device(bo->ttm.base.dev);
	vm_fault_t ret = VM_FAULT_NOPAGE;

	dma_resv_assert_held(bo->ttm.base.resv);
	down_read(&xt->bar2.lock);
	*closed = xt->bar2.closed && bo->ttm.resource->mem_type == XETILE_PL_HBM;
	if (!*closed)
		ret = ttm_bo_vm_fault_reserved(vmf, vmf->vma->vm_page_prot, FAULT_PAGES);
	up_read(&xt->bar2.lock);
	return ret;
}

static vm_fault_t fault_reserved(struct xetile_bo *bo, struct vm_fault *vmf)
{
	struct xetile_device *xt = to_xetile_device(bo->ttm.base.dev);
	bool closed = false;
	vm_fault_t ret;
	int idx;

	dma_resv_assert_held(bo->ttm.base.resv);
	ret = fault_wait_filled(bo, vmf);
	if (ret)
		return ret;
	if (xetile_bo_is_lost(bo))
		return VM_FAULT_SIGBUS;
	ret = fault_wait_idle(bo, vmf);
	if (ret)
		return ret;

	if (!xetile_device_enter(xt, &idx))
		return ttm_bo_vm_dummy_page(vmf, vmf->vma->vm_page_prot);
	if (in_reach(bo->ttm.resource))
		ret = fault_in_reach(bo, vmf, &closed);
	else
		ret = fault_out_of_reach(bo);
	xetile_device_exit(xt, idx);
	return closed ? fault_wait_open(bo, vmf) : ret;
}

static vm_fault_t gem_fault(struct vm_fault *vmf)
{
	struct ttm_buffer_object *ttm = vmf->vma->vm_private_data;
	vm_fault_t ret;

	ret = ttm_bo_vm_reserve(ttm, vmf);
	if (ret)
		return ret;
	ret = fault_reserved(ttm_to_xetile_bo(ttm), vmf);
	/* On a retry the lock was dropped to wait for a move or a clear. */
	if (ret == VM_FAULT_RETRY && !(vmf->flags & FAULT_FLAG_RETRY_NOWAIT))
		return ret;
	dma_resv_unlock(ttm->base.resv);
	return ret;
}

/**
 * xetile_bo_close_window() - let no user see HBM
 * @xt: card; if its jobs do not end soon they may not be waited for by page faults
 *
 * For as long as it does not answer, or its content is lost. Whoever touches a mapping of
 * HBM waits, interruptibly. What the driver itself does with HBM is its own business.
 *
 * Context: process; takes &xetile_device.bar2.lock. Not nested.
 */
void xetile_bo_close_window(struct xetile_device *xt)
{
	down_write(&xt->bar2.lock);
	WRITE_ONCE(xt->bar2.closed, true);
	up_write(&xt->bar2.lock);
	unmap_mapping_range(xt->drm.anon_inode->i_mapping, 0, 0, 1);
}

/**
 * xetile_bo_open_window() - undo xetile_bo_close_window()
 * @xt: card
 *
 * Context: process; takes &xetile_device.bar2.lock.
 */
void xetile_bo_open_window(struct xetile_device *xt)
{
	down_write(&xt->bar2.lock);
	WRITE_ONCE(xt->bar2.closed, false);
	up_write(&xt->bar2.lock);
	wake_up_all(&xt->bar2.opened);
}

/* Bytes of HBM read or written, or -errno. Within xetile_device_enter(). */
static int access_hbm(struct xetile_bo *bo, u64 offset, void *buf, int len, int write)
{
	struct xetile_device *xt = to_xetile_device(bo->ttm.base.dev);
	struct xetile_layout layout;
	void __iomem *map;
	u64 addr;

	dma_resv_assert_held(bo->ttm.base.resv);
	xetile_bo_layout(bo, &layout);
	len = xetile_layout_find(&layout, offset, len, &addr);
	map = xt->bar2.map + addr;
	down_read(&xt->bar2.lock);
	if (xt->bar2.closed)
		len = -EIO;
	else if (write)
		memcpy_toio(map, buf, len);
	else
		memcpy_fromio(buf, map, len);
	up_read(&xt->bar2.lock);
	/* Out of the write-combining buffers */
	wmb();
	return len;
}

/* Bytes of system memory read or written, of one page, or -errno */
static int access_system(struct xetile_bo *bo, u64 offset, void *buf, int len, int write)
{
	struct ttm_bo_kmap_obj kmap;
	bool is_iomem;
	void *map;
	int err;

	dma_resv_assert_held(bo->ttm.base.resv);
	err = ttm_bo_kmap(&bo->ttm, offset >> PAGE_SHIFT, 1, &kmap);
	if (err)
		return err;
	map = ttm_kmap_obj_virtual(&kmap, &is_iomem) + offset_in_page(offset);
	len = min_t(int, len, PAGE_SIZE - offset_in_page(offset));
	if (write)
		memcpy(map, buf, len);
	else
		memcpy(buf, map, len);
	ttm_bo_kunmap(&kmap);
	return len;
}

/* Reserve the BO and have it in reach. Returns 0 or -errno. */
static int access_reserve(struct xetile_bo *bo)
{
	int err;

	for (;;) {
		err = ttm_bo_reserve(&bo->ttm, true, false, NULL);
		if (err || in_reach(bo->ttm.resource))
			return err;
		ttm_bo_unreserve(&bo->ttm);
		err = xetile_room_vacate(bo);
		if (err)
			return err;
	}
}

static int access_reserved(struct xetile_bo *bo, u64 offset, void *buf, int len, int write)
{
	int done = 0, n;

	dma_resv_assert_held(bo->ttm.base.resv);
	n = bo->filled ? dma_fence_wait(bo->filled, true) : 0;
	if (n)
		return n;
	if (xetile_bo_is_lost(bo))
		return -EIO;

	while (done < len) {
		if (bo->ttm.resource->mem_type == XETILE_PL_HBM)
			n = access_hbm(bo, offset + done, buf + done, len - done, write);
		else
			n = access_system(bo, offset + done, buf + done, len - done, write);
		if (n < 0)
			return done ?: n;
		done += n;
	}
	return done;
}

/*
 * A debugger's look at the mapping. Not TTM's: it would not wait for the copy into fresh
 * memory, and show what somebody else left there.
 */
static int gem_access(struct vm_area_struct *vma, unsigned long addr, void *buf, int len, int write)
{
	struct xetile_bo *bo = ttm_to_xetile_bo(vma->vm_private_data);
	u64 page = vma->vm_pgoff - drm_vma_node_start(&bo->ttm.base.vma_node);
	int ret, idx;

	len = min_t(unsigned long, len, vma->vm_end - addr);
	ret = access_reserve(bo);
	if (ret)
		return ret;
	/* Pages may not be taken, or mapped for the card, when it is gone. */
	if (xetile_device_enter(ttm_to_xetile_device(bo->ttm.bdev), &idx)) {
		ret = access_reserved(bo, (page << PAGE_SHIFT) + (addr - vma->vm_start), buf, len,
				      write);
		xetile_device_exit(ttm_to_xetile_device(bo->ttm.bdev), idx);
	} else {
		ret = -EIO;
	}
	ttm_bo_unreserve(&bo->ttm);
	return ret;
}

static const struct vm_operations_struct gem_vm_ops = {
	.fault = gem_fault,
	.open = ttm_bo_vm_open,
	.close = ttm_bo_vm_close,
	.access = gem_access,
};

/*
 * A file gets a handle. What is private to an address space is shared with nobody, by no
 * way the DRM core has: its first handle, at its creation, is the last.
 */
static int gem_open(struct drm_gem_object *gem, struct drm_file *file)
{
	return gem_to_xetile_bo(gem)->args.owner && READ_ONCE(gem->handle_count) > 1 ? -EPERM : 0;
}

static struct dma_buf *gem_export(struct drm_gem_object *gem, int flags)
{
	return gem_to_xetile_bo(gem)->args.owner ? ERR_PTR(-EPERM) :
						   drm_gem_prime_export(gem, flags);
}

static const struct drm_gem_object_funcs gem_funcs = {
	.free = gem_free,
	.open = gem_open,
	.close = gem_close,
	.export = gem_export,
	.mmap = drm_gem_ttm_mmap,
	.vm_ops = &gem_vm_ops,
};

static void note_shares(struct xetile_bo *bo)
{
	struct xetile_color_iter it;
	u64 pages;
	u32 tile;

	xetile_color_begin(&it, &bo->args.color, bo->args.size / XETILE_COLOR_PAGE);
	while (xetile_color_next(&it, &tile, &pages))
		bo->shares[tile] += pages;
}

/*
 * The order of the places is the documented one. TTM first tries those that are
 * no FALLBACK without evicting anything; then all in order, evicting for each
 * what bo_eviction_valuable() allows. A BO whose color must hold never spills.
 * What then finds no room waits for busy BOs, see xetile_room.c.
 */
static void place_bo(struct xetile_device *xt, struct xetile_bo *bo)
{
	struct ttm_place *place = bo->places;
	/* First, because it bounds the runs of the color that are ever walked. */
	bool hbm = (bo->args.placement & XETILE_PLACE_HBM) &&
		   xetile_hbm_can_hold(xt, bo->args.size);

	if (hbm)
		note_shares(bo);

	if (hbm)
		*place++ = (struct ttm_place) { .mem_type = XETILE_PL_HBM };
	if (hbm && !(bo->args.flags & XETILE_BO_STRICT))
		*place++ = (struct ttm_place) {
			.mem_type = XETILE_PL_HBM,
			.flags = TTM_PL_FLAG_FALLBACK | XETILE_PLACE_SPILL,
		};
	if (bo->args.placement & XETILE_PLACE_SYSTEM)
		*place++ = (struct ttm_place) {
			.mem_type = XETILE_PL_SYSTEM,
			.flags = XETILE_PLACE_LIMITED | (hbm ? TTM_PL_FLAG_FALLBACK : 0),
		};
	bo->placement.placement = bo->places;
	bo->placement.num_placement = place - bo->places;
}

/* TTM says ENOMEM for both; EBUSY when it was HBM that ran out: busy BOs may make room. */
static int tell_lack(struct xetile_room *room, int err)
{
	return err == -ENOMEM && room->lack.lacks ? -EBUSY : err;
}

static int copy_runs(struct xetile_color *color)
{
	struct xetile_color_run *runs;

	if (!color->num_runs) {
		color->runs = NULL;
		return 0;
	}
	runs = kvmemdup(color->runs, array_size(color->num_runs, sizeof(*runs)),
			GFP_KERNEL_ACCOUNT);
	if (!runs)
		return -ENOMEM;
	color->runs = runs;
	return 0;
}

static struct xetile_bo *bo_alloc(struct xetile_device *xt, const struct xetile_bo_args *args)
{
	struct xetile_bo *bo = kzalloc_obj(*bo, GFP_KERNEL_ACCOUNT);
	int err;

	if (!bo)
		return ERR_PTR(-ENOMEM);
	bo->args = *args;
	err = copy_runs(&bo->args.color);
	if (err) {
		kfree(bo);
		return ERR_PTR(err);
	}
	if (args->owner)
		drm_gem_object_get(args->owner);
	bo->memcg = get_mem_cgroup_from_mm(current->mm);
	INIT_LIST_HEAD(&bo->unfilled);
	place_bo(xt, bo);
	bo->ttm.base.funcs = &gem_funcs;
	drm_gem_private_object_init(&xt->drm, &bo->ttm.base, args->size);
	return bo;
}

/* @resv: reservation of its group, locked, or NULL. On failure the BO is destroyed. */
static int bo_init(struct xetile_device *xt, struct xetile_bo *bo, struct dma_resv *resv,
		   struct xetile_room *room)
{
	struct ttm_operation_ctx ctx = {
		.interruptible = true,
		.gfp_retry_mayfail = true,
		/* Others of the group make room as anybody's do. */
		.resv = resv,
		.allow_res_evict = resv,
	};
	int err;

	bo->lack = &room->lack;
	err = ttm_bo_init_reserved(&xt->ttm, &bo->ttm, ttm_bo_type_device, &bo->placement, 0,
				   &ctx, NULL, resv, bo_destroy);
	/* Then the BO is gone, or about to go, and is placed nowhere any more. */
	if (err)
		return tell_lack(room, err);
	bo->lack = NULL;
	return 0;
}

static struct xetile_bo *try_create(struct xetile_device *xt, const struct xetile_bo_args *args,
				    struct xetile_room *room)
{
	struct dma_resv *resv = args->owner ? args->owner->resv : NULL;
	struct xetile_bo *bo = bo_alloc(xt, args);
	int err;

	if (IS_ERR(bo))
		return bo;
	if (resv) {
		err = dma_resv_lock_interruptible(resv, NULL);
		if (err) {
			bo_destroy(&bo->ttm);
			return ERR_PTR(err);
		}
	}
	err = bo_init(xt, bo, resv, room);
	if (!err) {
		if (resv) {
			ttm_bo_set_bulk_move(&bo->ttm, &bo_group(bo)->bulk);
			bo_group(bo)->num_bulk++;
		}
		ttm_bo_unreserve(&bo->ttm);
	} else if (resv) {
		dma_resv_unlock(resv);
	}
	return err ? ERR_PTR(err) : bo;
}

/**
 * xetile_bo_create() - make a buffer object
 * @xt: card
 * @args: what is asked for, checked
 *
 * The memory is there, and zero for whoever waits for the KERNEL fences of the
 * BO's reservation. May sleep, also for evictions, and for the jobs of others; it holds
 * no reservation then. Takes the reservation of the group.
 *
 * Return: the BO with one reference, or an ERR_PTR: ENOSPC, ENOMEM, ERESTARTSYS.
 */
struct xetile_bo *xetile_bo_create(struct xetile_device *xt, const struct xetile_bo_args *args)
{
	struct xetile_room room;
	struct xetile_bo *bo;
	int err;

	xetile_room_begin(&room, xt, NULL);
	do {
		bo = try_create(xt, args, &room);
		err = PTR_ERR_OR_ZERO(bo);
	} while (xetile_room_again(&room, &err));
	xetile_room_end(&room);
	return err ? ERR_PTR(err) : bo;
}

/**
 * xetile_bo_is_placed() - does a BO lie where it was asked to lie first
 * @bo: BO with its reservation held
 *
 * Return: true if so.
 */
bool xetile_bo_is_placed(struct xetile_bo *bo)
{
	dma_resv_assert_held(bo->ttm.base.resv);
	return bo->ttm.resource && bo->ttm.resource->mem_type == bo->places[0].mem_type;
}

/*
 * May it be moved now, to where it should be? Else it stays if that will do, or the caller
 * waits for the jobs that use it.
 */
static bool is_settled(struct xetile_bo *bo)
{
	dma_resv_assert_held(bo->ttm.base.resv);
	return bo->ttm.resource->mem_type == XETILE_PL_HBM || xetile_room_is_idle(bo);
}

/*
 * What is private waits, if it is a job that wants it in HBM: its VM's own jobs are all that
 * can use it, unless a bind that waits keeps it there. A bind must not wait for jobs; the next
 * job brings the BO where it should be.
 */
static bool will_do(struct xetile_bo *bo, struct xetile_room *room)
{
	dma_resv_assert_held(bo->ttm.base.resv);
	return (!bo->args.owner || !room->vm || bo->binds ||
		!(bo->args.placement & XETILE_PLACE_HBM)) &&
	       (bo->args.placement & XETILE_PLACE_SYSTEM) &&
	       bo->ttm.resource->mem_type == XETILE_PL_SYSTEM;
}

/**
 * xetile_bo_is_stray() - does a BO not lie as asked
 * @bo: BO with its reservation held
 *
 * Return: true if it lies where it was not asked to lie first, or if a part of it is not on
 * the tile of its color.
 */
bool xetile_bo_is_stray(struct xetile_bo *bo)
{
	dma_resv_assert_held(bo->ttm.base.resv);
	return !xetile_bo_is_placed(bo) ||
	       (bo->ttm.resource->mem_type == XETILE_PL_HBM &&
		to_xetile_hbm_resource(bo->ttm.resource)->spilled);
}

/* Nothing is evicted to make room there. */
static const struct ttm_place exact_place = {
	.mem_type = XETILE_PL_HBM, .flags = XETILE_PLACE_EXACT | TTM_PL_FLAG_DESIRED,
};

static int go_home(struct xetile_bo *bo)
{
	struct ttm_operation_ctx ctx = { .interruptible = true, .gfp_retry_mayfail = true };
	struct ttm_placement home = { .num_placement = 1, .placement = &exact_place };

	dma_resv_assert_held(bo->ttm.base.resv);
	return ttm_bo_validate(&bo->ttm, &home, &ctx);
}

/*
 * There is room when what the BO has is given up first. That takes the turn: who has it waits
 * for HBM, and would take what is given up. If it fails all the same, because memory is in
 * pieces too small or somebody was faster, two copies were made for nothing, and what was given
 * up and taken back looks like room to the next job: then it is tried no more for a while.
 */
static int return_by_detour(struct xetile_bo *bo)
{
	struct xetile_device *xt = ttm_to_xetile_device(bo->ttm.bdev);
	int err;

	dma_resv_assert_held(bo->ttm.base.resv);
	if (time_before64(get_jiffies_64(), bo->detour_after) ||
	    !xetile_sysmem_has_room(xt, bo->args.size) || !mutex_trylock(&xt->room.turn))
		return -ENOSPC;
	err = xetile_sysmem_take(&bo->ttm);
	if (!err)
		err = go_home(bo);
	mutex_unlock(&xt->room.turn);
	if (err)
		bo->detour_after = get_jiffies_64() + msecs_to_jiffies(DETOUR_MS);
	return err;
}

/**
 * xetile_bo_return() - move a BO where it was asked to lie, if HBM has room for it now
 * @bo: BO with its reservation held
 *
 * Where there is no room for both what it is to get and what it has, it goes by way of
 * system memory, unless somebody waits for HBM, or that failed a moment ago. May sleep, but not
 * for jobs.
 *
 * Return: 0: it lies as asked; -EAGAIN: it would, but a job uses it; -ENOSPC and others:
 * it stays, or is in system memory.
 */
int xetile_bo_return(struct xetile_bo *bo)
{
	struct xetile_device *xt = ttm_to_xetile_device(bo->ttm.bdev);

	dma_resv_assert_held(bo->ttm.base.resv);
	if (!xetile_bo_is_stray(bo))
		return 0;
	if (!xetile_hbm_has_room(xt, bo->shares, bo->hbm_bytes))
		return -ENOSPC;
	if (bo->held_by || !xetile_room_is_idle(bo))
		return -EAGAIN;
	return xetile_hbm_has_room(xt, bo->shares, NULL) ? go_home(bo) : return_by_detour(bo);
}

/**
 * xetile_bo_validate() - have a BO where the GPU reaches it, and as colored
 * @bo: BO with its reservation held
 * @room: the call it is wanted for; the VM it names keeps others of the BO's group
 *
 * A BO that was evicted comes back and regains its color. May sleep, but not for jobs.
 *
 * Return: 0; -EBUSY: drop all reservations and ask xetile_room_again(); -ENOMEM;
 * -ERESTARTSYS; -ENODATA when its bytes are lost, because the copy engine failed.
 */
int xetile_bo_validate(struct xetile_bo *bo, struct xetile_room *room)
{
	bool evict_own = bo->args.owner && !room->vm;
	struct ttm_operation_ctx ctx = {
		.interruptible = true,
		.gfp_retry_mayfail = true,
		.resv = evict_own ? bo->ttm.base.resv : NULL,
		.allow_res_evict = evict_own,
	};
	int err;

	dma_resv_assert_held(bo->ttm.base.resv);
	if (xetile_bo_is_lost(bo))
		return -ENODATA;
	bo->needed_by = room->id;
	if (bo->held_by && bo->held_by != room->id)
		goto busy;
	if (!is_settled(bo)) {
		if (will_do(bo, room))
			return 0;
		goto busy;
	}
	bo->lack = &room->lack;
	err = ttm_bo_validate(&bo->ttm, &bo->placement, &ctx);
	bo->lack = NULL;
	if (err == -EBUSY)
		goto busy;
	return tell_lack(room, err);

busy:
	xetile_room_note_busy(room, bo);
	return -EBUSY;
}

static int fill_runs(struct xetile_bo *bo, struct xetile_color_run **runs, u32 *num_runs)
{
	struct xetile_layout layout;
	struct xetile_color_run *out;
	u32 n = 0, i;

	dma_resv_assert_held(bo->ttm.base.resv);
	xetile_bo_layout(bo, &layout);
	out = kvcalloc(max(layout.num, 1), sizeof(*out), GFP_KERNEL_ACCOUNT);
	if (!out)
		return -ENOMEM;

	if (!layout.num)
		out[n++] = (struct xetile_color_run) {
			.tile = XETILE_COLOR_SYSTEM,
			.pages = bo->args.size / XETILE_COLOR_PAGE,
		};
	for (i = 0; i < layout.num; i++) {
		u32 pages = layout.ext[i].size / XETILE_COLOR_PAGE;

		if (n && out[n - 1].tile == layout.ext[i].tile)
			out[n - 1].pages += pages;
		else
			out[n++] = (struct xetile_color_run) { layout.ext[i].tile, pages };
	}
	*runs = out;
	*num_runs = n;
	return 0;
}

/**
 * xetile_bo_runs() - where a BO's pages lie now
 * @bo: BO; its reservation is taken
 * @runs: out: array for kvfree(); neighbours on the same tile are one run
 * @num_runs: out: its elements
 *
 * Return: 0, -ENOMEM or -ERESTARTSYS.
 */
int xetile_bo_runs(struct xetile_bo *bo, struct xetile_color_run **runs, u32 *num_runs)
{
	int err;

	err = ttm_bo_reserve(&bo->ttm, true, false, NULL);
	if (err)
		return err;
	err = fill_runs(bo, runs, num_runs);
	ttm_bo_unreserve(&bo->ttm);
	return err;
}

/**
 * xetile_bo_usage() - bytes of a BO that are in memory now
 * @bo: BO
 * @hbm: out: bytes in HBM, by tile
 * @system: out: bytes in system memory
 *
 * Takes no lock: for statistics, which are old when they are read anyway.
 */
void xetile_bo_usage(struct xetile_bo *bo, u64 hbm[XETILE_MAX_TILES], u64 *system)
{
	int t;

	*system = bo->args.size;
	for (t = 0; t < XETILE_MAX_TILES; t++) {
		hbm[t] = READ_ONCE(bo->hbm_bytes[t]);
		*system -= min(hbm[t], *system);
	}
}

/**
 * xetile_bo_prime_import() - make a GEM object of a dma-buf
 * @drm: card
 * @buf: dma-buf
 *
 * Return: the exported object itself, with a new reference, when it is one of
 * this card; ERR_PTR(-EOPNOTSUPP) for any other buffer.
 */
struct drm_gem_object *xetile_bo_prime_import(struct drm_device *drm, struct dma_buf *buf)
{
	struct drm_gem_object *gem = drm_gem_prime_import(drm, buf);

	/* The core's answer to a foreign buffer, for there is no import hook. */
	return gem == ERR_PTR(-EINVAL) ? ERR_PTR(-EOPNOTSUPP) : gem;
}

static void ttm_fini(struct drm_device *drm, void *arg)
{
	ttm_device_fini(&to_xetile_device(drm)->ttm);
}

/**
 * xetile_bo_init() - make TTM's device, for which this file answers
 * @xt: card
 *
 * It goes with the DRM device, after the last buffer.
 *
 * Return: 0 or a negative error code.
 */
int xetile_bo_init(struct xetile_device *xt)
{
	struct drm_device *drm = &xt->drm;
	int err;

	err = ttm_device_init(&xt->ttm, &bo_ttm_funcs, drm->dev, drm->anon_inode->i_mapping,
			      drm->vma_offset_manager, 0);
	if (err)
		return err;
	return drmm_add_action_or_reset(drm, ttm_fini, NULL);
}
