/* SPDX-License-Identifier: MIT */
/*
 * The load/store unit: gather and scatter, vectors, transposed blocks, atomics,
 * fences and two-dimensional blocks, in memory or in shared local memory.
 */
#include <math.h>

#include "eu_core.h"

enum lsc_op {
	LSC_LOAD = 0, LSC_LOAD_BLOCK2D = 3, LSC_STORE = 4, LSC_STORE_BLOCK2D = 7,
	LSC_INC = 8, LSC_DEC, LSC_ATOMIC_LOAD, LSC_XCHG, LSC_ADD, LSC_SUB,
	LSC_SMIN, LSC_SMAX, LSC_UMIN, LSC_UMAX, LSC_CMPXCHG, LSC_FADD, LSC_FSUB,
	LSC_FMIN, LSC_FMAX, LSC_FCMPXCHG, LSC_AND, LSC_OR, LSC_XOR,
	LSC_FENCE = 31
};

enum lsc_surface { LSC_FLAT, LSC_BSS, LSC_SS, LSC_BTI };

/* A decoded message on its way */
struct message {
	struct eu_thread *t;
	const struct eu_op *op;
	enum lsc_op code;
	bool slm;
	unsigned int address_bytes;
	unsigned int bytes;		/* of an element in memory */
	unsigned int reg_bytes;		/* of an element in a register */
	unsigned int shift;		/* into the upper half, d16u32h */
	unsigned int vector;
	bool transposed;
	uint64_t base, limit;		/* limit 0: none */
	bool arguments;			/* relative to the general state base */
	uint32_t live;
	unsigned int stride;		/* bytes between vector components */
	/* the outcome */
	const char *why;
	uint64_t fault;
	bool fault_write;
};

static bool illegal(struct message *m, const char *why)
{
	m->why = why;
	return false;
}

static bool decode_sizes(struct message *m, uint32_t desc)
{
	static const uint8_t memory[8] = {1, 2, 4, 8, 1, 2, 2, 0};
	static const uint8_t registers[8] = {1, 2, 4, 8, 4, 4, 4, 0};
	static const uint8_t vectors[8] = {1, 2, 3, 4, 8, 16, 32, 64};
	static const uint8_t addresses[4] = {0, 2, 4, 8};
	unsigned int size = desc >> 9 & 7;

	m->address_bytes = addresses[desc >> 7 & 3];
	m->bytes = memory[size];
	m->reg_bytes = registers[size];
	m->shift = size == 6 ? 16 : 0;
	m->vector = vectors[desc >> 12 & 7];
	m->transposed = desc >> 15 & 1;
	m->stride = (m->op->n * m->reg_bytes + 63) & ~63u;
	return m->bytes || illegal(m, "invalid data size");
}

/* Where addresses start, by the kind of surface */
static bool decode_surface(struct message *m, uint32_t desc, uint32_t exdesc)
{
	struct eu_thread *t = m->t;

	m->base = 0;
	m->limit = 0;
	m->arguments = false;
	if (m->slm)
		return true;
	switch ((enum lsc_surface)(desc >> 29 & 3)) {
	case LSC_FLAT:
		return true;
	case LSC_BTI:
		if (exdesc >> 24 != 255)
			return illegal(m, "binding table is not implemented");
		m->base = t->worker->run->walker->gsba;
		m->arguments = true;
		return true;
	case LSC_SS:
		return eu_scratch_surface(t, exdesc, &m->base, &m->limit, &m->why,
					  &m->fault);
	default:
		return illegal(m, "bindless surface is not implemented");
	}
}

static uint64_t lane_address(const struct message *m, int lane)
{
	const uint8_t *p = m->t->regs + m->op->in.src[0].reg * EU_REG_BYTES +
			   lane * m->address_bytes;
	uint64_t v = 0;

	memcpy(&v, p, m->address_bytes);
	return v;
}

static uint8_t *slm_at(const struct message *m, uint64_t address, unsigned int n)
{
	/* bit 28 marks pointers that may escape; the hardware ignores it */
	uint32_t at = address & 0x0fffffff;

	if (at + n > m->t->worker->run->walker->slm_size)
		return NULL;
	return m->t->group->slm + at;
}

/* Arguments are told apart from the data a kernel works on. */
static uint64_t *read_counter(struct message *m, enum eu_place place)
{
	struct eu_counters *c = &m->t->worker->counters;

	return m->arguments ? &c->arguments : &c->read[place];
}

/* What no single entry of the TLB covers, or what is not there. */
static bool read_slowly(struct message *m, uint64_t va, uint8_t *to, size_t size)
{
	m->fault_write = false;
	return eu_mem_read(m->t->worker, va, to, size,
			   m->arguments ? &m->t->worker->counters.arguments : NULL, &m->fault);
}

/*
 * One access of the host per element: a store must not be seen, or made, twice.
 * Locks that are released by a plain store depend on it.
 */
static void copy(void *to, const void *from, unsigned int bytes)
{
	switch (bytes) {
	case 1:
		memcpy(to, from, 1);
		break;
	case 2:
		memcpy(to, from, 2);
		break;
	case 4:
		memcpy(to, from, 4);
		break;
	case 8:
		memcpy(to, from, 8);
		break;
	case 64:
		memcpy(to, from, 64);
		break;
	case 128:
		memcpy(to, from, 128);
		break;
	case 256:
		memcpy(to, from, 256);
		break;
	default:
		/* vectors of a transposed message, one element at a time */
		for (unsigned int i = 0; i < bytes; i += 4)
			memcpy((char *)to + i, (const char *)from + i, 4);
	}
}

static bool load_element(struct message *m, uint64_t address, uint8_t *to)
{
	struct eu_worker *w = m->t->worker;
	const struct eu_tlb_entry *e;
	uint64_t va = m->base + address;

	if (m->slm) {
		const uint8_t *p = slm_at(m, address, m->bytes);

		if (p)
			copy(to, p, m->bytes);
		else
			memset(to, 0, m->bytes);
		return true;
	}
	if (m->limit && address + m->bytes > m->limit)
		return illegal(m, "beyond the scratch of the thread");
	e = eu_tlb(w, va, m->bytes, false);
	if (likely(e && e->host)) {
		copy(to, e->host + (va - e->lo), m->bytes);
		*read_counter(m, e->place) += m->bytes;
		return true;
	}
	return read_slowly(m, va, to, m->bytes);
}

static bool store_element(struct message *m, uint64_t address, const uint8_t *from)
{
	struct eu_worker *w = m->t->worker;
	const struct eu_tlb_entry *e;
	uint64_t va = m->base + address;

	if (m->slm) {
		uint8_t *p = slm_at(m, address, m->bytes);

		if (p)
			copy(p, from, m->bytes);
		return true;
	}
	if (m->limit && address + m->bytes > m->limit)
		return illegal(m, "beyond the scratch of the thread");
	e = eu_tlb(w, va, m->bytes, true);
	if (likely(e && e->host)) {
		copy(e->host + (va - e->lo), from, m->bytes);
		w->counters.written[e->place] += m->bytes;
		return true;
	}
	m->fault_write = true;
	return eu_mem_write(w, va, from, m->bytes, &m->fault);
}

/* Data registers of the message: @bytes from register @o on, or NULL */
static uint8_t *payload(struct message *m, const struct eu_operand *o,
			unsigned int bytes)
{
	unsigned int off = o->reg * EU_REG_BYTES;

	if (o->file != EU_GRF)
		illegal(m, "message without its data register");
	else if (off + bytes > EU_GRF_BYTES)
		illegal(m, "payload runs past the register file");
	else
		return m->t->regs + off;
	return NULL;
}

/* Distances of 32 lanes of 4 and of 8 bytes */
#define FOUR(n, s)	(n) * (s), ((n) + 1) * (s), ((n) + 2) * (s), ((n) + 3) * (s)
#define ALL_LANES(s)	FOUR(0, s), FOUR(4, s), FOUR(8, s), FOUR(12, s), \
			FOUR(16, s), FOUR(20, s), FOUR(24, s), FOUR(28, s)
static const uint64_t distances[2][EU_MAX_LANES] = {{ALL_LANES(4)}, {ALL_LANES(8)}};

typedef uint64_t pair __attribute__((vector_size(16), aligned(8), may_alias));

/* 64-bit addresses of 16 or 32 lanes that follow each other in memory */
static bool follow_each_other(const uint8_t *addresses, unsigned int n,
			      unsigned int bytes)
{
	const pair *a = (const pair *)addresses, *want;
	uint64_t first;
	pair diff = {};

	want = (const pair *)distances[bytes == 8];
	memcpy(&first, addresses, sizeof(first));
	for (unsigned int i = 0; i < n / 2; i += 4)
		diff |= (a[i] - want[i] - first) | (a[i + 1] - want[i + 1] - first) |
			(a[i + 2] - want[i + 2] - first) |
			(a[i + 3] - want[i + 3] - first);
	return !(diff[0] | diff[1]);
}

/*
 * All lanes live and side by side in memory: one piece. This is what dense
 * kernels do, so it pays to look.
 */
static bool is_contiguous(const struct message *m)
{
	const uint8_t *p = m->t->regs + m->op->in.src[0].reg * EU_REG_BYTES;

	return m->vector == 1 && m->bytes == m->reg_bytes && m->bytes >= 4 &&
	       m->address_bytes == 8 && !m->slm && !m->limit &&
	       m->live == m->op->lanes && m->op->n >= 16 &&
	       follow_each_other(p, m->op->n, m->bytes);
}

static bool load_contiguous(struct message *m, uint8_t *data)
{
	struct eu_worker *w = m->t->worker;
	uint64_t va = m->base + lane_address(m, 0);
	unsigned int n = m->op->n * m->bytes;
	const struct eu_tlb_entry *e = eu_tlb(w, va, n, false);

	if (unlikely(!e || !e->host))
		return read_slowly(m, va, data, n);
	copy(data, e->host + (va - e->lo), n);
	*read_counter(m, e->place) += n;
	return true;
}

static bool store_contiguous(struct message *m, const uint8_t *data)
{
	struct eu_worker *w = m->t->worker;
	uint64_t va = m->base + lane_address(m, 0);
	unsigned int n = m->op->n * m->bytes;
	const struct eu_tlb_entry *e = eu_tlb(w, va, n, true);

	if (unlikely(!e || !e->host)) {
		m->fault_write = true;
		return eu_mem_write(w, va, data, n, &m->fault);
	}
	copy(e->host + (va - e->lo), data, n);
	w->counters.written[e->place] += n;
	return true;
}

/* One address, the elements follow each other in memory and registers. */
static bool transposed_block(struct message *m, bool store)
{
	const struct eu_operand *o = store ? &m->op->in.src[1] : &m->op->in.dst;
	uint64_t address = lane_address(m, 0);
	uint8_t *data;

	if (m->op->n != 1)
		return illegal(m, "transposed message with more than one lane");
	if (m->bytes < 4 || m->bytes != m->reg_bytes)
		return illegal(m, "transposed message of small elements");
	data = payload(m, o, m->vector * m->bytes);
	if (!data)
		return false;
	m->bytes *= m->vector;
	return store ? store_element(m, address, data) :
		       load_element(m, address, data);
}

static bool load(struct message *m)
{
	const struct eu_op *op = m->op;
	uint8_t *data;

	if (op->in.dst.file != EU_GRF)
		return true;	/* a prefetch */
	if (m->transposed)
		return transposed_block(m, false);
	data = payload(m, &op->in.dst, m->vector * m->stride);
	if (!data)
		return false;
	if (is_contiguous(m))
		return load_contiguous(m, data);
	for (uint32_t rest = m->live; rest; rest &= rest - 1) {
		int lane = __builtin_ctz(rest);
		uint64_t address = lane_address(m, lane);

		for (unsigned int c = 0; c < m->vector; c++) {
			uint8_t *to = data + c * m->stride + lane * m->reg_bytes;
			uint64_t value = 0;

			if (!load_element(m, address + c * m->bytes,
					  (uint8_t *)&value))
				return false;
			value <<= m->shift;
			memcpy(to, &value, m->reg_bytes);
		}
	}
	return true;
}

static bool store(struct message *m)
{
	const struct eu_op *op = m->op;
	const uint8_t *data;

	if (m->transposed)
		return transposed_block(m, true);
	data = payload(m, &op->in.src[1], m->vector * m->stride);
	if (!data)
		return false;
	if (is_contiguous(m))
		return store_contiguous(m, data);
	for (uint32_t rest = m->live; rest; rest &= rest - 1) {
		int lane = __builtin_ctz(rest);
		uint64_t address = lane_address(m, lane);

		for (unsigned int c = 0; c < m->vector; c++) {
			const uint8_t *from = data + c * m->stride +
					      lane * m->reg_bytes;

			if (!store_element(m, address + c * m->bytes,
					   from + m->shift / 8))
				return false;
		}
	}
	return true;
}

static double as_float(uint64_t v, unsigned int bytes)
{
	uint32_t v32 = v;
	float f;
	double d;

	if (bytes == 4) {
		memcpy(&f, &v32, sizeof(f));
		return f;
	}
	memcpy(&d, &v, sizeof(d));
	return d;
}

static uint64_t from_float(double d, unsigned int bytes)
{
	uint64_t v = 0;
	float f = (float)d;

	if (bytes == 4)
		memcpy(&v, &f, sizeof(f));
	else
		memcpy(&v, &d, sizeof(d));
	return v;
}

static int64_t as_signed(uint64_t v, unsigned int bytes)
{
	return bytes == 4 ? (int32_t)v : (int64_t)v;
}

static uint64_t float_atomic(enum lsc_op code, unsigned int bytes, uint64_t old,
			     uint64_t a, uint64_t b)
{
	double x = as_float(old, bytes), y = as_float(a, bytes);

	switch (code) {
	case LSC_FADD: return from_float(x + y, bytes);
	case LSC_FSUB: return from_float(x - y, bytes);
	case LSC_FMIN: return isnan(x) || y < x ? a : old;
	case LSC_FMAX: return isnan(x) || y > x ? a : old;
	default:       return x == y ? b : old;	/* compare and exchange */
	}
}

static uint64_t atomic_result(enum lsc_op code, unsigned int bytes, uint64_t old,
			      uint64_t a, uint64_t b)
{
	switch (code) {
	case LSC_INC:	  return old + 1;
	case LSC_DEC:	  return old - 1;
	case LSC_ATOMIC_LOAD: return old;
	case LSC_XCHG:	  return a;
	case LSC_ADD:	  return old + a;
	case LSC_SUB:	  return old - a;
	case LSC_SMIN:	  return as_signed(a, bytes) < as_signed(old, bytes) ? a : old;
	case LSC_SMAX:	  return as_signed(a, bytes) > as_signed(old, bytes) ? a : old;
	case LSC_UMIN:	  return a < old ? a : old;
	case LSC_UMAX:	  return a > old ? a : old;
	case LSC_CMPXCHG: return old == a ? b : old;
	case LSC_AND:	  return old & a;
	case LSC_OR:	  return old | a;
	case LSC_XOR:	  return old ^ a;
	default:	  return float_atomic(code, bytes, old, a, b);
	}
}

/* Apply to host memory that other host threads may change at the same time. */
static uint64_t apply_atomic(enum lsc_op code, unsigned int bytes, void *p,
			     uint64_t a, uint64_t b)
{
	if (bytes == 4) {
		uint32_t old = __atomic_load_n((uint32_t *)p, __ATOMIC_RELAXED), now;

		do {
			now = atomic_result(code, 4, old, (uint32_t)a, (uint32_t)b);
		} while (!__atomic_compare_exchange_n((uint32_t *)p, &old, now, false,
						      __ATOMIC_SEQ_CST,
						      __ATOMIC_RELAXED));
		return old;
	} else {
		uint64_t old = __atomic_load_n((uint64_t *)p, __ATOMIC_RELAXED), now;

		do {
			now = atomic_result(code, 8, old, a, b);
		} while (!__atomic_compare_exchange_n((uint64_t *)p, &old, now, false,
						      __ATOMIC_SEQ_CST,
						      __ATOMIC_RELAXED));
		return old;
	}
}

/* Where the atomic happens; NULL with a result of 0 where nothing is mapped. */
static bool atomic_place(struct message *m, uint64_t address, void **p)
{
	struct eu_worker *w = m->t->worker;
	const struct eu_tlb_entry *e;
	uint64_t va = m->base + address;

	*p = NULL;
	if ((m->slm ? address : va) % m->bytes)
		return illegal(m, "misaligned atomic");
	if (m->slm) {
		*p = slm_at(m, address, m->bytes);
		return true;
	}
	if (m->limit && address + m->bytes > m->limit)
		return illegal(m, "beyond the scratch of the thread");
	e = eu_tlb(w, va, m->bytes, true);
	if (!e)
		e = eu_tlb_fill(w, va, true);
	m->fault = va;
	m->fault_write = true;
	if (!e || va + m->bytes > e->hi)
		return false;
	if (!e->host)
		return true;
	*p = e->host + (va - e->lo);
	w->counters.read[e->place] += m->bytes;
	w->counters.written[e->place] += m->bytes;
	return true;
}

static unsigned int atomic_operands(enum lsc_op code)
{
	switch (code) {
	case LSC_INC: case LSC_DEC: case LSC_ATOMIC_LOAD:
		return 0;
	case LSC_CMPXCHG: case LSC_FCMPXCHG:
		return 2;
	default:
		return 1;
	}
}

static bool atomics(struct message *m)
{
	const struct eu_op *op = m->op;
	unsigned int operands = atomic_operands(m->code);
	const uint8_t *from = NULL;
	uint8_t *to = NULL;

	if (m->bytes < 4 || m->vector != 1 || m->transposed)
		return illegal(m, "form of atomic is not implemented");
	if (operands) {
		from = payload(m, &op->in.src[1], operands * m->stride);
		if (!from)
			return false;
	}
	if (op->in.dst.file == EU_GRF) {
		to = payload(m, &op->in.dst, m->stride);
		if (!to)
			return false;
	}
	for (uint32_t rest = m->live; rest; rest &= rest - 1) {
		int lane = __builtin_ctz(rest);
		uint64_t a = 0, b = 0, old = 0;
		void *p;

		if (!atomic_place(m, lane_address(m, lane), &p))
			return false;
		if (operands > 0)
			memcpy(&a, from + lane * m->bytes, m->bytes);
		if (operands > 1)
			memcpy(&b, from + m->stride + lane * m->bytes, m->bytes);
		if (p)
			old = apply_atomic(m->code, m->bytes, p, a, b);
		if (to)
			memcpy(to + lane * m->bytes, &old, m->bytes);
	}
	return true;
}

/* The header of a two-dimensional block */
struct block {
	uint64_t base;
	int64_t surface_width, surface_height, pitch;	/* bytes, rows, bytes */
	int64_t x, y;					/* elements, rows */
	unsigned int width, height, count;
	bool transpose, vnni;
};

static unsigned int power_of_two(unsigned int v)
{
	unsigned int p = 1;

	while (p < v)
		p <<= 1;
	return p;
}

static void decode_block(const struct message *m, uint32_t desc, struct block *b)
{
	uint32_t h[8];

	memcpy(h, m->t->regs + m->op->in.src[0].reg * EU_REG_BYTES, sizeof(h));
	b->base = h[0] | (uint64_t)h[1] << 32;
	b->surface_width = (int64_t)(h[2] & 0xffffff) + 1;
	b->surface_height = (int64_t)(h[3] & 0xffffff) + 1;
	b->pitch = (int64_t)(h[4] & 0xffffff) + 1;
	b->x = (int32_t)h[5];
	b->y = (int32_t)h[6];
	b->width = (h[7] & 0xff) + 1;
	b->height = (h[7] >> 8 & 0xff) + 1;
	b->count = (h[7] >> 16 & 15) + 1;
	b->vnni = desc >> 7 & 1;
	b->transpose = desc >> 15 & 1;
}

/* Place of element (row, column) inside the registers of one block, in elements */
static unsigned int block_index(const struct message *m, const struct block *b,
				unsigned int row, unsigned int col)
{
	unsigned int k = 4 / (m->bytes < 4 ? m->bytes : 4);

	if (b->transpose)
		return col * power_of_two(b->height) + row;
	if (b->vnni)
		return (row / k * power_of_two(b->width) + col) * k + row % k;
	return row * power_of_two(b->width) + col;
}

static unsigned int block_bytes(const struct message *m, const struct block *b)
{
	unsigned int rows = b->height, cols = power_of_two(b->width);
	unsigned int k = 4 / (m->bytes < 4 ? m->bytes : 4);

	if (b->transpose) {
		rows = b->width;
		cols = power_of_two(b->height);
	} else if (b->vnni) {
		rows = (rows + k - 1) / k * k;
	}
	return (rows * cols * m->bytes + 63) & ~63u;
}

static bool block_element(struct message *m, const struct block *b, bool write,
			  int64_t x, int64_t y, uint8_t *reg)
{
	int64_t at = x * m->bytes;
	uint64_t address = b->base + y * b->pitch + at;

	if (x < 0 || y < 0 || at + m->bytes > b->surface_width ||
	    y >= b->surface_height) {
		if (!write)
			memset(reg, 0, m->bytes);
		return true;
	}
	return write ? store_element(m, address, reg) :
		       load_element(m, address, reg);
}

static bool block2d(struct message *m, uint32_t desc)
{
	const struct eu_op *op = m->op;
	bool write = m->code == LSC_STORE_BLOCK2D;
	const struct eu_operand *o = write ? &op->in.src[1] : &op->in.dst;
	unsigned int bytes;
	struct block b;
	uint8_t *data;

	decode_block(m, desc, &b);
	m->reg_bytes = m->bytes;
	if (!write && o->file != EU_GRF)
		return true;	/* a prefetch */
	if (b.vnni && b.transpose)
		return illegal(m, "block both transposed and VNNI");
	if (b.width > 64 || b.height > 64 || m->slm)
		return illegal(m, "block is too large");
	bytes = block_bytes(m, &b);
	data = payload(m, o, bytes * b.count);
	if (!data)
		return false;
	if (!write)
		memset(data, 0, bytes * b.count);
	for (unsigned int n = 0; n < b.count; n++, data += bytes)
		for (unsigned int row = 0; row < b.height; row++)
			for (unsigned int col = 0; col < b.width; col++)
				if (!block_element(m, &b, write,
						   b.x + n * b.width + col, b.y + row,
						   data + block_index(m, &b, row, col) *
						   m->bytes))
					return false;
	return true;
}

static bool run_message(struct message *m, uint32_t desc)
{
	switch (m->code) {
	case LSC_LOAD:
		return load(m);
	case LSC_STORE:
		return store(m);
	case LSC_LOAD_BLOCK2D:
	case LSC_STORE_BLOCK2D:
		return block2d(m, desc);
	case LSC_INC ... LSC_XOR:
		return atomics(m);
	default:
		return illegal(m, "message is not implemented");
	}
}

static struct eu_op *finish(struct eu_thread *t, struct eu_op *op)
{
	if (likely(!op->in.eot))
		return eu_next(t, op);
	t->status = EU_T_ENDED;
	return NULL;
}

static struct eu_op *conclude(struct message *m, struct eu_op *op, bool ok)
{
	if (likely(ok))
		return finish(m->t, op);
	if (m->why)
		return eu_thread_stop(m->t, op, EU_ILLEGAL, m->why);
	return eu_thread_fault(m->t, op, m->fault, m->fault_write);
}

static struct eu_op *exec_lsc(struct eu_thread *t, struct eu_op *op)
{
	const struct eu_insn *in = &op->in;
	uint32_t desc = in->desc, exdesc = in->exdesc;
	struct message m = {.t = t, .op = op};
	bool ok;

	if (in->desc_reg)
		desc = eu_get32(t, EU_ARF_SLOT(EU_A0));
	if (in->exdesc_reg)
		exdesc = eu_get32(t, EU_ARF_SLOT(EU_A0) + 4 * in->exdesc_a0);
	m.code = desc & 0x3f;
	if (m.code == LSC_FENCE) {
		atomic_thread_fence(memory_order_seq_cst);
		return finish(t, op);
	}
	m.live = eu_live(t, op);
	if (!m.live)
		return finish(t, op);
	m.slm = in->function == EU_SFID_SLM;
	if (m.code == LSC_LOAD_BLOCK2D || m.code == LSC_STORE_BLOCK2D)
		ok = decode_sizes(&m, desc & ~0x180u) && decode_surface(&m, desc, exdesc);
	else
		ok = decode_sizes(&m, desc) && decode_surface(&m, desc, exdesc) &&
		     (m.address_bytes || illegal(&m, "invalid address size"));
	ok = ok && payload(&m, &in->src[0], m.address_bytes ?
			   op->n * m.address_bytes : EU_REG_BYTES);
	return conclude(&m, op, ok && run_message(&m, desc));
}

/* [31:29] flat, [15:12] no vector, [8:7] 64-bit addresses, d32 or d64 */
static bool is_dense_form(const struct eu_insn *in)
{
	uint32_t size = in->desc >> 9 & 7, code = in->desc & 0x3f;
	const struct eu_operand *data = code == LSC_STORE ? &in->src[1] : &in->dst;

	return in->function == EU_SFID_UGM && !in->desc_reg && !in->exdesc_reg &&
	       (code == LSC_LOAD || code == LSC_STORE) && in->exec_size >= 16 &&
	       !(in->desc >> 29) && !(in->desc >> 12 & 15) &&
	       (in->desc >> 7 & 3) == 3 && (size == 2 || size == 3) && !in->eot &&
	       data->file == EU_GRF && data->reg + 4 <= 256 &&
	       in->src[0].file == EU_GRF && in->src[0].reg + 4 <= 256;
}

/* A load or store that usually is one piece, and falls back when it is not. */
static struct eu_op *exec_dense(struct eu_thread *t, struct eu_op *op)
{
	const struct eu_insn *in = &op->in;
	unsigned int bytes = (in->desc >> 9 & 7) == 3 ? 8 : 4, n = op->n * bytes;
	const uint8_t *addresses = t->regs + in->src[0].reg * EU_REG_BYTES;
	bool write = (in->desc & 0x3f) == LSC_STORE;
	const struct eu_tlb_entry *e;
	uint64_t va;

	memcpy(&va, addresses, sizeof(va));
	e = eu_tlb(t->worker, va, n, write);
	if (unlikely(!e || !e->host || eu_live(t, op) != op->lanes ||
		     !follow_each_other(addresses, op->n, bytes)))
		return exec_lsc(t, op);
	if (write) {
		copy(e->host + (va - e->lo), t->regs + in->src[1].reg * EU_REG_BYTES, n);
		t->worker->counters.written[e->place] += n;
	} else {
		copy(t->regs + in->dst.reg * EU_REG_BYTES, e->host + (va - e->lo), n);
		t->worker->counters.read[e->place] += n;
	}
	return eu_next(t, op);
}

eu_exec *eu_lsc_select(const struct eu_op *op)
{
	return is_dense_form(&op->in) ? exec_dense : exec_lsc;
}

/*
 * Atomics of the older data port, which older compilers emit: [18:14] type,
 * [13] result wanted, [12] 64-bit data, [11:8] operation, [7:0] surface. The
 * payloads are those of the load/store unit.
 */
#define DC1_ATOMIC		0x02
#define DC1_ATOMIC_A64		0x12
#define DC1_FLOAT_ATOMIC	0x1b
#define DC1_FLOAT_ATOMIC_A64	0x1d
#define DC1_SURFACE_SLM		254

static bool dc1_operation(struct message *m, unsigned int type, unsigned int code)
{
	static const uint8_t ints[16] = {
		[1] = LSC_AND, [2] = LSC_OR, [3] = LSC_XOR, [4] = LSC_XCHG,
		[5] = LSC_INC, [6] = LSC_DEC, [7] = LSC_ADD, [8] = LSC_SUB,
		[10] = LSC_SMAX, [11] = LSC_SMIN, [12] = LSC_UMAX,
		[13] = LSC_UMIN, [14] = LSC_CMPXCHG,
	};
	static const uint8_t floats[16] = {
		[1] = LSC_FMAX, [2] = LSC_FMIN, [3] = LSC_FCMPXCHG,
		[4] = LSC_FADD, [5] = LSC_FSUB,
	};
	bool is_float = type == DC1_FLOAT_ATOMIC || type == DC1_FLOAT_ATOMIC_A64;

	m->code = is_float ? floats[code] : ints[code];
	return m->code || illegal(m, "atomic operation is not implemented");
}

struct eu_op *eu_exec_dc1(struct eu_thread *t, struct eu_op *op)
{
	uint32_t desc = op->in.desc;
	unsigned int type = desc >> 14 & 0x1f;
	struct message m = {.t = t, .op = op, .vector = 1, .bytes = 4};
	bool ok;

	m.live = eu_live(t, op);
	if (!m.live)
		return finish(t, op);
	m.address_bytes = 4;
	if (type == DC1_ATOMIC_A64 || type == DC1_FLOAT_ATOMIC_A64) {
		m.address_bytes = 8;
		if (desc >> 12 & 1)
			m.bytes = 8;
	} else if ((desc & 0xff) == DC1_SURFACE_SLM) {
		m.slm = true;
	} else {
		return eu_thread_stop(t, op, EU_ILLEGAL,
				      "binding table is not implemented");
	}
	m.reg_bytes = m.bytes;
	m.stride = (op->n * m.bytes + 63) & ~63u;
	ok = payload(&m, &op->in.src[0], op->n * m.address_bytes) &&
	     dc1_operation(&m, type, desc >> 8 & 15);
	return conclude(&m, op, ok && atomics(&m));
}

/* The messages of the older data port that eu_exec_dc1() knows */
bool eu_is_dc1_atomic(uint32_t desc)
{
	switch (desc >> 14 & 0x1f) {
	case DC1_ATOMIC: case DC1_ATOMIC_A64:
	case DC1_FLOAT_ATOMIC: case DC1_FLOAT_ATOMIC_A64:
		return !(desc >> 19 & 1);	/* no header */
	default:
		return false;
	}
}
