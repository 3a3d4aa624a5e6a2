/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_LRC_BATCH_H__
#define __XETILE_LRC_BATCH_H__

#include <linux/types.h>

struct xetile_engine;

/* Dwords of the longest batch */
#define XETILE_LRC_BATCH_DWORDS		64

/** struct xetile_lrc_batch - commands that an engine runs each time it restores a context */
struct xetile_lrc_batch {
	/** @dwords: the commands */
	u32 dwords[XETILE_LRC_BATCH_DWORDS];
	/** @num: number of dwords */
	unsigned int num;
};

void xetile_lrc_batch_make(struct xetile_lrc_batch *batch, const struct xetile_engine *engine,
			   u32 member, u32 scratch, bool moved);

#endif
