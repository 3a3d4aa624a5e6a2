// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_managed_copies.h"

#include <linux/dma-resv.h>
#include <linux/slab.h>

#include <drm/drm_gem.h>
#include <drm/drm_gpuvm.h>

#include "mem/xetile_bo_types.h"

/**
 * DOC: copies of memory that jobs only read
 *
 * A part of a buffer that moves on access (xetile_managed.c), which jobs read and do not write,
 * may have a copy on each tile. The part itself stays what it is: it has the content, and what is
 * evicted, swapped and touched. A copy is a purgeable buffer without a handle, and nothing maps it
 * by itself: the page tables of its tile name the copy's memory instead of the part's. So whoever
 * wants its HBM gets it, and nothing is copied out of it.
 *
 * Copies exist only while nobody can write the part: every mapping of the GPU is read-only as long
 * as the part has a &struct xetile_copies, and the CPU maps no HBM, so that its touch moves the
 * part. Each move of the part ends its copies. When a copy ends, the part is marked as if it had
 * been evicted, so that the next job maps it anew; jobs that read the copy still have fences in the
 * reservation, which it shares with the part and takes with it.
 *
 * This file ends copies; xetile_managed_read.c makes them. The reservation of the address space
 * protects all of it.
 */

/* The next job maps the part anew. */
static void note_stale(struct xetile_bo *part)
{
	dma_resv_assert_held(part->ttm.base.resv);
	part->moves++;
	drm_gpuvm_bo_gem_evict(xetile_bo_gem(part), true);
}

/* The whole does not count it any more. The last reference may wait for jobs, in TTM's worker. */
static void drop_on(struct xetile_bo *part, unsigned int tile)
{
	struct xetile_bo *copy = part->copies->on[tile];
	int t;

	dma_resv_assert_held(part->ttm.base.resv);
	if (!copy)
		return;
	part->copies->on[tile] = NULL;
	for (t = 0; part->whole && t < XETILE_MAX_TILES; t++)
		WRITE_ONCE(part->whole->copy_bytes[t],
			   part->whole->copy_bytes[t] - copy->hbm_bytes[t]);
	copy->copy_of = NULL;
	drm_gem_object_put(xetile_bo_gem(copy));
	note_stale(part);
}

/**
 * xetile_copies_drop_one() - end one copy
 * @copy: copy of a part, with its reservation held
 *
 * Context: process, with the reservation.
 */
void xetile_copies_drop_one(struct xetile_bo *copy)
{
	struct xetile_bo *part = copy->copy_of;
	unsigned int t;

	dma_resv_assert_held(copy->ttm.base.resv);
	for (t = 0; t < XETILE_MAX_TILES; t++)
		if (part->copies->on[t] == copy)
			drop_on(part, t);
}

/**
 * xetile_copies_drop() - end the copies of a part, which is about to change
 * @part: BO with its reservation held; nothing happens if it has no copies
 *
 * The part's mappings stay read-only.
 *
 * Context: process, with the BO's reservation.
 */
void xetile_copies_drop(struct xetile_bo *part)
{
	unsigned int t;

	dma_resv_assert_held(part->ttm.base.resv);
	for (t = 0; part->copies && t < XETILE_MAX_TILES; t++)
		drop_on(part, t);
}

/**
 * xetile_copies_end() - jobs may write a part again
 * @part: BO with its reservation held; nothing happens if jobs only read it by nobody's advice
 *
 * Context: process, with the BO's reservation.
 */
void xetile_copies_end(struct xetile_bo *part)
{
	dma_resv_assert_held(part->ttm.base.resv);
	if (!part->copies)
		return;
	xetile_copies_drop(part);
	kfree(part->copies);
	part->copies = NULL;
	note_stale(part);
}

/**
 * xetile_copies_moves() - a BO is about to move: it may be a copy, or have copies
 * @bo: BO with its reservation held, idle
 *
 * Context: process, with the BO's reservation.
 */
void xetile_copies_moves(struct xetile_bo *bo)
{
	dma_resv_assert_held(bo->ttm.base.resv);
	xetile_copies_drop(bo);
	if (bo->copy_of)
		note_stale(bo->copy_of);
}
