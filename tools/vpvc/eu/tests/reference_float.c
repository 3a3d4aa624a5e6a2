// SPDX-License-Identifier: MIT
/* The floating-point formats of the reference, by their numbers of exponent and fraction bits */
#include "eu/tests/reference_float.h"

#include <string.h>

struct format {
	int exponent, fraction;
	uint32_t keep;		/* bit of cr0 that keeps denormals, 0: always kept */
	bool nearest;		/* a conversion to the format ignores the mode */
};

static struct format format_of(enum ref_type type)
{
	switch (type) {
	case REF_BF8:	return (struct format){ 5, 2, 0, true };
	case REF_HF:	return (struct format){ 5, 10, 1u << 10, false };
	case REF_BF:	return (struct format){ 8, 7, 0, true };
	case REF_TF32:	return (struct format){ 8, 10, 0, true };
	case REF_F:	return (struct format){ 8, 23, 1u << 7, false };
	default:	return (struct format){ 11, 52, 1u << 6, false };
	}
}

real ref_two_to(int n)
{
	unsigned __int128 bits = (unsigned __int128)(n + 16383) << 112;
	real r;

	memcpy(&r, &bits, sizeof(r));
	return r;
}

/* The exponent of a number that is not 0 */
static int exponent_of(real r)
{
	unsigned __int128 bits;

	memcpy(&bits, &r, sizeof(bits));
	return (int)(bits >> 112 & 0x7fff) - 16383;
}

/* tf32 lies in the upper bits of a dword. */
static unsigned int unused_bits(enum ref_type type)
{
	return type == REF_TF32 ? 13 : 0;
}

struct number ref_decode_float(uint64_t bits, enum ref_type type, uint32_t cr0)
{
	struct format f = format_of(type);
	struct number n = { .is_float = true, .bits = bits };
	int bias = (1 << (f.exponent - 1)) - 1, e;
	uint64_t m;
	bool sign;

	if (type == REF_TF32)
		f.fraction = 23;	/* the lower bits are read as well */
	sign = bits >> (f.exponent + f.fraction) & 1;
	e = bits >> f.fraction & ((1 << f.exponent) - 1);
	m = bits & ((1ull << f.fraction) - 1);
	if (e == (1 << f.exponent) - 1) {
		n.nan = m != 0;
		n.r = n.nan ? 0 : __builtin_inf();
	} else if (!e) {
		n.r = f.keep && !(cr0 & f.keep) ? 0 :
		      (real)m * ref_two_to(1 - bias - f.fraction);
	} else {
		n.r = ((real)m + ref_two_to(f.fraction)) * ref_two_to(e - bias - f.fraction);
	}
	if (sign)
		n.r = -n.r;
	return n;
}

bool ref_sign_of(real r)
{
	unsigned __int128 bits;

	memcpy(&bits, &r, sizeof(bits));
	return bits >> 127;
}

bool ref_is_infinite(real r)
{
	return r == (real)__builtin_inf() || r == -(real)__builtin_inf();
}

/* Whether rounding makes the magnitude larger; modes: nearest even, up, down, to zero */
static bool grows(unsigned int mode, bool sign, bool odd, int half)
{
	switch (mode) {
	case 0:	 return half > 0 || (!half && odd);
	case 1:	 return !sign;
	case 2:	 return sign;
	default: return false;
	}
}

uint64_t ref_encode_float(struct number n, enum ref_type type, uint32_t cr0)
{
	struct format f = format_of(type);
	int bias = (1 << (f.exponent - 1)) - 1, e = 0;
	unsigned int mode = f.nearest ? 0 : cr0 >> 4 & 3;
	uint64_t top = (1ull << f.exponent) - 1, m, out;
	bool sign = ref_sign_of(n.r);
	real r = sign ? -n.r : n.r, rest, whole;

	if (n.nan) {
		out = top << f.fraction | 1ull << (f.fraction - 1);
	} else if (ref_is_infinite(r)) {
		out = top << f.fraction;
	} else {
		/* r = x * 2^e with x in [1, 2), unless denormal or 0 */
		e = r > 0 ? exponent_of(r) : 1 - bias;
		if (e < 1 - bias)
			e = 1 - bias;
		whole = r * ref_two_to(f.fraction - e);
		m = (uint64_t)whole;
		rest = whole - (real)m;
		if (rest > 0 &&
		    grows(mode, sign, m & 1, rest > 0.5Q ? 1 : rest == 0.5Q ? 0 : -1))
			m++;
		/* The sum carries into the exponent. */
		out = m >> f.fraction ? m + ((uint64_t)(e + bias - 1) << f.fraction) : m;
		if (out >= top << f.fraction) {
			bool to_largest = mode == 3 || (mode == 1 && sign) || (mode == 2 && !sign);

			out = (top << f.fraction) - to_largest;
		}
		if (f.keep && !(cr0 & f.keep) && !(out >> f.fraction))
			out = 0;
	}
	out |= (uint64_t)sign << (f.exponent + f.fraction);
	return out << unused_bits(type);
}

real ref_add_odd(real a, real b, uint32_t cr0)
{
	real s = a + b, bb, lost;
	unsigned __int128 bits;

	/* A sum that cancels is +0; it is -0 only in the mode that rounds down. */
	if (s == 0 && (a != 0 || ref_sign_of(a) != ref_sign_of(b)))
		return (cr0 >> 4 & 3) == 2 ? -(real)0 : (real)0;
	if (ref_is_infinite(s) || s != s)
		return s;
	bb = s - a;
	lost = (a - (s - bb)) + (b - bb);
	if (!lost)
		return s;
	memcpy(&bits, &s, sizeof(bits));
	if (!(bits & 1)) {
		/* Step towards the lost part: the neighbour of an even number is odd. */
		bits += (lost > 0) == (s > 0) ? 1 : -1;
		memcpy(&s, &bits, sizeof(s));
	}
	return s;
}
