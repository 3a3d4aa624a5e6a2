// SPDX-License-Identifier: MIT
/*
 * The frequency that the driver asks each tile for: what the administrator may set, that it
 * reaches the card and stays, and why a tile runs slower.
 *
 * suite: bringup
 */
#include <errno.h>
#include <unistd.h>

#include "xetile_job.h"
#include "xetile_lab.h"
#include "xetile_machine.h"

IGT_TEST_DESCRIPTION("Frequencies of tiles");

#define RP_CONTROL	0xa024
#define RPSTAT1		0x1381b4

static struct xetile_card card = { .fd = -1 };
static char address[64];

static void leave(void)
{
	if (card.fd >= 0)
		close(card.fd);
	card.fd = -1;
}

static unsigned int mhz(unsigned int ratio)
{
	return (ratio * 50 + 1) / 3;
}

/* At which the card runs the tile, whatever the driver says */
static unsigned int runs_at(unsigned int tile)
{
	return mhz(lab_peek(tile, RPSTAT1) >> 11 & 0x1ff);
}

static unsigned int file(unsigned int tile, const char *name)
{
	char path[96];

	snprintf(path, sizeof(path), "freq0/%s", name);
	return xetile_sysfs_uint(card.fd, tile, path);
}

static int set(unsigned int tile, const char *name, const char *text)
{
	char path[96];

	snprintf(path, sizeof(path), "freq0/%s", name);
	return xetile_sysfs_write(card.fd, tile, path, text);
}

static int set_mhz(unsigned int tile, const char *name, unsigned int value)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", value);
	return set(tile, name, text);
}

static void usual(void)
{
	for (unsigned int tile = 0; tile < card.device.num_tiles; tile++) {
		igt_assert_eq(set_mhz(tile, "min_freq", file(tile, "rpn_freq")), 0);
		igt_assert_eq(set_mhz(tile, "max_freq", file(tile, "rp0_freq")), 0);
	}
}

/* The card is as it was at first, whatever became of the subtest before. */
static void begin(void)
{
	leave();
	lab_recover(address);
	xetile_open_card(&card);
	/* It may have been bound while its frequencies made no sense. */
	if (!file(0, "rp0_freq")) {
		leave();
		xetile_rebind(address);
		xetile_open_card(&card);
	}
	usual();
}

static void check_runs_at(unsigned int tile, unsigned int want)
{
	igt_assert_eq_u32(runs_at(tile), want);
	igt_assert_eq_u32(file(tile, "act_freq"), want);
	igt_assert_eq_u32(file(tile, "cur_freq"), want);
	/* Firmware may use the software mode as well. */
	igt_assert_eq_u32(lab_peek(tile, RP_CONTROL), 0);
}

/* A driver that asks for nothing has the lowest frequency. */
static void test_highest(void)
{
	for (unsigned int tile = 0; tile < card.device.num_tiles; tile++) {
		unsigned int rp0 = file(tile, "rp0_freq"), rpn = file(tile, "rpn_freq");

		igt_assert_lt(rpn, rp0);
		igt_assert_lte(rpn, file(tile, "rpe_freq"));
		igt_assert_lte(file(tile, "rpe_freq"), rp0);
		igt_assert_eq_u32(file(tile, "min_freq"), rpn);
		igt_assert_eq_u32(file(tile, "max_freq"), rp0);
		check_runs_at(tile, rp0);
	}
}

static void test_bounds(void)
{
	static const char * const wrong[] = { "x", "-300", "300x", "99999999999", "0" };
	static const char * const names[] = { "min_freq", "max_freq" };
	unsigned int rp0 = file(0, "rp0_freq"), rpn = file(0, "rpn_freq");

	for (unsigned int n = 0; n < ARRAY_SIZE(names); n++) {
		for (unsigned int i = 0; i < ARRAY_SIZE(wrong); i++)
			igt_assert_eq(set(0, names[n], wrong[i]), -EINVAL);
		igt_assert_eq(set_mhz(0, names[n], rpn - 1), -EINVAL);
		igt_assert_eq(set_mhz(0, names[n], rp0 + 1), -EINVAL);
	}
	igt_assert_eq_u32(file(0, "min_freq"), rpn);
	igt_assert_eq_u32(file(0, "max_freq"), rp0);
	check_runs_at(0, rp0);
}

/* Each tile has bounds of its own; min_freq counts when it is above max_freq. */
static void test_set(void)
{
	unsigned int rp0 = file(0, "rp0_freq"), rpn = file(0, "rpn_freq");

	igt_assert_eq(set_mhz(0, "max_freq", 1000), 0);
	check_runs_at(0, 1000);
	for (unsigned int tile = 1; tile < card.device.num_tiles; tile++)
		check_runs_at(tile, rp0);
	igt_assert_eq(set_mhz(0, "max_freq", rpn), 0);
	check_runs_at(0, rpn);
	igt_assert_eq(set_mhz(0, "min_freq", 800), 0);
	check_runs_at(0, 800);
	usual();
	check_runs_at(0, rp0);
}

/* A job of each kind runs while the tiles are slow. */
static void test_slow(void)
{
	for (unsigned int tile = 0; tile < card.device.num_tiles; tile++)
		igt_assert_eq(set_mhz(tile, "max_freq", file(tile, "rpn_freq")), 0);
	job_check_usable(card.fd);
	usual();
}

static void test_sleep(void)
{
	igt_require(!access("/sys/power/pm_test", W_OK));
	igt_assert_eq(set_mhz(0, "max_freq", 1000), 0);
	igt_assert_eq(machine_sleep(0), 0);
	igt_assert_eq_u32(file(0, "max_freq"), 1000);
	check_runs_at(0, 1000);
	usual();
}

/* A reset of the whole tile, because that of the engine's domain does not end */
static void test_reset(void)
{
	struct job j;

	igt_assert_eq(set_mhz(0, "max_freq", 1000), 0);
	job_init(&j, card.fd, JOB_COMPUTE_TILE, 200);
	lab_inject("reset-dead domain=2 count=1");
	igt_assert_eq(job_start_endless(&j), 0);
	igt_assert_eq(job_end(&j), -ETIME);
	lab_heal();
	job_fini(&j);
	job_check_usable(card.fd);
	check_runs_at(0, 1000);
	usual();
}

static void test_throttle(void)
{
	static const struct {
		const char *fault, *name;
	} reasons[] = {
		{ "prochot", "prochot" }, { "thermal", "thermal" }, { "ratl", "ratl" },
		{ "vr-thermalert", "vr_thermalert" }, { "vr-tdc", "vr_tdc" }, { "pl4", "pl4" },
		{ "pl1", "pl1" }, { "pl2", "pl2" },
	};
	char name[64];

	for (unsigned int i = 0; i < ARRAY_SIZE(reasons); i++) {
		lab_inject("throttle reason=%s tile=0", reasons[i].fault);
		igt_assert_eq_u32(file(0, "throttle/status"), 1);
		for (unsigned int k = 0; k < ARRAY_SIZE(reasons); k++) {
			snprintf(name, sizeof(name), "throttle/reason_%s", reasons[k].name);
			igt_assert_eq_u32(file(0, name), i == k);
		}
		igt_assert_eq_u32(file(0, "act_freq"), file(0, "rpn_freq"));
		igt_assert_eq_u32(file(0, "cur_freq"), file(0, "rp0_freq"));
		job_check_usable(card.fd);
		lab_heal();
		igt_assert_eq_u32(file(0, "throttle/status"), 0);
		check_runs_at(0, file(0, "rp0_freq"));
	}
}

/* A card that the driver leaves is slow, and its next binding forgets the bounds. */
static void test_rebind(void)
{
	unsigned int rp0 = file(0, "rp0_freq"), rpn = file(0, "rpn_freq");

	igt_assert_eq(set_mhz(0, "max_freq", 1000), 0);
	leave();
	igt_assert_eq(xetile_write_driver("unbind", address), 0);
	igt_assert_eq_u32(runs_at(0), rpn);
	igt_assert_eq(xetile_write_driver("bind", address), 0);
	xetile_open_card(&card);
	check_runs_at(0, rp0);
}

/* Frequencies that make no sense: one line, and the card is used as it is. */
static void test_absurd(const char *value)
{
	int log = lab_log_open();

	leave();
	igt_assert_eq(xetile_write_driver("unbind", address), 0);
	lab_inject("register address=0x281014 value=%s count=0", value);
	igt_assert_eq(xetile_write_driver("bind", address), 0);
	lab_heal();
	lab_log_close(log, "MHz make no sense");
	xetile_open_card(&card);
	igt_assert_eq_u32(file(0, "rp0_freq"), 0);
	igt_assert_eq(set(0, "max_freq", "1000"), -EINVAL);
	job_check_usable(card.fd);
	leave();
	xetile_rebind(address);
	xetile_open_card(&card);
	test_highest();
}

igt_main
{
	igt_fixture {
		igt_assert(!geteuid());
		lab_require_card();
		lab_heal();
		xetile_bound_card(address, sizeof(address));
	}
	igt_describe("Tiles must run at their highest frequency, because nobody else asks for it");
	igt_subtest("highest") {
		begin();
		test_highest();
	}
	igt_describe("Frequencies that the tile does not have must be refused");
	igt_subtest("bounds") {
		begin();
		test_bounds();
	}
	igt_describe("What is set must reach the card");
	igt_subtest("set") {
		begin();
		test_set();
	}
	igt_describe("Jobs must run at the lowest frequency");
	igt_subtest("slow") {
		begin();
		test_slow();
	}
	igt_describe("What is set must be asked for again after a sleep of the machine");
	igt_subtest("sleep") {
		begin();
		test_sleep();
	}
	igt_describe("What is set must be asked for again after a reset of the tile");
	igt_subtest("reset") {
		begin();
		test_reset();
	}
	igt_describe("The reasons for a lower frequency must be shown");
	igt_subtest("throttle") {
		begin();
		test_throttle();
	}
	igt_describe("A card that is let go must be slow, and fast when it is bound again");
	igt_subtest("rebind") {
		begin();
		test_rebind();
	}
	igt_describe("Frequencies that make no sense must not keep the card from being used");
	igt_subtest("absurd-zero") {
		begin();
		test_absurd("0");
	}
	igt_subtest("absurd-reversed") {
		begin();
		test_absurd("0x200106");
	}
	igt_fixture
		leave();
}
