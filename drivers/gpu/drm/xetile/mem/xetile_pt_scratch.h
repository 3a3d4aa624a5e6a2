/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_PT_SCRATCH_H__
#define __XETILE_PT_SCRATCH_H__

struct xetile_tile;

int xetile_pt_scratch_init(struct xetile_tile *tile);

#endif
