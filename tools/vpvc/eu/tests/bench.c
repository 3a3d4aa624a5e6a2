// SPDX-License-Identifier: MIT
#include "eu/tests/bench.h"

#include <stdlib.h>
#include <string.h>

#include "eu/run/eu_program.h"
#include "eu/state/eu_worker.h"

bool bench_init(struct bench *b)
{
	machine_init(&b->m);
	memset(&b->run, 0, sizeof(b->run));
	b->m.walker.iba = MACHINE_BASE;
	b->run.walker = &b->m.walker;
	b->run.memory = &b->m.view;
	b->w = aligned_alloc(64, (sizeof(*b->w) + 63) & ~63ul);
	b->a = aligned_alloc(64, (sizeof(*b->a) + 63) & ~63ul);
	b->b = aligned_alloc(64, (sizeof(*b->b) + 63) & ~63ul);
	if (!b->w || !b->a || !b->b)
		return false;
	memset(b->w, 0, sizeof(*b->w));
	memset(b->a, 0, sizeof(*b->a));
	memset(b->b, 0, sizeof(*b->b));
	b->w->run = &b->run;
	return true;
}

void bench_fini(struct bench *b)
{
	eu_worker_free_program(b->w);
	free(b->w);
	free(b->a);
	free(b->b);
	machine_fini(&b->m);
}

struct eu_op *bench_decode(struct bench *b, const void *code)
{
	struct eu_op *op;
	uint32_t cost;

	memcpy(b->m.memory + MACHINE_CODE, code, 16);
	/* what was decoded from there before */
	eu_worker_free_program(b->w);
	memset(b->w->code, 0, sizeof(b->w->code));
	memset(b->w->tlb, 0, sizeof(b->w->tlb));
	op = eu_fetch(b->w, MACHINE_CODE, &cost);
	return cost ? NULL : op;
}

bool bench_execute(struct bench *b, struct eu_op *op, uint32_t em)
{
	b->a->worker = b->w;
	b->a->em = em;
	b->a->limit = UINT64_MAX;
	b->a->status = EU_T_READY;
	atomic_store(&b->run.stopped, false);
	op->exec[0](b->a, op);
	return b->a->status != EU_T_STOPPED;
}
