// SPDX-License-Identifier: MIT
/*
 * Fast handlers for control flow (caller: the run loop, and handlers for two instructions).
 * Most often all channels jump, or none does: if all jump to a join, no channel has to wait.
 */
#include "eu/fast/eu_fast_flow.h"

#include "eu/msg/eu_send.h"
#include "eu/state/eu_barrier.h"
#include "eu/state/eu_wait.h"

/*
 * Do the channels that jump wait at a join which is also the next instruction when no channel
 * is left? The join then releases all of them at once. A thread has to take the edge first.
 */
static bool jumps_to_join(const struct eu_op *op)
{
	return op->jump.one_target && op->jump.jip.to_join;
}

/* All channels jump to a join; it has nothing to do if no other channel waits. */
static struct eu_op *through_join(struct eu_thread *t, const struct eu_op *op)
{
	struct eu_op *join = eu_take(t, &op->jump.jip);

	if (!join || t->num_waits)
		return join;
	join->executed++;
	return eu_next(t, join);
}

static struct eu_op *forward(struct eu_thread *t, struct eu_op *op, uint32_t taken)
{
	if (!taken)
		return eu_next(t, op);
	if (taken == t->em && jumps_to_join(op))
		return through_join(t, op);
	eu_wait_at(t, taken, op->in.ip + op->in.uip);
	return t->em ? eu_next(t, op) : eu_branch(t, op, &op->jump.jip, op->in.jip);
}

/* In the backward form, channels that do not jump wait at JIP. */
static struct eu_op *backward(struct eu_thread *t, struct eu_op *op, uint32_t taken)
{
	uint32_t live = eu_channels(op, eu_enabled(t, op)) & t->em;

	if (!taken)
		return eu_next(t, op);
	eu_wait_at(t, live & ~taken, op->in.ip + op->in.jip);
	return eu_branch(t, op, &op->jump.uip, op->in.uip);
}

struct eu_op *eu_fast_goto_for(struct eu_thread *t, struct eu_op *op, uint32_t lanes)
{
	uint32_t taken = eu_channels(op, lanes) & t->em;

	return unlikely(op->jump.backward) ? backward(t, op, taken) : forward(t, op, taken);
}

struct eu_op *eu_fast_goto(struct eu_thread *t, struct eu_op *op)
{
	return eu_fast_goto_for(t, op, eu_live(t, op));
}

struct eu_op *eu_fast_signal(struct eu_thread *t, struct eu_op *op)
{
	if (unlikely(!eu_barrier_signal(t, eu_get32(t, op->barrier.payload))))
		return op->general(t, op);
	return eu_next(t, op);
}

struct eu_op *eu_fast_wait(struct eu_thread *t, struct eu_op *op)
{
	return eu_barrier_wait(t, op, op->barrier.ids);
}

struct eu_op *eu_fast_signal_wait(struct eu_thread *t, struct eu_op *op)
{
	struct eu_op *wait;

	if (unlikely(!eu_barrier_signal(t, eu_get32(t, op->barrier.payload))))
		return op->general(t, op);
	wait = eu_second(t, op);
	return eu_barrier_wait(t, wait, wait->barrier.ids);
}

static eu_exec *select_wait(struct eu_op *op)
{
	const struct eu_operand *s = &op->in.src[0];

	if (op->in.function != EU_BAR || (s->file != EU_IMM && !eu_is_null(s)))
		return NULL;
	op->barrier.ids = 1u << (s->imm & (EU_BARRIERS - 1));
	return eu_fast_wait;
}

static eu_exec *select_goto(struct eu_op *op)
{
	op->jump.backward = op->in.branch_ctrl;
	op->jump.one_target = op->in.jip == op->in.uip;
	return eu_fast_goto;
}

eu_exec *eu_fast_select_flow(struct eu_op *op)
{
	if (op->in.opcode == EU_OP_GOTO)
		return select_goto(op);
	if (op->in.opcode == EU_OP_SYNC)
		return select_wait(op);
	if (op->general != eu_exec_barrier_signal || op->in.eot || !eu_unmasked(op))
		return NULL;
	op->barrier.payload = op->in.src[0].reg * EU_REG_BYTES + 8;
	return eu_fast_signal;
}
