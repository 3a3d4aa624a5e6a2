// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_pt_count.h"

#include <linux/bitops.h>
#include <linux/sched.h>

#include "regs/pvc_gtt.h"

#include "mem/xetile_pt.h"
#include "mem/xetile_pt_table.h"

/**
 * DOC: of what page tables consist
 *
 * Counts tables and leaves, for debugfs. It looks at the driver's copies of the entries, as they
 * will be when all changes are made, and reads nothing from the card.
 */

static enum xetile_pt_size size_of(const struct xetile_pt *pt)
{
	switch (pt->level) {
	case 0:
		return XETILE_PT_64K;
	case 1:
		return XETILE_PT_2M;
	default:
		return XETILE_PT_1G;
	}
}

static void count_entry(const struct xetile_pt *pt, u64 pte, struct xetile_pt_counts *counts)
{
	/* A group of a table of pages of 4 KiB, which is not one page of 64 KiB */
	if (!pt->level && !pt->compact && !xetile_pt_group_is_page(pte))
		counts->mapped[XETILE_PT_4K] += hweight32(xetile_pt_group_mask(pte));
	else if (pte & PVC_PTE_NULL)
		counts->null[size_of(pt)]++;
	else if (pte)
		counts->mapped[size_of(pt)]++;
}

static void count_table(const struct xetile_pt *pt, struct xetile_pt_counts *counts)
{
	unsigned int i;

	counts->tables++;
	for (i = 0; i < pt->num_entries; i++) {
		const struct xetile_pt_entry *entry = &pt->entries[i];

		if (entry->child)
			count_table(entry->child, counts);
		else
			count_entry(pt, entry->pte, counts);
	}
	/* An address space may have a million tables. */
	cond_resched();
}

/**
 * xetile_pt_count() - count the tables and leaves of an address space on one tile
 * @tree: its page tables
 * @counts: the numbers are added to these
 *
 * Context: process, with the lock of the address space.
 */
void xetile_pt_count(const struct xetile_pt_tree *tree, struct xetile_pt_counts *counts)
{
	count_table(tree->root, counts);
}
