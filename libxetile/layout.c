// SPDX-License-Identifier: MIT
/*
 * Layouts: ranges of pages with a coloring each. A range that is painted over in part keeps the
 * rest of its pages, and with them its coloring and where the coloring began, because a coloring
 * depends on its whole length.
 */
#include "layout.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"

/* The runs of a color, which several ranges may have. One thread at a time uses a buffer. */
struct xt_layout_runs {
	unsigned int users;
	struct xetile_color_run run[];
};

static void put_runs(struct xt_layout_runs *runs)
{
	if (runs && !--runs->users)
		free(runs);
}

static void get_runs(struct xt_layout_runs *runs)
{
	if (runs)
		runs->users++;
}

int xt_layout_copy(struct xt_layout *to, const struct xt_layout *from)
{
	unsigned int i;

	*to = (struct xt_layout) { 0 };
	if (!from->num)
		return 0;
	to->ranges = malloc(from->num * sizeof(*to->ranges));
	if (!to->ranges)
		return xt_error(-ENOMEM, "out of memory");
	memcpy(to->ranges, from->ranges, from->num * sizeof(*to->ranges));
	to->num = to->room = from->num;
	for (i = 0; i < to->num; i++)
		get_runs(to->ranges[i].runs);
	return 0;
}

void xt_layout_fini(struct xt_layout *layout)
{
	unsigned int i;

	for (i = 0; i < layout->num; i++)
		put_runs(layout->ranges[i].runs);
	free(layout->ranges);
	*layout = (struct xt_layout) { 0 };
}

/* The first range that ends behind a page */
static unsigned int find(const struct xt_layout *layout, uint64_t page)
{
	unsigned int low = 0, high = layout->num, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (layout->ranges[middle].end > page)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* One range in the place of @num ranges */
static void replace(struct xt_layout *layout, unsigned int at, unsigned int num,
		    const struct xt_layout_range *range)
{
	struct xt_layout_range *r = layout->ranges + at;

	memmove(r + 1, r + num, (layout->num - at - num) * sizeof(*r));
	*r = *range;
	layout->num = layout->num + 1 - num;
}

static int new_range(struct xt_layout_range *range, uint64_t begin, uint64_t pages,
		     const struct xetile_coloring *color)
{
	*range = (struct xt_layout_range) {
		.begin = begin, .end = begin + pages, .base = begin, .pages = pages,
		.color = *color,
	};
	if (!color->num_runs)
		return 0;
	range->runs = malloc(sizeof(*range->runs) + color->num_runs * sizeof(*color->runs));
	if (!range->runs)
		return xt_error(-ENOMEM, "out of memory");
	range->runs->users = 1;
	memcpy(range->runs->run, color->runs, color->num_runs * sizeof(*color->runs));
	range->color.runs = range->runs->run;
	return 0;
}

int xt_layout_paint(struct xt_layout *layout, uint64_t begin, uint64_t pages,
		    const struct xetile_coloring *color)
{
	unsigned int at = find(layout, begin), last, i;
	struct xt_layout_range new, rest, *r;
	uint64_t end = begin + pages;
	int err;

	/* One range more, and another one when this one divides an old one */
	if (layout->num + 2 > layout->room) {
		r = realloc(layout->ranges, 2 * (layout->num + 2) * sizeof(*r));
		if (!r)
			return xt_error(-ENOMEM, "out of memory");
		layout->ranges = r;
		layout->room = 2 * (layout->num + 2);
	}
	err = new_range(&new, begin, pages, color);
	if (err)
		return err;

	r = layout->ranges;
	if (at < layout->num && r[at].begin < begin) {
		rest = r[at];
		rest.end = begin;
		get_runs(rest.runs);
		r[at].begin = begin;
		replace(layout, at++, 0, &rest);
	}
	last = find(layout, end);
	if (last < layout->num && r[last].begin < end)
		r[last].begin = end;
	for (i = at; i < last; i++)
		put_runs(r[i].runs);
	replace(layout, at, last - at, &new);
	return 0;
}

/* Add the bytes from @from to @to of a range, counted from where its coloring begins. */
static void add_shares(const struct xt_layout_range *range, uint64_t from, uint64_t to,
		       uint64_t shares[XT_MEMORIES])
{
	const struct xetile_coloring *color = &range->color;
	uint64_t round, full, at = 0, run, begin, end, pages = range->pages;
	struct xetile_color_iter it;
	uint32_t tile;

	/* The chunks of a large buffer are many, but each round of them has the same shares. */
	round = (uint64_t)color->granule * __builtin_popcount(color->tile_mask);
	if (round && round < pages / 2) {
		round *= XETILE_COLOR_PAGE;
		full = (to - from) / round;
		for (tile = 0; tile < XETILE_MAX_TILES; tile++) {
			if (color->tile_mask & (1u << tile))
				shares[tile] += full * color->granule * XETILE_COLOR_PAGE;
		}
		to -= full * round + from / round * round;
		from %= round;
		pages = 2 * round / XETILE_COLOR_PAGE;
	}
	xetile_color_begin(&it, color, pages);
	while (at < to && xetile_color_next(&it, &tile, &run)) {
		begin = at > from ? at : from;
		at += run * XETILE_COLOR_PAGE;
		end = at < to ? at : to;
		if (begin < end)
			shares[tile < XETILE_MAX_TILES ? tile : XT_MEMORY_SYSTEM] += end - begin;
	}
}

void xt_layout_shares(const struct xt_layout *layout, uint64_t offset, uint64_t size,
		      uint64_t shares[XT_MEMORIES])
{
	uint64_t at = offset, end = offset + size, base, from, to;
	unsigned int i;

	for (i = find(layout, offset / XETILE_COLOR_PAGE); i < layout->num && at < end; i++) {
		const struct xt_layout_range *r = &layout->ranges[i];

		base = r->base * XETILE_COLOR_PAGE;
		from = r->begin * XETILE_COLOR_PAGE;
		to = r->end * XETILE_COLOR_PAGE;
		from = from > at ? from : at;
		to = to < end ? to : end;
		if (from >= to)
			break;
		shares[XT_MEMORY_SYSTEM] += from - at;
		add_shares(r, from - base, to - base, shares);
		at = to;
	}
	shares[XT_MEMORY_SYSTEM] += end - at;
}

bool xt_layout_next(struct xt_layout_walk *walk, uint32_t *memory, uint64_t *end)
{
	const struct xt_layout_range *r = walk->layout->ranges + walk->range;
	uint64_t run;

	if (walk->range == walk->layout->num)
		return false;
	if (walk->at < r->begin) {
		*memory = XT_MEMORY_SYSTEM;
		*end = walk->at = r->begin;
		return true;
	}
	if (!walk->begun) {
		xetile_color_begin(&walk->it, &r->color, r->pages);
		walk->told = r->base;
		walk->begun = true;
	}
	/* Runs of which others were painted over, or that are told already */
	do {
		if (!xetile_color_next(&walk->it, memory, &run))
			return false;
		walk->told += run;
	} while (walk->told <= walk->at);
	*memory = *memory < XETILE_MAX_TILES ? *memory : XT_MEMORY_SYSTEM;
	*end = walk->at = walk->told < r->end ? walk->told : r->end;
	if (walk->at == r->end) {
		walk->range++;
		walk->begun = false;
	}
	return true;
}
