/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_OVERLAY_H__
#define __XETILE_OVERLAY_H__

/*
 * Pure: no lock, no allocation, no device. Compiles on the host too.
 */
#include "mem/xetile_color.h"
#include "mem/xetile_layout.h"

/** struct xetile_color_patch - a range of an object that gets a coloring of its own */
struct xetile_color_patch {
	/** @page: the range's first page */
	u64 page;
	/** @pages: its pages, never 0 */
	u64 pages;
	/** @color: a coloring xetile_color_check() accepts for @pages */
	struct xetile_coloring color;
};

/** struct xetile_overlay - a coloring with patches over it */
struct xetile_overlay {
	/** @base: colors the pages that no patch covers */
	const struct xetile_coloring *base;
	/** @patches: in the order of their pages, as xetile_overlay_check() wants them */
	const struct xetile_color_patch *patches;
	/** @num: elements of @patches */
	u32 num;
	/** @pages: color pages of the object */
	u64 pages;
};

/** struct xetile_overlay_run - consecutive pages on one tile */
struct xetile_overlay_run {
	/** @page: the first page */
	u64 page;
	/** @pages: pages, never 0 */
	u64 pages;
	/** @tile: tile number */
	u32 tile;
	/** @patched: a patch colors them */
	bool patched;
};

/** struct xetile_overlay_iter - walks the runs of an overlay in page order */
struct xetile_overlay_iter {
	/** @overlay: the overlay walked */
	const struct xetile_overlay *overlay;
	/** @page: the next page */
	u64 page;
	/** @next: number of the patch that comes next, or that @page is in */
	u32 next;
	/** @patch: walk over that patch */
	struct xetile_color_iter patch;
	/** @base: walk over the base */
	struct xetile_color_iter base;
	/** @base_tile: tile of the base's run that was walked last */
	u32 base_tile;
	/** @base_end: the page behind that run */
	u64 base_end;
};

/** struct xetile_overlay_diff - walks the patched pages that do not lie as an overlay says */
struct xetile_overlay_diff {
	/** @it: walk over the overlay */
	struct xetile_overlay_iter it;
	/** @run: what is left of the run that was walked last */
	struct xetile_overlay_run run;
	/** @now: where the object lies, in HBM */
	const struct xetile_layout *now;
	/** @ext: the piece of @now with the page that was looked at last */
	unsigned int ext;
};

int xetile_overlay_check(const struct xetile_color_patch *patches, u32 num, u64 pages);
void xetile_overlay_begin(struct xetile_overlay_iter *it, const struct xetile_overlay *overlay);
bool xetile_overlay_next(struct xetile_overlay_iter *it, struct xetile_overlay_run *run);
u64 xetile_overlay_runs(const struct xetile_overlay *overlay, struct xetile_color_run *runs,
			u64 max);
void xetile_overlay_diff_begin(struct xetile_overlay_diff *diff,
			       const struct xetile_overlay *overlay,
			       const struct xetile_layout *now);
bool xetile_overlay_diff_next(struct xetile_overlay_diff *diff, struct xetile_overlay_run *run);
bool xetile_overlay_is_base(const struct xetile_overlay *overlay);
bool xetile_color_lies(const struct xetile_coloring *color, const struct xetile_layout *layout);

#endif
