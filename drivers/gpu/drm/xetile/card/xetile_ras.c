// SPDX-License-Identifier: GPL-2.0-only
#include "card/xetile_ras.h"

#include <linux/array_size.h>
#include <linux/bitops.h>
#include <linux/jiffies.h>
#include <linux/pci.h>

#include <drm/drm_managed.h>
#include <drm/drm_print.h>

#include "regs/pvc_irq_regs.h"
#include "regs/pvc_soc_regs.h"

#include "card/xetile_bisect.h"
#include "card/xetile_mmio.h"
#include "xetile_device.h"

/**
 * DOC: errors of the hardware
 *
 * A tile has a status for each severity of errors, which names units: the GT, the two error
 * handlers of the rest of the tile, the security controller. A bit of that status comes back as
 * long as its unit still shows an error, so an error is cleared where it was found, and from there
 * upwards (prelim i915: i915_irq.c). Each is counted, by tile, severity, and kind; the files of
 * xetile_sysfs_errors.c show the counts. Errors from before the driver came are cleared and not
 * counted. Sold cards are said to come up with errors of the links between dies, and prelim i915
 * looks for old errors when it starts (i915_irq.c, process_hw_errors()).
 *
 * An error whose source cannot be cleared must not take a processor for ever. After some tries its
 * source is masked, if there is a mask, and left alone. Should errors nevertheless come too often,
 * xetile_irq.c waits for a while before it lets the card interrupt again.
 *
 * The interrupt's handler is the only one to change the counts while interrupts are on.
 */

#define ALL_ONES	U32_MAX
/* How many times in a row an error may come back after it was cleared */
#define MAX_TRIES	16
/* More interrupts by errors than this in a second are too many. */
#define MAX_PER_SECOND	100

/** struct xetile_ras - errors of a tile */
struct xetile_ras {
	/** @count: errors since the card was bound */
	u32 count[XETILE_NUM_RAS_SEVERITIES][XETILE_NUM_RAS_KINDS];
	/** @tries: how often in a row an error of the severity could not be cleared */
	unsigned int tries[XETILE_NUM_RAS_SEVERITIES];
	/** @left: bits of the status of the severity which are not looked at any more */
	u32 left[XETILE_NUM_RAS_SEVERITIES];
	/** @second: when the second began in which @handled interrupts came, jiffies */
	unsigned long second;
	/** @handled: interrupts since @second */
	unsigned int handled;
};

static_assert(XETILE_NUM_RAS_SEVERITIES == PVC_NUM_ERR);

static const struct {
	const char *name;
	u32 stat;
	u32 master;
} severities[] = {
	[PVC_ERR_CORRECTABLE] = { "correctable", PVC_DEV_ERR_STAT_CORRECTABLE,
				  PVC_GFX_MSTR_ERR_CORRECTABLE },
	[PVC_ERR_NONFATAL] = { "non-fatal", PVC_DEV_ERR_STAT_NONFATAL, PVC_GFX_MSTR_ERR_NONFATAL },
	[PVC_ERR_FATAL] = { "fatal", PVC_DEV_ERR_STAT_FATAL, PVC_GFX_MSTR_ERR_FATAL },
};

static void count(struct xetile_tile *tile, unsigned int severity, enum xetile_ras_kind kind,
		  u32 bits)
{
	u32 *counter = &tile->ras->count[severity][kind];

	WRITE_ONCE(*counter, *counter + hweight32(bits));
}

/* Read a status and clear it. */
static u32 take(const struct xetile_mmio *mmio, u32 reg)
{
	u32 bits = xetile_mmio_read(mmio, reg);

	if (bits)
		xetile_mmio_write(mmio, reg, bits);
	return bits;
}

static enum xetile_ras_kind vector_kind(unsigned int vector)
{
	switch (vector) {
	case PVC_ERR_VECTOR_SUBSLICE:
	case PVC_ERR_VECTOR_SUBSLICE + 1:
		return XETILE_RAS_SUBSLICE;
	case PVC_ERR_VECTOR_L3BANK:
	case PVC_ERR_VECTOR_L3BANK + 1:
		return XETILE_RAS_L3BANK;
	case PVC_ERR_VECTOR_TLB:
		return XETILE_RAS_TLB;
	case PVC_ERR_VECTOR_L3_FABRIC:
		return XETILE_RAS_L3_FABRIC;
	default:
		return XETILE_RAS_GT;
	}
}

/* Vectors tell the units. The summary tells the same in other words, or an error without unit. */
static void take_gt(struct xetile_tile *tile, unsigned int severity)
{
	const struct xetile_mmio *mmio = &tile->mmio;
	unsigned int i, n = 0;
	u32 found = 0, bits;

	if (severity == PVC_ERR_FATAL)
		n = PVC_NUM_ERR_VECTORS_FATAL;
	else if (severity == PVC_ERR_CORRECTABLE)
		n = PVC_NUM_ERR_VECTORS_CORRECTABLE;

	for (i = 0; i < n; i++) {
		bits = take(mmio, severity == PVC_ERR_FATAL ? PVC_ERR_VECTOR_GT_FATAL(i) :
							      PVC_ERR_VECTOR_GT_CORRECTABLE(i));
		count(tile, severity, vector_kind(i), bits);
		found |= bits;
	}
	bits = take(mmio, PVC_ERR_STAT_GT(severity));
	if (!found)
		count(tile, severity, XETILE_RAS_GT, bits);
}

static u32 local_status(u32 base, unsigned int severity)
{
	return severity == PVC_ERR_CORRECTABLE ? PVC_IEH_LOCAL_CORRECTABLE(base) :
						 PVC_IEH_LOCAL_UNCORRECTABLE(base);
}

/* Have both handlers report all severities, less those that are left alone, and less @but. */
static void set_events(struct xetile_tile *tile, u32 but)
{
	u32 events = PVC_IEH_EVENTS_ALL & ~but;
	unsigned int i;

	for (i = 0; i < PVC_NUM_ERR; i++)
		if (tile->ras->left[i] & PVC_DEV_ERR_SOC)
			events &= ~BIT(i);
	xetile_mmio_write(&tile->mmio, PVC_IEH_EVENTS(PVC_IEH_FIRST), events);
	xetile_mmio_write(&tile->mmio, PVC_IEH_EVENTS(PVC_IEH_SECOND), events);
}

/* An uncorrectable error of a link has its severity in a register of its own. */
static unsigned int link_severity(struct xetile_tile *tile, unsigned int severity)
{
	/* The register may still tell an earlier one. */
	if (severity == PVC_ERR_CORRECTABLE)
		return severity;
	switch (xetile_mmio_read(&tile->mmio, PVC_IEH_FIRST_HEADER)) {
	case PVC_IEH_HEADER_FATAL:
		return PVC_ERR_FATAL;
	case PVC_IEH_HEADER_NONFATAL:
		return PVC_ERR_NONFATAL;
	default:
		return severity;
	}
}

static void take_second_handler(struct xetile_tile *tile, unsigned int severity)
{
	u32 global = xetile_mmio_read(&tile->mmio, PVC_IEH_GLOBAL(PVC_IEH_SECOND, severity));
	u32 local;

	if (global & PVC_IEH_GLOBAL_LOCAL) {
		local = take(&tile->mmio, local_status(PVC_IEH_SECOND, severity));
		count(tile, severity, XETILE_RAS_HBM, local & PVC_IEH_LOCAL_HBM);
		count(tile, severity, XETILE_RAS_SOC, local & ~PVC_IEH_LOCAL_HBM);
	}
	count(tile, severity, XETILE_RAS_HBM, global & PVC_IEH_SECOND_HBM);
	count(tile, severity, XETILE_RAS_MDFI, global & PVC_IEH_SECOND_MDFI);
	count(tile, severity, XETILE_RAS_SOC,
	      global & ~(PVC_IEH_GLOBAL_LOCAL | PVC_IEH_SECOND_HBM | PVC_IEH_SECOND_MDFI));
	xetile_mmio_write(&tile->mmio, PVC_IEH_GLOBAL(PVC_IEH_SECOND, severity), global);
}

static void take_first_handler(struct xetile_tile *tile, unsigned int severity)
{
	u32 global = xetile_mmio_read(&tile->mmio, PVC_IEH_GLOBAL(PVC_IEH_FIRST, severity));
	u32 local;

	if (global & PVC_IEH_GLOBAL_SECOND)
		take_second_handler(tile, severity);
	if (global & PVC_IEH_GLOBAL_LOCAL) {
		local = take(&tile->mmio, local_status(PVC_IEH_FIRST, severity));
		if (local & PVC_IEH_FIRST_MDFI)
			count(tile, link_severity(tile, severity), XETILE_RAS_MDFI,
			      local & PVC_IEH_FIRST_MDFI);
		count(tile, severity, XETILE_RAS_HBM, local & PVC_IEH_LOCAL_HBM);
		count(tile, severity, XETILE_RAS_SOC,
		      local & ~(PVC_IEH_FIRST_MDFI | PVC_IEH_LOCAL_HBM));
	}
	count(tile, severity, XETILE_RAS_HBM, global & PVC_IEH_FIRST_HBM);
	count(tile, severity, XETILE_RAS_SOC,
	      global & ~(PVC_IEH_GLOBAL_LOCAL | PVC_IEH_GLOBAL_SECOND | PVC_IEH_FIRST_HBM));
	xetile_mmio_write(&tile->mmio, PVC_IEH_GLOBAL(PVC_IEH_FIRST, severity), global);
}

/* New errors of the severity are held back while the statuses of both handlers are cleared. */
static void take_soc(struct xetile_tile *tile, unsigned int severity)
{
	set_events(tile, BIT(severity));
	take_first_handler(tile, severity);
	set_events(tile, 0);
}

/* The security controller is behind tile 0, and also passes on what firmware knows of HBM. */
static void take_gsc(struct xetile_tile *tile, unsigned int severity)
{
	u32 bits;

	if (tile->id || severity == PVC_ERR_FATAL) {
		count(tile, severity, XETILE_RAS_GSC, 1);
	} else if (severity == PVC_ERR_NONFATAL) {
		count(tile, severity, XETILE_RAS_GSC, take(&tile->mmio, PVC_GSC_ERR_UNCORRECTABLE));
	} else {
		bits = take(&tile->mmio, PVC_GSC_ERR_CORRECTABLE);
		count(tile, severity, XETILE_RAS_HBM, bits & PVC_GSC_ERR_FW_REPORTED);
		count(tile, severity, XETILE_RAS_GSC, bits & ~PVC_GSC_ERR_FW_REPORTED);
	}
}

/* @bits have come back although they were cleared. */
static void give_up(struct xetile_tile *tile, unsigned int severity, u32 bits)
{
	struct xetile_ras *ras = tile->ras;

	if (!bits) {
		ras->tries[severity] = 0;
		return;
	}
	if (++ras->tries[severity] < MAX_TRIES)
		return;
	ras->tries[severity] = 0;
	ras->left[severity] |= bits;
	set_events(tile, 0);
	drm_err(&tile->xt->drm,
		"tile%u: %s hardware errors %#x cannot be cleared, and are not looked at any more\n",
		tile->id, severities[severity].name, bits);
}

/* The card does not answer, or its status is no status: either way nothing is there to clear. */
static void leave_unreadable(struct xetile_tile *tile, unsigned int severity)
{
	u32 *left = &tile->ras->left[severity];

	if (*left == ALL_ONES)
		return;
	*left = ALL_ONES;
	set_events(tile, 0);
	drm_err(&tile->xt->drm,
		"tile%u: the status of %s hardware errors reads all ones, and is not looked at any more\n",
		tile->id, severities[severity].name);
}

static void take_severity(struct xetile_tile *tile, unsigned int severity)
{
	const struct xetile_mmio *mmio = &tile->mmio;
	u32 reg = severities[severity].stat;
	u32 stat = xetile_mmio_read(mmio, reg);

	if (PCI_POSSIBLE_ERROR(stat)) {
		leave_unreadable(tile, severity);
		return;
	}
	stat &= ~tile->ras->left[severity];
	if (!stat)
		return;
	if (stat & PVC_DEV_ERR_GT)
		take_gt(tile, severity);
	if (stat & PVC_DEV_ERR_SOC)
		take_soc(tile, severity);
	if (stat & PVC_DEV_ERR_GSC)
		take_gsc(tile, severity);
	count(tile, severity, XETILE_RAS_OTHER,
	      stat & ~(PVC_DEV_ERR_GT | PVC_DEV_ERR_SOC | PVC_DEV_ERR_GSC));
	xetile_mmio_write(mmio, reg, stat);
	drm_err_ratelimited(&tile->xt->drm, "tile%u: %s hardware error, status %#x\n", tile->id,
			    severities[severity].name, stat);
	give_up(tile, severity, xetile_mmio_read(mmio, reg) & stat);
}

/**
 * xetile_ras_handle() - count and clear the errors that interrupted
 * @tile: the tile
 * @master: its interrupt summary, which has one of PVC_GFX_MSTR_ERRORS
 *
 * Context: the interrupt's handler.
 * Return: whether errors interrupt so often that the card should rest before the next one.
 */
bool xetile_ras_handle(struct xetile_tile *tile, u32 master)
{
	struct xetile_ras *ras = tile->ras;
	unsigned int i;

	/* Fatal errors first, because the local status is one for both uncorrectable severities. */
	for (i = ARRAY_SIZE(severities); i--; ) {
		if (master & severities[i].master)
			take_severity(tile, i);
	}
	if (time_after(jiffies, ras->second + HZ)) {
		ras->second = jiffies;
		ras->handled = 0;
	}
	return ++ras->handled > MAX_PER_SECOND;
}

/* Clear all statuses, from the sources upwards. */
static void forget_tile(struct xetile_tile *tile)
{
	const struct xetile_mmio *mmio = &tile->mmio;
	unsigned int i, k;

	memset(tile->ras->left, xetile_bisect.ras_off ? 0xff : 0, sizeof(tile->ras->left));
	memset(tile->ras->tries, 0, sizeof(tile->ras->tries));
	set_events(tile, PVC_IEH_EVENTS_ALL);
	for (i = 0; i < PVC_NUM_ERR; i++) {
		xetile_mmio_write(mmio, local_status(PVC_IEH_SECOND, i), ALL_ONES);
		xetile_mmio_write(mmio, PVC_IEH_GLOBAL(PVC_IEH_SECOND, i), ALL_ONES);
		xetile_mmio_write(mmio, local_status(PVC_IEH_FIRST, i), ALL_ONES);
		xetile_mmio_write(mmio, PVC_IEH_GLOBAL(PVC_IEH_FIRST, i), ALL_ONES);
	}
	for (k = 0; k < PVC_NUM_ERR_VECTORS_FATAL; k++)
		xetile_mmio_write(mmio, PVC_ERR_VECTOR_GT_FATAL(k), ALL_ONES);
	for (k = 0; k < PVC_NUM_ERR_VECTORS_CORRECTABLE; k++)
		xetile_mmio_write(mmio, PVC_ERR_VECTOR_GT_CORRECTABLE(k), ALL_ONES);
	if (!tile->id) {
		xetile_mmio_write(mmio, PVC_GSC_ERR_UNCORRECTABLE, ALL_ONES);
		xetile_mmio_write(mmio, PVC_GSC_ERR_CORRECTABLE, ALL_ONES);
	}
	for (i = 0; i < PVC_NUM_ERR; i++) {
		xetile_mmio_write(mmio, PVC_ERR_STAT_GT(i), ALL_ONES);
		xetile_mmio_write(mmio, severities[i].stat, ALL_ONES);
	}
	set_events(tile, 0);
}

/**
 * xetile_ras_forget() - clear all errors of a card that has just got power
 * @xt: the card; it does not interrupt
 *
 * A line of the log tells errors from before the driver came.
 *
 * Context: process.
 */
void xetile_ras_forget(struct xetile_device *xt)
{
	u32 link = take(&xt->mmio, PVC_DEV_PCIEERR_STATUS);
	struct xetile_tile *tile;

	/* Whoever reads all ones next tells that the card does not answer. */
	if (PCI_POSSIBLE_ERROR(link))
		link = 0;
	xetile_for_each_tile(tile, xt) {
		u32 fatal = xetile_mmio_read(&tile->mmio, PVC_DEV_ERR_STAT_FATAL);

		if (PCI_POSSIBLE_ERROR(fatal))
			fatal = 0;
		if (fatal || (link & PVC_DEV_PCIEERR_FATAL(tile->id)))
			drm_info(&xt->drm, "tile%u: it has had a fatal error, status %#x\n",
				 tile->id, fatal);
		forget_tile(tile);
	}
}

/**
 * xetile_ras_init() - begin to count the errors of a card
 * @xt: the card; its tiles are known
 *
 * Context: process.
 * Return: 0 or -ENOMEM.
 */
int xetile_ras_init(struct xetile_device *xt)
{
	struct xetile_tile *tile;

	xetile_for_each_tile(tile, xt) {
		tile->ras = drmm_kzalloc(&xt->drm, sizeof(*tile->ras), GFP_KERNEL);
		if (!tile->ras)
			return -ENOMEM;
		tile->ras->second = jiffies;
	}
	return 0;
}

/**
 * xetile_ras_count() - how many errors a tile has had since the card was bound
 * @tile: the tile
 * @severity: one of PVC_ERR_*
 * @kind: where they were found
 *
 * Context: any.
 * Return: their number, modulo 2^32.
 */
u32 xetile_ras_count(const struct xetile_tile *tile, unsigned int severity,
		     enum xetile_ras_kind kind)
{
	return READ_ONCE(tile->ras->count[severity][kind]);
}
