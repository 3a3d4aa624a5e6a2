// SPDX-License-Identifier: MIT
#include "xetile_worker.h"

#include "xetile_walker.h"

#define ISA_ADDR	0x30000000ull
#define COUNTS_ADDR	0x50000000ull
/* Where the batch is that waits; words behind the counts, and behind what walkers write there */
#define HOLD_OFFSET	0x8000
#define GO		(SZ_64K / 4 - 2)
#define BEGUN		(SZ_64K / 4 - 1)

void worker_load(struct worker *w, uint32_t groups, uint32_t walkers)
{
	igt_assert_lte(groups, WORKER_GROUPS);
	igt_assert_lte(walkers, WORKER_WALKERS);
	igt_assert_eq(w->runs, 0);
	w->groups = groups;
	w->walkers = walkers;
	count_batch(&w->batch, &w->isa, COUNTS_ADDR, groups, walkers, w->tiles, COUNT_AS_DRIVER);
}

void worker_open(struct worker *w, const struct xetile_card *card,
		 const struct drm_xetile_queue_create *args)
{
	struct drm_xetile_queue_create create = *args;

	*w = (struct worker) { .fd = xetile_reopen(card->fd) };
	w->tiles = args->target == ROOT ? card->device.num_tiles : 1;
	w->vm = create.vm_id = xetile_vm(w->fd);
	igt_assert_eq(__xetile_queue_create(w->fd, &create), 0);
	w->queue = create.queue_id;
	xetile_buf_init(&w->batch, w->fd, w->vm, BATCH_ADDR, SZ_64K, DRM_XETILE_PLACE_SYSTEM);
	xetile_buf_init(&w->isa, w->fd, w->vm, ISA_ADDR, SZ_64K, DRM_XETILE_PLACE_SYSTEM);
	xetile_buf_init(&w->counts, w->fd, w->vm, COUNTS_ADDR, SZ_64K, DRM_XETILE_PLACE_SYSTEM);
	w->sync = (struct drm_xetile_sync) {
		.handle = xetile_syncobj(w->fd), .flags = DRM_XETILE_SYNC_SIGNAL,
	};
	worker_load(w, 64, 3);
}

void worker_fini(struct worker *w)
{
	xetile_syncobj_destroy(w->fd, w->sync.handle);
	xetile_queue_destroy(w->fd, w->queue);
	xetile_buf_fini(&w->counts);
	xetile_buf_fini(&w->isa);
	xetile_buf_fini(&w->batch);
	xetile_vm_destroy(w->fd, w->vm);
	close(w->fd);
}

void worker_start(struct worker *w)
{
	igt_assert_eq(__xetile_exec(w->fd, w->queue, w->batch.addr, &w->sync, 1), 0);
	w->runs++;
}

void worker_end(struct worker *w)
{
	volatile uint32_t *counts = w->counts.map;
	uint32_t times = w->runs * w->walkers;

	igt_assert_eq(__xetile_wait(w->fd, w->sync.handle, 60000), 0);
	igt_assert_eq(xetile_fence_status(w->fd, w->sync.handle), 1);
	for (unsigned int i = 0; i < w->groups; i++)
		igt_assert_f(counts[i] == times, "group %u ran %u times, not %u\n", i, counts[i],
			     times);
}

void worker_hold(struct worker *w)
{
	volatile uint32_t *counts = w->counts.map;
	struct xetile_batch b;

	counts[GO] = 0;
	counts[BEGUN] = 0;
	batch_begin(&b, &w->batch, HOLD_OFFSET);
	batch_store(&b, COUNTS_ADDR + 4 * BEGUN, 1, false);
	batch_wait(&b, COUNTS_ADDR + 4 * GO, 1);
	batch_end(&b);
	igt_assert_eq(__xetile_exec(w->fd, w->queue, batch_addr(&b), &w->sync, 1), 0);
}

void worker_let_go(struct worker *w)
{
	((volatile uint32_t *)w->counts.map)[GO] = 1;
	worker_end(w);
}

bool worker_walks(const struct worker *w)
{
	return *(volatile uint32_t *)w->counts.map;
}

bool worker_holds(const struct worker *w)
{
	return ((volatile uint32_t *)w->counts.map)[BEGUN];
}

uint32_t worker_slices(const struct worker *w)
{
	struct drm_xetile_queue_info info;

	xetile_queue_info(w->fd, w->queue, &info);
	igt_assert_eq_u32(info.num_members, 1);
	return info.members[0].cslice_mask;
}
