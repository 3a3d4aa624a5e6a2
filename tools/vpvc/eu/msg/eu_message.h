/* SPDX-License-Identifier: MIT */
/*
 * Decoded messages: data and functions that the load/store unit, its atomics, its
 * two-dimensional blocks and the older data port share.
 */
#ifndef EU_MESSAGE_H
#define EU_MESSAGE_H

#include "eu/state/eu_state.h"

enum lsc_op {
	LSC_LOAD, LSC_LOAD_STRIDED, LSC_LOAD_QUAD, LSC_LOAD_BLOCK2D,
	LSC_STORE, LSC_STORE_STRIDED, LSC_STORE_QUAD, LSC_STORE_BLOCK2D,
	LSC_INC = 8, LSC_DEC, LSC_ATOMIC_LOAD, LSC_XCHG, LSC_ADD, LSC_SUB,
	LSC_SMIN, LSC_SMAX, LSC_UMIN, LSC_UMAX, LSC_CMPXCHG, LSC_FADD, LSC_FSUB,
	LSC_FMIN, LSC_FMAX, LSC_FCMPXCHG, LSC_AND, LSC_OR, LSC_XOR,
	LSC_LOAD_STATUS, LSC_STORE_UNCOMPRESSED, LSC_CCS, LSC_READ_STATE, LSC_FENCE
};

enum lsc_surface { LSC_FLAT, LSC_BSS, LSC_SS, LSC_BTI };

/* The surface index that means the general state base */
#define LSC_BTI_STATELESS 255

/* A decoded message */
struct message {
	struct eu_thread *t;
	const struct eu_op *op;
	const uint8_t *sources;	/* registers before the result, see eu_message_sources() */
	enum lsc_op code;
	bool slm;
	unsigned int address_bytes;
	unsigned int bytes;		/* of an element in memory */
	unsigned int reg_bytes;		/* of an element in a register */
	unsigned int shift;		/* into the upper half, d16u32h */
	unsigned int vector;
	bool transposed;
	bool strided;			/* one address and a pitch for all lanes */
	const uint64_t *placed;		/* addresses of the lanes' elements, or NULL */
	uint64_t base, limit;		/* limit UINT64_MAX: none */
	bool clip;			/* beyond the limit: read 0, drop writes */
	bool arguments;			/* relative to the general state base */
	uint32_t live;
	unsigned int stride;		/* bytes between vector components */
	/* the outcome */
	const char *why;
	uint64_t fault;
	bool fault_write;
};

/* Refuse the message for the reason @why; returns false. */
static inline bool illegal(struct message *m, const char *why)
{
	m->why = why;
	return false;
}

static inline uint64_t lane_address(const struct message *m, int lane)
{
	const uint8_t *p = m->sources + m->op->in.src[0].reg * EU_REG_BYTES +
			   lane * m->address_bytes;
	uint64_t v = 0;

	memcpy(&v, p, m->address_bytes);
	return v;
}

/* Address of a lane: the payload has the first lane's address, and a pitch in dword 2. */
static inline uint64_t strided_address(const struct message *m, int lane)
{
	uint32_t pitch;

	memcpy(&pitch, m->sources + m->op->in.src[0].reg * EU_REG_BYTES + 8, sizeof(pitch));
	return lane_address(m, 0) + (uint64_t)lane * pitch;
}

/* Address of a lane whose coordinates are outside of the surface, in typed messages */
#define NO_ADDRESS	UINT64_MAX

static inline uint64_t message_address(const struct message *m, int lane)
{
	if (m->placed)
		return m->placed[lane];
	return m->strided ? strided_address(m, lane) : lane_address(m, lane);
}

static inline uint8_t *slm_at(const struct message *m, uint64_t address, unsigned int n)
{
	/* The hardware ignores bit 28 and above, which mark some pointers. */
	uint32_t at = address & 0x0fffffff;

	if (at + n > m->t->worker->run->walker->slm_size)
		return NULL;
	return m->t->group->slm + at;
}

/* @bytes of registers from operand @o on, or NULL; sources must not be written. */
static inline uint8_t *payload(struct message *m, const struct eu_operand *o,
			       unsigned int bytes)
{
	unsigned int off = o->reg * EU_REG_BYTES;

	if (o->file != EU_GRF)
		illegal(m, "message without its data register");
	else if (off + bytes > EU_GRF_BYTES)
		illegal(m, "payload runs past the register file");
	else
		return (o == &m->op->in.dst ? m->t->regs : (uint8_t *)m->sources) + off;
	return NULL;
}

/* A message is done: returns the next instruction, or ends the thread. */
static inline struct eu_op *finish(struct eu_thread *t, struct eu_op *op)
{
	if (likely(!op->in.eot))
		return eu_next(t, op);
	t->status = EU_T_ENDED;
	return NULL;
}

static inline struct eu_op *conclude(struct message *m, struct eu_op *op, bool ok)
{
	if (likely(ok))
		return finish(m->t, op);
	if (m->why)
		return eu_thread_stop(m->t, op, EU_ILLEGAL, m->why);
	return eu_thread_fault(m->t, op, m->fault, m->fault_write);
}

/*
 * Set @m->sources. The hardware reads the sources before the result arrives, so compilers
 * let the result overlap them; in that case the registers are copied. @registers: number
 * of registers that the result may take.
 */
void eu_message_sources(struct message *m, unsigned int registers);
/* Set base and limit of a message by its kind of surface. */
bool eu_message_surface(struct message *m, uint32_t desc, uint32_t exdesc);
/* Load or store one element in memory or SLM, and count its bytes. */
bool eu_load_element(struct message *m, uint64_t address, uint8_t *to);
bool eu_store_element(struct message *m, uint64_t address, const uint8_t *from);
/* Load status: one bit per lane, set if memory backs all elements of the lane. */
bool eu_message_status(struct message *m);

#endif
