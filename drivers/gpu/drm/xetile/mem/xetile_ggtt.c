// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_ggtt.h"

#include <linux/dma-mapping.h>
#include <linux/io.h>
#include <linux/mutex.h>
#include <linux/slab.h>

#include <drm/drm_managed.h>

#include "regs/pvc_gtt.h"
#include "regs/pvc_soc_regs.h"

#include "card/xetile_mmio.h"
#include "mem/xetile_pte.h"
#include "xetile_device.h"

/**
 * DOC: a tile's global address space
 *
 * 4 GiB, with entries in BAR0, for memory that the tile's engines access outside of any VM:
 * contexts, rings, status pages. Kernel BOs (xetile_kbo.c) get their addresses here, and the
 * machine's sleep has the entries written anew. &xetile_ggtt.lock protects allocator and entries.
 *
 * Entries nobody uses point to a scratch page, so that a stray access of the command streamer
 * harms nothing and is no fault.
 *
 * Engines may keep translations. A context's image and ring are read before the first command of
 * the context, so no invalidation in a ring comes in time for them: each change of entries ends
 * with an invalidation of the tile's kept translations (i915: gt/intel_ggtt.c does it by the same
 * register, xe: xe_ggtt.c asks the firmware for it). As a second precaution addresses are handed
 * out in turn, so that a freed one comes back as late as possible.
 */

/* struct xetile_ggtt - allocator of a tile's global addresses */
struct xetile_ggtt {
	/* protects @mm and the entries */
	struct mutex lock;
	struct drm_mm mm;
	/* where a search begins: upwards for HBM, downwards for system memory */
	u64 up, down;
	u64 scratch;
};

static void ggtt_fill(struct xetile_tile *tile, u64 start, u64 size, u64 pte, u64 step)
{
	void __iomem *at = tile->gsm + start / SZ_4K * sizeof(u64);
	u64 n;

	lockdep_assert_held(&tile->ggtt->lock);
	for (n = size / SZ_4K; n; n--, at += sizeof(u64), pte += step)
		writeq(pte, at);
	/*
	 * Posted writes arrive in their order, so the invalidation comes behind the entries. All of
	 * them must have arrived before an engine is told an address, or the memory is freed.
	 */
	xetile_mmio_write(&tile->mmio, PVC_GFX_FLSH_CNTL, PVC_GFX_FLSH_CNTL_EN);
	readq(at - sizeof(u64));
}

/*
 * Searches from where the last search ended, and then everywhere. HBM is mapped from below and
 * system memory from above, because a single page between two pieces of HBM would cost 64 KiB:
 * the next piece is aligned.
 */
static int ggtt_insert(struct xetile_ggtt *ggtt, struct drm_mm_node *node, u64 size, bool hbm,
		       u64 pte)
{
	enum drm_mm_insert_mode mode = hbm ? DRM_MM_INSERT_LOW : DRM_MM_INSERT_HIGH;
	u64 align = hbm ? SZ_64K : SZ_4K;
	int err;

	/* The node's color is its first entry, for xetile_ggtt_restore(). */
	err = drm_mm_insert_node_in_range(&ggtt->mm, node, size, align, pte,
					  hbm ? ggtt->up : PVC_GGTT_WOPCM_END,
					  hbm ? PVC_GGTT_GUC_TOP : ggtt->down, mode);
	if (err == -ENOSPC)
		err = drm_mm_insert_node_in_range(&ggtt->mm, node, size, align, pte,
						  PVC_GGTT_WOPCM_END, PVC_GGTT_GUC_TOP, mode);
	if (err)
		return err;
	if (hbm)
		ggtt->up = node->start + node->size;
	else
		ggtt->down = node->start;
	return 0;
}

static int ggtt_map(struct xetile_tile *tile, struct drm_mm_node *node, u64 pte, u64 size,
		    bool hbm)
{
	struct xetile_ggtt *ggtt = tile->ggtt;
	int err;

	/* Neither the first page nor the last one may have an address that entries cannot hold. */
	if (!pte || (pte + ALIGN(size, SZ_4K) - SZ_4K) >> PVC_GGTT_ADDR_BITS)
		return -EFAULT;
	mutex_lock(&ggtt->lock);
	err = ggtt_insert(ggtt, node, ALIGN(size, SZ_4K), hbm, pte);
	if (!err)
		ggtt_fill(tile, node->start, node->size, pte, SZ_4K);
	mutex_unlock(&ggtt->lock);
	/* -ENOSPC means lack of HBM in this driver. */
	return err == -ENOSPC ? -ENOBUFS : err;
}

/**
 * xetile_ggtt_map_hbm() - give a piece of HBM a global address
 * @tile: tile in whose GGTT it is mapped
 * @node: zeroed node, filled in
 * @dpa: device physical address, 64 KiB aligned
 * @size: bytes
 *
 * May sleep.
 *
 * Context: process; takes &xetile_ggtt.lock.
 * Return: 0, -ENOMEM, -ENOBUFS: there is no such stretch of addresses, or -EFAULT: entries have no
 * room for the memory's address.
 */
int xetile_ggtt_map_hbm(struct xetile_tile *tile, struct drm_mm_node *node, u64 dpa, u64 size)
{
	return ggtt_map(tile, node, xetile_ggtt_encode(dpa, true), size, true);
}

/**
 * xetile_ggtt_map_dma() - give system memory a global address
 * @tile: tile in whose GGTT it is mapped
 * @node: zeroed node, filled in
 * @addr: DMA address, contiguous
 * @size: bytes
 *
 * May sleep.
 *
 * Context: process; takes &xetile_ggtt.lock.
 * Return: 0, -ENOMEM, -ENOBUFS: there is no such stretch of addresses, or -EFAULT: entries have no
 * room for the memory's address.
 */
int xetile_ggtt_map_dma(struct xetile_tile *tile, struct drm_mm_node *node, dma_addr_t addr,
			u64 size)
{
	return ggtt_map(tile, node, xetile_ggtt_encode(addr, false), size, false);
}

/**
 * xetile_ggtt_unmap() - take a global address back
 * @tile: tile it was mapped on
 * @node: node of xetile_ggtt_map_hbm() or xetile_ggtt_map_dma()
 *
 * The engines must not use the address any more. May sleep.
 *
 * Context: process; takes &xetile_ggtt.lock.
 */
void xetile_ggtt_unmap(struct xetile_tile *tile, struct drm_mm_node *node)
{
	struct xetile_ggtt *ggtt = tile->ggtt;

	mutex_lock(&ggtt->lock);
	ggtt_fill(tile, node->start, node->size, ggtt->scratch, 0);
	drm_mm_remove_node(node);
	mutex_unlock(&ggtt->lock);
}

static void fill_scratch(struct xetile_tile *tile)
{
	ggtt_fill(tile, PVC_GGTT_WOPCM_END, PVC_GGTT_GUC_TOP - PVC_GGTT_WOPCM_END,
		  tile->ggtt->scratch, 0);
}

/**
 * xetile_ggtt_restore() - write all entries of a tile anew
 * @tile: tile whose engines do not run
 *
 * For a card that lost its entries. May sleep.
 *
 * Context: process; takes &xetile_ggtt.lock.
 */
void xetile_ggtt_restore(struct xetile_tile *tile)
{
	struct xetile_ggtt *ggtt = tile->ggtt;
	struct drm_mm_node *node;

	mutex_lock(&ggtt->lock);
	fill_scratch(tile);
	drm_mm_for_each_node(node, &ggtt->mm)
		ggtt_fill(tile, node->start, node->size, node->color, SZ_4K);
	mutex_unlock(&ggtt->lock);
}

/**
 * xetile_ggtt_print() - tell which global addresses are in use
 * @tile: tile
 * @p: where to
 *
 * Context: process; takes &xetile_ggtt.lock.
 */
void xetile_ggtt_print(struct xetile_tile *tile, struct drm_printer *p)
{
	struct xetile_ggtt *ggtt = tile->ggtt;

	mutex_lock(&ggtt->lock);
	drm_mm_print(&ggtt->mm, p);
	mutex_unlock(&ggtt->lock);
}

static void ggtt_fini(struct drm_device *drm, void *arg)
{
	struct xetile_ggtt *ggtt = arg;

	drm_mm_takedown(&ggtt->mm);
}

/**
 * xetile_ggtt_init() - bring up a tile's GGTT
 * @tile: tile with its registers mapped
 *
 * Every entry is written once. The lowest 4 MiB and the top belong to firmware
 * and are left alone, as every driver of this hardware does.
 *
 * Context: process; takes &xetile_ggtt.lock.
 * Return: 0, -ENOMEM, or -EFAULT: entries have no room for the address of a page.
 */
int xetile_ggtt_init(struct xetile_tile *tile)
{
	struct xetile_device *xt = tile->xt;
	struct xetile_ggtt *ggtt;
	dma_addr_t dma;
	int err;

	ggtt = drmm_kzalloc(&xt->drm, sizeof(*ggtt), GFP_KERNEL);
	if (!ggtt)
		return -ENOMEM;
	err = drmm_mutex_init(&xt->drm, &ggtt->lock);
	if (err)
		return err;
	if (!dmam_alloc_coherent(xt->drm.dev, SZ_4K, &dma, GFP_KERNEL))
		return -ENOMEM;

	ggtt->scratch = xetile_ggtt_encode(dma, false);
	if (!ggtt->scratch)
		return -EFAULT;
	drm_mm_init(&ggtt->mm, PVC_GGTT_WOPCM_END, PVC_GGTT_GUC_TOP - PVC_GGTT_WOPCM_END);
	ggtt->up = PVC_GGTT_WOPCM_END;
	ggtt->down = PVC_GGTT_GUC_TOP;
	tile->ggtt = ggtt;
	mutex_lock(&ggtt->lock);
	fill_scratch(tile);
	mutex_unlock(&ggtt->lock);
	return drmm_add_action_or_reset(&xt->drm, ggtt_fini, ggtt);
}
