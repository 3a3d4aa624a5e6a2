// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_layout.h"

#include <linux/bits.h>
#include <linux/minmax.h>

/**
 * DOC: where the bytes of an object lie
 *
 * A layout is a list of pieces of HBM, or the addresses of pages of system memory. The files that
 * stage page tables, copy and map look up in it where a part of an object lies. No lock is taken:
 * callers hold the lock that keeps the object in its place.
 */

/* System memory comes in the CPU's pages, which are 4 KiB where this card runs. */
#define DMA_PAGE_SHIFT	12
#define DMA_PAGE	BIT_ULL(DMA_PAGE_SHIFT)

/**
 * xetile_layout_index() - which piece a part of an object in HBM lies in
 * @layout: layout of the object
 * @offset: offset into the object in bytes, below its size
 *
 * Context: any.
 *
 * Return: index of the extent with the byte at @offset.
 */
unsigned int xetile_layout_index(const struct xetile_layout *layout, u64 offset)
{
	unsigned int lo = 0, hi = layout->num;

	while (hi - lo > 1) {
		unsigned int mid = lo + (hi - lo) / 2;

		if (layout->start[mid] <= offset)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

/**
 * xetile_layout_find() - where a part of an object lies
 * @layout: layout of the object
 * @offset: offset into the object in bytes, below its size
 * @want: bytes the caller cares for
 * @addr: out: address of the byte at @offset, as the GPU sees it
 *
 * Context: any.
 *
 * Return: bytes from @offset on that lie in a row, not more than @want.
 */
u64 xetile_layout_find(const struct xetile_layout *layout, u64 offset, u64 want, u64 *addr)
{
	unsigned int i;
	u64 len;

	if (want > layout->size - offset)
		want = layout->size - offset;

	if (layout->dma) {
		u64 page = offset >> DMA_PAGE_SHIFT;

		*addr = layout->dma[page] + (offset % DMA_PAGE);
		len = DMA_PAGE - (offset % DMA_PAGE);
		while (len < want && layout->dma[page + 1] == layout->dma[page] + DMA_PAGE) {
			len += DMA_PAGE;
			page++;
		}
		return min(len, want);
	}

	i = xetile_layout_index(layout, offset);
	*addr = layout->ext[i].addr + (offset - layout->start[i]);
	len = layout->ext[i].size - (offset - layout->start[i]);
	return min(len, want);
}

/**
 * xetile_layout_pages() - where each page of a part of an object lies
 * @layout: layout of the object
 * @offset: offset into the object in bytes, a multiple of 4 KiB
 * @addrs: out: address of each page, as the GPU sees it
 * @num: pages of 4 KiB; they do not reach beyond the object's size
 *
 * Context: any.
 */
void xetile_layout_pages(const struct xetile_layout *layout, u64 offset, u64 *addrs,
			 unsigned int num)
{
	unsigned int i = 0;
	u64 addr, end;

	for (; layout->dma && i < num; i++)
		addrs[i] = layout->dma[(offset >> DMA_PAGE_SHIFT) + i];
	while (i < num) {
		end = xetile_layout_find(layout, offset + i * DMA_PAGE, (num - i) * DMA_PAGE,
					 &addr);
		for (end += addr; addr < end; addr += DMA_PAGE)
			addrs[i++] = addr;
	}
}
