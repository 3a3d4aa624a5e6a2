// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "mem/xetile_color.h"

#include <linux/errno.h>

/**
 * DOC: color
 *
 * Pure functions from (policy, size, tile mask) to runs of (tile, pages). Each policy is a row
 * of one table, which says what the policy needs, and how its runs follow each other. The
 * ioctls check users' requests with these functions, buffers walk their runs, and libxetile,
 * which has this file compiled in, plans with them. No lock, no allocation, no device.
 *
 * Sources: the published work-scheduling guide (even shares, page granularity,
 * one page stays on the first stack) and, for the remainder on more than two
 * tiles, the rule of the shipping user-mode driver: 18 pages on 4 tiles are
 * 5, 5, 4, 4.
 */

static u32 tiles_in(u32 mask)
{
	u32 n = 0;

	for (; mask; mask &= mask - 1)
		n++;
	return n;
}

static bool has_tile(u32 mask, u32 tile)
{
	return tile < 32 && (mask & (1u << tile));
}

/* Deals equal runs to the tiles of the mask in turn; the first ones are one page longer. */
static u64 next_dealt(struct xetile_color_iter *it, u32 *tile)
{
	u64 run = it->share;

	if (it->extra) {
		it->extra--;
		run++;
	}
	if (!it->tiles)
		it->tiles = it->color->tile_mask;
	*tile = __builtin_ctz(it->tiles);
	it->tiles &= it->tiles - 1;
	return run;
}

static void begin_even(struct xetile_color_iter *it)
{
	u32 tiles = tiles_in(it->color->tile_mask);

	it->share = it->pages / tiles;
	it->extra = it->pages % tiles;
}

static int check_tile(const struct xetile_coloring *color, u64 pages)
{
	return tiles_in(color->tile_mask) == 1 ? 0 : -EINVAL;
}

static void begin_tile(struct xetile_color_iter *it)
{
	it->share = it->pages;
}

static void begin_chunk(struct xetile_color_iter *it)
{
	it->share = it->color->granule;
}

static void begin_follow(struct xetile_color_iter *it)
{
	begin_even(it);
	it->share += it->extra != 0;
	it->extra = 0;
}

/* All copies are of one size. */
static int check_replicate(const struct xetile_coloring *color, u64 pages)
{
	return pages % tiles_in(color->tile_mask) ? -EINVAL : 0;
}

/* A page count times a weight has to fit 64 bits. */
static int check_weighted(const struct xetile_coloring *color, u64 pages)
{
	u32 seen = 0, i;

	if (pages >> 32)
		return -EINVAL;
	for (i = 0; i < color->num_runs; i++) {
		u32 tile = color->runs[i].tile;

		if (!has_tile(color->tile_mask, tile) || has_tile(seen, tile) ||
		    !color->runs[i].pages)
			return -EINVAL;
		seen |= 1u << tile;
	}
	return seen == color->tile_mask ? 0 : -EINVAL;
}

static void begin_weighted(struct xetile_color_iter *it)
{
	const struct xetile_coloring *color = it->color;
	u64 given = 0;
	u32 i;

	for (i = 0; i < color->num_runs; i++)
		it->weights += color->runs[i].pages;
	for (i = 0; i < color->num_runs; i++)
		given += it->pages * color->runs[i].pages / it->weights;
	it->extra = it->pages - given;
}

static u64 next_weighted(struct xetile_color_iter *it, u32 *tile)
{
	const struct xetile_color_run *weight = &it->color->runs[it->index++];
	u64 run = it->pages * weight->pages / it->weights;

	*tile = weight->tile;
	if (it->extra && it->pages * weight->pages % it->weights) {
		it->extra--;
		run++;
	}
	return run;
}

static int check_map(const struct xetile_coloring *color, u64 pages)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < color->num_runs; i++) {
		if (!has_tile(color->tile_mask, color->runs[i].tile) || !color->runs[i].pages)
			return -EINVAL;
		sum += color->runs[i].pages;
	}
	return sum == pages ? 0 : -EINVAL;
}

static u64 next_mapped(struct xetile_color_iter *it, u32 *tile)
{
	const struct xetile_color_run *run = &it->color->runs[it->index++];

	*tile = run->tile;
	return run->pages;
}

static const struct xetile_policy policies[XETILE_NUM_POLICIES] = {
	[XETILE_POLICY_EVEN] = {
		.name = "even",
		.begin = begin_even,
		.next = next_dealt,
	},
	[XETILE_POLICY_TILE] = {
		.name = "tile",
		.check = check_tile,
		.begin = begin_tile,
		.next = next_dealt,
	},
	[XETILE_POLICY_CHUNK] = {
		.name = "chunk",
		.needs_granule = true,
		.begin = begin_chunk,
		.next = next_dealt,
	},
	[XETILE_POLICY_WEIGHTED] = {
		.name = "weighted",
		.needs_runs = true,
		.check = check_weighted,
		.begin = begin_weighted,
		.next = next_weighted,
	},
	[XETILE_POLICY_MAP] = {
		.name = "map",
		.needs_runs = true,
		.check = check_map,
		.next = next_mapped,
	},
	[XETILE_POLICY_FOLLOW] = {
		.name = "follow",
		.begin = begin_follow,
		.next = next_dealt,
	},
	[XETILE_POLICY_REPLICATE] = {
		.name = "replicate",
		.check = check_replicate,
		.begin = begin_even,
		.next = next_dealt,
	},
};

/**
 * xetile_policy_find() - look up a policy
 * @number: its number, any
 *
 * Context: any.
 *
 * Return: its row, or NULL.
 */
const struct xetile_policy *xetile_policy_find(u32 number)
{
	return number < XETILE_NUM_POLICIES ? &policies[number] : NULL;
}

/**
 * xetile_color_check() - does a coloring fit an object and a card
 * @color: what a user asks for; the pointer to its runs may be anything when
 *	@color->num_runs is 0
 * @pages: color pages of the object
 * @tiles_present: mask of the card's tiles
 *
 * A WEIGHTED object is limited to 2^32 - 1 pages. The pages of a REPLICATE object are those of all
 * its copies.
 *
 * Context: any.
 *
 * Return: 0, or -EINVAL.
 */
int xetile_color_check(const struct xetile_coloring *color, u64 pages, u32 tiles_present)
{
	const struct xetile_policy *policy = xetile_policy_find(color->policy);

	if (!policy)
		return -EINVAL;
	if (!pages || !color->tile_mask || (color->tile_mask & ~tiles_present))
		return -EINVAL;
	if (policy->needs_granule != !!color->granule || policy->needs_runs != !!color->num_runs)
		return -EINVAL;
	return policy->check ? policy->check(color, pages) : 0;
}

/**
 * xetile_color_begin() - start to walk a coloring
 * @it: the walk
 * @color: a coloring xetile_color_check() accepts for @pages
 * @pages: color pages of the object
 *
 * Context: any.
 */
void xetile_color_begin(struct xetile_color_iter *it, const struct xetile_coloring *color,
			u64 pages)
{
	const struct xetile_policy *policy = &policies[color->policy];

	*it = (struct xetile_color_iter) {
		.color = color,
		.next = policy->next,
		.pages = pages,
		.left = pages,
	};
	if (policy->begin)
		policy->begin(it);
}

/* Direct calls where walks are long: an indirect call takes longer than the rest of a run. */
static u64 next_run(struct xetile_color_iter *it, u32 *tile)
{
	if (it->next == next_dealt)
		return next_dealt(it, tile);
	if (it->next == next_mapped)
		return next_mapped(it, tile);
	return it->next(it, tile);
}

/**
 * xetile_color_next() - the next run of a coloring
 * @it: the walk
 * @tile: out: tile of the run
 * @pages: out: color pages of the run, never 0
 *
 * Two runs in a row may name the same tile.
 *
 * Context: any.
 *
 * Return: false when the object is covered and nothing was handed out.
 */
bool xetile_color_next(struct xetile_color_iter *it, u32 *tile, u64 *pages)
{
	u64 run = 0;

	while (it->left && !run)
		run = next_run(it, tile);
	if (!run)
		return false;

	*pages = run < it->left ? run : it->left;
	it->left -= *pages;
	return true;
}

/**
 * xetile_color_share() - color pages of an object that lie on a tile
 * @color: a coloring xetile_color_check() accepts for @pages
 * @pages: color pages of the object
 * @tile: tile number
 *
 * Context: any.
 *
 * Return: the number of pages; the shares of all tiles add up to @pages.
 */
u64 xetile_color_share(const struct xetile_coloring *color, u64 pages, u32 tile)
{
	struct xetile_color_iter it;
	u64 run, share = 0;
	u32 t;

	xetile_color_begin(&it, color, pages);
	while (xetile_color_next(&it, &t, &run))
		if (t == tile)
			share += run;
	return share;
}
