// SPDX-License-Identifier: MIT
/*
 * Buffers that several devices use: two cards, a card and vgem, a card and udmabuf, two processes.
 * Each reads what the other wrote, wherever the exporter moves the buffer, and after the exporter
 * was closed or removed. Behind one switch two cards use each other's HBM in place.
 * Statements: S132.
 *
 * suite: share
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/dma-buf.h>
#include <linux/udmabuf.h>
#include <xf86drm.h>

#include "xetile_lab.h"
#include "xetile_side.h"
#include "xetile_swap.h"
#include "xetile_vgem.h"

IGT_TEST_DESCRIPTION("Buffers shared with other devices and processes, by dma-buf");

/* --- two cards ------------------------------------------------------------------------- */

static const struct drm_xetile_color_run weights[] = { { 0, 3 }, { 1, 1 } };
static const struct drm_xetile_color_run runs[] = { { 1, 5 }, { 0, 1 }, { 1, 10 } };

static const struct color {
	const char *name;
	uint32_t color, tiles, num_runs;
	uint64_t granule;
	const struct drm_xetile_color_run *runs;
} colors[] = {
	{ "even", DRM_XETILE_COLOR_EVEN },
	{ "tile", DRM_XETILE_COLOR_TILE, 2 },
	{ "chunk", DRM_XETILE_COLOR_CHUNK, 0, 0, 2 * SZ_64K },
	{ "weighted", DRM_XETILE_COLOR_WEIGHTED, 3, 2, 0, weights },
	{ "map", DRM_XETILE_COLOR_MAP, 3, 3, 0, runs },
	{ "follow", DRM_XETILE_COLOR_FOLLOW },
};

static bool same_runs(int fd, uint32_t bo, const struct drm_xetile_color_run *want, uint32_t num)
{
	struct drm_xetile_color_run now[16];

	return xetile_bo_runs(fd, bo, now, 16) == num && !memcmp(now, want, num * sizeof(*now));
}

static void share_color(struct side *a, struct side *b, const struct color *c, uint32_t seed)
{
	struct drm_xetile_bo_create args = {
		.size = SHARE_BYTES, .placement = SHARE_ANYWHERE, .flags = DRM_XETILE_BO_STRICT,
		.color = c->color, .tile_mask = c->tiles, .granule = c->granule,
		.runs = XETILE_ARRAY(c->runs, c->num_runs),
	};
	struct drm_xetile_color_run home[16];
	uint32_t bo, num, *map;
	int file;

	igt_assert_eq(__xetile_bo_create(a->c.fd, &args), 0);
	num = xetile_bo_runs(a->c.fd, args.handle, home, 16);
	map = xetile_bo_map(a->c.fd, args.handle, SHARE_BYTES);
	share_paint(map, seed);
	xetile_vm_map(a->c.fd, a->c.vm, args.handle, 0, DATA_ADDR, SHARE_BYTES);
	side_check(a, DATA_ADDR, seed);

	file = share_export(a->c.fd, args.handle);
	igt_assert_eq_u64(share_of(a->c.fd, args.handle), 0);
	bo = side_import(b, file);
	close(file);
	side_check(b, DATA_ADDR, seed);
	igt_info("%s: %s\n", c->name,
		 share_told(a->c.fd, args.handle, b->c.fd, bo) ? "peer-to-peer" : "system memory");

	/* Each sees what the other writes, and jobs of the exporter do not take the buffer away. */
	side_paint(b, DATA_ADDR, seed + 0x1000);
	share_check(map, seed + 0x1000);
	side_check(a, DATA_ADDR, seed + 0x1000);
	share_told(a->c.fd, args.handle, b->c.fd, bo);
	side_paint(a, DATA_ADDR, seed + 0x2000);
	side_check(b, DATA_ADDR, seed + 0x2000);

	/* When nobody uses it there any more, it has its color again. */
	side_forget(b, bo);
	xetile_assert_soon(!share_of(a->c.fd, args.handle));
	side_check(a, DATA_ADDR, seed + 0x2000);
	igt_assert(same_runs(a->c.fd, args.handle, home, num));
	munmap(map, SHARE_BYTES);
	side_forget(a, args.handle);
}

static void test_colors(unsigned int other)
{
	struct drm_xetile_query_tile tiles[DRM_XETILE_MAX_TILES];
	struct side a, b;

	side_init(&a, 0);
	side_init(&b, other);
	igt_require_f(xetile_query_tiles(a.c.fd, tiles) >= 2, "needs two tiles\n");
	for (unsigned int i = 0; i < ARRAY_SIZE(colors); i++)
		share_color(&a, &b, &colors[i], (i + 1) << 20);
	side_fini(&a);
	side_fini(&b);
}

static uint64_t bar2_of(unsigned int number)
{
	char address[32], path[PATH_MAX], text[1024], *line = text;
	uint64_t start;

	side_address(number, address, sizeof(address));
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/resource", address);
	igt_assert_eq(xetile_read_file(path, text, sizeof(text)), 0);
	for (int i = 0; i < 2; i++)
		line = strchr(line, '\n') + 1;
	igt_assert_eq(sscanf(line, "%" SCNx64, &start), 1);
	return start;
}

/* Bytes that the first card has written to system memory, or that lie there */
static uint64_t system_bytes(const struct side *a)
{
	uint64_t n = xetile_debugfs_sum(a->c.fd, "sysmem", "pages") * SZ_4K;
	char *answer;

	setenv("XETILE_CARD", "0", 1);
	answer = lab_ask("counters");
	for (const char *at = answer; (at = strstr(at, "{\"tile\":")); at++)
		n += lab_number(at, "write_system");
	free(answer);
	return n;
}

static void peer_color(struct side *a, struct side *b, const struct color *c, uint32_t seed)
{
	struct drm_xetile_bo_create args = {
		.size = SHARE_BYTES, .placement = SHARE_ANYWHERE, .flags = DRM_XETILE_BO_STRICT,
		.color = c->color, .tile_mask = c->tiles, .granule = c->granule,
		.runs = XETILE_ARRAY(c->runs, c->num_runs),
	};
	struct drm_xetile_color_run home[16];
	uint64_t bar2 = bar2_of(0), before;
	uint32_t bo, num;
	int file;

	igt_assert_eq(__xetile_bo_create(a->c.fd, &args), 0);
	num = xetile_bo_runs(a->c.fd, args.handle, home, 16);
	xetile_vm_map(a->c.fd, a->c.vm, args.handle, 0, DATA_ADDR, SHARE_BYTES);
	side_paint(a, DATA_ADDR, seed);

	before = system_bytes(a);
	file = share_export(a->c.fd, args.handle);
	bo = side_import(b, file);
	close(file);
	side_check(b, DATA_ADDR, seed);
	igt_require_f(!(share_of(a->c.fd, args.handle) & DRM_XETILE_SHARE_PINNED),
		      "importers of this kernel pin what they map\n");
	igt_assert(share_told(a->c.fd, args.handle, b->c.fd, bo));
	igt_assert(same_runs(a->c.fd, args.handle, home, num));
	igt_assert_lte_u64(system_bytes(a), before + SHARE_BYTES / 2);

	/* Each page of the importer is the exporter's page, in its BAR2. */
	for (uint64_t at = 0; at < SHARE_BYTES; at += SZ_64K) {
		bool hbm, own;
		uint64_t there = side_place(a, DATA_ADDR + at, &hbm);

		igt_assert_eq_u64(side_place(b, DATA_ADDR + at, &own), bar2 + there);
		igt_assert(hbm && !own);
	}
	side_paint(b, DATA_ADDR, seed + 0x1000);
	side_check(a, DATA_ADDR, seed + 0x1000);
	igt_assert_lte_u64(system_bytes(a), before + SHARE_BYTES + SHARE_BYTES / 2);
	side_forget(b, bo);
	side_forget(a, args.handle);
}

/*
 * Two cards behind one switch: the second card reads and writes the HBM of the first, and nothing
 * is copied to system memory. (The first card copies once itself, to check what it finds.)
 */
static void test_peer(void)
{
	struct drm_xetile_query_tile tiles[DRM_XETILE_MAX_TILES];
	struct side a, b;

	side_init(&a, 0);
	lab_require_card();
	side_init(&b, 1);
	igt_require_f(side_switched(a.c.fd, b.c.fd), "the cards are not behind one switch\n");
	igt_require_f(xetile_query_tiles(a.c.fd, tiles) >= 2, "needs two tiles\n");
	for (unsigned int i = 0; i < ARRAY_SIZE(colors); i++)
		peer_color(&a, &b, &colors[i], (i + 1) << 20);
	side_fini(&a);
	side_fini(&b);
}

/* A buffer that may lie in HBM alone is used across the bus, or is refused. */
static void test_hbm_only(void)
{
	int from = xetile_open_number(0), file;
	uint32_t bo, there, *map;
	struct side b;

	side_init(&b, 1);
	bo = xetile_bo(from, SHARE_BYTES, DRM_XETILE_PLACE_HBM);
	map = xetile_bo_map(from, bo, SHARE_BYTES);
	share_paint(map, 0x100000);
	file = share_export(from, bo);
	if (drmPrimeFDToHandle(b.c.fd, file, &there)) {
		igt_assert_eq(errno, EOPNOTSUPP);
		igt_info("refused\n");
	} else {
		xetile_vm_map(b.c.fd, b.c.vm, there, 0, DATA_ADDR, SHARE_BYTES);
		side_check(&b, DATA_ADDR, 0x100000);
		igt_assert(share_told(from, bo, b.c.fd, there));
		igt_info("peer-to-peer\n");
		side_forget(&b, there);
	}
	/* The card itself can still use it. */
	share_check(map, 0x100000);
	munmap(map, SHARE_BYTES);
	close(file);
	side_fini(&b);
	close(from);
}

/* A buffer in HBM that a job of its own card uses: the other card waits for the job. */
static void test_busy(void)
{
	unsigned int other = side_far();
	uint32_t bo, fence;
	struct side a;
	int file;

	side_init(&a, 0);
	bo = xetile_bo(a.c.fd, SHARE_BYTES, SHARE_ANYWHERE);
	xetile_vm_map(a.c.fd, a.c.vm, bo, 0, DATA_ADDR, SHARE_BYTES);
	share_paint(a.copy.map, 0x200000);
	fence = side_start_held(&a, DATA_ADDR, a.copy.addr);
	file = share_export(a.c.fd, bo);
	igt_fork(child, 1) {
		struct side b;

		side_init(&b, other);
		side_import(&b, file);
		side_check(&b, DATA_ADDR, 0x200000);
	}
	/* The child gets on only when the job has ended, and does not hold up the exporter. */
	usleep(300000);
	igt_assert_eq_u64(share_of(a.c.fd, bo), 0);
	side_let_go(&a, fence);
	igt_waitchildren();
	close(file);
	side_forget(&a, bo);
	side_fini(&a);
}

/* --- other drivers --------------------------------------------------------------------- */

/* The CPU's mapping of a dma-buf, or of a memfd */
static uint32_t *map_file(int file)
{
	uint32_t *map = mmap(NULL, SHARE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);

	igt_assert_f(map != MAP_FAILED, "mmap: %m\n");
	return map;
}

/* The card and the CPU share a buffer of another driver, also by the card's own mmap(). */
static void use_foreign(int file, volatile uint32_t *map)
{
	uint32_t bo, *own;
	struct side s;

	side_init(&s, 0);
	share_paint(map, 0x300000);
	bo = side_import(&s, file);
	side_check(&s, DATA_ADDR, 0x300000);
	igt_assert_eq_u64(share_of(s.c.fd, bo),
			  DRM_XETILE_SHARE_IMPORTED | DRM_XETILE_SHARE_SYSTEM);
	side_paint(&s, DATA_ADDR, 0x310000);
	share_check(map, 0x310000);
	own = __xetile_bo_map(s.c.fd, bo, SHARE_BYTES);
	igt_assert_f(own != MAP_FAILED, "mmap: %m\n");
	share_check(own, 0x310000);
	own[0] = 7;
	igt_assert_eq_u32(map[0], 7);
	munmap(own, SHARE_BYTES);
	side_forget(&s, bo);
	side_fini(&s);
}

static void test_vgem_import(void)
{
	struct drm_mode_create_dumb dumb = {
		.width = 512, .height = SHARE_BYTES / 2048, .bpp = 32,
	};
	struct drm_xetile_bind bind = { .addr = DATA_ADDR, .range = SZ_64K };
	uint32_t *map, vm;
	struct vgem v;
	int fd, file;

	vgem_init(&v);
	/* The small buffer of vgem_init() is no whole color page: nothing behind it is mapped. */
	fd = xetile_open_number(0);
	vm = xetile_vm(fd);
	igt_assert_eq(drmPrimeFDToHandle(fd, v.buf, &bind.handle), 0);
	igt_assert_eq(__xetile_vm_bind(fd, vm, &bind, 1, NULL, 0), -EINVAL);
	bind.range = SZ_64K / 4;
	igt_assert_eq(__xetile_vm_bind(fd, vm, &bind, 1, NULL, 0), 0);
	close(fd);

	igt_assert_eq(xetile_ioctl(v.fd, DRM_IOCTL_MODE_CREATE_DUMB, &dumb), 0);
	file = share_export(v.fd, dumb.handle);
	map = map_file(file);
	use_foreign(file, map);
	close(file);
	munmap(map, SHARE_BYTES);
	vgem_fini(&v);
}

/*
 * Another driver has a buffer of the card. A driver that maps it at once, as vgem of 6.12 does, pins
 * it in system memory.
 */
static void test_vgem_export(void)
{
	const uint64_t pinned = DRM_XETILE_SHARE_SYSTEM | DRM_XETILE_SHARE_PINNED;
	uint32_t bo, there, *map;
	uint64_t share;
	struct side s;
	struct vgem v;
	int file;

	vgem_init(&v);
	side_init(&s, 0);
	bo = xetile_bo(s.c.fd, SHARE_BYTES, SHARE_ANYWHERE);
	xetile_vm_map(s.c.fd, s.c.vm, bo, 0, DATA_ADDR, SHARE_BYTES);
	side_paint(&s, DATA_ADDR, 0x400000);
	file = share_export(s.c.fd, bo);
	igt_assert_f(!drmPrimeFDToHandle(v.fd, file, &there), "vgem's import: %m\n");
	share = share_of(s.c.fd, bo);
	igt_info("vgem %s\n", share ? "pinned it" : "has not mapped it");
	igt_assert(!share || share == pinned);
	map = map_file(file);
	share_check(map, 0x400000);
	share_paint(map, 0x410000);
	side_check(&s, DATA_ADDR, 0x410000);
	xetile_evict_all(s.c.fd);
	igt_assert_eq_u64(share_of(s.c.fd, bo), share);
	side_check(&s, DATA_ADDR, 0x410000);
	munmap(map, SHARE_BYTES);
	xetile_bo_close(v.fd, there);
	xetile_assert_soon(!share_of(s.c.fd, bo));
	close(file);
	side_forget(&s, bo);
	side_fini(&s);
	vgem_fini(&v);
}

static void test_udmabuf(void)
{
	struct udmabuf_create create = { .size = SHARE_BYTES, .flags = UDMABUF_FLAGS_CLOEXEC };
	int dev = open("/dev/udmabuf", O_RDWR | O_CLOEXEC), memory, file;
	uint32_t *map;

	igt_require_f(dev >= 0, "the kernel has no udmabuf\n");
	memory = memfd_create("share", MFD_ALLOW_SEALING | MFD_CLOEXEC);
	igt_assert_lte(0, memory);
	igt_assert_eq(ftruncate(memory, SHARE_BYTES), 0);
	igt_assert_eq(fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK), 0);
	create.memfd = memory;
	file = drmIoctl(dev, UDMABUF_CREATE, &create);
	igt_assert_f(file >= 0, "udmabuf: %m\n");
	map = map_file(memory);
	use_foreign(file, map);
	munmap(map, SHARE_BYTES);
	close(file);
	close(memory);
	close(dev);
}

/* --- the exporter moves, closes, goes ----------------------------------------------------- */

/* Has the kernel shrink its caches. Returns the pages that buffers of a card have given back. */
static uint64_t shrink(int fd)
{
	igt_assert_eq(xetile_write_file("/proc/sys/vm/drop_caches", "2"), 0);
	return xetile_debugfs_sum(fd, "sysmem", "swapped");
}

/* Buffers that earlier subtests had may still be there, and can go. */
static void shrink_all(int fd)
{
	uint64_t last;

	do
		last = xetile_debugfs_sum(fd, "sysmem", "swapped");
	while (shrink(fd) != last);
}

/*
 * The exporter's buffer is swapped out under an importer that can follow, and is not under one that
 * has it pinned. In both cases they go on to see each other's data. The exporter has no handle of it
 * any more: the DRM core forgets the dma-buf then.
 */
static void test_moved(void)
{
	int from = xetile_open_number(0), file;
	uint32_t bo, there, *map;
	uint64_t before;
	bool pinned;
	struct side b;

	side_init(&b, 1);
	swap_begin();
	shrink_all(from);
	bo = xetile_bo(from, SHARE_BYTES, DRM_XETILE_PLACE_SYSTEM);
	map = xetile_bo_map(from, bo, SHARE_BYTES);
	share_paint(map, 0x500000);
	file = share_export(from, bo);
	there = side_import(&b, file);
	close(file);
	side_check(&b, DATA_ADDR, 0x500000);
	share_told(from, bo, b.c.fd, there);
	pinned = share_of(from, bo) & DRM_XETILE_SHARE_PINNED;
	igt_info("%s\n", pinned ? "pinned" : "can be moved");
	xetile_bo_close(from, bo);

	for (unsigned int round = 1; round <= 3; round++) {
		before = xetile_debugfs_sum(from, "sysmem", "swapped");
		if (pinned) {
			/* The importer's own buffers can go, so the shrinker has work to do. */
			igt_assert_eq_u64(shrink(from), before);
		} else {
			xetile_assert_soon(shrink(from) >= before + SHARE_PAGES);
			igt_assert_eq_u64(share_of(b.c.fd, there), DRM_XETILE_SHARE_IMPORTED);
		}
		side_paint(&b, DATA_ADDR, 0x500000 + (round << 16));
		share_check(map, 0x500000 + (round << 16));
		share_paint(map, 0x580000 + (round << 16));
		side_check(&b, DATA_ADDR, 0x580000 + (round << 16));
	}
	munmap(map, SHARE_BYTES);
	side_forget(&b, there);
	swap_end();
	side_fini(&b);
	close(from);
}

/* The importer keeps the memory, and the last one who uses it gives it back. */
static void test_closed(void)
{
	int look = xetile_open_number(0), from = xetile_open_number(0), file;
	uint32_t bo, there, *map;
	uint64_t pages;
	struct side b;

	side_init(&b, 1);
	pages = xetile_debugfs_sum(look, "sysmem", "pages");
	bo = xetile_bo(from, SHARE_BYTES, SHARE_ANYWHERE);
	map = xetile_bo_map(from, bo, SHARE_BYTES);
	share_paint(map, 0x600000);
	file = share_export(from, bo);
	there = side_import(&b, file);
	side_check(&b, DATA_ADDR, 0x600000);
	munmap(map, SHARE_BYTES);
	xetile_bo_close(from, bo);
	close(file);
	close(from);
	xetile_evict_all(look);
	side_check(&b, DATA_ADDR, 0x600000);
	side_paint(&b, DATA_ADDR, 0x610000);
	side_check(&b, DATA_ADDR, 0x610000);
	side_forget(&b, there);
	xetile_assert_soon(xetile_debugfs_sum(look, "sysmem", "pages") <= pages);
	side_fini(&b);
	close(look);
}

/*
 * The exporter's card is removed while a job of the importer runs. What lies in system memory stays;
 * what was in HBM is gone, and the call that wants it says so.
 */
static void test_removed_exporter(void)
{
	uint32_t bo, lost, there, nowhere, fence, *map;
	struct drm_xetile_bind bind = { .addr = 2 * DATA_ADDR, .range = SHARE_BYTES };
	char address[32];
	struct side b;
	int from, file;
	bool peer;

	side_init(&b, 0);
	side_address(1, address, sizeof(address));
	from = xetile_open_number(1);
	bo = xetile_bo(from, SHARE_BYTES, SHARE_ANYWHERE);
	map = xetile_bo_map(from, bo, SHARE_BYTES);
	share_paint(map, 0x700000);
	munmap(map, SHARE_BYTES);
	file = share_export(from, bo);
	there = side_import(&b, file);
	close(file);
	peer = share_told(from, bo, b.c.fd, there);
	lost = xetile_bo(from, SHARE_BYTES, SHARE_ANYWHERE);
	file = share_export(from, lost);
	igt_assert_eq(drmPrimeFDToHandle(b.c.fd, file, &nowhere), 0);
	close(file);

	fence = side_start_held(&b, b.copy.addr, DATA_ADDR);
	igt_fork(child, 1)
		igt_assert_eq(xetile_write_driver("unbind", address), 0);
	/* The removal waits for a job that uses the card's HBM, and for no other. */
	if (!peer)
		igt_waitchildren();
	side_let_go(&b, fence);
	igt_waitchildren();
	if (!peer) {
		share_check(b.copy.map, 0x700000);
		side_paint(&b, DATA_ADDR, 0x710000);
		side_check(&b, DATA_ADDR, 0x710000);
	}
	bind.handle = nowhere;
	igt_assert_eq(__xetile_vm_bind(b.c.fd, b.c.vm, &bind, 1, NULL, 0), -ENODATA);
	close(from);
	if (!peer)
		side_check(&b, DATA_ADDR, 0x710000);
	igt_assert_eq(xetile_write_driver("bind", address), 0);
	xetile_bo_close(b.c.fd, nowhere);
	side_forget(&b, there);
	side_fini(&b);
}

/* The importer's card is removed: the exporter's buffer is its own again. */
static void test_removed_importer(void)
{
	char address[32];
	struct side a, b;
	uint32_t bo, *map;
	int file;

	side_init(&a, 0);
	side_address(1, address, sizeof(address));
	side_init(&b, 1);
	bo = xetile_bo(a.c.fd, SHARE_BYTES, SHARE_ANYWHERE);
	map = xetile_bo_map(a.c.fd, bo, SHARE_BYTES);
	share_paint(map, 0x800000);
	file = share_export(a.c.fd, bo);
	side_import(&b, file);
	side_check(&b, DATA_ADDR, 0x800000);
	igt_assert(share_of(a.c.fd, bo));
	igt_assert_eq(xetile_write_driver("unbind", address), 0);
	igt_assert_eq_u64(share_of(a.c.fd, bo), 0);
	xetile_vm_map(a.c.fd, a.c.vm, bo, 0, DATA_ADDR, SHARE_BYTES);
	side_check(&a, DATA_ADDR, 0x800000);
	share_check(map, 0x800000);
	munmap(map, SHARE_BYTES);
	side_drop(&b);
	igt_assert_eq(xetile_write_driver("bind", address), 0);
	close(file);
	side_forget(&a, bo);
	side_fini(&a);
}

/* --- processes and fences ------------------------------------------------------------------ */

/* Two processes, each with its own file, hand a buffer to each other. */
static void share_forked(unsigned int other)
{
	int ready[2], go[2], file;
	struct side a;
	uint32_t bo;
	char c;

	side_init(&a, 0);
	close(xetile_open_number(other));
	bo = xetile_bo(a.c.fd, SHARE_BYTES, SHARE_ANYWHERE);
	xetile_vm_map(a.c.fd, a.c.vm, bo, 0, DATA_ADDR, SHARE_BYTES);
	side_paint(&a, DATA_ADDR, 0x900000);
	file = share_export(a.c.fd, bo);
	igt_assert_eq(pipe(ready) | pipe(go), 0);
	igt_fork(child, 1) {
		struct side b;

		side_init(&b, other);
		igt_assert_eq(drmPrimeFDToHandle(b.c.fd, file, &bo), 0);
		xetile_vm_map(b.c.fd, b.c.vm, bo, 0, DATA_ADDR, SHARE_BYTES);
		for (unsigned int i = 0; i < 8; i++) {
			side_check(&b, DATA_ADDR, 0x900000 + (i << 12));
			side_paint(&b, DATA_ADDR, 0xa00000 + (i << 12));
			igt_assert_eq(write(ready[1], "", 1), 1);
			igt_assert_eq(read(go[0], &c, 1), 1);
		}
	}
	for (unsigned int i = 0; i < 8; i++) {
		igt_assert_eq(read(ready[0], &c, 1), 1);
		side_check(&a, DATA_ADDR, 0xa00000 + (i << 12));
		side_paint(&a, DATA_ADDR, 0x900000 + ((i + 1) << 12));
		igt_assert_eq(write(go[1], "", 1), 1);
	}
	igt_waitchildren();
	for (unsigned int i = 0; i < 2; i++) {
		close(ready[i]);
		close(go[i]);
	}
	close(file);
	side_forget(&a, bo);
	side_fini(&a);
}

/*
 * A sync file takes a fence from one card to the other. Fences in the dma-buf count for neither
 * card: a job does not wait for another driver's write, and leaves no fence for others.
 */
static void test_fences(void)
{
	struct dma_buf_import_sync_file put = { .flags = DMA_BUF_SYNC_WRITE };
	struct dma_buf_export_sync_file get = { .flags = DMA_BUF_SYNC_RW };
	struct drm_xetile_sync syncs[2] = { };
	uint32_t bo, there, first, write_fence;
	struct xetile_batch batch;
	struct side a, b;
	struct vgem v;
	int file, sync;

	vgem_init(&v);
	side_init(&a, 0);
	side_init(&b, 1);
	bo = xetile_bo(a.c.fd, SHARE_BYTES, DRM_XETILE_PLACE_SYSTEM);
	xetile_vm_map(a.c.fd, a.c.vm, bo, 0, DATA_ADDR, SHARE_BYTES);
	file = share_export(a.c.fd, bo);
	there = side_import(&b, file);

	/* The second card's job waits for the first one's. */
	share_paint(a.copy.map, 0xb00000);
	first = side_start_held(&a, DATA_ADDR, a.copy.addr);
	sync = xetile_fence_file(a.c.fd, first);
	syncs[0].handle = xetile_syncobj(b.c.fd);
	igt_assert_eq(drmSyncobjImportSyncFile(b.c.fd, syncs[0].handle, sync), 0);
	syncs[1] = share_signal(xetile_syncobj(b.c.fd));
	batch_begin(&batch, &b.c.batch, 0);
	side_emit_copy(&b, &batch, b.copy.addr, DATA_ADDR);
	igt_assert_eq(__xetile_exec(b.c.fd, b.queue, batch_addr(&batch), syncs, 2), 0);
	igt_assert(!xetile_is_done(b.c.fd, syncs[1].handle));

	/* The jobs that run have put nothing there that a reader or a writer would wait for. */
	igt_assert_eq(xetile_ioctl(file, DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &get), 0);
	igt_assert_eq(xetile_file_end(get.fd), 1);
	side_let_go(&a, first);
	xetile_wait_done(b.c.fd, syncs[1].handle);
	share_check(b.copy.map, 0xb00000);
	close(sync);

	/* Another driver's write is put there: both cards' jobs run all the same. */
	write_fence = xetile_syncobj(a.c.fd);
	vgem_fence(&v, a.c.fd, write_fence);
	put.fd = xetile_fence_file(a.c.fd, write_fence);
	igt_assert_eq(xetile_ioctl(file, DMA_BUF_IOCTL_IMPORT_SYNC_FILE, &put), 0);
	side_check(&a, DATA_ADDR, 0xb00000);
	side_check(&b, DATA_ADDR, 0xb00000);
	igt_assert(!xetile_is_done(a.c.fd, write_fence));
	get = (struct dma_buf_export_sync_file) { .flags = DMA_BUF_SYNC_READ };
	igt_assert_eq(xetile_ioctl(file, DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &get), 0);
	igt_assert_eq(vgem_signal(&v), 0);
	igt_assert_eq(xetile_file_end(get.fd), 1);

	close(put.fd);
	close(file);
	side_forget(&b, there);
	side_forget(&a, bo);
	side_fini(&b);
	side_fini(&a);
	vgem_fini(&v);
}

igt_main
{
	igt_describe("Two cards must see each other's data in a buffer of each color, be told where "
		     "it lies, and the buffer must have its color again in the end");
	igt_subtest("colors")
		test_colors(1);
	igt_describe("The same must be true for cards whose buses do not reach each other");
	igt_subtest("colors-far") {
		unsigned int far = side_far();

		igt_require_f(far != 1, "that is the subtest before\n");
		test_colors(far);
	}
	igt_describe("Behind one switch a card must use the other one's HBM in place, by the addresses "
		     "of its BAR2, without a copy to system memory");
	igt_subtest("peer")
		test_peer();
	igt_describe("A buffer for HBM alone must be used peer-to-peer, or be refused");
	igt_subtest("hbm-only")
		test_hbm_only();
	igt_describe("An importer must wait for the jobs that keep a buffer in HBM");
	igt_subtest("busy")
		test_busy();
	igt_describe("A buffer of vgem must be usable by the card");
	igt_subtest("vgem-import")
		test_vgem_import();
	igt_describe("A buffer of the card must be usable by vgem, and be pinned if need be");
	igt_subtest("vgem-export")
		test_vgem_export();
	igt_describe("Memory of a process must be usable by the card, as a udmabuf");
	igt_subtest("udmabuf")
		test_udmabuf();
	igt_describe("A buffer that its exporter moves must be mapped anew by the importer");
	igt_subtest("moved")
		test_moved();
	igt_describe("An importer must keep the memory when the exporter is closed");
	igt_subtest("closed")
		test_closed();
	igt_describe("An importer must live on when the exporter's card is removed");
	igt_subtest("removed-exporter")
		test_removed_exporter();
	igt_describe("An exporter must get its buffer back when the importer's card is removed");
	igt_subtest("removed-importer")
		test_removed_importer();
	igt_describe("Two processes must share a buffer on one card, and on two");
	igt_subtest("forked-1")
		share_forked(0);
	igt_subtest("forked-2")
		share_forked(1);
	igt_describe("Fences must go from card to card as sync files, and by no other way");
	igt_subtest("fences")
		test_fences();
}
