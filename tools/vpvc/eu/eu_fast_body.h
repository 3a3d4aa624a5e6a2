/* SPDX-License-Identifier: MIT */
/*
 * The fast handlers. Included by one source file per vector level, which
 * defines EU_FAST_TABLE. All sources are brought into the same shape, lanes of
 * the operation's width side by side, so that each operation needs one body.
 * Lanes beyond the execution size are computed and never written.
 */
#include <math.h>

#include "eu_core.h"

/* Vectors are passed between static functions only, whatever the ABI. */
#pragma GCC diagnostic ignored "-Wpsabi"

#define VECTOR(type) type __attribute__((vector_size(32), aligned(4), may_alias))
typedef VECTOR(int32_t) v_i32;
typedef VECTOR(uint32_t) v_u32;
typedef VECTOR(int64_t) v_i64;
typedef VECTOR(uint64_t) v_u64;
typedef VECTOR(float) v_f32;
typedef VECTOR(double) v_f64;
/* The builtins want their own, naturally aligned types. */
typedef float native_f32 __attribute__((vector_size(32)));
typedef double native_f64 __attribute__((vector_size(32)));

#define MAX32	4	/* vectors of 32 lanes of 32 bits */
#define MAX64	8

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

static inline void gather32(const struct eu_thread *t, const struct eu_fast_src *s,
			    unsigned int n, int32_t *to)
{
	const uint8_t *p = t->regs + s->off;
	unsigned int step = s->stride;

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

static inline void gather64(const struct eu_thread *t, const struct eu_fast_src *s,
			    unsigned int n, int64_t *to)
{
	const uint8_t *p = t->regs + s->off;
	unsigned int step = s->stride;

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

static inline const v_i32 *load32(const struct eu_thread *t, const struct eu_op *op,
				  int i, v_i32 *tmp)
{
	const struct eu_fast_src *s = &op->fast[i];
	const v_i32 *p = tmp;
	int32_t x;

	switch ((enum eu_src_mode)s->mode) {
	case EU_SRC_CONTIGUOUS:
		p = (const v_i32 *)(t->regs + s->off);
		break;
	case EU_SRC_CONST:
		p = s->lanes;
		break;
	case EU_SRC_SCALAR:
		x = read_element(t->regs + s->off, s->type);
		for (unsigned int c = 0; c < op->chunks; c++)
			tmp[c] = x - (v_i32){};
		break;
	case EU_SRC_STRIDED:
		gather32(t, s, op->n, (int32_t *)tmp);
		break;
	}
	if (unlikely(s->neg | s->complement)) {
		/* -x is ~x + 1 */
		for (unsigned int c = 0; c < op->chunks; c++)
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
	case EU_SRC_CONTIGUOUS:
		p = (const v_i64 *)(t->regs + s->off);
		break;
	case EU_SRC_CONST:
		p = s->lanes;
		break;
	case EU_SRC_SCALAR:
		x = read_element(t->regs + s->off, s->type);
		for (unsigned int c = 0; c < op->chunks; c++)
			tmp[c] = x - (v_i64){};
		break;
	case EU_SRC_STRIDED:
		if (s->type == EU_UD && s->stride == 8) {
			const v_i64 *q = (const v_i64 *)(t->regs + s->off);

			for (unsigned int c = 0; c < op->chunks; c++)
				tmp[c] = q[c] & UINT32_MAX;
			break;
		}
		gather64(t, s, op->n, (int64_t *)tmp);
		break;
	}
	if (unlikely(s->neg | s->complement)) {
		for (unsigned int c = 0; c < op->chunks; c++)
			tmp[c] = (v_i64)((v_u64)~p[c] + (uint64_t)s->neg);
		p = tmp;
	}
	return p;
}

/* Floats: the modifiers work on the sign bit, so NaN stays what it is. */
static inline const v_f32 *loadf(const struct eu_thread *t, const struct eu_op *op,
				 int i, v_i32 *tmp)
{
	const struct eu_fast_src *s = &op->fast[i];
	const v_i32 *p = tmp;
	int32_t x;

	switch ((enum eu_src_mode)s->mode) {
	case EU_SRC_CONTIGUOUS:
		p = (const v_i32 *)(t->regs + s->off);
		break;
	case EU_SRC_CONST:
		p = s->lanes;
		break;
	case EU_SRC_SCALAR:
		memcpy(&x, t->regs + s->off, sizeof(x));
		for (unsigned int c = 0; c < op->chunks; c++)
			tmp[c] = x - (v_i32){};
		break;
	case EU_SRC_STRIDED:
		gather32(t, s, op->n, (int32_t *)tmp);
		break;
	}
	if (unlikely(s->neg | s->abs)) {
		int32_t keep = s->abs ? INT32_MAX : -1, flip = s->neg ? INT32_MIN : 0;

		for (unsigned int c = 0; c < op->chunks; c++)
			tmp[c] = (p[c] & keep) ^ flip;
		p = tmp;
	}
	return (const v_f32 *)p;
}

static inline const v_f64 *loadd(const struct eu_thread *t, const struct eu_op *op,
				 int i, v_i64 *tmp)
{
	const struct eu_fast_src *s = &op->fast[i];
	const v_i64 *p = tmp;
	int64_t x;

	switch ((enum eu_src_mode)s->mode) {
	case EU_SRC_CONTIGUOUS:
		p = (const v_i64 *)(t->regs + s->off);
		break;
	case EU_SRC_CONST:
		p = s->lanes;
		break;
	case EU_SRC_SCALAR:
		memcpy(&x, t->regs + s->off, sizeof(x));
		for (unsigned int c = 0; c < op->chunks; c++)
			tmp[c] = x - (v_i64){};
		break;
	case EU_SRC_STRIDED:
		gather64(t, s, op->n, (int64_t *)tmp);
		break;
	}
	if (unlikely(s->neg | s->abs)) {
		int64_t keep = s->abs ? INT64_MAX : -1, flip = s->neg ? INT64_MIN : 0;

		for (unsigned int c = 0; c < op->chunks; c++)
			tmp[c] = (p[c] & keep) ^ flip;
		p = tmp;
	}
	return (const v_f64 *)p;
}

/* All ones in the lanes whose bit is set */
static inline v_i32 mask32(uint32_t mask, unsigned int chunk)
{
	const v_i32 bit = {1, 2, 4, 8, 16, 32, 64, 128};
	int32_t m = mask >> (8 * chunk) & 0xff;

	return ((m - (v_i32){}) & bit) != 0;
}

static inline v_i64 mask64(uint32_t mask, unsigned int chunk)
{
	const v_i64 bit = {1, 2, 4, 8};
	int64_t m = mask >> (4 * chunk) & 0xf;

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

/* The low bytes of each lane to elements that do not lie side by side */
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

static inline void store32(struct eu_thread *t, const struct eu_op *op, uint32_t mask,
			   const v_i32 *r)
{
	uint8_t *to = t->regs + op->dst_off;

	if (unlikely(op->acc_dst))
		t->wide_valid = false;
	if (op->n == 1) {
		if (mask)
			memcpy(to, r, op->dst_bytes);
		return;
	}
	if (op->dst_bytes != 4 || op->dst_stride != 4) {
		if (op->dst_bytes)
			scatter(to, op, mask, (const uint8_t *)r, 4);
	} else if (likely(mask == op->lanes)) {
		if (op->n == 32)
			memcpy(to, r, 128);
		else if (op->n == 16)
			memcpy(to, r, 64);
		else
			memcpy(to, r, op->n * 4);
	} else {
		for (unsigned int c = 0; c < op->chunks; c++) {
			v_i32 m = mask32(mask, c), *d = (v_i32 *)to + c;

			*d = (r[c] & m) | (*d & ~m);
		}
	}
}

static inline void store64(struct eu_thread *t, const struct eu_op *op, uint32_t mask,
			   const v_i64 *r)
{
	uint8_t *to = t->regs + op->dst_off;

	if (unlikely(op->acc_dst))
		t->wide_valid = false;
	if (op->n == 1) {
		if (mask)
			memcpy(to, r, op->dst_bytes);
		return;
	}
	if (op->dst_bytes != 8 || op->dst_stride != 8) {
		if (op->dst_bytes)
			scatter(to, op, mask, (const uint8_t *)r, 8);
	} else if (likely(mask == op->lanes)) {
		if (op->n == 16)
			memcpy(to, r, 128);
		else
			memcpy(to, r, op->n * 8);
	} else {
		for (unsigned int c = 0; c < op->chunks; c++) {
			v_i64 m = mask64(mask, c), *d = (v_i64 *)to + c;

			*d = (r[c] & m) | (*d & ~m);
		}
	}
}

static inline uint32_t bits32(const v_i32 *r, unsigned int chunks)
{
	uint32_t bits = 0;

	for (unsigned int c = 0; c < chunks; c++) {
#ifdef __AVX2__
		bits |= (uint32_t)__builtin_ia32_movmskps256((native_f32)r[c]) << (8 * c);
#else
		for (int l = 0; l < 8; l++)
			bits |= (uint32_t)(r[c][l] & 1) << (8 * c + l);
#endif
	}
	return bits;
}

static inline uint32_t bits64(const v_i64 *r, unsigned int chunks)
{
	uint32_t bits = 0;

	for (unsigned int c = 0; c < chunks; c++)
		for (int l = 0; l < 4; l++)
			bits |= (uint32_t)(r[c][l] & 1) << (4 * c + l);
	return bits;
}

#define OP1(name, vec, load, store, raw, max, expr) \
static struct eu_op *name(struct eu_thread *t, struct eu_op *op) \
{ \
	raw ta[max], r[max]; \
	const vec *a = (const vec *)load(t, op, 0, ta); \
	for (unsigned int c = 0; c < op->chunks; c++) \
		r[c] = (raw)(expr(a[c])); \
	store(t, op, eu_live(t, op), r); \
	return eu_next(t, op); \
}

#define OP2(name, vec, load, store, raw, max, expr) \
static struct eu_op *name(struct eu_thread *t, struct eu_op *op) \
{ \
	raw ta[max], tb[max], r[max]; \
	const vec *a = (const vec *)load(t, op, 0, ta); \
	const vec *b = (const vec *)load(t, op, 1, tb); \
	for (unsigned int c = 0; c < op->chunks; c++) \
		r[c] = (raw)(expr(a[c], b[c])); \
	store(t, op, eu_live(t, op), r); \
	return eu_next(t, op); \
}

#define OP3(name, vec, load, store, raw, max, expr) \
static struct eu_op *name(struct eu_thread *t, struct eu_op *op) \
{ \
	raw ta[max], tb[max], tc[max], r[max]; \
	const vec *a = (const vec *)load(t, op, 0, ta); \
	const vec *b = (const vec *)load(t, op, 1, tb); \
	const vec *d = (const vec *)load(t, op, 2, tc); \
	for (unsigned int c = 0; c < op->chunks; c++) \
		r[c] = (raw)(expr(a[c], b[c], d[c])); \
	store(t, op, eu_live(t, op), r); \
	return eu_next(t, op); \
}

#define I32(op, name, vec, expr) op(name, vec, load32, store32, v_i32, MAX32, expr)
#define I64(op, name, vec, expr) op(name, vec, load64, store64, v_i64, MAX64, expr)
#define F32(op, name, expr) op(name, v_f32, loadf, store32, v_i32, MAX32, expr)
#define F64(op, name, expr) op(name, v_f64, loadd, store64, v_i64, MAX64, expr)

#define E_MOV(a)	(a)
#define E_NOT(a)	(~(a))
#define E_ADD(a, b)	((a) + (b))
#define E_MUL(a, b)	((a) * (b))
#define E_AND(a, b)	((a) & (b))
#define E_OR(a, b)	((a) | (b))
#define E_XOR(a, b)	((a) ^ (b))
#define E_SHIFT_L(a, b)	((a) << ((b) & 31))
#define E_SHIFT_R(a, b)	((a) >> ((b) & 31))
#define E_SHIFT_L64(a, b) ((a) << ((b) & 63))
#define E_SHIFT_R64(a, b) ((a) >> ((b) & 63))
#define E_ROL(a, b)	((a) << ((b) & 31) | (a) >> (-(b) & 31))
#define E_ADD3(a, b, c)	((a) + (b) + (c))
#define E_MAD(a, b, c)	((a) + (b) * (c))

I32(OP1, mov_i32, v_i32, E_MOV)
I32(OP1, not_i32, v_i32, E_NOT)
I32(OP2, add_i32, v_u32, E_ADD)
I32(OP2, mul_i32, v_u32, E_MUL)
I32(OP2, and_i32, v_i32, E_AND)
I32(OP2, or_i32, v_i32, E_OR)
I32(OP2, xor_i32, v_i32, E_XOR)
I32(OP2, shl_i32, v_u32, E_SHIFT_L)
I32(OP2, shr_i32, v_u32, E_SHIFT_R)
I32(OP2, rol_i32, v_u32, E_ROL)
I32(OP3, add3_i32, v_u32, E_ADD3)
I32(OP3, mad_i32, v_u32, E_MAD)

I64(OP1, mov_i64, v_i64, E_MOV)
I64(OP2, add_i64, v_u64, E_ADD)
I64(OP2, shl_i64, v_u64, E_SHIFT_L64)
I64(OP2, shr_i64, v_u64, E_SHIFT_R64)

F32(OP1, mov_f32, E_MOV)
F32(OP2, add_f32, E_ADD)
F32(OP2, mul_f32, E_MUL)
F64(OP1, mov_f64, E_MOV)
F64(OP2, add_f64, E_ADD)
F64(OP2, mul_f64, E_MUL)

/* An unsigned source shifts in zeros, as the general path says. */
static struct eu_op *asr_i32(struct eu_thread *t, struct eu_op *op)
{
	v_i32 ta[MAX32], tb[MAX32], r[MAX32];
	const v_i32 *a = load32(t, op, 0, ta), *b = load32(t, op, 1, tb);
	bool is_signed = eu_typeinfo[op->in.src[0].type].is_signed;

	for (unsigned int c = 0; c < op->chunks; c++)
		r[c] = is_signed ? a[c] >> (b[c] & 31) :
				   (v_i32)((v_u32)a[c] >> ((v_u32)b[c] & 31));
	store32(t, op, eu_live(t, op), r);
	return eu_next(t, op);
}

/* AVX2 has no such shift of 64 bits; lane by lane. */
static struct eu_op *asr_i64(struct eu_thread *t, struct eu_op *op)
{
	v_i64 ta[MAX64], tb[MAX64], r[MAX64];
	const int64_t *a = (const int64_t *)load64(t, op, 0, ta);
	const int64_t *b = (const int64_t *)load64(t, op, 1, tb);
	bool is_signed = eu_typeinfo[op->in.src[0].type].is_signed;
	int64_t x, n;

	for (unsigned int l = 0; l < op->n; l++) {
		memcpy(&x, a + l, sizeof(x));
		memcpy(&n, b + l, sizeof(n));
		x = is_signed ? x >> (n & 63) : (int64_t)((uint64_t)x >> (n & 63));
		memcpy((int64_t *)r + l, &x, sizeof(x));
	}
	store64(t, op, eu_live(t, op), r);
	return eu_next(t, op);
}

/* src0 + src1 * src2, rounded once */
static struct eu_op *mad_f32(struct eu_thread *t, struct eu_op *op)
{
	v_i32 ta[MAX32], tb[MAX32], tc[MAX32], r[MAX32];
	const v_f32 *a = loadf(t, op, 0, ta);
	const v_f32 *b = loadf(t, op, 1, tb), *d = loadf(t, op, 2, tc);

	for (unsigned int c = 0; c < op->chunks; c++) {
#ifdef __FMA__
		r[c] = (v_i32)__builtin_ia32_vfmaddps256((native_f32)b[c], (native_f32)d[c],
							 (native_f32)a[c]);
#else
		v_f32 x;

		for (int l = 0; l < 8; l++)
			x[l] = fmaf(b[c][l], d[c][l], a[c][l]);
		r[c] = (v_i32)x;
#endif
	}
	store32(t, op, eu_live(t, op), r);
	return eu_next(t, op);
}

static struct eu_op *mad_f64(struct eu_thread *t, struct eu_op *op)
{
	v_i64 ta[MAX64], tb[MAX64], tc[MAX64], r[MAX64];
	const v_f64 *a = loadd(t, op, 0, ta);
	const v_f64 *b = loadd(t, op, 1, tb), *d = loadd(t, op, 2, tc);

	for (unsigned int c = 0; c < op->chunks; c++) {
#ifdef __FMA__
		r[c] = (v_i64)__builtin_ia32_vfmaddpd256((native_f64)b[c], (native_f64)d[c],
							 (native_f64)a[c]);
#else
		v_f64 x;

		for (int l = 0; l < 4; l++)
			x[l] = fma(b[c][l], d[c][l], a[c][l]);
		r[c] = (v_i64)x;
#endif
	}
	store64(t, op, eu_live(t, op), r);
	return eu_next(t, op);
}

static struct eu_op *bfn_i32(struct eu_thread *t, struct eu_op *op)
{
	v_i32 ta[MAX32], tb[MAX32], tc[MAX32], r[MAX32];
	const v_i32 *a = load32(t, op, 0, ta);
	const v_i32 *b = load32(t, op, 1, tb), *d = load32(t, op, 2, tc);

	for (unsigned int c = 0; c < op->chunks; c++) {
		v_i32 x = {};

		for (int k = 0; k < 8; k++)
			if (op->in.function >> k & 1)
				x |= (k & 1 ? a[c] : ~a[c]) & (k & 2 ? b[c] : ~b[c]) &
				     (k & 4 ? d[c] : ~d[c]);
		r[c] = x;
	}
	store32(t, op, eu_live(t, op), r);
	return eu_next(t, op);
}

/* The predicate chooses; every enabled lane is written. */
static struct eu_op *sel_i32(struct eu_thread *t, struct eu_op *op)
{
	v_i32 ta[MAX32], tb[MAX32], r[MAX32];
	const v_i32 *a = load32(t, op, 0, ta), *b = load32(t, op, 1, tb);
	uint32_t first = op->pred ? eu_predicate(t, op) : op->lanes;

	for (unsigned int c = 0; c < op->chunks; c++) {
		v_i32 m = mask32(first, c);

		r[c] = (a[c] & m) | (b[c] & ~m);
	}
	store32(t, op, eu_enabled(t, op), r);
	return eu_next(t, op);
}

static struct eu_op *sel_i64(struct eu_thread *t, struct eu_op *op)
{
	v_i64 ta[MAX64], tb[MAX64], r[MAX64];
	const v_i64 *a = load64(t, op, 0, ta), *b = load64(t, op, 1, tb);
	uint32_t first = op->pred ? eu_predicate(t, op) : op->lanes;

	for (unsigned int c = 0; c < op->chunks; c++) {
		v_i64 m = mask64(first, c);

		r[c] = (a[c] & m) | (b[c] & ~m);
	}
	store64(t, op, eu_enabled(t, op), r);
	return eu_next(t, op);
}

static struct eu_op *sel_f32(struct eu_thread *t, struct eu_op *op)
{
	v_i32 ta[MAX32], tb[MAX32], r[MAX32];
	const v_i32 *a = (const v_i32 *)loadf(t, op, 0, ta);
	const v_i32 *b = (const v_i32 *)loadf(t, op, 1, tb);
	uint32_t first = op->pred ? eu_predicate(t, op) : op->lanes;

	for (unsigned int c = 0; c < op->chunks; c++) {
		v_i32 m = mask32(first, c);

		r[c] = (a[c] & m) | (b[c] & ~m);
	}
	store32(t, op, eu_enabled(t, op), r);
	return eu_next(t, op);
}

/* One comparison for all chunks: the condition is decided outside the loop. */
#define COMPARE_CASES(r, a, b, chunks) \
	switch (op->in.cond) { \
	case EU_EQ: for (unsigned int c = 0; c < chunks; c++) r[c] = a[c] == b[c]; break; \
	case EU_NE: for (unsigned int c = 0; c < chunks; c++) r[c] = a[c] != b[c]; break; \
	case EU_GT: for (unsigned int c = 0; c < chunks; c++) r[c] = a[c] > b[c]; break; \
	case EU_GE: for (unsigned int c = 0; c < chunks; c++) r[c] = a[c] >= b[c]; break; \
	case EU_LT: for (unsigned int c = 0; c < chunks; c++) r[c] = a[c] < b[c]; break; \
	default:    for (unsigned int c = 0; c < chunks; c++) r[c] = a[c] <= b[c]; break; \
	}

static inline void flags(struct eu_thread *t, const struct eu_op *op, uint32_t mask,
			 uint32_t bits)
{
	unsigned int off = EU_ARF_SLOT(EU_FLAG) + 4 * op->flag;
	uint32_t f = eu_get32(t, off);

	f = (f & ~(mask << op->flag_shift)) | (bits & mask) << op->flag_shift;
	eu_put32(t, off, f);
}

#define COMPARE(name, vec, load, store, raw, max, to_bits) \
static struct eu_op *name(struct eu_thread *t, struct eu_op *op) \
{ \
	raw ta[max], tb[max], r[max]; \
	const vec *a = (const vec *)load(t, op, 0, ta); \
	const vec *b = (const vec *)load(t, op, 1, tb); \
	uint32_t mask = eu_live(t, op); \
	COMPARE_CASES(r, a, b, op->chunks) \
	if (op->dst_bytes) \
		store(t, op, mask, r); \
	flags(t, op, mask, to_bits(r, op->chunks)); \
	return eu_next(t, op); \
}

COMPARE(cmp_i32, v_i32, load32, store32, v_i32, MAX32, bits32)
COMPARE(cmp_u32, v_u32, load32, store32, v_i32, MAX32, bits32)
COMPARE(cmp_i64, v_i64, load64, store64, v_i64, MAX64, bits64)
COMPARE(cmp_u64, v_u64, load64, store64, v_i64, MAX64, bits64)
COMPARE(cmp_f32, v_f32, loadf, store32, v_i32, MAX32, bits32)
COMPARE(cmp_f64, v_f64, loadd, store64, v_i64, MAX64, bits64)

#define MINMAX(name, vec, load, store, raw, max, nan) \
static struct eu_op *name(struct eu_thread *t, struct eu_op *op) \
{ \
	raw ta[max], tb[max], r[max]; \
	const vec *a = (const vec *)load(t, op, 0, ta); \
	const vec *b = (const vec *)load(t, op, 1, tb); \
	COMPARE_CASES(r, a, b, op->chunks) \
	for (unsigned int c = 0; c < op->chunks; c++) { \
		raw m = nan(r[c], a[c], b[c]); \
		r[c] = ((raw)a[c] & m) | ((raw)b[c] & ~m); \
	} \
	store(t, op, eu_enabled(t, op), r); \
	return eu_next(t, op); \
}

/* A number wins over NaN; of two NaN the second source is taken. */
#define E_NAN(m, a, b)	(((m) & ((a) == (a))) | (((b) != (b)) & ((a) == (a))))
#define E_NO_NAN(m, a, b) (m)

MINMAX(minmax_i32, v_i32, load32, store32, v_i32, MAX32, E_NO_NAN)
MINMAX(minmax_u32, v_u32, load32, store32, v_i32, MAX32, E_NO_NAN)
MINMAX(minmax_i64, v_i64, load64, store64, v_i64, MAX64, E_NO_NAN)
MINMAX(minmax_u64, v_u64, load64, store64, v_i64, MAX64, E_NO_NAN)
MINMAX(minmax_f32, v_f32, loadf, store32, v_i32, MAX32, E_NAN)
MINMAX(minmax_f64, v_f64, loadd, store64, v_i64, MAX64, E_NAN)

static inline int64_t widen(int32_t v, unsigned int type)
{
	return type == EU_UD ? (int64_t)(uint32_t)v : (int64_t)v;
}

/* The exact product behind acc0, for the mach or macl that follows */
static struct eu_op *mul_acc(struct eu_thread *t, struct eu_op *op)
{
	v_i32 ta[MAX32], tb[MAX32], low[MAX32] = {};
	const int32_t *a = (const int32_t *)load32(t, op, 0, ta);
	const int32_t *b = (const int32_t *)load32(t, op, 1, tb);
	uint32_t mask = eu_live(t, op);

	for (unsigned int l = 0; l < op->n; l++) {
		int32_t x, y, product;
		int64_t wide;

		memcpy(&x, a + l, sizeof(x));
		memcpy(&y, b + l, sizeof(y));
		wide = (int64_t)((uint64_t)widen(x, op->fast[0].type) *
				 (uint64_t)widen(y, op->fast[1].type));
		product = (int32_t)wide;
		memcpy((int32_t *)low + l, &product, sizeof(product));
		if (mask >> l & 1)
			t->wide[l] = wide;
	}
	store32(t, op, mask, low);
	t->wide_valid = true;
	return eu_next(t, op);
}

/* mach takes the high, macl the low half of acc0 + (src0 * high(src1) << 16). */
static struct eu_op *mach(struct eu_thread *t, struct eu_op *op)
{
	v_i32 ta[MAX32], tb[MAX32], r[MAX32] = {};
	const int32_t *a = (const int32_t *)load32(t, op, 0, ta);
	const int32_t *b = (const int32_t *)load32(t, op, 1, tb);
	unsigned int shift = op->in.opcode == EU_OP_MACH ? 32 : 0;

	if (unlikely(!t->wide_valid))
		return op->general(t, op);
	for (unsigned int l = 0; l < op->n; l++) {
		int32_t x, y, half;
		uint64_t sum;

		memcpy(&x, a + l, sizeof(x));
		memcpy(&y, b + l, sizeof(y));
		sum = (uint64_t)widen(x, op->fast[0].type) *
		      (uint64_t)(widen(y, op->fast[1].type) >> 16);
		sum = (uint64_t)t->wide[l] + (sum << 16);
		half = (int32_t)(sum >> shift);
		memcpy((int32_t *)r + l, &half, sizeof(half));
	}
	store32(t, op, eu_live(t, op), r);
	return eu_next(t, op);
}

const struct eu_fast_table EU_FAST_TABLE = {
	.exec = {
		[EU_FAST_I32] = {
			[EU_OP_MOV] = mov_i32, [EU_OP_NOT] = not_i32,
			[EU_OP_ADD] = add_i32, [EU_OP_MUL] = mul_i32,
			[EU_OP_AND] = and_i32, [EU_OP_OR] = or_i32,
			[EU_OP_XOR] = xor_i32, [EU_OP_SHL] = shl_i32,
			[EU_OP_SHR] = shr_i32, [EU_OP_ASR] = asr_i32,
			[EU_OP_ROL] = rol_i32, [EU_OP_ADD3] = add3_i32,
			[EU_OP_MAD] = mad_i32, [EU_OP_BFN] = bfn_i32,
			[EU_OP_SEL] = sel_i32, [EU_OP_MACH] = mach,
			[EU_OP_MACL] = mach,
		},
		[EU_FAST_I64] = {
			[EU_OP_MOV] = mov_i64, [EU_OP_ADD] = add_i64,
			[EU_OP_SHL] = shl_i64, [EU_OP_SHR] = shr_i64,
			[EU_OP_ASR] = asr_i64, [EU_OP_SEL] = sel_i64,
		},
		[EU_FAST_F32] = {
			[EU_OP_MOV] = mov_f32, [EU_OP_ADD] = add_f32,
			[EU_OP_MUL] = mul_f32, [EU_OP_MAD] = mad_f32,
			[EU_OP_SEL] = sel_f32,
		},
		[EU_FAST_F64] = {
			[EU_OP_MOV] = mov_f64, [EU_OP_ADD] = add_f64,
			[EU_OP_MUL] = mul_f64, [EU_OP_MAD] = mad_f64,
		},
	},
	.compare = {
		[EU_FAST_I32] = {cmp_i32, cmp_u32},
		[EU_FAST_I64] = {cmp_i64, cmp_u64},
		[EU_FAST_F32] = {cmp_f32, cmp_f32},
		[EU_FAST_F64] = {cmp_f64, cmp_f64},
	},
	.minmax = {
		[EU_FAST_I32] = {minmax_i32, minmax_u32},
		[EU_FAST_I64] = {minmax_i64, minmax_u64},
		[EU_FAST_F32] = {minmax_f32, minmax_f32},
		[EU_FAST_F64] = {minmax_f64, minmax_f64},
	},
	.mul_acc = mul_acc,
};
