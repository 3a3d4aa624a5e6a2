// SPDX-License-Identifier: MIT
/*
 * Replicated registers: there is one in each subslice (DSS), and some subslices may be fused off.
 * The guest "fused" of tools/lab/settings has a card without the first one.
 *
 * suite: bringup
 */
#include <string.h>
#include <unistd.h>

#include "xetile_job.h"
#include "xetile_lab.h"

IGT_TEST_DESCRIPTION("Settings reach all subslices, and are read from one that exists");

/* Offset, the bits that the driver sets for an erratum, and those that the card has by default */
static const struct {
	unsigned int reg, set, keep;
	const char *name;
} settings[] = {
	{ 0xe7c8, 0x40000000, 0x00040000, "LSC_CHICKEN_BIT_0" },
	{ 0xe48c, 0x00000800, 0, "ROW_CHICKEN4" },
};

/* Returns whether debugfs says that some instance of the register has another value. */
static bool says_wrong(int fd, const char *name)
{
	FILE *f = xetile_debugfs_open(fd, "settings");
	bool known = false, wrong = false;
	char line[256];

	while (fgets(line, sizeof(line), f)) {
		if (!strstr(line, name))
			continue;
		known = true;
		wrong |= !!strstr(line, "wrong");
	}
	fclose(f);
	igt_assert(known);
	return wrong;
}

/* A subslice that is fused off reads zero: to write that back would clear the bits of all others. */
static void test_every_dss(int fd)
{
	struct drm_xetile_query_tile tiles[DRM_XETILE_MAX_TILES];
	unsigned int n = xetile_query_tiles(fd, tiles);

	for (unsigned int tile = 0; tile < n; tile++) {
		for (unsigned int i = 0; i < ARRAY_SIZE(settings); i++) {
			for (unsigned int dss = 0; dss < 64; dss++) {
				bool live = tiles[tile].dss_mask >> dss & 1;
				unsigned int want = settings[i].set | settings[i].keep;

				igt_assert_eq_u32(lab_peek_dss(tile, settings[i].reg, dss),
						  live ? want : 0);
			}
			igt_assert(!says_wrong(fd, settings[i].name));
		}
	}
	job_check_usable(fd);
}

/* One instance that does not keep a setting is found, and the log and debugfs say so. */
static void test_one_differs(void)
{
	char address[64];
	int fd, log;

	xetile_bound_card(address, sizeof(address));
	for (unsigned int i = 0; i < ARRAY_SIZE(settings); i++) {
		log = lab_log_open();
		/* not the first reads: one of them may be for a write */
		lab_inject("register address=%#x value=0 mask=%#x tile=0 skip=3 count=1",
			   settings[i].reg, settings[i].set);
		xetile_rebind(address);
		lab_log_close(log, settings[i].name);
		lab_heal();
		fd = xetile_open();
		igt_assert(!says_wrong(fd, settings[i].name));
		lab_inject("register address=%#x value=0 mask=%#x tile=0 skip=3 count=1",
			   settings[i].reg, settings[i].set);
		igt_assert(says_wrong(fd, settings[i].name));
		lab_heal();
		job_check_usable(fd);
		close(fd);
	}
}

igt_main
{
	int fd = -1;

	igt_fixture
		fd = lab_open();
	igt_describe("Settings must be in each subslice, beside the bits that were there");
	igt_subtest("every-dss")
		test_every_dss(fd);
	igt_fixture
		close(fd);
	igt_describe("An instance that does not have a setting must be named");
	igt_subtest("one-differs")
		test_one_differs();
	igt_fixture
		lab_heal();
}
