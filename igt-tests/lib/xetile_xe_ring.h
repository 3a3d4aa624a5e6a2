/* SPDX-License-Identifier: MIT */
/*
 * Rings in a user's memory, as Intel's runtime has them: a batch that never ends waits for numbers
 * that the CPU writes, and runs what the CPU has written behind.
 */
#ifndef XETILE_XE_RING_H
#define XETILE_XE_RING_H

#include "xetile_xe_exec.h"

/* Where a ring is in its address space, and its words; the tests have the rest. */
#define RING_AT		0x100000000ull
#define WORDS_AT	0x101000000ull
#define DATA_AT		0x102000000ull

/* A ring, and words: word 0 is the number of sections that the card may run, the others are free */
struct ring {
	int fd;
	uint32_t vm, queue;
	struct xetile_buf ring, words;
	volatile uint32_t *word;
	unsigned int next;
};

/* Returns the GPU address of a word. */
uint64_t ring_word_at(unsigned int word);

/*
 * Makes an address space for endless work, a queue of @class on tile 0, and a ring whose commands
 * are in DRM_XETILE_PLACE_... @place; the ring runs.
 */
void ring_init(struct ring *r, int fd, uint32_t class, uint32_t place);
/* Destroys all of it; the ring need not have ended. */
void ring_fini(struct ring *r);

/* Writes how section @n begins: it waits until it may run. The caller goes on with @b. */
void ring_section(struct ring *r, struct xetile_batch *b, unsigned int n);
/* Has the card store @value to @addr, behind all that was submitted before. */
void ring_store(struct ring *r, uint64_t addr, uint32_t value);
/* The last command of the ring: the batch ends. */
void ring_end(struct ring *r);
/* Returns whether the ring runs what it is given, within @ms; uses word 1. */
bool ring_runs(struct ring *r, unsigned int ms);
/* Asserts that it does, within half a minute. */
void ring_check(struct ring *r);

/* Returns whether a word becomes a value within @ms. */
bool word_becomes(volatile const uint32_t *word, uint32_t value, unsigned int ms);
/* Unmaps a buffer and closes it; its address space may be gone. */
void xetile_buf_drop(struct xetile_buf *buf);

#endif
