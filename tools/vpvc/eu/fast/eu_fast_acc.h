/* SPDX-License-Identifier: MIT */
/*
 * Products of 32 x 32 bits through acc0; eu_fast_body.h includes this. A multiplication keeps
 * its exact product in eu_thread.wide for a mach or macl that follows.
 */

/* Exact products of the low dwords, which are signed or unsigned */
INLINE v_i64 product_s(v_i64 a, v_i64 b)
{
#if EU_VECTOR == 64
	return (v_i64)_mm512_mul_epi32((__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
	return (v_i64)_mm256_mul_epi32((__m256i)a, (__m256i)b);
#else
	for (int l = 0; l < LANES64; l++)
		a[l] = (int64_t)(int32_t)a[l] * (int32_t)b[l];
	return a;
#endif
}

INLINE v_i64 product_u(v_i64 a, v_i64 b)
{
#if EU_VECTOR == 64
	return (v_i64)_mm512_mul_epu32((__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
	return (v_i64)_mm256_mul_epu32((__m256i)a, (__m256i)b);
#else
	return (a & UINT32_MAX) * (b & UINT32_MAX);
#endif
}

/* Contiguous dwords, or their low words, in the low dwords of quadwords */
INLINE v_i64 dwords(const struct eu_thread *t, const struct eu_op *op, int i, unsigned int c)
{
	v_u64 v = extend_u32(((const h_u32 *)at(t, op, i))[c]);

	return (v_i64)(v & op->fast[i].keep);
}

/* The low dwords of two vectors of quadwords */
INLINE v_i32 low_dwords(v_i64 a, v_i64 b)
{
#if LANES64 == 8
	return __builtin_shufflevector((v_i32)a, (v_i32)b, 0, 2, 4, 6, 8, 10, 12, 14,
				       16, 18, 20, 22, 24, 26, 28, 30);
#else
	return __builtin_shufflevector((v_i32)a, (v_i32)b, 0, 2, 4, 6, 8, 10, 12, 14);
#endif
}

INLINE void store_low_dwords(struct eu_thread *t, const struct eu_op *op, uint32_t mask,
			     const v_i64 *r)
{
	v_i32 low[16 / LANES32];

	UNROLL for (unsigned int c = 0; c < 16 / LANES32; c++)
		low[c] = low_dwords(r[2 * c], r[2 * c + 1]);
	store32_plain(t, op, mask, low, 16);
}

/* Contiguous dwords, or their low words */
INLINE v_i32 dwords32(const struct eu_thread *t, const struct eu_op *op, int i, unsigned int c)
{
	return ((const v_i32 *)at(t, op, i))[c] & (int32_t)op->fast[i].keep;
}

/* macl needs the low dwords only: those of acc0 + (src0 * high(src1) << 16). */
INLINE void store_macl(struct eu_thread *t, const struct eu_op *op, const v_i64 *acc)
{
	v_i32 r[16 / LANES32];

	UNROLL for (unsigned int c = 0; c < 16 / LANES32; c++) {
		v_u32 high = (v_u32)dwords32(t, op, 1, c) >> 16;
		v_u32 product = (v_u32)dwords32(t, op, 0, c) * high << 16;

		r[c] = (v_i32)((v_u32)low_dwords(acc[2 * c], acc[2 * c + 1]) + product);
	}
	store32_plain(t, op, eu_live(t, op), r, 16);
}

/*
 * 16 lanes of mul, and of mach and macl, when the sources are both signed or both unsigned.
 * mach gives the high, macl the low half of acc0 + (src0 * high(src1) << 16).  Compilers emit
 * the one behind the other for a product of 32 x 32 bits: product_*() executes both, and the
 * exact product stays in the host's registers.
 */
#define PRODUCTS(sign, vec32) \
INLINE void exact_##sign(const struct eu_thread *t, const struct eu_op *op, v_i64 *r) \
{ \
	UNROLL for (unsigned int c = 0; c < 16 / LANES64; c++) \
		r[c] = product_##sign(dwords(t, op, 0, c), dwords(t, op, 1, c)); \
} \
INLINE void complete_##sign(struct eu_thread *t, const struct eu_op *op, const v_i64 *low) \
{ \
	v_i64 r[16 / LANES64]; \
	if (op->in.opcode == EU_OP_MACL) { \
		store_macl(t, op, low); \
		return; \
	} \
	UNROLL for (unsigned int c = 0; c < 16 / LANES64; c++) { \
		v_i64 high = (v_i64)((vec32)dwords(t, op, 1, c) >> 16); \
		v_i64 product = product_##sign(dwords(t, op, 0, c), high); \
		r[c] = (v_i64)((v_u64)(low[c] + (product << 16)) >> 32); \
	} \
	store_low_dwords(t, op, eu_live(t, op), r); \
} \
static struct eu_op *mul_acc_##sign##_VV16(struct eu_thread *t, struct eu_op *op) \
{ \
	v_i64 r[16 / LANES64], *wide = (v_i64 *)t->wide; \
	uint32_t mask = eu_live(t, op); \
	exact_##sign(t, op, r); \
	store_low_dwords(t, op, mask, r); \
	UNROLL for (unsigned int c = 0; c < 16 / LANES64; c++) { \
		if (unlikely(mask != op->lanes)) \
			r[c] = choose64(mask, c, r[c], wide[c]); \
		wide[c] = r[c]; \
	} \
	t->wide_valid = true; \
	return eu_next(t, op); \
} \
static struct eu_op *mach_##sign##_VV16(struct eu_thread *t, struct eu_op *op) \
{ \
	if (unlikely(!t->wide_valid)) \
		return op->general(t, op); \
	complete_##sign(t, op, (const v_i64 *)t->wide); \
	return eu_next(t, op); \
} \
static struct eu_op *product_##sign##_VV16(struct eu_thread *t, struct eu_op *op) \
{ \
	v_i64 low[16 / LANES64], *wide = (v_i64 *)t->wide; \
	struct eu_op *second = eu_second(t, op); \
	exact_##sign(t, op, low); \
	store_low_dwords(t, op, op->lanes, low); \
	UNROLL for (unsigned int c = 0; c < 16 / LANES64; c++) \
		wide[c] = low[c]; \
	t->wide_valid = true; \
	complete_##sign(t, second, low); \
	return eu_next(t, second); \
}

PRODUCTS(s, v_i32)
PRODUCTS(u, v_u32)

/* ---- other types and numbers of lanes ---- */

static inline int64_t widen(int32_t v, unsigned int type)
{
	return type == EU_UD ? (int64_t)(uint32_t)v : (int64_t)v;
}

static struct eu_op *mul_acc_any(struct eu_thread *t, struct eu_op *op)
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

static struct eu_op *mul_acc_one(struct eu_thread *t, struct eu_op *op)
{
	int64_t wide = (int64_t)((uint64_t)one_int(t, op, 0) * (uint64_t)one_int(t, op, 1));

	if (eu_live(t, op)) {
		eu_put32(t, op->dst_off, (uint32_t)wide);
		t->wide[0] = wide;
	}
	t->wide_valid = true;
	return eu_next(t, op);
}

static struct eu_op *mach_any(struct eu_thread *t, struct eu_op *op)
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

static struct eu_op *mach_one(struct eu_thread *t, struct eu_op *op)
{
	unsigned int shift = op->in.opcode == EU_OP_MACH ? 32 : 0;
	uint64_t sum;

	if (unlikely(!t->wide_valid))
		return op->general(t, op);
	sum = (uint64_t)one_int(t, op, 0) * (uint64_t)(one_int(t, op, 1) >> 16);
	sum = (uint64_t)t->wide[0] + (sum << 16);
	store_int(t, op, (int64_t)(sum >> shift));
	return eu_next(t, op);
}
