/* SPDX-License-Identifier: MIT */
/* Results of the fast handlers: masks, destinations and flags; eu_fast_body.h includes this. */

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

#if EU_VECTOR == 64
/*
 * All of the vector is stored: GCC would make a masked store of the lanes that change, from which
 * the host forwards nothing to the load of the next instruction.
 */
INLINE v_i32 whole(v_i32 v)
{
	asm("" : "+v"(v));
	return v;
}
#endif

/* Lanes of @a whose bit is set, else those of @b */
INLINE v_i32 choose32(uint32_t mask, unsigned int chunk, v_i32 a, v_i32 b)
{
#if EU_VECTOR == 64
	return whole((v_i32)_mm512_mask_mov_epi32((__m512i)b, (__mmask16)(mask >> 16 * chunk),
						  (__m512i)a));
#else
	return PICK(mask32(mask, chunk), a, b);
#endif
}

INLINE v_i64 choose64(uint32_t mask, unsigned int chunk, v_i64 a, v_i64 b)
{
#if EU_VECTOR == 64
	return (v_i64)whole((v_i32)_mm512_mask_mov_epi64((__m512i)b,
							 (__mmask8)(mask >> 8 * chunk),
							 (__m512i)a));
#else
	return PICK(mask64(mask, chunk), a, b);
#endif
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

/*
 * Store @n lanes to contiguous elements of the operation's width. @n is a constant, so that
 * the results stay in the host's registers.
 */
#define STORE_PLAIN(name, vec, W, choose) \
INLINE void name(struct eu_thread *t, const struct eu_op *op, uint32_t mask, const vec *r, \
		 unsigned int n) \
{ \
	vec *to = (vec *)(t->regs + op->dst_off); \
	if (likely(mask == op->lanes)) { \
		UNROLL for (unsigned int c = 0; c < n / W; c++) \
			to[c] = r[c]; \
	} else { \
		UNROLL for (unsigned int c = 0; c < n / W; c++) \
			to[c] = choose(mask, c, r[c], to[c]); \
	} \
}

STORE_PLAIN(store32_plain, v_i32, LANES32, choose32)
STORE_PLAIN(store64_plain, v_i64, LANES64, choose64)

/* Store the results to a destination of any shape. */
#define STORE(name, vec, W, bytes, choose) \
static inline void name(struct eu_thread *t, const struct eu_op *op, uint32_t mask, \
			const vec *r) \
{ \
	uint8_t *to = t->regs + op->dst_off; \
	if (op->n == 1) { \
		if (mask) \
			memcpy(to, r, op->dst_bytes); \
	} else if (op->dst_bytes == bytes && op->dst_stride == bytes) { \
		if (mask == op->lanes) { \
			memcpy(to, r, op->n * bytes); \
			return; \
		} \
		for (unsigned int c = 0; c < (op->n + W - 1u) / W; c++) \
			((vec *)to)[c] = choose(mask, c, r[c], ((vec *)to)[c]); \
	} else if (op->dst_bytes) { \
		scatter(to, op, mask, (const uint8_t *)r, bytes); \
	} \
}

STORE(store32, v_i32, LANES32, 4, choose32)
STORE(store64, v_i64, LANES64, 8, choose64)

INLINE uint32_t bits32(const v_i32 *r, unsigned int chunks)
{
	uint32_t bits = 0;

	UNROLL for (unsigned int c = 0; c < chunks; c++) {
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

/* Returns the new value of the flag register. */
INLINE uint32_t flags(struct eu_thread *t, const struct eu_op *op, uint32_t mask, uint32_t bits)
{
	unsigned int off = EU_ARF_SLOT(EU_FLAG) + 4 * op->flag;
	uint32_t f = eu_get32(t, off), changed = (f >> op->flag_shift ^ bits) & mask;

	f ^= changed << op->flag_shift;
	eu_put32(t, off, f);
	return f;
}
