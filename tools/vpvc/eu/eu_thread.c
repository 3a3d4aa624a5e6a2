/* SPDX-License-Identifier: MIT */
/*
 * One hardware thread: what the dispatcher writes before it starts, its run
 * loop, and how it stops.
 */
#include <fenv.h>
#include <stdio.h>

#include "eu_core.h"

/* The first stop of a run is the one that is reported. */
static struct eu_op *report(struct eu_thread *t, const struct eu_op *op,
			    enum eu_reason reason, uint64_t va, bool write,
			    const char *what)
{
	struct eu_run_state *run = t->worker->run;
	struct eu_stop *stop = &run->stop;
	char text[160] = "";
	bool expected = false;

	t->status = EU_T_STOPPED;
	if (!atomic_compare_exchange_strong(&run->stopped, &expected, true))
		return NULL;
	stop->reason = reason;
	stop->ip = op->in.ip;
	stop->va = va;
	stop->write = write;
	if (op->in.size && op->in.exec_size)
		eu_print(&op->in, text, sizeof(text));
	else if (op->in.size)
		snprintf(text, sizeof(text), "opcode 0x%02x", op->in.opcode);
	snprintf(stop->text, sizeof(stop->text), "%s%s%s", text,
		 text[0] ? ": " : "", what);
	return NULL;
}

struct eu_op *eu_thread_stop(struct eu_thread *t, struct eu_op *op,
			     enum eu_reason reason, const char *what)
{
	return report(t, op, reason, 0, false, what);
}

struct eu_op *eu_thread_fault(struct eu_thread *t, struct eu_op *op,
			      uint64_t va, bool write)
{
	char what[64];

	snprintf(what, sizeof(what), "page fault, %s 0x%llx",
		 write ? "write" : "read", (unsigned long long)va);
	return report(t, op, EU_FAULT, va, write, what);
}

/* Bits [5:4] of cr0.0 rule every rounding; the host is set to the same. */
void eu_thread_cr0_changed(struct eu_thread *t)
{
	static const int modes[4] = {
		FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO
	};
	uint32_t cr0 = eu_get32(t, EU_ARF_SLOT(EU_CR));
	uint32_t keep = EU_CR0_KEEP_DF | EU_CR0_KEEP_F | EU_CR0_KEEP_HF;
	int mode;

	t->slow = (cr0 & keep) != keep;
	mode = modes[cr0 >> EU_CR0_ROUND_SHIFT & 3];
	if (mode == t->worker->rounding)
		return;
	fesetround(mode);
	t->worker->rounding = mode;
}

/* sr0.0: thread [2:0], EU [5:4] and [8], sub-slice [11:9], slice [14:12] */
uint32_t eu_hardware_id(const struct eu_walker *walker, unsigned int slot)
{
	uint64_t mask = walker->dss_mask ? : UINT64_MAX;
	unsigned int dss = slot / 64, eu = slot / 8 % 8, n = 0;

	for (n = 0; n < 64; n++)
		if (mask >> n & 1 && !dss--)
			break;
	return (slot & 7) | (eu & 3) << 4 | (eu >> 2) << 8 |
	       (n & 7) << 9 | (n >> 3 & 7) << 12;
}

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
	/* barrier messages take the count from r0.11:ub, r0.2 [31:24] */
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

/* Registers other than the payload keep what the last thread left. */
void eu_thread_start(struct eu_thread *t, struct eu_group *g, unsigned int number)
{
	const struct eu_walker *walker = t->worker->run->walker;
	uint32_t all = walker->simd == 32 ? UINT32_MAX : (1u << walker->simd) - 1;
	uint32_t mask = all, cost;

	if (number == walker->threads_per_group - 1)
		mask &= walker->last_thread_mask;
	memset(t->regs + EU_ARF_OFF, 0, EU_ARF_SLOT(16) - EU_ARF_OFF);
	t->group = g;
	t->em = mask;
	t->waiting = 0;
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
	/* dbg0.1 tells where the thread began */
	eu_put32(t, EU_ARF_SLOT(EU_DBG) + 4, walker->kernel);
	t->edge = NULL;
	t->op = eu_fetch(t->worker, walker->kernel, &cost);
	t->instructions = cost + 1;
	t->worker->counters.threads++;
}

/* The instruction at the end of a new edge. Who takes the edge pays its cost. */
static struct eu_op *follow(struct eu_thread *t)
{
	struct eu_edge *edge = t->edge;

	t->edge = NULL;
	edge->op = eu_fetch(t->worker, t->edge_ip, &edge->cost);
	edge->cost++;
	return eu_flow_take(t, edge);
}

/* Run until the thread ends, waits, stops, or has used its quantum. */
void eu_thread_run(struct eu_thread *t)
{
	struct eu_op *op = t->op;

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
