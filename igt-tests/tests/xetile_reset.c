// SPDX-License-Identifier: MIT
/*
 * The steps of a reset: engines, then their tile when that does not end. And the firmware of
 * another driver, which is stopped, or reset away with the function, when a card is bound.
 * Statements: S108.
 *
 * suite: faults
 */
#include <fcntl.h>
#include <unistd.h>

#include "xetile_job.h"
#include "xetile_lab.h"

IGT_TEST_DESCRIPTION("Resets of engines and tiles, and the firmware of another driver");

#define LIMIT_MS	500

/* Bit 0 of GDRST resets a tile, all others reset engines. */
#define ENGINES_DEAD	"reset-dead domain=0xfffffffe count=0"
/* A reset of the function does nothing. */
#define CARD_DEAD	"flr-dead"

static char address[64];

static void hang(struct job *j)
{
	lab_inject("hang engine=%s before=2", j->engine);
	igt_assert_lt(job_run(j), 0);
}

/* Engines do not end their reset: their tile is reset, and others do not notice. */
static void test_tile(void)
{
	int fd = xetile_open(), log = lab_log_open();
	struct job j, other;

	job_init(&j, fd, JOB_COPY_TILE, LIMIT_MS);
	job_init(&other, fd, JOB_COMPUTE_TILE, 0);
	lab_inject(ENGINES_DEAD);
	hang(&j);
	lab_log_close(log, "resetting their tiles");
	igt_assert(job_is_banned(&j));
	/* Another hang is stopped in the same way, on the engines of the tile as they are now. */
	job_renew_queue(&j);
	hang(&j);
	job_check_unharmed(&other);
	lab_heal();
	job_fini(&j);
	job_fini(&other);
	job_check_usable(fd);
	close(fd);
}

static void set_parameter(const char *value)
{
	int fd = open("/sys/module/xetile/parameters/reset_leftover", O_WRONLY | O_CLOEXEC);

	igt_assert_lte(0, fd);
	igt_assert_eq(write(fd, value, 1), 1);
	close(fd);
}

/*
 * Bind the card, see it work, and unbind it. The log must say @text; if that is NULL, the log must
 * not say a word of firmware.
 */
static void bind_says(const char *text)
{
	int log = lab_log_open(), fd;

	igt_assert_eq(xetile_write_driver("bind", address), 0);
	igt_assert_eq(lab_log_says(log, text ?: "(GuC)"), !!text);
	close(log);
	fd = xetile_open();
	job_check_usable(fd);
	close(fd);
	igt_assert_eq(xetile_write_driver("unbind", address), 0);
}

/*
 * Another driver has left the card with its firmware at work. The driver names it, stops it, and
 * works; with the parameter it resets the function, which takes the last trace away.
 */
static void test_leftover(void)
{
	lab_recover(address);
	igt_assert_eq(xetile_write_driver("unbind", address), 0);
	lab_inject("guc-ran");
	bind_says("another driver's firmware (GuC) runs");
	bind_says("another driver's firmware (GuC) has run");
	set_parameter("1");
	bind_says("the function is reset, because of the firmware");
	bind_says(NULL);
	/* A reset that does nothing does not keep the firmware from being stopped. */
	lab_inject("guc-ran tile=0");
	lab_inject(CARD_DEAD);
	bind_says("the function is reset, because of the firmware");
	lab_heal();
	set_parameter("0");
	igt_assert_eq(xetile_write_driver("bind", address), 0);
}

igt_main
{
	igt_fixture {
		int fd = lab_open();

		close(fd);
		xetile_bound_card(address, sizeof(address));
	}
	igt_describe("Engines that do not end their reset must be reset with their tile");
	igt_subtest("tile")
		test_tile();
	igt_describe("The firmware of another driver must be named, and be stopped or reset away");
	igt_subtest("leftover")
		test_leftover();
	igt_fixture {
		set_parameter("0");
		lab_recover(address);
	}
}
