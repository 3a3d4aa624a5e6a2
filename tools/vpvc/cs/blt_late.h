/* SPDX-License-Identifier: MIT */
/*
 * What the copy engines' errata do to blits (core/strict.h: BCS_LATE, BCS_CREDITS).  Used by
 * the engine's thread alone.
 */
#ifndef VPVC_BLT_LATE_H
#define VPVC_BLT_LATE_H

#include "core/xlat.h"

struct cs;

/*
 * A copy engine has this many sub-blitters, which get the blits in turn (prelim i915:
 * gt/gen8_engine_cs.c, the blit of four rows that reaches each of them).
 */
#define SUB_BLITTERS		4
/* Bytes at the end of a blit that a sub-blitter keeps: the worse reading of "the last writes" */
#define LATE_BYTES		4096

struct blt_late {
	struct late_bytes {
		enum place place;
		uint64_t phys;
		unsigned int len;	/* 0: there are none */
		uint8_t bytes[LATE_BYTES];
	} kept[SUB_BLITTERS];
	unsigned int turn;		/* who gets the next blit */
};

/*
 * The end of a blit: the last *@late bytes of the @len bytes at @to go to the returned place
 * instead of memory.  Call under card_mem_lock().
 */
uint8_t *blt_late_keep(struct cs *cs, const struct span *to, uint64_t len, uint64_t *late);
/* The engine is going to access @len bytes at @s: what it keeps of them lands first. */
void blt_late_meet(struct cs *cs, const struct span *s, uint64_t len);
/* A fill of @rows, and of @bytes in all, begins: does it make what is kept land? */
void blt_late_fill(struct cs *cs, uint64_t rows, uint64_t bytes);
/* A reset: what is kept is lost. */
void blt_late_drop(struct cs *cs);
/* Does the engine hang on this access, because its credits are for requests of another size? */
bool blt_out_of_credits(struct cs *cs, const struct span *s, uint64_t len);

#endif
