/* SPDX-License-Identifier: MIT */
#ifndef BENCH_CARD_H
#define BENCH_CARD_H

#include <stdint.h>

/* The card's counters since it was switched on, all tiles together */
struct card_counters {
	uint64_t reads, writes;		/* of its registers, by the host */
	uint64_t messages;		/* interrupt messages that the card sent */
	uint64_t loads;			/* of contexts, by the host */
	uint64_t active;		/* engines that work now */
};

void card_open(void);
void card_counters(struct card_counters *c);
/* Send a line to the card's control port. An error as the answer ends the program. */
void card_say(const char *command);

#endif
