// SPDX-License-Identifier: GPL-2.0-only
/* Page table entries, compared with bit positions that are written as plain numbers */
#include <kunit/test.h>
#include <linux/kernel.h>
#include <linux/sizes.h>

#include "../mem/xetile_pte.c"

/* present 0, write 1, PAT index 3 in bits 3 and 4; atomics 10 and device memory 11 */
#define SYS	(BIT_ULL(0) | BIT_ULL(1) | BIT_ULL(3) | BIT_ULL(4))
#define HBM	(SYS | BIT_ULL(10) | BIT_ULL(11))
#define LARGE	BIT_ULL(7)
#define PS64	BIT_ULL(8)
#define COMPACT	BIT_ULL(6)
#define NOTHING	BIT_ULL(9)
/* the PAT's index: bits 3, 4 and, of a page, 7; of a leaf of 2 MiB and more 12 */
#define PAT(n)	(((n) & 3) * BIT_ULL(3))

static const u64 leaf_size[] = {
	[XETILE_LEAF_4K] = SZ_4K,
	[XETILE_LEAF_PS64] = SZ_4K,
	[XETILE_LEAF_64K] = SZ_64K,
	[XETILE_LEAF_2M] = SZ_2M,
	[XETILE_LEAF_1G] = SZ_1G,
};

#define NUM_ADDRS	1000
#define NUM_PAGES	40

/* Tries each bit of an address alone, and then many bits together. */
static u64 nth_addr(unsigned int i)
{
	return i < 52 ? BIT_ULL(i) : (i * 0x12345670000ull) & GENMASK_ULL(51, 0);
}

struct pte_case {
	const char *name;
	enum xetile_leaf leaf;
	u32 flags;
	u64 bits;
};

static const struct pte_case pte_cases[] = {
	{ "4 KiB of system memory", XETILE_LEAF_4K, XETILE_PTE_SYSTEM, SYS },
	{ "one of 16 pages", XETILE_LEAF_PS64, 0, HBM | PS64 },
	{ "64 KiB", XETILE_LEAF_64K, 0, HBM },
	{ "2 MiB", XETILE_LEAF_2M, 0, HBM | LARGE },
	{ "1 GiB", XETILE_LEAF_1G, 0, HBM | LARGE },
	{ "2 MiB, read only", XETILE_LEAF_2M, XETILE_PTE_READONLY, (HBM | LARGE) & ~BIT_ULL(1) },
	{ "64 KiB of system memory, read only", XETILE_LEAF_64K,
	  XETILE_PTE_READONLY | XETILE_PTE_SYSTEM, SYS & ~BIT_ULL(1) },
	{ "64 KiB, PAT 0", XETILE_LEAF_64K, XETILE_PTE_PAT(0), HBM & ~PAT(3) },
	{ "4 KiB of system memory, PAT 1", XETILE_LEAF_4K, XETILE_PTE_PAT(1) | XETILE_PTE_SYSTEM,
	  (SYS & ~PAT(3)) | PAT(1) },
	{ "one of 16 pages, PAT 6", XETILE_LEAF_PS64, XETILE_PTE_PAT(6),
	  (HBM & ~PAT(3)) | PS64 | PAT(2) | BIT_ULL(7) },
	{ "64 KiB, PAT 7", XETILE_LEAF_64K, XETILE_PTE_PAT(7), HBM | BIT_ULL(7) },
	{ "2 MiB, PAT 4", XETILE_LEAF_2M, XETILE_PTE_PAT(4),
	  (HBM & ~PAT(3)) | LARGE | BIT_ULL(12) },
	{ "1 GiB, PAT 5", XETILE_LEAF_1G, XETILE_PTE_PAT(5),
	  (HBM & ~PAT(3)) | LARGE | PAT(1) | BIT_ULL(12) },
	{ "2 MiB of system memory, read only", XETILE_LEAF_2M,
	  XETILE_PTE_READONLY | XETILE_PTE_SYSTEM, (SYS | LARGE) & ~BIT_ULL(1) },
};

KUNIT_ARRAY_PARAM_DESC(pte, pte_cases, name);

static void pte_leaf(struct kunit *test)
{
	const struct pte_case *c = test->param_value;
	unsigned int i;

	for (i = 0; i < NUM_ADDRS; i++) {
		u64 addr = nth_addr(i) & ~(leaf_size[c->leaf] - 1);

		KUNIT_EXPECT_EQ(test, xetile_pte_encode(addr, c->leaf, c->flags), addr | c->bits);
	}
}

/* Pages that are encoded together have the entries that each has alone. */
static void pte_pages(struct kunit *test)
{
	static const u32 flags[] = {
		XETILE_PTE_SYSTEM, XETILE_PTE_SYSTEM | XETILE_PTE_READONLY, XETILE_PTE_NULL, 0,
	};
	u64 ptes[NUM_PAGES], addr;
	unsigned int f, i;

	for (f = 0; f < ARRAY_SIZE(flags); f++) {
		for (i = 0; i < NUM_PAGES; i++)
			ptes[i] = nth_addr(i * 25) & ~(SZ_4K - 1ull);
		xetile_pte_encode_pages(ptes, NUM_PAGES - 1, XETILE_LEAF_4K, flags[f]);
		for (i = 0; i < NUM_PAGES - 1; i++) {
			addr = nth_addr(i * 25) & ~(SZ_4K - 1ull);
			KUNIT_EXPECT_EQ(test, ptes[i],
					xetile_pte_encode(addr, XETILE_LEAF_4K, flags[f]));
		}
		KUNIT_EXPECT_EQ(test, ptes[i], nth_addr(i * 25) & ~(SZ_4K - 1ull));
	}
}

static void pte_null(struct kunit *test)
{
	enum xetile_leaf leaf;

	/* The address has no meaning in such an entry. */
	for (leaf = XETILE_LEAF_4K; leaf <= XETILE_LEAF_1G; leaf++)
		KUNIT_EXPECT_EQ(test, xetile_pte_encode(nth_addr(50), leaf, XETILE_PTE_NULL),
				xetile_pte_encode(0, leaf, XETILE_PTE_NULL));
	KUNIT_EXPECT_EQ(test, xetile_pte_encode(0, XETILE_LEAF_64K, XETILE_PTE_NULL),
			SYS | NOTHING);
}

static void pte_tables(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < NUM_ADDRS; i++) {
		u64 table = nth_addr(i) & ~(SZ_64K - 1ull), page = table & GENMASK_ULL(45, 0);

		KUNIT_EXPECT_EQ(test, xetile_pde_encode(table, false), table | SYS);
		KUNIT_EXPECT_EQ(test, xetile_pde_encode(table, true), table | SYS | COMPACT);
		KUNIT_EXPECT_EQ(test, xetile_ggtt_encode(page, true), page | 3);
		KUNIT_EXPECT_EQ(test, xetile_ggtt_encode(page, false), page | 1);
	}
}

/* An address that an entry has no room for is refused, and not cut to another address. */
static void pte_ggtt_range(struct kunit *test)
{
	const u64 last = GENMASK_ULL(45, 12);
	unsigned int bit;

	KUNIT_EXPECT_EQ(test, xetile_ggtt_encode(last, false), last | 1);
	for (bit = 46; bit < 64; bit++) {
		KUNIT_EXPECT_EQ(test, xetile_ggtt_encode(BIT_ULL(bit), false), 0);
		KUNIT_EXPECT_EQ(test, xetile_ggtt_encode(BIT_ULL(bit) | SZ_64K, true), 0);
	}
}

/* A split leaf translates as the leaf did, with the same rights. */
static void pte_split(struct kunit *test)
{
	const u64 g = 5ull << 30, m = 7ull << 21, k = 9ull << 16;
	unsigned int n, i;

	for (n = 0; n < 8 * XETILE_NUM_PATS; n++) {
		u32 flags = n % 8 | XETILE_PTE_PAT(n / 8);
		u64 huge = xetile_pte_encode(g, XETILE_LEAF_1G, flags);
		u64 large = xetile_pte_encode(m, XETILE_LEAF_2M, flags);
		u64 compact = xetile_pte_encode(k, XETILE_LEAF_64K, flags);

		for (i = 0; i < 512; i++) {
			u64 part = g + i * (u64)SZ_2M, page = m + i * SZ_4K;
			u64 small = k + i % 16 * SZ_4K;

			KUNIT_ASSERT_EQ(test, xetile_pte_split(huge, 2, i),
					xetile_pte_encode(part, XETILE_LEAF_2M, flags));
			KUNIT_ASSERT_EQ(test, xetile_pte_split(large, 1, i),
					xetile_pte_encode(page, XETILE_LEAF_PS64, flags));
			KUNIT_ASSERT_EQ(test, xetile_pte_expand(compact, i),
					xetile_pte_encode(small, XETILE_LEAF_PS64, flags));
			KUNIT_ASSERT_EQ(test, xetile_pte_expand(0, i), 0);
		}
	}
}

/* What the driver programs as write-back looks into the CPU's caches. */
static void pte_coherent(struct kunit *test)
{
	static const bool coherent[] = { 0, 0, 0, 1, 0, 1, 0, 1 };
	unsigned int i;

	KUNIT_ASSERT_EQ(test, (int)ARRAY_SIZE(coherent), XETILE_NUM_PATS);
	for (i = 0; i < XETILE_NUM_PATS; i++)
		KUNIT_EXPECT_EQ(test, xetile_pat_is_coherent(i), coherent[i]);
	KUNIT_EXPECT_EQ(test, XETILE_PTE_PAT(XETILE_PAT_WB), 0);
}

static struct kunit_case pte_tests[] = {
	KUNIT_CASE_PARAM(pte_leaf, pte_gen_params),
	KUNIT_CASE(pte_pages),
	KUNIT_CASE(pte_null),
	KUNIT_CASE(pte_tables),
	KUNIT_CASE(pte_ggtt_range),
	KUNIT_CASE(pte_split),
	KUNIT_CASE(pte_coherent),
	{}
};

static struct kunit_suite pte_suite = {
	.name = "xetile_pte",
	.test_cases = pte_tests,
};

kunit_test_suite(pte_suite);
