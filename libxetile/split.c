// SPDX-License-Identifier: MIT
/*
 * Splits that follow a color.
 *
 * Each range of groups becomes one walker or more. Documents disagree whether the dimension of a
 * walker that does not start at group 0 is a number of groups or their end, so all start there: a
 * walker of partition 1 of size n runs the groups n to 2 n - 1, and none from its dimension on.
 * A range that is longer is cut into pieces, each twice as long as the one before. All ranges of a
 * launch together have no more than 32 such cuts.
 */
#include "split.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>

#include "error.h"
#include "layout.h"
#include "memory.h"

uint32_t xt_split_piece(uint32_t first, uint32_t end)
{
	return first && end - first > first ? 2 * first : end;
}

static int check(const struct xetile_follow *f, uint32_t groups)
{
	uint64_t last;

	if (f->dim > 2)
		return xt_error(-EINVAL, "dimension %u to follow is not 0, 1 or 2", f->dim);
	if (!f->bytes)
		return xt_error(-EINVAL, "groups that follow a buffer have no bytes there");
	if (f->offset >= f->mem->size)
		return xt_error(-EINVAL, "offset %" PRIu64 " is not in the buffer to follow",
				f->offset);
	if (__builtin_mul_overflow(f->bytes, groups - 1, &last) ||
	    last >= f->mem->size - f->offset)
		return xt_error(-EINVAL, "group %u begins behind the end of the buffer to follow",
				groups - 1);
	return 0;
}

/* How many groups have the middle of their bytes in front of an offset in the buffer */
static uint32_t groups_before(const struct xetile_follow *f, uint32_t groups, uint64_t end)
{
	uint64_t middle = f->offset + f->bytes / 2, num;

	if (end <= middle)
		return 0;
	num = (end - middle - 1) / f->bytes + 1;
	return num < groups ? num : groups;
}

/* The groups from the end of the ranges up to @end, of which no tile's buffer has some. */
static int append(struct xt_split *split, uint32_t first, uint32_t tile)
{
	struct xt_split_range *last = &split->ranges[split->num];

	if (split->num && (last[-1].tile == tile || tile >= XETILE_MAX_TILES))
		return 0;
	/* Groups in front of all tiles' go with the first of these. */
	if (split->num && last[-1].tile >= XETILE_MAX_TILES) {
		last[-1].tile = tile;
		return 0;
	}
	if (split->num == XETILE_FOLLOW_RANGES)
		return xt_error(-E2BIG, "the color to follow changes the tile more than %u times: it needs longer runs, or groups more bytes",
				XETILE_FOLLOW_RANGES);
	*last = (struct xt_split_range){ .first = first, .tile = tile };
	split->num++;
	return 0;
}

static void count_walkers(struct xt_split *split)
{
	unsigned int num[XETILE_MAX_TILES] = { 0 }, i;

	split->walkers = 0;
	for (i = 0; i < split->num; i++) {
		const struct xt_split_range *r = &split->ranges[i];
		uint32_t at;

		for (at = r->first; at < r[1].first; at = xt_split_piece(at, r[1].first))
			num[r->tile]++;
		if (num[r->tile] > split->walkers)
			split->walkers = num[r->tile];
	}
}

int xt_split_plan(const struct xetile_follow *follow, const uint32_t groups[3],
		  uint32_t tile_mask, struct xt_split *split)
{
	struct xt_layout_walk walk = { .layout = &follow->mem->layout };
	uint32_t at = 0, end, num, tile;
	uint64_t page;
	int err;

	split->num = 0;
	num = groups[follow->dim <= 2 ? follow->dim : 0];
	err = check(follow, num);
	if (err || follow->mem->copies)
		return err;
	split->dim = follow->dim;
	while (at < num && xt_layout_next(&walk, &tile, &page)) {
		end = groups_before(follow, num, page * XETILE_COLOR_PAGE);
		if (end == at)
			continue;
		err = append(split, at, tile_mask & 1u << tile ? tile : XT_MEMORY_SYSTEM);
		if (err)
			return err;
		at = end;
	}
	/* Nothing lies on a tile */
	if (split->num == 1 && split->ranges[0].tile >= XETILE_MAX_TILES)
		split->num = 0;
	split->ranges[split->num] = (struct xt_split_range){ .first = num };
	count_walkers(split);
	return 0;
}
