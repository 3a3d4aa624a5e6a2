/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_HBM_AHEAD_H__
#define __XETILE_HBM_AHEAD_H__

#include <linux/completion.h>
#include <linux/dma-fence.h>
#include <linux/list.h>
#include <linux/sizes.h>
#include <linux/types.h>

struct gpu_buddy;
struct mutex;

/* Bytes that are cleared ahead at a time; they take a copy engine a few 100 us or less */
#define XETILE_HBM_AHEAD_BYTES	((u64)SZ_32M)

/* The largest BO whose clear clears more ahead; larger BOs are worth a job of their own. */
#define XETILE_HBM_AHEAD_BO	(XETILE_HBM_AHEAD_BYTES / 4)

/** struct xetile_hbm_ahead - free HBM of a tile that is cleared before anybody asks for it */
struct xetile_hbm_ahead {
	/** @mm: the tile's allocator, which knows what of the free memory is clear */
	struct gpu_buddy *mm;
	/** @lock: protects @mm; callers hold it where nothing else is said */
	struct mutex *lock;
	/** @blocks: taken out of the allocator; under @lock */
	struct list_head blocks;
	/** @size: bytes of @blocks, which count as free, or 0 if there are none; under @lock */
	u64 size;

	/* private: the rest belongs to xetile_hbm_ahead.c */
	/** @stale: HBM has lost its content since @mm was told what is clear; under @lock */
	bool stale;
	/** @lost: HBM has lost its content since @blocks were taken; under @lock */
	bool lost;
	/** @well: @blocks are clear; valid when @done is complete */
	bool well;
	/** @done: completed when the clear has ended, well or not */
	struct completion done;
	/** @cb: callback of the clear's fence */
	struct dma_fence_cb cb;
};

void xetile_hbm_ahead_init(struct xetile_hbm_ahead *ahead,
			   struct gpu_buddy *mm, struct mutex *lock);
void xetile_hbm_ahead_fini(struct xetile_hbm_ahead *ahead);
bool xetile_hbm_ahead_is_clear(struct xetile_hbm_ahead *ahead);
void xetile_hbm_ahead_lose(struct xetile_hbm_ahead *ahead);
bool xetile_hbm_ahead_is_due(struct xetile_hbm_ahead *ahead, u64 reserve);
u64 xetile_hbm_ahead_take(struct xetile_hbm_ahead *ahead, struct list_head *blocks);
void xetile_hbm_ahead_begun(struct xetile_hbm_ahead *ahead, struct dma_fence *fence);
void xetile_hbm_ahead_collect(struct xetile_hbm_ahead *ahead);
int xetile_hbm_ahead_wait(struct xetile_hbm_ahead *ahead);

#endif
