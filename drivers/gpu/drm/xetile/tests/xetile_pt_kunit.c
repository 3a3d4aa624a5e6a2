// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page tables in an HBM that is ordinary memory, under the eyes of KASAN: what
 * is mapped is found by a walk of its own, each allocation fails once, and
 * nothing is lost.
 */
#include <kunit/test.h>
#include <linux/kernel.h>
#include <linux/slab.h>

#include "../mem/xetile_layout.c"
#include "../mem/xetile_pt.c"
#include "../mem/xetile_pt_stage.c"
#include "../mem/xetile_pt_table.c"
#include "../mem/xetile_pt_update.c"

/* Each table is an allocation of its own: whoever writes past it is seen. */
struct fake_table {
	u64 dpa;
	u64 *mem;
	struct list_head link;
};

static struct {
	struct list_head tables;
	u64 next_dpa;
	/* which allocation fails; negative: none */
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
	/* What was there before is noise. */
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

/* Physical address of a byte, and how many bits its leaf covers */
static u64 walk(struct kunit *test, const struct xetile_pt_tree *tree, u64 addr,
		unsigned int *leaf)
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
		*leaf = shift;
		if (shift == 12 || (shift <= 30 && e & BIT(7)))
			return (e & ADDRESS_BITS & ~(BIT_ULL(shift) - 1)) |
			       (addr & (BIT_ULL(shift) - 1));
		table = e & ADDRESS_BITS;
		if (shift == 21 && e & BIT(6)) {
			mem = table_at(table);
			KUNIT_ASSERT_NOT_NULL(test, mem);
			e = mem[addr >> 16 & 31];
			*leaf = 16;
			return e & 1 ? (e & ADDRESS_BITS & ~0xffffull) | (addr & 0xffff) : NOTHING;
		}
	}
}

/* Objects in one piece */
#define PIECE_SIZE	(4ull << 30)

static const u64 from_the_start[] = { 0 };
static const struct xetile_extent aligned_ext = { .addr = 16ull << 30, .size = PIECE_SIZE };
static const struct xetile_extent shifted_ext = {
	.addr = (64ull << 30) + SZ_64K, .size = PIECE_SIZE,
};

static const struct xetile_layout aligned = {
	.ext = &aligned_ext, .start = from_the_start, .num = 1, .size = PIECE_SIZE,
};

static const struct xetile_layout shifted = {
	.ext = &shifted_ext, .start = from_the_start, .num = 1, .size = PIECE_SIZE,
};

static int pt_test_init(struct kunit *test)
{
	INIT_LIST_HEAD(&hbm.tables);
	hbm.next_dpa = 0;
	hbm.fuse = -1;
	return 0;
}

static void finish(struct xetile_pt_update *upd)
{
	LIST_HEAD(retired);

	xetile_pt_seal(upd);
	xetile_pt_commit(upd, &retired);
	xetile_pt_free_retired(&retired);
}

static int map_now(struct xetile_pt_tree *tree, u64 addr, u64 size,
		   const struct xetile_layout *layout, u64 offset)
{
	struct xetile_pt_update upd;
	int err;

	xetile_pt_update_init(&upd);
	err = xetile_pt_map(&upd, tree, addr, size, layout, offset, 0);
	if (err)
		xetile_pt_revert(&upd);
	else
		finish(&upd);
	return err;
}

static int unmap_now(struct xetile_pt_tree *tree, u64 addr, u64 size)
{
	struct xetile_pt_update upd;
	int err;

	xetile_pt_update_init(&upd);
	err = xetile_pt_unmap(&upd, tree, addr, size);
	if (err)
		xetile_pt_revert(&upd);
	else
		finish(&upd);
	return err;
}

struct leaf_case {
	const char *name;
	const struct xetile_layout *layout;
	u64 addr, offset, size;
	unsigned int leaf;
};

static const struct leaf_case leaf_cases[] = {
	{ "1 GiB", &aligned, 1ull << 40, 0, 2ull << 30, 30 },
	{ "a short gigabyte", &aligned, 1ull << 40, 0, SZ_1G - SZ_64K, 21 },
	{ "2 MiB", &aligned, SZ_2M, SZ_2M, SZ_4M, 21 },
	{ "2 MiB, shifted", &shifted, SZ_2M, 0, SZ_4M, 16 },
	{ "a lone 64 KiB", &aligned, SZ_64K, 0, SZ_64K, 12 },
	{ "the top of the space", &aligned, (1ull << 57) - SZ_64K, 0, SZ_64K, 12 },
};

KUNIT_ARRAY_PARAM_DESC(leaf, leaf_cases, name);

static void pt_leaves(struct kunit *test)
{
	const struct leaf_case *c = test->param_value;
	u64 base = c->layout->ext[0].addr + c->offset;
	struct xetile_pt_tree tree = { };
	unsigned int leaf = 0;
	u64 at;

	KUNIT_ASSERT_EQ(test, xetile_pt_tree_init(&tree, NULL, NULL), 0);
	KUNIT_EXPECT_EQ(test, map_now(&tree, c->addr, c->size, c->layout, c->offset), 0);
	for (at = 0; at < c->size; at = at * 2 + SZ_4K) {
		KUNIT_EXPECT_EQ(test, walk(test, &tree, c->addr + at, &leaf), base + at);
		if (!at)
			KUNIT_EXPECT_EQ(test, leaf, c->leaf);
	}
	KUNIT_EXPECT_EQ(test, walk(test, &tree, c->addr + c->size - 1, &leaf), base + c->size - 1);
	KUNIT_EXPECT_EQ(test, walk(test, &tree, c->addr - 1, &leaf), NOTHING);
	KUNIT_EXPECT_EQ(test, unmap_now(&tree, c->addr, c->size), 0);
	KUNIT_EXPECT_EQ(test, walk(test, &tree, c->addr, &leaf), NOTHING);
	KUNIT_EXPECT_EQ(test, tables_left(), 1);
	xetile_pt_tree_fini(&tree);
	KUNIT_EXPECT_EQ(test, tables_left(), 0);
}

/* A hole in a big leaf leaves the rest as it was. */
static void pt_split(struct kunit *test)
{
	const u64 addr = 1ull << 40, hole = addr + SZ_1G + 37 * SZ_64K;
	struct xetile_pt_tree tree = { };
	unsigned int leaf;
	u64 at;

	KUNIT_ASSERT_EQ(test, xetile_pt_tree_init(&tree, NULL, NULL), 0);
	KUNIT_ASSERT_EQ(test, map_now(&tree, addr, 2ull << 30, &aligned, 0), 0);
	KUNIT_ASSERT_EQ(test, unmap_now(&tree, hole, SZ_64K), 0);
	for (at = addr; at < addr + (2ull << 30); at += 17 * SZ_64K + SZ_4K) {
		bool gone = at >= hole && at < hole + SZ_64K;

		KUNIT_EXPECT_EQ(test, walk(test, &tree, at, &leaf),
				gone ? NOTHING : (16ull << 30) + at - addr);
	}
	KUNIT_EXPECT_EQ(test, walk(test, &tree, hole, &leaf), NOTHING);
	KUNIT_EXPECT_EQ(test, walk(test, &tree, hole + SZ_64K - 1, &leaf), NOTHING);
	KUNIT_EXPECT_NE(test, walk(test, &tree, hole - 1, &leaf), NOTHING);
	KUNIT_EXPECT_NE(test, walk(test, &tree, hole + SZ_64K, &leaf), NOTHING);
	xetile_pt_tree_fini(&tree);
	KUNIT_EXPECT_EQ(test, tables_left(), 0);
}

/* Each allocation fails once; until none does nothing has changed. */
static void pt_failures(struct kunit *test)
{
	const u64 addr = (1ull << 48) - SZ_2M - SZ_64K;	/* crosses an entry of the root */
	struct xetile_pt_tree tree = { };
	unsigned int leaf, n;
	int err;

	KUNIT_ASSERT_EQ(test, xetile_pt_tree_init(&tree, NULL, NULL), 0);
	for (n = 0; n < 100; n++) {
		hbm.fuse = n;
		err = map_now(&tree, addr, SZ_8M, &shifted, 0);
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
	xetile_pt_tree_fini(&tree);
	KUNIT_EXPECT_EQ(test, tables_left(), 0);
}

/* What is sealed shows only when it is committed, and can be dropped until then. */
static void pt_late(struct kunit *test)
{
	struct xetile_pt_tree tree = { };
	struct xetile_pt_update upd;
	unsigned int leaf;
	LIST_HEAD(retired);

	KUNIT_ASSERT_EQ(test, xetile_pt_tree_init(&tree, NULL, NULL), 0);
	xetile_pt_update_init(&upd);
	KUNIT_ASSERT_EQ(test, xetile_pt_map(&upd, &tree, SZ_2M, SZ_2M, &aligned, 0, 0), 0);
	xetile_pt_seal(&upd);
	KUNIT_EXPECT_EQ(test, walk(test, &tree, SZ_2M, &leaf), NOTHING);
	xetile_pt_commit(&upd, &retired);
	KUNIT_EXPECT_EQ(test, walk(test, &tree, SZ_2M, &leaf), 16ull << 30);
	xetile_pt_free_retired(&retired);
	/* Past the object's end nothing is mapped. */
	KUNIT_EXPECT_NE(test, map_now(&tree, 0, SZ_2M, &aligned, (4ull << 30) - SZ_64K), 0);
	KUNIT_EXPECT_EQ(test, walk(test, &tree, 0, &leaf), NOTHING);
	xetile_pt_tree_fini(&tree);
	KUNIT_EXPECT_EQ(test, tables_left(), 0);
}

static struct kunit_case pt_tests[] = {
	KUNIT_CASE_PARAM(pt_leaves, leaf_gen_params),
	KUNIT_CASE(pt_split),
	KUNIT_CASE(pt_failures),
	KUNIT_CASE(pt_late),
	{}
};

static struct kunit_suite pt_suite = {
	.name = "xetile_pt",
	.init = pt_test_init,
	.test_cases = pt_tests,
};

kunit_test_suite(pt_suite);
