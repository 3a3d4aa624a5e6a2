// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_pte.h"

#include "regs/pvc_gtt.h"

/**
 * DOC: entries of page tables
 *
 * Encoders of entries; bit positions: regs/pvc_gtt.h. Tables, and all that is not asked for
 * otherwise, are accessed write-back, PAT index 3 of the table the driver programs. Device atomics
 * are allowed on HBM only: the card cannot do them on system memory. Pure: no lock, no allocation,
 * no device.
 */

#define PAT_WB		(PVC_PTE_PAT0 | PVC_PTE_PAT1)

/* Entries of the PAT with which the card looks into the CPU's caches: those that are write-back */
#define COHERENT_PATS	(BIT(3) | BIT(5) | BIT(7))
#define SZ_PTE_4K	0x1000ull
#define SZ_PTE_2M	0x200000ull

/**
 * xetile_pde_encode() - entry that points to a table; also the root pointer of
 *	a context
 * @table: device physical address of the table
 * @compact: the table is a compact one (64 KiB pages)
 *
 * Context: any.
 *
 * Return: the entry. Tables always lie in HBM, so there is no bit that says so.
 */
u64 xetile_pde_encode(u64 table, bool compact)
{
	return (table & PVC_PTE_ADDR_MASK) | PVC_PTE_PRESENT | PVC_PTE_WRITE | PAT_WB |
	       (compact ? PVC_PDE_COMPACT : 0);
}

/* The bits of a leaf that name an entry of the PAT. The third one is elsewhere in a big leaf. */
static u64 pat_bits(u32 flags, enum xetile_leaf leaf)
{
	u32 pat = (flags & XETILE_PTE_PAT_MASK) >> XETILE_PTE_PAT_SHIFT ^ XETILE_PAT_WB;
	u64 high = leaf >= XETILE_LEAF_2M ? PVC_PDE_LEAF_PAT2 : PVC_PTE_PAT2;

	return (pat & BIT(0) ? PVC_PTE_PAT0 : 0) | (pat & BIT(1) ? PVC_PTE_PAT1 : 0) |
	       (pat & BIT(2) ? high : 0);
}

/**
 * xetile_pte_encode() - entry that maps memory
 * @addr: device physical address, or DMA address with XETILE_PTE_SYSTEM; aligned to the leaf;
 *	ignored with XETILE_PTE_NULL
 * @leaf: size of the leaf
 * @flags: mask of XETILE_PTE_*
 *
 * Context: any.
 *
 * Return: the entry.
 */
u64 xetile_pte_encode(u64 addr, enum xetile_leaf leaf, u32 flags)
{
	u64 pte = PVC_PTE_PRESENT | pat_bits(flags, leaf);

	if (!(flags & XETILE_PTE_READONLY))
		pte |= PVC_PTE_WRITE;
	if (flags & XETILE_PTE_NULL) {
		pte |= PVC_PTE_NULL;
		addr = 0;
	} else if (!(flags & XETILE_PTE_SYSTEM)) {
		pte |= PVC_PTE_DM | PVC_PTE_AE;
	}

	switch (leaf) {
	case XETILE_LEAF_4K:
		return pte | (addr & PVC_PTE_ADDR_MASK);
	case XETILE_LEAF_PS64:
		return pte | (addr & PVC_PTE_ADDR_MASK) | PVC_PTE_PS64;
	case XETILE_LEAF_64K:
		return pte | (addr & PVC_PTE_64K_ADDR_MASK);
	case XETILE_LEAF_2M:
		return pte | (addr & PVC_PDE_2M_ADDR_MASK) | PVC_PDE_2M;
	case XETILE_LEAF_1G:
		return pte | (addr & PVC_PDPE_1G_ADDR_MASK) | PVC_PDPE_1G;
	}
	return 0;
}

/**
 * xetile_pte_encode_pages() - entries that map pages of 4 KiB
 * @ptes: in: the address of each page, as of xetile_pte_encode(); out: its entry
 * @num: pages
 * @leaf: XETILE_LEAF_4K or XETILE_LEAF_PS64
 * @flags: mask of XETILE_PTE_*
 *
 * Context: any.
 */
void xetile_pte_encode_pages(u64 *ptes, unsigned int num, enum xetile_leaf leaf, u32 flags)
{
	u64 bits = xetile_pte_encode(0, leaf, flags);
	u64 mask = flags & XETILE_PTE_NULL ? 0 : PVC_PTE_ADDR_MASK;
	unsigned int i;

	for (i = 0; i < num; i++)
		ptes[i] = (ptes[i] & mask) | bits;
}

/**
 * xetile_pte_split() - entry of a table that takes the place of a big leaf
 * @pte: the leaf
 * @level: its level, 1 or 2
 * @i: index in the new table, one level below, 0..511
 *
 * Context: any.
 *
 * Return: an entry that translates as the leaf did.
 */
u64 xetile_pte_split(u64 pte, unsigned int level, unsigned int i)
{
	u64 index = pte & PVC_PTE_NULL ? 0 : i;
	u64 pat2 = pte & PVC_PDE_LEAF_PAT2 ? PVC_PTE_PAT2 : 0;

	if (level == 2)
		return pte + index * SZ_PTE_2M;
	/* That a leaf is big, and its attributes, are said where a page has other bits. */
	pte &= ~(PVC_PDE_2M | PVC_PDE_LEAF_PAT2);
	return (pte | pat2 | PVC_PTE_PS64) + index * SZ_PTE_4K;
}

/**
 * xetile_pte_expand() - entry of a normal table that takes the place of a
 *	compact one
 * @pte: the compact table's entry for these 64 KiB, or 0
 * @i: index in the new table, 0..511
 *
 * Context: any.
 *
 * Return: an entry that translates as the compact table did.
 */
u64 xetile_pte_expand(u64 pte, unsigned int i)
{
	u64 index = pte & PVC_PTE_NULL ? 0 : i % 16;

	return pte ? (pte | PVC_PTE_PS64) + index * SZ_PTE_4K : 0;
}

/**
 * xetile_pte_lone() - entry of a page of 4 KiB that was a part of a page of 64 KiB
 * @pte: the first of the 16 entries of a page of system memory, or without memory
 * @i: which of them, 0..15
 *
 * Context: any.
 *
 * Return: an entry that translates as it did, whatever the others become.
 */
u64 xetile_pte_lone(u64 pte, unsigned int i)
{
	return (pte & ~PVC_PTE_PS64) + (pte & PVC_PTE_NULL ? 0 : i * SZ_PTE_4K);
}

/**
 * xetile_ggtt_encode() - entry of the global page table
 * @addr: device physical address with @device, else DMA address
 * @device: the page is in HBM
 *
 * Context: any.
 *
 * Return: the entry, or 0, which maps nothing, if it has no room for the address: with bits cut off
 * it would let the card write to somebody else's page.
 */
u64 xetile_ggtt_encode(u64 addr, bool device)
{
	if (addr & ~PVC_GGTT_ADDR_MASK)
		return 0;
	return addr | PVC_GGTT_PRESENT | (device ? PVC_GGTT_DM : 0);
}

/**
 * xetile_pat_is_coherent() - does the card look into the CPU's caches
 * @index: number of an entry of the PAT, below XETILE_NUM_PATS
 *
 * If it does not, it may read of system memory what was there before the kernel cleared it: only
 * memory that no CPU has in a cache may be mapped so.
 *
 * Context: any.
 *
 * Return: whether it does when it uses memory that is mapped with that entry.
 */
bool xetile_pat_is_coherent(unsigned int index)
{
	return COHERENT_PATS & BIT(index);
}
