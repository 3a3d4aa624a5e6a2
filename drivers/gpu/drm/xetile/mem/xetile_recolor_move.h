/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_RECOLOR_MOVE_H__
#define __XETILE_RECOLOR_MOVE_H__

#include <linux/types.h>

struct ttm_resource;
struct xetile_bo;

int xetile_recolor_move(struct xetile_bo *bo, struct ttm_resource *new, bool killable);

#endif
