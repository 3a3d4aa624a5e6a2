/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_LAYOUT_H__
#define __XETILE_LAYOUT_H__

/*
 * Pure: no lock, no allocation, no device. Compiles on the host too.
 */
#include <linux/types.h>

struct page;

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

/** struct xetile_layout - where the bytes of an object lie, in order */
struct xetile_layout {
	/** @ext: extents of an object in HBM, else NULL */
	const struct xetile_extent *ext;
	/** @start: offset of each of @ext in the object, in bytes */
	const u64 *start;
	/** @num: elements of @ext and @start */
	unsigned int num;
	/** @dma: DMA addresses of the pages of an object in system memory, else NULL */
	const dma_addr_t *dma;
	/** @pages: the same pages as @dma, if the CPU may use them, else NULL */
	struct page *const *pages;
	/** @size: bytes of the object */
	u64 size;
};

unsigned int xetile_layout_index(const struct xetile_layout *layout, u64 offset);
u64 xetile_layout_find(const struct xetile_layout *layout, u64 offset, u64 want, u64 *addr);
void xetile_layout_pages(const struct xetile_layout *layout, u64 offset, u64 *addrs,
			 unsigned int num);

#endif
