/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_MANAGED_READ_H__
#define __XETILE_MANAGED_READ_H__

#include <linux/types.h>

struct xetile_bo;
struct xetile_room;

int xetile_managed_read(struct xetile_bo *part, u32 tiles, bool jobs, struct xetile_room *room);
bool xetile_managed_lacks(struct xetile_bo *part);
bool xetile_managed_may_copy(struct xetile_bo *part);
struct xetile_bo *xetile_managed_seen(struct xetile_bo *bo, unsigned int tile);

#endif
