// SPDX-License-Identifier: MIT
/*
 * The command streamer: fetches commands from the ring and batches, finds them in the
 * tables, runs them, and decides between commands whether to go on. execlist.c calls it on
 * the engine's thread.
 */
#include "cs/cs.h"

#include "card.h"
#include "core/freq.h"
#include "core/inject.h"
#include "core/strict.h"
#include "cs/blt.h"
#include "cs/command.h"
#include "cs/compute.h"
#include "cs/cs_mem.h"
#include "cs/cs_state.h"
#include "cs/mi.h"
#include "pvc_gfx_commands.h"
#include "pvc_mi_commands.h"

/* ---- fetch ---- */

static uint32_t ring_offset(struct cs *cs)
{
	return (uint32_t)cs->ctx.s.addr[0];
}

/* Fetch dwords behind the current position; a command may wrap around the ring's end. */
static enum cs_result fetch(struct cs *cs, unsigned int skip, unsigned int dwords)
{
	uint32_t *to = cs->batch.cmd + skip;
	enum cs_result r;

	if (cs->ctx.s.level)
		return cs_read(cs, cs->ctx.s.ggtt & (1u << cs->ctx.s.level),
			       cs->ctx.s.addr[cs->ctx.s.level] + 4ull * skip, to, 4ull * dwords);

	uint32_t off = (ring_offset(cs) + 4 * skip) % cs->ctx.ring_size;
	uint32_t first = cs->ctx.ring_size - off;

	if (first > 4 * dwords)
		first = 4 * dwords;
	r = cs_read(cs, true, cs->ctx.ring_start + (uint64_t)off, to, first);
	if (r == CS_OK && first < 4 * dwords)
		r = cs_read(cs, true, cs->ctx.ring_start, to + first / 4, 4ull * dwords - first);
	return r;
}

static void advance(struct cs *cs, unsigned int dwords)
{
	cs->ctx.s.addr[cs->ctx.s.level] += 4ull * dwords;
	if (cs->ctx.s.level == 0 && cs->ctx.s.addr[0] >= cs->ctx.ring_size) {
		cs->ctx.s.addr[0] -= cs->ctx.ring_size;
		cs->ctx.wraps++;
		cs->batch.arb_point = true;
	}
}

/* Bytes between here and the tail. */
static uint32_t ring_left(struct cs *cs)
{
	return (cs->ctx.tail + cs->ctx.ring_size - ring_offset(cs)) % cs->ctx.ring_size;
}

static void show_position(struct cs *cs)
{
	uint64_t act = cs->ctx.s.addr[cs->ctx.s.level];

	if (cs->ctx.s.level == 0) {
		act += cs->ctx.ring_start;
		cs_set_reg(cs, PVC_RING_HEAD(0),
			   (cs->ctx.wraps << 21) | (ring_offset(cs) & PVC_RING_HEAD_MASK));
		cs_set_reg(cs, PVC_RING_BBADDR(0), 0);
	} else {
		cs_set_reg(cs, PVC_RING_BBADDR(0), PVC_LOWER_32(act) | PVC_BBADDR_VALID);
		cs_set_reg(cs, PVC_RING_BBADDR_UDW(0), PVC_UPPER_32(act));
	}
	cs_set_reg(cs, PVC_RING_ACTHD(0), PVC_LOWER_32(act));
	cs_set_reg(cs, PVC_RING_ACTHD_UDW(0), PVC_UPPER_32(act));
}

/* ---- decode ---- */

static const struct cs_command *find_in(const struct cs_command *table, uint32_t header)
{
	for (; table->name; table++)
		if ((header & table->mask) == table->value)
			return table;
	return NULL;
}

static const struct cs_command *find_command(uint32_t header)
{
	switch (PVC_FIELD_GET(PVC_CMD_TYPE, header)) {
	case PVC_CMD_TYPE_MI:
		return find_in(mi_commands, header);
	case PVC_CMD_TYPE_BLT:
		return find_in(blt_commands, header);
	case PVC_CMD_TYPE_GFX:
		return find_in(compute_commands, header);
	}
	return NULL;
}

static bool engine_has(struct cs *cs, const struct cs_command *c)
{
	return c->flags & (cs->e->class == PVC_CLASS_CCS ? CMD_CCS : CMD_BCS);
}

/*
 * The known per-context batches hold MI commands and blits (prelim i915: gt/intel_lrc.c,
 * xehp_emit_per_ctx_bb). A PIPE_CONTROL has a precedent in the indirect context's batch alone.
 */
static bool allowed_here(struct cs *cs)
{
	return !cs->batch.in_per_ctx || !card_punishes(cs->card, STRICT_COMMANDS) ||
	       PVC_FIELD_GET(PVC_CMD_TYPE, cs->batch.cmd[0]) != PVC_CMD_TYPE_GFX;
}

/* An injected hang: earlier commands are complete, so their interrupt is delivered. */
static enum cs_result stop_dead(struct cs *cs)
{
	cs_flush_irq(cs);
	return cs_hang(cs);
}

/* Run one command. Its function runs with the position behind the command. */
static enum cs_result execute(struct cs *cs)
{
	unsigned int level = cs->ctx.s.level, len = 1;
	uint64_t at = cs->ctx.s.addr[level];
	uint32_t wraps = cs->ctx.wraps;
	const struct cs_command *c;
	enum cs_result r;
	unsigned int us;

	cs->batch.insn_level = level;
	cs->batch.insn_addr = at;
	show_position(cs);
	r = fetch(cs, 0, 1);
	if (r != CS_OK)
		return r;
	cs_set_reg(cs, PVC_RING_IPEHR(0), cs->batch.cmd[0]);

	c = find_command(cs->batch.cmd[0]);
	if (!c)
		return cs_error(cs, "unimplemented: unknown command");
	if (!engine_has(cs, c))
		return cs_error(cs, "%s: not a command of this engine", c->name);
	if (!allowed_here(cs))
		return cs_error(cs, "%s: per-context batches hold MI and BLT commands alone",
				c->name);
	if (c->len_mask)
		len = PVC_FIELD_GET(c->len_mask, cs->batch.cmd[0]) + 2;
	if (len < c->min || len > c->max)
		return cs_error(cs, "%s: length %u dwords is none of its forms", c->name, len);
	if (level == 0 && 4 * len > ring_left(cs))
		return cs_error(cs, "%s: tail %#x is inside the command", c->name, cs->ctx.tail);
	/*
	 * The user interrupt of a job is held over the one-dword commands that follow: if
	 * the ring is empty then, the port is free before the driver learns of the job.
	 * Execlist drivers rely on this order.
	 */
	if (len > 1) {
		cs_flush_irq(cs);
		r = fetch(cs, 1, len - 1);
		if (r != CS_OK)
			return r;
	}

	if (!cs->batch.again && inject_hang(cs->e, false))
		return stop_dead(cs);
	us = inject_delay(cs->e);
	if (us)
		cs_sleep(cs, us);
	counter_add(&cs->e->cnt.commands, 1);
	cs->batch.arb_point = false;
	advance(cs, len);
	if (cs->ctx.s.noop && !(c->flags & CMD_CONTROL))
		return CS_OK;
	if ((c->flags & CMD_PRIVILEGED) && !cs_privileged(cs)) {
		cs_log(cs, "%s in a user's batch, dropped", c->name);
		return CS_OK;
	}
	r = c->run(cs, cs->batch.cmd, len);
	if (r == CS_SKIP)
		r = CS_OK;
	if (r == CS_AGAIN || r == CS_HALT) {
		/* A command that did not finish stays the position that is shown and saved. */
		cs->ctx.s.level = level;
		cs->ctx.s.addr[level] = at;
		cs->ctx.wraps = wraps;
		show_position(cs);
	}
	return r;
}

static enum cs_result step(struct cs *cs)
{
	uint64_t start = freq_is_low(cs->tile) ? cs_now_ns() : 0;
	enum cs_result r;

	cs->batch.slowed_ns = 0;
	r = execute(cs);
	cs->batch.again = r == CS_AGAIN;
	/* A wait does not take longer. */
	if (start && r == CS_OK)
		cs_slow_down(cs, cs_now_ns() - start - cs->batch.slowed_ns);
	if (r == CS_OK && inject_hang(cs->e, true))
		return stop_dead(cs);
	return r;
}

/* ---- batches outside the ring ---- */

enum cs_result cs_run_wa(struct cs *cs, uint32_t addr, uint32_t size)
{
	struct cs_state saved = cs->ctx.s;
	uint64_t end = (uint64_t)addr + size;
	enum cs_result r = CS_OK;

	cs->batch.in_wa = true;
	cs->batch.in_per_ctx = !size;
	cs->ctx.s.level = 1;
	cs->ctx.s.ggtt = 2;
	cs->ctx.s.addr[1] = addr;
	cs->ctx.s.noop = 0;
	while (cs->ctx.s.level && !(size && cs->ctx.s.level == 1 && cs->ctx.s.addr[1] >= end)) {
		if (cs_stopping(cs)) {
			r = CS_STOP;
			break;
		}
		r = step(cs);
		if (r == CS_AGAIN)
			continue;	/* such a batch cannot be preempted in a wait */
		if (r != CS_OK)
			break;
	}
	cs->batch.in_wa = false;
	cs->batch.in_per_ctx = false;
	cs->batch.jumps = 0;
	/* The batch's registers and compute state stay; the position is the old one. */
	saved.compute = cs->ctx.s.compute;
	cs->ctx.s = saved;
	return r;
}

/* ---- the loop ---- */

/* Between commands: does the engine leave this context? @blocked: a wait goes on. */
static bool must_switch(struct cs *cs, cs_restore_fn *lite_restore, bool blocked)
{
	if (!(atomic_load(&cs->port.attention) & ATTENTION_LOAD))
		return false;
	if (lite_restore(cs) || cs->ctx.s.arb_off)
		return false;
	return blocked || (cs->batch.arb_point && cs_preempt_due(cs));
}

enum cs_exit cs_execute(struct cs *cs, cs_restore_fn *lite_restore)
{
	for (;;) {
		unsigned int attention = atomic_load(&cs->port.attention);
		enum cs_result r;

		if (attention & (ATTENTION_RESET | ATTENTION_QUIT))
			return EXIT_STOPPED;
		if (attention & ATTENTION_STOP_RING) {
			cs_park(cs);
			continue;
		}
		if (must_switch(cs, lite_restore, false))
			return EXIT_PREEMPTED;
		if (cs->ctx.broken)
			return EXIT_HALTED;
		if (cs->ctx.s.level == 0 && ring_offset(cs) == cs->ctx.tail) {
			show_position(cs);
			return EXIT_EMPTY;
		}
		r = step(cs);
		if (r == CS_AGAIN && must_switch(cs, lite_restore, true))
			return EXIT_PREEMPTED;
		if (r == CS_HALT)
			return EXIT_HALTED;
		if (r == CS_STOP)
			return EXIT_STOPPED;
	}
}
