// SPDX-License-Identifier: GPL-2.0-only
/* Which page lies on which tile, against the rules written down a second time */
#include <kunit/test.h>
#include <linux/kernel.h>

#include "../mem/xetile_color.c"

#define ALL		0xfu
#define MAX_PAGES	70

/* The published examples: statements S4, S7, S8, C4, C5, C7, C8 */
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

/* Tile number @i of a mask */
static u32 tile_number(u32 mask, u64 i)
{
	while (i--)
		mask &= mask - 1;
	return __ffs(mask);
}

static u32 expected_tile(const struct xetile_coloring *color, u64 n, u64 page)
{
	u64 tiles = hweight32(color->tile_mask);
	u64 long_share = DIV_ROUND_UP(n, tiles), longs = n % tiles ?: tiles;

	switch (color->policy) {
	case XETILE_POLICY_CHUNK:
		return tile_number(color->tile_mask, page / color->granule % tiles);
	case XETILE_POLICY_FOLLOW:
		return tile_number(color->tile_mask, page / long_share);
	default:
		if (page < longs * long_share)
			return tile_number(color->tile_mask, page / long_share);
		return tile_number(color->tile_mask,
				longs + (page - longs * long_share) / (long_share - 1));
	}
}

/* Returns the first page that is painted wrong; @n when all are right */
static u64 first_wrong(const struct xetile_coloring *color, u64 n)
{
	struct xetile_color_iter it;
	u64 page = 0, run;
	u32 tile;

	xetile_color_begin(&it, color, n);
	while (xetile_color_next(&it, &tile, &run)) {
		if (!run || run > n - page)
			return page;
		for (; run--; page++)
			if (tile != expected_tile(color, n, page))
				return page;
	}
	return page;
}

/* Every mask and size, page by page: S3-S8, S56-S58 */
static void color_pages(struct kunit *test)
{
	struct xetile_coloring color = { };
	u64 n;

	for (n = 1; n <= MAX_PAGES; n++) {
		for (color.tile_mask = 1; color.tile_mask <= ALL; color.tile_mask++) {
			color.granule = 0;
			color.policy = XETILE_POLICY_EVEN;
			KUNIT_ASSERT_EQ(test, first_wrong(&color, n), n);
			color.policy = XETILE_POLICY_FOLLOW;
			KUNIT_ASSERT_EQ(test, first_wrong(&color, n), n);
			color.policy = XETILE_POLICY_CHUNK;
			for (color.granule = 1; color.granule <= 9; color.granule++)
				KUNIT_ASSERT_EQ(test, first_wrong(&color, n), n);
		}
	}
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
	CASE("one of two tiles", 4, -EINVAL, .policy = XETILE_POLICY_TILE),
	CASE("chunks of nothing", 4, -EINVAL, .policy = XETILE_POLICY_CHUNK),
	CASE("unknown policy", 4, -EINVAL, .policy = (enum xetile_color_policy)77),
	CASE("policy not supported", 4, -EINVAL, .policy = XETILE_POLICY_REPLICATE),
	CASE("map", 4, 0, .policy = XETILE_POLICY_MAP, RUNS(2, two_runs)),
	CASE("map too short", 5, -EINVAL, .policy = XETILE_POLICY_MAP, RUNS(2, two_runs)),
	CASE("map too long", 3, -EINVAL, .policy = XETILE_POLICY_MAP, RUNS(2, two_runs)),
	CASE("no map", 4, -EINVAL, .policy = XETILE_POLICY_MAP),
	CASE("empty run", 4, -EINVAL, .policy = XETILE_POLICY_MAP, RUNS(2, empty_run)),
	CASE("sum that wraps", 4, -EINVAL, .policy = XETILE_POLICY_MAP, RUNS(3, wrapping)),
	CASE("tile 32", 4, -EINVAL, .policy = XETILE_POLICY_MAP, RUNS(2, far_tile)),
	CASE("weights", 4, 0, .policy = XETILE_POLICY_WEIGHTED, RUNS(2, two_runs)),
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

static struct kunit_case color_tests[] = {
	KUNIT_CASE_PARAM(color_share, share_gen_params),
	KUNIT_CASE(color_pages),
	KUNIT_CASE_PARAM(color_check, check_gen_params),
	{}
};

static struct kunit_suite color_suite = {
	.name = "xetile_color",
	.test_cases = color_tests,
};

kunit_test_suite(color_suite);
