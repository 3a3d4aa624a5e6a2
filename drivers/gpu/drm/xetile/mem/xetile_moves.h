/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_MOVES_H__
#define __XETILE_MOVES_H__

#include <linux/atomic.h>
#include <linux/kref.h>
#include <linux/types.h>

#include "card/xetile_tile.h"

/** struct xetile_moves - bytes that moved between HBM and system memory, of the BOs of a file */
struct xetile_moves {
	/** @ref: the file and its BOs */
	struct kref ref;
	/** @bytes: by cause */
	atomic64_t bytes[XETILE_NUM_MOVES];
};

struct xetile_moves *xetile_moves_create(void);
struct xetile_moves *xetile_moves_get(struct xetile_moves *moves);
void xetile_moves_put(struct xetile_moves *moves);
void xetile_moves_add(struct xetile_moves *moves, struct xetile_tile *tile, enum xetile_move cause,
		      u64 bytes);

#endif
