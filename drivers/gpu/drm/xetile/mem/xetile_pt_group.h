/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_PT_GROUP_H__
#define __XETILE_PT_GROUP_H__

#include <linux/types.h>

struct xetile_layout;
struct xetile_pt;
struct xetile_pt_update;

/** struct xetile_pt_mapping - what xetile_pt_map() maps */
struct xetile_pt_mapping {
	/** @layout: where the object lies */
	const struct xetile_layout *layout;
	/** @addr: the first GPU address */
	u64 addr;
	/** @offset: offset into the object of the byte at @addr */
	u64 offset;
	/** @flags: mask of XETILE_PTE_* */
	u32 flags;
};

bool xetile_pt_in_one_piece(const struct xetile_pt_mapping *map, u64 addr, u64 size, u64 *phys);
int xetile_pt_group_map(struct xetile_pt_update *upd, struct xetile_pt *pt, u64 addr, u64 end,
			const struct xetile_pt_mapping *map);
bool xetile_pt_group_is_all(const struct xetile_pt *pt, u64 addr, u64 end);
int xetile_pt_group_unmap(struct xetile_pt_update *upd, struct xetile_pt *pt, u64 addr, u64 end);

#endif
