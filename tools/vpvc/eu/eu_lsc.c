/* SPDX-License-Identifier: MIT */
/*
 * The load/store unit: gather and scatter, vectors, transposed blocks, atomics,
 * fences and two-dimensional blocks, in memory or in shared local memory.
 */
#include "eu_message.h"
#include "tiling.h"

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
	if (s->image && s->tiling != TILING_LINEAR)
		return illegal(m, "message without types on a tiled surface");
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

/*
 * The elements of a lane follow each other in memory and registers. Only strided
 * messages have more than one lane, and each begins a register there.
 */
static bool transposed_block(struct message *m, bool store)
{
	const struct eu_operand *o = store ? &m->op->in.src[1] : &m->op->in.dst;
	unsigned int bytes = m->vector * m->bytes, room = (bytes + 63) & ~63u;
	uint8_t *data;

	if (m->op->n != 1 && !m->strided)
		return illegal(m, "transposed message with more than one lane");
	if (m->bytes < 4 || m->bytes != m->reg_bytes)
		return illegal(m, "transposed message of small elements");
	data = payload(m, o, (m->op->n - 1) * room + bytes);
	if (!data)
		return false;
	m->bytes = bytes;
	for (uint32_t rest = m->live; rest; rest &= rest - 1) {
		int lane = __builtin_ctz(rest);
		uint64_t address = message_address(m, lane);
		uint8_t *reg = data + lane * room;

		if (!(store ? eu_store_element(m, address, reg) :
			      eu_load_element(m, address, reg)))
			return false;
	}
	return true;
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
	for (uint32_t rest = m->live; rest; rest &= rest - 1) {
		int lane = __builtin_ctz(rest);
		uint64_t address = message_address(m, lane);

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
	for (uint32_t rest = m->live; rest; rest &= rest - 1) {
		int lane = __builtin_ctz(rest);
		uint64_t address = message_address(m, lane);

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

/* Registers a source may take: two operands of 32 lanes with 8 bytes each */
#define SOURCE_REGISTERS	16
/* and a result, when nothing is known of it */
#define RESULT_REGISTERS	32

static bool overlaps(const struct eu_operand *to, unsigned int registers,
		     const struct eu_operand *from)
{
	return from->file == EU_GRF && to->reg < from->reg + SOURCE_REGISTERS &&
	       from->reg < to->reg + registers;
}

void eu_message_sources(struct message *m, unsigned int registers)
{
	const struct eu_insn *in = &m->op->in;

	m->sources = m->t->regs;
	if (in->dst.file == EU_GRF && (overlaps(&in->dst, registers, &in->src[0]) ||
				       overlaps(&in->dst, registers, &in->src[1])))
		m->sources = memcpy(m->t->worker->sources, m->t->regs, EU_GRF_BYTES);
}

/* Whether memory backs an element, which NULL pages do not; false is a page fault. */
static bool find_backing(struct message *m, uint64_t va, bool *backed)
{
	const struct eu_tlb_entry *e = eu_tlb_fill(m->t->worker, va, false);
	uint64_t end = va + m->bytes;

	*backed = e && e->host;
	if (e && end > e->hi) {
		va = e->hi;
		e = eu_tlb_fill(m->t->worker, va, false);
		*backed &= e && e->host;
	}
	m->fault = va;
	m->fault_write = false;
	return e != NULL;
}

/* One bit a lane: all of what its address names is there. */
bool eu_message_status(struct message *m)
{
	uint8_t *to = payload(m, &m->op->in.dst, EU_REG_BYTES);
	uint32_t status = m->live;

	if (!to)
		return false;
	if (m->slm || m->transposed)
		return illegal(m, "no status of transposed or shared local memory");
	for (uint32_t rest = m->live; rest; rest &= rest - 1) {
		int lane = __builtin_ctz(rest);

		for (unsigned int c = 0; c < m->vector; c++) {
			uint64_t address = message_address(m, lane) + c * m->bytes;
			bool absent, backed;

			if (m->placed && address == NO_ADDRESS)
				continue;
			if (!inside(m, address, &absent))
				return false;
			if (absent)
				continue;
			if (!find_backing(m, m->base + address, &backed))
				return false;
			if (!backed)
				status &= ~(1u << lane);
		}
	}
	memcpy(to, &status, sizeof(status));
	return true;
}

static bool run_message(struct message *m, uint32_t desc)
{
	switch (m->code) {
	case LSC_LOAD: case LSC_LOAD_STRIDED:
		return load(m);
	case LSC_STORE: case LSC_STORE_STRIDED: case LSC_STORE_UNCOMPRESSED:
		return store(m);
	case LSC_LOAD_STATUS:
		return eu_message_status(m);
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
	case LSC_READ_STATE:
		return illegal(m, "what reading a surface's state returns is not public");
	default:
		return illegal(m, "message is not implemented");
	}
}

struct eu_op *eu_exec_lsc(struct eu_thread *t, struct eu_op *op)
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
	m.strided = m.code == LSC_LOAD_STRIDED || m.code == LSC_STORE_STRIDED;
	eu_message_sources(&m, m.transposed || m.code == LSC_LOAD_QUAD || block2d ?
			       RESULT_REGISTERS : (m.vector * m.stride + 63) / EU_REG_BYTES);
	ok = ok && payload(&m, &in->src[0], m.address_bytes && !m.strided ?
			   op->n * m.address_bytes : EU_REG_BYTES);
	return conclude(&m, op, ok && run_message(&m, desc));
}

eu_exec *eu_lsc_select(const struct eu_op *op)
{
	/* a fence of typed surfaces is no other than the rest */
	if (op->in.function == EU_SFID_TGM &&
	    (op->in.desc_reg || (op->in.desc & 0x3f) != LSC_FENCE))
		return eu_exec_typed;
	return eu_exec_lsc;
}
