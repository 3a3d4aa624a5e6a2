// SPDX-License-Identifier: MIT
/*
 * Messages of the older data port: atomics, and blocks of two-dimensional surfaces.
 * eu_send.c chooses the handler.
 */
#include "eu/msg/eu_dataport.h"

#include "eu/msg/eu_atomic.h"
#include "eu/msg/eu_message.h"
#include "eu/msg/eu_surface.h"

/*
 * Descriptor of atomics, which older compilers emit: [18:14] type, [13] result wanted,
 * [12] 64-bit data, [11:8] operation, [7:0] surface. The payloads are those of the
 * load/store unit.
 */
#define DC1_ATOMIC		0x02
#define DC1_MEDIA_READ		0x04
#define DC1_MEDIA_WRITE		0x0a
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

static struct eu_op *exec_atomic(struct eu_thread *t, struct eu_op *op, uint32_t desc)
{
	unsigned int type = desc >> 14 & 0x1f;
	struct message m = {.t = t, .op = op, .vector = 1, .bytes = 4, .limit = UINT64_MAX};
	bool ok = true;

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
		ok = eu_message_surface(&m, (uint32_t)LSC_BTI << 29, desc << 24);
	}
	m.reg_bytes = m.bytes;
	m.stride = (op->n * m.bytes + 63) & ~63u;
	eu_message_sources(&m, m.stride / EU_REG_BYTES);
	ok = ok && payload(&m, &op->in.src[0], op->n * m.address_bytes) &&
	     dc1_operation(&m, type, desc >> 8 & 15);
	return conclude(&m, op, ok && eu_message_atomics(&m));
}

/*
 * A block of a two-dimensional surface. The header has X in bytes, Y in rows, then
 * width - 1 in bytes [5:0] and height - 1 in rows [21:16]. In registers a row takes a power
 * of two of bytes, at least four. Data to write follows the header or is the second source.
 */
static bool media_block(struct message *m, uint32_t desc, bool write)
{
	const struct eu_insn *in = &m->op->in;
	unsigned int width, height, row = 4, registers = desc >> 25 & 15;
	uint8_t *data, *header = payload(m, &in->src[0], EU_REG_BYTES);
	struct eu_surface s;
	uint32_t h[3];

	if (!header)
		return false;
	memcpy(h, header, sizeof(h));
	width = (h[2] & 0x3f) + 1;
	height = (h[2] >> 16 & 0x3f) + 1;
	while (row < width)
		row <<= 1;
	if (!eu_binding_table(m->t, desc & 0xff, &s, &m->why, &m->fault))
		return false;
	if (!s.image && s.size)
		return illegal(m, "media block of a surface with one dimension");
	if (!write)
		data = payload(m, &in->dst, height * row);
	else if (registers > 1)
		data = payload(m, &in->src[0], EU_REG_BYTES + height * row);
	else
		data = payload(m, &in->src[1], height * row);
	if (!data)
		return false;
	if (write && registers > 1)
		data += EU_REG_BYTES;
	m->bytes = 1;
	for (unsigned int y = 0; y < height; y++) {
		for (unsigned int x = 0; x < width; x++) {
			uint32_t at_x = h[0] + x, at_y = h[1] + y;
			uint8_t *reg = data + y * row + x;
			/* Media blocks count the width of a surface in dwords. */
			bool there = s.image && at_x < s.width * 4 && at_y < s.height;
			uint64_t address = there ? eu_surface_at(&s, at_x, at_y) : 0;

			if (!there && !write)
				*reg = 0;
			if (there && !(write ? eu_store_element(m, address, reg) :
					       eu_load_element(m, address, reg)))
				return false;
		}
	}
	return true;
}

static struct eu_op *exec_media(struct eu_thread *t, struct eu_op *op, uint32_t desc,
				bool write)
{
	struct message m = {.t = t, .op = op, .sources = t->regs, .limit = UINT64_MAX};

	return conclude(&m, op, !eu_live(t, op) || media_block(&m, desc, write));
}

struct eu_op *eu_exec_dc1(struct eu_thread *t, struct eu_op *op)
{
	uint32_t desc = eu_descriptor(t, op);
	bool header = desc >> 19 & 1;

	switch (desc >> 14 & 0x1f) {
	case DC1_ATOMIC: case DC1_ATOMIC_A64:
	case DC1_FLOAT_ATOMIC: case DC1_FLOAT_ATOMIC_A64:
		if (!header)
			return exec_atomic(t, op, desc);
		break;
	case DC1_MEDIA_READ:
		if (header)
			return exec_media(t, op, desc, false);
		break;
	case DC1_MEDIA_WRITE:
		if (header)
			return exec_media(t, op, desc, true);
		break;
	}
	return eu_thread_stop(t, op, EU_ILLEGAL, "data port message is not implemented");
}
