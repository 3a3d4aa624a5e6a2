// SPDX-License-Identifier: MIT
/*
 * Floats: functions that handlers share, the math function unit, and stochastic rounding.
 * Slow functions of the list of opcodes, on a worker's host thread.
 */
#include "eu/run/eu_float.h"

#include <math.h>

#include "eu/isa/eu_convert.h"
#include "eu/run/eu_slow.h"
#include "eu/state/eu_region.h"

/* A sum of floats can have more bits than a double keeps for a type shorter than they are. */
static bool is_short(enum eu_type type)
{
	return type == EU_BF || type == EU_TF32 || type == EU_BF8;
}

/* a + b, rounded so that the later rounding to the destination's type is correct */
double eu_sum(const struct eu_op *op, double a, double b)
{
	return is_short(op->in.dst.type) ? eu_fma_to_odd(a, 1, b) : a + b;
}

/* a + b * c, rounded likewise */
double eu_fused(const struct eu_op *op, double a, double b, double c)
{
	if (op->in.dst.type == EU_F)
		return fmaf((float)b, (float)c, (float)a);
	if (is_short(op->in.dst.type))
		return eu_fma_to_odd(b, c, a);
	return fma(b, c, a);
}

/* The condition un tests the sources, not the result. */
void eu_unordered(struct eu_thread *t, const struct eu_op *op, uint32_t mask,
		  const double *a, const double *b, const double *c)
{
	uint32_t bits = 0;

	if (op->in.cond != EU_UN)
		return;
	for (int l = 0; l < op->n; l++)
		bits |= (uint32_t)(isnan(a[l]) || (b && isnan(b[l])) || (c && isnan(c[l]))) << l;
	eu_write_flags(t, op, mask, bits);
}

/*
 * Computed in double and rounded once: the result is correctly rounded, except for rare
 * ties. The precision of silicon is not published (Documentation/specs/vpvc.rst).
 */
static double math_function(unsigned int function, double a, double b)
{
	switch (function) {
	case EU_INV:	return 1.0 / a;
	case EU_LOG:	return log2(a);
	case EU_EXP:	return exp2(a);
	case EU_SQT:	return sqrt(a);
	case EU_RSQT:	return 1.0 / sqrt(a);
	case EU_SIN:	return sin(a);
	case EU_COS:	return cos(a);
	case EU_INVM:	return a / b;
	case EU_RSQTM:	return sqrt(a);
	default:	return NAN;
	}
}

/*
 * invm and rsqtm give the final, correctly rounded result and set the flag of the "eo"
 * modifier, so that the madm instructions that would refine it have no live lane.
 */
static struct eu_op *exec_math(struct eu_thread *t, struct eu_op *op)
{
	double a[EU_MAX_LANES], b[EU_MAX_LANES] = {}, r[EU_MAX_LANES];
	uint32_t mask = eu_live(t, op);
	unsigned int function = op->in.function;

	eu_load_float(t, op, 0, a);
	if (op->in.sources > 1)
		eu_load_float(t, op, 1, b);
	for (int i = 0; i < op->n; i++) {
		if (!(mask >> i & 1))
			continue;
		if (op->in.dst.type == EU_F && function == EU_INVM)
			r[i] = (float)a[i] / (float)b[i];
		else if (op->in.dst.type == EU_F && function == EU_RSQTM)
			r[i] = sqrtf(a[i]);
		else
			r[i] = math_function(function, a[i], b[i]);
	}
	eu_store_float(t, op, mask, r);
	if (function >= EU_INVM)
		eu_write_flags(t, op, mask, mask);
	return eu_next(t, op);
}

eu_exec *eu_select_math(struct eu_op *op)
{
	switch (op->in.function) {
	case EU_INV ... EU_COS:
	case EU_INVM: case EU_RSQTM:
		return exec_math;
	default:
		op->why = "no such math function";
		return NULL;
	}
}

/*
 * Stochastic rounding adds random bits to the bits that are cut off, so that the
 * probability of rounding up grows with the value of those bits.
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
	/* Fewer bits are kept below 2^-14. */
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
		/* Saturation to [0, 1]; negative values and NaN become 0. */
		if (v[l] >> (half ? 15 : 7) || v[l] > (half ? 0x7c00 : 0x7c))
			v[l] = 0;
		else if (v[l] > (half ? 0x3c00 : 0x3c))
			v[l] = half ? 0x3c00 : 0x3c;
	}
	eu_store_raw(t, op, mask, v);
	return eu_next(t, op);
}

eu_exec *eu_select_srnd(struct eu_op *op)
{
	if ((op->in.dst.type == EU_HF && op->in.src[0].type == EU_F) ||
	    (op->in.dst.type == EU_BF8 && op->in.src[0].type == EU_HF))
		return exec_srnd;
	op->why = "no such types of srnd";
	return NULL;
}
