/* SPDX-License-Identifier: MIT */
/*
 * What the programs have in common: data that depends on the process, so that a word of another
 * process is found, and one line in the end.
 */
#ifndef CHECK_H
#define CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Ends the program unless a call has returned 0. */
#define TRY(call) do {								\
	long ret__ = (call);							\
										\
	if (ret__) {								\
		fprintf(stderr, "%s:%d: %s: %ld (%#lx)\n", __FILE__, __LINE__,	\
			#call, ret__, ret__);					\
		exit(1);							\
	}									\
} while (0)

/* Tells that the work is under way, if @first. */
static inline void say_busy(bool first)
{
	if (!first)
		return;
	puts("busy");
	fflush(stdout);
}

/* Word @i of array @which of this process, in its round @round */
static inline uint32_t word(uint32_t which, uint32_t round, uint32_t i)
{
	uint32_t x = i * 2654435761u ^ (uint32_t)getpid() * 40503u ^ which << 28 ^ round << 20;

	return x ^ x >> 15;
}

/* Tells the first word that differs. */
static inline bool differs(const char *what, uint32_t round, uint32_t i, uint32_t is, uint32_t must)
{
	if (is == must)
		return false;
	fprintf(stderr, "%s: process %d, round %u: word %u is %#x, and not %#x\n", what,
		(int)getpid(), round, i, is, must);
	return true;
}

#endif
