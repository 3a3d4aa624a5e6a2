// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_pt_group.h"

#include <linux/bits.h>
#include <linux/io.h>
#include <linux/minmax.h>
#include <linux/sizes.h>

#include "mem/xetile_layout.h"
#include "mem/xetile_pt_table.h"
#include "mem/xetile_pt_update.h"
#include "mem/xetile_pte.h"

/**
 * DOC: what a change of a table of pages of 4 KiB needs
 *
 * The entries of a normal table of level 0 stand in groups of 64 KiB. A group is one page of
 * 64 KiB, or any of its entries map pages of 4 KiB. What remains of a page of 64 KiB that is cut
 * becomes pages of 4 KiB. xetile_pt_stage.c calls these functions, with the lock of the address
 * space.
 */

#define GROUP		XETILE_PT_GROUP

/* Change what is known of a group of a normal level 0 table; its entries are staged apart. */
static int stage_group(struct xetile_pt_update *upd, struct xetile_pt *pt, unsigned int g, u64 now)
{
	int err;

	if (pt->entries[g].pte == now)
		return 0;
	err = xetile_pt_update_undo(upd, pt, g, 1);
	if (!err)
		xetile_pt_set_entry(pt, g, (struct xetile_pt_entry) { .pte = now });
	return err;
}

/**
 * xetile_pt_in_one_piece() - does a part of a mapping lie in one piece that is aligned to its size
 * @map: the mapping
 * @addr: GPU address of the part
 * @size: its bytes, a power of two
 * @phys: out: where it begins
 *
 * Context: any.
 * Return: whether it does.
 */
bool xetile_pt_in_one_piece(const struct xetile_pt_mapping *map, u64 addr, u64 size, u64 *phys)
{
	return xetile_layout_find(map->layout, map->offset + (addr - map->addr), size, phys) ==
	       size && IS_ALIGNED(*phys, size);
}

/* Are the 16 pages one piece that is aligned to its size? */
static bool is_one_piece(const u64 *addrs)
{
	unsigned int i;

	for (i = 1; i < GROUP && addrs[i] == addrs[0] + i * SZ_4K; i++)
		;
	return i == GROUP && IS_ALIGNED(addrs[0], SZ_64K);
}

/* Encode the entries of [addr, end), which is in one group. Returns: they are one PS64 page. */
static bool encode_group(u64 *ptes, u64 addr, u64 end, const struct xetile_pt_mapping *map)
{
	unsigned int num = (end - addr) / SZ_4K;
	bool whole;

	xetile_layout_pages(map->layout, map->offset + (addr - map->addr), ptes, num);
	whole = num == GROUP && is_one_piece(ptes);
	xetile_pte_encode_pages(ptes, num, whole ? XETILE_LEAF_PS64 : XETILE_LEAF_4K, map->flags);
	return whole;
}

/* Are the entries on both sides of entry @i of one PS64 page? */
static bool cuts_page(const struct xetile_pt *pt, unsigned int i)
{
	return i % GROUP && xetile_pt_group_is_page(pt->entries[i / GROUP].pte);
}

/* Map [addr, end), which is in one group. What stays of a PS64 page becomes pages of 4 KiB. */
static int map_group(struct xetile_pt_update *upd, struct xetile_pt *pt, u64 addr, u64 end,
		     const struct xetile_pt_mapping *map)
{
	unsigned int first = xetile_pt_index(pt, addr), n = (end - addr) / SZ_4K;
	unsigned int g = first / GROUP, lo = first, count = n, i;
	u64 old = pt->entries[g].pte, group[GROUP], *ptes = group, now;

	if (cuts_page(pt, first) || cuts_page(pt, first + n)) {
		lo = g * GROUP;
		count = GROUP;
	}
	if (!xetile_pt_is_fresh(pt))
		ptes = xetile_pt_update_record(upd, pt, lo, count);
	if (!ptes)
		return -ENOMEM;
	for (i = 0; count > n && i < count; i++)
		ptes[i] = xetile_pte_lone(old, i);
	if (encode_group(ptes + (first - lo), addr, end, map))
		now = ptes[0];
	else
		now = xetile_pt_group_of(xetile_pt_group_mask(old) |
					 GENMASK(first % GROUP + n - 1, first % GROUP));
	if (ptes == group)
		for (i = 0; i < count; i++)
			writeq(ptes[i], pt->map + lo + i);
	return stage_group(upd, pt, g, now);
}

/**
 * xetile_pt_group_map() - stage a mapping in a normal table of level 0
 * @upd: the change
 * @pt: the table
 * @addr: GPU address, a multiple of 4 KiB
 * @end: behind the last address, a multiple of 4 KiB; within the table
 * @map: what is mapped
 *
 * Context: process, with the lock of the address space; may sleep.
 * Return: 0 or -ENOMEM; the change must be reverted then.
 */
int xetile_pt_group_map(struct xetile_pt_update *upd, struct xetile_pt *pt, u64 addr, u64 end,
			const struct xetile_pt_mapping *map)
{
	int err = 0;
	u64 next;

	for (; !err && addr < end; addr = next) {
		next = min(end, round_down(addr, SZ_64K) + SZ_64K);
		err = map_group(upd, pt, addr, next, map);
	}
	return err;
}

/**
 * xetile_pt_group_is_all() - does a normal table of level 0 map nothing outside of a range
 * @pt: the table
 * @addr: GPU address, a multiple of 4 KiB
 * @end: behind the last address, a multiple of 4 KiB; within the table
 *
 * Context: process, with the lock of the address space.
 * Return: true if so.
 */
bool xetile_pt_group_is_all(const struct xetile_pt *pt, u64 addr, u64 end)
{
	unsigned int i = xetile_pt_index(pt, addr), stop = i + (end - addr) / SZ_4K, live = 0;

	while (i < stop) {
		unsigned int to = min(stop - 1, i | (GROUP - 1));
		u32 mask = xetile_pt_group_mask(pt->entries[i / GROUP].pte);

		if (mask & ~GENMASK(to % GROUP, i % GROUP))
			return false;
		live += !!mask;
		i = to + 1;
	}
	return live == pt->num_live;
}

/**
 * xetile_pt_group_unmap() - stage an unmapping in a normal table of level 0
 * @upd: the change
 * @pt: the table
 * @addr: GPU address, a multiple of 4 KiB
 * @end: behind the last address, a multiple of 4 KiB; within the table
 *
 * Context: process, with the lock of the address space; may sleep.
 * Return: 0 or -ENOMEM; the change must be reverted then.
 */
int xetile_pt_group_unmap(struct xetile_pt_update *upd, struct xetile_pt *pt, u64 addr, u64 end)
{
	unsigned int first = xetile_pt_index(pt, addr), last = first + (end - addr) / SZ_4K;
	unsigned int lo = cuts_page(pt, first) ? round_down(first, GROUP) : first;
	unsigned int hi = cuts_page(pt, last) ? round_down(last, GROUP) + GROUP : last, i;
	u64 *ptes = NULL;
	int err = 0;

	if (!xetile_pt_is_fresh(pt)) {
		ptes = xetile_pt_update_record(upd, pt, lo, hi - lo);
		if (!ptes)
			return -ENOMEM;
	}
	for (i = lo; i < hi; i++) {
		u64 pte = i < first || i >= last ?
			  xetile_pte_lone(pt->entries[i / GROUP].pte, i % GROUP) :
			  xetile_pt_value(pt, 0);

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
