// SPDX-License-Identifier: GPL-2.0-only
#include "card/xetile_forcewake.h"

#include <linux/array_size.h>
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/pci.h>
#include <linux/types.h>

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
#define FALLBACK_PASSES		10

/** struct well - a power well */
struct well {
	const char *name;
	u32 request;
	u32 ack;
};

/* In the order in which they wake */
static const struct well wells[] = {
	{ "GT", PVC_FORCEWAKE_GT, PVC_FORCEWAKE_ACK_GT },
	{ "RENDER", PVC_FORCEWAKE_RENDER, PVC_FORCEWAKE_ACK_RENDER },
};

static int wait_ack(struct xetile_tile *tile, const struct well *well, u32 bit, bool on)
{
	return xetile_mmio_wait(&tile->mmio, well->ack, bit, on ? bit : 0, FORCEWAKE_TIMEOUT_US);
}

/*
 * A request that meets a wake-up by the hardware itself may never be acknowledged. A change of
 * another bit has the hardware look at all of them, and acknowledge both (prelim i915:
 * intel_uncore.c fw_domain_wait_ack_with_fallback()).
 */
static int wait_ack_by_fallback(struct xetile_tile *tile, const struct well *well, bool on)
{
	const u32 bit = PVC_FORCEWAKE_FALLBACK, want = on ? PVC_FORCEWAKE_KERNEL : 0;
	unsigned int pass;
	u32 ack;

	for (pass = 1; pass <= FALLBACK_PASSES; pass++) {
		wait_ack(tile, well, bit, false);
		xetile_mmio_write_masked(&tile->mmio, well->request, bit, bit);
		udelay(10 * pass);
		wait_ack(tile, well, bit, true);
		ack = xetile_mmio_read(&tile->mmio, well->ack);
		xetile_mmio_write_masked(&tile->mmio, well->request, bit, 0);
		if (PCI_POSSIBLE_ERROR(ack))
			return -ENODEV;
		if ((ack & PVC_FORCEWAKE_KERNEL) != want)
			continue;
		drm_info(&tile->xt->drm, "tile%u: power well %s answered attempt %u\n", tile->id,
			 well->name, pass + 1);
		return 0;
	}
	return -ETIMEDOUT;
}

static int set(struct xetile_tile *tile, const struct well *well, bool on)
{
	int err;

	xetile_mmio_write_masked(&tile->mmio, well->request, PVC_FORCEWAKE_KERNEL,
				 on ? PVC_FORCEWAKE_KERNEL : 0);
	err = wait_ack(tile, well, PVC_FORCEWAKE_KERNEL, on);
	return err == -ETIMEDOUT ? wait_ack_by_fallback(tile, well, on) : err;
}

/*
 * A driver that crashed, or the machine's firmware, may have left requests behind. If the driver's
 * own bit is among them, the next ack tells nothing; other bits would keep the well awake for ever.
 */
static void forget_requests(struct xetile_tile *tile, const struct well *well)
{
	xetile_mmio_write_masked(&tile->mmio, well->request, PVC_FORCEWAKE_ALL, 0);
	if (wait_ack(tile, well, PVC_FORCEWAKE_KERNEL, false))
		drm_dbg(&tile->xt->drm, "tile%u: power well %s stays awake\n", tile->id,
			well->name);
}

/*
 * With RC6 or power gating, which a predecessor may have turned on, parts of the tile lose their
 * power between contexts although the wells are awake.
 */
static void stop_gating(struct xetile_tile *tile)
{
	xetile_mmio_write(&tile->mmio, PVC_RC_CONTROL, 0);
	xetile_mmio_write(&tile->mmio, PVC_RC_STATE, 0);
	xetile_mmio_write(&tile->mmio, PVC_PG_ENABLE, 0);
}

/**
 * xetile_forcewake_get() - wake the power wells of a tile, and keep them from sleeping
 * @tile: the tile
 *
 * Context: process.
 * Return: 0, -ETIMEDOUT if a well does not wake, -ENODEV when the card is gone.
 */
int xetile_forcewake_get(struct xetile_tile *tile)
{
	unsigned int i;
	int err;

	for (i = 0; i < ARRAY_SIZE(wells); i++)
		forget_requests(tile, &wells[i]);
	for (i = 0; i < ARRAY_SIZE(wells); i++) {
		err = set(tile, &wells[i], true);
		if (err) {
			drm_err(&tile->xt->drm, "tile%u: power well %s does not wake: %d\n",
				tile->id, wells[i].name, err);
			goto err_wells;
		}
	}
	stop_gating(tile);
	return 0;

err_wells:
	for (i = ARRAY_SIZE(wells); i--; )
		xetile_mmio_write_masked(&tile->mmio, wells[i].request, PVC_FORCEWAKE_KERNEL, 0);
	return err;
}

/**
 * xetile_forcewake_put() - let the power wells of a tile sleep
 * @tile: the tile
 *
 * The next driver must not find power gating turned on. Release notes of prelim i915 are said to
 * ask for this; they are not part of its tree.
 *
 * Context: process.
 */
void xetile_forcewake_put(struct xetile_tile *tile)
{
	unsigned int i;

	stop_gating(tile);
	/* Wait for the acks, so that a later get does not take this put's ack for its own. */
	for (i = ARRAY_SIZE(wells); i--; )
		set(tile, &wells[i], false);
}
