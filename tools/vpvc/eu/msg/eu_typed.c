// SPDX-License-Identifier: MIT
/*
 * Typed messages of the load/store unit: elements of surfaces by coordinates, converted to
 * and from the surface's format. eu_lsc_select() chooses this handler.
 */
#include "eu/msg/eu_typed.h"

#include <fenv.h>

#include "eu/msg/eu_atomic.h"
#include "eu/msg/eu_message.h"
#include "eu/msg/eu_surface.h"

/* U, V, layer or slice, and level of detail, each a vector of lanes */
#define COORDINATES	4

/* Find the surface of a message; false with m->why or a page fault. */
static bool find_surface(struct message *m, uint32_t desc, uint32_t exdesc,
			 struct eu_surface *s)
{
	const struct eu_walker *walker = m->t->worker->run->walker;

	switch ((enum lsc_surface)(desc >> 29 & 3)) {
	case LSC_BTI:
		return eu_binding_table(m->t, exdesc >> 24, s, &m->why, &m->fault);
	case LSC_SS:
		return eu_read_surface(m->t, walker->ssba + (exdesc & ~63u), s, &m->why,
				       &m->fault);
	case LSC_BSS:
		return eu_read_surface(m->t, walker->bindless + (exdesc & ~63u), s, &m->why,
				       &m->fault);
	default:
		return illegal(m, "typed message without a surface");
	}
}

/* Address of an element, or NO_ADDRESS for coordinates outside of the surface. */
static uint64_t texel_address(const struct eu_surface *s, const uint32_t c[COORDINATES])
{
	uint64_t row, x = (uint64_t)c[0] * (s->format ? eu_texel_bytes(s->format) : 0);

	if (c[0] >= s->width)
		return NO_ADDRESS;
	if (!s->image)
		return s->base + (uint64_t)c[0] * s->pitch;
	if (c[1] >= s->height || c[2] >= s->layers || c[3])
		return NO_ADDRESS;
	row = c[1] + (uint64_t)(c[2] + s->first_layer) * s->layer_rows;
	return eu_surface_at(s, x, row);
}

/* Compute the address of each lane. Coordinates that the message lacks are 0. */
static bool place_lanes(struct message *m, uint32_t desc, const struct eu_surface *s,
			uint64_t at[EU_MAX_LANES])
{
	unsigned int stride = (m->op->n * m->address_bytes + 63) & ~63u;
	unsigned int sent = (desc >> 25 & 15) * EU_REG_BYTES / stride;
	const uint8_t *from;

	if (sent > COORDINATES)
		sent = COORDINATES;
	if (!sent)
		return illegal(m, "typed message without coordinates");
	from = payload(m, &m->op->in.src[0], sent * stride);
	if (!from)
		return false;
	for (uint32_t rest = m->live; rest; rest &= rest - 1) {
		int lane = __builtin_ctz(rest);
		uint32_t c[COORDINATES] = {};

		for (unsigned int i = 0; i < sent; i++)
			memcpy(&c[i], from + i * stride + lane * m->address_bytes,
			       m->address_bytes);
		at[lane] = texel_address(s, c);
	}
	m->placed = at;
	return true;
}

/* The components in the mask are contiguous in registers. */
static bool typed_load(struct message *m, const struct eu_texel *f, unsigned int mask)
{
	unsigned int used = (unsigned int)__builtin_popcount(mask);
	uint8_t *to, texel[16];
	uint32_t rgba[4];

	if (m->op->in.dst.file != EU_GRF)
		return true;	/* a prefetch */
	to = payload(m, &m->op->in.dst, used * m->stride);
	if (!to)
		return false;
	for (uint32_t rest = m->live; rest; rest &= rest - 1) {
		int lane = __builtin_ctz(rest);
		unsigned int n = 0;

		memset(rgba, 0, sizeof(rgba));
		if (m->placed[lane] != NO_ADDRESS) {
			if (!eu_load_element(m, m->placed[lane], texel))
				return false;
			eu_unpack_texel(f, texel, rgba);
		}
		for (unsigned int c = 0; c < 4; c++)
			if (mask >> c & 1)
				memcpy(to + n++ * m->stride + lane * 4, &rgba[c], 4);
	}
	return true;
}

/* Components that are not in the mask are written as 0. */
static bool typed_store(struct message *m, const struct eu_texel *f, unsigned int mask)
{
	unsigned int used = (unsigned int)__builtin_popcount(mask);
	const uint8_t *from = payload(m, &m->op->in.src[1], used * m->stride);
	uint8_t texel[16];

	if (!from)
		return false;
	for (uint32_t rest = m->live; rest; rest &= rest - 1) {
		int lane = __builtin_ctz(rest);
		uint32_t rgba[4] = {};
		unsigned int n = 0;

		if (m->placed[lane] == NO_ADDRESS)
			continue;
		for (unsigned int c = 0; c < 4; c++)
			if (mask >> c & 1)
				memcpy(&rgba[c], from + n++ * m->stride + lane * 4, 4);
		eu_pack_texel(f, rgba, texel);
		if (!eu_store_element(m, m->placed[lane], texel))
			return false;
	}
	return true;
}

static bool run_typed(struct message *m, uint32_t desc, const struct eu_surface *s)
{
	const struct eu_texel *f = s->format;
	unsigned int mask = desc >> 12 & 15;

	/* A null surface has no format and no width. */
	if (!f && s->width)
		return illegal(m, "surface format is not implemented");
	m->bytes = f ? eu_texel_bytes(f) : 4;
	switch (m->code) {
	case LSC_LOAD_QUAD:
		return (mask || illegal(m, "no component is requested")) &&
		       typed_load(m, f, mask);
	case LSC_STORE_QUAD:
		return (mask || illegal(m, "no component is given")) &&
		       typed_store(m, f, mask);
	case LSC_INC ... LSC_XOR:
		if (m->bytes != 4 || (f && f->bits[1]))
			return illegal(m, "atomic on elements that are not dwords");
		return eu_message_atomics(m);
	case LSC_LOAD_STATUS:
		return eu_message_status(m);
	case LSC_LOAD_BLOCK2D: case LSC_STORE_BLOCK2D:
		return illegal(m, "typed blocks belong to newer execution units");
	case LSC_READ_STATE:
		return illegal(m, "the result of reading a surface's state is not public");
	default:
		return illegal(m, "typed message is not implemented");
	}
}

struct eu_op *eu_exec_typed(struct eu_thread *t, struct eu_op *op)
{
	uint32_t desc = eu_descriptor(t, op), exdesc = eu_ext_descriptor(t, op);
	struct message m = {
		.t = t, .op = op, .code = desc & 0x3f, .vector = 1, .reg_bytes = 4,
		.stride = (op->n * 4u + 63) & ~63u, .limit = UINT64_MAX,
	};
	unsigned int address = desc >> 7 & 3;
	uint64_t at[EU_MAX_LANES];
	struct eu_surface s;
	bool ok = true;

	m.live = eu_live(t, op);
	if (!m.live)
		return finish(t, op);
	m.address_bytes = address == 1 ? 2 : 4;
	/* The result has four components at most. */
	eu_message_sources(&m, 4 * m.stride / EU_REG_BYTES);
	if (op->n > 16)
		ok = illegal(&m, "typed message of more than 16 lanes");
	else if (address != 1 && address != 2)
		ok = illegal(&m, "typed message with addresses of another size");
	else if ((desc >> 9 & 7) != 2)
		ok = illegal(&m, "typed message with data of another size");
	/* Conversions round to nearest, not by the thread's mode. */
	if (t->worker->rounding != FE_TONEAREST)
		fesetround(FE_TONEAREST);
	ok = ok && find_surface(&m, desc, exdesc, &s) && place_lanes(&m, desc, &s, at) &&
	     run_typed(&m, desc, &s);
	if (t->worker->rounding != FE_TONEAREST)
		fesetround(t->worker->rounding);
	return conclude(&m, op, ok);
}
