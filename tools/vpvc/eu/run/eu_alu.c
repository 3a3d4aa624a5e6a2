/* SPDX-License-Identifier: MIT */
/*
 * Arithmetic, logic and moves in their general form. Integers are computed in
 * a type wide enough to be exact, floats in double with one rounding at the
 * store (mad of f is fused in float itself).
 */
#include "eu/run/eu_alu.h"

#include <math.h>

#include "eu/isa/eu_convert.h"
#include "eu/run/eu_dpas.h"
#include "eu/run/eu_float.h"
#include "eu/state/eu_region.h"

static bool is_float_type(enum eu_type type)
{
	return eu_typeinfo[type].is_float;
}

static bool has_float_source(const struct eu_op *op)
{
	for (int i = 0; i < op->in.sources; i++)
		if (is_float_type(op->in.src[i].type))
			return true;
	return false;
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

/* First bit from the top that is set, or that differs from the sign */
static uint32_t find_high(const struct eu_op *op, uint32_t v)
{
	if (op->in.src[0].type == EU_D && v >> 31)
		v = ~v;
	return v ? (uint32_t)__builtin_clz(v) : UINT32_MAX;
}

static eu_wide int_one(const struct eu_op *op, eu_wide a)
{
	uint32_t u = (uint32_t)a;

	switch (op->in.opcode) {
	case EU_OP_MOV:   return a;
	case EU_OP_NOT:   return ~a;
	case EU_OP_LZD:   return leading_zeros(u);
	case EU_OP_FBH:   return find_high(op, u);
	case EU_OP_FBL:   return u ? (uint32_t)__builtin_ctz(u) : UINT32_MAX;
	case EU_OP_CBIT:  return __builtin_popcount(u);
	case EU_OP_BFREV: return reverse(u);
	default:	  return a;	/* rounding an integer */
	}
}

/* Products of two unsigned quadwords need all 128 bits; they wrap as such. */
static eu_wide multiply(eu_wide a, eu_wide b)
{
	return (eu_wide)((unsigned __int128)a * (unsigned __int128)b);
}

static eu_wide int_two(const struct eu_op *op, eu_wide a, eu_wide b)
{
	unsigned int n = (unsigned int)b & (is_64bit(op) ? 63 : 31);

	switch (op->in.opcode) {
	case EU_OP_ADD:  return a + b;
	case EU_OP_MUL:  return multiply(a, b);
	case EU_OP_AVG:  return (a + b + 1) >> 1;
	case EU_OP_AND:  return a & b;
	case EU_OP_OR:   return a | b;
	case EU_OP_XOR:  return a ^ b;
	case EU_OP_SHL:  return (eu_wide)((unsigned __int128)a << n);
	case EU_OP_SHR:  return shift_right(op, a, n, false);
	case EU_OP_ASR:  return shift_right(op, a, n, true);
	case EU_OP_ROL:  return rotate(op, a, b, true);
	case EU_OP_ROR:  return rotate(op, a, b, false);
	case EU_OP_BFI1: return (uint32_t)((((uint64_t)1 << (a & 31)) - 1) << (b & 31));
	default:	 return 0;
	}
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

static eu_wide int_three(const struct eu_op *op, eu_wide a, eu_wide b, eu_wide c)
{
	switch (op->in.opcode) {
	case EU_OP_ADD3: return a + b + c;
	case EU_OP_MAD:  return (eu_wide)((unsigned __int128)a + (unsigned __int128)multiply(b, c));
	case EU_OP_BFN:  return bitwise_table(op->in.function, a, b, c);
	case EU_OP_BFE:  return extract_field(op, a, b, c);
	case EU_OP_BFI2: return insert_field(a, b, c);
	case EU_OP_DP4A: return dot4(op, a, b, c);
	default:	 return 0;
	}
}

static struct eu_op *exec_int(struct eu_thread *t, struct eu_op *op)
{
	eu_wide s[3][EU_MAX_LANES], r[EU_MAX_LANES];
	uint32_t mask = eu_live(t, op);

	for (int i = 0; i < op->in.sources; i++)
		eu_load_int(t, op, i, s[i]);
	for (int l = 0; l < op->n; l++) {
		if (op->in.sources == 1)
			r[l] = int_one(op, s[0][l]);
		else if (op->in.sources == 2)
			r[l] = int_two(op, s[0][l], s[1][l]);
		else
			r[l] = int_three(op, s[0][l], s[1][l], s[2][l]);
	}
	eu_store_int(t, op, mask, r);
	return eu_next(t, op);
}

/* A product written to acc0 keeps all its bits for a mach or macl after it. */
static struct eu_op *exec_mul_acc(struct eu_thread *t, struct eu_op *op)
{
	eu_wide a[EU_MAX_LANES], b[EU_MAX_LANES], r[EU_MAX_LANES];
	uint32_t mask = eu_live(t, op);

	eu_load_int(t, op, 0, a);
	eu_load_int(t, op, 1, b);
	for (int l = 0; l < op->n; l++)
		r[l] = a[l] * b[l];
	eu_store_int(t, op, mask, r);
	for (int l = 0; l < op->n; l++)
		if (mask >> l & 1)
			t->wide[l] = (int64_t)r[l];
	t->wide_valid = true;
	return eu_next(t, op);
}

static int64_t accumulator(const struct eu_thread *t, const struct eu_op *op, int lane)
{
	uint32_t v;

	if (t->wide_valid)
		return t->wide[lane];
	v = eu_get32(t, EU_ACC_OFF + 4 * lane);
	return eu_typeinfo[op->in.dst.type].is_signed ? (int64_t)(int32_t)v : (int64_t)v;
}

/* The second half of a 32 x 32 multiplication: high (mach) or low (macl) dword */
static struct eu_op *exec_mach(struct eu_thread *t, struct eu_op *op)
{
	eu_wide a[EU_MAX_LANES], b[EU_MAX_LANES], r[EU_MAX_LANES];
	bool high = op->in.opcode == EU_OP_MACH;
	uint32_t mask = eu_live(t, op);

	eu_load_int(t, op, 0, a);
	eu_load_int(t, op, 1, b);
	for (int l = 0; l < op->n; l++) {
		/* an arithmetic shift keeps the sign of :d, :ud has none */
		eu_wide sum = accumulator(t, op, l) + a[l] * (b[l] >> 16) * 65536;

		r[l] = high ? (eu_wide)(int32_t)(sum >> 32) : (eu_wide)(int32_t)sum;
	}
	eu_store_int(t, op, mask, r);
	return eu_next(t, op);
}

/* addc, subb: the carry or borrow goes to acc0 */
static struct eu_op *exec_carry(struct eu_thread *t, struct eu_op *op)
{
	eu_wide a[EU_MAX_LANES], b[EU_MAX_LANES], r[EU_MAX_LANES];
	bool subtract = op->in.opcode == EU_OP_SUBB;
	uint32_t mask = eu_live(t, op);

	eu_load_int(t, op, 0, a);
	eu_load_int(t, op, 1, b);
	for (int l = 0; l < op->n; l++) {
		r[l] = subtract ? a[l] - b[l] : a[l] + b[l];
		if (mask >> l & 1)
			eu_put32(t, EU_ACC_OFF + 4 * l, subtract ? a[l] < b[l] :
				 r[l] > UINT32_MAX);
	}
	t->wide_valid = false;
	eu_store_int(t, op, mask, r);
	return eu_next(t, op);
}

/* To nearest even whatever the mode */
static double round_even(double v)
{
	double lower = floor(v), rest = v - lower;

	if (!isfinite(v) || !rest)
		return v;
	if (rest > 0.5 || (rest == 0.5 && fmod(lower, 2.0) != 0.0))
		lower += 1.0;
	return copysign(lower, v);
}

static double round_to(unsigned int opcode, double v)
{
	switch (opcode) {
	case EU_OP_RNDD: return floor(v);
	case EU_OP_RNDU: return ceil(v);
	case EU_OP_RNDZ: return trunc(v);
	case EU_OP_FRC:	 return v - floor(v);
	default:	 return round_even(v);
	}
}

/*
 * a + b * c, rounded so that rounding once more to the destination's type is
 * right: in the type itself for f, to odd for what is narrower.
 */
static double fused(const struct eu_op *op, double a, double b, double c)
{
	if (op->in.dst.type == EU_F)
		return fmaf((float)b, (float)c, (float)a);
	if (op->in.dst.type == EU_BF)
		return eu_fma_to_odd(b, c, a);
	return fma(b, c, a);
}

/* The condition un asks for the sources, not for the result. */
static void unordered(struct eu_thread *t, const struct eu_op *op, uint32_t mask,
		      const double *a, const double *b, const double *c)
{
	uint32_t bits = 0;

	if (op->in.cond != EU_UN)
		return;
	for (int l = 0; l < op->n; l++)
		bits |= (uint32_t)(isnan(a[l]) || (b && isnan(b[l])) || (c && isnan(c[l]))) << l;
	eu_write_flags(t, op, mask, bits);
}

static double float_op(const struct eu_op *op, double a, double b, double c)
{
	switch (op->in.opcode) {
	case EU_OP_MOV:  return a;
	case EU_OP_ADD:  return a + b;
	case EU_OP_MUL:  return a * b;
	case EU_OP_AVG:  return (a + b) / 2;
	case EU_OP_MAD:
	case EU_OP_MADM:
		return fused(op, a, b, c);
	default:
		return round_to(op->in.opcode, a);
	}
}

static struct eu_op *exec_float(struct eu_thread *t, struct eu_op *op)
{
	double s[3][EU_MAX_LANES] = {}, r[EU_MAX_LANES];
	uint32_t mask = eu_live(t, op);

	for (int i = 0; i < op->in.sources; i++)
		eu_load_float(t, op, i, s[i]);
	for (int l = 0; l < op->n; l++)
		r[l] = mask >> l & 1 ? float_op(op, s[0][l], s[1][l], s[2][l]) : 0;
	eu_store_float(t, op, mask, r);
	unordered(t, op, mask, s[0], s[1], s[2]);
	return eu_next(t, op);
}

/* dst = src0 * src1 + acc0 */
static struct eu_op *exec_mac(struct eu_thread *t, struct eu_op *op)
{
	double a[EU_MAX_LANES], b[EU_MAX_LANES], r[EU_MAX_LANES];
	eu_wide x[EU_MAX_LANES], y[EU_MAX_LANES], z[EU_MAX_LANES];
	uint32_t mask = eu_live(t, op);

	if (!has_float_source(op)) {
		eu_load_int(t, op, 0, x);
		eu_load_int(t, op, 1, y);
		for (int l = 0; l < op->n; l++)
			z[l] = x[l] * y[l] + accumulator(t, op, l);
		eu_store_int(t, op, mask, z);
		return eu_next(t, op);
	}
	eu_load_float(t, op, 0, a);
	eu_load_float(t, op, 1, b);
	for (int l = 0; l < op->n; l++)
		r[l] = fused(op, eu_acc_float(t, op->in.dst.type, l), a[l], b[l]);
	eu_store_float(t, op, mask, r);
	unordered(t, op, mask, a, b, NULL);
	return eu_next(t, op);
}

/* The bits as they are: NaN payloads and patterns that are no floats survive. */
static struct eu_op *exec_copy(struct eu_thread *t, struct eu_op *op)
{
	uint64_t v[EU_MAX_LANES];
	uint32_t mask = eu_live(t, op);

	eu_load_raw(t, op, 0, v);
	eu_store_raw(t, op, mask, v);
	return eu_next(t, op);
}

static struct eu_op *exec_movi(struct eu_thread *t, struct eu_op *op)
{
	uint64_t v[EU_MAX_LANES];
	uint32_t mask = eu_live(t, op);

	eu_load_indexed(t, op, v);
	eu_store_raw(t, op, mask, v);
	return eu_next(t, op);
}

/*
 * Stochastic rounding: the random bits are added to what will be cut off, so
 * that the way up is as likely as the rest is large.
 */
static uint64_t round_to_half(uint32_t f, uint32_t random)
{
	unsigned int exponent = f >> 23 & 0xff, shift = 13;
	uint64_t m = f & 0x7fffff, sign = f >> 16 & 0x8000, h;

	if (exponent == 0xff)
		return sign | 0x7c00 | (m ? 0x200 | m >> 13 : 0);
	if (exponent)
		m |= 0x800000;
	else
		exponent = 1;
	/* below 2^-14 there are fewer bits to keep */
	if (exponent < 113)
		shift += 113 - exponent;
	if (shift > 40)
		return sign;
	m += (uint64_t)(random & 0x1fff) << (shift - 13);
	h = m >> shift;
	if (exponent > 113)
		h += (uint64_t)(exponent - 113) << 10;
	return sign | (h > 0x7c00 ? 0x7c00 : h);
}

static uint64_t round_to_bf8(uint32_t h, uint32_t random)
{
	uint32_t m = h & 0x7fff;

	if (m > 0x7c00)
		return (h >> 8 & 0xff) | 2;	/* quiet */
	if (m < 0x7c00)
		m += random & 0xff;
	return (h >> 8 & 0x80) | m >> 8;
}

static struct eu_op *exec_srnd(struct eu_thread *t, struct eu_op *op)
{
	uint64_t v[EU_MAX_LANES], random[EU_MAX_LANES];
	uint32_t mask = eu_live(t, op);
	bool half = op->in.dst.type == EU_HF;

	eu_load_raw(t, op, 0, v);
	eu_load_raw(t, op, 1, random);
	for (int l = 0; l < op->n; l++) {
		v[l] = half ? round_to_half(v[l], random[l]) : round_to_bf8(v[l], random[l]);
		if (!op->in.saturate)
			continue;
		/* to [0, 1]; negative values and NaN become 0 */
		if (v[l] >> (half ? 15 : 7) || v[l] > (half ? 0x7c00 : 0x7c))
			v[l] = 0;
		else if (v[l] > (half ? 0x3c00 : 0x3c))
			v[l] = half ? 0x3c00 : 0x3c;
	}
	eu_store_raw(t, op, mask, v);
	return eu_next(t, op);
}

static bool is_minmax(const struct eu_op *op)
{
	return op->in.opcode == EU_OP_SEL && op->in.cond;
}

/* The predicate of sel chooses and does not mask. */
static uint32_t choose(struct eu_thread *t, struct eu_op *op)
{
	return op->pred ? eu_predicate(t, op) : op->lanes;
}

static struct eu_op *exec_sel_int(struct eu_thread *t, struct eu_op *op)
{
	eu_wide a[EU_MAX_LANES], b[EU_MAX_LANES], r[EU_MAX_LANES];
	uint32_t first = choose(t, op);

	eu_load_int(t, op, 0, a);
	eu_load_int(t, op, 1, b);
	for (int l = 0; l < op->n; l++) {
		bool take = is_minmax(op) ? eu_compare_int(op->in.cond, a[l], b[l]) :
					    first >> l & 1;

		r[l] = take ? a[l] : b[l];
	}
	eu_store_int(t, op, eu_enabled(t, op), r);
	return eu_next(t, op);
}

/* A number wins over NaN; of two NaN the second source is taken. */
static double minmax(enum eu_cond cond, double a, double b)
{
	if (isnan(a))
		return b;
	if (isnan(b))
		return a;
	return eu_compare_float(cond, a, b) ? a : b;
}

static struct eu_op *exec_sel_float(struct eu_thread *t, struct eu_op *op)
{
	double a[EU_MAX_LANES], b[EU_MAX_LANES], r[EU_MAX_LANES];
	uint32_t first = choose(t, op);

	eu_load_float(t, op, 0, a);
	eu_load_float(t, op, 1, b);
	for (int l = 0; l < op->n; l++)
		r[l] = is_minmax(op) ? minmax(op->in.cond, a[l], b[l]) :
		       first >> l & 1 ? a[l] : b[l];
	eu_store_float(t, op, eu_enabled(t, op), r);
	return eu_next(t, op);
}

static struct eu_op *exec_sel_copy(struct eu_thread *t, struct eu_op *op)
{
	uint64_t a[EU_MAX_LANES], b[EU_MAX_LANES];
	uint32_t first = choose(t, op);

	eu_load_raw(t, op, 0, a);
	eu_load_raw(t, op, 1, b);
	for (int l = 0; l < op->n; l++)
		if (!(first >> l & 1))
			a[l] = b[l];
	eu_store_raw(t, op, eu_enabled(t, op), a);
	return eu_next(t, op);
}

static struct eu_op *exec_csel(struct eu_thread *t, struct eu_op *op)
{
	double s[3][EU_MAX_LANES];
	eu_wide v[3][EU_MAX_LANES];
	uint32_t mask = eu_live(t, op);

	if (has_float_source(op)) {
		for (int i = 0; i < 3; i++)
			eu_load_float(t, op, i, s[i]);
		for (int l = 0; l < op->n; l++)
			if (!eu_compare_float(op->in.cond, s[2][l], 0.0))
				s[0][l] = s[1][l];
		eu_store_float(t, op, mask, s[0]);
	} else {
		for (int i = 0; i < 3; i++)
			eu_load_int(t, op, i, v[i]);
		for (int l = 0; l < op->n; l++)
			if (!eu_compare_int(op->in.cond, v[2][l], 0))
				v[0][l] = v[1][l];
		eu_store_int(t, op, mask, v[0]);
	}
	return eu_next(t, op);
}

static struct eu_op *exec_cmp(struct eu_thread *t, struct eu_op *op)
{
	uint64_t result[EU_MAX_LANES];
	uint32_t mask = eu_live(t, op), bits = 0;

	if (has_float_source(op)) {
		double a[EU_MAX_LANES], b[EU_MAX_LANES];

		eu_load_float(t, op, 0, a);
		eu_load_float(t, op, 1, b);
		for (int l = 0; l < op->n; l++)
			bits |= (uint32_t)eu_compare_float(op->in.cond, a[l], b[l]) << l;
	} else {
		eu_wide a[EU_MAX_LANES], b[EU_MAX_LANES];

		eu_load_int(t, op, 0, a);
		eu_load_int(t, op, 1, b);
		for (int l = 0; l < op->n; l++)
			bits |= (uint32_t)eu_compare_int(op->in.cond, a[l], b[l]) << l;
	}
	for (int l = 0; l < op->n; l++)
		result[l] = bits >> l & 1 ? UINT64_MAX : 0;
	eu_store_raw(t, op, mask, result);
	eu_write_flags(t, op, mask, bits);
	return eu_next(t, op);
}

static bool plain(const struct eu_op *op, int sources)
{
	if (op->in.saturate)
		return false;
	for (int i = 0; i < sources; i++) {
		const struct eu_operand *s = &op->in.src[i];

		if (s->type != op->in.dst.type || s->neg || s->abs)
			return false;
	}
	return true;
}

static eu_exec *select_mov(const struct eu_op *op)
{
	const struct eu_operand *s = &op->in.src[0];

	if (plain(op, 1) && !op->in.cond)
		return exec_copy;
	return is_float_type(s->type) ? exec_float : exec_int;
}

static eu_exec *select_sel(struct eu_op *op)
{
	if (plain(op, 2) && !op->in.cond)
		return exec_sel_copy;
	return has_float_source(op) ? exec_sel_float : exec_sel_int;
}

static eu_exec *select_math(struct eu_op *op)
{
	switch (op->in.function) {
	case EU_INV ... EU_COS:
		return eu_exec_math;
	case EU_INVM: case EU_RSQTM:
		return eu_exec_math;
	default:
		op->why = "no such math function";
		return NULL;
	}
}

static eu_exec *select_mul(const struct eu_op *op)
{
	const struct eu_operand *d = &op->in.dst;

	if (has_float_source(op))
		return exec_float;
	return eu_is_arf(d, EU_ACC) && d->reg % 16 < 2 && d->hs == 1 && !d->sub &&
	       d->reg % 16 == 0 && eu_typeinfo[d->type].size == 4 ?
	       exec_mul_acc : exec_int;
}

/* The handler of the general path, or NULL for what the EU does not have. */
eu_exec *eu_alu_select(struct eu_op *op)
{
	switch (op->in.opcode) {
	case EU_OP_MOV:
		return select_mov(op);
	case EU_OP_MOVI:
		if (op->in.src[0].indirect && !op->in.src[0].neg && !op->in.src[0].abs)
			return exec_movi;
		op->why = "movi without an indirect source";
		return NULL;
	case EU_OP_SRND:
		if ((op->in.dst.type == EU_HF && op->in.src[0].type == EU_F) ||
		    (op->in.dst.type == EU_BF8 && op->in.src[0].type == EU_HF))
			return exec_srnd;
		op->why = "no such types of srnd";
		return NULL;
	case EU_OP_SEL:
		return select_sel(op);
	case EU_OP_CSEL:
		return exec_csel;
	case EU_OP_CMP: case EU_OP_CMPN:
		return exec_cmp;
	case EU_OP_MATH:
		return select_math(op);
	case EU_OP_MUL:
		return select_mul(op);
	case EU_OP_MACH: case EU_OP_MACL:
		return exec_mach;
	case EU_OP_MAC:
		return exec_mac;
	case EU_OP_ADDC: case EU_OP_SUBB:
		return exec_carry;
	case EU_OP_DPAS:
		return eu_exec_dpas;
	case EU_OP_ADD: case EU_OP_AVG: case EU_OP_MAD:
		return has_float_source(op) ? exec_float : exec_int;
	case EU_OP_FRC: case EU_OP_RNDU: case EU_OP_RNDD: case EU_OP_RNDE:
	case EU_OP_RNDZ: case EU_OP_MADM:
		return exec_float;
	case EU_OP_NOT: case EU_OP_AND: case EU_OP_OR: case EU_OP_XOR:
	case EU_OP_SHR: case EU_OP_SHL: case EU_OP_ASR: case EU_OP_ROL:
	case EU_OP_ROR: case EU_OP_LZD: case EU_OP_FBH: case EU_OP_FBL:
	case EU_OP_CBIT: case EU_OP_BFREV: case EU_OP_BFE: case EU_OP_BFI1:
	case EU_OP_BFI2: case EU_OP_ADD3: case EU_OP_BFN: case EU_OP_DP4A:
		return exec_int;
	default:
		return NULL;
	}
}
