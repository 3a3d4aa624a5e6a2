// SPDX-License-Identifier: GPL-2.0-only
#include "card/xetile_mmio.h"

#include <linux/iopoll.h>
#include <linux/pci.h>
#include <linux/pm_runtime.h>

#include <drm/drm_print.h>

#include "regs/pvc_gt_regs.h"
#include "regs/pvc_pci_regs.h"
#include "regs/pvc_soc_regs.h"

#include "card/xetile_patience.h"
#include "xetile_device.h"

/**
 * DOC: registers
 *
 * A window holds the registers of a tile; tile 0's window also holds those of the whole card. This
 * file accesses a window, waits for bits of its registers, and steers the accesses to registers
 * that are replicated. &xetile_tile.mcr_lock protects the selector of replicated registers.
 */

/* A wait of up to this time spins, a longer one sleeps. */
#define SPIN_MAX_US		50
/* Behind a link that has just come up registers may not answer yet (prelim i915: intel_uncore.c) */
#define ANSWER_TIMEOUT_MS	2000

/**
 * xetile_mmio_assert_awake() - complain of a read of a card that sleeps alone
 * @mmio: window
 *
 * Its code lacks a reference (xetile_awake.h), and what it reads need not look wrong. The wait for
 * the card's answer takes so long that the check costs nothing.
 *
 * Context: any.
 */
void xetile_mmio_assert_awake(const struct xetile_mmio *mmio)
{
	WARN_ON_ONCE(pm_runtime_status_suspended(mmio->xt->drm.dev));
}

static int wait_answer(struct xetile_device *xt)
{
	struct xetile_patience wait;
	int err = 0;

	xetile_patience_begin(&wait, xt, ANSWER_TIMEOUT_MS, true);
	while (!err && PCI_POSSIBLE_ERROR(xetile_mmio_read(&xt->mmio, PVC_MTCFG)))
		err = xetile_patience_go_on(&wait, "registers read all ones");
	return err;
}

/**
 * xetile_mmio_init() - map the registers of the card
 * @xt: the card
 *
 * The mapping is removed when the device is unbound.
 *
 * Context: process; may sleep.
 *
 * Return: 0, -ENXIO if BAR0 is too small for a card of one tile, -ENODEV if nothing answers, or
 * the error of the mapping.
 */
int xetile_mmio_init(struct xetile_device *xt)
{
	struct pci_dev *pdev = to_pci_dev(xt->drm.dev);
	resource_size_t len = pci_resource_len(pdev, PVC_BAR_MMIO);
	void __iomem *regs;

	if (len < PVC_MMIO_TILE_STRIDE) {
		drm_err(&xt->drm, "BAR0 has %pa bytes, a tile needs %#x\n", &len,
			PVC_MMIO_TILE_STRIDE);
		return -ENXIO;
	}

	regs = pcim_iomap_region(pdev, PVC_BAR_MMIO, "xetile");
	if (IS_ERR(regs)) {
		drm_err(&xt->drm, "cannot map BAR0: %pe\n", regs);
		return PTR_ERR(regs);
	}

	xt->mmio.xt = xt;
	xt->mmio.regs = regs;
	xt->mmio.size = PVC_MMIO_REGS_SIZE;

	if (wait_answer(xt)) {
		drm_err(&xt->drm, "registers read all ones: the card does not answer\n");
		return -ENODEV;
	}
	return 0;
}

/**
 * xetile_mmio_read64() - read a register of two dwords, low one first
 * @mmio: window
 * @reg: offset of the low dword
 *
 * The card has no 64-bit accesses: so read until the high dword does not change.
 *
 * Context: any.
 * Return: its value.
 */
u64 xetile_mmio_read64(const struct xetile_mmio *mmio, u32 reg)
{
	u32 high = xetile_mmio_read(mmio, reg + 4);
	u32 low, before;
	int tries = 3;

	do {
		before = high;
		low = xetile_mmio_read(mmio, reg);
		high = xetile_mmio_read(mmio, reg + 4);
	} while (high != before && --tries);

	return (u64)high << 32 | low;
}

/**
 * xetile_mmio_write_masked() - change bits of a masked register
 * @mmio: window
 * @reg: offset in the window
 * @mask: bits to change
 * @val: their new values
 *
 * The upper half of the written value enables the bits of the lower half, so this needs no read
 * and no lock.
 *
 * Context: any.
 */
void xetile_mmio_write_masked(const struct xetile_mmio *mmio, u32 reg, u16 mask, u16 val)
{
	xetile_mmio_write(mmio, reg, (u32)mask << 16 | val);
}

/**
 * xetile_mmio_wait() - wait until bits of a register have a value
 * @mmio: window
 * @reg: offset in the window
 * @mask: bits to look at
 * @val: their value
 * @timeout_us: how long to wait, microseconds
 *
 * Context: any if @timeout_us is at most 50, else process context.
 * Return: 0, -ETIMEDOUT, or -ENODEV when the card is gone.
 */
int xetile_mmio_wait(const struct xetile_mmio *mmio, u32 reg, u32 mask, u32 val,
		     unsigned int timeout_us)
{
	unsigned int spin_us = min(timeout_us, SPIN_MAX_US);
	u32 now;
	int err;

	err = read_poll_timeout_atomic(xetile_mmio_read, now, (now & mask) == val, 1, spin_us,
				       false, mmio, reg);
	if (err && timeout_us > spin_us)
		err = read_poll_timeout(xetile_mmio_read, now, (now & mask) == val, 20,
					timeout_us - spin_us, false, mmio, reg);
	if (err && PCI_POSSIBLE_ERROR(now))
		return -ENODEV;
	return err;
}

/**
 * xetile_mcr_read() - read one instance of a replicated register
 * @tile: the tile
 * @reg: offset in the tile's window
 * @group: group to read from
 * @instance: instance in the group
 *
 * Context: any.
 * Return: its value.
 */
u32 xetile_mcr_read(struct xetile_tile *tile, u32 reg, unsigned int group, unsigned int instance)
{
	unsigned long flags;
	u32 val;

	spin_lock_irqsave(&tile->mcr_lock, flags);
	/* The multicast bit stays set while reading (Wa_22013088509). */
	xetile_mmio_write(&tile->mmio, PVC_MCR_SELECTOR,
			  PVC_MCR_MULTICAST | group << PVC_MCR_GROUP_SHIFT |
			  instance << PVC_MCR_INSTANCE_SHIFT);
	val = xetile_mmio_read(&tile->mmio, reg);
	spin_unlock_irqrestore(&tile->mcr_lock, flags);

	return val;
}

/**
 * xetile_mcr_write() - write all instances of a replicated register
 * @tile: the tile
 * @reg: offset in the tile's window
 * @val: what to write
 *
 * Context: any.
 */
void xetile_mcr_write(struct xetile_tile *tile, u32 reg, u32 val)
{
	/* The selector always has its multicast bit set, see xetile_mcr_read(). */
	xetile_mmio_write(&tile->mmio, reg, val);
}
