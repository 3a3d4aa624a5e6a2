/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_RECOLOR_H__
#define __XETILE_RECOLOR_H__

#include <linux/types.h>

struct xetile_bo;
struct xetile_color_patch;
struct xetile_sync_set;

int xetile_recolor(struct xetile_bo *bo, u32 handle, const struct xetile_color_patch *patches,
		   u32 num, const struct xetile_sync_set *syncs);

#endif
