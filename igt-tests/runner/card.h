/* SPDX-License-Identifier: MIT */
/* DOC: the state of the virtual cards' engines, as the cards tell it over their control ports. */
#ifndef RUNNER_CARD_H
#define RUNNER_CARD_H

#include "text.h"

struct cards {
	const char *ports;	/* the cards' control ports, a pattern of the shell */
	struct text answers;	/* the last answer of each card to "counters", a line each */
};

/* Asks each card for its counters. */
void cards_ask(struct cards *c);
/* Returns whether an engine of any card is in this state: "active", "stopped". */
bool cards_any(const struct cards *c, const char *state);
/* Adds all counters that change when an engine takes or leaves a context. */
void cards_moves(const struct cards *c, struct text *to);
/* Adds a line for each engine that has a context or has stopped by an error. */
void cards_restless(const struct cards *c, struct text *to);
/* Adds a line for each engine that left a context before its end. */
void cards_preempted(const struct cards *c, struct text *to);

#endif
