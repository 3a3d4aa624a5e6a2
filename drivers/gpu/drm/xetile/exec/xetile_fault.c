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

/**
 * xetile_fault_report() - report the page fault of an engine
 * @engine: the engine, which is stopped by an error
 * @tell: whether to print to the log; the queue's users are told in any case
 *
 * Clears the fault in the tile's registers: it would be taken for the next one.
 *
 * Context: any, without the execution lock.
 */
void xetile_fault_report(struct xetile_engine *engine, bool tell)
{
	struct xetile_tile *tile = engine->tile;
	u32 fault = xetile_mcr_read(tile, PVC_RING_FAULT, 0, 0);
	u64 addr;

	if (!access_failed(engine) &&
	    xetile_fault_is_of_others(tile, xetile_sched_engine_bit(engine)))
		return;
	/* All ones: the card is gone, and tells nothing. */
	if (!(fault & PVC_RING_FAULT_VALID) || PCI_POSSIBLE_ERROR(fault))
		return;
	addr = (u64)(xetile_mcr_read(tile, PVC_FAULT_TLB_DATA1, 0, 0) &
		     PVC_FAULT_TLB_VA_HIGH_MASK) << 44 |
	       (u64)xetile_mcr_read(tile, PVC_FAULT_TLB_DATA0, 0, 0) << 12;
	if (tell)
		drm_err(&tile->xt->drm, "%s: page fault at %#llx, %s\n", engine->name, addr,
			str_write_read(fault & PVC_RING_FAULT_WRITE));
	/* A global address is the driver's own, and tells users of the queue nothing. */
	if (!(fault & PVC_RING_FAULT_GGTT))
		xetile_sched_note_fault(engine, addr, fault & PVC_RING_FAULT_WRITE);
	xetile_mcr_write(tile, PVC_RING_FAULT, 0);
}
