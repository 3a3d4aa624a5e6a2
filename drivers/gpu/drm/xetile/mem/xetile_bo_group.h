/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_BO_GROUP_H__
#define __XETILE_BO_GROUP_H__

#include "mem/xetile_bo_types.h"

/**
 * xetile_bo_group_of() - the group of a private BO
 * @bo: BO
 *
 * Return: the group, or NULL for a BO that any VM may map.
 */
static inline struct xetile_bo_group *xetile_bo_group_of(const struct xetile_bo *bo)
{
	return bo->args.owner ? container_of(bo->args.owner, struct xetile_bo_group, base) : NULL;
}

struct xetile_bo_group *xetile_bo_group_create(struct xetile_device *xt);
bool xetile_bo_group_has_jobs(struct xetile_bo_group *group);
void xetile_bo_group_touch(struct xetile_bo_group *group);

#endif
