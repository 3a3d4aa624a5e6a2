/* SPDX-License-Identifier: MIT */
/* DOC: what the virtual cards of this guest say of their engines, over their control ports. */
#ifndef RUNNER_CARD_H
#define RUNNER_CARD_H

#include "text.h"

struct cards {
	const char *ports;	/* the cards' control ports, a pattern of the shell */
	struct text answers;	/* the last answer of each card to "counters", a line each */
};

void cards_ask(struct cards *c);
/* Whether an engine of any card is in this state: "active", "stopped". */
bool cards_any(const struct cards *c, const char *state);
/* All counters that change when an engine takes or leaves a context. */
void cards_moves(const struct cards *c, struct text *to);
/* A line for each engine that has a context or has stopped by an error. */
void cards_restless(const struct cards *c, struct text *to);
/* A line for each engine that left a context before its end. */
void cards_preempted(const struct cards *c, struct text *to);

#endif
