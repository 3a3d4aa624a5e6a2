// SPDX-License-Identifier: MIT
/*
 * Buffers with a copy on each tile: each tile uses its own copy, at one GPU address.
 *
 * suite: once 4-tiles
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "xetile_lab.h"
#include "xetile_place.h"

IGT_TEST_DESCRIPTION("Buffers with a copy on each tile");

#define PAGES		4u
#define SIZE		(PAGES * PAGE)
#define ADDR		0x200000000ull
#define OUT_ADDR	0x300000000ull
#define HBM		DRM_XETILE_PLACE_HBM
#define SYSTEM		DRM_XETILE_PLACE_SYSTEM

/* A VM, and a buffer with copies of SIZE bytes on the tiles of @mask */
struct copies {
	int fd;
	uint32_t vm, bo, mask, tiles, num;
	struct xetile_buf batch;
};

static int try_copies(int fd, uint64_t *size, uint32_t mask, uint32_t placement, uint32_t *bo)
{
	struct drm_xetile_bo_create args = {
		.size = *size, .placement = placement, .flags = DRM_XETILE_BO_STRICT,
		.color = DRM_XETILE_COLOR_REPLICATE, .tile_mask = mask,
	};
	int ret = __xetile_bo_create(fd, &args);

	*bo = args.handle;
	*size = args.size;
	return ret;
}

static void copies_init(struct copies *c, const struct xetile_card *card, uint32_t mask,
			uint32_t placement)
{
	uint64_t size = SIZE;

	c->fd = card->fd;
	c->tiles = card->device.num_tiles;
	c->mask = mask;
	c->num = __builtin_popcount(mask);
	c->vm = xetile_vm(c->fd);
	igt_assert_eq(try_copies(c->fd, &size, mask, placement, &c->bo), 0);
	igt_assert_eq_u64(size, SIZE);
	xetile_buf_init(&c->batch, c->fd, c->vm, BATCH_ADDR, PAGE, SYSTEM);
	xetile_vm_map(c->fd, c->vm, c->bo, 0, ADDR, SIZE);
}

static void copies_fini(struct copies *c)
{
	xetile_buf_fini(&c->batch);
	xetile_bo_close(c->fd, c->bo);
	xetile_vm_destroy(c->fd, c->vm);
}

static uint32_t all_tiles(const struct xetile_card *card)
{
	return (1u << card->device.num_tiles) - 1;
}

/* The number of the copy that a tile uses */
static uint32_t copy_of(const struct copies *c, uint32_t tile)
{
	return c->mask & 1u << tile ? __builtin_popcount(c->mask & ((1u << tile) - 1)) : 0;
}

/* Word @page of page @page, different in each copy */
static uint32_t word_of(uint32_t copy, uint32_t page)
{
	return 0xc0 << 24 | copy << 16 | page;
}

/* The CPU writes a word into each page of each copy. */
static void write_words(const struct copies *c)
{
	uint32_t *map = xetile_bo_map(c->fd, c->bo, (uint64_t)c->num * SIZE);

	for (uint32_t i = 0; i < c->num * PAGES; i++)
		map[(i * PAGE) / 4 + i % PAGES] = word_of(i / PAGES, i % PAGES);
	munmap(map, (uint64_t)c->num * SIZE);
}

static void check_words(const struct copies *c)
{
	uint32_t *map = xetile_bo_map(c->fd, c->bo, (uint64_t)c->num * SIZE);

	for (uint32_t i = 0; i < c->num * PAGES; i++)
		igt_assert_eq_u32(map[(i * PAGE) / 4 + i % PAGES], word_of(i / PAGES, i % PAGES));
	munmap(map, (uint64_t)c->num * SIZE);
}

/* A copy engine of each tile reads the words from the one address. */
static void check_tiles(const struct copies *c)
{
	for (uint32_t t = 0; t < c->tiles; t++) {
		uint32_t queue = xetile_queue(c->fd, c->vm, COPY, TILE, t, 0);
		uint32_t out = xetile_bo_color(c->fd, SIZE, DRM_XETILE_COLOR_TILE, 1u << t, 0);
		struct xetile_batch b;
		uint32_t *map;

		xetile_vm_map(c->fd, c->vm, out, 0, OUT_ADDR, SIZE);
		batch_begin(&b, (struct xetile_buf *)&c->batch, 0);
		batch_mem_copy(&b, OUT_ADDR, ADDR, SIZE);
		batch_end(&b);
		xetile_run(c->fd, queue, batch_addr(&b));
		map = xetile_bo_map(c->fd, out, SIZE);
		for (uint32_t p = 0; p < PAGES; p++)
			igt_assert_eq_u32(map[p * PAGE / 4 + p], word_of(copy_of(c, t), p));
		munmap(map, SIZE);
		xetile_vm_unmap(c->fd, c->vm, OUT_ADDR, SIZE);
		xetile_bo_close(c->fd, out);
		xetile_queue_destroy(c->fd, queue);
	}
}

static void check_places(const struct copies *c)
{
	struct drm_xetile_color_run runs[DRM_XETILE_MAX_TILES];
	struct drm_xetile_bo_info info = { .handle = c->bo };
	uint32_t n = xetile_bo_runs(c->fd, c->bo, runs, DRM_XETILE_MAX_TILES), copy = 0;

	igt_assert_eq_u32(n, c->num);
	for (uint32_t t = 0; t < c->tiles; t++) {
		if (!(c->mask & 1u << t))
			continue;
		igt_assert_eq_u32(runs[copy].tile, t);
		igt_assert_eq_u32(runs[copy++].pages, PAGES);
	}
	igt_assert_eq(xetile_ioctl(c->fd, DRM_IOCTL_XETILE_BO_INFO, &info), 0);
	igt_assert_eq_u64(info.size, SIZE);
	igt_assert_eq_u32(info.color, DRM_XETILE_COLOR_REPLICATE);
	igt_assert_eq_u32(info.tile_mask, c->mask);
}

static void test_places(const struct xetile_card *card)
{
	uint64_t used = xetile_hbm_used(card->fd);
	struct copies c;

	/* Page tables, which the VM has from its creation on, and the buffer's copies */
	copies_init(&c, card, all_tiles(card), HBM);
	igt_assert_lte_u64(used + (uint64_t)c.num * SIZE, xetile_hbm_used(card->fd));
	check_places(&c);
	copies_fini(&c);
	copies_init(&c, card, 1u << (c.tiles - 1), HBM);
	check_places(&c);
	copies_fini(&c);
}

static void test_reads(const struct xetile_card *card, uint32_t mask)
{
	struct copies c;

	copies_init(&c, card, mask, HBM);
	write_words(&c);
	check_tiles(&c);
	check_words(&c);
	copies_fini(&c);
}

/* What a job writes is in the copy of its tile, and a job on all tiles writes all copies. */
static void test_writes(const struct xetile_card *card)
{
	uint32_t *map, queue;
	struct xetile_batch b;
	struct copies c;

	copies_init(&c, card, all_tiles(card), HBM);
	map = xetile_bo_map(c.fd, c.bo, (uint64_t)c.num * SIZE);
	for (uint32_t t = 0; t <= c.tiles; t++) {
		queue = t < c.tiles ? xetile_queue(c.fd, c.vm, COMPUTE, TILE, t, 0) :
				      xetile_queue(c.fd, c.vm, COMPUTE, ROOT, 0, 0);
		batch_begin(&b, &c.batch, 0);
		batch_store(&b, ADDR + 4 * t, 0x100 + t, false);
		batch_end(&b);
		xetile_run(c.fd, queue, batch_addr(&b));
		for (uint32_t i = 0; i < c.num; i++)
			igt_assert_eq_u32(map[(uint64_t)i * SIZE / 4 + t],
					  t == c.tiles || i == t ? 0x100 + t : 0);
		xetile_queue_destroy(c.fd, queue);
	}
	munmap(map, (uint64_t)c.num * SIZE);
	copies_fini(&c);
}

/* Copies are evicted, and brought back, each with what it had. */
static void test_evict(const struct xetile_card *card)
{
	struct copies c;

	require_room_elsewhere(card);
	copies_init(&c, card, all_tiles(card), HBM | SYSTEM);
	write_words(&c);
	xetile_evict_all(c.fd);
	igt_assert_eq_u64(pages_on(c.fd, c.bo, DRM_XETILE_MEM_SYSTEM), c.num * PAGES);
	check_words(&c);
	check_tiles(&c);
	check_places(&c);
	copies_fini(&c);
}

/* Returns how many bytes of other tiles' HBM all engines have read and written so far. */
static uint64_t remote_bytes(void)
{
	static const char * const keys[] = { "\"read_remote\":", "\"write_remote\":" };
	char *answer = lab_ask("counters");
	uint64_t sum = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(keys); i++)
		for (char *at = answer; (at = strstr(at, keys[i])); at++)
			sum += strtoull(at + strlen(keys[i]), NULL, 10);
	free(answer);
	return sum;
}

static void test_local(const struct xetile_card *card)
{
	struct copies c;
	uint64_t before;

	lab_require_card();
	igt_require_f(card->device.num_tiles > 1, "a single tile\n");
	copies_init(&c, card, all_tiles(card), HBM);
	write_words(&c);
	before = remote_bytes();
	check_tiles(&c);
	igt_assert_eq_u64(remote_bytes(), before);
	copies_fini(&c);
	/* Without a copy of its own, a tile reads another one's. */
	copies_init(&c, card, 1, HBM);
	write_words(&c);
	check_tiles(&c);
	igt_assert_lte_u64(before + SIZE, remote_bytes());
	copies_fini(&c);
}

/* A bind of a part maps that part of each copy. */
static void test_part(const struct xetile_card *card)
{
	struct copies c;

	copies_init(&c, card, all_tiles(card), HBM);
	write_words(&c);
	xetile_vm_unmap(c.fd, c.vm, ADDR, SIZE);
	for (uint32_t p = 0; p < PAGES; p++)
		xetile_vm_map(c.fd, c.vm, c.bo, (PAGES - 1 - p) * PAGE,
			      ADDR + (PAGES - 1 - p) * PAGE, PAGE);
	check_tiles(&c);
	copies_fini(&c);
}

static void test_refused(const struct xetile_card *card)
{
	struct drm_xetile_bo_range tile = {
		.size = PAGE, .color = DRM_XETILE_COLOR_TILE, .tile_mask = 1,
	};
	struct drm_xetile_bo_recolor recolor = { .ranges = DRM_XETILE_ARRAY(&tile, 1) };
	struct drm_xetile_bind past = {
		.op = DRM_XETILE_BIND_MAP, .addr = OUT_ADDR, .range = SIZE, .offset = PAGE,
	};
	struct copies c;
	uint64_t size;
	uint32_t bo;

	copies_init(&c, card, all_tiles(card), HBM);
	recolor.handle = past.handle = c.bo;
	igt_assert_eq(xetile_ioctl(c.fd, DRM_IOCTL_XETILE_BO_RECOLOR, &recolor), -EOPNOTSUPP);
	/* The bytes behind a copy are another tile's. */
	igt_assert_eq(__xetile_vm_bind(c.fd, c.vm, &past, 1, NULL, 0), -EINVAL);
	past.offset = SIZE;
	igt_assert_eq(__xetile_vm_bind(c.fd, c.vm, &past, 1, NULL, 0), -EINVAL);
	copies_fini(&c);

	size = 1ull << 63;
	igt_assert_eq(try_copies(card->fd, &size, all_tiles(card), HBM, &bo),
		      card->device.num_tiles > 1 ? -EINVAL : -ENOSPC);
	igt_assert_eq(try_copies(card->fd, &size, 1u << card->device.num_tiles, HBM, &bo), -EINVAL);
	size = SIZE;
	igt_assert_eq(try_copies(card->fd, &size, 1u << card->device.num_tiles, HBM, &bo), -EINVAL);
	igt_assert_eq(try_copies(card->fd, &size, 0, SYSTEM, &bo), -EINVAL);
	/* One copy of more than a tile has, though all tiles together have room for it */
	size = part_of_tile(card, 99) / PAGE * PAGE + part_of_tile(card, 5);
	igt_assert_eq(try_copies(card->fd, &size, 0, HBM, &bo), -ENOSPC);
}

igt_main
{
	struct xetile_card card;

	igt_fixture {
		xetile_open_card(&card);
		igt_assert(card.device.caps & DRM_XETILE_CAP_REPLICATE);
	}

	igt_describe("Each copy must lie on its tile, and sizes must be those of one copy");
	igt_subtest("places")
		test_places(&card);
	igt_describe("At one address each tile must read its own copy");
	igt_subtest("reads")
		test_reads(&card, all_tiles(&card));
	igt_describe("A tile without a copy must read the first one");
	igt_subtest("no-copy")
		test_reads(&card, 1u << (card.device.num_tiles - 1));
	igt_describe("A job must write the copies of its tiles, and no other");
	igt_subtest("writes")
		test_writes(&card);
	igt_describe("Copies must come back from system memory, each with what it had");
	igt_subtest("evict")
		test_evict(&card);
	igt_describe("No byte may come from another tile");
	igt_subtest("local")
		test_local(&card);
	igt_describe("Parts of copies must be mapped as copies");
	igt_subtest("part")
		test_part(&card);
	igt_describe("What copies cannot do must be refused");
	igt_subtest("refused")
		test_refused(&card);

	igt_fixture
		close(card.fd);
}
