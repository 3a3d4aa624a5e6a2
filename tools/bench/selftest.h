/* SPDX-License-Identifier: MIT */
/* Functions of a known number of instructions, for the self-tests of operations.c. */
#ifndef BENCH_SELFTEST_H
#define BENCH_SELFTEST_H

#include <stdint.h>

/* 3 * rounds + 1 instructions */
void counted_loop(uint64_t rounds);
/* 4 instructions for any number of bytes */
void counted_string(void *to, uint64_t bytes);

#endif
