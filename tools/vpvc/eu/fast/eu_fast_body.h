/* SPDX-License-Identifier: MIT */
/*
 * The fast handlers. One source file per vector level includes this header and defines
 * EU_FAST_TABLE and the size of its vectors, EU_VECTOR. An operation has one expression,
 * which is compiled for several shapes of sources: contiguous elements or one for all
 * lanes, with 16 and with 32 lanes; one lane; and any other shape, where the sources are
 * first copied to contiguous elements. Lanes beyond the execution size are computed but
 * never written.
 */
#include <math.h>
#ifdef __AVX__
#include <immintrin.h>
#endif

#include "eu/fast/eu_fast_table.h"
#include "eu/msg/eu_lsc.h"
#include "eu/msg/eu_memory.h"

/* The ABI of vectors does not matter, because only static functions pass them. */
#pragma GCC diagnostic ignored "-Wpsabi"

#define INLINE static inline __attribute__((always_inline))

#define VECTOR(type) type __attribute__((vector_size(EU_VECTOR), aligned(4), may_alias))
typedef VECTOR(int32_t) v_i32;
typedef VECTOR(uint32_t) v_u32;
typedef VECTOR(int64_t) v_i64;
typedef VECTOR(uint64_t) v_u64;
typedef VECTOR(float) v_f32;
typedef VECTOR(double) v_f64;
/* Half of a vector, for conversions between 32 and 64 bits */
typedef uint32_t h_u32 __attribute__((vector_size(EU_VECTOR / 2), aligned(4), may_alias));
typedef float h_f32 __attribute__((vector_size(EU_VECTOR / 2), aligned(4), may_alias));

#define LANES32		(EU_VECTOR / 4)
#define LANES64		(EU_VECTOR / 8)
#define MAX32		(EU_MAX_LANES / LANES32)
#define MAX64		(EU_MAX_LANES / LANES64)

INLINE const uint8_t *at(const struct eu_thread *t, const struct eu_op *op, int i)
{
	const struct eu_fast_src *s = &op->fast[i];

	return (const uint8_t *)(s->where + ((uintptr_t)t->regs & s->relative));
}

static inline int64_t read_element(const uint8_t *p, unsigned int type)
{
	union {
		uint8_t ub; int8_t b; uint16_t uw; int16_t w;
		uint32_t ud; int32_t d; int64_t q;
	} v;

	switch (type) {
	case EU_UB:	memcpy(&v, p, 1); return v.ub;
	case EU_B:	memcpy(&v, p, 1); return v.b;
	case EU_UW: case EU_HF: case EU_BF:
			memcpy(&v, p, 2); return v.uw;
	case EU_W:	memcpy(&v, p, 2); return v.w;
	case EU_D:	memcpy(&v, p, 4); return v.d;
	case EU_UD: case EU_F: case EU_TF32:
			memcpy(&v, p, 4); return v.ud;
	default:	memcpy(&v, p, 8); return v.q;
	}
}

#define GATHER(type, ctype) \
	case type: \
		for (unsigned int l = 0; l < n; l++, p += step) { \
			ctype v; \
			memcpy(&v, p, sizeof(v)); \
			to[l] = v; \
		} \
		break

static inline void gather32(const struct eu_thread *t, const struct eu_op *op, int i,
			    int32_t *to)
{
	const struct eu_fast_src *s = &op->fast[i];
	const uint8_t *p = at(t, op, i);
	unsigned int step = s->stride, n = op->n;

	/* local ids: contiguous words */
	if (s->type == EU_UW && step == 2 && n >= 16) {
		typedef uint16_t words __attribute__((vector_size(EU_VECTOR / 2), aligned(2),
						      may_alias));

		for (unsigned int c = 0; c < n / LANES32; c++)
			((v_i32 *)to)[c] = __builtin_convertvector(((const words *)p)[c], v_i32);
		return;
	}
	switch (s->type) {
	GATHER(EU_UB, uint8_t);
	GATHER(EU_B, int8_t);
	GATHER(EU_UW, uint16_t);
	GATHER(EU_HF, uint16_t);
	GATHER(EU_BF, uint16_t);
	GATHER(EU_W, int16_t);
	default:
	GATHER(EU_UD, int32_t);
	}
}

static inline void gather64(const struct eu_thread *t, const struct eu_op *op, int i,
			    int64_t *to)
{
	const struct eu_fast_src *s = &op->fast[i];
	const uint8_t *p = at(t, op, i);
	unsigned int step = s->stride, n = op->n;

	switch (s->type) {
	GATHER(EU_UB, uint8_t);
	GATHER(EU_B, int8_t);
	GATHER(EU_UW, uint16_t);
	GATHER(EU_W, int16_t);
	GATHER(EU_UD, uint32_t);
	GATHER(EU_D, int32_t);
	default:
	GATHER(EU_Q, int64_t);
	}
}

INLINE unsigned int chunks32(const struct eu_op *op)
{
	return (op->n + LANES32 - 1) / LANES32;
}

INLINE unsigned int chunks64(const struct eu_op *op)
{
	return (op->n + LANES64 - 1) / LANES64;
}

/* A source of any shape as contiguous elements, copied to @tmp if needed */
static inline const v_i32 *load32(const struct eu_thread *t, const struct eu_op *op,
				  int i, v_i32 *tmp)
{
	const struct eu_fast_src *s = &op->fast[i];
	const v_i32 *p = tmp;
	int32_t x;

	switch ((enum eu_src_mode)s->mode) {
	case EU_SRC_CONTIGUOUS: case EU_SRC_CONST:
		p = (const v_i32 *)at(t, op, i);
		break;
	case EU_SRC_SCALAR:
		x = read_element(at(t, op, i), s->type);
		for (unsigned int c = 0; c < chunks32(op); c++)
			tmp[c] = x - (v_i32){};
		break;
	case EU_SRC_STRIDED:
		gather32(t, op, i, (int32_t *)tmp);
		break;
	}
	if (unlikely(s->neg | s->complement)) {
		/* -x is ~x + 1 */
		for (unsigned int c = 0; c < chunks32(op); c++)
			tmp[c] = (v_i32)((v_u32)~p[c] + (uint32_t)s->neg);
		p = tmp;
	}
	return p;
}

static inline const v_i64 *load64(const struct eu_thread *t, const struct eu_op *op,
				  int i, v_i64 *tmp)
{
	const struct eu_fast_src *s = &op->fast[i];
	const v_i64 *p = tmp;
	int64_t x;

	switch ((enum eu_src_mode)s->mode) {
	case EU_SRC_CONTIGUOUS: case EU_SRC_CONST:
		p = (const v_i64 *)at(t, op, i);
		break;
	case EU_SRC_SCALAR:
		x = read_element(at(t, op, i), s->type);
		for (unsigned int c = 0; c < chunks64(op); c++)
			tmp[c] = x - (v_i64){};
		break;
	case EU_SRC_STRIDED:
		if (s->type == EU_UD && s->stride == 8) {
			const v_i64 *q = (const v_i64 *)at(t, op, i);

			for (unsigned int c = 0; c < chunks64(op); c++)
				tmp[c] = q[c] & UINT32_MAX;
			break;
		}
		gather64(t, op, i, (int64_t *)tmp);
		break;
	}
	if (unlikely(s->neg | s->complement)) {
		for (unsigned int c = 0; c < chunks64(op); c++)
			tmp[c] = (v_i64)((v_u64)~p[c] + (uint64_t)s->neg);
		p = tmp;
	}
	return p;
}

/* Floats: the modifiers change the sign bit only, so NaN payloads stay. */
static inline const v_i32 *loadf(const struct eu_thread *t, const struct eu_op *op,
				 int i, v_i32 *tmp)
{
	const struct eu_fast_src *s = &op->fast[i];
	const v_i32 *p = tmp;
	int32_t x;

	switch ((enum eu_src_mode)s->mode) {
	case EU_SRC_CONTIGUOUS: case EU_SRC_CONST:
		p = (const v_i32 *)at(t, op, i);
		break;
	case EU_SRC_SCALAR:
		memcpy(&x, at(t, op, i), sizeof(x));
		for (unsigned int c = 0; c < chunks32(op); c++)
			tmp[c] = x - (v_i32){};
		break;
	case EU_SRC_STRIDED:
		gather32(t, op, i, (int32_t *)tmp);
		break;
	}
	if (unlikely(s->neg | s->abs)) {
		int32_t keep = s->abs ? INT32_MAX : -1, flip = s->neg ? INT32_MIN : 0;

		for (unsigned int c = 0; c < chunks32(op); c++)
			tmp[c] = (p[c] & keep) ^ flip;
		p = tmp;
	}
	return p;
}

static inline const v_i64 *loadd(const struct eu_thread *t, const struct eu_op *op,
				 int i, v_i64 *tmp)
{
	const struct eu_fast_src *s = &op->fast[i];
	const v_i64 *p = tmp;
	int64_t x;

	switch ((enum eu_src_mode)s->mode) {
	case EU_SRC_CONTIGUOUS: case EU_SRC_CONST:
		p = (const v_i64 *)at(t, op, i);
		break;
	case EU_SRC_SCALAR:
		memcpy(&x, at(t, op, i), sizeof(x));
		for (unsigned int c = 0; c < chunks64(op); c++)
			tmp[c] = x - (v_i64){};
		break;
	case EU_SRC_STRIDED:
		gather64(t, op, i, (int64_t *)tmp);
		break;
	}
	if (unlikely(s->neg | s->abs)) {
		int64_t keep = s->abs ? INT64_MAX : -1, flip = s->neg ? INT64_MIN : 0;

		for (unsigned int c = 0; c < chunks64(op); c++)
			tmp[c] = (p[c] & keep) ^ flip;
		p = tmp;
	}
	return p;
}

/* All ones in the lanes whose bit is set */
INLINE v_i32 mask32(uint32_t mask, unsigned int chunk)
{
	int32_t m = mask >> (LANES32 * chunk);
#if LANES32 == 16
	const v_i32 bit = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192,
			   16384, 32768};
#else
	const v_i32 bit = {1, 2, 4, 8, 16, 32, 64, 128};
#endif

	return ((m - (v_i32){}) & bit) != 0;
}

INLINE v_i64 mask64(uint32_t mask, unsigned int chunk)
{
	int64_t m = mask >> (LANES64 * chunk);
#if LANES64 == 8
	const v_i64 bit = {1, 2, 4, 8, 16, 32, 64, 128};
#else
	const v_i64 bit = {1, 2, 4, 8};
#endif

	return ((m - (v_i64){}) & bit) != 0;
}

#define SCATTER(bytes) \
	case bytes: \
		if (mask == op->lanes) { \
			for (unsigned int l = 0; l < n; l++) \
				memcpy(to + l * step, from + l * from_step, bytes); \
			break; \
		} \
		for (; mask; mask &= mask - 1) { \
			unsigned int l = __builtin_ctz(mask); \
			memcpy(to + l * step, from + l * from_step, bytes); \
		} \
		break

/* Store the low bytes of each lane to elements that are not contiguous. */
static inline void scatter(uint8_t *to, const struct eu_op *op, uint32_t mask,
			   const uint8_t *from, unsigned int from_step)
{
	unsigned int step = op->dst_stride, n = op->n;

	switch (op->dst_bytes) {
	SCATTER(1);
	SCATTER(2);
	SCATTER(4);
	SCATTER(8);
	}
}

/* Store dwords to the lower halves of quadwords, as kernels do to compute addresses. */
INLINE void spread(uint8_t *to, const v_i32 *r, unsigned int n)
{
	for (unsigned int c = 0; c < n / LANES64; c++) {
		v_u64 low = __builtin_convertvector(((const h_u32 *)r)[c], v_u64);
		v_u64 *d = (v_u64 *)to + c;

		*d = (*d & ~(uint64_t)UINT32_MAX) | low;
	}
}

/* Store @r to the destination; @N: number of lanes if constant, else 0. */
INLINE void store32(struct eu_thread *t, const struct eu_op *op, uint32_t mask, const v_i32 *r,
		    unsigned int N)
{
	uint8_t *to = t->regs + op->dst_off;
	unsigned int n = N ? : op->n;

	if (unlikely(op->acc_dst))
		t->wide_valid = false;
	if (!N && n == 1) {
		if (mask)
			memcpy(to, r, op->dst_bytes);
		return;
	}
	if (unlikely(op->dst_bytes != 4 || op->dst_stride != 4)) {
		if (n >= 16 && op->dst_bytes == 4 && op->dst_stride == 8 && mask == op->lanes)
			spread(to, r, n);
		else if (op->dst_bytes)
			scatter(to, op, mask, (const uint8_t *)r, 4);
	} else if (likely(mask == op->lanes)) {
		if (n == 32)
			memcpy(to, r, 128);
		else if (n == 16)
			memcpy(to, r, 64);
		else
			memcpy(to, r, n * 4);
	} else {
		for (unsigned int c = 0; c < (n + LANES32 - 1) / LANES32; c++) {
			v_i32 m = mask32(mask, c), *d = (v_i32 *)to + c;

			*d = (r[c] & m) | (*d & ~m);
		}
	}
}

INLINE void store64(struct eu_thread *t, const struct eu_op *op, uint32_t mask, const v_i64 *r,
		    unsigned int N)
{
	uint8_t *to = t->regs + op->dst_off;
	unsigned int n = N ? : op->n;

	if (unlikely(op->acc_dst))
		t->wide_valid = false;
	if (!N && n == 1) {
		if (mask)
			memcpy(to, r, op->dst_bytes);
		return;
	}
	if (unlikely(op->dst_bytes != 8 || op->dst_stride != 8)) {
		if (op->dst_bytes)
			scatter(to, op, mask, (const uint8_t *)r, 8);
	} else if (likely(mask == op->lanes)) {
		if (n == 32)
			memcpy(to, r, 256);
		else if (n == 16)
			memcpy(to, r, 128);
		else
			memcpy(to, r, n * 8);
	} else {
		for (unsigned int c = 0; c < (n + LANES64 - 1) / LANES64; c++) {
			v_i64 m = mask64(mask, c), *d = (v_i64 *)to + c;

			*d = (r[c] & m) | (*d & ~m);
		}
	}
}

/* One lane of the operation's own width */
INLINE void store_one32(struct eu_thread *t, const struct eu_op *op, uint32_t v)
{
	if (unlikely(op->acc_dst))
		t->wide_valid = false;
	if (op->dst_bytes && eu_live(t, op))
		memcpy(t->regs + op->dst_off, &v, 4);
}

INLINE void store_one64(struct eu_thread *t, const struct eu_op *op, uint64_t v)
{
	if (unlikely(op->acc_dst))
		t->wide_valid = false;
	if (op->dst_bytes && eu_live(t, op))
		memcpy(t->regs + op->dst_off, &v, 8);
}

INLINE uint32_t bits32(const v_i32 *r, unsigned int chunks)
{
	uint32_t bits = 0;

	for (unsigned int c = 0; c < chunks; c++) {
#if defined(__AVX512DQ__) && EU_VECTOR == 64
		bits |= (uint32_t)_mm512_movepi32_mask((__m512i)r[c]) << (16 * c);
#elif defined(__AVX2__)
		bits |= (uint32_t)_mm256_movemask_ps((__m256)r[c]) << (8 * c);
#else
		for (int l = 0; l < LANES32; l++)
			bits |= (uint32_t)(r[c][l] & 1) << (LANES32 * c + l);
#endif
	}
	return bits;
}

INLINE uint32_t bits64(const v_i64 *r, unsigned int chunks)
{
	uint32_t bits = 0;

	for (unsigned int c = 0; c < chunks; c++)
		for (int l = 0; l < LANES64; l++)
			bits |= (uint32_t)(r[c][l] & 1) << (LANES64 * c + l);
	return bits;
}

INLINE void flags(struct eu_thread *t, const struct eu_op *op, uint32_t mask, uint32_t bits)
{
	unsigned int off = EU_ARF_SLOT(EU_FLAG) + 4 * op->flag;
	uint32_t f = eu_get32(t, off);

	f = (f & ~(mask << op->flag_shift)) | (bits & mask) << op->flag_shift;
	eu_put32(t, off, f);
}

#include "eu/fast/eu_fast_ops.h"
#include "eu/fast/eu_fast_compare.h"
#include "eu/fast/eu_fast_rows.h"
#include "eu/fast/eu_fast_memory.h"

const struct eu_fast_table EU_FAST_TABLE = {
	.exec = FAST_OPS,
	.message = FAST_MESSAGES,
};
