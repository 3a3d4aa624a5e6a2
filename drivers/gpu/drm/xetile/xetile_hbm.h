/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_HBM_H__
#define __XETILE_HBM_H__

#include <linux/types.h>

struct ttm_resource;
struct xetile_device;
struct xetile_tile;

/** struct xetile_extent - a piece of memory, as the GPU addresses it */
struct xetile_extent {
	/** @addr: device physical address, or DMA address when @system */
	u64 addr;
	/** @size: bytes */
	u64 size;
	/** @tile: the tile it lies on; meaningless when @system */
	u32 tile;
	/** @system: system memory */
	bool system;
};

int xetile_hbm_init(struct xetile_device *xt);

/* One tile's bank: pinned pieces for the kernel's own objects */
int xetile_hbm_alloc(struct xetile_tile *tile, u64 size, u64 align, u64 *dpa, void **cookie);
void xetile_hbm_free(struct xetile_tile *tile, void *cookie);
void __iomem *xetile_hbm_map(struct xetile_tile *tile, u64 dpa, u64 size);
u64 xetile_hbm_used(struct xetile_tile *tile);

#endif
