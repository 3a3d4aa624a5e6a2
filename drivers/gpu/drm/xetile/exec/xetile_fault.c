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
 * No fault is served: an access that finds no page stops its engine, and the tile keeps the address
 * until the driver clears it. Resets call these functions before they reset an engine. The caller
 * does not hold the execution lock, because a report takes it. Engines change the registers at any
 * time, so no lock protects them.
 */

/* Whether an access of an engine failed, which stopped it */
static bool access_failed(struct xetile_engine *engine)
{
	u32 ctl = xetile_engine_read(engine, PVC_RING_RESET_CTL(engine->base));

	return !PCI_POSSIBLE_ERROR(ctl) && (ctl & PVC_RESET_CTL_CAT_ERROR);
}

/**
 * xetile_fault_is_of_others() - whether the fault that a tile reports may be of other engines
 * @tile: the tile
 * @engines: mask of engines
 *
 * A tile has one place for a fault, which names no engine. The fault may be that of an engine that
 * is not in @engines, and whose interrupt is about to come.
 *
 * Context: any.
 * Return: true if it may.
 */
bool xetile_fault_is_of_others(struct xetile_tile *tile, u64 engines)
{
	unsigned int i;

	for (i = 0; i < tile->num_engines; i++)
		if (!(engines & xetile_sched_engine_bit(&tile->engines[i])) &&
		    access_failed(&tile->engines[i]))
			return true;
	return false;
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

/**
 * xetile_fault_report() - report the page fault of an engine
 * @engine: the engine, which is stopped by an error
 * @tell: whether to print to the log; the queue's users are told in any case
 *
 * Clears the fault in the tile's registers: it would be taken for the next one. While a tile keeps
 * a fault it drops later ones. So when accesses of several engines have failed, the address may be
 * one that another client used, and nobody is told it.
 *
 * Context: any, without the execution lock.
 */
void xetile_fault_report(struct xetile_engine *engine, bool tell)
{
	struct xetile_tile *tile = engine->tile;
	struct drm_device *drm = &tile->xt->drm;
	bool failed = access_failed(engine), others;
	struct tile_fault fault = read_fault(tile);

	/* The look at the others comes last, because one may fail in this moment. */
	others = xetile_fault_is_of_others(tile, xetile_sched_engine_bit(engine));
	if (!failed && (others || !fault.valid))
		return;
	if (others || !fault.valid) {
		if (tell)
			drm_err(drm, "%s: page fault, the tile does not tell its address\n",
				engine->name);
		xetile_sched_note_fault(engine, &(struct xetile_fault) { });
	} else {
		if (tell)
			drm_err(drm, "%s: page fault at %#llx, %s\n", engine->name, fault.addr,
				str_write_read(fault.write));
		/* A global address is the driver's own, and tells users of the queue nothing. */
		if (!fault.ggtt)
			xetile_sched_note_fault(engine, &(struct xetile_fault) {
				.known = true, .addr = fault.addr, .write = fault.write,
			});
	}
	xetile_mcr_write(tile, PVC_RING_FAULT, 0);
}
