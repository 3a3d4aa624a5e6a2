// SPDX-License-Identifier: MIT
/*
 * How much HBM is in use: QUERY, sysfs, fdinfo and the clients' own sums tell the same, also while
 * many clients create and close buffers, and to every user.
 * Statements: W9.
 *
 * suite: once
 */
#include <errno.h>
#include <grp.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "xetile_igt.h"
#include "xetile_place.h"

IGT_TEST_DESCRIPTION("All reports of used HBM agree");

#define USER	65534

/* The number in a file of a tile's folder memory */
static uint64_t memory_file(int fd, unsigned int tile, const char *name)
{
	char file[64], text[32];

	snprintf(file, sizeof(file), "../memory/%s", name);
	igt_assert_eq(xetile_sysfs_read(fd, tile, file, text, sizeof(text)), 0);
	return strtoull(text, NULL, 10);
}

/* --- sysfs ------------------------------------------------------------------------ */

/* While nothing changes, sysfs shows what QUERY tells. */
static void check_files(int fd, unsigned int num_tiles)
{
	struct drm_xetile_query_tile tiles[DRM_XETILE_MAX_TILES] = { 0 };

	igt_assert_eq_u32(xetile_query_tiles(fd, tiles), num_tiles);
	for (unsigned int t = 0; t < num_tiles; t++) {
		igt_assert_lte_u64(1, tiles[t].hbm_total);
		igt_assert_eq_u64(memory_file(fd, t, "total_bytes"), tiles[t].hbm_total);
		igt_assert_eq_u64(memory_file(fd, t, "used_bytes"), tiles[t].hbm_used);
		igt_assert_eq_u64(memory_file(fd, t, "visible_bytes"), tiles[t].hbm_visible);
	}
}

static void test_sysfs(const struct xetile_card *card)
{
	unsigned int num = card->device.num_tiles;
	uint64_t used[DRM_XETILE_MAX_TILES];
	uint32_t bo;

	xetile_wait_hbm_free(card->fd);
	check_files(card->fd, num);
	for (unsigned int t = 0; t < num; t++)
		used[t] = memory_file(card->fd, t, "used_bytes");
	for (unsigned int t = 0; t < num; t++) {
		bo = strict_on(card->fd, SZ_2M, t);
		for (unsigned int other = 0; other < num; other++)
			igt_assert_eq_u64(memory_file(card->fd, other, "used_bytes"),
					  used[other] + (other == t ? SZ_2M : 0));
		check_files(card->fd, num);
		xetile_bo_close(card->fd, bo);
		xetile_wait_hbm_free(card->fd);
	}
	bo = xetile_bo_color(card->fd, num * SZ_64K, DRM_XETILE_COLOR_EVEN, 0, 0);
	for (unsigned int t = 0; t < num; t++)
		igt_assert_eq_u64(memory_file(card->fd, t, "used_bytes"), used[t] + SZ_64K);
	/* A user without any privilege learns the same. */
	igt_fork(child, 1) {
		igt_assert_eq(setgroups(0, NULL), 0);
		igt_assert_eq(setgid(USER), 0);
		igt_assert_eq(setuid(USER), 0);
		check_files(card->fd, num);
		for (unsigned int t = 0; t < num; t++)
			igt_assert_eq_u64(memory_file(card->fd, t, "used_bytes"), used[t] + SZ_64K);
	}
	igt_waitchildren();
	xetile_bo_close(card->fd, bo);
}

/* --- churn ------------------------------------------------------------------------ */

/* Files of the card, and the processes that use them */
#define CLIENTS	1000u
#define PROCESSES	50u
#define EACH	(CLIENTS / PROCESSES)
#define STEPS	12u
#define HELD	3u

/*
 * Bytes of a tile, which only grow. A client has at least what it has created less what it has begun
 * to close, and at most what it has begun to create less what it has closed.
 */
struct tally {
	_Atomic uint64_t create_begin, create_end, close_begin, close_end;
};

/* In memory that all processes share */
struct churn {
	struct tally tiles[DRM_XETILE_MAX_TILES];
	_Atomic unsigned int finished;
};

struct piece {
	uint32_t handle;
	uint64_t bytes[DRM_XETILE_MAX_TILES];
};

static void piece_create(struct churn *churn, int fd, unsigned int num_tiles, unsigned int seed,
			 struct piece *piece)
{
	uint32_t tile = seed % (num_tiles + 1);
	bool even = tile == num_tiles;
	struct drm_xetile_bo_create args = {
		.size = SZ_64K * (even ? num_tiles : 1 + seed % 2),
		.placement = DRM_XETILE_PLACE_HBM, .flags = DRM_XETILE_BO_STRICT,
		.color = even ? DRM_XETILE_COLOR_EVEN : DRM_XETILE_COLOR_TILE,
		.tile_mask = even ? 0 : 1u << tile,
	};

	for (unsigned int t = 0; t < num_tiles; t++) {
		piece->bytes[t] = even ? SZ_64K : t == tile ? args.size : 0;
		churn->tiles[t].create_begin += piece->bytes[t];
	}
	igt_assert_eq(__xetile_bo_create(fd, &args), 0);
	for (unsigned int t = 0; t < num_tiles; t++)
		churn->tiles[t].create_end += piece->bytes[t];
	piece->handle = args.handle;
}

/* A buffer that is still being cleared would be freed later: the read waits for that. */
static void piece_wait(int fd, const struct piece *piece)
{
	volatile uint32_t *map = xetile_bo_map(fd, piece->handle, SZ_64K);

	igt_assert_eq_u32(*map, 0);
	munmap((void *)map, SZ_64K);
}

static void piece_close(struct churn *churn, int fd, unsigned int num_tiles, struct piece *piece)
{
	piece_wait(fd, piece);
	for (unsigned int t = 0; t < num_tiles; t++)
		churn->tiles[t].close_begin += piece->bytes[t];
	xetile_bo_close(fd, piece->handle);
	for (unsigned int t = 0; t < num_tiles; t++)
		churn->tiles[t].close_end += piece->bytes[t];
	piece->handle = 0;
}

/* Has some clients create and close buffers; they keep some until the pipe @stop ends. */
static void churn_some(struct churn *churn, const int fds[EACH], unsigned int num_tiles,
		       unsigned int seed, int stop)
{
	struct piece pieces[EACH][HELD] = { 0 };
	char c;

	for (unsigned int i = 0; i < EACH * STEPS; i++) {
		unsigned int n = i % EACH;
		struct piece *piece = &pieces[n][(seed + i / EACH) % HELD];

		if (piece->handle)
			piece_close(churn, fds[n], num_tiles, piece);
		piece_create(churn, fds[n], num_tiles, seed + i, piece);
		sched_yield();
	}
	for (unsigned int n = 0; n < EACH; n++)
		for (unsigned int i = 0; i < HELD; i++)
			piece_wait(fds[n], &pieces[n][i]);
	churn->finished++;
	igt_assert_eq(read(stop, &c, 1), 0);
}

/* How much one of the reports says that is in use on a tile, @clients being the clients' files */
typedef uint64_t (*report_fn)(int fd, unsigned int tile, const int *clients);

static uint64_t report_query(int fd, unsigned int tile, const int *clients)
{
	struct drm_xetile_query_tile tiles[DRM_XETILE_MAX_TILES] = { 0 };

	xetile_query_tiles(fd, tiles);
	return tiles[tile].hbm_used;
}

static uint64_t report_sysfs(int fd, unsigned int tile, const int *clients)
{
	return memory_file(fd, tile, "used_bytes");
}

static uint64_t report_fdinfo(int fd, unsigned int tile, const int *clients)
{
	uint64_t sum = 0;
	char key[32];

	snprintf(key, sizeof(key), "drm-resident-hbm%u", tile);
	for (unsigned int i = 0; i < CLIENTS; i++)
		sum += xetile_fdinfo_bytes(clients[i], key);
	return sum;
}

static const struct {
	const char *name;
	report_fn read;
} reports[] = {
	{ "QUERY", report_query },
	{ "sysfs", report_sysfs },
	{ "fdinfo", report_fdinfo },
};

/*
 * Asserts that a report is one of the numbers that were true while it was made: @base and what the
 * clients had. Returns how far apart the bounds were.
 */
static uint64_t sample(struct churn *churn, int fd, unsigned int tile, const int *clients,
		       unsigned int report, uint64_t base)
{
	struct tally *tally = &churn->tiles[tile];
	uint64_t created = tally->create_end, closed = tally->close_end;
	uint64_t told = reports[report].read(fd, tile, clients);
	uint64_t least = created - tally->close_begin, most = tally->create_begin - closed;

	/* All that was created before may be closed by now. */
	if (created < tally->close_begin)
		least = 0;
	igt_assert_f(told >= base + least && told <= base + most,
		     "%s of tile %u: %llu bytes, not between %llu and %llu\n",
		     reports[report].name, tile, (unsigned long long)told,
		     (unsigned long long)(base + least), (unsigned long long)(base + most));
	return most - least;
}

/* Looks at all reports until all clients have finished. Returns the number of samples. */
static unsigned int sample_all(struct churn *churn, const struct xetile_card *card,
			       const int *clients, uint64_t base[][ARRAY_SIZE(reports)])
{
	unsigned int n = 0;

	while (churn->finished < PROCESSES)
		for (unsigned int t = 0; t < card->device.num_tiles; t++)
			for (unsigned int r = 0; r < ARRAY_SIZE(reports); r++, n++)
				sample(churn, card->fd, t, clients, r, base[t][r]);
	return n;
}

static void open_clients(const struct xetile_card *card, int *clients)
{
	struct rlimit files = { 2 * CLIENTS, 2 * CLIENTS };

	igt_assert_eq(setrlimit(RLIMIT_NOFILE, &files), 0);
	for (unsigned int i = 0; i < CLIENTS; i++)
		clients[i] = xetile_reopen(card->fd);
}

/*
 * Every report is one of the values that were true while it was made; and all are equal, exactly,
 * while nothing changes.
 */
static void test_churn(const struct xetile_card *card)
{
	unsigned int num = card->device.num_tiles, samples;
	uint64_t base[DRM_XETILE_MAX_TILES][ARRAY_SIZE(reports)];
	struct churn *churn = mmap(NULL, sizeof(*churn), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	static int clients[CLIENTS];
	int stop[2];

	igt_assert(churn != MAP_FAILED);
	igt_assert_eq(pipe(stop), 0);
	xetile_wait_hbm_free(card->fd);
	open_clients(card, clients);
	for (unsigned int t = 0; t < num; t++)
		for (unsigned int r = 0; r < ARRAY_SIZE(reports); r++)
			base[t][r] = reports[r].read(card->fd, t, clients);

	igt_fork(i, PROCESSES) {
		close(stop[1]);
		churn_some(churn, &clients[i * EACH], num, i, stop[0]);
	}
	samples = sample_all(churn, card, clients, base);
	igt_info("%u samples while %u clients made %u buffers each\n", samples, CLIENTS, STEPS);
	igt_assert_lte(3, samples);
	for (unsigned int t = 0; t < num; t++)
		for (unsigned int r = 0; r < ARRAY_SIZE(reports); r++)
			igt_assert_eq_u64(sample(churn, card->fd, t, clients, r, base[t][r]), 0);
	close(stop[1]);
	igt_waitchildren();
	close(stop[0]);
	for (unsigned int i = 0; i < CLIENTS; i++)
		close(clients[i]);
	xetile_wait_hbm_free(card->fd);
	for (unsigned int t = 0; t < num; t++)
		igt_assert_eq_u64(memory_file(card->fd, t, "used_bytes"), base[t][1]);
	munmap(churn, sizeof(*churn));
}

igt_main
{
	struct xetile_card card = { .fd = -1 };

	igt_fixture
		xetile_open_card(&card);

	igt_describe("sysfs must show the HBM in use, and every user must learn it (W9)");
	igt_subtest("sysfs")
		test_sysfs(&card);
	igt_describe("QUERY, sysfs, fdinfo and the clients' sums must agree at every moment, while "
		     "1000 clients create and close buffers (W9)");
	igt_subtest("churn")
		test_churn(&card);

	igt_fixture
		close(card.fd);
}
