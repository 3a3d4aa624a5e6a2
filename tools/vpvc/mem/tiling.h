/* SPDX-License-Identifier: MIT */
/* Addresses of the bytes of a two-dimensional surface. */
#ifndef TILING_H
#define TILING_H

#include <stdint.h>

enum tiling { TILING_LINEAR, TILING_X, TILING_4, TILING_64 };

/* Tile4: 4 KiB hold 128 bytes by 32 rows, in blocks of 64 bytes: 16 bytes by 4 rows. */
static inline uint64_t tile4_offset(uint64_t x, uint64_t y)
{
	return (x & 15) | (y & 3) << 4 | (x >> 4 & 3) << 6 | (y >> 2 & 1) << 8 |
	       (x >> 6 & 1) << 9 | (y >> 3 & 3) << 10;
}

/**
 * tiling_offset() - offset of a byte of a surface
 * @tiling: how the surface is tiled
 * @log_bytes: log2 of the bytes of an element, which decides the shape of a Tile64
 * @pitch: bytes from one row to the next
 * @x: byte in the row
 * @y: row
 * @run: contiguous bytes from there on
 */
static inline uint64_t tiling_offset(enum tiling tiling, unsigned int log_bytes,
				     uint64_t pitch, uint64_t x, uint64_t y, uint64_t *run)
{
	/* A tile's width and height, log2, for elements of 1 to 16 bytes. */
	static const uint8_t width64[] = { 8, 9, 9, 10, 10 }, height64[] = { 8, 7, 7, 6, 6 };
	unsigned int w, h;
	uint64_t tile, tx, ty;

	switch (tiling) {
	case TILING_X:
		*run = 512 - x % 512;
		return y / 8 * 8 * pitch + x / 512 * 4096 + y % 8 * 512 + x % 512;
	case TILING_4:
		*run = 16 - x % 16;
		return y / 32 * 32 * pitch + x / 128 * 4096 + tile4_offset(x, y);
	case TILING_64:
		/* The tile's shape is public; its rows of Tile4 are this model's choice. */
		w = width64[log_bytes];
		h = height64[log_bytes];
		tx = x & ((1u << w) - 1);
		ty = y & ((1u << h) - 1);
		tile = ty / 32 * ((1u << w) / 128) + tx / 128;
		*run = 16 - x % 16;
		return (y >> h << h) * pitch + (x >> w) * 65536 + tile * 4096 +
		       tile4_offset(x, y);
	default:
		*run = UINT64_MAX;
		return y * pitch + x;
	}
}

#endif
