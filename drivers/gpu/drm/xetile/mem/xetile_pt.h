/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_PT_H__
#define __XETILE_PT_H__

#include <linux/types.h>

struct xetile_account;
struct xetile_pt;
struct xetile_pt_scratch;
struct xetile_tile;

/** struct xetile_pt_tree - the page tables of one address space on one tile */
struct xetile_pt_tree {
	/** @tile: tile in whose HBM the tables lie */
	struct xetile_tile *tile;
	/** @root: the level 4 table */
	struct xetile_pt *root;
};

int xetile_pt_tree_init(struct xetile_pt_tree *tree, struct xetile_tile *tile,
			struct xetile_account *account, const struct xetile_pt_scratch *scratch);
void xetile_pt_tree_fini(struct xetile_pt_tree *tree);
u64 xetile_pt_tree_root(const struct xetile_pt_tree *tree);

int xetile_pt_window(struct xetile_pt_tree *tree, u64 addr, struct xetile_pt **table);
void xetile_pt_window_set(struct xetile_pt *table, unsigned int first, dma_addr_t addr,
			  unsigned int n);

#endif
