/* SPDX-License-Identifier: MIT */
/*
 * Frequency and energy of a tile.  The request of the driver, and limits, decide the frequency;
 * engines ask how much slower they are than at the highest one.
 */
#ifndef VPVC_FREQ_H
#define VPVC_FREQ_H

#include "card.h"

/* Ratios are in units of 50/3 MHz: 1600, 900 and 300 MHz (model choices) */
#define FREQ_RP0	96u
#define FREQ_RP1	54u
#define FREQ_RPN	18u
/* Units of power and energy: 1/8 W, 1/16384 J */
#define FREQ_POWER_UNIT		3
#define FREQ_ENERGY_UNIT	14
#define FREQ_TIME_UNIT		10
/* Watts (model choices): of the card, of a tile that is slow, and more of one at RP0 */
#define FREQ_WATTS_CARD		50u
#define FREQ_WATTS_TILE		60u
#define FREQ_WATTS_RP0		190u
#define FREQ_WATTS_TDP		600u
/* The critical limit in watts, and 1.75 * 2^14 units of time, over which power averages: 28 s */
#define FREQ_WATTS_CRIT		900u
#define FREQ_TIME_X		3u
#define FREQ_TIME_Y		14u

/* A reset of the whole tile: nobody has asked for a frequency.  Host thread. */
void freq_reset(struct tile *t);
/*
 * Power on, or a reset of the function: no source says whether that ends the count of energy, so
 * here it does.  Host thread.
 */
void freq_power_on(struct tile *t);
/* A limit, PVC_LIMIT_* as the reason, keeps the tile at its lowest frequency; 0: no limit. */
void freq_limit(struct tile *t, uint32_t reasons);

/* Hooks of registers */
void freq_write_request(struct tile *t, uint32_t off, uint32_t val);
void freq_write_control(struct tile *t, uint32_t off, uint32_t val);
/* Any thread. */
uint32_t freq_read_energy(struct tile *t, uint32_t off);

/* Does work take longer than at RP0?  Any thread. */
static inline bool freq_is_low(struct tile *t)
{
	return atomic_load_explicit(&t->freq.slow, memory_order_relaxed);
}

/* How much longer work lasts that takes @ns at RP0.  Any thread. */
uint64_t freq_delay(struct tile *t, uint64_t ns);

#endif
