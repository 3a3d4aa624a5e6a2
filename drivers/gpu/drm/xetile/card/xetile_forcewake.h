/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_FORCEWAKE_H__
#define __XETILE_FORCEWAKE_H__

struct xetile_tile;

int xetile_forcewake_get(struct xetile_tile *tile);
void xetile_forcewake_put(struct xetile_tile *tile);

#endif
