/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_SCHED_ENGINE_H__
#define __XETILE_SCHED_ENGINE_H__

#include <linux/bits.h>
#include <linux/build_bug.h>

#include "card/xetile_engine.h"
#include "card/xetile_tile.h"
#include "exec/xetile_dispatch_types.h"
#include "xetile_device.h"

/**
 * DOC: engines by number
 *
 * The dispatcher knows an engine by its number among those of the card: a bit in its masks.
 * Nothing here changes while the card is bound; no lock is needed.
 */

/* Numbers of one tile, whether it has so many engines or not */
#define XETILE_SCHED_STRIDE	16

static_assert(XETILE_SCHED_STRIDE * XETILE_MAX_TILES <= XETILE_DISPATCH_ENGINES);
static_assert(XETILE_MAX_ENGINES <= XETILE_SCHED_STRIDE);

/**
 * xetile_sched_engine_index() - number of an engine among those of the card
 * @engine: the engine
 *
 * Return: its bit in the dispatcher's masks.
 */
static inline unsigned int xetile_sched_engine_index(const struct xetile_engine *engine)
{
	return engine->tile->id * XETILE_SCHED_STRIDE + (engine - engine->tile->engines);
}

/**
 * xetile_sched_engine_bit() - an engine in the dispatcher's masks
 * @engine: the engine
 *
 * Return: a mask of it alone.
 */
static inline u64 xetile_sched_engine_bit(const struct xetile_engine *engine)
{
	return BIT_ULL(xetile_sched_engine_index(engine));
}

/**
 * xetile_sched_engine() - engine of a number
 * @xt: the card
 * @index: of xetile_sched_engine_index()
 *
 * Return: the engine.
 */
static inline struct xetile_engine *xetile_sched_engine(struct xetile_device *xt,
							unsigned int index)
{
	return &xt->tiles[index / XETILE_SCHED_STRIDE].engines[index % XETILE_SCHED_STRIDE];
}

#endif
