// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_pt_top.h"

#include <linux/err.h>
#include <linux/io.h>

#include <drm/drm_managed.h>

#include "regs/pvc_gtt.h"

#include "card/xetile_tile.h"
#include "mem/xetile_pt.h"
#include "mem/xetile_pt_table.h"
#include "mem/xetile_pte.h"
#include "mem/xetile_va.h"
#include "xetile_device.h"

/**
 * DOC: the addresses that the driver keeps for itself
 *
 * The copy engines' errata want a blit before each flush (xetile_ring.c), and a blit has to write
 * somewhere. So the last GiB of every address space is mapped to no memory: what is written there
 * is dropped, and what is read is zero. Prelim i915 maps the same (gt/gen8_ppgtt.c).
 *
 * Memory would do, too, but batches could use it. A page that all address spaces share would let
 * clients that cannot reach each other exchange data. A page, and the tables for it, in every
 * address space would be the greater part of what a small one takes.
 *
 * All address spaces have the same tables below the last entry of their roots, of which each tile
 * has one set. So these tables cost an address space nothing, and a translation that an engine
 * kept of an earlier address space with the same number is right for the next one. Therefore no
 * user may map anything below that entry: XETILE_VA_END is the end of the users' addresses. The
 * driver's copies of the roots do not know of the entry, because no change of them may touch it.
 */

#define ROOT_LEVEL	(PVC_PT_LEVELS - 1)
/* The level whose leaves have 1 GiB */
#define LEAF_LEVEL	2

static_assert(PVC_PT_SHIFT(PVC_PT_LEVELS) == XETILE_VA_BITS);
static_assert(XETILE_VA_END + BIT_ULL(PVC_PT_SHIFT(ROOT_LEVEL)) == XETILE_VA_SIZE);
static_assert(XETILE_VA_NOWHERE + BIT_ULL(PVC_PT_SHIFT(LEAF_LEVEL)) > XETILE_VA_SIZE);

static void set_last(struct xetile_pt *pt, u64 pte, struct xetile_pt *child)
{
	unsigned int last = PVC_PT_ENTRIES - 1;

	xetile_pt_set_entry(pt, last, (struct xetile_pt_entry) { .pte = pte, .child = child });
	writeq(pte, pt->map + last);
}

static void pt_top_fini(struct drm_device *drm, void *arg)
{
	struct xetile_tile *tile = arg;

	xetile_pt_free_all(tile->top);
	tile->top = NULL;
}

/**
 * xetile_pt_top_init() - make the tables that all address spaces of a tile share
 * @tile: tile whose HBM is known
 *
 * They go with the DRM device, after the last address space.
 *
 * Context: process.
 * Return: 0, -ENOSPC or -ENOMEM.
 */
int xetile_pt_top_init(struct xetile_tile *tile)
{
	struct xetile_pt *pt, *child;

	pt = xetile_pt_create(tile, NULL, NULL, LEAF_LEVEL, false,
			      XETILE_VA_SIZE - BIT_ULL(PVC_PT_SHIFT(LEAF_LEVEL + 1)));
	if (IS_ERR(pt))
		return PTR_ERR(pt);
	set_last(pt, xetile_pte_encode(0, XETILE_LEAF_1G, XETILE_PTE_NULL), NULL);
	while (pt->level < ROOT_LEVEL - 1) {
		child = pt;
		pt = xetile_pt_create(tile, NULL, NULL, child->level + 1, false,
				      XETILE_VA_SIZE - BIT_ULL(PVC_PT_SHIFT(child->level + 2)));
		if (IS_ERR(pt)) {
			xetile_pt_free_all(child);
			return PTR_ERR(pt);
		}
		set_last(pt, xetile_pde_encode(child->dpa, false), child);
	}
	/* The tables must be complete before an address space points to them. */
	wmb();
	tile->top = pt;
	return drmm_add_action_or_reset(&tile->xt->drm, pt_top_fini, tile);
}

/**
 * xetile_pt_top_entry() - the last entry of each root
 * @tile: tile of the root
 *
 * Context: any.
 * Return: the entry, which points to the tables of xetile_pt_top_init().
 */
u64 xetile_pt_top_entry(const struct xetile_tile *tile)
{
	return xetile_pde_encode(tile->top->dpa, false);
}

/**
 * xetile_pt_top_link() - have an address space use the tables of xetile_pt_top_init()
 * @tree: tree that nobody else knows yet
 */
void xetile_pt_top_link(struct xetile_pt_tree *tree)
{
	writeq(xetile_pt_top_entry(tree->tile), tree->root->map + PVC_PT_ENTRIES - 1);
	/* Another CPU may be the first to load a context, and its barrier drains only its own. */
	wmb();
}
