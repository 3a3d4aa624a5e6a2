/* SPDX-License-Identifier: MIT */
/*
 * Where a buffer's pages lie, by its color: memory.c keeps the layout of each buffer, and changes
 * it when the buffer is recolored; nearest.c asks it. The functions are pure: no call reaches the
 * driver.
 */
#ifndef _XETILE_LAYOUT_H_
#define _XETILE_LAYOUT_H_

#include <stdbool.h>
#include <stdint.h>

#include "policy.h"
#include "xetile.h"

/* Memories: the tiles' HBM, and the machine's memory */
#define XT_MEMORY_SYSTEM	XETILE_MAX_TILES
#define XT_MEMORIES		(XETILE_MAX_TILES + 1)

struct xt_layout_runs;

/* Pages that one coloring places, which may be a part of the pages that it was asked for */
struct xt_layout_range {
	uint64_t begin, end;		/* pages of the buffer */
	uint64_t base, pages;		/* where the coloring begins, and its length */
	struct xetile_coloring color;
	struct xt_layout_runs *runs;	/* NULL: a color without runs */
};

/* Pages that no range has lie in the machine's memory. */
struct xt_layout {
	struct xt_layout_range *ranges;	/* by page */
	unsigned int num, room;
};

/* Where a walk over the runs of a layout is; zeros with a layout: at its first page */
struct xt_layout_walk {
	const struct xt_layout *layout;
	unsigned int range;
	bool begun;			/* the range */
	struct xetile_color_iter it;
	uint64_t at;			/* the first page that was not told */
	uint64_t told;			/* where the next run of the coloring begins */
};

/* Returns 0, or -ENOMEM with an error text, as the next function; @to is empty then. */
int xt_layout_copy(struct xt_layout *to, const struct xt_layout *from);
/* Give a range of pages a coloring that the driver accepts for them. -ENOMEM changes nothing. */
int xt_layout_paint(struct xt_layout *layout, uint64_t begin, uint64_t pages,
		    const struct xetile_coloring *color);
/* The layout is empty then. */
void xt_layout_fini(struct xt_layout *layout);
/* Add the bytes of a range of bytes that each memory holds. */
void xt_layout_shares(const struct xt_layout *layout, uint64_t offset, uint64_t size,
		      uint64_t shares[XT_MEMORIES]);
/*
 * The next run: its memory, and the page behind it. Returns false when all were told; what is
 * behind the last one lies in the machine's memory.
 */
bool xt_layout_next(struct xt_layout_walk *walk, uint32_t *memory, uint64_t *end);

#endif
