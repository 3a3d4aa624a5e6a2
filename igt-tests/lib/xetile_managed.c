// SPDX-License-Identifier: MIT
#include "xetile_managed.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "xetile_job.h"

int managed_try(int fd, uint32_t vm, uint64_t size, uint32_t color, uint32_t mask,
		       uint32_t *bo)
{
	struct drm_xetile_bo_create args = {
		.size = size, .placement = BOTH, .flags = DRM_XETILE_BO_MIGRATE, .color = color,
		.tile_mask = mask, .vm_id = vm,
	};
	int ret = __xetile_bo_create(fd, &args);

	*bo = args.handle;
	return ret;
}

void managed_init(struct managed *m, const struct xetile_card *card, uint64_t size,
			 uint32_t color, uint32_t mask)
{
	*m = (struct managed) { .card = card, .size = size };
	place_init(&m->p, card->fd);
	igt_assert_eq(managed_try(card->fd, m->p.vm, size, color, mask, &m->bo), 0);
	m->map = xetile_bo_map(card->fd, m->bo, size);
	xetile_vm_map(card->fd, m->p.vm, m->bo, 0, ADDR, size);
}

void managed_init_last(struct managed *m, const struct xetile_card *card, uint64_t size)
{
	managed_init(m, card, size, DRM_XETILE_COLOR_TILE, 1u << (card->device.num_tiles - 1));
}

void managed_fini(struct managed *m)
{
	munmap(m->map, m->size);
	xetile_bo_close(m->card->fd, m->bo);
	place_fini(&m->p);
}

char *managed_where(const struct managed *m)
{
	static struct drm_xetile_color_run runs[MAX_RUNS];
	uint32_t num = xetile_bo_runs(m->card->fd, m->bo, runs, MAX_RUNS);
	char *text = calloc(1, m->size / PAGE + 1), *at = text;

	igt_assert_lte_u64(num, MAX_RUNS);
	for (uint32_t i = 0; i < num; i++) {
		igt_assert_lte_u64(at - text + runs[i].pages, m->size / PAGE);
		memset(at, runs[i].tile == SYSTEM ? AWAY : '0' + runs[i].tile, runs[i].pages);
		at += runs[i].pages;
	}
	igt_assert_eq_u64(at - text, m->size / PAGE);
	return text;
}

void managed_check_away(const struct managed *m, uint64_t away, const char *home)
{
	char *now = managed_where(m);

	for (uint64_t i = 0; i < m->size / PAGE; i++) {
		char at = away >> (i * PAGE / RANGE) & 1 ? AWAY : home[i];

		igt_assert_f(now[i] == at, "page %llu is at %c, not %c\n",
			     (unsigned long long)i, now[i], at);
	}
	free(now);
}

uint32_t managed_word(uint64_t i, uint32_t round)
{
	return i * 2654435761u + round;
}

void managed_fill(const struct managed *m, uint64_t range, uint32_t round)
{
	for (uint64_t i = range * WORDS; i < (range + 1) * WORDS && i < m->size / 4; i++)
		m->map[i] = managed_word(i, round);
}

void managed_check_filled(const struct managed *m, uint64_t range, uint32_t round)
{
	for (uint64_t i = range * WORDS; i < (range + 1) * WORDS && i < m->size / 4; i++)
		igt_assert_eq_u32(m->map[i], managed_word(i, round));
}

void managed_run(struct managed *m)
{
	place_store(&m->p, m->p.ctl.addr + 4 * (GO + 1), 1);
}

void managed_copy(struct managed *m, uint64_t from, uint64_t to)
{
	uint32_t queue = xetile_copy_queue(m->p.fd, m->p.vm);
	struct xetile_batch b;

	batch_begin(&b, &m->p.ctl, 0);
	for (uint64_t at = 0; at < RANGE; at += SZ_64K)
		batch_mem_copy(&b, ADDR + to * RANGE + at, ADDR + from * RANGE + at, SZ_64K);
	batch_end(&b);
	xetile_run(m->p.fd, queue, batch_addr(&b));
	xetile_queue_destroy(m->p.fd, queue);
}

uint32_t managed_touch(const struct managed *m, uint64_t range)
{
	return *(volatile uint32_t *)&m->map[range * WORDS];
}
