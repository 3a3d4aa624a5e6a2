// SPDX-License-Identifier: GPL-2.0-only
/* Which engine owns which slice, and which one a virtual slice is bound to */
#include <kunit/test.h>
#include <linux/kernel.h>

#include "../exec/xetile_cslice_map.c"

/* S66, S69: modes divide the slices there are */
static void cslice_modes(struct kunit *test)
{
	static const u32 expected[] = {
		0, BIT(1), BIT(1) | BIT(2), BIT(1), BIT(1) | BIT(2) | BIT(4),
	};
	u32 present;

	for (present = 0; present < 16; present++)
		KUNIT_EXPECT_EQ(test, xetile_cslice_modes(present), expected[hweight32(present)]);
}

/* S67: in every mode each slice has one owner, told the same by the register */
static void cslice_owners(struct kunit *test)
{
	u32 present;

	for (present = 1; present < 16; present++) {
		u32 modes = xetile_cslice_modes(present);
		unsigned int mode, i;

		for (mode = 1; mode <= 4; mode++) {
			u32 value, engines, all = 0;

			if (!(modes & BIT(mode)))
				continue;
			value = xetile_cslice_register(present, mode);
			engines = xetile_cslice_engines(present, mode);
			KUNIT_EXPECT_EQ(test, hweight32(engines), mode);
			KUNIT_EXPECT_EQ(test, engines & ~present, 0);
			for (i = 0; i < XETILE_CSLICES; i++) {
				u32 owned = xetile_cslice_owned(present, mode, i), told = 0;
				unsigned int s;

				for (s = 0; s < XETILE_CSLICES; s++)
					if ((value >> (3 * s) & 7) == i)
						told |= BIT(s);
				KUNIT_EXPECT_EQ(test, owned, told);
				KUNIT_EXPECT_EQ(test, owned & all, 0);
				KUNIT_EXPECT_EQ(test, hweight32(owned),
						engines & BIT(i) ? hweight32(present) / mode : 0);
				all |= owned;
			}
			KUNIT_EXPECT_EQ(test, all, present);
		}
	}
}

/* S71, S75: least busy, then least bound, then the one it had */
static bool better(const struct xetile_cslice_load *a, const struct xetile_cslice_load *b)
{
	return a->busy != b->busy ? a->busy < b->busy : a->bound < b->bound;
}

static void pick_one(struct kunit *test, const struct xetile_cslice_load *load, u32 candidates,
		     int last)
{
	int got = xetile_cslice_pick(load, candidates, last);
	unsigned int i;

	KUNIT_ASSERT_GE(test, got, 0);
	KUNIT_ASSERT_LT(test, got, XETILE_CSLICES);
	KUNIT_ASSERT_TRUE(test, candidates & BIT(got));
	for (i = 0; i < XETILE_CSLICES; i++)
		if (candidates & BIT(i))
			KUNIT_ASSERT_FALSE(test, better(&load[i], &load[got]));
	if (last >= 0 && candidates & BIT(last) && !better(&load[got], &load[last]))
		KUNIT_ASSERT_EQ(test, got, last);
}

static void cslice_pick(struct kunit *test)
{
	unsigned int code;

	/* busy 0..1 and bound busy..busy + 1 on each of four engines */
	for (code = 0; code < 256; code++) {
		struct xetile_cslice_load load[XETILE_CSLICES];
		unsigned int i;
		u32 candidates;
		int last;

		for (i = 0; i < XETILE_CSLICES; i++) {
			load[i].busy = code >> (2 * i) & 1;
			load[i].bound = load[i].busy + (code >> (2 * i + 1) & 1);
		}
		for (candidates = 1; candidates < 16; candidates++)
			for (last = -1; last < XETILE_CSLICES; last++)
				pick_one(test, load, candidates, last);
	}
}

/* S76: alike processes that come one by one spread by at most one binding */
static void cslice_spread(struct kunit *test)
{
	struct xetile_cslice_load load[XETILE_CSLICES] = { };
	unsigned int n, i;

	for (n = 1; n <= 64; n++) {
		int got = xetile_cslice_pick(load, 0xf, -1);

		KUNIT_ASSERT_GE(test, got, 0);
		load[got].busy++;
		load[got].bound++;
		for (i = 0; i < XETILE_CSLICES; i++) {
			KUNIT_EXPECT_GE(test, load[i].busy, n / XETILE_CSLICES);
			KUNIT_EXPECT_LE(test, load[i].busy, DIV_ROUND_UP(n, XETILE_CSLICES));
		}
	}
}

static struct kunit_case cslice_tests[] = {
	KUNIT_CASE(cslice_modes),
	KUNIT_CASE(cslice_owners),
	KUNIT_CASE(cslice_pick),
	KUNIT_CASE(cslice_spread),
	{}
};

static struct kunit_suite cslice_suite = {
	.name = "xetile_cslice_map",
	.test_cases = cslice_tests,
};

kunit_test_suite(cslice_suite);
