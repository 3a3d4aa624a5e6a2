/* SPDX-License-Identifier: MIT */
/* Functions that execute one magic instruction each and return. bench.c calls them. */
#ifndef BENCH_MAGIC_INSNS_H
#define BENCH_MAGIC_INSNS_H

#include "magic.h"

/* By enum magic, then by tag */
extern const char magic_insns[MAGIC_KINDS][256][8];

#endif
