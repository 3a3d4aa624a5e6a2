/* SPDX-License-Identifier: MIT */
/*
 * The work of the benchmark's kernels in plain C for a CPU: it gives the correct results
 * and the speed for comparison.
 */
#ifndef EU_BENCH_LOOPS_H
#define EU_BENCH_LOOPS_H

#include <stddef.h>
#include <stdint.h>

void loop_triad(float *a, const float *b, const float *c, float s, size_t n);
void loop_matmul(float *c, const float *a, const float *b, unsigned int n);
void loop_nbody(float *out, const float *body, unsigned int items, unsigned int n);
void loop_reduce(uint32_t *out, const uint32_t *in, unsigned int groups);
void loop_diverge(uint32_t *out, const uint32_t *in, unsigned int items);

#endif
