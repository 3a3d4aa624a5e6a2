// SPDX-License-Identifier: MIT
/* Makes the data of kernels' buffers, for guest.c, oracle.c and judge.c. */
#include "data.h"

#include <math.h>
#include <string.h>

static uint64_t next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

/* Every buffer of every kernel has its own sequence. */
static uint64_t seed(const struct cts_kernel *k, unsigned int index)
{
	uint64_t h = 0xcbf29ce484222325ull;
	const char *s;

	for (s = k->name; *s; s++)
		h = (h ^ (uint8_t)*s) * 0x100000001b3ull;
	return h + index;
}

double cts_element_get(char type, unsigned int size, const void *at)
{
	uint64_t bits = 0;
	uint32_t word;
	_Float16 h;
	float f;
	double d;

	memcpy(&bits, at, size);
	switch (type) {
	case 'f':
		if (size == 2) {
			memcpy(&h, at, 2);
			return (double)h;
		}
		if (size == 8) {
			memcpy(&d, at, 8);
			return d;
		}
		memcpy(&f, at, 4);
		return f;
	case 'b':
		word = (uint32_t)bits << 16;
		memcpy(&f, &word, 4);
		return f;
	case 'i':
		return (double)((int64_t)(bits << (64 - 8 * size)) >> (64 - 8 * size));
	default:
		return (double)bits;
	}
}

void cts_element_put(char type, unsigned int size, void *at, double v)
{
	uint64_t bits;
	uint32_t word;
	_Float16 h = (_Float16)v;
	float f = (float)v;

	switch (type) {
	case 'f':
		memcpy(at, size == 2 ? (void *)&h : size == 8 ? (void *)&v : (void *)&f, size);
		break;
	case 'b':
		/* Truncation is exact for values that were read from a bfloat16. */
		memcpy(&word, &f, 4);
		word >>= 16;
		memcpy(at, &word, 2);
		break;
	default:
		bits = v < 0 ? (uint64_t)(int64_t)v : (uint64_t)v;
		memcpy(at, &bits, size);
	}
}

static double in_range(uint64_t *state, const struct cts_arg *a)
{
	double unit = (double)(next(state) >> 11) * 0x1p-53;

	if (a->type == 'f' || a->type == 'b')
		return a->lo + (a->hi - a->lo) * unit;
	return floor(a->lo + (a->hi - a->lo + 1) * unit);
}

/* Special values are at different places in the buffers of a kernel. */
static double special(uint64_t *state, const struct cts_arg *a, unsigned int index, uint64_t i)
{
	const double least = a->size == 2 ? 0x1p-24 : a->size == 4 ? 0x1p-149 : 0x1p-1074;
	const double normal = a->size == 2 ? 0x1p-14 : a->size == 4 ? 0x1p-126 : 0x1p-1022;
	const double most = a->size == 2 ? 65504.0 : a->size == 4 ? 0x1.fffffep127 :
			    0x1.fffffffffffffp1023;
	const double values[] = {
		NAN, INFINITY, -INFINITY, 0.0, -0.0, least, -least, normal - least,
		normal, most, -most, 1.0, 0.5, 1.5, 2.5, -0.5,
	};

	if ((i + 3 * index) % 8)
		return in_range(state, a);
	return values[i / 8 % (sizeof(values) / sizeof(values[0]))];
}

static double element(uint64_t *state, const struct cts_arg *a, unsigned int index,
		      uint64_t i, double before)
{
	double v;

	switch (a->data) {
	case CTS_IOTA:
		return (double)i;
	case CTS_LIST:
		return a->list[i % a->num_list];
	case CTS_STEPS:
		return i ? before + in_range(state, a) : 0;
	case CTS_SPECIAL:
		return special(state, a, index, i);
	case CTS_NONZERO:
		while ((v = in_range(state, a)) == 0)
			;
		return v;
	case CTS_RANGE:
		return in_range(state, a);
	default:
		return 0;
	}
}

void cts_data_fill(const struct cts_kernel *k, unsigned int index, void *to)
{
	struct cts_arg a = k->args[index];
	uint64_t state = seed(k, index), i, bits;
	uint8_t *at = to;
	double v = 0;

	if (a.data == CTS_RANDOM && (a.type == 'f' || a.type == 'b')) {
		a.data = CTS_RANGE;
		a.lo = -10;
		a.hi = 10;
	}
	for (i = 0; i < a.count; i++, at += a.size) {
		if (a.data == CTS_RANDOM) {
			bits = next(&state);
			memcpy(at, &bits, a.size);
			continue;
		}
		v = element(&state, &a, index, i, v);
		cts_element_put(a.type, a.size, at, v);
	}
}
