// SPDX-License-Identifier: MIT
/*
 * Memory accesses in the address space of the context, by a table of translations that
 * each worker has for itself. They run on the worker's host thread; eu_memory.translate
 * takes the card's locks.
 */
#include "eu/msg/eu_memory.h"

void eu_tlb_begin(struct eu_worker *w)
{
	static const atomic_uint never;
	const atomic_uint *generation = w->run->memory->generation;

	w->now = generation ? generation : &never;
	w->generation = atomic_load_explicit(w->now, memory_order_acquire);
	memset(w->tlb, 0, sizeof(w->tlb));
	memset(&w->failure, 0, sizeof(w->failure));
}

static void drop_stale(struct eu_worker *w)
{
	if (unlikely(atomic_load_explicit(w->now, memory_order_relaxed) != w->generation))
		eu_tlb_begin(w);
}

/* The entry for @va, translated if needed; NULL is a page fault. */
const struct eu_tlb_entry *eu_tlb_fill(struct eu_worker *w, uint64_t va, bool write)
{
	struct eu_tlb_entry *e = &w->tlb[va >> 12 & (EU_TLB_ENTRIES - 1)];
	const struct eu_memory *m = w->run->memory;
	struct eu_span span = {};

	if (unlikely(w->failure.held && w->failure.va == va && w->failure.write == write)) {
		w->failure.held = false;
		return NULL;
	}
	drop_stale(w);
	if (eu_tlb_room(e, va) && (!write || e->writable))
		return e;
	/* A span that wraps or does not hold va is no translation. */
	if (m->translate(m->ctx, va, write, &span) || va < span.va ||
	    va - span.va >= span.size || span.va + (span.size - 1) < span.va) {
		w->failure = (struct eu_failure){ .va = va, .cause = span.cause, .write = write };
		return NULL;
	}
	e->lo = span.va;
	e->size = span.size;
	e->host = span.host;
	e->place = span.place < EU_PLACES ? span.place : EU_SYSTEM;
	e->writable = span.writable || write;
	return e;
}

const struct eu_tlb_entry *eu_tlb_ahead(struct eu_worker *w, uint64_t va, bool write)
{
	const struct eu_tlb_entry *e = eu_tlb_fill(w, va, write);

	w->failure.held = !e;
	return e;
}

/* Bytes read are added to *@sum, or by place to the worker's counters if @sum is NULL. */
static bool walk(struct eu_worker *w, uint64_t va, void *to, const void *from,
		 size_t size, uint64_t *sum, uint64_t *fault)
{
	while (size) {
		const struct eu_tlb_entry *e = eu_tlb_fill(w, va, from != NULL);
		uint64_t room;
		size_t n;

		if (!e) {
			*fault = va;
			return false;
		}
		room = eu_tlb_room(e, va);
		n = room < size ? room : size;
		if (!e->host) {
			if (to)
				memset(to, 0, n);
		} else if (to) {
			memcpy(to, e->host + (va - e->lo), n);
			*(sum ? sum : &w->counters.read[e->place]) += n;
		} else {
			memcpy(e->host + (va - e->lo), from, n);
			w->counters.written[e->place] += n;
		}
		if (to)
			to = (char *)to + n;
		else
			from = (const char *)from + n;
		va += n;
		size -= n;
	}
	return true;
}

bool eu_mem_read(struct eu_worker *w, uint64_t va, void *to, size_t size,
		 uint64_t *sum, uint64_t *fault)
{
	return walk(w, va, to, NULL, size, sum, fault);
}

bool eu_mem_write(struct eu_worker *w, uint64_t va, const void *from, size_t size,
		  uint64_t *fault)
{
	return walk(w, va, NULL, from, size, NULL, fault);
}

/* For fetches of code and surface states, which are no memory traffic of the kernel */
bool eu_mem_fetch(struct eu_worker *w, uint64_t va, void *to, size_t size,
		  uint64_t *fault)
{
	uint64_t not_counted = 0;

	return walk(w, va, to, NULL, size, &not_counted, fault);
}
