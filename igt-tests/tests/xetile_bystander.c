// SPDX-License-Identifier: MIT
/*
 * Bystanders of a reset: slices of a tile are reset together, so another client's job on a
 * neighbouring slice may be lost, or run again; and faults that happen during such a reset.
 * Statements: W16.
 *
 * suite: faults soak-faults
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "xetile_job.h"
#include "xetile_lab.h"
#include "xetile_state.h"

IGT_TEST_DESCRIPTION("Jobs that another client's reset affects");

#define LIMIT_MS	1000

/* The log holds no more than 20 batches in 5 seconds; QUEUE_INFO always tells why one failed. */
static void check_fault(const struct job *j)
{
	job_check_ban(j, &(struct drm_xetile_queue_ban) {
		.reason = DRM_XETILE_BAN_FAULT, .fault_addr = JOB_DATA_ADDR,
		.fault_access = DRM_XETILE_ACCESS_WRITE,
	});
}

static void check_timeout(const struct job *j)
{
	job_check_ban(j, &(struct drm_xetile_queue_ban) { .reason = DRM_XETILE_BAN_TIMEOUT });
}

/*
 * The neighbour's context cannot be saved when the neighbour has to leave for a reset. The driver
 * does not ask the card about that fault. The tile's next fault must be reported, with its own
 * address.
 */
static void test_fault_under_reset(int fd)
{
	struct job j, neighbour, next;

	xetile_set_ccs_mode(fd, "2");
	job_init(&next, fd, JOB_COPY_TILE, LIMIT_MS);
	job_init_on_cslice(&j, fd, 0, LIMIT_MS);
	job_init_on_cslice(&neighbour, fd, 1, 0);
	igt_assert(strcmp(j.engine, neighbour.engine));
	igt_assert_eq(job_start_held(&neighbour), 0);
	lab_inject("fault space=ggtt address=%#llx size=8192 engine=%s access=write count=1",
		   (unsigned long long)lab_counter(neighbour.engine, "last_lrca"), neighbour.engine);
	lab_inject("hang engine=%s before=1", j.engine);
	igt_assert_eq(job_start(&j), 0);
	igt_assert_eq(job_end(&j), -ETIME);

	lab_inject("fault address=%#llx size=4096 engine=%s access=write count=1",
		   (unsigned long long)JOB_DATA_ADDR, next.engine);
	igt_assert_eq(job_start(&next), 0);
	igt_assert_eq(job_end(&next), -EIO);
	check_fault(&next);
	lab_heal();
	igt_assert_eq(job_end(&neighbour), -EAGAIN);
	job_fini(&j);
	job_fini(&neighbour);
	job_fini(&next);
	xetile_set_ccs_mode(fd, "1");
}

/* Makes an engine's next command take @seconds. Only a reset interrupts the command. */
static void make_engine_stubborn(const char *engine, unsigned int seconds)
{
	uint64_t before = lab_injected();

	lab_inject("slow engine=%s us=%u000000", engine, seconds);
	xetile_assert_soon(lab_injected() != before);
}

static void make_stubborn(const struct job *j, unsigned int seconds)
{
	make_engine_stubborn(j->engine, seconds);
}

/*
 * Waits until the queue has lost a batch, or its state. The slice that hangs may leave, and end its
 * job, while the reset still waits for others: what is released then may go on before the reset.
 */
static void wait_lost(const struct job *j)
{
	struct drm_xetile_queue_info info;

	xetile_assert_soon((xetile_queue_info(j->fd, j->queue, &info), info.resets));
	igt_assert_eq_u32(info.resets, 1);
}

/*
 * Submits a batch that increments a counter, then waits for dword 64 of the data; @sync becomes the
 * syncobj of its fence.
 */
static void start_counter(struct job *j, uint32_t batch, uint32_t *sync)
{
	struct drm_xetile_sync s = { .flags = DRM_XETILE_SYNC_SIGNAL };
	struct xetile_batch b;

	*sync = s.handle = xetile_syncobj(j->fd);
	batch_begin(&b, &j->batch, batch);
	batch_atomic_inc(&b, j->data.addr + 512);
	batch_wait(&b, j->data.addr + 256, 1);
	batch_end(&b);
	igt_assert_eq(__xetile_exec(j->fd, j->queue, batch_addr(&b), &s, 1), 0);
}

/*
 * A slice hangs. A neighbour of the same reset domain cannot be interrupted and is lost in the
 * reset. A batch that had begun is reported as lost and is not run again. A batch that had not
 * begun is run once. When one part of a gang loses a batch, the other parts drop that batch, too.
 */
enum lost {
	LOST_BEFORE,		/* the batch had not begun */
	LOST_INSIDE,		/* the batch had begun on all parts */
	LOST_HALF,		/* it had begun on the first part, not on the last */
	LOST_BOTH,		/* it had begun, and the last part is lost, too */
};

/* For tests of several parts: before they change anything that a skip would leave behind */
static void require_tiles(int fd)
{
	struct drm_xetile_query_tile tiles[DRM_XETILE_MAX_TILES];

	igt_require_f(xetile_query_tiles(fd, tiles) > 1, "the card has one tile\n");
}

static void test_bystander(int fd, bool root, enum lost lost)
{
	bool begun = lost != LOST_BEFORE;
	volatile uint32_t *count;
	struct drm_xetile_queue_info info;
	unsigned int parts, runs;
	uint32_t syncs[2];
	struct job j, near;
	char last[32];

	if (lost == LOST_HALF || lost == LOST_BOTH)
		require_tiles(fd);
	xetile_set_ccs_mode(fd, "2");
	job_init_on_cslice(&j, fd, 1, LIMIT_MS);
	if (root)
		job_init(&near, fd, JOB_COMPUTE_ROOT, 0);
	else
		job_init_on_cslice(&near, fd, 0, 0);
	xetile_queue_info(near.fd, near.queue, &info);
	parts = info.num_members;
	runs = 2 * parts;
	/* The engine of the part on tile 0, which is reset */
	snprintf(near.engine, sizeof(near.engine), "tile0.ccs%u", info.members[0].instance);
	igt_assert(strcmp(j.engine, near.engine));
	snprintf(last, sizeof(last), "tile%u.ccs%u", parts - 1, info.members[parts - 1].instance);
	count = near.data.map + 128;
	*count = 0;

	if (!begun) {
		lab_inject("slow engine=%s us=60000000", near.engine);
		start_counter(&near, 0, &syncs[0]);
		/* The parts on the other tiles have counted. */
		xetile_assert_soon(*count == parts - 1);
	} else if (lost == LOST_HALF) {
		lab_inject("slow engine=%s us=60000000", last);
		start_counter(&near, 0, &syncs[0]);
		xetile_assert_soon(*count == parts - 1);
		make_stubborn(&near, 60);
		runs--;
	} else {
		start_counter(&near, 0, &syncs[0]);
		xetile_assert_soon(*count == parts);
		make_stubborn(&near, 60);
		if (lost == LOST_BOTH)
			make_engine_stubborn(last, 60);
	}
	start_counter(&near, SZ_4K, &syncs[1]);
	igt_assert_eq(job_start_held(&j), 0);
	igt_assert_eq(job_end(&j), -ETIME);
	lab_heal();
	if (begun)
		wait_lost(&near);
	near.data.map[64] = 1;
	igt_assert_eq(state_end(&near, syncs[0]), begun ? -EAGAIN : 1);
	igt_assert_eq(state_end(&near, syncs[1]), 1);
	igt_assert_eq_u32(*count, runs);
	check_timeout(&j);

	xetile_queue_info(near.fd, near.queue, &info);
	igt_assert_eq(info.flags & DRM_XETILE_QUEUE_BANNED, 0);
	igt_assert_eq(info.resets, begun);
	igt_assert_eq(job_run(&near), 1);
	job_fini(&j);
	job_fini(&near);
	xetile_set_ccs_mode(fd, "1");
}

/* Words of the data, and what the batches leave in the registers */
#define FRESH		1024
#define FOUND		2048
#define KEPT_MARK	1
#define LOST_MARK	2
#define OTHER_MARK	3

/* Runs a batch of the queue that leaves a mark in the registers. */
static void leave_mark(struct job *j, uint32_t mark)
{
	uint32_t sync = state_start_marker(j, 0, mark, 128);

	j->data.map[64] = 1;
	igt_assert_eq(state_end(j, sync), 1);
	j->data.map[64] = 0;
	xetile_wait_engines_free(j->fd);
}

/* The queue's context leaves the engine in the midst of its batch, and comes back. */
static void interrupt_once(struct job *j, struct job *other)
{
	igt_assert_eq(job_start(other), 0);
	igt_assert_eq(job_end(other), 1);
}

/*
 * A neighbour is lost in a reset. Its context's image is that of its last save. If no batch has
 * begun since, the next batch finds what the last one has left. Otherwise the image may be half of
 * one state and half of another, or in the midst of a walker: the context is as a new one, whatever
 * the engine had in between.
 */
static void test_state(int fd, bool begun)
{
	volatile uint32_t *fresh, *found;
	struct job j, near, other;
	uint32_t sync, held;

	xetile_set_ccs_mode(fd, "2");
	job_init_on_cslice(&j, fd, 1, LIMIT_MS);
	job_init_on_cslice(&other, fd, 0, 3600000);
	job_init_on_cslice(&near, fd, 0, 3600000);
	igt_assert(strcmp(j.engine, near.engine));
	igt_assert(!strcmp(other.engine, near.engine));
	fresh = near.data.map + FRESH;
	found = near.data.map + FOUND;
	igt_assert_eq(state_end(&near, state_start_reader(&near, 0, FRESH)), 1);
	leave_mark(&near, KEPT_MARK);

	if (begun) {
		near.data.map[128] = 0;
		sync = state_start_marker(&near, 0, LOST_MARK, 128);
		xetile_assert_soon(*(volatile uint32_t *)(near.data.map + 128) == 1);
		interrupt_once(&near, &other);
		make_stubborn(&near, 60);
	} else {
		uint64_t before = lab_injected();

		lab_inject("slow engine=%s us=60000000", near.engine);
		sync = state_start_reader(&near, 0, FOUND);
		xetile_assert_soon(lab_injected() != before);
	}
	igt_assert_eq(job_start_held(&j), 0);
	igt_assert_eq(job_end(&j), -ETIME);
	lab_heal();
	igt_assert_eq(state_end(&near, sync), begun ? -EAGAIN : 1);

	if (begun) {
		/* The engine has another context's registers when this one gets it. */
		held = state_start_marker(&other, 0, OTHER_MARK, 128);
		xetile_assert_soon(*(volatile uint32_t *)(other.data.map + 128) == 1);
		igt_assert_eq(state_end(&near, state_start_reader(&near, 0, FOUND)), 1);
		state_check_same(found, fresh);
		other.data.map[64] = 1;
		igt_assert_eq(state_end(&other, held), 1);
	} else {
		igt_assert_eq(state_marked(found, KEPT_MARK), STATE_DWORDS);
	}
	job_fini(&j);
	job_fini(&near);
	job_fini(&other);
	xetile_set_ccs_mode(fd, "1");
}

/* Has a queue that was just made find its engines, and stores the state of its new contexts. */
static unsigned int near_begin(struct job *near)
{
	struct drm_xetile_queue_info info;

	igt_assert_eq(state_end(near, state_start_reader(near, 0, FRESH)), 1);
	xetile_wait_engines_free(near->fd);
	xetile_queue_info(near->fd, near->queue, &info);
	/* The engine of the part on tile 0, which is reset */
	snprintf(near->engine, sizeof(near->engine), "tile0.ccs%u", info.members[0].instance);
	return info.num_members;
}

/* Opens a queue on slice 0 of tile 0, or of each tile. Returns how many parts it has. */
static unsigned int near_init(struct job *near, int fd, bool root)
{
	if (root)
		job_init(near, fd, JOB_COMPUTE_ROOT, 3600000);
	else
		job_init_on_cslice(near, fd, 0, 3600000);
	return near_begin(near);
}

/* As near_init(), but the queue's batches can run again, and have the administrator's time. */
static unsigned int near_init_replay(struct job *near, int fd, bool root)
{
	struct drm_xetile_queue_create args = {
		.engine_class = COMPUTE, .target = root ? ROOT : DRM_XETILE_TARGET_CSLICE,
		.flags = DRM_XETILE_QUEUE_REPLAY,
	};

	near_init(near, fd, root);
	xetile_queue_destroy(near->fd, near->queue);
	args.vm_id = near->vm;
	igt_assert_eq(__xetile_queue_create(near->fd, &args), 0);
	near->queue = args.queue_id;
	return near_begin(near);
}

/* All contexts of the queue are as new ones. */
static void check_fresh(struct job *near, unsigned int parts)
{
	igt_assert_eq(state_end(near, state_start_reader(near, 0, FOUND)), 1);
	for (unsigned int m = 0; m < parts; m++)
		state_check_same(near->data.map + FOUND + m * STATE_SPACE,
				 near->data.map + FRESH + m * STATE_SPACE);
}

static void check_resets(struct job *near, unsigned int resets)
{
	struct drm_xetile_queue_info info;

	xetile_queue_info(near->fd, near->queue, &info);
	igt_assert_eq(info.flags & DRM_XETILE_QUEUE_BANNED, 0);
	igt_assert_eq_u32(info.resets, resets);
}

/* Submits a fence that waits for the queue's earlier batches. Returns its syncobj. */
static uint32_t start_fence(struct job *j)
{
	struct drm_xetile_sync fence = { .flags = DRM_XETILE_SYNC_SIGNAL };
	struct drm_xetile_exec empty = { .queue_id = j->queue };

	fence.handle = xetile_syncobj(j->fd);
	empty.syncs = XETILE_ARRAY(&fence, 1);
	igt_assert_eq(xetile_ioctl(j->fd, DRM_IOCTL_XETILE_EXEC, &empty), 0);
	return fence.handle;
}

/* Has a slice hang, and the slices of its tile be reset. */
static void run_hang(struct job *j)
{
	igt_assert_eq(job_start_held(j), 0);
	igt_assert_eq(job_end(j), -ETIME);
	lab_heal();
}

/* When the submissions behind the lost state come */
enum when {
	BEFORE_RESET,
	AFTER_RESET,
};

/*
 * A neighbour is lost after its batch has ended and before its context was saved. What the batch
 * has left in the registers is lost: the next batch must not be run without it, although a
 * submission without a batch, which needs no registers, is between them and must end well. That
 * holds as well when both are submitted after the reset, and for a queue of all tiles, whose
 * contexts on other tiles were saved: they must be as new ones, too. A batch that relies on nothing
 * must run.
 */
static void test_state_behind_fence(int fd, bool root, enum when when, bool replay)
{
	uint32_t marker, fence, reader;
	uint64_t before, commands;
	unsigned int parts;
	struct job j, near;

	xetile_set_ccs_mode(fd, "2");
	job_init_on_cslice(&j, fd, 1, LIMIT_MS);
	parts = (replay ? near_init_replay : near_init)(&near, fd, root);
	igt_assert(strcmp(j.engine, near.engine));

	/* The engine hangs before the last command of such a job, and does not leave the context. */
	near.data.map[64] = 1;
	for (int i = 0; i < 2; i++) {
		commands = lab_counter(near.engine, "commands");
		marker = state_start_marker(&near, 0, LOST_MARK, 128);
		igt_assert_eq(state_end(&near, marker), 1);
		xetile_wait_engines_free(fd);
		commands = lab_counter(near.engine, "commands") - commands;
	}
	before = lab_injected();
	lab_inject("hang engine=%s before=%llu", near.engine, (unsigned long long)commands);
	marker = state_start_marker(&near, 0, KEPT_MARK, 128);
	igt_assert_eq(state_end(&near, marker), 1);
	xetile_assert_soon(lab_injected() != before);
	if (when == AFTER_RESET) {
		run_hang(&j);
		wait_lost(&near);
	}
	fence = start_fence(&near);
	reader = state_start_reader(&near, SZ_4K, FOUND);
	if (when == BEFORE_RESET)
		run_hang(&j);
	igt_assert_eq(state_end(&near, fence), 1);
	igt_assert_eq(state_end(&near, reader), replay ? 1 : -EAGAIN);
	check_resets(&near, !replay);
	check_fresh(&near, parts);
	check_resets(&near, !replay);
	job_fini(&j);
	job_fini(&near);
	xetile_set_ccs_mode(fd, "1");
}

/*
 * Writes a batch that marks the registers, increments the word at @data, and ends, or waits for
 * dword 64 of the data.
 */
static void write_counter(struct xetile_batch *b, struct job *j, uint32_t offset, uint32_t mark,
			  bool held)
{
	batch_begin(b, &j->batch, offset);
	batch_mark_state(b, mark);
	batch_atomic_inc(b, j->data.addr + 512);
	if (held)
		batch_wait(b, j->data.addr + 256, 1);
	batch_end(b);
}

/*
 * A part of a queue of all tiles is lost in its first batch. The other parts have done that one,
 * are in the next one, and leave for the reset. They cannot take back what they did of the second
 * batch, and the first part would run it without what was lost: so both batches must end with
 * EAGAIN, none may be run twice, and the third one must find new contexts on all tiles. If batches
 * can run again, all parts run both again, and the third one finds what the second one has left.
 */
static void test_state_ahead(int fd, bool replay)
{
	struct xetile_batch first[DRM_XETILE_MAX_TILES], second[DRM_XETILE_MAX_TILES];
	volatile uint32_t *count;
	unsigned int parts, runs;
	uint32_t syncs[3];
	struct job j, near;

	xetile_set_ccs_mode(fd, "2");
	job_init_on_cslice(&j, fd, 1, LIMIT_MS);
	parts = (replay ? near_init_replay : near_init)(&near, fd, true);
	runs = 2 * parts - 1;
	igt_assert(strcmp(j.engine, near.engine));
	count = near.data.map + 128;
	*count = 0;
	for (unsigned int m = 0; m < parts; m++) {
		write_counter(&first[m], &near, m * STATE_BATCH, KEPT_MARK, m == 0);
		write_counter(&second[m], &near, 4 * STATE_BATCH + m * STATE_BATCH, LOST_MARK, true);
	}
	syncs[0] = state_start_each(&near, first, parts);
	syncs[1] = state_start_each(&near, second, parts);
	syncs[2] = state_start_reader(&near, 8 * STATE_BATCH, FOUND);
	xetile_assert_soon(*count == runs);
	make_stubborn(&near, 60);
	run_hang(&j);
	wait_lost(&near);
	if (replay)
		xetile_assert_soon(*count == 2 * runs);
	near.data.map[64] = 1;
	igt_assert_eq(state_end(&near, syncs[0]), replay ? 1 : -EAGAIN);
	igt_assert_eq(state_end(&near, syncs[1]), replay || parts == 1 ? 1 : -EAGAIN);
	igt_assert_eq(state_end(&near, syncs[2]), 1);
	igt_assert_eq_u32(*count, replay ? 2 * runs + 1 : parts > 1 ? runs : 2);
	check_resets(&near, 1);
	for (unsigned int m = 0; m < parts && replay; m++)
		igt_assert_eq(state_marked(near.data.map + FOUND + m * STATE_SPACE, LOST_MARK),
			      STATE_DWORDS);
	for (unsigned int m = 0; m < parts && parts > 1 && !replay; m++)
		state_check_same(near.data.map + FOUND + m * STATE_SPACE,
				 near.data.map + FRESH + m * STATE_SPACE);
	job_fini(&j);
	job_fini(&near);
	xetile_set_ccs_mode(fd, "1");
}

/*
 * A part of a queue of all tiles is lost in a batch that another part, whose image is intact, has
 * not begun. That part must not keep what earlier batches have left either.
 */
static void test_state_half(int fd)
{
	struct drm_xetile_queue_info info;
	volatile uint32_t *count;
	struct xetile_batch b;
	unsigned int parts;
	struct job j, near;
	uint32_t sync;

	require_tiles(fd);
	xetile_set_ccs_mode(fd, "2");
	job_init_on_cslice(&j, fd, 1, LIMIT_MS);
	parts = near_init(&near, fd, true);
	igt_assert(strcmp(j.engine, near.engine));
	count = near.data.map + 128;
	leave_mark(&near, KEPT_MARK);
	*count = 0;

	xetile_queue_info(near.fd, near.queue, &info);
	lab_inject("slow engine=tile%u.ccs%u us=60000000", parts - 1,
		   info.members[parts - 1].instance);
	write_counter(&b, &near, 0, LOST_MARK, true);
	sync = state_start_each(&near, &b, 1);
	xetile_assert_soon(*count == parts - 1);
	make_stubborn(&near, 60);
	run_hang(&j);
	igt_assert_eq(state_end(&near, sync), -EAGAIN);
	check_resets(&near, 1);
	check_fresh(&near, parts);
	job_fini(&j);
	job_fini(&near);
	xetile_set_ccs_mode(fd, "1");
}

/* --- batches that run again ----------------------------------------------------- */

#define REPLAYS		2	/* of a batch, at most; as the driver's header says */
/* Nothing is mapped there. */
#define NOWHERE		(JOB_DATA_ADDR + SZ_1G)

/* A batch on the neighbouring slice faults, and the slices of tile 0 are reset. */
static void run_fault(const struct job *near)
{
	struct drm_xetile_queue_create args = {
		.vm_id = near->vm, .engine_class = COMPUTE, .target = DRM_XETILE_TARGET_CSLICE,
		.cslice = 1,
	};
	struct drm_xetile_sync sync = { .flags = DRM_XETILE_SYNC_SIGNAL };

	sync.handle = xetile_syncobj(near->fd);
	igt_assert_eq(__xetile_queue_create(near->fd, &args), 0);
	igt_assert_eq(__xetile_exec(near->fd, args.queue_id, NOWHERE, &sync, 1), 0);
	igt_assert_eq(__xetile_wait(near->fd, sync.handle, 60000), 0);
	igt_assert_eq(xetile_fence_status(near->fd, sync.handle), -EIO);
	xetile_queue_destroy(near->fd, args.queue_id);
	xetile_syncobj_destroy(near->fd, sync.handle);
}

/*
 * The neighbour is lost in its batch, because it does not leave for such a reset. With @last its
 * last part is, too.
 */
static void lose(const struct job *near, bool last)
{
	struct drm_xetile_queue_info info;
	char engine[32];

	make_stubborn(near, 60);
	xetile_queue_info(near->fd, near->queue, &info);
	snprintf(engine, sizeof(engine), "tile%u.ccs%u", info.members[info.num_members - 1].tile,
		 info.members[info.num_members - 1].instance);
	if (last && info.num_members > 1)
		make_engine_stubborn(engine, 60);
	lab_heal();
	run_fault(near);
}

/*
 * A batch that is lost @losses times, and can run again, runs to its end: on all tiles, also those
 * that did not lose it. The third time is once too often. The loss of two parts counts once.
 */
static void test_replay(int fd, bool root, unsigned int losses)
{
	unsigned int parts, runs = losses > REPLAYS ? losses : losses + 1;
	volatile uint32_t *count;
	struct xetile_batch b;
	struct job near;
	uint32_t sync;

	xetile_set_ccs_mode(fd, "2");
	xetile_write_time(fd, "preempt_timeout_us", "100000");
	parts = near_init_replay(&near, fd, root);
	count = near.data.map + 128;
	*count = 0;
	write_counter(&b, &near, 0, KEPT_MARK, true);
	sync = state_start_each(&near, &b, 1);
	for (unsigned int i = 0; i < losses; i++) {
		xetile_assert_soon(*count == (i + 1) * parts);
		lose(&near, losses > 1);
	}
	xetile_assert_soon(*count == runs * parts);
	near.data.map[64] = 1;
	igt_assert_eq(state_end(&near, sync), losses > REPLAYS ? -EAGAIN : 1);
	igt_assert_eq_u32(*count, runs * parts);
	check_resets(&near, losses);
	/* The queue goes on. */
	igt_assert_eq(job_run(&near), 1);
	job_fini(&near);
	xetile_set_ccs_mode(fd, "1");
}

/*
 * A batch that runs again has all its time again. The first time it has the engine for two seconds,
 * because the reset waits so long for it to leave, and then the administrator allows one.
 */
static void test_replay_time(int fd)
{
	volatile uint32_t *count;
	struct xetile_batch b;
	struct job near;
	uint32_t sync;

	xetile_set_ccs_mode(fd, "2");
	xetile_write_time(fd, "preempt_timeout_us", "2000000");
	near_init_replay(&near, fd, false);
	count = near.data.map + 128;
	*count = 0;
	write_counter(&b, &near, 0, KEPT_MARK, true);
	sync = state_start_each(&near, &b, 1);
	xetile_assert_soon(*count == 1);
	xetile_write_time(fd, "job_timeout_ms", "1000");
	lose(&near, false);
	xetile_assert_soon(*count == 2);
	near.data.map[64] = 1;
	igt_assert_eq(state_end(&near, sync), 1);
	check_resets(&near, 1);
	job_fini(&near);
	xetile_set_ccs_mode(fd, "1");
}

/*
 * A batch that has not begun waits for a reset longer than it may take: its engine hangs before it,
 * and the reset waits two seconds for it to leave. The batch must run, and not be blamed.
 */
static void test_waits_long(int fd)
{
	uint64_t before = lab_injected();
	struct job near;
	uint32_t sync;

	xetile_set_ccs_mode(fd, "2");
	xetile_write_time(fd, "preempt_timeout_us", "2000000");
	job_init_on_cslice(&near, fd, 0, 1500);
	lab_inject("slow engine=%s us=60000000", near.engine);
	start_counter(&near, 0, &sync);
	xetile_assert_soon(lab_injected() != before);
	lab_heal();
	run_fault(&near);
	/* Another reset, because whoever was found to hang beside the first one is blamed then. */
	run_fault(&near);
	near.data.map[64] = 1;
	igt_assert_eq(state_end(&near, sync), 1);
	igt_assert_eq_u32(near.data.map[128], 1);
	check_resets(&near, 0);
	job_fini(&near);
	xetile_set_ccs_mode(fd, "1");
}

/* A batch that fails by itself runs once, whatever its queue's user allows. */
static void test_replay_guilty(int fd, bool root)
{
	struct drm_xetile_queue_info info;
	volatile uint32_t *count;
	struct xetile_batch b;
	unsigned int parts;
	struct job near;
	uint32_t sync;

	xetile_set_ccs_mode(fd, "2");
	parts = near_init_replay(&near, fd, root);
	count = near.data.map + 128;
	*count = 0;
	batch_begin(&b, &near.batch, 0);
	batch_atomic_inc(&b, near.data.addr + 512);
	/* Not before the other parts have counted, too */
	batch_wait(&b, near.data.addr + 512, parts);
	batch_store(&b, NOWHERE, 1, false);
	batch_end(&b);
	sync = state_start_each(&near, &b, 1);
	igt_assert_eq(state_end(&near, sync), -EIO);
	igt_assert(job_is_banned(&near));
	igt_assert_eq_u32(*count, parts);
	xetile_queue_info(near.fd, near.queue, &info);
	igt_assert_eq_u32(info.resets, 1);
	job_fini(&near);
	xetile_set_ccs_mode(fd, "1");
}

/*
 * A reset asks a neighbour to leave and waits for it as long as the administrator's limit says. A
 * neighbour that needs less loses nothing.
 */
static void test_bystander_leaves(int fd, bool root)
{
	struct drm_xetile_queue_info info;
	struct job j, near;
	uint32_t sync;

	xetile_set_ccs_mode(fd, "2");
	/* The time of tile 0 counts also for a queue of all tiles. */
	xetile_write_time(fd, "preempt_timeout_us", "10000000");
	job_init_on_cslice(&j, fd, 1, LIMIT_MS);
	if (root)
		job_init(&near, fd, JOB_COMPUTE_ROOT, 3600000);
	else
		job_init_on_cslice(&near, fd, 0, 3600000);
	xetile_queue_info(near.fd, near.queue, &info);
	snprintf(near.engine, sizeof(near.engine), "tile0.ccs%u", info.members[0].instance);
	igt_assert(strcmp(j.engine, near.engine));
	start_counter(&near, 0, &sync);
	xetile_assert_soon(*(volatile uint32_t *)(near.data.map + 128));
	/* Only this one command is slow; the reset must wait for the rest of it. */
	make_stubborn(&near, 6);
	lab_heal();
	igt_assert_eq(job_start_held(&j), 0);
	igt_assert_eq(job_end(&j), -ETIME);
	xetile_write_time(fd, "preempt_timeout_us", "640000");
	near.data.map[64] = 1;
	igt_assert_eq(state_end(&near, sync), 1);
	job_check_unharmed(&near);
	job_fini(&j);
	job_fini(&near);
	xetile_set_ccs_mode(fd, "1");
}

/*
 * A tile can hold one reported fault. A fault that comes while another engine's reset waits for a
 * neighbour must survive that reset and be charged to its own engine.
 */
static void test_fault_beside_reset(int fd)
{
	struct job j, near, faults;
	uint32_t sync;

	xetile_set_ccs_mode(fd, "2");
	xetile_write_time(fd, "preempt_timeout_us", "10000000");
	job_init(&faults, fd, JOB_COPY_TILE, 0);
	job_init_on_cslice(&j, fd, 1, LIMIT_MS);
	job_init_on_cslice(&near, fd, 0, 3600000);
	start_counter(&near, 0, &sync);
	xetile_assert_soon(*(volatile uint32_t *)(near.data.map + 128));
	make_stubborn(&near, 6);
	lab_heal();
	igt_assert_eq(job_start_held(&j), 0);
	/* From here on the reset waits for the neighbour. */
	xetile_assert_soon(job_is_banned(&j));
	lab_inject("fault address=%#llx size=4096 engine=%s access=write kind=not-present count=1",
		   (unsigned long long)JOB_DATA_ADDR, faults.engine);
	igt_assert_eq(job_start(&faults), 0);
	igt_assert_eq(job_end(&faults), -EIO);
	igt_assert_eq(job_end(&j), -ETIME);
	lab_heal();
	xetile_write_time(fd, "preempt_timeout_us", "640000");
	near.data.map[64] = 1;
	igt_assert_eq(state_end(&near, sync), 1);
	check_timeout(&j);
	check_fault(&faults);
	job_fini(&faults);
	job_fini(&j);
	job_fini(&near);
	xetile_set_ccs_mode(fd, "1");
}

/*
 * A neighbour has a fault while a reset waits for it to leave, and that fault is never reported.
 * Then an engine that is not reset has one, whose address the tile drops. The client of that one
 * must not be told the neighbour's address. It is told its own if the driver finds the neighbour's
 * error, whose interrupt is lost, before.
 */
static void test_fault_of_neighbour(int fd)
{
	struct drm_xetile_sync sync = { .flags = DRM_XETILE_SYNC_SIGNAL };
	struct job j, near, faults;
	struct drm_xetile_queue_info info;
	struct xetile_batch b;
	uint64_t before;

	xetile_set_ccs_mode(fd, "2");
	xetile_write_time(fd, "preempt_timeout_us", "10000000");
	job_init(&faults, fd, JOB_COPY_TILE, 0);
	job_init_on_cslice(&j, fd, 1, LIMIT_MS);
	job_init_on_cslice(&near, fd, 0, 3600000);
	igt_assert(strcmp(j.engine, near.engine));
	batch_begin(&b, &near.batch, 0);
	batch_keep_engine(&b);
	batch_atomic_inc(&b, near.data.addr + 512);
	batch_wait(&b, near.data.addr + 256, 1);
	batch_store(&b, NOWHERE, 1, false);
	batch_end(&b);
	sync.handle = near.syncobj = xetile_syncobj(near.fd);
	igt_assert_eq(__xetile_exec(near.fd, near.queue, batch_addr(&b), &sync, 1), 0);
	xetile_assert_soon(*(volatile uint32_t *)(near.data.map + 128));
	igt_assert_eq(job_start_held(&j), 0);
	/* From here on the reset waits for the neighbour. */
	xetile_assert_soon(job_is_banned(&j));
	lab_inject("fault address=%#llx size=4096 engine=%s access=write kind=not-present count=1",
		   (unsigned long long)JOB_DATA_ADDR, faults.engine);
	igt_assert_eq(job_start_held(&faults), 0);
	lab_inject("irq-lost engine=%s vector=0x8", near.engine);
	before = lab_injected();
	near.data.map[64] = 1;
	xetile_assert_soon(lab_injected() != before);
	faults.data.map[64] = 1;
	igt_assert_eq(job_end(&faults), -EIO);
	igt_assert_eq(job_end(&j), -ETIME);
	igt_assert_eq(job_end(&near), -EAGAIN);
	lab_heal();
	xetile_write_time(fd, "preempt_timeout_us", "640000");
	check_timeout(&j);
	xetile_queue_info(faults.fd, faults.queue, &info);
	if (info.ban.fault_access == DRM_XETILE_ACCESS_UNKNOWN)
		job_check_ban(&faults, &(struct drm_xetile_queue_ban) {
			.reason = DRM_XETILE_BAN_FAULT,
			.fault_access = DRM_XETILE_ACCESS_UNKNOWN,
		});
	else
		check_fault(&faults);
	job_fini(&faults);
	job_fini(&j);
	job_fini(&near);
	xetile_set_ccs_mode(fd, "1");
}

igt_main
{
	int fd = -1;

	igt_fixture
		fd = lab_open();
	igt_describe("A fault during a reset, which is not reported, must not hide the next fault");
	igt_subtest("fault-under-reset")
		test_fault_under_reset(fd);
	igt_describe("A neighbour lost in a reset must get EAGAIN for a batch that had begun, "
		     "and no batch run twice");
	igt_subtest("begun")
		test_bystander(fd, false, LOST_INSIDE);
	igt_subtest("not-begun")
		test_bystander(fd, false, LOST_BEFORE);
	igt_subtest("begun-root")
		test_bystander(fd, true, LOST_INSIDE);
	igt_subtest("not-begun-root")
		test_bystander(fd, true, LOST_BEFORE);
	igt_subtest("half-begun-root")
		test_bystander(fd, true, LOST_HALF);
	igt_subtest("both-begun-root")
		test_bystander(fd, true, LOST_BOTH);
	igt_describe("A neighbour lost in a reset must keep its registers, or have those of a new "
		     "queue if a batch had begun");
	igt_subtest("state-begun")
		test_state(fd, true);
	igt_subtest("state-not-begun")
		test_state(fd, false);
	igt_describe("A batch whose registers were lost must get EAGAIN, also behind a fence");
	igt_subtest("state-behind-fence")
		test_state_behind_fence(fd, false, BEFORE_RESET, false);
	igt_subtest("state-behind-fence-root")
		test_state_behind_fence(fd, true, BEFORE_RESET, false);
	igt_describe("The first batch after its registers were lost must get EAGAIN, once");
	igt_subtest("state-between")
		test_state_behind_fence(fd, false, AFTER_RESET, false);
	igt_subtest("state-between-root")
		test_state_behind_fence(fd, true, AFTER_RESET, false);
	igt_describe("The parts of a queue must go on from the same state after one of them was "
		     "lost");
	igt_subtest("state-ahead-root")
		test_state_ahead(fd, false);
	igt_subtest("state-half-root")
		test_state_half(fd);
	igt_describe("A batch that can run again must do so on all tiles when it is lost in "
		     "another's reset (W16)");
	igt_subtest("replay")
		test_replay(fd, false, 1);
	igt_subtest("replay-root")
		test_replay(fd, true, 1);
	igt_describe("A batch that is lost each time must end with EAGAIN at last");
	igt_subtest("replay-bound")
		test_replay(fd, false, REPLAYS + 1);
	igt_subtest("replay-bound-root")
		test_replay(fd, true, REPLAYS + 1);
	igt_describe("A batch must have all its time again when it runs again");
	igt_subtest("replay-time")
		test_replay_time(fd);
	igt_fixture
		xetile_write_time(fd, "job_timeout_ms", "10000");
	igt_describe("A batch that waits for another's reset must not be blamed for that");
	igt_subtest("waits-long")
		test_waits_long(fd);
	igt_fixture {
		xetile_usual_times(fd);
		xetile_write_time(fd, "job_timeout_ms", "10000");
	}
	igt_describe("Parts that are ahead must run their batches again, too");
	igt_subtest("replay-ahead-root")
		test_state_ahead(fd, true);
	igt_describe("A batch that relies on no state must run after the state was lost");
	igt_subtest("replay-state")
		test_state_behind_fence(fd, false, BEFORE_RESET, true);
	igt_describe("A batch that is to blame must not run again");
	igt_subtest("replay-guilty")
		test_replay_guilty(fd, false);
	igt_subtest("replay-guilty-root")
		test_replay_guilty(fd, true);
	igt_describe("A neighbour that leaves within its time limit must lose nothing");
	igt_subtest("leaves")
		test_bystander_leaves(fd, false);
	igt_subtest("leaves-root")
		test_bystander_leaves(fd, true);
	igt_fixture
		xetile_usual_times(fd);
	igt_describe("A fault during another engine's reset must be charged to its own queue");
	igt_subtest("fault-beside-reset")
		test_fault_beside_reset(fd);
	igt_describe("A fault of a neighbour under reset must not be charged to a third one");
	igt_subtest("fault-of-neighbour")
		test_fault_of_neighbour(fd);
	igt_fixture
		xetile_usual_times(fd);
	igt_fixture {
		lab_heal();
		close(fd);
	}
}
