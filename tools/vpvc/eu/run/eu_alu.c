// SPDX-License-Identifier: MIT
/*
 * Arithmetic, logic and moves of the general path: the slow functions of the list of
 * opcodes for integers or floats, each for one lane. Integers are computed exactly in a
 * wide type, floats in double with a rounding at the store (mad of f is fused in float).
 * eu_program.c chooses a handler; handlers run on a worker's host thread.
 */
#include "eu/run/eu_alu.h"

#include <math.h>

#include "eu/run/eu_acc.h"
#include "eu/run/eu_float.h"
#include "eu/run/eu_slow.h"
#include "eu/state/eu_region.h"

/* An operation on the sources of one lane; it ignores sources that it does not have. */
typedef eu_wide int_lane(const struct eu_op *op, eu_wide a, eu_wide b, eu_wide c);
typedef double float_lane(const struct eu_op *op, double a, double b, double c);

#define INT(name, expr) \
static eu_wide int_##name(const struct eu_op *op, eu_wide a, eu_wide b, eu_wide c) \
{ \
	(void)op, (void)a, (void)b, (void)c; \
	return expr; \
}

#define FLOAT(name, expr) \
static double float_##name(const struct eu_op *op, double a, double b, double c) \
{ \
	(void)op, (void)a, (void)b, (void)c; \
	return expr; \
}

static unsigned int bits_of(enum eu_type type)
{
	return eu_typeinfo[type].size * 8;
}

static bool is_64bit(const struct eu_op *op)
{
	return bits_of(op->in.dst.type) == 64 || bits_of(op->in.src[0].type) == 64;
}

static uint64_t low_bits(uint64_t v, unsigned int bits)
{
	return bits == 64 ? v : v & ((1ull << bits) - 1);
}

static eu_wide rotate(const struct eu_op *op, eu_wide a, eu_wide b, bool left)
{
	unsigned int bits = bits_of(op->in.dst.type);
	uint64_t v = low_bits((uint64_t)a, bits);
	unsigned int n = (unsigned int)b & (bits - 1);

	if (!n)
		return v;
	if (!left)
		n = bits - n;
	return low_bits(v << n | v >> (bits - n), bits);
}

static eu_wide shift_right(const struct eu_op *op, eu_wide a, unsigned int n,
			   bool arithmetic)
{
	if (arithmetic)
		return a >> n;
	return is_64bit(op) ? (uint64_t)a >> n : (uint32_t)a >> n;
}

static uint32_t leading_zeros(uint32_t v)
{
	return v ? __builtin_clz(v) : 32;
}

static uint32_t reverse(uint32_t v)
{
	uint32_t r = 0;

	for (int i = 0; i < 32; i++)
		r |= (v >> i & 1) << (31 - i);
	return r;
}

/* Number of the first bit from the top that is set, or that differs from the sign */
static uint32_t find_high(const struct eu_op *op, uint32_t v)
{
	if (op->in.src[0].type == EU_D && v >> 31)
		v = ~v;
	return v ? (uint32_t)__builtin_clz(v) : UINT32_MAX;
}

/* A product of two unsigned quadwords needs all 128 bits and wraps there. */
static eu_wide multiply(eu_wide a, eu_wide b)
{
	return (eu_wide)((unsigned __int128)a * (unsigned __int128)b);
}

/* The shift count: its low 5 or 6 bits */
static unsigned int count_of(const struct eu_op *op, eu_wide b)
{
	return (unsigned int)b & (is_64bit(op) ? 63 : 31);
}

static eu_wide bitwise_table(unsigned int table, uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t r = 0;

	for (int k = 0; k < 8; k++)
		if (table >> k & 1)
			r |= (k & 1 ? a : ~a) & (k & 2 ? b : ~b) & (k & 4 ? c : ~c);
	return (eu_wide)r;
}

static eu_wide extract_field(const struct eu_op *op, eu_wide w, eu_wide o, eu_wide v)
{
	unsigned int width = w & 31, offset = o & 31;
	uint32_t field;

	if (!width)
		return 0;
	field = (uint32_t)v >> offset & ((1u << width) - 1);
	if (op->in.src[2].type == EU_D && offset + width <= 32)
		return (int32_t)(field << (32 - width)) >> (32 - width);
	return field;
}

static eu_wide insert_field(eu_wide mask, eu_wide insert, eu_wide base)
{
	uint32_t m = (uint32_t)mask;
	unsigned int shift = m ? __builtin_ctz(m) : 0;

	return ((uint32_t)insert << shift & m) | ((uint32_t)base & ~m);
}

static eu_wide dot4(const struct eu_op *op, eu_wide c, uint32_t a, uint32_t b)
{
	eu_wide sum = c;

	for (int i = 0; i < 32; i += 8) {
		int x = op->in.src[1].type == EU_D ? (int8_t)(a >> i) : (uint8_t)(a >> i);
		int y = op->in.src[2].type == EU_D ? (int8_t)(b >> i) : (uint8_t)(b >> i);

		sum += x * y;
	}
	return sum;
}

INT(mov, a)
INT(not, ~a)
INT(lzd, leading_zeros((uint32_t)a))
INT(fbh, find_high(op, (uint32_t)a))
INT(fbl, (uint32_t)a ? (uint32_t)__builtin_ctz((uint32_t)a) : UINT32_MAX)
INT(cbit, __builtin_popcount((uint32_t)a))
INT(bfrev, reverse((uint32_t)a))

INT(add, a + b)
INT(mul, multiply(a, b))
INT(avg, (a + b + 1) >> 1)
INT(and, a & b)
INT(or, a | b)
INT(xor, a ^ b)
INT(shl, (eu_wide)((unsigned __int128)a << count_of(op, b)))
INT(shr, shift_right(op, a, count_of(op, b), false))
INT(asr, shift_right(op, a, count_of(op, b), true))
INT(rol, rotate(op, a, b, true))
INT(ror, rotate(op, a, b, false))
INT(bfi1, (uint32_t)((((uint64_t)1 << (a & 31)) - 1) << (b & 31)))

INT(add3, a + b + c)
INT(mad, (eu_wide)((unsigned __int128)a + (unsigned __int128)multiply(b, c)))
INT(bfn, bitwise_table(op->in.function, a, b, c))
INT(bfe, extract_field(op, a, b, c))
INT(bfi2, insert_field(a, b, c))
INT(dp4a, dot4(op, a, b, c))

/* Rounds to nearest even in every mode. */
static double round_even(double v)
{
	double lower = floor(v), rest = v - lower;

	if (!isfinite(v) || !rest)
		return v;
	if (rest > 0.5 || (rest == 0.5 && fmod(lower, 2.0) != 0.0))
		lower += 1.0;
	return copysign(lower, v);
}

FLOAT(mov, a)
FLOAT(add, eu_sum(op, a, b))
FLOAT(mul, a * b)
FLOAT(avg, (a + b) / 2)
FLOAT(mad, eu_fused(op, a, b, c))
FLOAT(frc, a - floor(a))
FLOAT(rndu, ceil(a))
FLOAT(rndd, floor(a))
FLOAT(rnde, round_even(a))
FLOAT(rndz, trunc(a))

/* The slow functions by opcode */
static const struct slow {
	int_lane *ints;
	float_lane *floats;
	eu_exec *exec;
	eu_exec *(*select)(struct eu_op *op);
} slow[EU_OPCODES] = {
#define EU_OPCODE(code, NAME, text, format, modifiers, kind, slow, fast) \
	[code] = { SLOW_##kind(slow) },
#define SLOW_INT(f)	.ints = int_##f
#define SLOW_FLOAT(f)	.floats = float_##f
#define SLOW_NUMBER(f)	.ints = int_##f, .floats = float_##f
#define SLOW_MIXED(f)	.ints = int_##f, .floats = float_##f, .select = eu_select_##f
#define SLOW_EXEC(f)	.exec = eu_exec_##f
#define SLOW_SELECT(f)	.select = eu_select_##f
#include "eu/isa/eu_opcodes.def"
};

static struct eu_op *exec_int(struct eu_thread *t, struct eu_op *op)
{
	eu_wide s[3][EU_MAX_LANES], r[EU_MAX_LANES];
	const eu_wide *b = s[op->in.sources > 1], *c = s[op->in.sources > 2 ? 2 : 0];
	int_lane *lane = slow[op->in.opcode].ints;
	uint32_t mask = eu_live(t, op);

	for (int i = 0; i < op->in.sources; i++)
		eu_load_int(t, op, i, s[i]);
	for (int l = 0; l < op->n; l++)
		r[l] = lane(op, s[0][l], b[l], c[l]);
	eu_store_int(t, op, mask, r);
	return eu_next(t, op);
}

static struct eu_op *exec_float(struct eu_thread *t, struct eu_op *op)
{
	double s[3][EU_MAX_LANES] = {}, r[EU_MAX_LANES];
	float_lane *lane = slow[op->in.opcode].floats;
	uint32_t mask = eu_live(t, op);

	for (int i = 0; i < op->in.sources; i++)
		eu_load_float(t, op, i, s[i]);
	for (int l = 0; l < op->n; l++)
		r[l] = mask >> l & 1 ? lane(op, s[0][l], s[1][l], s[2][l]) : 0;
	eu_store_float(t, op, mask, r);
	eu_unordered(t, op, mask, s[0], s[1], s[2]);
	return eu_next(t, op);
}

static eu_exec *select_number(const struct eu_op *op)
{
	const struct slow *s = &slow[op->in.opcode];

	if (s->floats && (!s->ints || eu_has_float_source(op)))
		return exec_float;
	return s->ints ? exec_int : NULL;
}

/* A copy of bits keeps NaN payloads. */
static struct eu_op *exec_copy(struct eu_thread *t, struct eu_op *op)
{
	uint64_t v[EU_MAX_LANES];
	uint32_t mask = eu_live(t, op);

	eu_load_raw(t, op, 0, v);
	eu_store_raw(t, op, mask, v);
	return eu_next(t, op);
}

eu_exec *eu_select_mov(struct eu_op *op)
{
	return eu_is_copy(op, 1) ? exec_copy : select_number(op);
}

static struct eu_op *exec_movi(struct eu_thread *t, struct eu_op *op)
{
	uint64_t v[EU_MAX_LANES];
	uint32_t mask = eu_live(t, op);

	eu_load_indexed(t, op, v);
	eu_store_raw(t, op, mask, v);
	return eu_next(t, op);
}

eu_exec *eu_select_movi(struct eu_op *op)
{
	if (op->in.src[0].indirect && !op->in.src[0].neg && !op->in.src[0].abs)
		return exec_movi;
	op->why = "movi without an indirect source";
	return NULL;
}

/* A product of dwords in acc0 is wider than the register. */
eu_exec *eu_select_mul(struct eu_op *op)
{
	const struct eu_operand *d = &op->in.dst;

	if (!eu_has_float_source(op) && eu_is_arf(d, EU_ACC) && d->reg % 16 == 0 && !d->sub &&
	    d->hs == 1 && eu_typeinfo[d->type].size == 4)
		return eu_exec_mul_acc;
	return select_number(op);
}

/* Returns the handler of the general path, or NULL if the EU lacks the instruction. */
eu_exec *eu_alu_select(struct eu_op *op)
{
	const struct slow *s = &slow[op->in.opcode];

	if (s->select)
		return s->select(op);
	return s->exec ? s->exec : select_number(op);
}
