// SPDX-License-Identifier: GPL-2.0-only

#include "xetile_ioctl.h"

#include <linux/slab.h>
#include <linux/string.h>

#include <drm/xetile_drm.h>

#include "xetile_sync.h"

/**
 * xetile_ioctl_array - copy an array from userspace
 * @user: user pointer
 * @num: elements of the array
 * @max: most elements there may be
 * @elem: bytes of an element
 *
 * Context: process.
 * Return: the copy, to be freed by kvfree(); NULL for an empty array, whatever
 * @user is; -EINVAL if it is too long, -EFAULT, -ENOMEM.
 */
void *xetile_ioctl_array(u64 user, u32 num, u32 max, size_t elem)
{
	if (!num)
		return NULL;
	if (num > max)
		return ERR_PTR(-EINVAL);
	/* A 32-bit kernel would drop the upper half and read from elsewhere. */
	if (user != (uintptr_t)user)
		return ERR_PTR(-EFAULT);
	return vmemdup_array_user(u64_to_user_ptr(user), num, elem);
}

static int sync_check(const struct drm_xetile_sync *sync)
{
	bool signal = sync->flags & DRM_XETILE_SYNC_SIGNAL;
	bool timeline = sync->flags & DRM_XETILE_SYNC_TIMELINE;

	if (sync->flags & ~(DRM_XETILE_SYNC_SIGNAL | DRM_XETILE_SYNC_TIMELINE))
		return -EINVAL;
	if (!timeline && sync->point)
		return -EINVAL;
	/* A timeline starts out at point 0: it cannot be signalled again. */
	if (timeline && signal && !sync->point)
		return -EINVAL;
	return 0;
}

/**
 * xetile_ioctl_syncs - copy, check and look up the syncs of a call
 * @file: where the handles belong
 * @user: user pointer to struct drm_xetile_sync
 * @num: how many, 0..DRM_XETILE_MAX_ARRAY
 * @syncs: where to put the array; NULL if there are none
 *
 * All of them are checked before the first is looked up. Give the array back
 * with xetile_ioctl_syncs_put().
 *
 * Context: process.
 * Return: 0, -EINVAL, -EFAULT, -ENOMEM, -ENOENT for a handle that does not exist.
 */
int xetile_ioctl_syncs(struct drm_file *file, u64 user, u32 num, struct xetile_sync **syncs)
{
	struct drm_xetile_sync *args;
	struct xetile_sync *array;
	u32 i;
	int err = 0;

	*syncs = NULL;
	args = xetile_ioctl_array(user, num, DRM_XETILE_MAX_ARRAY, sizeof(*args));
	if (IS_ERR_OR_NULL(args))
		return PTR_ERR_OR_ZERO(args);

	array = kvcalloc(num, sizeof(*array), GFP_KERNEL);
	if (!array) {
		err = -ENOMEM;
		goto free_args;
	}
	for (i = 0; i < num && !err; i++)
		err = sync_check(&args[i]);
	if (err)
		goto free_array;

	for (i = 0; i < num; i++) {
		err = xetile_sync_get(&array[i], file, args[i].handle, args[i].point,
				      args[i].flags & DRM_XETILE_SYNC_SIGNAL,
				      args[i].flags & DRM_XETILE_SYNC_TIMELINE);
		if (err)
			goto put_syncs;
	}
	*syncs = array;
	kvfree(args);
	return 0;

put_syncs:
	while (i--)
		xetile_sync_put(&array[i]);
free_array:
	kvfree(array);
free_args:
	kvfree(args);
	return err;
}

/**
 * xetile_ioctl_syncs_put - give back what xetile_ioctl_syncs() made
 * @syncs: the array, or NULL
 * @num: how many
 *
 * Context: process.
 */
void xetile_ioctl_syncs_put(struct xetile_sync *syncs, u32 num)
{
	u32 i;

	if (!syncs)
		return;
	for (i = 0; i < num; i++)
		xetile_sync_put(&syncs[i]);
	kvfree(syncs);
}
