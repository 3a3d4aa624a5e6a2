// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_hbm_residents.h"

#include <linux/compiler.h>
#include <linux/dma-resv.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include <drm/ttm/ttm_resource.h>

#include "mem/xetile_bo_types.h"
#include "mem/xetile_hbm_walk.h"
#include "mem/xetile_place.h"

/**
 * DOC: which buffers have HBM, in the order they came
 *
 * TTM's manager adds a buffer that gets HBM, and removes it when the HBM is freed. Calls that look
 * for a buffer to evict walk the list, see xetile_hbm_walk.c, and so does the machine's sleep,
 * which copies all buffers. Both hold no reservation. There may be very many buffers, so the list's
 * lock is dropped after each batch of them.
 */

/*
 * Residents that are looked at, and runs that are copied, each time their list is locked: there may
 * be very many, and nothing else runs on this processor meanwhile.
 */
#define BATCH		64
#define BATCH_RUNS	1024u

/**
 * xetile_hbm_residents_add() - a BO has got HBM
 * @man: the manager; takes its list's lock
 * @res: the BO's HBM; the BO's reservation is held
 *
 * Context: process, with the BO's reservation; takes the xarray's spinlock.
 * Return: 0 or -ENOMEM.
 */
int xetile_hbm_residents_add(struct xetile_hbm_manager *man, struct xetile_hbm_resource *res)
{
	int err;

	dma_resv_assert_held(res->owner->ttm.base.resv);
	/* A BO that is recolored was there before, see xetile_hbm_residents_swap(). */
	if (!res->owner->recolor)
		WRITE_ONCE(res->owner->used, xetile_hbm_now(man->xt));
	xa_lock(&man->residents);
	res->age = ++man->last;
	err = xa_err(__xa_store(&man->residents, res->age, res, GFP_KERNEL_ACCOUNT));
	xa_unlock(&man->residents);
	return err;
}

/**
 * xetile_hbm_on_tiles() - has a BO memory on tiles
 * @res: the BO's resource, or NULL; the caller keeps it by holding the BO's reservation, or the
 *	lock of the list of residents, from which a resource is removed before it is freed
 * @tiles: mask of tiles
 *
 * Return: true if it lies in HBM and on one of @tiles.
 */
bool xetile_hbm_on_tiles(struct ttm_resource *res, u32 tiles)
{
	unsigned long mask = tiles;
	unsigned int t;

	if (!res || res->mem_type != XETILE_PL_HBM)
		return false;
	for_each_set_bit(t, &mask, XETILE_MAX_TILES)
		if (to_xetile_hbm_resource(res)->bytes[t])
			return true;
	return false;
}

/* struct walk - where all residents lie */
struct walk {
	/* takes the first @max of the runs */
	struct xetile_extent *ext;
	unsigned int max;
	/* number of runs so far */
	unsigned int num;
	/* age of the next resident, and its first run that was not walked */
	unsigned long age;
	unsigned int run;
};

/* Walk the next runs of one resident, at most @most. Returns how many. */
static unsigned int walk_runs(struct walk *walk, const struct xetile_hbm_resource *res,
			      unsigned int most)
{
	unsigned int n = min(res->num - walk->run, most);
	unsigned int fit = min(n, walk->max - min(walk->num, walk->max));

	if (fit)
		memcpy(walk->ext + walk->num, res->ext + walk->run, fit * sizeof(*walk->ext));
	walk->num += n;
	walk->run += n;
	if (walk->run == res->num) {
		walk->age++;
		walk->run = 0;
	}
	return n;
}

/* Walk a batch of residents. Returns whether there may be more. */
static bool walk_some(struct xetile_hbm_manager *man, struct walk *walk)
{
	struct xetile_hbm_resource *res = NULL;
	unsigned int n, runs = 0;

	xa_lock(&man->residents);
	for (n = 0; n < BATCH && runs < BATCH_RUNS; n++) {
		unsigned long age = walk->age;

		res = xa_find(&man->residents, &walk->age, ULONG_MAX, XA_PRESENT);
		if (!res)
			break;
		/* The resident that was walked in part has gone. */
		if (walk->age != age)
			walk->run = 0;
		runs += walk_runs(walk, res, BATCH_RUNS - runs);
	}
	xa_unlock(&man->residents);
	return res;
}

/* The runs of all BOs, the first @max of them to @ext; returns how many there are */
static unsigned int list_extents(struct xetile_hbm_manager *man, struct xetile_extent *ext,
				 unsigned int max)
{
	struct walk walk = { .ext = ext, .max = max };

	while (walk_some(man, &walk))
		cond_resched();
	return walk.num;
}

/**
 * xetile_hbm_extents() - where all BOs lie that have HBM now
 * @xt: card
 * @ext: out: array for kvfree(), or NULL if there are none
 * @num: out: number of elements of @ext
 *
 * The array is consistent only if no BO comes or goes meanwhile. Takes a spinlock, and drops it
 * after each batch of BOs.
 *
 * Context: process.
 *
 * Return: 0 or -ENOMEM.
 */
int xetile_hbm_extents(struct xetile_device *xt, struct xetile_extent **ext, unsigned int *num)
{
	struct ttm_resource_manager *base = ttm_manager_type(&xt->ttm, XETILE_PL_HBM);
	struct xetile_hbm_manager *man = container_of(base, struct xetile_hbm_manager, base);
	unsigned int max = 0;

	*ext = NULL;
	while ((*num = list_extents(man, *ext, max)) > max) {
		max = *num;
		kvfree(*ext);
		*ext = kvmalloc_array(max, sizeof(**ext), GFP_KERNEL);
		if (!*ext)
			return -ENOMEM;
	}
	return 0;
}
