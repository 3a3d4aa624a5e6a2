// SPDX-License-Identifier: MIT
/*
 * The planner: it deals work-groups and pages to tiles. The functions are pure: they use no
 * device, no allocation and no global state. Applications call them, and dispatch.c calls
 * xetile_plan_partition().
 */
#include "xetile.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>

#include "error.h"
#include "policy.h"

/*
 * The part of the groups that is left over when @groups are dealt to @tiles. Single precision,
 * because Intel's user-mode driver computes the part so and the results must agree.
 */
static float leftover(uint32_t groups, unsigned int tiles)
{
	return (float)(groups % tiles) / (float)groups;
}

/* The rule of Intel's user-mode driver, with its mix of <= and <. */
static unsigned int choose_default(const uint32_t g[3], unsigned int tiles)
{
	unsigned int dim = 0;

	if (g[2] > 1 && leftover(g[2], tiles) <= 0.05f)
		return 2;
	if (g[1] > 1 && leftover(g[1], tiles) < 0.05f)
		return 1;
	if (g[0] % tiles == 0)
		return 0;
	if (g[1] > g[dim])
		dim = 1;
	if (g[2] > g[dim])
		dim = 2;
	return dim;
}

/* The rule of the published text: the next dimension, if fewer groups are left over there. */
static unsigned int choose_published(const uint32_t g[3], unsigned int tiles)
{
	unsigned int next, dim = 2;

	while (dim > 0 && g[dim] == 1)
		dim--;
	for (next = dim; next-- > 0 && leftover(g[dim], tiles) > 0.05f;) {
		if (leftover(g[next], tiles) < leftover(g[dim], tiles))
			dim = next;
	}
	return dim;
}

int xetile_plan_partition(const uint32_t groups[3], unsigned int tiles,
			  enum xetile_plan_rule rule, struct xetile_plan *plan)
{
	unsigned int dim;

	if (!groups[0] || !groups[1] || !groups[2])
		return xt_error(-EINVAL, "a launch needs at least one work-group in each dimension");
	if (tiles < 1 || tiles > XETILE_MAX_TILES)
		return xt_error(-EINVAL, "%u tiles are not in 1..%d", tiles, XETILE_MAX_TILES);

	switch (rule) {
	case XETILE_PLAN_DEFAULT:
		dim = choose_default(groups, tiles);
		break;
	case XETILE_PLAN_PUBLISHED:
		dim = choose_published(groups, tiles);
		break;
	default:
		return xt_error(-EINVAL, "unknown partition rule %d", (int)rule);
	}

	plan->dim = dim;
	plan->parts = tiles;
	plan->groups = groups[dim];
	plan->share = groups[dim] / tiles + (groups[dim] % tiles != 0);
	return 0;
}

void xetile_plan_part(const struct xetile_plan *plan, unsigned int part,
		      uint32_t *first, uint32_t *count)
{
	uint64_t begin = (uint64_t)part * plan->share;
	uint64_t end = begin + plan->share;

	if (part >= plan->parts || begin > plan->groups)
		begin = plan->groups;
	if (part >= plan->parts || end > plan->groups)
		end = plan->groups;
	*first = begin;
	*count = end - begin;
}

/* --- color ------------------------------------------------------------------ */

struct run_sink {
	struct xetile_run *runs;
	unsigned int max;
	unsigned int num;
	uint32_t tile;		/* the last run's */
};

/* Append pages; pages on the tile of the last run make that run longer. */
static int sink_add(struct run_sink *sink, uint32_t tile, uint64_t pages)
{
	if (sink->num && sink->tile == tile) {
		if (sink->num <= sink->max)
			sink->runs[sink->num - 1].pages += pages;
		return 0;
	}
	if (sink->num == INT_MAX)
		return xt_error(-EINVAL, "a color of more than %d runs", INT_MAX);
	if (sink->num < sink->max) {
		sink->runs[sink->num].tile = tile;
		sink->runs[sink->num].pages = pages;
	}
	sink->num++;
	sink->tile = tile;
	return 0;
}

int xetile_plan_color(enum xetile_color color, uint64_t size, uint32_t tile_mask,
		      uint64_t granule, struct xetile_run *runs, unsigned int max)
{
	const struct xetile_policy *policy = xt_policy(color);
	struct xetile_coloring coloring = { .tile_mask = tile_mask };
	struct run_sink sink = { .runs = runs, .max = max };
	struct xetile_color_iter it;
	uint64_t pages, run;
	uint32_t tile;
	int err = 0;

	if (!tile_mask || tile_mask >> XETILE_MAX_TILES)
		return xt_error(-EINVAL, "tile mask 0x%x is empty or names a missing tile",
				tile_mask);
	if (!size || size > (uint64_t)UINT32_MAX * XETILE_COLOR_PAGE)
		return xt_error(-EINVAL, "a buffer of %" PRIu64 " bytes cannot be colored", size);
	if (!policy || policy->needs_runs)
		return xt_error(-EINVAL, "color %d has no rule of its own", (int)color);
	if (granule && (!policy->needs_granule || granule % XETILE_COLOR_PAGE))
		return xt_error(-EINVAL, "granule %" PRIu64 " does not fit the color", granule);

	pages = size / XETILE_COLOR_PAGE + (size % XETILE_COLOR_PAGE != 0);
	if (color == XETILE_COLOR_REPLICATE)
		pages *= __builtin_popcount(tile_mask);
	coloring.policy = xt_policy_number(color);
	if (policy->needs_granule) {
		granule = granule ? granule / XETILE_COLOR_PAGE : 1;
		/* No chunk is longer than the buffer, whose pages fit 32 bits. */
		coloring.granule = granule < pages ? granule : pages;
	}
	if (xetile_color_check(&coloring, pages, tile_mask))
		return xt_error(-EINVAL, "color %s does not fit tile mask 0x%x", policy->name,
				tile_mask);

	xetile_color_begin(&it, &coloring, pages);
	while (!err && xetile_color_next(&it, &tile, &run))
		err = sink_add(&sink, tile, run);
	return err ? err : (int)sink.num;
}

/* --- ranges of SYCL and OpenMP ----------------------------------------------- */

int xetile_plan_sycl(unsigned int dims, const uint64_t *global, const uint64_t *local,
		     uint32_t groups[3], uint32_t local_xyz[3])
{
	uint32_t g[3] = { 1, 1, 1 }, l[3] = { 1, 1, 1 };
	unsigned int i, xyz;

	if (dims < 1 || dims > 3)
		return xt_error(-EINVAL, "%u dimensions are not in 1..3", dims);
	for (i = 0; i < dims; i++) {
		xyz = dims - 1 - i;
		if (!local[i] || local[i] > UINT32_MAX || !global[i] || global[i] % local[i])
			return xt_error(-EINVAL, "local range does not divide global range %u", i);
		if (global[i] / local[i] > UINT32_MAX)
			return xt_error(-EINVAL, "global range %u has too many groups", i);
		g[xyz] = global[i] / local[i];
		l[xyz] = local[i];
	}
	for (i = 0; i < 3; i++) {
		groups[i] = g[i];
		local_xyz[i] = l[i];
	}
	return 0;
}

int xetile_plan_openmp(unsigned int collapse, const uint64_t *trips, uint32_t local,
		       uint32_t groups[3])
{
	uint64_t dim[3] = { 1, 1, 1 };
	unsigned int i;

	if (!collapse || !local)
		return xt_error(-EINVAL, "a loop nest needs a loop and a group size");
	for (i = 0; i < collapse; i++) {
		if (!trips[i])
			return xt_error(-EINVAL, "loop %u has no iteration", i);
	}
	for (i = 0; i < collapse; i++) {
		uint64_t *d = collapse > 3 ? &dim[0] : &dim[collapse - 1 - i];

		if (__builtin_mul_overflow(*d, trips[i], d))
			return xt_error(-ERANGE, "the loop nest has too many iterations");
	}
	/* The local range is one-dimensional: only the innermost loop is cut into groups. */
	dim[0] = dim[0] / local + (dim[0] % local != 0);
	for (i = 0; i < 3; i++) {
		if (dim[i] > UINT32_MAX)
			return xt_error(-ERANGE, "%" PRIu64 " groups exceed 32 bits", dim[i]);
	}
	for (i = 0; i < 3; i++)
		groups[i] = dim[i];
	return 0;
}
