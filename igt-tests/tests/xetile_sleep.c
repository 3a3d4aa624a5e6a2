// SPDX-License-Identifier: MIT
/*
 * The machine sleeps, and the card loses all its state. Memory, running and waiting jobs, and
 * settings must be there afterwards.
 *
 * suite: hotplug
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "xetile_binds.h"
#include "xetile_job.h"
#include "xetile_lab.h"
#include "xetile_machine.h"
#include "xetile_user_memory.h"
#include "xetile_vgem.h"

IGT_TEST_DESCRIPTION("The sleep of the machine");

#define MIB		(1ull << 20)
/* A limit of engine time, in milliseconds, that no job of these tests reaches */
#define LONG_MS		3600000

static struct xetile_card card;

/* Buffers larger than a small window, on all tiles; their contents are in HBM before the sleep. */
static void test_contents(void)
{
	struct big bos[3];
	struct job j;

	job_init_at(&j, card.fd, JOB_COMPUTE_TILE, 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(bos); i++)
		big_init(&card, &bos[i], &j, i, 128 * MIB + i * SZ_64K);
	/* Pages that the CPU does not reach went to system memory; the job brings them back. */
	igt_assert_eq(job_run(&j), 1);
	for (unsigned int i = 0; i < ARRAY_SIZE(bos); i++)
		igt_assert(big_in_hbm(&card, &bos[i]));
	igt_assert_eq(machine_sleep(0), 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(bos); i++)
		igt_assert(big_in_hbm(&card, &bos[i]));
	igt_assert_eq(job_run(&j), 1);
	for (unsigned int i = 0; i < ARRAY_SIZE(bos); i++)
		big_check(&card, &bos[i], i);
	job_fini(&j);
}

/*
 * A batch that waits for a word runs on each kind of queue. Other batches wait behind them, or for
 * their fences, and a process waits for the last fence.
 */
static void test_jobs(void)
{
	struct job j[JOB_KINDS], later;
	uint32_t behind[JOB_KINDS], last;

	/* The engines work while the kernel makes room for the image of a hibernation, and writes it. */
	for (unsigned int i = 0; i < JOB_KINDS; i++)
		job_init(&j[i], card.fd, i, LONG_MS);
	job_init_at(&later, j[0].fd, JOB_COPY_TILE, 0);
	for (unsigned int i = 0; i < JOB_KINDS; i++) {
		igt_assert_eq(job_start_held(&j[i]), 0);
		behind[i] = start_behind(&j[i], 0);
	}
	last = start_behind(&later, behind[0]);
	igt_fork(child, 1)
		igt_assert_eq(__xetile_wait(later.fd, last, 60000), 0);

	for (unsigned int n = 0; n < 2; n++) {
		igt_assert_eq(machine_sleep(0), 0);
		for (unsigned int i = 0; i < JOB_KINDS; i++) {
			igt_assert_eq(xetile_fence_status(j[i].fd, j[i].syncobj), 0);
			igt_assert_eq(xetile_fence_status(j[i].fd, behind[i]), 0);
		}
	}
	for (unsigned int i = 0; i < JOB_KINDS; i++) {
		*(volatile uint32_t *)&j[i].data.map[64] = 1;
		igt_assert_eq(job_end(&j[i]), 1);
		igt_assert_eq(__xetile_wait(j[i].fd, behind[i], 60000), 0);
		igt_assert_eq(xetile_fence_status(j[i].fd, behind[i]), 1);
		igt_assert_eq_u32(*(volatile uint32_t *)&j[i].data.map[32], 77);
	}
	igt_waitchildren();
	igt_assert_eq(xetile_fence_status(later.fd, last), 1);
	job_fini(&later);
	for (unsigned int i = 0; i < JOB_KINDS; i++) {
		igt_assert_eq(job_run(&j[i]), 1);
		job_fini(&j[i]);
	}
}

static uint64_t engine_ns(int fd)
{
	char path[64], line[256];
	uint64_t ns = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	f = fopen(path, "re");
	igt_assert(f);
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "drm-engine-compute: %" SCNu64, &ns) == 1)
			break;
	fclose(f);
	return ns;
}

/*
 * The time limit of a batch counts while the batch runs, and not while the machine sleeps. A fence
 * of another driver expires after ten seconds, during the sleep; a bind and a job that wait for it
 * must go on afterwards. (If the sleep was shorter, the test does not notice.)
 */
static void test_time(void)
{
	unsigned int seconds = machine_asked_seconds(12);
	uint64_t wall, used;
	uint32_t foreign, last;
	struct job j, later;
	struct binder binder;
	struct vgem vgem;

	vgem_init(&vgem);
	job_init(&j, card.fd, JOB_COMPUTE_TILE, LONG_MS);
	job_init_at(&later, card.fd, JOB_COPY_TILE, 0);
	igt_assert_eq(job_start_held(&j), 0);
	xetile_assert_soon(engine_ns(j.fd));
	foreign = xetile_syncobj(card.fd);
	vgem_fence(&vgem, card.fd, foreign);
	last = start_behind(&later, foreign);
	binder_init(&binder, card.fd, foreign);
	wall = xetile_now_ns();
	used = engine_ns(j.fd);
	igt_assert_eq(machine_sleep(seconds), 0);
	used = engine_ns(j.fd) - used;
	wall = xetile_now_ns() - wall;
	igt_assert_lte_u64(2 * used, wall);
	igt_assert_eq(__xetile_wait(card.fd, last, 60000), 0);
	igt_assert_eq(xetile_fence_status(card.fd, last), 1);
	igt_assert_eq_u32(*(volatile uint32_t *)&later.data.map[32], 77);
	binder_end(&binder);
	*(volatile uint32_t *)&j.data.map[64] = 1;
	igt_assert_eq(job_end(&j), 1);
	job_fini(&later);
	job_fini(&j);
	vgem_fini(&vgem);
}

/* Processes submit jobs and wait for each of them, while the machine sleeps several times. */
static void test_load(void)
{
	volatile uint32_t *stop = mmap(NULL, SZ_4K, PROT_READ | PROT_WRITE,
				       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	igt_assert(stop != MAP_FAILED);
	igt_fork(child, 5) {
		struct job j;

		job_init(&j, card.fd, child % JOB_KINDS, 0);
		while (!*stop) {
			uint32_t bo = xetile_bo(j.fd, SZ_2M, DRM_XETILE_PLACE_HBM);

			xetile_vm_map(j.fd, j.vm, bo, 0, BIG_ADDR, SZ_2M);
			igt_assert_eq(job_start(&j), 0);
			igt_assert_eq(job_end(&j), 1);
			xetile_vm_unmap(j.fd, j.vm, BIG_ADDR, SZ_2M);
			xetile_bo_close(j.fd, bo);
			++stop[1 + child];
		}
		job_fini(&j);
	}
	for (unsigned int n = 0; n < 3; n++) {
		for (unsigned int i = 0; i < 5; i++) {
			uint32_t done = stop[1 + i];

			xetile_assert_soon(stop[1 + i] > done);
		}
		igt_assert_eq(machine_sleep(0), 0);
	}
	for (unsigned int i = 0; i < 5; i++) {
		uint32_t done = stop[1 + i];

		xetile_assert_soon(stop[1 + i] > done + 1);
	}
	*stop = 1;
	igt_waitchildren();
	munmap((void *)stop, SZ_4K);
}

/* --- the rest ------------------------------------------------------------------ */

/* Writes the slices of the engines, as the card reports them, to @text: "[[1,1,1,1],...]". */
static void slices(char *text, size_t size)
{
	char *answer = lab_ask("info"), *at = strstr(answer, "\"ccs\":");

	igt_assert(at);
	snprintf(text, size, "%s", at);
	free(answer);
}

static void test_ccs_mode(void)
{
	char before[256], after[256];
	unsigned int mode;

	for (mode = 4; !(card.tiles[0].ccs_modes & (1u << mode)); mode /= 2)
		;
	igt_require_f(mode > 1, "the tile has only one mode\n");
	igt_assert_eq(xetile_sysfs_write(card.fd, 0, "ccs_mode", mode == 4 ? "4" : "2"), 0);
	slices(before, sizeof(before));
	igt_assert_eq(machine_sleep(0), 0);
	slices(after, sizeof(after));
	igt_assert_eq(strcmp(before, after), 0);
	igt_assert_eq_u32(xetile_sysfs_uint(card.fd, 0, "ccs_mode"), mode);
	igt_assert_eq(xetile_sysfs_write(card.fd, 0, "ccs_mode", "1"), 0);
}

/* Memory that was clear before the sleep must not count as clear afterwards. */
static void test_clear(void)
{
	unsigned int num = 2 * (32 * MIB / SZ_64K);
	int fd = xetile_reopen(card.fd);
	uint64_t passes;

	/* The first BO has more memory cleared than its own. */
	xetile_use_up_clear(fd);
	for (int n = 0; n < 2; n++)
		igt_assert_eq_u32(*(volatile uint32_t *)xetile_bo_map(fd, xetile_bo_color(fd, SZ_64K,
				  DRM_XETILE_COLOR_TILE, 1, 0), SZ_64K), 0);
	igt_assert_eq(machine_sleep(0), 0);
	/* The card may come back with zeros; the next BO must be cleared all the same. */
	passes = xetile_debugfs_sum(fd, "copies", "passes");
	xetile_bo_color(fd, SZ_64K, DRM_XETILE_COLOR_TILE, 1, 0);
	igt_assert_lte_u64(passes + 1, xetile_debugfs_sum(fd, "copies", "passes"));
	for (unsigned int n = 0; n < num; n++) {
		uint32_t bo = xetile_bo_color(fd, SZ_64K, DRM_XETILE_COLOR_TILE, 1, 0);
		uint32_t *map = xetile_bo_map(fd, bo, SZ_64K);

		for (unsigned int at = 0; at < SZ_64K / 4; at += SZ_4K / 4)
			igt_assert_eq_u32(map[at], 0);
		munmap(map, SZ_64K);
	}
	/* One pass must again clear the memory of many BOs. */
	igt_assert_lte_u64(xetile_debugfs_sum(fd, "copies", "passes"), passes + num / 32);
	close(fd);
}

/* Each sleep must give back the memory that it takes. */
static void test_many(void)
{
	uint64_t before, used;
	struct big bo;
	struct job j;

	job_init_at(&j, card.fd, JOB_COMPUTE_TILE, 0);
	big_init(&card, &bo, &j, 0, 32 * MIB);
	igt_assert_eq(job_run(&j), 1);
	igt_assert_eq(machine_sleep(0), 0);
	before = machine_available();
	used = xetile_hbm_used(card.fd);
	for (unsigned int n = 0; n < 10; n++)
		igt_assert_eq(machine_sleep(0), 0);
	igt_assert_eq_u64(xetile_hbm_used(card.fd), used);
	/* Ten times the saved memory would be missing. */
	igt_assert_lte_u64(before, machine_available() + 200);
	igt_assert_eq(job_run(&j), 1);
	big_check(&card, &bo, 0);
	job_fini(&j);
}

/* --- many queues ---------------------------------------------------------------- */

#define TRACING		"/sys/kernel/tracing/"
#define QUEUES		250u
/* The most other queues: the driver's own, and queues that are being freed */
#define OTHERS		32u
/* As in the driver: the queues handled while the scheduler's lock is held once */
#define BATCH		100u

/* The driver's functions that handle each queue, and the number of their walks in a sleep */
static const struct {
	const char *name;
	unsigned int walks;
} visits[] = {
	{ "suspend_users", 1 }, { "suspend_own", 1 }, { "force_load", 1 }, { "resume_own", 2 },
	{ "resume_users", 1 },
};

static void trace_begin(void)
{
	igt_require_f(!access(TRACING "set_ftrace_filter", W_OK) &&
		      machine_has_word(TRACING "available_tracers", "function"),
		      "the kernel has no function tracer\n");
	close(open(TRACING "set_ftrace_filter", O_WRONLY | O_TRUNC | O_CLOEXEC));
	for (unsigned int i = 0; i < ARRAY_SIZE(visits); i++)
		igt_assert_eq(xetile_write_file(TRACING "set_ftrace_filter", visits[i].name), 0);
	igt_assert_eq(xetile_write_file(TRACING "set_ftrace_filter", "xetile_sched_lock"), 0);
	igt_assert_eq(xetile_write_file(TRACING "set_ftrace_filter", "xetile_sched_unlock"), 0);
	igt_assert_eq(xetile_write_file(TRACING "current_tracer", "function"), 0);
}

static void trace_end(void)
{
	if (access(TRACING "set_ftrace_filter", W_OK))
		return;
	igt_assert_eq(xetile_write_file(TRACING "current_tracer", "nop"), 0);
	close(open(TRACING "set_ftrace_filter", O_WRONLY | O_TRUNC | O_CLOEXEC));
}

/* Asserts that each walk has visited each queue, and has released the lock now and then. */
static void trace_check(void)
{
	unsigned int times[ARRAY_SIZE(visits)] = { 0 }, run[CPU_SETSIZE] = { 0 }, longest = 0;
	FILE *f = fopen(TRACING "trace", "re");
	char line[512];

	igt_assert(f);
	while (fgets(line, sizeof(line), f)) {
		const char *at = strchr(line, '['), *name = strstr(line, ": ");
		unsigned int cpu, i;

		igt_assert(!strstr(line, "LOST"));
		if (line[0] == '#' || !at || !name || sscanf(at, "[%u]", &cpu) != 1)
			continue;
		igt_assert_lt(cpu, CPU_SETSIZE);
		for (i = 0; i < ARRAY_SIZE(visits); i++)
			if (!strncmp(name + 2, visits[i].name, strlen(visits[i].name)))
				break;
		/* This line is a call of the lock or unlock function. */
		if (i == ARRAY_SIZE(visits)) {
			run[cpu] = 0;
			continue;
		}
		times[i]++;
		if (++run[cpu] > longest)
			longest = run[cpu];
	}
	fclose(f);
	for (unsigned int i = 0; i < ARRAY_SIZE(visits); i++) {
		igt_assert_lte_u64(visits[i].walks * QUEUES, times[i]);
		igt_assert_lte_u64(times[i], visits[i].walks * (QUEUES + OTHERS));
	}
	/* Otherwise the next assertion could not fail. */
	igt_assert_lte_u64(2 * BATCH, QUEUES);
	igt_assert_lte_u64(longest, BATCH);
}

/* Many queues, each with a batch that waits for a running one: none may be forgotten. */
static void test_queues(void)
{
	struct drm_xetile_sync syncs[2] = { { .flags = DRM_XETILE_SYNC_SIGNAL }, { 0 } };
	uint32_t queues[QUEUES], done[QUEUES];
	struct xetile_batch b;
	struct job j;

	trace_begin();
	job_init(&j, card.fd, JOB_COMPUTE_TILE, LONG_MS);
	igt_assert_eq(job_start_held(&j), 0);
	batch_begin(&b, &j.batch, 8192);
	batch_end(&b);
	syncs[1].handle = j.syncobj;
	for (unsigned int i = 0; i < QUEUES; i++) {
		queues[i] = xetile_queue(j.fd, j.vm, COPY, TILE, 0, 0);
		syncs[0].handle = done[i] = xetile_syncobj(j.fd);
		igt_assert_eq(__xetile_exec(j.fd, queues[i], batch_addr(&b), syncs, 2), 0);
	}
	close(open(TRACING "trace", O_WRONLY | O_TRUNC | O_CLOEXEC));
	igt_assert_eq(machine_sleep(0), 0);
	trace_check();
	*(volatile uint32_t *)&j.data.map[64] = 1;
	igt_assert_eq(job_end(&j), 1);
	for (unsigned int i = 0; i < QUEUES; i++) {
		igt_assert_eq(__xetile_wait(j.fd, done[i], 60000), 0);
		igt_assert_eq(xetile_fence_status(j.fd, done[i]), 1);
		xetile_syncobj_destroy(j.fd, done[i]);
		xetile_queue_destroy(j.fd, queues[i]);
	}
	job_fini(&j);
}

/*
 * Batches that use memory of a process do not run into a sleep, in which other drivers may want its
 * pages: they are waited for, and ended if they do not end. Afterwards the pages are found anew.
 */
static void test_user(void)
{
	uint32_t *p = anon(SZ_4K), queue, done;
	struct gate gate;
	struct place s;

	require_user(&card);
	place_init(&s, card.fd);
	gate_init(&gate, card.fd);
	map_user(&s, AT, p, SZ_4K, 0);
	queue = user_queue(&s, 500);
	done = store_after(&s, queue, gate.fence, xetile_syncobj(s.fd));
	igt_assert_eq(machine_sleep(0), 0);
	igt_assert_lt(xetile_fence_status(s.fd, done), 0);
	igt_assert_eq(xetile_fence_status(s.fd, gate.fence), 0);
	gate_open(&gate);
	for (uint32_t i = 1; i <= 2; i++) {
		place_store(&s, AT, i);
		igt_assert_eq_u32(*(volatile uint32_t *)p, i);
		igt_assert_eq(machine_sleep(0), 0);
	}
	gate_fini(&gate);
	xetile_syncobj_destroy(s.fd, done);
	xetile_queue_destroy(s.fd, queue);
	place_fini(&s);
	munmap(p, SZ_4K);
}

igt_main
{
	igt_fixture {
		igt_assert(!geteuid());
		igt_require(!access("/sys/power/pm_test", W_OK));
		lab_require_card();
		lab_heal();
		xetile_open_card(&card);
	}
	igt_describe("HBM's contents, on all tiles and beyond the CPU's window, must survive a "
		     "sleep");
	igt_subtest("contents")
		test_contents();
	igt_describe("Running and waiting jobs, and processes that wait for them, must go on "
		     "after a sleep");
	igt_subtest("jobs")
		test_jobs();
	igt_describe("Engine time must not count the sleep, and fences that signal meanwhile "
		     "must not be lost");
	igt_subtest("time")
		test_time();
	igt_describe("Jobs of several processes must end well although the machine sleeps");
	igt_subtest("load")
		test_load();
	igt_describe("The compute slices must stay with their engines");
	igt_subtest("ccs-mode")
		test_ccs_mode();
	igt_describe("Fresh memory must be zero after a sleep, also if it was cleared before");
	igt_subtest("clear")
		test_clear();
	igt_describe("No batch may use memory of a process during a sleep");
	igt_subtest("user")
		test_user();
	igt_describe("Ten sleeps must not lose memory");
	igt_subtest("many")
		test_many();
	igt_describe("Many queues must be taken off their engines, a limited number at a time");
	igt_subtest("queues")
		test_queues();
	igt_fixture
		trace_end();
	igt_fixture
		close(card.fd);
}
