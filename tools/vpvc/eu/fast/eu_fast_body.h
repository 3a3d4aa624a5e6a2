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

#include "eu/fast/eu_fast_flow.h"
#include "eu/fast/eu_fast_table.h"
#include "eu/msg/eu_lsc.h"
#include "eu/msg/eu_memory.h"

/* The ABI of vectors does not matter, because only static functions pass them. */
#pragma GCC diagnostic ignored "-Wpsabi"

#define INLINE static inline __attribute__((always_inline))

/* For loops whose number of rounds is a small constant */
#define UNROLL _Pragma("GCC unroll 4")

/* Bits of @a where @m is set, else of @b */
#define PICK(m, a, b)	(((a) & (m)) | ((b) & ~(m)))

/*
 * Registers and memory have elements at any byte: an instruction may name one, and GCC then has
 * to use accesses that need no alignment, which cost no more.
 */
#define VECTOR(type) type __attribute__((vector_size(EU_VECTOR), aligned(1), may_alias))
typedef VECTOR(int32_t) v_i32;
typedef VECTOR(uint32_t) v_u32;
typedef VECTOR(int64_t) v_i64;
typedef VECTOR(uint64_t) v_u64;
typedef VECTOR(float) v_f32;
typedef VECTOR(double) v_f64;
/* Half of a vector, for conversions between 32 and 64 bits */
typedef uint32_t h_u32 __attribute__((vector_size(EU_VECTOR / 2), aligned(1), may_alias));
typedef float h_f32 __attribute__((vector_size(EU_VECTOR / 2), aligned(1), may_alias));

typedef int16_t words __attribute__((vector_size(EU_VECTOR / 2), aligned(1), may_alias));
typedef uint16_t u_words __attribute__((vector_size(EU_VECTOR / 2), aligned(1), may_alias));

#define LANES32		(EU_VECTOR / 4)
#define LANES64		(EU_VECTOR / 8)
#define MAX32		(EU_MAX_LANES / LANES32)
#define MAX64		(EU_MAX_LANES / LANES64)

/* Wider elements: GCC 12 converts vectors in two or four parts. */
#if EU_VECTOR == 64
#define extend_u32(v)	((v_u64)_mm512_cvtepu32_epi64((__m256i)(v)))
#define extend_s16(v)	((v_i32)_mm512_cvtepi16_epi32((__m256i)(v)))
#define extend_u16(v)	((v_i32)_mm512_cvtepu16_epi32((__m256i)(v)))
#elif defined(__AVX2__)
#define extend_u32(v)	((v_u64)_mm256_cvtepu32_epi64((__m128i)(v)))
#define extend_s16(v)	((v_i32)_mm256_cvtepi16_epi32((__m128i)(v)))
#define extend_u16(v)	((v_i32)_mm256_cvtepu16_epi32((__m128i)(v)))
#else
#define extend_u32(v)	__builtin_convertvector(v, v_u64)
#define extend_s16(v)	__builtin_convertvector(v, v_i32)
#define extend_u16(v)	__builtin_convertvector((u_words)(v), v_i32)
#endif

/*
 * For handlers that end with a call: GCC makes it a jump, and the function then runs with the
 * upper halves of vector registers in use, see EU_PART.
 */
INLINE void end_vectors(void)
{
#ifdef __AVX__
	_mm256_zeroupper();
#endif
}

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

INLINE v_i32 splat_v_i32(const struct eu_thread *t, const struct eu_op *op, int i)
{
	int32_t x;

	memcpy(&x, at(t, op, i), sizeof(x));
	return x - (v_i32){};
}

INLINE v_i64 splat_v_i64(const struct eu_thread *t, const struct eu_op *op, int i)
{
	int64_t x;

	memcpy(&x, at(t, op, i), sizeof(x));
	return x - (v_i64){};
}

/* Read a source that is not strided and has no modifier, see EU_SHAPE_MMM. */
INLINE void mixed_v_i32(const struct eu_thread *t, const struct eu_op *op, int i, v_i32 *to,
			unsigned int chunks)
{
	const struct eu_fast_src *s = &op->fast[i];
	const uint8_t *p = at(t, op, i);

	if (s->mode == EU_SRC_WORDS && s->type == EU_W) {
		UNROLL for (unsigned int c = 0; c < chunks; c++)
			to[c] = extend_s16(((const words *)p)[c]);
	} else if (s->mode == EU_SRC_WORDS) {
		UNROLL for (unsigned int c = 0; c < chunks; c++)
			to[c] = extend_u16(((const words *)p)[c]);
	} else if (s->mode == EU_SRC_SCALAR) {
		UNROLL for (unsigned int c = 0; c < chunks; c++)
			to[c] = splat_v_i32(t, op, i);
	} else {
		UNROLL for (unsigned int c = 0; c < chunks; c++)
			to[c] = ((const v_i32 *)p)[c] & (int32_t)s->keep;
	}
}

INLINE void mixed_v_i64(const struct eu_thread *t, const struct eu_op *op, int i, v_i64 *to,
			unsigned int chunks)
{
	const struct eu_fast_src *s = &op->fast[i];
	const v_i64 *p = (const v_i64 *)at(t, op, i);

	if (s->mode == EU_SRC_SCALAR) {
		UNROLL for (unsigned int c = 0; c < chunks; c++)
			to[c] = splat_v_i64(t, op, i);
	} else {
		UNROLL for (unsigned int c = 0; c < chunks; c++)
			to[c] = p[c] & (int64_t)s->keep;
	}
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
	case EU_SRC_LOW: case EU_SRC_WORDS:
		mixed_v_i32(t, op, i, tmp, chunks32(op));
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
	case EU_SRC_LOW:
		mixed_v_i64(t, op, i, tmp, chunks64(op));
		break;
	case EU_SRC_WORDS: case EU_SRC_STRIDED:
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
	case EU_SRC_LOW: case EU_SRC_WORDS: case EU_SRC_STRIDED:
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
	case EU_SRC_LOW: case EU_SRC_WORDS: case EU_SRC_STRIDED:
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

#include "eu/fast/eu_fast_store.h"
#include "eu/fast/eu_fast_ops.h"
#include "eu/fast/eu_fast_acc.h"
#include "eu/fast/eu_fast_compare.h"
#include "eu/fast/eu_fast_rows.h"
#include "eu/fast/eu_fast_memory.h"

const struct eu_fast_table EU_FAST_TABLE = {
	.exec = FAST_OPS,
	.message = FAST_MESSAGES,
	.pairs = fast_pairs,
	.num_pairs = sizeof(fast_pairs) / sizeof(fast_pairs[0]),
};
