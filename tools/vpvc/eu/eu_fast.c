/* SPDX-License-Identifier: MIT */
/*
 * Which instructions take a fast handler. The rule is: whatever the handler
 * would compute differently from the general path, or only might, is left to
 * the general path.
 */
#include "eu_core.h"

static unsigned int size_of(enum eu_type type)
{
	return eu_typeinfo[type].size;
}

static bool is_int(enum eu_type type)
{
	return type <= EU_Q || type == EU_V || type == EU_UV;
}

static bool is_logic(unsigned int opcode)
{
	return opcode == EU_OP_AND || opcode == EU_OP_OR ||
	       opcode == EU_OP_XOR || opcode == EU_OP_NOT;
}

/* Operations whose low result bits only depend on low source bits */
static bool wraps(unsigned int opcode)
{
	switch (opcode) {
	case EU_OP_ADD: case EU_OP_ADD3: case EU_OP_MUL: case EU_OP_MAD:
	case EU_OP_MOV:
		return true;
	default:
		return is_logic(opcode);
	}
}

static bool same_type_copy(const struct eu_insn *in)
{
	const struct eu_operand *s = &in->src[0];

	return in->opcode == EU_OP_MOV && s->type == in->dst.type &&
	       !s->neg && !s->abs;
}

/* A selection by predicate moves bits, so floats are integers to it. */
static bool bit_select(const struct eu_insn *in)
{
	return in->opcode == EU_OP_SEL && !in->cond &&
	       in->src[0].type == in->dst.type && in->src[1].type == in->dst.type &&
	       !in->src[0].neg && !in->src[0].abs && !in->src[1].neg && !in->src[1].abs;
}

static int classify(const struct eu_insn *in)
{
	unsigned int widest = size_of(in->dst.type);
	bool ints = is_int(in->dst.type), f32 = in->dst.type == EU_F;
	bool f64 = in->dst.type == EU_DF;

	for (int i = 0; i < in->sources; i++) {
		enum eu_type type = in->src[i].type;

		if (size_of(type) > widest)
			widest = size_of(type);
		ints &= is_int(type);
		f32 &= type == EU_F;
		f64 &= type == EU_DF;
	}
	if (ints || same_type_copy(in) || bit_select(in))
		return widest == 8 ? EU_FAST_I64 : EU_FAST_I32;
	if (f32)
		return EU_FAST_F32;
	return f64 ? EU_FAST_F64 : -1;
}

/* Registers with a hook on access stay with the general path. */
static bool plain_place(const struct eu_operand *o, bool dst)
{
	if (o->indirect)
		return false;
	if (o->file != EU_ARF)
		return true;
	switch (o->reg >> 4) {
	case EU_ACC: case EU_A0: case EU_FLAG:
		return true;
	case EU_NULL:
		return dst;
	case EU_CR:
		return true;
	case EU_SR:
		return !dst;
	default:
		return false;
	}
}

static int64_t immediate_lane(const struct eu_operand *o, int lane)
{
	switch (o->type) {
	case EU_UB: return (uint8_t)o->imm;
	case EU_B:  return (int8_t)o->imm;
	case EU_UW: case EU_HF: case EU_BF: return (uint16_t)o->imm;
	case EU_W:  return (int16_t)o->imm;
	case EU_UD: case EU_F: return (uint32_t)o->imm;
	case EU_D:  return (int32_t)o->imm;
	case EU_V:  return (int64_t)(o->imm << (60 - lane % 8 * 4)) >> 60;
	case EU_UV: return o->imm >> (lane % 8 * 4) & 15;
	default:    return o->imm;
	}
}

static bool constant(struct eu_worker *w, const struct eu_operand *o,
		     struct eu_fast_src *s, unsigned int bytes)
{
	uint8_t *lanes = eu_worker_alloc(w, EU_MAX_LANES * bytes);

	if (!lanes)
		return false;
	for (int l = 0; l < EU_MAX_LANES; l++) {
		int64_t v = immediate_lane(o, l);

		memcpy(lanes + l * bytes, &v, bytes);
	}
	s->mode = EU_SRC_CONST;
	s->lanes = lanes;
	return true;
}

static bool place_source(struct eu_worker *w, struct eu_op *op, int i,
			 unsigned int bytes)
{
	const struct eu_operand *o = &op->in.src[i];
	struct eu_fast_src *s = &op->fast[i];
	unsigned int step;

	if (!plain_place(o, false))
		return false;
	s->type = o->type;
	s->abs = o->abs;
	s->complement = o->neg && is_logic(op->in.opcode);
	s->neg = o->neg && !s->complement;
	if (o->file == EU_IMM)
		return constant(w, o, s, bytes);
	s->off = op->elem[i][0];
	step = op->n > 1 ? op->elem[i][1] - op->elem[i][0] : 0;
	for (int l = 1; l < op->n; l++)
		if (op->elem[i][l] != op->elem[i][0] + l * step)
			return false;
	s->stride = step;
	if (op->n > 1 && step == bytes && size_of(o->type) == bytes)
		s->mode = EU_SRC_CONTIGUOUS;
	else if (step == 0)
		s->mode = op->n == 1 && size_of(o->type) == bytes ?
			  EU_SRC_CONTIGUOUS : EU_SRC_SCALAR;
	else
		s->mode = EU_SRC_STRIDED;
	return true;
}

/* A constant has the sign the comparison needs when it is not negative. */
static bool source_signed(const struct eu_operand *o)
{
	if (o->file == EU_IMM && eu_typeinfo[o->type].is_signed)
		return immediate_lane(o, 0) < 0 || o->type == EU_V;
	return eu_typeinfo[o->type].is_signed;
}

/*
 * 0 when both sources compare as signed numbers of the class width, 1 as
 * unsigned ones, -1 when one of each kind meets.
 */
static int signedness(const struct eu_insn *in, unsigned int bytes)
{
	bool all_fit_signed = true, any_signed = false;

	for (int i = 0; i < 2; i++) {
		const struct eu_operand *o = &in->src[i];

		any_signed |= source_signed(o);
		if (!eu_typeinfo[o->type].is_signed && size_of(o->type) == bytes &&
		    !(o->file == EU_IMM && immediate_lane(o, 0) >= 0 &&
		      immediate_lane(o, 0) <= INT32_MAX))
			all_fit_signed = false;
	}
	if (all_fit_signed)
		return 0;
	return any_signed ? -1 : 1;
}

static bool any_modifier(const struct eu_insn *in)
{
	for (int i = 0; i < in->sources; i++)
		if (in->src[i].neg || in->src[i].abs)
			return true;
	return false;
}

static bool is_shift(unsigned int opcode)
{
	return opcode == EU_OP_SHL || opcode == EU_OP_SHR || opcode == EU_OP_ASR;
}

/* Integer forms that the narrow arithmetic of the handlers would get wrong */
static bool int_allowed(const struct eu_insn *in, int class)
{
	for (int i = 0; i < in->sources; i++)
		if (in->src[i].abs)
			return false;
	/* how many bits of the count matter depends on these two operands */
	if (is_shift(in->opcode) && class == EU_FAST_I64 &&
	    size_of(in->dst.type) != 8 && size_of(in->src[0].type) != 8)
		return false;
	switch (in->opcode) {
	case EU_OP_MACH: case EU_OP_MACL:
		return !any_modifier(in) && class == EU_FAST_I32 &&
		       size_of(in->dst.type) == 4;
	case EU_OP_SHR:
		/* negative narrow sources would need the general rule */
		return !any_modifier(in) && (in->src[0].file == EU_IMM ||
		       !eu_typeinfo[in->src[0].type].is_signed);
	case EU_OP_ROL: case EU_OP_ROR:
		return !any_modifier(in) && size_of(in->dst.type) ==
		       (class == EU_FAST_I64 ? 8 : 4);
	case EU_OP_MAD: case EU_OP_MUL:
		return class == EU_FAST_I32 || !any_modifier(in);
	default:
		return wraps(in->opcode) || !any_modifier(in);
	}
}

/* Negation is done at class width, so narrower sources must not be wider. */
static bool negation_fits(const struct eu_insn *in)
{
	for (int i = 0; i < in->sources; i++)
		if (in->src[i].neg && in->src[i].file == EU_IMM &&
		    in->src[i].type == EU_V)
			return false;
	return true;
}

static eu_exec *pick(const struct eu_fast_table *table, const struct eu_insn *in,
		     int class, unsigned int bytes)
{
	bool ints = class == EU_FAST_I32 || class == EU_FAST_I64;
	int sign = 0;

	if (in->opcode == EU_OP_CMP || (in->opcode == EU_OP_SEL && in->cond)) {
		if (ints)
			sign = signedness(in, bytes);
		if (sign < 0 || !in->cond || in->cond > EU_LE)
			return NULL;
		if (in->opcode == EU_OP_CMP)
			return table->compare[class][sign];
		return table->minmax[class][sign];
	}
	if (in->cond)
		return NULL;
	if (in->opcode == EU_OP_MUL && eu_is_arf(&in->dst, EU_ACC) && ints)
		return class == EU_FAST_I32 && in->dst.reg % 16 == 0 &&
		       !in->dst.sub && in->dst.hs == 1 && size_of(in->dst.type) == 4 &&
		       !any_modifier(in) ? table->mul_acc : NULL;
	return table->exec[class][in->opcode];
}

static bool is_alu(const struct eu_insn *in)
{
	switch (eu_opinfo[in->opcode].format) {
	case EU_FMT_ONE: case EU_FMT_TWO: case EU_FMT_THREE:
		return true;
	default:
		return false;
	}
}

/* The modes of cr0 take effect with the next instruction. */
static struct eu_op *exec_cr0(struct eu_thread *t, struct eu_op *op)
{
	struct eu_op *next = op->inner(t, op);

	eu_thread_cr0_changed(t);
	return next;
}

/* The handler of @table, with the operands of @op prepared for it */
eu_exec *eu_fast_select_from(const struct eu_fast_table *table, struct eu_worker *w,
			     struct eu_op *op)
{
	const struct eu_insn *in = &op->in;
	unsigned int bytes;
	eu_exec *exec;
	int class;

	if (!is_alu(in) || in->saturate || !plain_place(&in->dst, true))
		return NULL;
	class = classify(in);
	if (class < 0)
		return NULL;
	bytes = class == EU_FAST_I64 || class == EU_FAST_F64 ? 8 : 4;
	if ((class == EU_FAST_I32 || class == EU_FAST_I64) &&
	    (!int_allowed(in, class) || !negation_fits(in)))
		return NULL;
	exec = pick(table, in, class, bytes);
	if (!exec)
		return NULL;
	op->chunks = (op->n * bytes + 31) / 32;
	op->dst_bytes = eu_is_null(&in->dst) ? 0 : size_of(in->dst.type);
	op->acc_dst = eu_is_arf(&in->dst, EU_ACC) && in->dst.reg % 16 < 2;
	for (int i = 0; i < in->sources; i++)
		if (!place_source(w, op, i, bytes))
			return NULL;
	if (!eu_is_arf(&in->dst, EU_CR))
		return exec;
	op->inner = exec;
	return exec_cr0;
}

static bool supports_any(void)
{
	return true;
}

static bool supports_avx2(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

const struct eu_fast_level eu_fast_level[] = {
	{ "any", &eu_fast_any, supports_any },
	{ "avx2", &eu_fast_avx2, supports_avx2 },
};

const unsigned int eu_fast_levels = sizeof(eu_fast_level) / sizeof(eu_fast_level[0]);

eu_exec *eu_fast_select(struct eu_worker *w, struct eu_op *op)
{
	unsigned int best = eu_fast_levels - 1;

	while (!eu_fast_level[best].supported())
		best--;
	return eu_fast_select_from(eu_fast_level[best].table, w, op);
}
