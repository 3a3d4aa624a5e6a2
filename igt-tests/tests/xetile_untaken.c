// SPDX-License-Identifier: MIT
/*
 * Engines that do not take a context that is loaded, while others wait for the engine. Where the
 * card is software on a busy machine its engines may wait for a processor; otherwise it is the
 * engine's fault. Requirement: it is never that of the context's queue.
 *
 * suite: faults soak-faults
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "xetile_job.h"
#include "xetile_lab.h"

IGT_TEST_DESCRIPTION("Engines that take a context late, or never");

/* As the driver: the time to leave an engine, and until one is reset that has not taken a context */
#define LEAVE_MS	640u
#define TAKE_MS		10000u
/* Time of the batch of a client that is alone */
#define LIMIT_MS	2000u
/* ... of one that runs for a while, when fdinfo is read, its context is taken, and it ends */
#define LONG_LIMIT_MS	6000u
#define LONG_TOLD_MS	1000u
#define LONG_TAKEN_MS	4000u
#define LONG_END_MS	7000u
/* ... of a queue of all tiles, when an engine takes its context, and the batch ends */
#define ROOT_TAKEN_MS	2500u
#define ROOT_END_MS	3500u

/*
 * Starts a job whose context the engine, which runs nothing, takes @s seconds late, or at its next
 * reset; and another client's job behind it, if there is one. Waits for their ends, which must be
 * good. Returns the milliseconds that they took.
 */
static uint64_t run_late(struct job *j, struct job *other, unsigned int s)
{
	uint64_t before = lab_injected(), since;

	lab_inject("load-late engine=%s us=%u000000", j->engine, s);
	since = xetile_now_ms();
	igt_assert_eq(job_start(j), 0);
	xetile_assert_soon(lab_injected() != before);
	if (other)
		igt_assert_eq(job_start(other), 0);
	igt_assert_eq(job_end(j), 1);
	if (other)
		igt_assert_eq(job_end(other), 1);
	since = xetile_now_ms() - since;
	lab_heal();
	return since;
}

/*
 * A client that is alone uses up the time of its batch; one that keeps another from the only
 * engine, the time to leave. Both begin anew as long as nothing of the context runs.
 */
static void test_late(int fd, bool alone, bool ever)
{
	enum job_kind kind = alone ? JOB_COPY_TILE : JOB_COMPUTE_TILE;
	struct job j, other;
	uint64_t resets, ms;
	int log;

	job_init(&j, fd, kind, alone ? LIMIT_MS : 0);
	job_init(&other, fd, kind, 0);
	igt_assert(!strcmp(j.engine, other.engine));
	log = lab_log_open();
	resets = lab_counter(j.engine, "resets");
	ms = run_late(&j, alone ? NULL : &other, ever ? 3 : 60);
	igt_assert_lte_u64(ever ? 3 * LEAVE_MS : TAKE_MS, ms);
	igt_assert_lte_u64(ms, 45000);
	igt_assert_eq(lab_counter(j.engine, "resets") - resets, !ever);
	lab_log_close(log, ever ? NULL : "does not take a context");
	job_check_unharmed(&j);
	job_check_unharmed(&other);
	job_fini(&other);
	job_fini(&j);
}

/* Returns the ticks for which fdinfo says that the job's file had the copy engines of its tile. */
static uint64_t told(const struct job *j)
{
	char key[48];

	snprintf(key, sizeof(key), "xetile-cycles-%.5s-copy", j->engine);
	return xetile_fdinfo_bytes(j->fd, key);
}

/*
 * A context is taken late, but before its batch's time would be over. Its batch takes less than its
 * time, and more than what would be left of that. Before the context is taken, no engine time counts.
 */
static void test_late_long(int fd)
{
	uint64_t before, since, used;
	struct job j;

	job_init(&j, fd, JOB_COPY_TILE, LONG_LIMIT_MS);
	before = lab_injected();
	used = told(&j);
	lab_inject("load-late engine=%s us=%u000", j.engine, LONG_TAKEN_MS);
	since = xetile_now_ms();
	igt_assert_eq(job_start_held(&j), 0);
	xetile_assert_soon(lab_injected() != before);
	usleep(LONG_TOLD_MS * 1000);
	used = told(&j) - used;
	if (xetile_now_ms() - since < LONG_TAKEN_MS)
		igt_assert_eq_u64(used, 0);
	else
		igt_info("the machine is too slow to ask before the context is taken\n");
	usleep((LONG_END_MS - LONG_TOLD_MS) * 1000);
	j.data.map[64] = 1;
	igt_assert_eq(job_end(&j), 1);
	lab_heal();
	job_check_unharmed(&j);
	job_fini(&j);
}

/* Returns the resets of a queue's engines but its last one. */
static uint64_t resets_of_others(const struct job *j)
{
	struct drm_xetile_queue_info info;
	uint64_t resets = 0;
	char engine[32];

	xetile_queue_info(j->fd, j->queue, &info);
	for (uint32_t m = 0; m + 1 < info.num_members; m++) {
		snprintf(engine, sizeof(engine), "tile%u.ccs%u", info.members[m].tile,
			 info.members[m].instance);
		resets += lab_counter(engine, "resets");
	}
	return resets;
}

/*
 * One engine of a queue of all tiles has its context, in which a batch waits for the test; another
 * one takes its context late, or at its next reset. What is on the first is saved meanwhile.
 */
static void test_late_root(int fd, bool ever)
{
	uint64_t before, resets, others;
	struct job j;
	int log;

	job_init(&j, fd, JOB_COMPUTE_ROOT, LIMIT_MS);
	others = resets_of_others(&j);
	log = lab_log_open();
	before = lab_injected();
	resets = lab_counter(j.engine, "resets");
	lab_inject("load-late engine=%s us=%u000", j.engine, ever ? ROOT_TAKEN_MS : 6 * TAKE_MS);
	igt_assert_eq(job_start_held(&j), 0);
	xetile_assert_soon(lab_injected() != before);
	if (ever)
		usleep(ROOT_END_MS * 1000);
	else
		xetile_assert_soon(lab_counter(j.engine, "resets") != resets);
	j.data.map[64] = 1;
	igt_assert_eq(job_end(&j), 1);
	lab_heal();
	igt_assert_eq(lab_counter(j.engine, "resets") - resets, !ever);
	igt_assert_eq_u64(resets_of_others(&j), others);
	lab_log_close(log, ever ? NULL : "does not take a context");
	job_check_unharmed(&j);
	job_fini(&j);
}

igt_main
{
	int fd = -1;

	igt_fixture
		fd = lab_open();
	igt_describe("A job whose context is taken late must end well, without a reset");
	igt_subtest("late-alone")
		test_late(fd, true, true);
	igt_subtest("late-beside")
		test_late(fd, false, true);
	igt_describe("A job whose context is taken late must have its time, and use it, from then on");
	igt_subtest("late-long")
		test_late_long(fd);
	igt_describe("A job that one engine takes late must have its time from then on");
	igt_subtest("late-root")
		test_late_root(fd, true);
	igt_describe("A job that one engine does not take must end well, and no other engine be reset");
	igt_subtest("never-root")
		test_late_root(fd, false);
	igt_describe("A job whose context is not taken must end well after a reset that blames nobody");
	igt_subtest("never-alone")
		test_late(fd, true, false);
	igt_subtest("never-beside")
		test_late(fd, false, false);
	igt_fixture {
		lab_heal();
		close(fd);
	}
}
