// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_pt_stage.h"

#include <linux/err.h>
#include <linux/io.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/overflow.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>

#include "mem/xetile_hbm.h"
#include "mem/xetile_layout.h"
#include "mem/xetile_pt.h"
#include "mem/xetile_pt_table.h"
#include "mem/xetile_pt_update.h"
#include "mem/xetile_pte.h"

/**
 * DOC: what a change of page tables needs
 *
 * The functions here stage a mapping, an unmapping, or that directories are made or removed: they
 * record which entries of which tables change, make the tables needed for that, and note the tables
 * that go out of use. They write nothing that the hardware may be reading. Binds, and jobs that map
 * a moved buffer anew, call them with the lock of the address space, which this file cannot see.
 */

#define GROUP		XETILE_PT_GROUP

static void note_range(struct xetile_pt_update *upd, u64 start, u64 end)
{
	bool empty = upd->start == upd->end;

	upd->start = empty ? start : min(upd->start, start);
	upd->end = empty ? end : max(upd->end, end);
}

/*
 * No other change of the addresses that these entries translate may be made at the same time.
 * inline, because each bind pays for it.
 */
static inline void note_entries(struct xetile_pt_update *upd, const struct xetile_pt *pt,
				unsigned int first, unsigned int count)
{
	note_range(upd, xetile_pt_entry_addr(pt, first), xetile_pt_entry_addr(pt, first + count));
}

/*
 * Entries of a table that the hardware may be reading are recorded for the
 * commit; a fresh table is linked by no entry yet and written at once.
 */
static int stage_pte(struct xetile_pt_update *upd, struct xetile_pt *pt, unsigned int i, u64 pte)
{
	struct xetile_pt_record *rec;

	if (xetile_pt_is_fresh(pt)) {
		writeq(pte, pt->map + i);
		return 0;
	}
	rec = xetile_pt_log_take(&upd->records, struct_size(rec, ptes, 1));
	if (!rec)
		return -ENOMEM;
	rec->pt = pt;
	rec->first = i;
	rec->count = 1;
	rec->ptes[0] = pte;
	note_entries(upd, pt, i, 1);
	return 0;
}

/* Room for the values of entries of a normal level 0 table that is in use */
static u64 *stage_ptes(struct xetile_pt_update *upd, struct xetile_pt *pt, unsigned int first,
		       unsigned int count)
{
	struct xetile_pt_record *rec;

	rec = xetile_pt_log_take(&upd->records, struct_size(rec, ptes, count));
	if (!rec)
		return NULL;
	rec->pt = pt;
	rec->first = first;
	rec->count = count;
	note_entries(upd, pt, first, count);
	return rec->ptes;
}

static int stage_undo(struct xetile_pt_update *upd, struct xetile_pt *pt, unsigned int i)
{
	struct xetile_pt_undo *undo;

	/* A revert frees fresh tables, so their entries need no undo. */
	if (xetile_pt_is_fresh(pt))
		return 0;
	undo = xetile_pt_log_take(&upd->undo, sizeof(*undo));
	if (!undo)
		return -ENOMEM;
	undo->pt = pt;
	undo->index = i;
	undo->old = pt->entries[i];
	return 0;
}

/* Change an entry of a table above level 0, or of a compact one */
static int stage_entry(struct xetile_pt_update *upd, struct xetile_pt *pt, unsigned int i, u64 pte,
		       struct xetile_pt *child)
{
	struct xetile_pt_entry *entry = &pt->entries[i];
	int err;

	err = stage_undo(upd, pt, i);
	if (!err)
		err = stage_pte(upd, pt, i, pte);
	if (err)
		return err;

	if (entry->child)
		list_add_tail(&entry->child->retired, &upd->retired);
	xetile_pt_set_entry(pt, i, (struct xetile_pt_entry) { .pte = pte, .child = child });
	return 0;
}

/* Change what is known of a group of a normal level 0 table; its entries are staged apart. */
static int stage_group(struct xetile_pt_update *upd, struct xetile_pt *pt, unsigned int g, u64 now)
{
	int err;

	if (pt->entries[g].pte == now)
		return 0;
	err = stage_undo(upd, pt, g);
	if (!err)
		xetile_pt_set_entry(pt, g, (struct xetile_pt_entry) { .pte = now });
	return err;
}

/* Make a table to be linked by entry @i of @pt */
static struct xetile_pt *stage_table(struct xetile_pt_update *upd, const struct xetile_pt *pt,
				     unsigned int i, bool compact)
{
	struct xetile_pt *child = xetile_pt_create(pt->tile, upd->account, pt->level - 1, compact,
						   xetile_pt_entry_addr(pt, i));

	if (!IS_ERR(child))
		list_add_tail(&child->fresh, &upd->fresh);
	return child;
}

/* Have a fresh table translate as the leaf, or the compact table, it replaces */
static void inherit(struct xetile_pt *pt, const struct xetile_pt_entry *from, unsigned int level)
{
	unsigned int i;

	for (i = 0; i < PVC_PT_ENTRIES; i++) {
		u64 pte;

		if (from->child)
			pte = xetile_pte_expand(from->child->entries[i / GROUP].pte, i);
		else
			pte = xetile_pte_split(from->pte, level, i);
		/* Level 0 is made of groups then, each of which its first entry describes. */
		if (pt->level)
			xetile_pt_set_entry(pt, i, (struct xetile_pt_entry) { .pte = pte });
		else if (i % GROUP == 0)
			xetile_pt_set_entry(pt, i / GROUP, (struct xetile_pt_entry) { .pte = pte });
		writeq(pte, pt->map + i);
	}
}

/*
 * The table below an entry. If there is none it is made, and the caller links it. @keep: the
 * new table translates as the entry did before.
 */
static struct xetile_pt *get_child(struct xetile_pt_update *upd, struct xetile_pt *pt,
				   unsigned int i, bool compact, bool keep)
{
	struct xetile_pt_entry *entry = &pt->entries[i];
	struct xetile_pt *child = entry->child;

	if (child && child->compact == compact)
		return child;
	child = stage_table(upd, pt, i, compact);
	if (!IS_ERR(child) && keep && entry->pte)
		inherit(child, entry, pt->level);
	return child;
}

static int link_child(struct xetile_pt_update *upd, struct xetile_pt *pt, unsigned int i,
		      struct xetile_pt *child)
{
	if (pt->entries[i].child == child)
		return 0;
	return stage_entry(upd, pt, i, xetile_pde_encode(child->dpa, child->compact), child);
}

/* struct mapping - what xetile_pt_map() maps */
struct mapping {
	const struct xetile_layout *layout;
	u64 addr;
	u64 offset;
	u32 flags;
};

/* Is [addr, addr + size) of a mapping contiguous in memory, and aligned to its size there? */
static bool in_one_piece(const struct mapping *map, u64 addr, u64 size, u64 *phys)
{
	return xetile_layout_find(map->layout, map->offset + (addr - map->addr), size, phys) ==
	       size && IS_ALIGNED(*phys, size);
}

static bool in_64k_pieces(const struct mapping *map, u64 addr, u64 end)
{
	u64 phys;

	if (!IS_ALIGNED(addr | end, SZ_64K))
		return false;
	/* HBM is handed out in no smaller pieces. */
	if (!(map->flags & XETILE_PTE_SYSTEM))
		return true;
	for (; addr < end; addr += SZ_64K)
		if (!in_one_piece(map, addr, SZ_64K, &phys))
			return false;
	return true;
}

static int map_compact(struct xetile_pt_update *upd, struct xetile_pt *pt, u64 addr, u64 end,
		       const struct mapping *map)
{
	int err = 0;

	for (; !err && addr < end; addr += SZ_64K) {
		u64 phys;

		in_one_piece(map, addr, SZ_64K, &phys);
		err = stage_entry(upd, pt, xetile_pt_index(pt, addr),
				  xetile_pte_encode(phys, XETILE_LEAF_64K, map->flags), NULL);
	}
	return err;
}

/* Encode the entries of [addr, end), which is in one group. Returns: they are one PS64 page. */
static bool encode_group(u64 *ptes, u64 addr, u64 end, const struct mapping *map)
{
	u64 phys, at;
	bool whole = end - addr == SZ_64K && in_one_piece(map, addr, SZ_64K, &phys);

	for (at = addr; at < end; at += SZ_4K) {
		if (whole) {
			*ptes++ = xetile_pte_encode(phys + (at - addr), XETILE_LEAF_PS64,
						    map->flags);
			continue;
		}
		xetile_layout_find(map->layout, map->offset + (at - map->addr), SZ_4K, &phys);
		*ptes++ = xetile_pte_encode(phys, XETILE_LEAF_4K, map->flags);
	}
	return whole;
}

/* Are the entries on both sides of entry @i of one PS64 page? */
static bool cuts_page(const struct xetile_pt *pt, unsigned int i)
{
	return i % GROUP && xetile_pt_group_is_page(pt->entries[i / GROUP].pte);
}

/* Map [addr, end), which is in one group. What stays of a PS64 page becomes pages of 4 KiB. */
static int map_group(struct xetile_pt_update *upd, struct xetile_pt *pt, u64 addr, u64 end,
		     const struct mapping *map)
{
	unsigned int first = xetile_pt_index(pt, addr), n = (end - addr) / SZ_4K;
	unsigned int g = first / GROUP, lo = first, count = n, i;
	u64 old = pt->entries[g].pte, group[GROUP], *ptes = group, now;

	if (cuts_page(pt, first) || cuts_page(pt, first + n)) {
		lo = g * GROUP;
		count = GROUP;
	}
	if (!xetile_pt_is_fresh(pt))
		ptes = stage_ptes(upd, pt, lo, count);
	if (!ptes)
		return -ENOMEM;
	for (i = 0; count > n && i < count; i++)
		ptes[i] = xetile_pte_lone(old, i);
	if (encode_group(ptes + (first - lo), addr, end, map))
		now = ptes[0];
	else
		now = xetile_pt_group_of(xetile_pt_group_mask(old) |
					 GENMASK(first % GROUP + n - 1, first % GROUP));
	for (i = 0; xetile_pt_is_fresh(pt) && i < count; i++)
		writeq(ptes[i], pt->map + lo + i);
	return stage_group(upd, pt, g, now);
}

static int map_normal(struct xetile_pt_update *upd, struct xetile_pt *pt, u64 addr, u64 end,
		      const struct mapping *map)
{
	int err = 0;
	u64 next;

	for (; !err && addr < end; addr = next) {
		next = min(end, round_down(addr, SZ_64K) + SZ_64K);
		err = map_group(upd, pt, addr, next, map);
	}
	return err;
}

/* Leaves exist at levels 1 and 2 */
static bool leaf_fits(const struct xetile_pt *pt, const struct mapping *map, u64 addr, u64 size,
		      u64 *pte)
{
	u64 phys;

	if (pt->level > 2 || size != BIT_ULL(xetile_pt_shift(pt)) ||
	    !in_one_piece(map, addr, size, &phys))
		return false;
	*pte = xetile_pte_encode(phys, pt->level == 2 ? XETILE_LEAF_1G : XETILE_LEAF_2M,
				 map->flags);
	return true;
}

/*
 * A compact table is made where one mapping covers all of its 2 MiB; later mappings may put
 * single 64 KiB pages into it, if each page is contiguous.
 */
static bool want_compact(const struct xetile_pt *pt, unsigned int i, const struct mapping *map,
			 u64 addr, u64 end)
{
	const struct xetile_pt *child = pt->entries[i].child;

	if (pt->level != 1)
		return false;
	if (end - addr < SZ_2M && !(child && child->compact))
		return false;
	return in_64k_pieces(map, addr, end);
}

static int map_range(struct xetile_pt_update *upd, struct xetile_pt *pt, u64 addr, u64 end,
		     const struct mapping *map)
{
	u64 span = BIT_ULL(xetile_pt_shift(pt)), next, pte;
	int err = 0;

	if (pt->level == 0)
		return pt->compact ? map_compact(upd, pt, addr, end, map) :
				     map_normal(upd, pt, addr, end, map);

	for (; !err && addr < end; addr = next) {
		unsigned int i = xetile_pt_index(pt, addr);
		struct xetile_pt *child;

		next = min(end, round_down(addr, span) + span);
		if (leaf_fits(pt, map, addr, next - addr, &pte)) {
			err = stage_entry(upd, pt, i, pte, NULL);
			continue;
		}
		child = get_child(upd, pt, i, want_compact(pt, i, map, addr, next),
				  next - addr < span);
		if (IS_ERR(child))
			return PTR_ERR(child);
		/* A range can be as large as the address space. */
		cond_resched();
		if (fatal_signal_pending(current))
			return -EINTR;
		if (xetile_hbm_is_gone(pt->tile))
			return -ENODEV;
		err = map_range(upd, child, addr, next, map);
		if (!err)
			err = link_child(upd, pt, i, child);
	}
	return err;
}

static int unmap_normal(struct xetile_pt_update *upd, struct xetile_pt *pt, u64 addr, u64 end)
{
	unsigned int first = xetile_pt_index(pt, addr), last = first + (end - addr) / SZ_4K;
	unsigned int lo = cuts_page(pt, first) ? round_down(first, GROUP) : first;
	unsigned int hi = cuts_page(pt, last) ? round_down(last, GROUP) + GROUP : last, i;
	u64 *ptes = NULL;
	int err = 0;

	if (!xetile_pt_is_fresh(pt)) {
		ptes = stage_ptes(upd, pt, lo, hi - lo);
		if (!ptes)
			return -ENOMEM;
	}
	for (i = lo; i < hi; i++) {
		u64 pte = i < first || i >= last ?
			  xetile_pte_lone(pt->entries[i / GROUP].pte, i % GROUP) : 0;

		if (ptes)
			ptes[i - lo] = pte;
		else
			writeq(pte, pt->map + i);
	}
	for (i = first; !err && i < last; i = round_down(i, GROUP) + GROUP) {
		unsigned int to = min(last - 1, i | (GROUP - 1));
		u32 mask = xetile_pt_group_mask(pt->entries[i / GROUP].pte);

		mask &= ~GENMASK(to % GROUP, i % GROUP);
		err = stage_group(upd, pt, i / GROUP, xetile_pt_group_of(mask));
	}
	return err;
}

static int unmap_range(struct xetile_pt_update *upd, struct xetile_pt *pt, u64 addr, u64 end)
{
	u64 span = BIT_ULL(xetile_pt_shift(pt)), next;
	int err = 0;

	if (pt->level == 0 && !pt->compact)
		return unmap_normal(upd, pt, addr, end);

	for (; !err && addr < end; addr = next) {
		unsigned int i = xetile_pt_index(pt, addr);
		struct xetile_pt *child = pt->entries[i].child;

		next = min(end, round_down(addr, span) + span);
		if (!pt->entries[i].pte)
			continue;
		if (next - addr == span) {
			err = stage_entry(upd, pt, i, 0, NULL);
			continue;
		}
		child = get_child(upd, pt, i, child && child->compact &&
				  IS_ALIGNED(addr | next, SZ_64K), true);
		if (IS_ERR(child))
			return PTR_ERR(child);
		err = unmap_range(upd, child, addr, next);
		if (err)
			break;
		/* Remove an empty table: its addresses may never be mapped again. */
		if (!xetile_pt_is_empty(child) || (upd->keep_directories && child->level)) {
			err = link_child(upd, pt, i, child);
			continue;
		}
		err = stage_entry(upd, pt, i, 0, NULL);
		/* A table that was to replace a compact one, and that nothing will link */
		if (!err && list_empty(&child->retired))
			list_add_tail(&child->retired, &upd->retired);
	}
	return err;
}

static int grow_range(struct xetile_pt_update *upd, struct xetile_pt *pt, u64 addr, u64 end)
{
	u64 span = BIT_ULL(xetile_pt_shift(pt)), next;
	int err = 0;

	for (; !err && pt->level > 1 && addr < end; addr = next) {
		unsigned int i = xetile_pt_index(pt, addr);
		struct xetile_pt *child;

		next = min(end, round_down(addr, span) + span);
		/* The mapping itself replaces entries that the range covers whole, and leaves. */
		if (next - addr == span || (pt->entries[i].pte && !pt->entries[i].child))
			continue;
		child = get_child(upd, pt, i, false, false);
		if (IS_ERR(child))
			return PTR_ERR(child);
		err = grow_range(upd, child, addr, next);
		if (!err)
			err = link_child(upd, pt, i, child);
	}
	return err;
}

/**
 * xetile_pt_grow() - stage the directories that a mapping will want
 * @upd: the change
 * @tree: address space on one tile
 * @addr: GPU address, a multiple of 4 KiB
 * @size: bytes, a multiple of 4 KiB
 *
 * Makes empty directories where there are none yet, which changes no translation. The mapping
 * then changes few entries beyond its range, and so overlaps few other changes.
 *
 * Context: process, with the lock of the address space; may sleep.
 * Return: 0, -EDQUOT, -ENOSPC or -ENOMEM; the change must be reverted then.
 */
int xetile_pt_grow(struct xetile_pt_update *upd, struct xetile_pt_tree *tree, u64 addr, u64 size)
{
	return grow_range(upd, tree->root, addr, addr + size);
}

static int prune_range(struct xetile_pt_update *upd, struct xetile_pt *pt, u64 addr, u64 end)
{
	u64 span = BIT_ULL(xetile_pt_shift(pt)), next;
	int err = 0;

	for (; !err && pt->num_children && addr < end; addr = next) {
		unsigned int i = xetile_pt_index(pt, addr);
		struct xetile_pt *child = pt->entries[i].child;

		next = min(end, round_down(addr, span) + span);
		if (!child || !child->level)
			continue;
		err = prune_range(upd, child, addr, next);
		if (!err && xetile_pt_is_empty(child))
			err = stage_entry(upd, pt, i, 0, NULL);
	}
	return err;
}

/**
 * xetile_pt_prune() - stage the removal of directories that translate nothing
 * @upd: the change
 * @tree: address space on one tile
 * @addr: GPU address, a multiple of 4 KiB
 * @size: bytes, a multiple of 4 KiB; directories that translate no part of them stay
 *
 * These are directories that xetile_pt_grow() made, or &xetile_pt_update.keep_directories kept, and
 * that no mapping needs any more.
 *
 * Context: process, with the lock of the address space; may sleep.
 * Return: 0 or -ENOMEM; the change must be reverted then.
 */
int xetile_pt_prune(struct xetile_pt_update *upd, struct xetile_pt_tree *tree, u64 addr, u64 size)
{
	return prune_range(upd, tree->root, addr, addr + size);
}

/**
 * xetile_pt_map() - stage the mapping of a part of an object
 * @upd: the change
 * @tree: address space on one tile
 * @addr: GPU address, a multiple of 4 KiB
 * @size: bytes, a multiple of 4 KiB
 * @layout: where the object lies
 * @offset: offset into the object, a multiple of 4 KiB; @offset + @size is within it
 * @flags: mask of XETILE_PTE_READONLY and XETILE_PTE_NULL; the layout tells where the memory is
 *
 * Replaces earlier mappings of the range. HBM is mapped, and its mappings are cut, in multiples
 * of 64 KiB only: the caller sees to that.
 *
 * Context: process, with the lock of the address space; may sleep.
 * Return: 0, -EDQUOT, -ENOSPC or -ENOMEM, -EIO when the object is not where the GPU reaches it,
 * -EINTR when the task is killed, -ENODEV when the card is gone; the change must be reverted
 * then.
 */
int xetile_pt_map(struct xetile_pt_update *upd, struct xetile_pt_tree *tree, u64 addr, u64 size,
		  const struct xetile_layout *layout, u64 offset, u32 flags)
{
	struct mapping map = {
		.layout = layout,
		.addr = addr,
		.offset = offset,
		.flags = flags | (layout->dma ? XETILE_PTE_SYSTEM : 0),
	};

	if (offset + size > layout->size)
		return -EIO;
	note_range(upd, addr, addr + size);
	return map_range(upd, tree->root, addr, addr + size, &map);
}

/**
 * xetile_pt_map_null() - stage a mapping without memory, which does not fault
 * @upd: the change
 * @tree: address space on one tile
 * @addr: GPU address, a multiple of 4 KiB
 * @size: bytes, a multiple of 4 KiB
 *
 * Uses the biggest leaves that fit.
 *
 * Context: process, with the lock of the address space; may sleep.
 * Return: 0, -EDQUOT, -ENOSPC, -ENOMEM, -EINTR or -ENODEV; the change must be reverted then.
 */
int xetile_pt_map_null(struct xetile_pt_update *upd, struct xetile_pt_tree *tree, u64 addr,
		       u64 size)
{
	/* The layout claims that the memory lies at @addr: then every leaf that fits is aligned. */
	const struct xetile_extent ext = { .addr = addr, .size = size };
	const u64 start = 0;
	const struct xetile_layout layout = {
		.ext = &ext, .start = &start, .num = 1, .size = size,
	};

	return xetile_pt_map(upd, tree, addr, size, &layout, 0, XETILE_PTE_NULL);
}

/**
 * xetile_pt_unmap() - stage the unmapping of a range
 * @upd: the change
 * @tree: address space on one tile
 * @addr: GPU address, a multiple of 4 KiB
 * @size: bytes, a multiple of 4 KiB; parts of it may be unmapped already
 *
 * Context: process, with the lock of the address space; may sleep.
 * Return: 0, -EDQUOT, -ENOSPC or -ENOMEM; the change must be reverted then.
 */
int xetile_pt_unmap(struct xetile_pt_update *upd, struct xetile_pt_tree *tree, u64 addr, u64 size)
{
	/*
	 * A range that an earlier change will unmap has no entry left, but this change must follow
	 * it.
	 */
	note_range(upd, addr, addr + size);
	return unmap_range(upd, tree->root, addr, addr + size);
}
