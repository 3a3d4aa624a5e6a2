// SPDX-License-Identifier: GPL-2.0-only
#include "xe/xetile_xe_sync.h"

#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/wordpart.h>

#include <drm/drm_file.h>
#include <drm/xe_drm.h>

#include "ioctl/xetile_file.h"
#include "ioctl/xetile_ioctl.h"
#include "mem/xetile_sync.h"
#include "mem/xetile_va.h"

/**
 * DOC: syncs of the xe driver's calls
 *
 * Checks, and translation, of struct drm_xe_sync. The calls read their syncs in process context,
 * without any lock and outside of xetile_device_enter(), because a third process may have to
 * provide the caller's memory.
 */

static int read_syncobj(struct drm_file *file, const struct drm_xe_sync *args, u32 kinds,
			struct xetile_sync *sync)
{
	bool timeline = args->type == DRM_XE_SYNC_TYPE_TIMELINE_SYNCOBJ;
	bool signal = args->flags & DRM_XE_SYNC_FLAG_SIGNAL;

	if (signal && (kinds & XETILE_XE_SYNCS_NO_FENCES))
		return -EOPNOTSUPP;
	/* The handle is in the lower half of the address. */
	if (upper_32_bits(args->addr))
		return -EINVAL;
	if (timeline && !args->timeline_value)
		return -EINVAL;
	return xetile_sync_get(sync, file, args->handle, timeline ? args->timeline_value : 0,
			       signal, timeline);
}

static int read_store(const struct drm_xe_sync *args, struct xetile_sync_store *store)
{
	/* One number tells the end of all batches. */
	if (store->wanted || args->addr >= XETILE_VA_END)
		return -EINVAL;
	*store = (struct xetile_sync_store) {
		.wanted = true,
		.addr = args->addr,
		.value = args->timeline_value,
	};
	return 0;
}

static int read_user_fence(struct drm_file *file, const struct drm_xe_sync *args, u32 kinds,
			   struct xetile_sync_set *syncs)
{
	struct xetile_file *xf = file->driver_priv;

	if ((kinds & XETILE_XE_SYNCS_NO_USER) || !(args->flags & DRM_XE_SYNC_FLAG_SIGNAL))
		return -EOPNOTSUPP;
	if (args->addr % sizeof(u64))
		return -EINVAL;
	if (kinds & XETILE_XE_SYNCS_STORE)
		return read_store(args, &syncs->store);
	return xetile_sync_get_user(&syncs->array[syncs->num], xf->xt, xf->account, args->addr,
				    args->timeline_value);
}

/* Read the sync that follows those that are there */
static int read_sync(struct drm_file *file, const struct drm_xe_sync *args, u32 kinds,
		     struct xetile_sync_set *syncs)
{
	if (args->extensions || (args->flags & ~DRM_XE_SYNC_FLAG_SIGNAL) ||
	    args->reserved[0] || args->reserved[1])
		return -EINVAL;
	switch (args->type) {
	case DRM_XE_SYNC_TYPE_SYNCOBJ:
	case DRM_XE_SYNC_TYPE_TIMELINE_SYNCOBJ:
		return read_syncobj(file, args, kinds, &syncs->array[syncs->num]);
	case DRM_XE_SYNC_TYPE_USER_FENCE:
		return read_user_fence(file, args, kinds, syncs);
	default:
		return -EINVAL;
	}
}

/**
 * xetile_xe_syncs() - copy, check and look up the syncs of a call
 * @file: file of the handles
 * @user: address of an array of struct drm_xe_sync
 * @num: its elements
 * @kinds: mask of XETILE_XE_SYNCS_*: what they may be
 * @syncs: filled in; empty on failure. With XETILE_XE_SYNCS_STORE a user fence is its store, and
 *	has no element
 *
 * To be given back with xetile_ioctl_syncs_put(). Between, when the call has succeeded, has given
 * its locks up and left the card, it calls xetile_syncs_finish().
 *
 * Context: process.
 * Return: 0; -EINVAL for too many syncs or one that is wrong; -ENOENT for a handle that does not
 * exist; -EOPNOTSUPP for a kind that the call does not take; -EDQUOT for a number too many;
 * -EFAULT, -ENOMEM.
 */
int xetile_xe_syncs(struct drm_file *file, u64 user, u32 num, u32 kinds,
		    struct xetile_sync_set *syncs)
{
	const struct drm_xe_sync __user *from = u64_to_user_ptr(user);
	struct drm_xe_sync args;
	int err = 0;
	u32 i;

	*syncs = (struct xetile_sync_set) { .array = syncs->few };
	if (num > DRM_XE_MAX_SYNCS)
		return -EINVAL;
	if (num > ARRAY_SIZE(syncs->few)) {
		syncs->array = kvcalloc(num, sizeof(*syncs->array), GFP_KERNEL_ACCOUNT);
		if (!syncs->array) {
			syncs->array = syncs->few;
			return -ENOMEM;
		}
	}
	for (i = 0; i < num && !err; i++) {
		if (copy_from_user(&args, from + i, sizeof(args)))
			err = -EFAULT;
		else
			err = read_sync(file, &args, kinds, syncs);
		/* A store has no element. */
		if (!err && !(args.type == DRM_XE_SYNC_TYPE_USER_FENCE &&
			      (kinds & XETILE_XE_SYNCS_STORE)))
			syncs->num++;
	}
	if (err)
		xetile_ioctl_syncs_put(syncs);
	return err;
}
