// SPDX-License-Identifier: MIT
/*
 * Elements of typed surfaces: conversion between their components and registers. The
 * caller (msg/eu_typed.c) sets the host's rounding mode to nearest.
 */
#include "eu/isa/eu_format.h"

#include <math.h>
#include <string.h>

#include "eu/isa/eu_convert.h"

#define RGBA(bits)	{ bits, bits, bits, bits }
#define RG(bits)	{ bits, bits }
#define RED(bits)	{ bits }

#define B8G8R8A8_UNORM	0x0c0	/* the only format that begins with blue */

static const struct eu_texel formats[] = {
	{ 0x000, EU_FLOAT, RGBA(32) }, { 0x001, EU_SINT, RGBA(32) }, { 0x002, EU_UINT, RGBA(32) },
	{ 0x080, EU_UNORM, RGBA(16) }, { 0x081, EU_SNORM, RGBA(16) }, { 0x082, EU_SINT, RGBA(16) },
	{ 0x083, EU_UINT, RGBA(16) }, { 0x084, EU_FLOAT, RGBA(16) }, { 0x085, EU_FLOAT, RG(32) },
	{ 0x086, EU_SINT, RG(32) }, { 0x087, EU_UINT, RG(32) },
	{ B8G8R8A8_UNORM, EU_UNORM, RGBA(8) },
	{ 0x0c2, EU_UNORM, { 10, 10, 10, 2 } }, { 0x0c4, EU_UINT, { 10, 10, 10, 2 } },
	{ 0x0c7, EU_UNORM, RGBA(8) }, { 0x0c9, EU_SNORM, RGBA(8) }, { 0x0ca, EU_SINT, RGBA(8) },
	{ 0x0cb, EU_UINT, RGBA(8) }, { 0x0cc, EU_UNORM, RG(16) }, { 0x0cd, EU_SNORM, RG(16) },
	{ 0x0ce, EU_SINT, RG(16) }, { 0x0cf, EU_UINT, RG(16) }, { 0x0d0, EU_FLOAT, RG(16) },
	{ 0x0d6, EU_SINT, RED(32) }, { 0x0d7, EU_UINT, RED(32) }, { 0x0d8, EU_FLOAT, RED(32) },
	{ 0x106, EU_UNORM, RG(8) }, { 0x107, EU_SNORM, RG(8) }, { 0x108, EU_SINT, RG(8) },
	{ 0x109, EU_UINT, RG(8) }, { 0x10a, EU_UNORM, RED(16) }, { 0x10b, EU_SNORM, RED(16) },
	{ 0x10c, EU_SINT, RED(16) }, { 0x10d, EU_UINT, RED(16) }, { 0x10e, EU_FLOAT, RED(16) },
	{ 0x140, EU_UNORM, RED(8) }, { 0x141, EU_SNORM, RED(8) }, { 0x142, EU_SINT, RED(8) },
	{ 0x143, EU_UINT, RED(8) },
	{ 0x1ff, EU_UINT, RED(8) },	/* RAW: bytes */
};

const struct eu_texel *eu_find_format(unsigned int code)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (formats[i].code == code)
			return &formats[i];
	return NULL;
}

unsigned int eu_texel_bytes(const struct eu_texel *f)
{
	return (f->bits[0] + f->bits[1] + f->bits[2] + f->bits[3]) / 8u;
}

/* Bits [@at, @at + @n) of an element; 32 bits begin at a dword */
static uint32_t get_bits(const uint8_t *texel, unsigned int at, unsigned int n)
{
	uint64_t v = 0;

	for (unsigned int i = at / 8; i <= (at + n - 1) / 8; i++)
		v |= (uint64_t)texel[i] << (i - at / 8) * 8;
	return (uint32_t)(v >> at % 8 & ((1ull << n) - 1));
}

static void put_bits(uint8_t *texel, unsigned int at, unsigned int n, uint32_t v)
{
	for (unsigned int i = 0; i < n; i++)
		texel[(at + i) / 8] |= (uint8_t)((v >> i & 1) << (at + i) % 8);
}

static uint32_t float_bits(double v)
{
	float f = (float)v;
	uint32_t bits;

	memcpy(&bits, &f, sizeof(bits));
	return bits;
}

static double bits_float(uint32_t bits)
{
	float f;

	memcpy(&f, &bits, sizeof(f));
	return f;
}

static int32_t extend(uint32_t v, unsigned int bits)
{
	return (int32_t)(v << (32 - bits)) >> (32 - bits);
}

static double largest(unsigned int bits)
{
	return (double)((1ull << bits) - 1);
}

/* Convert a component to the 32 bits of a register. */
static uint32_t widen(enum eu_format_kind kind, unsigned int bits, uint32_t v)
{
	double signed_one = largest(bits - 1);

	switch (kind) {
	case EU_UNORM:
		return float_bits(v / largest(bits));
	case EU_SNORM:
		return float_bits(fmax(extend(v, bits) / signed_one, -1.0));
	case EU_SINT:
		return (uint32_t)extend(v, bits);
	case EU_FLOAT:
		return bits == 32 ? v : float_bits(eu_half_to_double((uint16_t)v));
	default:
		return v;
	}
}

/* A number outside of [@lo, @hi] becomes the nearer end; NaN becomes 0. */
static double clamp(double v, double lo, double hi)
{
	return isnan(v) ? 0 : v < lo ? lo : v > hi ? hi : v;
}

static uint32_t narrow(enum eu_format_kind kind, unsigned int bits, uint32_t v)
{
	double signed_one = largest(bits - 1);

	switch (kind) {
	case EU_UNORM:
		return (uint32_t)nearbyint(clamp(bits_float(v), 0, 1) * largest(bits));
	case EU_SNORM:
		return (uint32_t)(int32_t)nearbyint(clamp(bits_float(v), -1, 1) * signed_one);
	case EU_SINT:
		return (uint32_t)(int32_t)clamp((int32_t)v, -signed_one - 1, signed_one);
	case EU_FLOAT:
		return bits == 32 ? v : eu_double_to_half(bits_float(v));
	default:
		return (uint32_t)clamp(v, 0, largest(bits));
	}
}

/* Index of the component (red, green, blue, alpha) at place @i */
static unsigned int component(const struct eu_texel *f, unsigned int i)
{
	return f->code == B8G8R8A8_UNORM && i < 3 ? 2 - i : i;
}

/* Components that the format lacks are 0, but alpha is 1. */
void eu_unpack_texel(const struct eu_texel *f, const uint8_t *from, uint32_t rgba[4])
{
	bool number = f->kind == EU_UINT || f->kind == EU_SINT;
	unsigned int at = 0;

	rgba[0] = rgba[1] = rgba[2] = 0;
	rgba[3] = number ? 1 : float_bits(1.0);
	for (unsigned int i = 0; i < 4; at += f->bits[i++])
		if (f->bits[i])
			rgba[component(f, i)] = widen(f->kind, f->bits[i],
						      get_bits(from, at, f->bits[i]));
}

void eu_pack_texel(const struct eu_texel *f, const uint32_t rgba[4], uint8_t *to)
{
	unsigned int at = 0;

	memset(to, 0, eu_texel_bytes(f));
	for (unsigned int i = 0; i < 4; at += f->bits[i++])
		if (f->bits[i])
			put_bits(to, at, f->bits[i],
				 narrow(f->kind, f->bits[i], rgba[component(f, i)]));
}
