/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_SYNC_H__
#define __XETILE_SYNC_H__

#include <linux/types.h>

struct dma_fence;
struct dma_fence_chain;
struct drm_file;
struct drm_syncobj;
struct xetile_account;
struct xetile_device;
struct xetile_user_fence;

/**
 * struct xetile_sync - something to wait for or to signal, looked up
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
	/** @user: number in the caller's memory to write; else NULL */
	struct xetile_user_fence *user;
	/** @after: published: the fence after which @user is written; NULL: it has signalled */
	struct dma_fence *after;
};

/** struct xetile_sync_store - a number in a VM to write */
struct xetile_sync_store {
	/** @wanted: there is one */
	bool wanted;
	/** @addr: GPU virtual address, a multiple of 8 */
	u64 addr;
	/** @value: what to write, all 64 bits at once */
	u64 value;
};

/** struct xetile_sync_set - the syncs of a call */
struct xetile_sync_set {
	/** @array: @few, or memory of its own */
	struct xetile_sync *array;
	/** @num: elements of @array */
	u32 num;
	/** @store: what the GPU is to write after the call's batches */
	struct xetile_sync_store store;
	/** @few: enough for nearly all calls */
	struct xetile_sync few[4];
};

int xetile_sync_get(struct xetile_sync *sync, struct drm_file *file, u32 handle, u64 point,
		    bool signal, bool timeline);
int xetile_sync_get_user(struct xetile_sync *sync, struct xetile_device *xt,
			 struct xetile_account *account, u64 addr, u64 value);
void xetile_sync_put(struct xetile_sync *sync);
int xetile_syncs_wait(const struct xetile_sync *syncs, unsigned int n);
void xetile_syncs_publish(struct xetile_sync *syncs, unsigned int n, struct dma_fence *fence);
void xetile_syncs_finish(struct xetile_sync *syncs, unsigned int n);

#endif
