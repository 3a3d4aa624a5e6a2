// SPDX-License-Identifier: MIT
/*
 * The machine sleeps, and the card forgets all that it has: what is in its memory, the jobs
 * that run and wait, and its settings are there afterwards.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/sync_file.h>
#include <poll.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <xf86drm.h>

#include "xetile_job.h"
#include "xetile_lab.h"
#include "xetile_vgem.h"

IGT_TEST_DESCRIPTION("The sleep of the machine");

#define MIB		(1ull << 20)
#define NS		1000000000ull
#define BIG_ADDR	0x8000000000ull
/* Engine time of a batch that waits for the test: more than any machine takes for one */
#define LONG_MS		3600000

static struct xetile_card card;

static int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), err = 0;

	igt_assert_f(fd >= 0, "%s: %m\n", path);
	if (write(fd, text, strlen(text)) < 0)
		err = -errno;
	close(fd);
	return err;
}

static bool has_word(const char *path, const char *word)
{
	char text[256] = "";
	FILE *f = fopen(path, "re");

	bool has;

	igt_assert_f(f, "%s: %m\n", path);
	has = fgets(text, sizeof(text), f) && strstr(text, word);
	fclose(f);
	return has;
}

#define WATCHDOG	"/proc/sys/kernel/soft_watchdog"

/*
 * A sleep that is over after a step of it, and so many seconds, which a processor counts by a
 * loop, without a look at anything else. It is the first one, as each has its own idea of a
 * second.  0 or -errno.
 */
static int machine_sleep_to(const char *step, unsigned int seconds)
{
	bool watched = seconds && !access(WATCHDOG, W_OK);
	cpu_set_t cpus, first;
	char text[16];
	int err;

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	snprintf(text, sizeof(text), "%u", seconds);
	igt_assert_eq(write_file("/sys/module/suspend/parameters/pm_test_delay", text), 0);
	igt_assert_eq(write_file("/sys/power/pm_test", step), 0);
	if (watched)
		igt_assert_eq(write_file(WATCHDOG, "0"), 0);
	igt_assert_eq(sched_getaffinity(0, sizeof(cpus), &cpus), 0);
	if (seconds)
		igt_assert_eq(sched_setaffinity(0, sizeof(first), &first), 0);
	err = write_file("/sys/power/state", "freeze");
	igt_assert_eq(sched_setaffinity(0, sizeof(cpus), &cpus), 0);
	if (watched)
		igt_assert_eq(write_file(WATCHDOG, "1"), 0);
	igt_assert_eq(write_file("/sys/power/pm_test", "none"), 0);
	return err;
}

/*
 * All of it but the last step, at which the processors would stop: devices have lost their
 * power, or may have.
 */
static int machine_sleep(unsigned int seconds)
{
	return machine_sleep_to("platform", seconds);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NS + now.tv_nsec;
}

static uint64_t freezer_ns(unsigned int seconds)
{
	uint64_t begin = now_ns();

	igt_assert_eq(machine_sleep_to("freezer", seconds), 0);
	return now_ns() - begin;
}

/*
 * What to ask for to sleep about so many seconds: on an emulated processor a second of the
 * loop is what it happens to be, and depends on what else the machine does.
 */
static unsigned int asked_seconds(unsigned int seconds)
{
	uint64_t none = freezer_ns(0), three = freezer_ns(3);
	uint64_t ns = three > none ? three - none : 0;

	igt_assert_f(ns > NS / 10, "three seconds are %" PRIu64 " ns\n", ns);
	return 3 * seconds * NS / ns + 1;
}

/* --- memory ---------------------------------------------------------------- */

struct big {
	uint32_t handle;
	uint64_t size;
	uint32_t *map;
};

static uint32_t word(unsigned int bo, uint64_t at)
{
	return (uint32_t)(at * 2654435761u + 77 * bo + 1);
}

static void big_init(struct big *b, struct job *j, unsigned int n, uint64_t size)
{
	const uint32_t colors[] = {
		DRM_XETILE_COLOR_EVEN, DRM_XETILE_COLOR_CHUNK, DRM_XETILE_COLOR_TILE,
	};
	uint32_t tiles = (1u << card.device.num_tiles) - 1;

	n %= ARRAY_SIZE(colors);
	b->size = size;
	b->handle = xetile_bo_color(j->fd, size, colors[n], n == 2 ? 1 : tiles,
				    n == 1 ? SZ_64K : 0);
	b->map = xetile_bo_map(j->fd, b->handle, size);
	for (uint64_t at = 0; at < size / 4; at += 1024)
		b->map[at] = word(n, at);
	xetile_vm_map(j->fd, j->vm, b->handle, 0, BIG_ADDR + n * SZ_1G, size);
}

static void big_check(struct big *b, unsigned int n)
{
	for (uint64_t at = 0; at < b->size / 4; at += 1024)
		igt_assert_eq_u32(b->map[at], word(n, at));
	munmap(b->map, b->size);
	xetile_bo_close(card.fd, b->handle);
}

static bool in_hbm(const struct big *b)
{
	struct drm_xetile_color_run run;

	xetile_bo_runs(card.fd, b->handle, &run, 1);
	return run.tile < card.device.num_tiles;
}

/* More than a small window shows, on all tiles; what the CPU wrote is in HBM by then. */
static void test_contents(void)
{
	struct big bos[3];
	struct job j;

	job_init_at(&j, card.fd, JOB_COMPUTE_TILE, 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(bos); i++)
		big_init(&bos[i], &j, i, 128 * MIB + i * SZ_64K);
	/* What the CPU does not reach it had in system memory: a job brings it back. */
	igt_assert_eq(job_run(&j), 1);
	for (unsigned int i = 0; i < ARRAY_SIZE(bos); i++)
		igt_assert(in_hbm(&bos[i]));
	igt_assert_eq(machine_sleep(0), 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(bos); i++)
		igt_assert(in_hbm(&bos[i]));
	igt_assert_eq(job_run(&j), 1);
	for (unsigned int i = 0; i < ARRAY_SIZE(bos); i++)
		big_check(&bos[i], i);
	job_fini(&j);
}

/* --- jobs -------------------------------------------------------------------- */

/* A batch behind the one that runs, or, of @after, one that waits for its fence: stores 77 */
static uint32_t start_store(struct job *j, uint64_t addr, uint32_t after)
{
	struct drm_xetile_sync syncs[2] = {
		{ .handle = xetile_syncobj(j->fd), .flags = DRM_XETILE_SYNC_SIGNAL },
		{ .handle = after },
	};
	struct xetile_batch b;

	batch_begin(&b, &j->batch, 8192);
	batch_store(&b, addr, 77, false);
	batch_end(&b);
	igt_assert_eq(__xetile_exec(j->fd, j->queue, batch_addr(&b), syncs, after ? 2 : 1), 0);
	return syncs[0].handle;
}

static uint32_t start_behind(struct job *j, uint32_t after)
{
	return start_store(j, j->data.addr + 128, after);
}

/* A bind that waits for a fence, and a batch that waits for the bind and uses it */
struct binder {
	struct job j;
	uint32_t bo, bound, stored;
	volatile uint32_t *map;
};

static void binder_init(struct binder *b, int fd, uint32_t after)
{
	struct drm_xetile_sync syncs[2] = {
		{ .handle = after },
		{ .flags = DRM_XETILE_SYNC_SIGNAL },
	};
	struct drm_xetile_bind bind = { .addr = BIG_ADDR, .range = SZ_64K };

	job_init_at(&b->j, fd, JOB_COPY_TILE, 0);
	b->bo = bind.handle = xetile_bo(fd, SZ_64K, DRM_XETILE_PLACE_HBM);
	b->map = xetile_bo_map(fd, b->bo, SZ_64K);
	b->bound = syncs[1].handle = xetile_syncobj(fd);
	igt_assert_eq(__xetile_vm_bind(fd, b->j.vm, &bind, 1, syncs, 2), 0);
	b->stored = start_store(&b->j, BIG_ADDR + 64, 0);
}

/* When the fence has signalled */
static void binder_end(struct binder *b)
{
	igt_assert_eq(__xetile_wait(b->j.fd, b->bound, 60000), 0);
	igt_assert_eq(xetile_fence_status(b->j.fd, b->bound), 1);
	igt_assert_eq(__xetile_wait(b->j.fd, b->stored, 60000), 0);
	igt_assert_eq(xetile_fence_status(b->j.fd, b->stored), 1);
	igt_assert_eq_u32(b->map[16], 77);
	xetile_syncobj_destroy(b->j.fd, b->bound);
	xetile_syncobj_destroy(b->j.fd, b->stored);
	munmap((void *)b->map, SZ_64K);
	xetile_bo_close(b->j.fd, b->bo);
	job_fini(&b->j);
}

/*
 * Batches that wait for a word run on each kind of queue, others wait in line behind them,
 * for their fences, and a process does.
 */
static void test_jobs(void)
{
	struct job j[JOB_KINDS], later;
	uint32_t behind[JOB_KINDS], last;

	for (unsigned int i = 0; i < JOB_KINDS; i++)
		job_init(&j[i], card.fd, i, 0);
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
 * What a limit counts goes by while the batch runs, and not while the machine sleeps. A
 * fence of another driver signals meanwhile, as it expires after ten seconds: who waits for
 * it goes on afterwards. (If that was not as long a sleep, nothing fails.)
 */
static void test_time(void)
{
	unsigned int seconds = asked_seconds(12);
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
	wall = now_ns();
	used = engine_ns(j.fd);
	igt_assert_eq(machine_sleep(seconds), 0);
	used = engine_ns(j.fd) - used;
	wall = now_ns() - wall;
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

/* Processes work and wait for each of their jobs, while the machine sleeps several times. */
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

/* Of the engines' slices, as the card has them: "[[1,1,1,1],...]" */
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
	igt_require_f(mode > 1, "one mode only\n");
	igt_assert_eq(xetile_sysfs_write(card.fd, 0, "ccs_mode", mode == 4 ? "4" : "2"), 0);
	slices(before, sizeof(before));
	igt_assert_eq(machine_sleep(0), 0);
	slices(after, sizeof(after));
	igt_assert_eq(strcmp(before, after), 0);
	igt_assert_eq_u32(xetile_sysfs_uint(card.fd, 0, "ccs_mode"), mode);
	igt_assert_eq(xetile_sysfs_write(card.fd, 0, "ccs_mode", "1"), 0);
}

/* What was clear before the sleep is not known to be afterwards. */
static void test_clear(void)
{
	unsigned int num = 2 * (32 * MIB / SZ_64K);
	int fd = xetile_reopen(card.fd);
	uint64_t passes;

	/* The first one has more cleared than itself. */
	xetile_use_up_clear(fd);
	for (int n = 0; n < 2; n++)
		igt_assert_eq_u32(*(volatile uint32_t *)xetile_bo_map(fd, xetile_bo_color(fd, SZ_64K,
				  DRM_XETILE_COLOR_TILE, 1, 0), SZ_64K), 0);
	igt_assert_eq(machine_sleep(0), 0);
	/* A card may well come back with zeros: the next one is cleared all the same. */
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
	/* Many are cleared at once again, and not only when the last was given out of what was. */
	igt_assert_lte_u64(xetile_debugfs_sum(fd, "copies", "passes"), passes + num / 32);
	close(fd);
}

/* MiB of system memory that can be had */
static uint64_t available(void)
{
	FILE *f = fopen("/proc/meminfo", "re");
	uint64_t kib = 0;
	char line[128];

	igt_assert(f);
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "MemAvailable: %" SCNu64, &kib) == 1)
			break;
	fclose(f);
	return kib >> 10;
}

/* What each sleep takes it gives back. */
static void test_many(void)
{
	uint64_t before, used;
	struct big bo;
	struct job j;

	job_init_at(&j, card.fd, JOB_COMPUTE_TILE, 0);
	big_init(&bo, &j, 0, 32 * MIB);
	igt_assert_eq(job_run(&j), 1);
	igt_assert_eq(machine_sleep(0), 0);
	before = available();
	used = xetile_hbm_used(card.fd);
	for (unsigned int n = 0; n < 10; n++)
		igt_assert_eq(machine_sleep(0), 0);
	igt_assert_eq_u64(xetile_hbm_used(card.fd), used);
	/* ten times what is saved would be missing */
	igt_assert_lte_u64(before, available() + 200);
	igt_assert_eq(job_run(&j), 1);
	big_check(&bo, 0);
	job_fini(&j);
}

static void set_huge_pages(uint64_t pages)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64, pages);
	igt_assert_eq(write_file("/proc/sys/vm/nr_hugepages", text), 0);
}

/* Without memory for what is in HBM the machine stays awake, and all goes on. */
static void test_no_memory(void)
{
	int log = lab_log_open();
	struct big bo;
	struct job j;

	igt_require(!access("/proc/sys/vm/nr_hugepages", W_OK));
	job_init_at(&j, card.fd, JOB_COMPUTE_TILE, LONG_MS);
	big_init(&bo, &j, 0, 512 * MIB);
	/* It comes back from where the CPU reached it. */
	igt_assert_eq(job_run(&j), 1);
	igt_assert_eq(job_start_held(&j), 0);
	set_huge_pages((available() - 256) / 2);
	igt_assert_lte_u64(available(), 511);
	igt_assert_eq(machine_sleep(0), -ENOMEM);
	set_huge_pages(0);
	lab_log_close(log, "the machine cannot sleep: no system memory");
	igt_assert_eq(xetile_fence_status(j.fd, j.syncobj), 0);
	*(volatile uint32_t *)&j.data.map[64] = 1;
	igt_assert_eq(job_end(&j), 1);
	igt_assert(in_hbm(&bo));
	igt_assert_eq(machine_sleep(0), 0);
	big_check(&bo, 0);
	job_fini(&j);
}

/* Would be given up when users' processes are frozen, if the card did not refuse it. */
static void test_hibernation(void)
{
	struct job j;
	int log, err;

	igt_require_f(has_word("/sys/power/state", "disk"), "no hibernation in this kernel\n");
	job_init(&j, card.fd, JOB_COMPUTE_TILE, LONG_MS);
	igt_assert_eq(job_start_held(&j), 0);
	log = lab_log_open();
	igt_assert_eq(write_file("/sys/power/pm_test", "freezer"), 0);
	err = write_file("/sys/power/state", "disk");
	igt_assert_eq(write_file("/sys/power/pm_test", "none"), 0);
	igt_assert_eq(err, -EOPNOTSUPP);
	lab_log_close(log, "the machine cannot hibernate");
	igt_assert_eq(xetile_fence_status(j.fd, j.syncobj), 0);
	*(volatile uint32_t *)&j.data.map[64] = 1;
	igt_assert_eq(job_end(&j), 1);
	job_fini(&j);
}

/* --- many queues ---------------------------------------------------------------- */

#define TRACING		"/sys/kernel/tracing/"
#define QUEUES		250u
/* More there are not beside the test's: the kernel's own, and those being freed */
#define OTHERS		32u
/* As the driver has it: so many queues while the execution lock is held once */
#define BATCH		100u

/* What the driver does with each queue, and how often it does in a sleep */
static const struct {
	const char *name;
	unsigned int walks;
} visits[] = {
	{ "sleep_users", 1 }, { "sleep_kernels", 1 }, { "force_load", 1 }, { "wake_kernels", 2 },
	{ "wake_users", 1 },
};

static void trace_begin(void)
{
	igt_require_f(!access(TRACING "set_ftrace_filter", W_OK) &&
		      has_word(TRACING "available_tracers", "function"),
		      "no tracer of functions in this kernel\n");
	close(open(TRACING "set_ftrace_filter", O_WRONLY | O_TRUNC | O_CLOEXEC));
	for (unsigned int i = 0; i < ARRAY_SIZE(visits); i++)
		igt_assert_eq(write_file(TRACING "set_ftrace_filter", visits[i].name), 0);
	igt_assert_eq(write_file(TRACING "set_ftrace_filter", "xetile_sched_lock"), 0);
	igt_assert_eq(write_file(TRACING "set_ftrace_filter", "xetile_sched_unlock"), 0);
	igt_assert_eq(write_file(TRACING "current_tracer", "function"), 0);
}

static void trace_end(void)
{
	if (access(TRACING "set_ftrace_filter", W_OK))
		return;
	igt_assert_eq(write_file(TRACING "current_tracer", "nop"), 0);
	close(open(TRACING "set_ftrace_filter", O_WRONLY | O_TRUNC | O_CLOEXEC));
}

/* Each queue was visited in each walk, and the lock was let go of between some and the next. */
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
		/* The lock is taken, or let go of. */
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
	/* So that the next line means something */
	igt_assert_lte_u64(2 * BATCH, QUEUES);
	igt_assert_lte_u64(longest, BATCH);
}

/* Many queues, with a batch each that waits for one that runs: none of them is forgotten. */
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

/* --- sleeps that are given up ---------------------------------------------------- */

/* What is at work when the machine tries to sleep */
struct pending {
	uint64_t used;
	struct job j[JOB_KINDS];
	uint32_t behind[JOB_KINDS], foreign;
	struct big bo;
	struct vgem vgem;
	struct binder binder;
};

static void pending_init(struct pending *p)
{
	vgem_init(&p->vgem);
	xetile_wait_hbm_free(card.fd);
	p->used = xetile_hbm_used(card.fd);
	for (unsigned int i = 0; i < JOB_KINDS; i++)
		job_init_at(&p->j[i], card.fd, i, LONG_MS);
	big_init(&p->bo, &p->j[0], 0, 64 * MIB);
	/* It comes back from where the CPU reached it. */
	igt_assert_eq(job_run(&p->j[0]), 1);
	for (unsigned int i = 0; i < JOB_KINDS; i++) {
		igt_assert_eq(job_start_held(&p->j[i]), 0);
		p->behind[i] = start_behind(&p->j[i], 0);
	}
	p->foreign = xetile_syncobj(card.fd);
	vgem_fence(&p->vgem, card.fd, p->foreign);
	binder_init(&p->binder, card.fd, p->foreign);
}

/* All of it goes on, is freed, and nothing is left of it; then the machine can sleep. */
static void pending_end(struct pending *p)
{
	for (unsigned int i = 0; i < JOB_KINDS; i++) {
		igt_assert_eq(xetile_fence_status(p->j[i].fd, p->j[i].syncobj), 0);
		igt_assert_eq(xetile_fence_status(p->j[i].fd, p->behind[i]), 0);
	}
	/* Unless it has expired, which is as well */
	vgem_signal(&p->vgem);
	binder_end(&p->binder);
	for (unsigned int i = 0; i < JOB_KINDS; i++) {
		*(volatile uint32_t *)&p->j[i].data.map[64] = 1;
		igt_assert_eq(job_end(&p->j[i]), 1);
		igt_assert_eq(__xetile_wait(p->j[i].fd, p->behind[i], 60000), 0);
		igt_assert_eq(xetile_fence_status(p->j[i].fd, p->behind[i]), 1);
	}
	for (unsigned int i = 0; i < JOB_KINDS; i++)
		igt_assert_eq(job_run(&p->j[i]), 1);
	big_check(&p->bo, 0);
	for (unsigned int i = 0; i < JOB_KINDS; i++)
		job_fini(&p->j[i]);
	xetile_syncobj_destroy(card.fd, p->foreign);
	vgem_fini(&p->vgem);
	xetile_assert_soon(xetile_hbm_used(card.fd) == p->used);
	igt_assert_eq(machine_sleep(0), 0);
	job_check_usable(card.fd);
}

/* It is over after a step: when processes are frozen, or when devices are asleep. */
static void test_given_up(const char *step)
{
	struct pending p;

	pending_init(&p);
	igt_assert_eq(machine_sleep_to(step, 0), 0);
	pending_end(&p);
}

#define INJECT	"/sys/kernel/debug/notifier-error-inject/pm/actions/PM_SUSPEND_PREPARE/error"

/* Somebody who is asked after the card whether the machine may sleep says no. */
static void test_asked(void)
{
	uint64_t before;
	struct pending p;

	/* The card's is asked first, as others are that have a higher priority. */
	igt_require_f(!system("modprobe pm-notifier-error-inject priority=-10") &&
		      !access(INJECT, W_OK), "nobody in this kernel says no on request\n");
	pending_init(&p);
	before = available();
	igt_assert_eq(write_file(INJECT, "-28"), 0);
	igt_assert_eq(machine_sleep(0), -ENOSPC);
	igt_assert_eq(write_file(INJECT, "0"), 0);
	/* What the card has taken for what it has saved by then it gives back. */
	igt_assert_lte_u64(before, available() + 40);
	pending_end(&p);
	igt_assert_eq(system("modprobe -r pm-notifier-error-inject"), 0);
}

/*
 * Another device refuses: that of the alarm timers, if one of them rings within two seconds.
 * One always does.
 */
static void test_refused(void)
{
	int timers[240];
	struct pending p;

	igt_require_f(!access("/sys/class/rtc/rtc0", F_OK),
		      "alarm timers of a machine without a clock refuse nothing\n");
	pending_init(&p);
	for (unsigned int i = 0; i < ARRAY_SIZE(timers); i++) {
		struct itimerspec at = { .it_value = { .tv_sec = 1 + i / 2 } };

		at.it_value.tv_nsec = i % 2 * 500000000;
		timers[i] = timerfd_create(CLOCK_BOOTTIME_ALARM, TFD_CLOEXEC);
		igt_assert_f(timers[i] >= 0, "no alarm timer: %m\n");
		igt_assert_eq(timerfd_settime(timers[i], 0, &at, NULL), 0);
	}
	igt_assert_eq(machine_sleep(0), -EBUSY);
	for (unsigned int i = 0; i < ARRAY_SIZE(timers); i++)
		close(timers[i]);
	pending_end(&p);
}

/* The card refuses, because its copy engine cannot copy. */
static void test_no_copy(void)
{
	int log = lab_log_open();
	struct pending p;
	char engine[32];

	pending_init(&p);
	xetile_kernel_engine(card.fd, engine, sizeof(engine));
	lab_inject("fault address=0 size=0x1000000000000 engine=%s access=write count=1", engine);
	igt_assert_eq(machine_sleep(0), -ENODATA);
	lab_heal();
	lab_log_close(log, "the card cannot sleep: HBM cannot be copied");
	pending_end(&p);
}

/* How much system memory stays the others', in MiB */
static uint64_t margin(void)
{
	FILE *f = fopen("/proc/meminfo", "re");
	uint64_t kib = 0;

	igt_assert(f);
	igt_assert_eq(fscanf(f, "MemTotal: %" SCNu64, &kib), 1);
	fclose(f);
	return (kib >> 10) / 16;
}

/* What a compute context has of a tile's HBM */
#define CONTEXT_BYTES	(128ull << 10)
#define OWN_MIB		120

/*
 * There is room for the users' memory, and when processes are frozen not for the driver's
 * own, most of which are contexts here.
 */
static void test_no_memory_own(void)
{
	uint32_t queues[OWN_MIB * MIB / CONTEXT_BYTES], num;
	unsigned int was, pinned;
	int log = lab_log_open();
	struct pending p;
	uint32_t vm;

	igt_require(!access("/proc/sys/vm/nr_hugepages", W_OK));
	pending_init(&p);
	was = xetile_set_parameter("user_contexts", UINT_MAX);
	pinned = xetile_set_parameter("user_pinned", UINT_MAX);
	vm = xetile_vm(card.fd);
	num = ARRAY_SIZE(queues) / card.device.num_tiles;
	for (unsigned int i = 0; i < num; i++)
		queues[i] = xetile_queue(card.fd, vm, COMPUTE, ROOT, 0, 0);
	/* Half of what the contexts want is there; a few MiB more or less do no harm. */
	set_huge_pages((available() - margin() - p.bo.size / MIB - OWN_MIB / 2) / 2);
	igt_assert_eq(machine_sleep(0), -ENOMEM);
	set_huge_pages(0);
	lab_log_close(log, "that are the driver's own");
	for (unsigned int i = 0; i < num; i++)
		xetile_queue_destroy(card.fd, queues[i]);
	xetile_vm_destroy(card.fd, vm);
	xetile_set_parameter("user_contexts", was);
	xetile_set_parameter("user_pinned", pinned);
	pending_end(&p);
}

/* --- cards that do not come back ------------------------------------------------- */

/* It does not wake up, or another one does: all is told, and nothing hangs. */
static void test_wakes_not(const char *fault, const char *says)
{
	int fd = xetile_reopen(card.fd), log = lab_log_open(), told = lab_log_open();
	int events = lab_events_open();
	char address[64];
	struct job j;

	xetile_bound_card(address, sizeof(address));
	job_init(&j, fd, JOB_COMPUTE_TILE, 0);
	igt_assert_eq(job_start_held(&j), 0);
	lab_inject("%s", fault);
	igt_assert_eq(machine_sleep(0), 0);
	igt_assert_lt(job_end(&j), 0);
	igt_assert_lt(job_start(&j), 0);
	lab_log_close(log, "the card does not wake up");
	lab_log_close(told, says);
	lab_heal();
	xetile_assert_soon(lab_event_says(events, "WEDGED=rebind,bus-reset"));
	close(events);
	/* asleep once more, there is nothing to save */
	igt_assert_eq(machine_sleep(0), 0);
	job_fini(&j);
	close(fd);
	close(card.fd);
	igt_assert_eq(xetile_write_driver("unbind", address), 0);
	igt_assert_eq(xetile_write_driver("bind", address), 0);
	xetile_open_card(&card);
	job_check_usable(card.fd);
}

/* A fence as a file, which outlives the card */
static int fence_file(int fd, uint32_t syncobj)
{
	int file;

	igt_assert_eq(drmSyncobjExportSyncFile(fd, syncobj, &file), 0);
	return file;
}

/* How it has ended; closes it. */
static int file_end(int file)
{
	struct sync_file_info info = { 0 };
	struct pollfd fence = { .fd = file, .events = POLLIN };

	igt_assert_eq(poll(&fence, 1, 60000), 1);
	igt_assert_eq(xetile_ioctl(file, SYNC_IOC_FILE_INFO, &info), 0);
	close(file);
	return info.status;
}

/*
 * If the removal was over before the slot woke up, that has its power on again, and what is
 * put into it is not looked at. Then it is powered off, which throws the card out once more.
 */
static void put_back(void)
{
	int slot = lab_log_open();
	bool stuck = false;
	char path[64];

	lab_plug(true);
	xetile_assert_soon(!xetile_open_path(path, sizeof(path)) ||
			   (stuck = lab_log_says(slot, "Already enabled")));
	close(slot);
	if (!stuck)
		return;
	snprintf(path, sizeof(path), "/sys/bus/pci/slots/%u/power", xetile_card_number() + 1);
	igt_assert_eq(write_file(path, "0"), 0);
	lab_plug(true);
	xetile_assert_soon(!xetile_open_path(path, sizeof(path)));
}

/*
 * The card is pulled out of its slot while the machine sleeps, and its removal, for which
 * that does not wait, does not wait for it either. The slot's button has it powered off five
 * seconds later, so that the machine is asleep by then.
 */
static void test_pulled(void)
{
	unsigned int seconds = asked_seconds(10);
	int slot = lab_log_open(), log = lab_log_open();
	char address[64], line[128];
	uint64_t pressed, took;
	struct drm_xetile_bo_create bo = { .size = SZ_64K, .placement = DRM_XETILE_PLACE_HBM };
	int fd, runs[JOB_KINDS], waits[JOB_KINDS], bound, stored, status;
	struct job j[JOB_KINDS];
	uint32_t foreign;
	struct binder binder;
	struct vgem vgem;

	vgem_init(&vgem);
	xetile_bound_card(address, sizeof(address));
	for (unsigned int i = 0; i < JOB_KINDS; i++)
		job_init(&j[i], card.fd, i, LONG_MS);
	fd = xetile_reopen(card.fd);
	foreign = xetile_syncobj(fd);
	vgem_fence(&vgem, fd, foreign);
	binder_init(&binder, fd, foreign);
	bound = fence_file(fd, binder.bound);
	stored = fence_file(fd, binder.stored);
	for (unsigned int i = 0; i < JOB_KINDS; i++) {
		igt_assert_eq(job_start_held(&j[i]), 0);
		runs[i] = fence_file(j[i].fd, j[i].syncobj);
		waits[i] = fence_file(j[i].fd, start_behind(&j[i], 0));
	}
	/* The core says then which device it calls, and of which driver. */
	igt_assert_eq(write_file("/sys/power/pm_print_times", "1"), 0);
	igt_fork(child, 1)
		lab_plug_press();
	xetile_assert_soon(lab_log_says(slot, "will power off in"));
	pressed = now_ns();
	close(slot);
	igt_assert_eq(machine_sleep(seconds), 0);
	took = now_ns() - pressed;
	igt_assert_eq(write_file("/sys/power/pm_print_times", "0"), 0);
	/* It was the driver's when it fell asleep. */
	snprintf(line, sizeof(line), "xetile %s: PM: calling pci_pm_suspend", address);
	lab_log_close(log, line);
	igt_waitchildren();
	/* The slot is empty: its driver is done with the card. */
	for (unsigned int i = 0; i < JOB_KINDS; i++) {
		igt_assert_eq(file_end(runs[i]), -ECANCELED);
		igt_assert_eq(file_end(waits[i]), -ECANCELED);
		igt_assert_eq(__xetile_exec(j[i].fd, j[i].queue, JOB_BATCH_ADDR, NULL, 0), -ENODEV);
		close(j[i].fd);
	}
	/* The fence it waits for expires at about the same time. */
	status = file_end(bound);
	igt_assert(status == 1 || status == -ENODEV);
	igt_assert_eq(file_end(stored), -ECANCELED);
	igt_assert_eq(__xetile_bo_create(fd, &bo), -ENODEV);
	close(fd);
	close(card.fd);
	vgem_fini(&vgem);

	put_back();
	xetile_open_card(&card);
	job_check_usable(card.fd);
	igt_assert_eq(machine_sleep(0), 0);
	job_check_usable(card.fd);
	igt_require_f(took > 6 * NS, "the machine was awake before the card was pulled\n");
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
	igt_describe("What is in HBM, on all tiles and beyond the CPU's window, is kept");
	igt_subtest("contents")
		test_contents();
	igt_describe("Jobs that run go on, those that wait and who waits for them as well");
	igt_subtest("jobs")
		test_jobs();
	igt_describe("Engine time does not count the sleep; what signals meanwhile is not lost");
	igt_subtest("time")
		test_time();
	igt_describe("Several sleeps under load");
	igt_subtest("load")
		test_load();
	igt_describe("The compute slices stay with the engines they had");
	igt_subtest("ccs-mode")
		test_ccs_mode();
	igt_describe("Fresh memory is zero, also what was cleared before the sleep");
	igt_subtest("clear")
		test_clear();
	igt_describe("Ten sleeps, and no memory is lost");
	igt_subtest("many")
		test_many();
	igt_describe("Many queues are kept off their engines, some at a time");
	igt_subtest("queues")
		test_queues();
	igt_fixture
		trace_end();
	igt_describe("The machine stays awake if there is no memory for what is in HBM");
	igt_subtest("no-memory")
		test_no_memory();
	igt_describe("The machine does not hibernate while the card is bound");
	igt_subtest("hibernation")
		test_hibernation();
	igt_describe("A card that does not answer afterwards, and one that is another one");
	igt_subtest("gone")
		test_wakes_not("register count=0 address=0x138124 value=0xffffffff",
			       "pcode reads all ones");
	igt_subtest("changed")
		test_wakes_not("register count=0 address=0x9144 value=0xff mask=0xffff",
			       "not the tile it was");
	igt_describe("Given up after a step: all goes on");
	igt_subtest("freezer")
		test_given_up("freezer");
	igt_subtest("devices")
		test_given_up("devices");
	igt_describe("Another one does not let the machine sleep, in words or as a device");
	igt_subtest("asked")
		test_asked();
	igt_subtest("refused")
		test_refused();
	igt_describe("The card does not: its copies fail, or what is its own finds no memory");
	igt_subtest("no-copy")
		test_no_copy();
	igt_subtest("no-memory-own")
		test_no_memory_own();
	igt_describe("Pulled out of its slot meanwhile");
	igt_subtest("pulled")
		test_pulled();
	igt_fixture
		close(card.fd);
}
