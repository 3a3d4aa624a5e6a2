// SPDX-License-Identifier: MIT
/*
 * State that a batch leaves behind in the command streamer: predication, registers, arbitration,
 * levels. This state must not change the end of the batch (flush, fence, interrupt), or the begin
 * of the next batch (the invalidation that keeps a context from memory it no longer has), or
 * another file's batch.
 * Statements: W12, S108.
 *
 * suite: once
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "xetile_job.h"
#include "xetile_state.h"

IGT_TEST_DESCRIPTION("State that batches leave in the command streamer");

#define MI_NOOP			0u
#define MI_SET_PREDICATE	0x00800000u
#define   PREDICATE_OFF		0u
#define   PREDICATE_CLEAR	1u	/* skip if result 2 is clear */
#define   PREDICATE_SET		2u	/* skip if result 2 is set */
#define   PREDICATE_ALWAYS	15u
#define   PREDICATE_WPARID_ZERO	(1u << 4)
#define MI_ARB_CHECK_PREPARSER	0x02800100u
#define   PREPARSER_OFF		1u
#define MI_ARB_OFF		0x04000000u
#define MI_BATCH_BUFFER_END	0x05000000u
#define   END_PREDICATED	(1u << 15)
#define MI_PREDICATE_FALSE	0x06000081u
#define MI_COPY_MEM_MEM		0x17000003u
#define MI_BATCH_BUFFER_START	0x18800101u
#define   SECOND_LEVEL		(1u << 22)

#define REG_WPARID_MASK		0x1fcu
#define REG_WPARID		0x21cu
#define REG_STRIDE		0x3b4u
#define REG_RESULT_2		0x3bcu
#define REG_GPR(n)		(0x600u + 8 * (n))

#define LIMIT_MS	1000
#define SUB_BATCH	0x8000u		/* offset in the batch buffer */
#define SECRET		0x5ec2e7u

static void emit_addr(struct xetile_batch *b, uint64_t addr)
{
	batch_emit(b, addr);
	batch_emit(b, addr >> 32);
}

static void copy_dword(struct xetile_batch *b, uint64_t dst, uint64_t src)
{
	batch_emit(b, MI_COPY_MEM_MEM);
	emit_addr(b, dst);
	emit_addr(b, src);
}

/* --- leftovers ---------------------------------------------------------------- */

static void leave_always(struct xetile_batch *b)
{
	batch_emit(b, MI_SET_PREDICATE | PREDICATE_ALWAYS);
}

static void leave_clear(struct xetile_batch *b)
{
	batch_load_reg(b, REG_RESULT_2, 0);
	batch_emit(b, MI_SET_PREDICATE | PREDICATE_CLEAR);
}

static void leave_set(struct xetile_batch *b)
{
	batch_load_reg(b, REG_RESULT_2, 1);
	batch_emit(b, MI_SET_PREDICATE | PREDICATE_SET);
}

static void leave_wparid(struct xetile_batch *b)
{
	batch_load_reg(b, REG_WPARID_MASK, 0);
	batch_emit(b, MI_SET_PREDICATE | PREDICATE_WPARID_ZERO);
}

static void leave_result(struct xetile_batch *b)
{
	batch_emit(b, MI_PREDICATE_FALSE);
}

static void leave_arbitration(struct xetile_batch *b)
{
	batch_emit(b, MI_ARB_OFF);
}

static void leave_preparser(struct xetile_batch *b)
{
	batch_emit(b, MI_ARB_CHECK_PREPARSER | PREPARSER_OFF);
}

static void leave_registers(struct xetile_batch *b)
{
	batch_load_reg(b, REG_WPARID, 3);
	batch_load_reg(b, REG_WPARID_MASK, 0xffff);
	batch_load_reg(b, REG_STRIDE, SZ_4K);
	for (unsigned int i = 0; i < 16; i++) {
		batch_load_reg(b, REG_GPR(i), 0xdead0000u + i);
		batch_load_reg(b, REG_GPR(i) + 4, 0xdeadu);
	}
}

static void start(struct xetile_batch *b, uint64_t addr, uint32_t flags)
{
	batch_emit(b, MI_BATCH_BUFFER_START | flags);
	emit_addr(b, addr);
}

/* The inner level leaves predication on and returns by an end that predication would skip. */
static void leave_second_level(struct xetile_batch *b)
{
	struct xetile_batch sub;

	batch_begin(&sub, b->buf, SUB_BATCH);
	leave_always(&sub);
	batch_emit(&sub, MI_BATCH_BUFFER_END);
	start(b, batch_addr(&sub), SECOND_LEVEL);
}

/* This batch jumps to another one, in which it ends. */
static void leave_chained(struct xetile_batch *b)
{
	struct xetile_batch sub;

	batch_begin(&sub, b->buf, SUB_BATCH);
	leave_always(&sub);
	batch_emit(&sub, MI_BATCH_BUFFER_END | END_PREDICATED);
	batch_emit(&sub, MI_BATCH_BUFFER_END);
	start(b, batch_addr(&sub), 0);
}

static const struct {
	const char *name;
	void (*emit)(struct xetile_batch *b);
} leftovers[] = {
	{ "predicate-always", leave_always },
	{ "predicate-clear", leave_clear },
	{ "predicate-set", leave_set },
	{ "predicate-wparid", leave_wparid },
	{ "predicate-result", leave_result },
	{ "arbitration", leave_arbitration },
	{ "preparser", leave_preparser },
	{ "registers", leave_registers },
	{ "second-level", leave_second_level },
	{ "chained", leave_chained },
};

/* --- the batch itself, and the batches after it ------------------------------- */

static void submit(struct job *j, const struct xetile_batch *b)
{
	struct drm_xetile_sync sync = { .flags = DRM_XETILE_SYNC_SIGNAL };

	sync.handle = j->syncobj = xetile_syncobj(j->fd);
	igt_assert_eq(__xetile_exec(j->fd, j->queue, batch_addr(b), &sync, 1), 0);
}

static int end(struct job *j)
{
	int status;

	igt_assert_eq(__xetile_wait(j->fd, j->syncobj, 60000), 0);
	status = xetile_fence_status(j->fd, j->syncobj);
	xetile_syncobj_destroy(j->fd, j->syncobj);
	return status;
}

/* Asserts that each partition stores at its own place, with the registers of a fresh job. */
static void check_partitions(struct job *j)
{
	struct drm_xetile_queue_info info;
	struct xetile_batch b;

	xetile_queue_info(j->fd, j->queue, &info);
	memset(j->data.map + 64, 0, 64);
	batch_begin(&b, &j->batch, 0);
	batch_store(&b, j->data.addr + 256, 0x600d, true);
	batch_end(&b);
	submit(j, &b);
	igt_assert_eq(end(j), 1);
	for (uint32_t m = 0; m < info.num_members; m++)
		igt_assert_eq_u32(((volatile uint32_t *)j->data.map)[64 + 2 * m], 0x600d);
}

static void test_after(int fd, enum job_kind kind, void (*emit)(struct xetile_batch *b))
{
	struct xetile_batch b;
	struct job j, other;
	int status;

	job_init(&j, fd, kind, LIMIT_MS);
	job_init(&other, fd, kind, 0);

	batch_begin(&b, &j.batch, 0);
	batch_store(&b, j.data.addr, ++j.number, false);
	emit(&b);
	batch_end(&b);
	submit(&j, &b);
	igt_assert_eq(end(&j), 1);
	igt_assert_eq_u32(*(volatile uint32_t *)j.data.map, j.number);

	/* The next batch of the same context, and of another one on that engine */
	check_partitions(&j);
	igt_assert_eq(job_run(&j), 1);
	check_partitions(&other);

	/* The next batch must be preemptible: others have their turn while it waits. */
	batch_begin(&b, &j.batch, 0);
	emit(&b);
	batch_end(&b);
	submit(&j, &b);
	igt_assert_eq(end(&j), 1);
	*(volatile uint32_t *)(j.data.map + 64) = 0;
	igt_assert_eq(job_start_held(&j), 0);
	igt_assert_eq(job_start(&other), 0);
	igt_assert_eq(job_end(&other), 1);
	*(volatile uint32_t *)(j.data.map + 64) = 1;
	status = job_end(&j);
	igt_assert_eq(status, 1);
	igt_assert(!job_is_banned(&j));
	xetile_wait_engines_free(fd);
	job_fini(&j);
	job_fini(&other);
}

/* --- another client's registers ------------------------------------------------- */

#define OLD_STATE	1024u		/* dwords of the data */
#define NEW_STATE	2048u
#define MAX_VICTIMS	16u

/* Victims: a held batch on each engine that a new queue of the kind might get. */
static unsigned int start_victims(int fd, enum job_kind kind, struct job *victims, uint32_t *syncs)
{
	unsigned int num = 1;

	if (kind == JOB_COPY_TILE) {
		struct xetile_card card;

		xetile_open_card(&card);
		num = card.tiles[0].num_copy_engines;
		close(card.fd);
	}
	igt_assert_lte(num, MAX_VICTIMS);
	for (unsigned int i = 0; i < num; i++)
		job_init(&victims[i], fd, kind, 3600000);
	for (unsigned int i = 0; i < num; i++)
		syncs[i] = state_start_marker(&victims[i], 0, i, 128);
	for (unsigned int i = 0; i < num; i++)
		xetile_assert_soon(((volatile uint32_t *)victims[i].data.map)[128] == 1);
	return num;
}

/* A queue of a file of its own, that has run nothing yet */
static void init_stranger(struct job *j, int fd, enum job_kind kind)
{
	job_init(j, fd, kind, 0);
	job_renew_queue(j);
}

/*
 * Batches hold all engines, with secrets in their registers, when a new queue of another file gets
 * an engine from them. The new queue must find what every new queue finds, and no secret.
 */
static void test_new_queue(int fd, enum job_kind kind)
{
	volatile uint32_t *old, *new;
	struct job victims[MAX_VICTIMS], first, j;
	uint32_t syncs[MAX_VICTIMS];
	unsigned int num;

	init_stranger(&first, fd, kind);
	init_stranger(&j, fd, kind);
	old = first.data.map + OLD_STATE;
	new = j.data.map + NEW_STATE;
	igt_assert_eq(state_end(&first, state_start_reader(&first, 0, OLD_STATE)), 1);
	xetile_wait_engines_free(fd);

	num = start_victims(fd, kind, victims, syncs);
	igt_assert_eq(state_end(&j, state_start_reader(&j, 0, NEW_STATE)), 1);
	for (unsigned int i = 0; i < num; i++)
		igt_assert_eq(state_marked(new, i), 0);
	state_check_same(new, old);

	for (unsigned int i = 0; i < num; i++) {
		((volatile uint32_t *)victims[i].data.map)[64] = 1;
		igt_assert_eq(state_end(&victims[i], syncs[i]), 1);
		job_fini(&victims[i]);
	}
	job_fini(&first);
	job_fini(&j);
}

/*
 * The second level starts another batch with the bit of the second level: that replaces the
 * second level, and its end returns to the first. The hardware's default is a third level, whose
 * end would return to the second.
 */
static void test_levels(int fd, enum job_kind kind)
{
	struct xetile_batch b, inner, last;
	volatile uint32_t *word;
	struct job j;

	job_init(&j, fd, kind, 0);
	word = j.data.map;
	batch_begin(&last, &j.batch, 2 * SUB_BATCH - SZ_4K);
	batch_store(&last, j.data.addr + 264, 3, false);
	batch_end(&last);
	batch_begin(&inner, &j.batch, SUB_BATCH);
	batch_store(&inner, j.data.addr + 260, 2, false);
	start(&inner, batch_addr(&last), SECOND_LEVEL);
	batch_store(&inner, j.data.addr + 268, 0xbad, false);
	batch_end(&inner);
	batch_begin(&b, &j.batch, 0);
	start(&b, batch_addr(&inner), SECOND_LEVEL);
	batch_store(&b, j.data.addr + 272, 5, false);
	batch_end(&b);
	memset(j.data.map + 64, 0, 64);
	submit(&j, &b);
	igt_assert_eq(end(&j), 1);
	igt_assert_eq_u32(word[65], 2);
	igt_assert_eq_u32(word[66], 3);
	igt_assert_eq_u32(word[67], 0);
	igt_assert_eq_u32(word[68], 5);
	job_fini(&j);
}

/* --- another client's memory -------------------------------------------------- */

#define STALE_ADDR	(2 * JOB_DATA_ADDR)
#define PROBES		8u

static uint64_t hbm_part(unsigned int percent)
{
	struct xetile_card card;
	uint64_t total;

	xetile_open_card(&card);
	total = card.tiles[0].hbm_total;
	close(card.fd);
	return total / 100 * percent / SZ_64K * SZ_64K;
}

static uint32_t on_tile_0(int fd, uint64_t size)
{
	struct drm_xetile_bo_create args = {
		.size = size, .placement = DRM_XETILE_PLACE_HBM, .flags = DRM_XETILE_BO_STRICT,
		.color = DRM_XETILE_COLOR_TILE, .tile_mask = 1,
	};

	igt_assert_eq(__xetile_bo_create(fd, &args), 0);
	return args.handle;
}


/*
 * The attacker's engine holds translations of a buffer's pages. The attacker gives the buffer up.
 * Its batch leaves predication on, which would skip the invalidation at the head of the next batch,
 * although the driver counts that as done. Then the pages go to the victim.
 */
static void test_memory(int fd, enum job_kind kind)
{
	uint64_t size = hbm_part(60), part = size / PROBES / SZ_64K * SZ_64K;
	uint64_t victim_size = hbm_part(96);
	uint32_t bo, victim_bo, *victim;
	int victim_fd = xetile_reopen(fd), status[2];
	struct job j, first;
	struct xetile_batch b;

	job_init(&j, fd, kind, 0);
	bo = on_tile_0(j.fd, size);
	xetile_vm_map(j.fd, j.vm, bo, 0, STALE_ADDR, size);

	batch_begin(&b, &j.batch, 0);
	for (unsigned int i = 0; i < PROBES; i++)
		copy_dword(&b, j.data.addr + 256 + 4 * i, STALE_ADDR + i * part);
	batch_store(&b, j.data.addr, ++j.number, false);
	leave_always(&b);
	batch_end(&b);
	submit(&j, &b);
	first = j;
	/* Wait for the copies, because an unmap does not wait for jobs that use the mapping. */
	xetile_assert_soon(*(volatile uint32_t *)j.data.map == j.number);
	xetile_vm_unmap(j.fd, j.vm, STALE_ADDR, size);
	batch_begin(&b, &j.batch, SZ_4K);
	batch_emit(&b, MI_SET_PREDICATE | PREDICATE_OFF);
	batch_end(&b);
	submit(&j, &b);
	status[1] = end(&j);
	status[0] = end(&first);
	xetile_bo_close(j.fd, bo);

	victim_bo = on_tile_0(victim_fd, victim_size);
	victim = xetile_bo_map(victim_fd, victim_bo, victim_size);
	for (uint64_t at = 0; at < victim_size; at += SZ_64K)
		victim[at / 4] = SECRET;

	/* The attacker reads, and then writes. */
	memset(j.data.map + 64, 0, 256);
	batch_begin(&b, &j.batch, 0);
	for (unsigned int i = 0; i < PROBES; i++)
		copy_dword(&b, j.data.addr + 256 + 4 * i, STALE_ADDR + i * part);
	for (unsigned int i = 0; i < PROBES; i++)
		batch_store(&b, STALE_ADDR + i * part, ~SECRET, false);
	batch_end(&b);
	submit(&j, &b);
	igt_assert_eq(end(&j), -EIO);
	for (unsigned int i = 0; i < PROBES; i++)
		igt_assert_neq(((volatile uint32_t *)j.data.map)[64 + i], SECRET);
	for (uint64_t at = 0; at < victim_size; at += SZ_64K)
		igt_assert_eq_u32(victim[at / 4], SECRET);
	igt_assert_eq(status[0], 1);
	igt_assert_eq(status[1], 1);

	munmap(victim, victim_size);
	xetile_bo_close(victim_fd, victim_bo);
	close(victim_fd);
	job_fini(&j);
}

/*
 * A context that skips commands is preempted and comes back. The commands that it skips must stay
 * skipped, and the driver's own commands at its return must be executed.
 */
static void test_preempted(int fd)
{
	struct job j, other;
	struct xetile_batch b, sub;
	volatile uint32_t *go;
	uint32_t loop;

	job_init(&j, fd, JOB_COMPUTE_TILE, 0);
	job_init(&other, fd, JOB_COMPUTE_TILE, 0);
	batch_begin(&b, &j.batch, 0);
	batch_store(&b, j.data.addr + 256, 1, false);
	leave_always(&b);
	/*
	 * The batch loops until the test moves the target of the jump to the next command. In each
	 * round it returns from an inner batch. It can be preempted at that return, and only there,
	 * because MI_ARB_CHECK is skipped.
	 */
	batch_begin(&sub, &j.batch, SUB_BATCH);
	batch_end(&sub);
	loop = b.len;
	start(&b, batch_addr(&sub), SECOND_LEVEL);
	start(&b, batch_addr(&b) + 4 * loop, 0);
	batch_store(&b, j.data.addr + 260, 0xbad, false);
	batch_emit(&b, MI_SET_PREDICATE | PREDICATE_OFF);
	batch_store(&b, j.data.addr + 264, 0x600d, true);
	batch_end(&b);
	go = j.batch.map + b.start + loop + 4;
	memset(j.data.map + 64, 0, 64);
	submit(&j, &b);
	xetile_assert_soon(((volatile uint32_t *)j.data.map)[64] == 1);
	for (int i = 0; i < 3; i++) {
		igt_assert_eq(job_start(&other), 0);
		igt_assert_eq(job_end(&other), 1);
	}
	*go += 24;
	igt_assert_eq(end(&j), 1);
	igt_assert_eq_u32(((volatile uint32_t *)j.data.map)[65], 0);
	igt_assert_eq_u32(((volatile uint32_t *)j.data.map)[66], 0x600d);
	xetile_wait_engines_free(fd);
	job_fini(&j);
	job_fini(&other);
}

igt_main
{
	int fd = -1;

	igt_fixture
		fd = xetile_open();
	for (enum job_kind kind = 0; kind < JOB_KINDS; kind++) {
		for (unsigned int i = 0; i < ARRAY_SIZE(leftovers); i++) {
			igt_describe("A batch's leftovers must not change its end, the next "
				     "batch, or another file's batch");
			igt_subtest_f("%s-%s", leftovers[i].name, job_kind_name(kind))
				test_after(fd, kind, leftovers[i].emit);
		}
		igt_describe("A start of a second level in a second level must replace it");
		igt_subtest_f("levels-%s", job_kind_name(kind))
			test_levels(fd, kind);
		/* The other file's memory is on tile 0. */
		if (kind == JOB_COMPUTE_ROOT)
			continue;
		igt_describe("A new queue must not find registers of another file");
		igt_subtest_f("new-queue-%s", job_kind_name(kind))
			test_new_queue(fd, kind);
		igt_describe("A skipped invalidation must not give access to another file's "
			     "memory");
		igt_subtest_f("memory-%s", job_kind_name(kind))
			test_memory(fd, kind);
	}
	igt_describe("A context that skips commands must be preemptible and return as it was");
	igt_subtest("preempted")
		test_preempted(fd);
	igt_describe("Afterwards jobs of every kind must end well");
	igt_subtest("usable")
		job_check_usable(fd);
	igt_fixture
		close(fd);
}
