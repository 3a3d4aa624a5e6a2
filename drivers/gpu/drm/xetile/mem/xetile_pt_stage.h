/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_PT_STAGE_H__
#define __XETILE_PT_STAGE_H__

#include <linux/types.h>

struct xetile_layout;
struct xetile_pt_tree;
struct xetile_pt_update;

int xetile_pt_grow(struct xetile_pt_update *upd, struct xetile_pt_tree *tree, u64 addr, u64 size);
int xetile_pt_prune(struct xetile_pt_update *upd, struct xetile_pt_tree *tree, u64 addr, u64 size);
int xetile_pt_map(struct xetile_pt_update *upd, struct xetile_pt_tree *tree, u64 addr, u64 size,
		  const struct xetile_layout *layout, u64 offset, u32 flags);
int xetile_pt_map_null(struct xetile_pt_update *upd, struct xetile_pt_tree *tree, u64 addr,
		       u64 size);
int xetile_pt_unmap(struct xetile_pt_update *upd, struct xetile_pt_tree *tree, u64 addr,
		    u64 size);

#endif
