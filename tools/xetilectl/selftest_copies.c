// SPDX-License-Identifier: MIT
/*
 * Copy engines. A queue takes any engine of its tile that is free, and keeps it while it has work.
 * So there are as many queues as engines, and all have work at once. Where they have fewer engines
 * than there are, because a copy ends before the last queue begins, the first queue copies many
 * short rows, for which all wait, and then each copies them once more, which holds the engine.
 */
#include <stdlib.h>
#include <string.h>

#include "ctl.h"
#include "selftest.h"
#include "selftest_answer.h"

#define MAX_ENGINES	16
#define SIZE		(1u << 20)
/* Rows that hold an engine in the second round, four times as many in the next, and at most */
#define ROWS		(1u << 16)
#define MOST_ROWS	(1u << 20)
#define PITCH		64
#define ROUNDS		8
#define BYTE		0xa5
/* The driver stops a copy that takes so long. */
#define LIMIT_MS	60000

enum operation { COPY, FILL, OPERATIONS };

static const char *const names[OPERATIONS] = { "copy", "fill" };

struct engine {
	unsigned int instance, unit;
	bool done[OPERATIONS];
};

struct lane {
	struct xetile_queue *queue;
	struct xetile_mem *mem;
	uint64_t *map;
	struct xetile_event *event;	/* NULL: nothing runs */
};

struct copies {
	struct selftest *test;
	struct xetile_context *context;
	struct xetile_device *tile;
	uint32_t number;			/* of the tile */
	struct engine engines[MAX_ENGINES];
	unsigned int num;
	struct lane lanes[MAX_ENGINES];
	struct xetile_mem *source, *held;	/* .held: NULL in the first round */
	uint64_t *source_map;
	char trouble[160];		/* why no more could be tried */
};

/* --- engines ------------------------------------------------------------------------------ */

static int find_engines(struct copies *c)
{
	struct xetile_engine_info infos[64];
	int i, num = xetile_device_get_engines(c->tile, infos, 64);

	if (num < 0)
		return ctl_failed("engines");
	for (i = 0; i < num && i < 64 && c->num < MAX_ENGINES; i++) {
		struct selftest_unit *unit;

		if (!infos[i].is_copy || infos[i].tile != c->number)
			continue;
		c->engines[c->num].instance = infos[i].instance;
		c->engines[c->num++].unit = c->test->num;
		unit = selftest_add(c->test, SELFTEST_COPY, c->tile);
		if (!unit)
			return CTL_FAILED;
		snprintf(unit->engine, sizeof(unit->engine), "BCS%u", infos[i].instance);
	}
	return CTL_OK;
}

/* The engine that a queue had last */
static struct engine *engine_of(struct copies *c, struct xetile_queue *queue)
{
	struct xetile_queue_info info;
	unsigned int i;

	if (xetile_queue_get_info(queue, &info) || info.num_members != 1)
		return NULL;
	for (i = 0; i < c->num; i++) {
		if ((int)c->engines[i].instance == info.members[0].instance)
			return &c->engines[i];
	}
	return NULL;
}

static bool has_all(const struct copies *c, enum operation op)
{
	unsigned int i;

	for (i = 0; i < c->num && c->engines[i].done[op]; i++)
		;
	return i == c->num;
}

/* --- lanes --------------------------------------------------------------------------------- */

static int alloc(struct copies *c, uint64_t size, struct xetile_mem **mem)
{
	const struct xetile_mem_desc desc = {
		.size = size, .color = XETILE_COLOR_TILE, .tile = c->number,
		.flags = XETILE_MEM_STRICT,
	};

	return xetile_mem_alloc(c->context, c->tile, &desc, mem);
}

static int alloc_mapped(struct copies *c, struct xetile_mem **mem, uint64_t **map)
{
	void *at = NULL;
	int err = alloc(c, SIZE, mem);

	if (!err)
		err = xetile_mem_map(*mem, &at);
	*map = at;
	return err;
}

static void close_lanes(struct copies *c)
{
	unsigned int i;

	for (i = 0; i < c->num; i++) {
		xetile_event_destroy(c->lanes[i].event);
		xetile_queue_destroy(c->lanes[i].queue);
		xetile_mem_free(c->lanes[i].mem);
		c->lanes[i] = (struct lane) { 0 };
	}
	xetile_mem_free(c->source);
	xetile_mem_free(c->held);
	c->source = c->held = NULL;
}

static void note_trouble(struct copies *c)
{
	snprintf(c->trouble, sizeof(c->trouble), "%s", xetile_last_error());
}

static bool open_lanes(struct copies *c, uint64_t rows)
{
	unsigned int i;
	int err = alloc_mapped(c, &c->source, &c->source_map);

	if (!err && rows)
		err = alloc(c, 2 * rows * PITCH, &c->held);
	for (i = 0; i < c->num && !err; i++) {
		err = alloc_mapped(c, &c->lanes[i].mem, &c->lanes[i].map);
		if (!err)
			err = selftest_queue(c->context, c->tile, XETILE_COPY, LIMIT_MS,
					     &c->lanes[i].queue);
	}
	if (err) {
		note_trouble(c);
		return false;
	}
	answer_pattern(c->source_map, SIZE / 8, xetile_mem_address(c->source), false);
	return true;
}

/* --- copies and fills ---------------------------------------------------------------------- */

/* Copy four bytes of each row from one half of the memory to the other. */
static int hold(struct copies *c, struct xetile_queue *queue, struct xetile_event *gate,
		struct xetile_event **out)
{
	uint64_t half = xetile_mem_size(c->held) / 2;
	const struct xetile_rect rect = {
		.dst = c->held, .dst_pitch = PITCH, .src = c->held, .src_offset = half,
		.src_pitch = PITCH, .width = 4, .rows = half / PITCH,
	};

	return xetile_copy_rect(queue, &rect, !!gate, &gate, out);
}

/* Returns NULL if nothing is to be held, or cannot be. */
static struct xetile_event *start_gate(struct copies *c)
{
	struct xetile_event *gate = NULL;

	if (c->held && hold(c, c->lanes[0].queue, NULL, &gate))
		note_trouble(c);
	return gate;
}

static void start(struct copies *c, enum operation op, struct lane *lane,
		  struct xetile_event *gate)
{
	int err = 0;

	if (gate)
		err = hold(c, lane->queue, gate, NULL);
	if (!err && op == COPY)
		err = xetile_copy(lane->queue, lane->mem, 0, c->source, 0, SIZE, 0, NULL, &lane->event);
	else if (!err)
		err = xetile_fill(lane->queue, lane->mem, 0, SIZE, BYTE, 0, NULL, &lane->event);
	if (err)
		note_trouble(c);
}

/* A copy has the source's words, whose addresses are others than its own. */
static void compare(struct copies *c, enum operation op, const struct lane *lane,
		    struct selftest_wrong *wrong)
{
	uint64_t source = xetile_mem_address(c->source), at = xetile_mem_address(lane->mem);

	if (op == FILL) {
		answer_bytes_judge(lane->map, SIZE, at, BYTE, wrong);
		return;
	}
	answer_pattern_judge(lane->map, SIZE / 8, source, false, wrong);
	if (wrong->words)
		wrong->address += at - source;
}

/* Rows that hold an engine longer than others wait for it are this test's doing, and no failure. */
static bool was_in_the_way(const struct copies *c, const struct lane *lane)
{
	struct xetile_queue_info info;

	return c->held && !xetile_queue_get_info(lane->queue, &info) && info.banned &&
	       info.ban.reason == XETILE_BAN_PREEMPT;
}

static void end(struct copies *c, enum operation op, struct lane *lane)
{
	int err = xetile_event_wait(lane->event, -1);
	struct engine *engine = engine_of(c, lane->queue);
	struct selftest_wrong wrong = { 0 };
	struct selftest_unit *unit;

	if (!engine) {
		note_trouble(c);
		return;
	}
	unit = &c->test->units[engine->unit];
	if (err && was_in_the_way(c, lane)) {
		snprintf(c->trouble, sizeof(c->trouble),
			 "others wanted an engine that was held for it");
		return;
	}
	if (err) {
		selftest_stopped(unit, names[op], lane->queue);
	} else {
		/* An engine has several of them while others have none. */
		compare(c, op, lane, &wrong);
		selftest_judge(unit, names[op], &wrong);
		unit->tests++;
		unit->bytes += SIZE;
	}
	engine->done[op] = true;
}

static void run(struct copies *c, enum operation op)
{
	struct xetile_event *gate;
	unsigned int i;

	/* The bytes there must not be those that come. */
	for (i = 0; i < c->num; i++)
		memset(c->lanes[i].map, (uint8_t)~BYTE, SIZE);
	gate = start_gate(c);
	for (i = 0; i < c->num; i++)
		start(c, op, &c->lanes[i], gate);
	for (i = 0; i < c->num; i++) {
		if (c->lanes[i].event)
			end(c, op, &c->lanes[i]);
		xetile_event_destroy(c->lanes[i].event);
		c->lanes[i].event = NULL;
	}
	xetile_event_destroy(gate);
}

static void run_all(struct copies *c)
{
	uint64_t rows = 0;
	unsigned int i;
	enum operation op;
	char selector[32];

	xetile_device_selector(c->tile, selector, sizeof(selector));
	for (i = 0; i < ROUNDS && !(has_all(c, COPY) && has_all(c, FILL)); i++) {
		selftest_progress(c->test, selector, "copy engines", -1);
		for (op = 0; op < OPERATIONS; op++) {
			/* A queue whose work failed takes no more. */
			if (!has_all(c, op) && open_lanes(c, rows))
				run(c, op);
			close_lanes(c);
		}
		rows = !rows ? ROWS : 4 * rows < MOST_ROWS ? 4 * rows : MOST_ROWS;
	}
}

static void judge(struct copies *c)
{
	unsigned int i;

	for (i = 0; i < c->num; i++) {
		const struct engine *engine = &c->engines[i];

		if (!engine->done[COPY] || !engine->done[FILL])
			selftest_not_run(&c->test->units[engine->unit],
					 "no %s ran on it: %s", names[engine->done[COPY] ? FILL : COPY],
					 *c->trouble ? c->trouble :
					 "others use the tile, or a copy ends before the next begins");
	}
}

/* --- what the driver writes ----------------------------------------------------------------- */

/*
 * One engine of a tile may be the driver's alone. It clears memory before somebody gets it: what is
 * freed full of bytes comes back without them.
 */
static int test_clear(struct copies *c)
{
	struct selftest_unit *unit = selftest_add(c->test, SELFTEST_CLEAR, c->tile);
	struct selftest_wrong wrong = { 0 };
	struct xetile_mem *mem = NULL;
	unsigned int round;
	uint64_t *map;

	if (!unit)
		return CTL_FAILED;
	for (round = 0; round < 2; round++) {
		if (alloc_mapped(c, &mem, &map)) {
			selftest_not_run(unit, "cannot allocate: %s", xetile_last_error());
		} else {
			answer_bytes_judge(map, SIZE, xetile_mem_address(mem), 0, &wrong);
			memset(map, BYTE, SIZE);
			unit->bytes += SIZE;
			unit->tests++;
		}
		xetile_mem_free(mem);
		mem = NULL;
	}
	selftest_judge(unit, "new memory is not zero", &wrong);
	return CTL_OK;
}

int selftest_copies(struct selftest *test, struct xetile_context *context,
		    struct xetile_device *tile)
{
	struct copies copies = { .test = test, .context = context, .tile = tile };
	struct xetile_device_info info;
	int ret;

	if (xetile_device_get_info(tile, &info))
		return ctl_failed("tile");
	copies.number = info.tile;
	ret = find_engines(&copies);
	if (ret)
		return ret;
	run_all(&copies);
	judge(&copies);
	return test_clear(&copies);
}
