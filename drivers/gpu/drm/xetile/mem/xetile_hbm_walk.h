/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_HBM_WALK_H__
#define __XETILE_HBM_WALK_H__

#include <linux/atomic.h>
#include <linux/types.h>

#include "xetile_device.h"

struct xetile_bo;

/** struct xetile_hbm_visit - a resident that a walk has listed */
struct xetile_hbm_visit {
	/** @used: when it was used last */
	u64 used;
	/** @age: its age: it may have gone since */
	unsigned long age;
};

/** struct xetile_hbm_walk - a walk over the BOs in HBM; for xetile_hbm_walk.c alone */
struct xetile_hbm_walk {
	/** @tiles: mask of tiles; BOs without memory on them are not listed */
	u32 tiles;
	/** @list: the next residents, in the order of their visits; or NULL: only @one is listed */
	struct xetile_hbm_visit *list;
	/** @one: the only element of the list if there is no memory for @list */
	struct xetile_hbm_visit one;
	/** @num: elements of the list */
	unsigned int num;
	/** @next: number of the next one to visit */
	unsigned int next;
	/** @age: age of the youngest resident that was listed so far */
	unsigned long age;
};

/**
 * xetile_hbm_now() - the time by which uses of BOs are put in order
 * @xt: card
 *
 * It counts the calls that place BOs. Jobs are such calls, so that each has a time of its own, and
 * the clock costs them nothing.
 *
 * Context: any.
 * Return: how many such calls there were so far.
 */
static inline u64 xetile_hbm_now(struct xetile_device *xt)
{
	return atomic64_read(&xt->room.ids);
}

void xetile_hbm_walk_begin(struct xetile_hbm_walk *walk, u32 tiles);
struct xetile_bo *xetile_hbm_walk_next(struct xetile_device *xt, struct xetile_hbm_walk *walk,
				       u32 tiles, bool *dying);
void xetile_hbm_walk_end(struct xetile_hbm_walk *walk);

#endif
