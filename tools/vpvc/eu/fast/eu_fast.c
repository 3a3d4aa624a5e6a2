/* SPDX-License-Identifier: MIT */
/*
 * Which instructions take a fast handler. The rule is: whatever the handler
 * would compute differently from the general path, or only might, is left to
 * the general path.
 */
#include "eu/fast/eu_fast.h"

#include <errno.h>

#include "eu/msg/eu_lsc.h"
#include "eu/state/eu_worker.h"

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
	s->where = (uintptr_t)lanes;
	s->relative = 0;
	/* read as one lane it has the width of the class */
	if (size_of(o->type) != bytes || o->type == EU_V || o->type == EU_UV)
		s->type = bytes == 8 ? EU_Q : EU_D;
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
	s->where = op->elem[i][0];
	s->relative = UINTPTR_MAX;
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

static bool is_integer_class(int class)
{
	return class == EU_FAST_I32 || class == EU_FAST_I64;
}

static void swap_sources(struct eu_op *op, int i, int k)
{
	struct eu_fast_src s = op->fast[i];

	op->fast[i] = op->fast[k];
	op->fast[k] = s;
}

/* Greater is less with the sources exchanged. */
static enum eu_fast_op comparison(struct eu_op *op, int class, unsigned int bytes)
{
	bool is_unsigned = false;
	int sign;

	if (is_integer_class(class)) {
		sign = signedness(&op->in, bytes);
		if (sign < 0)
			return EU_FAST_NONE;
		is_unsigned = sign;
	}
	if (op->in.opcode == EU_OP_SEL)
		return is_unsigned ? EU_FAST_MINMAX_U : EU_FAST_MINMAX;
	switch (op->in.cond) {
	case EU_EQ:
		return EU_FAST_EQ;
	case EU_NE:
		return EU_FAST_NE;
	case EU_GT:
		swap_sources(op, 0, 1);
		/* fall through */
	case EU_LT:
		return is_unsigned ? EU_FAST_LT_U : EU_FAST_LT;
	case EU_GE:
		swap_sources(op, 0, 1);
		/* fall through */
	default:
		return is_unsigned ? EU_FAST_LE_U : EU_FAST_LE;
	}
}

/*
 * Negative sources of additions and products: a subtraction, or the product's
 * sign. Exact, but for the sign of NaN, which is nobody's promise.
 */
static enum eu_fast_op add_or_sub(struct eu_op *op)
{
	struct eu_fast_src *a = &op->fast[0], *b = &op->fast[1];

	if (a->abs || b->abs || a->neg == b->neg)
		return EU_FAST_ADD;
	if (a->neg)
		swap_sources(op, 0, 1);
	op->fast[1].neg = false;
	return EU_FAST_SUB;
}

static bool take_sign(struct eu_op *op, int i, int k)
{
	bool neg = op->fast[i].neg != op->fast[k].neg;

	op->fast[i].neg = op->fast[k].neg = false;
	return neg;
}

static enum eu_fast_op product(struct eu_op *op, int class)
{
	if (is_integer_class(class) || op->fast[0].abs || op->fast[1].abs)
		return EU_FAST_MUL;
	return take_sign(op, 0, 1) ? EU_FAST_NMUL : EU_FAST_MUL;
}

static enum eu_fast_op product_and_sum(struct eu_op *op, int class)
{
	bool neg, minus = op->fast[0].neg;

	if (is_integer_class(class) || op->fast[0].abs || op->fast[1].abs || op->fast[2].abs)
		return EU_FAST_MAD;
	neg = take_sign(op, 1, 2);
	op->fast[0].neg = false;
	if (minus)
		return neg ? EU_FAST_NMSUB : EU_FAST_MSUB;
	return neg ? EU_FAST_NMAD : EU_FAST_MAD;
}

static enum eu_fast_op math_function(const struct eu_insn *in)
{
	switch (in->function) {
	case EU_INV:  return EU_FAST_INV;
	case EU_SQT:  return EU_FAST_SQT;
	case EU_RSQT: return EU_FAST_RSQT;
	default:      return EU_FAST_NONE;
	}
}

/* What the instruction is to the handlers; its sources are in place. */
static enum eu_fast_op operation(struct eu_op *op, int class, unsigned int bytes)
{
	const struct eu_insn *in = &op->in;

	if (in->opcode == EU_OP_CMP || (in->opcode == EU_OP_SEL && in->cond))
		return in->cond && in->cond <= EU_LE ? comparison(op, class, bytes) :
						       EU_FAST_NONE;
	if (in->cond)
		return EU_FAST_NONE;
	switch (in->opcode) {
	case EU_OP_MOV:  return EU_FAST_MOV;
	case EU_OP_NOT:  return EU_FAST_NOT;
	case EU_OP_ADD:  return add_or_sub(op);
	case EU_OP_AND:  return EU_FAST_AND;
	case EU_OP_OR:   return EU_FAST_OR;
	case EU_OP_XOR:  return EU_FAST_XOR;
	case EU_OP_SHL:  return EU_FAST_SHL;
	case EU_OP_SHR:  return EU_FAST_SHR;
	case EU_OP_ROL:  return EU_FAST_ROL;
	case EU_OP_ADD3: return EU_FAST_ADD3;
	case EU_OP_BFN:  return EU_FAST_BFN;
	case EU_OP_SEL:  return EU_FAST_SEL;
	case EU_OP_MAD:  return product_and_sum(op, class);
	case EU_OP_MATH: return class == EU_FAST_F32 ? math_function(in) : EU_FAST_NONE;
	case EU_OP_MACH: case EU_OP_MACL:
		return EU_FAST_MACH;
	case EU_OP_ASR:
		/* an unsigned source shifts in zeros */
		return eu_typeinfo[in->src[0].type].is_signed ? EU_FAST_ASR : EU_FAST_SHR;
	case EU_OP_MUL:
		if (!eu_is_arf(&in->dst, EU_ACC) || !is_integer_class(class))
			return product(op, class);
		return class == EU_FAST_I32 && in->dst.reg % 16 == 0 && !in->dst.sub &&
		       in->dst.hs == 1 && size_of(in->dst.type) == 4 && !any_modifier(in) ?
		       EU_FAST_MUL_ACC : EU_FAST_NONE;
	default:
		return EU_FAST_NONE;
	}
}

static bool is_alu(const struct eu_insn *in)
{
	switch (eu_opinfo[in->opcode].format) {
	case EU_FMT_ONE: case EU_FMT_TWO: case EU_FMT_THREE:
		return true;
	case EU_FMT_MATH:
		return in->function < EU_INVM;
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

static bool is_comparison(enum eu_fast_op fop)
{
	return fop >= EU_FAST_EQ && fop <= EU_FAST_LE_U;
}

/* A source that is one for all lanes, at the operation's width or not */
static bool is_single(const struct eu_fast_src *s, unsigned int n)
{
	return s->mode == EU_SRC_SCALAR || n == 1;
}

/* The shape all sources fit, or ANY */
static enum eu_fast_shape shape_of(const struct eu_op *op, enum eu_fast_op fop, bool ints,
				   unsigned int bytes)
{
	enum eu_fast_shape shape = EU_SHAPE_VVV;
	bool modified = false, single = true, wide = true;

	for (int i = 0; i < op->in.sources; i++) {
		const struct eu_fast_src *s = &op->fast[i];

		modified |= s->neg || s->abs || s->complement;
		single &= is_single(s, op->n) || (s->mode == EU_SRC_CONST &&
			  op->in.src[i].type != EU_V && op->in.src[i].type != EU_UV);
		wide &= s->mode == EU_SRC_CONST || size_of(s->type) == bytes;
	}
	/* a comparison of single values may set the flags of many lanes */
	if (is_comparison(fop) && single && !op->dst_bytes && (ints || (wide && !modified)))
		return EU_SHAPE_ONE;
	if (op->n == 1 && !is_comparison(fop) && ints)
		return EU_SHAPE_ONE;
	if ((op->n != 16 && op->n != 32) || modified)
		return EU_SHAPE_ANY;
	for (int i = 0; i < op->in.sources; i++) {
		const struct eu_fast_src *s = &op->fast[i];

		if (s->mode == EU_SRC_STRIDED)
			return EU_SHAPE_ANY;
		if (s->mode != EU_SRC_SCALAR)
			continue;
		if (shape != EU_SHAPE_VVV || size_of(s->type) != bytes)
			return EU_SHAPE_ANY;
		shape = EU_SHAPE_SVV + i;
	}
	return shape;
}

static eu_exec *select_alu(const struct eu_fast_table *table, struct eu_worker *w,
			   struct eu_op *op)
{
	const struct eu_insn *in = &op->in;
	enum eu_fast_shape shape;
	enum eu_fast_op fop;
	unsigned int bytes;
	eu_exec *exec;
	int class;

	if (in->saturate || !plain_place(&in->dst, true))
		return NULL;
	class = classify(in);
	if (class < 0)
		return NULL;
	bytes = class == EU_FAST_I64 || class == EU_FAST_F64 ? 8 : 4;
	if (is_integer_class(class) && (!int_allowed(in, class) || !negation_fits(in)))
		return NULL;
	op->dst_bytes = eu_is_null(&in->dst) ? 0 : size_of(in->dst.type);
	op->acc_dst = eu_is_arf(&in->dst, EU_ACC) && in->dst.reg % 16 < 2;
	for (int i = 0; i < in->sources; i++)
		if (!place_source(w, op, i, bytes))
			return NULL;
	fop = operation(op, class, bytes);
	if (!fop)
		return NULL;
	shape = shape_of(op, fop, is_integer_class(class), bytes);
	exec = table->exec[class][fop][shape][shape > EU_SHAPE_ONE && op->n == 32];
	if (!exec)
		exec = table->exec[class][fop][EU_SHAPE_ANY][0];
	if (!exec || !eu_is_arf(&in->dst, EU_CR))
		return exec;
	op->inner = exec;
	return exec_cr0;
}

/* Messages the handlers know: loads and stores of whole dwords and quadwords */
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
						   EU_FAST_LOAD_BLOCK] : NULL;
	return op->n >= 16 ? table->message[store ? EU_FAST_STORE : EU_FAST_LOAD] : NULL;
}

/* The handler of @table, with the operands of @op prepared for it */
eu_exec *eu_fast_select_from(const struct eu_fast_table *table, struct eu_worker *w,
			     struct eu_op *op)
{
	if (is_alu(&op->in))
		return select_alu(table, w, op);
	if (op->general == eu_exec_lsc)
		return select_message(table, op);
	return NULL;
}

static bool supports_any(void)
{
	return true;
}

static bool supports_avx2(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static bool supports_avx512(void)
{
	return supports_avx2() && __builtin_cpu_supports("avx512f") &&
	       __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
	       __builtin_cpu_supports("avx512vl");
}

const struct eu_fast_level eu_fast_level[] = {
	{ "any", &eu_fast_any, supports_any },
	{ "avx2", &eu_fast_avx2, supports_avx2 },
	{ "avx512", &eu_fast_avx512, supports_avx512 },
};

const unsigned int eu_fast_levels = sizeof(eu_fast_level) / sizeof(eu_fast_level[0]);

/* What was asked for; NULL: what the host can best. */
static const struct eu_fast_level *asked;
static bool general_only;

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

eu_exec *eu_fast_select(struct eu_worker *w, struct eu_op *op)
{
	const struct eu_fast_level *level = asked;

	if (general_only)
		return NULL;
	if (!level)
		for (level = &eu_fast_level[eu_fast_levels - 1]; !level->supported();)
			level--;
	return eu_fast_select_from(level->table, w, op);
}
