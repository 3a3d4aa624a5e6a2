/* SPDX-License-Identifier: MIT */
/* Barriers of a work-group. A worker runs all threads of a group, so they need no lock. */
#ifndef EU_BARRIER_H
#define EU_BARRIER_H

#include "eu/state/eu_state.h"

/* The barrier is complete: notify the consumers and reset the counts. */
static inline void eu_barrier_release(struct eu_group *g, struct eu_barrier *b, unsigned int id)
{
	for (uint64_t rest = b->waiting; rest; rest &= rest - 1) {
		struct eu_thread *t = g->threads[__builtin_ctzll(rest)];

		if (t)
			t->notified |= 1u << id;
	}
	memset(b, 0, sizeof(*b));
}

/* One of each in eu_barrier.arrived */
#define EU_PRODUCER	1ull
#define EU_CONSUMER	(1ull << 32)

/*
 * @payload, dword 2 of the message: barrier [7:0], kind [15:14] (0 both, 1 producer,
 * 2 consumer), number of producers [23:16] and of consumers [31:24]. False: no such barrier.
 */
static inline bool eu_barrier_signal(struct eu_thread *t, uint32_t payload)
{
	static const uint64_t arrivals[] = { EU_PRODUCER | EU_CONSUMER, EU_PRODUCER, EU_CONSUMER };
	unsigned int id = payload & 0xff, kind = payload >> 14 & 3;
	struct eu_barrier *b = &t->group->barriers[id % EU_BARRIERS];
	uint64_t arrived;

	if (unlikely(id >= EU_BARRIERS || kind == 3))
		return false;
	arrived = b->arrived + arrivals[kind];
	b->arrived = arrived;
	b->waiting |= (uint64_t)(kind != 1) << t->number;
	if ((uint32_t)arrived >= (payload >> 16 & 0xff) && arrived >> 32 >= payload >> 24)
		eu_barrier_release(t->group, b, id);
	return true;
}

static inline bool eu_barriers_done(const struct eu_thread *t, uint32_t ids)
{
	return !(~t->notified & ids);
}

/* sync.bar: go on, or wait until all the named barriers have completed. */
static inline struct eu_op *eu_barrier_wait(struct eu_thread *t, struct eu_op *op, uint32_t ids)
{
	if (eu_barriers_done(t, ids)) {
		t->notified &= ~ids;
		return eu_next(t, op);
	}
	t->wait_barriers = ids;
	t->status = EU_T_BARRIER;
	t->op = op;
	return NULL;
}

/* The barriers that a thread waits for have completed: it goes on behind the sync.bar. */
static inline void eu_barrier_leave(struct eu_thread *t)
{
	t->notified &= ~t->wait_barriers;
	t->status = EU_T_READY;
	t->op = eu_next(t, t->op);
}

#endif
