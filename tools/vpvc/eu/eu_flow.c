/* SPDX-License-Identifier: MIT */
/*
 * Control flow. A channel that leaves the others waits at an address; the join
 * at that address puts it back into the execution mask. There is no stack.
 */
#include "eu_core.h"

static uint32_t channels(const struct eu_op *op, uint32_t lanes)
{
	return lanes << op->channel;
}

static void wait_at(struct eu_thread *t, uint32_t mask, uint32_t ip)
{
	t->waiting |= mask;
	t->em &= ~mask;
	while (mask) {
		t->wait_ip[__builtin_ctz(mask)] = ip;
		mask &= mask - 1;
	}
}

static struct eu_op *exec_goto(struct eu_thread *t, struct eu_op *op)
{
	uint32_t taken = channels(op, eu_live(t, op)) & t->em;

	if (taken) {
		wait_at(t, taken, op->in.ip + op->in.uip);
		if (!t->em)
			return eu_branch(t, op, &op->jip, op->in.jip);
	}
	return eu_next(t, op);
}

/* The backward form: the channels that do not jump wait at JIP. */
static struct eu_op *exec_goto_back(struct eu_thread *t, struct eu_op *op)
{
	uint32_t live = channels(op, eu_enabled(t, op)) & t->em;
	uint32_t taken = channels(op, eu_live(t, op)) & t->em;

	if (!taken)
		return eu_next(t, op);
	wait_at(t, live & ~taken, op->in.ip + op->in.jip);
	return eu_branch(t, op, &op->uip, op->in.uip);
}

static struct eu_op *exec_join(struct eu_thread *t, struct eu_op *op)
{
	uint32_t rest = t->waiting;

	for (; rest; rest &= rest - 1) {
		unsigned int l = __builtin_ctz(rest);

		if (t->wait_ip[l] == op->in.ip) {
			t->waiting &= ~(1u << l);
			t->em |= 1u << l;
		}
	}
	if (!t->em)
		return eu_branch(t, op, &op->jip, op->in.jip);
	return eu_next(t, op);
}

static struct eu_op *exec_jmpi(struct eu_thread *t, struct eu_op *op)
{
	if (op->pred && !(eu_predicate(t, op) & 1))
		return eu_next(t, op);
	return eu_branch(t, op, &op->jip, op->in.jip);
}

/*
 * Compilers emit while only as the poll of n0 before a barrier, so it always
 * gives way: the other threads of the group have to signal first.
 */
static struct eu_op *exec_while_scalar(struct eu_thread *t, struct eu_op *op)
{
	if (op->pred && !(eu_predicate(t, op) & 1))
		return eu_next(t, op);
	t->limit = t->instructions;
	return eu_branch(t, op, &op->jip, op->in.jip);
}

/* Continue at a computed address */
static struct eu_op *jump(struct eu_thread *t, uint32_t ip)
{
	struct eu_edge edge = {};

	eu_follow(t, &edge, ip);
	t->instructions += edge.cost;
	if (t->instructions < t->limit)
		return edge.op;
	t->op = edge.op;
	return NULL;
}

static unsigned int source_off(const struct eu_op *op)
{
	return op->in.src[0].reg * EU_REG_BYTES + op->in.src[0].sub;
}

static struct eu_op *exec_jmpi_register(struct eu_thread *t, struct eu_op *op)
{
	if (op->pred && !(eu_predicate(t, op) & 1))
		return eu_next(t, op);
	return jump(t, op->in.ip + eu_get32(t, source_off(op)));
}

/* call and calla leave the return address and the mask in two dwords. */
static struct eu_op *exec_call(struct eu_thread *t, struct eu_op *op)
{
	uint32_t taken = channels(op, eu_live(t, op)) & t->em;
	uint32_t target = op->in.jip;

	if (!taken)
		return eu_next(t, op);
	if (op->in.jip_reg)
		target = eu_get32(t, source_off(op));
	if (op->in.opcode == EU_OP_CALL)
		target += op->in.ip;
	eu_put32(t, op->dst_off, op->in.ip + op->in.size);
	eu_put32(t, op->dst_off + 4, t->em);
	t->em = taken;
	return jump(t, target);
}

static struct eu_op *exec_ret(struct eu_thread *t, struct eu_op *op)
{
	uint32_t taken = channels(op, eu_live(t, op)) & t->em;

	if (!taken)
		return eu_next(t, op);
	if (taken != t->em)
		return eu_thread_stop(t, op, EU_ILLEGAL,
				      "return of some channels only is not implemented");
	t->em = eu_get32(t, source_off(op) + 4);
	return jump(t, eu_get32(t, source_off(op)));
}

/* sync.bar: the barrier that the immediate names has to have completed. */
static struct eu_op *exec_barrier_wait(struct eu_thread *t, struct eu_op *op)
{
	const struct eu_operand *s = &op->in.src[0];
	unsigned int id = s->imm & (EU_BARRIERS - 1);

	if (t->notified >> id & 1) {
		t->notified &= ~(1u << id);
		return eu_next(t, op);
	}
	/* It runs again when it can complete, and counts then. */
	t->worker->counters.opcodes[op->in.opcode]--;
	t->wait_barrier = id;
	t->status = EU_T_BARRIER;
	t->op = op;
	return NULL;
}

static struct eu_op *exec_nothing(struct eu_thread *t, struct eu_op *op)
{
	return eu_next(t, op);
}

static eu_exec *select_sync(struct eu_op *op)
{
	switch (op->in.function) {
	case EU_SYNC_NOP: case EU_ALLRD: case EU_ALLWR: case EU_FENCE:
		return exec_nothing;
	case EU_BAR:
		if (op->in.src[0].file == EU_IMM)
			return exec_barrier_wait;
		op->why = "barrier mask in a flag register is not implemented";
		return NULL;
	case EU_HOST:
		op->why = "nobody notifies from the host";
		return NULL;
	default:
		op->why = "no such synchronisation";
		return NULL;
	}
}

/* Register operands of branches: a general register with room for the pair */
static bool pair_fits(const struct eu_operand *o)
{
	return o->file == EU_GRF && o->sub <= EU_REG_BYTES - 8;
}

/* NULL when the instruction is no control flow, or cannot run (op->why). */
eu_exec *eu_flow_select(struct eu_op *op)
{
	const struct eu_insn *in = &op->in;

	if (in->channel + in->exec_size > EU_MAX_LANES) {
		op->why = "channels beyond 31";
		return NULL;
	}
	if (in->jip_reg && !pair_fits(&in->src[0])) {
		op->why = "branch target register not implemented";
		return NULL;
	}
	switch (in->opcode) {
	case EU_OP_NOP:
		return exec_nothing;
	case EU_OP_SYNC:
		return select_sync(op);
	case EU_OP_JMPI:
		return in->jip_reg ? exec_jmpi_register : exec_jmpi;
	case EU_OP_WHILE:
		if (in->exec_size == 1 && in->nomask && !in->jip_reg)
			return exec_while_scalar;
		return NULL;
	case EU_OP_GOTO:
		if (in->jip_reg)
			return NULL;
		return in->branch_ctrl ? exec_goto_back : exec_goto;
	case EU_OP_JOIN:
		return in->jip_reg ? NULL : exec_join;
	case EU_OP_CALL: case EU_OP_CALLA:
		if (!pair_fits(&in->dst))
			return NULL;
		op->dst_off = in->dst.reg * EU_REG_BYTES + in->dst.sub;
		return exec_call;
	case EU_OP_RET:
		return exec_ret;
	default:
		return NULL;
	}
}
