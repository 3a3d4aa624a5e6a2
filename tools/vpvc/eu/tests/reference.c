// SPDX-License-Identifier: MIT
/* The reference of the arithmetic instructions: the table of their forms, and their execution */
#include "eu/tests/reference.h"

#include <math.h>
#include <string.h>

#include "eu/tests/reference_float.h"

#define OP_MATH		0x38

/* ---- the forms of the instruction set ---- */

#define P REF_HAS_PRED
#define C REF_HAS_COND
#define S REF_HAS_SAT
#define M REF_HAS_MODS

#define LOGIC	"int <- int"
#define BITS	"ud <- ud; d <- d"
#define SHIFT	"int <- int; uq q <- uw w ud d uq q; uw w ud d <- uq q"
#define FLOAT	"f <- f; hf <- hf; bf f <- bf f; df <- df"

const struct ref_form ref_forms[] = {
	{ "add", 0x40, 2, P | C | S | M, SHIFT "; " FLOAT },
	{ "mul", 0x41, 2, P | C | S | M, "uw w <- uw w; ud d <- uw w ud d; " FLOAT },
	{ "avg", 0x42, 2, P | C | S | M, LOGIC },
	{ "frc", 0x43, 1, P | C | M, "f <- f" },
	{ "rndu", 0x44, 1, P | C | S | M, "f <- f" },
	{ "rndd", 0x45, 1, P | C | S | M, "f <- f" },
	{ "rnde", 0x46, 1, P | C | S | M, "f <- f" },
	{ "rndz", 0x47, 1, P | C | S | M, "f <- f" },
	{ "mac", 0x48, 2, P | C | S | M, "uw w ud d <- byte uw w; " FLOAT },
	{ "mach", 0x49, 2, P | M, BITS },
	{ "lzd", 0x4a, 1, P | C | M, "ud <- int" },
	{ "fbh", 0x4b, 1, P, "ud <- ud d" },
	{ "fbl", 0x4c, 1, P, "ud <- ud" },
	{ "cbit", 0x4d, 1, P, "ud <- ub uw ud" },
	{ "addc", 0x4e, 2, P | C, "ud <- ud" },
	{ "subb", 0x4f, 2, P | C | S, "ud <- ud" },
	{ "add3", 0x52, 3, P | C | S | M, "uw w ud d <- uw w ud d" },
	{ "macl", 0x53, 2, P | M, BITS },
	{ "dp4a", 0x58, 3, P | C | S, "ud d <- ud d" },
	{ "mad", 0x5b, 3, P | C | S | M,
	  "uw w <- byte; uw w ud d <- uw w ud d; " FLOAT },
	{ "madm", 0x5d, 3, P | M, "f <- f; df <- df" },
	{ "mov", 0x61, 1, P | C | S | M,
	  "int uq q f df <- int uq q f df; int f hf <- hf; hf <- int f; bf tf32 <- f; bf <- bf; "
	  "bf8 <- hf; hf <- bf8" },
	{ "sel", 0x62, 2, P | C | S | M, LOGIC "; " FLOAT },
	{ "not", 0x64, 1, P | C | M, LOGIC },
	{ "and", 0x65, 2, P | C | M, LOGIC },
	{ "or", 0x66, 2, P | C | M, LOGIC },
	{ "xor", 0x67, 2, P | C | M, LOGIC },
	{ "shr", 0x68, 2, P | C | S | M, "ub uw ud <- ub uw ud; uq <- uw ud uq; uw ud <- uq" },
	{ "shl", 0x69, 2, P | C | S | M, SHIFT },
	{ "bfn", 0x6b, 3, P | C, "ud uw <- ud uw" },
	{ "asr", 0x6c, 2, P | C | S | M, SHIFT },
	{ "ror", 0x6e, 2, P | C, "uw ud <- uw ud; uq <- uq" },
	{ "rol", 0x6f, 2, P | C, "uw ud <- uw ud; uq <- uq" },
	{ "cmp", 0x70, 2, P | C | M, LOGIC "; " FLOAT },
	{ "cmpn", 0x71, 2, P | C | M, LOGIC "; f <- f; hf <- hf; df <- df" },
	{ "csel", 0x72, 3, C | S | M, "f <- f; hf <- hf; ud d <- ud d; uw w <- uw w" },
	{ "bfrev", 0x77, 1, P, "ud <- ud" },
	{ "bfe", 0x78, 3, P, BITS },
	{ "bfi1", 0x79, 2, P, BITS },
	{ "bfi2", 0x7a, 3, P, BITS },
	{ "math.inv", 0x38 | 1 << 8, 1, P | S | M, "f <- f; hf <- hf" },
	{ "math.log", 0x38 | 2 << 8, 1, P | S | M, "f <- f; hf <- hf" },
	{ "math.exp", 0x38 | 3 << 8, 1, P | S | M, "f <- f; hf <- hf" },
	{ "math.sqt", 0x38 | 4 << 8, 1, P | S | M, "f <- f; hf <- hf" },
	{ "math.rsqt", 0x38 | 5 << 8, 1, P | S | M, "f <- f; hf <- hf" },
	{ "math.sin", 0x38 | 6 << 8, 1, P | S | M, "f <- f; hf <- hf" },
	{ "math.cos", 0x38 | 7 << 8, 1, P | S | M, "f <- f; hf <- hf" },
	{ "math.invm", 0x38 | 14 << 8, 2, P | M, "f <- f; df <- df" },
	{ "math.rsqtm", 0x38 | 15 << 8, 1, P | M, "f <- f; df <- df" },
	{ NULL },
};

#undef P
#undef C
#undef S
#undef M

/* ---- operands ---- */

static integer extend(uint64_t bits, enum ref_type type)
{
	unsigned int n = 8 * ref_size(type);
	integer v = n == 64 ? bits : bits & ((1ull << n) - 1);

	if (ref_is_signed(type) && v >> (n - 1) & 1)
		v -= (integer)1 << n;
	return v;
}

static unsigned int address_of(const struct ref_state *s, const struct ref_operand *o,
			       unsigned int lane)
{
	unsigned int size = ref_size(o->type), row = lane / o->w, col = lane % o->w;

	switch (o->kind) {
	case REF_VXH:
		return (s->a0[o->a0 + row] + o->offset + col * o->hs * size) % sizeof(s->grf);
	case REF_INDIRECT:
		return (s->a0[o->a0] + o->offset + (row * o->vs + col * o->hs) * size) %
		       sizeof(s->grf);
	default:
		return o->reg * 64 + o->sub + (row * o->vs + col * o->hs) * size;
	}
}

static struct number immediate(const struct ref_operand *o, unsigned int lane, uint32_t cr0)
{
	struct number n = { 0 };
	unsigned int v;

	switch (o->type) {
	case REF_UB:	/* uv */
		n.i = o->imm >> (lane % 8 * 4) & 15;
		break;
	case REF_B:	/* v */
		n.i = o->imm >> (lane % 8 * 4) & 15;
		n.i = n.i > 7 ? n.i - 16 : n.i;
		break;
	case REF_BF8:	/* vf: sign, 3 bits of exponent, 4 of fraction */
		v = o->imm >> (lane % 4 * 8) & 255;
		n.is_float = true;
		n.r = v & 127 ? (16 + (v & 15)) * ref_two_to((int)(v >> 4 & 7) - 7) : 0;
		if (v & 128)
			n.r = -n.r;
		break;
	default:
		if (ref_is_float(o->type))
			return ref_decode_float(o->imm, o->type, cr0);
		n.i = extend(o->imm, o->type);
	}
	n.bits = o->imm;
	return n;
}

static bool is_logic(unsigned int opcode)
{
	return opcode >= 0x64 && opcode <= 0x67;
}

static struct number load(const struct ref_insn *in, const struct ref_state *s,
			  unsigned int i, unsigned int lane)
{
	const struct ref_operand *o = &in->src[i];
	struct number n = { 0 };

	if (o->kind == REF_IMM) {
		n = immediate(o, lane, s->cr0);
	} else if (o->kind != REF_NULL) {
		const uint8_t *file = o->kind == REF_ACC ? s->acc : s->grf;

		memcpy(&n.bits, file + address_of(s, o, lane), ref_size(o->type));
		if (ref_is_float(o->type))
			n = ref_decode_float(n.bits, o->type, s->cr0);
		else
			n.i = extend(n.bits, o->type);
	}
	if (n.is_float) {
		if (o->abs && ref_sign_of(n.r))
			n.r = -n.r;
		if (o->neg)
			n.r = -n.r;
		return n;
	}
	if (o->abs && n.i < 0)
		n.i = -n.i;
	if (o->neg)
		n.i = is_logic(in->opcode) ? ~n.i : -n.i;
	return n;
}

/* ---- operations ---- */

static struct number from_int(integer v)
{
	return (struct number){ .i = v };
}

static struct number from_real(real v)
{
	return (struct number){ .is_float = true, .r = v == v ? v : 0, .nan = v != v };
}

static struct number not_a_number(void)
{
	return (struct number){ .is_float = true, .nan = true };
}

static bool holds(unsigned int cond, const struct number *a, const struct number *b)
{
	bool less, equal;

	if (a->is_float && (a->nan || b->nan))
		return cond == 2 || cond == 9;
	less = a->is_float ? a->r < b->r : a->i < b->i;
	equal = a->is_float ? a->r == b->r : a->i == b->i;
	switch (cond) {
	case 1:  return equal;
	case 2:  return !equal;
	case 3:  return !less && !equal;
	case 4:  return !less;
	case 5:  return less;
	case 6:  return less || equal;
	default: return false;
	}
}

static real round_even(real v)
{
	real f = v < 0 ? -v : v, whole;

	if (f >= ref_two_to(70))
		return v;
	whole = (real)(integer)f;
	if (f - whole > 0.5Q || (f - whole == 0.5Q && (integer)f % 2))
		whole += 1;
	return ref_sign_of(v) ? -whole : whole;
}

static real truncate(real v)
{
	real f = v < 0 ? -v : v;

	if (f >= ref_two_to(113))
		return v;
	f = (real)(integer)f;
	return ref_sign_of(v) ? -f : f;
}

static real round_down(real v)
{
	real t = truncate(v);

	return t > v ? t - 1 : t;
}

static real round_up(real v)
{
	real t = truncate(v);

	return t < v ? (t == -1 ? -(real)0 : t + 1) : t;
}

/* Rounds to an integer by a rounding mode of cr0. */
static real round_mode(real v, unsigned int mode)
{
	switch (mode) {
	case 0:	 return round_even(v);
	case 1:	 return round_up(v);
	case 2:	 return round_down(v);
	default: return truncate(v);
	}
}

/* Square root: sqrtl() and two steps of Newton's method in a higher precision */
static real root(real v)
{
	real y;

	if (v == 0 || ref_is_infinite(v))
		return v;
	y = sqrtl((long double)v);
	y = (y + v / y) / 2;
	return (y + v / y) / 2;
}

static struct number math(unsigned int function, struct number a, struct number b)
{
	long double x = (long double)a.r;

	if (a.nan || (function == 14 && b.nan))
		return not_a_number();
	switch (function) {
	case 1:  return from_real(1 / a.r);
	case 2:  return from_real(log2l(x));
	case 3:  return from_real(exp2l(x));
	case 4:  return a.r < 0 ? not_a_number() : from_real(root(a.r));
	case 5:  return a.r < 0 ? not_a_number() : from_real(1 / root(a.r));
	case 6:  return from_real(sinl(x));
	case 7:  return from_real(cosl(x));
	case 14: return from_real(a.r / b.r);
	default: return a.r < 0 ? not_a_number() : from_real(root(a.r));
	}
}

static struct number float_op(const struct ref_insn *in, const struct number *s,
			      struct number acc, uint32_t cr0)
{
	struct number a = s[0], b = s[1], c = s[2];

	for (unsigned int i = 0; i < in->sources; i++)
		if (s[i].nan)
			return not_a_number();
	switch (in->opcode) {
	case 0x40: return from_real(ref_add_odd(a.r, b.r, cr0));
	case 0x41: return from_real(a.r * b.r);
	case 0x43:
		return ref_is_infinite(a.r) ? not_a_number() :
		       from_real(ref_add_odd(a.r, -round_down(a.r), cr0));
	case 0x44: return from_real(round_up(a.r));
	case 0x45: return from_real(round_down(a.r));
	case 0x46: return from_real(round_even(a.r));
	case 0x47: return from_real(truncate(a.r));
	case 0x48: return acc.nan ? not_a_number() : from_real(ref_add_odd(a.r * b.r, acc.r, cr0));
	case 0x5b: case 0x5d: return from_real(ref_add_odd(b.r * c.r, a.r, cr0));
	default:   return a;
	}
}

static unsigned int bits_of(enum ref_type type)
{
	return 8 * ref_size(type);
}

static int64_t dot_product(const struct ref_insn *in, uint32_t a, uint32_t b)
{
	int64_t sum = 0;

	for (int k = 0; k < 4; k++) {
		int x = a >> 8 * k & 255, y = b >> 8 * k & 255;

		if (in->src[1].type == REF_D && x > 127)
			x -= 256;
		if (in->src[2].type == REF_D && y > 127)
			y -= 256;
		sum += x * y;
	}
	return sum;
}

static integer rotate_left(uint64_t v, unsigned int n, unsigned int bits)
{
	v &= bits < 64 ? (1ull << bits) - 1 : UINT64_MAX;
	for (; n; n--) {
		uint64_t top = v >> (bits - 1) & 1;

		v = v << 1 | top;
		if (bits < 64)
			v &= (1ull << bits) - 1;
	}
	return v;
}

static int first_bit(uint32_t v, bool from_top, bool value)
{
	for (int k = 0; k < 32; k++)
		if ((v >> (from_top ? 31 - k : k) & 1) == value)
			return k;
	return -1;
}

static integer int_op(const struct ref_insn *in, const struct number *s)
{
	integer a = s[0].i, b = s[1].i, c = s[2].i;
	uint32_t u = (uint32_t)a, v = (uint32_t)b, w = (uint32_t)c, r = 0;
	bool wide = bits_of(in->dst.type) == 64 || bits_of(in->src[0].type) == 64;
	unsigned int count = (unsigned int)b & (wide ? 63 : 31), bits = bits_of(in->dst.type);
	int first;

	switch (in->opcode) {
	case 0x40: return a + b;
	case 0x41: return a * b;
	case 0x42: return (a + b + 1) >> 1;
	case 0x4a:
		first = first_bit(u, true, true);
		return first < 0 ? 32 : first;
	case 0x4b:
		/* With type d the result is the first bit that differs from the sign. */
		first = first_bit(u, true, !(in->src[0].type == REF_D && u >> 31));
		return first < 0 ? UINT32_MAX : (uint32_t)first;
	case 0x4c:
		first = first_bit(u, false, true);
		return first < 0 ? UINT32_MAX : (uint32_t)first;
	case 0x4d:
		for (int k = 0; k < 32; k++)
			r += u >> k & 1;
		return r;
	case 0x52: return a + b + c;
	case 0x58:
		return a + dot_product(in, v, w);
	case 0x5b: return a + b * c;
	case 0x64: return ~a;
	case 0x65: return a & b;
	case 0x66: return a | b;
	case 0x67: return a ^ b;
	case 0x68: return wide ? (integer)((uint64_t)a >> count) : (integer)(u >> count);
	case 0x69: return (integer)((unsigned __int128)a << count);
	case 0x6b:
		for (unsigned int k = 0; k < bits; k++)
			r |= (in->function >> ((u >> k & 1) | (v >> k & 1) << 1 |
					       (w >> k & 1) << 2) & 1) << k;
		return r;
	case 0x6c: return a >> count;
	case 0x6e:
		count = (unsigned int)b & (bits - 1);
		return rotate_left((uint64_t)a, (bits - count) % bits, bits);
	case 0x6f: return rotate_left((uint64_t)a, (unsigned int)b & (bits - 1), bits);
	case 0x77:
		for (int k = 0; k < 32; k++)
			r |= (u >> k & 1) << (31 - k);
		return r;
	case 0x78: {
		unsigned int width = u & 31, offset = v & 31;

		for (unsigned int k = 0; k < width && offset + k < 32; k++)
			r |= (w >> (offset + k) & 1) << k;
		if (in->src[2].type == REF_D && width && offset + width <= 32 &&
		    r >> (width - 1) & 1)
			return (integer)r - ((integer)1 << width);
		return r;
	}
	case 0x79:
		for (unsigned int k = 0; k < (u & 31) && (v & 31) + k < 32; k++)
			r |= 1u << ((v & 31) + k);
		return r;
	case 0x7a:
		first = first_bit(u, false, true);
		for (int k = 0; k < 32; k++)
			r |= (u >> k & 1 ? v >> (k - first) & 1 : w >> k & 1) << k;
		return r;
	default:
		return a;
	}
}

/* ---- results ---- */

static bool fits(integer v, enum ref_type type)
{
	unsigned int bits = bits_of(type);
	integer hi = ((integer)1 << (bits - ref_is_signed(type))) - 1;

	return v <= hi && v >= (ref_is_signed(type) ? -hi - 1 : 0);
}

static integer clamp(integer v, enum ref_type type)
{
	unsigned int bits = bits_of(type);
	integer hi = ((integer)1 << (bits - ref_is_signed(type))) - 1;
	integer lo = ref_is_signed(type) ? -hi - 1 : 0;

	return v > hi ? hi : v < lo ? lo : v;
}

/* Returns a float as an integer. Far values become one that fits no type. */
static integer to_int(real v, uint32_t cr0)
{
	v = cr0 >> 12 & 1 ? round_mode(v, cr0 >> 4 & 3) : truncate(v);
	if (v >= ref_two_to(100) || v <= -ref_two_to(100))
		return v > 0 ? (integer)1 << 100 : -((integer)1 << 100);
	return (integer)v;
}

/* Converts @n to the destination's type, and computes the flag. */
static uint64_t convert(const struct ref_insn *in, const struct ref_state *s, struct number n,
			bool source_nan, bool *flag)
{
	enum ref_type type = in->dst.type;
	struct number zero, shown;
	uint64_t bits;
	integer v;

	if (!ref_is_float(type)) {
		v = n.is_float ? (n.nan ? 0 : to_int(n.r, s->cr0)) : n.i;
		*flag = in->cond == 8 ? !fits(v, type) : false;
		if (n.is_float || in->saturate)
			bits = (uint64_t)clamp(v, type);
		else
			bits = (uint64_t)v;
		/* The condition compares the value before saturation, in the destination's type. */
		shown = from_int(n.is_float ? clamp(v, type) : extend((uint64_t)v, type));
		zero = from_int(0);
	} else {
		if (!n.is_float)
			n = from_real((real)n.i);
		bits = ref_encode_float(n, type, s->cr0);
		shown = ref_decode_float(bits, type, UINT32_MAX);
		zero = from_real(0);
		*flag = in->cond == 8 ? !shown.nan && ref_is_infinite(shown.r) : false;
		if (in->saturate && (shown.nan || !(shown.r > 0)))
			bits = 0;
		else if (in->saturate && shown.r > 1)
			bits = ref_encode_float(from_real(1), type, s->cr0);
	}
	if (in->cond == 9)
		*flag = source_nan;
	else if (in->cond != 8)
		*flag = holds(in->cond, &shown, &zero);
	return bits;
}

static uint32_t lanes_of(const struct ref_insn *in)
{
	return in->exec_size == 32 ? UINT32_MAX : (1u << in->exec_size) - 1;
}

static uint32_t predicate(const struct ref_insn *in, const struct ref_state *s)
{
	uint32_t all = lanes_of(in), p;

	p = s->f[in->flag] >> (16 * in->flag_sub + in->channel) % 32;
	if (in->pred_inv)
		p = ~p;
	p &= all;
	switch (in->pred) {
	case 0:  return all;
	case 1:  return p;
	case 2:  return p ? all : 0;
	default: return p == all ? all : 0;
	}
}

static bool same_type(const struct ref_insn *in)
{
	for (unsigned int i = 0; i < in->sources; i++)
		if (in->src[i].type != in->dst.type || in->src[i].neg || in->src[i].abs ||
		    (in->src[i].kind == REF_IMM && (in->src[i].type == REF_UB ||
						    in->src[i].type == REF_B ||
						    in->src[i].type == REF_BF8)))
			return false;
	return !in->saturate;
}

static void set_flag(const struct ref_insn *in, struct ref_state *s, unsigned int lane, bool v)
{
	unsigned int bit = 16 * in->flag_sub + in->channel + lane;

	if (bit > 31)
		return;
	s->f[in->flag] = (s->f[in->flag] & ~(1u << bit)) | (uint32_t)v << bit;
}

/* The value of acc0, which is the third source of mac, mach and macl */
static struct number accumulator(const struct ref_insn *in, const struct ref_state *s,
				 unsigned int lane)
{
	enum ref_type type = in->dst.type;
	uint64_t bits = 0;

	if (!ref_is_float(type)) {
		uint32_t dword;

		if (s->wide_valid)
			return from_int(s->wide[lane]);
		memcpy(&dword, s->acc + 4 * lane, sizeof(dword));
		return from_int(ref_is_signed(type) ? (integer)(int32_t)dword : (integer)dword);
	}
	memcpy(&bits, s->acc + lane * ref_size(type), ref_size(type));
	return ref_decode_float(bits, type, s->cr0);
}

/* Whether the instruction is a mul to acc0, which keeps the whole product of dwords */
static bool keeps_product(const struct ref_insn *in)
{
	return in->opcode == 0x41 && in->dst.kind == REF_ACC && !in->dst.reg &&
	       !in->dst.sub && in->dst.hs == 1 && ref_size(in->dst.type) == 4 &&
	       !ref_is_float(in->dst.type);
}

static void place(const struct ref_insn *in, struct ref_state *s, struct ref_result *r)
{
	const struct ref_operand *d = &in->dst;

	r->size = ref_size(d->type);
	r->where = d->kind == REF_NULL ? NULL : d->kind == REF_ACC ? s->acc : s->grf;
	for (unsigned int l = 0; l < in->exec_size; l++) {
		unsigned int step = l * d->hs * r->size;

		r->at[l] = d->kind == REF_INDIRECT ?
			   (s->a0[d->a0] + d->offset + step) % sizeof(s->grf) :
			   d->reg * 64 + d->sub + step;
	}
}

/* Returns the result of one lane. Sets @flag when the instruction computes a flag. */
static uint64_t lane_result(const struct ref_insn *in, struct ref_state *s, unsigned int lane,
			    uint32_t chosen, const struct number *n, bool *flag,
			    enum ref_exactness *exact)
{
	bool is_float = n[0].is_float, source_nan = false;
	struct number r, zero = is_float ? from_real(0) : from_int(0);
	bool take;

	for (unsigned int i = 0; i < in->sources; i++)
		source_nan |= n[i].nan;
	*exact = REF_BITS;
	switch (in->opcode) {
	case 0x62:
		if (in->cond && is_float && (n[0].nan || n[1].nan))
			take = n[1].nan && !n[0].nan;
		else
			take = in->cond ? holds(in->cond, &n[0], &n[1]) : chosen >> lane & 1;
		r = take ? n[0] : n[1];
		if (!in->cond && same_type(in))
			return r.bits;
		break;
	case 0x72:
		r = holds(in->cond, &n[2], &zero) ? n[0] : n[1];
		break;
	case 0x70: case 0x71:
		*flag = holds(in->cond, &n[0], &n[1]);
		return *flag ? UINT64_MAX : 0;
	case 0x61:
		if (same_type(in) && !in->cond)
			return n[0].bits;
		r = n[0];
		break;
	case OP_MATH:
		r = math(in->function, n[0], n[1]);
		if (in->function < 14)
			*exact = REF_ONE_ULP;
		break;
	case 0x49: case 0x53: {
		integer half = n[1].i >> 16, t = accumulator(in, s, lane).i + n[0].i * half * 65536;

		r = from_int(in->opcode == 0x49 ? (int32_t)(t >> 32) : (int32_t)t);
		break;
	}
	case 0x48:
		if (is_float)
			r = float_op(in, n, accumulator(in, s, lane), s->cr0);
		else
			r = from_int(n[0].i * n[1].i + accumulator(in, s, lane).i);
		break;
	case 0x4e:
		r = from_int(n[0].i + n[1].i);
		break;
	case 0x4f:
		r = from_int(n[0].i - n[1].i);
		break;
	default:
		r = is_float ? float_op(in, n, zero, s->cr0) : from_int(int_op(in, n));
	}
	if (r.is_float && r.nan && *exact == REF_BITS)
		*exact = REF_ANY_NAN;
	return convert(in, s, r, source_nan, flag);
}

static bool writes_flags(const struct ref_insn *in)
{
	if (in->opcode == OP_MATH)
		return in->function >= 14;
	return in->cond && in->opcode != 0x62 && in->opcode != 0x72;
}

/* Writes the carry, or the wide product, that the instruction leaves in acc0. */
static void side_effect(const struct ref_insn *in, struct ref_state *s, unsigned int lane,
			const struct number *n)
{
	uint32_t carry;

	if (in->opcode == 0x4e || in->opcode == 0x4f) {
		carry = in->opcode == 0x4e ? n[0].i + n[1].i > UINT32_MAX : n[0].i < n[1].i;
		memcpy(s->acc + 4 * lane, &carry, sizeof(carry));
	}
	if (keeps_product(in))
		s->wide[lane] = (int64_t)(n[0].i * n[1].i);
}

void ref_execute(const struct ref_insn *in, struct ref_state *s, struct ref_result *r)
{
	uint32_t enabled = lanes_of(in), chosen = predicate(in, s);
	struct number n[REF_LANES][3];
	uint64_t bits[REF_LANES];
	bool flag[REF_LANES] = { false };

	memset(r, 0, sizeof(*r));
	memset(n, 0, sizeof(n));
	if (!in->nomask)
		enabled &= s->em >> in->channel;
	/* The predicate of sel chooses a source; other predicates mask lanes. */
	r->mask = in->opcode == 0x62 ? enabled : enabled & chosen;
	for (unsigned int l = 0; l < in->exec_size; l++) {
		for (unsigned int i = 0; i < in->sources; i++)
			n[l][i] = load(in, s, i, l);
		bits[l] = lane_result(in, s, l, chosen, n[l], &flag[l], &r->exact[l]);
	}
	place(in, s, r);
	for (unsigned int l = 0; l < in->exec_size; l++) {
		if (!(r->mask >> l & 1))
			continue;
		side_effect(in, s, l, n[l]);
		if (r->where)
			memcpy(r->where + r->at[l], &bits[l], r->size);
		if (writes_flags(in))
			set_flag(in, s, l, in->opcode == OP_MATH ? true : flag[l]);
	}
	if (in->opcode == 0x4e || in->opcode == 0x4f)
		s->wide_valid = false;
	if (in->dst.kind == REF_ACC && in->dst.reg < 2)
		s->wide_valid = keeps_product(in);
}
