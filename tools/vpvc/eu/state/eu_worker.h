/* SPDX-License-Identifier: MIT */
/* Workers between runs, and memory and counters of a worker's prepared code. */
#ifndef EU_WORKER_H
#define EU_WORKER_H

#include "eu/state/eu_state.h"

#define EU_MAX_WORKERS 64

struct eu_cache {
	struct eu_worker *workers[EU_MAX_WORKERS];
};

void *eu_worker_alloc(struct eu_worker *w, size_t size);
void eu_worker_free_program(struct eu_worker *w);
void eu_worker_count(struct eu_worker *w);

#endif
