// SPDX-License-Identifier: MIT
/*
 * Atomics of messages, on memory and on SLM. Messages run on a worker's host thread; other
 * threads may change the same memory, so these are host atomics.
 */
#include "eu/msg/eu_atomic.h"

#include <math.h>

#include "eu/isa/eu_convert.h"
#include "eu/msg/eu_memory.h"

static double as_float(uint64_t v, unsigned int bytes)
{
	uint32_t v32 = v;
	float f;
	double d;

	if (bytes == 2)
		return eu_half_to_double(v);
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

	if (bytes == 2)
		v = eu_double_to_half(d);
	else if (bytes == 4)
		memcpy(&v, &f, sizeof(f));
	else
		memcpy(&v, &d, sizeof(d));
	return v;
}

static int64_t as_signed(uint64_t v, unsigned int bytes)
{
	return bytes == 2 ? (int16_t)v : bytes == 4 ? (int32_t)v : (int64_t)v;
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

#define APPLY(type) do { \
	type old = __atomic_load_n((type *)p, __ATOMIC_RELAXED), now; \
	\
	do { \
		now = (type)atomic_result(code, sizeof(type), old, (type)a, (type)b); \
	} while (!__atomic_compare_exchange_n((type *)p, &old, now, false, \
					      __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)); \
	return old; \
} while (0)

/* Apply an operation to host memory atomically; returns the old value. */
static uint64_t apply_atomic(enum lsc_op code, unsigned int bytes, void *p,
			     uint64_t a, uint64_t b)
{
	switch (bytes) {
	case 2:
		APPLY(uint16_t);
	case 4:
		APPLY(uint32_t);
	default:
		APPLY(uint64_t);
	}
}

/* Find the host memory; *@p is NULL for NULL pages and outside of a surface (result 0). */
static bool atomic_place(struct message *m, uint64_t address, void **p)
{
	struct eu_worker *w = m->t->worker;
	const struct eu_tlb_entry *e;
	uint64_t va = m->base + address;

	*p = NULL;
	if (m->placed && address == NO_ADDRESS)
		return true;
	if ((m->slm ? address : va) % m->bytes)
		return illegal(m, "misaligned atomic");
	if (m->slm) {
		*p = slm_at(m, address, m->bytes);
		return true;
	}
	if (m->limit != UINT64_MAX &&
	    (address > m->limit || m->bytes > m->limit - address))
		return m->clip || illegal(m, "beyond the scratch of the thread");
	e = eu_tlb(w, va, m->bytes, true);
	if (!e)
		e = eu_tlb_fill(w, va, true);
	m->fault = va;
	m->fault_write = true;
	if (!e || m->bytes > eu_tlb_room(e, va))
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

bool eu_message_atomics(struct message *m)
{
	const struct eu_op *op = m->op;
	unsigned int operands = atomic_operands(m->code);
	const uint8_t *from = NULL;
	uint8_t *to = NULL;

	if (m->bytes < 2 || m->shift || m->vector != 1 || m->transposed)
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

		if (!atomic_place(m, message_address(m, lane), &p))
			return false;
		if (operands > 0)
			memcpy(&a, from + lane * m->reg_bytes, m->bytes);
		if (operands > 1)
			memcpy(&b, from + m->stride + lane * m->reg_bytes, m->bytes);
		if (p)
			old = apply_atomic(m->code, m->bytes, p, a, b);
		if (to)
			memcpy(to + lane * m->reg_bytes, &old, m->reg_bytes);
	}
	return true;
}
