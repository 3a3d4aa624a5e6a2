/* SPDX-License-Identifier: MIT */
#ifndef _XETILE_COPY_H_
#define _XETILE_COPY_H_

/**
 * DOC: copy
 *
 * Copies and fills by copy engines. The queue's class says whose engines:
 *
 * - XETILE_COPY: that of the device's tile; of a root: that of its first tile.
 * - XETILE_COPY_NEAREST: for each copy the one that is nearest to its bytes, of all tiles that
 *   work on the device runs on. That is the tile for which reading the source and writing the
 *   destination cost least; of equals, the tile with more of the destination.
 * - XETILE_COPY_SPLIT: for each copy all engines of these tiles. The copy is divided into as many
 *   parts as there are tiles: into pages of 64 KiB of the destination, of which the first parts
 *   have one more, as the color EVEN has it, or into rows. Each part goes to another tile, so that
 *   all of it costs least. A copy of less than 64 KiB for each tile has fewer parts, and one part
 *   goes to the nearest tile.
 *
 * The bytes of a buffer are where its color says. The library knows the color of
 * xetile_mem_alloc() and of each xetile_mem_recolor(); of an imported buffer, that of the import.
 * A spill or an eviction is not seen: the copy is right, but its engine may not be the nearest.
 * What a byte costs is told by the ratios that were measured on the card, or else by the driver's
 * order of distances (xetile_distance.h), as they were when the queue was created.
 *
 * A copy or fill into a buffer of the color REPLICATE is not divided: the engine of each tile that
 * has a copy of the buffer does all of it, into that copy. It takes a queue of XETILE_COPY_SPLIT or
 * XETILE_COPY_NEAREST on all these tiles.
 *
 * The copies of one queue run one after the other, also when they are by different engines. An
 * event tells the end of all parts of a copy. Each engine is a member of the queue, and a part that
 * fails bans its member only: copies that need this engine return -ECANCELED from then on.
 */

#ifndef _XETILE_H_
#error "include <xetile.h>"
#endif

#if defined(__cplusplus)
extern "C" {
#endif

/**
 * xetile_copy() - copy between buffers with a copy engine
 * @queue: a copy queue of any class
 * @dst: destination
 * @dst_offset: offset in @dst, bytes
 * @src: source
 * @src_offset: offset in @src, bytes; the ranges must not overlap
 * @size: bytes, not 0
 * @num_waits: elements at @waits
 * @waits: the copy starts after these events; NULL: none
 * @out: event of the copy's end, or NULL
 *
 * Return: 0; errors of xetile_launch(). When a part of a divided copy cannot be submitted, the
 * call waits for the parts in front of it, which have been copied then.
 */
int xetile_copy(struct xetile_queue *queue, struct xetile_mem *dst, uint64_t dst_offset,
		struct xetile_mem *src, uint64_t src_offset, uint64_t size,
		unsigned int num_waits, struct xetile_event *const *waits,
		struct xetile_event **out);

/**
 * struct xetile_rect - rows of bytes in two buffers; sizes are in bytes
 */
struct xetile_rect {
	/** @dst: destination */
	struct xetile_mem *dst;
	/** @dst_offset: of the first row in @dst */
	uint64_t dst_offset;
	/** @dst_pitch: from one row of @dst to the next, not less than @width */
	uint64_t dst_pitch;
	/** @src: source; the rows of both may lie between each other, but not overlap */
	struct xetile_mem *src;
	/** @src_offset: of the first row in @src */
	uint64_t src_offset;
	/** @src_pitch: from one row of @src to the next, not less than @width */
	uint64_t src_pitch;
	/** @width: of a row, not 0 */
	uint64_t width;
	/** @rows: number of rows, not 0; 65536 at most if a pitch exceeds 256 KiB */
	uint64_t rows;
};

/**
 * xetile_copy_rect() - copy rows between buffers with copy engines
 * @queue: a copy queue of any class
 * @rect: the rows; the pitches of one row do not count
 * @num_waits: elements at @waits
 * @waits: the copy starts after these events; NULL: none
 * @out: event of the copy's end, or NULL
 *
 * The bytes between the rows of the destination stay. A source and a destination that are the same
 * buffer must have the same pitch, unless all of one is behind the other.
 *
 * Return: 0; errors of xetile_copy().
 */
int xetile_copy_rect(struct xetile_queue *queue, const struct xetile_rect *rect,
		     unsigned int num_waits, struct xetile_event *const *waits,
		     struct xetile_event **out);

/**
 * xetile_fill() - set bytes of a buffer with a copy engine
 * @queue: a copy queue of any class
 * @dst: the buffer
 * @offset: offset in @dst, bytes
 * @size: bytes, not 0
 * @value: the byte
 * @num_waits: elements at @waits
 * @waits: the fill starts after these events; NULL: none
 * @out: event of the fill's end, or NULL
 *
 * Return: 0; errors of xetile_copy().
 */
int xetile_fill(struct xetile_queue *queue, struct xetile_mem *dst, uint64_t offset,
		uint64_t size, uint8_t value, unsigned int num_waits,
		struct xetile_event *const *waits, struct xetile_event **out);

#if defined(__cplusplus)
}
#endif

#endif
