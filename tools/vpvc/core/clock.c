// SPDX-License-Identifier: MIT
/* The card's free running counter: the monotonic clock in units of 1/19.2 MHz.  Any thread. */
#include "core/clock.h"

#include <time.h>

uint64_t card_timestamp(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	/* 19.2 MHz: 12 ticks in 625 ns */
	return (uint64_t)ts.tv_sec * CARD_TIMESTAMP_HZ + (uint64_t)ts.tv_nsec * 12 / 625;
}
