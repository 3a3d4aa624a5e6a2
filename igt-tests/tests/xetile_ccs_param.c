// SPDX-License-Identifier: MIT
/*
 * The module's parameter ccs_mode: the mode in which tiles begin.
 * Statements: W8.
 *
 * suite: igt 1-tile 2nd-card 4-tiles
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "xetile_job.h"
#include "xetile_lab.h"
#include "xetile_module.h"

IGT_TEST_DESCRIPTION("The CCS mode that the administrator wants from the start");

#define PARAMETER	"/sys/module/xetile/parameters/ccs_mode"

static struct xetile_card card = { .fd = -1 };

/* A subtest that failed may have left the card open, which would keep the module. */
static void close_card(void)
{
	if (card.fd >= 0)
		close(card.fd);
	card.fd = -1;
}

static void reload(const char *parameters)
{
	close_card();
	xetile_module_unload();
	igt_assert_eq(xetile_module_load(parameters), 0);
}

static uint32_t compute_engines(int fd, uint32_t tile)
{
	struct drm_xetile_query_engine all[64];
	uint32_t num, n = 0;

	num = xetile_query(fd, DRM_XETILE_QUERY_ENGINES, XETILE_ARRAY(all, ARRAY_SIZE(all)));
	igt_assert_lte(num, ARRAY_SIZE(all));
	for (uint32_t i = 0; i < num; i++)
		n += all[i].tile == tile && all[i].engine_class == DRM_XETILE_ENGINE_COMPUTE;
	return n;
}

/*
 * Asserts that all tiles begin in @mode, those that do not have it in mode 1, and that they run
 * jobs. Returns whether a tile does not have it.
 */
static bool check_begin(unsigned int mode)
{
	bool refused = false;

	xetile_open_card(&card);
	for (uint32_t t = 0; t < card.device.num_tiles; t++) {
		bool has = card.tiles[t].ccs_modes & 1u << mode;
		unsigned int begin = has ? mode : 1;

		refused |= !has;
		igt_assert_eq(xetile_sysfs_uint(card.fd, t, "ccs_mode"), begin);
		igt_assert_eq_u32(card.tiles[t].ccs_mode, begin);
		igt_assert_eq_u32(compute_engines(card.fd, t), begin);
	}
	job_check_usable(card.fd);
	close_card();
	return refused;
}

static void test_load(unsigned int mode)
{
	char parameter[32], line[64];
	int log = lab_log_open();

	snprintf(parameter, sizeof(parameter), "ccs_mode=%u", mode);
	snprintf(line, sizeof(line), "do not allow ccs_mode=%u, it begins in mode 1", mode);
	reload(parameter);
	igt_assert_eq(lab_log_says(log, line), check_begin(mode));
	close(log);
}

static void test_write(const char *address)
{
	reload("");
	igt_assert_eq(xetile_write_file(PARAMETER, "2"), 0);
	/* It acts on cards that come, not on those that are there. */
	check_begin(1);
	xetile_rebind(address);
	check_begin(2);
	igt_assert_eq(xetile_write_file(PARAMETER, "1"), 0);
	check_begin(2);
	xetile_rebind(address);
	check_begin(1);
}

static void test_words(void)
{
	static const char * const wrong[] = {
		"0", "3", "8", "5", "-1", "+2", "2x", "0x2", "two", "1,2", "4294967298", "",
	};
	char parameter[32], text[16];
	int log = lab_log_open();

	reload("");
	for (unsigned int i = 0; i < ARRAY_SIZE(wrong); i++) {
		if (*wrong[i])	/* a write() of 0 bytes does not reach the driver */
			igt_assert_eq(xetile_write_file(PARAMETER, wrong[i]), -EINVAL);
		igt_assert_eq(xetile_read_file(PARAMETER, text, sizeof(text)), 0);
		igt_assert_f(!strcmp(text, "1\n"), "'%s' made it '%s'\n", wrong[i], text);
	}
	xetile_module_unload();
	for (unsigned int i = 0; i < ARRAY_SIZE(wrong); i++) {
		snprintf(parameter, sizeof(parameter), "ccs_mode=%s", wrong[i]);
		igt_assert_f(xetile_module_load(parameter) == -EINVAL, "'%s'\n", parameter);
		snprintf(parameter, sizeof(parameter), "`%s' invalid", wrong[i]);
		igt_assert_f(lab_log_says(log, parameter), "the log does not say %s\n", parameter);
	}
	close(log);
}

/* A card that comes, or comes back, has the policy of the parameter. */
static void test_policy(const char *address)
{
	static const char * const words[] = { "default", "fixed", "lend", "epochs" };
	struct xetile_card card;
	char text[32], want[32];

	reload("ccs_mode_policy=default");
	for (unsigned int i = 0; i < ARRAY_SIZE(words); i++) {
		/* The module was loaded with the first one. */
		if (i) {
			igt_assert_eq(xetile_write_file(PARAMETER "_policy", words[i]), 0);
			xetile_rebind(address);
		}
		xetile_open_card(&card);
		snprintf(want, sizeof(want), "%s\n", words[i]);
		igt_assert_eq(xetile_sysfs_read(card.fd, 0, "ccs_mode_policy", text, sizeof(text)),
			      0);
		igt_assert_f(!strcmp(text, want), "'%s', not '%s'\n", text, want);
		close(card.fd);
	}
	igt_assert_eq(xetile_write_file(PARAMETER "_policy", "none"), -EINVAL);
	xetile_module_unload();
	igt_assert_eq(xetile_module_load("ccs_mode_policy=none"), -EINVAL);
	reload("");
}

igt_main
{
	char address[64];

	igt_fixture {
		close(lab_open());
		xetile_bound_card(address, sizeof(address));
	}

	for (unsigned int mode = 1; mode <= DRM_XETILE_MAX_CSLICES; mode *= 2) {
		igt_describe("Tiles must begin in the mode; in mode 1, with a line, without it (W8)");
		igt_subtest_f("load-%u", mode)
			test_load(mode);
	}

	igt_describe("A parameter that is written must act on cards that come from then on (W8)");
	igt_subtest("write")
		test_write(address);

	igt_describe("What is no mode must be refused, by a line that repeats it");
	igt_subtest("words")
		test_words();

	igt_describe("A card must have the policy of the parameter when it comes (W5)");
	igt_subtest("policy")
		test_policy(address);

	igt_fixture {
		reload("");
		check_begin(1);
	}
}
