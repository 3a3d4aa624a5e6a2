// SPDX-License-Identifier: MIT
/*
 * Functions that all messages share: the base of a surface, loads and stores of elements,
 * and the source registers.
 */
#include "eu/msg/eu_message.h"

#include "eu/msg/eu_memory.h"
#include "eu/msg/eu_surface.h"
#include "mem/tiling.h"

/* Addresses are offsets from the surface's base; none beyond its size exists. */
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

/*
 * Is an element inside of the surface? *@absent: outside, where reads give 0 and writes
 * are dropped. False: outside of the thread's scratch, with m->why set.
 */
static bool inside(struct message *m, uint64_t address, bool *absent)
{
	*absent = false;
	if (likely(m->limit == UINT64_MAX) ||
	    (address <= m->limit && m->bytes <= m->limit - address))
		return true;
	*absent = m->clip;
	return m->clip || illegal(m, "beyond the scratch of the thread");
}

/* Reads of kernel arguments have a counter of their own. */
static uint64_t *read_counter(struct message *m, enum eu_place place)
{
	struct eu_counters *c = &m->t->worker->counters;

	return m->arguments ? &c->arguments : &c->read[place];
}

/* A read that no single entry of the TLB covers, or of a NULL page */
static bool read_slowly(struct message *m, uint64_t va, uint8_t *to, size_t size)
{
	m->fault_write = false;
	return eu_mem_read(m->t->worker, va, to, size,
			   m->arguments ? &m->t->worker->counters.arguments : NULL, &m->fault);
}

/*
 * An element is one access of the host, because a store must not become visible, or
 * happen, twice. Locks that a plain store releases depend on this.
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
		/* A vector of a transposed message is copied by dwords. */
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

/* Registers that a source may take */
#define SOURCE_REGISTERS	16

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

/* *@backed: the element is in memory, not in a NULL page; false is a page fault. */
static bool find_backing(struct message *m, uint64_t va, bool *backed)
{
	const struct eu_tlb_entry *e = eu_tlb_fill(m->t->worker, va, false);
	uint64_t room = e ? eu_tlb_room(e, va) : 0;

	*backed = e && e->host;
	if (e && m->bytes > room) {
		va += room;
		e = eu_tlb_fill(m->t->worker, va, false);
		*backed &= e && e->host;
	}
	m->fault = va;
	m->fault_write = false;
	return e != NULL;
}

/* Load status: one bit per lane, set if memory backs all elements of the lane. */
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
