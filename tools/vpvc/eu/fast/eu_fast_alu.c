// SPDX-License-Identifier: MIT
/*
 * The choice of fast handlers for arithmetic (caller: eu_fast.c). The rule: if a handler
 * might give another result than the general path, the general path runs the instruction.
 */
#include "eu/fast/eu_fast_alu.h"

#include "eu/fast/eu_fast_shape.h"
#include "eu/state/eu_worker.h"

static unsigned int size_of(enum eu_type type)
{
	return eu_typeinfo[type].size;
}

static bool is_int(enum eu_type type)
{
	return type <= EU_Q || type == EU_V || type == EU_UV;
}

static bool same_type_copy(const struct eu_insn *in)
{
	const struct eu_operand *s = &in->src[0];

	return in->opcode == EU_OP_MOV && s->type == in->dst.type &&
	       !s->neg && !s->abs;
}

/* A selection by predicate moves bits, so floats are treated as integers. */
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

/* False for registers that the general path must handle on access. */
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
	s->keep = UINT64_MAX;
	/* If only one lane is read, the constant has the width of the class. */
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
	s->complement = o->neg && eu_opinfo[op->in.opcode].has & EU_NEG_IS_NOT;
	s->neg = o->neg && !s->complement;
	if (o->file == EU_IMM)
		return constant(w, o, s, bytes);
	s->where = op->elem[i][0];
	s->relative = UINTPTR_MAX;
	s->keep = UINT64_MAX;
	step = op->n > 1 ? op->elem[i][1] - op->elem[i][0] : 0;
	for (int l = 1; l < op->n; l++)
		if (op->elem[i][l] != op->elem[i][0] + l * step)
			return false;
	s->stride = step;
	s->mode = eu_fast_mode_of(o->type, op->n, step, bytes);
	/* Handlers read such elements with their upper halves, as aligned dwords. */
	if (s->mode == EU_SRC_LOW && s->where % 4)
		s->mode = EU_SRC_STRIDED;
	if (s->mode == EU_SRC_LOW)
		s->keep = bytes == 8 ? UINT32_MAX : UINT16_MAX;
	return true;
}

/* A constant that is not negative compares as signed or unsigned. */
static bool source_signed(const struct eu_operand *o)
{
	if (o->file == EU_IMM && eu_typeinfo[o->type].is_signed)
		return immediate_lane(o, 0) < 0 || o->type == EU_V;
	return eu_typeinfo[o->type].is_signed;
}

/*
 * Returns 0 if both sources compare as signed numbers of the class width, 1 if both do as
 * unsigned numbers, -1 if one is signed and the other needs an unsigned comparison.
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

/*
 * ints_*(): does the narrow arithmetic of the handlers compute this integer form
 * correctly? The list of opcodes names the function. Absolute sources are refused before.
 */
static bool ints_plain(const struct eu_insn *in, int class)
{
	(void)class;
	return !any_modifier(in);
}

/* For operations whose low result bits depend on low source bits only */
static bool ints_wraps(const struct eu_insn *in, int class)
{
	(void)in;
	(void)class;
	return true;
}

static bool ints_product(const struct eu_insn *in, int class)
{
	return class == EU_FAST_I32 || !any_modifier(in);
}

/* These two operands decide how many bits of the count are used. */
static bool ints_shift(const struct eu_insn *in, int class)
{
	return !any_modifier(in) && (class != EU_FAST_I64 || size_of(in->dst.type) == 8 ||
				     size_of(in->src[0].type) == 8);
}

/* Negative narrow sources need the general path. */
static bool ints_shr(const struct eu_insn *in, int class)
{
	return ints_shift(in, class) && (in->src[0].file == EU_IMM ||
					 !eu_typeinfo[in->src[0].type].is_signed);
}

static bool ints_rotate(const struct eu_insn *in, int class)
{
	return !any_modifier(in) && size_of(in->dst.type) == (class == EU_FAST_I64 ? 8 : 4);
}

/* One negative source, compared for equality */
static bool ints_cmp(const struct eu_insn *in, int class)
{
	bool equality = in->cond == EU_EQ || in->cond == EU_NE;

	return !any_modifier(in) ||
	       (class == EU_FAST_I32 && equality && in->src[0].neg != in->src[1].neg);
}

static bool ints_mach(const struct eu_insn *in, int class)
{
	return !any_modifier(in) && class == EU_FAST_I32 && size_of(in->dst.type) == 4;
}

static bool any_absolute(const struct eu_insn *in)
{
	for (int i = 0; i < in->sources; i++)
		if (in->src[i].abs)
			return true;
	return false;
}

/* False for a negated vector immediate, which the handlers cannot negate. */
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

/* src0 == -src1, in exact arithmetic; the sources may be exchanged. */
static enum eu_fast_op equals_negative(struct eu_op *op, bool is_unsigned)
{
	if (is_unsigned)
		return EU_FAST_NONE;
	if (op->fast[0].neg)
		swap_sources(op, 0, 1);
	op->fast[1].neg = false;
	return op->in.cond == EU_EQ ? EU_FAST_EQ_NEG : EU_FAST_NE_NEG;
}

/* "Greater" is "less" with the sources exchanged. */
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
	if (is_integer_class(class) && any_modifier(&op->in))
		return equals_negative(op, is_unsigned);
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
 * Negative sources of additions and products become a subtraction, or the sign of the
 * product. The results are the same, except for the sign of NaN, which nothing defines.
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

/*
 * All lanes execute, the elements are bytes or words inside of one dword, none overlaps
 * another, and they are the low bits of the source.
 */
static bool fills_dword(const struct eu_op *op)
{
	const struct eu_fast_src *s = &op->fast[0];

	return eu_unmasked(op) && op->n > 1 && op->dst_bytes < 4 &&
	       op->dst_stride >= op->dst_bytes &&
	       op->dst_off % 4 + (op->n - 1) * op->dst_stride + op->dst_bytes <= 4 &&
	       s->mode == EU_SRC_SCALAR && size_of(s->type) >= op->dst_bytes && !s->neg;
}

static enum eu_fast_op prepare_fill(struct eu_op *op)
{
	struct eu_fast_fill *f = &op->fill;

	f->lowest = 0;
	for (unsigned int l = 0; l < op->n; l++)
		f->lowest |= 1u << 8 * (op->dst_off % 4 + l * op->dst_stride);
	f->changed = f->lowest * (op->dst_bytes == 1 ? UINT8_MAX : UINT16_MAX);
	return EU_FAST_FILL;
}

static enum eu_fast_op by_mov(struct eu_op *op, int class, unsigned int bytes)
{
	const struct eu_fast_src *s = &op->fast[0];

	(void)bytes;
	if (class != EU_FAST_I32 || op->acc_dst || !op->dst_bytes)
		return EU_FAST_MOV;
	if (op->n == 1 && op->dst_bytes == 4 && size_of(s->type) == 4 && !s->neg)
		return EU_FAST_COPY;
	if (fills_dword(op))
		return prepare_fill(op);
	return op->n == 16 && op->dst_bytes == 4 && op->dst_stride == 8 &&
	       s->mode == EU_SRC_CONTIGUOUS && !s->neg ? EU_FAST_SPREAD : EU_FAST_MOV;
}

static enum eu_fast_op by_add(struct eu_op *op, int class, unsigned int bytes)
{
	(void)class;
	(void)bytes;
	return add_or_sub(op);
}

static enum eu_fast_op by_mul(struct eu_op *op, int class, unsigned int bytes)
{
	const struct eu_insn *in = &op->in;

	if (!eu_is_arf(&in->dst, EU_ACC) || !is_integer_class(class))
		return product(op, class);
	if (class != EU_FAST_I32 || in->dst.reg % 16 || in->dst.sub || in->dst.hs != 1 ||
	    size_of(in->dst.type) != 4 || any_modifier(in))
		return EU_FAST_NONE;
	switch (signedness(in, bytes)) {
	case 0:  return EU_FAST_MUL_ACC_S;
	case 1:  return EU_FAST_MUL_ACC_U;
	default: return EU_FAST_MUL_ACC;
	}
}

static enum eu_fast_op by_mach(struct eu_op *op, int class, unsigned int bytes)
{
	(void)class;
	switch (signedness(&op->in, bytes)) {
	case 0:  return EU_FAST_MACH_S;
	case 1:  return EU_FAST_MACH_U;
	default: return EU_FAST_MACH;
	}
}

static enum eu_fast_op by_mad(struct eu_op *op, int class, unsigned int bytes)
{
	(void)bytes;
	return product_and_sum(op, class);
}

/* An unsigned source shifts in zeros. */
static enum eu_fast_op by_asr(struct eu_op *op, int class, unsigned int bytes)
{
	(void)class;
	(void)bytes;
	return eu_typeinfo[op->in.src[0].type].is_signed ? EU_FAST_ASR : EU_FAST_SHR;
}

static enum eu_fast_op by_math(struct eu_op *op, int class, unsigned int bytes)
{
	(void)bytes;
	return class == EU_FAST_F32 ? math_function(&op->in) : EU_FAST_NONE;
}

static enum eu_fast_op by_cmp(struct eu_op *op, int class, unsigned int bytes)
{
	return op->in.cond && op->in.cond <= EU_LE ? comparison(op, class, bytes) :
						     EU_FAST_NONE;
}

static enum eu_fast_op by_sel(struct eu_op *op, int class, unsigned int bytes)
{
	return op->in.cond ? by_cmp(op, class, bytes) : EU_FAST_SEL;
}

/**
 * struct form - the fast form of an opcode, from the list of opcodes
 * @op: the operation, or EU_FAST_NONE
 * @by: chooses the operation of an instruction after its sources were placed
 * @ints: do the handlers compute the integer form correctly?
 * @cond: @by handles the condition; otherwise an instruction with one is refused
 */
static const struct form {
	enum eu_fast_op op;
	enum eu_fast_op (*by)(struct eu_op *op, int class, unsigned int bytes);
	bool (*ints)(const struct eu_insn *in, int class);
	bool cond;
} forms[EU_OPCODES] = {
#define EU_OPCODE(code, NAME, text, format, modifiers, kind, slow, fast) \
	[code] = { FAST_##fast },
#define FAST_NO
#define FAST_OP(o, i)	.op = EU_FAST_##o, .ints = ints_##i
#define FAST_BY(f, i)	.by = by_##f, .ints = ints_##i
#define FAST_COND(f, i)	FAST_BY(f, i), .cond = true
#include "eu/isa/eu_opcodes.def"
};

/* The modes of cr0 take effect with the next instruction. */
static struct eu_op *exec_cr0(struct eu_thread *t, struct eu_op *op)
{
	struct eu_op *next = op->inner(t, op);

	eu_thread_cr0_changed(t);
	return next;
}

/* The result replaces an exact product in acc0. */
static struct eu_op *exec_acc(struct eu_thread *t, struct eu_op *op)
{
	struct eu_op *next = op->inner(t, op);

	t->wide_valid = false;
	return next;
}

static bool keeps_product(enum eu_fast_op fop)
{
	return fop >= EU_FAST_MUL_ACC && fop <= EU_FAST_MUL_ACC_U;
}

/* Returns a fast handler for @op, or NULL if only the general handler can run it. */
eu_exec *eu_fast_select_alu(const struct eu_fast_table *table, struct eu_worker *w,
			    struct eu_op *op)
{
	const struct eu_insn *in = &op->in;
	const struct form *form = &forms[in->opcode];
	enum eu_fast_shape shape;
	enum eu_fast_op fop;
	unsigned int bytes;
	eu_exec *exec;
	int class;

	if (!form->ints || (in->cond && !form->cond))
		return NULL;
	if (in->saturate || !plain_place(&in->dst, true))
		return NULL;
	class = classify(in);
	if (class < 0)
		return NULL;
	bytes = class == EU_FAST_I64 || class == EU_FAST_F64 ? 8 : 4;
	if (is_integer_class(class) &&
	    (any_absolute(in) || !form->ints(in, class) || !negation_fits(in)))
		return NULL;
	op->dst_bytes = eu_is_null(&in->dst) ? 0 : size_of(in->dst.type);
	op->acc_dst = eu_is_arf(&in->dst, EU_ACC) && in->dst.reg % 16 < 2;
	for (int i = 0; i < in->sources; i++)
		if (!place_source(w, op, i, bytes))
			return NULL;
	fop = form->by ? form->by(op, class, bytes) : form->op;
	if (!fop)
		return NULL;
	shape = eu_fast_shape_of(op, fop, is_integer_class(class), bytes);
	exec = table->exec[class][fop][shape][shape > EU_SHAPE_ONE && op->n == 32];
	if (!exec)
		exec = table->exec[class][fop][EU_SHAPE_ANY][0];
	op->inner = exec;
	if (exec && eu_is_arf(&in->dst, EU_CR))
		return exec_cr0;
	return exec && op->acc_dst && !keeps_product(fop) ? exec_acc : exec;
}
