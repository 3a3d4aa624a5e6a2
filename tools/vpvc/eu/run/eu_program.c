// SPDX-License-Identifier: MIT
/*
 * Prepared code of a worker, used by its host thread alone. An instruction is decoded
 * when a thread first reaches it, never ahead, because zero fill and data follow the code.
 */
#include "eu/run/eu_program.h"

#include "eu/fast/eu_fast.h"
#include "eu/isa/eu_decode.h"
#include "eu/msg/eu_lsc.h"
#include "eu/msg/eu_memory.h"
#include "eu/msg/eu_send.h"
#include "eu/run/eu_alu.h"
#include "eu/run/eu_flow.h"
#include "eu/state/eu_region.h"
#include "eu/state/eu_worker.h"

/* A larger program is prepared anew for the next run. */
#define MAX_PROGRAM_BYTES	(16u << 20)

/* Is the machine code of a prepared instruction unchanged? */
static bool unchanged(struct eu_worker *w, const struct eu_op *op)
{
	uint64_t fault, va = w->run->walker->iba + op->in.ip;
	uint8_t now[16];

	return !op->fault_va && op->in.size && eu_mem_fetch(w, va, now, op->in.size, &fault) &&
	       !memcmp(now, op->code, op->in.size);
}

static bool program_unchanged(struct eu_worker *w)
{
	for (unsigned int b = 0; b < EU_CODE_BUCKETS; b++)
		for (struct eu_code_page *p = w->code[b]; p; p = p->next)
			for (unsigned int i = 0; i < EU_CODE_PAGE / 8; i++)
				if (p->ops[i] && !unchanged(w, p->ops[i]))
					return false;
	return true;
}

/* Has nothing invalidated instructions since the worker's last run? */
static bool keeps_program(const struct eu_worker *w)
{
	const struct eu_walker *walker = w->run->walker;

	return walker->code_generation && walker->code_generation == w->program_generation &&
	       walker->iba == w->program_iba;
}

/* Before a run: drop the prepared code unless it is kept, or all its machine code is unchanged. */
void eu_worker_check_program(struct eu_worker *w)
{
	if (w->program_bytes > MAX_PROGRAM_BYTES ||
	    (!keeps_program(w) && !program_unchanged(w)))
		eu_worker_free_program(w);
	w->program_generation = w->run->walker->code_generation;
	w->program_iba = w->run->walker->iba;
}

static struct eu_op *exec_bad(struct eu_thread *t, struct eu_op *op)
{
	return eu_thread_stop(t, op, EU_ILLEGAL, op->why);
}

static struct eu_op *exec_fetch_fault(struct eu_thread *t, struct eu_op *op)
{
	return eu_thread_fault(t, op, op->fault_va, false);
}

/* Stands for an instruction when the host has no memory to prepare it */
static struct eu_op *exec_no_memory(struct eu_thread *t, struct eu_op *op)
{
	return eu_thread_stop(t, op, EU_NO_MEMORY, "no host memory");
}

static struct eu_op no_memory_op = {
	.exec = {exec_no_memory, exec_no_memory},
};

static struct eu_op **slot(struct eu_worker *w, uint32_t ip)
{
	uint32_t base = ip & ~(uint32_t)(EU_CODE_PAGE - 1);
	struct eu_code_page **bucket = &w->code[base / EU_CODE_PAGE % EU_CODE_BUCKETS];
	struct eu_code_page *p;

	for (p = *bucket; p; p = p->next)
		if (p->base == base)
			return &p->ops[ip % EU_CODE_PAGE / 8];
	p = eu_worker_alloc(w, sizeof(*p));
	if (!p)
		return NULL;
	p->base = base;
	p->next = *bucket;
	*bucket = p;
	return &p->ops[ip % EU_CODE_PAGE / 8];
}

static void prepare(struct eu_worker *w, struct eu_op *op)
{
	struct eu_insn *in = &op->in;
	eu_exec *exec = NULL;

	op->n = in->exec_size;
	op->lanes = op->n == 32 ? UINT32_MAX : (1u << op->n) - 1;
	op->channel = in->channel;
	op->needs = (in->nomask ? 0 : (uint64_t)op->lanes << op->channel) |
		    (in->pred ? EU_NEVER : 0);
	op->pred = in->pred;
	op->pred_inv = in->pred_inv;
	op->flag = in->flag;
	op->flag_shift = (16 * in->flag_sub + in->channel) & 31;

	op->why = eu_prepare_operands(op);
	if (!op->why) {
		exec = eu_flow_select(op);
		if (!exec && !op->why)
			exec = eu_send_select(op);
		if (!exec && !op->why)
			exec = eu_alu_select(op);
		if (!exec && !op->why)
			op->why = "not implemented";
	}
	if (!exec) {
		op->exec[0] = op->exec[1] = op->general = exec_bad;
		return;
	}
	op->general = exec;
	op->exec[0] = eu_fast_select(w, op) ? : exec;
	/* Only the general path of floats flushes denormals. */
	op->exec[1] = eu_typeinfo[in->dst.type].is_float ? exec : op->exec[0];
}

static struct eu_op *load(struct eu_worker *w, uint32_t ip)
{
	struct eu_op **where = slot(w, ip), *op;
	uint64_t fault = 0, va = w->run->walker->iba + ip;
	uint8_t code[16] = {};
	const char *why = NULL;
	bool ok;

	if (!where)
		return &no_memory_op;
	if (*where)
		return *where;
	op = eu_worker_alloc(w, sizeof(*op));
	if (!op)
		return &no_memory_op;
	op->in.ip = ip;
	*where = op;
	if (ip % 8) {
		op->exec[0] = op->exec[1] = op->general = exec_bad;
		op->why = "misaligned instruction address";
		return op;
	}
	ok = eu_mem_fetch(w, va, code, 8, &fault);
	if (ok && !(code[3] & 0x20))
		ok = eu_mem_fetch(w, va + 8, code + 8, 8, &fault);
	if (!ok) {
		op->fault_va = fault;
		op->exec[0] = op->exec[1] = op->general = exec_fetch_fault;
		return op;
	}
	memcpy(op->code, code, sizeof(code));
	if (eu_decode(code, sizeof(code), ip, &op->in, &why)) {
		op->why = why;
		op->exec[0] = op->exec[1] = op->general = exec_bad;
		return op;
	}
	prepare(w, op);
	return op;
}

/*
 * Has an instruction no effect, because everything runs in order here? Compilers emit
 * many such (work-arounds, scoreboard waits); they are stepped over and only counted.
 */
static bool has_no_effect(const struct eu_op *op)
{
	const struct eu_insn *in = &op->in;

	if (op->why)
		return false;
	switch (in->opcode) {
	case EU_OP_NOP:
		return true;
	case EU_OP_SYNC:
		return in->function != EU_BAR && in->function != EU_HOST;
	case EU_OP_MOV:
		return eu_is_null(&in->dst) && !in->dst.indirect && !in->cond;
	case EU_OP_SEND: case EU_OP_SENDC:
		return eu_lsc_is_local_fence(in);
	default:
		return false;
	}
}

/* The first instruction with an effect from @ip on; *@cost: instructions stepped over. */
struct eu_op *eu_fetch(struct eu_worker *w, uint32_t ip, uint32_t *cost)
{
	struct eu_op *op = load(w, ip);

	*cost = 0;
	while (has_no_effect(op) && *cost < EU_QUANTUM) {
		++*cost;
		op = load(w, op->in.ip + op->in.size);
	}
	return op;
}
