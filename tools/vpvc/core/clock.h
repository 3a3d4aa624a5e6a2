/* SPDX-License-Identifier: MIT */
/* The clock of all time stamps. */
#ifndef VPVC_CLOCK_H
#define VPVC_CLOCK_H

#include <stdint.h>

#define CARD_TIMESTAMP_HZ	19200000u

/* Free running counter at CARD_TIMESTAMP_HZ. */
uint64_t card_timestamp(void);

/* Ticks of the counter in @us microseconds */
static inline uint64_t card_ticks(uint64_t us)
{
	return us * (CARD_TIMESTAMP_HZ / 100000) / 10;
}

#endif
