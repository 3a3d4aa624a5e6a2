// SPDX-License-Identifier: GPL-2.0-only
#include "card/xetile_forcewake.h"

#include <drm/drm_print.h>

#include "regs/pvc_gt_regs.h"

#include "card/xetile_mmio.h"
#include "xetile_device.h"

/**
 * DOC: power wells
 *
 * The wells of a tile are woken when the tile comes up, and stay awake until the card is unbound.
 * No lock is needed: the device's lock keeps the callers, the start and the end of the card's
 * binding and the machine's sleep, from each other.
 */

#define FORCEWAKE_TIMEOUT_US	50000

static int forcewake_set(struct xetile_tile *tile, u32 req, u32 ack, bool on)
{
	u32 val = on ? PVC_FORCEWAKE_KERNEL : 0;

	xetile_mmio_write_masked(&tile->mmio, req, PVC_FORCEWAKE_KERNEL, val);
	return xetile_mmio_wait(&tile->mmio, ack, PVC_FORCEWAKE_KERNEL, val, FORCEWAKE_TIMEOUT_US);
}

/**
 * xetile_forcewake_get() - wake the power wells of a tile
 * @tile: the tile
 *
 * Context: process.
 * Return: 0, -ETIMEDOUT if a well does not wake, -ENODEV when the card is gone.
 */
int xetile_forcewake_get(struct xetile_tile *tile)
{
	int err;

	err = forcewake_set(tile, PVC_FORCEWAKE_GT, PVC_FORCEWAKE_ACK_GT, true);
	if (err) {
		drm_err(&tile->xt->drm, "tile%u: power well GT does not wake: %d\n", tile->id, err);
		goto err_gt;
	}
	err = forcewake_set(tile, PVC_FORCEWAKE_RENDER, PVC_FORCEWAKE_ACK_RENDER, true);
	if (err) {
		drm_err(&tile->xt->drm, "tile%u: power well RENDER does not wake: %d\n", tile->id,
			err);
		goto err_render;
	}
	return 0;

err_render:
	xetile_mmio_write_masked(&tile->mmio, PVC_FORCEWAKE_RENDER, PVC_FORCEWAKE_KERNEL, 0);
err_gt:
	xetile_mmio_write_masked(&tile->mmio, PVC_FORCEWAKE_GT, PVC_FORCEWAKE_KERNEL, 0);
	return err;
}

/**
 * xetile_forcewake_put() - let the power wells of a tile sleep
 * @tile: the tile
 *
 * Context: process.
 */
void xetile_forcewake_put(struct xetile_tile *tile)
{
	/* Wait for the acks, so that a later get does not take this put's ack for its own. */
	forcewake_set(tile, PVC_FORCEWAKE_RENDER, PVC_FORCEWAKE_ACK_RENDER, false);
	forcewake_set(tile, PVC_FORCEWAKE_GT, PVC_FORCEWAKE_ACK_GT, false);
}
