/* SPDX-License-Identifier: MIT */
/*
 * Channels that left the others and wait at an address, until an instruction there puts them
 * back into the execution mask.
 */
#ifndef EU_WAIT_H
#define EU_WAIT_H

#include "eu/state/eu_state.h"

static inline uint32_t eu_channels(const struct eu_op *op, uint32_t lanes)
{
	return lanes << op->channel;
}

/* Live channels wait: as no two places have the same channel, there is room for all places. */
static inline void eu_wait_at(struct eu_thread *t, uint32_t mask, uint32_t ip)
{
	struct eu_wait *w = t->waits, *end = w + t->num_waits;

	if (!mask)
		return;
	t->em &= ~mask;
	while (w < end && w->ip != ip)
		w++;
	if (w == end) {
		*w = (struct eu_wait){ ip, 0 };
		t->num_waits++;
	}
	w->channels |= mask;
}

/* Some of the channels at a place do not wait any longer. */
static inline void eu_stop_waiting(struct eu_thread *t, struct eu_wait *w, uint32_t mask)
{
	struct eu_wait *last = &t->waits[t->num_waits - 1];

	t->broken &= ~mask;
	w->channels &= ~mask;
	if (w->channels)
		return;
	if (w != last)
		*w = *last;
	t->num_waits--;
}

/* Put those of the channels @which that wait at @ip back into the execution mask. */
static inline void eu_release_some(struct eu_thread *t, uint32_t ip, uint32_t which)
{
	for (struct eu_wait *w = t->waits; w < t->waits + t->num_waits; w++) {
		if (w->ip != ip)
			continue;
		t->em |= w->channels & which;
		eu_stop_waiting(t, w, w->channels & which);
		return;
	}
}

static inline void eu_release_at(struct eu_thread *t, uint32_t ip)
{
	eu_release_some(t, ip, UINT32_MAX);
}

#endif
