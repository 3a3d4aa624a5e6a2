// SPDX-License-Identifier: MIT
/*
 * Commands of the copy engine (layouts: the driver's pvc_blt_commands.h), run by cs.c on
 * the engine's thread. Copies handle tiled surfaces; a fill of one stops the engine.
 *
 * A rectangle whose pitch is its width is one run of bytes. A run is copied in pieces
 * that are contiguous on both sides.
 */
#define _GNU_SOURCE
#include "cs/blt.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bus/dma.h"
#include "core/clock.h"
#include "core/inject.h"
#include "core/xlat.h"
#include "cs/blt_late.h"
#include "cs/command.h"
#include "cs/command_list.h"
#include "cs/cs_mem.h"
#include "cs/cs_state.h"
#include "mem/memory.h"
#include "mem/tiling.h"
#include "pvc_blt_commands.h"

/* Most bytes between two looks at the stop flag, and under one lock of guest memory. */
#define PIECE			0x100000ull
#define HOST_PAGE		((uintptr_t)4096)
/* Fewer bytes are not worth a call of the host. */
#define POPULATE		0x10000ull

struct surface {
	uint64_t addr;
	uint64_t pitch;			/* bytes */
	enum tiling tiling;		/* same values as the commands' fields */
	unsigned int log_bytes;		/* of an element, for Tile64 */
	uint64_t x, y;			/* where the rectangle begins, in bytes and rows */
};

/* Address of byte @x of row @y; *@run bytes are contiguous from there. */
static uint64_t surface_at(const struct surface *s, uint64_t x, uint64_t y, uint64_t *run)
{
	return s->addr + tiling_offset(s->tiling, s->log_bytes, s->pitch, x + s->x, y + s->y,
				       run);
}

static enum cs_result blt_fault(struct cs *cs, enum xlat x, uint64_t va, const struct span *s,
				bool write)
{
	struct mem_fault f = {
		.kind = x, .va = va, .level = s->level, .write = write,
		.ggtt = cs_space(cs, false).ggtt,
	};

	return cs_fault(cs, &f);
}

static uint64_t min3(uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t m = a < b ? a : b;

	return m < c ? m : c;
}

/*
 * Has nobody written to these bytes of HBM yet? Then the file behind HBM has a hole there, which
 * reads zero: it need not be read, and zeros need not be written into it. A card can have more HBM
 * than the host has memory.
 */
static bool is_hole(struct card *c, const struct span *s, uint64_t len)
{
	off_t at, data;

	if (s->place != PLACE_LOCAL && s->place != PLACE_REMOTE)
		return false;
	at = (off_t)s->phys;
	data = lseek(c->hbm_fd, at, SEEK_DATA);
	return data < 0 ? errno == ENXIO : data >= at + (off_t)len;
}

/*
 * Have the host map the pages at once before they are touched: a page fault for each of them takes
 * several times as long. Without success they are mapped as they are touched.
 */
static void populate(const uint8_t *p, uint64_t n, int advice)
{
	uintptr_t first = ((uintptr_t)p + HOST_PAGE - 1) & ~(HOST_PAGE - 1);
	uintptr_t end = ((uintptr_t)p + n) & ~(HOST_PAGE - 1);

	if (n >= POPULATE && first < end)
		madvise((void *)first, end - first, advice);
}

/* Write @n bytes; @end: they are the last ones of the blit. */
static void copy_bytes(struct cs *cs, const struct span *to, const uint8_t *from, uint64_t n,
		       bool end)
{
	uint64_t late = 0;
	uint8_t *kept;

	if (to->host && inject_copy_lost(cs->e, n))
		return;
	kept = end ? blt_late_keep(cs, to, n, &late) : NULL;
	if (!to->host)
		return;
	if (late && from)
		memcpy(kept, from + n - late, late);
	else if (late)
		memset(kept, 0, late);
	if (!from && is_hole(cs->card, to, n - late))
		return;
	populate(to->host, n - late, MADV_POPULATE_WRITE);
	if (from) {
		populate(from, n - late, MADV_POPULATE_READ);
		memmove(to->host, from, n - late);
	} else {
		memset(to->host, 0, n - late);
	}
}

/* Copy one piece of at most @len bytes; *@done: bytes copied. @end: as in copy_run(). */
static enum cs_result copy_piece(struct cs *cs, uint64_t dst, uint64_t src, uint64_t len,
				 bool end, uint64_t *done)
{
	struct span from = { 0 }, to = { 0 };
	enum xlat x;
	uint64_t n;

	x = cs_translate(cs, false, src, false, &from);
	if (x != XLAT_OK)
		return blt_fault(cs, x, src, &from, false);
	x = cs_translate(cs, false, dst, true, &to);
	if (x != XLAT_OK)
		return blt_fault(cs, x, dst, &to, true);
	n = min3(len, from.len, to.len);
	if (n > PIECE)
		n = PIECE;
	if (blt_out_of_credits(cs, &from, n) || blt_out_of_credits(cs, &to, n))
		return CS_AGAIN;
	blt_late_meet(cs, &from, n);
	blt_late_meet(cs, &to, n);
	if (is_hole(cs->card, &from, n))
		from.host = NULL;
	copy_bytes(cs, &to, from.host, n, end && n == len);
	count_access(cs->e, from.place, false, n);
	count_access(cs->e, to.place, true, n);
	*done = n;
	return CS_OK;
}

/* @end: the last of these bytes are the last ones of the blit. */
static enum cs_result copy_run(struct cs *cs, uint64_t dst, uint64_t src, uint64_t len, bool end)
{
	while (len) {
		enum cs_result r;
		uint64_t n = 0;

		if (cs_stopping(cs))
			return CS_STOP;
		card_mem_lock(cs->card);
		r = copy_piece(cs, dst, src, len, end, &n);
		card_mem_unlock(cs->card);
		if (r == CS_AGAIN)
			return cs_hang(cs);
		if (r != CS_OK)
			return r;
		dst += n;
		src += n;
		len -= n;
	}
	return CS_OK;
}

static enum cs_result copy_row(struct cs *cs, const struct surface *dst,
			       const struct surface *src, uint64_t y, uint64_t width, bool end)
{
	uint64_t to, from, n, x;

	for (x = 0; x < width; x += n) {
		uint64_t to_run, from_run;
		enum cs_result r;

		to = surface_at(dst, x, y, &to_run);
		from = surface_at(src, x, y, &from_run);
		n = min3(width - x, to_run, from_run);
		r = copy_run(cs, to, from, n, end && x + n == width);
		if (r != CS_OK)
			return r;
	}
	return CS_OK;
}

static enum cs_result copy_rows(struct cs *cs, struct surface dst, struct surface src,
				uint64_t width, uint64_t rows)
{
	cs->batch.jumps = 0;
	if (!dst.tiling && !src.tiling && dst.pitch == width && src.pitch == width) {
		width *= rows;
		rows = 1;
	}
	for (uint64_t y = 0; y < rows; y++) {
		enum cs_result r = copy_row(cs, &dst, &src, y, width,
					    y + 1 == rows);

		if (r != CS_OK)
			return r;
	}
	return CS_OK;
}

/* ---- fill ---- */

/* Fill with @pattern of @size bytes, beginning with its byte @phase. */
static void fill_host(uint8_t *p, uint64_t len, const uint8_t *pattern, unsigned int size,
		      unsigned int phase)
{
	uint64_t n = 0;

	if (size == 1) {
		memset(p, pattern[0], len);
		return;
	}
	for (; n < size && n < len; n++)
		p[n] = pattern[(phase + n) % size];
	/* The filled part is a whole number of patterns: copy it behind itself. */
	while (n < len) {
		uint64_t more = n < len - n ? n : len - n;

		memcpy(p + n, p, more);
		n += more;
	}
}

static bool is_zero(const uint8_t *pattern, unsigned int size)
{
	for (unsigned int i = 0; i < size; i++)
		if (pattern[i])
			return false;
	return true;
}

static enum cs_result fill_piece(struct cs *cs, uint64_t dst, uint64_t len, bool end,
				 const uint8_t *pattern, unsigned int size, unsigned int phase,
				 uint64_t *done)
{
	struct span to = { 0 };
	uint64_t n, late = 0;
	uint8_t *kept = NULL;
	enum xlat x;
	bool lost;

	x = cs_translate(cs, false, dst, true, &to);
	if (x != XLAT_OK)
		return blt_fault(cs, x, dst, &to, true);
	n = min3(len, to.len, PIECE);
	if (blt_out_of_credits(cs, &to, n))
		return CS_AGAIN;
	blt_late_meet(cs, &to, n);
	lost = to.host && inject_copy_lost(cs->e, n);
	if (end && n == len && !lost)
		kept = blt_late_keep(cs, &to, n, &late);
	if (late)
		fill_host(kept, late, pattern, size, (phase + n - late) % size);
	if (to.host && !lost && !(is_zero(pattern, size) && is_hole(cs->card, &to, n - late))) {
		populate(to.host, n - late, MADV_POPULATE_WRITE);
		fill_host(to.host, n - late, pattern, size, phase);
	}
	count_access(cs->e, to.place, true, n);
	*done = n;
	return CS_OK;
}

/* @end: as in copy_run() */
static enum cs_result fill_run(struct cs *cs, uint64_t dst, uint64_t len, bool end,
			       const uint8_t *pattern, unsigned int size)
{
	unsigned int phase = 0;

	while (len) {
		enum cs_result r;
		uint64_t n = 0;

		if (cs_stopping(cs))
			return CS_STOP;
		card_mem_lock(cs->card);
		r = fill_piece(cs, dst, len, end, pattern, size, phase, &n);
		card_mem_unlock(cs->card);
		if (r == CS_AGAIN)
			return cs_hang(cs);
		if (r != CS_OK)
			return r;
		dst += n;
		len -= n;
		phase = (phase + n) % size;
	}
	return CS_OK;
}

static enum cs_result fill_rows(struct cs *cs, struct surface dst, uint64_t width, uint64_t rows,
				const uint8_t *pattern, unsigned int size)
{
	cs->batch.jumps = 0;
	blt_late_fill(cs, rows, width * rows);
	if (dst.pitch == width) {
		width *= rows;
		rows = 1;
	}
	for (uint64_t i = 0; i < rows; i++) {
		enum cs_result r = fill_run(cs, dst.addr + i * dst.pitch, width,
					    i + 1 == rows, pattern, size);

		if (r != CS_OK)
			return r;
	}
	return CS_OK;
}

/* ---- commands ---- */

static uint64_t address(const uint32_t *dw)
{
	return (uint64_t)dw[1] << 32 | dw[0];
}

static enum cs_result copy(struct cs *cs, const uint32_t *dw)
{
	unsigned int type = PVC_FIELD_GET(PVC_MEM_TYPE, dw[0]);
	struct surface src = { .addr = address(dw + 5), .pitch = (dw[3] & PVC_MEM_DIM) + 1 };
	struct surface dst = { .addr = address(dw + 7), .pitch = (dw[4] & PVC_MEM_DIM) + 1 };
	bool pages = dw[0] & PVC_MEM_COPY_UNIT_PAGE;
	uint64_t bytes;

	switch (type) {
	case PVC_MEM_TYPE_LINEAR:
		bytes = (dw[1] & PVC_MEM_DIM) + 1;
		if (pages)
			bytes = ((dw[1] & PVC_MEM_COPY_PAGE_DIM) + 1ull) * PVC_MEM_COPY_PAGE_BYTES;
		return copy_run(cs, dst.addr, src.addr, bytes, true);
	case PVC_MEM_TYPE_MATRIX:
		if (!pages)
			return copy_rows(cs, dst, src, (dw[1] & PVC_MEM_DIM) + 1,
					 (dw[2] & PVC_MEM_DIM) + 1);
		break;
	}
	return cs_error(cs, "unimplemented: MEM_COPY type %u%s", type, pages ? " in pages" : "");
}

static enum cs_result mem_copy(struct cs *cs, const uint32_t *dw, unsigned int len)
{
	uint64_t began = card_timestamp();
	enum cs_result r = copy(cs, dw);

	(void)len;
	if (!counter_get(&cs->e->cnt.copy_began))
		counter_set(&cs->e->cnt.copy_began, began);
	counter_set(&cs->e->cnt.copy_ended, card_timestamp());
	return r;
}

static enum cs_result mem_set(struct cs *cs, const uint32_t *dw, unsigned int len)
{
	unsigned int type = PVC_FIELD_GET(PVC_MEM_TYPE, dw[0]);
	struct surface dst = { .addr = address(dw + 4), .pitch = (dw[3] & PVC_MEM_DIM) + 1 };
	uint8_t value = PVC_FIELD_GET(PVC_MEM_SET6_VALUE, dw[6]);
	uint64_t width = (dw[1] & PVC_MEM_DIM) + 1;

	(void)len;
	switch (type) {
	case PVC_MEM_TYPE_LINEAR:
		return fill_rows(cs, dst, width, 1, &value, 1);
	case PVC_MEM_TYPE_MATRIX:
		return fill_rows(cs, dst, width, (dw[2] & PVC_MEM_DIM) + 1, &value, 1);
	}
	return cs_error(cs, "unimplemented: MEM_SET type %u", type);
}

struct rect {
	uint32_t x1, y1, x2, y2;
};

static struct rect rectangle(uint32_t from, uint32_t to)
{
	return (struct rect) {
		PVC_FIELD_GET(PVC_XY_X, from), PVC_FIELD_GET(PVC_XY_Y, from),
		PVC_FIELD_GET(PVC_XY_X, to), PVC_FIELD_GET(PVC_XY_Y, to),
	};
}

static bool rect_empty(const struct rect *r)
{
	return r->x2 <= r->x1 || r->y2 <= r->y1;
}

/* Bytes per element by XY_FAST_COPY_BLT's depth code, 0: no such code. */
static unsigned int fast_copy_depth(unsigned int code)
{
	static const unsigned int bytes[8] = { 1, 2, 0, 4, 8, 16, 0, 0 };

	return bytes[code];
}

static unsigned int block_depth(unsigned int code)
{
	static const unsigned int bytes[8] = { 1, 2, 4, 8, 12, 16, 0, 0 };

	return bytes[code];
}

/* A surface and the corner of its rectangle; a tiled surface's pitch counts dwords. */
static struct surface surface_of(uint64_t addr, uint64_t pitch, enum tiling tiling,
				 unsigned int bytes, uint64_t x, uint64_t y)
{
	return (struct surface) {
		.addr = addr,
		.pitch = tiling == TILING_LINEAR ? pitch : 4 * pitch,
		.tiling = tiling,
		.log_bytes = __builtin_ctz(bytes),
		.x = x * bytes,
		.y = y,
	};
}

static enum cs_result xy_fast_copy(struct cs *cs, const uint32_t *dw, unsigned int len)
{
	unsigned int bytes = fast_copy_depth(PVC_FIELD_GET(PVC_XY_FAST_COPY1_DEPTH, dw[1]));
	struct rect r = rectangle(dw[2], dw[3]);
	struct surface dst, src;

	(void)len;
	if (!bytes)
		return cs_error(cs, "XY_FAST_COPY_BLT: depth code %u",
				PVC_FIELD_GET(PVC_XY_FAST_COPY1_DEPTH, dw[1]));
	if (rect_empty(&r))
		return CS_OK;
	/* Only DW0 gives the tiling: drivers leave the tiling type bits of DW1 set. */
	dst = surface_of(address(dw + 4), dw[1] & PVC_XY_FAST_COPY1_PITCH,
			 PVC_FIELD_GET(PVC_XY_FAST_COPY0_DST_TILING, dw[0]), bytes, r.x1, r.y1);
	src = surface_of(address(dw + 8), dw[7] & PVC_XY_FAST_COPY7_PITCH,
			 PVC_FIELD_GET(PVC_XY_FAST_COPY0_SRC_TILING, dw[0]), bytes,
			 PVC_FIELD_GET(PVC_XY_X, dw[6]), PVC_FIELD_GET(PVC_XY_Y, dw[6]));
	return copy_rows(cs, dst, src, (uint64_t)(r.x2 - r.x1) * bytes, r.y2 - r.y1);
}

/* A surface of the block commands and the corner of its rectangle. */
static struct surface block_surface(uint32_t pitch_dw, const uint32_t *addr, uint32_t offset_dw,
				    unsigned int bytes, uint64_t x, uint64_t y)
{
	return surface_of(address(addr), (pitch_dw & PVC_XY_BLOCK1_PITCH) + 1,
			  PVC_FIELD_GET(PVC_XY_BLOCK1_TILING, pitch_dw), bytes,
			  x + PVC_FIELD_GET(PVC_XY_BLOCK6_X_OFFSET, offset_dw),
			  y + PVC_FIELD_GET(PVC_XY_BLOCK6_Y_OFFSET, offset_dw));
}

static enum cs_result xy_block_copy(struct cs *cs, const uint32_t *dw, unsigned int len)
{
	unsigned int bytes = block_depth(PVC_FIELD_GET(PVC_XY_BLOCK0_DEPTH, dw[0]));
	struct rect r = rectangle(dw[2], dw[3]);
	struct surface dst, src;

	if (len != PVC_XY_BLOCK_COPY_BLT_DWORDS && len != PVC_XY_BLOCK_COPY_BLT_SHORT_DWORDS)
		return cs_error(cs, "XY_BLOCK_COPY_BLT: %u dwords is none of its forms", len);
	if (!bytes)
		return cs_error(cs, "XY_BLOCK_COPY_BLT: depth code %u",
				PVC_FIELD_GET(PVC_XY_BLOCK0_DEPTH, dw[0]));
	dst = block_surface(dw[1], dw + 4, dw[6], bytes, r.x1, r.y1);
	src = block_surface(dw[8], dw + 9, dw[11], bytes, PVC_FIELD_GET(PVC_XY_X, dw[7]),
			    PVC_FIELD_GET(PVC_XY_Y, dw[7]));
	if ((dst.tiling || src.tiling) && bytes == 12)
		return cs_error(cs, "XY_BLOCK_COPY_BLT: 96 bits in a tiled surface");
	if (len == PVC_XY_BLOCK_COPY_BLT_DWORDS &&
	    ((dw[17] | dw[20]) & PVC_XY_BLOCK17_LOD ||
	     (dw[18] | dw[21]) & PVC_XY_BLOCK18_ARRAY_INDEX))
		return cs_error(cs, "unimplemented: XY_BLOCK_COPY_BLT of a level or layer");
	if (rect_empty(&r))
		return CS_OK;
	return copy_rows(cs, dst, src, (uint64_t)(r.x2 - r.x1) * bytes, r.y2 - r.y1);
}

static enum cs_result xy_fast_color(struct cs *cs, const uint32_t *dw, unsigned int len)
{
	unsigned int bytes = block_depth(PVC_FIELD_GET(PVC_XY_BLOCK0_DEPTH, dw[0]));
	struct rect r = rectangle(dw[2], dw[3]);
	struct surface dst;
	uint8_t color[16];

	(void)len;
	if (!bytes)
		return cs_error(cs, "XY_FAST_COLOR_BLT: depth code %u",
				PVC_FIELD_GET(PVC_XY_BLOCK0_DEPTH, dw[0]));
	dst = block_surface(dw[1], dw + 4, dw[6], bytes, r.x1, r.y1);
	if (dst.tiling)
		return cs_error(cs, "unimplemented: XY_FAST_COLOR_BLT of a tiled surface");
	if (dw[14] & PVC_XY_BLOCK17_LOD || dw[15] & PVC_XY_BLOCK18_ARRAY_INDEX)
		return cs_error(cs, "unimplemented: XY_FAST_COLOR_BLT of a level or layer");
	if (rect_empty(&r))
		return CS_OK;
	memcpy(color, dw + 7, sizeof(color));
	dst.addr += dst.y * dst.pitch + dst.x;
	return fill_rows(cs, dst, (uint64_t)(r.x2 - r.x1) * bytes, r.y2 - r.y1, color, bytes);
}

#define ROW(code, text, length, least, most, which, function) \
	{ .mask = PVC_BLT_OPCODE_MASK, .value = (code) & PVC_BLT_OPCODE_MASK, .name = text, \
	  .len_mask = length, .min = least, .max = most, .flags = which, .run = function },

const struct cs_command blt_commands[] = {
	BLT_COMMANDS(ROW)
	{ 0 },
};
