// SPDX-License-Identifier: MIT
/*
 * The load/store unit: gather and scatter, vectors, transposed blocks, atomics, fences and
 * two-dimensional blocks, in memory or in shared local memory. eu_send.c chooses the
 * handler; eu/fast has handlers for common forms.
 */
#include "eu/msg/eu_lsc.h"

#include "eu/msg/eu_atomic.h"
#include "eu/msg/eu_block.h"
#include "eu/msg/eu_message.h"
#include "eu/msg/eu_typed.h"

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

/*
 * A transposed message: the elements of a lane are contiguous in memory and in registers.
 * Only strided messages have more than one lane, and each lane begins a register.
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
 * Move those of four components that are in the mask. They are contiguous in registers
 * and keep their places in memory.
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
		return true;	/* the model has no compression to control */
	case LSC_LOAD_BLOCK2D:
	case LSC_STORE_BLOCK2D:
		return eu_message_block2d(m, desc);
	case LSC_INC ... LSC_XOR:
		return eu_message_atomics(m);
	case LSC_READ_STATE:
		return illegal(m, "the result of reading a surface's state is not public");
	default:
		return illegal(m, "message is not implemented");
	}
}

/* Registers that a result may take when its size is not known yet */
#define RESULT_REGISTERS	32

bool eu_lsc_is_local_fence(const struct eu_insn *in)
{
	return in->function == EU_SFID_SLM && !in->desc_reg && (in->desc & 0x3f) == LSC_FENCE &&
	       !in->eot;
}

/* The threads that share local memory run on one thread of the host, which needs no fence. */
static struct eu_op *exec_fence(struct eu_thread *t, struct eu_op *op)
{
	if (op->in.function != EU_SFID_SLM)
		atomic_thread_fence(memory_order_seq_cst);
	return finish(t, op);
}

struct eu_op *eu_exec_lsc(struct eu_thread *t, struct eu_op *op)
{
	const struct eu_insn *in = &op->in;
	uint32_t desc = eu_descriptor(t, op), exdesc = eu_ext_descriptor(t, op);
	struct message m = {.t = t, .op = op};
	bool ok, block2d;

	m.code = desc & 0x3f;
	if (m.code == LSC_FENCE)
		return exec_fence(t, op);
	m.live = eu_live(t, op);
	if (!m.live)
		return finish(t, op);
	m.slm = in->function == EU_SFID_SLM;
	block2d = m.code == LSC_LOAD_BLOCK2D || m.code == LSC_STORE_BLOCK2D;
	/* In 2D blocks [8:7] is no address size; a quad has no vector field. */
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
	/* A fence of typed surfaces is like other fences. */
	if (!op->in.desc_reg && (op->in.desc & 0x3f) == LSC_FENCE)
		return exec_fence;
	return op->in.function == EU_SFID_TGM ? eu_exec_typed : eu_exec_lsc;
}
