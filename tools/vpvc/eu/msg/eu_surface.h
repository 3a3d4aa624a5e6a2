/* SPDX-License-Identifier: MIT */
/* Surface states. */
#ifndef EU_SURFACE_H
#define EU_SURFACE_H

#include "eu/isa/eu_format.h"
#include "eu/state/eu_state.h"

/**
 * struct eu_surface - a decoded surface state
 * @scratch: the surface is scratch, and @base is that of the thread's own slice
 * @base: virtual address
 * @size: bytes that offsets from @base may reach; 0: a tiled or a null surface
 * @image: the surface has rows of @width elements; otherwise it is a buffer of @width
 *	elements
 * @format: format of elements, NULL if it is unknown
 * @tiling: enum tiling
 * @width: elements of a row or buffer
 * @height: rows
 * @pitch: bytes from one row, or element of a buffer, to the next
 * @layers: array elements, or slices of a volume
 * @first_layer: array element that messages address as layer 0
 * @layer_rows: rows from one layer to the next
 */
struct eu_surface {
	bool scratch;
	bool image;
	uint64_t base, size;
	const struct eu_texel *format;
	uint8_t tiling;
	uint32_t width, height, pitch;
	uint32_t layers, first_layer, layer_rows;
};

uint64_t eu_surface_at(const struct eu_surface *s, uint64_t x, uint64_t y);

bool eu_read_surface(struct eu_thread *t, uint64_t state, struct eu_surface *s,
		     const char **why, uint64_t *fault);
bool eu_binding_table(struct eu_thread *t, unsigned int index, struct eu_surface *s,
		      const char **why, uint64_t *fault);
bool eu_scratch_surface(struct eu_thread *t, uint32_t offset, uint64_t *base,
			uint64_t *pitch, const char **why, uint64_t *fault);

#endif
