// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_vm_update.h"

#include <linux/dma-fence.h>
#include <linux/dma-resv.h>
#include <linux/err.h>
#include <linux/slab.h>

#include <drm/drm_drv.h>

#include "card/xetile_gate.h"
#include "mem/xetile_account.h"
#include "mem/xetile_fence.h"
#include "mem/xetile_pt_update.h"
#include "mem/xetile_vm_order.h"
#include "mem/xetile_vm_update_types.h"
#include "xetile_device.h"

/**
 * DOC: changes of page tables in time
 *
 * A change is made at once when nothing stands in its way. Otherwise a worker makes it when all
 * that it waits for has signalled. A change that waits has a fence.
 *
 * *Order.* See xetile_vm_order.c.
 *
 * *Jobs.* Jobs that are submitted later wait for the changes of the VM's own line: they never see
 * the BOs that these changes displace. They do not wait for the changes of a bind queue, so a job
 * may use BOs that were mapped before, BOs that will be mapped, and in between some of both. So a
 * change of a bind queue holds the BOs that it displaces and those that it maps, as a job does: see
 * xetile_vm_hold.c. For that the BOs must be where the tables say they are: a change is made one of
 * the VM's own line if one of them was evicted. Mapping a BO anew that came back from an eviction
 * is a change of the VM's own line, too: all changes that wait at the BO's addresses are older, and
 * the job that has the BO mapped anew, and all jobs after it, wait for both.
 *
 * *Translations.* An engine may use the translations in its TLB until the TLB is flushed. A counter
 * grows when a change was made after which old translations must not be used: after the change's
 * entries were written, before its fence signals. A job that is written into its context's ring
 * reads the counter, and flushes if it differs from the one that the context's last flush saw. The
 * flush runs later than that read, so it ends all translations that were stale at the read, and a
 * job that waited for a change is written into the ring after the counter has grown. A job that was
 * in the ring before may use the older mappings until it ends: its fence is in the reservations of
 * all their BOs.
 *
 * *Tables.* Jobs that were in a ring when a change was made may still walk a table that the change
 * took out of use, and it keeps its entries. The table is freed when all jobs are done whose
 * fences are in the VM's reservation at some time after that: jobs that are submitted later than
 * that flush first.
 *
 * The fence of a change may be in a reservation, and jobs wait for it. So the worker is in the path
 * that signals fences: it allocates nothing, and takes no lock but the spinlock.
 */

static void update_free(struct xetile_vm_update *upd)
{
	unsigned int i;

	for (i = 0; i < upd->num_deps; i++)
		dma_fence_put(upd->deps[i].fence);
	kvfree(upd->deps);
	xetile_account_give_deps(upd->ups->account, upd->charged);
	if (upd->counted)
		xetile_account_give_job(upd->ups->account);
	kfree(upd);
}

/**
 * xetile_vm_update_create_uncounted() - begin a change that the driver makes at once
 * @ups: changes of the address space
 *
 * For a run of endless jobs, which others end and the driver begins anew: it must not fail because
 * the file has as many jobs as it may.
 *
 * Context: process.
 * Return: the change, to be applied or cancelled; or ERR_PTR(-ENOMEM).
 */
struct xetile_vm_update *xetile_vm_update_create_uncounted(struct xetile_vm_updates *ups)
{
	struct xetile_vm_update *upd;

	upd = kzalloc_obj(*upd, GFP_KERNEL_ACCOUNT);
	if (!upd)
		return ERR_PTR(-ENOMEM);
	upd->ups = ups;
	INIT_LIST_HEAD(&upd->ready);
	xetile_pt_update_init(&upd->pt);
	upd->pt.account = ups->account;
	return upd;
}

/**
 * xetile_vm_update_create() - begin a change
 * @ups: changes of the address space
 *
 * Context: process.
 * Return: the change, to be applied or cancelled; or ERR_PTR(-ENOMEM); or ERR_PTR(-EDQUOT):
 * the file has as many jobs and changes that are not done as it may.
 */
struct xetile_vm_update *xetile_vm_update_create(struct xetile_vm_updates *ups)
{
	struct xetile_vm_update *upd = xetile_vm_update_create_uncounted(ups);
	int err;

	if (IS_ERR(upd))
		return upd;
	/* Whether it will wait is known only when all of it is staged. */
	err = xetile_account_take_job(ups->account);
	if (err) {
		kfree(upd);
		return ERR_PTR(err);
	}
	upd->counted = true;
	return upd;
}

/**
 * xetile_vm_update_pt() - the part of a change that page table entries are staged in
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
 * Jobs that see the change must not use older translations.
 */
void xetile_vm_update_stale(struct xetile_vm_update *upd)
{
	upd->stale = true;
}

static bool update_is_stale(const struct xetile_vm_update *upd)
{
	return upd->stale || xetile_pt_retires(&upd->pt);
}

/**
 * xetile_vm_update_is_stale() - must jobs that see a change not use older translations
 * @upd: change; all of it is staged
 *
 * Context: process, with the VM's reservation.
 * Return: true if so.
 */
bool xetile_vm_update_is_stale(const struct xetile_vm_update *upd)
{
	dma_resv_assert_held(upd->ups->resv);
	return update_is_stale(upd);
}

/**
 * xetile_vm_update_cancel() - a change failed
 * @upd: change; all that was staged for it is reverted
 *
 * Needs the reservation under which it was staged, if anything was.
 *
 * Context: process, with the VM's reservation if anything was staged.
 */
void xetile_vm_update_cancel(struct xetile_vm_update *upd)
{
	if (upd->pt.start != upd->pt.end)
		dma_resv_assert_held(upd->ups->resv);
	xetile_pt_revert(&upd->pt);
	xetile_fence_free(upd->fence);
	update_free(upd);
}

static void update_commit(struct xetile_vm_update *upd, bool ended, struct list_head *retired)
{
	bool stale = update_is_stale(upd);
	struct xetile_vm_updates *ups = upd->ups;
	int idx;

	/* Without the card there are no tables to write, and BAR2 is unmapped. */
	if (!ended && drm_dev_enter(&ups->xt->drm, &idx)) {
		xetile_pt_commit(&upd->pt, retired);
		drm_dev_exit(idx);
	} else {
		xetile_pt_discard(&upd->pt, retired);
	}
	/* Not before the commit: a job that sees the new number flushes for written entries. */
	if (stale)
		atomic64_inc_return_release(&ups->tlb_seq);
}

/* A change waits for one fence less. Returns whether it was the last one. */
static bool update_unblock(struct xetile_vm_update *upd)
{
	struct xetile_vm_updates *ups = upd->ups;
	unsigned long flags;
	bool ready;

	spin_lock_irqsave(&ups->lock, flags);
	ready = !--upd->blockers;
	if (ready)
		list_add_tail(&upd->ready, &ups->ready);
	/* From here on the worker may free the change. */
	spin_unlock_irqrestore(&ups->lock, flags);
	return ready;
}

/* End the waits of a change that nobody will see. The list keeps a reference all the while. */
static void update_disarm(struct xetile_vm_update *upd)
{
	unsigned int i;

	for (i = 0; i < upd->num_deps; i++) {
		/* Otherwise the callback has run, is running, or was never added. */
		if (!dma_fence_remove_callback(upd->deps[i].fence, &upd->deps[i].cb))
			continue;
		upd->ups->put(upd->ups);
		/* Only the worker frees changes, so the change is still there. */
		update_unblock(upd);
	}
}

/* Make a change that waits for nothing any more. Returns whether no other one waits. */
static bool update_finish(struct xetile_vm_update *upd)
{
	struct xetile_vm_updates *ups = upd->ups;
	struct dma_fence *fence = upd->fence;
	int ended = READ_ONCE(ups->ended);
	void *hold = upd->hold;
	LIST_HEAD(retired);
	bool last;

	if (ended)
		dma_fence_set_error(fence, ended);
	update_commit(upd, ended, &retired);

	/* The change leaves the list after its commit, because calls go ahead when none waits. */
	spin_lock_irq(&ups->lock);
	list_del(&upd->link);
	list_splice_tail_init(&retired, &ups->retired);
	last = !--ups->num_pending;
	ups->num_deps -= upd->num_deps;
	spin_unlock_irq(&ups->lock);

	/* First give the account back: a file that sees the fence signalled may add a change. */
	update_free(upd);
	dma_fence_signal(fence);
	dma_fence_put(fence);
	if (hold)
		ups->made(ups, hold);
	return last;
}

/* The next change that waits for nothing: in the order of the calls if all are ended. */
static struct xetile_vm_update *updates_next(struct xetile_vm_updates *ups)
{
	struct xetile_vm_update *upd, *oldest;

	spin_lock_irq(&ups->lock);
	upd = list_first_entry_or_null(&ups->ready, struct xetile_vm_update, ready);
	oldest = list_first_entry_or_null(&ups->pending, struct xetile_vm_update, link);
	spin_unlock_irq(&ups->lock);
	if (!upd && oldest && READ_ONCE(ups->ended))
		update_disarm(oldest);

	spin_lock_irq(&ups->lock);
	upd = list_first_entry_or_null(&ups->ready, struct xetile_vm_update, ready);
	if (upd)
		list_del_init(&upd->ready);
	spin_unlock_irq(&ups->lock);
	return upd;
}

static void updates_work(struct work_struct *work)
{
	struct xetile_vm_updates *ups = container_of(work, struct xetile_vm_updates, work.work);
	struct xetile_gate *gate = &ups->xt->gate;
	bool cookie = dma_fence_begin_signalling();
	struct xetile_vm_update *upd;
	bool last = false;

	if (xetile_gate_enter(gate, &ups->work)) {
		/* The last fence of any other change queues the work again. */
		while (!last && (upd = updates_next(ups))) {
			last = update_finish(upd);
			cond_resched();
		}
		xetile_gate_leave(gate);
	}
	dma_fence_end_signalling(cookie);
	if (last)
		ups->put(ups);
}

static void dep_signalled(struct dma_fence *fence, struct dma_fence_cb *cb)
{
	struct xetile_vm_update *upd = container_of(cb, struct xetile_vm_dep, cb)->upd;
	struct xetile_vm_updates *ups = upd->ups;

	/* From here on the worker may free the change; the reference keeps @ups. */
	if (update_unblock(upd))
		xetile_gated_queue(&ups->work);
	ups->put(ups);
}

static bool is_ready(struct xetile_vm_update *upd)
{
	unsigned int i;

	for (i = 0; i < upd->num_deps; i++)
		if (!dma_fence_is_signaled(upd->deps[i].fence))
			return false;
	return true;
}

static void update_arm(struct xetile_vm_update *upd)
{
	struct xetile_vm_updates *ups = upd->ups;
	unsigned int i;

	for (i = 0; i < upd->num_deps; i++) {
		struct xetile_vm_dep *dep = &upd->deps[i];

		ups->get(ups);
		spin_lock_irq(&ups->lock);
		upd->blockers++;
		spin_unlock_irq(&ups->lock);
		/* The count began at one, which keeps the change from being made here. */
		if (dma_fence_add_callback(dep->fence, &dep->cb, dep_signalled)) {
			update_unblock(upd);
			ups->put(ups);
		}
	}
	if (update_unblock(upd))
		xetile_gated_queue(&ups->work);
}

static void update_make(struct xetile_vm_update *upd)
{
	struct xetile_vm_updates *ups = upd->ups;
	LIST_HEAD(retired);

	dma_resv_assert_held(ups->resv);
	update_commit(upd, false, &retired);
	spin_lock_irq(&ups->lock);
	list_splice_tail_init(&retired, &ups->retired);
	spin_unlock_irq(&ups->lock);
	xetile_fence_free(upd->fence);
	update_free(upd);
}

/* inline, because each bind pays for it */
static inline void line_append(struct xetile_vm_line *line, struct dma_fence *fence)
{
	dma_fence_put(line->last);
	line->last = dma_fence_get(fence);
}

/**
 * xetile_vm_update_apply() - make a change, now or when it need not wait any more
 * @upd: change that was ordered, sealed here; it is done with
 * @hold: hold of the change if it has to wait; given to xetile_vm_updates.made() when it is made;
 *	or NULL
 *
 * Cannot fail.
 *
 * Context: process, with the VM's reservation; takes &xetile_vm_updates.lock.
 * Return: NULL when the tables are written already, and @hold is the caller's; else a
 * fence, to be put, that signals when they are.
 */
struct dma_fence *xetile_vm_update_apply(struct xetile_vm_update *upd, void *hold)
{
	struct xetile_vm_updates *ups = upd->ups;
	struct dma_fence *fence;
	bool cookie;

	dma_resv_assert_held(ups->resv);
	xetile_pt_seal(&upd->pt);
	if (is_ready(upd)) {
		update_make(upd);
		return NULL;
	}

	cookie = dma_fence_begin_signalling();
	xetile_fence_arm_bind(upd->fence, upd->line->context, ++upd->line->seqno);
	/* One reference is the list's, the other one is the caller's. */
	fence = dma_fence_get(upd->fence);
	line_append(upd->line, fence);
	if (upd->other)
		line_append(upd->other, fence);

	upd->hold = hold;
	upd->blockers = 1;
	spin_lock_irq(&ups->lock);
	if (!ups->num_pending++)
		ups->get(ups);
	ups->num_deps += upd->num_deps;
	list_add_tail(&upd->link, &ups->pending);
	spin_unlock_irq(&ups->lock);
	update_arm(upd);
	/* The card may have gone meanwhile, and the worker have looked too early. */
	if (READ_ONCE(ups->ended))
		xetile_gated_queue(&ups->work);
	dma_fence_end_signalling(cookie);
	return fence;
}

/**
 * xetile_vm_update_try() - make a change now if no other one stands in its way
 * @upd: change that was not ordered; it is done with
 *
 * For changes that may be left out.
 *
 * Context: process, with the VM's reservation.
 */
void xetile_vm_update_try(struct xetile_vm_update *upd)
{
	dma_resv_assert_held(upd->ups->resv);
	if (xetile_vm_update_overlaps(upd)) {
		xetile_vm_update_cancel(upd);
		return;
	}
	xetile_pt_seal(&upd->pt);
	update_make(upd);
}

/**
 * xetile_vm_line_init() - begin a line of changes
 * @line: line
 */
void xetile_vm_line_init(struct xetile_vm_line *line)
{
	line->context = dma_fence_context_alloc(1);
	line->seqno = 0;
	line->last = NULL;
}

/**
 * xetile_vm_line_fini() - nothing is added to a line any more
 * @line: line; changes that wait in it go on
 */
void xetile_vm_line_fini(struct xetile_vm_line *line)
{
	dma_fence_put(line->last);
}

/**
 * xetile_vm_updates_init() - prepare the changes of an address space
 * @ups: changes of an address space; get, put and made are set by the caller
 * @xt: card
 * @resv: reservation of the address space
 */
void xetile_vm_updates_init(struct xetile_vm_updates *ups, struct xetile_device *xt,
			    struct dma_resv *resv)
{
	ups->xt = xt;
	ups->resv = resv;
	xetile_vm_line_init(&ups->own);
	/* Not 0, so that first jobs flush: TLBs may know an older VM with the same number. */
	atomic64_set(&ups->tlb_seq, 1);
	spin_lock_init(&ups->lock);
	INIT_LIST_HEAD(&ups->pending);
	INIT_LIST_HEAD(&ups->ready);
	INIT_LIST_HEAD(&ups->retired);
	INIT_LIST_HEAD(&ups->retiring);
	INIT_WORK(&ups->work.work, updates_work);
	xetile_gated_init(&ups->work, xt->bind_wq);
}

/**
 * xetile_vm_updates_end() - make no more changes
 * @ups: changes of an address space that nothing runs in any more
 * @error: error for the fences of changes that have not been made, negative
 *
 * These changes wait for nothing any more, so that fences of others do not keep the address
 * space alive after its last user. A call that is under way when the card goes may add one
 * more, which ends at once.
 *
 * Context: any.
 */
void xetile_vm_updates_end(struct xetile_vm_updates *ups, int error)
{
	WRITE_ONCE(ups->ended, error);
	xetile_gated_queue(&ups->work);
}

/**
 * xetile_vm_updates_fini() - free the tables that went out of use
 * @ups: changes of an address space in which nothing runs or waits any more
 *
 * Context: process, not on &xetile_device.bind_wq.
 */
void xetile_vm_updates_fini(struct xetile_vm_updates *ups)
{
	/*
	 * The worker may have made a change whose last fence queues the work only now: it
	 * will find nothing, but it must not look into what is freed.
	 */
	xetile_gated_cancel(&ups->xt->gate, &ups->work);
	xetile_pt_free_retired(&ups->retiring);
	xetile_pt_free_retired(&ups->retired);
	dma_fence_put(ups->retiring_fence);
	xetile_vm_line_fini(&ups->own);
}

/**
 * xetile_vm_updates_wait() - whether changes wait
 * @ups: changes of an address space, whose reservation is held
 *
 * Context: process, with the VM's reservation.
 * Return: true if some do, of whatever line.
 */
bool xetile_vm_updates_wait(const struct xetile_vm_updates *ups)
{
	dma_resv_assert_held(ups->resv);
	return READ_ONCE(ups->num_pending);
}

/**
 * xetile_vm_updates_last() - the fence that a job waits for to see all changes of the VM's own
 * line
 * @ups: changes of an address space, whose reservation is held
 *
 * Context: process, with the VM's reservation.
 * Return: a fence, without a reference; NULL when none of them waits.
 */
struct dma_fence *xetile_vm_updates_last(struct xetile_vm_updates *ups)
{
	struct xetile_vm_line *own = &ups->own;

	dma_resv_assert_held(ups->resv);
	if (own->last && dma_fence_is_signaled(own->last)) {
		dma_fence_put(own->last);
		own->last = NULL;
	}
	return own->last;
}

/**
 * xetile_vm_updates_reap() - free tables that nothing walks any more
 * @ups: changes of an address space, whose reservation is held
 *
 * Jobs that ran in the address space when a table went out of use may still walk it. Jobs that
 * are written into a ring later flush their TLB first.
 *
 * Context: process, with the VM's reservation; takes &xetile_vm_updates.lock.
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

	spin_lock_irq(&ups->lock);
	if (!list_empty(&ups->retired))
		list_splice_tail_init(&ups->retired, &ups->retiring);
	spin_unlock_irq(&ups->lock);
	if (list_empty(&ups->retiring))
		return;

	if (dma_resv_get_singleton(ups->resv, DMA_RESV_USAGE_BOOKKEEP, &fence)) {
		/* No memory: next time, then */
		spin_lock_irq(&ups->lock);
		list_splice_init(&ups->retiring, &ups->retired);
		spin_unlock_irq(&ups->lock);
	} else if (fence) {
		ups->retiring_fence = fence;
	} else {
		xetile_pt_free_retired(&ups->retiring);
	}
}
