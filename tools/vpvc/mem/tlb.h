/* SPDX-License-Identifier: MIT */
/* Translations that an engine keeps. */
#ifndef VPVC_TLB_H
#define VPVC_TLB_H

#include "card.h"

/* The entry at which a walk ends. */
struct leaf {
	uint64_t phys, size;
	unsigned int level;
	bool local;		/* HBM, else guest memory */
	bool null, writable, atomics;
};

/* A table on the way to a leaf. */
struct table {
	uint64_t addr;			/* DPA */
	unsigned int level;		/* of its entries */
	bool compact;			/* of level 0, with 32 entries */
	bool writable;			/* all entries on the way allow writes */
};

int tlb_init(struct engine *e);
void tlb_fini(struct engine *e);
/* Any thread.  @e may be NULL; without --tlb nothing is found or kept. */
bool tlb_find(struct engine *e, uint64_t root, uint64_t va, struct leaf *leaf);
void tlb_keep(struct engine *e, uint64_t root, uint64_t va, const struct leaf *leaf);
/* Find the kept table of the lowest level on the way to @va. */
bool tlb_find_table(struct engine *e, uint64_t root, uint64_t va, struct table *table);
/* @table must be of a level below the root's. */
void tlb_keep_table(struct engine *e, uint64_t root, uint64_t va, const struct table *table);
/* For registers and resets. */
void tlb_invalidate_tile(struct tile *t);

/*
 * Translations of the GGTT, which engines keep without --tlb, too. tlb_find_ggtt() returns the
 * entry that is kept, or 0; *@ticket is for tlb_keep_ggtt(), which keeps nothing if an
 * invalidation came meanwhile. Any thread; @e may be NULL.
 */
int tlb_init_ggtt(struct engine *e);
uint64_t tlb_find_ggtt(struct engine *e, uint32_t index, unsigned int *ticket);
void tlb_keep_ggtt(struct engine *e, uint32_t index, uint64_t pte, unsigned int ticket);
void tlb_invalidate_ggtt(struct tile *t);

/*
 * For commands and engine resets: drop the engine's translations of the address space at
 * @root (pdp0 without its low bits), or all of them; both drop those of the GGTT.
 */
void tlb_invalidate(struct engine *e, uint64_t root);
void tlb_invalidate_engine(struct engine *e);

#endif
