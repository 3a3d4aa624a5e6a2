/* SPDX-License-Identifier: MIT */
/* Translations that an engine keeps. */
#ifndef VPVC_TLB_H
#define VPVC_TLB_H

#include "card.h"

/* What a walk ends at. */
struct leaf {
	uint64_t phys, size;
	unsigned int level;
	bool local;		/* HBM, else guest memory */
	bool null, writable, atomics;
};

/* A table on the way to it. */
struct table {
	uint64_t addr;			/* DPA */
	unsigned int level;		/* of its entries */
	bool compact;			/* of level 0, with 32 entries */
	bool writable;			/* so far */
};

int tlb_init(struct engine *e);
void tlb_fini(struct engine *e);
/* @e may be NULL, or keep nothing. */
bool tlb_find(struct engine *e, uint64_t root, uint64_t va, struct leaf *leaf);
void tlb_keep(struct engine *e, uint64_t root, uint64_t va, const struct leaf *leaf);
/* The table of the lowest level that is known on the way to @va. */
bool tlb_find_table(struct engine *e, uint64_t root, uint64_t va, struct table *table);
/* @table: of a level below the root's. */
void tlb_keep_table(struct engine *e, uint64_t root, uint64_t va, const struct table *table);
/* The registers' way, and the resets'. */
void tlb_invalidate_tile(struct tile *t);

/*
 * A command invalidates what its engine keeps of the address space at @root
 * (@pdp0 without its low bits), or all it keeps.
 */
void tlb_invalidate(struct engine *e, uint64_t root);
void tlb_invalidate_engine(struct engine *e);

#endif
