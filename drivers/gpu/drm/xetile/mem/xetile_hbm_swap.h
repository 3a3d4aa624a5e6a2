/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_HBM_SWAP_H__
#define __XETILE_HBM_SWAP_H__

#include <linux/list.h>
#include <linux/types.h>

#include "card/xetile_tile.h"
#include "mem/xetile_layout.h"

struct xetile_device;
struct xetile_hbm_resource;
struct xetile_recolor;

/** struct xetile_pieces - pieces of HBM in order */
struct xetile_pieces {
	/** @ext: the pieces; neighbours are merged */
	struct xetile_extent *ext;
	/** @start: offset of each piece from the first */
	u64 *start;
	/** @num: number of pieces */
	unsigned int num;
	/** @size: bytes of all of them */
	u64 size;
	/** @last: the last piece, also if the pieces are only counted */
	struct xetile_extent last;
};

/** struct xetile_hbm_swap - a BO on its way from one resource to another that has a part of it */
struct xetile_hbm_swap {
	/** @old: where the BO lies; gets what is left when the swap is made */
	struct xetile_hbm_resource *old;
	/** @new: memory for what moves; gets the BO when the swap is made */
	struct xetile_hbm_resource *new;
	/** @moved: the old places of what moves, one behind the other */
	struct xetile_pieces moved;
	/** @all: where the BO will lie */
	struct xetile_pieces all;
	/** @blocks: the blocks of @moved, by tile */
	struct list_head blocks[XETILE_MAX_TILES];
	/** @bytes: bytes of @moved, by tile */
	u64 bytes[XETILE_MAX_TILES];
};

int xetile_hbm_swap_begin(struct xetile_device *xt, struct xetile_hbm_swap *swap,
			  struct xetile_hbm_resource *old, struct xetile_hbm_resource *new,
			  const struct xetile_recolor *recolor);
void xetile_hbm_swap_cancel(struct xetile_device *xt, struct xetile_hbm_swap *swap);
void xetile_hbm_swap_end(struct xetile_device *xt, struct xetile_hbm_swap *swap);

#endif
