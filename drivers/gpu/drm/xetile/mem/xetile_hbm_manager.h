/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_HBM_MANAGER_H__
#define __XETILE_HBM_MANAGER_H__

#include <linux/types.h>

struct xetile_device;

int xetile_hbm_manager_init(struct xetile_device *xt);
bool xetile_hbm_has_room(struct xetile_device *xt, const u64 shares[], const u64 *given);
unsigned int xetile_hbm_least_occupied(struct xetile_device *xt, u32 tiles);
u64 xetile_hbm_freed(struct xetile_device *xt);

#endif
