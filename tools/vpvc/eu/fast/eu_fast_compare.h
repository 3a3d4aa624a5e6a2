/* SPDX-License-Identifier: MIT */
/* Comparisons of the fast handlers; eu_fast_body.h includes this. */

#define E_EQ(a, b)	((a) == (b))
#define E_NE(a, b)	((a) != (b))
/* The negative of the least number is equal to no number of 32 bits. */
#define E_EQ_NEG(a, b)	(((a) == -(b)) & ((b) != INT32_MIN))
#define E_NE_NEG(a, b)	(((a) != -(b)) | ((b) == INT32_MIN))
#define E_LT(a, b)	((a) < (b))
#define E_LE(a, b)	((a) <= (b))

/*
 * The lanes of a chunk for which @expr is true, as bits.  Comparisons of AVX-512 give bits, but
 * GCC makes them from vectors of truth values.
 */
#if EU_VECTOR == 64
#define LANE_BITS(name, vec, raw, bits, expr, compare) \
INLINE uint32_t name##_lanes(vec a, vec b) \
{ \
	uint32_t set = compare; \
	/* All that follows is done in general registers: GCC likes mask registers too much. */ \
	asm("" : "+r"(set)); \
	return set; \
}
#else
#define LANE_BITS(name, vec, raw, bits, expr, compare) \
INLINE uint32_t name##_lanes(vec a, vec b) \
{ \
	raw r = (raw)(expr(a, b)); \
	return bits(&r, 1); \
}
#endif

/* The sources are read before a result is stored, because the result may go to their place. */
#define CMP(name, vec, raw, W, store, n, A, B, expr) \
INLINE uint32_t name##_##A##B##n##_flags(struct eu_thread *t, const struct eu_op *op) \
{ \
	uint32_t mask = eu_live(t, op), set = 0; \
	enum { CHUNKS = (n) / W }; \
	GET_##A(raw, 0) \
	GET_##B(raw, 1) \
	UNROLL for (unsigned int c = 0; c < CHUNKS; c++) \
		set |= name##_lanes((vec)USE_##A(raw, 0), (vec)USE_##B(raw, 1)) << (W * c); \
	if (op->dst_bytes) { \
		raw r[CHUNKS]; \
		UNROLL for (unsigned int c = 0; c < CHUNKS; c++) \
			r[c] = (raw)(expr((vec)USE_##A(raw, 0), (vec)USE_##B(raw, 1))); \
		store##_plain(t, op, mask, r, n); \
	} \
	return flags(t, op, mask, set); \
} \
static struct eu_op *name##_##A##B##n(struct eu_thread *t, struct eu_op *op) \
{ \
	name##_##A##B##n##_flags(t, op); \
	return eu_next(t, op); \
}

/* A comparison and the goto that follows it, most often for the same flags */
#define CMP_GOTO(cmp) \
static struct eu_op *cmp##_goto(struct eu_thread *t, struct eu_op *op) \
{ \
	struct eu_op *second = eu_second(t, op); \
	uint32_t f = cmp##_flags(t, op); \
	end_vectors(); \
	if (unlikely(second->flag != op->flag || second->pred != 1)) \
		return eu_fast_goto(t, second); \
	f = f >> second->flag_shift ^ -(uint32_t)second->pred_inv; \
	return eu_fast_goto_for(t, second, f & second->lanes); \
}

#define CMP_GOTOS(name) \
	CMP_GOTO(name##_VV16) CMP_GOTO(name##_VV32) CMP_GOTO(name##_MM16) CMP_GOTO(name##_MM32)

#define CMP_ANY(name, vec, raw, max, chunks, load, store, bits, expr) \
static struct eu_op *name##_any(struct eu_thread *t, struct eu_op *op) \
{ \
	uint32_t mask = eu_live(t, op); \
	raw ta[max], tb[max], r[max]; \
	const vec *a = (const vec *)load(t, op, 0, ta); \
	const vec *b = (const vec *)load(t, op, 1, tb); \
	for (unsigned int c = 0; c < chunks(op); c++) \
		r[c] = (raw)(expr(a[c], b[c])); \
	if (op->dst_bytes) \
		store(t, op, mask, r); \
	flags(t, op, mask, bits(r, chunks(op))); \
	return eu_next(t, op); \
}

/* One comparison for all lanes; only flags are written. */
#define CMP_ONE(name, type, read, expr) \
static struct eu_op *name##_one(struct eu_thread *t, struct eu_op *op) \
{ \
	type a = read(t, op, 0), b = read(t, op, 1); \
	flags(t, op, eu_live(t, op), expr(a, b) ? UINT32_MAX : 0); \
	return eu_next(t, op); \
}

INLINE float one_f32(const struct eu_thread *t, const struct eu_op *op, int i)
{
	float f;

	memcpy(&f, at(t, op, i), sizeof(f));
	return f;
}

INLINE double one_f64(const struct eu_thread *t, const struct eu_op *op, int i)
{
	double d;

	memcpy(&d, at(t, op, i), sizeof(d));
	return d;
}

#define CMP_ALL(name, vec, raw, W, max, chunks, load, store, bits, expr, compare) \
	LANE_BITS(name, vec, raw, bits, expr, compare) \
	CMP(name, vec, raw, W, store, 16, V, V, expr) \
	CMP(name, vec, raw, W, store, 16, S, V, expr) \
	CMP(name, vec, raw, W, store, 16, V, S, expr) \
	CMP(name, vec, raw, W, store, 32, V, V, expr) \
	CMP(name, vec, raw, W, store, 32, S, V, expr) \
	CMP(name, vec, raw, W, store, 32, V, S, expr) \
	CMP(name, vec, raw, W, store, 16, M, M, expr) \
	CMP(name, vec, raw, W, store, 32, M, M, expr) \
	CMP_ANY(name, vec, raw, max, chunks, load, store, bits, expr)

#define C32(name, vec, type, load, read, expr, compare) \
	CMP_ALL(name, vec, v_i32, LANES32, MAX32, chunks32, load, store32, bits32, expr, \
		compare) \
	CMP_ONE(name, type, read, expr)
#define C64(name, vec, type, load, read, expr, compare) \
	CMP_ALL(name, vec, v_i64, LANES64, MAX64, chunks64, load, store64, bits64, expr, \
		compare) \
	CMP_ONE(name, type, read, expr)

/* The intrinsics that give bits; the numbers of their predicates are those of AVX-512. */
#define LANES_I32(p)	_mm512_cmp_epi32_mask((__m512i)a, (__m512i)b, _MM_CMPINT_##p)
#define LANES_U32(p)	_mm512_cmp_epu32_mask((__m512i)a, (__m512i)b, _MM_CMPINT_##p)
#define LANES_I64(p)	_mm512_cmp_epi64_mask((__m512i)a, (__m512i)b, _MM_CMPINT_##p)
#define LANES_U64(p)	_mm512_cmp_epu64_mask((__m512i)a, (__m512i)b, _MM_CMPINT_##p)
#define LANES_F32(p)	_mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_##p)
#define LANES_F64(p)	_mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_##p)
#define LEAST	_mm512_cmp_epi32_mask((__m512i)b, _mm512_set1_epi32(INT32_MIN), _MM_CMPINT_EQ)
#define IS_NEG	_mm512_cmp_epi32_mask((__m512i)a, (__m512i)-b, _MM_CMPINT_EQ)

C32(eq_i32, v_i32, int32_t, load32, one_int, E_EQ, LANES_I32(EQ))
C32(ne_i32, v_i32, int32_t, load32, one_int, E_NE, LANES_I32(NE))
C32(eq_neg_i32, v_i32, int32_t, load32, one_int, E_EQ_NEG, (__mmask16)(IS_NEG & ~LEAST))
C32(ne_neg_i32, v_i32, int32_t, load32, one_int, E_NE_NEG, (__mmask16)(~IS_NEG | LEAST))
C32(lt_i32, v_i32, int32_t, load32, one_int, E_LT, LANES_I32(LT))
C32(le_i32, v_i32, int32_t, load32, one_int, E_LE, LANES_I32(LE))
C32(lt_u32, v_u32, uint32_t, load32, one_int, E_LT, LANES_U32(LT))
C32(le_u32, v_u32, uint32_t, load32, one_int, E_LE, LANES_U32(LE))
C64(eq_i64, v_i64, int64_t, load64, one_int, E_EQ, LANES_I64(EQ))
C64(ne_i64, v_i64, int64_t, load64, one_int, E_NE, LANES_I64(NE))
C64(lt_i64, v_i64, int64_t, load64, one_int, E_LT, LANES_I64(LT))
C64(le_i64, v_i64, int64_t, load64, one_int, E_LE, LANES_I64(LE))
C64(lt_u64, v_u64, uint64_t, load64, one_int, E_LT, LANES_U64(LT))
C64(le_u64, v_u64, uint64_t, load64, one_int, E_LE, LANES_U64(LE))
C32(eq_f32, v_f32, float, loadf, one_f32, E_EQ, LANES_F32(EQ_OQ))
C32(ne_f32, v_f32, float, loadf, one_f32, E_NE, LANES_F32(NEQ_UQ))
C32(lt_f32, v_f32, float, loadf, one_f32, E_LT, LANES_F32(LT_OQ))
C32(le_f32, v_f32, float, loadf, one_f32, E_LE, LANES_F32(LE_OQ))
C64(eq_f64, v_f64, double, loadd, one_f64, E_EQ, LANES_F64(EQ_OQ))
C64(ne_f64, v_f64, double, loadd, one_f64, E_NE, LANES_F64(NEQ_UQ))
C64(lt_f64, v_f64, double, loadd, one_f64, E_LT, LANES_F64(LT_OQ))
C64(le_f64, v_f64, double, loadd, one_f64, E_LE, LANES_F64(LE_OQ))

CMP_GOTOS(eq_i32)
CMP_GOTOS(ne_i32)
CMP_GOTOS(eq_neg_i32)
CMP_GOTOS(ne_neg_i32)
CMP_GOTOS(lt_i32)
CMP_GOTOS(le_i32)
CMP_GOTOS(lt_u32)
CMP_GOTOS(le_u32)

/* The switch is outside of the loop over chunks. */
#define COMPARE_CASES(r, a, b, chunks) \
	switch (op->in.cond) { \
	case EU_EQ: for (unsigned int c = 0; c < chunks; c++) r[c] = a[c] == b[c]; break; \
	case EU_NE: for (unsigned int c = 0; c < chunks; c++) r[c] = a[c] != b[c]; break; \
	case EU_GT: for (unsigned int c = 0; c < chunks; c++) r[c] = a[c] > b[c]; break; \
	case EU_GE: for (unsigned int c = 0; c < chunks; c++) r[c] = a[c] >= b[c]; break; \
	case EU_LT: for (unsigned int c = 0; c < chunks; c++) r[c] = a[c] < b[c]; break; \
	default:    for (unsigned int c = 0; c < chunks; c++) r[c] = a[c] <= b[c]; break; \
	}

#define MINMAX(name, vec, load, store, raw, max, chunks, nan) \
static struct eu_op *name##_any(struct eu_thread *t, struct eu_op *op) \
{ \
	raw ta[max], tb[max], r[max]; \
	const vec *a = (const vec *)load(t, op, 0, ta); \
	const vec *b = (const vec *)load(t, op, 1, tb); \
	COMPARE_CASES(r, a, b, chunks(op)) \
	for (unsigned int c = 0; c < chunks(op); c++) { \
		raw m = nan(r[c], a[c], b[c]); \
		r[c] = ((raw)a[c] & m) | ((raw)b[c] & ~m); \
	} \
	store(t, op, eu_enabled(t, op), r); \
	return eu_next(t, op); \
}

/* A number is preferred to NaN; of two NaN the second source is taken. */
#define E_NAN(m, a, b)	(((m) & ((a) == (a))) | (((b) != (b)) & ((a) == (a))))
#define E_NO_NAN(m, a, b) (m)

MINMAX(minmax_i32, v_i32, load32, store32, v_i32, MAX32, chunks32, E_NO_NAN)
MINMAX(minmax_u32, v_u32, load32, store32, v_i32, MAX32, chunks32, E_NO_NAN)
MINMAX(minmax_i64, v_i64, load64, store64, v_i64, MAX64, chunks64, E_NO_NAN)
MINMAX(minmax_u64, v_u64, load64, store64, v_i64, MAX64, chunks64, E_NO_NAN)
MINMAX(minmax_f32, v_f32, loadf, store32, v_i32, MAX32, chunks32, E_NAN)
MINMAX(minmax_f64, v_f64, loadd, store64, v_i64, MAX64, chunks64, E_NAN)
