// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_pt_scratch.h"

#include <linux/err.h>
#include <linux/io.h>

#include <drm/drm_managed.h>

#include "regs/pvc_gtt.h"

#include "card/xetile_tile.h"
#include "mem/xetile_pt_table.h"
#include "mem/xetile_pte.h"
#include "xetile_device.h"

/**
 * DOC: address spaces in which nothing faults
 *
 * A user may want an address space whose unmapped addresses read zero, and where what is written to
 * them is dropped. There an entry that maps nothing is a leaf without memory. Leaves have 1 GiB at
 * most, so further up such an entry points to a table of entries that map nothing either. These
 * tables are the same for all address spaces, so each tile has one of each level, made at probe.
 *
 * A page of memory in place of the missing memory would let clients that cannot reach each other
 * exchange data.
 *
 * The driver's own copies of entries are 0 all the same where nothing is mapped: only what is
 * written into HBM differs, see xetile_pt_value().
 */

/* The highest level with leaves */
#define LEAF_LEVEL	2

static_assert(LEAF_LEVEL + XETILE_PT_SCRATCH_TABLES == PVC_PT_LEVELS - 1);

static void pt_scratch_fini(struct drm_device *drm, void *arg)
{
	struct xetile_pt_scratch *scratch = arg;
	unsigned int i;

	/* Nobody may get the memory while writes of ours are on their way. */
	wmb();
	for (i = 0; i < XETILE_PT_SCRATCH_TABLES; i++)
		if (scratch->tables[i])
			xetile_pt_free(scratch->tables[i]);
}

/**
 * xetile_pt_scratch_init() - make the tables of a tile that stand where nothing is mapped
 * @tile: tile whose HBM is known
 *
 * They go with the DRM device, after the last address space.
 *
 * Context: process.
 * Return: 0, -ENOSPC or -ENOMEM.
 */
int xetile_pt_scratch_init(struct xetile_tile *tile)
{
	static const enum xetile_leaf leaf[] = {
		XETILE_LEAF_4K, XETILE_LEAF_2M, XETILE_LEAF_1G,
	};
	struct drm_device *drm = &tile->xt->drm;
	struct xetile_pt_scratch *scratch = drmm_kzalloc(drm, sizeof(*scratch), GFP_KERNEL);
	unsigned int level;
	int err;

	if (!scratch)
		return -ENOMEM;
	err = drmm_add_action(drm, pt_scratch_fini, scratch);
	if (err)
		return err;
	for (level = 0; level <= LEAF_LEVEL; level++)
		scratch->empty[level] = xetile_pte_encode(0, leaf[level], XETILE_PTE_NULL);
	scratch->compact = xetile_pte_encode(0, XETILE_LEAF_64K, XETILE_PTE_NULL);
	for (level = LEAF_LEVEL; level < PVC_PT_LEVELS - 1; level++) {
		struct xetile_pt *pt = xetile_pt_create(tile, NULL, scratch, level, false, 0);

		if (IS_ERR(pt))
			return PTR_ERR(pt);
		scratch->tables[level - LEAF_LEVEL] = pt;
		scratch->empty[level + 1] = xetile_pde_encode(pt->dpa, false);
	}
	/* The tables must be complete before an address space points to them. */
	wmb();
	tile->scratch = scratch;
	return 0;
}
