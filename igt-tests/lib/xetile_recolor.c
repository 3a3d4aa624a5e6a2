// SPDX-License-Identifier: MIT
#include "xetile_recolor.h"

#include <stdlib.h>
#include <string.h>

#include "xetile_lab.h"

struct drm_xetile_bo_range range_of(uint64_t page, uint64_t pages, uint32_t color,
				    uint32_t tile_mask)
{
	return (struct drm_xetile_bo_range) {
		.offset = page * PAGE, .size = pages * PAGE, .color = color,
		.tile_mask = tile_mask,
	};
}

int __xetile_recolor(int fd, uint32_t bo, const struct drm_xetile_bo_range *ranges, uint32_t num,
		     const struct drm_xetile_sync *syncs, uint32_t num_syncs)
{
	struct drm_xetile_bo_recolor args = {
		.handle = bo, .ranges = DRM_XETILE_ARRAY(ranges, num),
		.syncs = DRM_XETILE_ARRAY(syncs, num_syncs),
	};

	return xetile_ioctl(fd, DRM_IOCTL_XETILE_BO_RECOLOR, &args);
}

void xetile_recolor(int fd, uint32_t bo, const struct drm_xetile_bo_range *ranges, uint32_t num)
{
	struct drm_xetile_sync sync = {
		.handle = xetile_syncobj(fd), .flags = DRM_XETILE_SYNC_SIGNAL,
	};

	igt_assert_eq(__xetile_recolor(fd, bo, ranges, num, &sync, 1), 0);
	igt_assert_eq(__xetile_wait(fd, sync.handle, 60000), 0);
	igt_assert_eq(xetile_fence_status(fd, sync.handle), 1);
	xetile_syncobj_destroy(fd, sync.handle);
}

/* The tile of page @i of @n pages: dealt in turn, in chunks, or cut into shares */
static uint32_t tile_of(const struct canvas *c, const struct drm_xetile_bo_range *r, uint64_t n,
			uint64_t i)
{
	uint32_t mask = r->tile_mask ?: (1u << c->card->device.num_tiles) - 1, tiles[4], num = 0;
	const struct drm_xetile_color_run *runs = (const void *)(uintptr_t)r->runs.data;
	uint64_t at = 0, part, weights = 0, given = 0;

	for (uint32_t t = 0; t < 4; t++)
		if (mask & (1u << t))
			tiles[num++] = t;
	switch (r->color) {
	case DRM_XETILE_COLOR_CHUNK:
		return tiles[i / (r->granule ? r->granule / PAGE : 1) % num];
	case DRM_XETILE_COLOR_FOLLOW:
		return tiles[i / ((n + num - 1) / num)];
	case DRM_XETILE_COLOR_MAP:
		while (i >= (at += runs->pages))
			runs++;
		return runs->tile;
	case DRM_XETILE_COLOR_WEIGHTED:
		for (uint32_t w = 0; w < r->runs.count; w++)
			weights += runs[w].pages;
		for (uint32_t w = 0; w < r->runs.count; w++)
			given += n * runs[w].pages / weights;
		for (;; runs++) {
			part = n * runs->pages / weights;
			if (given < n && n * runs->pages % weights) {
				given++;
				part++;
			}
			at += part;
			if (i < at)
				return runs->tile;
		}
	default:
		/* EVEN, and TILE with its one tile: the first ones have one page more. */
		for (uint32_t t = 0; ; t++) {
			at += n / num + (t < n % num);
			if (i < at)
				return tiles[t];
		}
	}
}

uint64_t canvas_note(struct canvas *c, const struct drm_xetile_bo_range *ranges, uint32_t num)
{
	uint64_t moved = 0;

	for (const struct drm_xetile_bo_range *r = ranges; r < ranges + num; r++) {
		for (uint64_t i = 0; i < r->size / PAGE; i++) {
			uint32_t *tile = &c->tile[r->offset / PAGE + i];
			uint32_t new = tile_of(c, r, r->size / PAGE, i);

			moved += *tile == new ? 0 : PAGE;
			*tile = new;
		}
	}
	return moved;
}

void canvas_init(struct canvas *c, const struct xetile_card *card, uint64_t pages, uint32_t flags,
		 uint32_t placement)
{
	struct drm_xetile_bo_range all = range_of(0, pages, DRM_XETILE_COLOR_EVEN, 0);
	struct drm_xetile_bo_create args = {
		.size = pages * PAGE, .placement = placement, .flags = flags,
	};

	*c = (struct canvas) { .card = card, .fd = card->fd, .pages = pages, .seed = 7 << 24 };
	c->tile = calloc(pages, sizeof(*c->tile));
	igt_assert(c->tile);
	igt_assert_eq(__xetile_bo_create(c->fd, &args), 0);
	c->bo = args.handle;
	canvas_note(c, &all, 1);
	paint(c->fd, c->bo, pages * PAGE, c->seed);
}

void canvas_fini(struct canvas *c)
{
	xetile_bo_close(c->fd, c->bo);
	free(c->tile);
}

void canvas_check(const struct canvas *c)
{
	struct drm_xetile_color_run *runs = calloc(c->pages, sizeof(*runs));
	uint32_t num = xetile_bo_runs(c->fd, c->bo, runs, c->pages);
	uint64_t page = 0;

	igt_assert(runs);
	igt_assert_lte_u64(num, c->pages);
	for (uint32_t i = 0; i < num; i++) {
		/* Neighbours on the same tile are one run. */
		if (i)
			igt_assert_neq(runs[i].tile, runs[i - 1].tile);
		for (uint32_t n = 0; n < runs[i].pages; n++) {
			igt_assert_lt((long)page, (long)c->pages);
			igt_assert_eq_u32(runs[i].tile, c->tile[page++]);
		}
	}
	igt_assert_eq_u64(page, c->pages);
	free(runs);
}

uint64_t xetile_copy_counter(const char *name)
{
	char *answer = lab_ask("counters");
	uint64_t bytes = 0;

	for (const char *at = answer; (at = strstr(at, "\"name\":\"bcs")); at++)
		bytes += lab_number(at, name);
	free(answer);
	return bytes;
}

uint64_t xetile_bytes_copied(void)
{
	return xetile_copy_counter("write_local") + xetile_copy_counter("write_remote") +
	       xetile_copy_counter("write_system");
}

void canvas_recolor(struct canvas *c, const struct drm_xetile_bo_range *ranges, uint32_t num)
{
	uint64_t bytes = xetile_bytes_copied(), moved = canvas_note(c, ranges, num);

	xetile_recolor(c->fd, c->bo, ranges, num);
	igt_assert_eq_u64(xetile_bytes_copied() - bytes, moved);
	canvas_check(c);
}

void canvas_range(struct canvas *c, uint64_t page, uint64_t pages, uint32_t color,
		  uint32_t tile_mask)
{
	struct drm_xetile_bo_range range = range_of(page, pages, color, tile_mask);

	canvas_recolor(c, &range, 1);
}
