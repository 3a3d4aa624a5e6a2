// SPDX-License-Identifier: MIT
/*
 * The rules of color, the driver's number for each color of the library, and what a color asks for,
 * which no card is needed to know.
 */
#include "policy.h"

#include <drm/xetile_drm.h>
#include <errno.h>
#include <inttypes.h>

#include "error.h"
#include "util.h"

/* A buffer of 1 TiB: more than a card has, and few enough for an array of runs */
#define MAX_PAGES	(1u << 24)

/* The kernel is built without this warning, so functions of a table have unused parameters. */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "mem/xetile_color.c"

_Static_assert(XETILE_COLOR_PAGE == DRM_XETILE_COLOR_PAGE, "a color page has one size");
_Static_assert(XETILE_COLOR_PAGE == 1u << XETILE_COLOR_PAGE_SHIFT, "a color page has one size");
_Static_assert(XETILE_TILE_SYSTEM == DRM_XETILE_MEM_SYSTEM, "system memory has one number");
_Static_assert(XETILE_MAX_TILES == DRM_XETILE_MAX_TILES, "a card has at most so many tiles");

#define NUMBER(name)	[XETILE_COLOR_##name] = DRM_XETILE_COLOR_##name,

static const int numbers[] = {
	[XETILE_COLOR_DEFAULT] = DRM_XETILE_COLOR_EVEN,
	XETILE_POLICIES(NUMBER)
};

int xt_policy_number(enum xetile_color color)
{
	return (unsigned int)color < ARRAY_SIZE(numbers) ? numbers[color] : -EINVAL;
}

const struct xetile_policy *xt_policy(enum xetile_color color)
{
	int number = xt_policy_number(color);

	return number < 0 ? NULL : xetile_policy_find(number);
}

/* The tiles that a color may use: those of the work, and those that a map or a tile names */
static uint32_t find_tiles(const struct xetile_mem_desc *mem, uint32_t mask)
{
	uint32_t i;

	if (mem->color == XETILE_COLOR_TILE)
		return mem->tile < XETILE_MAX_TILES ? 1u << mem->tile : 0;
	for (i = 0; i < mem->num_runs && mem->color == XETILE_COLOR_MAP; i++)
		mask |= mem->runs[i].tile < XETILE_MAX_TILES ? 1u << mem->runs[i].tile : 0;
	return mask;
}

_Static_assert(sizeof(struct xetile_run) == sizeof(struct xetile_color_run),
	       "the runs of a description are those of the rules");

/* Say how a list differs from what it is for. */
static int no_fit(const struct xetile_mem_desc *mem, uint32_t mask, uint64_t pages)
{
	static const char what[] = "does not fit the buffer and its tiles";
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < mem->num_runs; i++)
		sum += mem->runs[i].pages;
	if (mem->color == XETILE_COLOR_MAP && sum != pages)
		return xt_error(-EINVAL, "color map %s: it has %" PRIu64
				" pages of 64 KiB, the buffer %" PRIu64, what, sum, pages);
	if (mem->color == XETILE_COLOR_WEIGHTED && mem->num_runs != tiles_in(mask))
		return xt_error(-EINVAL, "color weighted %s: it has %u weights, for %u tiles", what,
				mem->num_runs, tiles_in(mask));
	return xt_error(-EINVAL, "color %s %s", xt_policy(mem->color)->name, what);
}

int xt_policy_coloring(const struct xetile_mem_desc *mem, uint32_t mask, uint64_t pages,
		       struct xetile_coloring *coloring)
{
	const struct xetile_policy *policy = xt_policy(mem->color);
	uint64_t granule = mem->granule ? mem->granule / XETILE_COLOR_PAGE : 1, all = pages;

	if (!policy)
		return xt_error(-EINVAL, "unknown color %d", (int)mem->color);
	if (mem->flags & (XETILE_MEM_SYSTEM | XETILE_MEM_LEAST_OCCUPIED))
		return xt_error(-EINVAL, "the tiles of a buffer in system memory, or on the tile with "
				"the most room, are not known before it is there");
	if (mem->num_runs && !mem->runs)
		return xt_error(-EINVAL, "color %s needs runs", policy->name);
	if (mem->granule && (!policy->needs_granule || mem->granule % XETILE_COLOR_PAGE))
		return xt_error(-EINVAL, "granule %llu does not fit color %s",
				(unsigned long long)mem->granule, policy->name);
	*coloring = (struct xetile_coloring) {
		.policy = xt_policy_number(mem->color),
		.tile_mask = find_tiles(mem, mask),
		.num_runs = mem->num_runs,
		.runs = (const void *)mem->runs,
	};
	if (policy->needs_granule)
		coloring->granule = granule < pages ? granule : pages;
	if (mem->color == XETILE_COLOR_REPLICATE)
		all *= tiles_in(mask);
	if (xetile_color_check(coloring, all, (1u << XETILE_MAX_TILES) - 1))
		return no_fit(mem, mask, pages);
	return 0;
}

/* Add a run to the @num that are there. Neighbors on one tile are one run. Returns their number. */
static int add_run(struct xetile_run *runs, unsigned int max, unsigned int num, uint32_t *last,
		   uint32_t tile, uint64_t pages)
{
	if (num && *last == tile) {
		if (num <= max)
			runs[num - 1].pages += pages;
		return num;
	}
	*last = tile;
	if (num < max)
		runs[num] = (struct xetile_run) { tile, pages };
	return num + 1;
}

unsigned int xt_policy_runs(const struct xetile_coloring *coloring, uint64_t pages,
			    struct xetile_run *runs, unsigned int max)
{
	struct xetile_color_iter it;
	uint32_t tile, last = 0;
	unsigned int num = 0;
	uint64_t length;

	xetile_color_begin(&it, coloring, pages);
	while (xetile_color_next(&it, &tile, &length))
		num = add_run(runs, max, num, &last, tile, length);
	return num;
}

int xetile_color_runs(const struct xetile_mem_desc *desc, uint32_t tile_mask,
		      struct xetile_run *runs, unsigned int max)
{
	uint64_t pages = desc->size / XETILE_COLOR_PAGE + (desc->size % XETILE_COLOR_PAGE != 0);
	struct xetile_coloring coloring;
	uint32_t tile, last = 0;
	int err, num = 0;

	if (!tile_mask || tile_mask >> XETILE_MAX_TILES)
		return xt_error(-EINVAL, "tile mask 0x%x is empty or names a missing tile", tile_mask);
	if (!pages || pages > MAX_PAGES)
		return xt_error(-EINVAL, "a buffer of %" PRIu64 " bytes has no color: 1 byte to 1 TiB do",
				desc->size);
	err = xt_policy_coloring(desc, tile_mask, pages, &coloring);
	if (err)
		return err;
	if (desc->color == XETILE_COLOR_REPLICATE) {
		for (tile = 0; tile < XETILE_MAX_TILES; tile++)
			if (tile_mask & 1u << tile)
				num = add_run(runs, max, num, &last, tile, pages);
		return num;
	}
	return xt_policy_runs(&coloring, pages, runs, max);
}
