// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_overlay.h"

#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/minmax.h>

/**
 * DOC: a coloring with patches over it
 *
 * Pure functions for the recolor of parts of a buffer. An overlay is a coloring of the buffer, and
 * colorings of ranges of it, the patches. A walk gives its runs without making any list of them;
 * the driver writes them down as one flat map, so that a later overlay begins with a single
 * coloring again. Another walk finds the pages to be moved. No lock, no allocation, no device.
 */

/**
 * xetile_overlay_check() - can patches be laid over an object
 * @patches: patches with ranges that may be anything; their colorings are not looked at
 * @num: number of them
 * @pages: color pages of the object
 *
 * Return: 0; -EINVAL if one is empty, reaches behind the object's end, or does not begin behind
 * the end of the one before.
 */
int xetile_overlay_check(const struct xetile_color_patch *patches, u32 num, u64 pages)
{
	u64 end = 0;
	u32 i;

	for (i = 0; i < num; i++) {
		const struct xetile_color_patch *patch = &patches[i];

		if (!patch->pages || patch->page < end || patch->page > pages ||
		    patch->pages > pages - patch->page)
			return -EINVAL;
		end = patch->page + patch->pages;
	}
	return 0;
}

/**
 * xetile_overlay_begin() - start to walk an overlay
 * @it: the walk
 * @overlay: the overlay; xetile_overlay_check() accepts its patches
 */
void xetile_overlay_begin(struct xetile_overlay_iter *it, const struct xetile_overlay *overlay)
{
	*it = (struct xetile_overlay_iter) { .overlay = overlay };
	xetile_color_begin(&it->base, overlay->base, overlay->pages);
}

static void next_patched(struct xetile_overlay_iter *it, const struct xetile_color_patch *patch,
			 struct xetile_overlay_run *run)
{
	if (it->page == patch->page)
		xetile_color_begin(&it->patch, &patch->color, patch->pages);
	xetile_color_next(&it->patch, &run->tile, &run->pages);
	run->patched = true;
	if (it->page + run->pages == patch->page + patch->pages)
		it->next++;
}

/* @end: the page behind the pages that the base colors */
static void next_of_base(struct xetile_overlay_iter *it, u64 end, struct xetile_overlay_run *run)
{
	while (it->base_end <= it->page) {
		u64 pages;

		xetile_color_next(&it->base, &it->base_tile, &pages);
		it->base_end += pages;
	}
	run->tile = it->base_tile;
	run->pages = min(it->base_end, end) - it->page;
	run->patched = false;
}

/**
 * xetile_overlay_next() - the next run of an overlay
 * @it: the walk
 * @run: out: the run
 *
 * Two runs in a row may name the same tile.
 *
 * Return: false when the object is covered and nothing was handed out.
 */
bool xetile_overlay_next(struct xetile_overlay_iter *it, struct xetile_overlay_run *run)
{
	const struct xetile_overlay *overlay = it->overlay;
	const struct xetile_color_patch *patch;

	if (it->page == overlay->pages)
		return false;
	patch = it->next < overlay->num ? &overlay->patches[it->next] : NULL;
	run->page = it->page;
	if (patch && it->page >= patch->page)
		next_patched(it, patch, run);
	else
		next_of_base(it, patch ? patch->page : overlay->pages, run);
	it->page += run->pages;
	return true;
}

/**
 * xetile_overlay_runs() - write an overlay down as a map
 * @overlay: the overlay
 * @runs: out: the first @max runs of the map; neighbours on one tile are one run, unless that
 *	would be too long for an element
 * @max: elements that @runs has room for; 0: the runs are only counted
 *
 * Return: number of runs of the map.
 */
u64 xetile_overlay_runs(const struct xetile_overlay *overlay, struct xetile_color_run *runs,
			u64 max)
{
	struct xetile_color_run last = { };
	struct xetile_overlay_iter it;
	struct xetile_overlay_run run;
	u64 num = 0;

	xetile_overlay_begin(&it, overlay);
	while (xetile_overlay_next(&it, &run)) {
		while (run.pages) {
			u32 fit;

			if (!num || last.tile != run.tile || last.pages == U32_MAX) {
				last = (struct xetile_color_run) { .tile = run.tile };
				num++;
			}
			fit = min_t(u64, run.pages, U32_MAX - last.pages);
			last.pages += fit;
			run.pages -= fit;
			if (num <= max)
				runs[num - 1] = last;
		}
	}
	return num;
}

/**
 * xetile_overlay_diff_begin() - start to look for pages that a recolor has to move
 * @diff: the walk
 * @overlay: how the object is to lie
 * @now: how it lies, in HBM
 */
void xetile_overlay_diff_begin(struct xetile_overlay_diff *diff,
			       const struct xetile_overlay *overlay,
			       const struct xetile_layout *now)
{
	*diff = (struct xetile_overlay_diff) { .now = now };
	xetile_overlay_begin(&diff->it, overlay);
}

/* Does the next run of the walk lie on one tile, and on which? Returns its pages. */
static u64 pages_on_tile(struct xetile_overlay_diff *diff, u32 *tile)
{
	const struct xetile_layout *now = diff->now;
	u64 offset = diff->run.page << XETILE_COLOR_PAGE_SHIFT, left;

	while (now->start[diff->ext] + now->ext[diff->ext].size <= offset)
		diff->ext++;
	*tile = now->ext[diff->ext].tile;
	left = now->start[diff->ext] + now->ext[diff->ext].size - offset;
	return min(diff->run.pages, left >> XETILE_COLOR_PAGE_SHIFT);
}

/**
 * xetile_overlay_diff_next() - the next pages of a patch that lie on another tile than they are to
 * @diff: the walk
 * @run: out: the pages; the tile is where they are to lie
 *
 * Pages that no patch covers stay where they are, also if they do not lie as the base says.
 *
 * Return: false when there are no more.
 */
bool xetile_overlay_diff_next(struct xetile_overlay_diff *diff, struct xetile_overlay_run *run)
{
	for (;;) {
		u64 pages;
		u32 tile;

		while (!diff->run.pages || !diff->run.patched)
			if (!xetile_overlay_next(&diff->it, &diff->run))
				return false;
		pages = pages_on_tile(diff, &tile);
		*run = diff->run;
		run->pages = pages;
		diff->run.page += pages;
		diff->run.pages -= pages;
		if (tile != run->tile)
			return true;
	}
}

/**
 * xetile_overlay_is_base() - do an overlay's patches color as its base does
 * @overlay: the overlay
 *
 * Return: true if each page has the tile that the base gives it.
 */
bool xetile_overlay_is_base(const struct xetile_overlay *overlay)
{
	struct xetile_overlay_iter it;
	struct xetile_overlay_run run;
	struct xetile_color_iter base;
	u64 pages = 0;
	u32 tile = 0;

	xetile_overlay_begin(&it, overlay);
	xetile_color_begin(&base, overlay->base, overlay->pages);
	while (xetile_overlay_next(&it, &run)) {
		while (run.pages) {
			u64 both;

			if (!pages)
				xetile_color_next(&base, &tile, &pages);
			if (tile != run.tile)
				return false;
			both = min(pages, run.pages);
			pages -= both;
			run.pages -= both;
		}
	}
	return true;
}

/**
 * xetile_color_lies() - does an object in HBM lie as a coloring says
 * @color: the coloring
 * @layout: where the object lies, in HBM
 *
 * Return: true if each page is on its tile.
 */
bool xetile_color_lies(const struct xetile_coloring *color, const struct xetile_layout *layout)
{
	const struct xetile_color_patch all = {
		.pages = layout->size >> XETILE_COLOR_PAGE_SHIFT, .color = *color,
	};
	const struct xetile_overlay overlay = {
		.base = color, .patches = &all, .num = 1, .pages = all.pages,
	};
	struct xetile_overlay_diff diff;
	struct xetile_overlay_run run;

	xetile_overlay_diff_begin(&diff, &overlay, layout);
	return !xetile_overlay_diff_next(&diff, &run);
}
