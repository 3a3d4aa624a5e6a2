// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_pt_stage.h"

#include <linux/err.h>
#include <linux/io.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>

#include "mem/xetile_hbm.h"
#include "mem/xetile_layout.h"
#include "mem/xetile_pt.h"
#include "mem/xetile_pt_group.h"
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

/* Entries that are staged at once; the undo of so many fits a chunk of the log. */
#define MAX_RUN		128u

/*
 * Change entries of a table above level 0, or of a compact one: @n of them, from @first on; the
 * first one becomes @pte, and each further one is larger by @step. Entries of a table that the
 * hardware may be reading are recorded for the commit; a fresh table is linked by no entry yet
 * and written at once.
 */
static int stage_entries(struct xetile_pt_update *upd, struct xetile_pt *pt, unsigned int first,
			 unsigned int n, u64 pte, u64 step, struct xetile_pt *child)
{
	u64 *ptes = NULL;
	unsigned int i;
	int err;

	err = xetile_pt_update_undo(upd, pt, first, n);
	if (!err && !xetile_pt_is_fresh(pt)) {
		ptes = xetile_pt_update_record(upd, pt, first, n);
		err = ptes ? 0 : -ENOMEM;
	}
	if (err)
		return err;

	for (i = 0; i < n; i++, pte += step) {
		const struct xetile_pt_entry *old = &pt->entries[first + i];

		if (old->child)
			list_add_tail(&old->child->retired, &upd->retired);
		xetile_pt_set_entry(pt, first + i,
				    (struct xetile_pt_entry) { .pte = pte, .child = child });
		if (ptes)
			ptes[i] = xetile_pt_value(pt, pte);
		else
			writeq(xetile_pt_value(pt, pte), pt->map + first + i);
	}
	return 0;
}

static int stage_entry(struct xetile_pt_update *upd, struct xetile_pt *pt, unsigned int i, u64 pte,
		       struct xetile_pt *child)
{
	return stage_entries(upd, pt, i, 1, pte, 0, child);
}

/* Make a table to be linked by entry @i of @pt */
static struct xetile_pt *stage_table(struct xetile_pt_update *upd, const struct xetile_pt *pt,
				     unsigned int i, bool compact)
{
	struct xetile_pt *child = xetile_pt_create(pt->tile, upd->account, pt->scratch,
						   pt->level - 1, compact,
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
		unsigned int g = i / XETILE_PT_GROUP;
		u64 pte;

		if (from->child)
			pte = xetile_pte_expand(from->child->entries[g].pte, i);
		else
			pte = xetile_pte_split(from->pte, level, i);
		/* Level 0 is made of groups then, each of which its first entry describes. */
		if (pt->level)
			xetile_pt_set_entry(pt, i, (struct xetile_pt_entry) { .pte = pte });
		else if (i % XETILE_PT_GROUP == 0)
			xetile_pt_set_entry(pt, g, (struct xetile_pt_entry) { .pte = pte });
		writeq(xetile_pt_value(pt, pte), pt->map + i);
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

static bool in_64k_pieces(const struct xetile_pt_mapping *map, u64 addr, u64 end)
{
	u64 phys;

	if (!IS_ALIGNED(addr | end, SZ_64K))
		return false;
	/* HBM is handed out in no smaller pieces. */
	if (!(map->flags & XETILE_PTE_SYSTEM))
		return true;
	for (; addr < end; addr += SZ_64K)
		if (!xetile_pt_in_one_piece(map, addr, SZ_64K, &phys))
			return false;
	return true;
}

/*
 * How many entries of a table in a row, from that of @addr on, can be leaves of one piece of
 * memory? *@pte: out: the first one. There are leaves at levels 1 and 2, and in compact tables.
 */
static unsigned int count_leaves(const struct xetile_pt *pt, const struct xetile_pt_mapping *map,
				 u64 addr, u64 end, u64 *pte)
{
	static const enum xetile_leaf leaf[] = {
		XETILE_LEAF_64K, XETILE_LEAF_2M, XETILE_LEAF_1G,
	};
	unsigned int shift = xetile_pt_shift(pt), n;
	u64 phys;

	n = min_t(u64, (end - addr) >> shift, MAX_RUN);
	if (pt->level > 2 || !n || !IS_ALIGNED(addr, BIT_ULL(shift)))
		return 0;
	/* The first one by itself: a look at all of them visits each page of system memory. */
	if (!xetile_pt_in_one_piece(map, addr, BIT_ULL(shift), &phys))
		return 0;
	n = xetile_layout_find(map->layout, map->offset + (addr - map->addr), (u64)n << shift,
			       &phys) >> shift;
	*pte = xetile_pte_encode(phys, leaf[pt->level], map->flags);
	return n;
}

static int stage_leaves(struct xetile_pt_update *upd, struct xetile_pt *pt, u64 addr,
			unsigned int n, u64 pte, const struct xetile_pt_mapping *map)
{
	u64 step = map->flags & XETILE_PTE_NULL ? 0 : BIT_ULL(xetile_pt_shift(pt));

	return stage_entries(upd, pt, xetile_pt_index(pt, addr), n, pte, step, NULL);
}

static int map_compact(struct xetile_pt_update *upd, struct xetile_pt *pt, u64 addr, u64 end,
		       const struct xetile_pt_mapping *map)
{
	unsigned int n;
	int err = 0;
	u64 pte;

	for (; !err && addr < end; addr += n * (u64)SZ_64K) {
		n = count_leaves(pt, map, addr, end, &pte);
		/* in_64k_pieces() has seen that there is one at least. */
		err = n ? stage_leaves(upd, pt, addr, n, pte, map) : -EIO;
	}
	return err;
}

/*
 * A compact table is made where one mapping covers all of its 2 MiB; later mappings may put
 * single 64 KiB pages into it, if each page is contiguous.
 */
static bool want_compact(const struct xetile_pt *pt, unsigned int i,
			 const struct xetile_pt_mapping *map, u64 addr, u64 end)
{
	const struct xetile_pt *child = pt->entries[i].child;

	if (pt->level != 1)
		return false;
	if (end - addr < SZ_2M && !(child && child->compact))
		return false;
	return in_64k_pieces(map, addr, end);
}

static int map_range(struct xetile_pt_update *upd, struct xetile_pt *pt, u64 addr, u64 end,
		     const struct xetile_pt_mapping *map)
{
	u64 span = BIT_ULL(xetile_pt_shift(pt)), next, pte;
	int err = 0;

	if (pt->level == 0)
		return pt->compact ? map_compact(upd, pt, addr, end, map) :
				     xetile_pt_group_map(upd, pt, addr, end, map);

	for (; !err && addr < end; addr = next) {
		unsigned int i = xetile_pt_index(pt, addr), n;
		struct xetile_pt *child;

		n = count_leaves(pt, map, addr, end, &pte);
		if (n) {
			err = stage_leaves(upd, pt, addr, n, pte, map);
			next = addr + n * span;
			continue;
		}
		next = min(end, round_down(addr, span) + span);
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

/* How many entries of a table in a row are in use, from @i on, which is one of them? */
static unsigned int count_used(const struct xetile_pt *pt, unsigned int i, u64 most)
{
	unsigned int max = min_t(u64, most, MAX_RUN), n = 1;

	while (n < max && pt->entries[i + n].pte)
		n++;
	return n;
}

static int unmap_range(struct xetile_pt_update *upd, struct xetile_pt *pt, u64 addr, u64 end)
{
	u64 span = BIT_ULL(xetile_pt_shift(pt)), next;
	int err = 0;

	if (pt->level == 0 && !pt->compact)
		return xetile_pt_group_unmap(upd, pt, addr, end);

	for (; !err && addr < end; addr = next) {
		unsigned int i = xetile_pt_index(pt, addr), n;
		struct xetile_pt *child = pt->entries[i].child;

		next = min(end, round_down(addr, span) + span);
		if (!pt->entries[i].pte)
			continue;
		if (next - addr == span) {
			n = count_used(pt, i, (end - addr) >> xetile_pt_shift(pt));
			err = stage_entries(upd, pt, i, n, 0, 0, NULL);
			next = addr + n * span;
			continue;
		}
		/* A table that goes as a whole need not be emptied. */
		if (child && !child->level && !child->compact &&
		    xetile_pt_group_is_all(child, addr, next)) {
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
	struct xetile_pt_mapping map = {
		.layout = layout,
		.addr = addr,
		.offset = offset,
		.flags = flags | (layout->dma ? XETILE_PTE_SYSTEM : 0),
	};

	if (offset + size > layout->size)
		return -EIO;
	xetile_pt_update_note(upd, addr, addr + size);
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
	xetile_pt_update_note(upd, addr, addr + size);
	return unmap_range(upd, tree->root, addr, addr + size);
}
