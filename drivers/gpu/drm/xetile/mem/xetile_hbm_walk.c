// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_hbm_walk.h"

#include <linux/kref.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/spinlock.h>
#include <linux/xarray.h>

#include <drm/ttm/ttm_device.h>
#include <drm/ttm/ttm_resource.h>

#include "mem/xetile_bo_group.h"
#include "mem/xetile_bo_types.h"
#include "mem/xetile_hbm_residents.h"
#include "mem/xetile_hbm_types.h"
#include "mem/xetile_place.h"

/**
 * DOC: which buffer is to leave HBM next
 *
 * A call that looks for a buffer to evict takes the one first that was used longest ago. A buffer
 * is used when it comes to HBM, and when a job is submitted to an address space that maps it. All
 * buffers that are private to an address space are used with each of its jobs, so that the address
 * space notes their use; among themselves they go in the order they came to HBM.
 *
 * Uses go on while a call walks over the buffers, and the buffers of a client that submits jobs in
 * a loop are always used a moment ago. A walk that always took the buffer that is now the next one
 * would come to such buffers again and again, or never. So the walk lists the residents and when
 * they were used, sorts the list, and follows it: it visits each resident once, whatever happens
 * meanwhile. Then it lists those who have come since.
 *
 * The list is limited. When there are more residents, the walk lists and sorts the oldest ones, and
 * when these are visited, the next ones. Without memory for the list it visits the residents in the
 * order they came.
 *
 * A walk holds no reservation. The lock of the residents is dropped after each batch of them,
 * because there may be very many.
 */

/* Residents that are looked at each time their list is locked, as in xetile_hbm_residents.c */
#define BATCH		64u

/*
 * Residents that are sorted at a time: as many as a bank of 64 GiB holds if each has 4 MiB. The
 * list has 256 KiB, and sort(), which lets nobody else run, takes some milliseconds.
 */
#define MAX_LISTED	16384u

static struct xetile_hbm_manager *manager_of(struct xetile_device *xt)
{
	return container_of(ttm_manager_type(&xt->ttm, XETILE_PL_HBM), struct xetile_hbm_manager,
			    base);
}

/**
 * xetile_hbm_walk_begin() - begin a walk over BOs in HBM, or begin it anew
 * @walk: zeroed, or in use
 * @tiles: mask of tiles; BOs without memory on them are passed over
 */
void xetile_hbm_walk_begin(struct xetile_hbm_walk *walk, u32 tiles)
{
	walk->tiles = tiles;
	walk->num = 0;
	walk->next = 0;
	walk->age = 0;
}

/**
 * xetile_hbm_walk_end() - free the memory of a walk
 * @walk: zeroed, or in use
 *
 * Context: process.
 */
void xetile_hbm_walk_end(struct xetile_hbm_walk *walk)
{
	kvfree(walk->list);
	walk->list = NULL;
}

static struct xetile_hbm_visit *list_of(struct xetile_hbm_walk *walk)
{
	return walk->list ?: &walk->one;
}

static unsigned int max_of(const struct xetile_hbm_walk *walk)
{
	return walk->list ? MAX_LISTED : 1;
}

/* When was a resident used last? With the lock of the residents, which keeps its BO. */
static u64 last_use(const struct xetile_hbm_resource *res)
{
	struct xetile_bo_group *group = xetile_bo_group_of(res->owner);
	u64 used = READ_ONCE(res->owner->used);

	return group ? max(used, READ_ONCE(group->used)) : used;
}

/* List a batch of residents. Returns whether to look at the next batch. */
static bool list_some(struct xetile_hbm_manager *man, struct xetile_hbm_walk *walk)
{
	struct xetile_hbm_resource *res;
	unsigned int n;

	xa_lock(&man->residents);
	for (n = 0; n < BATCH && walk->num < max_of(walk); n++) {
		res = xa_find_after(&man->residents, &walk->age, ULONG_MAX, XA_PRESENT);
		if (!res)
			break;
		if (xetile_hbm_on_tiles(&res->base, walk->tiles))
			list_of(walk)[walk->num++] = (struct xetile_hbm_visit) {
				.used = last_use(res), .age = res->age,
			};
	}
	xa_unlock(&man->residents);
	return n == BATCH;
}

static int compare_visits(const void *a, const void *b)
{
	const struct xetile_hbm_visit *l = a, *r = b;

	if (l->used != r->used)
		return l->used < r->used ? -1 : 1;
	return l->age < r->age ? -1 : 1;
}

/* List the next residents. Returns whether there are any. */
static bool list_more(struct xetile_hbm_manager *man, struct xetile_hbm_walk *walk)
{
	if (!walk->age && !walk->list)
		walk->list = kvmalloc_array(MAX_LISTED, sizeof(*walk->list),
					    GFP_KERNEL_ACCOUNT | __GFP_NOWARN |
					    __GFP_RETRY_MAYFAIL);
	walk->num = 0;
	walk->next = 0;
	while (list_some(man, walk))
		cond_resched();
	sort(list_of(walk), walk->num, sizeof(*walk->list), compare_visits, NULL);
	return walk->num;
}

/* The BO of a resource with a reference, or NULL: nobody has a handle of it any more. */
static struct xetile_bo *get_owner(struct xetile_device *xt, struct xetile_hbm_resource *res)
{
	struct xetile_bo *bo = NULL;

	/* TTM gives a resource to another BO under this lock, and frees BOs after resources. */
	spin_lock(&xt->ttm.lru_lock);
	/* TTM frees a BO whose creation fails before it has a resource, referenced or not. */
	if (res->base.bo == &res->owner->ttm &&
	    READ_ONCE(res->owner->ttm.resource) == &res->base &&
	    kref_get_unless_zero(&res->owner->ttm.base.refcount))
		bo = res->owner;
	spin_unlock(&xt->ttm.lru_lock);
	return bo;
}

/* Visit a batch of the residents that are listed, up to one that is wanted */
static void visit_some(struct xetile_hbm_manager *man, struct xetile_hbm_walk *walk, u32 tiles,
		       bool *dying, struct xetile_bo **bo)
{
	unsigned int end = min(walk->num, walk->next + BATCH);

	xa_lock(&man->residents);
	while (walk->next < end && !*bo) {
		struct xetile_hbm_resource *res;

		res = xa_load(&man->residents, list_of(walk)[walk->next++].age);
		if (!res || !xetile_hbm_on_tiles(&res->base, tiles))
			continue;
		*bo = get_owner(man->xt, res);
		if (!*bo)
			*dying = true;
	}
	xa_unlock(&man->residents);
}

/**
 * xetile_hbm_walk_next() - walk the BOs in HBM, first the one that was used longest ago
 * @xt: card
 * @walk: the walk; moved on
 * @tiles: mask of tiles, of those of the walk; BOs without memory on them are passed over
 * @dying: set if a BO there is given up already: its memory is free when its jobs are done
 *
 * Takes spinlocks, and drops them after each batch of BOs. May allocate.
 *
 * Context: process, with no reservation.
 * Return: the next BO with a GEM reference, or NULL when there is none.
 */
struct xetile_bo *xetile_hbm_walk_next(struct xetile_device *xt, struct xetile_hbm_walk *walk,
				       u32 tiles, bool *dying)
{
	struct xetile_hbm_manager *man = manager_of(xt);
	struct xetile_bo *bo = NULL;

	while (!bo && (walk->next < walk->num || list_more(man, walk))) {
		visit_some(man, walk, tiles, dying, &bo);
		cond_resched();
	}
	return bo;
}
