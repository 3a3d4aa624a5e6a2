/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_MANAGED_COPIES_H__
#define __XETILE_MANAGED_COPIES_H__

#include <linux/types.h>

#include "card/xetile_tile.h"

struct xetile_bo;

/** struct xetile_copies - copies of a part that jobs only read; under its reservation */
struct xetile_copies {
	/** @on: the copy that each tile maps, with a reference, or NULL: it maps the part itself */
	struct xetile_bo *on[XETILE_MAX_TILES];
	/** @lacks: mask of tiles that had no room for a copy */
	u32 lacks;
};

void xetile_copies_drop_one(struct xetile_bo *copy);
void xetile_copies_drop(struct xetile_bo *part);
void xetile_copies_end(struct xetile_bo *part);
void xetile_copies_moves(struct xetile_bo *bo);

#endif
