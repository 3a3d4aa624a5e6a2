// SPDX-License-Identifier: MIT
/*
 * Colors: every policy over all small sizes and all tile masks, page by page
 * against rules that are written down a second time here (S3-S8, S56-S59, C4,
 * C5, C7, C8).
 */
#include <errno.h>

#include "check.h"
#include "mem/xetile_color.h"

#define ALL		0xfu
#define MAX_PAGES	200

/* Tiles of a mask as a list */
static unsigned int list_tiles(u32 mask, u32 *list)
{
	unsigned int n = 0, t;

	for (t = 0; t < 32; t++)
		if (mask >> t & 1)
			list[n++] = t;
	return n;
}

/* Walk a coloring into an array of tiles, one for each page; returns the pages found */
static u64 paint(const struct xetile_coloring *color, u64 pages, u32 *at)
{
	struct xetile_color_iter it;
	u64 done = 0, run, i;
	u32 tile;

	xetile_color_begin(&it, color, pages);
	while (xetile_color_next(&it, &tile, &run)) {
		CHECK(run, "empty run");
		for (i = 0; i < run; i++) {
			if (done == pages)
				return pages + 1;
			at[done++] = tile;
		}
	}
	return done;
}

/* Painted as expected, page by page, and share() counts the same */
static void expect(const char *what, const struct xetile_coloring *color, u64 pages,
		   const u32 *want)
{
	u32 got[MAX_PAGES] = { 0 };
	u64 count[4] = { 0 };
	u64 done = paint(color, pages, got), i;
	unsigned int t;

	CHECK(done == pages, "%s, %llu pages, mask %#x: %llu painted", what,
	      (unsigned long long)pages, color->tile_mask, (unsigned long long)done);
	for (i = 0; i < pages; i++) {
		if (got[i] != want[i]) {
			CHECK(0, "%s, %llu pages, mask %#x: page %llu on %u, not %u", what,
			      (unsigned long long)pages, color->tile_mask, (unsigned long long)i,
			      got[i], want[i]);
			return;
		}
		count[want[i]]++;
	}
	for (t = 0; t < 4; t++)
		CHECK(xetile_color_share(color, pages, t) == count[t], "%s: share of tile %u",
		      what, t);
}

/* S4, S7, C4: page p of n on T tiles; the first n % T tiles have one more */
static void test_even(u64 n, u32 mask)
{
	struct xetile_coloring color = { .policy = XETILE_POLICY_EVEN, .tile_mask = mask };
	u32 tiles[32], want[MAX_PAGES];
	u64 T = list_tiles(mask, tiles), left = n, p = 0, t;

	/* Deal the shares out one page at a time, then lay them side by side. */
	u64 share[4] = { 0 };

	for (t = 0; left; left--, t = (t + 1) % T)
		share[t]++;
	for (t = 0; t < T; t++)
		while (share[t]--)
			want[p++] = tiles[t];
	expect("EVEN", &color, n, want);
}

/* C5: what the hardware's ceil split of work gives each tile */
static void test_follow(u64 n, u32 mask)
{
	struct xetile_coloring color = { .policy = XETILE_POLICY_FOLLOW, .tile_mask = mask };
	u32 tiles[32], want[MAX_PAGES];
	u64 T = list_tiles(mask, tiles), part = 1, p;

	while (part * T < n)
		part++;
	for (p = 0; p < n; p++)
		want[p] = tiles[p / part];
	expect("FOLLOW", &color, n, want);
}

/* S3, S56-S58 */
static void test_chunk(u64 n, u32 mask, u32 granule)
{
	struct xetile_coloring color = {
		.policy = XETILE_POLICY_CHUNK, .tile_mask = mask, .granule = granule,
	};
	u32 tiles[32], want[MAX_PAGES];
	u64 T = list_tiles(mask, tiles), p;

	for (p = 0; p < n; p++)
		want[p] = tiles[p / granule % T];
	expect("CHUNK", &color, n, want);
}

static void test_tile(u64 n, u32 tile)
{
	struct xetile_coloring color = { .policy = XETILE_POLICY_TILE, .tile_mask = 1u << tile };
	u32 want[MAX_PAGES];
	u64 p;

	for (p = 0; p < n; p++)
		want[p] = tile;
	expect("TILE", &color, n, want);
}

/* Contiguous shares, each within a page of its exact size, in the map's order */
static void test_weighted(u64 n, const struct xetile_color_run *runs, u32 num)
{
	struct xetile_coloring color = {
		.policy = XETILE_POLICY_WEIGHTED, .num_runs = num, .runs = runs,
	};
	u32 got[MAX_PAGES];
	u64 total = 0, sum = 0, p = 0;
	u32 i;

	for (i = 0; i < num; i++) {
		color.tile_mask |= 1u << runs[i].tile;
		total += runs[i].pages;
	}
	CHECK(!xetile_color_check(&color, n, ALL), "weights");
	CHECK(paint(&color, n, got) == n, "weighted: not covered");
	for (i = 0; i < num; i++) {
		u64 share = xetile_color_share(&color, n, runs[i].tile);
		u64 exact = n * runs[i].pages;

		sum += share;
		CHECK(share * total + total > exact && share * total < exact + total,
		      "weighted: %u of %u has %llu pages", runs[i].pages, (u32)total,
		      (unsigned long long)share);
		while (share--)
			CHECK(got[p++] == runs[i].tile, "weighted: order");
	}
	CHECK(sum == n, "weighted: shares add up to %llu", (unsigned long long)sum);
}

static void test_weights(void)
{
	struct xetile_coloring even = { .policy = XETILE_POLICY_EVEN, .tile_mask = ALL };
	struct xetile_color_run w[4];
	struct xetile_coloring same = {
		.policy = XETILE_POLICY_WEIGHTED, .tile_mask = ALL, .num_runs = 4, .runs = w,
	};
	u32 a, b, c, t;
	u64 n;

	for (n = 1; n < 40; n++) {
		for (a = 1; a < 6; a++)
			for (b = 1; b < 6; b++)
				for (c = 1; c < 6; c++) {
					w[0] = (struct xetile_color_run){ 2, a };
					w[1] = (struct xetile_color_run){ 0, b };
					w[2] = (struct xetile_color_run){ 3, c };
					test_weighted(n, w, 3);
				}
		/* The same weight everywhere is EVEN. */
		for (t = 0; t < 4; t++)
			w[t] = (struct xetile_color_run){ t, 7 };
		for (t = 0; t < 4; t++)
			CHECK(xetile_color_share(&same, n, t) == xetile_color_share(&even, n, t),
			      "equal weights, %llu pages, tile %u", (unsigned long long)n, t);
	}
}

/* The user's own: all partitions of small sizes into runs on two tiles */
static void test_maps(void)
{
	u32 cuts, n;

	for (n = 1; n <= 10; n++)
		for (cuts = 0; cuts < 1u << (n - 1); cuts++) {
			struct xetile_color_run runs[10];
			struct xetile_coloring color = {
				.policy = XETILE_POLICY_MAP, .tile_mask = 3, .runs = runs,
			};
			u32 want[MAX_PAGES], tile = 1, p;

			runs[0] = (struct xetile_color_run){ tile, 1 };
			color.num_runs = 1;
			want[0] = tile;
			for (p = 1; p < n; p++) {
				if (cuts >> (p - 1) & 1)
					runs[color.num_runs++] =
						(struct xetile_color_run){ tile ^= 1, 0 };
				runs[color.num_runs - 1].pages++;
				want[p] = tile;
			}
			CHECK(!xetile_color_check(&color, n, 3), "map");
			CHECK(xetile_color_check(&color, n + 1, 3) == -EINVAL, "map too short");
			CHECK(xetile_color_check(&color, n - 1, 3) == -EINVAL, "map too long");
			CHECK(xetile_color_check(&color, n, 1) == -EINVAL, "map on no tile");
			expect("MAP", &color, n, want);
		}
}

/* The published examples, by name */
static void test_published(void)
{
	static const struct {
		const char *statement;
		enum xetile_color_policy policy;
		u32 mask;
		u64 pages;
		u64 share[4];
	} table[] = {
		{ "S4", XETILE_POLICY_EVEN, 0x3, 32, { 16, 16 } },
		{ "S7", XETILE_POLICY_EVEN, 0x3, 3, { 2, 1 } },
		{ "S8", XETILE_POLICY_EVEN, 0x3, 1, { 1, 0 } },
		{ "S8, C7", XETILE_POLICY_EVEN, 0xf, 1, { 1, 0, 0, 0 } },
		{ "C4", XETILE_POLICY_EVEN, 0xf, 18, { 5, 5, 4, 4 } },
		{ "C5", XETILE_POLICY_FOLLOW, 0xf, 18, { 5, 5, 5, 3 } },
		{ "C8", XETILE_POLICY_EVEN, 0xf, 3, { 1, 1, 1, 0 } },
	};
	unsigned int i, t;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct xetile_coloring color = {
			.policy = table[i].policy, .tile_mask = table[i].mask,
		};

		for (t = 0; t < 4; t++)
			CHECK(xetile_color_share(&color, table[i].pages, t) == table[i].share[t],
			      "%s: tile %u", table[i].statement, t);
	}
}

static void refuse(const char *why, struct xetile_coloring color, u64 pages, u32 present)
{
	CHECK(xetile_color_check(&color, pages, present) == -EINVAL, "%s is accepted", why);
}

static void test_refusals(void)
{
	static const struct xetile_color_run runs[] = { { 0, 2 }, { 1, 2 }, { 0, 1 } };
	static const struct xetile_color_run zero[] = { { 0, 4 }, { 1, 0 } };
	static const struct xetile_color_run wrap[] = { { 0, ~0u }, { 1, ~0u }, { 0, 6 } };
	static const struct xetile_color_run far[] = { { 0, 2 }, { 32, 2 } };
	struct xetile_coloring c = { .policy = XETILE_POLICY_EVEN, .tile_mask = 3 };

	CHECK(!xetile_color_check(&c, 4, 3), "EVEN");
	refuse("no page", c, 0, 3);
	refuse("a missing tile", c, 4, 1);
	c.granule = 1;
	refuse("EVEN with a granule", c, 4, 3);
	c.granule = 0;
	c.runs = runs;
	c.num_runs = 2;
	refuse("EVEN with a map", c, 4, 3);

	c = (struct xetile_coloring){ .policy = XETILE_POLICY_EVEN };
	refuse("an empty mask", c, 4, 3);
	c = (struct xetile_coloring){ .policy = XETILE_POLICY_TILE, .tile_mask = 3 };
	refuse("TILE on two", c, 4, 3);
	c = (struct xetile_coloring){ .policy = XETILE_POLICY_CHUNK, .tile_mask = 3 };
	refuse("CHUNK without a granule", c, 4, 3);
	c = (struct xetile_coloring){ .policy = (enum xetile_color_policy)77, .tile_mask = 3 };
	refuse("an unknown policy", c, 4, 3);
	CHECK(!xetile_policy_find(77), "an unknown policy has a row");
	c = (struct xetile_coloring){ .policy = XETILE_POLICY_REPLICATE, .tile_mask = 3 };
	refuse("a policy that is not supported", c, 4, 3);
	CHECK(xetile_policy_find(XETILE_POLICY_REPLICATE), "REPLICATE has no row");

	c = (struct xetile_coloring){ .policy = XETILE_POLICY_MAP, .tile_mask = 3 };
	refuse("MAP without a map", c, 4, 3);
	c.runs = zero;
	c.num_runs = 2;
	refuse("an empty run", c, 4, 3);
	c.runs = wrap;
	c.num_runs = 3;
	refuse("a sum that wraps to the size", c, 4, 3);
	c.runs = far;
	c.num_runs = 2;
	refuse("tile 32", c, 4, 3);

	c = (struct xetile_coloring){
		.policy = XETILE_POLICY_WEIGHTED, .tile_mask = 3, .runs = runs,
	};
	c.num_runs = 1;
	refuse("a weight missing", c, 4, 3);
	c.num_runs = 3;
	refuse("a weight twice", c, 4, 3);
	c.num_runs = 2;
	CHECK(!xetile_color_check(&c, 4, 3), "weights");
	refuse("pages times weights past 64 bits", c, 1ull << 32, 3);
	c.runs = zero;
	refuse("a weight of 0", c, 4, 3);
	CHECK(1 << XETILE_COLOR_PAGE_SHIFT == 65536, "S6, S58, S59, C6: the page is 64 KiB");
}

/* Sizes no array can hold: only the shares are looked at */
static void test_big(void)
{
	struct xetile_coloring c = { .policy = XETILE_POLICY_EVEN, .tile_mask = ALL };
	u64 pages = (1ull << 47) + 3;

	CHECK(!xetile_color_check(&c, pages, ALL), "big");
	CHECK(xetile_color_share(&c, pages, 0) == (1ull << 45) + 1, "big EVEN, first");
	CHECK(xetile_color_share(&c, pages, 3) == 1ull << 45, "big EVEN, last");
}

static void test_all_even(void)
{
	u32 mask;
	u64 n;

	for (n = 1; n <= MAX_PAGES; n++)
		for (mask = 1; mask <= ALL; mask++)
			test_even(n, mask);
}

static void test_all_follow(void)
{
	u32 mask;
	u64 n;

	for (n = 1; n <= MAX_PAGES; n++)
		for (mask = 1; mask <= ALL; mask++)
			test_follow(n, mask);
}

static void test_all_chunk(void)
{
	u32 mask, granule;
	u64 n;

	for (n = 1; n <= MAX_PAGES; n++)
		for (mask = 1; mask <= ALL; mask++)
			for (granule = 1; granule <= 40; granule++)
				test_chunk(n, mask, granule);
}

static void test_all_tile(void)
{
	u32 tile;
	u64 n;

	for (n = 1; n <= MAX_PAGES; n++)
		for (tile = 0; tile < 4; tile++)
			test_tile(n, tile);
}

int main(void)
{
	RUN("S3 S4 S40: EVEN, all sizes and masks", test_all_even());
	RUN("C5: FOLLOW, all sizes and masks", test_all_follow());
	RUN("S41 S56 S57: CHUNK, all sizes, masks and granules", test_all_chunk());
	RUN("TILE, all sizes", test_all_tile());
	RUN("WEIGHTED", test_weights());
	RUN("S5 W3: MAP", test_maps());
	RUN("S7 S8 C4 C8: the published examples", test_published());
	RUN("what is refused", test_refusals());
	RUN("sizes no array can hold", test_big());
	return check_end();
}
