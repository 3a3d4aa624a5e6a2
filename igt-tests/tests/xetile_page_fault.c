// SPDX-License-Identifier: MIT
/*
 * Page faults that the virtual card is asked for, on what a job accesses and on its context:
 * the job's fence and its queue say so, and so does the log, also when the engine's word is
 * lost or comes late; all others go on.
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

/* Not a command */
#define MI_UNKNOWN	(0x3fu << 23)

static void test_page_fault(int fd, enum job_kind kind, const char *why)
{
	struct job j, neighbour;
	int log;

	job_init(&j, fd, kind, LIMIT_MS);
	job_init(&neighbour, fd, kind, 0);
	log = lab_log_open();
	/* Whoever comes first: both have that address. */
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
 * The engine's word that it stopped is lost: it is asked before its batch is said to be too
 * slow, so that its owner is told the right reason.
 */
static void test_silent_fault(int fd, enum job_kind kind)
{
	struct drm_xetile_queue_info info;
	struct job j, neighbour;
	int log;

	job_init(&j, fd, kind, LIMIT_MS);
	job_init(&neighbour, fd, kind, 0);
	log = lab_log_open();
	/* bit 3 of the vector: the command streamer's error */
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

/* Much longer than the second in which the driver asks an engine of its own accord */
#define LATE_MS	4000

/*
 * The word comes, but later than the reset, which the driver makes because it has asked: it is
 * not believed of the batch that the engine has by then.
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
	/* The fault was before the end of its job. */
	usleep((LATE_MS + LATE_MS / 4) * 1000);
	*(volatile uint32_t *)&next.data.map[64] = 1;
	igt_assert_eq(job_end(&next), 1);
	job_check_unharmed(&next);
	job_check_banned(&j);
	lab_heal();
	job_fini(&j);
	job_fini(&next);
	igt_require_f(started < LATE_MS, "the host is too slow to tell\n");
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
 * A tile has one place for a fault. That of an engine whose word is lost is found when another
 * one is reset, for a command there is not: it is told of the one that had it.
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
			igt_describe("A page fault on an access");
			igt_subtest_f("%s-%s", pages[k], name)
				test_page_fault(fd, kind, pages[k]);
		}
		igt_describe("A page fault whose interrupt is lost");
		igt_subtest_f("irq-lost-%s", name)
			test_silent_fault(fd, kind);
		igt_describe("A fault on the context image");
		igt_subtest_f("context-%s", name)
			test_context_fault(fd, kind);
	}
	igt_describe("The word of an error that comes when the engine was reset already");
	igt_subtest("irq-late")
		test_late_fault(fd);
	igt_describe("A fault whose word is lost is not another engine's");
	igt_subtest("of-another")
		test_fault_of_another(fd);
	igt_fixture {
		lab_heal();
		close(fd);
	}
}
