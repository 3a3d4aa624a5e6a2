// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_sysmem.h"

#include <linux/dma-mapping.h>
#include <linux/gfp.h>
#include <linux/jiffies.h>
#include <linux/log2.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/set_memory.h>
#include <linux/shrinker.h>
#include <linux/slab.h>
#include <linux/swap.h>

#include <drm/drm_managed.h>
#include <drm/ttm/ttm_bo.h>
#include <drm/ttm/ttm_resource.h>
#include <drm/ttm/ttm_tt.h>

#include "mem/xetile_place.h"
#include "xetile_device.h"

/**
 * DOC: system memory the card can reach
 *
 * Pages that are mapped for DMA. There is no aperture, so the manager of this memory type has
 * nothing to allocate, but it keeps a limit somewhat below TTM's own: at TTM's limit buffers would
 * be written to swap, and without swap programs would be killed; below it a call that wants too
 * much gets an error. &xetile_device.sysmem.lock protects the list of mapped buffers.
 *
 * When the kernel runs short of memory a shrinker has TTM copy idle buffers to files in memory,
 * whose pages the kernel can write to swap. It may be called wherever memory is allocated, also
 * under a reservation: so it waits for nothing, neither for jobs nor for locks. A buffer that was
 * swapped out comes back when it is next touched, or mapped for a job.
 */

/* Where buffers go when HBM has no room, or the CPU does not reach them */
const struct ttm_place xetile_sysmem_place = {
	.mem_type = XETILE_PL_SYSTEM, .flags = XETILE_PLACE_LIMITED,
};

/* TTM's place without pages: for buffers that are swapped out, or whose content is dropped */
const struct ttm_place xetile_nowhere_place = { .mem_type = TTM_PL_SYSTEM };

/* The part of the kernel's free pages that one buffer may be copied to */
#define SWAP_SHARE	4

/* For how long the shrinker reports no pages after it found all of them in use */
#define BARREN_MS	10

/* The biggest pieces that pages are taken in, as powers of two */
#define MAX_PIECE	ilog2(SZ_2M >> PAGE_SHIFT)

/* Pages of which the CPU's caches are told at once */
#define WC_PAGES	(SZ_2M >> PAGE_SHIFT)

/* struct sysmem_tt - pages of a buffer */
struct sysmem_tt {
	struct ttm_tt base;
	/* the control group that pays for the pages */
	struct mem_cgroup *memcg;
	/* made because others wanted the buffer's HBM */
	bool evicted;
	/* among xetile_device.sysmem.mapped while the card may access them */
	struct list_head mapped;
};

static struct sysmem_tt *to_sysmem_tt(struct ttm_tt *tt)
{
	return container_of(tt, struct sysmem_tt, base);
}

/* Pages of system memory for all buffers of a card */
static u64 limit_pages(void)
{
	return ttm_tt_pages_limit() / 8 * 7;
}

static int sysmem_alloc(struct ttm_resource_manager *man, struct ttm_buffer_object *bo,
			const struct ttm_place *place, struct ttm_resource **out)
{
	struct ttm_resource *res = kzalloc_obj(*res, GFP_KERNEL_ACCOUNT);

	if (!res)
		return -ENOMEM;
	ttm_resource_init(bo, place, res);
	/* A buffer that only passes through on its way to or from HBM always may. */
	if (!(place->flags & TTM_PL_FLAG_TEMPORARY) &&
	    ttm_resource_manager_usage(man) > man->size << PAGE_SHIFT) {
		ttm_resource_fini(man, res);
		kfree(res);
		return -ENOSPC;
	}
	*out = res;
	return 0;
}

static void sysmem_free(struct ttm_resource_manager *man, struct ttm_resource *res)
{
	struct xetile_device *xt = ttm_to_xetile_device(man->bdev);

	ttm_resource_fini(man, res);
	kfree(res);
	atomic_inc(&xt->room.freed);
	wake_up_all(&xt->room.changed);
}

static const struct ttm_resource_manager_func sysmem_manager_func = {
	.alloc = sysmem_alloc,
	.free = sysmem_free,
};

static void sysmem_fini(struct drm_device *drm, void *arg)
{
	struct xetile_device *xt = to_xetile_device(drm);
	struct ttm_resource_manager *man = arg;

	ttm_resource_manager_evict_all(&xt->ttm, man);
	ttm_resource_manager_set_used(man, false);
	ttm_resource_manager_cleanup(man);
	ttm_set_driver_manager(&xt->ttm, XETILE_PL_SYSTEM, NULL);
}

/**
 * xetile_sysmem_capacity() - bytes of system memory buffers can have at most
 * @xt: card
 *
 * Return: bytes.
 */
u64 xetile_sysmem_capacity(struct xetile_device *xt)
{
	return ttm_manager_type(&xt->ttm, XETILE_PL_SYSTEM)->size << PAGE_SHIFT;
}

/**
 * xetile_sysmem_take() - move a buffer to system memory
 * @bo: buffer with its reservation held, idle
 *
 * Sleeps until the copy engine has copied it.
 *
 * Context: process, with the BO's reservation.
 * Return: 0, -ERESTARTSYS, -ENOMEM, or an error of the copy engine.
 */
int xetile_sysmem_take(struct ttm_buffer_object *bo)
{
	struct ttm_operation_ctx ctx = { .interruptible = true, .gfp_retry_mayfail = true };
	struct ttm_placement system = { .num_placement = 1, .placement = &xetile_sysmem_place };

	dma_resv_assert_held(bo->base.resv);
	return ttm_bo_validate(bo, &system, &ctx);
}

/**
 * xetile_sysmem_drop() - drop the content of a buffer, and give its memory back
 * @bo: purgeable buffer in HBM with its reservation held, idle
 *
 * Context: process, with the BO's reservation.
 * Return: 0, -ERESTARTSYS or -ENOMEM.
 */
int xetile_sysmem_drop(struct ttm_buffer_object *bo)
{
	struct ttm_operation_ctx ctx = { .interruptible = true, .gfp_retry_mayfail = true };
	struct ttm_placement nowhere = { .num_placement = 1, .placement = &xetile_nowhere_place };
	int err;

	dma_resv_assert_held(bo->base.resv);
	err = ttm_bo_validate(bo, &nowhere, &ctx);
	if (!err)
		xetile_sysmem_tt_forget(bo);
	return err;
}

/**
 * xetile_sysmem_has_room() - may a buffer go to system memory now
 * @xt: card
 * @size: bytes
 *
 * Takes TTM's spinlock.
 *
 * Return: true if it probably fits.
 */
bool xetile_sysmem_has_room(struct xetile_device *xt, u64 size)
{
	struct ttm_resource_manager *man = ttm_manager_type(&xt->ttm, XETILE_PL_SYSTEM);

	return ttm_resource_manager_usage(man) + size <= xetile_sysmem_capacity(xt);
}

/**
 * xetile_sysmem_tt_create() - make the object that holds a buffer's pages
 * @bo: the buffer, with its reservation held
 * @memcg: the control group that pays for the pages; NULL: that of the caller
 * @evicted: it gets pages even if its group cannot pay, because others want its HBM
 * @wc: the pages are in no CPU's cache
 * @page_flags: TTM's
 *
 * Context: process, with the BO's reservation.
 * Return: the object, without pages so far; NULL without memory.
 */
struct ttm_tt *xetile_sysmem_tt_create(struct ttm_buffer_object *bo, struct mem_cgroup *memcg,
				       bool evicted, bool wc, u32 page_flags)
{
	struct sysmem_tt *tt = kzalloc_obj(*tt, GFP_KERNEL_ACCOUNT);

	dma_resv_assert_held(bo->base.resv);
	if (!tt)
		return NULL;
	if (ttm_sg_tt_init(&tt->base, bo, page_flags, wc ? ttm_write_combined : ttm_cached)) {
		kfree(tt);
		return NULL;
	}
	/* The caller has a reference, so mem_cgroup_tryget() cannot fail. */
	tt->memcg = memcg && mem_cgroup_tryget(memcg) ? memcg : NULL;
	tt->evicted = evicted;
	INIT_LIST_HEAD(&tt->mapped);
	return &tt->base;
}

/**
 * xetile_sysmem_tt_destroy() - free the object that holds a buffer's pages
 * @bdev: TTM's part of the card
 * @base: of xetile_sysmem_tt_create(), without pages
 */
void xetile_sysmem_tt_destroy(struct ttm_device *bdev, struct ttm_tt *base)
{
	struct sysmem_tt *tt = to_sysmem_tt(base);

	ttm_tt_fini(base);
	mem_cgroup_put(tt->memcg);
	kfree(tt);
}

/**
 * xetile_sysmem_tt_forget() - have the next one made who wants pages for a buffer
 * @bo: buffer without pages, with its reservation held
 *
 * Whether the pages are cleared, and who pays for them, is said when the object is made.
 *
 * Context: process, with the BO's reservation.
 */
void xetile_sysmem_tt_forget(struct ttm_buffer_object *bo)
{
	dma_resv_assert_held(bo->base.resv);
	if (!bo->ttm || WARN_ON_ONCE(ttm_tt_is_populated(bo->ttm)))
		return;
	xetile_sysmem_tt_destroy(bo->bdev, bo->ttm);
	bo->ttm = NULL;
}

/* Unmap the first @num pages */
static void unmap_pages_of(struct ttm_device *bdev, struct ttm_tt *tt, unsigned int num)
{
	unsigned int i, order;

	for (i = 0; i < num; i += 1u << order) {
		order = page_private(tt->pages[i]);
		dma_unmap_page(bdev->pool.dev, tt->dma_address[i], PAGE_SIZE << order,
			       DMA_BIDIRECTIONAL);
	}
}

/* Free the first @num pages, which the card cannot access any more */
static void free_pages_of(struct ttm_tt *tt, unsigned int num)
{
	unsigned int i, order;

	for (i = 0; i < num; i += 1u << order) {
		struct page *page = tt->pages[i];

		order = page_private(page);
		set_page_private(page, 0);
		__free_pages(page, order);
	}
}

/* Allocate and map 2^@order pages, from page @at on */
static int alloc_piece(struct ttm_device *bdev, struct ttm_tt *tt, unsigned int at,
		       unsigned int order, gfp_t gfp)
{
	struct page *page = alloc_pages_node(bdev->pool.nid, gfp, order);
	unsigned int i;
	dma_addr_t dma;

	if (!page)
		return -ENOMEM;
	dma = dma_map_page(bdev->pool.dev, page, 0, PAGE_SIZE << order, DMA_BIDIRECTIONAL);
	if (dma_mapping_error(bdev->pool.dev, dma)) {
		__free_pages(page, order);
		return -ENOMEM;
	}
	set_page_private(page, order);
	for (i = 0; i < 1u << order; i++) {
		tt->pages[at + i] = page + i;
		tt->dma_address[at + i] = dma + i * PAGE_SIZE;
	}
	return 0;
}

/*
 * Take big pieces, as long as they are easily had, because the card then has few to look up. There
 * may be very many pages: a task that is killed need not wait for all of them, nor need the removal
 * of the card. A task that is not killed comes again on -EINTR, and finds the card gone.
 */
static int alloc_all(struct ttm_device *bdev, struct ttm_tt *tt, gfp_t gfp)
{
	struct xetile_device *xt = ttm_to_xetile_device(bdev);
	const gfp_t easy = (gfp & ~(__GFP_DIRECT_RECLAIM | __GFP_RETRY_MAYFAIL)) |
			   __GFP_NOMEMALLOC | __GFP_NOWARN;
	unsigned int order = MAX_PIECE, at = 0;
	int err;

	while (at < tt->num_pages) {
		order = min_t(unsigned int, order, ilog2(tt->num_pages - at));
		if (fatal_signal_pending(current) || xetile_device_is_unplugged(xt))
			err = -EINTR;
		else
			err = alloc_piece(bdev, tt, at, order, order ? easy : gfp);
		if (!err) {
			at += 1u << order;
		} else if (order && err != -EINTR) {
			order--;
		} else {
			unmap_pages_of(bdev, tt, at);
			free_pages_of(tt, at);
			return err;
		}
	}
	return 0;
}

/* Undo make_wc() of the first @num pages, before others may have them */
static void unmake_wc(struct ttm_tt *tt, unsigned int num)
{
	unsigned int at, n;

	if (tt->caching != ttm_write_combined)
		return;
	for (at = 0; at < num; at += n) {
		n = min(num - at, WC_PAGES);
		set_pages_array_wb(tt->pages + at, n);
		cond_resched();
	}
}

/*
 * Have the CPUs write what they have in their caches of pages, and nothing more: also the kernel's
 * own mappings change, because a page that is mapped in two ways may be read as it was.
 */
static int make_wc(struct ttm_device *bdev, struct ttm_tt *tt)
{
	unsigned int at, n;
	int err = 0;

	if (tt->caching != ttm_write_combined)
		return 0;
	for (at = 0; at < tt->num_pages && !err; at += n) {
		n = min(tt->num_pages - at, WC_PAGES);
		err = fatal_signal_pending(current) ? -EINTR :
						      set_pages_array_wc(tt->pages + at, n);
		cond_resched();
	}
	if (err) {
		/* Those that failed too: some of them may have changed. */
		unmake_wc(tt, at);
		unmap_pages_of(bdev, tt, tt->num_pages);
		free_pages_of(tt, tt->num_pages);
	}
	return err;
}

/*
 * Charge the group that made the buffer. A buffer that is evicted because others want its HBM
 * gets pages in any case: otherwise it would keep the HBM when its group cannot pay.
 */
static int alloc_charged(struct ttm_device *bdev, struct ttm_tt *tt, gfp_t gfp)
{
	struct mem_cgroup *old = set_active_memcg(to_sysmem_tt(tt)->memcg);
	int err = alloc_all(bdev, tt, gfp | __GFP_ACCOUNT);

	set_active_memcg(old);
	if (err && to_sysmem_tt(tt)->evicted)
		err = alloc_all(bdev, tt, gfp);
	return err;
}

/**
 * xetile_sysmem_populate() - allocate pages for a buffer
 * @bdev: TTM's part of the card
 * @tt: of xetile_sysmem_tt_create(), without pages
 * @ctx: of the call that wants them
 *
 * TTM's own allocator is not used, because it charges nobody.
 *
 * Context: process; takes &xetile_device.sysmem.lock.
 * Return: 0, -ENOMEM, or -EINTR: the caller is killed, or the card is being removed.
 */
int xetile_sysmem_populate(struct ttm_device *bdev, struct ttm_tt *tt,
			   struct ttm_operation_ctx *ctx)
{
	struct xetile_device *xt = ttm_to_xetile_device(bdev);
	gfp_t gfp = GFP_HIGHUSER;
	int err;

	if (tt->page_flags & TTM_TT_FLAG_ZERO_ALLOC)
		gfp |= __GFP_ZERO;
	if (ctx->gfp_retry_mayfail)
		gfp |= __GFP_RETRY_MAYFAIL;
	err = alloc_charged(bdev, tt, gfp) ?: make_wc(bdev, tt);
	if (err)
		return err;
	atomic_long_add(tt->num_pages, &xt->sysmem.pages);
	mutex_lock(&xt->sysmem.lock);
	list_add(&to_sysmem_tt(tt)->mapped, &xt->sysmem.mapped);
	mutex_unlock(&xt->sysmem.lock);
	return 0;
}

/**
 * xetile_sysmem_unpopulate() - give a buffer's pages back
 * @bdev: TTM's part of the card
 * @tt: of xetile_sysmem_populate()
 *
 * Context: process; takes &xetile_device.sysmem.lock.
 */
void xetile_sysmem_unpopulate(struct ttm_device *bdev, struct ttm_tt *tt)
{
	struct xetile_device *xt = ttm_to_xetile_device(bdev);
	struct sysmem_tt *pages = to_sysmem_tt(tt);

	mutex_lock(&xt->sysmem.lock);
	if (!list_empty(&pages->mapped)) {
		list_del_init(&pages->mapped);
		unmap_pages_of(bdev, tt, tt->num_pages);
	}
	mutex_unlock(&xt->sysmem.lock);
	unmake_wc(tt, tt->num_pages);
	free_pages_of(tt, tt->num_pages);
	atomic_long_sub(tt->num_pages, &xt->sysmem.pages);
}

/**
 * xetile_sysmem_unmap_all() - unmap all pages of a card that is removed
 * @xt: card, which nobody uses any more
 *
 * Buffers of files that stay open keep their pages until the files are closed. TTM's own helper
 * would free the pages without the reservations of the buffers, which may be freed at the same
 * time. Nothing is swapped out any more on return.
 *
 * Context: process; takes &xetile_device.sysmem.shrinking and &xetile_device.sysmem.lock.
 */
void xetile_sysmem_unmap_all(struct xetile_device *xt)
{
	struct sysmem_tt *pages, *next;

	mutex_lock(&xt->sysmem.shrinking);
	xt->sysmem.gone = true;
	mutex_unlock(&xt->sysmem.shrinking);

	mutex_lock(&xt->sysmem.lock);
	list_for_each_entry_safe(pages, next, &xt->sysmem.mapped, mapped) {
		list_del_init(&pages->mapped);
		unmap_pages_of(&xt->ttm, &pages->base, pages->base.num_pages);
	}
	mutex_unlock(&xt->sysmem.lock);
}

/**
 * xetile_sysmem_pages() - pages of system memory that buffers have
 * @xt: card
 *
 * Return: that number.
 */
u64 xetile_sysmem_pages(struct xetile_device *xt)
{
	return atomic_long_read(&xt->sysmem.pages);
}

/**
 * xetile_sysmem_swapped() - pages that were given back because the kernel ran short
 * @xt: card
 *
 * Return: how many since the card was found.
 */
u64 xetile_sysmem_swapped(struct xetile_device *xt)
{
	return atomic_long_read(&xt->sysmem.swapped);
}

static bool can_swap(const struct shrink_control *sc)
{
	/* The files' pages come from a file system. */
	return (sc->gfp_mask & __GFP_FS) && get_nr_swap_pages() > 0;
}

static unsigned long shrinker_count(struct shrinker *shrinker, struct shrink_control *sc)
{
	struct xetile_device *xt = shrinker->private_data;
	unsigned long pages = 0;

	/* The kernel asks many times in a row, and each scan goes through all buffers. */
	if (can_swap(sc) && !time_before64(get_jiffies_64(), READ_ONCE(xt->sysmem.barren_until)))
		pages = xetile_sysmem_pages(xt);
	return pages ?: SHRINK_EMPTY;
}

/**
 * xetile_sysmem_may_swap() - may the current task swap a buffer out
 * @bo: buffer with its reservation held
 *
 * TTM copies all of a buffer before it frees the first page. The shrinker must not take
 * the last pages of the kernel's reserves for that.
 *
 * Context: process, with the BO's reservation.
 * Return: whether it may.
 */
bool xetile_sysmem_may_swap(struct ttm_buffer_object *bo)
{
	struct xetile_device *xt = ttm_to_xetile_device(bo->bdev);

	dma_resv_assert_held(bo->base.resv);
	return READ_ONCE(xt->sysmem.shrinks) != current || bo->deleted ||
	       bo->base.size >> PAGE_SHIFT <= nr_free_pages() / SWAP_SHARE;
}

/* Charge @memcg, if there is one, for all that the current task allocates from here on. */
static void charge_to(struct xetile_device *xt, struct mem_cgroup *memcg)
{
	struct mem_cgroup *last = xt->sysmem.payer;

	xt->sysmem.payer = memcg && mem_cgroup_tryget(memcg) ? memcg : NULL;
	set_active_memcg(xt->sysmem.payer);
	mem_cgroup_put(last);
}

/**
 * xetile_sysmem_swap_notify() - TTM is about to copy a buffer's pages
 * @bo: buffer with its reservation held
 *
 * The control group that pays for the pages pays for the copy, because the task that shrinks
 * may be anybody's.
 *
 * Context: process, with the BO's reservation.
 */
void xetile_sysmem_swap_notify(struct ttm_buffer_object *bo)
{
	struct xetile_device *xt = ttm_to_xetile_device(bo->bdev);

	dma_resv_assert_held(bo->base.resv);
	if (READ_ONCE(xt->sysmem.shrinks) == current)
		charge_to(xt, to_sysmem_tt(bo->ttm)->memcg);
}

static unsigned long shrink(struct xetile_device *xt, unsigned long pages)
{
	/* Without direct reclaim, which would call all shrinkers again */
	const gfp_t gfp = GFP_HIGHUSER_MOVABLE & ~__GFP_DIRECT_RECLAIM;
	struct mem_cgroup *old = set_active_memcg(NULL);
	struct ttm_operation_ctx ctx = { .no_wait_gpu = true };
	unsigned long freed = 0;
	int n;

	while (freed < pages) {
		n = ttm_device_swapout(&xt->ttm, &ctx, gfp);
		if (n <= 0)
			break;
		freed += n;
	}
	charge_to(xt, NULL);
	set_active_memcg(old);
	atomic_long_add(freed, &xt->sysmem.swapped);
	return freed;
}

static unsigned long shrinker_scan(struct shrinker *shrinker, struct shrink_control *sc)
{
	struct xetile_device *xt = shrinker->private_data;
	unsigned long freed;

	/* One at a time, and not within itself: an allocation of the shrinker may end up here. */
	if (!can_swap(sc) || !mutex_trylock(&xt->sysmem.shrinking))
		return SHRINK_STOP;
	WRITE_ONCE(xt->sysmem.shrinks, current);
	freed = xt->sysmem.gone ? 0 : shrink(xt, sc->nr_to_scan);
	if (!freed)
		WRITE_ONCE(xt->sysmem.barren_until,
			   get_jiffies_64() + msecs_to_jiffies(BARREN_MS));
	WRITE_ONCE(xt->sysmem.shrinks, NULL);
	mutex_unlock(&xt->sysmem.shrinking);
	return freed ?: SHRINK_STOP;
}

static void shrinker_fini(struct drm_device *drm, void *shrinker)
{
	shrinker_free(shrinker);
}

static int shrinker_init(struct xetile_device *xt)
{
	struct shrinker *shrinker;
	int err;

	INIT_LIST_HEAD(&xt->sysmem.mapped);
	err = drmm_mutex_init(&xt->drm, &xt->sysmem.lock) ?:
	      drmm_mutex_init(&xt->drm, &xt->sysmem.shrinking);
	if (err)
		return err;
	shrinker = shrinker_alloc(0, "drm-xetile:%s", dev_name(xt->drm.dev));
	if (!shrinker)
		return -ENOMEM;
	shrinker->count_objects = shrinker_count;
	shrinker->scan_objects = shrinker_scan;
	shrinker->private_data = xt;
	shrinker_register(shrinker);
	return drmm_add_action_or_reset(&xt->drm, shrinker_fini, shrinker);
}

/**
 * xetile_sysmem_init() - bring up the manager of system memory
 * @xt: card whose TTM device is initialised
 *
 * Return: 0 or -ENOMEM.
 */
int xetile_sysmem_init(struct xetile_device *xt)
{
	struct ttm_resource_manager *man;
	int err;

	man = drmm_kzalloc(&xt->drm, sizeof(*man), GFP_KERNEL);
	if (!man)
		return -ENOMEM;
	man->use_tt = true;
	man->func = &sysmem_manager_func;
	ttm_resource_manager_init(man, &xt->ttm, limit_pages());
	ttm_set_driver_manager(&xt->ttm, XETILE_PL_SYSTEM, man);
	ttm_resource_manager_set_used(man, true);
	err = drmm_add_action_or_reset(&xt->drm, sysmem_fini, man);
	return err ?: shrinker_init(xt);
}
