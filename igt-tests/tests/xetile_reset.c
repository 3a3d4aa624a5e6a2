// SPDX-License-Identifier: MIT
/*
 * The steps of a reset: engines, then their tile, then the card, each when the one before does not
 * end. After each of them the card must work, and only if the last one fails is it wedged, which
 * an event tells. And the firmware of another driver, which is stopped, or reset away with the
 * function, when a card is bound.
 * Statements: S108.
 *
 * suite: faults
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "xetile_job.h"
#include "xetile_lab.h"
#include "xetile_machine.h"
#include "xetile_module.h"

IGT_TEST_DESCRIPTION("Resets of engines, tiles and the card, and the firmware of another driver");

#define LIMIT_MS	500
#define SECRET		0x5ec2e75eu
#define BUFFERS		32
#define MOST_RESETS	32

/* Bit 0 of GDRST resets a tile, all others reset engines. */
#define ENGINES_DEAD	"reset-dead domain=0xfffffffe count=0"
/* No reset of an engine or of a tile ends, until the function is reset. */
#define TILES_DEAD	"reset-hang"
/* Firmware is not ready, also after a reset. */
#define FIRMWARE_BUSY	"pcode-busy count=0"
#define FREEZE_TIMEOUT	"/sys/power/pm_freeze_timeout"
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

/* --- the card -------------------------------------------------------------------------- */

/* Binds the card anew, because the subtest before may have left it wedged, or without a card. */
static void renew_card(void)
{
	lab_heal();
	xetile_write_driver("unbind", address);
	lab_recover(address);
}

/* Has the tile of @j fail to reset. */
static void hang_tiles(struct job *j)
{
	lab_inject(TILES_DEAD);
	igt_assert_eq(job_start_endless(j), 0);
}

/* Opens the card that comes after a reset. The node of before may be there a moment longer. */
static int open_new_card(void)
{
	struct drm_xetile_bo_create bo = {
		.size = SZ_64K, .placement = DRM_XETILE_PLACE_HBM,
	};
	char path[64];
	int fd = -1;

	for (int i = 0; i < 600; i++) {
		fd = xetile_open_path(path, sizeof(path)) ? -1 : open(path, O_RDWR | O_CLOEXEC);
		if (fd >= 0 && !__xetile_bo_create(fd, &bo))
			return fd;
		if (fd >= 0)
			close(fd);
		usleep(100000);
	}
	igt_assert_f(false, "no card after its reset\n");
	return -1;
}

static void check_new_card(void)
{
	int fd = open_new_card();

	job_check_usable(fd);
	close(fd);
}

/* Frees what a job has, without the calls to a card that is gone. */
static void job_forget(struct job *j)
{
	munmap(j->batch.map, j->batch.size);
	munmap(j->data.map, j->data.size);
	if (j->own_fd)
		close(j->fd);
}

/* No buffer of the card may show what was in HBM before its reset. */
static void check_clean(int fd)
{
	for (unsigned int i = 0; i < BUFFERS; i++) {
		struct drm_xetile_bo_create bo = {
			.size = SZ_2M, .placement = DRM_XETILE_PLACE_HBM,
		};
		uint32_t *map;

		igt_assert_eq(__xetile_bo_create(fd, &bo), 0);
		map = xetile_bo_map(fd, bo.handle, SZ_2M);
		for (unsigned int n = 0; n < SZ_2M / 4; n += 1024)
			igt_assert_eq_u32(map[n], 0);
		munmap(map, SZ_2M);
	}
}

/*
 * The tiles do not end their reset: the card is reset under the work of all its clients. Their jobs
 * end with an error, their calls return, their files answer that the card is gone. The card that
 * comes back works, and shows nobody what was in its memory. No event says that it is wedged.
 */
static void test_card(void)
{
	struct drm_xetile_bo_create bo = {
		.size = SZ_64K, .placement = DRM_XETILE_PLACE_HBM,
	};
	int fd = xetile_open(), log = lab_log_open(), events = lab_events_open(), status, err;
	struct crowd crowd;
	struct job j;

	job_init(&j, fd, JOB_COPY_TILE, LIMIT_MS);
	for (unsigned int n = 0; n < j.data.size / 4; n += 1024)
		j.data.map[n] = SECRET;
	crowd_init(&crowd, fd, JOB_COMPUTE_TILE);
	hang_tiles(&j);
	err = crowd_end(&crowd, &status);
	igt_assert_f(err == EIO || err == ENODEV, "errno %d\n", err);
	igt_assert_lt(status, 0);
	lab_log_close(log, "the card was reset, its memory is lost");
	/* The file of before never works again. */
	xetile_assert_soon(__xetile_bo_create(fd, &bo) == -ENODEV);
	job_forget(&j);
	close(fd);

	fd = open_new_card();
	igt_assert(!lab_event_says(events, "WEDGED=rebind,bus-reset"));
	close(events);
	check_clean(fd);
	job_check_usable(fd);
	/* Nothing of before runs on. */
	xetile_assert_soon(!lab_engines("active"));
	close(fd);
}

/* The card is not reset, as the log says: it is wedged, and an event tells, until it is bound. */
static void check_wedged(const char *why)
{
	int fd = xetile_open(), log = lab_log_open(), events = lab_events_open();
	struct job j;

	job_init(&j, fd, JOB_COMPUTE_TILE, LIMIT_MS);
	hang_tiles(&j);
	igt_assert_lt(job_end(&j), 0);
	lab_log_close(log, why);
	xetile_assert_soon(lab_event_says(events, "WEDGED=rebind,bus-reset"));
	close(events);
	igt_assert_eq(job_start(&j), -EIO);
	job_fini(&j);
	close(fd);
	renew_card();
	check_new_card();
}

/* Not even the card can be reset. */
static void test_wedged(void)
{
	lab_inject(CARD_DEAD);
	check_wedged("the card cannot be reset");
}

/* The reset of the function helps, but the card does not come up behind it. */
static void test_no_card(void)
{
	int fd = xetile_open(), log = lab_log_open(), events = lab_events_open();
	struct job j;

	job_init(&j, fd, JOB_COMPUTE_TILE, LIMIT_MS);
	/* The card looks like a virtual function, which the bring-up alone looks at. */
	lab_inject("register address=0x1901f8 value=1 count=0");
	hang_tiles(&j);
	lab_log_close(log, "no card after its reset");
	xetile_assert_soon(lab_event_says(events, "WEDGED=rebind,bus-reset"));
	close(events);
	job_forget(&j);
	close(fd);
	/* The function is bound, without a card. */
	igt_assert_eq(machine_sleep(0), 0);
	renew_card();
	check_new_card();
}

/* A client that has the card reset again and again is stopped by a limit. */
static void test_storm(void)
{
	xetile_set_parameter("card_resets", 0);
	check_wedged("the limit of 0 resets");
	xetile_set_parameter("card_resets", 2);
	test_card();
	test_card();
	check_wedged("the limit of 2 resets");
	xetile_set_parameter("card_resets", MOST_RESETS);
}

/* --- the card, and others who want it meanwhile ---------------------------------------- */

/* Begins the reset of a card whose firmware is not ready afterwards, until lab_heal(). */
static void begin_reset(void)
{
	int fd = xetile_open(), log = lab_log_open();
	struct job j;

	job_init(&j, fd, JOB_COMPUTE_TILE, LIMIT_MS);
	lab_inject(FIRMWARE_BUSY);
	hang_tiles(&j);
	igt_assert_lt(job_end(&j), 0);
	/* The wait behind the reset of the function */
	lab_log_close(log, "s: pcode's mailbox stays busy");
	job_forget(&j);
	close(fd);
}

/* Has a process of its own do @what, which must wait for the end of the reset, and end well. */
static void during_reset(void (*what)(void))
{
	int status;
	pid_t child;

	begin_reset();
	child = fork();
	igt_assert_lte(0, child);
	if (!child) {
		what();
		_exit(0);
	}
	/* It waits for the device's lock. */
	xetile_assert_soon(xetile_sleeps_in(child, "device_release_driver_internal") ||
			   xetile_sleeps_in(child, "driver_detach"));
	lab_heal();
	igt_assert_eq(waitpid(child, &status, 0), child);
	igt_assert_eq(status, 0);
}

static void unbind_card(void)
{
	igt_assert_eq(xetile_write_driver("unbind", address), 0);
}

static void test_unbind(void)
{
	during_reset(unbind_card);
	lab_recover(address);
	check_new_card();
}

static void test_unload(void)
{
	during_reset(xetile_module_unload);
	igt_assert_eq(xetile_module_load(""), 0);
	check_new_card();
	xetile_set_parameter("card_resets", MOST_RESETS);
}

/* The machine does not sleep before the reset has ended. */
static void test_sleep_during(void)
{
	begin_reset();
	igt_assert_eq(xetile_write_file(FREEZE_TIMEOUT, "1000"), 0);
	igt_assert_eq(machine_sleep(0), -EBUSY);
	lab_heal();
	check_new_card();
	igt_assert_eq(xetile_write_file(FREEZE_TIMEOUT, "20000"), 0);
	igt_assert_eq(machine_sleep(0), 0);
	check_new_card();
}

/* The tiles do not end their reset before the sleep: the card is reset when that is over. */
static void test_sleep(void)
{
	int log = lab_log_open();

	lab_inject(TILES_DEAD);
	igt_assert_eq(machine_sleep(0), 0);
	lab_log_close(log, "the card was reset, its memory is lost");
	check_new_card();
	igt_assert_eq(machine_sleep(0), 0);
	check_new_card();
}

/* --- firmware of another driver -------------------------------------------------------- */

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

/* With @fault and a limit of @resets of the card it is not bound, as the log says. */
static void bind_refused(const char *fault, unsigned int resets, const char *why)
{
	int log = lab_log_open();

	xetile_set_parameter("card_resets", resets);
	lab_inject("%s", fault);
	igt_assert_lt(xetile_write_driver("bind", address), 0);
	lab_log_close(log, why);
	lab_heal();
	xetile_set_parameter("card_resets", MOST_RESETS);
}

/*
 * A predecessor has left engines that do not end their reset. The card is bound all the same: the
 * tile is reset, three times if need be. (One of these may be a request that the card ignores.) If
 * the tile does not end its reset either the function is reset, unless the administrator forbids
 * that. A tile that does not end its reset after that is refused.
 */
static void test_bind(void)
{
	static const char * const faults[] = {
		ENGINES_DEAD, "reset-dead count=2",
	};

	lab_recover(address);
	igt_assert_eq(xetile_write_driver("unbind", address), 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(faults); i++) {
		lab_inject("%s", faults[i]);
		bind_says("engines do not end their reset: resetting the tile");
		lab_heal();
	}
	lab_inject(TILES_DEAD);
	bind_says("the function is reset, because a tile does not end its reset");
	lab_heal();
	bind_refused(TILES_DEAD, 0, "the limit of 0 resets");
	bind_refused("reset-dead count=0", 1, "cannot be reset");
	igt_assert_eq(xetile_write_driver("bind", address), 0);
}

igt_main
{
	igt_fixture {
		int fd = lab_open();

		close(fd);
		xetile_bound_card(address, sizeof(address));
		xetile_set_parameter("card_resets", MOST_RESETS);
	}
	igt_describe("Engines that do not end their reset must be reset with their tile");
	igt_subtest("tile")
		test_tile();
	igt_describe("A tile that does not end its reset must be reset with the card, and the card "
		     "must come back");
	igt_subtest("card") {
		renew_card();
		test_card();
	}
	igt_describe("A card that does not end its reset must be wedged, with an event");
	igt_subtest("wedged") {
		renew_card();
		test_wedged();
	}
	igt_describe("A card that does not come up after its reset must be told");
	igt_subtest("no-card") {
		renew_card();
		test_no_card();
	}
	igt_describe("Resets of a card must be limited in number");
	igt_subtest("storm") {
		renew_card();
		test_storm();
	}
	igt_describe("A card must go, or sleep, only after its reset");
	igt_subtest("unbind") {
		renew_card();
		test_unbind();
	}
	igt_subtest("unload") {
		renew_card();
		test_unload();
	}
	igt_subtest("sleep-during") {
		renew_card();
		test_sleep_during();
	}
	igt_describe("A card that cannot be put to sleep must be reset");
	igt_subtest("sleep") {
		renew_card();
		test_sleep();
	}
	igt_describe("A card must be bound although its engines, or its tiles, do not end their reset at "
		     "first");
	igt_subtest("bind")
		test_bind();
	igt_describe("The firmware of another driver must be named, and be stopped or reset away");
	igt_subtest("leftover")
		test_leftover();
	igt_fixture {
		set_parameter("0");
		xetile_set_parameter("card_resets", 5);
		lab_recover(address);
	}
}
