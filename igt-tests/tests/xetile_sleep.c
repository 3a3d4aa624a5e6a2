// SPDX-License-Identifier: MIT
/*
 * The machine sleeps, and the card forgets all that it has: what is in its memory, the jobs
 * that run and wait, and its settings are there afterwards.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "xetile_job.h"
#include "xetile_lab.h"
#include "xetile_vgem.h"

IGT_TEST_DESCRIPTION("The sleep of the machine");

#define MIB		(1ull << 20)
#define BIG_ADDR	0x8000000000ull

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

/*
 * All that a sleep does but the last step, at which the processors would stop, for so long:
 * devices have lost their power, or may have.  0 or -errno.
 */
static int machine_sleep(unsigned int seconds)
{
	char text[16];
	int err;

	snprintf(text, sizeof(text), "%u", seconds);
	igt_assert_eq(write_file("/sys/module/suspend/parameters/pm_test_delay", text), 0);
	igt_assert_eq(write_file("/sys/power/pm_test", "platform"), 0);
	err = write_file("/sys/power/state", "freeze");
	igt_assert_eq(write_file("/sys/power/pm_test", "none"), 0);
	return err;
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

/* A batch behind the one that runs; or, of @after, one that waits for its fence */
static uint32_t start_behind(struct job *j, uint32_t after)
{
	struct drm_xetile_sync syncs[2] = {
		{ .handle = xetile_syncobj(j->fd), .flags = DRM_XETILE_SYNC_SIGNAL },
		{ .handle = after },
	};
	struct xetile_batch b;

	batch_begin(&b, &j->batch, 8192);
	batch_store(&b, j->data.addr + 128, 77, false);
	batch_end(&b);
	igt_assert_eq(__xetile_exec(j->fd, j->queue, batch_addr(&b), syncs, after ? 2 : 1), 0);
	return syncs[0].handle;
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

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ull + now.tv_nsec;
}

/*
 * What a limit counts goes by while the batch runs, and not while the machine sleeps. A
 * fence of another driver signals meanwhile: who waits for it goes on afterwards. The
 * sleep's seconds are those of the processor's clock, which may be some of another.
 */
static void test_time(void)
{
	uint64_t wall, used;
	uint32_t foreign, last;
	struct job j, later;
	struct vgem vgem;

	vgem_init(&vgem);
	job_init(&j, card.fd, JOB_COMPUTE_TILE, 60000);
	job_init_at(&later, card.fd, JOB_COPY_TILE, 0);
	igt_assert_eq(job_start_held(&j), 0);
	xetile_assert_soon(engine_ns(j.fd));
	foreign = xetile_syncobj(card.fd);
	vgem_fence(&vgem, card.fd, foreign);
	last = start_behind(&later, foreign);
	/* The fence expires after ten seconds. */
	sleep(5);
	wall = now_ns();
	used = engine_ns(j.fd);
	igt_assert_eq(machine_sleep(9), 0);
	used = engine_ns(j.fd) - used;
	wall = now_ns() - wall;
	igt_assert_lte_u64(2 * used, wall);
	igt_assert_eq(__xetile_wait(card.fd, last, 60000), 0);
	igt_assert_eq(xetile_fence_status(card.fd, last), 1);
	igt_assert_eq_u32(*(volatile uint32_t *)&later.data.map[32], 77);
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
	while (num--) {
		uint32_t bo = xetile_bo_color(fd, SZ_64K, DRM_XETILE_COLOR_TILE, 1, 0);
		uint32_t *map = xetile_bo_map(fd, bo, SZ_64K);

		for (unsigned int at = 0; at < SZ_64K / 4; at += SZ_4K / 4)
			igt_assert_eq_u32(map[at], 0);
		munmap(map, SZ_64K);
	}
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
	job_init_at(&j, card.fd, JOB_COMPUTE_TILE, 60000);
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
	job_init(&j, card.fd, JOB_COMPUTE_TILE, 60000);
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
	igt_fixture
		close(card.fd);
}
