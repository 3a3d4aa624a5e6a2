// SPDX-License-Identifier: MIT
/*
 * Gangs: a batch for all tiles, or one batch for each tile, is submitted by one call and has one
 * fence.
 * Statements: S43, W1, W2.
 *
 * suite: igt soak 1-tile 2nd-card 4-tiles
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "xetile_igt.h"

IGT_TEST_DESCRIPTION("Batches on all tiles with one fence");

#define WPARID		0x21c
/* The low dword of the tile's clock */
#define RING_TIMESTAMP	0x358

/* Every tile runs the batch once and knows its own number. */
static void test_gang(const struct xetile_card *card)
{
	uint32_t tiles = card->device.num_tiles, q;
	struct xetile_batch b;
	struct ctx c;

	ctx_init(&c, card->fd);
	q = xetile_queue(c.fd, c.vm, COMPUTE, ROOT, 0, 0);
	for (uint32_t round = 1; round <= 20; round++) {
		memset(c.gate.map, 0, SZ_4K);
		batch_begin(&b, &c.batch, 0);
		batch_store(&b, c.gate.addr, round, true);
		batch_atomic_inc(&b, c.gate.addr + 1024);
		batch_end(&b);
		xetile_run(c.fd, q, batch_addr(&b));
		/* The fence stands for all tiles: all results must be there now. */
		for (uint32_t t = 0; t < tiles; t++)
			igt_assert_eq_u32(c.gate.map[2 * t], round);
		igt_assert_eq_u32(c.gate.map[2 * tiles], 0);
		igt_assert_eq_u32(c.gate.map[256], tiles);
	}
	xetile_queue_destroy(c.fd, q);
	ctx_fini(&c);
}

/* One batch for each tile, given as an array */
static void test_gang_array(const struct xetile_card *card)
{
	uint32_t tiles = card->device.num_tiles;
	uint64_t addrs[DRM_XETILE_MAX_TILES];
	struct drm_xetile_sync sync = { .flags = DRM_XETILE_SYNC_SIGNAL };
	struct drm_xetile_exec args = {
		.batch = to_user(addrs), .num_batches = tiles,
		.syncs = DRM_XETILE_ARRAY(&sync, 1),
	};
	struct xetile_batch b;
	struct ctx c;

	igt_require_f(tiles > 1, "needs two tiles\n");
	ctx_init(&c, card->fd);
	args.queue_id = xetile_queue(c.fd, c.vm, COMPUTE, ROOT, 0, 0);
	for (uint32_t t = 0; t < tiles; t++) {
		batch_begin(&b, &c.batch, t * 4096);
		batch_store(&b, c.gate.addr + t * 4, 0x10 + t, false);
		batch_store_reg(&b, WPARID, c.gate.addr + 64 + t * 4);
		batch_end(&b);
		addrs[t] = batch_addr(&b);
	}
	sync.handle = xetile_syncobj(c.fd);
	igt_assert_eq(xetile_ioctl(c.fd, DRM_IOCTL_XETILE_EXEC, &args), 0);
	igt_assert_eq(__xetile_wait(c.fd, sync.handle, 20000), 0);
	for (uint32_t t = 0; t < tiles; t++) {
		igt_assert_eq_u32(c.gate.map[t], 0x10 + t);
		igt_assert_eq_u32(c.gate.map[16 + t], t);
	}
	xetile_syncobj_destroy(c.fd, sync.handle);
	xetile_queue_destroy(c.fd, args.queue_id);
	ctx_fini(&c);
}

/* Each tile in turn is released last. The fence must signal after the last tile, and not before. */
static void test_gang_fence(const struct xetile_card *card)
{
	uint32_t tiles = card->device.num_tiles;
	uint64_t addrs[DRM_XETILE_MAX_TILES];
	struct drm_xetile_sync sync = { .flags = DRM_XETILE_SYNC_SIGNAL };
	struct drm_xetile_exec args = {
		.batch = to_user(addrs), .num_batches = tiles,
		.syncs = DRM_XETILE_ARRAY(&sync, 1),
	};
	struct xetile_batch b;
	struct ctx c;

	igt_require_f(tiles > 1, "needs two tiles\n");
	ctx_init(&c, card->fd);
	args.queue_id = xetile_queue(c.fd, c.vm, COMPUTE, ROOT, 0, 0);
	for (uint32_t t = 0; t < tiles; t++) {
		batch_begin(&b, &c.batch, t * 4096);
		batch_wait(&b, c.gate.addr + t * 64, 1);
		batch_end(&b);
		addrs[t] = batch_addr(&b);
	}
	for (uint32_t last = 0; last < tiles; last++) {
		memset(c.gate.map, 0, SZ_4K);
		sync.handle = xetile_syncobj(c.fd);
		igt_assert_eq(xetile_ioctl(c.fd, DRM_IOCTL_XETILE_EXEC, &args), 0);
		for (uint32_t t = 0; t < tiles; t++)
			if (t != last)
				*(volatile uint32_t *)&c.gate.map[t * 16] = 1;
		igt_assert_eq(__xetile_wait(c.fd, sync.handle, 200), -ETIME);
		*(volatile uint32_t *)&c.gate.map[last * 16] = 1;
		igt_assert_eq(__xetile_wait(c.fd, sync.handle, 20000), 0);
		igt_assert_eq(xetile_fence_status(c.fd, sync.handle), 1);
		xetile_syncobj_destroy(c.fd, sync.handle);
	}
	xetile_queue_destroy(c.fd, args.queue_id);
	ctx_fini(&c);
}

/*
 * A barrier inside the batch ends only if all tiles run at the same time. The counter only grows,
 * therefore a late tile still finds it reached.
 */
static uint32_t barrier_rounds(struct ctx *c, uint32_t q, uint32_t tiles, uint32_t rounds)
{
	struct xetile_batch b;

	for (uint32_t round = 0; round < rounds; round++) {
		c->gate.map[0] = 0;
		batch_begin(&b, &c->batch, 0);
		batch_atomic_inc(&b, c->gate.addr);
		batch_wait(&b, c->gate.addr, tiles);
		batch_store(&b, c->gate.addr + 64, round + 1, true);
		batch_end(&b);
		xetile_run(c->fd, q, batch_addr(&b));
		for (uint32_t t = 0; t < tiles; t++)
			igt_assert_eq_u32(c->gate.map[16 + 2 * t], round + 1);
	}
	return rounds;
}

static void test_gang_barrier(const struct xetile_card *card, int processes, int rounds)
{
	uint32_t tiles = card->device.num_tiles;

	igt_require_f(tiles > 1, "needs two tiles\n");
	igt_fork(child, processes) {
		int fd = xetile_reopen(card->fd);
		struct ctx c;
		uint32_t root, one;
		struct xetile_batch b;

		ctx_init(&c, fd);
		root = xetile_queue(fd, c.vm, COMPUTE, ROOT, 0, 0);
		one = xetile_queue(fd, c.vm, COMPUTE, TILE, child % tiles, 0);
		for (int i = 0; i < rounds; i++) {
			barrier_rounds(&c, root, tiles, 1);
			/* a job that needs only one of the engines */
			batch_begin(&b, &c.batch, 0);
			batch_store(&b, c.gate.addr + 256, i + 1, false);
			batch_end(&b);
			xetile_run(fd, one, batch_addr(&b));
			igt_assert_eq_u32(c.gate.map[64], i + 1);
		}
		xetile_queue_destroy(fd, root);
		xetile_queue_destroy(fd, one);
		ctx_fini(&c);
		close(fd);
	}
	igt_waitchildren();
}

/* --- how far apart the members begin -------------------------------------------- */

#define SKEW_PROCESSES	8u
#define SKEW_ROUNDS	50u

/*
 * The first command of each batch stores the tile's clock. The tiles of the virtual card have one
 * clock. No document says so of hardware: there how far the clocks are apart is part of each skew,
 * always the same, so the least and the most of them tell how much the begins vary. No clock is
 * compared with another tile's for the verdict.
 */
static void time_starts(const struct xetile_card *card, uint32_t *skews)
{
	uint32_t tiles = card->device.num_tiles, last[DRM_XETILE_MAX_TILES] = { 0 };
	uint64_t addrs[DRM_XETILE_MAX_TILES];
	struct drm_xetile_sync sync = { .flags = DRM_XETILE_SYNC_SIGNAL };
	struct drm_xetile_exec args = {
		.batch = to_user(addrs), .num_batches = tiles,
		.syncs = DRM_XETILE_ARRAY(&sync, 1),
	};
	struct xetile_batch b;
	struct ctx c;

	ctx_init(&c, xetile_reopen(card->fd));
	args.queue_id = xetile_queue(c.fd, c.vm, COMPUTE, ROOT, 0, 0);
	sync.handle = xetile_syncobj(c.fd);
	for (uint32_t t = 0; t < tiles; t++) {
		batch_begin(&b, &c.batch, t * 4096);
		batch_store_reg(&b, RING_TIMESTAMP, c.gate.addr + t * 4);
		batch_end(&b);
		addrs[t] = batch_addr(&b);
	}
	for (uint32_t round = 0; round < SKEW_ROUNDS; round++) {
		const uint32_t *began = c.gate.map;
		int32_t least = 0, most = 0;

		igt_assert_eq(xetile_ioctl(c.fd, DRM_IOCTL_XETILE_EXEC, &args), 0);
		xetile_wait_done(c.fd, sync.handle);
		for (uint32_t t = 0; t < tiles; t++) {
			int32_t ticks = began[t] - began[0];

			/* Later than in the gang before: the stamp is this batch's. */
			igt_assert(!round || (int32_t)(began[t] - last[t]) > 0);
			last[t] = began[t];
			least = ticks < least ? ticks : least;
			most = ticks > most ? ticks : most;
		}
		skews[round] = most - least;
	}
	xetile_syncobj_destroy(c.fd, sync.handle);
	xetile_queue_destroy(c.fd, args.queue_id);
	ctx_fini(&c);
	close(c.fd);
}

static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static void test_skew(const struct xetile_card *card, unsigned int processes)
{
	uint32_t (*skews)[SKEW_ROUNDS] = mmap(NULL, processes * sizeof(*skews),
					      PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
					      -1, 0);
	unsigned int num = processes * SKEW_ROUNDS;

	igt_assert(skews != MAP_FAILED);
	igt_require_f(card->device.num_tiles > 1, "needs two tiles\n");
	igt_fork(child, processes)
		time_starts(card, skews[child]);
	igt_waitchildren();
	qsort(skews, num, sizeof(uint32_t), compare);
	igt_info("note: %u gangs of %u processes began %u ticks apart at least, %u in the median, "
		 "%u at most, of %llu in a second\n", num, processes, skews[0][0],
		 skews[0][num / 2], skews[0][num - 1],
		 (unsigned long long)card->device.timestamp_hz);
	munmap(skews, processes * sizeof(*skews));
}

igt_main
{
	struct xetile_card card = { .fd = -1 };

	igt_fixture
		xetile_open_card(&card);

	igt_describe("Every tile must run the batch once, with one fence for all (S43, W1)");
	igt_subtest("once")
		test_gang(&card);
	igt_describe("Each tile must run its own batch of an array");
	igt_subtest("array")
		test_gang_array(&card);
	igt_describe("The fence must wait for the last tile, whichever that is (W1)");
	igt_subtest("fence")
		test_gang_fence(&card);
	igt_describe("Tiles that wait for each other inside the batch must run together (W2)");
	igt_subtest("barrier")
		test_gang_barrier(&card, 1, 20);
	igt_describe("Tiles must run together also with many processes and single-tile jobs "
		     "between (W1, W2)");
	igt_subtest("contention")
		test_gang_barrier(&card, 8, 10);
	igt_describe("Each member of a gang must begin after it did in the gang before; tells how far "
		     "apart the members begin (W2)");
	igt_subtest("skew")
		test_skew(&card, 1);
	igt_subtest("skew-contention")
		test_skew(&card, SKEW_PROCESSES);

	igt_fixture
		close(card.fd);
}
