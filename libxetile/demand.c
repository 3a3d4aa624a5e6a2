// SPDX-License-Identifier: MIT
/*
 * The demand of a launch. The accesses of a tile's part are boxes of elements at equal distances.
 * A box that lies within one page is counted as a whole; others are halved. So the work grows with
 * the borders between pages, and not with the work-items, of which there may be billions.
 */
#include "demand.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "error.h"

#define MAX_PAGES	(1ull << 24)
/* A question of more boxes and pages than this would take minutes, or years. */
#define MAX_STEPS	(1ull << 28)

/* A launch's items as an access sees them */
struct grid {
	const struct xetile_access *access;
	uint64_t items[3];	/* that access */
	uint64_t local[3];
	uint64_t pitch[3];
	uint64_t size;		/* of the buffer */
};

/* Items from begin on, up to end */
struct range {
	uint64_t begin[3], end[3];
};

/* Elements at equal distances */
struct box {
	uint64_t base;
	uint64_t num[3];
	uint64_t pitch[3];
	uint64_t bytes;		/* of an element */
};

/* Whether so many more steps are still few; if not, nothing more is counted. */
static bool may_step(struct xt_demand *demand, uint64_t steps)
{
	demand->steps += demand->steps > MAX_STEPS ? 0 : steps;
	return demand->steps <= MAX_STEPS;
}

/* Count @times accesses to the same bytes. */
static void add_bytes(struct xt_demand *demand, unsigned int tile, uint64_t base, uint64_t bytes,
		      uint64_t times)
{
	uint64_t part;

	if (!may_step(demand, bytes / XETILE_COLOR_PAGE))
		return;
	for (; bytes; base += part, bytes -= part) {
		part = XETILE_COLOR_PAGE - base % XETILE_COLOR_PAGE;
		if (part > bytes)
			part = bytes;
		demand->bytes[base / XETILE_COLOR_PAGE][tile] += part * times;
	}
}

static void add_box(struct xt_demand *demand, unsigned int tile, const struct box *box)
{
	uint64_t span, widest = 0, last = box->base + box->bytes - 1, times = 1;
	unsigned int i, dim = 0;
	struct box half = *box;

	if (!may_step(demand, 1))
		return;
	for (i = 0; i < 3; i++) {
		span = (box->num[i] - 1) * box->pitch[i];
		if (span > widest) {
			widest = span;
			dim = i;
		}
		last += span;
		times *= box->num[i];
	}
	if (box->base / XETILE_COLOR_PAGE == last / XETILE_COLOR_PAGE) {
		demand->bytes[last / XETILE_COLOR_PAGE][tile] += times * box->bytes;
		return;
	}
	if (!widest) {
		add_bytes(demand, tile, box->base, box->bytes, times);
		return;
	}
	half.num[dim] = box->num[dim] / 2;
	add_box(demand, tile, &half);
	half.base += half.num[dim] * half.pitch[dim];
	half.num[dim] = box->num[dim] - half.num[dim];
	add_box(demand, tile, &half);
}

/*
 * Count an element of each item of a range: that of the item which is @shift further in dimension
 * @dim, or the item at @at there, if that is not negative.
 */
static void add_range(struct xt_demand *demand, unsigned int tile, const struct grid *grid,
		      const struct range *range, unsigned int dim, int64_t shift, int64_t at)
{
	struct box box = { .base = grid->access->offset, .bytes = grid->access->bytes };
	unsigned int i;

	for (i = 0; i < 3; i++) {
		bool moves = i == dim && at >= 0;
		uint64_t first = range->begin[i] + (i == dim ? (uint64_t)shift : 0);

		if (range->begin[i] >= range->end[i])
			return;
		box.num[i] = range->end[i] - range->begin[i];
		box.pitch[i] = moves ? 0 : grid->pitch[i];
		box.base += (moves ? (uint64_t)at : first) * grid->pitch[i];
	}
	add_box(demand, tile, &box);
}

static void clip(struct range *range, unsigned int dim, uint64_t begin, uint64_t end)
{
	if (range->begin[dim] < begin)
		range->begin[dim] = begin;
	if (range->end[dim] > end)
		range->end[dim] = end;
}

/* The neighbors that are @halo before and behind in a dimension */
static void add_neighbors(struct xt_demand *demand, unsigned int tile, const struct grid *grid,
			  const struct range *items, unsigned int dim, uint64_t halo)
{
	uint64_t num = grid->items[dim], near = halo < num ? halo : num;
	struct range range = *items;

	clip(&range, dim, near, num);
	add_range(demand, tile, grid, &range, dim, -(int64_t)halo, -1);
	range = *items;
	clip(&range, dim, 0, num - near);
	add_range(demand, tile, grid, &range, dim, halo, -1);
	if (grid->access->edge != XETILE_EDGE_CLAMP)
		return;
	range = *items;
	clip(&range, dim, 0, near);
	add_range(demand, tile, grid, &range, dim, 0, 0);
	range = *items;
	clip(&range, dim, num - near, num);
	add_range(demand, tile, grid, &range, dim, 0, num - 1);
}

static void add_items(struct xt_demand *demand, unsigned int tile, const struct grid *grid,
			const struct range *part)
{
	const struct xetile_access *access = grid->access;
	struct range range = *part;
	unsigned int dim;
	uint32_t halo;

	for (dim = 0; dim < 3 && access->edge == XETILE_EDGE_INSIDE; dim++) {
		halo = access->halo[dim];
		clip(&range, dim, halo, grid->items[dim] > halo ? grid->items[dim] - halo : 0);
	}
	add_range(demand, tile, grid, &range, 0, 0, -1);
	for (dim = 0; dim < 3 && access->pattern == XETILE_PATTERN_STENCIL; dim++)
		for (halo = 1; halo <= access->halo[dim]; halo++)
			add_neighbors(demand, tile, grid, &range, dim, halo);
}

static int add_gather(struct xt_demand *demand, unsigned int tile, const struct grid *grid,
		      const struct range *part)
{
	const struct xetile_access *access = grid->access;
	uint64_t x, y, z, n, last = grid->size - access->offset - access->bytes;

	for (z = part->begin[2]; z < part->end[2]; z++)
		for (y = part->begin[1]; y < part->end[1]; y++)
			for (x = part->begin[0]; x < part->end[0]; x++) {
				n = (z * grid->items[1] + y) * grid->items[0] + x;
				if (access->index[n] > last / access->bytes)
					return xt_error(-ERANGE, "element %" PRIu64 " of work-item %" PRIu64 " is not within the buffer",
							access->index[n], n);
				add_bytes(demand, tile,
					  access->offset + access->index[n] * access->bytes,
					  access->bytes, 1);
			}
	return 0;
}

/* --- what is asked ------------------------------------------------------------ */

static bool is_zero(const uint64_t v[3])
{
	return !v[0] && !v[1] && !v[2];
}

static bool is_dense(const struct xetile_access *access)
{
	return access->pattern == XETILE_PATTERN_STREAM ||
	       (access->pattern == XETILE_PATTERN_STENCIL && is_zero(access->pitch));
}

/* Fields that a pattern does not have must be 0, so that no wish is ignored. */
static int check_fields(const struct xetile_access *access)
{
	bool stencil = access->pattern == XETILE_PATTERN_STENCIL;
	bool inside = access->pattern == XETILE_PATTERN_STREAM &&
		      access->edge == XETILE_EDGE_INSIDE;
	bool gather = access->pattern == XETILE_PATTERN_GATHER;
	unsigned int i;

	if ((unsigned int)access->pattern > XETILE_PATTERN_GATHER)
		return xt_error(-EINVAL, "unknown pattern %d", (int)access->pattern);
	if ((unsigned int)access->edge > XETILE_EDGE_INSIDE)
		return xt_error(-EINVAL, "unknown edge %d", (int)access->edge);
	if (!access->bytes)
		return xt_error(-EINVAL, "an element needs a byte");
	if (!stencil && !inside &&
	    (access->halo[0] || access->halo[1] || access->halo[2] || access->edge))
		return xt_error(-EINVAL, "only a stencil has a halo and an edge");
	if (!stencil && access->pattern != XETILE_PATTERN_ROWS && !is_zero(access->pitch))
		return xt_error(-EINVAL, "only rows and a stencil have a pitch");
	if (gather != !!access->index || gather != !!access->num_index)
		return xt_error(-EINVAL, gather ? "a gather needs an index" :
						  "only a gather has an index");
	for (i = 0; i < 3; i++)
		if (access->halo[i] > XETILE_MAX_HALO)
			return xt_error(-EINVAL, "a halo of %u is more than %u", access->halo[i],
					XETILE_MAX_HALO);
	return 0;
}

/* Elements that a work-item accesses at most */
static uint64_t most(const struct xetile_access *access)
{
	if (access->pattern != XETILE_PATTERN_STENCIL)
		return 1;
	return 1 + 2 * ((uint64_t)access->halo[0] + access->halo[1] + access->halo[2]);
}

/* The last byte is within the buffer, and the number of bytes fits: @counted has the others. */
static int check_extent(const struct grid *grid, uint64_t items, uint64_t *counted)
{
	const struct xetile_access *access = grid->access;
	uint64_t span, end, bytes;
	bool over;
	int i;

	over = __builtin_add_overflow(access->offset, access->bytes, &end);
	for (i = 0; i < 3 && !over; i++)
		over = __builtin_mul_overflow(grid->items[i] - 1, grid->pitch[i], &span) ||
		       __builtin_add_overflow(end, span, &end);
	if (over || end > grid->size)
		return xt_error(-ERANGE, "the last element does not end within %" PRIu64 " bytes",
				grid->size);
	if (__builtin_mul_overflow(items, most(access) * access->bytes, &bytes) ||
	    __builtin_add_overflow(*counted, bytes, counted) || *counted >> 63)
		return xt_error(-ERANGE, "more bytes are accessed than 63 bits count");
	return 0;
}

static int find_grid(struct grid *grid, const struct xetile_access *access,
		     const uint32_t groups[3], const struct xetile_explain_desc *desc,
		     uint64_t *counted)
{
	uint64_t items = 1, pitch = access->bytes, all;
	bool over = false;
	int i;

	*grid = (struct grid) { .access = access, .size = desc->mem->size };
	for (i = 0; i < 3; i++) {
		grid->local[i] = desc->launch->local[i] ? desc->launch->local[i] : 1;
		all = groups[i] * grid->local[i];
		grid->items[i] = access->items[i] ? access->items[i] : all;
		if (grid->items[i] > all)
			return xt_error(-EINVAL, "%" PRIu64 " items access in %c, but the launch has %" PRIu64,
					grid->items[i], 'x' + i, all);
		grid->pitch[i] = is_dense(access) ? pitch : access->pitch[i];
		over = over || __builtin_mul_overflow(pitch, grid->items[i], &pitch) ||
		       __builtin_mul_overflow(items, grid->items[i], &items);
	}
	if (over)
		return xt_error(-ERANGE, "the launch has too many work-items");
	if (access->num_index && access->num_index < items)
		return xt_error(-EINVAL, "%" PRIu64 " work-items have an index of %" PRIu64, items,
				access->num_index);
	return check_extent(grid, items, counted);
}

/* --- the table ------------------------------------------------------------------ */

static int add_part(struct xt_demand *demand, unsigned int part, unsigned int tile,
		    const struct grid *grid)
{
	const struct xetile_plan *plan = &demand->plan;
	struct range range = { .end = { grid->items[0], grid->items[1], grid->items[2] } };
	uint64_t local = grid->local[plan->dim];
	uint32_t first, count;

	xetile_plan_part(plan, part, &first, &count);
	clip(&range, plan->dim, first * local, ((uint64_t)first + count) * local);
	if (grid->access->pattern == XETILE_PATTERN_GATHER)
		return add_gather(demand, tile, grid, &range);
	add_items(demand, tile, grid, &range);
	return 0;
}

static int add_access(struct xt_demand *demand, const struct xetile_explain_desc *desc,
		      const uint32_t groups[3], const struct xetile_access *access,
		      uint64_t *counted)
{
	uint32_t mask = desc->tile_mask;
	unsigned int part;
	struct grid grid;
	int err;

	err = check_fields(access);
	if (!err)
		err = find_grid(&grid, access, groups, desc, counted);
	for (part = 0; part < demand->plan.parts && !err; part++, mask &= mask - 1)
		err = add_part(demand, part, __builtin_ctz(mask), &grid);
	if (!err && demand->steps > MAX_STEPS)
		err = xt_error(-ERANGE, "the accesses meet too many borders of pages to count");
	demand->writes = demand->writes || access->write;
	return err;
}

int xt_demand_make(struct xt_demand *demand, const struct xetile_explain_desc *desc)
{
	uint64_t size = desc->mem->size, counted = 0;
	uint32_t groups[3], i;
	int err;

	*demand = (struct xt_demand) { .pages = size / XETILE_COLOR_PAGE +
						(size % XETILE_COLOR_PAGE != 0) };
	if (!desc->tile_mask || desc->tile_mask >> XETILE_MAX_TILES)
		return xt_error(-EINVAL, "tile mask 0x%x is empty or names a missing tile",
				desc->tile_mask);
	if (!size || demand->pages > MAX_PAGES)
		return xt_error(-EINVAL, "no forecast for a buffer of %" PRIu64 " bytes", size);
	if (!desc->num_accesses)
		return xt_error(-EINVAL, "a forecast needs an access");
	if (!desc->launch->local[0])
		return xt_error(-EINVAL, "a work-group needs a work-item");
	for (i = 0; i < 3; i++)
		groups[i] = desc->launch->groups[i] || !i ? desc->launch->groups[i] : 1;
	if (desc->launch->follow.mem)
		return xt_error(-EINVAL, "no forecast for a split that follows a buffer");
	err = xetile_plan_partition(groups, __builtin_popcount(desc->tile_mask), desc->launch->rule,
				    &demand->plan);
	if (err)
		return err;
	demand->bytes = calloc(demand->pages, sizeof(*demand->bytes));
	if (!demand->bytes)
		return xt_error(-ENOMEM, "out of memory");
	for (i = 0; i < desc->num_accesses && !err; i++)
		err = add_access(demand, desc, groups, &desc->accesses[i], &counted);
	if (err)
		xt_demand_free(demand);
	return err;
}

void xt_demand_free(struct xt_demand *demand)
{
	free(demand->bytes);
	demand->bytes = NULL;
}
