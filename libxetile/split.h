/* SPDX-License-Identifier: MIT */
/*
 * A split that follows the color of a buffer: ranges of groups along a dimension, each on one tile.
 * launch.c plans it, and batch.c writes walkers for the ranges. Pure: no call reaches the driver.
 */
#ifndef _XETILE_SPLIT_H_
#define _XETILE_SPLIT_H_

#include <stdint.h>

#include "xetile.h"

struct xt_split_range {
	uint32_t first;			/* group; the range ends where the next one begins */
	uint32_t tile;
};

struct xt_split {
	unsigned int num;		/* ranges; 0: the split is static */
	uint32_t dim;
	unsigned int walkers;		/* of the tile that has most */
	struct xt_split_range ranges[XETILE_FOLLOW_RANGES + 1];	/* the last one is empty */
};

/*
 * Plan the split of a launch of @groups on the tiles of @tile_mask. Only @split->num is set when
 * the split is static. Returns 0, or a negative errno with an error text.
 */
int xt_split_plan(const struct xetile_follow *follow, const uint32_t groups[3],
		  uint32_t tile_mask, struct xt_split *split);
/*
 * A walker runs the second part of a range that is cut in two parts of the same size: the part from
 * the first group on, with its end, which is at most twice that. Returns that end.
 */
uint32_t xt_split_piece(uint32_t first, uint32_t end);

#endif
