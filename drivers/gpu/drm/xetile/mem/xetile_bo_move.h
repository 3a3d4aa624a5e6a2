/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_BO_MOVE_H__
#define __XETILE_BO_MOVE_H__

struct xetile_device;

int xetile_bo_move_init(struct xetile_device *xt);

#endif
