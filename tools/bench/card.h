/* SPDX-License-Identifier: MIT */
#ifndef BENCH_CARD_H
#define BENCH_CARD_H

#include <stdint.h>

/* What the card counted since it was switched on, all tiles together */
struct card_counters {
	uint64_t reads, writes;		/* of its registers, by the host */
	uint64_t messages;		/* interrupt messages it sent */
	uint64_t active;		/* engines at work now */
};

void card_open(void);
void card_counters(struct card_counters *c);
/* A line for the card's control socket; the answer must not be an error. */
void card_say(const char *command);

#endif
