/* SPDX-License-Identifier: MIT */
/*
 * The slow functions for whole instructions, by their names in the list of opcodes.
 * eu_select_*() returns NULL for an instruction that cannot run (op->why).
 */
#ifndef EU_SLOW_H
#define EU_SLOW_H

#include "eu/state/eu_state.h"

#define EU_OPCODE(code, NAME, text, format, modifiers, kind, slow, fast) SLOW_##kind(slow)
#define SLOW_EXEC(f)	eu_exec eu_exec_##f;
#define SLOW_SELECT(f)	eu_exec *eu_select_##f(struct eu_op *op);
#define SLOW_MIXED(f)	eu_exec *eu_select_##f(struct eu_op *op);
#include "eu/isa/eu_opcodes.def"

static inline bool eu_has_float_source(const struct eu_op *op)
{
	for (int i = 0; i < op->in.sources; i++)
		if (eu_typeinfo[op->in.src[i].type].is_float)
			return true;
	return false;
}

/* Does the instruction copy bits: sources of the destination's type, without modifiers? */
static inline bool eu_is_copy(const struct eu_op *op, int sources)
{
	if (op->in.saturate || op->in.cond)
		return false;
	for (int i = 0; i < sources; i++) {
		const struct eu_operand *s = &op->in.src[i];

		if (s->type != op->in.dst.type || s->neg || s->abs)
			return false;
	}
	return true;
}

#endif
