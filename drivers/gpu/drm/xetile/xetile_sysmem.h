/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_SYSMEM_H__
#define __XETILE_SYSMEM_H__

#include <linux/types.h>

struct xetile_device;

int xetile_sysmem_init(struct xetile_device *xt);
u64 xetile_sysmem_capacity(struct xetile_device *xt);
bool xetile_sysmem_has_room(struct xetile_device *xt, u64 size);

#endif
