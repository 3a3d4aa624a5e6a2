// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_recolor_move.h"

#include <linux/dma-fence.h>
#include <linux/dma-resv.h>
#include <linux/err.h>

#include <drm/ttm/ttm_bo.h>

#include "mem/xetile_bo_fill.h"
#include "mem/xetile_bo_layout.h"
#include "mem/xetile_bo_types.h"
#include "mem/xetile_hbm_resource.h"
#include "mem/xetile_hbm_swap.h"
#include "mem/xetile_overlay.h"
#include "mem/xetile_recolor_types.h"
#include "xetile_device.h"

/**
 * DOC: the move that a recolor makes
 *
 * For TTM it is a move of the buffer from one resource to another, but only the parts that change
 * their tile are copied; the rest of the memory is handed over. TTM calls, by xetile_bo_move.c,
 * with the buffer's reservation held.
 */

static void layout_of(const struct xetile_extent *ext, const u64 *start, unsigned int num, u64 size,
		      struct xetile_layout *layout)
{
	*layout = (struct xetile_layout) { .ext = ext, .start = start, .num = num, .size = size };
}

/* Returns the fence of the copy; NULL if nothing is copied, because no memory was found. */
static struct dma_fence *copy(struct xetile_device *xt, const struct xetile_hbm_swap *swap,
			      bool killable)
{
	const struct xetile_pieces *moved = &swap->moved;
	struct xetile_layout src, dst;

	if (!moved->num)
		return NULL;
	layout_of(moved->ext, moved->start, moved->num, moved->size, &src);
	layout_of(swap->new->ext, swap->new->start, swap->new->num, moved->size, &dst);
	return xt->mover->copy(xt, &dst, &src, killable);
}

/* TTM takes the new resource over, and frees the old places when @fence has signalled. */
static void hand_over(struct xetile_bo *bo, struct dma_fence *fence, struct ttm_resource *new)
{
	dma_resv_assert_held(bo->ttm.base.resv);
	/*
	 * Not pipelined, as other moves: HBM that is freed may become a page table, which the CPU
	 * writes at once.
	 */
	if (fence && !ttm_bo_move_accel_cleanup(&bo->ttm, fence, false, false, new))
		return;
	/* TTM has no memory for a worker that would wait until nothing is copied any more. */
	if (fence)
		dma_fence_wait(fence, false);
	ttm_bo_move_null(&bo->ttm, new);
}

/**
 * xetile_recolor_move() - move the parts of a BO for which its recolor has found memory
 * @bo: BO in HBM with its reservation held, idle and being recolored
 * @new: the memory; on success it is all of the BO's
 * @killable: give up when the task is killed
 *
 * Context: process, with the BO's reservation.
 * Return: 0, or a negative error code; then nothing has changed, and no copy goes on.
 */
int xetile_recolor_move(struct xetile_bo *bo, struct ttm_resource *new, bool killable)
{
	struct xetile_device *xt = ttm_to_xetile_device(bo->ttm.bdev);
	struct xetile_recolor *recolor = bo->recolor;
	struct xetile_layout layout;
	struct xetile_hbm_swap swap;
	struct dma_fence *fence;
	int err;

	dma_resv_assert_held(bo->ttm.base.resv);
	err = xetile_hbm_swap_begin(xt, &swap, to_xetile_hbm_resource(bo->ttm.resource),
				    to_xetile_hbm_resource(new), recolor);
	if (err)
		return err;
	fence = copy(xt, &swap, killable);
	if (IS_ERR(fence)) {
		xetile_hbm_swap_cancel(xt, &swap);
		return PTR_ERR(fence);
	}
	xetile_hbm_swap_end(xt, &swap);
	xetile_bo_layout_in(bo, new, &layout);
	to_xetile_hbm_resource(new)->spilled = !xetile_color_lies(&recolor->color, &layout);
	hand_over(bo, fence, new);
	if (fence) {
		recolor->fence = dma_fence_get(fence);
		xetile_bo_note_filled(bo, fence);
	}
	return 0;
}
