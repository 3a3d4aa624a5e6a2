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

/*
 * @payload, dword 2 of the message: barrier [7:0], kind [15:14] (0 both, 1 producer,
 * 2 consumer), number of producers [23:16] and of consumers [31:24]. False: no such barrier.
 */
static inline bool eu_barrier_signal(struct eu_thread *t, uint32_t payload)
{
	unsigned int id = payload & 0xff, kind = payload >> 14 & 3;
	struct eu_barrier *b = &t->group->barriers[id % EU_BARRIERS];

	if (unlikely(id >= EU_BARRIERS || kind == 3))
		return false;
	b->producers += kind != 2;
	if (likely(kind != 1)) {
		b->consumers++;
		b->waiting |= 1ull << t->number;
	}
	if (b->producers >= (payload >> 16 & 0xff) && b->consumers >= payload >> 24)
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
