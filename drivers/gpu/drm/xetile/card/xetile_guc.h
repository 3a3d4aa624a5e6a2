/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_GUC_H__
#define __XETILE_GUC_H__

#include <linux/types.h>

struct xetile_tile;

bool xetile_guc_was_used(struct xetile_tile *tile);
int xetile_guc_stop(struct xetile_tile *tile);

#endif
