/* SPDX-License-Identifier: MIT */
#ifndef BENCH_MEMORY_H
#define BENCH_MEMORY_H

#include <stdint.h>

/* Memory the kernel holds at the moment */
struct memory_use {
	int64_t slab;		/* bytes, in objects given out */
	int64_t pages;		/* bytes, in pages that are no slab's */
};

void memory_use(struct memory_use *m);

#endif
