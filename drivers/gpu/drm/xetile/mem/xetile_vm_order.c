// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_vm_order.h"

#include <linux/dma-fence.h>
#include <linux/dma-resv.h>
#include <linux/list.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "mem/xetile_account.h"
#include "mem/xetile_fence.h"
#include "mem/xetile_sync.h"
#include "mem/xetile_vm_update.h"
#include "mem/xetile_vm_update_types.h"

/**
 * DOC: what a change of page tables waits for
 *
 * Changes are staged against the tables as they will be when all earlier changes are made. A change
 * waits
 *
 * - for the fences the user named,
 * - for the earlier changes in its line: that of the VM, or of a bind queue,
 * - for all earlier changes whose range overlaps its own, see &struct xetile_pt_update.
 *
 * All other changes may be made before or after it. A change waits only for fences that were made
 * before its own, so that no circle can come about.
 *
 * A change does not wait until the BOs that it maps are filled, because a job that is submitted
 * later waits for that by itself. If jobs run already the call itself has waited: they could find
 * somebody else's data there, for good if the filling fails.
 *
 * The fences are noted here, under the address space's reservation; xetile_vm_update.c waits for
 * them.
 */

/* Changes of an address space that may wait at the same time */
#define MAX_PENDING	4096
/* Fences that they may wait for, together */
#define MAX_DEPS	65536

static bool overlaps(const struct xetile_vm_update *upd, const struct xetile_vm_update *other)
{
	return upd->pt.start < other->pt.end && other->pt.start < upd->pt.end;
}

/* Changes of its own line need not be named: it waits for the last of them anyway. */
static bool waits_for(const struct xetile_vm_update *upd, const struct xetile_vm_update *other)
{
	return overlaps(upd, other) &&
	       (!upd->line || other->fence->context != upd->line->context);
}

/**
 * xetile_vm_update_overlaps() - count the pending changes that overlap a change
 * @upd: change; all of it is staged
 *
 * Context: process, with the VM's reservation; takes &xetile_vm_updates.lock.
 * Return: their number, without those of the change's own line.
 */
unsigned int xetile_vm_update_overlaps(struct xetile_vm_update *upd)
{
	struct xetile_vm_updates *ups = upd->ups;
	struct xetile_vm_update *other;
	unsigned int n = 0;

	dma_resv_assert_held(ups->resv);
	spin_lock_irq(&ups->lock);
	list_for_each_entry(other, &ups->pending, link)
		n += waits_for(upd, other);
	spin_unlock_irq(&ups->lock);
	return n;
}

/* Is a fence of the same timeline noted already? Then the later one of the two is kept. */
static bool dep_merge(struct xetile_vm_update *upd, struct dma_fence *fence)
{
	unsigned int i;

	for (i = 0; i < upd->num_deps; i++) {
		struct xetile_vm_dep *dep = &upd->deps[i];

		if (dep->fence->context != fence->context)
			continue;
		if (dma_fence_is_later(fence, dep->fence)) {
			dma_fence_put(dep->fence);
			dep->fence = dma_fence_get(fence);
		}
		return true;
	}
	return false;
}

/*
 * One callback for each timeline: otherwise thousands of a call's entries that name the same
 * fence would each have one, all called in the interrupt that signals it.
 */
static void add_dep(struct xetile_vm_update *upd, struct dma_fence *fence)
{
	struct xetile_vm_dep *dep = &upd->deps[upd->num_deps];

	if (!fence || dma_fence_is_signaled(fence) || dep_merge(upd, fence))
		return;
	dep->upd = upd;
	dep->fence = dma_fence_get(fence);
	INIT_LIST_HEAD(&dep->cb.node);
	upd->num_deps++;
}

/* Since the changes were counted some may have been made, but none was added. */
static void add_overlaps(struct xetile_vm_update *upd)
{
	struct xetile_vm_updates *ups = upd->ups;
	struct xetile_vm_update *other;

	dma_resv_assert_held(ups->resv);
	spin_lock_irq(&ups->lock);
	list_for_each_entry(other, &ups->pending, link) {
		if (!waits_for(upd, other))
			continue;
		upd->deps[upd->num_deps].upd = upd;
		upd->deps[upd->num_deps].fence = dma_fence_get(other->fence);
		INIT_LIST_HEAD(&upd->deps[upd->num_deps++].cb.node);
	}
	spin_unlock_irq(&ups->lock);
}

/*
 * Thousands of a call's entries may have named one timeline, and the array may be kept for very
 * long: shrink it to its used part. No callback is armed yet.
 */
static int trim_deps(struct xetile_vm_update *upd, unsigned int max)
{
	struct xetile_vm_dep *deps;
	unsigned int i;

	if (!upd->num_deps || upd->num_deps == max)
		return 0;
	deps = kvcalloc(upd->num_deps, sizeof(*deps), GFP_KERNEL_ACCOUNT);
	if (!deps)
		return -ENOMEM;
	for (i = 0; i < upd->num_deps; i++) {
		deps[i].upd = upd;
		deps[i].fence = upd->deps[i].fence;
		INIT_LIST_HEAD(&deps[i].cb.node);
	}
	kvfree(upd->deps);
	upd->deps = deps;
	return 0;
}

/**
 * xetile_vm_update_order() - find out what a change has to wait for
 * @upd: change; all of it is staged
 * @place: its lines, and the fences it waits for
 *
 * Needs the address space's reservation, which is held until the change is applied or
 * cancelled.
 *
 * Context: process, with the VM's reservation.
 * Return: 0; -ENOMEM; or -EDQUOT: the file's changes wait for as many fences as they may, or
 * those of its user do.
 */
int xetile_vm_update_order(struct xetile_vm_update *upd, const struct xetile_vm_place *place)
{
	const struct xetile_sync *syncs = place->syncs;
	unsigned int max, i;
	int err;

	dma_resv_assert_held(upd->ups->resv);
	upd->line = place->line ?: &upd->ups->own;
	upd->other = place->other;
	max = xetile_vm_update_overlaps(upd) + !!upd->line->last + (upd->other && upd->other->last);
	for (i = 0; i < place->num_syncs; i++)
		max += syncs[i].fence && !dma_fence_is_signaled(syncs[i].fence);
	if (!max)
		return 0;
	upd->deps = kvcalloc(max, sizeof(*upd->deps), GFP_KERNEL_ACCOUNT);
	upd->fence = xetile_fence_alloc();
	if (!upd->deps || !upd->fence)
		return -ENOMEM;
	for (i = 0; i < place->num_syncs; i++)
		add_dep(upd, syncs[i].fence);
	add_dep(upd, upd->line->last);
	if (upd->other)
		add_dep(upd, upd->other->last);
	add_overlaps(upd);
	err = trim_deps(upd, max);
	if (err)
		return err;
	err = xetile_account_take_deps(upd->ups->account, upd->num_deps);
	if (!err)
		upd->charged = upd->num_deps;
	return err;
}

/**
 * xetile_vm_update_is_too_much() - whether too many changes would wait
 * @upd: change that was ordered
 *
 * Context: process, with the VM's reservation.
 * Return: true if the change would have to wait, and too many wait already.
 */
bool xetile_vm_update_is_too_much(const struct xetile_vm_update *upd)
{
	dma_resv_assert_held(upd->ups->resv);
	/* Both counts can only fall while the reservation is held. */
	return upd->num_deps &&
	       (READ_ONCE(upd->ups->num_pending) >= MAX_PENDING ||
		READ_ONCE(upd->ups->num_deps) + upd->num_deps > MAX_DEPS);
}
