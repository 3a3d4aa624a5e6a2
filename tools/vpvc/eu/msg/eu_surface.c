// SPDX-License-Identifier: MIT
/*
 * Surface states of scratch, buffers and images, found by offset, by the binding table, or
 * among the bindless ones. Messages call this on a worker's host thread.
 */
#include "eu/msg/eu_surface.h"

#include "eu/msg/eu_memory.h"
#include "mem/tiling.h"

enum surface_type {
	SURFACE_1D, SURFACE_2D, SURFACE_3D, SURFACE_BUFFER = 4, SURFACE_STRUCTURED,
	SURFACE_SCRATCH, SURFACE_NULL
};

/* Number of entries minus one; its bits are in the fields width, height and depth. */
static uint64_t entries(const uint32_t *state)
{
	return (state[2] & 0x7f) | (state[2] >> 16 & 0x3fff) << 7 |
	       (uint64_t)(state[3] >> 21) << 21;
}

/* Address of byte @x of row @y */
uint64_t eu_surface_at(const struct eu_surface *s, uint64_t x, uint64_t y)
{
	unsigned int bytes = eu_texel_bytes(s->format);
	uint64_t run;

	return s->base + tiling_offset(s->tiling, (unsigned int)__builtin_ctz(bytes), s->pitch,
				       x, y, &run);
}

static const char *decode_image(const uint32_t *state, struct eu_surface *s)
{
	static const uint8_t tilings[4] = { TILING_LINEAR, TILING_64, TILING_X, TILING_4 };
	enum surface_type type = state[0] >> 29;
	bool array = state[0] >> 28 & 1;

	s->tiling = tilings[state[0] >> 12 & 3];
	if (!s->format)
		return "surface format is not implemented";
	if (type == SURFACE_3D && s->tiling == TILING_64)
		return "the layout of volumes in Tile64 is not public";
	if (type == SURFACE_1D && array)
		return "arrays of lines are not implemented";
	if (state[4] >> 3 & 7)
		return "surfaces of several samples are not implemented";
	if (state[5] & 0xf)
		return "mip maps are not implemented";
	if (state[5] >> 25 || state[5] >> 21 & 7)
		return "surfaces that begin inside of a tile are not implemented";
	s->image = true;
	s->width = (state[2] & 0x3fff) + 1;
	s->height = type == SURFACE_1D ? 1 : (state[2] >> 16 & 0x3fff) + 1;
	s->layers = array || type == SURFACE_3D ? (state[3] >> 21) + 1 : 1;
	s->first_layer = array ? state[4] >> 18 & 0x7ff : 0;
	s->layer_rows = (state[1] & 0x7fff) * 4;
	if (s->tiling == TILING_LINEAR)
		s->size = (uint64_t)(s->height - 1) * s->pitch +
			  s->width * eu_texel_bytes(s->format);
	return NULL;
}

static const char *decode(struct eu_thread *t, const uint32_t *state, struct eu_surface *s)
{
	memset(s, 0, sizeof(*s));
	s->base = state[8] | (uint64_t)state[9] << 32;
	s->pitch = (state[3] & 0x3ffff) + 1;
	s->format = eu_find_format(state[0] >> 18 & 0x1ff);
	switch ((enum surface_type)(state[0] >> 29)) {
	case SURFACE_1D: case SURFACE_2D: case SURFACE_3D:
		return decode_image(state, s);
	case SURFACE_BUFFER: case SURFACE_STRUCTURED:
		s->width = (uint32_t)(entries(state) + 1);
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
		return NULL;	/* no element is inside: reads give 0, writes are dropped */
	default:
		return "surface type is not implemented";
	}
}

/* Read the surface state at @state; false with *@why, or with a page fault at *@fault. */
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

/* Find the calling thread's slice of a scratch surface: @pitch bytes at @base. */
bool eu_scratch_surface(struct eu_thread *t, uint32_t offset, uint64_t *base,
			uint64_t *pitch, const char **why, uint64_t *fault)
{
	struct eu_surface s;

	if (!eu_read_surface(t, t->worker->run->walker->ssba + (offset & ~63u), &s,
			     why, fault))
		return false;
	if (!s.scratch) {
		*why = "surface of a scratch block is not scratch";
		return false;
	}
	*base = s.base;
	*pitch = s.size;
	return true;
}
