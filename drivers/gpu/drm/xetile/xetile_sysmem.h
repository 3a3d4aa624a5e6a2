/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_SYSMEM_H__
#define __XETILE_SYSMEM_H__

#include <linux/types.h>

struct ttm_buffer_object;
struct ttm_place;
struct xetile_device;

extern const struct ttm_place xetile_sysmem_place;

int xetile_sysmem_init(struct xetile_device *xt);
u64 xetile_sysmem_capacity(struct xetile_device *xt);
int xetile_sysmem_take(struct ttm_buffer_object *bo);
bool xetile_sysmem_has_room(struct xetile_device *xt, u64 size);

#endif
