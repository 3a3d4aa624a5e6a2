// SPDX-License-Identifier: MIT
/* The free running counter is the monotonic clock in units of its own. */
#include "core/clock.h"

#include <time.h>

uint64_t card_timestamp(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	/* 19.2 MHz: 12 ticks in 625 ns */
	return (uint64_t)ts.tv_sec * CARD_TIMESTAMP_HZ + (uint64_t)ts.tv_nsec * 12 / 625;
}
