// SPDX-License-Identifier: GPL-2.0-only
/* The tile of each page of a colored BO, compared with a second implementation of the rules */
#include <kunit/test.h>
#include <linux/kernel.h>

#include "../mem/xetile_color.c"

#define ALL		0xfu
/* The program for the host tries more sizes. */
#ifndef MAX_PAGES
#define MAX_PAGES	70
#endif
#ifndef MAX_GRANULE
#define MAX_GRANULE	9
#endif

/* The published examples of statements S4, S7, S8, C4, C5, C7 and C8 */
struct share_case {
	const char *name;
	enum xetile_color_policy policy;
	u32 mask;
	u64 pages;
	u64 share[4];
};

static const struct share_case share_cases[] = {
	{ "even halves", XETILE_POLICY_EVEN, 0x3, 32, { 16, 16 } },
	{ "even, odd number", XETILE_POLICY_EVEN, 0x3, 3, { 2, 1 } },
	{ "one page", XETILE_POLICY_EVEN, 0x3, 1, { 1, 0 } },
	{ "one page on four", XETILE_POLICY_EVEN, 0xf, 1, { 1, 0, 0, 0 } },
	{ "18 on four", XETILE_POLICY_EVEN, 0xf, 18, { 5, 5, 4, 4 } },
	{ "18 followed on four", XETILE_POLICY_FOLLOW, 0xf, 18, { 5, 5, 5, 3 } },
	{ "3 on four", XETILE_POLICY_EVEN, 0xf, 3, { 1, 1, 1, 0 } },
	{ "more than any array", XETILE_POLICY_EVEN, 0xf, (1ull << 47) + 3,
	  { (1ull << 45) + 1, (1ull << 45) + 1, (1ull << 45) + 1, 1ull << 45 } },
};

KUNIT_ARRAY_PARAM_DESC(share, share_cases, name);

static void color_share(struct kunit *test)
{
	const struct share_case *c = test->param_value;
	const struct xetile_coloring color = { .policy = c->policy, .tile_mask = c->mask };
	u32 t;

	KUNIT_ASSERT_EQ(test, xetile_color_check(&color, c->pages, ALL), 0);
	for (t = 0; t < 4; t++)
		KUNIT_EXPECT_EQ(test, xetile_color_share(&color, c->pages, t), c->share[t]);
}

/* The tile of each page: by the test's own rules, and by the driver's iterator */
static u32 wanted[MAX_PAGES], painted[MAX_PAGES];

static void paint(struct kunit *test, const struct xetile_coloring *color, u64 n)
{
	struct xetile_color_iter it;
	u64 page = 0, run;
	u32 tile;

	xetile_color_begin(&it, color, n);
	while (xetile_color_next(&it, &tile, &run)) {
		KUNIT_ASSERT_NE(test, run, 0);
		KUNIT_ASSERT_LE(test, run, n - page);
		while (run--)
			painted[page++] = tile;
	}
	KUNIT_ASSERT_EQ(test, page, n);
}

/* Expects that the tile of each page is the wanted one, and that the shares agree. */
static void expect_wanted(struct kunit *test, const struct xetile_coloring *color, u64 n)
{
	u64 share[4] = { }, page = 0;
	u32 t;

	paint(test, color, n);
	while (page < n && painted[page] == wanted[page])
		share[wanted[page++]]++;
	KUNIT_ASSERT_EQ(test, page, n);
	for (t = 0; t < 4; t++)
		KUNIT_ASSERT_EQ(test, xetile_color_share(color, n, t), share[t]);
}

/* Lists the tiles of a mask in order. Returns the number of tiles. */
static u32 list_tiles(u32 mask, u32 *tiles)
{
	u32 num = 0, t;

	for (t = 0; t < 4; t++)
		if (mask & BIT(t))
			tiles[num++] = t;
	return num;
}

/* S3, S4, S7, S40, C4: each tile in turn gets one page more; the shares lie side by side. */
static void color_even(struct kunit *test)
{
	struct xetile_coloring color = { .policy = XETILE_POLICY_EVEN };
	u64 n;

	for (n = 1; n <= MAX_PAGES; n++) {
		for (color.tile_mask = 1; color.tile_mask <= ALL; color.tile_mask++) {
			u32 tiles[4], num = list_tiles(color.tile_mask, tiles), t;
			u64 share[4] = { }, left, page = 0;

			for (left = n, t = 0; left--; t = (t + 1) % num)
				share[t]++;
			for (t = 0; t < num; t++)
				while (share[t]--)
					wanted[page++] = tiles[t];
			expect_wanted(test, &color, n);
		}
	}
}

/* C5: the pages are split as the hardware splits work: a part is the rounded up quotient. */
static void color_follow(struct kunit *test)
{
	struct xetile_coloring color = { .policy = XETILE_POLICY_FOLLOW };
	u64 n, page;

	for (n = 1; n <= MAX_PAGES; n++) {
		for (color.tile_mask = 1; color.tile_mask <= ALL; color.tile_mask++) {
			u32 tiles[4], num = list_tiles(color.tile_mask, tiles);
			u64 part = 1;

			while (part * num < n)
				part++;
			for (page = 0; page < n; page++)
				wanted[page] = tiles[page / part];
			expect_wanted(test, &color, n);
		}
	}
}

static void chunk_pages(struct kunit *test, struct xetile_coloring *color, u64 n)
{
	u32 tiles[4], num = list_tiles(color->tile_mask, tiles);
	u64 page;

	for (color->granule = 1; color->granule <= MAX_GRANULE; color->granule++) {
		for (page = 0; page < n; page++)
			wanted[page] = tiles[page / color->granule % num];
		expect_wanted(test, color, n);
	}
}

/* S41, S56, S57 */
static void color_chunk(struct kunit *test)
{
	struct xetile_coloring color = { .policy = XETILE_POLICY_CHUNK };
	u64 n;

	for (n = 1; n <= MAX_PAGES; n++)
		for (color.tile_mask = 1; color.tile_mask <= ALL; color.tile_mask++)
			chunk_pages(test, &color, n);
}

static void color_tile(struct kunit *test)
{
	struct xetile_coloring color = { .policy = XETILE_POLICY_TILE };
	u64 n, page;
	u32 tile;

	for (n = 1; n <= MAX_PAGES; n++) {
		for (tile = 0; tile < 4; tile++) {
			color.tile_mask = BIT(tile);
			for (page = 0; page < n; page++)
				wanted[page] = tile;
			expect_wanted(test, &color, n);
		}
	}
}

/* The shares lie in the order of the weights, each within a page of its exact size. */
static void weigh(struct kunit *test, const struct xetile_color_run *weights, u32 num, u64 n)
{
	struct xetile_coloring color = {
		.policy = XETILE_POLICY_WEIGHTED, .num_runs = num, .runs = weights,
	};
	u64 total = 0, page = 0;
	u32 i;

	for (i = 0; i < num; i++) {
		color.tile_mask |= BIT(weights[i].tile);
		total += weights[i].pages;
	}
	KUNIT_ASSERT_EQ(test, xetile_color_check(&color, n, ALL), 0);
	paint(test, &color, n);
	for (i = 0; i < num; i++) {
		u64 share = xetile_color_share(&color, n, weights[i].tile);
		u64 exact = n * weights[i].pages;

		KUNIT_ASSERT_GT(test, share * total + total, exact);
		KUNIT_ASSERT_LT(test, share * total, exact + total);
		KUNIT_ASSERT_LE(test, page + share, n);
		while (share--)
			KUNIT_ASSERT_EQ(test, painted[page++], weights[i].tile);
	}
	KUNIT_ASSERT_EQ(test, page, n);
}

static void color_weighted(struct kunit *test)
{
	u32 a, b, c;
	u64 n;

	for (n = 1; n < 40; n++) {
		for (a = 1; a < 6; a++) {
			for (b = 1; b < 6; b++) {
				for (c = 1; c < 6; c++) {
					const struct xetile_color_run weights[] = {
						{ 2, a }, { 0, b }, { 3, c },
					};

					weigh(test, weights, ARRAY_SIZE(weights), n);
				}
			}
		}
	}
}

/* WEIGHTED with equal weights has the shares of EVEN. */
static void color_same_weights(struct kunit *test)
{
	static const struct xetile_color_run weights[] = {
		{ 0, 7 }, { 1, 7 }, { 2, 7 }, { 3, 7 },
	};
	const struct xetile_coloring even = { .policy = XETILE_POLICY_EVEN, .tile_mask = ALL };
	const struct xetile_coloring same = {
		.policy = XETILE_POLICY_WEIGHTED, .tile_mask = ALL,
		.num_runs = ARRAY_SIZE(weights), .runs = weights,
	};
	u64 n;
	u32 t;

	for (n = 1; n < 40; n++)
		for (t = 0; t < 4; t++)
			KUNIT_EXPECT_EQ(test, xetile_color_share(&same, n, t),
					xetile_color_share(&even, n, t));
}

/* S5, W3: a user's map with two tiles in turn; @cuts: mask of the pages after which a run ends */
static void map_cut(struct kunit *test, u32 cuts, u64 n)
{
	struct xetile_color_run runs[10] = { { 1, 1 } };
	struct xetile_coloring color = {
		.policy = XETILE_POLICY_MAP, .tile_mask = 3, .runs = runs, .num_runs = 1,
	};
	u32 tile = 1, page;

	wanted[0] = tile;
	for (page = 1; page < n; page++) {
		if (cuts & BIT(page - 1)) {
			tile ^= 1;
			runs[color.num_runs++].tile = tile;
		}
		runs[color.num_runs - 1].pages++;
		wanted[page] = tile;
	}
	KUNIT_ASSERT_EQ(test, xetile_color_check(&color, n, 3), 0);
	KUNIT_ASSERT_EQ(test, xetile_color_check(&color, n + 1, 3), -EINVAL);
	KUNIT_ASSERT_EQ(test, xetile_color_check(&color, n - 1, 3), -EINVAL);
	KUNIT_ASSERT_EQ(test, xetile_color_check(&color, n, 1), -EINVAL);
	expect_wanted(test, &color, n);
}

static void color_map(struct kunit *test)
{
	u32 cuts;
	u64 n;

	for (n = 1; n <= 10; n++)
		for (cuts = 0; cuts < BIT(n - 1); cuts++)
			map_cut(test, cuts, n);
}

static const struct xetile_color_run two_runs[] = { { 0, 2 }, { 1, 2 } };
static const struct xetile_color_run empty_run[] = { { 0, 4 }, { 1, 0 } };
static const struct xetile_color_run wrapping[] = { { 0, ~0u }, { 1, ~0u }, { 0, 6 } };
static const struct xetile_color_run far_tile[] = { { 0, 2 }, { 32, 2 } };
static const struct xetile_color_run twice[] = { { 0, 2 }, { 0, 2 } };

struct check_case {
	const char *name;
	struct xetile_coloring color;
	u64 pages;
	int err;
};

#define CASE(name_, pages_, err_, ...) \
	{ .name = name_, .color = { .tile_mask = 3, __VA_ARGS__ }, .pages = pages_, .err = err_ }

#define RUNS(num, array)	.num_runs = (num), .runs = (array)

static const struct check_case check_cases[] = {
	CASE("even", 4, 0, .policy = XETILE_POLICY_EVEN),
	CASE("no page", 0, -EINVAL, .policy = XETILE_POLICY_EVEN),
	CASE("even with a granule", 4, -EINVAL, .policy = XETILE_POLICY_EVEN, .granule = 1),
	CASE("even with a map", 4, -EINVAL, .policy = XETILE_POLICY_EVEN, RUNS(2, two_runs)),
	{ "no tile", { .policy = XETILE_POLICY_EVEN }, 4, -EINVAL },
	{ "missing tile", { .policy = XETILE_POLICY_EVEN, .tile_mask = 5 }, 4, -EINVAL },
	CASE("tile, of two", 4, -EINVAL, .policy = XETILE_POLICY_TILE),
	CASE("chunks of nothing", 4, -EINVAL, .policy = XETILE_POLICY_CHUNK),
	CASE("unknown policy", 4, -EINVAL, .policy = (enum xetile_color_policy)77),
	CASE("copies", 4, 0, .policy = XETILE_POLICY_REPLICATE),
	CASE("half a copy", 5, -EINVAL, .policy = XETILE_POLICY_REPLICATE),
	CASE("map", 4, 0, .policy = XETILE_POLICY_MAP, RUNS(2, two_runs)),
	CASE("map too short", 5, -EINVAL, .policy = XETILE_POLICY_MAP, RUNS(2, two_runs)),
	CASE("map too long", 3, -EINVAL, .policy = XETILE_POLICY_MAP, RUNS(2, two_runs)),
	CASE("no map", 4, -EINVAL, .policy = XETILE_POLICY_MAP),
	CASE("empty run", 4, -EINVAL, .policy = XETILE_POLICY_MAP, RUNS(2, empty_run)),
	CASE("sum that wraps", 4, -EINVAL, .policy = XETILE_POLICY_MAP, RUNS(3, wrapping)),
	CASE("tile 32", 4, -EINVAL, .policy = XETILE_POLICY_MAP, RUNS(2, far_tile)),
	CASE("weights", 4, 0, .policy = XETILE_POLICY_WEIGHTED, RUNS(2, two_runs)),
	CASE("weight missing", 4, -EINVAL, .policy = XETILE_POLICY_WEIGHTED, RUNS(1, two_runs)),
	CASE("weight twice", 4, -EINVAL, .policy = XETILE_POLICY_WEIGHTED, RUNS(2, twice)),
	CASE("weight of nothing", 4, -EINVAL, .policy = XETILE_POLICY_WEIGHTED, RUNS(2, empty_run)),
	CASE("weight times pages too big", 1ull << 32, -EINVAL,
	     .policy = XETILE_POLICY_WEIGHTED, RUNS(2, two_runs)),
};

KUNIT_ARRAY_PARAM_DESC(check, check_cases, name);

static void color_check(struct kunit *test)
{
	const struct check_case *c = test->param_value;

	KUNIT_EXPECT_EQ(test, xetile_color_check(&c->color, c->pages, 3), c->err);
}

static void color_policies(struct kunit *test)
{
	KUNIT_EXPECT_NOT_NULL(test, xetile_policy_find(XETILE_POLICY_EVEN));
	KUNIT_EXPECT_NOT_NULL(test, xetile_policy_find(XETILE_POLICY_REPLICATE));
	KUNIT_EXPECT_NULL(test, xetile_policy_find(XETILE_NUM_POLICIES));
	KUNIT_EXPECT_NULL(test, xetile_policy_find(77));
	/* S6, S58, S59, C6: the page is 64 KiB. */
	KUNIT_EXPECT_EQ(test, 1 << XETILE_COLOR_PAGE_SHIFT, 65536);
}

static struct kunit_case color_tests[] = {
	KUNIT_CASE_PARAM(color_share, share_gen_params),
	KUNIT_CASE(color_even),
	KUNIT_CASE(color_follow),
	KUNIT_CASE(color_chunk),
	KUNIT_CASE(color_tile),
	KUNIT_CASE(color_weighted),
	KUNIT_CASE(color_same_weights),
	KUNIT_CASE(color_map),
	KUNIT_CASE_PARAM(color_check, check_gen_params),
	KUNIT_CASE(color_policies),
	{}
};

static struct kunit_suite color_suite = {
	.name = "xetile_color",
	.test_cases = color_tests,
};

kunit_test_suite(color_suite);
