/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_CSLICE_MAP_H__
#define __XETILE_CSLICE_MAP_H__

/*
 * Pure: no lock, no allocation, no device. Compiles on the host too, where
 * igt-tests/host tests it exhaustively.
 */
#include <linux/types.h>

#define XETILE_CSLICES		4
/* Modes 1, 2 and 4 */
#define XETILE_CSLICE_MODES	3

/** struct xetile_cslice_load - load of one physical compute engine */
struct xetile_cslice_load {
	/** @busy: bindings with unfinished work */
	unsigned int busy;
	/** @bound: bindings, with or without work */
	unsigned int bound;
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
int xetile_cslice_pick(const struct xetile_cslice_load *load, u32 candidates, int last);

#endif
