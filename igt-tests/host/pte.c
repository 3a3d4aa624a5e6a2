// SPDX-License-Identifier: MIT
/*
 * Page table entries, against the bit positions of the hardware sheet written
 * as plain numbers.
 */
#include "check.h"
#include "mem/xetile_pte.h"

#define BITS(...) bits((const int[]){ __VA_ARGS__, -1 })

static u64 bits(const int *n)
{
	u64 v = 0;

	for (; *n >= 0; n++)
		v |= 1ull << *n;
	return v;
}

#define EXPECT(got, want) do {						\
	u64 got__ = (got), want__ = (want);				\
	CHECK(got__ == want__, "%#llx, not %#llx", (unsigned long long)got__, \
	      (unsigned long long)want__);				\
} while (0)

static void test_leaves(void)
{
	/* present 0, write 1, PAT index 3 in bits 3 and 4, AE 10, DM 11 */
	u64 hbm = BITS(0, 1, 3, 4, 10, 11);
	u64 sys = BITS(0, 1, 3, 4);
	u64 n;

	for (n = 0; n < 1000; n++) {
		u64 a = n * 0x12345670000ull & 0xfffffffffffffull;
		u64 g = a & ~0x3fffffffull, m = a & ~0x1fffffull, k = a & ~0xffffull;

		EXPECT(xetile_pte_encode(a & ~0xfffull, XETILE_LEAF_4K, XETILE_PTE_SYSTEM),
		       sys | (a & ~0xfffull));
		EXPECT(xetile_pte_encode(a & ~0xfffull, XETILE_LEAF_PS64, 0),
		       hbm | (a & ~0xfffull) | BITS(8));
		EXPECT(xetile_pte_encode(k, XETILE_LEAF_64K, 0), hbm | k);
		EXPECT(xetile_pte_encode(m, XETILE_LEAF_2M, 0), hbm | m | BITS(7));
		EXPECT(xetile_pte_encode(g, XETILE_LEAF_1G, 0), hbm | g | BITS(7));
		EXPECT(xetile_pte_encode(m, XETILE_LEAF_2M,
					 XETILE_PTE_READONLY | XETILE_PTE_SYSTEM),
		       (sys | m | BITS(7)) & ~BITS(1));
		EXPECT(xetile_pde_encode(k, false), k | 0x1b);
		EXPECT(xetile_pde_encode(k, true), k | 0x1b | BITS(6));
		EXPECT(xetile_ggtt_encode(k & 0x3fffffffffffull, true),
		       (k & 0x3fffffffffffull) | 3);
		EXPECT(xetile_ggtt_encode(k & 0x3fffffffffffull, false),
		       (k & 0x3fffffffffffull) | 1);
	}
}

/* A split leaf translates as the leaf did, with the same rights. */
static void test_splits(void)
{
	u32 flags;
	unsigned int i;

	for (flags = 0; flags < 4; flags++)
		for (i = 0; i < 512; i++) {
			u64 g = 5ull << 30, m = 7ull << 21, k = 9ull << 16;

			EXPECT(xetile_pte_split(xetile_pte_encode(g, XETILE_LEAF_1G, flags), 2, i),
			       xetile_pte_encode(g + i * 0x200000ull, XETILE_LEAF_2M, flags));
			EXPECT(xetile_pte_split(xetile_pte_encode(m, XETILE_LEAF_2M, flags), 1, i),
			       xetile_pte_encode(m + i * 0x1000ull, XETILE_LEAF_PS64, flags));
			EXPECT(xetile_pte_expand(xetile_pte_encode(k, XETILE_LEAF_64K, flags), i),
			       xetile_pte_encode(k + i % 16 * 0x1000ull, XETILE_LEAF_PS64, flags));
			EXPECT(xetile_pte_expand(0, i), 0);
		}
}

int main(void)
{
	RUN("entries of every kind", test_leaves());
	RUN("a split leaf translates as before", test_splits());
	return check_end();
}
