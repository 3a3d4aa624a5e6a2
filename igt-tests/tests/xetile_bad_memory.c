// SPDX-License-Identifier: MIT
/*
 * Bad memory: under a job, under the kernel's own copies, and where memory cannot be cleared. The
 * owner of the memory is told, and no client reads the previous contents.
 *
 * suite: faults soak-faults
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "xetile_job.h"
#include "xetile_lab.h"

IGT_TEST_DESCRIPTION("Bad memory: lost contents are reported and never leaked");

#define LIMIT_MS	1000

/* Uncorrectable memory under the page that the job writes */
static void test_poison(int fd, enum job_kind kind)
{
	struct job j, neighbour;
	char *answer;
	int log;

	job_init(&j, fd, kind, LIMIT_MS);
	job_init(&neighbour, fd, kind, 0);
	igt_assert_eq(job_run(&j), 1);
	answer = lab_ask("translate %s %#llx", j.engine, (unsigned long long)JOB_DATA_ADDR);
	igt_assert(strstr(answer, "\"hbm\""));
	log = lab_log_open();
	lab_inject("poison address=%llu size=64", (unsigned long long)lab_number(answer, "address"));
	free(answer);
	igt_assert_eq(job_run(&j), -EIO);
	/* The host reads all ones. */
	igt_assert_eq_u32(*(volatile uint32_t *)j.data.map, ~0u);
	igt_assert_eq(job_run(&neighbour), 1);
	lab_log_close(log, "non-fatal hardware error");
	lab_inject("poison off");
	job_check_banned(&j);
	job_fini(&j);
	job_fini(&neighbour);
}

/* --- the kernel's own copies ---------------------------------------------- */

/* Reads a word as a debugger reads another process. Returns 0 or -errno. */
static int peek(const uint32_t *map, uint32_t *word)
{
	int mem = open("/proc/self/mem", O_RDONLY | O_CLOEXEC), err = 0;

	igt_assert_lte(0, mem);
	if (pread(mem, word, sizeof(*word), to_user(map)) != sizeof(*word))
		err = -errno;
	close(mem);
	return err;
}

/*
 * Memory goes bad under a buffer that is then evicted. Only the contents of this buffer are lost.
 * Neither its owner nor another client reads the previous contents of the pages.
 */
static void test_lost_evicted(int fd)
{
	struct job j, neighbour;
	char *answer;
	uint32_t word;
	int log;

	job_init(&j, fd, JOB_COPY_TILE, 0);
	job_init(&neighbour, fd, JOB_COPY_TILE, 0);
	igt_assert_eq(job_run(&j), 1);
	answer = lab_ask("translate %s %#llx", j.engine, (unsigned long long)JOB_DATA_ADDR);
	igt_assert(strstr(answer, "\"hbm\""));
	log = lab_log_open();
	lab_inject("poison address=%llu size=64", (unsigned long long)lab_number(answer, "address"));
	free(answer);
	xetile_evict_all(fd);
	lab_inject("poison off");
	lab_log_close(log, "batch failed");

	xetile_check_sigbus(j.data.map);
	igt_assert_eq(peek(j.batch.map, &word), 0);
	igt_assert_eq_u32(word, *j.batch.map);
	igt_assert_eq(peek(j.data.map, &word), -EIO);
	igt_assert_eq(job_start(&j), -ENODATA);

	job_check_unharmed(&neighbour);
	job_check_usable(fd);
	job_fini(&j);
	job_fini(&neighbour);
}

/*
 * Fresh memory cannot be cleared. Jobs that were submitted meanwhile do not run, and their queue
 * keeps working.
 */
static void test_lost_clear(int fd)
{
	struct drm_xetile_sync sync = { .flags = DRM_XETILE_SYNC_SIGNAL };
	struct xetile_buf fresh;
	struct xetile_batch b;
	struct job j;
	char engine[32];
	uint32_t word;

	job_init(&j, fd, JOB_COPY_TILE, 0);
	xetile_use_up_clear(fd);
	xetile_kernel_engine(fd, engine, sizeof(engine));
	j.data.map[1] = 0x600d;
	/* The clear takes a second, so that all calls below are made before it fails. */
	lab_inject("slow engine=%s us=1000000", engine);
	lab_inject("fault address=0 size=0x1000000000000 engine=%s access=write count=1", engine);
	fresh = (struct xetile_buf) { .fd = j.fd, .vm = j.vm, .addr = 2 * JOB_DATA_ADDR, .size = SZ_64K };
	fresh.handle = xetile_bo_color(j.fd, SZ_64K, DRM_XETILE_COLOR_TILE, 1, 0);
	fresh.map = xetile_bo_map(j.fd, fresh.handle, SZ_64K);
	xetile_vm_map(j.fd, j.vm, fresh.handle, 0, fresh.addr, SZ_64K);

	sync.handle = xetile_syncobj(j.fd);
	batch_begin(&b, &j.batch, 0);
	batch_mem_copy(&b, j.data.addr, fresh.addr, SZ_4K);
	batch_end(&b);
	igt_assert_eq(__xetile_exec(j.fd, j.queue, batch_addr(&b), &sync, 1), 0);
	igt_assert_eq(xetile_fence_status(j.fd, sync.handle), 0);
	/* Both readers wait for the clear, and see that it failed. */
	igt_assert_eq(peek(fresh.map, &word), -EIO);
	xetile_check_sigbus(fresh.map);
	igt_assert_eq(__xetile_wait(j.fd, sync.handle, 60000), 0);
	igt_assert_eq(xetile_fence_status(j.fd, sync.handle), -ENODATA);
	igt_assert_eq_u32(j.data.map[1], 0x600d);
	lab_heal();
	xetile_syncobj_destroy(j.fd, sync.handle);

	igt_assert_eq(job_start(&j), -ENODATA);
	/* The buffer stays lost when a successful copy moves it. */
	xetile_evict_all(fd);
	xetile_check_sigbus(fresh.map);
	xetile_buf_fini(&fresh);
	job_check_unharmed(&j);
	job_fini(&j);
}

igt_main
{
	int fd = -1;

	igt_fixture
		fd = lab_open();
	for (enum job_kind kind = 0; kind < JOB_KINDS; kind++) {
		const char *name = job_kind_name(kind);

		igt_describe("A job that writes uncorrectable memory must fail with EIO; its "
			     "neighbour must not");
		igt_subtest_f("poison-%s", name)
			test_poison(fd, kind);
	}
	igt_describe("A buffer on bad memory must be lost, and only it, when it is evicted");
	igt_subtest("lost-evicted")
		test_lost_evicted(fd);
	igt_describe("A buffer that cannot be cleared must be lost: SIGBUS, EIO, and ENODATA for "
		     "jobs");
	igt_subtest("lost-clear")
		test_lost_clear(fd);
	igt_fixture {
		lab_heal();
		close(fd);
	}
}
