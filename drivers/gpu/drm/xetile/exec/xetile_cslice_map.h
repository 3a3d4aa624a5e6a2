/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_CSLICE_MAP_H__
#define __XETILE_CSLICE_MAP_H__

/*
 * Pure: no lock, no allocation, no device. Compiles on the host too, where
 * igt-tests/host tests it exhaustively.
 */
#include <linux/types.h>

#define XETILE_CSLICES		4
/* How many times shorter the turns of a queue with a loan may be */
#define XETILE_CSLICE_PARTS	16u
/* Modes 1, 2 and 4 */
#define XETILE_CSLICE_MODES	3

/** struct xetile_cslice_load - load of one physical compute engine */
struct xetile_cslice_load {
	/** @busy: bindings with unfinished work */
	unsigned int busy;
	/** @bound: bindings, with or without work */
	unsigned int bound;
};

/** struct xetile_cslice_lender - a tile whose idle slices a queue may borrow */
struct xetile_cslice_lender {
	/** @mode: the queue's own mode of the tile */
	unsigned int mode;
	/** @lends: the administrator allows it */
	bool lends;
	/** @working: slices, virtual or borrowed, on which others than the queue have work */
	unsigned int working;
};

/* A mode among the modes */
static inline unsigned int xetile_cslice_mode_index(unsigned int mode)
{
	return mode / 2;
}

u32 xetile_cslice_modes(u32 present);
u32 xetile_cslice_engines(u32 present, unsigned int mode);
u32 xetile_cslice_owned(u32 present, unsigned int mode, unsigned int instance);
u32 xetile_cslice_register(u32 present, unsigned int mode);
unsigned int xetile_cslice_working(const struct xetile_cslice_load
				   load[XETILE_CSLICE_MODES][XETILE_CSLICES]);
unsigned int xetile_cslice_claims(const struct xetile_cslice_lender *tiles, unsigned int num);
unsigned int xetile_cslice_loan(const struct xetile_cslice_lender *tiles, unsigned int num);
u64 xetile_cslice_turn(u64 turn, unsigned int loan, unsigned int claims);
int xetile_cslice_pick(const struct xetile_cslice_load *load, u32 candidates, int last);

#endif
