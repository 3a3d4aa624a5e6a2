// SPDX-License-Identifier: MIT
/*
 * System memory is mapped, cut and unmapped by pages of 4 KiB, beside HBM in the same 2 MiB, and
 * HBM by 64 KiB only.
 *
 * suite: igt soak
 */
#include <errno.h>
#include <stdbool.h>
#include <sys/mman.h>

#include "xetile_binds.h"
#include "xetile_place.h"

IGT_TEST_DESCRIPTION("Binds by pages of 4 KiB");

struct object {
	uint32_t handle;
	uint32_t *map;
	uint64_t size;
};

static struct object object_init(int fd, uint64_t size, uint32_t placement)
{
	struct object o = { .handle = xetile_bo(fd, size, placement), .size = size };

	o.map = xetile_bo_map(fd, o.handle, size);
	return o;
}

static void object_fini(int fd, struct object *o)
{
	munmap(o->map, o->size);
	xetile_bo_close(fd, o->handle);
}

static uint32_t *page_of(const struct object *o, unsigned int page)
{
	return o->map + page * SZ_4K / 4;
}

/* The GPU must reach page @page of @o at @addr: its first and its last bytes. */
static void check_page(struct place *s, uint64_t addr, const struct object *o, unsigned int page)
{
	uint32_t value = 0x9a6e0000 + (addr >> 12 & 0xffff);

	place_store(s, addr, value);
	igt_assert_eq_u32(page_of(o, page)[0], value);
	place_store(s, addr + SZ_4K - 8, ~value);
	igt_assert_eq_u32(page_of(o, page)[1022], ~value);
}

/* The GPU must find nothing at @addr: a batch that writes there fails. */
static void check_absent(struct place *s, uint64_t addr)
{
	struct drm_xetile_sync sync = { .flags = DRM_XETILE_SYNC_SIGNAL };
	struct xetile_batch b;
	uint32_t queue;

	/* The failed queue is banned, the test's own is not. */
	queue = xetile_queue(s->fd, s->vm, DRM_XETILE_ENGINE_COMPUTE, DRM_XETILE_TARGET_TILE, 0, 0);
	sync.handle = xetile_syncobj(s->fd);
	batch_begin(&b, &s->ctl, 0);
	batch_store(&b, addr, 0xbad, false);
	batch_end(&b);
	igt_assert_eq(__xetile_exec(s->fd, queue, batch_addr(&b), &sync, 1), 0);
	igt_assert_eq(__xetile_wait(s->fd, sync.handle, 30000), 0);
	igt_assert_eq(xetile_fence_status(s->fd, sync.handle), -EIO);
	xetile_syncobj_destroy(s->fd, sync.handle);
	xetile_queue_destroy(s->fd, queue);
}

/* Each page of a buffer is mapped by a bind of its own, in reverse order. */
static void test_pages(const struct xetile_card *card)
{
	enum { NUM = 96 };
	struct drm_xetile_bind binds[NUM] = { 0 };
	struct object o;
	struct place s;

	place_init(&s, card->fd);
	o = object_init(s.fd, NUM * SZ_4K, DRM_XETILE_PLACE_SYSTEM);
	for (unsigned int i = 0; i < NUM; i++)
		binds[i] = (struct drm_xetile_bind) {
			.op = DRM_XETILE_BIND_MAP, .handle = o.handle,
			.offset = (NUM - 1 - i) * SZ_4K,
			.addr = DATA_ADDR + 5 * SZ_4K + i * SZ_4K, .range = SZ_4K,
		};
	igt_assert_eq(__xetile_vm_bind(s.fd, s.vm, binds, NUM, NULL, 0), 0);
	for (unsigned int i = 0; i < NUM; i += 7)
		check_page(&s, binds[i].addr, &o, NUM - 1 - i);
	check_absent(&s, DATA_ADDR + 4 * SZ_4K);
	check_absent(&s, DATA_ADDR + (5 + NUM) * SZ_4K);
	object_fini(s.fd, &o);
	place_fini(&s);
}

/* Holes are cut into a mapping of @pages pages, and filled with pages of another buffer. */
static void test_cut(const struct xetile_card *card, uint64_t addr, unsigned int pages)
{
	static const unsigned int holes[] = { 0, 17, 31, 32, 100 };
	struct object o, other;
	struct place s;

	place_init(&s, card->fd);
	o = object_init(s.fd, pages * SZ_4K, DRM_XETILE_PLACE_SYSTEM);
	other = object_init(s.fd, SZ_64K, DRM_XETILE_PLACE_SYSTEM);
	xetile_vm_map(s.fd, s.vm, o.handle, 0, addr, o.size);
	for (unsigned int i = 0; i < ARRAY_SIZE(holes); i++) {
		uint64_t hole = addr + holes[i] * SZ_4K;

		xetile_vm_unmap(s.fd, s.vm, hole, SZ_4K);
		check_absent(&s, hole);
		if (holes[i] && holes[i] != 32)
			check_page(&s, hole - SZ_4K, &o, holes[i] - 1);
		if (holes[i] != 31)
			check_page(&s, hole + SZ_4K, &o, holes[i] + 1);
		/* The GPU did not write to the page that it had. */
		igt_assert_eq_u32(page_of(&o, holes[i])[0] == 0xbad, 0);
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(holes); i++) {
		uint64_t hole = addr + holes[i] * SZ_4K;

		xetile_vm_map(s.fd, s.vm, other.handle, i * SZ_4K, hole, SZ_4K);
		check_page(&s, hole, &other, i);
		check_page(&s, hole + 2 * SZ_4K, &o, holes[i] + 2);
	}
	/* Another buffer's page over a whole one */
	xetile_vm_map(s.fd, s.vm, other.handle, 0, addr + 50 * SZ_4K, 2 * SZ_4K);
	check_page(&s, addr + 49 * SZ_4K, &o, 49);
	check_page(&s, addr + 51 * SZ_4K, &other, 1);
	check_page(&s, addr + 52 * SZ_4K, &o, 52);
	object_fini(s.fd, &other);
	object_fini(s.fd, &o);
	place_fini(&s);
}

/* Pages of system memory lie between HBM, in the same 2 MiB of addresses. */
static void test_beside_hbm(const struct xetile_card *card)
{
	const uint64_t hole = DATA_ADDR + SZ_2M + 3 * SZ_64K;
	struct object hbm, sys;
	struct place s;

	place_init(&s, card->fd);
	hbm = object_init(s.fd, 3 * SZ_2M, DRM_XETILE_PLACE_HBM);
	sys = object_init(s.fd, SZ_64K, DRM_XETILE_PLACE_SYSTEM);
	for (unsigned int shifted = 0; shifted < 2; shifted++) {
		uint64_t offset = shifted * SZ_64K;

		xetile_vm_map(s.fd, s.vm, hbm.handle, offset, DATA_ADDR, 3 * SZ_2M - offset);
		xetile_vm_unmap(s.fd, s.vm, hole, SZ_64K);
		xetile_vm_map(s.fd, s.vm, sys.handle, 9 * SZ_4K, hole + 5 * SZ_4K, 2 * SZ_4K);
		check_page(&s, hole + 5 * SZ_4K, &sys, 9);
		check_page(&s, hole + 6 * SZ_4K, &sys, 10);
		check_absent(&s, hole + 4 * SZ_4K);
		check_absent(&s, hole + 7 * SZ_4K);
		check_page(&s, hole - SZ_4K, &hbm, (hole - DATA_ADDR + offset) / SZ_4K - 1);
		check_page(&s, hole + SZ_64K, &hbm, (hole - DATA_ADDR + offset + SZ_64K) / SZ_4K);
		check_page(&s, DATA_ADDR, &hbm, offset / SZ_4K);
		check_page(&s, DATA_ADDR + 2 * SZ_2M, &hbm, (2 * SZ_2M + offset) / SZ_4K);
		/* HBM comes back in place of the pages. */
		xetile_vm_map(s.fd, s.vm, hbm.handle, 0, hole, SZ_64K);
		check_page(&s, hole + 5 * SZ_4K, &hbm, 5);
		xetile_vm_unmap(s.fd, s.vm, DATA_ADDR, 3 * SZ_2M);
	}
	object_fini(s.fd, &sys);
	object_fini(s.fd, &hbm);
	place_fini(&s);
}

/*
 * A bind that would leave a part of 64 KiB of HBM mapped is refused, also when the HBM is mapped
 * by the same call, and when the buffer lies in system memory now.
 */
static void test_hbm_whole(const struct xetile_card *card)
{
	struct drm_xetile_bind map = { .addr = DATA_ADDR, .range = 2 * SZ_64K }, pair[3], bind;
	const struct {
		uint64_t addr, range;
		int err;
	} cases[] = {
		{ SZ_4K, SZ_4K, EINVAL },
		{ 0, SZ_4K, EINVAL },
		{ SZ_64K - SZ_4K, 2 * SZ_4K, EINVAL },
		{ SZ_64K, SZ_64K - SZ_4K, EINVAL },
		{ 2 * SZ_64K - SZ_4K, SZ_64K, EINVAL },
		{ -SZ_4K, 2 * SZ_4K, EINVAL },
		{ -SZ_4K, SZ_4K, 0 },
		{ 2 * SZ_64K, SZ_4K, 0 },
		{ -SZ_4K, SZ_64K + SZ_4K, 0 },
	};
	static const uint32_t placements[] = {
		DRM_XETILE_PLACE_HBM, DRM_XETILE_PLACE_HBM | DRM_XETILE_PLACE_SYSTEM,
	};
	uint32_t vm = xetile_vm(card->fd), page;

	page = xetile_bo(card->fd, 2 * SZ_64K, DRM_XETILE_PLACE_SYSTEM);
	for (unsigned int p = 0; p < ARRAY_SIZE(placements); p++) {
		map.handle = xetile_bo(card->fd, 2 * SZ_64K, placements[p]);
		for (unsigned int i = 0; i < ARRAY_SIZE(cases) * 3; i++) {
			bind = (struct drm_xetile_bind) {
				.op = i % 3 == 0 ? DRM_XETILE_BIND_UNMAP :
				      i % 3 == 1 ? DRM_XETILE_BIND_MAP_NULL : DRM_XETILE_BIND_MAP,
				.addr = DATA_ADDR + cases[i / 3].addr, .range = cases[i / 3].range,
				.handle = i % 3 == 2 ? page : 0,
			};
			igt_assert_eq(__xetile_vm_bind(card->fd, vm, &map, 1, NULL, 0), 0);
			igt_assert_eq(__xetile_vm_bind(card->fd, vm, &bind, 1, NULL, 0),
				      -cases[i / 3].err);
			/* The HBM is mapped by the same call, after what was there before. */
			xetile_vm_unmap(card->fd, vm, DATA_ADDR - SZ_64K, 4 * SZ_64K);
			pair[0] = map;
			pair[1] = bind;
			igt_assert_eq(__xetile_vm_bind(card->fd, vm, pair, 2, NULL, 0),
				      -cases[i / 3].err);
			/* The HBM is unmapped by the same call. */
			igt_assert_eq(__xetile_vm_bind(card->fd, vm, &map, 1, NULL, 0), 0);
			pair[0] = (struct drm_xetile_bind) {
				.op = DRM_XETILE_BIND_UNMAP, .addr = map.addr, .range = map.range,
			};
			igt_assert_eq(__xetile_vm_bind(card->fd, vm, pair, 2, NULL, 0), 0);
			xetile_vm_unmap(card->fd, vm, DATA_ADDR - SZ_64K, 4 * SZ_64K);
		}
		/* HBM itself has no smaller pieces. */
		bind = map;
		bind.range = SZ_4K;
		igt_assert_eq(__xetile_vm_bind(card->fd, vm, &bind, 1, NULL, 0), -EINVAL);
		bind = map;
		bind.addr += SZ_4K;
		igt_assert_eq(__xetile_vm_bind(card->fd, vm, &bind, 1, NULL, 0), -EINVAL);
		bind = map;
		bind.range = SZ_64K;
		bind.offset = SZ_4K;
		igt_assert_eq(__xetile_vm_bind(card->fd, vm, &bind, 1, NULL, 0), -EINVAL);
		xetile_bo_close(card->fd, map.handle);
	}
	/* On other tiles another mapping may be at the same addresses. */
	if (card->device.num_tiles > 1) {
		map.handle = xetile_bo(card->fd, 2 * SZ_64K, DRM_XETILE_PLACE_HBM);
		map.tile_mask = 1;
		bind = (struct drm_xetile_bind) {
			.op = DRM_XETILE_BIND_MAP, .handle = page, .addr = DATA_ADDR + SZ_4K,
			.range = SZ_4K, .tile_mask = 2,
		};
		pair[0] = map;
		pair[1] = bind;
		igt_assert_eq(__xetile_vm_bind(card->fd, vm, pair, 2, NULL, 0), 0);
		bind.tile_mask = 3;
		igt_assert_eq(__xetile_vm_bind(card->fd, vm, &bind, 1, NULL, 0), -EINVAL);
		xetile_bo_close(card->fd, map.handle);
	}
	for (unsigned int odd = 1; odd < SZ_4K; odd *= 2) {
		bind = (struct drm_xetile_bind) {
			.handle = page, .addr = DATA_ADDR + odd, .range = SZ_4K,
		};
		igt_assert_eq(__xetile_vm_bind(card->fd, vm, &bind, 1, NULL, 0), -EINVAL);
		bind.addr = DATA_ADDR;
		bind.range = SZ_4K + odd;
		igt_assert_eq(__xetile_vm_bind(card->fd, vm, &bind, 1, NULL, 0), -EINVAL);
		bind.range = SZ_4K;
		bind.offset = odd;
		igt_assert_eq(__xetile_vm_bind(card->fd, vm, &bind, 1, NULL, 0), -EINVAL);
	}
	xetile_bo_close(card->fd, page);
	xetile_vm_destroy(card->fd, vm);
}

/* Pages without memory, of which some become pages of a buffer, and the other way round */
static void test_null(const struct xetile_card *card)
{
	struct drm_xetile_bind bind = {
		.op = DRM_XETILE_BIND_MAP_NULL, .addr = DATA_ADDR + 3 * SZ_4K, .range = 60 * SZ_4K,
	};
	struct object o;
	struct place s;

	place_init(&s, card->fd);
	o = object_init(s.fd, SZ_64K, DRM_XETILE_PLACE_SYSTEM);
	igt_assert_eq(__xetile_vm_bind(s.fd, s.vm, &bind, 1, NULL, 0), 0);
	xetile_vm_map(s.fd, s.vm, o.handle, 0, DATA_ADDR + 20 * SZ_4K, 3 * SZ_4K);
	for (unsigned int i = 3; i < 63; i += i == 19 || i == 22 ? 1 : 4)
		place_store(&s, DATA_ADDR + i * SZ_4K, 0x40 + i);
	check_page(&s, DATA_ADDR + 20 * SZ_4K, &o, 0);
	check_page(&s, DATA_ADDR + 22 * SZ_4K, &o, 2);
	*page_of(&o, 1) = 7;
	bind.addr = DATA_ADDR + 21 * SZ_4K;
	bind.range = SZ_4K;
	igt_assert_eq(__xetile_vm_bind(s.fd, s.vm, &bind, 1, NULL, 0), 0);
	place_store(&s, bind.addr, 8);
	igt_assert_eq_u32(*page_of(&o, 1), 7);
	check_page(&s, DATA_ADDR + 22 * SZ_4K, &o, 2);
	xetile_vm_unmap(s.fd, s.vm, DATA_ADDR + 5 * SZ_4K, SZ_4K);
	check_absent(&s, DATA_ADDR + 5 * SZ_4K);
	place_store(&s, DATA_ADDR + 6 * SZ_4K, 9);
	object_fini(s.fd, &o);
	place_fini(&s);
}

/*
 * Two bind queues map neighbouring pages, and the later bind's fence signals first. @split: both
 * cut the same 64 KiB, so that the later bind follows the earlier one; else it does not wait.
 */
static void test_wait(const struct xetile_card *card, bool split)
{
	uint32_t out[2] = { xetile_syncobj(card->fd), xetile_syncobj(card->fd) };
	struct object under, over;
	struct gate gate[2];
	struct binds s;

	binds_init(&s, card->fd, DRM_XETILE_ENGINE_COMPUTE);
	under = object_init(s.fd, SZ_64K, DRM_XETILE_PLACE_SYSTEM);
	over = object_init(s.fd, SZ_64K, DRM_XETILE_PLACE_SYSTEM);
	if (split)
		xetile_vm_map(s.fd, s.vm, under.handle, 0, DATA_ADDR, SZ_64K);
	else
		xetile_vm_map(s.fd, s.vm, under.handle, 0, DATA_ADDR, SZ_4K);
	for (unsigned int i = 0; i < 2; i++) {
		struct drm_xetile_bind bind = {
			.handle = over.handle, .addr = DATA_ADDR + (1 + i) * SZ_4K, .range = SZ_4K,
			.offset = (1 + i) * SZ_4K,
		};

		gate_init(&gate[i], card->fd);
		igt_assert_eq(binds_try(&s, s.bind[i], &bind, gate[i].fence, out[i]), 0);
	}
	gate_open(&gate[1]);
	if (!split) {
		igt_assert_eq(__xetile_wait(s.fd, out[1], 20000), 0);
		igt_assert_eq(binds_store(&s, DATA_ADDR + 2 * SZ_4K, 22), 1);
		igt_assert_eq_u32(*page_of(&over, 2), 22);
	}
	igt_assert_eq(binds_store(&s, DATA_ADDR, 20), 1);
	igt_assert_eq_u32(*page_of(&under, 0), 20);
	gate_open(&gate[0]);
	for (unsigned int i = 0; i < 2; i++)
		igt_assert_eq(__xetile_wait(s.fd, out[i], 20000), 0);
	for (unsigned int i = 0; i < (split ? 16 : 3); i++) {
		struct object *o = i == 1 || i == 2 ? &over : &under;

		igt_assert_eq(binds_store(&s, DATA_ADDR + i * SZ_4K, 30 + i), 1);
		igt_assert_eq_u32(*page_of(o, i), 30 + i);
	}
	for (unsigned int i = 0; i < 2; i++) {
		xetile_syncobj_destroy(s.fd, out[i]);
		gate_fini(&gate[i]);
	}
	object_fini(s.fd, &over);
	object_fini(s.fd, &under);
	binds_fini(&s);
}

igt_main
{
	struct xetile_card card = { .fd = -1 };

	igt_fixture
		xetile_open_card(&card);

	igt_describe("Pages of system memory must be mapped one by one");
	igt_subtest("pages")
		test_pages(&card);
	igt_describe("Single pages must be cut out of larger mappings, and replaced");
	igt_subtest("cut") {
		test_cut(&card, DATA_ADDR, 1024);
		test_cut(&card, DATA_ADDR + 3 * SZ_4K, 200);
	}
	igt_describe("Pages of 4 KiB must have their place beside HBM");
	igt_subtest("beside-hbm")
		test_beside_hbm(&card);
	igt_describe("No bind may cut 64 KiB of what may be in HBM");
	igt_subtest("hbm-whole")
		test_hbm_whole(&card);
	igt_describe("Addresses without memory must be mapped by 4 KiB, too");
	igt_subtest("null")
		test_null(&card);
	igt_describe("Binds of neighbouring pages that wait must not undo each other");
	igt_subtest("wait") {
		test_wait(&card, false);
		test_wait(&card, true);
	}

	igt_fixture
		close(card.fd);
}
