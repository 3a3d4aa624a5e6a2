/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_PLACE_H__
#define __XETILE_PLACE_H__

#include <linux/bits.h>
#include <linux/types.h>

#include <drm/ttm/ttm_placement.h>

/**
 * DOC: how memory for a buffer is asked for
 *
 * The words that the driver has for places in TTM's placements, between xetile_bo*.c, which
 * asks, and TTM's managers of HBM and of system memory, which answer. No lock: they belong to
 * the buffer, or to the call, that asks.
 */

/* TTM's memory types: system memory the card reaches, and the HBM of all tiles */
#define XETILE_PL_SYSTEM	TTM_PL_TT
#define XETILE_PL_HBM		TTM_PL_PRIV

/*
 * How a place in HBM is asked for. TTM leaves the upper half of
 * ttm_place.flags alone.
 *
 * SHORT is written by the allocator when it fails: the tiles that lacked room.
 * TTM then asks for BOs worth evicting with the same place, and only those
 * with pages on such a tile are. NEVER instead says that no eviction helps.
 */
#define XETILE_PLACE_SHORT	GENMASK(19, 16)
#define XETILE_PLACE_NEVER	BIT(20)
#define XETILE_PLACE_SPILL	BIT(21)	/* what a tile cannot hold goes to a sibling */
#define XETILE_PLACE_EXACT	BIT(22)	/* what is spilled does not do */

/* A place in system memory: nothing is swapped out to keep its limit */
#define XETILE_PLACE_LIMITED	BIT(23)

/** struct xetile_place_lack - why an attempt found no room in HBM */
struct xetile_place_lack {
	/** @lacks: it found none */
	bool lacks;
	/** @tiles: mask of the tiles where an eviction helps */
	u32 tiles;
};

#endif
