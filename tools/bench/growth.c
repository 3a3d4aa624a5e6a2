// SPDX-License-Identifier: MIT
/*
 * What others have must not be paid for: operations of one client, measured while
 * there are 10, 1,000 and 10,000 of what it or somebody else has.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "bench.h"
#include "calls.h"

#define MAX_COUNT	31000
#define QUEUES_A_FILE	250	/* a file can have 1,024 */
#define MAX_FILES	(MAX_COUNT / QUEUES_A_FILE)
#define BOS_ADDR	(16 * GIB)
#define BO_SIZE		(64 * KIB)
/* What makes room for a BO, or needs it: in so many runs, or so many BOs, at most */
#define MAX_PARTS	10000
#define PARTS_SIZE	(MAX_PARTS * BO_SIZE)
#define FEW_BOS		100
#define SLACK		(2 * MIB)

#define WORD_OFFSET	PAGE
#define WORD_ADDR	(BATCH_ADDR + WORD_OFFSET)
#define SEMAPHORE_WAIT	(0x1cu << 23 | 1u << 15 | 4u << 12 | 3)	/* until equal, polls */
#define BATCH_END	0x05000000u

/* ---- queues that wait for an engine ---- */

/*
 * A batch of a queue that comes before all others has the compute engine of tile 0, until
 * a word changes; queues of other files have a batch each that wants it.
 */
static struct {
	struct state first, files[MAX_FILES];
	uint32_t queues[MAX_COUNT];
	unsigned int num, num_files;
	volatile uint32_t *word;
} waiting;

static void occupy_engine(const struct state *s)
{
	struct state *f = &waiting.first;
	const uint32_t batch[] = {
		SEMAPHORE_WAIT, 1, (uint32_t)WORD_ADDR, (uint32_t)(WORD_ADDR >> 32), 0, BATCH_END,
	};
	uint32_t *p;

	*f = *s;
	setup_batch(f);
	p = map_bo(f, f->batch, BO_SIZE);
	for (unsigned int i = 0; i < sizeof(batch) / sizeof(*batch); i++)
		((volatile uint32_t *)p)[i] = batch[i];
	waiting.word = p + WORD_OFFSET / sizeof(*p);
	*waiting.word = 0;
	f->queues[0] = f->ops->first_queue_create(f->fd, f->vm);
	f->syncobjs[0] = syncobj_create(f->fd);
	f->ops->exec(f->fd, f->queues[0], BATCH_ADDR, f->syncobjs[0]);
}

static struct state *file_of(unsigned int queue)
{
	return &waiting.files[queue / QUEUES_A_FILE];
}

static void queues_begin(struct state *s)
{
	waiting.num = s->count;
	waiting.num_files = (s->count + QUEUES_A_FILE - 1) / QUEUES_A_FILE;
	for (unsigned int i = 0; i < waiting.num_files; i++) {
		waiting.files[i] = *s;
		setup_batch(&waiting.files[i]);
		waiting.files[i].syncobjs[0] = syncobj_create(waiting.files[i].fd);
	}
	for (unsigned int i = 0; i < waiting.num; i++)
		waiting.queues[i] = s->ops->queue_create(file_of(i)->fd, file_of(i)->vm, 0);
	occupy_engine(s);
	for (unsigned int i = 0; i < waiting.num; i++)
		s->ops->exec(file_of(i)->fd, waiting.queues[i], BATCH_ADDR,
			     file_of(i)->syncobjs[0]);
}

static void queues_close(void)
{
	for (unsigned int i = 0; i < waiting.num_files; i++)
		close_node(&waiting.files[i]);
	munmap((void *)((uintptr_t)waiting.word & ~(PAGE - 1)) - WORD_OFFSET, BO_SIZE);
	close_node(&waiting.first);
}

static void queues_end(struct state *s)
{
	(void)s;
	*waiting.word = 1;
	syncobj_wait(waiting.first.fd, waiting.first.syncobjs, 1);
	for (unsigned int i = 0; i < waiting.num_files; i++)
		syncobj_wait(waiting.files[i].fd, waiting.files[i].syncobjs, 1);
	queues_close();
}

/* Who is measured, on another engine */
static void setup_bystander(struct state *s)
{
	queues_begin(s);
	setup_batch(s);
	s->queues[0] = s->ops->copy_queue_create(s->fd, s->vm);
	s->syncobjs[0] = syncobj_create(s->fd);
}

static void drop_bystander(struct state *s)
{
	close_node(s);
	queues_end(s);
}

static void run_queue_info(struct state *s)
{
	s->ops->queue_info(s->fd, s->queues[0]);
}

static void run_exec(struct state *s)
{
	s->ops->exec(s->fd, s->queues[0], BATCH_ADDR, s->syncobjs[0]);
	syncobj_wait(s->fd, s->syncobjs, 1);
}

/* All queues are banned at once. */
static void run_remove(struct state *s)
{
	tell_driver(s, "unbind");
}

static void after_remove(struct state *s)
{
	queues_close();
	tell_driver(s, "bind");
}

/* ---- buffers ---- */

static uint32_t bos[MAX_COUNT];

static void bos_begin(struct state *s, bool private)
{
	uint32_t syncobj = syncobj_create(s->fd);

	for (unsigned int i = 0; i < s->count; i++) {
		bos[i] = private ? s->ops->bo_create_private(s->fd, s->vm, BO_SIZE) :
				   s->ops->bo_create(s->fd, BO_SIZE);
		s->ops->bind(s->fd, s->vm, bos[i], BOS_ADDR + i * BO_SIZE, BO_SIZE, syncobj);
		syncobj_wait(s->fd, &syncobj, 1);
	}
	syncobj_destroy(s->fd, syncobj);
}

static void bos_end(struct state *s)
{
	uint32_t syncobj = syncobj_create(s->fd);

	s->ops->unbind(s->fd, s->vm, BOS_ADDR, s->count * BO_SIZE, syncobj);
	syncobj_wait(s->fd, &syncobj, 1);
	syncobj_destroy(s->fd, syncobj);
	for (unsigned int i = 0; i < s->count; i++)
		gem_close(s->fd, bos[i]);
}

static void setup_queue(struct state *s)
{
	setup_batch(s);
	s->queues[0] = s->ops->queue_create(s->fd, s->vm, 0);
	s->syncobjs[0] = syncobj_create(s->fd);
}

static void setup_private(struct state *s)
{
	setup_queue(s);
	bos_begin(s, true);
}

static void setup_shared(struct state *s)
{
	setup_queue(s);
	bos_begin(s, false);
}

static void drop_bos(struct state *s)
{
	bos_end(s);
	close_node(s);
}

static void fresh_bos(struct state *s)
{
	bos_begin(s, false);
	slow_card(s);
}

static void stale_bos(struct state *s)
{
	normal_card(s);
	bos_end(s);
}

/* ---- buffers that make room ---- */

static uint32_t filler, wanted;
static uint64_t used_before;

/* The tile is full; what is there already is the first that TTM evicts. */
static void fill_tile(struct state *s)
{
	filler = s->ops->bo_create_strict(s->fd, s->ops->hbm_free(s->fd) & ~(BO_SIZE - 1));
	used_before = s->ops->hbm_used(s->fd);
}

/* What was meant to be evicted was, and nothing else */
static void expect_used(struct state *s, uint64_t expected)
{
	uint64_t used = s->ops->hbm_used(s->fd);

	if (used + SLACK < expected || used > expected + SLACK)
		fail("%" PRIu64 " bytes of HBM in use instead of %" PRIu64, used, expected);
}

static void empty_tile(struct state *s)
{
	gem_close(s->fd, wanted);
	gem_close(s->fd, filler);
}

/* A BO in .count runs over two tiles: its half on the first one has to go. */
static void begin_with_pieces(struct state *s)
{
	bos[0] = s->ops->bo_create_pieces(s->fd, PARTS_SIZE, PARTS_SIZE / s->count);
	fill_tile(s);
}

static void run_evict_pieces(struct state *s)
{
	wanted = s->ops->bo_create_strict(s->fd, BO_SIZE);
}

static void end_with_pieces(struct state *s)
{
	expect_used(s, used_before - PARTS_SIZE + BO_SIZE);
	empty_tile(s);
	gem_close(s->fd, bos[0]);
}

static void make_bos(struct state *s, unsigned int num, uint64_t size)
{
	for (unsigned int i = 0; i < num; i++)
		bos[i] = s->ops->bo_create(s->fd, size);
	fill_tile(s);
}

static void close_bos(struct state *s, unsigned int num)
{
	empty_tile(s);
	for (unsigned int i = 0; i < num; i++)
		gem_close(s->fd, bos[i]);
}

/* A BO in .count runs, for whose half on the first tile few BOs, all of them, have to go */
static void begin_with_few(struct state *s)
{
	make_bos(s, FEW_BOS, PARTS_SIZE / 2 / FEW_BOS);
}

static void run_create_pieces(struct state *s)
{
	wanted = s->ops->bo_create_pieces(s->fd, PARTS_SIZE, PARTS_SIZE / s->count);
}

static void end_with_few(struct state *s)
{
	expect_used(s, used_before + PARTS_SIZE / 2);
	close_bos(s, FEW_BOS);
}

/* .count BOs have to go for one, on one tile. */
static void begin_with_many(struct state *s)
{
	make_bos(s, s->count, PARTS_SIZE / s->count);
}

static void run_evict_many(struct state *s)
{
	wanted = s->ops->bo_create_strict(s->fd, PARTS_SIZE);
}

static void end_with_many(struct state *s)
{
	expect_used(s, used_before);
	close_bos(s, s->count);
}

/* ---- the table ---- */

static bool can_wait(const struct ops *ops)
{
	return ops->first_queue_create && ops->copy_queue_create && ops->queue_info;
}

static bool can_private(const struct ops *ops)
{
	return ops->bo_create_private;
}

static bool can_fill(const struct ops *ops)
{
	return ops->bo_create_strict && ops->hbm_free;
}

static bool can_pieces(const struct ops *ops)
{
	return ops->bo_create_pieces && can_fill(ops);
}

/* A driver that is removed while queues wait, and goes on */
static bool can_ban(const struct ops *ops)
{
	return ops->bans && can_wait(ops);
}

/* The same queues wait for both. */
#define WAITING_ROWS(n) \
	{ .name = "QUEUE_INFO; queues wait for another engine", .count = n, .can = can_wait, \
	  .setup = setup_bystander, .run = run_queue_info, .samples = 20, .busy = true, \
	  .max_tiles = 1 }, \
	{ .name = "an empty exec, to its fence; queues wait for another engine", .count = n, \
	  .can = can_wait, .before = slow_card, .run = run_exec, .after = normal_card, \
	  .teardown = drop_bystander, .samples = 12, .busy = true, .settle_ms = 100, \
	  .max_tiles = 1 }
#define REMOVE_ROW(n) \
	{ .name = "remove; queues wait, and are banned", .count = n, .can = can_ban, \
	  .before = queues_begin, .run = run_remove, .after = after_remove, .cold = true, \
	  .samples = 1, .settle_ms = 200, .max_tiles = 1 }
#define BOUND_ROW(what, able, begin, n) \
	{ .name = "an empty exec, to its fence; BOs are bound that " what, .count = n, \
	  .can = able, .setup = begin, .before = slow_card, .run = run_exec, \
	  .after = normal_card, .teardown = drop_bos, .samples = 12, .settle_ms = 150, \
	  .max_tiles = 1 }
#define PRIVATE_ROW(n)	BOUND_ROW("only its VM can map", can_private, setup_private, n)
#define SHARED_ROW(n)	BOUND_ROW("can be shared", NULL, setup_shared, n)
#define FRESH_ROW(n) \
	{ .name = "the first exec after so many fresh BOs", .count = n, \
	  .setup = setup_queue, .before = fresh_bos, .run = run_exec, .after = stale_bos, \
	  .teardown = close_node, .cold = true, .samples = 2, .settle_ms = 150, .max_tiles = 1 }
#define EVICT_ROW(title, able, begin, evict, end, n, ...) \
	{ .name = title, .count = n, .can = able, .setup = open_node, .before = begin, \
	  .run = evict, .after = end, .teardown = close_node, .cold = true, .samples = 2, \
	  .settle_ms = 500, __VA_ARGS__ }
#define PIECES_ROW(n) \
	EVICT_ROW("create a BO, which evicts one of so many runs", can_pieces, \
		  begin_with_pieces, run_evict_pieces, end_with_pieces, n, .min_tiles = 2)
#define WANTED_ROW(n) \
	EVICT_ROW("create a BO of so many runs, which evicts 100 others", can_pieces, \
		  begin_with_few, run_create_pieces, end_with_few, n, .min_tiles = 2)
#define OTHERS_ROW(n, able) \
	EVICT_ROW("create a BO, which evicts so many others", able, \
		  begin_with_many, run_evict_many, end_with_many, n, .max_tiles = 1)

const struct operation growth[] = {
	WAITING_ROWS(10), WAITING_ROWS(1000), WAITING_ROWS(10000),
	PRIVATE_ROW(10), PRIVATE_ROW(1000), PRIVATE_ROW(10000),
	SHARED_ROW(10), SHARED_ROW(1000), SHARED_ROW(10000),
	FRESH_ROW(100), FRESH_ROW(1000), FRESH_ROW(10000),
	PIECES_ROW(10), PIECES_ROW(1000), PIECES_ROW(10000),
	WANTED_ROW(10), WANTED_ROW(1000), WANTED_ROW(10000),
	/* Without firmware the xe driver waits for ever for one of a thousand moves. */
	OTHERS_ROW(100, can_fill), OTHERS_ROW(1000, can_pieces), OTHERS_ROW(10000, can_pieces),
	/* A card has no room for more. */
	REMOVE_ROW(100), REMOVE_ROW(1000), REMOVE_ROW(31000),
	{ 0 }
};
