/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_FREQ_H__
#define __XETILE_FREQ_H__

#include <linux/mutex.h>
#include <linux/types.h>

struct xetile_tile;

/** enum xetile_freq_bound - what the administrator may set */
enum xetile_freq_bound {
	XETILE_FREQ_MIN,
	XETILE_FREQ_MAX,
	XETILE_NUM_FREQ_BOUNDS
};

/** struct xetile_freq - frequencies of a tile, in MHz */
struct xetile_freq {
	/** @lock: protects @bounds, and keeps requests to the hardware from each other */
	struct mutex lock;
	/** @rp0: the highest; 0 if the tile's frequency cannot be asked for */
	unsigned int rp0;
	/** @rpe: the most efficient */
	unsigned int rpe;
	/** @rpn: the lowest */
	unsigned int rpn;
	/** @bounds: see xetile_freq_bound */
	unsigned int bounds[XETILE_NUM_FREQ_BOUNDS];
};

int xetile_freq_init(struct xetile_tile *tile);
void xetile_freq_restore(struct xetile_tile *tile);
unsigned int xetile_freq_bound(struct xetile_tile *tile, enum xetile_freq_bound which);
int xetile_freq_set_bound(struct xetile_tile *tile, enum xetile_freq_bound which, unsigned int mhz);
int xetile_freq_requested(struct xetile_tile *tile);
int xetile_freq_actual(struct xetile_tile *tile);
int xetile_freq_limits(struct xetile_tile *tile, u32 *reasons);

#endif
