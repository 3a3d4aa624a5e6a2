// SPDX-License-Identifier: GPL-2.0-only
/*
 * Changes of page tables in time: at once when nothing stands in the way, else
 * by a worker when the fences they wait for have signalled, in their order.
 *
 * A change that waits has a fence, which every later job waits for: the last of
 * them is enough, as they signal in order. It is in no reservation, since what is
 * moved, or mapped by the CPU, need not wait for a bind, nor for what that waits
 * for. So the worker is in the path that signals fences: it allocates nothing, and
 * takes no lock but the spinlock.
 */
#include <drm/drm_drv.h>
#include <linux/dma-fence.h>
#include <linux/dma-resv.h>
#include <linux/slab.h>

#include "xetile_account.h"
#include "xetile_device.h"
#include "xetile_fence.h"
#include "xetile_sync.h"
#include "xetile_vm_update.h"

struct update_dep {
	struct xetile_vm_update *upd;
	struct dma_fence *fence;
	struct dma_fence_cb cb;
};

/* struct xetile_vm_update - one change */
struct xetile_vm_update {
	struct xetile_vm_updates *ups;
	struct list_head link;
	struct xetile_pt_update pt;
	struct dma_fence *fence;
	/* TLBs must not outlive it */
	bool stale;
	/* fences not signalled yet, and one while the change is being queued */
	atomic_t blockers;
	unsigned int num_deps;
	struct update_dep deps[] __counted_by(num_deps);
};

static void update_free(struct xetile_vm_update *upd)
{
	unsigned int i;

	for (i = 0; i < upd->num_deps; i++)
		dma_fence_put(upd->deps[i].fence);
	xetile_account_give_job(upd->ups->account);
	kvfree(upd);
}

/**
 * xetile_vm_update_create() - begin a change
 * @ups: changes of the address space
 * @syncs: what a user gave; the fences to wait for are taken from it
 * @num_syncs: elements of @syncs
 *
 * Return: the change, to be applied or cancelled; or ERR_PTR(-ENOMEM); or ERR_PTR(-EDQUOT):
 * the file has as many jobs and changes that are not done as it may.
 */
struct xetile_vm_update *xetile_vm_update_create(struct xetile_vm_updates *ups,
						 const struct xetile_sync *syncs,
						 unsigned int num_syncs)
{
	struct xetile_vm_update *upd;
	unsigned int num = 0, i;
	int err = -ENOMEM;

	for (i = 0; i < num_syncs; i++)
		num += syncs[i].fence && !dma_fence_is_signaled(syncs[i].fence);

	upd = kvzalloc(struct_size(upd, deps, num), GFP_KERNEL_ACCOUNT);
	if (!upd)
		return ERR_PTR(-ENOMEM);
	/* Whether it will be needed is known only when failing is too late. */
	upd->fence = xetile_fence_alloc();
	if (!upd->fence)
		goto err_free;
	/* Nor is whether it will wait. */
	err = xetile_account_take_job(ups->account);
	if (err)
		goto err_free;
	upd->ups = ups;
	upd->num_deps = num;
	for (i = 0; i < num_syncs && num; i++) {
		/* One that signalled since it was counted leaves a slot empty. */
		if (!syncs[i].fence || dma_fence_is_signaled(syncs[i].fence))
			continue;
		num--;
		upd->deps[num].upd = upd;
		INIT_LIST_HEAD(&upd->deps[num].cb.node);
		upd->deps[num].fence = dma_fence_get(syncs[i].fence);
	}
	xetile_pt_update_init(&upd->pt);
	upd->pt.account = ups->account;
	return upd;

err_free:
	xetile_fence_free(upd->fence);
	kvfree(upd);
	return ERR_PTR(err);
}

/**
 * xetile_vm_update_pt() - what to stage page table entries with
 * @upd: change
 *
 * Return: the page tables' part of it.
 */
struct xetile_pt_update *xetile_vm_update_pt(struct xetile_vm_update *upd)
{
	return &upd->pt;
}

/**
 * xetile_vm_update_stale() - a change replaces or ends mappings
 * @upd: change; one that retires tables need not be told
 *
 * What engines remember of the tables must not be used by jobs that see it.
 */
void xetile_vm_update_stale(struct xetile_vm_update *upd)
{
	upd->stale = true;
}

/**
 * xetile_vm_update_cancel() - a change failed
 * @upd: change; all it staged is reverted
 *
 * Needs the reservation under which it was staged.
 */
void xetile_vm_update_cancel(struct xetile_vm_update *upd)
{
	xetile_pt_revert(&upd->pt);
	xetile_fence_free(upd->fence);
	update_free(upd);
}

static void update_commit(struct xetile_vm_update *upd, struct list_head *retired)
{
	bool stale = upd->stale || xetile_pt_retires(&upd->pt);
	int ended = READ_ONCE(upd->ups->ended);
	int idx;

	if (ended)
		dma_fence_set_error(upd->fence, ended);
	/* Without the card there are no tables to write, and BAR2 is unmapped. */
	if (!ended && drm_dev_enter(&upd->ups->xt->drm, &idx)) {
		xetile_pt_commit(&upd->pt, retired);
		drm_dev_exit(idx);
	} else {
		xetile_pt_discard(&upd->pt, retired);
	}
	/* Now, not before: who sees the new number flushes for what is written already. */
	if (stale)
		atomic64_inc_return_release(&upd->ups->tlb_seq);
}

/* Nobody will see the change: it need not wait. The list keeps a reference all the while. */
static void update_disarm(struct xetile_vm_update *upd)
{
	unsigned int i;

	for (i = 0; i < upd->num_deps; i++) {
		struct update_dep *dep = &upd->deps[i];

		/* Otherwise its callback has been called, or was never there. */
		if (!dep->fence || !dma_fence_remove_callback(dep->fence, &dep->cb))
			continue;
		atomic_dec(&upd->blockers);
		upd->ups->put(upd->ups);
	}
}

/* Make a change that waits for nothing any more. Returns whether it was the last one. */
static bool update_finish(struct xetile_vm_update *upd)
{
	struct xetile_vm_updates *ups = upd->ups;
	struct dma_fence *fence = upd->fence;
	LIST_HEAD(retired);
	bool last;

	update_commit(upd, &retired);

	/* It leaves the list when it is done: what sees no change waiting goes ahead. */
	spin_lock(&ups->lock);
	list_del(&upd->link);
	list_splice_tail_init(&retired, &ups->retired);
	last = list_empty(&ups->pending);
	spin_unlock(&ups->lock);

	/* Who sees the fence signalled has room for another one. */
	update_free(upd);
	dma_fence_signal(fence);
	dma_fence_put(fence);
	return last;
}

static void updates_work(struct work_struct *work)
{
	struct xetile_vm_updates *ups = container_of(work, struct xetile_vm_updates, work);
	bool cookie = dma_fence_begin_signalling();
	struct xetile_vm_update *upd;
	bool last = false;

	while (!last) {
		spin_lock(&ups->lock);
		upd = list_first_entry_or_null(&ups->pending, struct xetile_vm_update, link);
		spin_unlock(&ups->lock);
		if (upd && READ_ONCE(ups->ended))
			update_disarm(upd);
		/* Its last fence queues the work again. */
		if (!upd || atomic_read_acquire(&upd->blockers))
			break;
		last = update_finish(upd);
	}
	dma_fence_end_signalling(cookie);
	if (last)
		ups->put(ups);
}

static void dep_signalled(struct dma_fence *fence, struct dma_fence_cb *cb)
{
	struct xetile_vm_update *upd = container_of(cb, struct update_dep, cb)->upd;
	struct xetile_vm_updates *ups = upd->ups;

	/* From here on the worker may free the change; the reference keeps the rest. */
	if (atomic_dec_and_test(&upd->blockers))
		queue_work(ups->xt->wq, &ups->work);
	ups->put(ups);
}

static bool is_ready(struct xetile_vm_update *upd)
{
	unsigned int i;

	for (i = 0; i < upd->num_deps; i++)
		if (upd->deps[i].fence && !dma_fence_is_signaled(upd->deps[i].fence))
			return false;
	return true;
}

static void update_arm(struct xetile_vm_update *upd)
{
	struct xetile_vm_updates *ups = upd->ups;
	unsigned int i;

	for (i = 0; i < upd->num_deps; i++) {
		struct update_dep *dep = &upd->deps[i];

		if (!dep->fence)
			continue;
		ups->get(ups);
		atomic_inc(&upd->blockers);
		if (dma_fence_add_callback(dep->fence, &dep->cb, dep_signalled)) {
			atomic_dec(&upd->blockers);
			ups->put(ups);
		}
	}
	if (atomic_dec_and_test(&upd->blockers))
		queue_work(ups->xt->wq, &ups->work);
}

/**
 * xetile_vm_update_apply() - a change shall come true
 * @upd: change, sealed here; it is done with
 *
 * Needs the address space's reservation. Cannot fail.
 *
 * Return: NULL when the tables are written already; else a fence, to be put,
 * that signals when they are, and is xetile_vm_updates_last() from now on.
 */
struct dma_fence *xetile_vm_update_apply(struct xetile_vm_update *upd)
{
	struct xetile_vm_updates *ups = upd->ups;
	struct dma_fence *fence;
	LIST_HEAD(retired);
	bool first, cookie;

	dma_resv_assert_held(ups->resv);
	WARN_ON_ONCE(ups->ended);
	xetile_pt_seal(&upd->pt);

	/* Only the holder of the reservation adds to the list. */
	spin_lock(&ups->lock);
	first = list_empty(&ups->pending);
	spin_unlock(&ups->lock);
	if (first && is_ready(upd)) {
		update_commit(upd, &retired);
		spin_lock(&ups->lock);
		list_splice_tail_init(&retired, &ups->retired);
		spin_unlock(&ups->lock);
		xetile_fence_free(upd->fence);
		update_free(upd);
		return NULL;
	}

	cookie = dma_fence_begin_signalling();
	xetile_fence_arm_bind(upd->fence, ups->context, ++ups->seqno);
	/* One reference is the list's, one the caller's. */
	fence = dma_fence_get(upd->fence);
	dma_fence_put(ups->last);
	ups->last = dma_fence_get(fence);

	atomic_set(&upd->blockers, 1);
	spin_lock(&ups->lock);
	if (list_empty(&ups->pending))
		ups->get(ups);
	list_add_tail(&upd->link, &ups->pending);
	spin_unlock(&ups->lock);
	update_arm(upd);
	dma_fence_end_signalling(cookie);
	return fence;
}

/**
 * xetile_vm_updates_init() - begin to keep order
 * @ups: changes of an address space; get and put are set by the caller
 * @xt: card
 * @resv: reservation of the address space
 */
void xetile_vm_updates_init(struct xetile_vm_updates *ups, struct xetile_device *xt,
			    struct dma_resv *resv)
{
	ups->xt = xt;
	ups->resv = resv;
	ups->context = dma_fence_context_alloc(1);
	/* TLBs know nothing of a new VM, but maybe of an old one with its number. */
	atomic64_set(&ups->tlb_seq, 1);
	spin_lock_init(&ups->lock);
	INIT_LIST_HEAD(&ups->pending);
	INIT_LIST_HEAD(&ups->retired);
	INIT_LIST_HEAD(&ups->retiring);
	INIT_WORK(&ups->work, updates_work);
}

/**
 * xetile_vm_updates_end() - make no more changes
 * @ups: changes of an address space that nothing runs in any more
 * @error: what the fences of those say that have not been made, negative
 *
 * They wait for nothing any more, whoever's fences they waited for, so that nothing of
 * the address space outlives its user because of them. Nobody adds a change now or later.
 *
 * Context: any.
 */
void xetile_vm_updates_end(struct xetile_vm_updates *ups, int error)
{
	WRITE_ONCE(ups->ended, error);
	queue_work(ups->xt->wq, &ups->work);
}

/**
 * xetile_vm_updates_fini() - free the tables that went out of use
 * @ups: changes of an address space in which nothing runs or waits any more
 *
 * Context: process, not on the card's workqueue.
 */
void xetile_vm_updates_fini(struct xetile_vm_updates *ups)
{
	/*
	 * The worker may have made a change whose last fence queues the work only now: it
	 * will find nothing, but it must not look into what is freed.
	 */
	cancel_work_sync(&ups->work);
	xetile_pt_free_retired(&ups->retiring);
	xetile_pt_free_retired(&ups->retired);
	dma_fence_put(ups->retiring_fence);
	dma_fence_put(ups->last);
}

/**
 * xetile_vm_updates_last() - what a job waits for to see all changes asked for so far
 * @ups: changes of an address space, whose reservation is held
 *
 * Return: a fence, without a reference; NULL when no change waits.
 */
struct dma_fence *xetile_vm_updates_last(struct xetile_vm_updates *ups)
{
	dma_resv_assert_held(ups->resv);
	if (ups->last && dma_fence_is_signaled(ups->last)) {
		dma_fence_put(ups->last);
		ups->last = NULL;
	}
	return ups->last;
}

/**
 * xetile_vm_updates_reap() - free tables that nothing walks any more
 * @ups: changes of an address space, whose reservation is held
 *
 * A table that went out of use may be walked by whatever ran in the address
 * space at that time. What is started later flushes its TLB first.
 */
void xetile_vm_updates_reap(struct xetile_vm_updates *ups)
{
	struct dma_fence *fence = NULL;

	dma_resv_assert_held(ups->resv);

	if (ups->retiring_fence && !dma_fence_is_signaled(ups->retiring_fence))
		return;
	xetile_pt_free_retired(&ups->retiring);
	dma_fence_put(ups->retiring_fence);
	ups->retiring_fence = NULL;

	spin_lock(&ups->lock);
	if (!list_empty(&ups->retired))
		list_splice_tail_init(&ups->retired, &ups->retiring);
	spin_unlock(&ups->lock);
	if (list_empty(&ups->retiring))
		return;

	if (dma_resv_get_singleton(ups->resv, DMA_RESV_USAGE_BOOKKEEP, &fence)) {
		/* No memory: next time, then */
		spin_lock(&ups->lock);
		list_splice_init(&ups->retiring, &ups->retired);
		spin_unlock(&ups->lock);
	} else if (fence) {
		ups->retiring_fence = fence;
	} else {
		xetile_pt_free_retired(&ups->retiring);
	}
}
