/* SPDX-License-Identifier: MIT */
/* Memory accesses of a worker in the address space of the context. */
#ifndef EU_MEMORY_H
#define EU_MEMORY_H

#include "eu/state/eu_state.h"

/* Begin a run: w->run is set. */
void eu_tlb_begin(struct eu_worker *w);
const struct eu_tlb_entry *eu_tlb_fill(struct eu_worker *w, uint64_t va, bool write);
/* For fast handlers: the general path, which accesses @va next, meets the same fault. */
const struct eu_tlb_entry *eu_tlb_ahead(struct eu_worker *w, uint64_t va, bool write);
bool eu_mem_read(struct eu_worker *w, uint64_t va, void *to, size_t size,
		 uint64_t *sum, uint64_t *fault);
bool eu_mem_write(struct eu_worker *w, uint64_t va, const void *from, size_t size,
		  uint64_t *fault);
bool eu_mem_fetch(struct eu_worker *w, uint64_t va, void *to, size_t size,
		  uint64_t *fault);

/* Bytes that the entry has from @va on; 0 if it does not have @va. */
static inline uint64_t eu_tlb_room(const struct eu_tlb_entry *e, uint64_t va)
{
	uint64_t at = va - e->lo;

	return at < e->size ? e->size - at : 0;
}

/*
 * The entry that has the bytes; NULL: translate. Hardware ends an invalidation after no
 * thread uses the former translation any more, so each access compares the generation.
 */
static inline const struct eu_tlb_entry *
eu_tlb(struct eu_worker *w, uint64_t va, uint64_t size, bool write)
{
	const struct eu_tlb_entry *e = &w->tlb[va >> 12 & (EU_TLB_ENTRIES - 1)];

	if (likely(size <= eu_tlb_room(e, va) && (!write || e->writable) &&
		   atomic_load_explicit(w->now, memory_order_relaxed) == w->generation))
		return e;
	return NULL;
}

#endif
