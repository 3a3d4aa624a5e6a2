// SPDX-License-Identifier: MIT
/*
 * The command streamer: fetches commands from ring and batches, finds them in
 * the tables and runs them, and decides between commands whether to go on.
 */
#include "cs.h"

#include "blt.h"
#include "card.h"
#include "command.h"
#include "compute.h"
#include "cs_mem.h"
#include "cs_state.h"
#include "inject.h"
#include "mi.h"
#include "xt_gfx_commands.h"
#include "xt_mi_commands.h"

/* ---- fetch ---- */

static uint32_t ring_offset(struct cs *cs)
{
	return (uint32_t)cs->s.addr[0];
}

/* Dwords from the current position; the ring wraps in the middle of commands. */
static enum cs_result fetch(struct cs *cs, unsigned int skip, unsigned int dwords)
{
	uint32_t *to = cs->cmd + skip;
	enum cs_result r;

	if (cs->s.level)
		return cs_read(cs, cs->s.ggtt & (1u << cs->s.level),
			       cs->s.addr[cs->s.level] + 4ull * skip, to, 4ull * dwords);

	uint32_t off = (ring_offset(cs) + 4 * skip) % cs->ring_size;
	uint32_t first = cs->ring_size - off;

	if (first > 4 * dwords)
		first = 4 * dwords;
	r = cs_read(cs, true, cs->ring_start + (uint64_t)off, to, first);
	if (r == CS_OK && first < 4 * dwords)
		r = cs_read(cs, true, cs->ring_start, to + first / 4, 4ull * dwords - first);
	return r;
}

static void advance(struct cs *cs, unsigned int dwords)
{
	cs->s.addr[cs->s.level] += 4ull * dwords;
	if (cs->s.level == 0 && cs->s.addr[0] >= cs->ring_size) {
		cs->s.addr[0] -= cs->ring_size;
		cs->wraps++;
		cs->arb_point = true;
	}
}

/* Bytes between here and the tail. */
static uint32_t ring_left(struct cs *cs)
{
	return (cs->tail + cs->ring_size - ring_offset(cs)) % cs->ring_size;
}

static void show_position(struct cs *cs)
{
	uint64_t act = cs->s.addr[cs->s.level];

	if (cs->s.level == 0) {
		act += cs->ring_start;
		cs_set_reg(cs, XT_RING_HEAD(0),
			   (cs->wraps << 21) | (ring_offset(cs) & XT_RING_HEAD_MASK));
		cs_set_reg(cs, XT_RING_BBADDR(0), 0);
	} else {
		cs_set_reg(cs, XT_RING_BBADDR(0), XT_LOWER_32(act) | XT_BBADDR_VALID);
		cs_set_reg(cs, XT_RING_BBADDR_UDW(0), XT_UPPER_32(act));
	}
	cs_set_reg(cs, XT_RING_ACTHD(0), XT_LOWER_32(act));
	cs_set_reg(cs, XT_RING_ACTHD_UDW(0), XT_UPPER_32(act));
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
	switch (XT_FIELD_GET(XT_CMD_TYPE, header)) {
	case XT_CMD_TYPE_MI:
		return find_in(mi_commands, header);
	case XT_CMD_TYPE_BLT:
		return find_in(blt_commands, header);
	case XT_CMD_TYPE_GFX:
		return find_in(compute_commands, header);
	}
	return NULL;
}

static bool engine_has(struct cs *cs, const struct cs_command *c)
{
	return c->flags & (cs->e->class == XT_CLASS_CCS ? CMD_CCS : CMD_BCS);
}

/* A hang somebody asked for: what was done before it has happened. */
static enum cs_result stop_dead(struct cs *cs)
{
	cs_flush_irq(cs);
	return cs_hang(cs);
}

/* One command. The position is behind it when its function runs. */
static enum cs_result execute(struct cs *cs)
{
	unsigned int level = cs->s.level, len = 1;
	uint64_t at = cs->s.addr[level];
	uint32_t wraps = cs->wraps;
	const struct cs_command *c;
	enum cs_result r;
	unsigned int us;

	cs->insn_level = level;
	cs->insn_addr = at;
	show_position(cs);
	r = fetch(cs, 0, 1);
	if (r != CS_OK)
		return r;
	cs_set_reg(cs, XT_RING_IPEHR(0), cs->cmd[0]);

	c = find_command(cs->cmd[0]);
	if (!c)
		return cs_error(cs, "unimplemented: unknown command");
	if (!engine_has(cs, c))
		return cs_error(cs, "%s: not a command of this engine", c->name);
	if (c->len_mask)
		len = XT_FIELD_GET(c->len_mask, cs->cmd[0]) + 2;
	if (len < c->min || len > c->max)
		return cs_error(cs, "%s: length %u dwords is none of its forms", c->name, len);
	if (level == 0 && 4 * len > ring_left(cs))
		return cs_error(cs, "%s: tail %#x is inside the command", c->name, cs->tail);
	/*
	 * The interrupt of a job is held over the few one-dword commands that
	 * end it: if the ring is empty then, the port is free before a driver
	 * learns of the job, which execlist drivers rely on.
	 */
	if (len > 1) {
		cs_flush_irq(cs);
		r = fetch(cs, 1, len - 1);
		if (r != CS_OK)
			return r;
	}

	if (!cs->again && inject_hang(cs->e, false))
		return stop_dead(cs);
	us = inject_delay(cs->e);
	if (us)
		cs_sleep(cs, us);
	counter_add(&cs->e->cnt.commands, 1);
	cs->arb_point = false;
	advance(cs, len);
	if (cs->s.noop && !(c->flags & CMD_CONTROL))
		return CS_OK;
	if ((c->flags & CMD_PRIVILEGED) && !cs_privileged(cs)) {
		cs_log(cs, "%s in a user's batch, dropped", c->name);
		return CS_OK;
	}
	r = c->run(cs, cs->cmd, len);
	if (r == CS_SKIP)
		r = CS_OK;
	if (r == CS_AGAIN || r == CS_HALT) {
		/* The saved or shown position is the command itself. */
		cs->s.level = level;
		cs->s.addr[level] = at;
		cs->wraps = wraps;
		show_position(cs);
	}
	return r;
}

static enum cs_result step(struct cs *cs)
{
	enum cs_result r = execute(cs);

	cs->again = r == CS_AGAIN;
	if (r == CS_OK && inject_hang(cs->e, true))
		return stop_dead(cs);
	return r;
}

/* ---- on the side ---- */

enum cs_result cs_run_wa(struct cs *cs, uint32_t addr, uint32_t size)
{
	struct cs_state saved = cs->s;
	uint64_t end = (uint64_t)addr + size;
	enum cs_result r = CS_OK;

	cs->in_wa = true;
	cs->s.level = 1;
	cs->s.ggtt = 2;
	cs->s.addr[1] = addr;
	cs->s.noop = 0;
	while (cs->s.level && !(size && cs->s.level == 1 && cs->s.addr[1] >= end)) {
		if (cs_stopping(cs)) {
			r = CS_STOP;
			break;
		}
		r = step(cs);
		if (r == CS_AGAIN)
			continue;	/* a wait in here is not preemptible */
		if (r != CS_OK)
			break;
	}
	cs->in_wa = false;
	cs->jumps = 0;
	/* Only registers outlive the batch, not its place in the program. */
	saved.compute = cs->s.compute;
	cs->s = saved;
	return r;
}

/* ---- the loop ---- */

/* Between commands: does the engine leave this context? @blocked: a wait failed. */
static bool must_switch(struct cs *cs, cs_restore_fn *lite_restore, bool blocked)
{
	if (!(atomic_load(&cs->attention) & ATTENTION_LOAD))
		return false;
	if (lite_restore(cs) || cs->s.arb_off)
		return false;
	return blocked || (cs->arb_point && cs_preempt_due(cs));
}

enum cs_exit cs_execute(struct cs *cs, cs_restore_fn *lite_restore)
{
	for (;;) {
		unsigned int attention = atomic_load(&cs->attention);
		enum cs_result r;

		if (attention & (ATTENTION_RESET | ATTENTION_QUIT))
			return EXIT_STOPPED;
		if (attention & ATTENTION_STOP_RING) {
			cs_park(cs);
			continue;
		}
		if (must_switch(cs, lite_restore, false))
			return EXIT_PREEMPTED;
		if (cs->broken)
			return EXIT_HALTED;
		if (cs->s.level == 0 && ring_offset(cs) == cs->tail) {
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
