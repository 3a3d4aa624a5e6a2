// SPDX-License-Identifier: MIT
/*
 * The sets of fast handlers, and the choice of one for an instruction: eu_program.c calls
 * this on a worker's host thread when it prepares the instruction.
 */
#include "eu/fast/eu_fast.h"

#include <errno.h>

#include "eu/fast/eu_fast_alu.h"
#include "eu/fast/eu_fast_flow.h"
#include "eu/msg/eu_lsc.h"

static enum eu_fast_message_op lanes_message(const struct eu_fast_message *m, bool store)
{
	if (m->vector != 1 || m->bytes != 4 || m->arguments)
		return store ? EU_FAST_STORE : EU_FAST_LOAD;
	if (m->slm)
		return store ? EU_FAST_STORE_LOCAL : EU_FAST_LOAD_LOCAL;
	return store ? EU_FAST_STORE_GLOBAL : EU_FAST_LOAD_GLOBAL;
}

/* The handlers take loads and stores of whole dwords and quadwords. */
static eu_exec *select_message(const struct eu_fast_table *table, struct eu_op *op)
{
	static const uint8_t vectors[8] = {1, 2, 3, 4, 8, 16, 32, 64};
	const struct eu_insn *in = &op->in;
	struct eu_fast_message *m = &op->message;
	uint32_t desc = in->desc, size = desc >> 9 & 7, code = desc & 0x3f;
	bool store = code == 4, transposed = desc >> 15 & 1;
	const struct eu_operand *data = store ? &in->src[1] : &in->dst;
	unsigned int bytes;

	if (in->desc_reg || in->exdesc_reg || in->eot || (code != 0 && !store) ||
	    (size != 2 && size != 3) || data->file != EU_GRF || in->src[0].file != EU_GRF)
		return NULL;
	memset(m, 0, sizeof(*m));
	m->slm = in->function == EU_SFID_SLM;
	m->bytes = size == 2 ? 4 : 8;
	m->vector = vectors[desc >> 12 & 7];
	m->address_bytes = (desc >> 7 & 3) == 3 ? 8 : (desc >> 7 & 3) == 2 ? 4 : 0;
	m->address = in->src[0].reg * EU_REG_BYTES;
	m->data = data->reg * EU_REG_BYTES;
	m->stride = (op->n * m->bytes + 63) & ~63u;
	if (m->slm) {
		if (m->address_bytes != 4)
			return NULL;
	} else if (in->function != EU_SFID_UGM && in->function != EU_SFID_UGML) {
		return NULL;
	} else if (desc >> 29 == 3) {
		m->arguments = true;
		if (in->exdesc >> 24 != 255 || m->address_bytes != 4)
			return NULL;
	} else if (desc >> 29 || m->address_bytes != 8) {
		return NULL;
	}
	bytes = transposed ? m->vector * m->bytes : m->vector * m->stride;
	if (m->data + bytes > EU_GRF_BYTES ||
	    m->address + op->n * m->address_bytes > EU_GRF_BYTES)
		return NULL;
	if (transposed)
		return op->n == 1 ? table->message[store ? EU_FAST_STORE_BLOCK :
						   EU_FAST_LOAD_BLOCK][0] : NULL;
	if (op->n < 16)
		return NULL;
	return table->message[lanes_message(m, store)][op->n == 32];
}

/* Choose a handler of @table and prepare the operands of @op for it. */
eu_exec *eu_fast_select_from(const struct eu_fast_table *table, struct eu_worker *w,
			     struct eu_op *op)
{
	if (op->general == eu_exec_lsc)
		return select_message(table, op);
	return eu_fast_select_flow(op) ? : eu_fast_select_alu(table, w, op);
}

static bool supports_any(void)
{
	return true;
}

#ifndef EU_FAST_PORTABLE
static bool supports_avx2(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
	       __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
}

static bool supports_avx512(void)
{
	return supports_avx2() && __builtin_cpu_supports("avx512f") &&
	       __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
	       __builtin_cpu_supports("avx512vl");
}
#endif

const struct eu_fast_level eu_fast_level[] = {
	{ "any", &eu_fast_any, supports_any },
#ifndef EU_FAST_PORTABLE
	{ "avx2", &eu_fast_avx2, supports_avx2 },
	{ "avx512", &eu_fast_avx512, supports_avx512 },
#endif
};

const unsigned int eu_fast_levels = sizeof(eu_fast_level) / sizeof(eu_fast_level[0]);

/* The set chosen by eu_use_handlers(); NULL: the best that the host can run. */
static const struct eu_fast_level *asked;
static bool general_only, single_only;

int eu_use_handlers(const char *name)
{
	if (!strcmp(name, "general")) {
		general_only = true;
		return 0;
	}
	for (unsigned int i = 0; i < eu_fast_levels; i++) {
		if (strcmp(name, eu_fast_level[i].name))
			continue;
		if (!eu_fast_level[i].supported())
			return -ENOTSUP;
		asked = &eu_fast_level[i];
		general_only = false;
		return 0;
	}
	return -EINVAL;
}

static const struct eu_fast_table *table_in_use(void)
{
	const struct eu_fast_level *level = asked;

	if (general_only)
		return NULL;
	if (!level)
		for (level = &eu_fast_level[eu_fast_levels - 1]; !level->supported();)
			level--;
	return level->table;
}

eu_exec *eu_fast_select(struct eu_worker *w, struct eu_op *op)
{
	const struct eu_fast_table *table = table_in_use();

	return table ? eu_fast_select_from(table, w, op) : NULL;
}

/* Can @pair run @op and the instruction that follows it, in a mode of denormals? */
static bool fits(const struct eu_fast_pair *pair, const struct eu_op *op, int slow)
{
	if (pair->all_lanes && !eu_unmasked(op))
		return false;
	return op->exec[slow] == pair->first && op->next.op->exec[slow] == pair->second;
}

void eu_fast_join_from(const struct eu_fast_table *table, struct eu_op *op)
{
	for (int slow = 0; slow < 2; slow++)
		for (unsigned int i = 0; i < table->num_pairs; i++)
			if (fits(&table->pairs[i], op, slow)) {
				op->exec[slow] = table->pairs[i].both;
				break;
			}
}

void eu_fast_use_pairs(bool use)
{
	single_only = !use;
}

void eu_fast_join(struct eu_op *op)
{
	const struct eu_fast_table *table = table_in_use();

	if (table && !single_only)
		eu_fast_join_from(table, op);
}
