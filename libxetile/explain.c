// SPDX-License-Identifier: MIT
/*
 * Forecasts of locality: the demand of a launch is compared with the color of the buffer, and with
 * those that it could have instead.
 */
#include "xetile.h"

#include <errno.h>
#include <stdlib.h>

#include "demand.h"
#include "error.h"
#include "policy.h"
#include "util.h"

/* A better color saves one of so many bytes at least; one that has a price: of so many */
#define SAVES		100
#define SAVES_MUCH	20
/* The longest list that xetile_color_parse() takes, too */
#define MAX_RUNS	4096

static uint64_t sum(const uint64_t v[XETILE_MAX_TILES])
{
	uint64_t all = 0;
	unsigned int t;

	for (t = 0; t < XETILE_MAX_TILES; t++)
		all += v[t];
	return all;
}

/* --- colors ------------------------------------------------------------------ */

/* The bytes that each tile accesses, by the tile that holds them. */
static void compare(const struct xt_demand *demand, const struct xetile_coloring *coloring,
		    uint64_t bytes[XETILE_MAX_TILES][XETILE_MAX_TILES])
{
	struct xetile_color_iter it;
	uint64_t page = 0, run;
	unsigned int t;
	uint32_t tile;

	xetile_color_begin(&it, coloring, demand->pages);
	while (xetile_color_next(&it, &tile, &run))
		for (; run; run--, page++)
			for (t = 0; t < XETILE_MAX_TILES; t++)
				bytes[t][tile] += demand->bytes[page][t];
}

/* Returns 0, or an error of the color. */
static int judge(const struct xt_demand *demand, const struct xetile_mem_desc *mem, uint32_t mask,
		 uint64_t local[XETILE_MAX_TILES], uint64_t remote[XETILE_MAX_TILES])
{
	uint64_t bytes[XETILE_MAX_TILES][XETILE_MAX_TILES] = { 0 };
	struct xetile_coloring coloring;
	unsigned int t;
	uint64_t page;
	int err;

	err = xt_policy_coloring(mem, mask, demand->pages, &coloring);
	if (err)
		return err;
	if (mem->color == XETILE_COLOR_REPLICATE) {
		/* Each tile has all of it. */
		for (page = 0; page < demand->pages; page++)
			for (t = 0; t < XETILE_MAX_TILES; t++)
				bytes[t][t] += demand->bytes[page][t];
	} else {
		compare(demand, &coloring, bytes);
	}
	for (t = 0; t < XETILE_MAX_TILES; t++) {
		local[t] = bytes[t][t];
		remote[t] = sum(bytes[t]) - bytes[t][t];
	}
	return 0;
}

/* --- the better color --------------------------------------------------------- */

/* The search for the color with the fewest remote bytes: the first one of about as few */
struct search {
	const struct xt_demand *demand;
	uint32_t mask;
	uint64_t size;
	uint64_t total;
	bool found;
	struct xetile_mem_desc best;
	uint64_t remote;
};

/* Keep a color that saves one of so many bytes at least. */
static void consider(struct search *search, struct xetile_mem_desc mem, unsigned int of)
{
	uint64_t local[XETILE_MAX_TILES], remote[XETILE_MAX_TILES], all;
	uint64_t least = search->total / of ? search->total / of : 1;

	mem.size = search->size;
	if (judge(search->demand, &mem, search->mask, local, remote))
		return;
	all = sum(remote);
	if (search->remote < least || all > search->remote - least)
		return;
	search->remote = all;
	search->best = mem;
	search->found = true;
}

/* More bytes are remote than the limit; the products may have more than 64 bits. */
static bool is_over(const struct search *search)
{
	return (unsigned __int128)search->remote * 100 >
	       (unsigned __int128)search->total * XETILE_REMOTE_LIMIT;
}

/* The tile that accesses a page most; @before if no other one accesses more. */
static unsigned int find_owner(const uint64_t bytes[XETILE_MAX_TILES], unsigned int before)
{
	unsigned int t;

	for (t = 0; t < XETILE_MAX_TILES; t++)
		if (bytes[t] > bytes[before])
			before = t;
	return before;
}

/* Each page is on the tile that accesses it most. Returns the number of runs, perhaps over @max. */
static uint64_t map_pages(const struct xt_demand *demand, uint32_t mask, struct xetile_run *runs,
			  uint64_t max)
{
	unsigned int owner = __builtin_ctz(mask), before = XETILE_MAX_TILES;
	uint64_t page, num = 0;

	/* Pages before the first one that is accessed are that one's. */
	for (page = 0; page < demand->pages && !sum(demand->bytes[page]); page++)
		;
	if (page < demand->pages)
		owner = find_owner(demand->bytes[page], owner);
	for (page = 0; page < demand->pages; page++) {
		owner = find_owner(demand->bytes[page], owner);
		if (owner != before)
			num++;
		if (num <= max && owner != before)
			runs[num - 1] = (struct xetile_run) { .tile = owner };
		if (num <= max)
			runs[num - 1].pages++;
		before = owner;
	}
	return num;
}

/* Colors of one word; the first run of the map is as long as chunks would be. */
static void try_simple(struct search *search, const struct xetile_run *first)
{
	const struct xetile_mem_desc one = { .color = XETILE_COLOR_CHUNK,
					     .granule = XETILE_COLOR_PAGE };
	struct xetile_mem_desc tile = { .color = XETILE_COLOR_TILE }, chunk = one;

	consider(search, (struct xetile_mem_desc) { .color = XETILE_COLOR_EVEN }, SAVES);
	consider(search, (struct xetile_mem_desc) { .color = XETILE_COLOR_FOLLOW }, SAVES);
	/* All work waits for one tile's HBM then. */
	for (tile.tile = 0; tile.tile < XETILE_MAX_TILES; tile.tile++)
		if (search->mask & 1u << tile.tile)
			consider(search, tile, SAVES_MUCH);
	consider(search, one, SAVES);
	chunk.granule *= first->pages;
	consider(search, chunk, SAVES);
}

/* Colors that cost a long list, or more HBM */
static void try_costly(struct search *search, struct xetile_run *runs, uint64_t num)
{
	const struct xetile_mem_desc copies = { .color = XETILE_COLOR_REPLICATE };
	struct xetile_mem_desc map = { .color = XETILE_COLOR_MAP, .runs = runs, .num_runs = num };

	if (is_over(search) && num <= MAX_RUNS)
		consider(search, map, SAVES_MUCH);
	if (is_over(search) && !search->demand->writes)
		consider(search, copies, SAVES_MUCH);
}

static int find_better(const struct xt_demand *demand, uint32_t mask,
		       struct xetile_forecast *forecast)
{
	struct search search = {
		.demand = demand, .mask = mask, .size = forecast->better.size,
		.total = forecast->total, .remote = forecast->total_remote,
	};
	struct xetile_run *runs = calloc(MAX_RUNS, sizeof(*runs));
	uint64_t num;

	if (!runs)
		return xt_error(-ENOMEM, "out of memory");
	num = map_pages(demand, mask, runs, MAX_RUNS);
	try_simple(&search, &runs[0]);
	try_costly(&search, runs, num);
	if (search.best.runs != runs)
		free(runs);
	forecast->has_better = search.found;
	forecast->better = search.best;
	forecast->better_remote = search.remote;
	return 0;
}

/* --- the picture -------------------------------------------------------------- */

static uint64_t first_page(uint64_t pages, uint32_t piece, uint32_t pieces)
{
	return pages * piece / pieces;
}

static void draw_demand(const struct xt_demand *demand, struct xetile_piece *pieces, uint32_t num)
{
	uint64_t page, end;
	unsigned int t;
	uint32_t i;

	for (i = 0; i < num; i++) {
		pieces[i] = (struct xetile_piece) { 0 };
		page = first_page(demand->pages, i, num);
		end = first_page(demand->pages, i + 1, num);
		do {
			for (t = 0; t < XETILE_MAX_TILES; t++)
				pieces[i].accessed[t] += demand->bytes[page][t];
		} while (++page < end);
	}
}

/* A run of pages on a tile: bytes of it are held in each piece that has pages of it. */
static void draw_run(struct xetile_piece *pieces, uint32_t num, uint64_t pages, uint64_t begin,
		     uint64_t end, uint32_t tile)
{
	uint64_t first, last;
	uint32_t i = begin * num / pages;

	for (; i < num; i++) {
		first = first_page(pages, i, num);
		last = first_page(pages, i + 1, num);
		last = last > first ? last : first + 1;
		if (first >= end)
			return;
		first = first > begin ? first : begin;
		last = last < end ? last : end;
		if (last > first)
			pieces[i].held[tile] += (last - first) * XETILE_COLOR_PAGE;
	}
}

static void draw_color(const struct xetile_explain_desc *desc, uint64_t pages)
{
	struct xetile_coloring coloring;
	struct xetile_color_iter it;
	uint64_t page = 0, run;
	uint32_t tile;

	if (xt_policy_coloring(desc->mem, desc->tile_mask, pages, &coloring))
		return;
	if (desc->mem->color == XETILE_COLOR_REPLICATE) {
		for (tile = 0; tile < XETILE_MAX_TILES; tile++)
			if (desc->tile_mask & 1u << tile)
				draw_run(desc->pieces, desc->num_pieces, pages, 0, pages, tile);
		return;
	}
	xetile_color_begin(&it, &coloring, pages);
	for (; xetile_color_next(&it, &tile, &run); page += run)
		draw_run(desc->pieces, desc->num_pieces, pages, page, page + run, tile);
}

/* --- the call ------------------------------------------------------------------ */

static int explain(const struct xetile_explain_desc *desc, const struct xt_demand *demand,
		   struct xetile_forecast *forecast)
{
	struct xetile_forecast new = { .plan = demand->plan, .better.size = desc->mem->size };
	int err;

	err = judge(demand, desc->mem, desc->tile_mask, new.local, new.remote);
	if (err)
		return err;
	if (desc->mem->color == XETILE_COLOR_REPLICATE && demand->writes)
		return xt_error(-EINVAL, "no kernel may write a buffer of color replicate");
	new.total_remote = sum(new.remote);
	new.total = sum(new.local) + new.total_remote;
	err = find_better(demand, desc->tile_mask, &new);
	if (err)
		return err;
	if (desc->num_pieces) {
		draw_demand(demand, desc->pieces, desc->num_pieces);
		draw_color(desc, demand->pages);
	}
	*forecast = new;
	return 0;
}

int (xetile_plan_explain)(const struct xetile_explain_desc *desc, struct xetile_forecast *forecast,
			  size_t size)
{
	struct xetile_forecast all;
	struct xt_demand demand;
	int err;

	err = xt_demand_make(&demand, desc);
	if (err)
		return err;
	err = explain(desc, &demand, &all);
	xt_demand_free(&demand);
	if (!err)
		xt_answer(forecast, size, &all, sizeof(all));
	return err;
}
