// SPDX-License-Identifier: MIT
/*
 * Sensors: energy, whose counters begin anew after 32 bits, and the limit of power.
 *
 * suite: bringup
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "xetile_job.h"
#include "xetile_lab.h"
#include "xetile_machine.h"

IGT_TEST_DESCRIPTION("Energy and power of a card");

#define RAPL_LIMIT	0x281008
#define PLATFORM_ENERGY	"0x28106c"
#define WATT		1000000ll

static char address[64], folder[320];
static unsigned int num_tiles;

/* The number of hwmon's folder is another one after each binding. */
static void find_folder(void)
{
	char parent[128];
	struct dirent *entry;
	DIR *dir;

	snprintf(parent, sizeof(parent), "/sys/bus/pci/devices/%s/hwmon", address);
	dir = opendir(parent);
	igt_assert_f(dir, "%s: %m\n", parent);
	folder[0] = '\0';
	while ((entry = readdir(dir)))
		if (!strncmp(entry->d_name, "hwmon", 5))
			snprintf(folder, sizeof(folder), "%s/%.64s", parent, entry->d_name);
	closedir(dir);
	igt_assert(folder[0]);
}

/* The card is bound and healthy, whatever became of the subtest before. */
static void begin(void)
{
	lab_recover(address);
	find_folder();
}

static void bind_anew(void)
{
	xetile_rebind(address);
	close(xetile_open());
	find_folder();
}

static int get(const char *name, char *buf, size_t size)
{
	char path[384];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return xetile_read_file(path, buf, size);
}

static long long number(const char *name)
{
	char buf[32];

	igt_assert_eq(get(name, buf, sizeof(buf)), 0);
	return strtoll(buf, NULL, 10);
}

static int put(const char *name, const char *text)
{
	char path[384];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return xetile_write_file(path, text);
}

/* The card uses more than its tiles. */
static void test_energy(void)
{
	char name[32], label[32];
	long long before[5], sum = 0;

	for (unsigned int i = 0; i <= num_tiles; i++) {
		snprintf(name, sizeof(name), "energy%u_label", i + 1);
		igt_assert_eq(get(name, label, sizeof(label)), 0);
		snprintf(name, sizeof(name), i ? "tile%u\n" : "card\n", i - 1);
		igt_assert_f(!strcmp(label, name), "%s instead of %s\n", label, name);
		snprintf(name, sizeof(name), "energy%u_input", i + 1);
		before[i] = number(name);
	}
	sleep(1);
	for (unsigned int i = num_tiles + 1; i--; ) {
		snprintf(name, sizeof(name), "energy%u_input", i + 1);
		before[i] = number(name) - before[i];
		igt_assert_lt(0, before[i]);
		sum += i ? before[i] : 0;
	}
	/* The card was looked at first and last. */
	igt_assert_lt(sum, before[0]);
}

/* 32 units of 1/16384 J lie between the two values: 1953 microjoules, and a fraction. */
static void test_wraps(void)
{
	long long before, after;

	/* The driver looks at the counter itself a minute after it has bound the card. */
	bind_anew();
	lab_inject("register address=" PLATFORM_ENERGY " value=0xfffffff0 tile=0 count=1");
	lab_inject("register address=" PLATFORM_ENERGY " value=0x10 tile=0 skip=1 count=1");
	before = number("energy1_input");
	after = number("energy1_input");
	igt_assert_lte(1953, after - before);
	igt_assert_lte(after - before, 1954);
	lab_heal();
	bind_anew();
}

/* A card that reads all ones has used no energy. */
static void test_gone(void)
{
	long long before;
	char buf[32];

	bind_anew();
	before = number("energy1_input");
	lab_inject("register address=" PLATFORM_ENERGY " value=0xffffffff tile=0 count=1");
	igt_assert_eq(number("energy1_input"), before);
	lab_heal();
	lab_inject("register address=0x281008 value=0xffffffff count=1");
	igt_assert_eq(get("power1_max", buf, sizeof(buf)), -ENODEV);
	lab_heal();
	bind_anew();
}

static void test_limit(void)
{
	static const char * const wrong[] = { "x", "-1", "1e9" };
	unsigned int usual = lab_peek(0, RAPL_LIMIT);
	long long rated = number("power1_rated_max");

	igt_assert_eq(rated, 600 * WATT);
	igt_assert_eq(number("power1_max"), rated);
	igt_assert_eq(put("power1_max", "450000000"), 0);
	igt_assert_eq_u32(lab_peek(0, RAPL_LIMIT), (usual & ~0x7fffu) | 450 << 3);
	igt_assert_eq(number("power1_max"), 450 * WATT);
	/* More than the register can hold is as much as it can. */
	igt_assert_eq(put("power1_max", "9000000000000"), 0);
	igt_assert_eq_u32(lab_peek(0, RAPL_LIMIT) & 0xffff, 0xffff);
	igt_assert_eq(put("power1_max", "0"), 0);
	igt_assert_eq_u32(lab_peek(0, RAPL_LIMIT) & 0x8000, 0);
	igt_assert_eq(number("power1_max"), 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(wrong); i++)
		igt_assert_eq(put("power1_max", wrong[i]), -EINVAL);
	igt_assert_eq_u32(lab_peek(0, RAPL_LIMIT) & 0x8000, 0);
	igt_assert_eq(put("power1_max", "600000000"), 0);
	igt_assert_eq_u32(lab_peek(0, RAPL_LIMIT), usual);
}

static void test_locked(void)
{
	lab_inject("register address=0x281008 value=0x8000 mask=0x8000 count=0");
	igt_assert_eq(put("power1_max", "0"), -EOPNOTSUPP);
	lab_heal();
	igt_assert_eq(put("power1_max", "600000000"), 0);
}

static void test_sleep(void)
{
	igt_require(!access("/sys/power/pm_test", W_OK));
	igt_assert_eq(put("power1_max", "450000000"), 0);
	igt_assert_eq(machine_sleep(0), 0);
	igt_assert_eq(number("power1_max"), 450 * WATT);
	igt_assert_eq(put("power1_max", "600000000"), 0);
}

/* The critical limit is in watts or in amperes, as firmware says; or firmware has none. */
static void test_crit(void)
{
	static const struct {
		const char *fault, *file, *other;
		long long value;
	} cases[] = {
		{ NULL, "power1_crit", "curr1_crit", 900 * WATT },
		/* 40 1/64 A; the lowest bit stands for "firmware is ready" in other answers. */
		{ "register address=0x138128 value=0xa01 count=0", "curr1_crit", "power1_crit",
		  40015 },
		{ "pcode-error command=0x7c count=0", NULL, "power1_crit", 0 },
		{ "register address=0x138128 value=0x80000000 mask=0xfffffffe count=0", NULL,
		  "curr1_crit", 0 },
	};
	char buf[32];

	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
		if (cases[i].fault)
			lab_inject("%s", cases[i].fault);
		bind_anew();
		if (cases[i].file)
			igt_assert_eq(number(cases[i].file), cases[i].value);
		else
			igt_assert_eq(get("power1_crit", buf, sizeof(buf)), -ENOENT);
		igt_assert_eq(get(cases[i].other, buf, sizeof(buf)), -ENOENT);
		lab_heal();
	}
	bind_anew();
	/* The mailbox may fail later. */
	lab_inject("pcode-error command=0x7c count=0");
	igt_assert_eq(get("power1_crit", buf, sizeof(buf)), -EIO);
	lab_heal();
	lab_inject("pcode-busy command=0x7c count=0");
	igt_assert_eq(get("power1_crit", buf, sizeof(buf)), -ETIMEDOUT);
	lab_heal();
	igt_assert_eq(number("power1_crit"), 900 * WATT);
	igt_assert_eq(number("power1_max_interval"), 28000);
	lab_inject("register address=0x281008 value=0xffffffff count=1");
	igt_assert_eq(get("power1_max_interval", buf, sizeof(buf)), -ENODEV);
	lab_heal();
}

/*
 * A reset of the function wedges the card, and its counters begin anew: whoever reads them then
 * would take the difference for energy. The same holds for a card that is gone.
 */
static void test_wedged(const char *fault, int error)
{
	static const char * const files[] = {
		"energy1_input", "energy2_input", "power1_max", "power1_rated_max", "power1_crit",
		"power1_max_interval",
	};
	char path[128], buf[32];
	int fd, i;

	number("energy1_input");
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/reset", address);
	if (fault) {
		struct job j;

		fd = xetile_open();
		job_init(&j, fd, JOB_COPY_TILE, 500);
		lab_inject("%s", fault);
		igt_assert_eq(job_start(&j), 0);
		igt_assert_lt(job_end(&j), 0);
		xetile_assert_soon(get("energy1_input", buf, sizeof(buf)));
		lab_heal();
		job_fini(&j);
		close(fd);
	} else {
		igt_assert_eq(xetile_write_file(path, "1"), 0);
	}
	for (i = 0; i < (int)ARRAY_SIZE(files); i++)
		igt_assert_eq(get(files[i], buf, sizeof(buf)), error);
	igt_assert_eq(put("power1_max", "450000000"), error);
	bind_anew();
	/* An hour of the rated power is far more than was used since. */
	igt_assert(number("energy1_input") < 600 * WATT * 3600);
}

igt_main
{
	igt_fixture {
		struct xetile_card card;

		igt_assert(!geteuid());
		lab_require_card();
		lab_heal();
		xetile_open_card(&card);
		num_tiles = card.device.num_tiles;
		close(card.fd);
		xetile_bound_card(address, sizeof(address));
	}
	igt_describe("Energy of the card and of its tiles must grow");
	igt_subtest("energy") {
		begin();
		test_energy();
	}
	igt_describe("Energy must grow beyond what the hardware can count");
	igt_subtest("wraps") {
		begin();
		test_wraps();
	}
	igt_describe("A card that does not answer must not be taken for one that uses energy");
	igt_subtest("gone") {
		begin();
		test_gone();
	}
	igt_describe("The power limit must reach the card");
	igt_subtest("limit") {
		begin();
		test_limit();
	}
	igt_describe("A limit that firmware keeps must be told");
	igt_subtest("locked") {
		begin();
		test_locked();
	}
	igt_describe("Other limits must be told in the unit that firmware uses");
	igt_subtest("crit") {
		begin();
		test_crit();
	}
	igt_describe("The sensors of a card that is wedged must not be read");
	igt_subtest("reset") {
		begin();
		test_wedged(NULL, -EIO);
	}
	igt_subtest("all-ones") {
		begin();
		test_wedged("all-ones", -ENODEV);
	}
	igt_describe("The power limit must survive a sleep of the machine");
	igt_subtest("sleep") {
		begin();
		test_sleep();
	}
}
