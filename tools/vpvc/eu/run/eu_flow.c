// SPDX-License-Identifier: MIT
/*
 * Control flow: handlers for branches and sync, chosen by eu_program.c and run on a
 * worker's host thread. A channel that leaves the others waits at an address; a join,
 * endif or while at that address puts the channel back into the execution mask. There is
 * no stack.
 */
#include "eu/run/eu_flow.h"

#include "eu/state/eu_barrier.h"
#include "eu/state/eu_wait.h"

static struct eu_op *exec_goto(struct eu_thread *t, struct eu_op *op)
{
	uint32_t taken = eu_channels(op, eu_live(t, op)) & t->em;

	if (!taken)
		return eu_next(t, op);
	eu_wait_at(t, taken, op->in.ip + op->in.uip);
	return t->em ? eu_next(t, op) : eu_branch(t, op, &op->jump.jip, op->in.jip);
}

/* In the backward form, channels that do not jump wait at JIP. */
static struct eu_op *exec_goto_back(struct eu_thread *t, struct eu_op *op)
{
	uint32_t live = eu_channels(op, eu_enabled(t, op)) & t->em;
	uint32_t taken = eu_channels(op, eu_live(t, op)) & t->em;

	if (!taken)
		return eu_next(t, op);
	eu_wait_at(t, live & ~taken, op->in.ip + op->in.jip);
	return eu_branch(t, op, &op->jump.uip, op->in.uip);
}

static struct eu_op *exec_join(struct eu_thread *t, struct eu_op *op)
{
	eu_release_at(t, op->in.ip);
	if (!t->em)
		return eu_branch(t, op, &op->jump.jip, op->in.jip);
	return eu_next(t, op);
}

static struct eu_op *exec_jmpi(struct eu_thread *t, struct eu_op *op)
{
	if (op->pred && !(eu_predicate(t, op) & 1))
		return eu_next(t, op);
	return eu_branch(t, op, &op->jump.jip, op->in.jip);
}

/*
 * Compilers emit a scalar while only to poll n0 for a barrier. It always gives way,
 * because the other threads of the group must signal first.
 */
static struct eu_op *exec_while_scalar(struct eu_thread *t, struct eu_op *op)
{
	if (op->pred && !(eu_predicate(t, op) & 1))
		return eu_next(t, op);
	t->limit = t->instructions;
	return eu_branch(t, op, &op->jump.jip, op->in.jip);
}

/* Continue at a computed address */
static struct eu_op *jump(struct eu_thread *t, uint32_t ip)
{
	return eu_go(t, &t->jump, ip, EU_WAY_BRANCH);
}

/*
 * A structured branch with no channel left goes to an address where channels may wait,
 * and releases them; a while at that address releases them itself.
 */
static struct eu_op *leave(struct eu_thread *t, const struct eu_edge *edge, uint32_t ip)
{
	if (edge->op->in.opcode != EU_OP_WHILE)
		eu_release_at(t, ip);
	return eu_take(t, edge);
}

static struct eu_op *leave_or_next(struct eu_thread *t, struct eu_op *op)
{
	struct eu_edge *jip = &op->jump.jip;
	uint32_t ip = op->in.ip + op->in.jip;

	if (t->em)
		return eu_next(t, op);
	return jip->op ? leave(t, jip, ip) : eu_go(t, jip, ip, EU_WAY_LEAVE);
}

/* The run loop has fetched @edge: returns the next instruction, or NULL. */
struct eu_op *eu_flow_take(struct eu_thread *t, const struct eu_edge *edge)
{
	switch (t->way) {
	case EU_WAY_BRANCH:
		return eu_take(t, edge);
	case EU_WAY_LEAVE:
		return leave(t, edge, t->edge_ip);
	default:
		t->instructions += edge->cost;
		return edge->op;
	}
}

/* Channels that are not taken wait at JIP: behind the else, or at the endif. */
static struct eu_op *exec_if(struct eu_thread *t, struct eu_op *op)
{
	uint32_t live = eu_channels(op, eu_enabled(t, op)) & t->em;
	uint32_t taken = eu_channels(op, eu_live(t, op)) & t->em;

	eu_wait_at(t, live & ~taken, op->in.ip + op->in.jip);
	return leave_or_next(t, op);
}

/* Channels of the first part wait for the endif, and those of the second part run. */
static struct eu_op *exec_else(struct eu_thread *t, struct eu_op *op)
{
	eu_wait_at(t, eu_channels(op, eu_enabled(t, op)) & t->em, op->in.ip + op->in.uip);
	eu_release_at(t, op->in.ip);
	eu_release_at(t, op->in.ip + op->in.size);
	return leave_or_next(t, op);
}

static struct eu_op *exec_endif(struct eu_thread *t, struct eu_op *op)
{
	eu_release_at(t, op->in.ip);
	return leave_or_next(t, op);
}

/*
 * break, cont, halt and brc: taken channels wait at UIP, which is the while of the loop
 * for break and cont.
 */
static struct eu_op *exec_break(struct eu_thread *t, struct eu_op *op)
{
	uint32_t taken = eu_channels(op, eu_live(t, op)) & t->em;

	eu_wait_at(t, taken, op->in.ip + op->in.uip);
	if (op->in.opcode == EU_OP_BREAK)
		t->broken |= taken;
	return leave_or_next(t, op);
}

static struct eu_op *exec_while(struct eu_thread *t, struct eu_op *op)
{
	uint32_t live, taken;

	/* Channels that wait by cont come back, those that wait by break do not. */
	eu_release_some(t, op->in.ip, ~t->broken);
	live = eu_channels(op, eu_enabled(t, op)) & t->em;
	taken = eu_channels(op, eu_live(t, op)) & t->em;
	if (taken) {
		eu_wait_at(t, live & ~taken, op->in.ip);
		t->broken |= live & ~taken;
		return eu_branch(t, op, &op->jump.jip, op->in.jip);
	}
	eu_release_at(t, op->in.ip);
	eu_release_at(t, op->in.ip + op->in.size);
	return eu_next(t, op);
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

/* Channels that do not jump wait behind the branch. */
static struct eu_op *exec_brd(struct eu_thread *t, struct eu_op *op)
{
	uint32_t live = eu_channels(op, eu_enabled(t, op)) & t->em;
	uint32_t taken = eu_channels(op, eu_live(t, op)) & t->em;
	uint32_t target = op->in.ip + op->in.jip;

	if (!taken)
		return eu_next(t, op);
	if (op->in.jip_reg)
		target = op->in.ip + eu_get32(t, source_off(op));
	eu_wait_at(t, live & ~taken, op->in.ip + op->in.size);
	eu_release_at(t, target);
	return jump(t, target);
}

/* JIP and UIP in two dwords */
static struct eu_op *exec_brc_register(struct eu_thread *t, struct eu_op *op)
{
	uint32_t taken = eu_channels(op, eu_live(t, op)) & t->em;
	uint32_t jip = op->in.ip + eu_get32(t, source_off(op));

	eu_wait_at(t, taken, op->in.ip + eu_get32(t, source_off(op) + 4));
	if (t->em)
		return eu_next(t, op);
	eu_release_at(t, jip);
	return jump(t, jip);
}

/* call and calla leave the return address and the mask in two dwords. */
static struct eu_op *exec_call(struct eu_thread *t, struct eu_op *op)
{
	uint32_t taken = eu_channels(op, eu_live(t, op)) & t->em;
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

/* Channels may return one after another; the last return lets all of them go on. */
static struct eu_op *exec_ret(struct eu_thread *t, struct eu_op *op)
{
	uint32_t taken = eu_channels(op, eu_live(t, op)) & t->em;
	uint32_t to = eu_get32(t, source_off(op));

	if (!taken)
		return eu_next(t, op);
	if (taken != t->em) {
		eu_wait_at(t, taken, to);
		return eu_next(t, op);
	}
	t->em = eu_get32(t, source_off(op) + 4);
	for (unsigned int i = t->num_waits; i-- > 0;)
		eu_stop_waiting(t, &t->waits[i], t->em);
	return jump(t, to);
}

static struct eu_op *exec_barrier_wait(struct eu_thread *t, struct eu_op *op)
{
	const struct eu_operand *s = &op->in.src[0];

	/* null and 0 both name the barrier of the work-group. */
	return eu_barrier_wait(t, op, 1u << (s->imm & (EU_BARRIERS - 1)));
}

/* A flag register is a mask of barriers. */
static struct eu_op *exec_barrier_wait_mask(struct eu_thread *t, struct eu_op *op)
{
	return eu_barrier_wait(t, op, eu_flag(t, op->in.src[0].reg & 3));
}

/* sync.host: n0.1 counts notifications of the host, which sends none to this model. */
static struct eu_op *exec_host_wait(struct eu_thread *t, struct eu_op *op)
{
	uint32_t notified = eu_get32(t, EU_ARF_SLOT(EU_N0) + 4);

	if (notified) {
		eu_put32(t, EU_ARF_SLOT(EU_N0) + 4, notified - 1);
		return eu_next(t, op);
	}
	op->executed--;
	t->waits_for_host = true;
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
		if (op->in.src[0].file == EU_IMM || eu_is_null(&op->in.src[0]))
			return exec_barrier_wait;
		if (eu_is_arf(&op->in.src[0], EU_FLAG))
			return exec_barrier_wait_mask;
		op->why = "barrier mask is not in a flag register";
		return NULL;
	case EU_HOST:
		return exec_host_wait;
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

static eu_exec *select_nop(struct eu_op *op)
{
	(void)op;
	return exec_nothing;
}

static eu_exec *select_jmpi(struct eu_op *op)
{
	return op->in.jip_reg ? exec_jmpi_register : exec_jmpi;
}

static eu_exec *select_brd(struct eu_op *op)
{
	(void)op;
	return exec_brd;
}

static eu_exec *select_brc(struct eu_op *op)
{
	return op->in.jip_reg ? exec_brc_register : exec_break;
}

/* Structured branches have immediate targets. */
static eu_exec *select_if(struct eu_op *op)
{
	return op->in.jip_reg ? NULL : exec_if;
}

static eu_exec *select_else(struct eu_op *op)
{
	return op->in.jip_reg ? NULL : exec_else;
}

static eu_exec *select_endif(struct eu_op *op)
{
	return op->in.jip_reg ? NULL : exec_endif;
}

static eu_exec *select_break(struct eu_op *op)
{
	return op->in.jip_reg ? NULL : exec_break;
}

static eu_exec *select_while(struct eu_op *op)
{
	if (op->in.jip_reg)
		return NULL;
	return op->in.exec_size == 1 && op->in.nomask ? exec_while_scalar : exec_while;
}

static eu_exec *select_goto(struct eu_op *op)
{
	if (op->in.jip_reg)
		return NULL;
	return op->in.branch_ctrl ? exec_goto_back : exec_goto;
}

static eu_exec *select_join(struct eu_op *op)
{
	return op->in.jip_reg ? NULL : exec_join;
}

static eu_exec *select_call(struct eu_op *op)
{
	if (!pair_fits(&op->in.dst))
		return NULL;
	op->dst_off = op->in.dst.reg * EU_REG_BYTES + op->in.dst.sub;
	return exec_call;
}

static eu_exec *select_ret(struct eu_op *op)
{
	(void)op;
	return exec_ret;
}

static const struct {
	eu_exec *(*select)(struct eu_op *op);
} flow[EU_OPCODES] = {
#define EU_OPCODE(code, NAME, text, format, modifiers, kind, slow, fast) \
	[code] = { SLOW_##kind(slow) },
#define SLOW_FLOW(f)	select_##f
#include "eu/isa/eu_opcodes.def"
};

/* Returns NULL if @op is no control flow, or cannot run (op->why). */
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
	return flow[in->opcode].select ? flow[in->opcode].select(op) : NULL;
}
