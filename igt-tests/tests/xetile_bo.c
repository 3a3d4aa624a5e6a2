// SPDX-License-Identifier: MIT
/*
 * Buffer objects: colors and their read-back, zeroed pages, CPU mappings, limits of a client, and
 * bad input in every field.
 * Statements: S3-S8, S40, S41, S56-S59, C4, C7, C8, W9, W22.
 *
 * suite: igt soak 1-tile 2nd-card window
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <xf86drm.h>

#include "xetile_igt.h"
#include "xetile_memcg.h"

IGT_TEST_DESCRIPTION("Colored buffer objects");

#define PAGE	((uint64_t)DRM_XETILE_COLOR_PAGE)
#define MAX_RUNS 512

static uint32_t all_tiles(const struct xetile_card *card)
{
	return (1u << card->device.num_tiles) - 1;
}

static uint64_t tile_pages(const struct drm_xetile_color_run *runs, uint32_t n, uint32_t tile)
{
	uint64_t pages = 0;

	for (uint32_t i = 0; i < n; i++)
		if (runs[i].tile == tile)
			pages += runs[i].pages;
	return pages;
}

static void test_even(const struct xetile_card *card)
{
	static const uint32_t sizes[] = { 1, 2, 3, 4, 5, 7, 18, 33, 64, 65, 257 };
	uint32_t tiles = card->device.num_tiles;

	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		uint32_t pages = sizes[i];
		uint32_t bo = xetile_bo_color(card->fd, pages * PAGE, DRM_XETILE_COLOR_EVEN, 0, 0);
		struct drm_xetile_color_run runs[MAX_RUNS];
		uint32_t n = xetile_bo_runs(card->fd, bo, runs, MAX_RUNS);

		/* Contiguous shares in the order of the tiles; a tile without a page has no run. */
		igt_assert_eq_u32(n, pages < tiles ? pages : tiles);
		for (uint32_t t = 0; t < n; t++) {
			igt_assert_eq_u32(runs[t].tile, t);
			igt_assert_eq_u32(runs[t].pages, pages / tiles + (t < pages % tiles));
		}
		xetile_bo_close(card->fd, bo);
	}
}

static void test_tile(const struct xetile_card *card)
{
	for (uint32_t t = 0; t < card->device.num_tiles; t++) {
		uint32_t bo = xetile_bo_color(card->fd, 9 * PAGE, DRM_XETILE_COLOR_TILE, 1u << t, 0);
		struct drm_xetile_color_run run;

		igt_assert_eq_u32(xetile_bo_runs(card->fd, bo, &run, 1), 1);
		igt_assert_eq_u32(run.tile, t);
		igt_assert_eq_u32(run.pages, 9);
		xetile_bo_close(card->fd, bo);
	}
}

static void test_chunk(const struct xetile_card *card)
{
	static const uint64_t granules[] = { 0, 1, 2, 3, 32 };
	uint32_t tiles = card->device.num_tiles;

	for (unsigned int i = 0; i < ARRAY_SIZE(granules); i++) {
		uint32_t g = granules[i] ?: 1, pages = 67, page = 0, run = 0;
		uint32_t bo = xetile_bo_color(card->fd, pages * PAGE, DRM_XETILE_COLOR_CHUNK, 0,
					      granules[i] * PAGE);
		struct drm_xetile_color_run runs[MAX_RUNS];
		uint32_t n = xetile_bo_runs(card->fd, bo, runs, MAX_RUNS), left = runs[0].pages;

		for (; page < pages; page++) {
			while (!left) {
				igt_assert_lt(++run, n);
				left = runs[run].pages;
			}
			igt_assert_eq_u32(runs[run].tile, page / g % tiles);
			left--;
		}
		igt_assert_eq_u32(run + 1, n);
		igt_assert_eq_u32(left, 0);
		xetile_bo_close(card->fd, bo);
	}
}

static void test_map(const struct xetile_card *card)
{
	uint32_t last = card->device.num_tiles - 1, n;
	const struct drm_xetile_color_run map[] = { { last, 3 }, { 0, 1 }, { last, 2 }, { 0, 10 } };
	struct drm_xetile_bo_create args = {
		.size = 16 * PAGE, .placement = DRM_XETILE_PLACE_HBM,
		.flags = DRM_XETILE_BO_STRICT, .color = DRM_XETILE_COLOR_MAP,
		.runs = DRM_XETILE_ARRAY(map, ARRAY_SIZE(map)),
	};
	struct drm_xetile_color_run runs[8];

	igt_assert_eq(__xetile_bo_create(card->fd, &args), 0);
	n = xetile_bo_runs(card->fd, args.handle, runs, ARRAY_SIZE(runs));
	igt_assert_eq_u64(tile_pages(runs, n, last), last ? 5 : 16);
	if (last) {
		igt_assert_eq_u32(n, ARRAY_SIZE(map));
		igt_assert_eq(memcmp(runs, map, sizeof(map)), 0);
	}
	xetile_bo_close(card->fd, args.handle);
}

static void test_weighted(const struct xetile_card *card)
{
	const struct drm_xetile_color_run map[] = { { 0, 3 }, { 1, 1 } };
	struct drm_xetile_bo_create args = {
		.size = 16 * PAGE, .placement = DRM_XETILE_PLACE_HBM,
		.flags = DRM_XETILE_BO_STRICT, .color = DRM_XETILE_COLOR_WEIGHTED,
		.tile_mask = 3, .runs = DRM_XETILE_ARRAY(map, ARRAY_SIZE(map)),
	};
	struct drm_xetile_color_run runs[8];

	igt_require_f(card->device.num_tiles >= 2, "needs two tiles\n");
	igt_assert_eq(__xetile_bo_create(card->fd, &args), 0);
	igt_assert_eq(xetile_bo_runs(card->fd, args.handle, runs, ARRAY_SIZE(runs)), 2);
	igt_assert_eq_u32(runs[0].pages, 12);
	igt_assert_eq_u32(runs[1].pages, 4);
	xetile_bo_close(card->fd, args.handle);
}

static void test_follow(const struct xetile_card *card)
{
	uint32_t tiles = card->device.num_tiles, pages = 18, share = (pages + tiles - 1) / tiles;
	uint32_t bo = xetile_bo_color(card->fd, pages * PAGE, DRM_XETILE_COLOR_FOLLOW, 0, 0);
	struct drm_xetile_color_run runs[8];
	uint32_t n = xetile_bo_runs(card->fd, bo, runs, ARRAY_SIZE(runs));

	for (uint32_t t = 0; t < n; t++) {
		uint32_t left = pages - t * share;

		igt_assert_eq_u32(runs[t].tile, t);
		igt_assert_eq_u32(runs[t].pages, left < share ? left : share);
	}
	igt_assert_eq_u64(n, (pages + share - 1) / share);
	xetile_bo_close(card->fd, bo);
}

static void test_zeroed(const struct xetile_card *card)
{
	/* The first round dirties the memory and frees it, and the second one finds zeros. */
	for (int round = 0; round < 2; round++) {
		uint64_t size = 16 * SZ_2M;
		uint32_t bo = xetile_bo_color(card->fd, size, DRM_XETILE_COLOR_EVEN, 0, 0);
		uint64_t *map = xetile_bo_map(card->fd, bo, size);

		for (uint64_t i = 0; i < size / 8; i += 64)
			igt_assert_eq_u64(map[i], 0);
		memset(map, 0xa5, size);
		munmap(map, size);
		xetile_bo_close(card->fd, bo);
	}
}

static void test_mmap(const struct xetile_card *card, uint32_t placement)
{
	uint64_t size = 8 * PAGE;
	uint32_t bo = xetile_bo(card->fd, size, placement);
	uint64_t *a = xetile_bo_map(card->fd, bo, size), *b = xetile_bo_map(card->fd, bo, size);

	for (uint64_t i = 0; i < size / 8; i++)
		a[i] = i * 0x9e3779b97f4a7c15ull;
	__sync_synchronize();
	for (uint64_t i = 0; i < size / 8; i++)
		igt_assert_eq_u64(b[i], i * 0x9e3779b97f4a7c15ull);

	/* A mapping outlives the handle. */
	xetile_bo_close(card->fd, bo);
	igt_assert_eq_u64(a[1], 0x9e3779b97f4a7c15ull);
	munmap(a, size);
	munmap(b, size);
}

static uint8_t noise(uint64_t i)
{
	return i * 0x9e3779b1u >> 24;
}

/*
 * A debugger reads and writes the same bytes that the process itself maps: across tiles, from any
 * byte on, and not beyond the mapping's end.
 */
static void test_debugger(const struct xetile_card *card, uint32_t bo)
{
	const uint64_t size = 8 * PAGE, first = 2 * PAGE, mapped = size - first;
	uint8_t *map = xetile_bo_map(card->fd, bo, size), *part, *copy = malloc(size);
	struct drm_xetile_bo_mmap mm = { .handle = bo };
	int mem = open("/proc/self/mem", O_RDWR | O_CLOEXEC);

	igt_assert_lte(0, mem);
	igt_assert(copy);
	/* Maps the second part of the buffer where nothing is mapped behind it. */
	part = mmap(NULL, 2 * size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	igt_assert(part != MAP_FAILED);
	igt_assert_eq(munmap(part, 2 * size), 0);
	igt_assert_eq(xetile_ioctl(card->fd, DRM_IOCTL_XETILE_BO_MMAP, &mm), 0);
	igt_assert(mmap(part, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, card->fd,
			mm.offset) == part);
	igt_assert_eq(munmap(part, first), 0);
	part += first;

	for (uint64_t i = 0; i < size; i++)
		map[i] = noise(i);
	__sync_synchronize();
	igt_assert_eq(pread(mem, copy, mapped - 5, to_user(part + 5)), mapped - 5);
	igt_assert_eq(memcmp(copy, map + first + 5, mapped - 5), 0);
	igt_assert_eq(pread(mem, copy, size, to_user(part + PAGE)), mapped - PAGE);
	igt_assert_eq(pread(mem, copy, 1, to_user(part + mapped)), -1);

	memset(copy, 0x5a, size);
	igt_assert_eq(pwrite(mem, copy, 3 * PAGE, to_user(part + 7)), 3 * PAGE);
	for (uint64_t i = 0; i < size; i++) {
		bool written = i >= first + 7 && i < first + 7 + 3 * PAGE;

		igt_assert_eq(map[i], written ? 0x5a : noise(i));
	}
	close(mem);
	free(copy);
	munmap(part, mapped);
	munmap(map, size);
	xetile_bo_close(card->fd, bo);
}

static void test_info_counts(const struct xetile_card *card)
{
	struct drm_xetile_color_run runs[4] = { { BAD_ID, BAD_ID }, { BAD_ID, BAD_ID } };
	uint32_t bo = xetile_bo_color(card->fd, 8 * PAGE, DRM_XETILE_COLOR_CHUNK, 0, PAGE);
	uint32_t n = xetile_bo_runs(card->fd, bo, NULL, 0);
	struct drm_xetile_bo_info info = { .handle = bo };

	igt_assert_eq_u32(n, card->device.num_tiles == 1 ? 1 : 8);
	/* An array that is too short is filled, and the call reports the true number of runs. */
	igt_assert_eq_u32(xetile_bo_runs(card->fd, bo, runs, 1), n);
	igt_assert_eq_u32(runs[0].tile, 0);
	igt_assert_eq_u32(runs[1].tile, BAD_ID);

	igt_assert_eq(xetile_ioctl(card->fd, DRM_IOCTL_XETILE_BO_INFO, &info), 0);
	igt_assert_eq_u64(info.size, 8 * PAGE);
	igt_assert_eq_u64(info.granule, PAGE);
	igt_assert_eq_u32(info.color, DRM_XETILE_COLOR_CHUNK);
	igt_assert_eq_u32(info.tile_mask, all_tiles(card));
	igt_assert_eq_u32(info.placement, DRM_XETILE_PLACE_HBM);
	igt_assert_eq_u32(info.flags, DRM_XETILE_BO_STRICT);
	xetile_bo_close(card->fd, bo);
}

static void test_fdinfo(const struct xetile_card *card)
{
	int fd = xetile_reopen(card->fd);
	uint32_t tiles = card->device.num_tiles, bo;
	char key[64];

	bo = xetile_bo_color(fd, 16 * PAGE * tiles, DRM_XETILE_COLOR_EVEN, 0, 0);
	for (uint32_t t = 0; t < tiles; t++) {
		snprintf(key, sizeof(key), "drm-total-hbm%u", t);
		igt_assert_eq_u64(xetile_fdinfo_bytes(fd, key), 16 * PAGE);
		snprintf(key, sizeof(key), "drm-resident-hbm%u", t);
		igt_assert_eq_u64(xetile_fdinfo_bytes(fd, key), 16 * PAGE);
	}
	xetile_bo_close(fd, bo);
	bo = xetile_bo(fd, 3 * PAGE, DRM_XETILE_PLACE_SYSTEM);
	munmap(xetile_bo_map(fd, bo, 3 * PAGE), 3 * PAGE);
	igt_assert_eq_u64(xetile_fdinfo_bytes(fd, "drm-total-hbm0"), 0);
	igt_assert_eq_u64(xetile_fdinfo_bytes(fd, "drm-total-system"), 3 * PAGE);
	xetile_bo_close(fd, bo);
	close(fd);
}

/* Returns fdinfo's bytes of HBM of kind @what, summed over the card's tiles. */
static uint64_t fdinfo_hbm(const struct xetile_card *card, int fd, const char *what)
{
	uint64_t sum = 0;
	char key[64];

	for (uint32_t t = 0; t < card->device.num_tiles; t++) {
		snprintf(key, sizeof(key), "drm-%s-hbm%u", what, t);
		sum += xetile_fdinfo_bytes(fd, key);
	}
	return sum;
}

/*
 * A buffer with handles in two files counts as shared; a buffer that a running batch uses counts as
 * active.
 */
static void test_fdinfo_use(const struct xetile_card *card)
{
	struct drm_xetile_sync done = { .flags = DRM_XETILE_SYNC_SIGNAL };
	int fd = xetile_reopen(card->fd), other = xetile_reopen(card->fd), prime;
	struct xetile_buf batch, data;
	uint32_t vm = xetile_vm(fd), queue, again;
	struct xetile_batch b;

	xetile_buf_init(&batch, fd, vm, 0x10000000, SZ_64K, DRM_XETILE_PLACE_SYSTEM);
	xetile_buf_init(&data, fd, vm, 0x20000000, 4 * PAGE, DRM_XETILE_PLACE_HBM);
	queue = xetile_queue(fd, vm, DRM_XETILE_ENGINE_COPY, DRM_XETILE_TARGET_TILE, 0, 0);
	done.handle = xetile_syncobj(fd);
	/* The read waits until the buffer has been cleared. */
	igt_assert_eq_u32(data.map[0], 0);
	igt_assert_eq_u64(fdinfo_hbm(card, fd, "shared"), 0);
	igt_assert_eq_u64(fdinfo_hbm(card, fd, "active"), 0);

	igt_assert_eq(drmPrimeHandleToFD(fd, data.handle, DRM_CLOEXEC, &prime), 0);
	igt_assert_eq(drmPrimeFDToHandle(other, prime, &again), 0);
	igt_assert_eq_u64(fdinfo_hbm(card, fd, "shared"), 4 * PAGE);
	igt_assert_eq_u64(fdinfo_hbm(card, other, "shared"), 4 * PAGE);
	xetile_bo_close(other, again);
	close(prime);

	batch_begin(&b, &batch, 0);
	batch_wait(&b, data.addr, 1);
	batch_end(&b);
	igt_assert_eq(__xetile_exec(fd, queue, batch_addr(&b), &done, 1), 0);
	igt_assert_eq_u64(fdinfo_hbm(card, fd, "active"), 4 * PAGE);
	data.map[0] = 1;
	igt_assert_eq(__xetile_wait(fd, done.handle, 10000), 0);
	igt_assert_eq_u64(fdinfo_hbm(card, fd, "active"), 0);

	xetile_syncobj_destroy(fd, done.handle);
	xetile_queue_destroy(fd, queue);
	xetile_buf_fini(&batch);
	xetile_buf_fini(&data);
	xetile_vm_destroy(fd, vm);
	close(other);
	close(fd);
}

/*
 * A BO that is private to a VM cannot be mapped in another VM or exported, and is freed with its
 * VM.
 */
static void test_private(const struct xetile_card *card)
{
	int fd = xetile_reopen(card->fd), other = xetile_reopen(card->fd), file;
	struct drm_xetile_bo_create args = { .size = SZ_2M, .placement = DRM_XETILE_PLACE_HBM };
	uint32_t vm = xetile_vm(fd), second = xetile_vm(fd);
	struct drm_xetile_bind bind = { .addr = SZ_1G, .range = SZ_2M };
	uint64_t used = xetile_hbm_used(card->fd);
	struct drm_xetile_bo_info info;
	struct drm_gem_open reopen;
	struct drm_gem_flink flink;

	args.vm_id = BAD_ID;
	igt_assert_eq(__xetile_bo_create(fd, &args), -ENOENT);
	args.vm_id = vm;
	igt_assert_eq(__xetile_bo_create(other, &args), -ENOENT);
	igt_assert_eq(__xetile_bo_create(fd, &args), 0);
	info = (struct drm_xetile_bo_info) { .handle = args.handle };
	igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XETILE_BO_INFO, &info), 0);
	igt_assert_eq_u32(info.vm_id, vm);

	bind.handle = args.handle;
	igt_assert_eq(__xetile_vm_bind(fd, second, &bind, 1, NULL, 0), -EPERM);
	igt_assert_eq(__xetile_vm_bind(fd, vm, &bind, 1, NULL, 0), 0);
	igt_assert_eq(drmPrimeHandleToFD(fd, args.handle, DRM_CLOEXEC | DRM_RDWR, &file), -1);
	igt_assert_eq(errno, EPERM);
	/* A name by flink, the oldest way to share a buffer, does not help either. */
	flink = (struct drm_gem_flink) { .handle = args.handle };
	igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_GEM_FLINK, &flink), 0);
	reopen = (struct drm_gem_open) { .name = flink.name };
	igt_assert_eq(xetile_ioctl(other, DRM_IOCTL_GEM_OPEN, &reopen), -EPERM);
	igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_GEM_OPEN, &reopen), -EPERM);

	/* Without names, a VM and its private BO do not keep each other alive. */
	xetile_vm_destroy(fd, vm);
	igt_assert_eq(__xetile_vm_bind(fd, vm, &bind, 1, NULL, 0), -ENOENT);
	igt_assert_eq(__xetile_vm_bind(fd, second, &bind, 1, NULL, 0), -EPERM);
	xetile_bo_close(fd, args.handle);
	xetile_vm_destroy(fd, second);
	xetile_assert_soon(xetile_hbm_used(card->fd) <= used);
	close(other);
	close(fd);
}

static void test_bad_create(const struct xetile_card *card)
{
	const struct drm_xetile_color_run short_map[] = { { 0, 15 } };
	const struct drm_xetile_color_run long_map[] = { { 0, 17 } };
	const struct drm_xetile_color_run zero_run[] = { { 0, 16 }, { 0, 0 } };
	const struct drm_xetile_color_run no_tile[] = { { DRM_XETILE_MAX_TILES, 16 } };
	const struct drm_xetile_color_run wrapping[] = { { 0, 0xfffffff0 }, { 0, 32 } };
	const struct drm_xetile_color_run system[] = { { DRM_XETILE_MEM_SYSTEM, 16 } };
	const struct drm_xetile_color_run good[] = { { 0, 16 } };
	uint32_t missing = 1u << card->device.num_tiles;
	struct drm_xetile_bo_create base = {
		.size = 16 * PAGE, .placement = DRM_XETILE_PLACE_HBM,
	};
	struct {
		const char *what;
		int err;
		struct drm_xetile_bo_create args;
	} cases[] = {
#define CASE(text, error, ...) { text, error, { .size = base.size, .placement = base.placement, __VA_ARGS__ } }
		CASE("size 0", EINVAL, .size = 0),
		CASE("size overflows when rounded", EINVAL, .size = ~0ull),
		CASE("size overflows when rounded, by one", EINVAL, .size = ~0ull - PAGE + 2),
		CASE("size no placement holds", ENOSPC, .size = 1ull << 50),
		CASE("no placement", EINVAL, .placement = 0),
		CASE("unknown placement", EINVAL, .placement = 4),
		CASE("unknown flag", EINVAL, .flags = 1u << 31),
		CASE("unknown color", EINVAL, .color = 7),
		CASE("color out of range", EINVAL, .color = ~0u),
		CASE("missing tile", EINVAL, .tile_mask = missing),
		CASE("a present and a missing tile", EINVAL, .tile_mask = missing | 1),
		CASE("TILE on no single tile", EINVAL, .color = DRM_XETILE_COLOR_TILE,
		     .tile_mask = card->device.num_tiles == 1 ? 2 : 3),
		CASE("granule without CHUNK", EINVAL, .granule = PAGE),
		CASE("granule not a multiple", EINVAL, .color = DRM_XETILE_COLOR_CHUNK,
		     .granule = PAGE + 4096),
		CASE("granule too small", EINVAL, .color = DRM_XETILE_COLOR_CHUNK, .granule = 4096),
		CASE("granule that overflows", EINVAL, .color = DRM_XETILE_COLOR_CHUNK,
		     .granule = 1ull << 63),
		CASE("map without MAP", EINVAL, .runs = DRM_XETILE_ARRAY(good, 1)),
		CASE("runs without a map", EINVAL, .runs.count = 1),
		CASE("MAP without a map", EINVAL, .color = DRM_XETILE_COLOR_MAP),
		CASE("MAP, pointer faults", EFAULT, .color = DRM_XETILE_COLOR_MAP,
		     .runs = { BAD_POINTER, 1, 8 }),
		CASE("MAP too short", EINVAL, .color = DRM_XETILE_COLOR_MAP,
		     .runs = DRM_XETILE_ARRAY(short_map, 1)),
		CASE("MAP too long", EINVAL, .color = DRM_XETILE_COLOR_MAP,
		     .runs = DRM_XETILE_ARRAY(long_map, 1)),
		CASE("MAP with an empty run", EINVAL, .color = DRM_XETILE_COLOR_MAP,
		     .runs = DRM_XETILE_ARRAY(zero_run, 2)),
		CASE("MAP with a missing tile", EINVAL, .color = DRM_XETILE_COLOR_MAP,
		     .runs = DRM_XETILE_ARRAY(no_tile, 1)),
		CASE("MAP that sums up by wrapping", EINVAL, .color = DRM_XETILE_COLOR_MAP,
		     .runs = DRM_XETILE_ARRAY(wrapping, 2)),
		CASE("MAP into system memory", EINVAL, .color = DRM_XETILE_COLOR_MAP,
		     .runs = DRM_XETILE_ARRAY(system, 1)),
		CASE("MAP with too many runs", EINVAL, .color = DRM_XETILE_COLOR_MAP,
		     .runs = DRM_XETILE_ARRAY(good, DRM_XETILE_MAX_ARRAY + 1)),
		CASE("MAP with a run count that overflows", EINVAL, .color = DRM_XETILE_COLOR_MAP,
		     .runs = DRM_XETILE_ARRAY(good, ~0u)),
		CASE("color for system memory", EINVAL, .placement = DRM_XETILE_PLACE_SYSTEM,
		     .color = DRM_XETILE_COLOR_CHUNK),
#undef CASE
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
		struct drm_xetile_bo_create args = cases[i].args;
		int ret = __xetile_bo_create(card->fd, &args);

		igt_assert_f(ret == -cases[i].err, "%s: %s, expected %s\n", cases[i].what,
			     strerror(-ret), strerror(cases[i].err));
		igt_assert_eq(memcmp(&args, &cases[i].args, sizeof(args)), 0);
	}
	/* The next valid call works. */
	xetile_bo_close(card->fd, xetile_bo(card->fd, PAGE, DRM_XETILE_PLACE_HBM));
}

static void test_bad_handles(const struct xetile_card *card)
{
	uint32_t bo = xetile_bo(card->fd, PAGE, DRM_XETILE_PLACE_HBM);
	struct drm_xetile_bo_info info = { .handle = BAD_ID };
	struct drm_xetile_bo_mmap mm = { .handle = BAD_ID };

	igt_assert_eq(xetile_ioctl(card->fd, DRM_IOCTL_XETILE_BO_INFO, &info), -ENOENT);
	igt_assert_eq(xetile_ioctl(card->fd, DRM_IOCTL_XETILE_BO_MMAP, &mm), -ENOENT);
	info = (struct drm_xetile_bo_info) { .handle = bo, .runs = { BAD_POINTER, 1, 8 } };
	igt_assert_eq(xetile_ioctl(card->fd, DRM_IOCTL_XETILE_BO_INFO, &info), -EFAULT);
	mm = (struct drm_xetile_bo_mmap) { .handle = bo, .flags = 1 };
	igt_assert_eq(xetile_ioctl(card->fd, DRM_IOCTL_XETILE_BO_MMAP, &mm), -EINVAL);

	/* A mapping must not reach beyond the end of the object. */
	mm = (struct drm_xetile_bo_mmap) { .handle = bo };
	igt_assert_eq(xetile_ioctl(card->fd, DRM_IOCTL_XETILE_BO_MMAP, &mm), 0);
	igt_assert(mmap(NULL, 2 * PAGE, PROT_READ, MAP_SHARED, card->fd, mm.offset) == MAP_FAILED);
	xetile_bo_close(card->fd, bo);
	info = (struct drm_xetile_bo_info) { .handle = bo };
	igt_assert_eq(xetile_ioctl(card->fd, DRM_IOCTL_XETILE_BO_INFO, &info), -ENOENT);
}

static void test_other_file(const struct xetile_card *card)
{
	int other = xetile_reopen(card->fd);
	uint32_t bo = xetile_bo(card->fd, PAGE, DRM_XETILE_PLACE_HBM);
	struct drm_xetile_bo_mmap mm = { .handle = bo };

	/* A file cannot map another file's object by guessing the offset. */
	igt_assert_eq(xetile_ioctl(card->fd, DRM_IOCTL_XETILE_BO_MMAP, &mm), 0);
	igt_assert(mmap(NULL, PAGE, PROT_READ, MAP_SHARED, other, mm.offset) == MAP_FAILED);
	igt_assert_eq(errno, EACCES);
	xetile_bo_close(card->fd, bo);
	close(other);
}

static void test_full(const struct xetile_card *card)
{
	uint32_t handles[256], n = 0;
	uint64_t size = card->tiles[0].hbm_total / 8 / PAGE * PAGE;
	struct drm_xetile_bo_create args;
	int ret;

	do {
		args = (struct drm_xetile_bo_create) {
			.size = size, .placement = DRM_XETILE_PLACE_HBM,
			.flags = DRM_XETILE_BO_STRICT, .color = DRM_XETILE_COLOR_TILE,
			.tile_mask = 1,
		};
		ret = __xetile_bo_create(card->fd, &args);
		if (!ret)
			handles[n++] = args.handle;
	} while (!ret && n < ARRAY_SIZE(handles));
	igt_assert_eq(ret, -ENOSPC);
	igt_assert_lte(6, n);

	/* Other tiles are not affected. */
	if (card->device.num_tiles > 1)
		xetile_bo_close(card->fd, xetile_bo_color(card->fd, size, DRM_XETILE_COLOR_TILE, 2, 0));
	while (n--)
		xetile_bo_close(card->fd, handles[n]);
	xetile_bo_close(card->fd, xetile_bo_color(card->fd, size, DRM_XETILE_COLOR_TILE, 1, 0));
}

static void test_spill(const struct xetile_card *card)
{
	uint64_t size = card->tiles[0].hbm_total / 4 * 3 / PAGE * PAGE;
	struct drm_xetile_bo_create args = {
		.size = size, .placement = DRM_XETILE_PLACE_HBM, .color = DRM_XETILE_COLOR_TILE,
		.tile_mask = 1,
	};
	struct drm_xetile_color_run runs[MAX_RUNS];
	uint32_t first, vm, queue, n;
	uint64_t spilled = 0;
	struct xetile_batch b;
	struct xetile_buf buf;

	igt_require_f(card->device.num_tiles >= 2, "needs a sibling tile\n");
	/* A running batch may use all buffers of its VM, therefore the tile stays full. */
	first = xetile_bo_color(card->fd, size, DRM_XETILE_COLOR_TILE, 1, 0);
	vm = xetile_vm(card->fd);
	queue = xetile_queue(card->fd, vm, DRM_XETILE_ENGINE_COMPUTE, DRM_XETILE_TARGET_TILE, 0, 0);
	xetile_buf_init(&buf, card->fd, vm, SZ_1G, PAGE, DRM_XETILE_PLACE_SYSTEM);
	xetile_vm_map(card->fd, vm, first, 0, 4 * SZ_1G, size);
	batch_begin(&b, &buf, 0);
	batch_wait(&b, buf.addr + 4096, 1);
	batch_end(&b);
	igt_assert_eq(__xetile_exec(card->fd, queue, batch_addr(&b), NULL, 0), 0);

	/* Without STRICT pages spill to a sibling tile, and the read-back shows that (W22). */
	igt_assert_eq(__xetile_bo_create(card->fd, &args), 0);
	n = xetile_bo_runs(card->fd, args.handle, runs, MAX_RUNS);
	buf.map[1024] = 1;
	igt_assert_lte(n, MAX_RUNS);
	for (uint32_t t = 1; t < card->device.num_tiles; t++)
		spilled += tile_pages(runs, n, t);
	igt_assert_lte_u64(1, spilled);
	igt_assert_eq_u64(tile_pages(runs, n, 0) + spilled, size / PAGE);

	xetile_bo_close(card->fd, args.handle);
	xetile_bo_close(card->fd, first);
	xetile_buf_fini(&buf);
	xetile_queue_destroy(card->fd, queue);
	xetile_vm_destroy(card->fd, vm);
}

/* --- limits of one client ------------------------------------------------------ */

#define FILE_MAX_VMS	1024u
#define FILE_MAX_QUEUES	1024u

/*
 * A file that has reached a limit gets EDQUOT, another file does not, and an object can be created
 * again after one was destroyed.
 */
static void test_limit_vms(const struct xetile_card *card)
{
	int fd = xetile_reopen(card->fd);
	uint32_t *vms = calloc(FILE_MAX_VMS, sizeof(*vms));
	struct drm_xetile_vm_create args = { 0 };

	igt_assert(vms);
	for (unsigned int i = 0; i < FILE_MAX_VMS; i++)
		vms[i] = xetile_vm(fd);
	igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XETILE_VM_CREATE, &args), -EDQUOT);
	xetile_vm_destroy(card->fd, xetile_vm(card->fd));
	xetile_vm_destroy(fd, vms[7]);
	xetile_vm(fd);
	free(vms);
	close(fd);
}

static void test_limit_queues(const struct xetile_card *card)
{
	struct drm_xetile_queue_create args = {
		.engine_class = DRM_XETILE_ENGINE_COPY, .target = DRM_XETILE_TARGET_TILE,
	};
	int fd = xetile_reopen(card->fd);
	uint32_t vm, last = 0;

	args.vm_id = xetile_vm(fd);
	for (unsigned int i = 0; i < FILE_MAX_QUEUES; i++) {
		igt_assert_eq(__xetile_queue_create(fd, &args), 0);
		last = args.queue_id;
	}
	igt_assert_eq(__xetile_queue_create(fd, &args), -EDQUOT);
	vm = xetile_vm(card->fd);
	xetile_queue_destroy(card->fd, xetile_queue(card->fd, vm, DRM_XETILE_ENGINE_COPY,
						    DRM_XETILE_TARGET_TILE, 0, 0));
	xetile_vm_destroy(card->fd, vm);
	xetile_queue_destroy(fd, last);
	igt_assert_eq(__xetile_queue_create(fd, &args), 0);
	close(fd);
}

/* Returns the bytes of kernel memory that are charged to the group. */
static uint64_t charged(void)
{
	return memcg_bytes("stat", "kernel ");
}

#define LONE_BINDS 512

/*
 * Creates page tables: a lone mapping needs two tables, and 8 KiB of kernel memory for the last
 * one.
 */
static void charge_tables(const struct xetile_card *card)
{
	int fd;
	uint32_t vm, bo;
	uint64_t before;

	memcg_enter();
	fd = xetile_reopen(card->fd);
	vm = xetile_vm(fd);
	bo = xetile_bo(fd, PAGE, DRM_XETILE_PLACE_SYSTEM);
	before = charged();
	for (uint64_t i = 1; i <= LONE_BINDS; i++)
		xetile_vm_map(fd, vm, bo, 0, i << 30, PAGE);
	xetile_assert_soon(charged() >= before + LONE_BINDS * 8192);
	close(fd);
}

/* Kernel memory that is allocated for a client is charged to the client's group. */
static void test_charged(const struct xetile_card *card)
{
	memcg_init();
	igt_fork(child, 1)
		charge_tables(card);
	igt_waitchildren();
	memcg_fini();
}

igt_main
{
	struct xetile_card card = { .fd = -1 };

	igt_fixture
		xetile_open_card(&card);

	igt_describe("EVEN must give contiguous shares, the first tiles one page more (S3, S4, "
		     "S7, S8, S40, C4, C8)");
	igt_subtest("color-even")
		test_even(&card);
	igt_describe("TILE must place all pages on the one tile");
	igt_subtest("color-tile")
		test_tile(&card);
	igt_describe("CHUNK must deal granules round-robin, 64 KiB by default (S41, S56-S59)");
	igt_subtest("color-chunk")
		test_chunk(&card);
	igt_describe("MAP must place pages by the user's own runs (S5)");
	igt_subtest("color-map")
		test_map(&card);
	igt_describe("WEIGHTED must give shares by weight");
	igt_subtest("color-weighted")
		test_weighted(&card);
	igt_describe("FOLLOW must give shares as the hardware splits work (C5)");
	igt_subtest("color-follow")
		test_follow(&card);
	igt_describe("BO_INFO must return counts, fill short arrays, and tell how the BO was "
		     "created");
	igt_subtest("info")
		test_info_counts(&card);

	igt_describe("Fresh pages must be zero, also if they were used before");
	igt_subtest("zeroed")
		test_zeroed(&card);
	igt_describe("CPU mappings of HBM must agree with each other and outlive the handle");
	igt_subtest("mmap-hbm")
		test_mmap(&card, DRM_XETILE_PLACE_HBM);
	igt_describe("CPU mappings of system memory must agree with each other and outlive the "
		     "handle");
	igt_subtest("mmap-system")
		test_mmap(&card, DRM_XETILE_PLACE_SYSTEM);

	igt_describe("fdinfo must count each tile's share (W9)");
	igt_subtest("fdinfo")
		test_fdinfo(&card);
	igt_describe("fdinfo must tell how much is shared and how much is in use (W9)");
	igt_subtest("fdinfo-use")
		test_fdinfo_use(&card);

	igt_describe("A BO private to a VM must not be mapped in another VM, nor exported, and "
		     "must go with its VM");
	igt_subtest("private")
		test_private(&card);

	igt_describe("BO_CREATE must refuse every wrong value of every field");
	igt_subtest("bad-create")
		test_bad_create(&card);
	igt_describe("A debugger must read and write the bytes that the process maps");
	igt_subtest("debugger-hbm")
		test_debugger(&card, xetile_bo_color(card.fd, 8 * PAGE, DRM_XETILE_COLOR_CHUNK, 0,
						     PAGE));
	igt_subtest("debugger-system")
		test_debugger(&card, xetile_bo(card.fd, 8 * PAGE, DRM_XETILE_PLACE_SYSTEM));
	igt_describe("BO_INFO, BO_MMAP and mmap() must refuse every wrong value of every field");
	igt_subtest("bad-handle")
		test_bad_handles(&card);
	igt_describe("An object must not be mapped through another file");
	igt_subtest("other-file")
		test_other_file(&card);

	igt_describe("A file's VMs must be limited (EDQUOT), without effect on other files");
	igt_subtest("limit-vms")
		test_limit_vms(&card);
	igt_describe("A file's queues must be limited (EDQUOT), without effect on other files");
	igt_subtest("limit-queues")
		test_limit_queues(&card);
	igt_describe("Kernel memory that a client uses must be charged to its control group");
	igt_subtest("charged")
		test_charged(&card);

	igt_describe("A full tile must refuse STRICT with ENOSPC, not affect siblings, and be "
		     "usable again (W22)");
	igt_subtest("full-strict")
		test_full(&card);
	igt_describe("A BO must spill from a full tile to the sibling, and the read-back must "
		     "show it (W22)");
	igt_subtest("full-spill")
		test_spill(&card);

	igt_fixture
		close(card.fd);
}
