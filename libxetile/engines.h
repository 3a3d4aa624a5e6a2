/* SPDX-License-Identifier: MIT */
/*
 * A queue of the copy engines of several tiles: the driver has a queue for each engine. copy.c
 * chooses among them. The caller sees to it that one thread at a time uses a queue.
 */
#ifndef _XETILE_ENGINES_H_
#define _XETILE_ENGINES_H_

#include <stdint.h>

#include "nearest.h"
#include "xetile.h"

struct xt_order;

struct xt_engines {
	struct xetile_queue *of[XETILE_MAX_TILES];	/* NULL: not a tile of the queue */
	struct xt_costs costs;
	uint32_t last_tiles;				/* of the latest copy */
};

/*
 * Find what a copy, or a part of it, waits for on a tile: the parts of the latest copy on other
 * tiles. The slots of the copy must be chosen, and none of its parts submitted.
 */
void xt_engines_after(const struct xt_engines *engines, uint32_t tile, struct xt_order *order);

#endif
