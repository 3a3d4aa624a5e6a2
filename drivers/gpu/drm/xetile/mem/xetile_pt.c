// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_pt.h"

#include <linux/err.h>
#include <linux/io.h>
#include <linux/sizes.h>

#include "regs/pvc_gtt.h"

#include "mem/xetile_pt_table.h"
#include "mem/xetile_pte.h"

/**
 * DOC: the page tables of an address space on one tile
 *
 * Five levels. An address space makes a tree for each tile, and frees it. Entries change by &struct
 * xetile_pt_update, but for the window of a tile's own copies, whose tables only
 * xetile_pt_window_set() changes. Nobody but the address space knows a tree while it is made or
 * freed, so no lock is needed then.
 */

#define ROOT_LEVEL	(PVC_PT_LEVELS - 1)

/**
 * xetile_pt_tree_init() - make the page tables of an address space
 * @tree: the tree
 * @tile: tile the tables lie on
 * @account: of the file it is made for; NULL: the kernel's own
 * @scratch: of @tile, if what nothing is mapped to is not to fault; or NULL
 *
 * Return: 0, -EDQUOT, -ENOSPC or -ENOMEM.
 */
int xetile_pt_tree_init(struct xetile_pt_tree *tree, struct xetile_tile *tile,
			struct xetile_account *account, const struct xetile_pt_scratch *scratch)
{
	struct xetile_pt *root = xetile_pt_create(tile, account, scratch, ROOT_LEVEL, false, 0);

	if (IS_ERR(root))
		return PTR_ERR(root);
	/* Another CPU may be the first to write an entry: ours must not arrive after it. */
	wmb();
	tree->tile = tile;
	tree->root = root;
	return 0;
}

/**
 * xetile_pt_tree_fini() - free the page tables of an address space
 * @tree: the tree; it may be one that was never made
 *
 * Nothing may walk the tables any more. May sleep.
 */
void xetile_pt_tree_fini(struct xetile_pt_tree *tree)
{
	if (tree->root)
		xetile_pt_free_all(tree->root);
	tree->root = NULL;
}

/**
 * xetile_pt_tree_root() - root pointer, as a context wants it (PDP0)
 * @tree: the tree
 *
 * Return: the encoded pointer.
 */
u64 xetile_pt_tree_root(const struct xetile_pt_tree *tree)
{
	return xetile_pde_encode(tree->root->dpa, false);
}

/**
 * xetile_pt_window() - have a level 0 table for pages that change often
 * @tree: address space nobody uses yet
 * @addr: GPU address, 2 MiB aligned, of 2 MiB in which nothing is mapped
 * @table: out: the table, for xetile_pt_window_set(); it lives as long as @tree
 *
 * Return: 0, -EDQUOT, -ENOSPC or -ENOMEM.
 */
int xetile_pt_window(struct xetile_pt_tree *tree, u64 addr, struct xetile_pt **table)
{
	struct xetile_pt *pt = tree->root;

	while (pt->level) {
		unsigned int i = xetile_pt_index(pt, addr);
		struct xetile_pt_entry *entry = &pt->entries[i];

		if (!entry->child) {
			struct xetile_pt *child;

			child = xetile_pt_create(tree->tile, NULL, pt->scratch, pt->level - 1,
						 false, xetile_pt_entry_addr(pt, i));
			if (IS_ERR(child))
				return PTR_ERR(child);
			xetile_pt_set_entry(pt, i, (struct xetile_pt_entry) {
				.pte = xetile_pde_encode(child->dpa, false), .child = child,
			});
			writeq(entry->pte, pt->map + i);
		}
		pt = entry->child;
	}
	/* As in xetile_pt_tree_init(). */
	wmb();
	/* So that it is not taken for empty; no change will look at its entries. */
	xetile_pt_set_entry(pt, 0, (struct xetile_pt_entry) { .pte = xetile_pt_group_of(1) });
	*table = pt;
	return 0;
}

/**
 * xetile_pt_window_set() - map pages of system memory in a window
 * @table: from xetile_pt_window()
 * @first: first entry to write, 0..511
 * @addr: DMA address of the first page; the pages are contiguous
 * @n: number of pages; @first + @n is at most 512
 *
 * Takes no lock and allocates nothing. The writes may still be on their way on return.
 */
void xetile_pt_window_set(struct xetile_pt *table, unsigned int first, dma_addr_t addr,
			  unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		writeq(xetile_pte_encode(addr + i * SZ_4K, XETILE_LEAF_4K, XETILE_PTE_SYSTEM),
		       table->map + first + i);
}
