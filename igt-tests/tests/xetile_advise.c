// SPDX-License-Identifier: MIT
/*
 * Advice about memory that moves on access: the next job brings a range to another tile, or to
 * system memory, and it returns there.
 * Statements: S118.
 *
 * suite: igt
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "xetile_job.h"
#include "xetile_lab.h"
#include "xetile_managed.h"
#include "xetile_recolor.h"

IGT_TEST_DESCRIPTION("Advice about memory that moves on access");

static int try_advise(int fd, uint32_t bo, const struct drm_xetile_bo_advice *ranges, uint32_t num)
{
	struct drm_xetile_bo_advise args = {
		.handle = bo, .ranges = DRM_XETILE_ARRAY(ranges, num),
	};

	return xetile_ioctl(fd, DRM_IOCTL_XETILE_BO_ADVISE, &args);
}

/* Advice about one range of 2 MiB, or about what the buffer has of it */
static void advise(const struct managed *m, uint64_t range, uint32_t advice, uint32_t tile)
{
	const struct drm_xetile_bo_advice one = {
		.offset = range * RANGE, .advice = advice, .tile = tile,
		.size = m->size - range * RANGE < RANGE ? m->size - range * RANGE : RANGE,
	};

	igt_assert_eq(try_advise(m->p.fd, m->bo, &one, 1), 0);
}

/* A job copies @bytes, and the next one none; then the pages are as @home says, or away. */
static void check_job(struct managed *m, uint64_t bytes, uint64_t away, const char *home)
{
	uint64_t before = xetile_bytes_copied();

	managed_run(m);
	igt_assert_eq_u64(xetile_bytes_copied() - before, bytes);
	managed_check_away(m, away, home);
	managed_run(m);
	igt_assert_eq_u64(xetile_bytes_copied() - before, bytes);
}

/* The color pages of a range are to be on @tile. */
static void set_home(char *home, const struct managed *m, uint64_t range, char tile)
{
	for (uint64_t i = range * RANGE / PAGE; i < (range + 1) * RANGE / PAGE; i++)
		if (i < m->size / PAGE)
			home[i] = tile;
}

/* A range goes to the tile of its advice from another tile, and from system memory. */
static void test_tile(const struct xetile_card *card)
{
	struct managed m;
	char *home, *colored;

	/* Each range has pages of all tiles. The last one is smaller than 2 MiB. */
	managed_init(&m, card, 3 * RANGE + 6 * PAGE, DRM_XETILE_COLOR_CHUNK, 0);
	home = managed_where(&m);
	colored = managed_where(&m);
	for (uint64_t i = 0; i < 4; i++)
		managed_fill(&m, i, 1);
	managed_run(&m);
	managed_check_away(&m, 0, colored);

	/* From HBM: only the next job moves it. */
	advise(&m, 1, DRM_XETILE_ADVICE_TILE, card->device.num_tiles - 1);
	managed_check_away(&m, 0, colored);
	set_home(home, &m, 1, '0' + card->device.num_tiles - 1);
	check_job(&m, RANGE, 0, home);
	/* From system memory, and there again when the CPU has touched it */
	managed_check_filled(&m, 1, 1);
	check_job(&m, RANGE, 0, home);
	managed_check_filled(&m, 3, 1);
	advise(&m, 3, DRM_XETILE_ADVICE_TILE, 0);
	set_home(home, &m, 3, '0');
	check_job(&m, 6 * PAGE, 0, home);
	/* What lies there does not move; the last advice counts. */
	advise(&m, 3, DRM_XETILE_ADVICE_DEFAULT, 0);
	advise(&m, 3, DRM_XETILE_ADVICE_TILE, 0);
	check_job(&m, 0, 0, home);
	/* The color again, from HBM */
	advise(&m, 1, DRM_XETILE_ADVICE_DEFAULT, 0);
	advise(&m, 3, DRM_XETILE_ADVICE_DEFAULT, 0);
	check_job(&m, RANGE + 6 * PAGE, 0, colored);
	for (uint64_t i = 0; i < 4; i++)
		managed_check_filled(&m, i, 1);
	free(home);
	free(colored);
	managed_fini(&m);
}

/* Jobs use a range in system memory, and both sides find it there, until the advice ends. */
static void test_system(const struct xetile_card *card)
{
	uint64_t read, written;
	struct managed m;
	char *home;

	managed_init_last(&m, card, 4 * RANGE);
	home = managed_where(&m);
	managed_fill(&m, 2, 1);
	managed_run(&m);
	advise(&m, 2, DRM_XETILE_ADVICE_SYSTEM, 0);
	advise(&m, 3, DRM_XETILE_ADVICE_SYSTEM, 0);
	managed_check_away(&m, 0, home);
	check_job(&m, 2 * RANGE, 1 << 2 | 1 << 3, home);

	read = xetile_copy_counter("read_system");
	written = xetile_copy_counter("write_system");
	/* The bytes cross the bus to be read, and not one more moves. */
	managed_copy(&m, 2, 0);
	igt_assert_eq_u64(xetile_copy_counter("read_system") - read, RANGE);
	igt_assert_eq_u64(xetile_copy_counter("write_system") - written, 0);
	managed_copy(&m, 0, 3);
	igt_assert_eq_u64(xetile_copy_counter("read_system") - read, RANGE);
	igt_assert_eq_u64(xetile_copy_counter("write_system") - written, RANGE);
	for (uint64_t i = 0; i < WORDS; i++)
		igt_assert_eq_u32(m.map[3 * WORDS + i], managed_word(2 * WORDS + i, 1));
	check_job(&m, 0, 1 << 2 | 1 << 3, home);

	advise(&m, 2, DRM_XETILE_ADVICE_DEFAULT, 0);
	check_job(&m, RANGE, 1 << 3, home);
	managed_check_filled(&m, 2, 1);
	free(home);
	managed_fini(&m);
}

/* Neither advice nor a bind waits for jobs, but the next job does. */
static void test_busy(const struct xetile_card *card)
{
	struct managed m;
	int status;
	char *home;
	pid_t pid;

	managed_init_last(&m, card, 2 * RANGE);
	home = managed_where(&m);
	managed_fill(&m, 1, 1);
	place_hold(&m.p);
	advise(&m, 0, DRM_XETILE_ADVICE_TILE, 0);
	advise(&m, 1, DRM_XETILE_ADVICE_SYSTEM, 0);
	xetile_vm_map(m.p.fd, m.p.vm, m.bo, 0, ADDR + (1ull << 30), m.size);
	managed_check_away(&m, 0, home);
	pid = fork();
	igt_assert(pid >= 0);
	if (!pid) {
		managed_run(&m);
		_exit(0);
	}
	xetile_assert_soon(xetile_sleeps_in(pid, "xetile_room_again"));
	igt_assert(!xetile_is_done(m.p.fd, m.p.held));
	place_let_go(&m.p);
	igt_assert_eq(waitpid(pid, &status, 0), pid);
	igt_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	set_home(home, &m, 0, '0');
	managed_check_away(&m, 1 << 1, home);
	managed_check_filled(&m, 1, 1);
	free(home);
	managed_fini(&m);
}

/* Waits until a buffer is clear: the copy engines write for that, too. */
static void wait_clear(int fd, uint32_t bo)
{
	volatile uint32_t *map = xetile_bo_map(fd, bo, PAGE);

	igt_assert_eq_u32(map[0], 0);
	munmap((void *)map, PAGE);
}

/* A range waits in the HBM that it has for room on its tile, and nothing is evicted for it. */
static void test_full(const struct xetile_card *card)
{
	uint32_t hog, idle;
	struct managed m;
	char *home;

	require_room_elsewhere(card);
	xetile_wait_hbm_free(card->fd);
	managed_init_last(&m, card, 2 * RANGE);
	home = managed_where(&m);
	idle = strict_on(card->fd, RANGE, 0);
	/* Free pieces that are smaller than a color page are of no use to a buffer. */
	hog = strict_on(card->fd, (hbm_free(card->fd) - RANGE / 2) & ~(PAGE - 1), 0);
	wait_clear(card->fd, idle);
	wait_clear(card->fd, hog);
	managed_run(&m);
	advise(&m, 1, DRM_XETILE_ADVICE_TILE, 0);
	check_job(&m, 0, 0, home);
	igt_assert_eq_u64(pages_on(card->fd, idle, 0), RANGE / PAGE);
	xetile_bo_close(card->fd, hog);
	set_home(home, &m, 1, '0');
	check_job(&m, RANGE, 0, home);
	xetile_bo_close(card->fd, idle);
	free(home);
	managed_fini(&m);
}

static void test_refused(const struct xetile_card *card)
{
	const struct drm_xetile_bo_advice good = { .size = RANGE };
	struct drm_xetile_bo_advise args = { .ranges = DRM_XETILE_ARRAY(&good, 1) };
	struct drm_xetile_bo_advice bad[] = {
		{ .size = 0 },
		{ .size = PAGE },
		{ .size = RANGE, .offset = PAGE },
		{ .size = 3 * RANGE },
		{ .size = RANGE, .offset = 4 * RANGE },
		{ .size = -RANGE, .offset = RANGE },
		{ .size = RANGE, .advice = 4 },
		{ .size = RANGE, .advice = DRM_XETILE_ADVICE_READ_MOSTLY, .tile = 1 },
		{ .size = RANGE, .advice = ~0u },
		{ .size = RANGE, .tile = 1 },
		{ .size = RANGE, .advice = DRM_XETILE_ADVICE_SYSTEM, .tile = 1 },
		{ .size = RANGE, .advice = DRM_XETILE_ADVICE_TILE, .tile = card->device.num_tiles },
		{ .size = RANGE, .advice = DRM_XETILE_ADVICE_TILE, .tile = SYSTEM },
	};
	struct drm_xetile_bo_advice pair[2] = { { .size = RANGE } };
	struct managed m;
	int fd = card->fd;
	uint32_t plain;

	managed_init_last(&m, card, 2 * RANGE + PAGE);
	igt_assert_eq(try_advise(fd, m.bo, &good, 1), 0);
	igt_assert_eq(try_advise(fd, m.bo, NULL, 0), -EINVAL);
	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++)
		igt_assert_eq(try_advise(fd, m.bo, &bad[i], 1), -EINVAL);
	/* All or nothing */
	pair[0].advice = DRM_XETILE_ADVICE_SYSTEM;
	pair[1] = bad[0];
	igt_assert_eq(try_advise(fd, m.bo, pair, 2), -EINVAL);
	managed_run(&m);
	igt_assert_eq_u64(pages_on(fd, m.bo, SYSTEM), 0);
	args.handle = m.bo;
	args.flags = 1;
	igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XETILE_BO_ADVISE, &args), -EINVAL);
	igt_assert_eq(try_advise(fd, BAD_ID, &good, 1), -ENOENT);
	plain = strict_on(fd, RANGE, 0);
	igt_assert_eq(try_advise(fd, plain, &good, 1), -EOPNOTSUPP);
	xetile_bo_close(fd, plain);
	managed_fini(&m);
}

igt_main
{
	struct xetile_card card;

	igt_fixture {
		xetile_open_card(&card);
		lab_require_card();
		igt_require(card.device.num_tiles > 1);
		igt_assert(card.device.caps & DRM_XETILE_CAP_ADVISE);
	}

	igt_describe("S118: the next job brings a range to a tile, by the card's counters to the byte");
	igt_subtest("tile")
		test_tile(&card);
	igt_describe("S118: jobs use a range in system memory across the bus, by the card's counters");
	igt_subtest("system")
		test_system(&card);
	igt_describe("Advice and binds must not wait for the jobs that use a range");
	igt_subtest("busy")
		test_busy(&card);
	igt_describe("Nothing must be evicted for a range that comes from another tile");
	igt_subtest("full")
		test_full(&card);
	igt_describe("Wrong advice must be refused, and then none of a call count");
	igt_subtest("refused")
		test_refused(&card);

	igt_fixture
		close(card.fd);
}
