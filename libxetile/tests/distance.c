// SPDX-License-Identifier: MIT
/*
 * Distances: the file of measured ratios, and what a platform makes of good and bad files
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fake.h"
#include "ratios.h"
#include "test.h"
#include "util.h"
#include "xetile.h"

static const struct xt_ratios_card two_tiles = {
	.pci = "0000:01:00.0", .device_id = 0x0bd5, .revision = 0x2f, .tiles = 2,
};

#define HEAD	"xetile-distances 1\ncard 0000:01:00.0 device 0bd5 revision 2f tiles 2\n"
#define PAIRS	"tile0 tile0 1000 1000\ntile0 tile1 1833 1790\ntile0 system 9000 8000\n"	\
		"tile1 tile0 1900 1200\ntile1 tile1 1000 1000\ntile1 system 9100 8100\n"
#define CPU	"cpu tile0 50000 2000\ncpu system 1000 1000\n"

static const char good[] = HEAD PAIRS CPU;

static char dirs[2][64];

static int parse(const char *text, struct xt_ratios *ratios)
{
	char *copy = strdup(text);
	int err = copy ? xt_ratios_parse(copy, &two_tiles, ratios) : -ENOMEM;

	free(copy);
	return err;
}

static bool check_text(void)
{
	struct xt_ratios ratios, again;
	char *text = NULL;
	size_t size;
	FILE *file;

	CHECK(!parse(good, &ratios), "%s", xetile_last_error());
	CHECK(ratios.measured);
	CHECK(ratios.of[0][1].read == 1833 && ratios.of[0][1].write == 1790);
	CHECK(ratios.of[1][XT_RATIO_LAST].read == 9100);
	CHECK(ratios.of[XT_RATIO_LAST][0].write == 2000 && !ratios.of[XT_RATIO_LAST][1].read);
	file = open_memstream(&text, &size);
	CHECK(file);
	xt_ratios_print(file, &two_tiles, &ratios);
	fclose(file);
	CHECK(!strcmp(text, good), "%s", text);
	CHECK(!parse(text, &again) && !memcmp(&again, &ratios, sizeof(again)));
	free(text);
	/* The CPU's may be missing, and lines may be in any order. */
	CHECK(!parse(HEAD PAIRS, &ratios));
	CHECK(!parse(HEAD CPU PAIRS, &ratios));
	return true;
}

static bool check_bad_text(void)
{
	static const struct { const char *text, *says; } bad[] = {
		{ "", "line 1" },
		{ "xetile-distances 2\n", "line 1" },
		{ "xetile-distances 1\n", "another card" },
		{ "xetile-distances 1\ncard 0000:02:00.0 device 0bd5 revision 2f tiles 2\n" PAIRS,
		  "another card" },
		{ "xetile-distances 1\ncard 0000:01:00.0 device 0bda revision 2f tiles 2\n" PAIRS,
		  "another card" },
		{ "xetile-distances 1\ncard 0000:01:00.0 device 0bd5 revision 2f tiles 4\n" PAIRS,
		  "another card" },
		{ HEAD, "missing" },
		{ HEAD "tile0 tile0 1000 1000\n", "missing" },
		{ HEAD PAIRS "tile1 tile0 1900 1200\n", "line 9: the pair occurs twice" },
		{ HEAD PAIRS "cpu tile2 1 1\n", "line 9: there is no pair" },
		{ HEAD PAIRS "cpu cpu 1 1\n", "no pair" },
		{ HEAD PAIRS "system tile0 1 1\n", "no pair" },
		{ HEAD PAIRS "tile00 tile0 1 1\n", "no pair" },
		{ HEAD PAIRS "cpu tile0 1\n", "four words" },
		{ HEAD PAIRS "cpu tile0 1 1 1\n", "four words" },
		{ HEAD PAIRS "cpu tile0 0 1\n", "a ratio is not" },
		{ HEAD PAIRS "cpu tile0 -1 1\n", "a ratio is not" },
		{ HEAD PAIRS "cpu tile0 1000000001 1\n", "a ratio is not" },
		{ HEAD PAIRS "cpu tile0 99999999999999999999999 1\n", "a ratio is not" },
		{ HEAD PAIRS "cpu tile0 1.5 1\n", "a ratio is not" },
		{ HEAD PAIRS "cpu tile0 2000 2000\n", "own memory is not" },
		{ HEAD PAIRS "cpu system 2000 2000\n", "own memory is not" },
		{ HEAD "tile0 tile0 1001 1000\ntile0 tile1 1 1\ntile0 system 1 1\n", "own HBM" },
	};
	struct xt_ratios ratios = { 0 }, untouched = { 0 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		CHECK(parse(bad[i].text, &ratios) == -EINVAL, "row %u", i);
		CHECK(strstr(xetile_last_error(), bad[i].says), "row %u: %s", i, xetile_last_error());
		CHECK(!memcmp(&ratios, &untouched, sizeof(ratios)), "row %u", i);
	}
	return true;
}

/* A file cut at any length, or with any byte changed, is refused or makes sense. */
static bool check_damage(void)
{
	struct xt_ratios ratios, whole;
	size_t len = strlen(good), i;
	char text[sizeof(good)];
	unsigned int c;

	CHECK(!parse(good, &whole));
	for (i = 0; i < len; i++) {
		memcpy(text, good, i);
		text[i] = 0;
		if (!parse(text, &ratios))
			CHECK(!xt_ratios_check(&ratios, 2), "cut at %zu", i);
		for (c = 1; c < 256; c++) {
			memcpy(text, good, sizeof(text));
			text[i] = c;
			if (!parse(text, &ratios))
				CHECK(!xt_ratios_check(&ratios, 2), "byte %zu is %u", i, c);
		}
	}
	return true;
}

/* --- files ------------------------------------------------------------------------------- */

static void put_file(const char *dir, const char *text)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/0000:01:00.0.distances", dir);
	unlink(path);
	file = text ? fopen(path, "w") : NULL;
	if (file) {
		fputs(text, file);
		fclose(file);
	}
}

/* Open a card whose files are @user and @root; NULL: there is none. */
static int open_with(const char *user, const char *root, struct xetile_platform **platform,
		     struct xetile_device **device)
{
	const struct xt_env env = { .state_dirs = { dirs[0], dirs[1] } };
	int err;

	put_file(dirs[0], user);
	put_file(dirs[1], root);
	fake_start(2, 1);
	err = fake_platform(1, &env, platform);
	return err ? err : xetile_platform_select(*platform, "0.1", device);
}

/* The distances of a card whose files make it say @says; @read: of tile 0 from tile 1 */
static bool card_says(const char *user, const char *root, const char *says, uint32_t read)
{
	struct xetile_distance d;
	struct xetile_platform *p;
	struct xetile_device *device;

	CHECK(!open_with(user, root, &p, &device), "%s", xetile_last_error());
	CHECK(strstr(xetile_device_calibration(device), says), "%s, without %s",
	      xetile_device_calibration(device), says);
	CHECK(!xetile_device_get_distance(device, 1, 0, &d));
	CHECK(d.hop == XETILE_HOP_TILE && d.order == 20 && d.measured == !!read && d.read == read);
	xetile_platform_close(p);
	return true;
}

static bool check_files(void)
{
	static const char other[] = HEAD "tile0 tile0 1000 1000\ntile0 tile1 1 1\n"
		"tile0 system 1 1\ntile1 tile1 1000 1000\ntile1 tile0 7 7\ntile1 system 1 1\n";
	char path[128];

	if (!card_says(NULL, NULL, "not measured", 0) ||
	    !card_says(good, NULL, dirs[0], 1900) ||
	    !card_says(NULL, other, dirs[1], 7) ||
	    /* The user's file comes first, and a bad one is not replaced in silence. */
	    !card_says(good, other, dirs[0], 1900) ||
	    !card_says(HEAD, other, "ignored: ", 0) ||
	    !card_says("x", good, "line 1 is not", 0))
		return false;
	/* A FIFO must not stop the process, and a folder is no file. */
	put_file(dirs[0], NULL);
	snprintf(path, sizeof(path), "%s/0000:01:00.0.distances", dirs[0]);
	CHECK(!mkfifo(path, 0600));
	{
		const struct xt_env env = { .state_dirs = { dirs[0] } };
		struct xetile_platform *p;

		fake_start(2, 1);
		CHECK(!fake_platform(1, &env, &p));
		CHECK(strstr(xetile_device_calibration(xetile_platform_device(p, 0)), "no file"));
		xetile_platform_close(p);
	}
	unlink(path);
	return true;
}

static bool check_too_long(void)
{
	char *text = malloc(20001);

	CHECK(text);
	memset(text, '\n', 20000);
	text[20000] = 0;
	CHECK(card_says(text, NULL, "no text of at most", 0));
	free(text);
	return true;
}

static bool check_answers(void)
{
	static const struct {
		int tile, memory;
		struct xetile_distance want;
	} rows[] = {
		{ 0, 0, { XETILE_HOP_NONE, 10, true, 1000, 1000 } },
		{ 0, 1, { XETILE_HOP_TILE, 20, true, 1833, 1790 } },
		{ 1, XETILE_SYSTEM, { XETILE_HOP_BUS, 40, true, 9100, 8100 } },
		{ XETILE_CPU, 0, { XETILE_HOP_BUS, 0, true, 50000, 2000 } },
		{ XETILE_CPU, 1, { XETILE_HOP_BUS, 0, false, 0, 0 } },
		{ XETILE_CPU, XETILE_SYSTEM, { XETILE_HOP_NONE, 0, true, 1000, 1000 } },
	};
	struct xetile_platform *p;
	struct xetile_device *device;
	struct xetile_distance d;
	unsigned int i;

	CHECK(!open_with(good, NULL, &p, &device));
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		memset(&d, 0, sizeof(d));
		CHECK(!xetile_device_get_distance(device, rows[i].tile, rows[i].memory, &d));
		CHECK(d.hop == rows[i].want.hop && d.order == rows[i].want.order &&
		      d.measured == rows[i].want.measured && d.read == rows[i].want.read &&
		      d.write == rows[i].want.write, "row %u", i);
	}
	/* The hop is what the driver says; an older driver says none. */
	fake.hop = DRM_XETILE_HOP_BUS;
	CHECK(!xetile_device_get_distance(device, 0, 1, &d) && d.hop == XETILE_HOP_BUS);
	fake.hop = 0;
	CHECK(!xetile_device_get_distance(device, 0, 1, &d) && d.hop == XETILE_HOP_TILE);
	CHECK(!xetile_device_get_distance(device, 0, 0, &d) && d.hop == XETILE_HOP_NONE);
	CHECK(!xetile_device_get_distance(device, 0, XETILE_SYSTEM, &d) && d.hop == XETILE_HOP_BUS);
	CHECK(xetile_device_get_distance(device, 2, 0, &d) == -ENOENT);
	CHECK(xetile_device_get_distance(device, -2, 0, &d) == -ENOENT);
	CHECK(xetile_device_get_distance(device, 0, 2, &d) == -ENOENT);
	CHECK(xetile_device_get_distance(device, 0, XETILE_TILE_SYSTEM, &d) == -ENOENT);
	fake.fail_request = DRM_IOCTL_XETILE_QUERY;
	fake.fail_errno = -ENODEV;
	CHECK(xetile_device_get_distance(device, 0, 0, &d) == -ENODEV);
	xetile_platform_close(p);
	return true;
}

static bool check_store(void)
{
	const struct xetile_ratio ratios[] = {
		{ 1, XETILE_SYSTEM, 9100, 8100 }, { 1, 1, 1000, 1000 }, { 1, 0, 1900, 1200 },
		{ 0, XETILE_SYSTEM, 9000, 8000 }, { 0, 1, 1833, 1790 }, { 0, 0, 1000, 1000 },
		{ XETILE_CPU, 0, 50000, 2000 }, { XETILE_CPU, XETILE_SYSTEM, 1000, 1000 },
		{ 0, 0, 1000, 1000 },
	}, bad = { 2, 0, 1, 1 }, zero = { 0, 0, 0, 1 }, huge = { 0, 0, 1, XT_RATIO_MAX + 1 };
	char deep[128], path[256] = "", text[512];
	struct xt_env env = { .state_dirs = { deep } };
	struct xetile_device *device;
	struct xetile_platform *p;
	FILE *file;
	size_t len;

	snprintf(deep, sizeof(deep), "%s/a/b", dirs[0]);
	fake_start(2, 1);
	CHECK(!fake_platform(1, &env, &p));
	device = xetile_platform_device(p, 0);
	CHECK(!xetile_device_store_ratios(device, ratios, 8, path, sizeof(path)), "%s",
	      xetile_last_error());
	file = fopen(path, "r");
	CHECK(file, "%s", path);
	len = fread(text, 1, sizeof(text), file);
	fclose(file);
	CHECK(len == strlen(good) && !memcmp(text, good, len));
	/* What is open keeps what it has read. */
	CHECK(strstr(xetile_device_calibration(device), "not measured"));
	CHECK(xetile_device_store_ratios(device, ratios, 9, path, sizeof(path)) == -EINVAL);
	CHECK(xetile_device_store_ratios(device, ratios, 5, path, sizeof(path)) == -EINVAL);
	CHECK(xetile_device_store_ratios(device, &bad, 1, path, sizeof(path)) == -EINVAL);
	CHECK(xetile_device_store_ratios(device, &zero, 1, path, sizeof(path)) == -EINVAL);
	CHECK(xetile_device_store_ratios(device, &huge, 1, path, sizeof(path)) == -EINVAL);
	xetile_platform_close(p);
	CHECK(!fake_platform(1, &env, &p));
	CHECK(strstr(xetile_device_calibration(xetile_platform_device(p, 0)), "measured on this"));
	xetile_platform_close(p);

	unlink(path);
	/* A file in the way of the folder, and no folder at all */
	snprintf(deep, sizeof(deep), "%s/a/b/c", dirs[0]);
	snprintf(text, sizeof(text), "%s/a/b", dirs[0]);
	CHECK(!rmdir(text));
	file = fopen(text, "w");
	CHECK(file);
	fclose(file);
	CHECK(!fake_platform(1, &env, &p));
	CHECK(xetile_device_store_ratios(xetile_platform_device(p, 0), ratios, 8, path,
					 sizeof(path)) < 0);
	CHECK_TEXT("cannot");
	xetile_platform_close(p);
	CHECK(!fake_platform(1, NULL, &p));
	CHECK(xetile_device_store_ratios(xetile_platform_device(p, 0), ratios, 8, path,
					 sizeof(path)) == -ENOENT);
	CHECK_TEXT("HOME");
	xetile_platform_close(p);
	return true;
}

int main(void)
{
	char command[160];
	unsigned int i;

	for (i = 0; i < 2; i++) {
		strcpy(dirs[i], "/tmp/xetile-test-XXXXXX");
		if (!mkdtemp(dirs[i]))
			return 1;
	}
	test_run("the file of ratios: its text", check_text());
	test_run("the file of ratios: bad text is refused and the line is named",
		 check_bad_text());
	test_run("the file of ratios: cut anywhere, any byte changed", check_damage());
	test_run("W11: which file a card's ratios come from", check_files());
	test_run("a file that is too long is ignored", check_too_long());
	test_run("W11: hop, order and ratios of each pair", check_answers());
	test_run("ratios are stored and read again", check_store());
	snprintf(command, sizeof(command), "rm -r %s %s", dirs[0], dirs[1]);
	return system(command) ? 1 : test_end();
}
