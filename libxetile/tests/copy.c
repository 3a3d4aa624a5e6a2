// SPDX-License-Identifier: MIT
/*
 * Copies by the nearest engine, by all engines, and of rows, on a driver that runs in this process
 * (fake.c): the engine, the order and the events of each part. The test runs the batches that reach
 * the driver, and compares the memory.
 */
#include <drm/xetile_drm.h>
#include <errno.h>
#include <stdlib.h>

#include <pvc_bits.h>
#include <pvc_blt_commands.h>

#include "card.h"
#include "context.h"
#include "device.h"
#include "event.h"
#include "fake.h"
#include "memory.h"
#include "queue.h"
#include "test.h"
#include "util.h"
#include "xetile.h"

#define PAGE	((uint64_t)XETILE_COLOR_PAGE)

struct stack {
	struct xetile_platform *platform;
	struct xetile_device *device;
	struct xetile_context *context;
	struct xetile_queue *queue;
};

static bool stack_open(struct stack *s, unsigned int tiles, enum xetile_queue_class class)
{
	const struct xetile_queue_desc desc = { .engine_class = class };

	fake_start(tiles, 1);
	CHECK(!fake_platform(1, NULL, &s->platform));
	CHECK(!xetile_platform_select(s->platform, "0", &s->device));
	CHECK(!xetile_context_create(s->device, &s->context));
	CHECK(!xetile_queue_create(s->context, s->device, &desc, &s->queue), "%s",
	      xetile_last_error());
	return true;
}

static bool stack_close(struct stack *s)
{
	xetile_queue_destroy(s->queue);
	xetile_context_destroy(s->context);
	xetile_platform_close(s->platform);
	CHECK(!fake_leaks(), "%u left behind", fake_leaks());
	return true;
}

/* @color: NULL is the machine's memory */
static struct xetile_mem *alloc(struct stack *s, const char *color, uint64_t size)
{
	struct xetile_mem_desc desc = { .size = size };
	struct xetile_mem *mem = NULL;
	uint64_t i;

	if (!color)
		desc.flags = XETILE_MEM_SYSTEM;
	else if (xetile_color_parse(color, &desc))
		return NULL;
	desc.size = size;
	if (xetile_mem_alloc(s->context, s->device, &desc, &mem))
		printf("  %s\n", xetile_last_error());
	xetile_color_free(&desc);
	for (i = 0; mem && i < size; i++)
		((uint8_t *)fake_at(mem->addr))[i] = i * 31 + (i >> 8) * 7 + (color ? 1 : 2);
	return mem;
}

static const struct fake_exec *submission(unsigned int back)
{
	return &fake.log[(fake.execs - 1 - back) % FAKE_LOG];
}

/* --- the choice ------------------------------------------------------------------------- */

/* The tile whose engine copied last; both buffers are seven pages long. */
static uint32_t chosen(struct stack *s, const char *dst, const char *src, uint64_t offset,
		       uint64_t size)
{
	struct xetile_mem *to = alloc(s, dst, 7 * PAGE), *from = NULL;
	unsigned int before = fake.execs;
	int err;

	if (!src || *src)
		from = alloc(s, src, 7 * PAGE);
	err = from ? xetile_copy(s->queue, to, offset, from, offset, size, 0, NULL, NULL) :
		xetile_fill(s->queue, to, offset, size, 7, 0, NULL, NULL);
	xetile_mem_free(to);
	xetile_mem_free(from);
	return err || fake.execs != before + 1 ? 99 : submission(0)->tile;
}

static bool check_nearest(void)
{
	struct stack s;

	if (!stack_open(&s, 2, XETILE_COPY_NEAREST))
		return false;
	/* Fills, then copies */
	CHECK(chosen(&s, "tile:0", "", 0, 100) == 0);
	CHECK(chosen(&s, "tile:1", "", 0, 100) == 1);
	CHECK(chosen(&s, "even", "", 0, PAGE) == 0);
	CHECK(chosen(&s, "even", "", 6 * PAGE, PAGE) == 1);
	CHECK(chosen(&s, "even", "", 3 * PAGE + 100, 2 * PAGE) == 1);
	CHECK(chosen(&s, NULL, "", 0, 100) == 0);
	CHECK(chosen(&s, "tile:0", "tile:0", 0, 7 * PAGE) == 0);
	CHECK(chosen(&s, "tile:1", "tile:1", 0, 7 * PAGE) == 1);
	/* Half of the way is far for both: the destination's */
	CHECK(chosen(&s, "tile:0", "tile:1", 0, PAGE) == 0);
	CHECK(chosen(&s, "tile:1", "tile:0", 0, PAGE) == 1);
	CHECK(chosen(&s, "tile:1", NULL, 0, PAGE) == 1);
	CHECK(chosen(&s, NULL, "tile:1", 0, PAGE) == 1);
	CHECK(chosen(&s, NULL, NULL, 0, PAGE) == 0);
	/* Each page counts. */
	CHECK(chosen(&s, "map:0*1,1*6", "map:1*2,0*5", 0, 2 * PAGE) == 1);
	CHECK(chosen(&s, "map:0*6,1*1", "map:1*2,0*5", 0, 3 * PAGE) == 0);
	CHECK(chosen(&s, "weighted:6,1", "chunk:128k", 0, 7 * PAGE) == 0);
	return stack_close(&s);
}

/* S7, S8: the driver chooses a tile, and the library asks which. */
static bool check_least_occupied(void)
{
	struct xetile_mem_desc desc = { .size = PAGE, .flags = XETILE_MEM_LEAST_OCCUPIED };
	struct xetile_mem *mem;
	struct stack s;

	if (!stack_open(&s, 3, XETILE_COPY_NEAREST))
		return false;
	CHECK(chosen(&s, "tile:least", "", 0, 100) == 2);
	/* One page of EVEN, or the color of EVEN */
	CHECK(!xetile_mem_alloc(s.context, s.device, &desc, &mem), "%s", xetile_last_error());
	CHECK(!xetile_fill(s.queue, mem, 0, PAGE, 1, 0, NULL, NULL) && submission(0)->tile == 2);
	xetile_mem_free(mem);
	desc.size = 3 * PAGE;
	CHECK(!xetile_mem_alloc(s.context, s.device, &desc, &mem));
	CHECK(!xetile_fill(s.queue, mem, PAGE, PAGE, 1, 0, NULL, NULL) && submission(0)->tile == 1);
	xetile_mem_free(mem);
	/* The flag goes with its text. */
	CHECK(!xetile_color_parse("tile:least", &desc) && desc.flags == XETILE_MEM_LEAST_OCCUPIED);
	CHECK(!xetile_color_parse("tile:1", &desc) && !desc.flags);
	desc.flags = XETILE_MEM_LEAST_OCCUPIED;
	fake.fail_request = DRM_IOCTL_XETILE_BO_INFO;
	fake.fail_errno = -EIO;
	CHECK(xetile_mem_alloc(s.context, s.device, &desc, &mem) == -EIO);
	fake.fail_request = 0;
	if (!stack_close(&s))
		return false;
	fake_start(2, 1);
	fake.minor = 5;
	CHECK(!fake_platform(1, NULL, &s.platform));
	CHECK(!xetile_platform_select(s.platform, "0", &s.device));
	CHECK(!xetile_context_create(s.device, &s.context));
	CHECK(xetile_mem_alloc(s.context, s.device, &desc, &mem) == -EOPNOTSUPP);
	xetile_context_destroy(s.context);
	xetile_platform_close(s.platform);
	CHECK(!fake_leaks());
	return true;
}

/* Ratios of the card come before the driver's order. */
static bool check_measured(void)
{
	const struct xetile_queue_desc desc = { .engine_class = XETILE_COPY_NEAREST };
	struct xt_ratios *ratios;
	struct stack s;
	uint32_t t, m;

	if (!stack_open(&s, 2, XETILE_COPY_NEAREST))
		return false;
	xetile_queue_destroy(s.queue);
	ratios = &s.device->card->ratios;
	ratios->measured = true;
	for (t = 0; t < 2; t++) {
		for (m = 0; m <= XT_RATIO_LAST; m++)
			ratios->of[t][m] = (struct xt_ratio) { 3000, 1100 };
		ratios->of[t][t] = (struct xt_ratio) { 1000, 1000 };
	}
	CHECK(!xetile_queue_create(s.context, s.device, &desc, &s.queue));
	/* It is cheaper to write far than to read far. */
	CHECK(chosen(&s, "tile:0", "tile:1", 0, PAGE) == 1);
	CHECK(chosen(&s, "tile:1", "tile:0", 0, PAGE) == 0);
	/* Tile 1 is nearer to the machine's memory. */
	ratios->of[1][XT_RATIO_LAST] = (struct xt_ratio) { 2000, 1050 };
	xetile_queue_destroy(s.queue);
	CHECK(!xetile_queue_create(s.context, s.device, &desc, &s.queue));
	CHECK(chosen(&s, NULL, "", 0, PAGE) == 1);
	CHECK(chosen(&s, NULL, NULL, 0, PAGE) == 1);
	return stack_close(&s);
}

/* The choice follows the recolors that the driver has made, and only these. */
static bool check_recolor(void)
{
	const struct xetile_mem_range middle = {
		2 * PAGE, { .size = PAGE, .color = XETILE_COLOR_TILE, .tile = 1 },
	};
	const struct xetile_mem_range all[] = {
		{ 3 * PAGE, { .color = XETILE_COLOR_TILE, .tile = 0 } },
		{ 0, { .size = 3 * PAGE, .color = XETILE_COLOR_TILE, .tile = 1 } },
	};
	struct xetile_mem *mem;
	struct stack s;
	unsigned int i;

	if (!stack_open(&s, 2, XETILE_COPY_NEAREST))
		return false;
	mem = alloc(&s, "tile:0", 7 * PAGE);
	CHECK(mem);
	fake.fail_request = DRM_IOCTL_XETILE_BO_RECOLOR;
	fake.fail_errno = -ENOSPC;
	CHECK(xetile_mem_recolor(mem, s.device, &middle, 1) == -ENOSPC);
	fake.fail_request = 0;
	CHECK(!xetile_fill(s.queue, mem, 2 * PAGE, PAGE, 1, 0, NULL, NULL));
	CHECK(submission(0)->tile == 0);
	CHECK(!xetile_mem_recolor(mem, s.device, &middle, 1), "%s", xetile_last_error());
	for (i = 0; i < 7; i++) {
		CHECK(!xetile_fill(s.queue, mem, i * PAGE, PAGE, 1, 0, NULL, NULL));
		CHECK(submission(0)->tile == (i == 2), "page %u", i);
	}
	CHECK(!xetile_mem_recolor(mem, s.device, all, 2), "%s", xetile_last_error());
	for (i = 0; i < 7; i++) {
		CHECK(!xetile_fill(s.queue, mem, i * PAGE, PAGE, 1, 0, NULL, NULL));
		CHECK(submission(0)->tile == (i < 3), "page %u", i);
	}
	xetile_mem_free(mem);
	return stack_close(&s);
}

/* --- order and events --------------------------------------------------------------------- */

/* The fence of a submission's slot is the last that it signals. */
static uint32_t slot_fence(const struct fake_exec *e)
{
	uint32_t fence = 0, i;

	for (i = 0; i < e->exec.syncs.count; i++) {
		if (e->syncs[i].flags & DRM_XETILE_SYNC_SIGNAL)
			fence = e->syncs[i].handle;
	}
	return fence;
}

/* Whether a submission waits for the fence of another one's slot */
static bool waits_for(const struct fake_exec *e, const struct fake_exec *other)
{
	uint32_t slot = slot_fence(other), i;

	for (i = 0; i < e->exec.syncs.count; i++) {
		if (e->syncs[i].handle == slot && !(e->syncs[i].flags & DRM_XETILE_SYNC_SIGNAL))
			return true;
	}
	return false;
}

static bool check_order(void)
{
	struct xetile_mem *mem[2];
	struct stack s;
	unsigned int i;

	if (!stack_open(&s, 2, XETILE_COPY_NEAREST))
		return false;
	mem[0] = alloc(&s, "tile:0", PAGE);
	mem[1] = alloc(&s, "tile:1", PAGE);
	fake.hold = true;
	/* Tiles 0, 0, 1, 1, 0 */
	for (i = 0; i < 5; i++) {
		CHECK(!xetile_fill(s.queue, mem[i / 2 % 2], 0, PAGE, 1, 0, NULL, NULL));
		CHECK(submission(0)->tile == i / 2 % 2);
		CHECK(!i || waits_for(submission(0), submission(1)) == (i == 2 || i == 4), "%u", i);
	}
	/* After the queue's work, its slots are used again, and nothing is waited for. */
	fake.hold = false;
	for (i = 0; i < FAKE_MAX; i++)
		fake.sync_status[i] = 1;
	for (i = 0; i < 200; i++)
		CHECK(!xetile_fill(s.queue, mem[i % 2], 0, PAGE, 1, 0, NULL, NULL));
	xetile_mem_free(mem[0]);
	xetile_mem_free(mem[1]);
	return stack_close(&s);
}

static bool check_members(void)
{
	const struct xetile_queue_desc one = { .engine_class = XETILE_COPY_SPLIT };
	struct xetile_queue_info info;
	struct xetile_device *tile;
	struct xetile_queue *queue;
	struct stack s;

	if (!stack_open(&s, 4, XETILE_COPY_NEAREST))
		return false;
	CHECK(fake.queues == 4);
	CHECK(!xetile_queue_get_info(s.queue, &info));
	CHECK(info.num_members == 4 && !info.banned);
	/* A tile has one engine. */
	CHECK(!xetile_platform_select(s.platform, "0.2", &tile));
	CHECK(!xetile_queue_create(s.context, tile, &one, &queue));
	CHECK(fake.queues == 5 && fake.last_queue.tile == 2 &&
	      fake.last_queue.target == DRM_XETILE_TARGET_TILE);
	xetile_queue_destroy(queue);
	/* A member that cannot be made leaves none behind. */
	fake.fail_request = DRM_IOCTL_XETILE_QUEUE_CREATE;
	fake.fail_errno = -ENOSPC;
	CHECK(xetile_queue_create(s.context, s.device, &one, &queue) == -ENOSPC);
	fake.fail_request = DRM_IOCTL_XETILE_QUERY;
	CHECK(xetile_queue_create(s.context, s.device, &one, &queue) == -ENOSPC);
	fake.fail_request = 0;
	CHECK(fake.queues == 4);
	return stack_close(&s);
}

/* --- the bytes ------------------------------------------------------------------------------- */

/* Run the last @num submissions, and check that they write @bytes together. */
static bool run_last(unsigned int num, uint64_t bytes)
{
	uint64_t all = 0;
	unsigned int i;

	for (i = 0; i < num; i++)
		all += fake_run(submission(i));
	CHECK(all == bytes, "%llu of %llu bytes", (unsigned long long)all,
	      (unsigned long long)bytes);
	return true;
}

/* A copy of @size bytes has @parts parts, on other tiles each, and copies all bytes once. */
static bool split(struct stack *s, struct xetile_mem *dst, uint64_t dst_offset,
		  struct xetile_mem *src, uint64_t src_offset, uint64_t size, unsigned int parts)
{
	uint8_t *to = fake_at(dst->addr), *from = fake_at(src->addr), *want = malloc(dst->size);
	unsigned int before = fake.execs, i, tiles = 0;

	CHECK(want);
	memcpy(want, to, dst->size);
	memcpy(want + dst_offset, from + src_offset, size);
	CHECK(!xetile_copy(s->queue, dst, dst_offset, src, src_offset, size, 0, NULL, NULL), "%s",
	      xetile_last_error());
	CHECK(fake.execs == before + parts, "%u parts, not %u", fake.execs - before, parts);
	for (i = 0; i < parts; i++)
		tiles |= 1u << submission(i)->tile;
	CHECK((unsigned int)__builtin_popcount(tiles) == parts);
	if (!run_last(parts, size))
		return false;
	CHECK(!memcmp(to, want, dst->size));
	memset(to, 0x11, dst->size);
	free(want);
	return true;
}

static bool check_split(unsigned int tiles)
{
	static const uint64_t offsets[] = { 0, 1, 3 * PAGE, PAGE - 1, 100000 };
	struct xetile_mem *dst, *src;
	uint64_t size, least;
	unsigned int i, n;
	struct stack s;

	if (!stack_open(&s, tiles, XETILE_COPY_SPLIT))
		return false;
	dst = alloc(&s, "even", 40 * PAGE);
	src = alloc(&s, "chunk:128k", 40 * PAGE);
	for (i = 0; i < ARRAY_SIZE(offsets); i++) {
		for (n = 0; n < 9; n++) {
			size = n < 5 ? n * PAGE + 1 : 7 * n * PAGE / 2 - 3 * n;
			least = size / PAGE ? size / PAGE : 1;
			if (!split(&s, dst, offsets[i], src, offsets[4 - i], size,
				   least < tiles ? least : tiles))
				return false;
		}
	}
	/* A fill is divided, too. */
	CHECK(!xetile_fill(s.queue, dst, 10, 20 * PAGE, 0x77, 0, NULL, NULL));
	if (!run_last(tiles, 20 * PAGE))
		return false;
	for (size = 0; size < dst->size; size++)
		CHECK(((uint8_t *)fake_at(dst->addr))[size] ==
		      (size >= 10 && size < 10 + 20 * PAGE ? 0x77 : 0x11));
	xetile_mem_free(dst);
	xetile_mem_free(src);
	return stack_close(&s);
}

/* Each part goes to the tile that holds it, in any order of tiles. */
static bool check_split_tiles(void)
{
	struct xetile_mem *dst, *src;
	struct stack s;
	unsigned int i;

	if (!stack_open(&s, 4, XETILE_COPY_SPLIT))
		return false;
	dst = alloc(&s, "map:2*5,0*5,3*4,1*4", 18 * PAGE);
	src = alloc(&s, "even", 18 * PAGE);
	CHECK(!xetile_fill(s.queue, dst, 0, 18 * PAGE, 1, 0, NULL, NULL));
	CHECK(submission(3)->tile == 2 && submission(2)->tile == 0 && submission(1)->tile == 3 &&
	      submission(0)->tile == 1);
	CHECK(fake_run(submission(3)) == 5 * PAGE);
	CHECK(fake_run(submission(0)) == 4 * PAGE);
	CHECK(!xetile_copy(s.queue, src, 0, src, 9 * PAGE, 9 * PAGE, 0, NULL, NULL));
	CHECK(!xetile_fill(s.queue, src, 0, 18 * PAGE, 1, 0, NULL, NULL));
	for (i = 0; i < 4; i++)
		CHECK(submission(3 - i)->tile == i);
	/* A short copy goes to its tile. */
	CHECK(!xetile_fill(s.queue, dst, 15 * PAGE, PAGE, 1, 0, NULL, NULL));
	CHECK(submission(0)->tile == 1);
	xetile_mem_free(dst);
	xetile_mem_free(src);
	return stack_close(&s);
}

/* An event waits for all parts, and the next copy waits for all parts of the one before. */
static bool check_split_events(void)
{
	struct xetile_event *event, *next;
	struct xetile_mem *mem;
	unsigned int i, k;
	struct stack s;

	if (!stack_open(&s, 2, XETILE_COPY_SPLIT))
		return false;
	mem = alloc(&s, "even", 4 * PAGE);
	fake.hold = true;
	CHECK(!xetile_fill(s.queue, mem, 0, 4 * PAGE, 1, 0, NULL, &event));
	CHECK(event->num == 2);
	CHECK(xetile_event_status(event) == -EINPROGRESS);
	CHECK(xetile_event_wait(event, 0) == -ETIMEDOUT);
	CHECK(!xetile_fill(s.queue, mem, 0, 4 * PAGE, 2, 1, &event, &next));
	for (i = 0; i < 2; i++) {
		/* The other tile's part of the first one, and not that of the same copy */
		CHECK(waits_for(submission(i), submission(3 - i)));
		CHECK(!waits_for(submission(i), submission(1 - i)));
		/* Event, slot, two fences of the event that is waited for, the other tile's */
		CHECK(submission(i)->exec.syncs.count == 5);
	}
	xetile_event_destroy(next);
	/* One part has failed, and the other has not ended; then it has. */
	for (k = 0; k < 2; k++) {
		fake.sync_status[event->syncobjs[k]] = -ETIME;
		fake.sync_status[event->syncobjs[!k]] = 0;
		CHECK(xetile_event_status(event) == -EINPROGRESS);
		CHECK(xetile_event_wait(event, 0) == -ETIMEDOUT);
		fake.sync_status[event->syncobjs[!k]] = 1;
		CHECK(xetile_event_status(event) == -ETIME);
		CHECK(xetile_event_wait(event, 0) == -ETIME);
	}
	xetile_event_destroy(event);
	/* The second part cannot be submitted: the first one has ended when the call returns. */
	fake.fail_exec = fake.execs + 2;
	CHECK(xetile_fill(s.queue, mem, 0, 4 * PAGE, 3, 0, NULL, &event) == -ENOMEM);
	CHECK(submission(0)->tile == 0 && fake.sync_status[slot_fence(submission(0))] == 1);
	fake.fail_exec = 0;
	xetile_mem_free(mem);
	return stack_close(&s);
}

/* --- rows ----------------------------------------------------------------------------------- */

static bool copy_rect(struct stack *s, const struct xetile_rect *r)
{
	uint8_t *to = fake_at(r->dst->addr), *from = fake_at(r->src->addr);
	uint8_t *want = malloc(r->dst->size);
	unsigned int before = fake.execs;
	uint64_t y;

	CHECK(want);
	memcpy(want, to, r->dst->size);
	for (y = 0; y < r->rows; y++)
		memcpy(want + r->dst_offset + y * r->dst_pitch,
		       from + r->src_offset + y * r->src_pitch, r->width);
	CHECK(!xetile_copy_rect(s->queue, r, 0, NULL, NULL), "%s", xetile_last_error());
	if (!run_last(fake.execs - before, r->width * r->rows))
		return false;
	CHECK(!memcmp(to, want, r->dst->size), "%llu rows of %llu", (unsigned long long)r->rows,
	      (unsigned long long)r->width);
	memset(to, 0x11, r->dst->size);
	free(want);
	return true;
}

static bool check_rects(unsigned int tiles, enum xetile_queue_class class)
{
	/* Width, rows, pitches */
	static const uint64_t shapes[][4] = {
		{ 1, 1, 1, 1 }, { 1, 1, 0, 0 }, { 1, 3, 1, 1 }, { 7, 5, 9, 7 }, { 7, 5, 7, 300 },
		{ 16384, 3, 16384, 20000 }, { 16385, 3, 16385, 16386 }, { 40000, 7, 50000, 40001 },
		{ 3, 20000, 5, 4 }, { 3, 16385, 3, 3 }, { 100, 9, 262144, 262143 },
		{ 100, 9, 262145, 100 }, { 33000, 5, 33000, 400000 }, { 65536, 30, 65537, 70000 },
		{ 300000, 3, 300000, 300001 },
	};
	struct xetile_rect r = { .dst_offset = 13, .src_offset = 101 };
	struct stack s;
	unsigned int i;

	if (!stack_open(&s, tiles, class))
		return false;
	r.dst = alloc(&s, "chunk:64k", 48 * PAGE);
	r.src = alloc(&s, "even", 48 * PAGE);
	for (i = 0; i < ARRAY_SIZE(shapes); i++) {
		r.width = shapes[i][0];
		r.rows = shapes[i][1];
		r.dst_pitch = shapes[i][2];
		r.src_pitch = shapes[i][3];
		if (!copy_rect(&s, &r)) {
			printf("  shape %u\n", i);
			return false;
		}
	}
	xetile_mem_free(r.dst);
	xetile_mem_free(r.src);
	return stack_close(&s);
}

/* Rows are divided among the tiles that hold them. */
static bool check_rect_tiles(void)
{
	struct xetile_rect r = { .width = PAGE / 2, .rows = 8, .dst_pitch = PAGE, .src_pitch = PAGE };
	struct stack s;

	if (!stack_open(&s, 2, XETILE_COPY_SPLIT))
		return false;
	r.dst = alloc(&s, "map:1*4,0*4", 8 * PAGE);
	r.src = alloc(&s, NULL, 8 * PAGE);
	CHECK(!xetile_copy_rect(s.queue, &r, 0, NULL, NULL));
	CHECK(submission(1)->tile == 1 && submission(0)->tile == 0);
	CHECK(fake_run(submission(1)) == 2 * PAGE);
	CHECK(fake_run(submission(0)) == 2 * PAGE);
	/* One row of them, of 64 KiB in all, is one part. */
	r.rows = 2;
	r.dst_offset = 6 * PAGE;
	CHECK(!xetile_copy_rect(s.queue, &r, 0, NULL, NULL));
	CHECK(submission(0)->tile == 0 && fake_run(submission(0)) == PAGE);
	xetile_mem_free(r.dst);
	xetile_mem_free(r.src);
	return stack_close(&s);
}

/* A copy within a buffer is refused when a byte is read and written, and only then. */
static bool check_overlaps(void)
{
	uint64_t dst, width, pitch, rows, y;
	const uint64_t src = 20;
	struct xetile_rect r;
	uint8_t used[200];
	struct stack s;
	bool meets;
	int err;

	if (!stack_open(&s, 2, XETILE_COPY))
		return false;
	r.dst = r.src = alloc(&s, "even", PAGE);
	for (dst = 0; dst < 44; dst++) {
		for (width = 1; width < 5; width++) {
			for (pitch = width; pitch < 8; pitch++) {
				for (rows = 1; rows < 5; rows++) {
					meets = false;
					memset(used, 0, sizeof(used));
					for (y = 0; y < rows; y++)
						memset(used + src + y * pitch, 1, width);
					for (y = 0; y < rows * width; y++)
						meets |= used[dst + y / width * pitch + y % width];
					r.dst_offset = dst;
					r.src_offset = src;
					r.dst_pitch = r.src_pitch = pitch;
					r.width = width;
					r.rows = rows;
					err = xetile_copy_rect(s.queue, &r, 0, NULL, NULL);
					CHECK(err == (meets ? -EINVAL : 0),
					      "dst %llu width %llu pitch %llu rows %llu: %d",
					      (unsigned long long)dst, (unsigned long long)width,
					      (unsigned long long)pitch, (unsigned long long)rows,
					      err);
				}
			}
		}
	}
	xetile_mem_free(r.dst);
	return stack_close(&s);
}

static bool check_bad_rects(void)
{
	struct xetile_rect good = {
		.width = 100, .rows = 3, .dst_pitch = 200, .src_pitch = 32718, .src_offset = 0,
	};
	struct xetile_mem *mem[2];
	struct xetile_rect r;
	struct stack s;

	if (!stack_open(&s, 2, XETILE_COPY))
		return false;
	mem[0] = good.dst = alloc(&s, "even", PAGE);
	mem[1] = good.src = alloc(&s, "even", PAGE);
#define BAD(field, value)							\
	do {									\
		r = good;							\
		r.field = value;						\
		CHECK(xetile_copy_rect(s.queue, &r, 0, NULL, NULL) == -EINVAL, #field);	\
	} while (0)
	CHECK(!xetile_copy_rect(s.queue, &good, 0, NULL, NULL), "%s", xetile_last_error());
	BAD(width, 0);
	BAD(rows, 0);
	BAD(width, 101);
	BAD(rows, 4);
	BAD(rows, UINT64_MAX);
	BAD(src_pitch, 32719);
	BAD(src_pitch, UINT64_MAX);
	BAD(src_pitch, 99);
	BAD(dst_pitch, 99);
	BAD(dst_offset, PAGE - 499);
	BAD(dst_offset, UINT64_MAX);
	BAD(src, NULL);
	BAD(dst, NULL);
	good.dst = good.src;
	good.dst_offset = 50;
	BAD(src_pitch, 300);
	CHECK_TEXT("overlap");
	xetile_mem_free(mem[0]);
	xetile_mem_free(mem[1]);
	/* A pitch that no command can tell */
	good = (struct xetile_rect) {
		.width = 1, .rows = 65536, .dst_pitch = 1, .src_pitch = 16,
		.dst = alloc(&s, "even", 2 * PAGE), .src = alloc(&s, "even", 17 * PAGE),
	};
	CHECK(!xetile_copy_rect(s.queue, &good, 0, NULL, NULL), "%s", xetile_last_error());
	mem[0] = good.dst;
	mem[1] = good.src;
	mem[1]->size = UINT64_MAX / 2;
	good.src_pitch = 262145;
	CHECK(!xetile_copy_rect(s.queue, &good, 0, NULL, NULL), "%s", xetile_last_error());
	BAD(rows, 65537);
	CHECK_TEXT("pitch above 256 KiB");
	mem[1]->size = 17 * PAGE;
	xetile_mem_free(mem[0]);
	xetile_mem_free(mem[1]);
	return stack_close(&s);
}

int main(void)
{
	test_run("W11: copies go to the nearest engine", check_nearest());
	test_run("S7 S8: the tile with the most free HBM", check_least_occupied());
	test_run("W11: measured ratios choose the engine", check_measured());
	test_run("W11 W3: the nearest engine after a recolor", check_recolor());
	test_run("W11: copies of different engines are in order", check_order());
	test_run("W11: a queue of several engines has members", check_members());
	test_run("W11: a copy is split over two tiles", check_split(2));
	test_run("W11: a copy is split over three tiles", check_split(3));
	test_run("W11: a copy is split over four tiles", check_split(4));
	test_run("W11: a copy on one tile is not split", check_split(1));
	test_run("W11: each part is copied where it lies", check_split_tiles());
	test_run("W11: events and order of copies in parts", check_split_events());
	test_run("W11: rows, by one engine", check_rects(2, XETILE_COPY));
	test_run("W11: rows, by the nearest engine", check_rects(2, XETILE_COPY_NEAREST));
	test_run("W11: rows, split over four tiles", check_rects(4, XETILE_COPY_SPLIT));
	test_run("W11: rows are split where they lie", check_rect_tiles());
	test_run("W11: rows that overlap are refused", check_overlaps());
	test_run("W11: bad rows are refused", check_bad_rects());
	return test_end();
}
