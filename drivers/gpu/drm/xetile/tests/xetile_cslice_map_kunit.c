// SPDX-License-Identifier: GPL-2.0-only
/* The engine that owns each slice, and the engine to which a virtual slice is bound */
#include <kunit/test.h>
#include <linux/kernel.h>

#include "../exec/xetile_cslice_map.c"

/* The number of values of busy, and of bound minus busy, that are tried; the host tries more. */
#ifndef LOADS
#define LOADS	2
#endif

/* S66, S69: the driver allows the modes that divide the number of present slices. */
static void cslice_modes(struct kunit *test)
{
	static const u32 expected[] = {
		0, BIT(1), BIT(1) | BIT(2), BIT(1), BIT(1) | BIT(2) | BIT(4),
	};
	u32 present;

	for (present = 0; present < 16; present++)
		KUNIT_EXPECT_EQ(test, xetile_cslice_modes(present), expected[hweight32(present)]);
}

/* The owner of a slice in a value of CCS_MODE, computed without the driver's macros */
static unsigned int field(u32 value, unsigned int slice)
{
	return value >> (3 * slice) & 7;
}

static void mode_owners(struct kunit *test, u32 present, unsigned int mode)
{
	u32 engines = xetile_cslice_engines(present, mode), all = 0;
	u32 value = xetile_cslice_register(present, mode);
	unsigned int i, s;

	KUNIT_EXPECT_EQ(test, hweight32(engines), mode);
	KUNIT_EXPECT_EQ(test, engines & ~present, 0);
	KUNIT_EXPECT_EQ(test, value >> 12, 0);
	for (i = 0; i < XETILE_CSLICES; i++) {
		u32 owned = xetile_cslice_owned(present, mode, i), told = 0;

		for (s = 0; s < XETILE_CSLICES; s++)
			if (field(value, s) == i)
				told |= BIT(s);
		KUNIT_EXPECT_EQ(test, owned, told);
		KUNIT_EXPECT_EQ(test, owned & all, 0);
		KUNIT_EXPECT_EQ(test, hweight32(owned),
				engines & BIT(i) ? hweight32(present) / mode : 0);
		all |= owned;
		/* A missing slice has no owner. */
		if (!(present & BIT(i)))
			KUNIT_EXPECT_EQ(test, field(value, i), 7);
	}
	KUNIT_EXPECT_EQ(test, all, present);
}

/* S67: in every mode each slice has one owner, and the register says the same. */
static void cslice_owners(struct kunit *test)
{
	u32 present;

	for (present = 1; present < 16; present++) {
		u32 modes = xetile_cslice_modes(present);
		unsigned int mode;

		for (mode = 1; mode <= 4; mode++)
			if (modes & BIT(mode))
				mode_owners(test, present, mode);
	}
	/* The values that Intel's drivers write */
	KUNIT_EXPECT_EQ(test, xetile_cslice_register(0xf, 1), 0x000);
	KUNIT_EXPECT_EQ(test, xetile_cslice_register(0xf, 2), 0x208);
	KUNIT_EXPECT_EQ(test, xetile_cslice_register(0xf, 4), 0x688);
}

/* S71, S75: a less busy engine is better, then a less bound one, then the former one. */
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
	const unsigned int loads = LOADS * LOADS;
	unsigned int code;

	for (code = 0; code < loads * loads * loads * loads; code++) {
		struct xetile_cslice_load load[XETILE_CSLICES];
		unsigned int i, rest = code;
		u32 candidates;
		int last;

		for (i = 0; i < XETILE_CSLICES; i++, rest /= loads) {
			load[i].busy = rest % LOADS;
			load[i].bound = load[i].busy + rest / LOADS % LOADS;
		}
		for (candidates = 1; candidates < 16; candidates++)
			for (last = -1; last < XETILE_CSLICES; last++)
				pick_one(test, load, candidates, last);
	}
}

/* S76: equal processes come one by one: the bindings of two slices differ by at most one. */
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

/* All that a tile can say: three modes, lent or not, and none, one or several others with work */
#define LENDERS	18

static struct xetile_cslice_lender lender(unsigned int code)
{
	static const unsigned int working[] = { 0, 1, 5 };

	return (struct xetile_cslice_lender) {
		.mode = 1 << code % 3, .lends = code / 3 % 2, .working = working[code / 6],
	};
}

static void lenders(struct kunit *test, const struct xetile_cslice_lender *tiles, unsigned int num)
{
	unsigned int loan = xetile_cslice_loan(tiles, num), claims, t, most = 0, mode = 1;
	bool idle = true;

	for (t = 0; t < num; t++) {
		idle = idle && tiles[t].lends && !tiles[t].working;
		most = max(most, tiles[t].working + !tiles[t].lends);
		mode = max(mode, tiles[t].mode);
	}
	claims = xetile_cslice_claims(tiles, num);
	KUNIT_ASSERT_EQ(test, claims, most);
	KUNIT_ASSERT_EQ(test, !claims, idle);
	KUNIT_ASSERT_EQ(test, loan, idle ? mode : 1);
}

/* W17: a queue borrows where all its tiles are idle and lent, and some mode of them is not 1. */
static void cslice_loan(struct kunit *test)
{
	struct xetile_cslice_lender tiles[LOADS + 1];
	unsigned int code, num, t, rest, codes = 1;

	for (num = 1; num <= ARRAY_SIZE(tiles); num++) {
		codes *= LENDERS;
		for (code = 0; code < codes; code++) {
			for (t = 0, rest = code; t < num; t++, rest /= LENDERS)
				tiles[t] = lender(rest % LENDERS);
			lenders(test, tiles, num);
		}
	}
}

/* Slices with work count in each mode, and those that are only bound do not. */
static void cslice_working(struct kunit *test)
{
	struct xetile_cslice_load load[XETILE_CSLICE_MODES][XETILE_CSLICES] = { };
	unsigned int m, i, n = 0;

	for (m = 0; m < XETILE_CSLICE_MODES; m++) {
		for (i = 0; i < XETILE_CSLICES; i++) {
			load[m][i].bound = 100;
			KUNIT_EXPECT_EQ(test, xetile_cslice_working(load), n);
			load[m][i].busy = m * 5 + i + 1;
			n += load[m][i].busy;
			KUNIT_EXPECT_EQ(test, xetile_cslice_working(load), n);
		}
	}
}

/*
 * W17: a loan that takes turns with others has no more of the tile than the slice that it would
 * have: one of as many as the mode has, or of those that have work, if these are more. With very
 * many others its turns do not become shorter and shorter.
 */
static void cslice_turn(struct kunit *test)
{
	const u64 turn = 5000000;
	unsigned int mode, others;

	KUNIT_EXPECT_EQ(test, xetile_cslice_turn(turn, 1, 0), turn);
	KUNIT_EXPECT_EQ(test, xetile_cslice_turn(turn, 1, 7), turn);
	for (mode = 2; mode <= XETILE_CSLICES; mode *= 2) {
		KUNIT_EXPECT_EQ(test, xetile_cslice_turn(turn, mode, 0), turn / mode);
		for (others = 1; others <= 16; others++) {
			u64 mine = xetile_cslice_turn(turn, mode, others);

			KUNIT_EXPECT_LE(test, mine * max(mode, others + 1), mine + turn);
		}
		KUNIT_EXPECT_EQ(test, xetile_cslice_turn(turn, mode, 10000), turn / 16);
	}
}

static struct kunit_case cslice_tests[] = {
	KUNIT_CASE(cslice_modes),
	KUNIT_CASE(cslice_owners),
	KUNIT_CASE(cslice_pick),
	KUNIT_CASE(cslice_spread),
	KUNIT_CASE(cslice_loan),
	KUNIT_CASE(cslice_working),
	KUNIT_CASE(cslice_turn),
	{}
};

static struct kunit_suite cslice_suite = {
	.name = "xetile_cslice_map",
	.test_cases = cslice_tests,
};

kunit_test_suite(cslice_suite);
