/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_PLACE_H__
#define __XETILE_PLACE_H__

#include <linux/bits.h>
#include <linux/types.h>

#include <drm/ttm/ttm_placement.h>

struct dmem_cgroup_pool_state;

/**
 * DOC: how memory for a buffer is asked for
 *
 * The driver's flags of places in TTM's placements. xetile_bo*.c asks with them, and TTM's managers
 * of HBM and of system memory answer. They need no lock, because they belong to the buffer, or to
 * the call, that asks.
 */

/* TTM's memory types: system memory the card reaches, and the HBM of all tiles */
#define XETILE_PL_SYSTEM	TTM_PL_TT
#define XETILE_PL_HBM		TTM_PL_PRIV

/*
 * Flags of a place in HBM. TTM leaves the upper half of ttm_place.flags alone.
 *
 * The manager of HBM writes SHORT when it fails: the tiles that lacked room. TTM then asks with
 * the same place which BOs are worth evicting, and only BOs with pages on such a tile are.
 * NEVER says instead that no eviction helps. LIMIT says that it is no room which lacks: a limit was
 * reached on that tile, so only BOs that count for the limit are worth evicting.
 */
#define XETILE_PLACE_SHORT	GENMASK(19, 16)
#define XETILE_PLACE_NEVER	BIT(20)
#define XETILE_PLACE_SPILL	BIT(21)	/* pages that a tile cannot hold go to another */
#define XETILE_PLACE_EXACT	BIT(22)	/* memory that has spilled does not do */
#define XETILE_PLACE_LIMIT	BIT(24)
#define XETILE_PLACE_INDEX	GENMASK(27, 25)	/* with LIMIT: number among the BO's places */
#define XETILE_PLACE_LOW	BIT(28)	/* what dmem.low protects goes as well */

/* A place in system memory: nothing is swapped out to keep its limit */
#define XETILE_PLACE_LIMITED	BIT(23)

/* Priorities in TTM's lists of what to evict: the lowest goes first */
#define XETILE_PRIORITY_PURGEABLE	0
#define XETILE_PRIORITY_NORMAL		1

/** struct xetile_place_lack - why an attempt found no room in HBM */
struct xetile_place_lack {
	/** @lacks: the attempt found no room */
	bool lacks;
	/** @quota: because the file's BOs have as much HBM as they may */
	bool quota;
	/**
	 * @group: control group that had as much HBM as it may when the attempt failed, with a
	 *	reference that xetile_room_end() drops; or NULL
	 */
	struct dmem_cgroup_pool_state *group;
	/** @tiles: mask of the tiles where an eviction helps; 0: none does */
	u32 tiles;
	/** @any: room on any of @tiles helps, not only room on all of them */
	bool any;
};

#endif
