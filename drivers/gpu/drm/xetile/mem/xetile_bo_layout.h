/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_BO_LAYOUT_H__
#define __XETILE_BO_LAYOUT_H__

#include <linux/dma-resv.h>

#include <drm/ttm/ttm_tt.h>

#include "mem/xetile_bo_types.h"
#include "mem/xetile_hbm_resource.h"

/**
 * DOC: where the bytes of a buffer lie
 *
 * For the files of buffers and of address spaces, under the buffer's reservation.
 */

/**
 * xetile_bo_layout_in() - where a BO's bytes are, or will be, if it lies in a resource
 * @bo: BO with its reservation held
 * @res: the resource, or NULL
 * @layout: out: as of xetile_bo_layout()
 */
static inline void xetile_bo_layout_in(struct xetile_bo *bo, struct ttm_resource *res,
				       struct xetile_layout *layout)
{
	*layout = (struct xetile_layout) { .size = bo->args.size };
	if (bo->import && bo->import->sgt) {
		layout->dma = bo->ttm.ttm->dma_address;
	} else if (res && res->mem_type == XETILE_PL_HBM) {
		struct xetile_hbm_resource *hbm = to_xetile_hbm_resource(res);

		layout->ext = hbm->ext;
		layout->start = hbm->start;
		layout->num = hbm->num;
	} else if (res && res->mem_type == XETILE_PL_SYSTEM && bo->ttm.ttm &&
		   ttm_tt_is_populated(bo->ttm.ttm)) {
		layout->dma = bo->ttm.ttm->dma_address;
		layout->pages = bo->ttm.ttm->pages;
	} else {
		layout->size = 0;
	}
}

/**
 * xetile_bo_layout() - where a BO's bytes lie
 * @bo: BO with its reservation held
 * @layout: out: valid until the reservation is dropped; @layout->size is 0 when
 *	the GPU cannot reach the BO (swapped out, or not yet backed)
 *
 * Context: process, with the BO's reservation.
 */
static inline void xetile_bo_layout(struct xetile_bo *bo, struct xetile_layout *layout)
{
	dma_resv_assert_held(bo->ttm.base.resv);
	xetile_bo_layout_in(bo, bo->ttm.resource, layout);
}

#endif
