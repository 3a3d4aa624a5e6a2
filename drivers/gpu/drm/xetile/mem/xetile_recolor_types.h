/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_RECOLOR_TYPES_H__
#define __XETILE_RECOLOR_TYPES_H__

#include <linux/types.h>

#include "card/xetile_tile.h"
#include "mem/xetile_color.h"

/**
 * DOC: a recolor in the making
 *
 * For xetile_recolor.c, which makes it, and for the files that find memory for it and move the
 * bytes. The buffer's reservation protects all of it.
 */

struct dma_fence;

/** struct xetile_change - a part of a BO that is to lie on another tile */
struct xetile_change {
	/** @offset: where it begins in the BO, in bytes */
	u64 offset;
	/** @size: its bytes */
	u64 size;
	/** @taken: bytes from @offset on for which memory was found */
	u64 taken;
	/** @tile: the tile */
	u32 tile;
};

/** struct xetile_recolor - a recolor of a BO */
struct xetile_recolor {
	/** @color: the BO's new color; its runs belong to the recolor until it is made */
	struct xetile_coloring color;
	/** @shares: color pages that @color gives each tile */
	u64 shares[XETILE_MAX_TILES];
	/** @changes: in the BO's order */
	struct xetile_change *changes;
	/** @num: elements of @changes */
	unsigned int num;
	/** @bytes: bytes of @changes, by tile */
	u64 bytes[XETILE_MAX_TILES];
	/** @fence: the copy, with a reference; NULL as long as nothing is copied */
	struct dma_fence *fence;
};

#endif
