/* SPDX-License-Identifier: MIT */
/* Elements of typed surfaces. */
#ifndef EU_FORMAT_H
#define EU_FORMAT_H

#include <stdint.h>

enum eu_format_kind { EU_UNORM, EU_SNORM, EU_UINT, EU_SINT, EU_FLOAT };

/**
 * struct eu_texel - format of an element of a surface
 * @code: surface format
 * @kind: enum eu_format_kind of all components
 * @bits: widths of red, green, blue and alpha, from the lowest bit on; 0: absent
 */
struct eu_texel {
	uint16_t code;
	uint8_t kind;
	uint8_t bits[4];
};

const struct eu_texel *eu_find_format(unsigned int code);
unsigned int eu_texel_bytes(const struct eu_texel *f);
void eu_unpack_texel(const struct eu_texel *f, const uint8_t *from, uint32_t rgba[4]);
void eu_pack_texel(const struct eu_texel *f, const uint32_t rgba[4], uint8_t *to);

#endif
