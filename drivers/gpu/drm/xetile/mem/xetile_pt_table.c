// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_pt_table.h"

#include <linux/err.h>
#include <linux/io.h>
#include <linux/list.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "mem/xetile_hbm.h"

/**
 * DOC: one page table
 *
 * 4 KiB of a tile's HBM, written by the CPU through BAR2.
 *
 * For every table above level 0, and for compact ones, the driver keeps a copy of the entries as
 * they will be when all sealed changes are committed: leaves can be split without knowing what they
 * map, and nothing is ever read back from the card. Of a normal level 0 table the driver only
 * remembers for each group of 16 entries which of them are in use, or, if they are one page of 64
 * KiB, the first one: that is all it needs to split the page.
 *
 * Callers hold the lock of the address space, unless nobody else knows the table yet, or any more.
 */

/* Have all entries map nothing */
static void fill_empty(struct xetile_pt *pt)
{
	unsigned int num = pt->compact ? PVC_PT_COMPACT_ENTRIES : PVC_PT_ENTRIES, i;
	u64 empty = xetile_pt_value(pt, 0);

	memset_io(pt->map, 0, PVC_PT_TABLE_SIZE);
	for (i = 0; empty && i < num; i++)
		writeq(empty, pt->map + i);
}

/**
 * xetile_pt_create() - make an empty table
 * @tile: tile it lies on
 * @account: of the file it is made for, or NULL
 * @scratch: of the tile, if what nothing is mapped to is not to fault; or NULL
 * @level: 0 to PVC_PT_LEVELS - 1
 * @compact: level 0 with 32 entries of 64 KiB
 * @addr: the first GPU address it translates
 *
 * What the CPU writes may not have reached HBM yet on return. May sleep.
 *
 * Return: the table, or an ERR_PTR: -EDQUOT, -ENOSPC, -ENOMEM.
 */
struct xetile_pt *xetile_pt_create(struct xetile_tile *tile, struct xetile_account *account,
				   const struct xetile_pt_scratch *scratch, unsigned int level,
				   bool compact, u64 addr)
{
	/* A compact table has as many entries as a normal one of level 0 has groups. */
	unsigned int num = level ? PVC_PT_ENTRIES : PVC_PT_COMPACT_ENTRIES;
	struct xetile_pt *pt;
	int err = -ENOMEM;

	pt = kzalloc_obj(*pt, GFP_KERNEL_ACCOUNT);
	if (!pt)
		return ERR_PTR(err);
	pt->entries = kcalloc(num, sizeof(*pt->entries), GFP_KERNEL_ACCOUNT);
	if (!pt->entries)
		goto err_free;
	err = xetile_hbm_alloc(tile, PVC_PT_TABLE_SIZE, account, &pt->dpa, &pt->cookie);
	if (err)
		goto err_free;
	pt->tile = tile;
	pt->addr = addr;
	pt->scratch = scratch;
	pt->level = level;
	pt->compact = compact;
	pt->num_entries = num;
	pt->map = xetile_hbm_map(tile, pt->dpa, PVC_PT_TABLE_SIZE);
	INIT_LIST_HEAD(&pt->fresh);
	INIT_LIST_HEAD(&pt->retired);
	fill_empty(pt);
	return pt;

err_free:
	kfree(pt->entries);
	kfree(pt);
	return ERR_PTR(err);
}

/**
 * xetile_pt_free() - free a table
 * @pt: table that nothing walks; the tables below it stay
 */
void xetile_pt_free(struct xetile_pt *pt)
{
	xetile_hbm_free(pt->tile, pt->cookie);
	kfree(pt->entries);
	kfree(pt);
}

/**
 * xetile_pt_free_all() - free a table and all below it
 * @pt: table that nothing walks
 */
void xetile_pt_free_all(struct xetile_pt *pt)
{
	unsigned int i;

	for (i = 0; i < pt->num_entries && pt->num_children; i++) {
		if (!pt->entries[i].child)
			continue;
		xetile_pt_free_all(pt->entries[i].child);
		pt->num_children--;
		/* An address space may have a million tables. */
		cond_resched();
	}
	xetile_pt_free(pt);
}
