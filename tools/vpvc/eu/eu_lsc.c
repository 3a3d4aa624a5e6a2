/* SPDX-License-Identifier: MIT */
/*
 * The load/store unit: gather and scatter, vectors, transposed blocks, atomics,
 * fences and two-dimensional blocks, in memory or in shared local memory.
 */
#include "eu_message.h"

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

/* Addresses are offsets from the surface; what lies beyond it is not there. */
static bool place_surface(struct message *m, const struct eu_surface *s)
{
	m->base = s->base;
	m->limit = s->size;
	m->clip = !s->scratch;
	return true;
}

bool eu_message_surface(struct message *m, uint32_t desc, uint32_t exdesc)
{
	const struct eu_walker *walker = m->t->worker->run->walker;
	struct eu_surface s;

	m->base = 0;
	m->limit = UINT64_MAX;
	m->clip = false;
	m->arguments = false;
	m->fault_write = false;
	if (m->slm)
		return true;
	switch ((enum lsc_surface)(desc >> 29 & 3)) {
	case LSC_BTI:
		if (exdesc >> 24 == LSC_BTI_STATELESS) {
			m->base = walker->gsba;
			m->arguments = true;
			return true;
		}
		return eu_binding_table(m->t, exdesc >> 24, &s, &m->why, &m->fault) &&
		       place_surface(m, &s);
	case LSC_SS:
		return eu_read_surface(m->t, walker->ssba + (exdesc & ~63u), &s, &m->why,
				       &m->fault) && place_surface(m, &s);
	case LSC_BSS:
		return eu_read_surface(m->t, walker->bindless + (exdesc & ~63u), &s, &m->why,
				       &m->fault) && place_surface(m, &s);
	default:
		return true;
	}
}

/* False: outside of the surface, m->why set unless it is only not there */
static bool inside(struct message *m, uint64_t address, bool *absent)
{
	*absent = false;
	if (likely(m->limit == UINT64_MAX) ||
	    (address <= m->limit && m->bytes <= m->limit - address))
		return true;
	*absent = m->clip;
	return m->clip || illegal(m, "beyond the scratch of the thread");
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

bool eu_load_element(struct message *m, uint64_t address, uint8_t *to)
{
	struct eu_worker *w = m->t->worker;
	const struct eu_tlb_entry *e;
	uint64_t va = m->base + address;
	bool absent;

	if (m->slm) {
		const uint8_t *p = slm_at(m, address, m->bytes);

		if (p)
			copy(to, p, m->bytes);
		else
			memset(to, 0, m->bytes);
		return true;
	}
	if (unlikely(!inside(m, address, &absent)))
		return false;
	if (unlikely(absent)) {
		memset(to, 0, m->bytes);
		return true;
	}
	e = eu_tlb(w, va, m->bytes, false);
	if (likely(e && e->host)) {
		copy(to, e->host + (va - e->lo), m->bytes);
		*read_counter(m, e->place) += m->bytes;
		return true;
	}
	return read_slowly(m, va, to, m->bytes);
}

bool eu_store_element(struct message *m, uint64_t address, const uint8_t *from)
{
	struct eu_worker *w = m->t->worker;
	const struct eu_tlb_entry *e;
	uint64_t va = m->base + address;
	bool absent;

	if (m->slm) {
		uint8_t *p = slm_at(m, address, m->bytes);

		if (p)
			copy(p, from, m->bytes);
		return true;
	}
	if (unlikely(!inside(m, address, &absent)))
		return false;
	if (unlikely(absent))
		return true;
	e = eu_tlb(w, va, m->bytes, true);
	if (likely(e && e->host)) {
		copy(e->host + (va - e->lo), from, m->bytes);
		w->counters.written[e->place] += m->bytes;
		return true;
	}
	m->fault_write = true;
	return eu_mem_write(w, va, from, m->bytes, &m->fault);
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
	       m->address_bytes == 8 && !m->slm && m->limit == UINT64_MAX &&
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
	return store ? eu_store_element(m, address, data) :
		       eu_load_element(m, address, data);
}

/*
 * Of four components those of the mask move; they are packed in the registers
 * and keep their place in memory.
 */
static bool quad(struct message *m, uint32_t mask, bool store)
{
	const struct eu_operand *o = store ? &m->op->in.src[1] : &m->op->in.dst;
	unsigned int used = __builtin_popcount(mask), n = 0;
	uint8_t *data;

	if (!store && o->file != EU_GRF)
		return true;	/* a prefetch */
	data = payload(m, o, used * m->stride);
	if (!data)
		return false;
	for (unsigned int c = 0; c < 4; c++) {
		if (!(mask >> c & 1))
			continue;
		for (uint32_t rest = m->live; rest; rest &= rest - 1) {
			int lane = __builtin_ctz(rest);
			uint64_t address = lane_address(m, lane) + c * m->bytes;
			uint8_t *reg = data + n * m->stride + lane * m->reg_bytes;
			uint64_t value = 0;

			if (store) {
				if (!eu_store_element(m, address, reg + m->shift / 8))
					return false;
				continue;
			}
			if (!eu_load_element(m, address, (uint8_t *)&value))
				return false;
			value <<= m->shift;
			memcpy(reg, &value, m->reg_bytes);
		}
		n++;
	}
	return true;
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

			if (!eu_load_element(m, address + c * m->bytes,
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

			if (!eu_store_element(m, address + c * m->bytes,
					   from + m->shift / 8))
				return false;
		}
	}
	return true;
}

static bool run_message(struct message *m, uint32_t desc)
{
	switch (m->code) {
	case LSC_LOAD:
		return load(m);
	case LSC_STORE: case LSC_STORE_UNCOMPRESSED:
		return store(m);
	case LSC_LOAD_QUAD:
		return quad(m, desc >> 12 & 15, false);
	case LSC_STORE_QUAD:
		return quad(m, desc >> 12 & 15, true);
	case LSC_CCS:
		return true;	/* memory here has no compression to control */
	case LSC_LOAD_BLOCK2D:
	case LSC_STORE_BLOCK2D:
		return eu_message_block2d(m, desc);
	case LSC_INC ... LSC_XOR:
		return eu_message_atomics(m);
	default:
		return illegal(m, "message is not implemented");
	}
}

static struct eu_op *exec_lsc(struct eu_thread *t, struct eu_op *op)
{
	const struct eu_insn *in = &op->in;
	uint32_t desc = eu_descriptor(t, op), exdesc = eu_ext_descriptor(t, op);
	struct message m = {.t = t, .op = op};
	bool ok, block2d;

	m.code = desc & 0x3f;
	if (m.code == LSC_FENCE) {
		atomic_thread_fence(memory_order_seq_cst);
		return finish(t, op);
	}
	if (in->function == EU_SFID_TGM)
		return eu_thread_stop(t, op, EU_ILLEGAL,
				      "the card has no typed surfaces");
	m.live = eu_live(t, op);
	if (!m.live)
		return finish(t, op);
	m.slm = in->function == EU_SFID_SLM;
	block2d = m.code == LSC_LOAD_BLOCK2D || m.code == LSC_STORE_BLOCK2D;
	/* there [8:7] is no size of addresses, and a quad has no vector */
	ok = decode_sizes(&m, block2d ? desc & ~0x180u : desc) &&
	     eu_message_surface(&m, desc, exdesc) &&
	     (block2d || m.address_bytes || illegal(&m, "invalid address size"));
	if (m.code == LSC_LOAD_QUAD || m.code == LSC_STORE_QUAD)
		m.transposed = false;
	ok = ok && payload(&m, &in->src[0], m.address_bytes ?
			   op->n * m.address_bytes : EU_REG_BYTES);
	return conclude(&m, op, ok && run_message(&m, desc));
}

/* [31:29] flat, [15:12] no vector, [8:7] 64-bit addresses, d32 or d64 */
static bool is_dense_form(const struct eu_insn *in)
{
	uint32_t size = in->desc >> 9 & 7, code = in->desc & 0x3f;
	const struct eu_operand *data = code == LSC_STORE ? &in->src[1] : &in->dst;

	return (in->function == EU_SFID_UGM || in->function == EU_SFID_UGML) &&
	       !in->desc_reg && !in->exdesc_reg &&
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
