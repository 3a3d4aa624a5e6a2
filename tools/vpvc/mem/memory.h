/* SPDX-License-Identifier: MIT */
/* Memory as the GPU addresses it. */
#ifndef VPVC_MEMORY_H
#define VPVC_MEMORY_H

#include "core/xlat.h"

/* HBM by device physical address; NULL if [dpa, dpa+len) is not all HBM. */
static inline void *card_dpa(struct card *c, uint64_t dpa, uint64_t len)
{
	if (dpa > c->hbm_size || len > c->hbm_size - dpa)
		return NULL;
	return c->hbm + dpa;
}

/*
 * Translate an address.  Each call walks the tables, except for translations in the
 * engine's TLB (--tlb).  A caller that keeps a piece drops it when card->mem_generation
 * changes.  On failure only @s->level is valid.  Call and use PLACE_SYSTEM pieces under
 * card_mem_lock().
 */
enum xlat mem_translate(const struct aspace *as, uint64_t va, bool write, struct span *s);

/* The same without an engine: no TLB, no counters. */
enum xlat ggtt_translate(struct tile *t, uint64_t addr, bool write, struct span *s);
enum xlat ppgtt_translate(struct tile *t, uint64_t pdp0, uint64_t va, bool write,
			  struct span *s);

/*
 * Copy between a buffer and translated memory.  They take card_mem_lock(), count bytes on
 * @e (may be NULL) and describe a failure in *@f (may be NULL).
 */
bool mem_read(const struct aspace *as, uint64_t va, void *buf, uint64_t len,
	      struct engine *e, struct mem_fault *f);
bool mem_write(const struct aspace *as, uint64_t va, const void *buf, uint64_t len,
	       struct engine *e, struct mem_fault *f);

/* Add one to the stores of @e, which may be NULL. */
void count_store(struct engine *e, enum place place);

/* Add bytes to the counter of @place. */
void count_access(struct engine *e, enum place place, bool write, uint64_t bytes);

/*
 * Latch RING_FAULT and FAULT_TLB_DATA (unless a fault is latched already), or report the
 * memory error for XLAT_POISONED; set RESET_CTL b2 of the engine, count and log.  The
 * caller stops the engine and raises PVC_VEC_CS_ERROR.
 */
void fault_report(struct engine *e, const struct mem_fault *f);

#endif
