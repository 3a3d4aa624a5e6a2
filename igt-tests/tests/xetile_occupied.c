// SPDX-License-Identifier: MIT
/*
 * Buffers that go to the tile with the most free HBM: which tile that is, and that the choice
 * becomes the buffer's color.
 * Statements: S7, S8.
 *
 * suite: once 1-tile
 */
#include <errno.h>

#include "xetile_igt.h"
#include "xetile_place.h"

IGT_TEST_DESCRIPTION("Buffers on the tile with the most free HBM");

#define EMPTIEST	DRM_XETILE_BO_LEAST_OCCUPIED
/* Far more than page tables and contexts take */
#define FILL		(16 * SZ_2M)

/* Creates a buffer on the emptiest tile of @tile_mask. Returns its handle. */
static uint32_t emptiest(int fd, uint64_t size, uint32_t color, uint32_t tile_mask)
{
	struct drm_xetile_bo_create args = {
		.size = size, .placement = DRM_XETILE_PLACE_HBM, .color = color,
		.flags = EMPTIEST | DRM_XETILE_BO_STRICT, .tile_mask = tile_mask,
	};

	igt_assert_eq(__xetile_bo_create(fd, &args), 0);
	return args.handle;
}

/* Asserts that a buffer lies on @tile alone, and that BO_INFO tells no other tile. */
static void check_on(int fd, uint32_t bo, uint32_t tile)
{
	struct drm_xetile_color_run run = { 0 };
	struct drm_xetile_bo_info info = {
		.handle = bo, .runs = DRM_XETILE_ARRAY(&run, 1),
	};

	igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XETILE_BO_INFO, &info), 0);
	igt_assert_eq_u32(info.runs.count, 1);
	igt_assert_eq_u32(run.tile, tile);
	igt_assert_eq_u32(info.tile_mask, 1u << tile);
	igt_assert_eq_u32(info.flags, EMPTIEST | DRM_XETILE_BO_STRICT);
}

/* The tile @empty has more free HBM than all others. */
static void check_choice(const struct xetile_card *card, uint32_t empty)
{
	uint32_t num = card->device.num_tiles, fill[DRM_XETILE_MAX_TILES], bo;

	/* What was closed a moment ago has HBM until it is cleared. */
	xetile_wait_hbm_free(card->fd);
	for (uint32_t t = 0; t < num; t++)
		if (t != empty)
			fill[t] = strict_on(card->fd, FILL, t);

	bo = emptiest(card->fd, 3 * SZ_64K, DRM_XETILE_COLOR_TILE, 0);
	check_on(card->fd, bo, empty);
	xetile_bo_close(card->fd, bo);
	bo = emptiest(card->fd, 1, DRM_XETILE_COLOR_EVEN, (1u << num) - 1);
	check_on(card->fd, bo, empty);
	xetile_bo_close(card->fd, bo);
	/* Another tile than those of the mask is not chosen. */
	for (uint32_t t = 0; t < num; t++) {
		bo = emptiest(card->fd, SZ_64K, DRM_XETILE_COLOR_TILE, 1u << t);
		check_on(card->fd, bo, t);
		xetile_bo_close(card->fd, bo);
	}

	for (uint32_t t = 0; t < num; t++)
		if (t != empty)
			xetile_bo_close(card->fd, fill[t]);
}

static void test_choice(const struct xetile_card *card)
{
	for (uint32_t t = 0; t < card->device.num_tiles; t++)
		check_choice(card, t);
}

/* Buffers that are made one after the other fill all tiles alike. */
static void test_balance(const struct xetile_card *card)
{
	uint32_t bos[16], num = card->device.num_tiles, on[DRM_XETILE_MAX_TILES] = { 0 };

	xetile_wait_hbm_free(card->fd);
	for (unsigned int i = 0; i < ARRAY_SIZE(bos); i++)
		bos[i] = emptiest(card->fd, FILL / 8, DRM_XETILE_COLOR_TILE, 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(bos); i++) {
		for (uint32_t t = 0; t < num; t++)
			on[t] += pages_on(card->fd, bos[i], t) != 0;
		xetile_bo_close(card->fd, bos[i]);
	}
	for (uint32_t t = 0; t < num; t++) {
		igt_assert_lte_u64(ARRAY_SIZE(bos) / num, on[t] + 1);
		igt_assert_lte_u64(on[t], ARRAY_SIZE(bos) / num + 1);
	}
}

/* A buffer returns to the tile that was chosen, however full that tile is by then. */
static void test_keeps(const struct xetile_card *card)
{
	uint32_t last = card->device.num_tiles - 1, fill, bo, vm;

	require_room_elsewhere(card);
	xetile_wait_hbm_free(card->fd);
	fill = last ? strict_on(card->fd, FILL, 0) : 0;
	bo = emptiest(card->fd, 2 * SZ_64K, DRM_XETILE_COLOR_TILE, 0);
	if (last)
		xetile_bo_close(card->fd, fill);
	paint(card->fd, bo, 2 * SZ_64K, 0x1ea57);
	xetile_evict_all(card->fd);
	igt_assert_eq_u64(pages_on(card->fd, bo, DRM_XETILE_MEM_SYSTEM), 2);

	/* The other tiles are emptier now. */
	fill = strict_on(card->fd, FILL, last ? 1 : 0);
	vm = xetile_vm(card->fd);
	xetile_vm_map(card->fd, vm, bo, 0, DATA_ADDR, 2 * SZ_64K);
	check_on(card->fd, bo, last ? 1 : 0);
	check_paint(card->fd, bo, 2 * SZ_64K, 0x1ea57);
	xetile_vm_destroy(card->fd, vm);
	xetile_bo_close(card->fd, bo);
	xetile_bo_close(card->fd, fill);
}

/* A larger buffer with the color EVEN has its usual shares. */
static void test_shares(const struct xetile_card *card)
{
	uint32_t num = card->device.num_tiles;
	uint32_t bo = emptiest(card->fd, 2 * num * SZ_64K, DRM_XETILE_COLOR_EVEN, 0);

	for (uint32_t t = 0; t < num; t++)
		igt_assert_eq_u64(pages_on(card->fd, bo, t), 2);
	xetile_bo_close(card->fd, bo);
}

static void test_bad(const struct xetile_card *card)
{
	static const uint32_t colors[] = {
		DRM_XETILE_COLOR_CHUNK, DRM_XETILE_COLOR_WEIGHTED, DRM_XETILE_COLOR_MAP,
		DRM_XETILE_COLOR_FOLLOW, DRM_XETILE_COLOR_REPLICATE,
	};
	const struct drm_xetile_color_run run = { 0, 1 };
	struct drm_xetile_bo_create args;

	for (unsigned int i = 0; i < ARRAY_SIZE(colors); i++) {
		args = (struct drm_xetile_bo_create) {
			.size = SZ_64K, .placement = DRM_XETILE_PLACE_HBM, .flags = EMPTIEST,
			.color = colors[i], .tile_mask = 1,
		};
		if (colors[i] == DRM_XETILE_COLOR_WEIGHTED || colors[i] == DRM_XETILE_COLOR_MAP)
			args.runs = XETILE_ARRAY(&run, 1);
		igt_assert_eq(__xetile_bo_create(card->fd, &args), -EINVAL);
	}
	args = (struct drm_xetile_bo_create) {
		.size = SZ_64K, .placement = DRM_XETILE_PLACE_SYSTEM, .flags = EMPTIEST,
	};
	igt_assert_eq(__xetile_bo_create(card->fd, &args), -EINVAL);
	args.placement = DRM_XETILE_PLACE_HBM;
	args.tile_mask = 1u << card->device.num_tiles | 1;
	igt_assert_eq(__xetile_bo_create(card->fd, &args), -EINVAL);
	args.color = DRM_XETILE_COLOR_TILE;
	igt_assert_eq(__xetile_bo_create(card->fd, &args), -EINVAL);
	/* Several tiles are a choice for nobody else. */
	args.flags = 0;
	args.tile_mask = 3;
	igt_assert_eq(__xetile_bo_create(card->fd, &args), -EINVAL);
}

igt_main
{
	struct xetile_card card = { .fd = -1 };

	igt_fixture
		xetile_open_card(&card);

	igt_describe("A buffer must go to the tile of the mask with the most free HBM (S7, S8)");
	igt_subtest("choice")
		test_choice(&card);
	igt_describe("Buffers that let the driver choose must fill all tiles alike");
	igt_subtest("balance")
		test_balance(&card);
	igt_describe("The chosen tile must stay the buffer's color after an eviction (S8)");
	igt_subtest("keeps")
		test_keeps(&card);
	igt_describe("A buffer of more than a page must have its usual shares");
	igt_subtest("shares")
		test_shares(&card);
	igt_describe("Colors to which a choice means nothing must be refused");
	igt_subtest("bad")
		test_bad(&card);

	igt_fixture
		close(card.fd);
}
