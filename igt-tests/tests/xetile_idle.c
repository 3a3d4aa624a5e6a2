// SPDX-License-Identifier: MIT
/*
 * A card that nobody uses falls asleep alone, with the machine awake, and loses all its state. It
 * must be back when somebody wants it, and who looks at it meanwhile must not be told nonsense.
 *
 * suite: faults
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xf86drm.h>

#include "xetile_job.h"
#include "xetile_lab.h"
#include "xetile_machine.h"

IGT_TEST_DESCRIPTION("The sleep of a card that nobody uses");

/* After this time without use the card falls asleep, in milliseconds */
#define DELAY_MS	20
/* As long as it takes to see that a card stays awake */
#define WATCH_US	(5 * DELAY_MS * 1000)

static char address[64];

static void device_path(const char *name, char *path, size_t size)
{
	snprintf(path, size, "/sys/bus/pci/devices/%s/%s", address, name);
}

static void get(const char *name, char *buf, size_t size)
{
	char path[192];

	device_path(name, path, sizeof(path));
	igt_assert_eq(xetile_read_file(path, buf, size), 0);
}

static unsigned long long number(const char *name)
{
	char buf[32];

	get(name, buf, sizeof(buf));
	return strtoull(buf, NULL, 10);
}

static bool reads(const char *name, const char *text)
{
	char buf[64];

	get(name, buf, sizeof(buf));
	return !strcmp(buf, text);
}

static int put(const char *name, const char *text)
{
	char path[192];

	device_path(name, path, sizeof(path));
	return xetile_write_file(path, text);
}

static bool is_awake(void)
{
	return reads("power/runtime_status", "active\n") && reads("power_state", "D0\n");
}

static bool is_asleep(void)
{
	return reads("power/runtime_status", "suspended\n");
}

static void falls_asleep(void)
{
	xetile_assert_soon(is_asleep());
	igt_assert(reads("power_state", "D3hot\n"));
}

static void stays_awake(void)
{
	igt_assert(is_awake());
	usleep(WATCH_US);
	igt_assert(is_awake());
}

static void works(void)
{
	int fd = xetile_open();
	struct job j;

	igt_assert(is_awake());
	job_init(&j, fd, JOB_COPY_TILE, 0);
	igt_assert_eq(job_run(&j), 1);
	job_fini(&j);
	close(fd);
}

static void allow(void)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", DELAY_MS);
	igt_assert_eq(put("power/autosuspend_delay_ms", text), 0);
	igt_assert_eq(put("power/control", "auto"), 0);
}

/* The card is bound, healthy, and asleep, whatever became of the subtest before. */
static void begin(void)
{
	lab_recover(address);
	allow();
	falls_asleep();
}

/* --- use ------------------------------------------------------------------------- */

static void test_use(void)
{
	struct drm_xetile_bo_create wrong = {
		.size = 1ull << 50, .placement = DRM_XETILE_PLACE_HBM,
	};
	uint32_t bo, *map;
	int fd, buf;

	/* An open file, a mapping without its file, and a buffer without its file */
	fd = xetile_open();
	stays_awake();
	job_check_usable(fd);
	igt_assert_lt(__xetile_bo_create(fd, &wrong), 0);
	bo = xetile_bo(fd, SZ_2M, DRM_XETILE_PLACE_HBM);
	map = xetile_bo_map(fd, bo, SZ_2M);
	igt_assert_eq_u32(map[0], 0);
	map[0] = 77;
	igt_assert_eq(drmPrimeHandleToFD(fd, bo, DRM_CLOEXEC | DRM_RDWR, &buf), 0);
	close(fd);
	stays_awake();
	munmap(map, SZ_2M);
	stays_awake();
	map = mmap(NULL, SZ_4K, PROT_READ, MAP_SHARED, buf, 0);
	igt_assert(map != MAP_FAILED);
	igt_assert_eq_u32(map[0], 77);
	munmap(map, SZ_4K);
	close(buf);
	/* Nothing has taken a reference and kept it. */
	falls_asleep();
}

/* --- looks ----------------------------------------------------------------------- */

/* The number of hwmon's folder is another one after each binding. */
static void find_hwmon(char *name, size_t size)
{
	for (unsigned int i = 0; i < 64; i++) {
		char path[192];

		snprintf(name, size, "hwmon/hwmon%u", i);
		device_path(name, path, sizeof(path));
		if (!access(path, F_OK))
			return;
	}
	igt_assert_f(false, "the card has no sensors\n");
}

static uint32_t debugfs_mtcfg(FILE *registers)
{
	char line[128];
	uint32_t value = 0;

	while (fgets(line, sizeof(line), registers))
		if (sscanf(line, " PVC_MTCFG %x", &value) == 1)
			break;
	fclose(registers);
	return value;
}

static void test_looks(void)
{
	static const char * const same[] = {
		"power1_max", "power1_rated_max", "power1_crit", "power1_max_interval",
	};
	static const char * const still[] = { "act_freq", "cur_freq", "throttle/status" };
	char hwmon[32], name[96], rpn[32], buf[ARRAY_SIZE(same)][32], now[32];
	FILE *registers, *later;
	unsigned long long used;
	uint32_t mtcfg;
	int fd;

	find_hwmon(hwmon, sizeof(hwmon));
	fd = xetile_open();
	for (unsigned int i = 0; i < ARRAY_SIZE(same); i++) {
		snprintf(name, sizeof(name), "%s/%s", hwmon, same[i]);
		get(name, buf[i], sizeof(buf[i]));
	}
	/* What these files hold is asked for when they are first read. */
	registers = xetile_debugfs_open(fd, "registers");
	later = xetile_debugfs_open(fd, "registers");
	mtcfg = debugfs_mtcfg(registers);
	igt_assert(mtcfg);
	close(fd);
	falls_asleep();

	/* Tools that watch a card do not wake it up. */
	for (unsigned int i = 0; i < ARRAY_SIZE(same); i++) {
		snprintf(name, sizeof(name), "%s/%s", hwmon, same[i]);
		get(name, now, sizeof(now));
		igt_assert_f(!strcmp(now, buf[i]), "%s: %s instead of %s\n", same[i], now, buf[i]);
	}
	snprintf(name, sizeof(name), "%s/energy1_input", hwmon);
	used = number(name);
	igt_assert(used);
	igt_assert_eq_u64(number(name), used);
	for (unsigned int i = 0; i < ARRAY_SIZE(still); i++) {
		snprintf(name, sizeof(name), "tile0/gt0/freq0/%s", still[i]);
		igt_assert_f(reads(name, "0\n"), "%s of a tile that does not run\n", still[i]);
	}
	get("tile0/gt0/freq0/rpn_freq", rpn, sizeof(rpn));
	igt_assert(is_asleep());

	/* Who sets something does, and the card keeps it; so does who reads registers. */
	igt_assert_eq(put("power/autosuspend_delay_ms", "2000"), 0);
	igt_assert_eq(put("tile0/gt0/freq0/max_freq", rpn), 0);
	igt_assert(is_awake());
	igt_assert(reads("tile0/gt0/freq0/act_freq", rpn));
	igt_assert_eq_u32(debugfs_mtcfg(later), mtcfg);
	allow();
	falls_asleep();
	snprintf(name, sizeof(name), "%s/power1_max", hwmon);
	igt_assert_eq(put(name, "450000000"), 0);
	falls_asleep();
	fd = xetile_open();
	igt_assert(reads("tile0/gt0/freq0/act_freq", rpn));
	igt_assert(reads(name, "450000000\n"));
	snprintf(name, sizeof(name), "%s/energy1_input", hwmon);
	igt_assert(used < number(name));
	close(fd);
	get("tile0/gt0/freq0/rp0_freq", now, sizeof(now));
	igt_assert_eq(put("tile0/gt0/freq0/max_freq", now), 0);
	snprintf(name, sizeof(name), "%s/power1_max", hwmon);
	igt_assert_eq(put(name, "600000000"), 0);
	falls_asleep();
}

/* The file may outlive the driver's binding. */
static void test_held(void)
{
	int fd = xetile_open();
	FILE *held = xetile_debugfs_open(fd, "forcewake_all");

	close(fd);
	stays_awake();
	fclose(held);
	falls_asleep();
	fd = xetile_open();
	held = xetile_debugfs_open(fd, "forcewake_all");
	close(fd);
	xetile_rebind(address);
	allow();
	stays_awake();
	fclose(held);
	falls_asleep();
	works();
	falls_asleep();
}

/* --- others who end or interrupt the sleep ----------------------------------------- */

static void test_machine(void)
{
	igt_require(!access("/sys/power/pm_test", W_OK));
	igt_assert_eq(machine_sleep(0), 0);
	falls_asleep();
	works();
}

static void test_unbind(void)
{
	int log = lab_log_open();

	igt_assert_eq(xetile_write_driver("unbind", address), 0);
	igt_assert_eq(xetile_write_driver("bind", address), 0);
	/* The administrator's permission is the device's. The delay is the driver's, as at first. */
	igt_assert(reads("power/control", "auto\n"));
	igt_assert(reads("power/autosuspend_delay_ms", "10000\n"));
	/* The kernel's word for a reference that was dropped and not taken */
	igt_assert(!lab_log_says(log, "underflow"));
	close(log);
	allow();
	falls_asleep();
}

static void test_pulled(void)
{
	char path[64];

	lab_plug(false);
	igt_assert_eq(xetile_open_path(path, sizeof(path)), -ENODEV);
	lab_plug(true);
	xetile_assert_soon(!xetile_open_path(path, sizeof(path)));
	/* A new device, for which nobody has allowed anything */
	igt_assert(reads("power/control", "on\n"));
	works();
	allow();
	falls_asleep();
}

/* --- failures ---------------------------------------------------------------------- */

static void test_gone(void)
{
	struct drm_xetile_bo_create bo = { .size = SZ_64K, .placement = DRM_XETILE_PLACE_HBM };
	int log = lab_log_open(), fd;

	lab_inject("register count=0 address=0x138124 value=0xffffffff");
	fd = xetile_open();
	igt_assert_eq(__xetile_bo_create(fd, &bo), -ENODEV);
	lab_log_close(log, "the card does not wake up");
	close(fd);
	/* There is nothing that would be worth another attempt. */
	stays_awake();
	lab_heal();
	xetile_rebind(address);
	allow();
	falls_asleep();
}

/* The card does not end its reset, so that what its engines do during the sleep is not known. */
static void test_refused(void)
{
	int log = lab_log_open(), fd = xetile_open();

	lab_inject("reset-dead count=4");
	close(fd);
	xetile_assert_soon(lab_log_says(log, "no reset before the sleep"));
	lab_log_close(log, "it is brought up anew");
	lab_heal();
	falls_asleep();
	works();
}

igt_main
{
	igt_fixture {
		igt_assert(!geteuid());
		lab_require_card();
		lab_heal();
		xetile_bound_card(address, sizeof(address));
		igt_assert(reads("power/control", "on\n"));
	}
	igt_describe("An unused card must sleep, and files, mappings and buffers must keep it awake");
	igt_subtest("use") {
		begin();
		test_use();
	}
	igt_describe("Sensors and frequencies of a sleeping card must be told without waking it, and "
		     "settings must reach it");
	igt_subtest("looks") {
		begin();
		test_looks();
	}
	igt_describe("A file of debugfs must keep a card awake while it is open");
	igt_subtest("held") {
		begin();
		test_held();
	}
	igt_describe("The machine must be able to sleep when the card already does");
	igt_subtest("machine") {
		begin();
		test_machine();
	}
	igt_describe("A sleeping card must be unbound, and bound again");
	igt_subtest("unbind") {
		begin();
		test_unbind();
	}
	igt_describe("A sleeping card must be pulled out and put back");
	igt_subtest("pulled") {
		begin();
		test_pulled();
	}
	igt_describe("Clients must be told when the card does not wake up");
	igt_subtest("gone") {
		begin();
		test_gone();
	}
	igt_describe("A card that cannot be put to sleep must be brought up anew");
	igt_subtest("refused") {
		begin();
		test_refused();
	}
	igt_fixture {
		lab_recover(address);
		put("power/control", "on");
	}
}
