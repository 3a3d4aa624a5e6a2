// SPDX-License-Identifier: GPL-2.0-only
#include "card/xetile_freq.h"

#include <linux/cleanup.h>
#include <linux/delay.h>
#include <linux/device.h>
#include <linux/errno.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/pci.h>

#include <drm/drm_managed.h>
#include <drm/drm_print.h>

#include "regs/pvc_gt_regs.h"
#include "regs/pvc_soc_regs.h"

#include "card/xetile_mmio.h"
#include "card/xetile_tile.h"
#include "xetile_device.h"

/**
 * DOC: frequency
 *
 * Without firmware of its own for it, a tile runs at the frequency that its driver asks for, or at
 * less when the power controller limits it. A tile whose driver asks for nothing stays where the
 * machine's firmware left it.
 *
 * As long as a card is bound, each tile is asked for the highest frequency that the
 * administrator allows, max_freq, whether it is busy or idle. max_freq is RP0 at first.
 * When min_freq is set above max_freq, min_freq is asked for (as in xe). The hardware forgets the
 * request in a full reset of the tile and in a loss of power, and it is repeated then. At the end
 * the lowest frequency is asked for.
 */

#define CAP_UNIT_MHZ		50
/* Software mode stays on this long, so that firmware takes the request (xe: xe_guc_pc.c). */
#define TAKE_MIN_US		100
#define TAKE_MAX_US		300

static unsigned int mhz_of(u32 ratio)
{
	return DIV_ROUND_CLOSEST(ratio * CAP_UNIT_MHZ, PVC_RATIO_PER_50_MHZ);
}

static u32 ratio_of(unsigned int mhz)
{
	return DIV_ROUND_CLOSEST(mhz * PVC_RATIO_PER_50_MHZ, CAP_UNIT_MHZ);
}

static void request(struct xetile_tile *tile, unsigned int mhz)
{
	lockdep_assert_held(&tile->freq.lock);

	xetile_mmio_write(&tile->mmio, PVC_RP_CONTROL, PVC_RP_CONTROL_SOFTWARE);
	xetile_mmio_write(&tile->mmio, PVC_RPNSWREQ, ratio_of(mhz) << PVC_RPNSWREQ_RATIO_SHIFT);
	usleep_range(TAKE_MIN_US, TAKE_MAX_US);
	xetile_mmio_write(&tile->mmio, PVC_RP_CONTROL, 0);
}

/* The highest frequency that is allowed */
static unsigned int wanted(struct xetile_tile *tile)
{
	return max(tile->freq.bounds[XETILE_FREQ_MIN], tile->freq.bounds[XETILE_FREQ_MAX]);
}

/* The next driver finds what a driver that asks for nothing has. */
static void freq_fini(void *arg)
{
	struct xetile_tile *tile = arg;

	guard(mutex)(&tile->freq.lock);
	request(tile, tile->freq.rpn);
}

/**
 * xetile_freq_init() - find out at what frequencies a tile can run, and ask for the highest
 * @tile: the tile; its power wells are awake
 *
 * A tile whose answer makes no sense is used at the frequency that it has.
 *
 * Context: process; takes &xetile_freq.lock.
 * Return: 0, -ENOMEM, or -ENODEV when the card is gone.
 */
int xetile_freq_init(struct xetile_tile *tile)
{
	struct drm_device *drm = &tile->xt->drm;
	struct xetile_freq *freq = &tile->freq;
	unsigned int rp0, rp1, rpn;
	u32 cap;
	int err;

	err = drmm_mutex_init(drm, &freq->lock);
	if (err)
		return err;
	cap = xetile_mmio_read(&tile->mmio, PVC_RP_STATE_CAP);
	if (PCI_POSSIBLE_ERROR(cap)) {
		drm_err(drm, "tile%u: its frequencies read all ones\n", tile->id);
		return -ENODEV;
	}
	rp0 = (cap & PVC_RP0_CAP_MASK) * CAP_UNIT_MHZ;
	rp1 = ((cap & PVC_RP1_CAP_MASK) >> PVC_RP1_CAP_SHIFT) * CAP_UNIT_MHZ;
	rpn = ((cap & PVC_RPN_CAP_MASK) >> PVC_RPN_CAP_SHIFT) * CAP_UNIT_MHZ;
	if (!rpn || rpn > rp0) {
		drm_warn(drm, "tile%u: frequencies from %u to %u MHz make no sense (%#x)\n",
			 tile->id, rpn, rp0, cap);
		return 0;
	}
	freq->rp0 = rp0;
	freq->rpn = rpn;
	/* On this hardware RP1 stands for the most efficient frequency (xe: xe_guc_pc.c). */
	freq->rpe = clamp(rp1, rpn, rp0);
	freq->bounds[XETILE_FREQ_MIN] = rpn;
	freq->bounds[XETILE_FREQ_MAX] = rp0;
	xetile_freq_restore(tile);
	return devm_add_action_or_reset(drm->dev, freq_fini, tile);
}

/**
 * xetile_freq_restore() - ask again for the frequency that is wanted
 * @tile: the tile, after a reset or a loss of power; its power wells are awake
 *
 * Context: process; takes &xetile_freq.lock, whose holders allocate nothing.
 */
void xetile_freq_restore(struct xetile_tile *tile)
{
	if (!tile->freq.rp0)
		return;
	guard(mutex)(&tile->freq.lock);
	request(tile, wanted(tile));
}

/**
 * xetile_freq_bound() - a bound that the administrator has set
 * @tile: the tile
 * @which: the bound
 *
 * Context: process; takes &xetile_freq.lock.
 * Return: the bound, in MHz.
 */
unsigned int xetile_freq_bound(struct xetile_tile *tile, enum xetile_freq_bound which)
{
	guard(mutex)(&tile->freq.lock);
	return tile->freq.bounds[which];
}

/**
 * xetile_freq_set_bound() - set a bound
 * @tile: the tile; the card answers
 * @which: the bound
 * @mhz: its new value
 *
 * Context: process; takes &xetile_freq.lock.
 * Return: 0, or -EINVAL if the tile cannot run at @mhz; then nothing has changed.
 */
int xetile_freq_set_bound(struct xetile_tile *tile, enum xetile_freq_bound which, unsigned int mhz)
{
	struct xetile_freq *freq = &tile->freq;

	if (!freq->rp0 || mhz < freq->rpn || mhz > freq->rp0)
		return -EINVAL;
	guard(mutex)(&freq->lock);
	freq->bounds[which] = mhz;
	request(tile, wanted(tile));
	return 0;
}

/**
 * xetile_freq_requested() - the frequency that the hardware was asked for
 * @tile: the tile
 *
 * Context: any.
 * Return: MHz, or -ENODEV when the card is gone.
 */
int xetile_freq_requested(struct xetile_tile *tile)
{
	u32 val = xetile_mmio_read(&tile->mmio, PVC_RPNSWREQ);

	return PCI_POSSIBLE_ERROR(val) ? -ENODEV : mhz_of(val >> PVC_RPNSWREQ_RATIO_SHIFT);
}

/**
 * xetile_freq_actual() - the frequency at which a tile runs
 * @tile: the tile
 *
 * Context: any.
 * Return: MHz, or -ENODEV when the card is gone.
 */
int xetile_freq_actual(struct xetile_tile *tile)
{
	u32 val = xetile_mmio_read(&tile->mmio, PVC_RPSTAT1);

	if (PCI_POSSIBLE_ERROR(val))
		return -ENODEV;
	return mhz_of((val & PVC_RPSTAT1_RATIO_MASK) >> PVC_RPSTAT1_RATIO_SHIFT);
}

/**
 * xetile_freq_limits() - why a tile runs at less than what it was asked for
 * @tile: the tile
 * @reasons: set to PVC_LIMIT_* bits that are true now
 *
 * Context: any.
 * Return: 0, or -ENODEV when the card is gone.
 */
int xetile_freq_limits(struct xetile_tile *tile, u32 *reasons)
{
	u32 val = xetile_mmio_read(&tile->mmio, PVC_LIMIT_REASONS);

	if (PCI_POSSIBLE_ERROR(val))
		return -ENODEV;
	*reasons = val & PVC_LIMIT_ANY;
	return 0;
}
