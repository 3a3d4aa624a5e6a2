// SPDX-License-Identifier: GPL-2.0-only

#include "xetile_ioctl.h"

#include <linux/minmax.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include <drm/xetile_drm.h>

#include "xetile_sync.h"

static_assert(sizeof(struct drm_xetile_array) == 16);

/* Bytes between elements and the pointer itself, for arrays that are not empty */
static int array_check(const struct drm_xetile_array *array, size_t first)
{
	if (array->stride < first || array->stride > DRM_XETILE_MAX_STRIDE)
		return -EINVAL;
	/* A 32-bit kernel would drop the upper half and take another place. */
	if (array->data != (uintptr_t)array->data)
		return -EFAULT;
	return 0;
}

static void *array_read(const struct drm_xetile_array *array, size_t elem)
{
	const char __user *from = u64_to_user_ptr(array->data);
	void *copy;
	int err = 0;
	u32 i;

	copy = kvmalloc_array(array->count, elem, GFP_KERNEL_ACCOUNT);
	if (!copy)
		return ERR_PTR(-ENOMEM);
	for (i = 0; i < array->count && !err; i++)
		err = copy_struct_from_user(copy + i * elem, elem,
					    from + (size_t)i * array->stride, array->stride);
	if (!err)
		return copy;
	kvfree(copy);
	return ERR_PTR(err);
}

/**
 * xetile_ioctl_array_get - copy an array from userspace
 * @array: the array
 * @elem: bytes of an element as the kernel knows it
 * @first: bytes of an element in the first version of the uAPI
 *
 * What a short element lacks is zero. Callers use xetile_ioctl_array().
 *
 * Context: process.
 * Return: the copy, to be freed by kvfree(); NULL for an empty array, whatever else
 * it says; -EINVAL if it or its stride is too long or too short; -E2BIG for an element
 * that sets what the kernel does not know; -EFAULT, -ENOMEM.
 */
void *xetile_ioctl_array_get(const struct drm_xetile_array *array, size_t elem, size_t first)
{
	int err;

	if (!array->count)
		return NULL;
	if (array->count > DRM_XETILE_MAX_ARRAY)
		return ERR_PTR(-EINVAL);
	err = array_check(array, first);
	if (err)
		return ERR_PTR(err);
	if (array->stride == elem)
		return vmemdup_array_user(u64_to_user_ptr(array->data), array->count, elem);
	return array_read(array, elem);
}

static int answer_write(const struct drm_xetile_array *array, const void *data, u32 num,
			size_t elem)
{
	char __user *to = u64_to_user_ptr(array->data);
	size_t known = min_t(size_t, elem, array->stride);
	u32 i;

	for (i = 0; i < num; i++, to += array->stride) {
		if (copy_to_user(to, data + i * elem, known) ||
		    clear_user(to + known, array->stride - known))
			return -EFAULT;
		/* A colored buffer of some GiB has a million runs. */
		cond_resched();
		if (fatal_signal_pending(current))
			return -EINTR;
	}
	return 0;
}

/**
 * xetile_ioctl_answer_put - copy an array to userspace, as far as there is room
 * @array: where to; on success its count says how many elements there are
 * @data: the elements
 * @num: how many
 * @elem: bytes of an element as the kernel knows it
 * @first: bytes of an element in the first version of the uAPI
 *
 * Callers use xetile_ioctl_answer().
 *
 * Context: process.
 * Return: 0, -EINVAL for a stride that is too long or too short, -EFAULT, -EINTR.
 */
int xetile_ioctl_answer_put(struct drm_xetile_array *array, const void *data, u32 num,
			    size_t elem, size_t first)
{
	u32 room = min(num, array->count);
	int err = 0;

	if (array->count)
		err = array_check(array, first);
	if (err || !room)
		goto out;
	if (array->stride != elem)
		err = answer_write(array, data, room, elem);
	else if (copy_to_user(u64_to_user_ptr(array->data), data, array_size(room, elem)))
		err = -EFAULT;
out:
	if (!err)
		array->count = num;
	return err;
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
 * @from: array of struct drm_xetile_sync
 * @syncs: where to put the array; NULL if there are none
 *
 * All of them are checked before the first is looked up. Give the array back
 * with xetile_ioctl_syncs_put().
 *
 * Context: process.
 * Return: 0, -ENOENT for a handle that does not exist, or what xetile_ioctl_array()
 * says.
 */
int xetile_ioctl_syncs(struct drm_file *file, const struct drm_xetile_array *from,
		       struct xetile_sync **syncs)
{
	struct drm_xetile_sync *args;
	struct xetile_sync *array;
	u32 i, num = from->count;
	int err = 0;

	*syncs = NULL;
	args = xetile_ioctl_array(from, struct drm_xetile_sync, point);
	if (IS_ERR_OR_NULL(args))
		return PTR_ERR_OR_ZERO(args);

	array = kvcalloc(num, sizeof(*array), GFP_KERNEL_ACCOUNT);
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
