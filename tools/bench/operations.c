// SPDX-License-Identifier: MIT
/* The measured operations: one table, the same for both drivers. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench.h"
#include "calls.h"
#include "card.h"
#include "insns.h"
#include "memory.h"

#define BIND_ADDR	(8 * GIB)
#define IN_FLIGHT	1000
#define PER_QUEUE	50		/* execs in flight that both drivers take on a queue */
#define OBJECTS		256		/* the memory of one object is an average of so many */

/* ---- self-tests of the counting ---- */

static void run_nothing(struct state *s)
{
	(void)s;
}

static void run_loop(struct state *s)
{
	counted_loop(s->size);
}

static void setup_scratch(struct state *s)
{
	s->scratch = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (s->scratch == MAP_FAILED)
		fail("out of memory");
	memset(s->scratch, 1, MIB);
}

static void drop_scratch(struct state *s)
{
	munmap(s->scratch, MIB);
}

/* The pages are mapped before, so that nothing faults. */
static void run_string(struct state *s)
{
	counted_string(s->scratch, s->size);
}

/* The page is not mapped: the store faults and starts again, and counts once. */
static void forget_scratch(struct state *s)
{
	if (madvise(s->scratch, MIB, MADV_DONTNEED))
		fail("madvise");
}

/* collect.awk compares each with run_nothing: the difference must be the known number. */
const struct operation self_tests[] = {
	{ .name = "nothing", .run = run_nothing, .samples = 20 },
	{ .name = "loop of 1000", .run = run_loop, .size = 1000, .samples = 20 },
	{ .name = "loop of 10000000", .run = run_loop, .size = 10000000, .samples = 5 },
	{ .name = "string of 1", .setup = setup_scratch, .run = run_string,
	  .teardown = drop_scratch, .size = 1, .samples = 20 },
	{ .name = "string of 4096", .setup = setup_scratch, .run = run_string,
	  .teardown = drop_scratch, .size = 4096, .samples = 20 },
	{ .name = "string that faults", .setup = setup_scratch, .before = forget_scratch,
	  .run = run_string, .teardown = drop_scratch, .size = 4096, .samples = 20 },
	{ 0 }
};

/* ---- files, buffers ---- */

static void run_open_close(struct state *s)
{
	open_node(s);
	close_node(s);
}

static void run_bo(struct state *s)
{
	gem_close(s->fd, s->ops->bo_create(s->fd, s->size));
}

static void setup_bo(struct state *s)
{
	open_node(s);
	s->bo = s->ops->bo_create(s->fd, s->size);
}

static void drop_bo(struct state *s)
{
	gem_close(s->fd, s->bo);
	close_node(s);
}

static void run_touch(struct state *s)
{
	volatile char *p = map_bo(s, s->bo, s->size);

	for (uint64_t at = 0; at < s->size; at += PAGE)
		p[at] = 1;
	munmap((void *)p, s->size);
}

/* ---- binds ---- */

static void setup_vm(struct state *s)
{
	s->vm = s->ops->vm_create(s->fd);
	s->syncobjs[0] = syncobj_create(s->fd);
}

static void setup_bind(struct state *s)
{
	setup_bo(s);
	setup_vm(s);
}

static void drop_bind(struct state *s)
{
	syncobj_destroy(s->fd, s->syncobjs[0]);
	s->ops->vm_destroy(s->fd, s->vm);
	drop_bo(s);
}

static void run_bind(struct state *s)
{
	s->ops->bind(s->fd, s->vm, s->bo, BIND_ADDR, s->size, s->syncobjs[0]);
	syncobj_wait(s->fd, s->syncobjs, 1);
	s->ops->unbind(s->fd, s->vm, BIND_ADDR, s->size, s->syncobjs[0]);
	syncobj_wait(s->fd, s->syncobjs, 1);
}

/* ---- colors ---- */

#define RECOLOR_RUNS	MAX_RUNS

static bool can_even(const struct ops *ops)
{
	return ops->bo_create_even;
}

static bool can_pieces(const struct ops *ops)
{
	return ops->bo_create_pieces;
}

static bool can_recolor(const struct ops *ops)
{
	return ops->recolor;
}

static void run_even(struct state *s)
{
	gem_close(s->fd, s->ops->bo_create_even(s->fd, s->size));
}

static void run_pieces(struct state *s)
{
	gem_close(s->fd, s->ops->bo_create_pieces(s->fd, s->size, 64 * KIB));
}

static void setup_bind_even(struct state *s)
{
	open_node(s);
	s->bo = s->ops->bo_create_even(s->fd, s->size);
	setup_vm(s);
}

static void setup_bind_pieces(struct state *s)
{
	open_node(s);
	s->bo = s->ops->bo_create_pieces(s->fd, s->size, 64 * KIB);
	setup_vm(s);
}

/* Runs of equal size lie on tiles 0 and 1 in turn; the first one on tile @first. */
static void recolor(struct state *s, unsigned int runs, unsigned int first)
{
	s->ops->recolor(s->fd, s->bo, s->size, runs, first, s->syncobjs[0]);
	syncobj_wait(s->fd, s->syncobjs, 1);
}

static void back_one(struct state *s)
{
	recolor(s, 1, 0);
	slow_card(s);
}

static void run_recolor_one(struct state *s)
{
	recolor(s, 1, 1);
}

/* Each run is a command, so the card is not made slow. */
static void back_runs(struct state *s)
{
	recolor(s, RECOLOR_RUNS, 0);
}

static void run_recolor_runs(struct state *s)
{
	recolor(s, RECOLOR_RUNS, 1);
}

static void run_recolor_nothing(struct state *s)
{
	recolor(s, RECOLOR_RUNS, 0);
}

/* ---- execution ---- */

static void add_queue(struct state *s, unsigned int tile)
{
	if (s->num_queues == MAX_QUEUES)
		fail("too many queues");
	s->queues[s->num_queues] = s->ops->queue_create(s->fd, s->vm, tile);
	s->syncobjs[s->num_queues] = syncobj_create(s->fd);
	s->num_queues++;
}

/* Add one queue over all tiles, or one queue on each tile. */
static void add_queues_on_all(struct state *s)
{
	if (s->ops->gang)
		add_queue(s, ALL_TILES);
	else
		for (unsigned int t = 0; t < s->tiles; t++)
			add_queue(s, t);
}

static void setup_exec(struct state *s)
{
	setup_batch(s);
	add_queue(s, 0);
}

static void setup_exec_all(struct state *s)
{
	setup_batch(s);
	add_queues_on_all(s);
}

static void setup_many(struct state *s)
{
	setup_batch(s);
	for (unsigned int i = 0; i < IN_FLIGHT / PER_QUEUE; i++)
		add_queue(s, 0);
}

static void setup_many_all(struct state *s)
{
	setup_batch(s);
	for (unsigned int i = 0; i < IN_FLIGHT / PER_QUEUE; i++)
		add_queues_on_all(s);
}

static void drop_queues(struct state *s)
{
	for (unsigned int i = 0; i < s->num_queues; i++) {
		s->ops->queue_destroy(s->fd, s->queues[i]);
		syncobj_destroy(s->fd, s->syncobjs[i]);
	}
	s->ops->vm_destroy(s->fd, s->vm);
	gem_close(s->fd, s->batch);
	close_node(s);
}

static void submit(struct state *s, unsigned int times)
{
	for (unsigned int n = 0; n < times; n++)
		for (unsigned int i = 0; i < s->num_queues; i++)
			s->ops->exec(s->fd, s->queues[i], BATCH_ADDR, s->syncobjs[i]);
}

static void run_exec(struct state *s)
{
	submit(s, 1);
	syncobj_wait(s->fd, s->syncobjs, s->num_queues);
}

/* The first command takes so long that all execs are submitted before its end. */
static void halted_card(struct state *s)
{
	(void)s;
	card_say("inject slow us=3000000");
}

static void run_many(struct state *s)
{
	submit(s, PER_QUEUE);
	magic_return();
	card_say("inject slow us=100");
	magic_resume();
	syncobj_wait(s->fd, s->syncobjs, s->num_queues);
}

/* ---- memory of the process, and of another file ---- */

static void setup_user(struct state *s)
{
	setup_exec(s);
	s->scratch = mmap(NULL, s->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (s->scratch == MAP_FAILED || madvise(s->scratch, s->size, MADV_NOHUGEPAGE))
		fail("no memory");
	memset(s->scratch, 1, s->size);
}

static void drop_user(struct state *s)
{
	munmap(s->scratch, s->size);
	drop_queues(s);
}

/* A driver looks the pages up in the bind or in the exec. */
static void run_user(struct state *s)
{
	s->ops->bind_user(s->fd, s->vm, s->scratch, BIND_ADDR, s->size, s->syncobjs[0]);
	syncobj_wait(s->fd, s->syncobjs, 1);
	run_exec(s);
	s->ops->unbind(s->fd, s->vm, BIND_ADDR, s->size, s->syncobjs[0]);
	syncobj_wait(s->fd, s->syncobjs, 1);
}

/* The file that imports; the other one has the BO. */
static struct state importer;

static void setup_share(struct state *s)
{
	setup_bo(s);
	importer = *s;
	open_node(&importer);
	setup_vm(&importer);
}

static void drop_share(struct state *s)
{
	close_node(&importer);
	drop_bo(s);
}

static void run_share(struct state *s)
{
	int buffer = prime_export(s->fd, s->bo);

	importer.bo = prime_import(importer.fd, buffer);
	close(buffer);
	run_bind(&importer);
	gem_close(importer.fd, importer.bo);
}

/* ---- probe and remove ---- */

static void run_probe(struct state *s)
{
	tell_driver(s, "bind");
}

static void run_remove(struct state *s)
{
	tell_driver(s, "unbind");
}

#define BO_ROW(label, bytes) \
	{ .name = "create and destroy a BO of " label, .setup = open_node, \
	  .before = slow_card, .run = run_bo, .after = normal_card, .teardown = close_node, \
	  .size = bytes, .samples = 12, .settle_ms = 300, .max_tiles = 1 }
#define TOUCH_ROW(label, bytes) \
	{ .name = "mmap " label " and touch each page", .setup = setup_bo, .run = run_touch, \
	  .teardown = drop_bo, .size = bytes, .samples = 20, .settle_ms = 20, .max_tiles = 1 }
#define BIND_ROW(label, bytes) \
	{ .name = "bind and unbind " label, .setup = setup_bind, .run = run_bind, \
	  .teardown = drop_bind, .size = bytes, .samples = 20, .settle_ms = 50 }
#define EXEC_ROW(title, setup_queues) \
	{ .name = title, .setup = setup_queues, .before = slow_card, .run = run_exec, \
	  .after = normal_card, .teardown = drop_queues, .samples = 12, .settle_ms = 150
#define USER_ROW(label, bytes) \
	{ .name = "bind " label " of the process, exec and unbind", .setup = setup_user, \
	  .before = slow_card, .run = run_user, .after = normal_card, .teardown = drop_user, \
	  .size = bytes, .samples = 12, .settle_ms = 150, .max_tiles = 1 }
#define RECOLOR_ROW(title, bytes, first, move) \
	{ .name = "recolor " title, .can = can_recolor, .setup = setup_bind_even, \
	  .before = first, .run = move, .after = normal_card, .teardown = drop_bind, \
	  .size = bytes, .samples = 6, .settle_ms = 300, .min_tiles = 2 }
#define EVEN_ROWS(label, bytes) \
	{ .name = "create and destroy a BO of " label ", even", .can = can_even, \
	  .setup = open_node, .run = run_even, .teardown = close_node, .size = bytes, \
	  .samples = 3, .settle_ms = 1000, .large = true, .min_tiles = 2 }, \
	{ .name = "bind and unbind " label ", even", .can = can_even, \
	  .setup = setup_bind_even, .run = run_bind, .teardown = drop_bind, .size = bytes, \
	  .samples = 20, .settle_ms = 50, .large = true, .min_tiles = 2 }
#define MANY_ROW(title, setup_queues) \
	{ .name = title, .setup = setup_queues, .before = halted_card, .run = run_many, \
	  .after = normal_card, .teardown = drop_queues, .samples = 3, .settle_ms = 200

const struct operation operations[] = {
	{ .name = "open and close", .run = run_open_close, .samples = 20, .settle_ms = 50 },
	BO_ROW("64 KiB", 64 * KIB),
	BO_ROW("2 MiB", 2 * MIB),
	/* Clearing the BO takes hundreds of commands, so the card is not made slow. */
	{ .name = "create and destroy a BO of 1 GiB", .setup = open_node, .run = run_bo,
	  .teardown = close_node, .size = 1 * GIB, .samples = 3, .settle_ms = 1000,
	  .max_tiles = 1 },
	TOUCH_ROW("64 KiB", 64 * KIB),
	TOUCH_ROW("2 MiB", 2 * MIB),
	BIND_ROW("64 KiB", 64 * KIB),
	BIND_ROW("2 MiB", 2 * MIB),
	BIND_ROW("1 GiB", 1 * GIB),
	USER_ROW("64 KiB", 64 * KIB),
	USER_ROW("2 MiB", 2 * MIB),
	{ .name = "export 2 MiB, import, bind and unbind", .setup = setup_share, .run = run_share,
	  .teardown = drop_share, .size = 2 * MIB, .samples = 20, .settle_ms = 50, .max_tiles = 1 },
	{ .name = "create and destroy 1 GiB in pieces of 64 KiB", .can = can_pieces,
	  .setup = open_node, .run = run_pieces, .teardown = close_node, .size = 1 * GIB,
	  .samples = 3, .settle_ms = 1000, .min_tiles = 2 },
	{ .name = "bind and unbind 1 GiB in pieces of 64 KiB", .can = can_pieces,
	  .setup = setup_bind_pieces, .run = run_bind, .teardown = drop_bind, .size = 1 * GIB,
	  .samples = 3, .settle_ms = 200, .min_tiles = 2 },
	EVEN_ROWS("64 MiB", 64 * MIB),
	EVEN_ROWS("64 GiB", 64 * GIB),
	RECOLOR_ROW("2 MiB, which moves", 2 * MIB, back_one, run_recolor_one),
	RECOLOR_ROW("64 MiB, which moves", 64 * MIB, back_one, run_recolor_one),
	RECOLOR_ROW("64 MiB in 1024 runs, which move", 64 * MIB, back_runs, run_recolor_runs),
	RECOLOR_ROW("64 MiB in 1024 runs, which stay", 64 * MIB, back_runs, run_recolor_nothing),
	EXEC_ROW("an empty exec, to its signalled fence", setup_exec), .max_tiles = 1 },
	MANY_ROW("1000 execs in flight, to the last fence", setup_many), .max_tiles = 1 },
	EXEC_ROW("an empty exec on both tiles", setup_exec_all), .min_tiles = 2 },
	MANY_ROW("1000 execs on both tiles in flight", setup_many_all), .min_tiles = 2 },
	/* These come last, because they unbind the driver and bind it again. */
	{ .name = "remove", .run = run_remove, .after = run_probe, .samples = 3,
	  .settle_ms = 200 },
	{ .name = "probe", .before = run_remove, .run = run_probe, .samples = 3,
	  .settle_ms = 200 },
	{ 0 }
};

/* ---- memory ---- */

static void make_bos(struct state *s, bool make)
{
	static uint32_t bos[OBJECTS];

	for (unsigned int i = 0; i < OBJECTS; i++) {
		if (make)
			bos[i] = s->ops->bo_create(s->fd, 64 * KIB);
		else
			gem_close(s->fd, bos[i]);
	}
}

static void make_vms(struct state *s, bool make)
{
	static uint32_t vms[OBJECTS];

	for (unsigned int i = 0; i < OBJECTS; i++) {
		if (make)
			vms[i] = s->ops->vm_create(s->fd);
		else
			s->ops->vm_destroy(s->fd, vms[i]);
	}
}

static void make_queues(struct state *s, bool make)
{
	static uint32_t queues[OBJECTS];

	for (unsigned int i = 0; i < OBJECTS; i++) {
		if (make)
			queues[i] = s->ops->queue_create(s->fd, s->vm, 0);
		else
			s->ops->queue_destroy(s->fd, queues[i]);
	}
}

static void measure_objects(struct state *s, FILE *out, const char *name,
			    void (*make)(struct state *s, bool make))
{
	struct memory_use before, after;
	uint64_t hbm;

	/* The first objects also allocate things that stay: make them before the measurement. */
	make(s, true);
	make(s, false);
	sleep(1);
	hbm = s->ops->hbm_used(s->fd);
	memory_use(&before);
	make(s, true);
	memory_use(&after);
	hbm = s->ops->hbm_used(s->fd) - hbm;
	fprintf(out, "memory %s|%lld|%lld|%llu\n", name,
		(long long)(after.slab - before.slab) / OBJECTS,
		(long long)(after.pages - before.pages) / OBJECTS,
		(unsigned long long)hbm / OBJECTS);
	make(s, false);
}

void measure_memory(struct state *s, FILE *out)
{
	open_node(s);
	measure_objects(s, out, "a BO of 64 KiB", make_bos);
	measure_objects(s, out, "a VM", make_vms);
	s->vm = s->ops->vm_create(s->fd);
	measure_objects(s, out, "a queue on one tile", make_queues);
	s->ops->vm_destroy(s->fd, s->vm);
	close_node(s);
}
