// SPDX-License-Identifier: GPL-2.0-only
#include "exec/xetile_reset_tile.h"

#include <linux/delay.h>
#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/limits.h>
#include <linux/minmax.h>

#include <drm/drm_print.h>

#include "regs/pvc_engine_regs.h"
#include "regs/pvc_gt_regs.h"

#include "card/xetile_engine.h"
#include "card/xetile_freq.h"
#include "card/xetile_mmio.h"
#include "card/xetile_settings.h"
#include "card/xetile_tile.h"
#include "exec/xetile_ccs.h"
#include "exec/xetile_fault.h"
#include "exec/xetile_sched_engine.h"
#include "xetile_device.h"

/**
 * DOC: the reset of engines, as the hardware has it
 *
 * Engines are stopped, reset by their domains, or with all of their tile, and started anew. The
 * callers (xetile_reset.c; the card's start and its sleep) take care of other users of the engines,
 * and that only one of them resets a tile at a time. A reset takes milliseconds, but a tenth of a
 * second if an engine does not stop. No lock is held.
 */

/* Times that the public drivers give the hardware, or longer ones */
#define STOP_TIMEOUT_US		100000
#define READY_TIMEOUT_US	700
#define GDRST_TIMEOUT_US	10000
/* How often the reset of a whole tile is tried */
#define FULL_TRIES		3

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

/*
 * Stop engines, all at once, because one that hangs takes all the time there is. Have them say that
 * they are ready to be reset. The reset also cures an engine that does not stop or get ready.
 */
static void stop_engines(struct xetile_tile *tile, u64 engines)
{
	ktime_t deadline = ktime_add_us(ktime_get(), STOP_TIMEOUT_US);
	struct xetile_engine *engine;
	unsigned int i;

	for (i = 0; i < tile->num_engines; i++)
		if (engines & xetile_sched_engine_bit(&tile->engines[i]))
			xetile_engine_halt(&tile->engines[i]);
	for (i = 0; i < tile->num_engines; i++) {
		s64 us = ktime_us_delta(deadline, ktime_get());

		engine = &tile->engines[i];
		if ((engines & xetile_sched_engine_bit(engine)) &&
		    xetile_engine_wait_halted(engine, max(us, 1)))
			drm_dbg(&tile->xt->drm, "%s: does not stop\n", engine->name);
	}
	xetile_fault_drop(tile, engines);
	for (i = 0; i < tile->num_engines; i++) {
		engine = &tile->engines[i];
		if ((engines & xetile_sched_engine_bit(engine)) && engine_request_reset(engine))
			drm_dbg(&tile->xt->drm, "%s: not ready for its reset\n", engine->name);
	}
}

static u32 domains_of(const struct xetile_tile *tile, u64 engines)
{
	u32 domains = 0;
	unsigned int i;

	for (i = 0; i < tile->num_engines; i++)
		if (engines & xetile_sched_engine_bit(&tile->engines[i]))
			domains |= tile->engines[i].reset_domain;
	return domains;
}

/*
 * Reset domains. Engines may still change for a moment after the hardware has said that the reset
 * is over. A second reset waits for the end of the first one, and finds nothing to do (prelim
 * i915: gt/intel_reset.c).
 */
static int reset_domains(struct xetile_tile *tile, u32 domains)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < 2 && !err; i++) {
		xetile_mmio_write(&tile->mmio, PVC_GDRST, domains);
		err = xetile_mmio_wait(&tile->mmio, PVC_GDRST, domains, 0, GDRST_TIMEOUT_US);
	}
	usleep_range(50, 100);
	return err;
}

/**
 * xetile_reset_tile_engines() - stop and reset engines of a tile
 * @tile: the tile
 * @engines: mask of engines; others than the tile's do not matter
 * @full: reset the whole tile, and not only the engines' domains
 *
 * xetile_reset_tile_start() has to start the engines afterwards. The reset of a whole tile is tried
 * again if it does not end, because nothing less than a reset of the card is left then.
 *
 * Context: process.
 * Return: 0; -ETIMEDOUT when the reset does not end, -ENODEV when the card is gone.
 */
int xetile_reset_tile_engines(struct xetile_tile *tile, u64 engines, bool full)
{
	unsigned int tries = full ? FULL_TRIES : 1, i;
	u32 domains = domains_of(tile, engines);
	int err;

	if (!domains)
		return 0;
	stop_engines(tile, engines);
	do {
		err = reset_domains(tile, full ? PVC_GDRST_FULL : domains);
	} while (err == -ETIMEDOUT && --tries);
	/* The request for a frequency is lost with the whole tile, not with some engines. */
	if (full)
		xetile_freq_restore(tile);
	/* Again, because an engine that did not stop may have failed since. */
	xetile_fault_drop(tile, engines);

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
 * Engines that do not end their reset are reset with the whole tile, as while the card works. The
 * registers of the tile and of its engines have to be programmed afterwards.
 *
 * Context: process.
 * Return: 0; -ETIMEDOUT when the reset does not end, -ENODEV when the card is gone.
 */
int xetile_reset_tile(struct xetile_tile *tile)
{
	int err = xetile_reset_tile_engines(tile, U64_MAX, false);

	if (err == -ETIMEDOUT) {
		drm_warn(&tile->xt->drm,
			 "tile%u: engines do not end their reset: resetting the tile\n", tile->id);
		err = xetile_reset_tile_engines(tile, U64_MAX, true);
	}
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
		xetile_settings_write(tile);
		xetile_ccs_program(tile);
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
