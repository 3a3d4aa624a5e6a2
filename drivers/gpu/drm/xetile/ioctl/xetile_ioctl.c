// SPDX-License-Identifier: GPL-2.0-only
#include "ioctl/xetile_ioctl.h"

#include <linux/minmax.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include <drm/xetile_drm.h>

#include "mem/xetile_sync.h"

/**
 * DOC: arrays and syncs of calls
 *
 * Parts that all calls have in common: arrays of userspace, whose elements may be longer or
 * shorter than the kernel's, and syncs. The calls use them in process context, without any lock
 * and outside of xetile_device_enter(), because a third process may have to provide the
 * caller's memory.
 */

static_assert(sizeof(struct drm_xetile_array) == 16);

/* Check the stride and the pointer of an array that is not empty */
static int stride_check(const struct drm_xetile_array *array, size_t first)
{
	if (array->stride < first || array->stride > DRM_XETILE_MAX_STRIDE)
		return -EINVAL;
	/* A 32-bit kernel would drop the upper half of the pointer, and access another place. */
	if (array->data != (uintptr_t)array->data)
		return -EFAULT;
	return 0;
}

/**
 * xetile_ioctl_array_check() - whether an array of userspace can be read
 * @array: the array
 * @first: bytes of an element in the first version of the uAPI
 *
 * Callers use xetile_ioctl_array_ok().
 *
 * Context: process; reads the memory of the caller.
 *
 * Return: 0, also for an empty array, whatever its other fields are; -EINVAL if the array is too
 * long, or its stride too long or too short; -EFAULT.
 */
int xetile_ioctl_array_check(const struct drm_xetile_array *array, size_t first)
{
	if (!array->count)
		return 0;
	return array->count > DRM_XETILE_MAX_ARRAY ? -EINVAL : stride_check(array, first);
}

/**
 * xetile_ioctl_elem() - copy an element of an array from userspace
 * @array: an array that was checked
 * @i: number of the element
 * @to: where to; fields that a short element lacks are zero
 * @elem: bytes of an element as the kernel knows it
 *
 * Callers read each element once, because another thread may write it meanwhile.
 *
 * Context: process.
 * Return: 0, -E2BIG for an element that sets fields which the kernel does not know, -EFAULT.
 */
int xetile_ioctl_elem(const struct drm_xetile_array *array, u32 i, void *to, size_t elem)
{
	return copy_struct_from_user(to, elem,
				     u64_to_user_ptr(array->data + (u64)i * array->stride),
				     array->stride);
}

/**
 * xetile_ioctl_array_get() - copy an array from userspace
 * @array: the array
 * @elem: bytes of an element as the kernel knows it
 * @first: bytes of an element in the first version of the uAPI
 *
 * Fields that a short element lacks are zero. Callers use xetile_ioctl_array().
 *
 * Context: process.
 * Return: the copy, to be freed by kvfree(); NULL for an empty array, whatever its other fields
 * are; -EINVAL if the array is too long, or its stride too long or too short; -E2BIG for an
 * element that sets fields which the kernel does not know; -EFAULT, -ENOMEM.
 */
void *xetile_ioctl_array_get(const struct drm_xetile_array *array, size_t elem, size_t first)
{
	void *copy;
	int err;
	u32 i;

	err = xetile_ioctl_array_check(array, first);
	if (err)
		return ERR_PTR(err);
	if (!array->count)
		return NULL;

	/* vmemdup_array_user() charges nobody on 6.12. */
	copy = kvmalloc_array(array->count, elem, GFP_KERNEL_ACCOUNT);
	if (!copy)
		return ERR_PTR(-ENOMEM);
	for (i = 0; i < array->count && !err; i++)
		err = xetile_ioctl_elem(array, i, copy + i * elem, elem);
	if (!err)
		return copy;
	kvfree(copy);
	return ERR_PTR(err);
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
 * xetile_ioctl_answer_put() - copy an array to userspace, as far as there is room
 * @array: where to; on success its count says how many elements there are
 * @data: the elements
 * @num: number of elements
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
		err = stride_check(array, first);
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
	/* A timeline starts at point 0, so that point cannot be signalled. */
	if (timeline && signal && !sync->point)
		return -EINVAL;
	return 0;
}

static int sync_read(struct drm_file *file, const struct drm_xetile_array *from, u32 i,
		     struct xetile_sync *sync)
{
	struct drm_xetile_sync args;
	int err;

	err = xetile_ioctl_elem(from, i, &args, sizeof(args));
	if (!err)
		err = sync_check(&args);
	if (err)
		return err;
	return xetile_sync_get(sync, file, args.handle, args.point,
			       args.flags & DRM_XETILE_SYNC_SIGNAL,
			       args.flags & DRM_XETILE_SYNC_TIMELINE);
}

/**
 * xetile_ioctl_syncs() - copy, check and look up the syncs of a call
 * @file: file of the handles
 * @from: array of struct drm_xetile_sync
 * @syncs: filled in; empty on failure
 *
 * To be given back with xetile_ioctl_syncs_put().
 *
 * Context: process.
 * Return: 0; -EINVAL for an array or an element that is wrong; -ENOENT for a handle that does
 * not exist; -E2BIG, -EFAULT, -ENOMEM.
 */
int xetile_ioctl_syncs(struct drm_file *file, const struct drm_xetile_array *from,
		       struct xetile_sync_set *syncs)
{
	int err;

	syncs->array = syncs->few;
	syncs->num = 0;
	err = xetile_ioctl_array_ok(from, struct drm_xetile_sync, point);
	if (err)
		return err;
	if (from->count > ARRAY_SIZE(syncs->few)) {
		syncs->array = kvcalloc(from->count, sizeof(*syncs->array), GFP_KERNEL_ACCOUNT);
		if (!syncs->array)
			return -ENOMEM;
	}
	while (syncs->num < from->count) {
		err = sync_read(file, from, syncs->num, &syncs->array[syncs->num]);
		if (err) {
			xetile_ioctl_syncs_put(syncs);
			return err;
		}
		syncs->num++;
	}
	return 0;
}

/**
 * xetile_ioctl_syncs_put() - give back what xetile_ioctl_syncs() looked up
 * @syncs: filled in by xetile_ioctl_syncs(); empty on return
 *
 * Context: process.
 */
void xetile_ioctl_syncs_put(struct xetile_sync_set *syncs)
{
	while (syncs->num)
		xetile_sync_put(&syncs->array[--syncs->num]);
	if (syncs->array != syncs->few)
		kvfree(syncs->array);
	syncs->array = syncs->few;
}
