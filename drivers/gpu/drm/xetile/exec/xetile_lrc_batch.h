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

/** struct xetile_lrc_batch_args - what the commands depend on */
struct xetile_lrc_batch_args {
	/** @engine: the engine */
	const struct xetile_engine *engine;
	/** @member: partition number of the context */
	u32 member;
	/** @owns_partition: the context has set the partition registers itself */
	bool owns_partition;
	/** @scratch: GGTT address of 8 bytes that nobody reads */
	u32 scratch;
	/** @forgets: older translations of the engine must not be used; for copy engines alone */
	bool forgets;
};

void xetile_lrc_batch_make(struct xetile_lrc_batch *batch,
			   const struct xetile_lrc_batch_args *args);

#endif
