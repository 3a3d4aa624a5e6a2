// SPDX-License-Identifier: MIT
/*
 * Another color for a buffer when tiles are full, or when the buffer had to go.
 *
 * suite: once 4-tiles
 */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "xetile_lab.h"
#include "xetile_recolor.h"

IGT_TEST_DESCRIPTION("Recolor of buffers where there is no room");

#define HBM		DRM_XETILE_PLACE_HBM
#define SYSTEM		DRM_XETILE_PLACE_SYSTEM
#define STRICT		DRM_XETILE_BO_STRICT

/* Waits until a BO is cleared: copy engines do that. */
static void wait_clear(int fd, uint32_t bo)
{
	volatile uint32_t *map = xetile_bo_map(fd, bo, PAGE);

	igt_assert_eq_u32(*map, 0);
	munmap((void *)map, PAGE);
}

/* Fills tile 0 but for some MiB. Returns the BO. */
static uint32_t fill_tile0(const struct xetile_card *card)
{
	uint64_t left = card->tiles[0].hbm_total / 128 + 10 * SZ_2M;
	uint32_t bo;

	xetile_assert_soon(hbm_free(card->fd) > card->tiles[0].hbm_total / 100 * 75);
	bo = strict_on(card->fd, (hbm_free(card->fd) - left) / PAGE * PAGE, 0);
	wait_clear(card->fd, bo);
	return bo;
}

/* A buffer in system memory is not moved, and comes back with its new color. */
static void test_evicted(const struct xetile_card *card)
{
	struct drm_xetile_bo_range range = range_of(7, 9, DRM_XETILE_COLOR_CHUNK, 0);
	uint64_t bytes, pages = part_of_tile(card, 2) / PAGE;
	uint32_t other[2];
	struct canvas c;
	struct place p;

	require_room_elsewhere(card);
	canvas_init(&c, card, pages, STRICT, HBM);
	canvas_range(&c, 0, pages, DRM_XETILE_COLOR_TILE, 1);
	place_init(&p, card->fd);
	xetile_vm_map(p.fd, p.vm, c.bo, 0, DATA_ADDR, c.pages * PAGE);
	/* Two buffers that do not fit together with this one */
	for (int i = 0; i < 2; i++)
		other[i] = strict_on(c.fd, part_of_tile(card, i ? 9 : 90), 0);
	igt_assert_eq_u64(pages_on(c.fd, c.bo, DRM_XETILE_MEM_SYSTEM), c.pages);
	for (int i = 0; i < 2; i++) {
		wait_clear(c.fd, other[i]);
		xetile_bo_close(c.fd, other[i]);
	}
	bytes = xetile_bytes_copied();
	xetile_recolor(c.fd, c.bo, &range, 1);
	canvas_note(&c, &range, 1);
	range = range_of(30, 10, DRM_XETILE_COLOR_TILE, 2);
	xetile_recolor(c.fd, c.bo, &range, 1);
	canvas_note(&c, &range, 1);
	igt_assert_eq_u64(xetile_bytes_copied(), bytes);
	igt_assert_eq_u64(pages_on(c.fd, c.bo, DRM_XETILE_MEM_SYSTEM), c.pages);
	place_store(&p, DATA_ADDR + 8 * PAGE, c.seed + 8);
	canvas_check(&c);
	check_paint(c.fd, c.bo, c.pages * PAGE, c.seed);
	place_fini(&p);
	canvas_fini(&c);
}

#define LARGE	1024u	/* pages: more than fill_tile0() leaves */

/* An idle buffer is evicted to make room on the tile. */
static void test_full_idle(const struct xetile_card *card)
{
	struct drm_xetile_bo_range range = range_of(0, LARGE, DRM_XETILE_COLOR_TILE, 1);
	uint32_t oldest, other;
	struct canvas c;

	require_room_elsewhere(card);
	canvas_init(&c, card, LARGE, STRICT, HBM);
	canvas_range(&c, 0, LARGE, DRM_XETILE_COLOR_TILE, 2);
	oldest = strict_on(c.fd, LARGE * PAGE, 0);
	paint(c.fd, oldest, LARGE * PAGE, 9);
	other = fill_tile0(card);
	xetile_recolor(c.fd, c.bo, &range, 1);
	canvas_note(&c, &range, 1);
	canvas_check(&c);
	igt_assert_eq_u64(pages_on(c.fd, oldest, DRM_XETILE_MEM_SYSTEM), LARGE);
	igt_assert_neq(pages_on(c.fd, other, 0), 0);
	check_paint(c.fd, c.bo, c.pages * PAGE, c.seed);
	check_paint(c.fd, oldest, LARGE * PAGE, 9);
	xetile_bo_close(c.fd, oldest);
	xetile_bo_close(c.fd, other);
	canvas_fini(&c);
}

/*
 * The tile is full of a buffer in use. Pages that find no room stay; only the others are copied.
 * Later the rest follows.
 */
static void test_full_spill(const struct xetile_card *card)
{
	struct drm_xetile_bo_range range = range_of(0, LARGE, DRM_XETILE_COLOR_TILE, 1);
	uint64_t bytes, moved;
	struct place busy, p;
	struct canvas c;
	uint32_t other;

	canvas_init(&c, card, LARGE, 0, HBM);
	canvas_range(&c, 0, LARGE, DRM_XETILE_COLOR_TILE, 2);
	place_init(&busy, card->fd);
	place_init(&p, card->fd);
	xetile_vm_map(p.fd, p.vm, c.bo, 0, DATA_ADDR, LARGE * PAGE);
	other = fill_tile0(card);
	xetile_vm_map(busy.fd, busy.vm, other, 0, DATA_ADDR, SZ_2M);
	place_hold(&busy);
	bytes = xetile_bytes_copied();
	xetile_recolor(c.fd, c.bo, &range, 1);
	bytes = xetile_bytes_copied() - bytes;
	moved = pages_on(c.fd, c.bo, 0);
	igt_assert_lt(0, (int)moved);
	igt_assert_lt((int)moved, LARGE);
	igt_assert_eq_u64(moved + pages_on(c.fd, c.bo, 1), LARGE);
	igt_assert_eq_u64(bytes, moved * PAGE);
	place_store(&p, DATA_ADDR, c.seed);
	check_paint(c.fd, c.bo, c.pages * PAGE, c.seed);
	place_let_go(&busy);
	xetile_vm_unmap(busy.fd, busy.vm, DATA_ADDR, SZ_2M);
	xetile_bo_close(c.fd, other);
	xetile_assert_soon(hbm_free(c.fd) > LARGE * PAGE * 2);
	place_store(&p, DATA_ADDR, c.seed);
	canvas_note(&c, &range, 1);
	canvas_check(&c);
	check_paint(c.fd, c.bo, c.pages * PAGE, c.seed);
	place_fini(&p);
	place_fini(&busy);
	canvas_fini(&c);
}

/* A color that a tile is too small for: nothing changes. */
static void test_full_strict(const struct xetile_card *card)
{
	uint64_t pages = part_of_tile(card, 60) / PAGE * 2, bytes;
	struct drm_xetile_bo_range ranges[] = {
		range_of(0, 1, DRM_XETILE_COLOR_TILE, 2),
		range_of(1, pages - 1, DRM_XETILE_COLOR_TILE, 1),
	};
	struct drm_xetile_bo_create args = {
		.size = pages * PAGE, .placement = HBM, .flags = STRICT, .tile_mask = 3,
	};
	struct drm_xetile_bo_info info = { 0 };

	igt_assert_eq(__xetile_bo_create(card->fd, &args), 0);
	wait_clear(card->fd, args.handle);
	igt_assert_eq_u64(pages_on(card->fd, args.handle, 0), pages / 2);
	bytes = xetile_bytes_copied();
	igt_assert_eq(__xetile_recolor(card->fd, args.handle, ranges, 2, NULL, 0), -ENOSPC);
	igt_assert_eq_u64(xetile_bytes_copied(), bytes);
	igt_assert_eq_u64(pages_on(card->fd, args.handle, 0), pages / 2);
	info.handle = args.handle;
	igt_assert_eq(xetile_ioctl(card->fd, DRM_IOCTL_XETILE_BO_INFO, &info), 0);
	igt_assert_eq_u32(info.color, DRM_XETILE_COLOR_EVEN);
	xetile_bo_close(card->fd, args.handle);
}

/*
 * The halves of a buffer that takes most of two tiles change places: no tile has room for what
 * comes before what was there has gone. With system memory the buffer goes by way of that; else
 * nothing changes.
 */
static void test_full_exchange(const struct xetile_card *card, uint32_t placement)
{
	uint32_t half = part_of_tile(card, 55) / PAGE;
	const struct drm_xetile_color_run runs[] = { { 1, half }, { 0, half } };
	struct drm_xetile_bo_range range = range_of(0, 2 * half, DRM_XETILE_COLOR_MAP, 3);
	struct drm_xetile_bo_create args = {
		.size = 2ull * half * PAGE, .placement = placement, .flags = STRICT,
		.tile_mask = 3,
	};
	struct drm_xetile_color_run is[3];
	bool system = placement & SYSTEM;
	struct place p;

	range.runs = XETILE_ARRAY(runs, 2);
	igt_assert_eq(__xetile_bo_create(card->fd, &args), 0);
	paint(card->fd, args.handle, args.size, 7 << 24);
	igt_assert_eq(__xetile_recolor(card->fd, args.handle, &range, 1, NULL, 0),
		      system ? 0 : -ENOSPC);
	igt_assert_eq_u64(pages_on(card->fd, args.handle, DRM_XETILE_MEM_SYSTEM),
			  system ? 2 * half : 0);
	place_init(&p, card->fd);
	xetile_vm_map(p.fd, p.vm, args.handle, 0, DATA_ADDR, args.size);
	place_store(&p, DATA_ADDR, 7 << 24);
	igt_assert_eq_u32(xetile_bo_runs(card->fd, args.handle, is, ARRAY_SIZE(is)), 2);
	igt_assert_eq_u32(is[0].tile, system ? 1 : 0);
	igt_assert_eq_u32(is[1].tile, system ? 0 : 1);
	igt_assert_eq_u32(is[0].pages, half);
	check_paint(card->fd, args.handle, args.size, 7 << 24);
	place_fini(&p);
	xetile_bo_close(card->fd, args.handle);
}

igt_main
{
	struct xetile_card card = { .fd = -1 };

	igt_fixture {
		xetile_open_card(&card);
		igt_require_f(card.device.num_tiles >= 2, "needs two tiles\n");
		igt_assert(card.device.caps & DRM_XETILE_CAP_RECOLOR);
		lab_require_card();
	}
	igt_describe("An evicted buffer must come back with its new color");
	igt_subtest("full-evicted")
		test_evicted(&card);
	igt_describe("Idle buffers must make room");
	igt_subtest("full-idle")
		test_full_idle(&card);
	igt_describe("Pages without room must stay, and follow later");
	igt_subtest("full-spill")
		test_full_spill(&card);
	igt_describe("A color without room must change nothing");
	igt_subtest("full-strict")
		test_full_strict(&card);
	igt_describe("Two full tiles must exchange what they have by way of system memory alone");
	igt_subtest("full-exchange") {
		require_room_elsewhere(&card);
		test_full_exchange(&card, HBM | SYSTEM);
		xetile_wait_hbm_free(card.fd);
		test_full_exchange(&card, HBM);
	}
	igt_fixture
		close(card.fd);
}
