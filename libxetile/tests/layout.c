// SPDX-License-Identifier: MIT
/*
 * Where a buffer's pages lie, after any number of recolors: compared with a list that has a tile
 * for each page.
 */
#include <stdlib.h>

#include "layout.h"
#include "test.h"
#include "util.h"
#include "xetile.h"

#define PAGES	97
#define BYTES	((uint64_t)PAGES * XETILE_COLOR_PAGE)

static uint32_t seed = 1;

static uint32_t random_below(uint32_t n)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % n;
}

/* Any color of @pages pages on four tiles */
static struct xetile_coloring any_color(uint64_t pages, struct xetile_color_run runs[4])
{
	struct xetile_coloring color = { .tile_mask = 1 + random_below(15) };
	uint32_t t;

	switch (random_below(6)) {
	case 0:
		color.policy = XETILE_POLICY_FOLLOW;
		break;
	case 1:
		color.policy = XETILE_POLICY_TILE;
		color.tile_mask = 1u << random_below(4);
		break;
	case 2:
		color.policy = XETILE_POLICY_CHUNK;
		color.granule = 1 + random_below(5);
		break;
	case 3:
		color.policy = XETILE_POLICY_WEIGHTED;
		color.runs = runs;
		for (t = 0; t < 4; t++) {
			if (color.tile_mask & (1u << t))
				runs[color.num_runs++] = (struct xetile_color_run) {
					t, 1 + random_below(9),
				};
		}
		break;
	case 4:
		color.policy = XETILE_POLICY_MAP;
		color.tile_mask = 15;
		color.runs = runs;
		runs[color.num_runs++] = (struct xetile_color_run) {
			random_below(4), 1 + random_below(pages),
		};
		if (runs[0].pages < pages)
			runs[color.num_runs++] = (struct xetile_color_run) {
				random_below(4), pages - runs[0].pages,
			};
		break;
	}
	return color;
}

static void paint_list(uint32_t *list, const struct xetile_coloring *color, uint64_t pages)
{
	struct xetile_color_iter it;
	uint64_t run;
	uint32_t tile;

	xetile_color_begin(&it, color, pages);
	while (xetile_color_next(&it, &tile, &run)) {
		while (run--)
			*list++ = tile;
	}
}

static bool shares_agree(const struct xt_layout *layout, const uint32_t *list, uint64_t begin,
			 uint64_t size)
{
	uint64_t want[XT_MEMORIES] = { 0 }, got[XT_MEMORIES] = { 0 }, at, piece;
	unsigned int m;

	for (at = begin; at < begin + size; at += piece) {
		piece = XETILE_COLOR_PAGE - at % XETILE_COLOR_PAGE;
		if (piece > begin + size - at)
			piece = begin + size - at;
		want[list[at / XETILE_COLOR_PAGE]] += piece;
	}
	xt_layout_shares(layout, begin, size, got);
	for (m = 0; m < XT_MEMORIES; m++)
		CHECK(got[m] == want[m], "%llu bytes at %llu, memory %u: %llu, not %llu",
		      (unsigned long long)size, (unsigned long long)begin, m,
		      (unsigned long long)got[m], (unsigned long long)want[m]);
	return true;
}

/* The walk tells each page once, in their order, and those that it does not are the machine's. */
static bool walk_agrees(const struct xt_layout *layout, const uint32_t *list)
{
	struct xt_layout_walk walk = { .layout = layout };
	uint64_t at = 0, end;
	uint32_t memory;

	while (xt_layout_next(&walk, &memory, &end)) {
		CHECK(end > at && end <= PAGES);
		for (; at < end; at++)
			CHECK(list[at] == memory, "page %u: %u, not %u", (unsigned int)at, memory,
			      list[at]);
	}
	for (; at < PAGES; at++)
		CHECK(list[at] == XT_MEMORY_SYSTEM);
	return true;
}

static bool check_paint(unsigned int paints)
{
	struct xt_layout layout = { 0 }, copy;
	struct xetile_color_run runs[4];
	uint32_t list[PAGES], begin, pages;
	struct xetile_coloring color;
	unsigned int i;

	for (i = 0; i < PAGES; i++)
		list[i] = XT_MEMORY_SYSTEM;
	CHECK(shares_agree(&layout, list, 5, BYTES - 5));
	for (i = 0; i < paints; i++) {
		begin = random_below(PAGES);
		pages = 1 + random_below(PAGES - begin);
		if (i % 3)
			pages = 1 + (pages - 1) % 7;
		color = any_color(pages, runs);
		CHECK(!xt_color_check(&color, pages, 15));
		CHECK(!xt_layout_paint(&layout, begin, pages, &color));
		/* The runs are the caller's. */
		paint_list(list + begin, &color, pages);
		memset(runs, 0xff, sizeof(runs));
		CHECK(layout.num <= PAGES);
		begin = random_below(BYTES);
		CHECK(shares_agree(&layout, list, begin, 1 + random_below(BYTES - begin)));
	}
	CHECK(shares_agree(&layout, list, 0, BYTES));
	CHECK(walk_agrees(&layout, list));
	/* A copy is painted over, and the first one stays. */
	CHECK(!xt_layout_copy(&copy, &layout));
	CHECK(shares_agree(&copy, list, 0, BYTES));
	color = (struct xetile_coloring) { .policy = XETILE_POLICY_TILE, .tile_mask = 2 };
	CHECK(!xt_layout_paint(&copy, 0, PAGES, &color));
	CHECK(copy.num == 1);
	xt_layout_fini(&copy);
	CHECK(shares_agree(&layout, list, 0, BYTES));
	xt_layout_fini(&layout);
	CHECK(!layout.num && !layout.ranges);
	return true;
}

/* A terabyte in chunks of a page is counted by rounds, not by chunks. */
static bool check_large(void)
{
	const struct xetile_coloring color = {
		.policy = XETILE_POLICY_CHUNK, .tile_mask = 0xd, .granule = 1,
	};
	const uint64_t pages = 1ull << 24, round = 3 * XETILE_COLOR_PAGE;
	uint64_t got[XT_MEMORIES] = { 0 };
	struct xt_layout layout = { 0 };
	unsigned int i;

	CHECK(!xt_layout_paint(&layout, 0, pages, &color));
	for (i = 0; i < 100000; i++) {
		memset(got, 0, sizeof(got));
		/* From the midst of tile 2's chunk: whole rounds, and the rest of the chunk */
		xt_layout_shares(&layout, 7 * round + 100000, 1000000 * round + 31000, got);
	}
	CHECK(got[0] == 1000000ull * XETILE_COLOR_PAGE && got[2] == got[0] + 31000 &&
	      got[3] == got[0] && !got[1] && !got[XT_MEMORY_SYSTEM]);
	xt_layout_fini(&layout);
	return true;
}

int main(void)
{
	bool ok = true;
	unsigned int i;

	for (i = 0; i < 300 && ok; i++)
		ok = check_paint(1 + i % 40);
	test_run("W3 W11: a layout follows the recolors of a buffer", ok);
	test_run("W11: the layout of a large buffer", check_large());
	return test_end();
}
