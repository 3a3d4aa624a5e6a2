// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_managed_advice.h"

#include <linux/dma-resv.h>
#include <linux/sched.h>

#include <drm/drm_gem.h>
#include <drm/drm_gpuvm.h>

#include "card/xetile_tile.h"
#include "mem/xetile_bo.h"
#include "mem/xetile_bo_validate.h"
#include "mem/xetile_color.h"
#include "mem/xetile_managed_copies.h"

/**
 * DOC: advice about memory that moves on access
 *
 * Advice changes the places where a part may lie, see xetile_bo_place(), and nothing else. A part
 * that lies elsewhere is marked as if it had been evicted. So the next job finds it, and moves it
 * by the same steps as a part that the CPU has touched. The reservation of the whole protects the
 * advice of all its parts. The ioctl calls.
 *
 * The advice that jobs only read a part adds copies on other tiles, see xetile_managed_copies.c.
 */

/* Advice has no color of its own to free. */
static const struct xetile_coloring on_tile[] = {
	{ .policy = XETILE_POLICY_TILE, .tile_mask = BIT(0) },
	{ .policy = XETILE_POLICY_TILE, .tile_mask = BIT(1) },
	{ .policy = XETILE_POLICY_TILE, .tile_mask = BIT(2) },
	{ .policy = XETILE_POLICY_TILE, .tile_mask = BIT(3) },
};

static_assert(ARRAY_SIZE(on_tile) == XETILE_MAX_TILES);

static void advise_part(struct xetile_bo *part, const struct xetile_managed_advice *advice)
{
	dma_resv_assert_held(part->ttm.base.resv);
	part->advice = advice->advice;
	part->color = advice->advice == XETILE_ADVICE_TILE ? &on_tile[advice->tile] :
							     &part->args.color;
	xetile_bo_place(part);
	xetile_bo_note_spilled(part, part->color);
	if (advice->advice != XETILE_ADVICE_READ)
		xetile_copies_end(part);
	if (!xetile_bo_is_placed(part) || advice->advice == XETILE_ADVICE_READ)
		drm_gpuvm_bo_gem_evict(xetile_bo_gem(part), true);
}

/**
 * xetile_managed_advise() - take advice about a buffer that moves on access
 * @whole: the buffer; its reservation is taken
 * @list: advice, checked; of two about one part the later one counts
 * @num: elements of @list
 *
 * Context: process; takes the buffer's reservation.
 * Return: 0 or -EINTR; then nothing has changed.
 */
int xetile_managed_advise(struct xetile_bo *whole, const struct xetile_managed_advice *list,
			  unsigned int num)
{
	const struct xetile_managed_advice *advice;
	unsigned int i;
	int err;

	err = dma_resv_lock_interruptible(whole->ttm.base.resv, NULL);
	if (err)
		return err;
	for (advice = list; advice < list + num; advice++) {
		for (i = 0; i < advice->num; i++) {
			advise_part(whole->parts[advice->first + i], advice);
			cond_resched();
		}
	}
	dma_resv_unlock(whole->ttm.base.resv);
	return 0;
}
