/* SPDX-License-Identifier: MIT */
#ifndef BENCH_MARKS_H
#define BENCH_MARKS_H

#include <stdint.h>

/* marks.S: functions that are a mark, [kind][tag], and what the self-tests count */
extern const char marks[][256][8];

void counted_loop(uint64_t rounds);
void counted_string(void *to, uint64_t bytes);

#endif
