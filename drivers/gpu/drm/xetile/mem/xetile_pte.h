/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_PTE_H__
#define __XETILE_PTE_H__

/*
 * Page table entries: pure, host-tested. Level 0 holds 4 KiB pages, level 1
 * leaves are 2 MiB, level 2 leaves 1 GiB; levels are those of pvc_gtt.h.
 */
#include <linux/bits.h>
#include <linux/types.h>

/*
 * Entries of the PAT, the table of ways to access memory that card/xetile_settings.c programs. The
 * driver's own mappings, and those of its own calls, use XETILE_PAT_WB.
 */
#define XETILE_NUM_PATS		8
#define XETILE_PAT_WB		3

/* Flags of a mapping: how it is accessed, and where its memory is */
#define XETILE_PTE_READONLY	BIT(0)
#define XETILE_PTE_SYSTEM	BIT(1)
#define XETILE_PTE_NULL		BIT(2)	/* no memory: reads zero, writes are dropped */
/* Number of an entry of the PAT; flags without one of these bits mean XETILE_PAT_WB */
#define XETILE_PTE_PAT_SHIFT	8
#define XETILE_PTE_PAT_MASK	((XETILE_NUM_PATS - 1) << XETILE_PTE_PAT_SHIFT)
#define XETILE_PTE_PAT(index)	(((index) ^ XETILE_PAT_WB) << XETILE_PTE_PAT_SHIFT)

/** enum xetile_leaf - sizes of leaves */
enum xetile_leaf {
	/** @XETILE_LEAF_4K: level 0, a lone page of system memory */
	XETILE_LEAF_4K,
	/**
	 * @XETILE_LEAF_PS64: level 0, one of 16 pages that are contiguous, and aligned to 64 KiB
	 */
	XETILE_LEAF_PS64,
	/** @XETILE_LEAF_64K: in a compact level 0 table */
	XETILE_LEAF_64K,
	/** @XETILE_LEAF_2M: level 1 */
	XETILE_LEAF_2M,
	/** @XETILE_LEAF_1G: level 2 */
	XETILE_LEAF_1G,
};

u64 xetile_pde_encode(u64 table, bool compact);
u64 xetile_pte_encode(u64 addr, enum xetile_leaf leaf, u32 flags);
void xetile_pte_encode_pages(u64 *ptes, unsigned int num, enum xetile_leaf leaf, u32 flags);
u64 xetile_pte_split(u64 pte, unsigned int level, unsigned int i);
u64 xetile_pte_expand(u64 pte, unsigned int i);
u64 xetile_pte_lone(u64 pte, unsigned int i);
u64 xetile_ggtt_encode(u64 addr, bool device);
bool xetile_pat_is_coherent(unsigned int index);

#endif
