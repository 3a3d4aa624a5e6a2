// SPDX-License-Identifier: MIT
#include "xetile_place.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>

#define HELD_MS		300000u

void place_init(struct place *p, int fd)
{
	struct drm_xetile_queue_create queue = {
		.target = DRM_XETILE_TARGET_TILE,
		/* On a slow kernel a batch is held for longer than the default limit. */
		.timeout_ms = HELD_MS,
	};

	p->fd = fd;
	queue.vm_id = p->vm = xetile_vm(fd);
	igt_assert_eq(__xetile_queue_create(fd, &queue), 0);
	p->queue = queue.queue_id;
	xetile_buf_init(&p->ctl, fd, p->vm, BATCH_ADDR, PAGE, DRM_XETILE_PLACE_SYSTEM);
}

void place_fini(struct place *p)
{
	xetile_buf_fini(&p->ctl);
	xetile_queue_destroy(p->fd, p->queue);
	xetile_vm_destroy(p->fd, p->vm);
}

void place_hold(struct place *p)
{
	struct drm_xetile_sync sync = { .flags = DRM_XETILE_SYNC_SIGNAL };
	struct xetile_batch b;

	p->ctl.map[GO] = 0;
	batch_begin(&b, &p->ctl, 0);
	batch_wait(&b, p->ctl.addr + GO * 4, 1);
	batch_end(&b);
	p->held = sync.handle = xetile_syncobj(p->fd);
	igt_assert_eq(__xetile_exec(p->fd, p->queue, batch_addr(&b), &sync, 1), 0);
}

void place_let_go(struct place *p)
{
	p->ctl.map[GO] = 1;
	igt_assert_eq(__xetile_wait(p->fd, p->held, 20000), 0);
	igt_assert_eq(xetile_fence_status(p->fd, p->held), 1);
	xetile_syncobj_destroy(p->fd, p->held);
}

void place_store(struct place *p, uint64_t addr, uint32_t value)
{
	struct xetile_batch b;

	batch_begin(&b, &p->ctl, 0x2000);
	batch_store(&b, addr, value, false);
	batch_end(&b);
	xetile_run(p->fd, p->queue, batch_addr(&b));
}

void require_room_elsewhere(const struct xetile_card *card)
{
	struct sysinfo info;

	igt_assert_eq(sysinfo(&info), 0);
	igt_require_f(card->tiles[0].hbm_total <= info.totalram / 10 * 6,
		      "system memory is too small for a tile's HBM\n");
}

uint64_t pages_on(int fd, uint32_t bo, uint32_t tile)
{
	struct drm_xetile_color_run *runs = calloc(MAX_RUNS, sizeof(*runs));
	uint32_t n = xetile_bo_runs(fd, bo, runs, MAX_RUNS);
	uint64_t pages = 0;

	igt_assert_lte(n, MAX_RUNS);
	for (uint32_t i = 0; i < n; i++)
		if (runs[i].tile == tile)
			pages += runs[i].pages;
	free(runs);
	return pages;
}

void paint(int fd, uint32_t bo, uint64_t size, uint32_t seed)
{
	uint32_t *map = xetile_bo_map(fd, bo, size);

	for (uint64_t at = 0; at < size; at += PAGE) {
		map[at / 4] = seed + at / PAGE;
		map[at / 4 + PAGE / 4 - 1] = ~(seed + at / PAGE);
	}
	munmap(map, size);
}

void check_paint(int fd, uint32_t bo, uint64_t size, uint32_t seed)
{
	uint32_t *map = xetile_bo_map(fd, bo, size);

	for (uint64_t at = 0; at < size; at += PAGE) {
		igt_assert_eq_u32(map[at / 4 + PAGE / 4 - 1], ~(seed + at / PAGE));
		if (at)
			igt_assert_eq_u32(map[at / 4], seed + at / PAGE);
	}
	munmap(map, size);
}

int try_tile(int fd, uint64_t size, uint32_t tile, uint32_t flags, uint32_t placement,
	     uint32_t *bo)
{
	struct drm_xetile_bo_create args = {
		.size = size, .placement = placement, .flags = flags,
		.color = DRM_XETILE_COLOR_TILE, .tile_mask = 1u << tile,
	};
	int ret = __xetile_bo_create(fd, &args);

	*bo = args.handle;
	return ret;
}

uint32_t strict_on(int fd, uint64_t size, uint32_t tile)
{
	uint32_t bo;

	igt_assert_eq(try_tile(fd, size, tile, DRM_XETILE_BO_STRICT, DRM_XETILE_PLACE_HBM, &bo), 0);
	return bo;
}

uint64_t part_of_tile(const struct xetile_card *card, unsigned int percent)
{
	return card->tiles[0].hbm_total / 100 * percent / PAGE * PAGE;
}

uint64_t hbm_free(int fd)
{
	struct drm_xetile_query_tile tiles[DRM_XETILE_MAX_TILES] = { 0 };

	xetile_query_tiles(fd, tiles);
	return tiles[0].hbm_total - tiles[0].hbm_used;
}

uint32_t take_free_and_more(int fd, uint64_t more)
{
	return strict_on(fd, (hbm_free(fd) & ~(PAGE - 1)) + more, 0);
}

uint64_t xetile_copy_passes(int fd)
{
	return xetile_debugfs_sum(fd, "copies", "passes");
}
