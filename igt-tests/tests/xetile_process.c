// SPDX-License-Identifier: MIT
/*
 * Colors and slices of a process that uses the calls of xe, and so cannot ask for them itself: what
 * the call about the process says holds for its buffers, for nobody else's, and across exec().
 *
 * suite: igt
 */
#define _GNU_SOURCE
#include <drm/xe_drm.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "xetile_igt.h"

IGT_TEST_DESCRIPTION("Colors of a process that uses the calls of xe");

#define PAGE	DRM_XETILE_COLOR_PAGE
#define COLOR	DRM_XETILE_PROCESS_COLOR
#define CSLICE	DRM_XETILE_PROCESS_CSLICE
#define PAGES	16

static int set_process(int fd, const struct drm_xetile_process *process)
{
	struct drm_xetile_process args = *process;

	return xetile_ioctl(fd, DRM_IOCTL_XETILE_PROCESS, &args);
}

/* A buffer in the memory of one tile, as a runtime makes it. Returns 0 or a handle. */
static uint32_t xe_bo(int fd, unsigned int tile, uint64_t size)
{
	struct drm_xe_gem_create args = {
		.size = size, .placement = 2u << tile, .cpu_caching = DRM_XE_GEM_CPU_CACHING_WC,
	};

	return xetile_ioctl(fd, DRM_IOCTL_XE_GEM_CREATE, &args) ? 0 : args.handle;
}

/* Pages of a new buffer that @first names, @num of which lie on tile 0. */
static unsigned int pages_on_0(int fd, unsigned int tile, uint64_t size)
{
	struct drm_xetile_color_run runs[PAGES];
	uint32_t bo = xe_bo(fd, tile, size);
	unsigned int num, pages = 0;

	igt_assert(bo);
	num = xetile_bo_runs(fd, bo, runs, PAGES);
	igt_assert(num <= PAGES);
	for (unsigned int i = 0; i < num; i++)
		pages += runs[i].tile == 0 ? runs[i].pages : 0;
	xetile_bo_close(fd, bo);
	return pages;
}

static unsigned int num_runs(int fd, uint64_t size)
{
	struct drm_xetile_color_run runs[PAGES];
	uint32_t bo = xe_bo(fd, 1, size);
	unsigned int num;

	igt_assert(bo);
	num = xetile_bo_runs(fd, bo, runs, PAGES);
	xetile_bo_close(fd, bo);
	return num;
}

static void test_refused(const struct xetile_card *card)
{
	const uint32_t missing = 1u << card->device.num_tiles;
	const struct drm_xetile_process bad[] = {
		{ .flags = 4 }, { .flags = ~0u }, { .color = DRM_XETILE_COLOR_TILE },
		{ .granule = PAGE }, { .min_size = 1 }, { .tile_mask = 1 }, { .cslice = 1 },
		{ .flags = CSLICE, .cslice = DRM_XETILE_MAX_CSLICES },
		{ .flags = CSLICE, .tile_mask = 1 },
		{ .flags = COLOR, .color = DRM_XETILE_COLOR_WEIGHTED },
		{ .flags = COLOR, .color = DRM_XETILE_COLOR_MAP },
		{ .flags = COLOR, .color = DRM_XETILE_COLOR_REPLICATE },
		{ .flags = COLOR, .color = 7 }, { .flags = COLOR, .color = ~0u },
		{ .flags = COLOR, .tile_mask = missing }, { .flags = COLOR, .cslice = 1 },
		{ .flags = COLOR, .color = DRM_XETILE_COLOR_TILE, .tile_mask = 1 },
		{ .flags = COLOR, .color = DRM_XETILE_COLOR_EVEN, .granule = PAGE },
		{ .flags = COLOR, .color = DRM_XETILE_COLOR_CHUNK, .granule = PAGE / 2 },
		{ .flags = COLOR, .color = DRM_XETILE_COLOR_CHUNK, .granule = 1ull << 48 },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++)
		igt_assert_f(set_process(card->fd, &bad[i]) == -EINVAL, "row %u", i);
}

static void test_colors(const struct xetile_card *card)
{
	const struct drm_xetile_process even = { .flags = COLOR, .min_size = 2 * PAGE };
	const struct drm_xetile_process chunk = {
		.flags = COLOR, .color = DRM_XETILE_COLOR_CHUNK, .granule = 2 * PAGE,
	};
	const struct drm_xetile_process spill = { .flags = COLOR, .color = DRM_XETILE_COLOR_TILE };
	const struct drm_xetile_process none = { };
	int fd = xetile_reopen(card->fd), other = xetile_reopen(card->fd);

	igt_assert_eq(pages_on_0(fd, 1, PAGES * PAGE), 0);
	igt_assert_eq(set_process(fd, &even), 0);
	igt_assert_eq(pages_on_0(fd, 1, PAGES * PAGE), PAGES / card->device.num_tiles);
	/* The process has it, and not the file. */
	igt_assert_eq(pages_on_0(other, 1, PAGES * PAGE), PAGES / card->device.num_tiles);
	igt_assert_eq(pages_on_0(fd, 1, PAGE), 0);
	igt_assert_eq(set_process(fd, &chunk), 0);
	igt_assert_eq(num_runs(fd, PAGES * PAGE), PAGES / 2);
	igt_assert_eq(set_process(fd, &spill), 0);
	igt_assert_eq(pages_on_0(fd, 1, PAGES * PAGE), 0);
	igt_assert_eq(pages_on_0(fd, 0, PAGES * PAGE), PAGES);
	igt_assert_eq(set_process(fd, &even), 0);
	igt_assert_eq(set_process(fd, &none), 0);
	igt_assert_eq(pages_on_0(fd, 1, PAGES * PAGE), 0);

	/* It ends with the file. */
	igt_assert_eq(set_process(fd, &even), 0);
	close(fd);
	igt_assert_eq(pages_on_0(other, 1, PAGES * PAGE), 0);
	close(other);
}

/* Another process gets nothing, and cannot say anything in this process's file. */
static void test_others(const struct xetile_card *card)
{
	const struct drm_xetile_process even = { .flags = COLOR };
	int fd = xetile_reopen(card->fd), status;
	pid_t child;

	igt_assert_eq(set_process(fd, &even), 0);
	child = fork();
	igt_assert(child >= 0);
	if (!child) {
		bool good = !pages_on_0(fd, 1, PAGES * PAGE) && set_process(fd, &even) == -EINVAL;

		_exit(good ? 0 : 1);
	}
	igt_assert_eq(waitpid(child, &status, 0), child);
	igt_assert_eq(status, 0);
	igt_assert(pages_on_0(fd, 1, PAGES * PAGE));
	close(fd);
}

/* The environment tells the program that a subtest becomes how many pages it must find. */
#define WANTED	"XETILE_PROCESS_PAGES"

/* The program opens the card anew, as a runtime does. */
static int become(const char *wanted)
{
	return pages_on_0(xetile_open(), 1, PAGES * PAGE) == (unsigned int)atoi(wanted) ? 0 : 1;
}

static void test_exec(const struct xetile_card *card)
{
	const struct drm_xetile_process even = { .flags = COLOR };
	char wanted[16];
	int status;
	pid_t child;

	snprintf(wanted, sizeof(wanted), "%u", PAGES / card->device.num_tiles);
	child = fork();
	igt_assert(child >= 0);
	if (!child) {
		int fd = xetile_reopen(card->fd);

		if (fcntl(fd, F_SETFD, 0) || set_process(fd, &even) || setenv(WANTED, wanted, 1))
			_exit(2);
		execl("/proc/self/exe", "xetile_process", NULL);
		_exit(3);
	}
	igt_assert_eq(waitpid(child, &status, 0), child);
	igt_assert_eq(status, 0);
}

igt_main
{
	struct xetile_card card;

	if (getenv(WANTED))
		_exit(become(getenv(WANTED)));

	igt_fixture {
		xetile_open_card(&card);
		igt_require(card.device.num_tiles > 1);
		igt_assert(card.device.caps & DRM_XETILE_CAP_XE);
	}

	igt_describe("What does not fit must be refused");
	igt_subtest("refused")
		test_refused(&card);
	igt_describe("Buffers must get the color of the process, as long as its file is open");
	igt_subtest("colors")
		test_colors(&card);
	igt_describe("Other processes must not be concerned");
	igt_subtest("others")
		test_others(&card);
	igt_describe("A program must get the color that its process had before");
	igt_subtest("exec")
		test_exec(&card);

	igt_fixture
		close(card.fd);
}
