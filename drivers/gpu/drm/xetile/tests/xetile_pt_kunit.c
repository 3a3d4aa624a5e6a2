// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page tables in a fake HBM of ordinary memory, where KASAN finds wrong accesses. The test has its
 * own walk, which finds the mapped pages. Each allocation fails once, and no table is lost.
 */
#include <kunit/test.h>
#include <linux/io.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../mem/xetile_layout.c"
#include "../mem/xetile_pt.c"
#include "../mem/xetile_pt_group.c"
#include "../mem/xetile_pt_stage.c"
#include "../mem/xetile_pt_table.c"
#include "../mem/xetile_pt_update.c"

/* Each table is an allocation of its own, so that KASAN finds a write past the table. */
struct fake_table {
	u64 dpa;
	u64 *mem;
	struct list_head link;
};

static struct {
	struct list_head tables;
	u64 next_dpa;
	/* number of allocations that succeed before the others fail; negative: all succeed */
	int fuse;
} hbm;

int xetile_hbm_alloc(struct xetile_tile *tile, u64 size, struct xetile_account *account, u64 *dpa,
		     void **cookie)
{
	struct fake_table *t;

	if (!hbm.fuse)
		return -ENOSPC;
	if (hbm.fuse > 0)
		hbm.fuse--;
	t = kzalloc(sizeof(*t), GFP_KERNEL);
	if (!t)
		return -ENOMEM;
	t->mem = kmalloc(size, GFP_KERNEL);
	if (!t->mem) {
		kfree(t);
		return -ENOMEM;
	}
	/* The driver must not expect that a new table is zero. */
	memset(t->mem, 0xa5, size);
	hbm.next_dpa += SZ_64K;
	t->dpa = hbm.next_dpa;
	list_add(&t->link, &hbm.tables);
	*dpa = t->dpa;
	*cookie = t;
	return 0;
}

bool xetile_hbm_is_gone(const struct xetile_tile *tile)
{
	return false;
}

void xetile_hbm_free(struct xetile_tile *tile, void *cookie)
{
	struct fake_table *t = cookie;

	list_del(&t->link);
	kfree(t->mem);
	kfree(t);
}

static u64 *table_at(u64 dpa)
{
	struct fake_table *t;

	list_for_each_entry(t, &hbm.tables, link)
		if (t->dpa == dpa)
			return t->mem;
	return NULL;
}

void __iomem *xetile_hbm_map(struct xetile_tile *tile, u64 dpa, u64 size)
{
	return (void __iomem *)table_at(dpa);
}

static unsigned int tables_left(void)
{
	return list_count_nodes(&hbm.tables);
}

#define ADDRESS_BITS	GENMASK_ULL(51, 12)
#define NOTHING		(~0ull)

/* The entry of a leaf, and the number of address bits that the leaf covers */
struct leaf {
	u64 pte;
	unsigned int shift;
};

/* Returns the physical address of a byte, or NOTHING. */
static u64 walk(struct kunit *test, const struct xetile_pt_tree *tree, u64 addr,
		struct leaf *leaf)
{
	u64 table = xetile_pt_tree_root(tree) & ADDRESS_BITS;
	unsigned int shift;

	for (shift = 48; ; shift -= 9) {
		u64 *mem = table_at(table), e;

		KUNIT_ASSERT_NOT_NULL(test, mem);
		e = mem[addr >> shift & 511];
		if (!(e & 1)) {
			KUNIT_EXPECT_EQ(test, e, 0);
			return NOTHING;
		}
		*leaf = (struct leaf){ e, shift };
		if (shift == 12 || (shift <= 30 && e & BIT(7)))
			return (e & ADDRESS_BITS & ~(BIT_ULL(shift) - 1)) |
			       (addr & (BIT_ULL(shift) - 1));
		table = e & ADDRESS_BITS;
		if (shift == 21 && e & BIT(6)) {
			mem = table_at(table);
			KUNIT_ASSERT_NOT_NULL(test, mem);
			e = mem[addr >> 16 & 31];
			*leaf = (struct leaf){ e, 16 };
			return e & 1 ? (e & ADDRESS_BITS & ~0xffffull) | (addr & 0xffff) : NOTHING;
		}
	}
}

/* Returns the address of the level 0 table that translates @addr, or 0. */
static u64 last_table(const struct xetile_pt_tree *tree, u64 addr, bool *compact)
{
	u64 table = xetile_pt_tree_root(tree) & ADDRESS_BITS, e = 0;
	unsigned int shift;

	for (shift = 48; shift > 12; shift -= 9) {
		e = table_at(table)[addr >> shift & 511];
		if (!(e & 1) || (shift <= 30 && e & BIT(7)))
			return 0;
		table = e & ADDRESS_BITS;
	}
	*compact = e & BIT(6);
	return table;
}

#define MOST_CHUNKS	64
#define MOST_PAGES	1024

struct object {
	struct xetile_layout layout;
	struct xetile_extent ext[MOST_CHUNKS];
	u64 start[MOST_CHUNKS];
	u64 dma[MOST_PAGES];
};

/* Objects in one piece, in pieces of 2 MiB or 64 KiB with gaps, and in system memory */
static struct object aligned, shifted, lone, large_chunks, small_chunks, row, scattered, huge;

static void hbm_object(struct object *o, u64 size, u64 chunk, u64 where)
{
	u64 at;

	memset(o, 0, sizeof(*o));
	for (at = 0; at < size; at += chunk) {
		unsigned int i = o->layout.num++;

		o->ext[i].addr = where + 3 * at;
		o->ext[i].size = chunk;
		o->start[i] = at;
	}
	o->layout.ext = o->ext;
	o->layout.start = o->start;
	o->layout.size = size;
}

static void system_object(struct object *o, bool is_scattered, unsigned int shift)
{
	u64 i;

	memset(o, 0, sizeof(*o));
	for (i = 0; i < MOST_PAGES; i++)
		o->dma[i] = (1ull << 40) +
			    (is_scattered && i % 37 < 20 ? i * 3 + 1 : i + shift) * SZ_4K;
	o->layout.dma = o->dma;
	o->layout.size = MOST_PAGES * (u64)SZ_4K;
}

/* Returns the address of a byte of the object, without the driver's code. */
static u64 object_addr(const struct object *o, u64 offset)
{
	unsigned int i = 0;

	if (o->layout.dma)
		return o->dma[offset / SZ_4K] + offset % SZ_4K;
	while (i + 1 < o->layout.num && o->start[i + 1] <= offset)
		i++;
	return o->ext[i].addr + (offset - o->start[i]);
}

static int pt_test_init(struct kunit *test)
{
	INIT_LIST_HEAD(&hbm.tables);
	hbm.next_dpa = 0;
	hbm.fuse = -1;
	hbm_object(&aligned, 4ull << 30, 4ull << 30, 16ull << 30);
	hbm_object(&shifted, 4ull << 30, 4ull << 30, (64ull << 30) + SZ_64K);
	hbm_object(&lone, SZ_64K, SZ_64K, 300ull << 30);
	hbm_object(&large_chunks, SZ_4M, SZ_2M, 128ull << 30);
	hbm_object(&small_chunks, SZ_4M, SZ_64K, 200ull << 30);
	system_object(&row, false, 16 * 3);
	system_object(&scattered, true, 16 * 3);
	system_object(&huge, false, 0);
	return 0;
}

static void finish(struct kunit *test, struct xetile_pt_update *upd)
{
	LIST_HEAD(retired);

	xetile_pt_seal(upd);
	/* In the program for the host another CPU may continue here. */
	KUNIT_EXPECT_LT(test, upd->start, upd->end);
	xetile_pt_commit(upd, &retired);
	xetile_pt_free_retired(&retired);
}

static int map_now(struct kunit *test, struct xetile_pt_tree *tree, u64 addr, u64 size,
		   const struct object *o, u64 offset)
{
	struct xetile_pt_update upd;
	int err;

	xetile_pt_update_init(&upd);
	err = xetile_pt_map(&upd, tree, addr, size, &o->layout, offset, 0);
	if (err)
		xetile_pt_revert(&upd);
	else
		finish(test, &upd);
	return err;
}

static int unmap_now(struct kunit *test, struct xetile_pt_tree *tree, u64 addr, u64 size)
{
	struct xetile_pt_update upd;
	int err;

	xetile_pt_update_init(&upd);
	err = xetile_pt_unmap(&upd, tree, addr, size);
	if (err)
		xetile_pt_revert(&upd);
	else
		finish(test, &upd);
	return err;
}

static void tree_init(struct kunit *test, struct xetile_pt_tree *tree)
{
	memset(tree, 0, sizeof(*tree));
	KUNIT_ASSERT_EQ(test, xetile_pt_tree_init(tree, NULL, NULL, NULL), 0);
}

static void tree_fini(struct kunit *test, struct xetile_pt_tree *tree)
{
	xetile_pt_tree_fini(tree);
	KUNIT_EXPECT_EQ(test, tables_left(), 0);
}

struct leaf_case {
	const char *name;
	const struct object *object;
	u64 addr, offset, size;
	unsigned int shift;
};

static const struct leaf_case leaf_cases[] = {
	{ "1 GiB", &aligned, 1ull << 40, 0, 2ull << 30, 30 },
	{ "1 GiB, shifted by 2 MiB", &aligned, (1ull << 40) + SZ_2M, 0, (2ull << 30) - SZ_2M, 21 },
	{ "a short gigabyte", &aligned, 1ull << 40, 0, SZ_1G - SZ_64K, 21 },
	{ "2 MiB", &aligned, SZ_2M, SZ_2M, SZ_4M, 21 },
	{ "2 MiB in chunks of that", &large_chunks, 1ull << 40, 0, SZ_2M, 21 },
	{ "2 MiB in chunks of 64 KiB", &small_chunks, 1ull << 40, 0, SZ_2M, 16 },
	{ "2 MiB, shifted", &shifted, SZ_2M, 0, SZ_4M, 16 },
	{ "a lone 64 KiB", &aligned, SZ_64K, 0, SZ_64K, 12 },
	{ "a lone chunk of 64 KiB", &small_chunks, 1ull << 40, 0, SZ_64K, 12 },
	{ "system memory in a row", &row, 1ull << 40, 0, SZ_4M, 16 },
	{ "system memory, scattered", &scattered, 1ull << 40, 0, SZ_4M, 12 },
	{ "the top of the space", &aligned, (1ull << 57) - SZ_64K, 0, SZ_64K, 12 },
};

KUNIT_ARRAY_PARAM_DESC(leaf, leaf_cases, name);

static void pt_leaves(struct kunit *test)
{
	const struct leaf_case *c = test->param_value;
	struct xetile_pt_tree tree;
	struct leaf leaf = { };
	u64 at;

	tree_init(test, &tree);
	KUNIT_EXPECT_EQ(test, map_now(test, &tree, c->addr, c->size, c->object, c->offset), 0);
	for (at = 0; at < c->size; at = at * 2 + SZ_4K) {
		KUNIT_EXPECT_EQ(test, walk(test, &tree, c->addr + at, &leaf),
				object_addr(c->object, c->offset + at));
		if (!at)
			KUNIT_EXPECT_EQ(test, leaf.shift, c->shift);
	}
	at = c->size - 1;
	KUNIT_EXPECT_EQ(test, walk(test, &tree, c->addr + at, &leaf),
			object_addr(c->object, c->offset + at));
	KUNIT_EXPECT_EQ(test, walk(test, &tree, c->addr - 1, &leaf), NOTHING);
	KUNIT_EXPECT_EQ(test, unmap_now(test, &tree, c->addr, c->size), 0);
	KUNIT_EXPECT_EQ(test, walk(test, &tree, c->addr, &leaf), NOTHING);
	KUNIT_EXPECT_EQ(test, tables_left(), 1);
	tree_fini(test, &tree);
}

/* A hole in a big leaf does not change the translation of the other addresses. */
static void pt_split(struct kunit *test)
{
	const u64 addr = 1ull << 40, hole = addr + SZ_1G + 37 * SZ_64K;
	struct xetile_pt_tree tree;
	struct leaf leaf;
	u64 at;

	tree_init(test, &tree);
	KUNIT_ASSERT_EQ(test, map_now(test, &tree, addr, 2ull << 30, &aligned, 0), 0);
	KUNIT_ASSERT_EQ(test, unmap_now(test, &tree, hole, SZ_64K), 0);
	for (at = addr; at < addr + (2ull << 30); at += 17 * SZ_64K + SZ_4K) {
		bool gone = at >= hole && at < hole + SZ_64K;

		KUNIT_EXPECT_EQ(test, walk(test, &tree, at, &leaf),
				gone ? NOTHING : (16ull << 30) + at - addr);
	}
	KUNIT_EXPECT_EQ(test, walk(test, &tree, hole, &leaf), NOTHING);
	KUNIT_EXPECT_EQ(test, walk(test, &tree, hole + SZ_64K - 1, &leaf), NOTHING);
	KUNIT_EXPECT_NE(test, walk(test, &tree, hole - 1, &leaf), NOTHING);
	KUNIT_EXPECT_NE(test, walk(test, &tree, hole + SZ_64K, &leaf), NOTHING);
	tree_fini(test, &tree);
}

/* The program for the host has time for more. */
#ifndef FINE_PAGES
#define FINE_PAGES	20
#endif
#define FINE_BASE	BIT_ULL(40)
#define FINE_TABLE	512	/* pages of 4 KiB that a table translates */
#define FINE_FIRST	77	/* where changes begin; groups begin at 80, 96 ... */

/* What is mapped before the change: pages @from to @to, of which the @keep ones stay */
static const struct fine_case {
	const char *name;
	/* NULL: no memory */
	const struct object *object;
	unsigned int from, to, keep_from, keep_to;
} fine_cases[] = {
	{ "nothing", NULL, 0, 0, 0, 0 },
	{ "a page of 2 MiB", &huge, 0, FINE_TABLE, 0, FINE_TABLE },
	{ "a compact table", &row, 0, FINE_TABLE, 0, FINE_TABLE },
	{ "a compact table with one page", &row, 0, FINE_TABLE, 80, 96 },
	{ "pages of 64 KiB", &row, 16, FINE_TABLE, 16, FINE_TABLE },
	{ "one page of 64 KiB", &row, 80, 96, 80, 96 },
	{ "a part of 64 KiB", &row, 80, 96, 85, 96 },
	{ "pages of 4 KiB", &scattered, 16, FINE_TABLE, 16, FINE_TABLE },
	{ "2 MiB without memory", NULL, 0, FINE_TABLE, 0, FINE_TABLE },
	{ "pages without memory", NULL, 70, 120, 70, 120 },
};

KUNIT_ARRAY_PARAM_DESC(fine, fine_cases, name);

enum fine_kind { FINE_UNMAP, FINE_MAP, FINE_NULL, FINE_KINDS };

static int fine_stage(struct xetile_pt_update *upd, struct xetile_pt_tree *tree,
		      enum fine_kind kind, const struct object *o, unsigned int from,
		      unsigned int to)
{
	u64 addr = FINE_BASE + from * (u64)SZ_4K, size = (to - from) * (u64)SZ_4K;

	if (kind == FINE_UNMAP)
		return xetile_pt_unmap(upd, tree, addr, size);
	return kind == FINE_NULL ? xetile_pt_map_null(upd, tree, addr, size) :
	       xetile_pt_map(upd, tree, addr, size, &o->layout, addr - FINE_BASE, 0);
}

static void fine_do(struct kunit *test, struct xetile_pt_tree *tree, enum fine_kind kind,
		    const struct object *o, unsigned int from, unsigned int to)
{
	struct xetile_pt_update upd;

	if (from == to)
		return;
	xetile_pt_update_init(&upd);
	KUNIT_ASSERT_EQ(test, fine_stage(&upd, tree, kind, o, from, to), 0);
	finish(test, &upd);
}

static void fine_check(struct kunit *test, const struct xetile_pt_tree *tree, unsigned int page,
		       enum fine_kind kind, const struct object *o, u64 *group)
{
	u64 at = page * (u64)SZ_4K, phys;
	struct leaf leaf = { };

	phys = walk(test, tree, FINE_BASE + at, &leaf);
	if (kind == FINE_UNMAP)
		KUNIT_EXPECT_EQ(test, phys, NOTHING);
	else if (kind == FINE_MAP)
		KUNIT_EXPECT_EQ(test, phys, object_addr(o, at));
	/* The entry of a page without memory has no address, in whatever leaf. */
	if (kind == FINE_NULL)
		KUNIT_EXPECT_EQ(test, leaf.pte & (ADDRESS_BITS | BIT_ULL(9)), BIT_ULL(9));
	/* All entries of a group say that they are one page of 64 KiB, or none does. */
	if (page % 16 == 0)
		*group = leaf.pte;
	if (leaf.shift == 12)
		KUNIT_EXPECT_EQ(test, leaf.pte & BIT(8), *group & BIT(8));
	if (leaf.shift == 12 && leaf.pte & BIT(8))
		KUNIT_EXPECT_EQ(test, leaf.pte,
				*group + (kind == FINE_NULL ? 0 : at % SZ_64K));
}

/* What was mapped before the change, unless the change is of the page */
static void fine_check_all(struct kunit *test, const struct xetile_pt_tree *tree,
			   const struct fine_case *c, enum fine_kind kind, unsigned int from,
			   unsigned int to)
{
	unsigned int i;
	u64 group = 0;

	for (i = 64; i < 64 + 48 + FINE_PAGES; i++) {
		enum fine_kind was = c->object ? FINE_MAP : FINE_NULL;

		if (i < c->keep_from || i >= c->keep_to)
			was = FINE_UNMAP;
		if (i >= from && i < to)
			fine_check(test, tree, i, kind, &scattered, &group);
		else
			fine_check(test, tree, i, was, c->object, &group);
	}
}

static void fine_one(struct kunit *test, const struct fine_case *c, enum fine_kind kind,
		     unsigned int from, unsigned int to)
{
	struct xetile_pt_update upd;
	struct xetile_pt_tree tree;

	tree_init(test, &tree);
	fine_do(test, &tree, c->object ? FINE_MAP : FINE_NULL, c->object, c->from, c->to);
	fine_do(test, &tree, FINE_UNMAP, NULL, c->from, c->keep_from);
	fine_do(test, &tree, FINE_UNMAP, NULL, c->keep_to, c->to);
	xetile_pt_update_init(&upd);
	KUNIT_EXPECT_EQ(test, fine_stage(&upd, &tree, kind, &scattered, from, to), 0);
	xetile_pt_revert(&upd);
	fine_check_all(test, &tree, c, kind, 0, 0);
	fine_do(test, &tree, kind, &scattered, from, to);
	fine_check_all(test, &tree, c, kind, from, to);
	/* What stays of the older mapping keeps the table. */
	fine_do(test, &tree, FINE_UNMAP, NULL, from, to);
	fine_check_all(test, &tree, c, FINE_UNMAP, from, to);
	fine_do(test, &tree, FINE_UNMAP, NULL, 0, FINE_TABLE / 2 + 1);
	fine_do(test, &tree, FINE_UNMAP, NULL, FINE_TABLE / 2 + 1, FINE_TABLE);
	KUNIT_EXPECT_EQ(test, tables_left(), 1);
	tree_fini(test, &tree);
}

/* System memory is mapped, unmapped and cut by pages of 4 KiB: each range, over anything. */
static void pt_fine(struct kunit *test)
{
	unsigned int from, to;
	enum fine_kind kind;

	for (from = FINE_FIRST; from < FINE_FIRST + FINE_PAGES; from++)
		for (to = from + 1; to <= FINE_FIRST + FINE_PAGES; to++)
			for (kind = FINE_UNMAP; kind < FINE_KINDS; kind++)
				fine_one(test, test->param_value, kind, from, to);
}

/* Each allocation fails once; a change with a failed allocation changes no mapping. */
static void pt_failures(struct kunit *test)
{
	const u64 addr = (1ull << 48) - SZ_2M - SZ_64K;	/* crosses an entry of the root */
	struct xetile_pt_tree tree;
	struct leaf leaf;
	unsigned int n;
	int err;

	tree_init(test, &tree);
	for (n = 0; n < 100; n++) {
		hbm.fuse = n;
		err = map_now(test, &tree, addr, SZ_8M, &shifted, 0);
		hbm.fuse = -1;
		if (!err)
			break;
		KUNIT_EXPECT_EQ(test, err, -ENOSPC);
		KUNIT_EXPECT_EQ(test, tables_left(), 1);
		KUNIT_EXPECT_EQ(test, walk(test, &tree, addr, &leaf), NOTHING);
	}
	KUNIT_EXPECT_EQ(test, err, 0);
	KUNIT_EXPECT_GT(test, n, 5);
	KUNIT_EXPECT_EQ(test, walk(test, &tree, addr + SZ_4M, &leaf),
			(64ull << 30) + SZ_64K + SZ_4M);
	tree_fini(test, &tree);
}

/* A sealed change has no effect on translations until it is committed. */
static void pt_late(struct kunit *test)
{
	struct xetile_pt_update upd;
	struct xetile_pt_tree tree;
	struct leaf leaf;
	LIST_HEAD(retired);

	tree_init(test, &tree);
	xetile_pt_update_init(&upd);
	KUNIT_ASSERT_EQ(test, xetile_pt_map(&upd, &tree, SZ_2M, SZ_2M, &aligned.layout, 0, 0), 0);
	xetile_pt_seal(&upd);
	KUNIT_EXPECT_EQ(test, walk(test, &tree, SZ_2M, &leaf), NOTHING);
	xetile_pt_commit(&upd, &retired);
	KUNIT_EXPECT_EQ(test, walk(test, &tree, SZ_2M, &leaf), 16ull << 30);
	xetile_pt_free_retired(&retired);
	tree_fini(test, &tree);
}

/* A mapping must not reach past the object's end, but may reach the end of the address space. */
static void pt_bounds(struct kunit *test)
{
	struct xetile_pt_update upd;
	struct xetile_pt_tree tree;
	struct leaf leaf;

	tree_init(test, &tree);
	KUNIT_EXPECT_NE(test, map_now(test, &tree, 0, SZ_2M, &aligned, (4ull << 30) - SZ_64K), 0);
	KUNIT_EXPECT_NE(test, map_now(test, &tree, 0, 2 * SZ_64K, &lone, 0), 0);
	KUNIT_EXPECT_EQ(test, walk(test, &tree, 0, &leaf), NOTHING);

	xetile_pt_update_init(&upd);
	KUNIT_EXPECT_EQ(test, xetile_pt_map(&upd, &tree, (1ull << 57) - SZ_64K, SZ_64K,
					    &lone.layout, 0, 0), 0);
	xetile_pt_revert(&upd);
	KUNIT_EXPECT_EQ(test, walk(test, &tree, (1ull << 57) - SZ_64K, &leaf), NOTHING);
	KUNIT_EXPECT_EQ(test, tables_left(), 1);
	tree_fini(test, &tree);
}

/* The window through which the driver's own copies on a tile reach system memory */
static void pt_window(struct kunit *test)
{
	const u64 addr = 0x1234000;
	struct xetile_pt_tree tree;
	struct xetile_pt *table = NULL;
	struct leaf leaf = { };
	unsigned int i;

	tree_init(test, &tree);
	KUNIT_ASSERT_EQ(test, xetile_pt_window(&tree, SZ_2M, &table), 0);
	KUNIT_ASSERT_NOT_NULL(test, table);
	xetile_pt_window_set(table, 509, addr, 3);
	/* In the driver the caller has this barrier before a job uses the pages. */
	wmb();
	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_EQ(test, walk(test, &tree, SZ_4M - (3 - i) * SZ_4K, &leaf),
				addr + i * SZ_4K);
		/* The bit for device memory is not set. */
		KUNIT_EXPECT_EQ(test, leaf.pte & BIT(11), 0);
	}
	KUNIT_EXPECT_EQ(test, walk(test, &tree, SZ_2M, &leaf), NOTHING);
	tree_fini(test, &tree);
}

/* Maps @o, or unmaps when @o is NULL. Returns whether the change says that it retires tables. */
static bool retires(struct kunit *test, struct xetile_pt_tree *tree, u64 addr, u64 size,
		    const struct object *o)
{
	struct xetile_pt_update upd;
	bool says;
	int err;

	xetile_pt_update_init(&upd);
	err = o ? xetile_pt_map(&upd, tree, addr, size, &o->layout, 0, 0) :
		  xetile_pt_unmap(&upd, tree, addr, size);
	KUNIT_ASSERT_EQ(test, err, 0);
	says = xetile_pt_retires(&upd);
	finish(test, &upd);
	return says;
}

/*
 * An engine keeps pointers to tables, and the driver invalidates these pointers only for a change
 * that unmaps pages or says that it retires tables. Therefore no other change may free a table.
 */
static void pt_retires(struct kunit *test)
{
	struct xetile_pt_tree tree;
	bool compact = false;
	u64 kept, now;

	tree_init(test, &tree);
	/* 2 MiB in pieces of 64 KiB have a compact table, and a hole keeps the table. */
	KUNIT_EXPECT_FALSE(test, retires(test, &tree, 0, SZ_2M, &small_chunks));
	KUNIT_EXPECT_FALSE(test, retires(test, &tree, SZ_64K, SZ_64K, NULL));
	kept = last_table(&tree, 0, &compact);
	KUNIT_ASSERT_NE(test, kept, 0);
	KUNIT_EXPECT_TRUE(test, compact);
	/* 64 KiB in a row fit into the compact table. */
	KUNIT_EXPECT_FALSE(test, retires(test, &tree, SZ_64K, SZ_64K, &lone));
	KUNIT_EXPECT_FALSE(test, retires(test, &tree, SZ_64K, SZ_64K, NULL));
	now = last_table(&tree, 0, &compact);
	KUNIT_EXPECT_EQ(test, now, kept);
	/* 4 KiB pages do not fit: no page is unmapped, but a new table replaces the compact one. */
	KUNIT_EXPECT_TRUE(test, retires(test, &tree, SZ_64K, SZ_64K, &scattered));
	now = last_table(&tree, 0, &compact);
	KUNIT_EXPECT_NE(test, now, 0);
	KUNIT_EXPECT_NE(test, now, kept);
	KUNIT_EXPECT_FALSE(test, compact);
	KUNIT_EXPECT_NULL(test, table_at(kept));
	/* Any mapping fits into the new table. */
	KUNIT_EXPECT_FALSE(test, retires(test, &tree, SZ_64K, SZ_64K, NULL));
	KUNIT_EXPECT_FALSE(test, retires(test, &tree, SZ_64K, SZ_64K, &scattered));
	/* A leaf of 2 MiB replaces the table. */
	KUNIT_EXPECT_TRUE(test, retires(test, &tree, 0, SZ_2M, &large_chunks));
	tree_fini(test, &tree);
}

/* Pruning frees empty directories: those that were kept, and those that were made for later. */
static void pt_prune(struct kunit *test)
{
	const u64 start = 3ull << 30, later = 9ull << 40;
	struct xetile_pt_update upd;
	struct xetile_pt_tree tree;
	unsigned int before, kept;

	tree_init(test, &tree);
	KUNIT_ASSERT_EQ(test, map_now(test, &tree, 3ull << 40, SZ_64K, &lone, 0), 0);
	before = tables_left();
	KUNIT_ASSERT_EQ(test, map_now(test, &tree, start, SZ_64K, &lone, 0), 0);
	xetile_pt_update_init(&upd);
	upd.keep_directories = true;
	KUNIT_EXPECT_EQ(test, xetile_pt_unmap(&upd, &tree, start, SZ_64K), 0);
	finish(test, &upd);
	kept = tables_left();
	KUNIT_EXPECT_GT(test, kept, before);

	xetile_pt_update_init(&upd);
	KUNIT_EXPECT_EQ(test, xetile_pt_grow(&upd, &tree, later, SZ_64K), 0);
	finish(test, &upd);
	KUNIT_EXPECT_GT(test, tables_left(), kept);

	xetile_pt_update_init(&upd);
	KUNIT_EXPECT_EQ(test, xetile_pt_prune(&upd, &tree, start, later + (1ull << 40) - start), 0);
	KUNIT_EXPECT_TRUE(test, xetile_pt_retires(&upd));
	finish(test, &upd);
	KUNIT_EXPECT_EQ(test, tables_left(), before);
	tree_fini(test, &tree);
}

static struct kunit_case pt_tests[] = {
	KUNIT_CASE_PARAM(pt_leaves, leaf_gen_params),
	KUNIT_CASE(pt_split),
	KUNIT_CASE_PARAM(pt_fine, fine_gen_params),
	KUNIT_CASE(pt_failures),
	KUNIT_CASE(pt_late),
	KUNIT_CASE(pt_bounds),
	KUNIT_CASE(pt_window),
	KUNIT_CASE(pt_retires),
	KUNIT_CASE(pt_prune),
	{}
};

static struct kunit_suite pt_suite = {
	.name = "xetile_pt",
	.init = pt_test_init,
	.test_cases = pt_tests,
};

kunit_test_suite(pt_suite);
