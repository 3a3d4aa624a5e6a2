// SPDX-License-Identifier: MIT
/*
 * The choice of copy engines. There are few tiles, so all ways to give the parts of a copy to
 * them are compared.
 */
#include "nearest.h"

#include <drm/xetile_drm.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "card.h"

/* The driver's order of a tile's own HBM, which the cost XETILE_RATIO_ONE stands for */
#define ORDER_ONE	10

_Static_assert(XT_RATIO_LAST == XT_MEMORY_SYSTEM, "the machine's memory has one column");

/* Bytes times bytes times a ratio */
typedef unsigned __int128 cost_t;

int xt_costs_find(const struct xt_card *card, int fd, struct xt_costs *costs)
{
	struct drm_xetile_query_distance *answer;
	uint32_t num, i, t, m;
	int err;

	for (t = 0; t < XETILE_MAX_TILES; t++) {
		for (m = 0; m < XT_MEMORIES; m++)
			costs->of[t][m] = (struct xt_ratio) { XETILE_RATIO_ONE, XETILE_RATIO_ONE };
	}
	err = xt_card_query(card, fd, DRM_XETILE_QUERY_DISTANCES, sizeof(*answer),
			    (void **)&answer, &num);
	if (err)
		return err;
	for (i = 0; i < num; i++) {
		const struct drm_xetile_query_distance *d = &answer[i];
		uint64_t order = (uint64_t)d->distance * XETILE_RATIO_ONE / ORDER_ONE;

		if (d->tile >= XETILE_MAX_TILES ||
		    (d->memory >= XETILE_MAX_TILES && d->memory != DRM_XETILE_MEM_SYSTEM))
			continue;
		m = d->memory == DRM_XETILE_MEM_SYSTEM ? XT_MEMORY_SYSTEM : d->memory;
		if (order > XT_RATIO_MAX)
			order = XT_RATIO_MAX;
		costs->of[d->tile][m] = (struct xt_ratio) { order, order };
	}
	free(answer);
	for (t = 0; t < card->props.num_tiles && card->ratios.measured; t++) {
		for (m = 0; m < XT_MEMORIES; m++) {
			if (card->ratios.of[t][m].read)
				costs->of[t][m] = card->ratios.of[t][m];
		}
	}
	return 0;
}

static uint64_t sum(const uint64_t bytes[XT_MEMORIES])
{
	uint64_t all = 0;
	unsigned int m;

	for (m = 0; m < XT_MEMORIES; m++)
		all += bytes[m];
	return all;
}

/*
 * The cost of a part for the engine of a tile. A rectangle's two sides may be ranges of different
 * lengths, of which the same number of bytes is copied: each side counts by its shares.
 */
static cost_t part_cost(const struct xt_costs *costs, uint32_t tile, const struct xt_traffic *part)
{
	uint64_t from = sum(part->from), to = sum(part->to);
	cost_t reads = 0, writes = 0;
	unsigned int m;

	for (m = 0; m < XT_MEMORIES; m++) {
		reads += (cost_t)part->from[m] * costs->of[tile][m].read;
		writes += (cost_t)part->to[m] * costs->of[tile][m].write;
	}
	return reads * (to ? to : 1) + writes * (from ? from : 1);
}

struct choice {
	const struct xt_costs *costs;
	const struct xt_traffic *parts;
	unsigned int num;
	uint32_t tiles[XETILE_MAX_TILES];	/* of the parts so far */
	bool found;
	cost_t least;
	uint64_t local;			/* bytes that the best engines write to their tiles */
	uint32_t *best;
};

/* Try all tiles of @left for part @at and those behind it. */
static void try_tiles(struct choice *c, unsigned int at, uint32_t left, cost_t cost,
		      uint64_t local)
{
	uint32_t t;

	if (at == c->num) {
		if (c->found && (cost > c->least || (cost == c->least && local <= c->local)))
			return;
		c->found = true;
		c->least = cost;
		c->local = local;
		memcpy(c->best, c->tiles, c->num * sizeof(*c->best));
		return;
	}
	for (t = 0; t < XETILE_MAX_TILES; t++) {
		if (!(left & (1u << t)))
			continue;
		c->tiles[at] = t;
		try_tiles(c, at + 1, left & ~(1u << t),
			  cost + part_cost(c->costs, t, &c->parts[at]),
			  local + c->parts[at].to[t]);
	}
}

void xt_nearest(const struct xt_costs *costs, uint32_t tile_mask, const struct xt_traffic *parts,
		unsigned int num, uint32_t *tiles)
{
	struct choice choice = { .costs = costs, .parts = parts, .num = num, .best = tiles };

	try_tiles(&choice, 0, tile_mask, 0, 0);
}
