// SPDX-License-Identifier: MIT
/*
 * One hardware thread: the payload that the dispatcher writes before the start, and the
 * run loop. eu_group.c calls both on the worker's host thread.
 */
#include "eu/run/eu_thread.h"

#include <stddef.h>

#include "eu/fast/eu_fast.h"
#include "eu/run/eu_flow.h"
#include "eu/run/eu_program.h"

static void write_header(struct eu_thread *t, const struct eu_group *g,
			 unsigned int number)
{
	const struct eu_walker *walker = t->worker->run->walker;

	memset(t->regs, 0, EU_REG_BYTES);
	eu_put32(t, 0, walker->indirect_start & ~63u);
	eu_put32(t, 4, g->id[0]);
	eu_put32(t, 8, number | walker->threads_per_group << 24);
	eu_put32(t, 20, walker->scratch & ~0x3ffu);
	eu_put32(t, 24, g->id[1]);
	eu_put32(t, 28, g->id[2]);
	/* Barrier messages take the count of threads from r0.2 [31:24]. */
}

static void write_payload(struct eu_thread *t, unsigned int number)
{
	const struct eu_walker *walker = t->worker->run->walker;
	unsigned int reg = 1;

	if (walker->generate_local_ids) {
		for (int d = 0; d < 3; d++) {
			if (!(walker->emit_local_ids >> d & 1))
				continue;
			memcpy(t->regs + reg * EU_REG_BYTES,
			       t->worker->local_ids[number][d], EU_REG_BYTES);
			reg++;
		}
	}
	if (walker->has_inline)
		memcpy(t->regs + reg * EU_REG_BYTES, walker->inline_data,
		       sizeof(walker->inline_data));
}

/*
 * Clear the architecture registers that instructions write. The others are constant, or each
 * read computes them first; not to touch them keeps the cache of the host for the rest.
 */
static void clear_written(struct eu_thread *t)
{
	static const uint8_t written[] = { EU_A0, EU_FLAG, EU_CR, EU_N0, EU_DBG };

#pragma GCC unroll 5
	for (unsigned int i = 0; i < sizeof(written); i++)
		memset(t->regs + EU_ARF_SLOT(written[i]), 0, EU_REG_BYTES);
}

/* Start a thread. General registers behind the payload keep their last values. */
void eu_thread_start(struct eu_thread *t, struct eu_group *g, unsigned int number)
{
	struct eu_worker *w = t->worker;
	const struct eu_walker *walker = w->run->walker;
	uint32_t all = walker->simd == 32 ? UINT32_MAX : (1u << walker->simd) - 1;
	uint32_t mask = all;

	if (number == walker->threads_per_group - 1)
		mask &= walker->last_thread_mask;
	clear_written(t);
	t->group = g;
	t->number = number;
	t->em = mask;
	t->num_waits = 0;
	t->broken = 0;
	t->notified = 0;
	t->waits_for_host = false;
	t->wide_valid = false;
	t->instructions = 0;
	t->status = EU_T_READY;
	write_header(t, g, number);
	write_payload(t, number);
	eu_put32(t, EU_ARF_SLOT(EU_SR), t->hardware_id);
	eu_put32(t, EU_ARF_SLOT(EU_SR) + 4, walker->tile << 8 | walker->engine << 16);
	eu_put32(t, EU_ARF_SLOT(EU_SR) + 8, mask);
	eu_put32(t, EU_ARF_SLOT(EU_CR), walker->alt_float | walker->rounding << 4);
	eu_thread_cr0_changed(t);
	/* dbg0.1 has the start address of the thread. */
	eu_put32(t, EU_ARF_SLOT(EU_DBG) + 4, walker->kernel);
	t->edge = NULL;
	if (!w->entry.op)
		w->entry.op = eu_fetch(w, walker->kernel, &w->entry.cost);
	t->op = w->entry.op;
	t->instructions = w->entry.cost + 1;
	w->counters.threads++;
}

/* Fetch the target of a new edge and take the edge. */
static struct eu_op *follow(struct eu_thread *t)
{
	struct eu_edge *edge = t->edge;

	t->edge = NULL;
	edge->op = eu_fetch(t->worker, t->edge_ip, &edge->cost);
	edge->cost++;
	edge->to_join = edge->op->in.opcode == EU_OP_JOIN;
	if (t->way == EU_WAY_NEXT)
		eu_fast_join((struct eu_op *)((char *)edge - offsetof(struct eu_op, next)));
	return eu_flow_take(t, edge);
}

/* Run until the thread ends, waits, stops, or has used its quantum. */
void eu_thread_run(struct eu_thread *t)
{
	struct eu_op *op = t->op;

	if (t->rounding != t->worker->rounding)
		eu_thread_cr0_changed(t);
	t->limit = t->instructions + EU_QUANTUM;
	do {
		while (op) {
			op->executed++;
			op = op->exec[t->slow](t, op);
		}
		if (t->edge)
			op = follow(t);
	} while (op);
}
