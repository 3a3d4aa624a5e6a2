// SPDX-License-Identifier: MIT
/*
 * References in C for kernels that no CPU OpenCL can run, and the search in all tables of
 * references. judge.c calls cts_reference().
 */
#include "reference.h"

#include <math.h>
#include <string.h>

#include "data.h"

static int32_t int_value(const struct cts_run *r, unsigned int arg)
{
	int32_t v;

	memcpy(&v, r->args[arg].value, sizeof(v));
	return v;
}

/* --- matrices: C + A x B; A is M x K, B is K x 16, both row by row ------------- */

static void matrix_float(const struct cts_run *r, unsigned int m, unsigned int k)
{
	const struct cts_arg *a = &r->args[0], *b = &r->args[1];
	float *c = r->buffer[2];
	unsigned int i, j, n;

	for (i = 0; i < m; i++) {
		for (n = 0; n < 16; n++) {
			double sum = c[i * 16 + n];

			for (j = 0; j < k; j++)
				sum += cts_element_get(a->type, a->size, (char *)r->buffer[0] +
						       (i * k + j) * a->size) *
				       cts_element_get(b->type, b->size, (char *)r->buffer[1] +
						       (j * 16 + n) * b->size);
			c[i * 16 + n] = (float)sum;
		}
	}
}

static void matrix_bytes(const struct cts_run *r, unsigned int m)
{
	const struct cts_arg *a = &r->args[0], *b = &r->args[1];
	uint32_t *c = r->buffer[2];
	unsigned int i, j, n;

	for (i = 0; i < m; i++) {
		for (n = 0; n < 16; n++) {
			for (j = 0; j < 32; j++)
				c[i * 16 + n] += (uint32_t)(int32_t)
					(cts_element_get(a->type, 1, (char *)r->buffer[0] +
							 i * 32 + j) *
					 cts_element_get(b->type, 1, (char *)r->buffer[1] +
							 j * 16 + n));
		}
	}
}

static void dpas_16bit(const struct cts_run *r)
{
	matrix_float(r, 8, 16);
}

/* A has eight rows of eight: values of work-items beyond the eighth are no part of it. */
static void dpas_tf32(const struct cts_run *r)
{
	matrix_float(r, 8, 8);
}

static void dpas_s8(const struct cts_run *r)
{
	matrix_bytes(r, 8);
}

static void dpas_u8s8(const struct cts_run *r)
{
	matrix_bytes(r, 4);
}

/* --- halves: exact in double, rounded once -------------------------------------- */

static void h_axpy(const struct cts_run *r)
{
	_Float16 *y = r->buffer[0];
	const _Float16 *x = r->buffer[1];
	unsigned int i;
	float a;

	memcpy(&a, r->args[2].value, sizeof(a));
	for (i = 0; i < r->items; i++)
		y[i] = (_Float16)((double)(_Float16)a * (double)x[i] + (double)y[i]);
}

static void h_mix(const struct cts_run *r)
{
	const _Float16 *x = r->buffer[0];
	_Float16 *o = r->buffer[1];
	float *f = r->buffer[2];
	int16_t *s = r->buffer[3];
	unsigned int i;

	for (i = 0; i < r->items; i++) {
		double v = (double)x[i], a = fabs(v);

		o[i] = (_Float16)((v > 0.5 ? v : 0.5) * a - sqrt(a) / (v + 3.0));
		f[i] = (float)x[i] * 2.0f;
		a = rint((double)(_Float16)(v * 100.0));
		s[i] = a > INT16_MAX ? INT16_MAX : a < INT16_MIN ? INT16_MIN : (int16_t)a;
	}
}

/* Round toward zero: take the nearest, or the next toward zero if that is too large. */
static _Float16 half_rtz(float v)
{
	_Float16 h = (_Float16)v;
	uint16_t bits;

	if (fabsf((float)h) > fabsf(v)) {
		memcpy(&bits, &h, sizeof(bits));
		bits--;
		memcpy(&h, &bits, sizeof(bits));
	}
	return h;
}

static void h_store(const struct cts_run *r)
{
	const float *x = r->buffer[0];
	_Float16 *o = r->buffer[1];
	unsigned int i;

	for (i = 0; i < r->items; i++) {
		o[2 * i] = half_rtz(x[i]);
		o[2 * i + 1] = (_Float16)(x[i] * 0.333f);
	}
}

/* --- recursion --------------------------------------------------------------------- */

static int32_t ackermann(int32_t m, int32_t n, int32_t *calls)
{
	++*calls;
	if (!m)
		return n + 1;
	return ackermann(m - 1, n ? ackermann(m, n - 1, calls) : 1, calls);
}

static void use_ack(const struct cts_run *r)
{
	const int32_t *in = r->buffer[0];
	int32_t *out = r->buffer[1], *calls = r->buffer[2];
	unsigned int i;

	for (i = 0; i < r->items; i++)
		out[i] = ackermann(in[i] & 1, in[i] & 3, &calls[i]);
}

static int32_t fibonacci(int32_t n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static void use_fib(const struct cts_run *r)
{
	const int32_t *in = r->buffer[0];
	int32_t *out = r->buffer[1];
	unsigned int i;

	for (i = 0; i < r->items; i++)
		out[i] = fibonacci(in[i] & 7);
}

/* --- bits -------------------------------------------------------------------------- */

static uint32_t reversed(uint32_t v)
{
	uint32_t to = 0;
	unsigned int i;

	for (i = 0; i < 32; i++)
		to |= (v >> i & 1) << (31 - i);
	return to;
}

static void bits(const struct cts_run *r)
{
	const uint32_t *a = r->buffer[0], *b = r->buffer[1], mask = 0x0ff0f00f;
	uint32_t (*o)[8] = r->buffer[2];
	unsigned int i;

	for (i = 0; i < r->items; i++) {
		uint32_t x = a[i], y = b[i], n = y & 31, field = ((1u << 9) - 1) << 5;

		o[i][0] = __builtin_popcount(x);
		o[i][1] = x ? __builtin_clz(x) : 32;
		o[i][2] = x ? __builtin_ctz(x) : 32;
		o[i][3] = x << n | x >> (-n & 31);
		o[i][4] = (x & ~mask) | (y & mask);
		o[i][5] = reversed(x);
		o[i][6] = (x & ~field) | (y << 5 & field);
		o[i][7] = (x >> (y & 15) & 0x7f) + (uint32_t)((int32_t)(x << 17) >> 20);
	}
}

static void bool3(const struct cts_run *r)
{
	const uint32_t *a = r->buffer[0], *b = r->buffer[1], *c = r->buffer[2];
	uint32_t *o = r->buffer[3];
	unsigned int i;

	for (i = 0; i < r->items; i++)
		o[i] = ((a[i] & b[i]) | (~a[i] & c[i])) + (a[i] ^ b[i] ^ c[i]) +
		       ((a[i] & b[i]) | (a[i] & c[i]) | (b[i] & c[i])) + a[i] + b[i] + c[i];
}

/* Numbers of 128 bits, modulo 2^128. */
static void carry(const struct cts_run *r)
{
	const uint32_t (*a)[4] = r->buffer[0], (*b)[4] = r->buffer[1];
	uint32_t (*o)[4] = r->buffer[2];
	unsigned int i, n;

	for (i = 0; i < r->items; i++) {
		uint64_t sum = 0;

		for (n = 0; n < 4; n++) {
			sum = (sum >> 32) + a[i][n] + b[i][n];
			o[i][n] = (uint32_t)sum;
		}
	}
}

static void dot_i8(const struct cts_run *r)
{
	const int8_t (*a)[4] = r->buffer[0], (*b)[4] = r->buffer[1];
	const uint8_t (*c)[4] = r->buffer[2];
	int32_t *o = r->buffer[3];
	unsigned int i, n;

	for (i = 0; i < r->items; i++) {
		/* The sums fit into 32 bits, so nothing saturates. */
		o[i] = 100;
		for (n = 0; n < 4; n++)
			o[i] += 2 * a[i][n] * b[i][n] + c[i][n] * c[i][n] + a[i][n] * c[i][n];
	}
}

static void dot_packed(const struct cts_run *r)
{
	const uint8_t (*a)[4] = r->buffer[0], (*b)[4] = r->buffer[1];
	int32_t *o = r->buffer[2];
	unsigned int i, n;

	for (i = 0; i < r->items; i++) {
		o[i] = 0;
		for (n = 0; n < 4; n++)
			o[i] += (int8_t)a[i][n] * (int8_t)b[i][n] + a[i][n] * b[i][n];
	}
}

/* --- data of the program ------------------------------------------------------------ */

static void conv3(const struct cts_run *r)
{
	static const float coef[3][3] = { { 1, 2, 1 }, { 2, 4, 2 }, { 1, 2, 1 } };
	const float *in = r->buffer[0], *scale = r->buffer[3];
	float *out = r->buffer[1], sum;
	int x, y, i, j, w = int_value(r, 2);

	for (y = 0; y < 16; y++) {
		for (x = 0; x < 32; x++) {
			for (sum = 0, j = 0; j < 3; j++) {
				for (i = 0; i < 3; i++)
					sum += coef[j][i] * in[(y + j) * w + x + i];
			}
			out[(y + 1) * w + x + 1] = sum * scale[x & 1];
		}
	}
}

static void lookup(const struct cts_run *r)
{
	static const uint8_t table[256] = { [1] = 3, [7] = 9, [128] = 55, [255] = 1 };
	const uint8_t *in = r->buffer[0];
	uint8_t *out = r->buffer[1];
	unsigned int i;

	for (i = 0; i < r->items; i++)
		out[i] = table[in[i]] + 7;
}

/* --- sub-group blocks: element n of work-item l is at n * simd + l --------------- */

static void blk(const struct cts_run *r)
{
	const uint32_t *in = r->buffer[0];
	uint32_t *out = r->buffer[1];
	unsigned int base, n, l;

	for (base = 0; base < r->items * 8; base += r->simd * 8) {
		for (n = 0; n < 8; n++) {
			for (l = 0; l < r->simd; l++)
				out[base + n * r->simd + l] = in[base + (7 - n) * r->simd + l];
		}
	}
}

static void blk_ty(const struct cts_run *r)
{
	const uint16_t *a = r->buffer[0];
	const uint8_t *b = r->buffer[1];
	const uint64_t *c = r->buffer[2];
	uint16_t *o = r->buffer[3];
	uint8_t *p = r->buffer[4];
	uint64_t *q = r->buffer[5];
	unsigned int i;

	for (i = 0; i < r->items; i++) {
		o[i] = a[i] + 1;
		p[i] = b[i] ^ 0x55;
		q[i] = c[i] * 3;
	}
}

static void isg_shuf(const struct cts_run *r)
{
	const uint32_t *in = r->buffer[0];
	uint32_t (*o)[4] = r->buffer[1];
	unsigned int i, n = r->simd;

	for (i = 0; i < r->items; i++) {
		unsigned int l = i % n;
		const uint32_t *v = in + i - l;

		o[i][0] = v[l ^ 3];
		o[i][1] = l + 3 < n ? v[l + 3] : v[l + 3 - n] * 2;
		/* The highest item of the second operand precedes item 0. */
		o[i][2] = l >= 2 ? in[i - 2] * 2 : v[l + n - 2];
		o[i][3] = v[l ^ 4];
	}
}

static void blk_slm(const struct cts_run *r)
{
	const uint32_t *in = r->buffer[0];
	uint32_t *out = r->buffer[1];
	unsigned int i, l, at, half;
	uint32_t v[2];

	for (i = 0; i < r->items; i++) {
		l = i % r->local;
		for (half = 0; half < 2; half++) {
			at = l / r->simd * r->simd * 2 + half * r->simd + l % r->simd;
			v[half] = at < r->local ? in[i - l + at] : at - r->local;
		}
		out[i] = v[0] * 3 + v[1];
	}
}

/* --- barriers ---------------------------------------------------------------------- */

static void split_bar(const struct cts_run *r)
{
	const int32_t *in = r->buffer[0];
	int32_t *out = r->buffer[1];
	unsigned int i, l;

	for (i = 0; i < r->items; i++) {
		l = i % r->local;
		out[i] = (int32_t)((uint32_t)in[i - l + (l + 1) % r->local] + l * 3);
	}
}

static void fences(const struct cts_run *r)
{
	int32_t *a = r->buffer[0];
	unsigned int i;

	for (i = 0; i < r->items; i++)
		a[i] = i + 1;
	*(int32_t *)r->buffer[1] = 1;
}

/* --- the generic address space: global, local or private in turns ------------------ */

static void generic_ptr(const struct cts_run *r)
{
	const uint32_t *in = r->buffer[0];
	uint32_t *out = r->buffer[1];
	unsigned int i, k, l, which;
	int32_t sel = int_value(r, 2);
	uint32_t p[3];

	for (i = 0; i < r->items; i++) {
		l = i % r->local;
		which = (i + sel) % 3;
		for (k = 0; k < 3; k++)
			p[k] = which == 0 ? in[i + k] :
			       which == 1 ? in[i - l + (l & 31) + k] * 2 : in[i + k] + sel;
		out[i] = p[0] + p[1] + p[2] + (p[0] - p[1] + p[2]) + (which == 1) * 1000;
	}
}

/* --- two-dimensional blocks --------------------------------------------------------- */

struct plane {
	uint8_t *bytes;
	int width, height, pitch;	/* bytes, rows, bytes */
	int x, y;			/* of the block, in elements and rows */
};

static struct plane plane_of(const struct cts_run *r, unsigned int buffer)
{
	struct plane p = {
		.bytes = r->buffer[buffer], .width = int_value(r, 2),
		.height = int_value(r, 3), .pitch = int_value(r, 4),
	};

	memcpy(&p.x, r->args[5].value, sizeof(p.x));
	memcpy(&p.y, r->args[5].value + 4, sizeof(p.y));
	return p;
}

/* NULL: outside, where reads give 0 and writes are dropped. */
static void *plane_at(const struct plane *p, unsigned int size, int column, int row)
{
	int x = (p->x + column) * (int)size, y = p->y + row;

	if (x < 0 || y < 0 || x + (int)size > p->width || y >= p->height)
		return NULL;
	return p->bytes + y * p->pitch + x;
}

static uint32_t plane_get(const struct plane *p, unsigned int size, int column, int row)
{
	const void *at = plane_at(p, size, column, row);
	uint32_t v = 0;

	if (at)
		memcpy(&v, at, size);
	return v;
}

static void copy_block(const struct cts_run *r, unsigned int size, uint32_t add)
{
	struct plane from = plane_of(r, 0), to = plane_of(r, 1);
	int x, y;

	for (y = 0; y < 8; y++) {
		for (x = 0; x < 16; x++) {
			uint32_t v = plane_get(&from, size, x, y) + add;
			void *at = plane_at(&to, size, x, y);

			if (at)
				memcpy(at, &v, size);
		}
	}
}

static void b2d(const struct cts_run *r)
{
	copy_block(r, 2, 3);
}

static void b2d_32(const struct cts_run *r)
{
	copy_block(r, 4, 0);
}

/* Two rows in a word, 16 columns. */
static void b2d_vnni(const struct cts_run *r)
{
	struct plane from = plane_of(r, 0);
	uint32_t *dst = r->buffer[1];
	int i, l;

	for (i = 0; i < 8; i++) {
		for (l = 0; l < 16; l++)
			dst[i * 16 + l] = plane_get(&from, 2, l, 2 * i) |
					  plane_get(&from, 2, l, 2 * i + 1) << 16;
	}
}

/* 16 rows of 8 columns; work-item l has row l. */
static void b2d_tr(const struct cts_run *r)
{
	struct plane from = plane_of(r, 0);
	uint32_t *dst = r->buffer[1];
	int i, l;

	for (i = 0; i < 8; i++) {
		for (l = 0; l < 16; l++)
			dst[i * 16 + l] = plane_get(&from, 4, i, l);
	}
}

/* ------------------------------------------------------------------------------------ */

int cts_reference(const struct cts_kernel *k, unsigned int simd, void *data)
{
	static const struct cts_reference_entry all[] = {
		{ "dpas_f16", dpas_16bit }, { "dpas_bf16", dpas_16bit }, { "dpas_s8", dpas_s8 },
		{ "dpas_u8s8", dpas_u8s8 }, { "dpas_tf32", dpas_tf32 }, { "h_axpy", h_axpy },
		{ "blk", blk }, { "blk_ty", blk_ty }, { "isg_shuf", isg_shuf },
		{ "blk_slm", blk_slm }, { "split_bar", split_bar }, { "fences", fences },
		{ "generic_ptr", generic_ptr }, { "b2d", b2d }, { "b2d_32", b2d_32 },
		{ "b2d_vnni", b2d_vnni }, { "b2d_tr", b2d_tr },
		{ "h_mix", h_mix },
		{ "h_store", h_store },
		{ "use_ack", use_ack },
		{ "use_fib", use_fib },
		{ "bits", bits },
		{ "bool3", bool3 },
		{ "carry", carry },
		{ "dot_i8", dot_i8 },
		{ "dot_packed", dot_packed },
		{ "conv3", conv3 },
		{ "lookup", lookup },
		{ NULL, NULL },
	}, *tables[] = {
		all, cts_subgroup_references, cts_group_references, cts_joint_references,
	}, *entry;
	struct cts_run r = {
		.simd = simd, .args = k->args, .local = k->local[0] * k->local[1] * k->local[2],
		.items = k->global[0] * k->global[1] * k->global[2],
	};
	uint8_t *at = data;
	unsigned int i;

	for (i = 0; i < k->num_args; i++) {
		r.buffer[i] = at;
		at += cts_arg_bytes(&k->args[i]);
	}
	for (i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		for (entry = tables[i]; entry->name; entry++) {
			if (strcmp(entry->name, k->name))
				continue;
			if (tables[i] == cts_group_references && r.items > CTS_GROUP_ITEMS)
				return -1;
			entry->run(&r);
			return 0;
		}
	}
	return -1;
}
