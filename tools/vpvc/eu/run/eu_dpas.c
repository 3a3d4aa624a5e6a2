// SPDX-License-Identifier: MIT
/*
 * The systolic array (dpas): D = C + A x B, with N = 16 columns, depth 2, 4 or 8, and one
 * to eight rows of A. Sums are in the order of k; the order of silicon is not known.
 */
#include <math.h>

#include "eu/isa/eu_convert.h"
#include "eu/run/eu_slow.h"

#define COLUMNS	16
#define DEPTH_MAX 8

static unsigned int element_bits(const struct eu_operand *o)
{
	switch (o->type) {
	case EU_UB: case EU_B:
		return 8 >> o->precision;
	case EU_BF8:
		return 8;
	case EU_HF: case EU_BF:
		return 16;
	case EU_TF32:
		return 32;
	default:
		return 0;
	}
}

static int64_t integer_at(const struct eu_thread *t, const struct eu_operand *o,
			  unsigned int byte, unsigned int bit)
{
	unsigned int bits = element_bits(o);
	uint32_t dword = eu_get32(t, byte);
	uint32_t v = dword >> bit & ((1u << bits) - 1);

	if (o->type == EU_B && v >> (bits - 1))
		return (int64_t)v - (1 << bits);
	return v;
}

static float float_at(const struct eu_thread *t, const struct eu_operand *o,
		      unsigned int byte, unsigned int bit)
{
	uint32_t dword = eu_get32(t, byte);
	float f;

	if (o->type == EU_BF8)
		return eu_half_to_double((dword >> bit & 0xff) << 8);
	if (o->type == EU_HF)
		return eu_half_to_double(dword >> bit);
	if (o->type == EU_BF)
		return eu_bf_to_float(dword >> bit);
	dword &= ~0x1fffu;
	memcpy(&f, &dword, sizeof(f));
	return f;
}

static unsigned int accumulator_bytes(enum eu_type type)
{
	return type == EU_HF || type == EU_BF ? 2 : 4;
}

static double load_c(const struct eu_thread *t, const struct eu_operand *o,
		     unsigned int index)
{
	unsigned int at = o->reg * EU_REG_BYTES + o->sub +
			  index * accumulator_bytes(o->type);
	uint32_t v = eu_get32(t, at & ~3u) >> (at & 2) * 8;
	float f;

	if (eu_is_null(o))
		return 0;
	switch (o->type) {
	case EU_HF: return eu_half_to_double(v);
	case EU_BF: return eu_bf_to_float(v);
	case EU_F:
		memcpy(&f, &v, sizeof(f));
		return f;
	case EU_D:  return (int32_t)v;
	default:    return v;
	}
}

static void store_d(struct eu_thread *t, const struct eu_operand *o,
		    unsigned int index, double v)
{
	uint8_t *at = t->regs + o->reg * EU_REG_BYTES + o->sub +
		      index * accumulator_bytes(o->type);
	float f = (float)v;
	uint16_t h;

	if (o->type == EU_F) {
		memcpy(at, &f, sizeof(f));
		return;
	}
	h = o->type == EU_HF ? eu_double_to_half(v) : eu_float_to_bf(f);
	memcpy(at, &h, sizeof(h));
}

struct shape {
	unsigned int ops;	/* products per dword of B */
	unsigned int bits_a, bits_b;
	unsigned int k;		/* products per result */
	bool is_float;
};

static unsigned int b_at(const struct eu_insn *in, unsigned int k, unsigned int col)
{
	return in->src[1].reg * EU_REG_BYTES + k * EU_REG_BYTES + col * 4;
}

/* Byte and bit of A[row][index]: rows of depth * ops values, packed */
static unsigned int a_at(const struct eu_insn *in, const struct shape *s,
			 unsigned int row, unsigned int index, unsigned int *bit)
{
	unsigned int at = (row * s->k + index) * s->bits_a;

	*bit = at % 32;
	return in->src[2].reg * EU_REG_BYTES + in->src[2].sub + at / 32 * 4;
}

static void row_int(struct eu_thread *t, const struct eu_insn *in,
		    const struct shape *s, unsigned int row, uint32_t *d)
{
	const struct eu_operand *c = &in->src[0];

	for (unsigned int col = 0; col < COLUMNS; col++) {
		int64_t sum = (int64_t)load_c(t, c, row * COLUMNS + col);

		for (unsigned int i = 0; i < s->k; i++) {
			unsigned int bit, byte = a_at(in, s, row, i, &bit);

			sum += integer_at(t, &in->src[2], byte, bit) *
			       integer_at(t, &in->src[1], b_at(in, i / s->ops, col),
					  i % s->ops * s->bits_b);
		}
		if (in->saturate && in->dst.type == EU_D)
			sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
		else if (in->saturate)
			sum = sum > UINT32_MAX ? UINT32_MAX : sum < 0 ? 0 : sum;
		d[col] = (uint32_t)sum;
	}
}

static void row_float(struct eu_thread *t, const struct eu_insn *in,
		      const struct shape *s, unsigned int row, double *d)
{
	for (unsigned int col = 0; col < COLUMNS; col++) {
		float sum = (float)load_c(t, &in->src[0], row * COLUMNS + col);

		for (unsigned int i = 0; i < s->k; i++) {
			unsigned int bit, byte = a_at(in, s, row, i, &bit);

			sum = fmaf(float_at(t, &in->src[2], byte, bit),
				   float_at(t, &in->src[1], b_at(in, i / s->ops, col),
					    i % s->ops * s->bits_b), sum);
		}
		d[col] = sum;
	}
}

static const char *check(const struct eu_op *op, struct shape *s)
{
	const struct eu_insn *in = &op->in;
	unsigned int widest;

	s->bits_b = element_bits(&in->src[1]);
	s->bits_a = element_bits(&in->src[2]);
	s->is_float = eu_typeinfo[in->src[1].type].is_float;
	if (!in->depth || in->depth > DEPTH_MAX || op->n != COLUMNS)
		return "no such shape of a systolic operation";
	if (!s->bits_a || !s->bits_b ||
	    (s->is_float && in->src[1].type != in->src[2].type) ||
	    s->is_float != eu_typeinfo[in->src[2].type].is_float ||
	    s->is_float != eu_typeinfo[in->dst.type].is_float ||
	    s->is_float != eu_typeinfo[in->src[0].type].is_float)
		return "no such types of a systolic operation";
	widest = s->bits_a > s->bits_b ? s->bits_a : s->bits_b;
	/* A dword holds eight values only if both sources are narrow. */
	s->ops = widest <= 4 ? 8 : 32 / widest;
	s->k = in->depth * s->ops;
	if (in->dst.file != EU_GRF || in->src[1].file != EU_GRF ||
	    in->src[2].file != EU_GRF ||
	    (in->src[0].file != EU_GRF && !eu_is_null(&in->src[0])))
		return "operand is no general register";
	if (in->dst.reg + in->repeat > 256 || in->src[0].reg + in->repeat > 256 ||
	    in->src[1].reg + DEPTH_MAX > 256 || in->src[2].reg + 4 > 256)
		return "operand runs past its register file";
	return NULL;
}

struct eu_op *eu_exec_dpas(struct eu_thread *t, struct eu_op *op)
{
	const struct eu_insn *in = &op->in;
	uint32_t mask = eu_live(t, op);
	uint32_t ints[8][COLUMNS];
	double floats[8][COLUMNS];
	struct shape s;
	const char *why = check(op, &s);

	if (why)
		return eu_thread_stop(t, op, EU_ILLEGAL, why);
	for (unsigned int row = 0; row < in->repeat; row++) {
		if (!s.is_float)
			row_int(t, in, &s, row, ints[row]);
		else
			row_float(t, in, &s, row, floats[row]);
	}
	/* The destination may be source C, so it is written at the end. */
	for (unsigned int i = 0; i < in->repeat * COLUMNS; i++) {
		if (!(mask >> i % COLUMNS & 1))
			continue;
		if (!s.is_float)
			eu_put32(t, in->dst.reg * EU_REG_BYTES + 4 * i,
				 ints[i / COLUMNS][i % COLUMNS]);
		else
			store_d(t, &in->dst, i, floats[i / COLUMNS][i % COLUMNS]);
	}
	return eu_next(t, op);
}
