/* SPDX-License-Identifier: MIT */
/*
 * Loads and stores of the forms that kernels use most; eu_fast_body.h includes this. A
 * handler checks that one translated piece holds all the bytes, and leaves every other
 * case (the end of a piece, faults, NULL pages) to the general path. An element is one
 * access of the host, because a store must not become visible, or happen, twice.
 */

/* Copy the contiguous elements of a block. */
INLINE void copy_block(uint8_t *to, const uint8_t *from, unsigned int bytes)
{
	switch (bytes) {
	case 4:
		memcpy(to, from, 4);
		break;
	case 8:
		memcpy(to, from, 8);
		break;
	case 16:
		memcpy(to, from, 16);
		break;
	case 32:
		memcpy(to, from, 32);
		break;
	default:
		for (; bytes >= 64; bytes -= 64, to += 64, from += 64)
			memcpy(to, from, 64);
		for (; bytes; bytes -= 4, to += 4, from += 4)
			memcpy(to, from, 4);
	}
}

/*
 * Host address of @size bytes at @address, or NULL for the general path. @fill: translate the
 * address if needed, a call that the fastest handlers leave to others.
 */
INLINE uint8_t *piece(struct eu_thread *t, const struct eu_fast_message *m, uint64_t address,
		      unsigned int size, bool write, bool fill, uint64_t **counter)
{
	struct eu_worker *w = t->worker;
	const struct eu_tlb_entry *e;

	if (m->slm) {
		uint32_t offset = address & 0x0fffffff;

		*counter = NULL;
		return offset + size <= w->run->walker->slm_size ? t->group->slm + offset : NULL;
	}
	if (m->arguments) {
		/* Addresses of 32 bits are each relative to the base, also behind the last one. */
		if (unlikely(address > UINT32_MAX - size))
			return NULL;
		address += w->run->walker->gsba;
	}
	e = eu_tlb(w, address, size, write);
	if (unlikely(!e && fill)) {
		e = eu_tlb_ahead(w, address, write);
		if (e && size > eu_tlb_room(e, address))
			return NULL;
	}
	if (unlikely(!e || !e->host))
		return NULL;
	*counter = write ? &w->counters.written[e->place] :
		   m->arguments ? &w->counters.arguments : &w->counters.read[e->place];
	return e->host + (address - e->lo);
}

INLINE struct eu_op *block(struct eu_thread *t, struct eu_op *op, bool write)
{
	const struct eu_fast_message *m = &op->message;
	unsigned int bytes = m->bytes * m->vector;
	uint64_t address = 0, *counter;
	uint8_t *p, *reg = t->regs + m->data;

	if (unlikely(!eu_live(t, op)))
		return eu_next(t, op);
	if (m->address_bytes == 8)
		memcpy(&address, t->regs + m->address, 8);
	else
		memcpy(&address, t->regs + m->address, 4);
	p = piece(t, m, address, bytes, write, true, &counter);
	if (unlikely(!p))
		return eu_exec_lsc(t, op);
	copy_block(write ? p : reg, write ? reg : p, bytes);
	if (counter)
		*counter += bytes;
	return eu_next(t, op);
}

static struct eu_op *load_block(struct eu_thread *t, struct eu_op *op)
{
	return block(t, op, false);
}

static struct eu_op *store_block(struct eu_thread *t, struct eu_op *op)
{
	return block(t, op, true);
}

/* Load 4 or 8 bytes of each lane; @offsets are signed and relative to @base. */
INLINE void gather_lanes(const uint8_t *base, const uint32_t *offsets, uint8_t *to,
			 unsigned int bytes, uint32_t mask, unsigned int n)
{
#if EU_VECTOR == 64
	if (bytes == 4) {
		for (unsigned int c = 0; c < n / 16; c++) {
			__m512i index, old;

			memcpy(&index, offsets + 16 * c, 64);
			memcpy(&old, to + 64 * c, 64);
			old = _mm512_mask_i32gather_epi32(old, (__mmask16)(mask >> 16 * c), index,
							  base, 1);
			memcpy(to + 64 * c, &old, 64);
		}
		return;
	}
	for (unsigned int c = 0; c < n / 8; c++) {
		__m256i index;
		__m512i old;

		memcpy(&index, offsets + 8 * c, 32);
		memcpy(&old, to + 64 * c, 64);
		old = _mm512_mask_i32gather_epi64(old, (__mmask8)(mask >> 8 * c), index, base, 1);
		memcpy(to + 64 * c, &old, 64);
	}
#else
	(void)n;
	if (bytes == 4) {
		for (; mask; mask &= mask - 1) {
			unsigned int l = __builtin_ctz(mask);

			memcpy(to + 4 * l, base + (int32_t)offsets[l], 4);
		}
		return;
	}
	for (; mask; mask &= mask - 1) {
		unsigned int l = __builtin_ctz(mask);

		memcpy(to + 8 * l, base + (int32_t)offsets[l], 8);
	}
#endif
}

INLINE void scatter_lanes(uint8_t *base, const uint32_t *offsets, const uint8_t *from,
			  unsigned int bytes, uint32_t mask)
{
	for (; mask; mask &= mask - 1) {
		unsigned int l = __builtin_ctz(mask);

		if (bytes == 4)
			memcpy(base + (int32_t)offsets[l], from + 4 * l, 4);
		else
			memcpy(base + (int32_t)offsets[l], from + 8 * l, 8);
	}
}

INLINE bool is_zero(v_u64 v)
{
#if EU_VECTOR == 64
	return !_mm512_test_epi64_mask((__m512i)v, (__m512i)v);
#elif defined(__AVX__)
	return _mm256_testz_si256((__m256i)v, (__m256i)v);
#else
	return !(v[0] | v[1] | v[2] | v[3]);
#endif
}

#if LANES64 == 8
#define RAMP64	((v_u64){0, 1, 2, 3, 4, 5, 6, 7})
#define RAMP32	((v_u32){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15})
#else
#define RAMP64	((v_u64){0, 1, 2, 3})
#define RAMP32	((v_u32){0, 1, 2, 3, 4, 5, 6, 7})
#endif

/*
 * Where the element of lane 0 is if those of all lanes are contiguous, from the address of
 * the first lane of @mask
 */
INLINE uint64_t first_address(const struct eu_thread *t, const struct eu_fast_message *m,
			      uint32_t mask)
{
	unsigned int lane = __builtin_ctz(mask);
	uint64_t wide;
	uint32_t narrow;

	if (m->address_bytes == 8) {
		memcpy(&wide, t->regs + m->address + 8 * lane, sizeof(wide));
		return wide - lane * m->bytes;
	}
	memcpy(&narrow, t->regs + m->address + 4 * lane, sizeof(narrow));
	return narrow - lane * m->bytes;
}

/* Are the elements of @mask's lanes where those of @n contiguous lanes are, from @first on? */
INLINE bool side_by_side(const struct eu_thread *t, const struct eu_fast_message *m,
			 uint64_t first, uint32_t mask, unsigned int n)
{
	unsigned int shift = m->bytes == 4 ? 2 : 3;
	v_u64 diff = {};

	if (m->address_bytes == 8) {
		const v_u64 *a = (const v_u64 *)(t->regs + m->address);
		v_u64 want = first + (RAMP64 << shift);

		UNROLL for (unsigned int c = 0; c < n / LANES64; c++, want += LANES64 * m->bytes)
			diff |= mask == UINT32_MAX ? a[c] ^ want :
				(a[c] ^ want) & (v_u64)mask64(mask, c);
	} else {
		const v_u32 *a = (const v_u32 *)(t->regs + m->address);
		v_u32 want = (uint32_t)first + (RAMP32 << shift);

		UNROLL for (unsigned int c = 0; c < n / LANES32; c++, want += LANES32 * m->bytes)
			diff |= (v_u64)(mask == UINT32_MAX ? a[c] ^ want :
					(a[c] ^ want) & (v_u32)mask32(mask, c));
	}
	return is_zero(diff);
}

/*
 * Compute the offsets of the live lanes' addresses from that of one live lane (@first),
 * and the lowest and highest offset. False: an offset is too large for 32 bits.
 */
INLINE bool spread32(const uint8_t *addresses, uint32_t mask, unsigned int n, uint32_t keep,
		     uint32_t *offsets, uint64_t *first, int32_t *lo, int32_t *hi)
{
	const v_u32 *a = (const v_u32 *)addresses;
	uint32_t base;
	v_i32 low = {}, high = {};

	memcpy(&base, addresses + 4 * __builtin_ctz(mask), sizeof(base));
	base &= keep;
	for (unsigned int c = 0; c < n / LANES32; c++) {
		v_i32 d = (v_i32)((a[c] & keep) - base) & mask32(mask, c), m = d < low;

		((v_i32 *)offsets)[c] = d;
		low = (d & m) | (low & ~m);
		m = d > high;
		high = (d & m) | (high & ~m);
	}
	*lo = *hi = 0;
	for (int l = 0; l < LANES32; l++) {
		*lo = low[l] < *lo ? low[l] : *lo;
		*hi = high[l] > *hi ? high[l] : *hi;
	}
	*first = base;
	return *hi < 1 << 30 && *lo > -(1 << 30);
}

INLINE bool spread64(const uint8_t *addresses, uint32_t mask, unsigned int n,
		     uint32_t *offsets, uint64_t *first, int32_t *lo, int32_t *hi)
{
	const v_u64 *a = (const v_u64 *)addresses;
	v_i64 low = {}, high = {};
	int64_t least = 0, most = 0;

	memcpy(first, addresses + 8 * __builtin_ctz(mask), sizeof(*first));
	for (unsigned int c = 0; c < n / LANES64; c++) {
		v_i64 d = (v_i64)(a[c] - *first) & mask64(mask, c), m = d < low;

		((h_u32 *)offsets)[c] = __builtin_convertvector((v_u64)d, h_u32);
		low = (d & m) | (low & ~m);
		m = d > high;
		high = (d & m) | (high & ~m);
	}
	for (int l = 0; l < LANES64; l++) {
		least = low[l] < least ? low[l] : least;
		most = high[l] > most ? high[l] : most;
	}
	*lo = (int32_t)least;
	*hi = (int32_t)most;
	return most < 1 << 30 && least > -(1 << 30);
}

/*
 * Copy contiguous elements of 4 or 8 bytes for @n lanes, a constant, by vectors: each element
 * is part of one access.
 */
INLINE void copy_lanes(uint8_t *to, const uint8_t *from, unsigned int bytes, unsigned int n)
{
	v_i32 *t = (v_i32 *)to;
	const v_i32 *f = (const v_i32 *)from;

	UNROLL for (unsigned int c = 0; c < n / LANES32; c++)
		t[c] = f[c];
	if (bytes == 4)
		return;
	UNROLL for (unsigned int c = n / LANES32; c < 2 * n / LANES32; c++)
		t[c] = f[c];
}

/* The same for the lanes of @mask; the elements of the others get the values that they have. */
INLINE void merge_lanes(uint8_t *to, const uint8_t *from, unsigned int bytes, unsigned int n,
			uint32_t mask)
{
	if (bytes == 4) {
		v_i32 *t = (v_i32 *)to;
		const v_i32 *f = (const v_i32 *)from;

		UNROLL for (unsigned int c = 0; c < n / LANES32; c++)
			t[c] = choose32(mask, c, f[c], t[c]);
	} else {
		v_i64 *t = (v_i64 *)to;
		const v_i64 *f = (const v_i64 *)from;

		UNROLL for (unsigned int c = 0; c < n / LANES64; c++)
			t[c] = choose64(mask, c, f[c], t[c]);
	}
}

/*
 * The message of @op. Most are of dwords, with addresses of 64 bits or in SLM (@slm); in the
 * handlers of those (@dwords), fields are constants.
 */
INLINE struct eu_fast_message message_of(const struct eu_op *op, bool dwords, bool slm)
{
	struct eu_fast_message m = op->message;

	if (!dwords)
		return m;
	m.bytes = 4;
	m.vector = 1;
	m.address_bytes = slm ? 4 : 8;
	m.slm = slm;
	m.arguments = false;
	return m;
}

/* Elements of all lanes that are contiguous and translated; false: the caller moves them. */
INLINE bool adjacent_lanes(struct eu_thread *t, const struct eu_fast_message *m, bool write,
			   unsigned int n)
{
	uint64_t *counter, first = first_address(t, m, UINT32_MAX);
	uint8_t *p, *reg = t->regs + m->data;

	if (m->vector != 1 || !side_by_side(t, m, first, UINT32_MAX, n))
		return false;
	p = piece(t, m, first, n * m->bytes, write, false, &counter);
	if (unlikely(!p))
		return false;
	if (counter)
		*counter += n * m->bytes;
	copy_lanes(write ? p : reg, write ? reg : p, m->bytes, n);
	return true;
}

/*
 * The same for the lanes of @mask, as long as there is memory where the elements of the other
 * lanes would be. Only in SLM it may be written, because it belongs to this host thread. Each
 * element of a vector that is loaded is one load of all lanes.
 */
INLINE bool adjacent_some(struct eu_thread *t, const struct eu_fast_message *m, bool write,
			  unsigned int n, uint32_t mask)
{
	unsigned int bytes = m->bytes, vector = write ? 1 : m->vector;
	uint64_t *counter, first = first_address(t, m, mask);
	uint8_t *p, *reg = t->regs + m->data;

	if ((write && (!m->slm || m->vector != 1)) || !side_by_side(t, m, first, mask, n))
		return false;
	p = piece(t, m, first, (n + vector - 1) * bytes, write, false, &counter);
	if (unlikely(!p))
		return false;
	if (counter)
		*counter += __builtin_popcount(mask) * bytes * vector;
	for (unsigned int c = 0; c < vector; c++, p += bytes, reg += m->stride)
		merge_lanes(write ? p : reg, write ? reg : p, bytes, n, mask);
	return true;
}

/* Any lanes, at any addresses */
INLINE struct eu_op *distant_lanes(struct eu_thread *t, struct eu_op *op, bool write,
				   unsigned int n)
{
	const struct eu_fast_message *m = &op->message;
	uint32_t offsets[EU_MAX_LANES] __attribute__((aligned(64))), mask = eu_live(t, op);
	const uint8_t *a = t->regs + m->address;
	unsigned int bytes = m->bytes, size = bytes * m->vector;
	uint8_t *p, *reg = t->regs + m->data;
	uint64_t *counter, first = 0;
	int32_t lo, hi;
	bool near;

	if (unlikely(!mask))
		return eu_next(t, op);
	near = m->address_bytes == 8 ?
	       spread64(a, mask, n, offsets, &first, &lo, &hi) :
	       spread32(a, mask, n, m->slm ? 0x0fffffff : UINT32_MAX, offsets, &first,
			&lo, &hi);
	p = near ? piece(t, m, first + (int64_t)lo, (unsigned int)(hi - lo) + size, write,
			 true, &counter) : NULL;
	if (unlikely(!p))
		return eu_exec_lsc(t, op);
	if (counter)
		*counter += (uint64_t)__builtin_popcount(mask) * size;
	/* Offsets are relative to the first live lane, not to the lowest address. */
	p -= lo;
	for (unsigned int c = 0; c < m->vector; c++, p += bytes, reg += m->stride) {
		if (write)
			scatter_lanes(p, offsets, reg, bytes, mask);
		else
			gather_lanes(p, offsets, reg, bytes, mask, n);
	}
	return eu_next(t, op);
}

/*
 * @n lanes. Those that are distant, and messages of some lanes, are apart, because their
 * functions need more of the stack.
 */
#define LANES(name, write, n) \
static __attribute__((noinline)) struct eu_op *distant_##name##_##n(struct eu_thread *t, \
								     struct eu_op *op) \
{ \
	return distant_lanes(t, op, write, n); \
} \
static __attribute__((noinline)) struct eu_op *some_##name##_##n(struct eu_thread *t, \
								  struct eu_op *op) \
{ \
	uint32_t mask = eu_live(t, op); \
	if (!mask || adjacent_some(t, &op->message, write, n, mask)) \
		return eu_next(t, op); \
	end_vectors(); \
	return distant_##name##_##n(t, op); \
} \
LANES_OF(name, name, write, n, false, false) \
LANES_OF(name##_global, name, write, n, true, false) \
LANES_OF(name##_local, name, write, n, true, true)

#define LANES_OF(handler, name, write, n, dwords, slm) \
static struct eu_op *handler##_##n(struct eu_thread *t, struct eu_op *op) \
{ \
	const struct eu_fast_message m = message_of(op, dwords, slm); \
	if (unlikely(eu_live(t, op) != op->lanes)) \
		return some_##name##_##n(t, op); \
	if (likely(adjacent_lanes(t, &m, write, n))) \
		return eu_next(t, op); \
	end_vectors(); \
	return distant_##name##_##n(t, op); \
}

LANES(load_lanes, false, 16)
LANES(load_lanes, false, 32)
LANES(store_lanes, true, 16)
LANES(store_lanes, true, 32)

#define LANES_ROW(handler)	{ handler##_16, handler##_32 }

#define FAST_MESSAGES { \
	[EU_FAST_LOAD_BLOCK] = { load_block }, [EU_FAST_STORE_BLOCK] = { store_block }, \
	[EU_FAST_LOAD] = LANES_ROW(load_lanes), [EU_FAST_STORE] = LANES_ROW(store_lanes), \
	[EU_FAST_LOAD_GLOBAL] = LANES_ROW(load_lanes_global), \
	[EU_FAST_LOAD_LOCAL] = LANES_ROW(load_lanes_local), \
	[EU_FAST_STORE_GLOBAL] = LANES_ROW(store_lanes_global), \
	[EU_FAST_STORE_LOCAL] = LANES_ROW(store_lanes_local), \
}
