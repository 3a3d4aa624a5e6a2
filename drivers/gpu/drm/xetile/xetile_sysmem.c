// SPDX-License-Identifier: GPL-2.0-only
/*
 * System memory the card can reach: TTM's pages, mapped for DMA. There is no
 * aperture, so the manager of this memory type has nothing to allocate, but it
 * keeps a limit somewhat below TTM's own: at TTM's, buffers would be written to
 * swap, and where there is none, programs be killed. Below it, who wants too
 * much is told so.
 */
#include <drm/drm_managed.h>
#include <drm/ttm/ttm_bo.h>
#include <drm/ttm/ttm_resource.h>
#include <drm/ttm/ttm_tt.h>
#include <linux/slab.h>

#include "xetile_device.h"
#include "xetile_hbm.h"
#include "xetile_sysmem.h"

/* Where buffers go when HBM has no room, or the CPU does not reach them */
const struct ttm_place xetile_sysmem_place = {
	.mem_type = XETILE_PL_SYSTEM, .flags = XETILE_PLACE_LIMITED,
};

/* Pages of system memory for all buffers of a card */
static u64 limit_pages(void)
{
	return ttm_tt_pages_limit() / 8 * 7;
}

static int sysmem_alloc(struct ttm_resource_manager *man, struct ttm_buffer_object *bo,
			const struct ttm_place *place, struct ttm_resource **out)
{
	struct ttm_resource *res = kzalloc_obj(*res, GFP_KERNEL_ACCOUNT);

	if (!res)
		return -ENOMEM;
	ttm_resource_init(bo, place, res);
	/* What only passes through on its way to or from HBM always may. */
	if (!(place->flags & TTM_PL_FLAG_TEMPORARY) &&
	    ttm_resource_manager_usage(man) > man->size << PAGE_SHIFT) {
		ttm_resource_fini(man, res);
		kfree(res);
		return -ENOSPC;
	}
	*out = res;
	return 0;
}

static void sysmem_free(struct ttm_resource_manager *man, struct ttm_resource *res)
{
	struct xetile_device *xt = ttm_to_xetile_device(man->bdev);

	ttm_resource_fini(man, res);
	kfree(res);
	atomic_inc(&xt->room.freed);
	wake_up_all(&xt->room.changed);
}

static const struct ttm_resource_manager_func sysmem_manager_func = {
	.alloc = sysmem_alloc,
	.free = sysmem_free,
};

static void sysmem_fini(struct drm_device *drm, void *arg)
{
	struct xetile_device *xt = to_xetile_device(drm);
	struct ttm_resource_manager *man = arg;

	ttm_resource_manager_evict_all(&xt->ttm, man);
	ttm_resource_manager_set_used(man, false);
	ttm_resource_manager_cleanup(man);
	ttm_set_driver_manager(&xt->ttm, XETILE_PL_SYSTEM, NULL);
}

/**
 * xetile_sysmem_capacity() - bytes of system memory buffers can have at most
 * @xt: card
 *
 * Return: bytes.
 */
u64 xetile_sysmem_capacity(struct xetile_device *xt)
{
	return ttm_manager_type(&xt->ttm, XETILE_PL_SYSTEM)->size << PAGE_SHIFT;
}

/**
 * xetile_sysmem_take() - move a buffer to system memory
 * @bo: buffer with its reservation held, idle
 *
 * Sleeps until the copy engine has copied it.
 *
 * Return: 0, -ERESTARTSYS, -ENOMEM, or what the copy engine says.
 */
int xetile_sysmem_take(struct ttm_buffer_object *bo)
{
	struct ttm_operation_ctx ctx = { .interruptible = true, .gfp_retry_mayfail = true };
	struct ttm_placement system = { .num_placement = 1, .placement = &xetile_sysmem_place };

	dma_resv_assert_held(bo->base.resv);
	return ttm_bo_validate(bo, &system, &ctx);
}

/**
 * xetile_sysmem_has_room() - may a buffer go to system memory now
 * @xt: card
 * @size: bytes
 *
 * Takes TTM's spinlock.
 *
 * Return: true if it probably fits.
 */
bool xetile_sysmem_has_room(struct xetile_device *xt, u64 size)
{
	struct ttm_resource_manager *man = ttm_manager_type(&xt->ttm, XETILE_PL_SYSTEM);

	return ttm_resource_manager_usage(man) + size <= xetile_sysmem_capacity(xt);
}

/**
 * xetile_sysmem_init() - bring up the manager of system memory
 * @xt: card whose TTM device is initialised
 *
 * Return: 0 or -ENOMEM.
 */
int xetile_sysmem_init(struct xetile_device *xt)
{
	struct ttm_resource_manager *man;

	man = drmm_kzalloc(&xt->drm, sizeof(*man), GFP_KERNEL);
	if (!man)
		return -ENOMEM;
	man->use_tt = true;
	man->func = &sysmem_manager_func;
	ttm_resource_manager_init(man, &xt->ttm, limit_pages());
	ttm_set_driver_manager(&xt->ttm, XETILE_PL_SYSTEM, man);
	ttm_resource_manager_set_used(man, true);
	return drmm_add_action_or_reset(&xt->drm, sysmem_fini, man);
}
