// SPDX-License-Identifier: GPL-2.0-only
#include "card/xetile_tile.h"

#include <linux/align.h>
#include <linux/bitops.h>
#include <linux/device.h>
#include <linux/pci.h>
#include <linux/sizes.h>

#include <drm/drm_print.h>

#include "regs/pvc_engine_regs.h"
#include "regs/pvc_gt_regs.h"
#include "regs/pvc_pci_regs.h"
#include "regs/pvc_soc_regs.h"

#include "card/xetile_bisect.h"
#include "card/xetile_forcewake.h"
#include "xetile_device.h"

/**
 * DOC: tiles
 *
 * A tile says in its registers where its HBM lies and which of its parts work; the start of the
 * card reads that once, and the machine's sleep checks that nothing has changed. No lock is needed:
 * all of it is constant while the card is bound.
 */

/* Usable HBM ends at a multiple of the largest page that the allocator promises. */
#define USABLE_ALIGN	SZ_2M

static u64 gib(u32 reg, u32 mask, unsigned int shift)
{
	return (u64)((reg & mask) >> shift) << 30;
}

/* No byte of HBM may belong to two tiles; the ranges of the tiles before this one are known. */
static int check_overlap(struct xetile_tile *tile)
{
	struct xetile_tile *other;

	for (other = tile->xt->tiles; other < tile; other++) {
		if (tile->range.base < other->range.base + other->range.size &&
		    other->range.base < tile->range.base + tile->range.size) {
			drm_err(&tile->xt->drm, "HBM of tile%u and tile%u overlap\n", other->id,
				tile->id);
			return -ENXIO;
		}
	}
	return 0;
}

/*
 * Where the tile's HBM lies. Two registers tell it. No source says that they agree on each part, so
 * the one that newer drivers read prevails (xe 7.2: xe_vram.c).
 */
static int read_range(struct xetile_tile *tile)
{
	struct drm_device *drm = &tile->xt->drm;
	u32 gt = xetile_mcr_read(tile, PVC_TILE_ADDR_RANGE(tile->id), 0, 0);
	u32 sg = xetile_mmio_read(&tile->mmio, PVC_SG_TILE_ADDR_RANGE(tile->id));
	u64 base = gib(sg, PVC_SG_TILE_BASE_MASK, PVC_SG_TILE_BASE_SHIFT);
	u64 size = gib(sg, PVC_SG_TILE_SIZE_MASK, PVC_SG_TILE_SIZE_SHIFT);
	u64 gsm;
	int err;

	if (PCI_POSSIBLE_ERROR(gt) || PCI_POSSIBLE_ERROR(sg)) {
		drm_err(drm, "tile%u: HBM range reads all ones\n", tile->id);
		return -ENODEV;
	}
	if (base != gib(gt, PVC_TILE_BASE_MASK, PVC_TILE_BASE_SHIFT) ||
	    size != gib(gt, PVC_TILE_SIZE_MASK, PVC_TILE_SIZE_SHIFT))
		drm_warn(drm, "tile%u: two registers disagree on the HBM range: %#x, %#x\n",
			 tile->id, gt, sg);
	if (!size) {
		drm_err(drm, "tile%u: HBM range is empty\n", tile->id);
		return -ENXIO;
	}

	tile->range.base = base;
	tile->range.size = size;
	err = check_overlap(tile);
	if (err)
		return err;

	gsm = xetile_mmio_read64(&tile->mmio, PVC_GSMBASE);
	if (gsm <= base || gsm > base + size) {
		drm_err(drm, "tile%u: HBM ends at %#llx, outside of its range %#llx..%#llx\n",
			tile->id, gsm, base, base + size);
		return -ENXIO;
	}

	tile->range.usable = ALIGN_DOWN(gsm - base, USABLE_ALIGN);
	if (!tile->range.usable) {
		drm_err(drm, "tile%u: no HBM below the carve-outs\n", tile->id);
		return -ENXIO;
	}
	return 0;
}

static u8 cslices_of(u64 dss_mask)
{
	u8 cslices = 0;
	unsigned int i;

	for (i = 0; i < XETILE_MAX_CSLICES; i++)
		if (dss_mask >> (i * PVC_DSS_PER_CSLICE) & GENMASK(PVC_DSS_PER_CSLICE - 1, 0))
			cslices |= BIT(i);
	return cslices;
}

/* A node has 16 banks, in groups of 4 that are fused off together, the same ones in all nodes. */
static u64 l3_banks_of(u32 nodes, u32 groups)
{
	u64 banks = 0;
	unsigned int i;

	for (i = 0; i < 16; i++)
		if (nodes & BIT(i / 4) && groups & BIT(i % 4))
			banks |= GENMASK_ULL(4 * i + 3, 4 * i);
	return banks;
}

/*
 * Engines that the administrator does not want are as if fused off. Their subslices are still
 * there: settings reach them, and are read back.
 */
static int leave_out(struct xetile_tile *tile)
{
	tile->fuse.cslice_mask &= xetile_bisect.engines;
	tile->fuse.bcs_mask &= xetile_bisect.engines >> XETILE_BISECT_COPY;
	if (tile->fuse.cslice_mask && tile->fuse.bcs_mask)
		return 0;
	drm_err(&tile->xt->drm, "tile%u: engines=%#x leaves no compute engine or no copy engine\n",
		tile->id, xetile_bisect.engines);
	return -EINVAL;
}

static int read_fuses(struct xetile_tile *tile)
{
	const struct xetile_mmio *mmio = &tile->mmio;
	struct drm_device *drm = &tile->xt->drm;
	u32 fuse3 = xetile_mmio_read(mmio, PVC_MIRROR_FUSE3);
	u32 eus = xetile_mmio_read(mmio, PVC_EU_ENABLE);
	u32 nodes = fuse3 & PVC_FUSE3_MEML3_EN_MASK;
	unsigned int i;

	if (PCI_POSSIBLE_ERROR(fuse3) || PCI_POSSIBLE_ERROR(eus)) {
		drm_err(drm, "tile%u: fuses read all ones\n", tile->id);
		return -ENODEV;
	}
	if (!(xetile_mmio_read(mmio, PVC_FUSE2) & PVC_FUSE2_PRODUCTION_HW))
		drm_warn(drm, "tile%u: fuses say that this is not a production part\n", tile->id);

	tile->fuse.dss_mask = xetile_mmio_read(mmio, PVC_COMPUTE_DSS_ENABLE) |
			      (u64)xetile_mmio_read(mmio, PVC_COMPUTE_DSS_ENABLE_EXT) << 32;
	tile->fuse.eu_mask = eus & PVC_EU_ENABLE_MASK;
	tile->fuse.eus_per_dss = hweight8(tile->fuse.eu_mask);
	tile->fuse.l3_mask = l3_banks_of(nodes, (fuse3 & PVC_FUSE3_L3_MODE_MASK) >> 4);
	tile->fuse.l3_banks = hweight64(tile->fuse.l3_mask);
	tile->fuse.cslice_mask = cslices_of(tile->fuse.dss_mask);
	/* With the first node alone only CCS0 is wired (erratum 22012626112). */
	if (nodes == BIT(0))
		tile->fuse.cslice_mask &= BIT(0);

	/* The main copy engine is always there; each node has two more. */
	tile->fuse.bcs_mask = BIT(0);
	for (i = 0; i < 4; i++)
		if (nodes & BIT(i))
			tile->fuse.bcs_mask |= GENMASK(1, 0) << (2 * i + 1);

	if (!tile->fuse.cslice_mask) {
		drm_err(drm, "tile%u: fuses say no compute slices (DSS mask %#llx)\n", tile->id,
			tile->fuse.dss_mask);
		return -ENXIO;
	}
	if (!tile->fuse.eus_per_dss) {
		drm_err(drm, "tile%u: fuses say no vector engines\n", tile->id);
		return -ENXIO;
	}
	if (!tile->fuse.l3_banks) {
		drm_err(drm, "tile%u: fuses say no L3 banks (%#x)\n", tile->id, fuse3);
		return -ENXIO;
	}
	return leave_out(tile);
}

static int check_id(struct xetile_tile *tile)
{
	u32 mtcfg = xetile_mmio_read(&tile->mmio, PVC_MTCFG);

	if (!PCI_POSSIBLE_ERROR(mtcfg) && (mtcfg & PVC_MTCFG_TILE_ID_MASK) == tile->id)
		return 0;
	drm_err(&tile->xt->drm, "tile%u: its registers say %#x, not this tile\n", tile->id, mtcfg);
	return PCI_POSSIBLE_ERROR(mtcfg) ? -ENODEV : -ENXIO;
}

static void forcewake_release(void *tile)
{
	xetile_forcewake_put(tile);
}

/**
 * xetile_tile_init() - find out what a tile has
 * @xt: the card; its number of tiles is known
 * @id: number of the tile
 *
 * Reads range and fuses, and wakes the power wells for as long as the card is bound. The
 * caller, who knows all tiles, finds out how much of the HBM the CPU reaches.
 *
 * Context: process.
 * Return: 0; -ENXIO if the answers make no sense; -ENODEV, -ETIMEDOUT if there are none.
 */
int xetile_tile_init(struct xetile_device *xt, unsigned int id)
{
	struct xetile_tile *tile = &xt->tiles[id];
	void __iomem *window = xt->mmio.regs + (size_t)id * PVC_MMIO_TILE_STRIDE;
	int err;

	tile->xt = xt;
	tile->id = id;
	tile->times.compute = xetile_times_default;
	tile->times.copy = xetile_times_default;
	tile->mmio.xt = xt;
	tile->mmio.regs = window;
	tile->mmio.size = PVC_MMIO_REGS_SIZE;
	tile->gsm = window + PVC_MMIO_GGTT_OFFSET;
	spin_lock_init(&tile->mcr_lock);

	err = check_id(tile);
	if (err)
		return err;
	err = xetile_forcewake_get(tile);
	if (err)
		return err;
	err = devm_add_action_or_reset(xt->drm.dev, forcewake_release, tile);
	if (err)
		return err;
	err = xetile_freq_init(tile);
	if (err)
		return err;

	err = read_range(tile);
	if (err)
		return err;
	return read_fuses(tile);
}

/**
 * xetile_tile_wake() - a tile has got power again
 * @tile: the tile
 *
 * Wakes the power wells, asks for the frequency that is wanted, and checks that this is the same
 * tile as before.
 *
 * Context: process.
 * Return: 0; -ENXIO if it is another tile; -ENODEV, -ETIMEDOUT if it does not answer.
 */
int xetile_tile_wake(struct xetile_tile *tile)
{
	typeof(tile->range) range = tile->range;
	typeof(tile->fuse) fuse = tile->fuse;
	int err;

	err = check_id(tile) ?: xetile_forcewake_get(tile) ?: read_range(tile) ?: read_fuses(tile);
	if (!err)
		xetile_freq_restore(tile);
	if (!err && (range.base != tile->range.base || range.usable != tile->range.usable ||
		     fuse.dss_mask != tile->fuse.dss_mask || fuse.bcs_mask != tile->fuse.bcs_mask ||
		     fuse.cslice_mask != tile->fuse.cslice_mask)) {
		drm_err(&tile->xt->drm, "tile%u: not the tile it was: its HBM or fuses changed\n",
			tile->id);
		err = -ENXIO;
	}
	/* Keep the old values, because memory and engines in use were set up for them. */
	tile->range = range;
	tile->fuse = fuse;
	return err;
}
