/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_HBM_RESIDENTS_H__
#define __XETILE_HBM_RESIDENTS_H__

#include <linux/atomic.h>
#include <linux/bug.h>
#include <linux/minmax.h>
#include <linux/types.h>
#include <linux/xarray.h>

#include "mem/xetile_hbm_resource.h"
#include "mem/xetile_hbm_types.h"
#include "xetile_device.h"

struct ttm_resource;
struct xetile_extent;

/**
 * xetile_hbm_residents_remove() - a BO has given its HBM back
 * @man: the manager; takes its list's lock
 * @res: the HBM that the BO had
 *
 * To be called when the memory is free, and not before: then a call that looks for BOs to evict
 * either finds the resource, or sees that memory was freed. If the call finds the resource, the
 * count of freed memory goes up later.
 *
 * Context: process; takes the xarray's spinlock.
 */
static inline void xetile_hbm_residents_remove(struct xetile_hbm_manager *man,
					       struct xetile_hbm_resource *res)
{
	xa_lock(&man->residents);
	atomic_inc(&man->xt->room.freed);
	__xa_erase(&man->residents, res->age);
	xa_unlock(&man->residents);
}

/**
 * xetile_hbm_residents_swap() - a BO keeps its age when it gets other HBM by a recolor
 * @man: the manager; its list's lock is held
 * @a: the HBM that the BO had
 * @b: the HBM that the BO has now
 *
 * Otherwise a client that recolors again and again would have all others evicted before.
 *
 * Context: process, with the xarray's spinlock.
 */
static inline void xetile_hbm_residents_swap(struct xetile_hbm_manager *man,
					     struct xetile_hbm_resource *a,
					     struct xetile_hbm_resource *b)
{
	swap(a->age, b->age);
	/* Both places exist, so that nothing is allocated. */
	WARN_ON_ONCE(xa_is_err(__xa_store(&man->residents, a->age, a, 0)));
	WARN_ON_ONCE(xa_is_err(__xa_store(&man->residents, b->age, b, 0)));
}

int xetile_hbm_residents_add(struct xetile_hbm_manager *man, struct xetile_hbm_resource *res);
bool xetile_hbm_on_tiles(struct ttm_resource *res, u32 tiles);
int xetile_hbm_extents(struct xetile_device *xt, struct xetile_extent **ext, unsigned int *num);

#endif
