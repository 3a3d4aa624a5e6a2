// SPDX-License-Identifier: GPL-2.0-only
#include "exec/xetile_fault.h"

#include <linux/pci.h>
#include <linux/string_choices.h>

#include <drm/drm_print.h>

#include "regs/pvc_engine_regs.h"
#include "regs/pvc_gt_regs.h"

#include "card/xetile_engine.h"
#include "card/xetile_tile.h"
#include "exec/xetile_sched_ban.h"
#include "exec/xetile_sched_engine.h"
#include "exec/xetile_sched_types.h"
#include "xetile_device.h"

/**
 * DOC: page faults
 *
 * No fault is served: an access that finds no page stops its engine, which says so in RESET_CTL
 * until it is reset. The tile keeps the address until the driver clears it, and drops those of
 * later faults. It does not tell whose address it is. So a client is told an address only if no
 * other engine can have used it: of all engines that failed since the driver cleared the last one,
 * its engine is the only one. The callers reset engines, and only one of them handles a tile at a
 * time. They do not hold the execution lock, because a report takes it. Engines change the
 * registers at any time, so no lock protects them.
 */

/* Whether an access of an engine failed, which stopped it */
static bool access_failed(struct xetile_engine *engine)
{
	u32 ctl = xetile_engine_read(engine, PVC_RING_RESET_CTL(engine->base));

	return !PCI_POSSIBLE_ERROR(ctl) && (ctl & PVC_RESET_CTL_CAT_ERROR);
}

/* The engines of which an access failed */
static u64 failed_engines(struct xetile_tile *tile)
{
	u64 failed = 0;
	unsigned int i;

	for (i = 0; i < tile->num_engines; i++)
		if (access_failed(&tile->engines[i]))
			failed |= xetile_sched_engine_bit(&tile->engines[i]);
	/* The others were reset meanwhile: when they fail again it is another fault. */
	tile->faults_before &= failed;
	return failed;
}

/*
 * Have the tile keep the next fault. The look at the engines comes first: the fault of one that
 * fails after it may be the one that the tile keeps.
 */
static void clear_fault(struct xetile_tile *tile)
{
	tile->faults_before = failed_engines(tile);
	xetile_mcr_write(tile, PVC_RING_FAULT, 0);
}

/* What a tile keeps of a page fault */
struct tile_fault {
	bool valid, ggtt, write;
	u64 addr;
};

static struct tile_fault read_fault(struct xetile_tile *tile)
{
	u32 fault = xetile_mcr_read(tile, PVC_RING_FAULT, 0, 0);

	/* All ones: the card is gone, and tells nothing. */
	if (!(fault & PVC_RING_FAULT_VALID) || PCI_POSSIBLE_ERROR(fault))
		return (struct tile_fault) { };
	return (struct tile_fault) {
		.valid = true, .ggtt = fault & PVC_RING_FAULT_GGTT,
		.write = fault & PVC_RING_FAULT_WRITE,
		.addr = (u64)(xetile_mcr_read(tile, PVC_FAULT_TLB_DATA1, 0, 0) &
			      PVC_FAULT_TLB_VA_HIGH_MASK) << 44 |
			(u64)xetile_mcr_read(tile, PVC_FAULT_TLB_DATA0, 0, 0) << 12,
	};
}

static void report_known(struct xetile_engine *engine, const struct tile_fault *fault, bool tell)
{
	if (tell)
		drm_err(&engine->tile->xt->drm, "%s: page fault at %#llx, %s\n", engine->name,
			fault->addr, str_write_read(fault->write));
	/* A global address is the driver's own, and tells users of the queue nothing. */
	if (!fault->ggtt)
		xetile_sched_note_fault(engine, &(struct xetile_fault) {
			.known = true, .addr = fault->addr, .write = fault->write,
		});
}

static void report_unknown(struct xetile_engine *engine, bool tell)
{
	if (tell)
		drm_err(&engine->tile->xt->drm,
			"%s: page fault, the tile does not tell its address\n", engine->name);
	xetile_sched_note_fault(engine, &(struct xetile_fault) { });
}

/**
 * xetile_fault_report() - report the page fault of an engine
 * @engine: the engine, which is stopped by an error
 * @tell: whether to print to the log; the queue's users are told in any case
 *
 * Clears the fault in the tile's registers: it would be taken for the next one.
 *
 * Context: process, before the reset of the engine.
 */
void xetile_fault_report(struct xetile_engine *engine, bool tell)
{
	struct xetile_tile *tile = engine->tile;
	struct tile_fault fault = read_fault(tile);
	u64 mine = xetile_sched_engine_bit(engine);
	/* The look at the engines comes last, because one may fail in this moment. */
	u64 failed = failed_engines(tile);

	/* Another engine's fault is left for its own report. */
	if (!(failed & mine) && (failed || !fault.valid))
		return;
	/* The one that the tile keeps is later than this engine's, and another's. */
	if (tile->faults_before & mine) {
		report_unknown(engine, tell);
		return;
	}
	if (fault.valid && !(failed & ~tile->faults_before & ~mine))
		report_known(engine, &fault, tell);
	else
		report_unknown(engine, tell);
	clear_fault(tile);
}

/**
 * xetile_fault_drop() - forget a fault that nobody will report
 * @tile: the tile
 * @engines: mask of engines, which are reset; others than the tile's do not matter
 *
 * An engine may fail after its report, or without one, when it was to leave for the reset. Left in
 * the registers, its fault would be taken for that of an engine that fails later, or that has
 * failed already and is reported later. The fault of an engine that is not reset stays.
 *
 * Context: process, when the engines stand still, before their errors are cleared; and after the
 * reset.
 */
void xetile_fault_drop(struct xetile_tile *tile, u64 engines)
{
	bool valid = read_fault(tile).valid;
	u64 failed = failed_engines(tile) & ~tile->faults_before;

	if (valid && (!failed || (failed & engines)))
		clear_fault(tile);
}
