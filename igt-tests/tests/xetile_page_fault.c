// SPDX-License-Identifier: MIT
/*
 * Page faults that the virtual card injects, on an access of a job and on its context. The job's
 * fence, its queue and the log must report the fault, also when the engine's interrupt is lost or
 * late, and all other jobs must go on.
 * Statements: W12.
 *
 * suite: faults soak-faults
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "xetile_job.h"
#include "xetile_lab.h"

IGT_TEST_DESCRIPTION("Injected page faults");

#define LIMIT_MS	1000

/* An unknown command */
#define MI_UNKNOWN	(0x3fu << 23)

static void test_page_fault(int fd, enum job_kind kind, const char *why)
{
	struct job j, neighbour;
	int log;

	job_init(&j, fd, kind, LIMIT_MS);
	job_init(&neighbour, fd, kind, 0);
	log = lab_log_open();
	/* The first job to store gets the fault, because both jobs use this address. */
	lab_inject("fault address=%#llx size=4096 engine=%s access=write kind=%s count=1",
		   (unsigned long long)JOB_DATA_ADDR, j.engine, why);
	igt_assert_eq(job_run(&j), -EIO);
	igt_assert_eq(job_run(&neighbour), 1);
	lab_log_close_fault(log, JOB_DATA_ADDR);
	job_check_banned(&j);
	job_fini(&j);
	job_fini(&neighbour);
}

/*
 * The interrupt that reports the fault is lost. The driver must ask the engine before it calls the
 * batch too slow, so that the client is told the right reason.
 */
static void test_silent_fault(int fd, enum job_kind kind)
{
	struct drm_xetile_queue_info info;
	struct job j, neighbour;
	int log;

	job_init(&j, fd, kind, LIMIT_MS);
	job_init(&neighbour, fd, kind, 0);
	log = lab_log_open();
	/* bit 3 of the vector: an error of the command streamer */
	lab_inject("irq-lost engine=%s vector=0x8", j.engine);
	lab_inject("fault address=%#llx size=4096 engine=%s access=write kind=not-present count=1",
		   (unsigned long long)JOB_DATA_ADDR, j.engine);
	igt_assert_eq(job_run(&j), -EIO);
	igt_assert_eq(job_run(&neighbour), 1);
	lab_heal();
	lab_log_close_fault(log, JOB_DATA_ADDR);
	xetile_queue_info(j.fd, j.queue, &info);
	igt_assert_eq_u32(info.ban.reason, DRM_XETILE_BAN_FAULT);
	igt_assert_eq_u64(info.ban.fault_addr, JOB_DATA_ADDR);
	job_fini(&j);
	job_fini(&neighbour);
}

/* Much longer than the second after which the driver asks a silent engine */
#define LATE_MS	4000

/*
 * The interrupt comes after the reset that the driver made because it had asked the engine itself.
 * The interrupt must not be charged to the batch that runs on the engine by then.
 */
static void test_late_fault(int fd)
{
	struct job j, next;
	uint64_t begin, started;

	job_init(&j, fd, JOB_COMPUTE_TILE, 0);
	job_init(&next, fd, JOB_COMPUTE_TILE, 3600000);
	igt_assert(!strcmp(j.engine, next.engine));
	lab_inject("irq-late engine=%s vector=0x8 us=%u", j.engine, LATE_MS * 1000);
	lab_inject("fault address=%#llx size=4096 engine=%s access=write kind=not-present count=1",
		   (unsigned long long)JOB_DATA_ADDR, j.engine);
	begin = xetile_now_ms();
	igt_assert_eq(job_start(&j), 0);
	igt_assert_eq(job_end(&j), -EIO);
	igt_assert_eq(job_start_held(&next), 0);
	xetile_assert_soon(lab_engines("active") == 1);
	started = xetile_now_ms() - begin;
	/* By then the late interrupt has come, because the fault preceded the end of its job. */
	usleep((LATE_MS + LATE_MS / 4) * 1000);
	*(volatile uint32_t *)&next.data.map[64] = 1;
	igt_assert_eq(job_end(&next), 1);
	job_check_unharmed(&next);
	job_check_banned(&j);
	lab_heal();
	job_fini(&j);
	job_fini(&next);
	igt_require_f(started < LATE_MS, "the host is too slow for this test\n");
}

/* The engine cannot read its context. */
static void test_context_fault(int fd, enum job_kind kind)
{
	char key[32];
	struct job j;
	int log;

	job_init(&j, fd, kind, LIMIT_MS);
	log = lab_log_open();
	lab_inject("fault space=ggtt address=%#llx size=8192 engine=%s count=1",
		   (unsigned long long)lab_counter(j.engine, "last_lrca"), j.engine);
	igt_assert_eq(job_run(&j), -EIO);
	snprintf(key, sizeof(key), "process %d", getpid());
	lab_log_close(log, key);
	job_check_banned(&j);
	job_fini(&j);
}

/*
 * A tile can hold one reported fault. The interrupt of an engine's fault is lost, and the driver
 * finds the fault when another engine is reset for an unknown command. The fault must be charged to
 * the engine that had it.
 */
static void test_fault_of_another(int fd)
{
	struct drm_xetile_sync sync = { .flags = DRM_XETILE_SYNC_SIGNAL };
	struct drm_xetile_queue_info info;
	uint64_t before = lab_injected();
	struct job faults, wrong;
	struct xetile_batch b;
	int log;

	job_init(&faults, fd, JOB_COPY_TILE, 0);
	job_init(&wrong, fd, JOB_COMPUTE_TILE, 0);
	igt_assert_eq(faults.engine[4], wrong.engine[4]);
	log = lab_log_open();
	lab_inject("irq-lost engine=%s vector=0x8", faults.engine);
	lab_inject("fault address=%#llx size=4096 engine=%s access=write kind=not-present count=1",
		   (unsigned long long)JOB_DATA_ADDR, faults.engine);
	igt_assert_eq(job_start(&faults), 0);
	xetile_assert_soon(lab_injected() == before + 2);
	sync.handle = wrong.syncobj = xetile_syncobj(wrong.fd);
	batch_begin(&b, &wrong.batch, 0);
	batch_emit(&b, MI_UNKNOWN);
	batch_end(&b);
	igt_assert_eq(__xetile_exec(wrong.fd, wrong.queue, batch_addr(&b), &sync, 1), 0);
	igt_assert_eq(job_end(&wrong), -EIO);
	igt_assert_eq(job_end(&faults), -EIO);
	lab_heal();
	lab_log_close_fault(log, JOB_DATA_ADDR);
	xetile_queue_info(wrong.fd, wrong.queue, &info);
	igt_assert_eq_u32(info.ban.reason, DRM_XETILE_BAN_ERROR);
	igt_assert_eq_u64(info.ban.fault_addr, 0);
	xetile_queue_info(faults.fd, faults.queue, &info);
	igt_assert_eq_u32(info.ban.reason, DRM_XETILE_BAN_FAULT);
	igt_assert_eq_u64(info.ban.fault_addr, JOB_DATA_ADDR);
	job_fini(&faults);
	job_fini(&wrong);
}

static void check_fault_ban(const struct job *j, uint64_t addr, uint32_t access)
{
	struct drm_xetile_queue_ban ban = {
		.reason = DRM_XETILE_BAN_FAULT, .fault_addr = addr, .fault_access = access,
	};

	job_check_ban(j, &ban);
}

/* Returns the status of a batch of @j that writes to @addr, where nothing is mapped. */
static int run_stray(struct job *j, uint64_t addr)
{
	struct drm_xetile_sync sync = { .flags = DRM_XETILE_SYNC_SIGNAL };
	struct xetile_batch b;

	sync.handle = j->syncobj = xetile_syncobj(j->fd);
	batch_begin(&b, &j->batch, 0);
	batch_store(&b, addr, 1, false);
	batch_end(&b);
	igt_assert_eq(__xetile_exec(j->fd, j->queue, batch_addr(&b), &sync, 1), 0);
	return job_end(j);
}

/*
 * Two engines of a tile have a fault, before the driver has seen the first: the tile keeps that
 * one only. Each client must be told that its batch had a fault, and neither the other's address.
 * A later fault must be told with its address again, also while the driver has not yet seen the
 * first, whose interrupt is lost.
 */
static void test_together(int fd)
{
	const uint64_t stray = JOB_DATA_ADDR + (1ull << 40);
	uint64_t before = lab_injected();
	struct job first, second, later;
	int log;

	job_init(&first, fd, JOB_COPY_TILE, 0);
	job_init(&second, fd, JOB_COMPUTE_TILE, 0);
	job_init(&later, fd, JOB_COMPUTE_TILE, 0);
	igt_assert_eq(first.engine[4], second.engine[4]);
	log = lab_log_open();
	lab_inject("irq-lost engine=%s vector=0x8", first.engine);
	lab_inject("fault address=%#llx size=4096 engine=%s access=write kind=not-present count=1",
		   (unsigned long long)JOB_DATA_ADDR, first.engine);
	igt_assert_eq(job_start(&first), 0);
	xetile_assert_soon(lab_injected() == before + 2);
	igt_assert_eq(run_stray(&second, stray), -EIO);
	igt_assert_eq(run_stray(&later, stray), -EIO);
	igt_assert_eq(job_end(&first), -EIO);
	lab_heal();
	lab_log_close(log, "page fault, the tile does not tell its address");
	check_fault_ban(&first, 0, DRM_XETILE_ACCESS_UNKNOWN);
	check_fault_ban(&second, 0, DRM_XETILE_ACCESS_UNKNOWN);
	check_fault_ban(&later, stray, DRM_XETILE_ACCESS_WRITE);
	job_fini(&first);
	job_fini(&second);
	job_fini(&later);
}

igt_main
{
	static const char * const pages[] = {
		"not-present", "read-only", "misaligned", "out-of-range",
	};
	int fd = -1;

	igt_fixture
		fd = lab_open();
	for (enum job_kind kind = 0; kind < JOB_KINDS; kind++) {
		const char *name = job_kind_name(kind);

		for (unsigned int k = 0; k < ARRAY_SIZE(pages); k++) {
			igt_describe("A page fault on an access must end its job with EIO and a "
				     "ban, and no other job");
			igt_subtest_f("%s-%s", pages[k], name)
				test_page_fault(fd, kind, pages[k]);
		}
		igt_describe("A page fault must be reported with its address also when the "
			     "interrupt is lost");
		igt_subtest_f("irq-lost-%s", name)
			test_silent_fault(fd, kind);
		igt_describe("A fault on the context image must end its job with EIO and a ban");
		igt_subtest_f("context-%s", name)
			test_context_fault(fd, kind);
	}
	igt_describe("A late interrupt of an error must not be charged to the next job");
	igt_subtest("irq-late")
		test_late_fault(fd);
	igt_describe("A fault whose interrupt is lost must not be charged to another engine");
	igt_subtest("of-another")
		test_fault_of_another(fd);
	igt_describe("Faults of two engines of a tile must be charged to both, without an address");
	igt_subtest("together")
		test_together(fd);
	igt_fixture {
		lab_heal();
		close(fd);
	}
}
