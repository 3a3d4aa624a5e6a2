/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_PT_COUNT_H__
#define __XETILE_PT_COUNT_H__

#include <linux/types.h>

struct xetile_pt_tree;

/** enum xetile_pt_size - how much a leaf translates, by the bytes alone */
enum xetile_pt_size {
	/** @XETILE_PT_4K: a page of 4 KiB */
	XETILE_PT_4K,
	/** @XETILE_PT_64K: 64 KiB, in a normal table or a compact one */
	XETILE_PT_64K,
	/** @XETILE_PT_2M: 2 MiB */
	XETILE_PT_2M,
	/** @XETILE_PT_1G: 1 GiB */
	XETILE_PT_1G,
	/** @XETILE_PT_SIZES: how many sizes there are */
	XETILE_PT_SIZES,
};

/** struct xetile_pt_counts - of what page tables consist */
struct xetile_pt_counts {
	/** @tables: tables, of 4 KiB of HBM each */
	u64 tables;
	/**
	 * @mapped: leaves, by enum xetile_pt_size; among those of 4 KiB are the ones without memory
	 */
	u64 mapped[XETILE_PT_SIZES];
	/** @null: leaves without memory, as far as @mapped does not count them */
	u64 null[XETILE_PT_SIZES];
};

void xetile_pt_count(const struct xetile_pt_tree *tree, struct xetile_pt_counts *counts);

#endif
