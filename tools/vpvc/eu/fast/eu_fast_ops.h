/* SPDX-License-Identifier: MIT */
/* The operations of the fast handlers; eu_fast_body.h includes this. */

#define GET_V(raw, i)	const raw *s##i = (const raw *)at(t, op, i);
#define GET_S(raw, i)	const raw s##i = splat_##raw(t, op, i);
#define GET_M(raw, i)	raw s##i[CHUNKS]; mixed_##raw(t, op, i, s##i, CHUNKS);
#define USE_V(raw, i)	s##i[c]
#define USE_S(raw, i)	s##i
#define USE_M(raw, i)	s##i[c]

/* The codes of the types of four bytes end with 2. */
INLINE bool is_dword(unsigned int type)
{
	return (type & 3) == EU_UD;
}

/* One lane of a source of any integer type, or the bits of a float */
INLINE int64_t one_int(const struct eu_thread *t, const struct eu_op *op, int i)
{
	const struct eu_fast_src *s = &op->fast[i];
	int64_t x;
	int32_t d;

	if (likely(is_dword(s->type))) {
		memcpy(&d, at(t, op, i), sizeof(d));
		x = s->type == EU_D ? (int64_t)d : (int64_t)(uint32_t)d;
	} else {
		x = read_element(at(t, op, i), s->type);
	}
	if (unlikely(s->neg | s->complement))
		x = ~x + s->neg;
	return x;
}

INLINE void store_int(struct eu_thread *t, const struct eu_op *op, int64_t v)
{
	if (unlikely(!eu_live(t, op)))
		return;
	if (likely(op->dst_bytes == 4))
		memcpy(t->regs + op->dst_off, &v, 4);
	else if (op->dst_bytes == 8)
		memcpy(t->regs + op->dst_off, &v, 8);
	else
		memcpy(t->regs + op->dst_off, &v, op->dst_bytes);
}

#define F1(name, vec, raw, W, store, n, A, expr) \
static struct eu_op *name##_##A##n(struct eu_thread *t, struct eu_op *op) \
{ \
	enum { CHUNKS = (n) / W }; \
	raw r[CHUNKS]; \
	GET_##A(raw, 0) \
	UNROLL for (unsigned int c = 0; c < CHUNKS; c++) \
		r[c] = (raw)(expr((vec)USE_##A(raw, 0))); \
	store##_plain(t, op, eu_live(t, op), r, n); \
	return eu_next(t, op); \
}

#define F2(name, vec, raw, W, store, n, A, B, expr) \
static struct eu_op *name##_##A##B##n(struct eu_thread *t, struct eu_op *op) \
{ \
	enum { CHUNKS = (n) / W }; \
	raw r[CHUNKS]; \
	GET_##A(raw, 0) \
	GET_##B(raw, 1) \
	UNROLL for (unsigned int c = 0; c < CHUNKS; c++) \
		r[c] = (raw)(expr((vec)USE_##A(raw, 0), (vec)USE_##B(raw, 1))); \
	store##_plain(t, op, eu_live(t, op), r, n); \
	return eu_next(t, op); \
}

#define F3(name, vec, raw, W, store, n, A, B, C, expr) \
static struct eu_op *name##_##A##B##C##n(struct eu_thread *t, struct eu_op *op) \
{ \
	enum { CHUNKS = (n) / W }; \
	raw r[CHUNKS]; \
	GET_##A(raw, 0) \
	GET_##B(raw, 1) \
	GET_##C(raw, 2) \
	UNROLL for (unsigned int c = 0; c < CHUNKS; c++) \
		r[c] = (raw)(expr((vec)USE_##A(raw, 0), (vec)USE_##B(raw, 1), \
				  (vec)USE_##C(raw, 2))); \
	store##_plain(t, op, eu_live(t, op), r, n); \
	return eu_next(t, op); \
}

#define ANY1(name, vec, raw, max, chunks, load, store, expr) \
static struct eu_op *name##_any(struct eu_thread *t, struct eu_op *op) \
{ \
	raw ta[max], r[max]; \
	const vec *a = (const vec *)load(t, op, 0, ta); \
	for (unsigned int c = 0; c < chunks(op); c++) \
		r[c] = (raw)(expr(a[c])); \
	store(t, op, eu_live(t, op), r); \
	return eu_next(t, op); \
}

#define ANY2(name, vec, raw, max, chunks, load, store, expr) \
static struct eu_op *name##_any(struct eu_thread *t, struct eu_op *op) \
{ \
	raw ta[max], tb[max], r[max]; \
	const vec *a = (const vec *)load(t, op, 0, ta); \
	const vec *b = (const vec *)load(t, op, 1, tb); \
	for (unsigned int c = 0; c < chunks(op); c++) \
		r[c] = (raw)(expr(a[c], b[c])); \
	store(t, op, eu_live(t, op), r); \
	return eu_next(t, op); \
}

#define ANY3(name, vec, raw, max, chunks, load, store, expr) \
static struct eu_op *name##_any(struct eu_thread *t, struct eu_op *op) \
{ \
	raw ta[max], tb[max], td[max], r[max]; \
	const vec *a = (const vec *)load(t, op, 0, ta); \
	const vec *b = (const vec *)load(t, op, 1, tb); \
	const vec *d = (const vec *)load(t, op, 2, td); \
	for (unsigned int c = 0; c < chunks(op); c++) \
		r[c] = (raw)(expr(a[c], b[c], d[c])); \
	store(t, op, eu_live(t, op), r); \
	return eu_next(t, op); \
}

/* One lane of integers of any type */
#define ONE1(name, type, expr) \
static struct eu_op *name##_one(struct eu_thread *t, struct eu_op *op) \
{ \
	store_int(t, op, (int64_t)(expr((type)one_int(t, op, 0)))); \
	return eu_next(t, op); \
}

#define ONE2(name, type, expr) \
static struct eu_op *name##_one(struct eu_thread *t, struct eu_op *op) \
{ \
	type a = (type)one_int(t, op, 0), b = (type)one_int(t, op, 1); \
	store_int(t, op, (int64_t)(expr(a, b))); \
	return eu_next(t, op); \
}

#define ONE3(name, type, expr) \
static struct eu_op *name##_one(struct eu_thread *t, struct eu_op *op) \
{ \
	type a = (type)one_int(t, op, 0), b = (type)one_int(t, op, 1); \
	type d = (type)one_int(t, op, 2); \
	store_int(t, op, (int64_t)(expr(a, b, d))); \
	return eu_next(t, op); \
}

#define ALL1(name, vec, raw, W, max, chunks, load, store, expr) \
	F1(name, vec, raw, W, store, 16, V, expr) \
	F1(name, vec, raw, W, store, 16, S, expr) \
	F1(name, vec, raw, W, store, 32, V, expr) \
	F1(name, vec, raw, W, store, 32, S, expr) \
	F1(name, vec, raw, W, store, 16, M, expr) \
	F1(name, vec, raw, W, store, 32, M, expr) \
	ANY1(name, vec, raw, max, chunks, load, store, expr)

#define ALL2(name, vec, raw, W, max, chunks, load, store, expr) \
	F2(name, vec, raw, W, store, 16, V, V, expr) \
	F2(name, vec, raw, W, store, 16, S, V, expr) \
	F2(name, vec, raw, W, store, 16, V, S, expr) \
	F2(name, vec, raw, W, store, 32, V, V, expr) \
	F2(name, vec, raw, W, store, 32, S, V, expr) \
	F2(name, vec, raw, W, store, 32, V, S, expr) \
	F2(name, vec, raw, W, store, 16, M, M, expr) \
	F2(name, vec, raw, W, store, 32, M, M, expr) \
	ANY2(name, vec, raw, max, chunks, load, store, expr)

#define ALL3(name, vec, raw, W, max, chunks, load, store, expr) \
	F3(name, vec, raw, W, store, 16, V, V, V, expr) \
	F3(name, vec, raw, W, store, 16, S, V, V, expr) \
	F3(name, vec, raw, W, store, 16, V, S, V, expr) \
	F3(name, vec, raw, W, store, 16, V, V, S, expr) \
	F3(name, vec, raw, W, store, 32, V, V, V, expr) \
	F3(name, vec, raw, W, store, 32, S, V, V, expr) \
	F3(name, vec, raw, W, store, 32, V, S, V, expr) \
	F3(name, vec, raw, W, store, 32, V, V, S, expr) \
	F3(name, vec, raw, W, store, 16, M, M, M, expr) \
	F3(name, vec, raw, W, store, 32, M, M, M, expr) \
	ANY3(name, vec, raw, max, chunks, load, store, expr)

#define I32(all, one, name, vec, type, expr) \
	all(name, vec, v_i32, LANES32, MAX32, chunks32, load32, store32, expr) \
	one(name, type, expr)
#define I64(all, one, name, vec, type, expr) \
	all(name, vec, v_i64, LANES64, MAX64, chunks64, load64, store64, expr) \
	one(name, type, expr)
#define F32(all, name, expr) \
	all(name, v_f32, v_i32, LANES32, MAX32, chunks32, loadf, store32, expr)
#define F64(all, name, expr) \
	all(name, v_f64, v_i64, LANES64, MAX64, chunks64, loadd, store64, expr)

#define E_MOV(a)	(a)
#define E_NOT(a)	(~(a))
#define E_ADD(a, b)	((a) + (b))
#define E_SUB(a, b)	((a) - (b))
#define E_MUL(a, b)	((a) * (b))
#define E_NMUL(a, b)	(-((a) * (b)))
#define E_AND(a, b)	((a) & (b))
#define E_OR(a, b)	((a) | (b))
#define E_XOR(a, b)	((a) ^ (b))
#define E_SHIFT_L(a, b)	((a) << ((b) & 31))
#define E_SHIFT_R(a, b)	((a) >> ((b) & 31))
#define E_SHIFT_L64(a, b) ((a) << ((b) & 63))
#define E_SHIFT_R64(a, b) ((a) >> ((b) & 63))
#define E_ROL(a, b)	((a) << ((b) & 31) | (a) >> (-(b) & 31))
#define E_ADD3(a, b, d)	((a) + (b) + (d))
#define E_MAD(a, b, d)	((a) + (b) * (d))

I32(ALL1, ONE1, mov_i32, v_i32, int64_t, E_MOV)
I32(ALL1, ONE1, not_i32, v_i32, int64_t, E_NOT)
I32(ALL2, ONE2, add_i32, v_u32, uint64_t, E_ADD)
I32(ALL2, ONE2, sub_i32, v_u32, uint64_t, E_SUB)
I32(ALL2, ONE2, mul_i32, v_u32, uint64_t, E_MUL)
I32(ALL2, ONE2, and_i32, v_i32, uint64_t, E_AND)
I32(ALL2, ONE2, or_i32, v_i32, uint64_t, E_OR)
I32(ALL2, ONE2, xor_i32, v_i32, uint64_t, E_XOR)
I32(ALL2, ONE2, shl_i32, v_u32, uint32_t, E_SHIFT_L)
I32(ALL2, ONE2, shr_i32, v_u32, uint32_t, E_SHIFT_R)
I32(ALL2, ONE2, asr_i32, v_i32, int32_t, E_SHIFT_R)
I32(ALL2, ONE2, rol_i32, v_u32, uint32_t, E_ROL)
I32(ALL3, ONE3, add3_i32, v_u32, uint64_t, E_ADD3)
I32(ALL3, ONE3, mad_i32, v_u32, uint64_t, E_MAD)

I64(ALL1, ONE1, mov_i64, v_i64, int64_t, E_MOV)
I64(ALL2, ONE2, add_i64, v_u64, uint64_t, E_ADD)
I64(ALL2, ONE2, sub_i64, v_u64, uint64_t, E_SUB)
I64(ALL2, ONE2, shl_i64, v_u64, uint64_t, E_SHIFT_L64)
I64(ALL2, ONE2, shr_i64, v_u64, uint64_t, E_SHIFT_R64)
I64(ALL2, ONE2, asr_i64, v_i64, int64_t, E_SHIFT_R64)

/* ---- floats ---- */

INLINE v_f32 fma32(v_f32 a, v_f32 b, v_f32 d)
{
#if EU_VECTOR == 64
	return (v_f32)_mm512_fmadd_ps((__m512)b, (__m512)d, (__m512)a);
#elif defined(__FMA__)
	return (v_f32)_mm256_fmadd_ps((__m256)b, (__m256)d, (__m256)a);
#else
	v_f32 x;

	for (int l = 0; l < LANES32; l++)
		x[l] = fmaf(b[l], d[l], a[l]);
	return x;
#endif
}

INLINE v_f64 fma64(v_f64 a, v_f64 b, v_f64 d)
{
#if EU_VECTOR == 64
	return (v_f64)_mm512_fmadd_pd((__m512d)b, (__m512d)d, (__m512d)a);
#elif defined(__FMA__)
	return (v_f64)_mm256_fmadd_pd((__m256d)b, (__m256d)d, (__m256d)a);
#else
	v_f64 x;

	for (int l = 0; l < LANES64; l++)
		x[l] = fma(b[l], d[l], a[l]);
	return x;
#endif
}

INLINE v_f32 sqrt32(v_f32 a)
{
#if EU_VECTOR == 64
	return (v_f32)_mm512_sqrt_ps((__m512)a);
#elif defined(__AVX__)
	return (v_f32)_mm256_sqrt_ps((__m256)a);
#else
	for (int l = 0; l < LANES32; l++)
		a[l] = sqrtf(a[l]);
	return a;
#endif
}

INLINE v_f64 sqrt64(v_f64 a)
{
#if EU_VECTOR == 64
	return (v_f64)_mm512_sqrt_pd((__m512d)a);
#elif defined(__AVX__)
	return (v_f64)_mm256_sqrt_pd((__m256d)a);
#else
	for (int l = 0; l < LANES64; l++)
		a[l] = sqrt(a[l]);
	return a;
#endif
}

/* Computed in double and rounded at the end, as in the general path */
INLINE v_f32 rsqrt32(v_f32 a)
{
	union {
		v_f32 whole;
		h_f32 half[2];
	} x = { a };

	for (int k = 0; k < 2; k++)
		x.half[k] = __builtin_convertvector(1.0 / sqrt64(
				__builtin_convertvector(x.half[k], v_f64)), h_f32);
	return x.whole;
}

#define E_FMA32(a, b, d)	fma32(a, b, d)
#define E_NFMA32(a, b, d)	fma32(a, -(b), d)
#define E_FMS32(a, b, d)	fma32(-(a), b, d)
#define E_NFMS32(a, b, d)	fma32(-(a), -(b), d)
#define E_FMA64(a, b, d)	fma64(a, b, d)
#define E_NFMA64(a, b, d)	fma64(a, -(b), d)
#define E_FMS64(a, b, d)	fma64(-(a), b, d)
#define E_NFMS64(a, b, d)	fma64(-(a), -(b), d)
#define E_INV(a)		(1.0f / (a))
#define E_SQT(a)		sqrt32(a)
#define E_RSQT(a)		rsqrt32(a)

F32(ALL1, mov_f32, E_MOV)
F32(ALL2, add_f32, E_ADD)
F32(ALL2, sub_f32, E_SUB)
F32(ALL2, mul_f32, E_MUL)
F32(ALL2, nmul_f32, E_NMUL)
F32(ALL3, mad_f32, E_FMA32)
F32(ALL3, nmad_f32, E_NFMA32)
F32(ALL3, msub_f32, E_FMS32)
F32(ALL3, nmsub_f32, E_NFMS32)
F32(ALL1, inv_f32, E_INV)
F32(ALL1, sqt_f32, E_SQT)
F32(ALL1, rsqt_f32, E_RSQT)

F64(ALL1, mov_f64, E_MOV)
F64(ALL2, add_f64, E_ADD)
F64(ALL2, sub_f64, E_SUB)
F64(ALL2, mul_f64, E_MUL)
F64(ALL2, nmul_f64, E_NMUL)
F64(ALL3, mad_f64, E_FMA64)
F64(ALL3, nmad_f64, E_NFMA64)
F64(ALL3, msub_f64, E_FMS64)
F64(ALL3, nmsub_f64, E_NFMS64)

/* ---- any function of three bits: bit k of @table is its value, k = a + 2 b + 4 d ---- */

INLINE v_i32 bfn32(v_i32 a, v_i32 b, v_i32 d, unsigned int table)
{
	v_i32 of_d[4];

	/* With a and b known, the function of d is 0, 1, d or not d. */
	UNROLL for (int k = 0; k < 4; k++) {
		int32_t clear = -(int32_t)(table >> k & 1), set = -(int32_t)(table >> (k + 4) & 1);

		of_d[k] = (d & (clear ^ set)) ^ clear;
	}
	return PICK(b, PICK(a, of_d[3], of_d[2]), PICK(a, of_d[1], of_d[0]));
}

#define E_BFN(a, b, d)	bfn32(a, b, d, op->in.function)

ALL3(bfn_i32, v_i32, v_i32, LANES32, MAX32, chunks32, load32, store32, E_BFN)

/* ---- selection: the predicate chooses the source, and all enabled lanes are written ---- */

#define SELECT(name, raw, W, choose, store, n, A, B) \
static struct eu_op *name##_##A##B##n(struct eu_thread *t, struct eu_op *op) \
{ \
	uint32_t first = op->pred ? eu_predicate(t, op) : op->lanes; \
	enum { CHUNKS = (n) / W }; \
	raw r[CHUNKS]; \
	GET_##A(raw, 0) \
	GET_##B(raw, 1) \
	UNROLL for (unsigned int c = 0; c < CHUNKS; c++) \
		r[c] = choose(first, c, USE_##A(raw, 0), USE_##B(raw, 1)); \
	store##_plain(t, op, eu_enabled(t, op), r, n); \
	return eu_next(t, op); \
}

#define SELECT_ANY(name, raw, max, choose, chunks, load, store) \
static struct eu_op *name##_any(struct eu_thread *t, struct eu_op *op) \
{ \
	uint32_t first = op->pred ? eu_predicate(t, op) : op->lanes; \
	raw ta[max], tb[max], r[max]; \
	const raw *a = load(t, op, 0, ta), *b = load(t, op, 1, tb); \
	for (unsigned int c = 0; c < chunks(op); c++) \
		r[c] = choose(first, c, a[c], b[c]); \
	store(t, op, eu_enabled(t, op), r); \
	return eu_next(t, op); \
}

#define SELECT_ALL(name, raw, W, choose, store) \
	SELECT(name, raw, W, choose, store, 16, V, V) \
	SELECT(name, raw, W, choose, store, 16, S, V) \
	SELECT(name, raw, W, choose, store, 16, V, S) \
	SELECT(name, raw, W, choose, store, 32, V, V) \
	SELECT(name, raw, W, choose, store, 32, S, V) \
	SELECT(name, raw, W, choose, store, 32, V, S) \
	SELECT(name, raw, W, choose, store, 16, M, M) \
	SELECT(name, raw, W, choose, store, 32, M, M)

SELECT_ALL(sel_i32, v_i32, LANES32, choose32, store32)
SELECT_ANY(sel_i32, v_i32, MAX32, choose32, chunks32, load32, store32)
SELECT_ALL(sel_i64, v_i64, LANES64, choose64, store64)
SELECT_ANY(sel_i64, v_i64, MAX64, choose64, chunks64, load64, store64)
SELECT_ANY(sel_f32, v_i32, MAX32, choose32, chunks32, loadf, store32)

/* ---- moves to destinations that are not contiguous ---- */

/* 16 dwords to the lower halves of quadwords, as kernels do to compute addresses */
static struct eu_op *spread_i32_V16(struct eu_thread *t, struct eu_op *op)
{
	const h_u32 *from = (const h_u32 *)at(t, op, 0);
	const v_u64 *to = (const v_u64 *)(t->regs + op->dst_off);
	v_u64 r[16 / LANES64];
	uint32_t mask = eu_live(t, op);

	UNROLL for (unsigned int c = 0; c < 16 / LANES64; c++)
		r[c] = extend_u32(from[c]);
	UNROLL for (unsigned int c = 0; c < 16 / LANES64; c++)
		r[c] |= to[c] & ~(uint64_t)UINT32_MAX;
	store64_plain(t, op, mask, (const v_i64 *)r, 16);
	return eu_next(t, op);
}

INLINE void copy_dword(struct eu_thread *t, const struct eu_op *op)
{
	uint32_t v;

	memcpy(&v, at(t, op, 0), sizeof(v));
	eu_put32(t, op->dst_off, v);
}

/* One dword as it is */
static struct eu_op *copy_i32_one(struct eu_thread *t, struct eu_op *op)
{
	if (likely(eu_live(t, op)))
		copy_dword(t, op);
	return eu_next(t, op);
}

INLINE void fill_dword(struct eu_thread *t, const struct eu_op *op)
{
	const struct eu_fast_fill *f = &op->fill;
	uint32_t off = op->dst_off & ~3u, v = *at(t, op, 0);
	uint16_t word;

	if (op->dst_bytes == 2) {
		memcpy(&word, at(t, op, 0), sizeof(word));
		v = word;
	}
	/* A store of the whole dword, because the host forwards no part of it to a load. */
	eu_put32(t, off, (eu_get32(t, off) & ~f->changed) | f->lowest * v);
}

/* Bytes or words of one dword, all of the same value; all lanes execute. */
static struct eu_op *fill_i32_one(struct eu_thread *t, struct eu_op *op)
{
	fill_dword(t, op);
	return eu_next(t, op);
}

/*
 * Both, where all lanes execute the first one, too: compilers make the payload of a signal to
 * a barrier so.
 */
static struct eu_op *copy_fill(struct eu_thread *t, struct eu_op *op)
{
	struct eu_op *second = eu_second(t, op);

	copy_dword(t, op);
	fill_dword(t, second);
	return eu_next(t, second);
}

/*
 * Two instructions with one handler; the first one always has a next one then. 32 lanes of
 * quadwords are two instructions of 16.
 */
#define PAIR(name, one, two) \
static __attribute__((flatten)) struct eu_op *name(struct eu_thread *t, struct eu_op *op) \
{ \
	struct eu_op *next = one(t, op); \
	next->executed++; \
	return two(t, next); \
}

PAIR(spread_twice, spread_i32_V16, spread_i32_V16)
PAIR(shl_twice, shl_i64_MM16, shl_i64_MM16)
PAIR(add_twice, add_i64_VS16, add_i64_VS16)
