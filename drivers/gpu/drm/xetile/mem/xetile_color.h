/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef __XETILE_COLOR_H__
#define __XETILE_COLOR_H__

/*
 * Pure: no lock, no allocation, no device. Compiles on the host too, where
 * igt-tests/host tests it exhaustively, and as a part of libxetile.
 */
#include <linux/types.h>

#define XETILE_COLOR_PAGE_SHIFT	16

/** enum xetile_color_policy - which tile holds which page; the numbers are the uAPI's */
enum xetile_color_policy {
	XETILE_POLICY_EVEN = 0,
	XETILE_POLICY_TILE = 1,
	XETILE_POLICY_CHUNK = 2,
	XETILE_POLICY_WEIGHTED = 3,
	XETILE_POLICY_MAP = 4,
	XETILE_POLICY_FOLLOW = 5,
	XETILE_POLICY_REPLICATE = 6,
	XETILE_NUM_POLICIES
};

/* Lists all policies, so that others can assert that their numbers are equal. */
#define XETILE_POLICIES(POLICY) \
	POLICY(EVEN) POLICY(TILE) POLICY(CHUNK) POLICY(WEIGHTED) POLICY(MAP) POLICY(FOLLOW) \
	POLICY(REPLICATE)

/** struct xetile_color_run - consecutive color pages on one tile */
struct xetile_color_run {
	/** @tile: tile number; XETILE_COLOR_SYSTEM in read-backs only */
	u32 tile;
	/** @pages: color pages; the weight for XETILE_POLICY_WEIGHTED */
	u32 pages;
};

#define XETILE_COLOR_SYSTEM	0xffff

/** struct xetile_coloring - a policy with its arguments */
struct xetile_coloring {
	/** @policy: the rule */
	enum xetile_color_policy policy;
	/** @tile_mask: tiles to use, never empty */
	u32 tile_mask;
	/** @granule: CHUNK: pages of a chunk, else 0 */
	u32 granule;
	/** @num_runs: elements of @runs; MAP and WEIGHTED only */
	u32 num_runs;
	/** @runs: belong to the owner of the coloring */
	const struct xetile_color_run *runs;
};

/** struct xetile_color_iter - walks the runs of a coloring in page order */
struct xetile_color_iter {
	/** @color: the coloring walked */
	const struct xetile_coloring *color;
	/** @next: &xetile_policy.next of the policy */
	u64 (*next)(struct xetile_color_iter *it, u32 *tile);
	/** @pages: color pages of the object */
	u64 pages;
	/** @left: pages that were not handed out yet */
	u64 left;
	/** @share: pages of each run, where the policy deals equal ones */
	u64 share;
	/** @extra: pages a division left over; the first runs it cut get one each */
	u64 extra;
	/** @weights: WEIGHTED: sum of all weights */
	u64 weights;
	/** @index: which of the coloring's runs comes next */
	u32 index;
	/** @tiles: mask of the tiles that get a run later in this round */
	u32 tiles;
};

/** struct xetile_policy - a rule that colors */
struct xetile_policy {
	/** @name: what users call it */
	const char *name;
	/** @needs_granule: if set, a coloring must have a granule; else it must have none */
	bool needs_granule;
	/** @needs_runs: if set, a coloring must have runs; else it must have none */
	bool needs_runs;
	/** @check: returns 0, or -EINVAL if anything else is wrong; NULL: nothing else can be */
	int (*check)(const struct xetile_coloring *color, u64 pages);
	/** @begin: set up a walk whose other fields are 0; NULL: nothing to do */
	void (*begin)(struct xetile_color_iter *it);
	/**
	 * @next: tile and pages of a run; the pages may be 0, or more than are left. Called
	 * as long as some are left
	 */
	u64 (*next)(struct xetile_color_iter *it, u32 *tile);
};

const struct xetile_policy *xetile_policy_find(u32 number);
int xetile_color_check(const struct xetile_coloring *color, u64 pages, u32 tiles_present);
void xetile_color_begin(struct xetile_color_iter *it, const struct xetile_coloring *color,
			u64 pages);
bool xetile_color_next(struct xetile_color_iter *it, u32 *tile, u64 *pages);
u64 xetile_color_share(const struct xetile_coloring *color, u64 pages, u32 tile);

#endif
