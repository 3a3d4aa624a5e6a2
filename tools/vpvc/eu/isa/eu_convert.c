// SPDX-License-Identifier: MIT
/*
 * Floating-point formats that the host does not have, and comparisons. While a thread
 * runs, the rounding mode of its worker is that of cr0.0.
 */
#include "eu/isa/eu_convert.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

double eu_half_to_double(uint16_t h)
{
	uint64_t sign = (uint64_t)(h >> 15) << 63, bits;
	unsigned int exponent = h >> 10 & 31, fraction = h & 1023;
	double v;

	if (!exponent) {
		v = ldexp(fraction, -24);
		return sign ? -v : v;
	}
	bits = exponent == 31 ? 0x7ffull << 52 :
	       (uint64_t)(exponent - 15 + 1023) << 52;
	bits |= sign | (uint64_t)fraction << 42;
	memcpy(&v, &bits, sizeof(v));
	return v;
}

/* Does the discarded part round the magnitude up? */
static bool rounds_up(bool negative, bool odd, bool half, bool rest)
{
	switch (fegetround()) {
	case FE_UPWARD:		return !negative && (half || rest);
	case FE_DOWNWARD:	return negative && (half || rest);
	case FE_TOWARDZERO:	return false;
	default:		return half && (rest || odd);
	}
}

uint16_t eu_double_to_half(double v)
{
	uint64_t bits, m, rest_mask;
	int exponent, shift;
	uint16_t sign, h;
	bool half, rest;

	memcpy(&bits, &v, sizeof(bits));
	sign = bits >> 63 << 15;
	exponent = (int)(bits >> 52 & 0x7ff) - 1023;
	m = bits & ((1ull << 52) - 1);
	if (exponent == 1024)
		return sign | 0x7c00 | (m ? 0x200 | m >> 42 : 0);
	if (exponent == -1023)	/* a double denormal is far below half's */
		return sign | rounds_up(sign, false, false, m != 0);
	m |= 1ull << 52;
	/* 11 bits stay, fewer below 2^-14. */
	shift = exponent < -14 ? 42 + (-14 - exponent) : 42;
	if (shift > 54)
		shift = 54;
	half = m >> (shift - 1) & 1;
	rest_mask = (1ull << (shift - 1)) - 1;
	rest = m & rest_mask;
	m >>= shift;
	if (rounds_up(sign, m & 1, half, rest))
		m++;
	if (exponent < -14)
		return sign | m;	/* a carry gives the smallest normal number */
	h = ((exponent + 14) << 10) + m;	/* the hidden bit adds one */
	if (exponent > 15 || h >= 0x7c00) {
		bool to_max = fegetround() == FE_TOWARDZERO ||
			      fegetround() == (sign ? FE_UPWARD : FE_DOWNWARD);

		return sign | (to_max ? 0x7bff : 0x7c00);
	}
	return sign | h;
}

float eu_bf_to_float(uint16_t b)
{
	uint32_t bits = (uint32_t)b << 16;
	float v;

	memcpy(&v, &bits, sizeof(v));
	return v;
}

/* Without the lowest @n bits, rounded to nearest even in every mode */
static uint32_t drop_bits(uint32_t bits, unsigned int n)
{
	return (bits + (1u << (n - 1)) - 1 + (bits >> n & 1)) >> n;
}

/* The bits of @v as a float; the last one is set if others were lost. */
static uint32_t float_bits_to_odd(long double v)
{
	float f = (float)v;
	uint32_t bits;

	memcpy(&bits, &f, sizeof(bits));
	if (isnan(v) || (long double)f == v)
		return bits;
	if (fabsl((long double)f) > fabsl(v))
		bits--;
	return bits | 1;
}

static uint32_t float_bits_to_bf8(uint32_t bits)
{
	int exponent = (int)(bits >> 23 & 0xff) - 127 + 15;
	uint32_t m = bits & 0x7fffff, magnitude = 0;

	if (exponent > 30)
		magnitude = 0x7c;
	else if (exponent > 0)
		magnitude = drop_bits((uint32_t)exponent << 23 | m, 21);
	else if (exponent > -3)
		magnitude = drop_bits(m | 0x800000, 22 - exponent);
	return (bits >> 24 & 0x80) | magnitude;
}

/*
 * The bits of @v as bf, bf8, or tf32, which is in the upper bits of a dword: rounded once, to
 * nearest even in every mode. The float between has its last bit set if bits were lost, so
 * that it is no tie of the second rounding.
 */
uint32_t eu_to_short_float(long double v, enum eu_type type)
{
	uint32_t bits = float_bits_to_odd(v);

	switch (type) {
	case EU_BF8:
		return isnan(v) ? (bits >> 24 & 0x80) | 0x7e | (bits >> 21 & 1) :
		       float_bits_to_bf8(bits);
	case EU_TF32:
		return isnan(v) ? bits & ~0x1fffu : drop_bits(bits, 13) << 13;
	default:
		return isnan(v) ? bits >> 16 | 0x40 : drop_bits(bits, 16);
	}
}

uint16_t eu_float_to_bf(float v)
{
	return (uint16_t)eu_to_short_float(v, EU_BF);
}

/* Immediate lanes of type vf: sign, 3 bits of exponent (bias 3), 4 of fraction */
double eu_vf_to_double(uint8_t v)
{
	double m;

	if (!(v & 0x7f))
		return v & 0x80 ? -0.0 : 0.0;
	m = ldexp(16 + (v & 15), (v >> 4 & 7) - 3 - 4);
	return v & 0x80 ? -m : m;
}

bool eu_compare_float(enum eu_cond cond, double a, double b)
{
	switch (cond) {
	case EU_EQ: return a == b;
	case EU_NE: return a != b;
	case EU_GT: return isgreater(a, b);
	case EU_GE: return isgreaterequal(a, b);
	case EU_LT: return isless(a, b);
	case EU_LE: return islessequal(a, b);
	case EU_OV: return isinf(a);
	case EU_UN: return isnan(a) || isnan(b);
	default: return false;
	}
}

bool eu_compare_int(enum eu_cond cond, eu_wide a, eu_wide b)
{
	switch (cond) {
	case EU_EQ: return a == b;
	case EU_NE: return a != b;
	case EU_GT: return a > b;
	case EU_GE: return a >= b;
	case EU_LT: return a < b;
	case EU_LE: return a <= b;
	default: return false;
	}
}

/*
 * a * b + c of numbers with at most 24 bits, rounded to odd: the last bit is set if bits
 * were lost, so that a second rounding to a shorter type gives the correct result.
 */
double eu_fma_to_odd(double a, double b, double c)
{
	double product = a * b, lost;	/* the product is exact */
	/* volatile, because the compiler does not know that the mode changes around the sum */
	volatile double sum, volatile_c = c;
	int mode = fegetround();
	uint64_t bits;

	fesetround(FE_TOWARDZERO);
	sum = product + volatile_c;
	lost = fabs(product) > fabs(c) ? c - (sum - product) : product - (sum - c);
	fesetround(mode);
	if (isfinite(sum) && lost != 0) {
		double odd = sum;

		memcpy(&bits, &odd, sizeof(bits));
		bits |= 1;
		memcpy(&odd, &bits, sizeof(odd));
		return odd;
	}
	/* The rounding mode decides the sign of a sum that is zero. */
	return sum == 0 ? product + volatile_c : sum;
}

/* cr0.0 [12] decides between truncation and the rounding mode. */
double eu_float_to_int(double v, bool follow_mode)
{
	return follow_mode ? nearbyint(v) : trunc(v);
}
