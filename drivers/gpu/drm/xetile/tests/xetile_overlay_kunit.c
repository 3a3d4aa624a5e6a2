// SPDX-License-Identifier: GPL-2.0-only
/*
 * Colorings with patches over them, compared with arrays that hold the tile of each page: all
 * patches of small objects, over colorings of each kind, for objects that lie in many ways.
 */
#include <kunit/test.h>
#include <linux/kernel.h>

#include "../mem/xetile_overlay.c"

/* The program for the host tries more sizes. */
#ifndef MAX_PAGES
#define MAX_PAGES	3
#endif
#define TILES		3u
#define SHIFT		XETILE_COLOR_PAGE_SHIFT

static const struct xetile_color_run weights[] = { { 2, 1 }, { 0, 2 } };

/* Colorings of any number of pages */
static const struct xetile_coloring colors[] = {
	{ .policy = XETILE_POLICY_TILE, .tile_mask = 1 },
	{ .policy = XETILE_POLICY_TILE, .tile_mask = 4 },
	{ .policy = XETILE_POLICY_EVEN, .tile_mask = 3 },
	{ .policy = XETILE_POLICY_EVEN, .tile_mask = 7 },
	{ .policy = XETILE_POLICY_FOLLOW, .tile_mask = 7 },
	{ .policy = XETILE_POLICY_CHUNK, .tile_mask = 5, .granule = 1 },
	{ .policy = XETILE_POLICY_CHUNK, .tile_mask = 7, .granule = 2 },
	{ .policy = XETILE_POLICY_WEIGHTED, .tile_mask = 5, .num_runs = 2, .runs = weights },
};

static void paint(u32 *tiles, const struct xetile_coloring *color, u64 pages)
{
	struct xetile_color_iter it;
	u64 run;
	u32 tile;

	xetile_color_begin(&it, color, pages);
	while (xetile_color_next(&it, &tile, &run))
		while (run--)
			*tiles++ = tile;
}

/* The tile of each page: by the test's own rules, and where the page lies before the recolor */
static u32 wanted[MAX_PAGES], lies[MAX_PAGES];

static void expect_runs(struct kunit *test, const struct xetile_overlay *overlay)
{
	struct xetile_color_run runs[MAX_PAGES];
	u64 num = xetile_overlay_runs(overlay, runs, MAX_PAGES), i, page = 0;

	KUNIT_ASSERT_LE(test, num, overlay->pages);
	KUNIT_ASSERT_EQ(test, xetile_overlay_runs(overlay, NULL, 0), num);
	for (i = 0; i < num; i++) {
		if (i)
			KUNIT_ASSERT_NE(test, runs[i].tile, runs[i - 1].tile);
		KUNIT_ASSERT_NE(test, runs[i].pages, 0);
		while (runs[i].pages--)
			KUNIT_ASSERT_EQ(test, wanted[page++], runs[i].tile);
	}
	KUNIT_ASSERT_EQ(test, page, overlay->pages);
}

/* A layout of pieces that end after the pages of @cuts, and where the tile changes */
static void lay_out(struct xetile_layout *layout, u64 pages, u32 cuts)
{
	static struct xetile_extent ext[MAX_PAGES];
	static u64 start[MAX_PAGES];
	u64 page;

	*layout = (struct xetile_layout) { .ext = ext, .start = start, .size = pages << SHIFT };
	for (page = 0; page < pages; page++) {
		if (!page || lies[page] != lies[page - 1] || (cuts & BIT(page - 1))) {
			ext[layout->num] = (struct xetile_extent) { .tile = lies[page] };
			start[layout->num++] = page << SHIFT;
		}
		ext[layout->num - 1].size += 1 << SHIFT;
	}
}

static void expect_diff(struct kunit *test, const struct xetile_overlay *overlay, u32 patched,
			u32 cuts)
{
	struct xetile_overlay_diff diff;
	struct xetile_overlay_run run;
	struct xetile_layout now;
	u64 page = 0;

	lay_out(&now, overlay->pages, cuts);
	xetile_overlay_diff_begin(&diff, overlay, &now);
	while (xetile_overlay_diff_next(&diff, &run)) {
		KUNIT_ASSERT_NE(test, run.pages, 0);
		for (; page < run.page; page++)
			KUNIT_ASSERT_TRUE(test, !(patched & BIT(page)) ||
					  wanted[page] == lies[page]);
		KUNIT_ASSERT_EQ(test, page, run.page);
		for (; page < run.page + run.pages; page++) {
			KUNIT_ASSERT_TRUE(test, patched & BIT(page));
			KUNIT_ASSERT_EQ(test, wanted[page], run.tile);
			KUNIT_ASSERT_NE(test, lies[page], run.tile);
		}
	}
	for (; page < overlay->pages; page++)
		KUNIT_ASSERT_TRUE(test, !(patched & BIT(page)) || wanted[page] == lies[page]);
}

/* An object that lies as its color says, or with one page on another tile, in all pieces */
static void expect_diffs(struct kunit *test, const struct xetile_overlay *overlay, u32 patched)
{
	u64 n = overlay->pages, stray;
	u32 cuts;

	for (stray = 0; stray <= n; stray++) {
		paint(lies, overlay->base, n);
		if (stray < n)
			lies[stray] = (lies[stray] + 1) % TILES;
		for (cuts = 0; cuts < BIT(n - 1); cuts++)
			expect_diff(test, overlay, patched, cuts);
	}
}

static void lay_over(struct kunit *test, const struct xetile_overlay *overlay)
{
	static u32 base[MAX_PAGES];
	u64 n = overlay->pages;
	u32 patched = 0, i;

	paint(base, overlay->base, n);
	memcpy(wanted, base, sizeof(base));
	for (i = 0; i < overlay->num; i++) {
		const struct xetile_color_patch *patch = &overlay->patches[i];

		paint(wanted + patch->page, &patch->color, patch->pages);
		patched |= (BIT(patch->pages) - 1) << patch->page;
	}
	KUNIT_ASSERT_EQ(test, xetile_overlay_check(overlay->patches, overlay->num, n), 0);
	expect_runs(test, overlay);
	KUNIT_ASSERT_EQ(test, xetile_overlay_is_base(overlay),
			!memcmp(wanted, base, n * sizeof(*base)));
	expect_diffs(test, overlay, patched);
}

/* All patches that begin at @page or later are put behind those of @overlay, in all colors. */
static void add_patches(struct kunit *test, struct xetile_overlay *overlay,
			struct xetile_color_patch *patches, u64 page)
{
	struct xetile_color_patch *patch = &patches[overlay->num];
	unsigned int i;

	lay_over(test, overlay);
	/* Three patches have every kind of neighbours; there are too many for larger objects. */
	if (overlay->num++ < (overlay->pages < 5 ? 3 : 2)) {
		for (patch->page = page; patch->page < overlay->pages; patch->page++) {
			for (patch->pages = 1; patch->pages <= overlay->pages - patch->page;
			     patch->pages++) {
				for (i = 0; i < ARRAY_SIZE(colors); i++) {
					patch->color = colors[i];
					add_patches(test, overlay, patches,
						    patch->page + patch->pages);
				}
			}
		}
	}
	overlay->num--;
}

static void overlay_all(struct kunit *test)
{
	struct xetile_color_patch patches[4] = { };
	struct xetile_overlay overlay = { .patches = patches };
	unsigned int i;

	for (overlay.pages = 1; overlay.pages <= MAX_PAGES; overlay.pages++) {
		for (i = 0; i < ARRAY_SIZE(colors); i++) {
			overlay.base = &colors[i];
			add_patches(test, &overlay, patches, 0);
		}
	}
}

/* A map's element holds 2^32 - 1 pages at most. */
static void overlay_long(struct kunit *test)
{
	const struct xetile_color_patch patch = {
		.page = 1ull << 33, .pages = 5, .color = colors[1],
	};
	const struct xetile_overlay overlay = {
		.base = &colors[0], .patches = &patch, .num = 1, .pages = (1ull << 34) + 2,
	};
	struct xetile_color_run runs[9];

	KUNIT_ASSERT_EQ(test, xetile_overlay_runs(&overlay, runs, ARRAY_SIZE(runs)), 6);
	KUNIT_EXPECT_EQ(test, runs[0].pages, U32_MAX);
	KUNIT_EXPECT_EQ(test, runs[1].pages, U32_MAX);
	KUNIT_EXPECT_EQ(test, runs[2].pages, 2);
	KUNIT_EXPECT_EQ(test, runs[3].pages, 5);
	KUNIT_EXPECT_EQ(test, runs[3].tile, 2);
	KUNIT_EXPECT_EQ(test, runs[4].pages, U32_MAX);
	KUNIT_EXPECT_EQ(test, runs[5].pages, U32_MAX - 1);
	/* What there is no room for is counted only. */
	runs[2].pages = 77;
	KUNIT_EXPECT_EQ(test, xetile_overlay_runs(&overlay, runs, 2), 6);
	KUNIT_EXPECT_EQ(test, runs[2].pages, 77);
}

struct check_case {
	const char *name;
	u64 ranges[2][2];
	int err;
};

static const struct check_case check_cases[] = {
	{ "all", { { 0, 10 } }, 0 },
	{ "side by side", { { 0, 4 }, { 4, 6 } }, 0 },
	{ "empty", { { 3, 0 } }, -EINVAL },
	{ "one page too long", { { 0, 11 } }, -EINVAL },
	{ "behind the end", { { 10, 1 } }, -EINVAL },
	{ "that wraps", { { 5, ~0ull } }, -EINVAL },
	{ "far away", { { ~0ull, 2 } }, -EINVAL },
	{ "that overlap", { { 0, 4 }, { 3, 2 } }, -EINVAL },
	{ "twice the same", { { 2, 2 }, { 2, 2 } }, -EINVAL },
	{ "in the wrong order", { { 5, 2 }, { 0, 2 } }, -EINVAL },
};

KUNIT_ARRAY_PARAM_DESC(check, check_cases, name);

static void overlay_check(struct kunit *test)
{
	const struct check_case *c = test->param_value;
	struct xetile_color_patch patches[2] = { };
	u32 i, num = c->ranges[1][0] || c->ranges[1][1] ? 2 : 1;

	for (i = 0; i < num; i++) {
		patches[i].page = c->ranges[i][0];
		patches[i].pages = c->ranges[i][1];
	}
	KUNIT_EXPECT_EQ(test, xetile_overlay_check(patches, num, 10), c->err);
}

/* Where an object lies is compared with all of its color. */
static void overlay_lies(struct kunit *test)
{
	u64 n, stray;
	unsigned int i;
	u32 cuts;

	for (i = 0; i < ARRAY_SIZE(colors); i++) {
		for (n = 1; n <= MAX_PAGES; n++) {
			for (stray = 0; stray <= n; stray++) {
				paint(lies, &colors[i], n);
				if (stray < n)
					lies[stray] = (lies[stray] + 2) % TILES;
				for (cuts = 0; cuts < BIT(n - 1); cuts++) {
					struct xetile_layout now;

					lay_out(&now, n, cuts);
					KUNIT_ASSERT_EQ(test, xetile_color_lies(&colors[i], &now),
							stray == n);
				}
			}
		}
	}
}

static struct kunit_case overlay_tests[] = {
	KUNIT_CASE(overlay_all),
	KUNIT_CASE(overlay_long),
	KUNIT_CASE_PARAM(overlay_check, check_gen_params),
	KUNIT_CASE(overlay_lies),
	{}
};

static struct kunit_suite overlay_suite = {
	.name = "xetile_overlay",
	.test_cases = overlay_tests,
};

kunit_test_suite(overlay_suite);
