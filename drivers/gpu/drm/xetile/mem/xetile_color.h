/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_COLOR_H__
#define __XETILE_COLOR_H__

/*
 * Pure: no lock, no allocation, no device. Compiles on the host too, where
 * igt-tests/host tests it exhaustively.
 */
#include <linux/bits.h>
#include <linux/types.h>

#define XETILE_COLOR_PAGE_SHIFT	16
#define XETILE_COLOR_PAGE	BIT(XETILE_COLOR_PAGE_SHIFT)

/** enum xetile_color_policy - which tile holds which page */
enum xetile_color_policy {
	XETILE_COLOR_EVEN,
	XETILE_COLOR_TILE,
	XETILE_COLOR_CHUNK,
	XETILE_COLOR_WEIGHTED,
	XETILE_COLOR_MAP,
	XETILE_COLOR_FOLLOW,
};

/** struct xetile_color_run - consecutive color pages on one tile */
struct xetile_color_run {
	/** @tile: tile number; XETILE_COLOR_SYSTEM in read-backs only */
	u32 tile;
	/** @pages: color pages; the weight for XETILE_COLOR_WEIGHTED */
	u32 pages;
};

#define XETILE_COLOR_SYSTEM	0xffff

/** struct xetile_color - a coloring, ready to be asked */
struct xetile_color {
	/** @policy: the rule */
	enum xetile_color_policy policy;
	/** @tile_mask: tiles to use, never empty */
	u32 tile_mask;
	/** @granule: CHUNK: pages of a chunk, else 0 */
	u32 granule;
	/** @num_runs: elements of @runs; MAP and WEIGHTED only */
	u32 num_runs;
	/** @runs: owned by whoever owns the color */
	const struct xetile_color_run *runs;
};

/** struct xetile_color_iter - walks the runs of a coloring in page order */
struct xetile_color_iter {
	/** @color: the coloring walked */
	const struct xetile_color *color;
	/** @pages: color pages of the object */
	u64 pages;
	/** @next: first page not handed out yet */
	u64 next;
	/** @index: how many runs were handed out */
	u32 index;
	/** @parts: tiles, or total weight, the pages are divided by */
	u64 parts;
	/** @extra: pages the division left over; the first runs it cut get one each */
	u64 extra;
};

int xetile_color_check(const struct xetile_color *color, u64 pages, u32 tiles_present);
void xetile_color_begin(struct xetile_color_iter *it, const struct xetile_color *color, u64 pages);
bool xetile_color_next(struct xetile_color_iter *it, u32 *tile, u64 *pages);
u64 xetile_color_share(const struct xetile_color *color, u64 pages, u32 tile);

#endif
