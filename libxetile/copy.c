// SPDX-License-Identifier: MIT
/*
 * Copies and fills by copy engines: each call checks its ranges, divides the work among the engines
 * of the queue, writes a batch for each into a slot of the engine's queue, and submits the slots.
 */
#include "xetile.h"

#include <errno.h>
#include <inttypes.h>

#include "batch.h"
#include "context.h"
#include "debug.h"
#include "engines.h"
#include "error.h"
#include "event.h"
#include "ioctl.h"
#include "memory.h"
#include "queue.h"
#include "slot.h"

/* The smallest part of a copy that is worth an engine */
#define PART_LEAST	XETILE_COLOR_PAGE
/* Rows of a pitch that no command can tell, each of which takes a command or more */
#define MAX_LONG_ROWS	65536

/* A copy, or a fill: without a source */
struct work {
	struct xetile_rect rect;
	uint8_t value;
};

/* The part of an engine */
struct part {
	struct work work;
	uint32_t tile;
	struct xetile_queue *queue;
	struct xt_slot *slot;
	struct xt_order order;
};

/* --- checks ------------------------------------------------------------------------------ */

/* The bytes from the first to the last one; 0: they are too many */
static uint64_t span(uint64_t pitch, uint64_t width, uint64_t rows)
{
	uint64_t all;

	if (__builtin_mul_overflow(rows - 1, pitch, &all) ||
	    __builtin_add_overflow(all, width, &all))
		return 0;
	return all;
}

static int check_side(const struct xetile_queue *queue, const struct xetile_mem *mem,
		      uint64_t offset, uint64_t pitch, const struct xetile_rect *rect,
		      const char *what)
{
	uint64_t size = span(pitch, rect->width, rect->rows);

	if (!mem || mem->context != queue->context)
		return xt_error(-EINVAL, "the %s is of another context than the queue", what);
	if (pitch < rect->width)
		return xt_error(-EINVAL, "the pitch of the %s is less than a row", what);
	if (!size || offset > mem->size || size > mem->size - offset)
		return xt_error(-EINVAL, "%" PRIu64 " rows of %" PRIu64 " bytes at %" PRIu64
				" exceed the %s of %" PRIu64, rect->rows, rect->width, offset, what,
				mem->size);
	return 0;
}

/* Each tile's engine writes its own copy. */
static int check_copies(const struct xetile_queue *queue, const struct xetile_mem *dst)
{
	if (!dst->copies || (queue->engines && !(dst->copies & ~queue->tile_mask)))
		return 0;
	return xt_error(-EINVAL, "a buffer with copies is written on queues of COPY_SPLIT or "
			"COPY_NEAREST of all its tiles");
}

static bool overlaps(const struct xetile_rect *r)
{
	uint64_t low = r->dst_offset < r->src_offset ? r->dst_offset : r->src_offset;
	uint64_t apart = r->dst_offset + r->src_offset - 2 * low, rows, rest;

	if (r->dst != r->src)
		return false;
	if (r->dst_pitch != r->src_pitch)
		return r->dst_offset < r->src_offset + span(r->src_pitch, r->width, r->rows) &&
		       r->src_offset < r->dst_offset + span(r->dst_pitch, r->width, r->rows);
	/* A row meets the one so many rows behind it, or the one after that. */
	rows = apart / r->dst_pitch;
	rest = apart % r->dst_pitch;
	return (rows < r->rows && rest < r->width) ||
	       (rows + 1 < r->rows && r->dst_pitch - rest < r->width);
}

static int check_work(const struct xetile_queue *queue, const struct work *work)
{
	const struct xetile_rect *r = &work->rect;
	int err;

	if (queue->engine_class == XETILE_COMPUTE)
		return xt_error(-EINVAL, "copies and fills run on copy queues only");
	if (!r->width || !r->rows)
		return xt_error(-EINVAL, "a copy or fill of no bytes");
	err = check_side(queue, r->dst, r->dst_offset, r->dst_pitch, r, "destination");
	if (!err && r->src)
		err = check_side(queue, r->src, r->src_offset, r->src_pitch, r, "source");
	if (!err && r->dst->readonly)
		err = xt_error(-EINVAL, "the destination is read-only");
	if (!err)
		err = check_copies(queue, r->dst);
	if (err)
		return err;
	if (r->rows > MAX_LONG_ROWS && (r->dst_pitch > XT_BATCH_MAX_PITCH ||
					r->src_pitch > XT_BATCH_MAX_PITCH))
		return xt_error(-EINVAL, "%" PRIu64 " rows with a pitch above 256 KiB", r->rows);
	return overlaps(r) ? xt_error(-EINVAL, "source and destination overlap") : 0;
}

/* --- parts ------------------------------------------------------------------------------- */

static unsigned int num_parts(const struct xetile_queue *queue, const struct xetile_rect *rect)
{
	uint64_t most = rect->width * rect->rows / PART_LEAST;

	if (queue->engine_class != XETILE_COPY_SPLIT)
		return 1;
	if (rect->rows > 1 && most > rect->rows)
		most = rect->rows;
	if (most > queue->num_tiles)
		return queue->num_tiles;
	return most ? most : 1;
}

/* Where share @i of @num shares of @all begins; the first ones are one longer. */
static uint64_t share_begin(uint64_t all, unsigned int num, unsigned int i)
{
	uint64_t extra = all % num;

	return all / num * i + (i < extra ? i : extra);
}

/* Where part @i begins: a byte of a line, or a row */
static uint64_t part_begin(const struct xetile_rect *rect, unsigned int num, unsigned int i)
{
	uint64_t first = rect->dst_offset / XETILE_COLOR_PAGE;
	uint64_t last = (rect->dst_offset + rect->width - 1) / XETILE_COLOR_PAGE;

	if (rect->rows > 1)
		return share_begin(rect->rows, num, i);
	if (!i)
		return 0;
	if (i == num)
		return rect->width;
	return (first + share_begin(last - first + 1, num, i)) * XETILE_COLOR_PAGE -
	       rect->dst_offset;
}

static void cut(const struct work *all, unsigned int num, unsigned int i, struct work *part)
{
	uint64_t begin = part_begin(&all->rect, num, i);
	uint64_t length = part_begin(&all->rect, num, i + 1) - begin;
	bool lines = all->rect.rows > 1;

	*part = *all;
	part->rect.dst_offset += lines ? begin * all->rect.dst_pitch : begin;
	part->rect.src_offset += lines ? begin * all->rect.src_pitch : begin;
	if (lines)
		part->rect.rows = length;
	else
		part->rect.width = length;
}

static void find_traffic(const struct xetile_rect *rect, struct xt_traffic *traffic)
{
	*traffic = (struct xt_traffic) { 0 };
	xt_layout_shares(&rect->dst->layout, rect->dst_offset,
			 span(rect->dst_pitch, rect->width, rect->rows), traffic->to);
	if (rect->src)
		xt_layout_shares(&rect->src->layout, rect->src_offset,
				 span(rect->src_pitch, rect->width, rect->rows), traffic->from);
}

/* The whole work for each tile with a copy of the destination */
static unsigned int repeat(struct xetile_queue *queue, const struct work *work, struct part *parts)
{
	uint32_t tile, num = 0;

	for (tile = 0; tile < XETILE_MAX_TILES; tile++) {
		if (work->rect.dst->copies & (1u << tile))
			parts[num++] = (struct part) {
				.work = *work, .tile = tile, .queue = queue->engines->of[tile],
			};
	}
	return num;
}

static unsigned int divide(struct xetile_queue *queue, const struct work *work, struct part *parts)
{
	unsigned int i, num = num_parts(queue, &work->rect);
	struct xt_traffic traffic[XETILE_MAX_TILES];
	uint32_t tiles[XETILE_MAX_TILES] = { __builtin_ctz(queue->tile_mask) };

	if (work->rect.dst->copies)
		return repeat(queue, work, parts);
	for (i = 0; i < num; i++) {
		parts[i] = (struct part) { .queue = queue };
		cut(work, num, i, &parts[i].work);
		if (queue->engines)
			find_traffic(&parts[i].work.rect, &traffic[i]);
	}
	if (queue->engines)
		xt_nearest(&queue->engines->costs, queue->tile_mask, traffic, num, tiles);
	for (i = 0; i < num; i++) {
		xt_debug("copy of %" PRIu64 " bytes by tile %u",
			 parts[i].work.rect.width * parts[i].work.rect.rows, tiles[i]);
		parts[i].tile = tiles[i];
		if (queue->engines)
			parts[i].queue = queue->engines->of[tiles[i]];
	}
	return num;
}

/* --- submission -------------------------------------------------------------------------- */

static struct xt_batch_rect addresses(const struct xetile_rect *rect)
{
	return (struct xt_batch_rect) {
		.dst = xt_mem_written_at(rect->dst) + rect->dst_offset, .dst_pitch = rect->dst_pitch,
		.src = rect->src ? rect->src->addr + rect->src_offset : 0,
		.src_pitch = rect->src_pitch,
		.width = rect->width, .rows = rect->rows,
	};
}

/* Get a slot for a part, and write the batch into it. */
static int prepare(struct part *part)
{
	const struct xt_batch_rect rect = addresses(&part->work.rect);
	const struct xetile_context *context = part->queue->context;
	const struct xt_batch_end end = {
		.fence = xt_context_fence(context, part->tile),
		.nowhere = context->minor >= 1,
	};
	uint64_t bytes = rect.rows > 1 ? xt_batch_rect_bytes(&rect) :
		xt_batch_copy_bytes(rect.width);
	int err = xt_queue_slot(part->queue, bytes + XT_BATCH_PREFETCH, &part->slot);

	if (err)
		return err;
	if (rect.rows > 1)
		xt_batch_rect(part->slot->mem->map, &rect, &end);
	else if (part->work.rect.src)
		xt_batch_copy(part->slot->mem->map, rect.dst, rect.src, rect.width, &end);
	else
		xt_batch_fill(part->slot->mem->map, rect.dst, rect.width, part->work.value, &end);
	return 0;
}

/* Submit all parts, or wait for those that were submitted when another one cannot be. */
static int submit(struct xetile_queue *queue, struct part *parts, unsigned int num)
{
	uint32_t tiles = 0;
	unsigned int i;
	int err = 0;

	for (i = 0; i < num && !err; i++) {
		err = xt_queue_submit_ordered(parts[i].queue, parts[i].slot, &parts[i].order);
		if (!err)
			tiles |= 1u << parts[i].tile;
	}
	for (i = 0; i < num && err; i++) {
		if (tiles & (1u << parts[i].tile))
			xt_syncobj_wait(queue->context->fd, &parts[i].slot->syncobj, 1, -1);
	}
	if (queue->engines)
		queue->engines->last_tiles = err ? queue->engines->last_tiles | tiles : tiles;
	return err;
}

static int run(struct xetile_queue *queue, const struct work *work, unsigned int num_waits,
	       struct xetile_event *const *waits, struct xetile_event **out)
{
	struct part parts[XETILE_MAX_TILES];
	struct xetile_event *event = NULL;
	unsigned int i, num;
	int err;

	err = check_work(queue, work);
	if (err)
		return err;
	num = divide(queue, work, parts);
	for (i = 0; i < num && !err; i++)
		err = prepare(&parts[i]);
	if (!err && out)
		err = xt_event_create(queue->context, num, &event);
	if (err)
		return err;
	for (i = 0; i < num; i++) {
		parts[i].order = (struct xt_order) { .num_waits = num_waits, .waits = waits };
		if (event)
			parts[i].order.signal = event->syncobjs[i];
		if (queue->engines)
			xt_engines_after(queue->engines, parts[i].tile, &parts[i].order);
	}
	err = submit(queue, parts, num);
	if (err)
		xetile_event_destroy(event);
	else if (out)
		*out = event;
	return err;
}

int xetile_copy(struct xetile_queue *queue, struct xetile_mem *dst, uint64_t dst_offset,
		struct xetile_mem *src, uint64_t src_offset, uint64_t size,
		unsigned int num_waits, struct xetile_event *const *waits,
		struct xetile_event **out)
{
	const struct xetile_rect rect = {
		.dst = dst, .dst_offset = dst_offset, .src = src, .src_offset = src_offset,
		.width = size, .rows = 1,
	};

	return xetile_copy_rect(queue, &rect, num_waits, waits, out);
}

int xetile_copy_rect(struct xetile_queue *queue, const struct xetile_rect *rect,
		     unsigned int num_waits, struct xetile_event *const *waits,
		     struct xetile_event **out)
{
	struct work work = { .rect = *rect };
	uint64_t all;

	if (!rect->src)
		return xt_error(-EINVAL, "a copy without a source");
	/* Rows that touch each other on both sides are a line. */
	if (rect->dst_pitch == rect->width && rect->src_pitch == rect->width &&
	    !__builtin_mul_overflow(rect->width, rect->rows, &all) && all) {
		work.rect.width = all;
		work.rect.rows = 1;
	}
	if (work.rect.rows == 1)
		work.rect.dst_pitch = work.rect.src_pitch = work.rect.width;
	return run(queue, &work, num_waits, waits, out);
}

int xetile_fill(struct xetile_queue *queue, struct xetile_mem *dst, uint64_t offset,
		uint64_t size, uint8_t value, unsigned int num_waits,
		struct xetile_event *const *waits, struct xetile_event **out)
{
	const struct work work = {
		.rect = {
			.dst = dst, .dst_offset = offset, .dst_pitch = size,
			.src_pitch = size, .width = size, .rows = 1,
		},
		.value = value,
	};

	return run(queue, &work, num_waits, waits, out);
}
