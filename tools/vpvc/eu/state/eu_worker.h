/* SPDX-License-Identifier: MIT */
/* Memory and counters of a worker's prepared code. */
#ifndef EU_WORKER_H
#define EU_WORKER_H

#include "eu/state/eu_state.h"

void *eu_worker_alloc(struct eu_worker *w, size_t size);
void eu_worker_free_program(struct eu_worker *w);
void eu_worker_count(struct eu_worker *w);

#endif
