// SPDX-License-Identifier: GPL-2.0-only
/*
 * Colors: pure functions from (policy, size, tile mask) to runs of (tile, pages).
 *
 * Sources: the published work-scheduling guide (even shares, page granularity,
 * one page stays on the first stack) and, for the remainder on more than two
 * tiles, the rule of the shipping user-mode driver: 18 pages on 4 tiles are
 * 5, 5, 4, 4.
 */
#include <linux/errno.h>

#include "mem/xetile_color.h"

static u32 tiles_in(u32 mask)
{
	u32 n = 0;

	for (; mask; mask &= mask - 1)
		n++;
	return n;
}

/* Number of the nth tile in a mask that holds more than n tiles */
static u32 nth_tile(u32 mask, u32 n)
{
	u32 tile = 0;

	while (n--)
		mask &= mask - 1;
	while (!(mask & 1)) {
		mask >>= 1;
		tile++;
	}
	return tile;
}

static bool has_tile(u32 mask, u32 tile)
{
	return tile < 32 && (mask & (1u << tile));
}

static int check_map(const struct xetile_color *color, u64 pages)
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

static int check_weights(const struct xetile_color *color)
{
	u32 seen = 0, i;

	for (i = 0; i < color->num_runs; i++) {
		u32 tile = color->runs[i].tile;

		if (!has_tile(color->tile_mask, tile) || has_tile(seen, tile) ||
		    !color->runs[i].pages)
			return -EINVAL;
		seen |= 1u << tile;
	}
	return seen == color->tile_mask ? 0 : -EINVAL;
}

/**
 * xetile_color_check() - does a coloring fit an object and a card
 * @color: what a user asks for; the pointer to its runs may be anything when
 *	@color->num_runs is 0
 * @pages: color pages of the object
 * @tiles_present: mask of the card's tiles
 *
 * A WEIGHTED object is limited to 2^32 - 1 pages, so that a page count times a
 * weight fits 64 bits.
 *
 * Return: 0, or -EINVAL.
 */
int xetile_color_check(const struct xetile_color *color, u64 pages, u32 tiles_present)
{
	bool wants_runs = color->policy == XETILE_COLOR_MAP ||
			  color->policy == XETILE_COLOR_WEIGHTED;
	bool wants_granule = color->policy == XETILE_COLOR_CHUNK;

	if (!pages || !color->tile_mask || (color->tile_mask & ~tiles_present))
		return -EINVAL;
	if (wants_granule != !!color->granule || wants_runs != !!color->num_runs)
		return -EINVAL;

	switch (color->policy) {
	case XETILE_COLOR_EVEN:
	case XETILE_COLOR_CHUNK:
	case XETILE_COLOR_FOLLOW:
		return 0;
	case XETILE_COLOR_TILE:
		return tiles_in(color->tile_mask) == 1 ? 0 : -EINVAL;
	case XETILE_COLOR_MAP:
		return check_map(color, pages);
	case XETILE_COLOR_WEIGHTED:
		return pages >> 32 ? -EINVAL : check_weights(color);
	}
	return -EINVAL;
}

/**
 * xetile_color_begin() - start to walk a coloring
 * @it: the walk
 * @color: a coloring xetile_color_check() accepts for @pages
 * @pages: color pages of the object
 */
void xetile_color_begin(struct xetile_color_iter *it, const struct xetile_color *color, u64 pages)
{
	u64 given = 0;
	u32 i;

	it->color = color;
	it->pages = pages;
	it->next = 0;
	it->index = 0;
	it->parts = tiles_in(color->tile_mask);
	it->extra = pages % it->parts;

	if (color->policy != XETILE_COLOR_WEIGHTED)
		return;

	it->parts = 0;
	for (i = 0; i < color->num_runs; i++)
		it->parts += color->runs[i].pages;
	for (i = 0; i < color->num_runs; i++)
		given += pages * color->runs[i].pages / it->parts;
	it->extra = pages - given;
}

/**
 * xetile_color_next() - the next run of a coloring
 * @it: the walk
 * @tile: out: tile of the run
 * @pages: out: color pages of the run, never 0
 *
 * Two runs in a row may name the same tile.
 *
 * Return: false when the object is covered and nothing was handed out.
 */
bool xetile_color_next(struct xetile_color_iter *it, u32 *tile, u64 *pages)
{
	const struct xetile_color *color = it->color;
	u64 left = it->pages - it->next, run = 0;

	while (left && !run) {
		u32 i = it->index++;

		switch (color->policy) {
		case XETILE_COLOR_EVEN:
			*tile = nth_tile(color->tile_mask, i);
			run = it->pages / it->parts + (i < it->extra);
			break;
		case XETILE_COLOR_TILE:
			*tile = nth_tile(color->tile_mask, 0);
			run = left;
			break;
		case XETILE_COLOR_CHUNK:
			*tile = nth_tile(color->tile_mask, i % it->parts);
			run = color->granule;
			break;
		case XETILE_COLOR_FOLLOW:
			*tile = nth_tile(color->tile_mask, i);
			run = it->pages / it->parts + (it->extra != 0);
			break;
		case XETILE_COLOR_WEIGHTED:
			*tile = color->runs[i].tile;
			run = it->pages * color->runs[i].pages / it->parts;
			if (it->extra && it->pages * color->runs[i].pages % it->parts) {
				it->extra--;
				run++;
			}
			break;
		case XETILE_COLOR_MAP:
			*tile = color->runs[i].tile;
			run = color->runs[i].pages;
			break;
		}
	}
	if (!run)
		return false;

	*pages = run < left ? run : left;
	it->next += *pages;
	return true;
}

/**
 * xetile_color_share() - color pages of an object that lie on a tile
 * @color: a coloring xetile_color_check() accepts for @pages
 * @pages: color pages of the object
 * @tile: tile number
 *
 * Return: the number of pages; the shares of all tiles add up to @pages.
 */
u64 xetile_color_share(const struct xetile_color *color, u64 pages, u32 tile)
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
