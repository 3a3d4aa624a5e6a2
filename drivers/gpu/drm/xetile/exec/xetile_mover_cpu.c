// SPDX-License-Identifier: GPL-2.0-only
#include "exec/xetile_mover_cpu.h"

#include <linux/dma-fence.h>
#include <linux/err.h>
#include <linux/highmem.h>
#include <linux/io.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>

#include <asm/barrier.h>

#include "exec/xetile_mover.h"
#include "mem/xetile_hbm.h"
#include "mem/xetile_layout.h"
#include "xetile_device.h"

/**
 * DOC: clears and copies by the CPU
 *
 * With the module's parameter copy=cpu the copy engines are taken out of the way: the CPU clears
 * and copies buffers itself, through BAR2, before the call returns. Memory that the CPU does not
 * reach is left to the engines: HBM behind the end of BAR2, and what the machine's sleep saves, of
 * which only the addresses for the card are known here.
 *
 * Both places are idle when a mover is called (xetile_bo_move.c), so that nothing has to be waited
 * for. No lock is taken and nothing is allocated.
 */

/* Bytes between two looks at signals, and those that are copied by way of the stack */
#define STEP		((u64)SZ_1M)
#define BOUNCE		256

static struct xetile_tile *tile_of(struct xetile_device *xt, u64 dpa)
{
	struct xetile_tile *tile;

	xetile_for_each_tile(tile, xt)
		if (dpa >= tile->range.base && dpa - tile->range.base < tile->range.size)
			return tile;
	return NULL;
}

/* HBM as the CPU sees it, or NULL */
static void __iomem *map_hbm(struct xetile_device *xt, u64 dpa, u64 size)
{
	struct xetile_tile *tile = tile_of(xt, dpa);

	return tile ? xetile_hbm_map(tile, dpa, size) : NULL;
}

static bool reaches(struct xetile_device *xt, const struct xetile_layout *layout)
{
	unsigned int i;

	if (layout->dma)
		return layout->pages;
	for (i = 0; i < layout->num; i++)
		if (!map_hbm(xt, layout->ext[i].addr, layout->ext[i].size))
			return false;
	return true;
}

/* Pages of system memory lie anywhere. */
static void copy_pages(const struct xetile_layout *system, u64 at, void __iomem *hbm, u64 size,
		       bool out)
{
	u64 done, bytes;

	for (done = 0; done < size; done += bytes) {
		u64 offset = (at + done) % PAGE_SIZE;
		char *page = kmap_local_page(system->pages[(at + done) / PAGE_SIZE]);

		bytes = min(size - done, PAGE_SIZE - offset);
		if (out)
			memcpy_fromio(page + offset, hbm + done, bytes);
		else
			memcpy_toio(hbm + done, page + offset, bytes);
		kunmap_local(page);
	}
}

static void copy_hbm(void __iomem *dst, const void __iomem *src, u64 size)
{
	u8 bounce[BOUNCE];
	u64 done, bytes;

	for (done = 0; done < size; done += bytes) {
		bytes = min_t(u64, size - done, sizeof(bounce));
		memcpy_fromio(bounce, src + done, bytes);
		memcpy_toio(dst + done, bounce, bytes);
	}
}

/* Do a part that lies in a row in all of HBM; a clear without @src. Returns its bytes. */
static u64 do_part(struct xetile_device *xt, const struct xetile_layout *dst,
		   const struct xetile_layout *src, u64 at)
{
	u64 size = STEP, to = 0, from = 0;

	if (!dst->dma)
		size = xetile_layout_find(dst, at, size, &to);
	if (src && !src->dma)
		size = xetile_layout_find(src, at, size, &from);
	if (!src)
		memset_io(map_hbm(xt, to, size), 0, size);
	else if (dst->dma)
		copy_pages(dst, at, map_hbm(xt, from, size), size, true);
	else if (src->dma)
		copy_pages(src, at, map_hbm(xt, to, size), size, false);
	else
		copy_hbm(map_hbm(xt, to, size), map_hbm(xt, from, size), size);
	return size;
}

static struct dma_fence *do_all(struct xetile_device *xt, const struct xetile_layout *dst,
				const struct xetile_layout *src, bool killable)
{
	int err = xetile_mover.check(xt);
	u64 at;

	if (err)
		return ERR_PTR(err);
	for (at = 0; at < dst->size; at += do_part(xt, dst, src, at)) {
		if (killable && fatal_signal_pending(current))
			return ERR_PTR(-ERESTARTSYS);
		cond_resched();
	}
	/* The next job sees it: HBM is behind a write-combining mapping. */
	wmb();
	return dma_fence_get_stub();
}

static struct dma_fence *cpu_clear(struct xetile_device *xt, const struct xetile_layout *dst,
				   bool killable)
{
	if (dst->dma || !reaches(xt, dst))
		return xetile_mover.clear(xt, dst, killable);
	return do_all(xt, dst, NULL, killable);
}

static struct dma_fence *cpu_copy(struct xetile_device *xt, const struct xetile_layout *dst,
				  const struct xetile_layout *src, bool killable)
{
	if ((dst->dma && src->dma) || dst->size != src->size || !reaches(xt, dst) ||
	    !reaches(xt, src))
		return xetile_mover.copy(xt, dst, src, killable);
	return do_all(xt, dst, src, killable);
}

static int cpu_check(struct xetile_device *xt)
{
	return xetile_mover.check(xt);
}

const struct xetile_bo_mover xetile_mover_cpu = {
	.check = cpu_check,
	.clear = cpu_clear,
	.copy = cpu_copy,
};
