/* SPDX-License-Identifier: MIT */
/* Functions in assembly, because their instructions have to be exactly these. */
#ifndef BENCH_INSNS_H
#define BENCH_INSNS_H

#include <stdint.h>

#include "magic.h"

/* Functions that execute one magic instruction each and return, by enum magic, then by tag */
extern const char magic_insns[MAGIC_KINDS][256][8];

/* Functions of a known number of instructions, for the self-tests: 3 * rounds + 1 instructions */
void counted_loop(uint64_t rounds);
/* 4 instructions for any number of bytes */
void counted_string(void *to, uint64_t bytes);

#endif
