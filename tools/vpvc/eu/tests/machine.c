// SPDX-License-Identifier: MIT
/* The machine of the tests: runs a kernel, or a single instruction, on memory of the program. */
#include "eu/tests/machine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "eu/msg/eu_memory.h"
#include "eu/run/eu_program.h"
#include "eu/state/eu_worker.h"

static int translate(void *ctx, uint64_t va, bool write, struct eu_span *span)
{
	struct machine *m = ctx;
	uint64_t at = va - MACHINE_BASE;

	if (va < MACHINE_BASE || at >= MACHINE_SIZE || (write && m->read_only))
		return -EFAULT;
	at &= ~4095ull;
	span->host = m->memory + at;
	span->va = MACHINE_BASE + at;
	span->size = 4096;
	span->place = at / 4096 % EU_PLACES;
	span->writable = !m->read_only;
	return 0;
}

void machine_init(struct machine *m)
{
	memset(m, 0, sizeof(*m));
	m->memory = calloc(1, MACHINE_SIZE);
	if (!m->memory)
		abort();
	m->used = MACHINE_HEAP;
	m->host_threads = 1;
	m->view.ctx = m;
	m->view.translate = translate;
}

void machine_fini(struct machine *m)
{
	free(m->memory);
}

uint64_t machine_alloc(struct machine *m, size_t size)
{
	uint64_t va = MACHINE_BASE + m->used;

	m->used += (size + 63) & ~(size_t)63;
	if (m->used > MACHINE_SIZE)
		abort();
	return va;
}

void *machine_at(struct machine *m, uint64_t va)
{
	return m->memory + (va - MACHINE_BASE);
}

static void put(struct machine *m, const struct kernel_arg *a, const void *from,
		size_t size)
{
	memcpy(m->memory + MACHINE_ARGS + a->offset, from,
	       size < a->size ? size : a->size);
}

static void fill_args(struct machine *m, const struct kernel *kernel,
		      const unsigned int groups[3], const unsigned int local[3],
		      const uint64_t *args)
{
	uint32_t global[3];

	for (int d = 0; d < 3; d++)
		global[d] = groups[d] * local[d];
	memset(m->memory + MACHINE_ARGS, 0, 4096);
	for (const struct kernel_arg *a = kernel->args; a->type && args; a++) {
		if (!strcmp(a->type, "local_size") ||
		    !strcmp(a->type, "enqueued_local_size"))
			put(m, a, local, 12);
		else if (!strcmp(a->type, "group_count"))
			put(m, a, groups, 12);
		else if (!strcmp(a->type, "global_size"))
			put(m, a, global, 12);
		else if (a->index >= 0)
			put(m, a, &args[a->index], 8);
	}
}

/* Makes the surface state with the address and size of the hardware threads' scratch memory. */
static void make_scratch(struct machine *m, const struct kernel *kernel)
{
	const unsigned int threads = 64;
	uint32_t state[16] = {};
	unsigned int pitch = 1024;
	uint64_t va;

	if (!kernel->scratch)
		return;
	while (pitch < kernel->scratch)
		pitch *= 2;
	va = machine_alloc(m, (size_t)pitch * threads);
	state[0] = 6u << 29;
	state[2] = (threads - 1) & 0x7f;
	state[3] = pitch - 1;
	state[8] = (uint32_t)va;
	state[9] = va >> 32;
	memcpy(m->memory + MACHINE_STATE, state, sizeof(state));
	m->walker.scratch = MACHINE_STATE >> 6 << 10;
	m->walker.ssba = MACHINE_BASE;
}

int machine_run(struct machine *m, const struct kernel *kernel,
		const unsigned int groups[3], const unsigned int local[3],
		const uint64_t *args)
{
	unsigned int items = local[0] * local[1] * local[2];
	struct eu_walker *w = &m->walker;

	memset(w, 0, sizeof(*w));
	memcpy(m->memory + MACHINE_CODE, kernel->code, kernel->code_size);
	fill_args(m, kernel, groups, local, args);
	make_scratch(m, kernel);
	w->simd = kernel->simd;
	w->large_grf = kernel->grf == 256;
	w->threads_per_group = (items + kernel->simd - 1) / kernel->simd;
	w->last_thread_mask = items % kernel->simd ?
			      (1u << items % kernel->simd) - 1 : UINT32_MAX;
	for (int d = 0; d < 3; d++) {
		w->local_size[d] = local[d];
		w->end[d] = groups[d];
	}
	w->generate_local_ids = kernel->skip != 0;
	w->emit_local_ids = kernel->skip ? EU_EMIT_X | EU_EMIT_Y | EU_EMIT_Z : 0;
	w->indirect_start = MACHINE_ARGS;
	w->kernel = MACHINE_CODE + kernel->skip;
	w->gsba = MACHINE_BASE;
	w->iba = MACHINE_BASE;
	w->slm_size = kernel->slm;
	if (m->surfaces)
		w->ssba = MACHINE_BASE + m->surfaces;
	w->has_inline = kernel->inline_data != 0;
	memcpy(w->inline_data, &kernel->inline_data, sizeof(kernel->inline_data));
	w->dss_mask = 1;
	w->walk_order = m->walk_order;
	w->code_generation = m->code_generation;
	w->keep_denorms = true;
	memset(&m->counters, 0, sizeof(m->counters));
	return eu_run(w, &m->view, m->cache, m->host_threads, m->cancel, &m->counters, &m->stop);
}

uint64_t test_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

/* ---- single instructions ---- */

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
	/* Forget the instruction that was decoded from this address before. */
	eu_worker_free_program(b->w);
	memset(b->w->code, 0, sizeof(b->w->code));
	eu_tlb_begin(b->w);
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
