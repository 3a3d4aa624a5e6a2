/* SPDX-License-Identifier: MIT */
/*
 * The choice of copy engines: those of the tiles for which the bytes of a copy are nearest. copy.c
 * asks for each copy; the costs are found when a queue is created.
 */
#ifndef _XETILE_NEAREST_H_
#define _XETILE_NEAREST_H_

#include <stdint.h>

#include "layout.h"
#include "ratios.h"
#include "xetile.h"

struct xt_card;

/* What a byte costs: rows are the engines' tiles, columns the memories. */
struct xt_costs {
	struct xt_ratio of[XETILE_MAX_TILES][XT_MEMORIES];
};

/* What an engine reads and writes: the bytes that each memory holds */
struct xt_traffic {
	uint64_t from[XT_MEMORIES], to[XT_MEMORIES];
};

/* Measured ratios, or else the driver's order. Returns 0 or an errno with an error text. */
int xt_costs_find(const struct xt_card *card, int fd, struct xt_costs *costs);
/*
 * Find a tile of @tile_mask for each of @num parts of a copy, another one for each, so that all
 * of it costs least. Among equals those win that write more to their own tile, then the first.
 */
void xt_nearest(const struct xt_costs *costs, uint32_t tile_mask, const struct xt_traffic *parts,
		unsigned int num, uint32_t *tiles);

#endif
