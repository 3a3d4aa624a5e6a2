// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_kbo.h"

#include <linux/dma-mapping.h>
#include <linux/slab.h>

#include "mem/xetile_account.h"
#include "mem/xetile_ggtt.h"
#include "mem/xetile_hbm.h"
#include "xetile_device.h"

/**
 * DOC: kernel BOs
 *
 * A kernel BO is memory of the driver's own, pinned, seen by the CPU and by one tile: contexts,
 * rings, status pages, batches of the kernel's copies. Its place and its size stay from when it
 * is made until its owner destroys it, so that no lock is needed.
 */

/* struct xetile_kbo - a piece of memory of the driver's own */
struct xetile_kbo {
	struct xetile_tile *tile;
	u64 size;
	u32 flags;
	/* account of the file that needs the memory, or NULL */
	struct xetile_account *account;
	struct iosys_map map;
	/* HBM only */
	u64 dpa;
	void *cookie;
	/* system memory only */
	void *cpu;
	dma_addr_t dma;
	struct drm_mm_node ggtt;
};

static int kbo_alloc_system(struct xetile_kbo *kbo)
{
	int err = xetile_account_pin(kbo->account, XETILE_ACCOUNT_SYSTEM, kbo->size);

	if (err)
		return err;
	kbo->cpu = dma_alloc_coherent(kbo->tile->xt->drm.dev, kbo->size, &kbo->dma,
				      kbo->account ? GFP_KERNEL_ACCOUNT : GFP_KERNEL);
	if (!kbo->cpu) {
		xetile_account_unpin(kbo->account, XETILE_ACCOUNT_SYSTEM, kbo->size);
		return -ENOMEM;
	}
	iosys_map_set_vaddr(&kbo->map, kbo->cpu);
	return 0;
}

static int kbo_alloc_hbm(struct xetile_kbo *kbo)
{
	void __iomem *map;
	int err;

	err = xetile_hbm_alloc(kbo->tile, kbo->size, kbo->account, &kbo->dpa, &kbo->cookie);
	if (err)
		return err;
	map = xetile_hbm_map(kbo->tile, kbo->dpa, kbo->size);
	memset_io(map, 0, kbo->size);
	iosys_map_set_vaddr_iomem(&kbo->map, map);
	return 0;
}

static void kbo_free_memory(struct xetile_kbo *kbo)
{
	if (kbo->flags & XETILE_KBO_SYSTEM) {
		xetile_account_unpin(kbo->account, XETILE_ACCOUNT_SYSTEM, kbo->size);
		dma_free_coherent(kbo->tile->xt->drm.dev, kbo->size, kbo->cpu, kbo->dma);
	} else {
		xetile_hbm_free(kbo->tile, kbo->cookie);
	}
}

/**
 * xetile_kbo_create() - get pinned memory for the driver
 * @tile: tile that will use it
 * @size: bytes; rounded up to pages, in HBM to 64 KiB when the GGTT maps it,
 *	because the hardware wants HBM in 64 KiB pages
 * @flags: mask of XETILE_KBO_*
 * @account: account of the file that needs the memory, which it outlives; NULL: the kernel's own
 *
 * May sleep.
 *
 * Return: zeroed memory, ERR_PTR(-EDQUOT) when the user of @account has as much pinned HBM as a
 * user may have, ERR_PTR(-ENOSPC) or ERR_PTR(-ENOMEM).
 */
struct xetile_kbo *xetile_kbo_create(struct xetile_tile *tile, u64 size, u32 flags,
				     struct xetile_account *account)
{
	bool system = flags & XETILE_KBO_SYSTEM;
	struct xetile_kbo *kbo;
	int err;

	kbo = kzalloc_obj(*kbo, GFP_KERNEL_ACCOUNT);
	if (!kbo)
		return ERR_PTR(-ENOMEM);

	kbo->tile = tile;
	kbo->size = ALIGN(size, !system && (flags & XETILE_KBO_GGTT) ? SZ_64K : SZ_4K);
	kbo->flags = flags;
	kbo->account = account;

	err = system ? kbo_alloc_system(kbo) : kbo_alloc_hbm(kbo);
	if (err)
		goto err_free;

	if (flags & XETILE_KBO_GGTT) {
		err = system ? xetile_ggtt_map_dma(tile, &kbo->ggtt, kbo->dma, kbo->size) :
			       xetile_ggtt_map_hbm(tile, &kbo->ggtt, kbo->dpa, kbo->size);
		if (err)
			goto err_memory;
	}
	return kbo;

err_memory:
	kbo_free_memory(kbo);
err_free:
	kfree(kbo);
	return ERR_PTR(err);
}

/**
 * xetile_kbo_destroy() - give pinned memory back
 * @kbo: what xetile_kbo_create() returned, NULL or an error pointer; the tile
 *	must not use it any more
 *
 * May sleep.
 */
void xetile_kbo_destroy(struct xetile_kbo *kbo)
{
	if (IS_ERR_OR_NULL(kbo))
		return;
	if (kbo->flags & XETILE_KBO_GGTT)
		xetile_ggtt_unmap(kbo->tile, &kbo->ggtt);
	kbo_free_memory(kbo);
	kfree(kbo);
}

/**
 * xetile_kbo_map() - the CPU's view
 * @kbo: kernel BO
 *
 * Return: a mapping that lives as long as @kbo; write-combining for HBM.
 */
struct iosys_map *xetile_kbo_map(struct xetile_kbo *kbo)
{
	return &kbo->map;
}

/**
 * xetile_kbo_dpa() - physical address of a kernel BO
 * @kbo: kernel BO
 *
 * Return: device physical address in HBM, or DMA address in system memory.
 */
u64 xetile_kbo_dpa(const struct xetile_kbo *kbo)
{
	return kbo->flags & XETILE_KBO_SYSTEM ? kbo->dma : kbo->dpa;
}

/**
 * xetile_kbo_ggtt() - global GPU address of a kernel BO
 * @kbo: kernel BO with XETILE_KBO_GGTT
 *
 * Return: the address in the tile's GGTT.
 */
u64 xetile_kbo_ggtt(const struct xetile_kbo *kbo)
{
	return kbo->ggtt.start;
}
