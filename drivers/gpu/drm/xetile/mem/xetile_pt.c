// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page tables: five levels, each table 4 KiB of a tile's HBM, written by the CPU
 * through BAR2.
 *
 * For every table above level 0, and for compact ones, the driver keeps a copy of
 * the entries as they will be when all sealed changes are committed: leaves can
 * be split without knowing what they map, and nothing is ever read back from
 * the card. Of a normal level 0 table it only remembers which groups of 64 KiB
 * are in use, which is the granule of binds.
 */
#include <linux/err.h>
#include <linux/io.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "regs/pvc_gtt.h"
#include "mem/xetile_hbm.h"
#include "mem/xetile_pt.h"
#include "mem/xetile_pte.h"

#define ROOT_LEVEL	(PVC_PT_LEVELS - 1)
#define GROUP		16	/* level 0 entries of 64 KiB */
#define SECOND_CHUNK	SZ_1K	/* behind what is in the change itself */
#define CHUNK_BYTES	SZ_16K
#define UNDO_USED	~0u	/* an undo of xetile_pt.used, not of an entry */

struct xetile_pt_entry {
	u64 pte;
	/* the table it points to, NULL for leaves */
	struct xetile_pt *child;
};

/* struct xetile_pt - one table */
struct xetile_pt {
	struct xetile_tile *tile;
	/* the first GPU address it translates */
	u64 addr;
	u64 dpa;
	void *cookie;
	u64 __iomem *map;
	unsigned int level;
	/* level 0 with 32 entries of 64 KiB */
	bool compact;
	/* normal level 0: bit n is set when 64 KiB group n has entries */
	u32 used;
	/* in xetile_pt_update.fresh until its change is sealed */
	struct list_head fresh;
	/* in xetile_pt_update.retired, then in a list of who frees it */
	struct list_head retired;
	unsigned int num_entries;
	/* how many of them are not 0, and how many point to a table */
	unsigned int num_live;
	unsigned int num_children;
	/* on their own: with the rest they would not fit a slab object of 8 KiB */
	struct xetile_pt_entry *entries;
};

/* Entries to write into a table, followed by their values */
struct record {
	struct xetile_pt *pt;
	u32 first;
	u32 count;
	u64 ptes[];
};

struct undo {
	struct xetile_pt *pt;
	u32 index;
	u32 used;
	struct xetile_pt_entry old;
};

static void log_init(struct xetile_pt_log *log)
{
	log->first = (struct xetile_pt_chunk) {
		.data = (u8 *)log->data, .room = sizeof(log->data),
	};
	INIT_LIST_HEAD(&log->chunks);
	list_add(&log->first.link, &log->chunks);
}

static struct xetile_pt_chunk *log_grow(struct xetile_pt_log *log, size_t size)
{
	bool small = list_is_singular(&log->chunks) && sizeof(struct xetile_pt_chunk) + size <=
						       SECOND_CHUNK;
	size_t bytes = small ? SECOND_CHUNK : CHUNK_BYTES;
	struct xetile_pt_chunk *chunk = kmalloc(bytes, GFP_KERNEL_ACCOUNT);

	if (!chunk)
		return NULL;
	chunk->data = (u8 *)(chunk + 1);
	chunk->used = 0;
	chunk->room = bytes - sizeof(*chunk);
	list_add_tail(&chunk->link, &log->chunks);
	return chunk;
}

static void *log_take(struct xetile_pt_log *log, size_t size)
{
	struct xetile_pt_chunk *chunk;
	void *at;

	chunk = list_last_entry(&log->chunks, struct xetile_pt_chunk, link);
	if (chunk->room - chunk->used < size)
		chunk = log_grow(log, size);
	if (!chunk)
		return NULL;
	at = chunk->data + chunk->used;
	chunk->used += size;
	return at;
}

static void log_clear(struct xetile_pt_log *log)
{
	struct xetile_pt_chunk *chunk, *next;

	list_for_each_entry_safe(chunk, next, &log->chunks, link)
		if (chunk != &log->first)
			kfree(chunk);
	log_init(log);
}

/* --- tables -------------------------------------------------------------------- */

static void set_entry(struct xetile_pt *pt, unsigned int i, struct xetile_pt_entry entry)
{
	struct xetile_pt_entry *old = &pt->entries[i];

	pt->num_live += !!entry.pte - !!old->pte;
	pt->num_children += !!entry.child - !!old->child;
	*old = entry;
}

static struct xetile_pt *pt_create(struct xetile_tile *tile, struct xetile_account *account,
				   unsigned int level, bool compact, u64 addr)
{
	unsigned int num = compact ? PVC_PT_COMPACT_ENTRIES : level ? PVC_PT_ENTRIES : 0;
	struct xetile_pt *pt;
	int err = -ENOMEM;

	pt = kzalloc_obj(*pt, GFP_KERNEL_ACCOUNT);
	if (!pt)
		return ERR_PTR(err);
	if (num) {
		pt->entries = kcalloc(num, sizeof(*pt->entries), GFP_KERNEL_ACCOUNT);
		if (!pt->entries)
			goto err_free;
	}
	err = xetile_hbm_alloc(tile, PVC_PT_TABLE_SIZE, account, &pt->dpa, &pt->cookie);
	if (err)
		goto err_free;
	pt->tile = tile;
	pt->addr = addr;
	pt->level = level;
	pt->compact = compact;
	pt->num_entries = num;
	pt->map = xetile_hbm_map(tile, pt->dpa, PVC_PT_TABLE_SIZE);
	INIT_LIST_HEAD(&pt->fresh);
	INIT_LIST_HEAD(&pt->retired);
	memset_io(pt->map, 0, PVC_PT_TABLE_SIZE);
	return pt;

err_free:
	kfree(pt->entries);
	kfree(pt);
	return ERR_PTR(err);
}

static void pt_free(struct xetile_pt *pt)
{
	xetile_hbm_free(pt->tile, pt->cookie);
	kfree(pt->entries);
	kfree(pt);
}

static void pt_free_all(struct xetile_pt *pt)
{
	unsigned int i;

	for (i = 0; i < pt->num_entries && pt->num_children; i++) {
		if (!pt->entries[i].child)
			continue;
		pt_free_all(pt->entries[i].child);
		pt->num_children--;
	}
	pt_free(pt);
}

static unsigned int pt_shift(const struct xetile_pt *pt)
{
	return pt->compact ? PVC_PT_COMPACT_SHIFT : PVC_PT_SHIFT(pt->level);
}

static unsigned int pt_index(const struct xetile_pt *pt, u64 addr)
{
	return (addr >> pt_shift(pt)) &
	       ((pt->compact ? PVC_PT_COMPACT_ENTRIES : PVC_PT_ENTRIES) - 1);
}

static u64 pt_entry_addr(const struct xetile_pt *pt, unsigned int i)
{
	return pt->addr + ((u64)i << pt_shift(pt));
}

static bool pt_is_fresh(const struct xetile_pt *pt)
{
	return !list_empty(&pt->fresh);
}

/*
 * What this CPU wrote to fresh tables may be in its write-combining buffers. Another one
 * may link them, or get their memory, and its barrier drains its own buffers only. (If the
 * caller moves to another CPU meanwhile the switch drains them.)
 */
static void drain_fresh(const struct xetile_pt_update *upd)
{
	if (!list_empty(&upd->fresh))
		wmb(); /* out of this CPU's buffers */
}

static bool pt_is_empty(const struct xetile_pt *pt)
{
	return !pt->num_live && !pt->used;
}

/* --- staging ------------------------------------------------------------------- */

static void note_range(struct xetile_pt_update *upd, u64 start, u64 end)
{
	bool empty = upd->start == upd->end;

	upd->start = empty ? start : min(upd->start, start);
	upd->end = empty ? end : max(upd->end, end);
}

/* What these entries translate, and all below them, is not to be changed at the same time. */
static void note_entries(struct xetile_pt_update *upd, const struct xetile_pt *pt,
			 unsigned int first, unsigned int count)
{
	note_range(upd, pt_entry_addr(pt, first), pt_entry_addr(pt, first + count));
}

/*
 * Entries of a table that the hardware may be reading are recorded for the
 * commit; a fresh table is linked by no entry yet and written at once.
 */
static int stage_pte(struct xetile_pt_update *upd, struct xetile_pt *pt, unsigned int i, u64 pte)
{
	struct record *rec;

	if (pt_is_fresh(pt)) {
		writeq(pte, pt->map + i);
		return 0;
	}
	rec = log_take(&upd->records, struct_size(rec, ptes, 1));
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
	struct record *rec = log_take(&upd->records, struct_size(rec, ptes, count));

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
	struct undo *undo;

	/* A revert frees fresh tables; what they held does not matter then. */
	if (pt_is_fresh(pt))
		return 0;
	undo = log_take(&upd->undo, sizeof(*undo));
	if (!undo)
		return -ENOMEM;
	undo->pt = pt;
	undo->index = i;
	undo->used = pt->used;
	if (i != UNDO_USED)
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

	if (entry->child && entry->child != child)
		list_add_tail(&entry->child->retired, &upd->retired);
	set_entry(pt, i, (struct xetile_pt_entry) { .pte = pte, .child = child });
	return 0;
}

static int stage_used(struct xetile_pt_update *upd, struct xetile_pt *pt, u32 used)
{
	int err;

	if (pt->used == used)
		return 0;
	err = stage_undo(upd, pt, UNDO_USED);
	if (!err)
		pt->used = used;
	return err;
}

/* A table for below entry @i of @pt */
static struct xetile_pt *stage_table(struct xetile_pt_update *upd, const struct xetile_pt *pt,
				     unsigned int i, bool compact)
{
	struct xetile_pt *child = pt_create(pt->tile, upd->account, pt->level - 1, compact,
					    pt_entry_addr(pt, i));

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

		if (from->child) {
			pte = xetile_pte_expand(from->child->entries[i / GROUP].pte, i);
			if (pte)
				pt->used |= BIT(i / GROUP);
		} else {
			pte = xetile_pte_split(from->pte, level, i);
			if (pt->level)
				set_entry(pt, i, (struct xetile_pt_entry) { .pte = pte });
			else
				pt->used = ~0u;
		}
		writeq(pte, pt->map + i);
	}
}

/*
 * The table below an entry, made if there is none. @keep: what the entry
 * translated before must go on to be translated. The caller links it.
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

/* Does [addr, addr + size) of a mapping lie in a row and aligned to its size? */
static bool in_one_piece(const struct mapping *map, u64 addr, u64 size, u64 *phys)
{
	return xetile_layout_find(map->layout, map->offset + (addr - map->addr), size, phys) ==
	       size && IS_ALIGNED(*phys, size);
}

static bool in_64k_pieces(const struct mapping *map, u64 addr, u64 end)
{
	u64 phys;

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
		err = stage_entry(upd, pt, pt_index(pt, addr),
				  xetile_pte_encode(phys, XETILE_LEAF_64K, map->flags), NULL);
	}
	return err;
}

static void encode_group(u64 *ptes, u64 addr, const struct mapping *map)
{
	u64 phys;
	bool whole = in_one_piece(map, addr, SZ_64K, &phys);
	unsigned int i;

	for (i = 0; i < GROUP; i++) {
		u64 at = i * SZ_4K;

		if (whole) {
			ptes[i] = xetile_pte_encode(phys + at, XETILE_LEAF_PS64, map->flags);
			continue;
		}
		xetile_layout_find(map->layout, map->offset + (addr - map->addr) + at, SZ_4K,
				   &phys);
		ptes[i] = xetile_pte_encode(phys, XETILE_LEAF_4K, map->flags);
	}
}

static int map_normal(struct xetile_pt_update *upd, struct xetile_pt *pt, u64 addr, u64 end,
		      const struct mapping *map)
{
	u32 used = pt->used;

	for (; addr < end; addr += SZ_64K) {
		unsigned int first = pt_index(pt, addr), i;
		u64 group[GROUP], *ptes = group;

		if (!pt_is_fresh(pt))
			ptes = stage_ptes(upd, pt, first, GROUP);
		if (!ptes)
			return -ENOMEM;
		encode_group(ptes, addr, map);
		for (i = 0; pt_is_fresh(pt) && i < GROUP; i++)
			writeq(ptes[i], pt->map + first + i);
		used |= BIT(first / GROUP);
	}
	return stage_used(upd, pt, used);
}

/* Leaves exist at levels 1 and 2 */
static bool leaf_fits(const struct xetile_pt *pt, const struct mapping *map, u64 addr, u64 size,
		      u64 *pte)
{
	u64 phys;

	if (pt->level > 2 || size != BIT_ULL(pt_shift(pt)) || !IS_ALIGNED(addr, size) ||
	    !in_one_piece(map, addr, size, &phys))
		return false;
	*pte = xetile_pte_encode(phys, pt->level == 2 ? XETILE_LEAF_1G : XETILE_LEAF_2M,
				 map->flags);
	return true;
}

/*
 * A compact table is made where one mapping covers all of its 2 MiB; what comes
 * later may put single 64 KiB pages into it as long as they are whole.
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
	u64 span = BIT_ULL(pt_shift(pt)), next, pte;
	int err = 0;

	if (pt->level == 0)
		return pt->compact ? map_compact(upd, pt, addr, end, map) :
				     map_normal(upd, pt, addr, end, map);

	for (; !err && addr < end; addr = next) {
		unsigned int i = pt_index(pt, addr);
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
	unsigned int first = pt_index(pt, addr), n = (end - addr) / SZ_4K;
	u64 *ptes;

	if (pt_is_fresh(pt)) {
		memset_io(pt->map + first, 0, n * sizeof(u64));
	} else {
		ptes = stage_ptes(upd, pt, first, n);
		if (!ptes)
			return -ENOMEM;
		memset(ptes, 0, n * sizeof(u64));
	}
	return stage_used(upd, pt, pt->used & ~GENMASK((first + n - 1) / GROUP, first / GROUP));
}

static int unmap_range(struct xetile_pt_update *upd, struct xetile_pt *pt, u64 addr, u64 end)
{
	u64 span = BIT_ULL(pt_shift(pt)), next;
	int err = 0;

	if (pt->level == 0 && !pt->compact)
		return unmap_normal(upd, pt, addr, end);

	for (; !err && addr < end; addr = next) {
		unsigned int i = pt_index(pt, addr);
		struct xetile_pt *child = pt->entries[i].child;

		next = min(end, round_down(addr, span) + span);
		if (!pt->entries[i].pte)
			continue;
		if (next - addr == span) {
			err = stage_entry(upd, pt, i, 0, NULL);
			continue;
		}
		child = get_child(upd, pt, i, child && child->compact, true);
		if (IS_ERR(child))
			return PTR_ERR(child);
		err = unmap_range(upd, child, addr, next);
		if (err)
			break;
		/* A table nobody needs goes; the stretch it stood for may never come back. */
		if (pt_is_empty(child) && !(upd->keep_directories && child->level))
			err = stage_entry(upd, pt, i, 0, NULL);
		else
			err = link_child(upd, pt, i, child);
	}
	return err;
}

/**
 * xetile_pt_update_init() - begin a change
 * @upd: the change
 */
void xetile_pt_update_init(struct xetile_pt_update *upd)
{
	upd->account = NULL;
	log_init(&upd->records);
	log_init(&upd->undo);
	INIT_LIST_HEAD(&upd->fresh);
	INIT_LIST_HEAD(&upd->retired);
	upd->start = 0;
	upd->end = 0;
	upd->keep_directories = false;
}

static int grow_range(struct xetile_pt_update *upd, struct xetile_pt *pt, u64 addr, u64 end)
{
	u64 span = BIT_ULL(pt_shift(pt)), next;
	int err = 0;

	for (; !err && pt->level > 1 && addr < end; addr = next) {
		unsigned int i = pt_index(pt, addr);
		struct xetile_pt *child;

		next = min(end, round_down(addr, span) + span);
		/* What the range covers whole is changed by its own change, as is a leaf. */
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
 * @addr: GPU address, 64 KiB aligned
 * @size: bytes, a multiple of 64 KiB
 *
 * Where there are none yet: empty ones, so that nothing is translated otherwise. What is
 * mapped then changes few entries beyond its range, and is in the way of few others. May
 * sleep; needs the lock of the address space.
 *
 * Return: 0, -EDQUOT, -ENOSPC or -ENOMEM; the change must be reverted then.
 */
int xetile_pt_grow(struct xetile_pt_update *upd, struct xetile_pt_tree *tree, u64 addr, u64 size)
{
	return grow_range(upd, tree->root, addr, addr + size);
}

static int prune_range(struct xetile_pt_update *upd, struct xetile_pt *pt, u64 addr, u64 end)
{
	u64 span = BIT_ULL(pt_shift(pt)), next;
	int err = 0;

	for (; !err && pt->num_children && addr < end; addr = next) {
		unsigned int i = pt_index(pt, addr);
		struct xetile_pt *child = pt->entries[i].child;

		next = min(end, round_down(addr, span) + span);
		if (!child || !child->level)
			continue;
		err = prune_range(upd, child, addr, next);
		if (!err && pt_is_empty(child))
			err = stage_entry(upd, pt, i, 0, NULL);
	}
	return err;
}

/**
 * xetile_pt_prune() - stage that directories go which translate nothing
 * @upd: the change
 * @tree: address space on one tile
 * @addr: GPU address, 64 KiB aligned
 * @size: bytes, a multiple of 64 KiB; only those that translate a part of these
 *
 * What xetile_pt_grow() made, or &xetile_pt_update.keep_directories kept, and nothing wants any
 * more. May sleep; needs the lock of the address space.
 *
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
 * @addr: GPU address, 64 KiB aligned
 * @size: bytes, a multiple of 64 KiB
 * @layout: where the object lies
 * @offset: offset into the object, 64 KiB aligned; @offset + @size is within it
 * @flags: XETILE_PTE_READONLY; where the memory is, the layout tells
 *
 * What was mapped there is replaced. May sleep; needs the lock of the address
 * space.
 *
 * Return: 0, -EDQUOT, -ENOSPC or -ENOMEM, -EIO when the object is not where the GPU
 * reaches it; the change must be reverted then.
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
 * xetile_pt_map_null() - stage that a range maps no memory, and does not fault
 * @upd: the change
 * @tree: address space on one tile
 * @addr: GPU address, 64 KiB aligned
 * @size: bytes, a multiple of 64 KiB
 *
 * In the biggest leaves that fit. May sleep; needs the lock of the address space.
 *
 * Return: 0, -EDQUOT, -ENOSPC or -ENOMEM; the change must be reverted then.
 */
int xetile_pt_map_null(struct xetile_pt_update *upd, struct xetile_pt_tree *tree, u64 addr,
		       u64 size)
{
	/* As if it lay where it is mapped: then every leaf that fits is aligned. */
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
 * @addr: GPU address, 64 KiB aligned
 * @size: bytes, a multiple of 64 KiB; parts of it may be unmapped already
 *
 * May sleep (leaves are split); needs the lock of the address space.
 *
 * Return: 0, -EDQUOT, -ENOSPC or -ENOMEM; the change must be reverted then.
 */
int xetile_pt_unmap(struct xetile_pt_update *upd, struct xetile_pt_tree *tree, u64 addr, u64 size)
{
	/* What an earlier change is going to unmap needs no entry, but is unmapped by then. */
	note_range(upd, addr, addr + size);
	return unmap_range(upd, tree->root, addr, addr + size);
}

/**
 * xetile_pt_retires() - does a staged change take tables out of use
 * @upd: the change
 *
 * An engine keeps upper levels of its walks as it keeps leaves, so that it may go on
 * to walk these tables until its TLB is flushed, whether anything is unmapped or not.
 *
 * Return: true if so.
 */
bool xetile_pt_retires(const struct xetile_pt_update *upd)
{
	return !list_empty(&upd->retired);
}

/**
 * xetile_pt_revert() - undo a change that was staged, all of it
 * @upd: the change; it is done with
 */
void xetile_pt_revert(struct xetile_pt_update *upd)
{
	struct xetile_pt *pt, *next;
	struct xetile_pt_chunk *chunk;

	list_for_each_entry_reverse(chunk, &upd->undo.chunks, link) {
		struct undo *undo = (struct undo *)(chunk->data + chunk->used);

		while (undo-- != (struct undo *)chunk->data) {
			if (undo->index == UNDO_USED)
				undo->pt->used = undo->used;
			else
				set_entry(undo->pt, undo->index, undo->old);
		}
	}
	list_for_each_entry_safe(pt, next, &upd->retired, retired)
		list_del_init(&pt->retired);
	drain_fresh(upd);
	list_for_each_entry_safe(pt, next, &upd->fresh, fresh)
		pt_free(pt);
	log_clear(&upd->undo);
	log_clear(&upd->records);
}

/**
 * xetile_pt_seal() - a change will be committed for sure
 * @upd: the change
 *
 * Needs the lock of the address space under which it was staged. Any CPU may commit it.
 */
void xetile_pt_seal(struct xetile_pt_update *upd)
{
	struct xetile_pt *pt, *next;

	drain_fresh(upd);
	list_for_each_entry_safe(pt, next, &upd->fresh, fresh)
		list_del_init(&pt->fresh);
	log_clear(&upd->undo);
}

static void write_record(const struct record *rec)
{
	unsigned int i;

	if (rec->pt->level) {
		/*
		 * An entry that makes a table visible must not overtake what was
		 * written to that table: BAR2 is write-combining and keeps no order.
		 */
		wmb();
	}
	for (i = 0; i < rec->count; i++)
		writeq(rec->ptes[i], rec->pt->map + rec->first + i);
}

/**
 * xetile_pt_commit() - write a sealed change
 * @upd: the change; it is done with
 * @retired: list that tables out of use are added to, for
 *	xetile_pt_free_retired() when nothing of the address space runs that may
 *	still walk them
 *
 * Allocates nothing and takes no lock: fit for the path that signals fences.
 * The writes have left the CPU on return.
 */
void xetile_pt_commit(struct xetile_pt_update *upd, struct list_head *retired)
{
	struct xetile_pt_chunk *chunk;

	list_for_each_entry(chunk, &upd->records.chunks, link) {
		size_t at = 0;

		while (at < chunk->used) {
			struct record *rec = (struct record *)(chunk->data + at);

			write_record(rec);
			at += struct_size(rec, ptes, rec->count);
		}
	}
	/* Out of the write-combining buffers before a job is started. */
	wmb();
	xetile_pt_discard(upd, retired);
}

/**
 * xetile_pt_discard() - end a sealed change without writing it
 * @upd: the change; it is done with
 * @retired: as of xetile_pt_commit()
 *
 * For a card that is gone.
 */
void xetile_pt_discard(struct xetile_pt_update *upd, struct list_head *retired)
{
	log_clear(&upd->records);
	list_splice_tail_init(&upd->retired, retired);
}

/**
 * xetile_pt_free_retired() - free tables that nothing walks any more
 * @retired: list of xetile_pt_commit()
 *
 * May sleep.
 */
void xetile_pt_free_retired(struct list_head *retired)
{
	struct xetile_pt *pt, *next;

	list_for_each_entry_safe(pt, next, retired, retired)
		pt_free_all(pt);
	INIT_LIST_HEAD(retired);
}

/**
 * xetile_pt_tree_init() - make the page tables of an address space
 * @tree: the tree
 * @tile: tile the tables lie on
 * @account: of the file it is made for; NULL: the kernel's own
 *
 * Return: 0, -EDQUOT, -ENOSPC or -ENOMEM.
 */
int xetile_pt_tree_init(struct xetile_pt_tree *tree, struct xetile_tile *tile,
			struct xetile_account *account)
{
	struct xetile_pt *root = pt_create(tile, account, ROOT_LEVEL, false, 0);

	if (IS_ERR(root))
		return PTR_ERR(root);
	/* Another CPU may be the first to write an entry, which our zeros must not overtake. */
	wmb();
	tree->tile = tile;
	tree->root = root;
	return 0;
}

/**
 * xetile_pt_tree_fini() - free the page tables of an address space
 * @tree: the tree; it may be one that was never made
 *
 * Nothing may walk them any more. May sleep.
 */
void xetile_pt_tree_fini(struct xetile_pt_tree *tree)
{
	if (tree->root)
		pt_free_all(tree->root);
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
 * @addr: GPU address, 2 MiB aligned, of 2 MiB where nothing is mapped
 * @table: out: the table, for xetile_pt_window_set(); it lives as long as @tree
 *
 * Return: 0, -EDQUOT, -ENOSPC or -ENOMEM.
 */
int xetile_pt_window(struct xetile_pt_tree *tree, u64 addr, struct xetile_pt **table)
{
	struct xetile_pt *pt = tree->root;

	while (pt->level) {
		unsigned int i = pt_index(pt, addr);
		struct xetile_pt_entry *entry = &pt->entries[i];

		if (!entry->child) {
			struct xetile_pt *child = pt_create(tree->tile, NULL, pt->level - 1, false,
							    pt_entry_addr(pt, i));

			if (IS_ERR(child))
				return PTR_ERR(child);
			set_entry(pt, i, (struct xetile_pt_entry) {
				.pte = xetile_pde_encode(child->dpa, false), .child = child,
			});
			writeq(entry->pte, pt->map + i);
		}
		pt = entry->child;
	}
	/* As in xetile_pt_tree_init(). */
	wmb();
	pt->used = ~0u;
	*table = pt;
	return 0;
}

/**
 * xetile_pt_window_set() - map pages of system memory in a window
 * @table: from xetile_pt_window()
 * @first: first entry to write, 0..511
 * @addr: DMA address of the first of them, which lie in a row
 * @n: how many; @first + @n is at most 512
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
