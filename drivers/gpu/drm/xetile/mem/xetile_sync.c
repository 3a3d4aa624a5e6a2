// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_sync.h"

#include <linux/dma-fence-chain.h>
#include <linux/dma-fence.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/string.h>

#include <drm/drm_syncobj.h>

#include "mem/xetile_user_fence.h"

/**
 * DOC: syncs of a call
 *
 * A sync is a syncobj that a call waits for or signals, or a number in its caller's memory that it
 * writes. The calls look syncs up before anything else, with all the memory that a signal will
 * need; submission and binds publish their fence in them when nothing can fail any more, under the
 * reservation of the VM. Memory of a caller cannot be written there, so the calls finish their
 * syncs when they have given up their locks and left the card. A sync is used by its caller alone.
 */

static int sync_get_signal(struct xetile_sync *sync, struct drm_file *file, u32 handle,
			   u64 point, bool timeline)
{
	sync->syncobj = drm_syncobj_find(file, handle);
	if (!sync->syncobj)
		return -ENOENT;
	if (!timeline)
		return 0;

	sync->point = point;
	sync->chain = dma_fence_chain_alloc();
	if (!sync->chain) {
		xetile_sync_put(sync);
		return -ENOMEM;
	}
	return 0;
}

/**
 * xetile_sync_get() - look a syncobj up
 * @sync: filled in; to be given back with xetile_sync_put() on success
 * @file: file of the handle
 * @handle: syncobj handle
 * @point: timeline point, or 0
 * @signal: to signal it later, else to wait for the fence it has now
 * @timeline: the syncobj is a timeline, and @point counts
 *
 * Context: process; may sleep.
 * Return: 0; -ENOENT: no such handle; -EINVAL: nothing to wait for has been
 * submitted there yet, or point 0 is to be signalled; -ENOMEM.
 */
int xetile_sync_get(struct xetile_sync *sync, struct drm_file *file, u32 handle, u64 point,
		    bool signal, bool timeline)
{
	memset(sync, 0, sizeof(*sync));
	if (!timeline && point)
		return -EINVAL;
	if (signal && timeline && !point)
		return -EINVAL;

	if (signal)
		return sync_get_signal(sync, file, handle, point, timeline);
	return drm_syncobj_find_fence(file, handle, point, 0, &sync->fence);
}

/**
 * xetile_sync_get_user() - prepare a number in the caller's memory that is written later
 * @sync: filled in; to be given back with xetile_sync_put() on success
 * @xt: card whose waiters are told of the number
 * @account: of the caller's file
 * @addr: address in the caller's memory
 * @value: what to write
 *
 * Context: process, without a lock and outside of xetile_device_enter().
 * Return: 0, or the error of xetile_user_fence_create().
 */
int xetile_sync_get_user(struct xetile_sync *sync, struct xetile_device *xt,
			 struct xetile_account *account, u64 addr, u64 value)
{
	memset(sync, 0, sizeof(*sync));
	sync->user = xetile_user_fence_create(xt, account, addr, value);
	if (!IS_ERR(sync->user))
		return 0;
	return PTR_ERR(sync->user);
}

/**
 * xetile_sync_put() - drop the references of a sync
 * @sync: of xetile_sync_get() or xetile_sync_get_user(), published or not; zeroed is fine too
 *
 * Context: process.
 */
void xetile_sync_put(struct xetile_sync *sync)
{
	xetile_user_fence_put(sync->user);
	dma_fence_put(sync->after);
	dma_fence_put(sync->fence);
	dma_fence_chain_free(sync->chain);
	if (sync->syncobj)
		drm_syncobj_put(sync->syncobj);
	memset(sync, 0, sizeof(*sync));
}

/**
 * xetile_syncs_wait() - wait for the syncobjs to wait for
 * @syncs: array; those to signal are passed over
 * @n: its elements
 *
 * No lock may be held, nor the card be entered, because the fences may be other drivers', and may
 * never signal.
 *
 * Context: process; sleeps.
 * Return: 0, also if a fence carries an error, or -ERESTARTSYS.
 */
int xetile_syncs_wait(const struct xetile_sync *syncs, unsigned int n)
{
	unsigned int i;
	long ret;

	for (i = 0; i < n; i++) {
		if (!syncs[i].fence)
			continue;
		ret = dma_fence_wait(syncs[i].fence, true);
		if (ret)
			return ret;
	}
	return 0;
}

/**
 * xetile_syncs_publish() - put a fence into the syncs to signal
 * @syncs: array; those to wait for are passed over
 * @n: its elements
 * @fence: the fence, or NULL for one that has signalled
 *
 * Cannot fail: everything was allocated before.
 *
 * Context: process; allocates nothing, and may be in a section that signals fences.
 */
void xetile_syncs_publish(struct xetile_sync *syncs, unsigned int n, struct dma_fence *fence)
{
	struct dma_fence *stub = NULL;
	unsigned int i;

	if (!fence) {
		stub = dma_fence_get_stub();
		fence = stub;
	}

	for (i = 0; i < n; i++) {
		struct xetile_sync *sync = &syncs[i];

		if (sync->user && !sync->after)
			sync->after = dma_fence_get(fence);
		if (!sync->syncobj)
			continue;
		if (sync->chain) {
			drm_syncobj_add_point(sync->syncobj, sync->chain, fence, sync->point);
			/* The timeline owns the link now. */
			sync->chain = NULL;
		} else {
			drm_syncobj_replace_fence(sync->syncobj, fence);
		}
	}
	dma_fence_put(stub);
}

/**
 * xetile_syncs_finish() - write the numbers in the caller's memory
 * @syncs: array, published: the call has succeeded
 * @n: its elements
 *
 * What must wait for a fence is written by a worker.
 *
 * Context: process, without a lock and outside of xetile_device_enter(), because a third process
 * may have to provide the caller's memory.
 */
void xetile_syncs_finish(struct xetile_sync *syncs, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (syncs[i].user)
			xetile_user_fence_signal(syncs[i].user, syncs[i].after);
}
