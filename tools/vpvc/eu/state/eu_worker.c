// SPDX-License-Identifier: MIT
/* Memory and counters of a worker's prepared code; only the worker's host thread uses them. */
#include "eu/state/eu_worker.h"

#include <stdlib.h>

struct eu_chunk {
	struct eu_chunk *next;
	size_t used;
	uint8_t data[64 * 1024 - 64] __attribute__((aligned(64)));
};

/* Zeroed memory until eu_worker_free_program(); NULL when the host has none. */
void *eu_worker_alloc(struct eu_worker *w, size_t size)
{
	struct eu_chunk *c = w->chunks;
	void *p;

	size = (size + 63) & ~(size_t)63;
	if (!c || c->used + size > sizeof(c->data)) {
		c = aligned_alloc(64, sizeof(*c));
		if (!c)
			return NULL;
		memset(c, 0, sizeof(*c));
		c->next = w->chunks;
		w->chunks = c;
		w->program_bytes += sizeof(*c);
	}
	p = c->data + c->used;
	c->used += size;
	return p;
}

void eu_worker_free_program(struct eu_worker *w)
{
	struct eu_chunk *c;

	while ((c = w->chunks)) {
		w->chunks = c->next;
		free(c);
	}
	w->program_bytes = 0;
	memset(w->code, 0, sizeof(w->code));
}

/* After a run: add the executions by opcode to the counters. */
void eu_worker_count(struct eu_worker *w)
{
	for (unsigned int b = 0; b < EU_CODE_BUCKETS; b++)
		for (struct eu_code_page *p = w->code[b]; p; p = p->next)
			for (unsigned int i = 0; i < EU_CODE_PAGE / 8; i++) {
				struct eu_op *op = p->ops[i];

				if (!op || !op->executed)
					continue;
				w->counters.opcodes[op->in.opcode] += op->executed;
				w->counters.lanes += op->executed * op->n;
				op->executed = 0;
			}
}
