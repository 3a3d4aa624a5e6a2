// SPDX-License-Identifier: GPL-2.0-only
#include "card/xetile_guc.h"

#include <linux/err.h>
#include <linux/pci.h>

#include <drm/drm_print.h>

#include "regs/pvc_gt_regs.h"

#include "card/xetile_mmio.h"
#include "card/xetile_tile.h"
#include "xetile_device.h"

/**
 * DOC: the firmware of other drivers
 *
 * Other drivers load firmware into the GuC of each tile, which schedules in their place. This
 * driver does without it. If the GuC still runs when the card is bound, because its driver crashed
 * or did not stop it, it would compete for the engines. It is stopped as its own drivers stop it,
 * and the log says so. What it leaves in registers that are locked until the function is reset is
 * not known to matter here, but no public source says that it does not: a module parameter has the
 * function reset.
 */

#define RESET_TIMEOUT_US	10000

static bool runs(struct xetile_tile *tile)
{
	return !(xetile_mmio_read(&tile->mmio, PVC_GUC_STATUS) & PVC_GUC_STATUS_IN_RESET);
}

/**
 * xetile_guc_was_used() - whether firmware runs, or has run, since the last reset of the function
 * @tile: the tile; its wells are on
 *
 * Context: any.
 * Return: true; the log has said so.
 */
bool xetile_guc_was_used(struct xetile_tile *tile)
{
	u32 size = xetile_mmio_read(&tile->mmio, PVC_GUC_WOPCM_SIZE);
	u32 offset = xetile_mmio_read(&tile->mmio, PVC_GUC_WOPCM_OFFSET);

	/* A card that is gone is told elsewhere. */
	if (PCI_POSSIBLE_ERROR(size) || PCI_POSSIBLE_ERROR(offset))
		return false;
	if (runs(tile))
		drm_warn(&tile->xt->drm, "tile%u: another driver's firmware (GuC) runs, status %#x\n",
			 tile->id, xetile_mmio_read(&tile->mmio, PVC_GUC_STATUS));
	else if ((size & PVC_GUC_WOPCM_SIZE_LOCKED) || (offset & PVC_GUC_WOPCM_OFFSET_VALID))
		drm_info(&tile->xt->drm, "tile%u: another driver's firmware (GuC) has run\n",
			 tile->id);
	else
		return false;
	return true;
}

/**
 * xetile_guc_stop() - stop firmware that runs
 * @tile: the tile; its wells are on
 *
 * Context: process.
 * Return: 0, also if none runs; -ETIMEDOUT or -ENODEV.
 */
int xetile_guc_stop(struct xetile_tile *tile)
{
	unsigned int i;
	int err = 0;

	if (!runs(tile))
		return 0;
	/* Twice, as all resets (exec/xetile_reset_tile.c) */
	for (i = 0; i < 2 && !err; i++) {
		xetile_mmio_write(&tile->mmio, PVC_GDRST, PVC_GDRST_GUC);
		err = xetile_mmio_wait(&tile->mmio, PVC_GDRST, PVC_GDRST_GUC, 0, RESET_TIMEOUT_US);
	}
	if (!err && runs(tile))
		err = -ETIMEDOUT;
	if (err)
		drm_err(&tile->xt->drm, "tile%u: the firmware (GuC) cannot be stopped: %pe\n",
			tile->id, ERR_PTR(err));
	return err;
}
