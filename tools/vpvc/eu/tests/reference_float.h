/* SPDX-License-Identifier: MIT */
/* The floating-point formats of the reference, whose numbers keep the precision of the sources */
#ifndef EU_TEST_REFERENCE_FLOAT_H
#define EU_TEST_REFERENCE_FLOAT_H

#include "eu/tests/reference.h"

typedef __int128 integer;
typedef __float128 real;

/* The number of a lane: an exact integer, or a float that is exact or rounded to odd */
struct number {
	bool is_float, nan;
	integer i;
	real r;
	uint64_t bits;
};

/* Returns the number with these bits; denormals are 0 unless @cr0 keeps them. */
struct number ref_decode_float(uint64_t bits, enum ref_type type, uint32_t cr0);

/* Returns the bits of @n in the format, rounded as @cr0 says. */
uint64_t ref_encode_float(struct number n, enum ref_type type, uint32_t cr0);

/*
 * Returns the sum rounded to odd: an inexact sum has an odd last bit, so that a second rounding has
 * the right result.
 */
real ref_add_odd(real a, real b, uint32_t cr0);

real ref_two_to(int n);
bool ref_sign_of(real r);
bool ref_is_infinite(real r);

#endif
