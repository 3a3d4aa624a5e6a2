// SPDX-License-Identifier: MIT
/*
 * The table of growth: operations of one client, measured while the client or other clients
 * have 10, 1,000 and 10,000 objects. The cost of an operation should not grow with them.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <pvc_mi_commands.h>

#include "bench.h"
#include "calls.h"

#define MAX_COUNT	31000
#define QUEUES_A_FILE	250	/* a file can have 1,024 */
#define MAX_FILES	(MAX_COUNT / QUEUES_A_FILE)
#define BOS_ADDR	(16 * GIB)
#define BO_SIZE		(64 * KIB)
/* The most runs of a BO that is evicted or allocated, and the most BOs that are evicted */
#define MAX_PARTS	10000
#define PARTS_SIZE	(MAX_PARTS * BO_SIZE)
#define FEW_BOS		100
#define SLACK		(2 * MIB)

#define WORD_OFFSET	PAGE
#define WORD_ADDR	(BATCH_ADDR + WORD_OFFSET)
/* Poll memory until the word is equal. */
#define WAIT_EQUAL	(PVC_MI_SEMAPHORE_WAIT | PVC_MI_SEMAPHORE_POLL | \
			 PVC_FIELD_PREP(PVC_MI_SEMAPHORE_COMPARE, PVC_MI_COMPARE_EQ))

/* ---- queues that wait for an engine ---- */

/*
 * A batch of a queue with high priority occupies the compute engine of tile 0 until a word
 * changes. Queues of other files have a batch each that waits for this engine.
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
		WAIT_EQUAL, 1, (uint32_t)WORD_ADDR, (uint32_t)(WORD_ADDR >> 32), 0,
		PVC_MI_BATCH_BUFFER_END,
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

/* The client that is measured has a queue for another engine. */
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

/* ---- calls that bind many pieces ---- */

/* All samples bind MAX_PIECES pieces, .count by a call. */
static void setup_pieces(struct state *s)
{
	open_node(s);
	s->vm = s->ops->vm_create(s->fd);
	s->bo = s->size == BO_SIZE ? s->ops->bo_create(s->fd, BO_SIZE) : 0;
	s->ops->pieces_prepare(s->bo, BOS_ADDR, s->size);
	/* The first bind waits for the BO's memory. */
	s->ops->pieces_bind(s->fd, s->vm, 0, MAX_PIECES);
	s->syncobjs[0] = syncobj_create(s->fd);
}

static void no_pieces(struct state *s)
{
	s->ops->unbind(s->fd, s->vm, BOS_ADDR, MAX_PIECES * s->size, s->syncobjs[0]);
	syncobj_wait(s->fd, s->syncobjs, 1);
}

static void run_pieces(struct state *s)
{
	for (unsigned int i = 0; i < MAX_PIECES; i += s->count)
		s->ops->pieces_bind(s->fd, s->vm, i, s->count);
}

/* ---- buffers that make room ---- */

static uint32_t filler, wanted;
static uint64_t used_before;

/* Fill the tile. The BOs that were there before are the first that TTM evicts. */
static void fill_tile(struct state *s)
{
	filler = s->ops->bo_create_strict(s->fd, s->ops->hbm_free(s->fd) & ~(BO_SIZE - 1));
	used_before = s->ops->hbm_used(s->fd);
}

/* Check that the BOs that were to be evicted were, and no others. */
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

/* A BO in .count runs lies on two tiles: its half on the first tile is evicted. */
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

/* A BO in .count runs needs room: its half on the first tile evicts all of FEW_BOS. */
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

/* One BO evicts .count BOs, on one tile. */
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

static bool can_array(const struct ops *ops)
{
	return ops->pieces_bind;
}

/* The driver can be removed while queues wait, and can be bound again. */
static bool can_ban(const struct ops *ops)
{
	return ops->bans && can_wait(ops);
}

/* The same waiting queues serve both operations: the first makes them, the second ends them. */
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

#define ARRAY_ROW(what, bytes, n) \
	{ .name = "bind 4096 pieces " what ", so many by a call", .count = n, .can = can_array, \
	  .setup = setup_pieces, .before = no_pieces, .run = run_pieces, .teardown = close_node, \
	  .size = bytes, .cold = true, .samples = 2, .settle_ms = 50, .max_tiles = 1 }
#define ARRAY_ROWS(n) \
	ARRAY_ROW("of 64 KiB", BO_SIZE, n), ARRAY_ROW("of 4 KiB without memory", PAGE, n)

const struct operation growth[] = {
	WAITING_ROWS(10), WAITING_ROWS(1000), WAITING_ROWS(10000),
	PRIVATE_ROW(10), PRIVATE_ROW(1000), PRIVATE_ROW(10000),
	SHARED_ROW(10), SHARED_ROW(1000), SHARED_ROW(10000),
	FRESH_ROW(100), FRESH_ROW(1000), FRESH_ROW(10000),
	PIECES_ROW(10), PIECES_ROW(1000), PIECES_ROW(10000),
	WANTED_ROW(10), WANTED_ROW(1000), WANTED_ROW(10000),
	/* Without firmware the xe driver waits for ever for one of a thousand moves. */
	OTHERS_ROW(100, can_fill), OTHERS_ROW(1000, can_pieces), OTHERS_ROW(10000, can_pieces),
	ARRAY_ROWS(64), ARRAY_ROWS(4096),
	/* A card has no global addresses for more queues. */
	REMOVE_ROW(100), REMOVE_ROW(1000), REMOVE_ROW(31000),
	{ 0 }
};
