// SPDX-License-Identifier: GPL-2.0-only
#include "xetile_hardware.h"

#include <linux/device.h>
#include <linux/err.h>
#include <linux/io.h>
#include <linux/jiffies.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/pci.h>

#include <drm/drm_print.h>

#include "regs/pvc_gt_regs.h"
#include "regs/pvc_pci_regs.h"
#include "regs/pvc_soc_regs.h"

#include "card/xetile_engine.h"
#include "card/xetile_guc.h"
#include "card/xetile_health.h"
#include "card/xetile_irq.h"
#include "card/xetile_mmio.h"
#include "card/xetile_patience.h"
#include "card/xetile_pcode.h"
#include "card/xetile_rebar.h"
#include "card/xetile_settings.h"
#include "card/xetile_tile.h"
#include "exec/xetile_reset_tile.h"
#include "xetile_device.h"
#include "xetile_probe.h"

/**
 * DOC: hardware
 *
 * The driver asks the card what it has, when the card is bound and after a loss of power. It checks
 * each answer: a card that has fallen off the bus, that has more tiles than make sense, or a BAR
 * that is too small for them ends the bring-up with one line that says why.
 */

static bool reset_leftover;
module_param(reset_leftover, bool, 0644);
MODULE_PARM_DESC(reset_leftover,
		 "reset a card when it is bound if another driver's firmware has run on it");

static unsigned int card_resets = 5;
module_param(card_resets, uint, 0644);
MODULE_PARM_DESC(card_resets,
		 "how often in 10 minutes a card is reset, 0 (never) to 32, before it stays wedged (default 5)");

#define CARD_RESETS_PERIOD	(600 * HZ)

/* Firmware may take this long to train the HBM, as xe and prelim i915 wait for it (xe_pcode.c). */
#define PCODE_READY_TIMEOUT_MS	180000
/* As xe waits for it (xe: xe_device.c wait_for_lmem_ready()) */
#define LMEM_INIT_TIMEOUT_MS	60000
/*
 * Nobody can kill the wait of a machine that wakes up, and all that runs on the machine waits with
 * it. A kernel that has a watchdog for it (CONFIG_DPM_WATCHDOG) panics after two minutes.
 */
#define WAKE_TIMEOUT_MS		60000

static int wait_pcode(struct xetile_device *xt)
{
	struct xetile_patience wait;

	xetile_patience_begin(&wait, xt, PCODE_READY_TIMEOUT_MS, true);
	return xetile_pcode_wait_ready(xt, &wait);
}

static int look_for_lmem(struct xetile_device *xt, struct xetile_patience *wait)
{
	u32 val;
	int err;

	do {
		val = xetile_mmio_read(&xt->mmio, PVC_GU_CNTL);
		if (!PCI_POSSIBLE_ERROR(val) && (val & PVC_GU_CNTL_LMEM_INIT))
			return 0;
		err = PCI_POSSIBLE_ERROR(val) ? -ENODEV :
				       xetile_patience_go_on(wait, "HBM is not initialised");
	} while (!err);
	xetile_patience_tell_end(wait, "HBM is not initialised by the card's firmware", err);
	return err;
}

static int wait_lmem(struct xetile_device *xt)
{
	struct xetile_patience wait;

	xetile_patience_begin(&wait, xt, LMEM_INIT_TIMEOUT_MS, true);
	return look_for_lmem(xt, &wait);
}

/*
 * The machine wakes up, or a work has reset the function: one bound for all. A card that gets ready
 * later can be bound anew.
 */
static int wait_awake(struct xetile_device *xt)
{
	struct xetile_patience wait;

	xetile_patience_begin(&wait, xt, WAKE_TIMEOUT_MS, false);
	return xetile_pcode_wait_ready(xt, &wait) ?: look_for_lmem(xt, &wait);
}

/*
 * Parts before compute tile C0 and base die B0 were never sold. They need a dozen errata more,
 * which this driver does not know.
 */
static int check_stepping(struct xetile_device *xt)
{
	u8 revision = to_pci_dev(xt->drm.dev)->revision;

	if ((revision & PVC_PCI_REV_COMPUTE_TILE_MASK) >= PVC_PCI_REV_COMPUTE_TILE_C0 &&
	    (revision & PVC_PCI_REV_BASE_DIE_MASK) >= PVC_PCI_REV_BASE_DIE_B0)
		return 0;
	drm_err(&xt->drm, "revision %#x is an early stepping that was never sold\n", revision);
	return -ENODEV;
}

/* A virtual function has the id of a card, and no right to most of its registers. */
static int check_physical(struct xetile_device *xt)
{
	if (!to_pci_dev(xt->drm.dev)->is_virtfn &&
	    !(xetile_mmio_read(&xt->mmio, PVC_VF_CAP) & PVC_VF_CAP_VIRTUAL))
		return 0;
	drm_err(&xt->drm, "a virtual function: the driver needs the whole card\n");
	return -ENODEV;
}

/*
 * Does the card have a global page table, of the size that the driver writes? Newer drivers do not
 * ask, and take the size for granted (xe 7.2: xe_ggtt.c); so another answer is only told.
 */
static int check_ggtt_size(struct xetile_device *xt)
{
	struct pci_dev *pdev = to_pci_dev(xt->drm.dev);
	unsigned int size_mib;
	u16 ctrl;
	int err;

	err = pci_read_config_word(pdev, PVC_PCI_GMCH_CTRL, &ctrl);
	if (err || PCI_POSSIBLE_ERROR(ctrl)) {
		drm_err(&xt->drm, "configuration space does not answer\n");
		return -ENODEV;
	}
	size_mib = (ctrl & PVC_GMCH_CTRL_GGMS_MASK) >> PVC_GMCH_CTRL_GGMS_SHIFT;
	size_mib = size_mib ? 1 << size_mib : 0;
	if (size_mib << 20 != PVC_MMIO_GGTT_SIZE)
		drm_warn(&xt->drm, "global page table has %u MiB, not %u\n", size_mib,
			 PVC_MMIO_GGTT_SIZE >> 20);
	return 0;
}

static unsigned int read_tile_count(struct xetile_device *xt)
{
	u32 mtcfg = xetile_mmio_read(&xt->mmio, PVC_MTCFG);

	return ((mtcfg & PVC_MTCFG_TILE_COUNT_MASK) >> PVC_MTCFG_TILE_COUNT_SHIFT) + 1;
}

static int count_tiles(struct xetile_device *xt)
{
	struct pci_dev *pdev = to_pci_dev(xt->drm.dev);
	unsigned int count = read_tile_count(xt);

	if (count > XETILE_MAX_TILES) {
		drm_err(&xt->drm, "card says it has %u tiles, at most %u make sense\n", count,
			XETILE_MAX_TILES);
		return -ENXIO;
	}
	if (pci_resource_len(pdev, PVC_BAR_MMIO) < (resource_size_t)count * PVC_MMIO_TILE_STRIDE) {
		drm_err(&xt->drm, "BAR0 is too small for %u tiles\n", count);
		return -ENXIO;
	}
	xt->num_tiles = count;
	return 0;
}

static int wake_tiles(struct xetile_device *xt)
{
	struct xetile_tile *tile;
	int err;

	xetile_for_each_tile(tile, xt) {
		err = xetile_tile_wake(tile);
		if (err)
			return err;
	}
	return 0;
}

/* The core holds the device's lock while a card is bound. Its handlers of a reset find no card. */
static int reset_function(struct xetile_device *xt)
{
	int err;

	err = pci_reset_function_locked(to_pci_dev(xt->drm.dev));
	if (err) {
		drm_err(&xt->drm, "the function cannot be reset: %pe\n", ERR_PTR(err));
		return err;
	}
	return wait_pcode(xt) ?: wait_lmem(xt) ?: wake_tiles(xt);
}

static bool name_leftover(struct xetile_device *xt)
{
	struct xetile_tile *tile;
	bool used = false;

	xetile_for_each_tile(tile, xt)
		used |= xetile_guc_was_used(tile);
	return used;
}

static int stop_firmware(struct xetile_device *xt)
{
	struct xetile_tile *tile;
	int err;

	xetile_for_each_tile(tile, xt) {
		err = xetile_guc_stop(tile);
		if (err)
			return err;
	}
	return 0;
}

/* The firmware of another driver goes, and with the parameter all that it may have left. */
static int clear_leftover(struct xetile_device *xt, bool used)
{
	int err;

	if (used && READ_ONCE(reset_leftover)) {
		drm_info(&xt->drm, "the function is reset, because of the firmware\n");
		err = reset_function(xt);
		if (err)
			return err;
	}
	/* Also after a reset, because a card may ignore that. */
	return stop_firmware(xt);
}

/*
 * A tile that does not end its reset leaves its function to be reset, as while the card works
 * (xetile_binding.c): whoever binds a wedged card anew does as its event has told.
 */
static int reset_tiles(struct xetile_device *xt)
{
	int err = xetile_hardware_reset(xt);

	if (err != -ETIMEDOUT || !xetile_hardware_may_reset(xt))
		return err;
	drm_notice(&xt->drm, "the function is reset, because a tile does not end its reset\n");
	return reset_function(xt) ?: stop_firmware(xt) ?: xetile_hardware_reset(xt);
}

/*
 * An earlier kernel that crashed, or a driver that lost the card, may have left the card at
 * work. Its old contexts reach memory that belongs to others by now, so reset the card first.
 */
static int init_tiles(struct xetile_device *xt)
{
	struct xetile_tile *tile;
	unsigned int id;
	bool used;
	int err;

	for (id = 0; id < xt->num_tiles; id++) {
		err = xetile_tile_init(xt, id);
		if (err)
			return err;
		xetile_engines_find(&xt->tiles[id]);
	}
	used = name_leftover(xt);
	err = xetile_probe_reached(xt, XETILE_PROBE_AWAKE);
	if (err)
		return err;
	err = clear_leftover(xt, used);
	if (err)
		return err;
	err = reset_tiles(xt);
	if (err)
		return err;
	err = xetile_probe_reached(xt, XETILE_PROBE_RESET);
	if (err)
		return err;
	xetile_for_each_tile(tile, xt)
		xetile_settings_write(tile);
	err = xetile_probe_reached(xt, XETILE_PROBE_SET);
	if (err)
		return err;
	xetile_for_each_tile(tile, xt)
		xetile_settings_check(tile);
	pci_set_master(to_pci_dev(xt->drm.dev));
	return 0;
}

/*
 * Offsets in BAR2 are device physical addresses. If the BAR ends before a tile's HBM does, only
 * the GPU reaches the rest. A BAR that shows nothing of a tile is of no use, because the CPU
 * writes page tables.
 */
static int map_hbm(struct xetile_device *xt)
{
	struct pci_dev *pdev = to_pci_dev(xt->drm.dev);
	struct xetile_tile *tile;
	int err;

	xt->bar2.start = pci_resource_start(pdev, PVC_BAR_HBM);
	xt->bar2.size = pci_resource_len(pdev, PVC_BAR_HBM);
	if (!xt->bar2.size) {
		drm_err(&xt->drm, "no BAR2: HBM cannot be reached\n");
		return -ENXIO;
	}

	xetile_for_each_tile(tile, xt) {
		if (tile->range.base >= xt->bar2.size) {
			drm_err(&xt->drm, "HBM of tile%u at %#llx lies beyond BAR2 of %pa bytes\n",
				tile->id, tile->range.base, &xt->bar2.size);
			return -ENXIO;
		}
		tile->range.visible = min_t(u64, tile->range.usable,
					    xt->bar2.size - tile->range.base);
		if (tile->range.visible < tile->range.usable)
			drm_info(&xt->drm, "tile%u: the CPU reaches %llu of %llu MiB of HBM\n",
				 tile->id, tile->range.visible >> 20, tile->range.usable >> 20);
	}

	err = pcim_request_region(pdev, PVC_BAR_HBM, "xetile");
	if (err) {
		drm_err(&xt->drm, "BAR2 is in use: %d\n", err);
		return err;
	}
	xt->bar2.map = devm_ioremap_wc(&pdev->dev, xt->bar2.start, xt->bar2.size);
	if (!xt->bar2.map) {
		drm_err(&xt->drm, "cannot map %pa bytes of BAR2\n", &xt->bar2.size);
		return -ENOMEM;
	}
	return 0;
}

static int read_clock(struct xetile_device *xt)
{
	u32 config = xetile_mmio_read(&xt->mmio, PVC_RPM_CONFIG0);
	unsigned int shift = (config & PVC_RPM_CTC_SHIFT_MASK) >> PVC_RPM_CTC_SHIFT_SHIFT;
	u32 crystal_hz;

	switch (config & PVC_RPM_CRYSTAL_MASK) {
	case PVC_RPM_CRYSTAL_24_MHZ:
		crystal_hz = 24000000;
		break;
	case PVC_RPM_CRYSTAL_19_2_MHZ:
		crystal_hz = 19200000;
		break;
	case PVC_RPM_CRYSTAL_38_4_MHZ:
		crystal_hz = 38400000;
		break;
	case PVC_RPM_CRYSTAL_25_MHZ:
		crystal_hz = 25000000;
		break;
	default:
		drm_err(&xt->drm, "unknown crystal in the clock configuration %#x\n", config);
		return -ENXIO;
	}
	xt->timestamp_hz = crystal_hz >> (3 - shift);
	return 0;
}

/**
 * xetile_hardware_init() - find out what the card has, and bring its hardware up
 * @xt: the card; its software exists
 *
 * Its tiles have been reset and programmed on return, registers and HBM are mapped, and
 * interrupts are requested, but off.
 *
 * Context: process.
 * Return: 0, -EPROBE_DEFER if the HBM is not initialised in time, or the error that makes the card
 * unusable; one line in the log tells it.
 */
int xetile_hardware_init(struct xetile_device *xt)
{
	int err;

	err = check_stepping(xt);
	if (err)
		return err;
	xetile_rebar_grow(xt);
	err = xetile_mmio_init(xt);
	if (err)
		return err;
	err = xetile_probe_reached(xt, XETILE_PROBE_MAPPED);
	if (err)
		return err;
	err = check_physical(xt);
	if (err)
		return err;
	err = wait_pcode(xt);
	if (err)
		return err;
	err = xetile_health_check(xt);
	if (err)
		return err;
	err = wait_lmem(xt);
	/*
	 * A later attempt may find the HBM initialised. A power controller that was silent for
	 * minutes is not asked again, because each attempt holds up those for other devices.
	 */
	if (err)
		return err == -ETIMEDOUT ? -EPROBE_DEFER : err;
	err = check_ggtt_size(xt);
	if (err)
		return err;
	err = count_tiles(xt);
	if (err)
		return err;
	err = init_tiles(xt);
	if (err)
		return err;
	err = map_hbm(xt);
	if (err)
		return err;
	err = read_clock(xt);
	if (err)
		return err;
	return xetile_irq_init(xt);
}

/**
 * xetile_hardware_check() - is it the same card as before, and does it work
 * @xt: the card, after a loss of power, or a reset of the function
 *
 * Context: process.
 * Return: 0, or an error; one line in the log tells it.
 */
int xetile_hardware_check(struct xetile_device *xt)
{
	int err;

	/* Nobody can kill this wait: it is the machine's that wakes up, or a work's. */
	err = wait_awake(xt) ?: check_ggtt_size(xt);
	if (err)
		return err;
	if (read_tile_count(xt) != xt->num_tiles) {
		drm_err(&xt->drm, "not the card it was: it has %u tiles\n", read_tile_count(xt));
		return -ENXIO;
	}
	return wake_tiles(xt);
}

/**
 * xetile_hardware_reset() - reset all tiles
 * @xt: the card; no context is loaded
 *
 * A tile that does not end its reset might still be at work when the power goes, or comes back.
 *
 * Context: process.
 * Return: 0, or -errno: one tile did not end its reset.
 */
int xetile_hardware_reset(struct xetile_device *xt)
{
	struct xetile_tile *tile;
	int err;

	xetile_for_each_tile(tile, xt) {
		err = xetile_reset_tile(tile);
		if (err)
			return err;
	}
	return 0;
}

/**
 * xetile_hardware_may_reset() - may the card be reset now
 * @xt: the card
 *
 * Each reset takes the card from all its clients, and a client that finds out how to make it
 * necessary would do so again and again. So their number in any period is limited. A true answer
 * counts as a reset.
 *
 * Context: process, with the device's lock.
 * Return: false if the limit is reached; one line in the log tells it.
 */
bool xetile_hardware_may_reset(struct xetile_device *xt)
{
	unsigned int limit = min(READ_ONCE(card_resets), XETILE_CARD_RESETS);
	struct xetile_card_resets *past = &xt->resets;
	u64 now = get_jiffies_64();

	device_lock_assert(xt->drm.dev);
	if (!limit || (past->num >= limit &&
		       now - past->when[(past->num - limit) % XETILE_CARD_RESETS] <
		       CARD_RESETS_PERIOD)) {
		drm_err(&xt->drm,
			"the limit of %u resets of a card in 10 minutes is reached: it is not reset\n",
			limit);
		return false;
	}
	past->when[past->num++ % XETILE_CARD_RESETS] = now;
	return true;
}

/**
 * xetile_hardware_answers() - whether the card is reachable
 * @xt: the card
 *
 * Context: any.
 * Return: false if its registers read all ones.
 */
bool xetile_hardware_answers(struct xetile_device *xt)
{
	return !PCI_POSSIBLE_ERROR(xetile_mmio_read(&xt->mmio, PVC_MTCFG));
}
