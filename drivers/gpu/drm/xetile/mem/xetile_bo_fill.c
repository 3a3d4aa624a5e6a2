// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_bo_fill.h"

#include <linux/dma-fence.h>
#include <linux/dma-resv.h>
#include <linux/list.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "mem/xetile_bo_group.h"

/**
 * DOC: what fills a buffer
 *
 * The copy engine clears fresh HBM, and copies buffers that are moved. A buffer keeps the fence of
 * its last clear or copy until the fence is known to have ended well: after a failure the memory
 * may hold somebody else's data. Those of a VM's private buffers that are not known to be filled
 * are in a list of their group, because a job asks for all of them at once. Moves note what fills a
 * buffer, under its reservation; page faults, jobs and binds ask.
 */

/**
 * xetile_bo_note_unfilled() - note whether a private BO is known to be filled well
 * @bo: BO; nothing is noted of a BO that is not private
 * @on: true if it is not known
 *
 * Context: process; takes &xetile_bo_group.lock.
 */
void xetile_bo_note_unfilled(struct xetile_bo *bo, bool on)
{
	struct xetile_bo_group *group = xetile_bo_group_of(bo);

	if (!group)
		return;
	spin_lock(&group->lock);
	if (on)
		list_move_tail(&bo->unfilled, &group->unfilled);
	else
		list_del_init(&bo->unfilled);
	spin_unlock(&group->lock);
}

/* Did the copy engine fail to fill a BO? Not while the copy goes on. */
static bool has_failed(struct xetile_bo *bo)
{
	int status;

	dma_resv_assert_held(bo->ttm.base.resv);
	if (!bo->filled)
		return false;
	status = dma_fence_get_status(bo->filled);
	if (status == 1) {
		xetile_bo_note_unfilled(bo, false);
		dma_fence_put(bo->filled);
		bo->filled = NULL;
	}
	return status < 0;
}

/**
 * xetile_bo_is_lost() - is the content of a BO lost
 * @bo: BO with its reservation held
 *
 * If the copy engine failed to fill the BO, its memory may hold somebody else's data: nobody may
 * see it. If the content was dropped, see xetile_purge.c, there is no memory.
 *
 * Context: process, with the BO's reservation.
 * Return: true if so; false while a copy goes on.
 */
bool xetile_bo_is_lost(struct xetile_bo *bo)
{
	return has_failed(bo) || bo->purged;
}

/**
 * xetile_bo_note_filled() - the copy engine fills a BO
 * @bo: BO with its reservation held
 * @fence: signals when the bytes are in place; taken over
 *
 * A BO that is lost stays lost wherever it is moved, because its data are nowhere.
 *
 * Context: process, with the BO's reservation.
 */
void xetile_bo_note_filled(struct xetile_bo *bo, struct dma_fence *fence)
{
	dma_resv_assert_held(bo->ttm.base.resv);
	if (has_failed(bo)) {
		dma_fence_put(fence);
		return;
	}
	dma_fence_put(bo->filled);
	bo->filled = fence;
	xetile_bo_note_unfilled(bo, true);
}

/**
 * xetile_bo_group_check() - whether the bytes of a VM's private BOs are there
 * @group: group with its reservation held
 *
 * Context: process, with the group's reservation; takes &xetile_bo_group.lock.
 * Return: 0, or -ENODATA when the copy engine failed to fill one that is mapped.
 */
int xetile_bo_group_check(struct xetile_bo_group *group)
{
	struct xetile_bo *bo, *next;
	int err = 0;

	dma_resv_assert_held(group->base.resv);
	spin_lock(&group->lock);
	list_for_each_entry_safe(bo, next, &group->unfilled, unfilled) {
		int status = dma_fence_get_status(bo->filled);

		if (status == 1)
			list_del_init(&bo->unfilled);
		else if (status < 0 && !list_empty(&bo->ttm.base.gpuva.list))
			err = -ENODATA;
	}
	spin_unlock(&group->lock);
	return err;
}

/**
 * xetile_bo_group_failed_copy() - a copy of a VM's private BO that the copy engine failed to fill
 * @group: group with its reservation held
 *
 * Nothing is lost, because the BO has the bytes.
 *
 * Context: process, with the group's reservation; takes &xetile_bo_group.lock.
 * Return: such a copy, or NULL.
 */
struct xetile_bo *xetile_bo_group_failed_copy(struct xetile_bo_group *group)
{
	struct xetile_bo *bo, *failed = NULL;

	dma_resv_assert_held(group->base.resv);
	spin_lock(&group->lock);
	list_for_each_entry(bo, &group->unfilled, unfilled) {
		if (bo->copy_of && dma_fence_get_status(bo->filled) < 0) {
			failed = bo;
			break;
		}
	}
	spin_unlock(&group->lock);
	return failed;
}

/**
 * xetile_bo_group_fills() - the fences of the jobs that fill a VM's private BOs
 * @group: group with its reservation held
 * @fences: out: array for kvfree(), with a reference of each fence; NULL if there are none
 * @num: out: number of elements of @fences
 *
 * The reservation would not do, because it keeps only the last fence of a timeline, which does not
 * say how the fences before it ended.
 *
 * Context: process, with the group's reservation; takes &xetile_bo_group.lock.
 * Return: 0 or -ENOMEM.
 */
int xetile_bo_group_fills(struct xetile_bo_group *group, struct dma_fence ***fences,
			  unsigned int *num)
{
	struct xetile_bo *bo;
	unsigned int max;

	dma_resv_assert_held(group->base.resv);
	*num = 0;
	*fences = NULL;
	/* The list can only get shorter while the reservation is held. */
	spin_lock(&group->lock);
	max = list_count_nodes(&group->unfilled);
	spin_unlock(&group->lock);
	if (!max)
		return 0;
	*fences = kvmalloc_array(max, sizeof(**fences), GFP_KERNEL_ACCOUNT);
	if (!*fences)
		return -ENOMEM;

	spin_lock(&group->lock);
	list_for_each_entry(bo, &group->unfilled, unfilled)
		if (!list_empty(&bo->ttm.base.gpuva.list) || bo->copy_of)
			(*fences)[(*num)++] = dma_fence_get(bo->filled);
	spin_unlock(&group->lock);
	return 0;
}
