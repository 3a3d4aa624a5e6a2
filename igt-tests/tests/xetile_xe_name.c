// SPDX-License-Identifier: MIT
/*
 * The module's parameter uapi: which cards' devices are called xe, for Intel's runtimes. Every
 * device has both interfaces, whatever it is called.
 * Statements: M18.
 *
 * suite: igt 1-tile 2nd-card 4-tiles
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <drm/xe_drm.h>
#include <xf86drm.h>

#include "xetile_job.h"
#include "xetile_lab.h"
#include "xetile_module.h"

IGT_TEST_DESCRIPTION("The name of a card's device");

#define PARAMETER	"/sys/module/xetile/parameters/uapi"

static void reload(const char *parameters)
{
	xetile_module_unload();
	igt_assert_eq(xetile_module_load(parameters), 0);
}

/* Asserts that the device has the name, a GT folder by xe's name, and both interfaces. */
static void check_name(const char *name)
{
	struct drm_xe_device_query config = { .query = DRM_XE_DEVICE_QUERY_CONFIG };
	struct drm_xetile_query_tile tiles[DRM_XETILE_MAX_TILES];
	char own[512], link[512];
	struct stat a, b;
	drmVersionPtr version;
	int fd = xetile_open();

	version = drmGetVersion(fd);
	igt_assert(version);
	igt_assert_f(!strcmp(version->name, name), "'%s', not '%s'\n", version->name, name);
	igt_assert_eq(version->name_len, strlen(name));
	drmFreeVersion(version);
	igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XE_DEVICE_QUERY, &config), 0);
	for (uint32_t t = 0; t < xetile_query_tiles(fd, tiles); t++) {
		char path[16];

		snprintf(path, sizeof(path), "../gt%u", t);
		igt_assert_eq(xetile_sysfs_path(fd, t, "", own, sizeof(own)), 0);
		igt_assert_eq(xetile_sysfs_path(fd, t, path, link, sizeof(link)), 0);
		igt_assert_eq(stat(own, &a), 0);
		igt_assert_f(!stat(link, &b), "%s: %m\n", link);
		igt_assert(a.st_ino == b.st_ino && a.st_dev == b.st_dev);
	}
	job_check_usable(fd);
	close(fd);
}

static void check_parameter(const char *text)
{
	char now[512], want[512];

	snprintf(want, sizeof(want), "%s\n", text);
	igt_assert_eq(xetile_read_file(PARAMETER, now, sizeof(now)), 0);
	igt_assert_f(!strcmp(now, want), "'%s', not '%s'\n", now, want);
}

static void test_load(void)
{
	reload("uapi=xe");
	check_parameter("xe");
	check_name("xe");
	reload("uapi=xetile");
	check_parameter("xetile");
	check_name("xetile");
	reload("");
	check_parameter("xetile");
	check_name("xetile");
}

static void test_list(const char *address)
{
	char text[128], full[128];

	snprintf(text, sizeof(text), "uapi=%s", address);
	reload(text);
	check_parameter(address);
	check_name("xe");
	/* The domain may be left out, and other cards may be named. */
	snprintf(text, sizeof(text), "uapi=%s,0000:ff:1f.7,10000:01:00.0", address + 5);
	snprintf(full, sizeof(full), "%s,0000:ff:1f.7,10000:01:00.0", address);
	reload(text);
	check_parameter(full);
	check_name("xe");
	/* Not this one */
	snprintf(text, sizeof(text), "uapi=0001%s,0000:ff:1f.7", address + 4);
	reload(text);
	check_name("xetile");
}

/* Asserts that an opened card's fdinfo has the words of a device that is called so. */
static void check_fdinfo(int fd, bool xe)
{
	static const char * const words[][2] = {
		{ "\ndrm-total-hbm0:", "\ndrm-total-vram0:" },
		{ "\ndrm-engine-compute:", "\ndrm-engine-ccs:" },
		{ "\ndrm-engine-copy:", "\ndrm-engine-bcs:" },
	};
	char path[64], text[16384];

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	igt_assert_eq(xetile_read_file(path, text, sizeof(text)), 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(words); i++) {
		igt_assert_f(!strstr(text, words[i][!xe]), "'%s':\n%s\n", words[i][!xe], text);
		igt_assert_f(strstr(text, words[i][xe]), "no '%s':\n%s\n", words[i][xe], text);
	}
}

/* The words follow the name that the device has, and no parameter that is written later. */
static void test_fdinfo(const char *address)
{
	int fd;

	reload("");
	fd = xetile_open();
	check_fdinfo(fd, false);
	igt_assert_eq(xetile_write_file(PARAMETER, "xe"), 0);
	check_fdinfo(fd, false);
	close(fd);
	xetile_rebind(address);
	fd = xetile_open();
	check_fdinfo(fd, true);
	igt_assert_eq(xetile_write_file(PARAMETER, "xetile"), 0);
	check_fdinfo(fd, true);
	close(fd);
}

static void test_write(const char *address)
{
	reload("");
	igt_assert_eq(xetile_write_file(PARAMETER, "xe\n"), 0);
	check_parameter("xe");
	/* It acts on cards that come, not on those that are there. */
	check_name("xetile");
	xetile_rebind(address);
	check_name("xe");
	igt_assert_eq(xetile_write_file(PARAMETER, "xetile"), 0);
	check_name("xe");
	xetile_rebind(address);
	check_name("xetile");
}

static void test_words(void)
{
	static const char * const wrong[] = {
		"", "x", "xe,xetile", "xe2", "i915", "0000:03:00", "0000:03:00.0,", ",0000:03:00.0",
		"0000:03:00.8", "0000:03:20.0", "0000:3:00.0", "000:03:00.0", "0000:03:00.0x",
		"0x00:03:00.0", "0000:03:00.0 0000:04:00.0", "123456789:03:00.0", "-000:03:00.0",
	};
	char many[33 * 13], parameter[64], line[128];
	int log = lab_log_open();

	reload("");
	for (unsigned int i = 0; i < ARRAY_SIZE(wrong); i++) {
		if (*wrong[i])	/* a write() of 0 bytes does not reach the driver */
			igt_assert_f(xetile_write_file(PARAMETER, wrong[i]) == -EINVAL, "'%s'\n",
				     wrong[i]);
		check_parameter("xetile");
	}
	/* 32 cards, and one more */
	for (unsigned int i = 0; i < 33; i++)
		sprintf(many + i * 13, "0000:%02x:00.0%s", i, i < 32 ? "," : "");
	igt_assert_eq(xetile_write_file(PARAMETER, many), -EINVAL);
	check_parameter("xetile");
	many[32 * 13 - 1] = 0;
	igt_assert_eq(xetile_write_file(PARAMETER, many), 0);
	check_parameter(many);
	xetile_module_unload();
	for (unsigned int i = 0; i < ARRAY_SIZE(wrong); i++) {
		if (strchr(wrong[i], ' '))	/* would be two parameters */
			continue;
		snprintf(parameter, sizeof(parameter), "uapi=%s", wrong[i]);
		igt_assert_f(xetile_module_load(parameter) == -EINVAL, "'%s'\n", parameter);
		snprintf(line, sizeof(line), "uapi=%s: not xe, not xetile, nor", wrong[i]);
		igt_assert_f(lab_log_says(log, line), "the log does not say %s\n", line);
	}
	close(log);
}

igt_main
{
	char address[64];

	igt_fixture {
		close(lab_open());
		xetile_bound_card(address, sizeof(address));
	}

	igt_describe("All cards' devices must have the name that the parameter says (M18)");
	igt_subtest("load")
		test_load();

	igt_describe("Devices of cards in the list must be called xe, and no others (M18)");
	igt_subtest("list")
		test_list(address);

	igt_describe("A parameter that is written must act on cards that come from then on");
	igt_subtest("write")
		test_write(address);

	igt_describe("The words of fdinfo must follow the device's name, whatever is written later");
	igt_subtest("fdinfo")
		test_fdinfo(address);

	igt_describe("What means nothing must be refused, by a line that repeats it");
	igt_subtest("words")
		test_words();

	igt_fixture {
		reload("");
		check_name("xetile");
	}
}
