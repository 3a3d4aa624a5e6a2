// SPDX-License-Identifier: MIT
/*
 * Memory over time: eviction, return with the color kept, and buffers shared between files.
 * Statements: S41.
 *
 * suite: igt soak-alone window
 */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <xf86drm.h>

#include "xetile_place.h"

IGT_TEST_DESCRIPTION("Eviction and return, sharing");

static void test_restore(const struct xetile_card *card)
{
	uint64_t size = part_of_tile(card, 30), pages = size / PAGE;
	uint32_t bo[4];
	struct place p;

	place_init(&p, card->fd);
	for (int i = 0; i < 3; i++) {
		bo[i] = strict_on(p.fd, size, 0);
		paint(p.fd, bo[i], size, i << 24);
	}
	xetile_vm_map(p.fd, p.vm, bo[0], 0, DATA_ADDR, size);
	place_store(&p, DATA_ADDR, 7);
	/* bo[0] was used last, therefore the other two are evicted first. */
	bo[3] = strict_on(p.fd, size, 0);
	igt_assert_eq_u64(pages_on(p.fd, bo[0], 0), pages);
	igt_assert_eq_u64(pages_on(p.fd, bo[1], DRM_XETILE_MEM_SYSTEM), pages);
	check_paint(p.fd, bo[1], size, 1 << 24);

	/* A job needs the mapped buffer in HBM, and another buffer is evicted. */
	xetile_vm_map(p.fd, p.vm, bo[1], 0, DATA_ADDR + SZ_1G, size);
	place_store(&p, DATA_ADDR + SZ_1G, 8);
	igt_assert_eq_u64(pages_on(p.fd, bo[1], 0), pages);
	check_paint(p.fd, bo[1], size, 1 << 24);

	/*
	 * Buffers that are mapped are evicted: the next job of the VM brings them back and maps
	 * them anew.
	 */
	for (int i = 0; i < 2; i++) {
		xetile_bo_close(p.fd, bo[3 - i]);
		bo[3 - i] = strict_on(p.fd, size, 0);
	}
	xetile_bo_close(p.fd, strict_on(p.fd, part_of_tile(card, 35), 0));
	igt_assert_lte_u64(1, pages_on(p.fd, bo[0], DRM_XETILE_MEM_SYSTEM) +
			   pages_on(p.fd, bo[1], DRM_XETILE_MEM_SYSTEM));
	place_store(&p, DATA_ADDR, 9);
	place_store(&p, DATA_ADDR + SZ_1G, 10);
	for (int i = 0; i < 2; i++) {
		uint32_t *map = xetile_bo_map(p.fd, bo[i], PAGE);

		igt_assert_eq_u64(pages_on(p.fd, bo[i], 0), pages);
		igt_assert_eq_u32(map[0], 9 + i);
		munmap(map, PAGE);
		check_paint(p.fd, bo[i], size, i << 24);
	}
	for (int i = 0; i < 4; i++)
		xetile_bo_close(p.fd, bo[i]);
	place_fini(&p);
}

/* Returns more bytes than are kept free for page tables. */
static uint64_t slack(const struct xetile_card *card)
{
	return card->tiles[0].hbm_total / 128 + 2 * SZ_2M;
}

/* Evicts @bo, the one idle buffer of tile 0, of @size bytes. */
static void push_out(const struct xetile_card *card, uint32_t bo, uint64_t size)
{
	uint64_t used = xetile_hbm_used(card->fd);
	uint64_t all = hbm_free(card->fd) + size - slack(card);

	xetile_bo_close(card->fd, strict_on(card->fd, all / PAGE * PAGE, 0));
	xetile_assert_soon(xetile_hbm_used(card->fd) <= used - size);
	igt_assert_eq_u64(pages_on(card->fd, bo, DRM_XETILE_MEM_SYSTEM), size / PAGE);
}

/* Buffers that fill tile 0 except for separate free pieces of 64 KiB */
struct filling {
	uint32_t most;
	uint32_t small[MAX_RUNS];
	unsigned int num;
};

/* Fills tile 0. The free pieces have at least @size bytes in all. */
static void fill(struct filling *f, const struct xetile_card *card, uint64_t size)
{
	int fd = card->fd;
	uint64_t used;

	f->most = strict_on(fd, (hbm_free(fd) - 2 * size - slack(card)) / PAGE * PAGE, 0);
	f->num = (hbm_free(fd) - slack(card)) / PAGE / 2 * 2;
	igt_assert_lte(f->num, MAX_RUNS);
	for (unsigned int i = 0; i < f->num; i++)
		f->small[i] = strict_on(fd, PAGE, 0);
	used = xetile_hbm_used(fd);
	for (unsigned int i = 0; i < f->num; i += 2)
		xetile_bo_close(fd, f->small[i]);
	xetile_assert_soon(xetile_hbm_used(fd) <= used - f->num / 2 * PAGE);
}

static void unfill(struct filling *f, int fd)
{
	uint64_t used = xetile_hbm_used(fd), size = pages_on(fd, f->most, 0) + f->num / 2;

	for (unsigned int i = 1; i < f->num; i += 2)
		xetile_bo_close(fd, f->small[i]);
	xetile_bo_close(fd, f->most);
	xetile_assert_soon(xetile_hbm_used(fd) <= used - size * PAGE);
}

/*
 * A buffer that returns to HBM, in pieces or as a whole, is mapped by other page tables than
 * before. The old tables are freed without a bind.
 */
static void test_tables(const struct xetile_card *card)
{
	uint64_t size = 16 * SZ_2M, used[3];
	struct filling filling;
	struct place p;
	uint32_t bo;

	/* Workers free the previous subtests' memory, which must not be counted as in use below. */
	xetile_assert_soon(xetile_hbm_used(card->fd) < size);
	place_init(&p, card->fd);
	bo = strict_on(p.fd, size, 0);
	xetile_vm_map(p.fd, p.vm, bo, 0, DATA_ADDR, size);
	for (unsigned int round = 0; round < ARRAY_SIZE(used); round++) {
		push_out(card, bo, size);
		fill(&filling, card, size);
		place_store(&p, DATA_ADDR, 1);
		igt_assert_eq_u64(pages_on(p.fd, bo, 0), size / PAGE);
		unfill(&filling, p.fd);
		push_out(card, bo, size);
		place_store(&p, DATA_ADDR, 2);
		igt_assert_eq_u64(pages_on(p.fd, bo, 0), size / PAGE);
		/* The second job after the one that retired a table frees that table. */
		place_store(&p, DATA_ADDR, 3);
		place_store(&p, DATA_ADDR, 4);
		used[round] = xetile_hbm_used(p.fd);
	}
	for (unsigned int round = 1; round < ARRAY_SIZE(used); round++)
		igt_assert_eq_u64(used[round], used[0]);
	xetile_bo_close(p.fd, bo);
	place_fini(&p);
}

/*
 * Breaks a part of tile 0 up so that no 64 KiB of it are free in one piece: makes many page tables
 * side by side and frees most of them. Returns the VM that keeps the rest.
 */
static uint32_t crumble(int fd, uint64_t size)
{
	const unsigned int each = PAGE / 4096, most = DRM_XETILE_MAX_ARRAY;
	uint32_t vm = xetile_vm(fd), word = xetile_bo(fd, PAGE, DRM_XETILE_PLACE_SYSTEM);
	struct drm_xetile_bind *binds = calloc(most, sizeof(*binds));
	struct drm_xetile_vm_bind args = { .vm_id = vm };
	unsigned int num = size / 4096;

	igt_assert(binds);
	for (unsigned int at = 0; at < num; at += args.binds.count) {
		unsigned int n = num - at < most ? num - at : most;

		for (unsigned int i = 0; i < n; i++)
			binds[i] = (struct drm_xetile_bind) {
				.addr = DATA_ADDR + (at + i) * SZ_2M, .range = PAGE,
				.handle = word, .tile_mask = 1,
			};
		args.binds = (struct drm_xetile_array) DRM_XETILE_ARRAY(binds, n);
		igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XETILE_VM_BIND, &args), 0);
	}
	for (unsigned int i = 0; i < num / each; i++)
		binds[i] = (struct drm_xetile_bind) {
			.op = DRM_XETILE_BIND_UNMAP, .tile_mask = 1,
			.addr = DATA_ADDR + i * each * SZ_2M, .range = (each - 1) * SZ_2M,
		};
	args.binds = (struct drm_xetile_array) DRM_XETILE_ARRAY(binds, num / each);
	igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XETILE_VM_BIND, &args), 0);
	xetile_bo_close(fd, word);
	free(binds);
	return vm;
}

/* Fills tile 0 with busy buffers until the smallest buffer finds no room. */
static void fill_busy(struct place *p, const struct xetile_card *card)
{
	uint64_t at = DATA_ADDR, most = hbm_free(p->fd) - 2 * slack(card) - 16 * SZ_2M;
	uint32_t bo = strict_on(p->fd, most / PAGE * PAGE, 0), tile;

	xetile_vm_map(p->fd, p->vm, bo, 0, at, most / PAGE * PAGE);
	xetile_bo_close(p->fd, bo);
	at += SZ_1G;
	for (uint64_t size = 16 * SZ_2M; size >= PAGE; size /= 2) {
		do {
			igt_assert_eq(try_tile(p->fd, size, 0, DRM_XETILE_BO_STRICT,
					       DRM_XETILE_PLACE_HBM | DRM_XETILE_PLACE_SYSTEM,
					       &bo), 0);
			tile = pages_on(p->fd, bo, 0) ? 0 : DRM_XETILE_MEM_SYSTEM;
			if (!tile)
				xetile_vm_map(p->fd, p->vm, bo, 0, at, size);
			xetile_bo_close(p->fd, bo);
			at += SZ_1G;
		} while (!tile);
	}
}

/*
 * A buffer lies partly on another tile. The free memory of its tile would suffice, but its pieces
 * are too small. The buffer moves to system memory and back in vain once, and not again for each
 * job.
 */
static void test_detour(const struct xetile_card *card)
{
	const uint64_t part = 4 * SZ_2M;
	/* Dealt in granules of 2 MiB; tile 0 has room for all of its granules but the last. */
	struct drm_xetile_bo_create args = {
		.size = 2 * (part + SZ_2M), .placement = DRM_XETILE_PLACE_HBM,
		.color = DRM_XETILE_COLOR_CHUNK, .tile_mask = 3, .granule = SZ_2M,
	};
	uint32_t crumbs, place, bo;
	uint64_t copied;
	struct place busy, keeps, p;

	igt_require_f(card->device.num_tiles >= 2, "needs two tiles\n");
	xetile_wait_hbm_free(card->fd);
	place_init(&busy, card->fd);
	place_init(&keeps, card->fd);
	place_init(&p, card->fd);
	/* One and a half times the memory that is kept free for page tables */
	crumbs = crumble(card->fd, card->tiles[0].hbm_total / 128 / 2 * 3);
	place = strict_on(card->fd, part, 0);
	xetile_vm_map(card->fd, keeps.vm, place, 0, DATA_ADDR, part);
	place_hold(&keeps);
	place_hold(&busy);
	fill_busy(&busy, card);
	place_let_go(&keeps);
	xetile_vm_unmap(card->fd, keeps.vm, DATA_ADDR, part);
	xetile_bo_close(card->fd, place);
	/* Room for the whole part of tile 0, if the pieces were larger */
	xetile_assert_soon(hbm_free(card->fd) > part + SZ_2M);
	igt_assert_eq(__xetile_bo_create(card->fd, &args), 0);
	bo = args.handle;
	igt_assert_eq_u64(pages_on(card->fd, bo, 0), part / PAGE);
	igt_assert_eq_u64(pages_on(card->fd, bo, 1), (args.size - part) / PAGE);
	paint(card->fd, bo, args.size, 0x7000000);
	xetile_vm_map(card->fd, p.vm, bo, 0, DATA_ADDR, args.size);
	copied = xetile_copy_passes(card->fd);
	place_store(&p, DATA_ADDR, 1);
	igt_assert_lte_u64(copied + 1, xetile_copy_passes(card->fd));
	copied = xetile_copy_passes(card->fd);
	for (int i = 0; i < 3; i++)
		place_store(&p, DATA_ADDR, 2 + i);
	igt_assert_eq_u64(xetile_copy_passes(card->fd), copied);
	check_paint(card->fd, bo, args.size, 0x7000000);

	place_let_go(&busy);
	xetile_bo_close(card->fd, bo);
	xetile_vm_destroy(card->fd, crumbs);
	place_fini(&p);
	place_fini(&keeps);
	place_fini(&busy);
}

/* Returns the bytes of all tiles that are kept for contexts. */
static uint64_t kept_for_contexts(int fd)
{
	return xetile_debugfs_sum(fd, "hbm", "kept");
}

/*
 * Page tables leave the memory that buffers may not have in pieces that are too small for a
 * context, and buffers have the rest: contexts take what is kept for them.
 */
static void test_context(const struct xetile_card *card)
{
	struct place busy, p[3];
	uint64_t kept, copied;
	uint32_t crumbs;

	xetile_wait_hbm_free(card->fd);
	kept = kept_for_contexts(card->fd);
	igt_assert_lte_u64(SZ_2M / 2, kept);
	place_init(&busy, card->fd);
	/* One and a half times the memory that is kept free for page tables */
	crumbs = crumble(card->fd, card->tiles[0].hbm_total / 128 / 2 * 3);
	place_hold(&busy);
	fill_busy(&busy, card);
	copied = xetile_copy_passes(card->fd);
	for (unsigned int i = 0; i < ARRAY_SIZE(p); i++)
		place_init(&p[i], card->fd);
	igt_assert_eq_u64(xetile_copy_passes(card->fd), copied);
	igt_assert(kept_for_contexts(card->fd) < kept);
	for (unsigned int i = 0; i < ARRAY_SIZE(p); i++) {
		place_store(&p[i], p[i].ctl.addr + 0x3000, 1);
		place_fini(&p[i]);
	}
	place_let_go(&busy);
	xetile_vm_destroy(card->fd, crumbs);
	place_fini(&busy);
	xetile_assert_soon(kept_for_contexts(card->fd) == kept);
}

/*
 * More buffers private to a VM than HBM has room for. They evict each other when they are created,
 * and are evicted for other clients' buffers. A job has as many of them in HBM as fit, and the rest
 * in system memory.
 */
static void test_private(const struct xetile_card *card)
{
	uint64_t size = part_of_tile(card, 15);
	struct drm_xetile_bo_create args = {
		.size = size, .placement = DRM_XETILE_PLACE_HBM | DRM_XETILE_PLACE_SYSTEM,
		.flags = DRM_XETILE_BO_STRICT, .color = DRM_XETILE_COLOR_TILE, .tile_mask = 1,
	};
	uint64_t pages = size / PAGE, in_hbm, used;
	uint32_t bo[8], other;
	struct place p;

	place_init(&p, card->fd);
	args.vm_id = p.vm;
	for (int i = 0; i < 8; i++) {
		igt_assert_eq(__xetile_bo_create(p.fd, &args), 0);
		bo[i] = args.handle;
		paint(p.fd, bo[i], size, i << 24);
		xetile_vm_map(p.fd, p.vm, bo[i], 0, DATA_ADDR + i * SZ_1G, size);
	}
	/* This buffer may be nowhere but in HBM. */
	args.placement = DRM_XETILE_PLACE_HBM;
	igt_assert_eq(__xetile_bo_create(p.fd, &args), 0);
	igt_assert_eq_u64(pages_on(p.fd, args.handle, 0), pages);
	used = xetile_hbm_used(p.fd);
	xetile_bo_close(p.fd, args.handle);
	xetile_assert_soon(xetile_hbm_used(p.fd) <= used - size);
	for (int round = 0; round < 2; round++) {
		in_hbm = 0;
		for (int i = 0; i < 8; i++) {
			place_store(&p, DATA_ADDR + i * SZ_1G, 10 * round + i);
			in_hbm += pages_on(p.fd, bo[i], 0);
		}
		igt_assert_lte_u64(4 * pages, in_hbm);
		/* All idle buffers are evicted for another buffer. */
		other = strict_on(p.fd, part_of_tile(card, 90), 0);
		used = xetile_hbm_used(p.fd);
		xetile_bo_close(p.fd, other);
		xetile_assert_soon(xetile_hbm_used(p.fd) <= used - part_of_tile(card, 90));
	}
	for (int i = 0; i < 8; i++) {
		uint32_t *map = xetile_bo_map(p.fd, bo[i], PAGE);

		igt_assert_eq_u32(map[0], 10 + i);
		munmap(map, PAGE);
		check_paint(p.fd, bo[i], size, i << 24);
		xetile_bo_close(p.fd, bo[i]);
	}
	place_fini(&p);
}

static void check_clear(int fd, uint32_t bo)
{
	uint32_t *map = xetile_bo_map(fd, bo, PAGE);

	igt_assert_eq_u32(map[0], 0);
	munmap(map, PAGE);
}

/* A mapped private buffer without a handle counts as used together with the rest of its VM. */
static void test_private_closed(const struct xetile_card *card)
{
	uint64_t size = part_of_tile(card, 40), used;
	struct drm_xetile_bo_create args = {
		.size = size, .placement = DRM_XETILE_PLACE_HBM,
		.color = DRM_XETILE_COLOR_TILE, .tile_mask = 1, .flags = DRM_XETILE_BO_STRICT,
	};
	uint32_t older;
	struct place p;

	place_init(&p, card->fd);
	args.vm_id = p.vm;
	igt_assert_eq(__xetile_bo_create(p.fd, &args), 0);
	xetile_vm_map(p.fd, p.vm, args.handle, 0, DATA_ADDR, size);
	xetile_bo_close(p.fd, args.handle);
	older = strict_on(p.fd, size, 0);
	/* After the read the buffer has been cleared, and is idle. */
	check_clear(p.fd, older);
	place_store(&p, DATA_ADDR, 1);
	xetile_bo_close(p.fd, strict_on(p.fd, size, 0));
	igt_assert_eq_u64(pages_on(p.fd, older, DRM_XETILE_MEM_SYSTEM), size / PAGE);
	xetile_bo_close(p.fd, older);
	/* The buffer is freed with its last mapping. */
	used = xetile_hbm_used(p.fd);
	xetile_vm_unmap(p.fd, p.vm, DATA_ADDR, size);
	xetile_assert_soon(xetile_hbm_used(p.fd) <= used - size);
	place_fini(&p);
}

#define PIECES 64

/*
 * An eviction of many buffers computes the color of the new buffer only, not of the evicted ones.
 */
static void test_many(const struct xetile_card *card)
{
	uint64_t size = part_of_tile(card, 90) / PIECES / PAGE * PAGE, runs;
	uint64_t all = part_of_tile(card, 90) / SZ_2M * SZ_2M;
	struct drm_xetile_bo_create args = {
		.size = all, .placement = DRM_XETILE_PLACE_HBM, .flags = DRM_XETILE_BO_STRICT,
		.color = DRM_XETILE_COLOR_CHUNK, .granule = PAGE, .tile_mask = 1,
	};
	unsigned int evicted = 0;
	uint32_t bo[PIECES];

	if (card->device.num_tiles > 1) {
		args.size *= 2;
		args.tile_mask = 3;
	}
	for (int i = 0; i < PIECES; i++)
		bo[i] = strict_on(card->fd, size, 0);
	check_clear(card->fd, bo[PIECES - 1]);
	runs = xetile_debugfs_sum(card->fd, "hbm", "runs");
	igt_assert_eq(__xetile_bo_create(card->fd, &args), 0);
	runs = xetile_debugfs_sum(card->fd, "hbm", "runs") - runs;
	for (int i = 0; i < PIECES; i++) {
		evicted += !pages_on(card->fd, bo[i], 0);
		xetile_bo_close(card->fd, bo[i]);
	}
	igt_assert_lte(PIECES / 2, (int)evicted);
	igt_assert_eq_u64(runs, args.size / PAGE);
	xetile_bo_close(card->fd, args.handle);
}

static void test_color(const struct xetile_card *card)
{
	uint64_t size = 32 * SZ_2M + 5 * PAGE;
	struct drm_xetile_color_run before[MAX_RUNS], after[MAX_RUNS];
	uint32_t fill, bo, n;
	struct place p;

	igt_require_f(card->device.num_tiles >= 2, "needs two tiles\n");
	place_init(&p, card->fd);
	bo = xetile_bo_color(p.fd, size, DRM_XETILE_COLOR_CHUNK, 0, SZ_64K);
	n = xetile_bo_runs(p.fd, bo, before, MAX_RUNS);
	igt_assert_eq_u32(n, size / PAGE);
	paint(p.fd, bo, size, 0x5000000);
	xetile_vm_map(p.fd, p.vm, bo, 0, DATA_ADDR, size);
	place_store(&p, DATA_ADDR, 1);

	/* The whole buffer is evicted when one tile has no room for its half. */
	fill = strict_on(p.fd, part_of_tile(card, 99), 0);
	igt_assert_eq_u64(pages_on(p.fd, bo, DRM_XETILE_MEM_SYSTEM), size / PAGE);
	xetile_bo_close(p.fd, fill);

	place_store(&p, DATA_ADDR, 2);
	igt_assert_eq_u32(xetile_bo_runs(p.fd, bo, after, MAX_RUNS), n);
	igt_assert_eq(memcmp(before, after, n * sizeof(before[0])), 0);
	check_paint(p.fd, bo, size, 0x5000000);
	xetile_bo_close(p.fd, bo);
	place_fini(&p);
}

/*
 * Creates a buffer of @percent of tile 0 while a job uses @hog_percent of it. Asserts that the
 * buffer has its color as soon as the hog is gone and a job runs.
 */
static void check_returns(const struct xetile_card *card, uint32_t flags, uint32_t placement,
			  unsigned int hog_percent, unsigned int percent)
{
	uint64_t size = part_of_tile(card, percent), hog_size = part_of_tile(card, hog_percent);
	uint64_t pages = size / PAGE, used, copied;
	uint32_t bo, hog_bo;
	struct place hog, p;

	place_init(&hog, card->fd);
	place_init(&p, card->fd);
	hog_bo = strict_on(card->fd, hog_size, 0);
	xetile_vm_map(hog.fd, hog.vm, hog_bo, 0, DATA_ADDR, hog_size);
	place_hold(&hog);

	igt_assert_eq(try_tile(p.fd, size, 0, flags, placement, &bo), 0);
	paint(p.fd, bo, size, 0x6000000);
	xetile_vm_map(p.fd, p.vm, bo, 0, DATA_ADDR, size);
	place_store(&p, DATA_ADDR, 1);
	igt_assert_lte_u64(pages_on(p.fd, bo, 0), pages - 1);
	/* The buffer does not move as long as nothing has changed. */
	copied = xetile_copy_passes(card->fd);
	place_store(&p, DATA_ADDR, 2);
	igt_assert_eq_u64(xetile_copy_passes(card->fd), copied);

	used = xetile_hbm_used(card->fd);
	place_let_go(&hog);
	xetile_bo_close(hog.fd, hog_bo);
	place_fini(&hog);
	xetile_assert_soon(xetile_hbm_used(card->fd) <= used - hog_size);
	igt_assert_lte_u64(pages_on(p.fd, bo, 0), pages - 1);
	place_store(&p, DATA_ADDR, 3);
	igt_assert_eq_u64(pages_on(p.fd, bo, 0), pages);
	place_store(&p, DATA_ADDR + 4, 4);
	check_paint(p.fd, bo, size, 0x6000000);
	xetile_bo_close(p.fd, bo);
	place_fini(&p);
}

static void test_return_system(const struct xetile_card *card)
{
	check_returns(card, DRM_XETILE_BO_STRICT, DRM_XETILE_PLACE_HBM | DRM_XETILE_PLACE_SYSTEM,
		      60, 60);
}

static void test_return_spilled(const struct xetile_card *card)
{
	igt_require_f(card->device.num_tiles >= 2, "needs two tiles\n");
	/* First with room for the other part on tile 0, then without. */
	check_returns(card, 0, DRM_XETILE_PLACE_HBM, 80, 30);
	check_returns(card, 0, DRM_XETILE_PLACE_HBM, 60, 70);
}

/* The driver keeps a few pieces that were page tables, which must not keep a buffer out. */
static void test_after_tables(const struct xetile_card *card)
{
	int fd = card->fd;

	xetile_wait_hbm_free(fd);
	xetile_vm_destroy(fd, crumble(fd, 32 * SZ_4K));
	xetile_wait_hbm_free(fd);
	xetile_bo_close(fd, strict_on(fd, hbm_free(fd) / PAGE * PAGE, 0));
}

static void test_share(const struct xetile_card *card)
{
	int other = xetile_reopen(card->fd), file;
	uint32_t bo, same, there, *map;
	struct place p;

	/*
	 * A queue's context is one piece of HBM, and nothing is evicted for it: what others have
	 * given up, in small pieces, must be free.
	 */
	xetile_wait_hbm_free(card->fd);
	bo = xetile_bo(card->fd, PAGE, DRM_XETILE_PLACE_HBM);
	igt_assert_eq(drmPrimeHandleToFD(card->fd, bo, DRM_CLOEXEC | DRM_RDWR, &file), 0);
	igt_assert_eq(drmPrimeFDToHandle(card->fd, file, &same), 0);
	igt_assert_eq_u32(same, bo);
	igt_assert_eq(drmPrimeFDToHandle(other, file, &there), 0);

	place_init(&p, other);
	xetile_vm_map(other, p.vm, there, 0, DATA_ADDR, PAGE);
	place_store(&p, DATA_ADDR + 8, 0xabc);
	map = xetile_bo_map(card->fd, bo, PAGE);
	igt_assert_eq_u32(map[2], 0xabc);
	munmap(map, PAGE);

	/* Each handle, and the dma-buf file, keeps the buffer alive. */
	xetile_bo_close(card->fd, bo);
	place_store(&p, DATA_ADDR + 8, 0xdef);
	map = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	igt_assert(map != MAP_FAILED);
	igt_assert_eq_u32(map[2], 0xdef);
	munmap(map, PAGE);
	close(file);
	xetile_bo_close(other, there);
	place_fini(&p);
	close(other);
}

igt_main
{
	struct xetile_card card = { .fd = -1 };

	igt_fixture {
		xetile_open_card(&card);
		require_room_elsewhere(&card);
	}

	igt_describe("Idle buffers must be evicted for others, and return with their contents "
		     "when used");
	igt_subtest("restore")
		test_restore(&card);
	igt_describe("Page tables that a buffer's return replaces must be freed");
	igt_subtest("tables")
		test_tables(&card);
	igt_describe("Buffers private to a VM must be evicted, and return with their contents "
		     "when used");
	igt_subtest("private")
		test_private(&card);
	igt_describe("A private buffer without a handle must count as used with the others of "
		     "its VM");
	igt_subtest("private-closed")
		test_private_closed(&card);
	igt_describe("The cost of evicting many buffers must not grow with the new buffer");
	igt_subtest("many")
		test_many(&card);
	igt_describe("A buffer that returns must have its color again, run by run");
	igt_subtest("color")
		test_color(&card);
	igt_describe("A buffer that found HBM full must get its color when there is room and a "
		     "job uses it");
	igt_subtest("return-system")
		test_return_system(&card);
	igt_describe("A buffer that spilled must get its color when there is room and a job uses "
		     "it");
	igt_subtest("return-spilled")
		test_return_spilled(&card);
	igt_describe("A buffer that cannot get its color must not be copied back and forth by "
		     "each job");
	igt_subtest("detour")
		test_detour(&card);
	igt_describe("A buffer must get all memory that is free, that of former page tables too");
	igt_subtest("after-tables")
		test_after_tables(&card);
	igt_describe("Contexts must find room when page tables have left small pieces only");
	igt_subtest("context")
		test_context(&card);
	igt_describe("A buffer shared with another file must be the same buffer in both");
	igt_subtest("share")
		test_share(&card);

	igt_fixture
		close(card.fd);
}
