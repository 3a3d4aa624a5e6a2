// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_bo_group.h"

#include <linux/dma-fence.h>
#include <linux/dma-resv.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include <drm/drm_gem.h>
#include <drm/ttm/ttm_bo.h>
#include <drm/ttm/ttm_device.h>

#include "mem/xetile_hbm_walk.h"
#include "xetile_device.h"

/**
 * DOC: the buffers that are private to an address space
 *
 * These buffers share the VM's reservation, which is that of the group's GEM object, and one place
 * in TTM's LRU lists: a job has all of them evicted last in one step, however many there are. The
 * group outlives the VM as long as one of its buffers does. The VM makes the group; callers of the
 * other functions hold the reservation.
 */

static void group_free(struct drm_gem_object *gem)
{
	struct xetile_bo_group *group = container_of(gem, struct xetile_bo_group, base);

	ttm_lru_bulk_move_fini(&to_xetile_device(gem->dev)->ttm, &group->bulk);
	drm_gem_object_release(gem);
	kfree(group);
}

static const struct drm_gem_object_funcs group_funcs = {
	.free = group_free,
};

/**
 * xetile_bo_group_create() - make the group of a VM, and with it the VM's reservation
 * @xt: card
 *
 * Return: the group with one reference, or NULL without memory.
 */
struct xetile_bo_group *xetile_bo_group_create(struct xetile_device *xt)
{
	struct xetile_bo_group *group = kzalloc_obj(*group, GFP_KERNEL_ACCOUNT);

	if (!group)
		return NULL;
	group->base.funcs = &group_funcs;
	drm_gem_private_object_init(&xt->drm, &group->base, 0);
	ttm_lru_bulk_move_init(&group->bulk);
	spin_lock_init(&group->lock);
	INIT_LIST_HEAD(&group->unfilled);
	return group;
}

/**
 * xetile_bo_group_has_jobs() - may jobs of a VM run, or wait to run
 * @group: group with its reservation held
 *
 * Context: process, with the group's reservation.
 * Return: true if so.
 */
bool xetile_bo_group_has_jobs(struct xetile_bo_group *group)
{
	struct dma_resv_iter cursor;
	struct dma_fence *fence;

	dma_resv_assert_held(group->base.resv);
	/* Fences of other usages are those of moves, and of BOs that are being filled. */
	dma_resv_for_each_fence(&cursor, group->base.resv, DMA_RESV_USAGE_BOOKKEEP, fence)
		if (dma_resv_iter_usage(&cursor) == DMA_RESV_USAGE_BOOKKEEP &&
		    !dma_fence_is_signaled(fence))
			return true;
	return false;
}

/**
 * xetile_bo_group_touch() - a VM's private BOs are in use: have others evicted first
 * @group: group with its reservation held
 *
 * Context: process, with the group's reservation; takes TTM's LRU lock.
 */
void xetile_bo_group_touch(struct xetile_bo_group *group)
{
	struct ttm_device *ttm = &to_xetile_device(group->base.dev)->ttm;

	dma_resv_assert_held(group->base.resv);
	WRITE_ONCE(group->used, xetile_hbm_now(to_xetile_device(group->base.dev)));
	/* TTM would look at each of its lists, even if they hold none of these BOs. */
	if (!group->num_bulk)
		return;
	spin_lock(&ttm->lru_lock);
	ttm_lru_bulk_move_tail(&group->bulk);
	spin_unlock(&ttm->lru_lock);
}
