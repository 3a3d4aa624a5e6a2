// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_vm_need.h"

#include <linux/dma-resv.h>
#include <linux/errno.h>

#include "mem/xetile_bo_types.h"
#include "mem/xetile_hbm.h"
#include "xetile_device.h"

/**
 * DOC: whether all that an address space maps can be in HBM at once
 *
 * Jobs that may run for ever have all memory of their address space in its place, or none of them
 * runs. So a bind fails when the HBM of the card is too small for all of its BOs together, whatever
 * others have there: the user then frees some, and would otherwise hear nothing before the address
 * space is banned. BOs that may be in system memory as well need no HBM.
 *
 * Binds call these functions with the reservation of the address space.
 */

static bool has_room(struct xetile_device *xt, const struct xetile_vm_needs *needs,
		     const struct xetile_vm_need *need)
{
	u64 total = needs->total, capacity = 0;
	struct xetile_tile *tile;
	bool fits = true;

	xetile_for_each_tile(tile, xt) {
		u64 pages = xetile_hbm_capacity(tile) / XETILE_COLOR_PAGE;

		capacity += pages;
		total += need->pages[tile->id];
		if (need->strict && needs->strict[tile->id] + need->pages[tile->id] > pages)
			fits = false;
	}
	return fits && total <= capacity;
}

/**
 * xetile_vm_need_take() - count the HBM that a BO needs in an address space
 * @needs: of the address space
 * @need: of the BO there; if it is counted nothing is done
 * @bo: the BO, with its reservation held
 *
 * Context: process, with the reservations of the BO and the address space.
 * Return: 0, or -ENOSPC: there is not so much HBM.
 */
int xetile_vm_need_take(struct xetile_vm_needs *needs, struct xetile_vm_need *need,
			const struct xetile_bo *bo)
{
	unsigned int t;

	dma_resv_assert_held(bo->ttm.base.resv);
	if (need->needs || bo->args.placement != XETILE_PLACE_HBM)
		return 0;
	need->strict = bo->args.flags & XETILE_BO_STRICT;
	for (t = 0; t < XETILE_MAX_TILES; t++)
		need->pages[t] = bo->shares[t];
	if (!has_room(to_xetile_device(bo->ttm.base.dev), needs, need))
		return -ENOSPC;
	need->needs = needs;
	for (t = 0; t < XETILE_MAX_TILES; t++) {
		needs->total += need->pages[t];
		needs->strict[t] += need->strict ? need->pages[t] : 0;
	}
	return 0;
}

/**
 * xetile_vm_need_give() - the address space does not map the BO any more
 * @need: of the BO there, counted or not
 *
 * Context: process, with the reservation of the address space, unless nobody uses that any more.
 */
void xetile_vm_need_give(struct xetile_vm_need *need)
{
	struct xetile_vm_needs *needs = need->needs;
	unsigned int t;

	if (!needs)
		return;
	need->needs = NULL;
	for (t = 0; t < XETILE_MAX_TILES; t++) {
		needs->total -= need->pages[t];
		needs->strict[t] -= need->strict ? need->pages[t] : 0;
	}
}
