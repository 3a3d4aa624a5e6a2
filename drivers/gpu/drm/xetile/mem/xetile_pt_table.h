/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_PT_TABLE_H__
#define __XETILE_PT_TABLE_H__

#include <linux/bits.h>
#include <linux/list.h>
#include <linux/types.h>

#include "regs/pvc_gtt.h"

struct xetile_account;
struct xetile_tile;

#define XETILE_PT_GROUP		16	/* entries of a normal level 0 table that are 64 KiB */

/* Tables of a struct xetile_pt_scratch: one for each level between the root and the big leaves */
#define XETILE_PT_SCRATCH_TABLES	2

/** struct xetile_pt_scratch - what entries hold that map nothing, where nothing faults */
struct xetile_pt_scratch {
	/** @empty: such an entry, by level */
	u64 empty[PVC_PT_LEVELS];
	/** @compact: such an entry of a compact table */
	u64 compact;
	/** @tables: tables of such entries, from the lowest level on */
	struct xetile_pt *tables[XETILE_PT_SCRATCH_TABLES];
};

/** struct xetile_pt_entry - an entry as it will be when all sealed changes are committed */
struct xetile_pt_entry {
	/** @pte: its value; 0: it maps nothing, see xetile_pt_value() */
	u64 pte;
	/** @child: the table it points to, NULL for leaves */
	struct xetile_pt *child;
};

/** struct xetile_pt - one table */
struct xetile_pt {
	/** @tile: tile it lies on */
	struct xetile_tile *tile;
	/** @addr: the first GPU address it translates */
	u64 addr;
	/** @dpa: device physical address */
	u64 dpa;
	/** @cookie: of xetile_hbm_alloc() */
	void *cookie;
	/** @map: the CPU's view */
	u64 __iomem *map;
	/** @scratch: what its entries hold that map nothing; NULL: 0, which faults */
	const struct xetile_pt_scratch *scratch;
	/** @level: 0: its entries are leaves */
	unsigned int level;
	/** @compact: level 0 with 32 entries of 64 KiB */
	bool compact;
	/** @fresh: in &xetile_pt_update.fresh until its change is sealed */
	struct list_head fresh;
	/** @retired: in &xetile_pt_update.retired, then in a list of tables to be freed */
	struct list_head retired;
	/** @num_entries: elements of @entries */
	unsigned int num_entries;
	/** @num_live: number of elements of @entries that are not 0 */
	unsigned int num_live;
	/** @num_children: how many of them point to a table */
	unsigned int num_children;
	/**
	 * @entries: one for each entry, or in a normal table of level 0 for each group of
	 *	entries, see xetile_pt_group_mask(); allocated apart, because with the rest they
	 *	would not fit a slab object of 8 KiB
	 */
	struct xetile_pt_entry *entries;
};

/**
 * xetile_pt_set_entry() - change an entry, and the counts of its table
 * @pt: the table; the caller holds the VM's reservation, or nobody else knows the table yet
 * @i: number of the entry
 * @entry: its new value
 */
static inline void xetile_pt_set_entry(struct xetile_pt *pt, unsigned int i,
				       struct xetile_pt_entry entry)
{
	struct xetile_pt_entry *old = &pt->entries[i];

	pt->num_live += !!entry.pte - !!old->pte;
	pt->num_children += !!entry.child - !!old->child;
	*old = entry;
}

/**
 * xetile_pt_shift() - how much an entry translates
 * @pt: the table
 *
 * Return: the binary logarithm of the bytes.
 */
static inline unsigned int xetile_pt_shift(const struct xetile_pt *pt)
{
	return pt->compact ? PVC_PT_COMPACT_SHIFT : PVC_PT_SHIFT(pt->level);
}

/**
 * xetile_pt_index() - which entry translates an address
 * @pt: the table
 * @addr: GPU address; the bits above the table's range are left out
 *
 * Return: number of the entry.
 */
static inline unsigned int xetile_pt_index(const struct xetile_pt *pt, u64 addr)
{
	return (addr >> xetile_pt_shift(pt)) &
	       ((pt->compact ? PVC_PT_COMPACT_ENTRIES : PVC_PT_ENTRIES) - 1);
}

/**
 * xetile_pt_entry_addr() - the first address that an entry translates
 * @pt: the table
 * @i: number of the entry
 *
 * Return: the GPU address.
 */
static inline u64 xetile_pt_entry_addr(const struct xetile_pt *pt, unsigned int i)
{
	return pt->addr + ((u64)i << xetile_pt_shift(pt));
}

/**
 * xetile_pt_is_fresh() - was a table made by a change that is not sealed yet
 * @pt: the table
 *
 * Return: whether it was.
 */
static inline bool xetile_pt_is_fresh(const struct xetile_pt *pt)
{
	return !list_empty(&pt->fresh);
}

/**
 * xetile_pt_is_empty() - does a table translate nothing
 * @pt: the table
 *
 * Return: whether it does not.
 */
static inline bool xetile_pt_is_empty(const struct xetile_pt *pt)
{
	return !pt->num_live;
}

/**
 * xetile_pt_group_is_page() - is a group of a normal level 0 table one page of 64 KiB
 * @group: its element of &xetile_pt.entries: its first entry if so; if not, which of its entries
 *	are in use. The first entry tells the others, so a page can be cut without reading it back.
 *
 * Return: whether it is.
 */
static inline bool xetile_pt_group_is_page(u64 group)
{
	return group & PVC_PTE_PRESENT;
}

/**
 * xetile_pt_group_of() - describe a group that is not one page
 * @mask: its entries that are in use
 *
 * Return: its element of &xetile_pt.entries.
 */
static inline u64 xetile_pt_group_of(u32 mask)
{
	return (u64)mask << XETILE_PT_GROUP;
}

/**
 * xetile_pt_group_mask() - which entries of a group are in use
 * @group: its element of &xetile_pt.entries
 *
 * Return: the mask.
 */
static inline u32 xetile_pt_group_mask(u64 group)
{
	return xetile_pt_group_is_page(group) ? BIT(XETILE_PT_GROUP) - 1 : group >> XETILE_PT_GROUP;
}

/**
 * xetile_pt_value() - an entry as the hardware finds it
 * @pt: the table
 * @pte: the entry; 0: it maps nothing
 *
 * Return: what is written into HBM.
 */
static inline u64 xetile_pt_value(const struct xetile_pt *pt, u64 pte)
{
	if (pte || !pt->scratch)
		return pte;
	return pt->compact ? pt->scratch->compact : pt->scratch->empty[pt->level];
}

struct xetile_pt *xetile_pt_create(struct xetile_tile *tile, struct xetile_account *account,
				   const struct xetile_pt_scratch *scratch, unsigned int level,
				   bool compact, u64 addr);
void xetile_pt_free(struct xetile_pt *pt);
void xetile_pt_free_all(struct xetile_pt *pt);

#endif
