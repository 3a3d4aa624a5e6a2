// SPDX-License-Identifier: MIT
/*
 * After a rebind the next job must find the new mapping, on whichever engine the queue ran before,
 * and whatever ran between the call and the change.
 *
 * suite: igt soak
 */
#include <sys/mman.h>
#include <unistd.h>

#include "xetile_place.h"

IGT_TEST_DESCRIPTION("No stale translation after a bind");

static void test_rebind_reuse(const struct xetile_card *card)
{
	uint32_t a, b, *map_a, *map_b;
	struct place s;

	place_init(&s, card->fd);
	a = xetile_bo(s.fd, SZ_64K, DRM_XETILE_PLACE_HBM);
	b = xetile_bo(s.fd, SZ_64K, DRM_XETILE_PLACE_HBM);
	map_a = xetile_bo_map(s.fd, a, SZ_64K);
	map_b = xetile_bo_map(s.fd, b, SZ_64K);
	for (uint32_t i = 1; i <= 32; i++) {
		/*
		 * The same address gets another buffer: a stale TLB entry would lead to the old
		 * one.
		 */
		xetile_vm_map(s.fd, s.vm, i & 1 ? a : b, 0, DATA_ADDR, SZ_64K);
		place_store(&s, DATA_ADDR, i);
		igt_assert_eq_u32(*(i & 1 ? map_a : map_b), i);
		igt_assert_eq_u32(*(i & 1 ? map_b : map_a), i - 1);
	}
	munmap(map_a, SZ_64K);
	munmap(map_b, SZ_64K);
	xetile_bo_close(s.fd, a);
	xetile_bo_close(s.fd, b);
	place_fini(&s);
}

static uint32_t instance_of(int fd, uint32_t queue)
{
	struct drm_xetile_queue_info info;

	xetile_queue_info(fd, queue, &info);
	return info.members[0].instance;
}

static uint32_t tile_queue(int fd, uint32_t vm, uint32_t class)
{
	return xetile_queue(fd, vm, class, DRM_XETILE_TARGET_TILE, 0, 0);
}

/* A job that occupies an engine until leave() */
struct sitter {
	uint32_t queue;
	struct drm_xetile_sync done;
	volatile uint32_t *gate;
};

static void sit(struct place *s, struct sitter *t, uint32_t n, uint32_t class)
{
	struct xetile_batch b;
	uint32_t at = 4096 * (n + 1);

	t->queue = tile_queue(s->fd, s->vm, class);
	t->done = (struct drm_xetile_sync) {
		.handle = xetile_syncobj(s->fd), .flags = DRM_XETILE_SYNC_SIGNAL,
	};
	t->gate = s->ctl.map + (at + 2048) / 4;
	t->gate[0] = 0;
	t->gate[2] = 0;
	batch_begin(&b, &s->ctl, at);
	batch_store(&b, s->ctl.addr + at + 2048 + 8, 1, false);
	batch_wait(&b, s->ctl.addr + at + 2048, 1);
	batch_end(&b);
	igt_assert_eq(__xetile_exec(s->fd, t->queue, batch_addr(&b), &t->done, 1), 0);
	xetile_assert_soon(t->gate[2]);
}

static void leave(struct place *s, struct sitter *t)
{
	t->gate[0] = 1;
	igt_assert_eq(__xetile_wait(s->fd, t->done.handle, 20000), 0);
	xetile_syncobj_destroy(s->fd, t->done.handle);
	xetile_queue_destroy(s->fd, t->queue);
}

/* Occupies engine @instance, and no other engine. */
static void occupy(struct place *s, struct sitter *one, uint32_t instance)
{
	struct sitter t[12];
	uint32_t n = 0;

	do {
		igt_assert_lt(n, (int)ARRAY_SIZE(t));
		sit(s, &t[n], n, DRM_XETILE_ENGINE_COPY);
	} while (instance_of(s->fd, t[n++].queue) != instance);
	*one = t[--n];
	while (n)
		leave(s, &t[--n]);
}

/*
 * A context moves to another engine, uses a new mapping there, and comes back. The first engine's
 * old translation must not be used.
 */
static void test_rebind_moving(const struct xetile_card *card)
{
	uint32_t a, b, *map_a, *map_b, home, away;
	struct sitter sitter;
	struct place s, other;

	place_init(&s, card->fd);
	place_init(&other, card->fd);
	xetile_queue_destroy(s.fd, s.queue);
	s.queue = tile_queue(s.fd, s.vm, DRM_XETILE_ENGINE_COPY);
	a = xetile_bo(s.fd, SZ_64K, DRM_XETILE_PLACE_HBM);
	b = xetile_bo(s.fd, SZ_64K, DRM_XETILE_PLACE_HBM);
	map_a = xetile_bo_map(s.fd, a, SZ_64K);
	map_b = xetile_bo_map(s.fd, b, SZ_64K);
	for (uint32_t i = 1; i <= 4; i++) {
		xetile_vm_map(s.fd, s.vm, a, 0, DATA_ADDR, SZ_64K);
		place_store(&s, DATA_ADDR, 3 * i);
		igt_assert_eq_u32(*map_a, 3 * i);
		home = instance_of(s.fd, s.queue);

		occupy(&other, &sitter, home);
		xetile_vm_map(s.fd, s.vm, b, 0, DATA_ADDR, SZ_64K);
		place_store(&s, DATA_ADDR, 3 * i + 1);
		igt_assert_eq_u32(*map_b, 3 * i + 1);
		away = instance_of(s.fd, s.queue);
		igt_assert_neq(away, home);
		leave(&other, &sitter);

		occupy(&other, &sitter, away);
		place_store(&s, DATA_ADDR, 3 * i + 2);
		igt_assert_eq(instance_of(s.fd, s.queue), home);
		igt_assert_eq_u32(*map_b, 3 * i + 2);
		igt_assert_eq_u32(*map_a, 3 * i);
		leave(&other, &sitter);
	}
	munmap(map_a, SZ_64K);
	munmap(map_b, SZ_64K);
	xetile_bo_close(s.fd, a);
	xetile_bo_close(s.fd, b);
	place_fini(&s);
	place_fini(&other);
}

/*
 * A job that was submitted before a bind runs between the call and the change. The job fills the
 * TLB with the old translation; its own flush was earlier. Therefore the next job must flush again.
 */
static void test_rebind_late(const struct xetile_card *card, uint32_t class)
{
	/*
	 * The jobs that delay are on the other class: the queue's engines stay free, and it does
	 * not move.
	 */
	uint32_t holding = class == DRM_XETILE_ENGINE_COPY ? DRM_XETILE_ENGINE_COMPUTE :
							     DRM_XETILE_ENGINE_COPY;
	struct drm_xetile_bind bind = { .addr = DATA_ADDR, .range = SZ_64K };
	struct drm_xetile_sync syncs[2] = { 0 };
	struct sitter job, change;
	uint32_t old, *map_old, *map;
	struct place s, other;
	struct xetile_batch b;

	place_init(&s, card->fd);
	place_init(&other, card->fd);
	xetile_queue_destroy(s.fd, s.queue);
	s.queue = tile_queue(s.fd, s.vm, class);
	old = xetile_bo(s.fd, SZ_64K, DRM_XETILE_PLACE_HBM);
	bind.handle = xetile_bo(s.fd, SZ_64K, DRM_XETILE_PLACE_HBM);
	map_old = xetile_bo_map(s.fd, old, SZ_64K);
	map = xetile_bo_map(s.fd, bind.handle, SZ_64K);
	xetile_vm_map(s.fd, s.vm, old, 0, DATA_ADDR, SZ_64K);
	sit(&other, &job, 0, holding);
	sit(&other, &change, 1, holding);

	batch_begin(&b, &s.ctl, 4096);
	batch_store(&b, DATA_ADDR, 1, false);
	batch_end(&b);
	syncs[0].handle = job.done.handle;
	syncs[1].handle = xetile_syncobj(s.fd);
	syncs[1].flags = DRM_XETILE_SYNC_SIGNAL;
	igt_assert_eq(__xetile_exec(s.fd, s.queue, batch_addr(&b), syncs, 2), 0);
	syncs[0].handle = change.done.handle;
	igt_assert_eq(__xetile_vm_bind(s.fd, s.vm, &bind, 1, syncs, 1), 0);
	leave(&other, &job);
	igt_assert_eq(__xetile_wait(s.fd, syncs[1].handle, 20000), 0);
	igt_assert_eq_u32(*map_old, 1);
	leave(&other, &change);

	place_store(&s, DATA_ADDR, 2);
	igt_assert_eq_u32(*map_old, 1);
	igt_assert_eq_u32(*map, 2);

	xetile_syncobj_destroy(s.fd, syncs[1].handle);
	munmap(map_old, SZ_64K);
	munmap(map, SZ_64K);
	xetile_bo_close(s.fd, old);
	xetile_bo_close(s.fd, bind.handle);
	place_fini(&s);
	place_fini(&other);
}

/*
 * A fence without a batch does not wait for a bind: the fence of a queue signals although a bind
 * waits. A flush by that queue does not count as the flush for the change.
 */
static void test_fence_before_change(const struct xetile_card *card)
{
	struct drm_xetile_bind bind = { .addr = DATA_ADDR, .range = SZ_64K };
	struct drm_xetile_sync syncs[2] = { 0 };
	struct drm_xetile_sync sync = { .flags = DRM_XETILE_SYNC_SIGNAL };
	struct drm_xetile_exec fence = { .syncs = DRM_XETILE_ARRAY(&sync, 1) };
	struct sitter job, change;
	uint32_t old, second, *map_old, *map;
	struct place s, other;
	struct xetile_batch b;

	place_init(&s, card->fd);
	place_init(&other, card->fd);
	second = tile_queue(s.fd, s.vm, DRM_XETILE_ENGINE_COMPUTE);
	old = xetile_bo(s.fd, SZ_64K, DRM_XETILE_PLACE_HBM);
	bind.handle = xetile_bo(s.fd, SZ_64K, DRM_XETILE_PLACE_HBM);
	map_old = xetile_bo_map(s.fd, old, SZ_64K);
	map = xetile_bo_map(s.fd, bind.handle, SZ_64K);
	xetile_vm_map(s.fd, s.vm, old, 0, DATA_ADDR, SZ_64K);
	sit(&other, &job, 0, DRM_XETILE_ENGINE_COPY);
	sit(&other, &change, 1, DRM_XETILE_ENGINE_COPY);

	batch_begin(&b, &s.ctl, 4096);
	batch_store(&b, DATA_ADDR, 1, false);
	batch_end(&b);
	syncs[0].handle = job.done.handle;
	syncs[1].handle = xetile_syncobj(s.fd);
	syncs[1].flags = DRM_XETILE_SYNC_SIGNAL;
	igt_assert_eq(__xetile_exec(s.fd, second, batch_addr(&b), syncs, 2), 0);
	syncs[0].handle = change.done.handle;
	igt_assert_eq(__xetile_vm_bind(s.fd, s.vm, &bind, 1, syncs, 1), 0);

	sync.handle = xetile_syncobj(s.fd);
	fence.queue_id = s.queue;
	igt_assert_eq(xetile_ioctl(s.fd, DRM_IOCTL_XETILE_EXEC, &fence), 0);
	igt_assert_eq(__xetile_wait(s.fd, sync.handle, 20000), 0);
	/* Now the other queue's job brings the old translation into the TLB. */
	leave(&other, &job);
	igt_assert_eq(__xetile_wait(s.fd, syncs[1].handle, 20000), 0);
	igt_assert_eq_u32(*map_old, 1);
	leave(&other, &change);

	place_store(&s, DATA_ADDR, 2);
	igt_assert_eq_u32(*map_old, 1);
	igt_assert_eq_u32(*map, 2);

	munmap(map_old, SZ_64K);
	munmap(map, SZ_64K);
	xetile_bo_close(s.fd, old);
	xetile_bo_close(s.fd, bind.handle);
	xetile_syncobj_destroy(s.fd, sync.handle);
	xetile_syncobj_destroy(s.fd, syncs[1].handle);
	xetile_queue_destroy(s.fd, second);
	place_fini(&s);
	place_fini(&other);
}

igt_main
{
	struct xetile_card card = { .fd = -1 };

	igt_fixture
		xetile_open_card(&card);

	igt_describe("After a rebind the next job must not use a stale translation");
	igt_subtest("reuse")
		test_rebind_reuse(&card);
	igt_describe("A rebind must take effect also when the queue changes engines");
	igt_subtest("moving")
		test_rebind_moving(&card);
	igt_describe("A rebind must take effect after a compute job between the call and the "
		     "change");
	igt_subtest("late-compute")
		test_rebind_late(&card, DRM_XETILE_ENGINE_COMPUTE);
	igt_describe("A rebind must take effect after a copy job between the call and the change");
	igt_subtest("late-copy")
		test_rebind_late(&card, DRM_XETILE_ENGINE_COPY);
	igt_describe("A fence without a batch must wait for no bind, and must not count as a "
		     "flush");
	igt_subtest("fence-before-change")
		test_fence_before_change(&card);

	igt_fixture
		close(card.fd);
}
