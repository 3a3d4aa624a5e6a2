/* SPDX-License-Identifier: MIT */
#ifndef BENCH_MEMORY_H
#define BENCH_MEMORY_H

#include <stdint.h>

/* Memory that the kernel uses now */
struct memory_use {
	int64_t slab;		/* bytes of allocated slab objects */
	int64_t pages;		/* bytes of pages that belong to no slab */
};

void memory_use(struct memory_use *m);

#endif
