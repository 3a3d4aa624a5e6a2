/* SPDX-License-Identifier: MIT */
/*
 * Surface states: scratch, buffers and linear two-dimensional surfaces, found
 * by offset, through the binding table, or among the bindless ones.
 */
#include "eu_core.h"

enum surface_type {
	SURFACE_2D = 1, SURFACE_BUFFER = 4, SURFACE_STRUCTURED = 5,
	SURFACE_SCRATCH = 6, SURFACE_NULL = 7
};

/* Formats of one byte an element; RAW buffers count bytes as well. */
#define FORMAT_R8_FIRST	0x140	/* R8_UNORM .. R8_UINT */
#define FORMAT_R8_LAST	0x143
#define FORMAT_RAW	0x1ff
#define FORMAT_R32_FIRST 0x0d6	/* R32_SINT, R32_UINT, R32_FLOAT */
#define FORMAT_R32_LAST	0x0d8

/* Number of entries less one, spread over width, height and depth */
static uint64_t entries(const uint32_t *state)
{
	return (state[2] & 0x7f) | (state[2] >> 16 & 0x3fff) << 7 |
	       (uint64_t)(state[3] >> 21) << 21;
}

static unsigned int texel_bytes(unsigned int format)
{
	if (format == FORMAT_RAW || (format >= FORMAT_R8_FIRST && format <= FORMAT_R8_LAST))
		return 1;
	if (format >= FORMAT_R32_FIRST && format <= FORMAT_R32_LAST)
		return 4;
	return 0;
}

static const char *flat_surface(const uint32_t *state, struct eu_surface *s)
{
	unsigned int texel = texel_bytes(state[0] >> 18 & 0x1ff);

	if (state[0] >> 12 & 3)
		return "tiled surfaces are not implemented";
	if (!texel)
		return "surface format is not implemented";
	s->width = (state[2] & 0x3fff) + 1;
	s->height = (state[2] >> 16 & 0x3fff) + 1;
	s->size = (uint64_t)(s->height - 1) * s->pitch + s->width * texel;
	return NULL;
}

static const char *decode(struct eu_thread *t, const uint32_t *state, struct eu_surface *s)
{
	memset(s, 0, sizeof(*s));
	s->base = state[8] | (uint64_t)state[9] << 32;
	s->pitch = (state[3] & 0x3ffff) + 1;
	switch ((enum surface_type)(state[0] >> 29)) {
	case SURFACE_2D:
		return flat_surface(state, s);
	case SURFACE_BUFFER: case SURFACE_STRUCTURED:
		s->size = (entries(state) + 1) * s->pitch;
		return NULL;
	case SURFACE_SCRATCH:
		if (t->slot > entries(state))
			return "scratch has no room for this thread";
		s->scratch = true;
		s->size = s->pitch;
		s->base += (uint64_t)t->slot * s->pitch;
		return NULL;
	case SURFACE_NULL:
		return NULL;	/* nothing is inside: reads 0, drops writes */
	default:
		return "surface type is not implemented";
	}
}

/* The state at @state; false with *why, or with a page fault at *fault. */
bool eu_read_surface(struct eu_thread *t, uint64_t state, struct eu_surface *s,
		     const char **why, uint64_t *fault)
{
	uint32_t dwords[16];

	*why = NULL;
	if (!eu_mem_fetch(t->worker, state, dwords, sizeof(dwords), fault))
		return false;
	*why = decode(t, dwords, s);
	return !*why;
}

bool eu_binding_table(struct eu_thread *t, unsigned int index, struct eu_surface *s,
		      const char **why, uint64_t *fault)
{
	const struct eu_walker *walker = t->worker->run->walker;
	uint64_t entry = walker->ssba + walker->binding_table + 4 * index;
	uint32_t offset;

	*why = NULL;
	if (!eu_mem_fetch(t->worker, entry, &offset, sizeof(offset), fault))
		return false;
	return eu_read_surface(t, walker->ssba + (offset & ~63u), s, why, fault);
}

/* The surface state of scratch: per thread one slice of pitch bytes */
bool eu_scratch_surface(struct eu_thread *t, uint32_t offset, uint64_t *base,
			uint64_t *pitch, const char **why, uint64_t *fault)
{
	struct eu_surface s;

	if (!eu_read_surface(t, t->worker->run->walker->ssba + (offset & ~63u), &s,
			     why, fault))
		return false;
	if (!s.scratch) {
		*why = "surface of a scratch block is no scratch";
		return false;
	}
	*base = s.base;
	*pitch = s.size;
	return true;
}
