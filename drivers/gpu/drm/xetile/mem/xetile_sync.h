/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_SYNC_H__
#define __XETILE_SYNC_H__

#include <linux/types.h>

struct dma_fence;
struct dma_fence_chain;
struct drm_file;
struct drm_syncobj;

/**
 * struct xetile_sync - a syncobj to wait for or to signal, looked up
 *
 * xetile_sync_get() has done everything that can fail; publishing cannot.
 */
struct xetile_sync {
	/** @fence: to wait for; NULL when signalling */
	struct dma_fence *fence;
	/** @syncobj: to signal; NULL when waiting */
	struct drm_syncobj *syncobj;
	/** @chain: preallocated link for a timeline point to signal */
	struct dma_fence_chain *chain;
	/** @point: timeline point to signal */
	u64 point;
};

/** struct xetile_sync_set - the syncobjs of a call */
struct xetile_sync_set {
	/** @array: @few, or memory of its own */
	struct xetile_sync *array;
	/** @num: elements of @array */
	u32 num;
	/** @few: enough for nearly all calls */
	struct xetile_sync few[4];
};

int xetile_sync_get(struct xetile_sync *sync, struct drm_file *file, u32 handle, u64 point,
		    bool signal, bool timeline);
void xetile_sync_put(struct xetile_sync *sync);
int xetile_syncs_wait(const struct xetile_sync *syncs, unsigned int n);
void xetile_syncs_publish(struct xetile_sync *syncs, unsigned int n, struct dma_fence *fence);

#endif
