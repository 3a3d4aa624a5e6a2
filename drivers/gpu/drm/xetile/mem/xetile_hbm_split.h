/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_HBM_SPLIT_H__
#define __XETILE_HBM_SPLIT_H__

#include <linux/types.h>

struct list_head;
struct xetile_tile;

/** struct xetile_span - a range of device physical addresses */
struct xetile_span {
	/** @start: first address */
	u64 start;
	/** @end: address behind the last */
	u64 end;
};

unsigned int xetile_spans_merge(struct xetile_span *spans, unsigned int num);
int xetile_hbm_split(struct xetile_tile *tile, struct list_head *blocks,
		     const struct xetile_span *spans, unsigned int num, struct list_head *inside);

#endif
