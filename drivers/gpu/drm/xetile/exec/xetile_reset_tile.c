// SPDX-License-Identifier: GPL-2.0-only
#include "exec/xetile_reset_tile.h"

#include <linux/delay.h>
#include <linux/err.h>
#include <linux/limits.h>

#include <drm/drm_print.h>

#include "regs/pvc_engine_regs.h"
#include "regs/pvc_gt_regs.h"

#include "card/xetile_engine.h"
#include "card/xetile_mmio.h"
#include "card/xetile_tile.h"
#include "exec/xetile_cslice.h"
#include "exec/xetile_fault.h"
#include "exec/xetile_sched_engine.h"
#include "xetile_device.h"

/**
 * DOC: the reset of engines, as the hardware has it
 *
 * Engines are stopped, reset by their domains, or with all of their tile, and started anew. The
 * callers (xetile_reset.c; the card's start and its sleep) take care of other users of the engines,
 * and that only one of them resets a tile at a time. A reset takes milliseconds, and no lock is
 * held.
 */

#define READY_TIMEOUT_US	700
#define GDRST_TIMEOUT_US	2000

static int engine_request_reset(struct xetile_engine *engine)
{
	u32 reg = PVC_RING_RESET_CTL(engine->base);
	u32 ctl = xetile_engine_read(engine, reg);

	/* After a catastrophic error the engine is ready once the error is cleared. */
	if (ctl & PVC_RESET_CTL_CAT_ERROR) {
		xetile_engine_write(engine, reg, PVC_MASKED_SET(PVC_RESET_CTL_CAT_ERROR));
		return xetile_mmio_wait(&engine->tile->mmio, reg, PVC_RESET_CTL_CAT_ERROR, 0,
					READY_TIMEOUT_US);
	}
	if (ctl & PVC_RESET_CTL_READY)
		return 0;
	xetile_engine_write(engine, reg, PVC_MASKED_SET(PVC_RESET_CTL_REQUEST));
	return xetile_mmio_wait(&engine->tile->mmio, reg, PVC_RESET_CTL_READY,
				PVC_RESET_CTL_READY, READY_TIMEOUT_US);
}

/**
 * xetile_reset_tile_engines() - stop and reset engines of a tile
 * @tile: the tile
 * @engines: mask of engines; others than the tile's do not matter
 * @full: reset the whole tile, and not only the engines' domains
 *
 * xetile_reset_tile_start() has to start the engines afterwards.
 *
 * Context: process.
 * Return: 0; -ETIMEDOUT when the reset does not end, -ENODEV when the card is gone.
 */
int xetile_reset_tile_engines(struct xetile_tile *tile, u64 engines, bool full)
{
	u32 domains = 0;
	unsigned int i;
	int err = 0;

	for (i = 0; i < tile->num_engines; i++) {
		struct xetile_engine *engine = &tile->engines[i];

		if (!(engines & xetile_sched_engine_bit(engine)))
			continue;
		domains |= engine->reset_domain;
		/* The reset also cures an engine that does not stop or get ready. */
		if (xetile_engine_stop(engine) || engine_request_reset(engine))
			drm_dbg(&tile->xt->drm, "%s: not ready for its reset\n", engine->name);
	}
	if (!domains)
		return 0;
	if (full)
		domains = PVC_GDRST_FULL;

	xetile_mmio_write(&tile->mmio, PVC_GDRST, domains);
	err = xetile_mmio_wait(&tile->mmio, PVC_GDRST, domains, 0, GDRST_TIMEOUT_US);
	usleep_range(50, 100);
	/* The request for a frequency is lost with the whole tile, not with some engines. */
	if (domains & PVC_GDRST_FULL)
		xetile_freq_restore(tile);
	/*
	 * A fault since the report is over; left in the register, it would be taken for the next
	 * one. First look for faults of other engines, because one may come in this moment.
	 */
	if ((xetile_mcr_read(tile, PVC_RING_FAULT, 0, 0) & PVC_RING_FAULT_VALID) &&
	    !xetile_fault_is_of_others(tile, engines))
		xetile_mcr_write(tile, PVC_RING_FAULT, 0);

	for (i = 0; i < tile->num_engines; i++)
		if (engines & xetile_sched_engine_bit(&tile->engines[i]))
			xetile_engine_write(&tile->engines[i],
					    PVC_RING_RESET_CTL(tile->engines[i].base),
					    PVC_MASKED_CLEAR(PVC_RESET_CTL_REQUEST));
	return err;
}

/**
 * xetile_reset_tile() - reset all engines of a tile
 * @tile: the tile; its engines are known, nobody submits to them
 *
 * The registers of the tile and of its engines have to be programmed afterwards.
 *
 * Context: process.
 * Return: 0; -ETIMEDOUT when the reset does not end, -ENODEV when the card is gone.
 */
int xetile_reset_tile(struct xetile_tile *tile)
{
	int err = xetile_reset_tile_engines(tile, U64_MAX, false);

	if (err)
		drm_err(&tile->xt->drm, "tile%u cannot be reset: %pe\n", tile->id, ERR_PTR(err));
	return err;
}

/**
 * xetile_reset_tile_start() - start engines of a tile after their reset
 * @tile: the tile
 * @engines: mask of engines; others than the tile's do not matter
 *
 * First writes the registers of the tile that a reset of its compute engines loses, then those
 * of the engines.
 *
 * Context: process.
 */
void xetile_reset_tile_start(struct xetile_tile *tile, u64 engines)
{
	unsigned int i;
	bool compute = false;

	for (i = 0; i < tile->num_engines; i++)
		if (tile->engines[i].class == XETILE_ENGINE_COMPUTE)
			compute |= engines & xetile_sched_engine_bit(&tile->engines[i]);
	if (compute) {
		xetile_tile_program(tile);
		xetile_cslice_program(tile);
	}
	for (i = 0; i < tile->num_engines; i++)
		if (engines & xetile_sched_engine_bit(&tile->engines[i]))
			xetile_engine_start(&tile->engines[i]);
}

/**
 * xetile_reset_tile_restart() - bring up all engines of a tile after a reset
 * @tile: the tile, after xetile_reset_tile(); its registers are as the reset left them
 *
 * Context: process.
 */
void xetile_reset_tile_restart(struct xetile_tile *tile)
{
	xetile_reset_tile_start(tile, U64_MAX);
}
