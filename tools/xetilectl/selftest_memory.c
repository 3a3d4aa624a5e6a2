// SPDX-License-Identifier: MIT
/*
 * A walk over a tile's HBM. All of it is written before any is read, so that two addresses that
 * mean the same memory are found out; then once more with the other bits. A copy engine moves the
 * words between HBM and the machine's memory, where the CPU makes and compares them.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ctl.h"
#include "selftest.h"
#include "selftest_answer.h"
#include "text.h"

/* Bytes of a copy, and of a buffer at most */
#define STEP		(4u << 20)
#define CHUNK		(256u << 20)
/* What the driver needs itself for page tables and queues when all HBM is wanted */
#define RESERVE		(32u << 20)
#define LIMIT_MS	60000

struct walk {
	struct selftest *test;
	struct xetile_context *context;
	struct xetile_device *tile;
	uint32_t number;		/* of the tile */
	unsigned int unit;
	char selector[32];
	struct xetile_queue *queue;
	struct xetile_mem *stage;	/* in the machine's memory */
	uint64_t *words;
	struct xetile_mem **chunks;
	unsigned int num;
	uint64_t size;			/* bytes of all chunks */
	uint64_t all, done;		/* bytes of all passes, and of them until now */
};

static struct selftest_unit *unit_of(struct walk *w)
{
	return &w->test->units[w->unit];
}

/* --- buffers ------------------------------------------------------------------------------ */

static int add_chunk(struct walk *w, uint64_t size)
{
	const struct xetile_mem_desc desc = {
		.size = size, .color = XETILE_COLOR_TILE, .tile = w->number,
		.flags = XETILE_MEM_STRICT,
	};
	struct xetile_mem **chunks;

	chunks = realloc(w->chunks, (w->num + 1) * sizeof(*chunks));
	if (!chunks)
		return -1;
	w->chunks = chunks;
	if (xetile_mem_alloc(w->context, w->tile, &desc, &chunks[w->num]))
		return -1;
	w->num++;
	w->size += size;
	return 0;
}

/* Take as much as is wanted, in smaller pieces where there is no room for large ones. */
static void take(struct walk *w, uint64_t wanted)
{
	uint64_t piece = CHUNK, size;

	while (w->size < wanted && piece >= XETILE_COLOR_PAGE) {
		size = wanted - w->size < piece ? wanted - w->size : piece;
		if (add_chunk(w, size))
			piece /= 2;
	}
}

/*
 * Others may want HBM later. A chunk that they have pushed out would push them out when it is
 * copied, and come back to other pages than those that were written: it is let go.
 */
static bool has_gone(struct walk *w, unsigned int i)
{
	uint64_t bytes;

	if (!xetile_mem_misplaced(w->chunks[i], &bytes) && !bytes)
		return false;
	w->size -= xetile_mem_size(w->chunks[i]);
	xetile_mem_free(w->chunks[i]);
	w->chunks[i] = w->chunks[--w->num];
	return true;
}

static bool open_walk(struct walk *w)
{
	const struct xetile_mem_desc stage = { .size = STEP, .flags = XETILE_MEM_SYSTEM };
	struct xetile_device_info info;
	uint64_t wanted, most;
	void *map;

	if (xetile_mem_alloc(w->context, w->tile, &stage, &w->stage) ||
	    xetile_mem_map(w->stage, &map) ||
	    selftest_queue(w->context, w->tile, XETILE_COPY, LIMIT_MS, &w->queue) ||
	    xetile_device_get_info(w->tile, &info))
		return false;
	w->words = map;
	unit_of(w)->of = info.hbm_total - info.hbm_used;
	/* More than is free would push out what others have. */
	most = unit_of(w)->of > RESERVE ? unit_of(w)->of - RESERVE : 0;
	wanted = w->test->memory < most ? w->test->memory : most;
	take(w, wanted - wanted % XETILE_COLOR_PAGE);
	w->all = 4 * w->size;
	return w->num;
}

static void close_walk(struct walk *w)
{
	unsigned int i;

	xetile_queue_destroy(w->queue);
	for (i = 0; i < w->num; i++)
		xetile_mem_free(w->chunks[i]);
	xetile_mem_free(w->stage);
	free(w->chunks);
}

/* --- steps ----------------------------------------------------------------------------------- */

static bool copy(struct walk *w, struct xetile_mem *dst, uint64_t dst_offset,
		 struct xetile_mem *src, uint64_t src_offset, uint64_t size)
{
	struct xetile_event *event;
	int err = xetile_copy(w->queue, dst, dst_offset, src, src_offset, size, 0, NULL, &event);

	if (err)
		return false;
	err = xetile_event_wait(event, -1);
	xetile_event_destroy(event);
	return !err;
}

static bool write_step(struct walk *w, struct xetile_mem *chunk, uint64_t offset, uint64_t size,
		       bool inverse)
{
	answer_pattern(w->words, size / 8, xetile_mem_address(chunk) + offset, inverse);
	return copy(w, chunk, offset, w->stage, 0, size);
}

static bool read_step(struct walk *w, struct xetile_mem *chunk, uint64_t offset, uint64_t size,
		      bool inverse, struct selftest_wrong *wrong)
{
	/* What was written must not be what a copy that does nothing finds. */
	memset(w->words, 0, size);
	if (!copy(w, w->stage, 0, chunk, offset, size))
		return false;
	answer_pattern_judge(w->words, size / 8, xetile_mem_address(chunk) + offset, inverse, wrong);
	return true;
}

/* Write all, or read all. Returns whether the engine did it. */
static bool pass(struct walk *w, bool reads, bool inverse, struct selftest_wrong *wrong)
{
	uint64_t offset, size, end;
	unsigned int i;
	bool stays;
	char what[64];

	for (i = 0; i < w->num; i += stays) {
		end = xetile_mem_size(w->chunks[i]);
		for (offset = 0, stays = true; offset < end; offset += size) {
			if (has_gone(w, i)) {
				stays = false;
				break;
			}
			size = end - offset < STEP ? end - offset : STEP;
			selftest_progress(w->test, w->selector, "HBM", w->done * 100 / w->all);
			if (!(reads ? read_step(w, w->chunks[i], offset, size, inverse, wrong) :
			      write_step(w, w->chunks[i], offset, size, inverse))) {
				snprintf(what, sizeof(what), "a copy %s 0x%" PRIx64,
					 reads ? "from" : "to",
					 xetile_mem_address(w->chunks[i]) + offset);
				selftest_stopped(unit_of(w), what, w->queue);
				return false;
			}
			w->done += size;
		}
	}
	return true;
}

static void run(struct walk *w)
{
	struct selftest_wrong wrong = { 0 };
	struct xetile_queue_info info;
	unsigned int i;

	for (i = 0; i < 4; i++) {
		if (!pass(w, i % 2, i / 2, &wrong))
			break;
	}
	selftest_judge(unit_of(w), i < 2 ? "the first pattern" : "the pattern", &wrong);
	if (!w->num)
		selftest_not_run(unit_of(w), "others took the HBM that was free");
	unit_of(w)->bytes = w->size;
	unit_of(w)->tests = i / 2;
	if (!xetile_queue_get_info(w->queue, &info) && info.num_members == 1 &&
	    info.members[0].instance >= 0)
		snprintf(unit_of(w)->engine, sizeof(unit_of(w)->engine), "BCS%d",
			 info.members[0].instance);
}

int selftest_memory(struct selftest *test, struct xetile_context *context,
		    struct xetile_device *tile)
{
	struct walk w = { .test = test, .context = context, .tile = tile, .unit = test->num };
	struct xetile_device_info info;

	if (xetile_device_get_info(tile, &info))
		return ctl_failed("tile");
	w.number = info.tile;
	xetile_device_selector(tile, w.selector, sizeof(w.selector));
	if (!selftest_add(test, SELFTEST_HBM, tile))
		return CTL_FAILED;
	if (open_walk(&w))
		run(&w);
	else
		selftest_not_run(unit_of(&w), "no HBM to walk over: %s",
				 w.words && unit_of(&w)->of < RESERVE + XETILE_COLOR_PAGE ?
				 "the driver needs what is free" : xetile_last_error());
	close_walk(&w);
	return CTL_OK;
}
