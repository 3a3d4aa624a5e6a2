/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_PT_TOP_H__
#define __XETILE_PT_TOP_H__

#include <linux/types.h>

struct xetile_pt_tree;
struct xetile_tile;

int xetile_pt_top_init(struct xetile_tile *tile);
u64 xetile_pt_top_entry(const struct xetile_tile *tile);
void xetile_pt_top_link(struct xetile_pt_tree *tree);

#endif
