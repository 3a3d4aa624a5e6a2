// SPDX-License-Identifier: MIT
/*
 * The card is lost: it falls off the bus, or does not come up when it is bound. Without the fault
 * it must work again.
 *
 * suite: faults soak-faults
 */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "xetile_job.h"
#include "xetile_lab.h"

IGT_TEST_DESCRIPTION("The card is lost");

#define LIMIT_MS	1000

/*
 * The card falls off the bus, at work or idle. All clients must be told, and a new binding must
 * work once the card is back.
 */
static void test_all_ones(bool idle)
{
	struct job j[JOB_KINDS];
	char address[64];
	int fd = xetile_open();

	for (unsigned int i = 0; i < JOB_KINDS; i++)
		job_init(&j[i], fd, i, 0);
	for (unsigned int i = 0; i < JOB_KINDS && !idle; i++)
		igt_assert_eq(job_start_held(&j[i]), 0);
	lab_inject("all-ones");
	for (unsigned int i = 0; i < JOB_KINDS && !idle; i++)
		igt_assert_eq(xetile_fence_status(j[i].fd, j[i].syncobj), 0);
	for (unsigned int i = 0; i < JOB_KINDS; i++) {
		int err = idle ? job_start(&j[i]) : 0;

		igt_assert(!err || err == -ENODEV);
		if (!err)
			igt_assert_eq(job_end(&j[i]), -ECANCELED);
	}
	for (unsigned int i = 0; i < JOB_KINDS; i++)
		igt_assert_eq(job_start(&j[i]), -ENODEV);
	xetile_bound_card(address, sizeof(address));
	igt_assert_eq(xetile_write_driver("unbind", address), 0);
	for (unsigned int i = 0; i < JOB_KINDS; i++) {
		munmap(j[i].batch.map, j[i].batch.size);
		munmap(j[i].data.map, j[i].data.size);
		close(j[i].fd);
	}
	close(fd);
	/* As long as the card does not answer, it cannot be bound. */
	igt_assert_eq(xetile_write_driver("bind", address), -ENODEV);
	lab_heal();
	igt_assert_eq(xetile_write_driver("bind", address), 0);
	fd = xetile_open();
	job_check_usable(fd);
	close(fd);
}

/*
 * An engine is stuck, and the card is unbound while nobody can reach it to reset it. The next
 * binding must reset the engine.
 */
static void test_left_stuck(void)
{
	char address[64];
	struct job j;
	uint64_t before = lab_injected();
	int fd = xetile_open(), log;

	/* A limit so long that the card goes before it is over */
	job_init(&j, fd, JOB_COPY_TILE, 10 * LIMIT_MS);
	lab_inject("hang engine=%s before=1", j.engine);
	igt_assert_eq(job_start(&j), 0);
	xetile_assert_soon(before < lab_injected());
	lab_inject("all-ones");
	igt_assert_eq(job_end(&j), -ECANCELED);
	xetile_bound_card(address, sizeof(address));
	igt_assert_eq(xetile_write_driver("unbind", address), 0);
	munmap(j.batch.map, j.batch.size);
	munmap(j.data.map, j.data.size);
	close(j.fd);
	close(fd);
	lab_heal();
	igt_assert_eq(lab_engines("active"), 1);

	log = lab_log_open();
	igt_assert_eq(xetile_write_driver("bind", address), 0);
	/* The driver's own first jobs leave their engine a moment after their fences. */
	xetile_assert_soon(!lab_engines("active"));
	fd = xetile_open();
	job_check_usable(fd);
	close(fd);
	lab_log_no_error(log);
}

/*
 * The card has a fault while it is bound. The log must say why that failed, and binding must work
 * without the fault.
 */
static void test_bind(const char *fault, int error, const char *why)
{
	char address[64];
	int fd, log;

	xetile_bound_card(address, sizeof(address));
	igt_assert_eq(xetile_write_driver("unbind", address), 0);
	log = lab_log_open();
	lab_inject("%s", fault);
	igt_assert_eq(xetile_write_driver("bind", address), error);
	lab_heal();
	igt_assert_eq(xetile_write_driver("bind", address), 0);
	lab_log_close(log, why);
	fd = xetile_open();
	job_check_usable(fd);
	close(fd);
}

igt_main
{
	static const struct {
		const char *name, *fault;
		int error;
		const char *why;
	} binds[] = {
		{ "forcewake-gt", "forcewake-dead well=gt", -ETIMEDOUT,
		  "power well GT does not wake" },
		{ "forcewake-render", "forcewake-dead well=render", -ETIMEDOUT,
		  "power well RENDER does not wake" },
		{ "all-ones", "all-ones", -ENODEV, "the card does not answer" },
	};

	igt_fixture {
		igt_assert(!geteuid());
		lab_require_card();
		lab_heal();
	}

	igt_describe("Clients of a card that falls off the bus must be told, and the card work "
		     "once it is back");
	igt_subtest("all-ones-busy")
		test_all_ones(false);
	igt_subtest("all-ones-idle")
		test_all_ones(true);
	igt_describe("An engine that was left stuck must be reset when the card is bound");
	igt_subtest("left-stuck")
		test_left_stuck();
	for (unsigned int i = 0; i < ARRAY_SIZE(binds); i++) {
		igt_describe("A card that does not come up must be refused with a reason, and be "
			     "bound once it does");
		igt_subtest_f("bind-%s", binds[i].name)
			test_bind(binds[i].fault, binds[i].error, binds[i].why);
	}
	igt_fixture
		lab_heal();
}
