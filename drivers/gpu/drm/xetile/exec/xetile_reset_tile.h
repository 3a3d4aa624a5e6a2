/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_RESET_TILE_H__
#define __XETILE_RESET_TILE_H__

#include <linux/types.h>

struct xetile_tile;

int xetile_reset_tile(struct xetile_tile *tile);
void xetile_reset_tile_restart(struct xetile_tile *tile);
int xetile_reset_tile_engines(struct xetile_tile *tile, u64 engines, bool full);
void xetile_reset_tile_start(struct xetile_tile *tile, u64 engines);

#endif
