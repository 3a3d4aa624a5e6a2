// SPDX-License-Identifier: GPL-2.0-only
/*
 * System memory the card can reach: TTM's pages, mapped for DMA. There is no
 * aperture, so the manager of this memory type has nothing to allocate; how
 * much of it there may be is TTM's own limit.
 */
#include <drm/drm_managed.h>
#include <drm/ttm/ttm_resource.h>
#include <linux/slab.h>

#include "xetile_device.h"
#include "xetile_hbm.h"
#include "xetile_sysmem.h"

static int sysmem_alloc(struct ttm_resource_manager *man, struct ttm_buffer_object *bo,
			const struct ttm_place *place, struct ttm_resource **out)
{
	struct ttm_resource *res = kzalloc_obj(*res);

	if (!res)
		return -ENOMEM;
	ttm_resource_init(bo, place, res);
	*out = res;
	return 0;
}

static void sysmem_free(struct ttm_resource_manager *man, struct ttm_resource *res)
{
	ttm_resource_fini(man, res);
	kfree(res);
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
	ttm_resource_manager_init(man, &xt->ttm, 0);
	ttm_set_driver_manager(&xt->ttm, XETILE_PL_SYSTEM, man);
	ttm_resource_manager_set_used(man, true);
	return drmm_add_action_or_reset(&xt->drm, sysmem_fini, man);
}
