// SPDX-License-Identifier: MIT
/*
 * Buffers that several devices use: two cards, a card and vgem, a card and udmabuf, two processes.
 * Each reads what the other wrote, wherever the exporter moves the buffer, and after the exporter
 * was closed or removed.
 * Statements: S132.
 *
 * suite: share
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/dma-buf.h>
#include <linux/udmabuf.h>
#include <xf86drm.h>

#include "xetile_igt.h"
#include "xetile_swap.h"
#include "xetile_vgem.h"

IGT_TEST_DESCRIPTION("Buffers shared with other devices and processes, by dma-buf");

#define BUF_BYTES	(16 * SZ_64K)
#define BUF_PAGES	(BUF_BYTES / SZ_4K)
#define MAX_COPY	(SZ_64K * 2)
#define COPY_ADDR	0x30000000ull
#define ANYWHERE	(DRM_XETILE_PLACE_HBM | DRM_XETILE_PLACE_SYSTEM)
#define GO		256u		/* dword of the gate that lets a batch go on */

/* --- a card, and its engine that reads and writes shared buffers ------------------------ */

struct side {
	struct ctx c;
	uint32_t queue;
	struct xetile_buf copy;
};

static void address_of(unsigned int number, char *address, size_t size)
{
	close(xetile_open_number(number));
	xetile_bound_card(address, size);
}

static void side_init(struct side *s, unsigned int number)
{
	int fd = xetile_open_number(number);

	ctx_init(&s->c, fd);
	s->queue = xetile_copy_queue(fd, s->c.vm);
	xetile_buf_init(&s->copy, fd, s->c.vm, COPY_ADDR, BUF_BYTES, DRM_XETILE_PLACE_SYSTEM);
}

static void side_fini(struct side *s)
{
	int fd = s->c.fd;

	xetile_queue_destroy(fd, s->queue);
	xetile_buf_fini(&s->copy);
	ctx_fini(&s->c);
	close(fd);
}

/* As side_fini(), when the card is gone */
static void side_drop(struct side *s)
{
	munmap(s->copy.map, s->copy.size);
	munmap(s->c.batch.map, s->c.batch.size);
	munmap(s->c.gate.map, s->c.gate.size);
	close(s->c.fd);
}

static void emit_copy(struct side *s, struct xetile_batch *b, uint64_t dst, uint64_t src)
{
	for (uint64_t done = 0; done < BUF_BYTES; done += MAX_COPY)
		batch_mem_copy(b, dst + done, src + done, MAX_COPY);
	batch_end(b);
}

static void gpu_copy(struct side *s, uint64_t dst, uint64_t src)
{
	struct xetile_batch b;

	batch_begin(&b, &s->c.batch, 0);
	emit_copy(s, &b, dst, src);
	xetile_run(s->c.fd, s->queue, batch_addr(&b));
}

/* A word in each page, of which no two are the same */
static void paint(volatile uint32_t *map, uint32_t seed)
{
	for (unsigned int p = 0; p < BUF_PAGES; p++)
		map[p * (SZ_4K / 4)] = seed + p;
}

static void check(volatile uint32_t *map, uint32_t seed)
{
	for (unsigned int p = 0; p < BUF_PAGES; p++)
		igt_assert_eq_u32(map[p * (SZ_4K / 4)], seed + p);
}

static void gpu_check(struct side *s, uint64_t addr, uint32_t seed)
{
	memset(s->copy.map, 0, BUF_BYTES);
	gpu_copy(s, s->copy.addr, addr);
	check(s->copy.map, seed);
}

static void gpu_paint(struct side *s, uint64_t addr, uint32_t seed)
{
	paint(s->copy.map, seed);
	gpu_copy(s, addr, s->copy.addr);
}

static struct drm_xetile_bo_info info_of(int fd, uint32_t bo)
{
	struct drm_xetile_bo_info info = { .handle = bo };

	igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XETILE_BO_INFO, &info), 0);
	return info;
}

static uint64_t share_of(int fd, uint32_t bo)
{
	return info_of(fd, bo).share;
}

static int export(int fd, uint32_t bo)
{
	int file;

	igt_assert_eq(drmPrimeHandleToFD(fd, bo, DRM_CLOEXEC | DRM_RDWR, &file), 0);
	return file;
}

/* Imports a dma-buf and maps it at DATA_ADDR. Returns its handle. */
static uint32_t import(struct side *s, int file)
{
	uint32_t bo;

	igt_assert_f(!drmPrimeFDToHandle(s->c.fd, file, &bo), "import: %m\n");
	igt_assert_eq_u64(info_of(s->c.fd, bo).size, BUF_BYTES);
	igt_assert_eq_u64(share_of(s->c.fd, bo), DRM_XETILE_SHARE_IMPORTED);
	xetile_vm_map(s->c.fd, s->c.vm, bo, 0, DATA_ADDR, BUF_BYTES);
	return bo;
}

static void forget(struct side *s, uint32_t bo)
{
	xetile_vm_unmap(s->c.fd, s->c.vm, DATA_ADDR, BUF_BYTES);
	xetile_bo_close(s->c.fd, bo);
}

/* Asserts that both sides of a shared buffer tell the same; returns whether it is peer-to-peer. */
static bool check_told(int from, uint32_t exported, int to, uint32_t imported)
{
	const uint64_t how = DRM_XETILE_SHARE_PEER | DRM_XETILE_SHARE_SYSTEM;
	uint64_t told = share_of(to, imported);
	bool peer = told & DRM_XETILE_SHARE_PEER;
	struct drm_xetile_color_run run;

	igt_assert(told & DRM_XETILE_SHARE_IMPORTED);
	igt_assert_eq_u64(told & how, peer ? DRM_XETILE_SHARE_PEER : DRM_XETILE_SHARE_SYSTEM);
	igt_assert_eq_u64(share_of(from, exported) & how, told & how);
	if (!peer) {
		igt_assert_eq_u32(xetile_bo_runs(from, exported, &run, 1), 1);
		igt_assert_eq_u32(run.tile, DRM_XETILE_MEM_SYSTEM);
	}
	return peer;
}

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
		.size = BUF_BYTES, .placement = ANYWHERE, .flags = DRM_XETILE_BO_STRICT,
		.color = c->color, .tile_mask = c->tiles, .granule = c->granule,
		.runs = XETILE_ARRAY(c->runs, c->num_runs),
	};
	struct drm_xetile_color_run home[16];
	uint32_t bo, num, *map;
	int file;

	igt_assert_eq(__xetile_bo_create(a->c.fd, &args), 0);
	num = xetile_bo_runs(a->c.fd, args.handle, home, 16);
	map = xetile_bo_map(a->c.fd, args.handle, BUF_BYTES);
	paint(map, seed);
	xetile_vm_map(a->c.fd, a->c.vm, args.handle, 0, DATA_ADDR, BUF_BYTES);
	gpu_check(a, DATA_ADDR, seed);

	file = export(a->c.fd, args.handle);
	igt_assert_eq_u64(share_of(a->c.fd, args.handle), 0);
	bo = import(b, file);
	close(file);
	gpu_check(b, DATA_ADDR, seed);
	igt_info("%s: %s\n", c->name,
		 check_told(a->c.fd, args.handle, b->c.fd, bo) ? "peer-to-peer" : "system memory");

	/* Each sees what the other writes, and jobs of the exporter do not take the buffer away. */
	gpu_paint(b, DATA_ADDR, seed + 0x1000);
	check(map, seed + 0x1000);
	gpu_check(a, DATA_ADDR, seed + 0x1000);
	check_told(a->c.fd, args.handle, b->c.fd, bo);
	gpu_paint(a, DATA_ADDR, seed + 0x2000);
	gpu_check(b, DATA_ADDR, seed + 0x2000);

	/* When nobody uses it there any more, it has its color again. */
	forget(b, bo);
	xetile_assert_soon(!share_of(a->c.fd, args.handle));
	gpu_check(a, DATA_ADDR, seed + 0x2000);
	igt_assert(same_runs(a->c.fd, args.handle, home, num));
	munmap(map, BUF_BYTES);
	forget(a, args.handle);
}

static void test_colors(void)
{
	struct drm_xetile_query_tile tiles[DRM_XETILE_MAX_TILES];
	struct side a, b;

	side_init(&a, 0);
	side_init(&b, 1);
	igt_require_f(xetile_query_tiles(a.c.fd, tiles) >= 2, "needs two tiles\n");
	for (unsigned int i = 0; i < ARRAY_SIZE(colors); i++)
		share_color(&a, &b, &colors[i], (i + 1) << 20);
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
	bo = xetile_bo(from, BUF_BYTES, DRM_XETILE_PLACE_HBM);
	map = xetile_bo_map(from, bo, BUF_BYTES);
	paint(map, 0x100000);
	file = export(from, bo);
	if (drmPrimeFDToHandle(b.c.fd, file, &there)) {
		igt_assert_eq(errno, EOPNOTSUPP);
		igt_info("refused\n");
	} else {
		xetile_vm_map(b.c.fd, b.c.vm, there, 0, DATA_ADDR, BUF_BYTES);
		gpu_check(&b, DATA_ADDR, 0x100000);
		igt_assert(check_told(from, bo, b.c.fd, there));
		igt_info("peer-to-peer\n");
		forget(&b, there);
	}
	/* The card itself can still use it. */
	check(map, 0x100000);
	munmap(map, BUF_BYTES);
	close(file);
	side_fini(&b);
	close(from);
}

static struct drm_xetile_sync signal_of(uint32_t syncobj)
{
	return (struct drm_xetile_sync) { .handle = syncobj, .flags = DRM_XETILE_SYNC_SIGNAL };
}

/* Starts a job that waits for the gate, and then copies. Returns the syncobj of its fence. */
static uint32_t start_held(struct side *s, uint64_t dst, uint64_t src)
{
	struct drm_xetile_sync done = signal_of(xetile_syncobj(s->c.fd));
	struct xetile_batch b;

	s->c.gate.map[GO] = 0;
	batch_begin(&b, &s->c.batch, SZ_4K);
	batch_wait(&b, s->c.gate.addr + GO * 4, 1);
	emit_copy(s, &b, dst, src);
	igt_assert_eq(__xetile_exec(s->c.fd, s->queue, batch_addr(&b), &done, 1), 0);
	return done.handle;
}

static void let_go(struct side *s, uint32_t fence)
{
	s->c.gate.map[GO] = 1;
	xetile_wait_done(s->c.fd, fence);
	xetile_syncobj_destroy(s->c.fd, fence);
}

/* A buffer in HBM that a job of its own card uses: the other card waits for the job. */
static void test_busy(void)
{
	uint32_t bo, fence;
	struct side a;
	int file;

	side_init(&a, 0);
	close(xetile_open_number(1));
	bo = xetile_bo(a.c.fd, BUF_BYTES, ANYWHERE);
	xetile_vm_map(a.c.fd, a.c.vm, bo, 0, DATA_ADDR, BUF_BYTES);
	paint(a.copy.map, 0x200000);
	fence = start_held(&a, DATA_ADDR, a.copy.addr);
	file = export(a.c.fd, bo);
	igt_fork(child, 1) {
		struct side b;

		side_init(&b, 1);
		import(&b, file);
		gpu_check(&b, DATA_ADDR, 0x200000);
	}
	/* The child gets on only when the job has ended, and does not hold up the exporter. */
	usleep(300000);
	igt_assert_eq_u64(share_of(a.c.fd, bo), 0);
	let_go(&a, fence);
	igt_waitchildren();
	close(file);
	forget(&a, bo);
	side_fini(&a);
}

/* --- other drivers --------------------------------------------------------------------- */

/* The CPU's mapping of a dma-buf, or of a memfd */
static uint32_t *map_file(int file)
{
	uint32_t *map = mmap(NULL, BUF_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);

	igt_assert_f(map != MAP_FAILED, "mmap: %m\n");
	return map;
}

/* The card and the CPU share a buffer of another driver, also by the card's own mmap(). */
static void use_foreign(int file, volatile uint32_t *map)
{
	uint32_t bo, *own;
	struct side s;

	side_init(&s, 0);
	paint(map, 0x300000);
	bo = import(&s, file);
	gpu_check(&s, DATA_ADDR, 0x300000);
	igt_assert_eq_u64(share_of(s.c.fd, bo), DRM_XETILE_SHARE_IMPORTED | DRM_XETILE_SHARE_SYSTEM);
	gpu_paint(&s, DATA_ADDR, 0x310000);
	check(map, 0x310000);
	own = __xetile_bo_map(s.c.fd, bo, BUF_BYTES);
	igt_assert_f(own != MAP_FAILED, "mmap: %m\n");
	check(own, 0x310000);
	own[0] = 7;
	igt_assert_eq_u32(map[0], 7);
	munmap(own, BUF_BYTES);
	forget(&s, bo);
	side_fini(&s);
}

static void test_vgem_import(void)
{
	struct drm_mode_create_dumb dumb = { .width = 512, .height = BUF_BYTES / 2048, .bpp = 32 };
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
	file = export(v.fd, dumb.handle);
	map = map_file(file);
	use_foreign(file, map);
	close(file);
	munmap(map, BUF_BYTES);
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
	bo = xetile_bo(s.c.fd, BUF_BYTES, ANYWHERE);
	xetile_vm_map(s.c.fd, s.c.vm, bo, 0, DATA_ADDR, BUF_BYTES);
	gpu_paint(&s, DATA_ADDR, 0x400000);
	file = export(s.c.fd, bo);
	igt_assert_f(!drmPrimeFDToHandle(v.fd, file, &there), "vgem's import: %m\n");
	share = share_of(s.c.fd, bo);
	igt_info("vgem %s\n", share ? "pinned it" : "has not mapped it");
	igt_assert(!share || share == pinned);
	map = map_file(file);
	check(map, 0x400000);
	paint(map, 0x410000);
	gpu_check(&s, DATA_ADDR, 0x410000);
	xetile_evict_all(s.c.fd);
	igt_assert_eq_u64(share_of(s.c.fd, bo), share);
	gpu_check(&s, DATA_ADDR, 0x410000);
	munmap(map, BUF_BYTES);
	xetile_bo_close(v.fd, there);
	xetile_assert_soon(!share_of(s.c.fd, bo));
	close(file);
	forget(&s, bo);
	side_fini(&s);
	vgem_fini(&v);
}

static void test_udmabuf(void)
{
	struct udmabuf_create create = { .size = BUF_BYTES, .flags = UDMABUF_FLAGS_CLOEXEC };
	int dev = open("/dev/udmabuf", O_RDWR | O_CLOEXEC), memory, file;
	uint32_t *map;

	igt_require_f(dev >= 0, "the kernel has no udmabuf\n");
	memory = memfd_create("share", MFD_ALLOW_SEALING | MFD_CLOEXEC);
	igt_assert_lte(0, memory);
	igt_assert_eq(ftruncate(memory, BUF_BYTES), 0);
	igt_assert_eq(fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK), 0);
	create.memfd = memory;
	file = drmIoctl(dev, UDMABUF_CREATE, &create);
	igt_assert_f(file >= 0, "udmabuf: %m\n");
	map = map_file(memory);
	use_foreign(file, map);
	munmap(map, BUF_BYTES);
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
	bo = xetile_bo(from, BUF_BYTES, DRM_XETILE_PLACE_SYSTEM);
	map = xetile_bo_map(from, bo, BUF_BYTES);
	paint(map, 0x500000);
	file = export(from, bo);
	there = import(&b, file);
	close(file);
	gpu_check(&b, DATA_ADDR, 0x500000);
	check_told(from, bo, b.c.fd, there);
	pinned = share_of(from, bo) & DRM_XETILE_SHARE_PINNED;
	igt_info("%s\n", pinned ? "pinned" : "can be moved");
	xetile_bo_close(from, bo);

	for (unsigned int round = 1; round <= 3; round++) {
		before = xetile_debugfs_sum(from, "sysmem", "swapped");
		if (pinned) {
			/* The importer's own buffers can go, so the shrinker has work to do. */
			igt_assert_eq_u64(shrink(from), before);
		} else {
			xetile_assert_soon(shrink(from) >= before + BUF_PAGES);
			igt_assert_eq_u64(share_of(b.c.fd, there), DRM_XETILE_SHARE_IMPORTED);
		}
		gpu_paint(&b, DATA_ADDR, 0x500000 + (round << 16));
		check(map, 0x500000 + (round << 16));
		paint(map, 0x580000 + (round << 16));
		gpu_check(&b, DATA_ADDR, 0x580000 + (round << 16));
	}
	munmap(map, BUF_BYTES);
	forget(&b, there);
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
	bo = xetile_bo(from, BUF_BYTES, ANYWHERE);
	map = xetile_bo_map(from, bo, BUF_BYTES);
	paint(map, 0x600000);
	file = export(from, bo);
	there = import(&b, file);
	gpu_check(&b, DATA_ADDR, 0x600000);
	munmap(map, BUF_BYTES);
	xetile_bo_close(from, bo);
	close(file);
	close(from);
	xetile_evict_all(look);
	gpu_check(&b, DATA_ADDR, 0x600000);
	gpu_paint(&b, DATA_ADDR, 0x610000);
	gpu_check(&b, DATA_ADDR, 0x610000);
	forget(&b, there);
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
	struct drm_xetile_bind bind = { .addr = 2 * DATA_ADDR, .range = BUF_BYTES };
	char address[32];
	struct side b;
	int from, file;
	bool peer;

	side_init(&b, 0);
	address_of(1, address, sizeof(address));
	from = xetile_open_number(1);
	bo = xetile_bo(from, BUF_BYTES, ANYWHERE);
	map = xetile_bo_map(from, bo, BUF_BYTES);
	paint(map, 0x700000);
	munmap(map, BUF_BYTES);
	file = export(from, bo);
	there = import(&b, file);
	close(file);
	peer = check_told(from, bo, b.c.fd, there);
	lost = xetile_bo(from, BUF_BYTES, ANYWHERE);
	file = export(from, lost);
	igt_assert_eq(drmPrimeFDToHandle(b.c.fd, file, &nowhere), 0);
	close(file);

	fence = start_held(&b, b.copy.addr, DATA_ADDR);
	igt_fork(child, 1)
		igt_assert_eq(xetile_write_driver("unbind", address), 0);
	/* The removal waits for a job that uses the card's HBM, and for no other. */
	if (!peer)
		igt_waitchildren();
	let_go(&b, fence);
	igt_waitchildren();
	if (!peer) {
		check(b.copy.map, 0x700000);
		gpu_paint(&b, DATA_ADDR, 0x710000);
		gpu_check(&b, DATA_ADDR, 0x710000);
	}
	bind.handle = nowhere;
	igt_assert_eq(__xetile_vm_bind(b.c.fd, b.c.vm, &bind, 1, NULL, 0), -ENODATA);
	close(from);
	if (!peer)
		gpu_check(&b, DATA_ADDR, 0x710000);
	igt_assert_eq(xetile_write_driver("bind", address), 0);
	xetile_bo_close(b.c.fd, nowhere);
	forget(&b, there);
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
	address_of(1, address, sizeof(address));
	side_init(&b, 1);
	bo = xetile_bo(a.c.fd, BUF_BYTES, ANYWHERE);
	map = xetile_bo_map(a.c.fd, bo, BUF_BYTES);
	paint(map, 0x800000);
	file = export(a.c.fd, bo);
	import(&b, file);
	gpu_check(&b, DATA_ADDR, 0x800000);
	igt_assert(share_of(a.c.fd, bo));
	igt_assert_eq(xetile_write_driver("unbind", address), 0);
	igt_assert_eq_u64(share_of(a.c.fd, bo), 0);
	xetile_vm_map(a.c.fd, a.c.vm, bo, 0, DATA_ADDR, BUF_BYTES);
	gpu_check(&a, DATA_ADDR, 0x800000);
	check(map, 0x800000);
	munmap(map, BUF_BYTES);
	side_drop(&b);
	igt_assert_eq(xetile_write_driver("bind", address), 0);
	close(file);
	forget(&a, bo);
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
	bo = xetile_bo(a.c.fd, BUF_BYTES, ANYWHERE);
	xetile_vm_map(a.c.fd, a.c.vm, bo, 0, DATA_ADDR, BUF_BYTES);
	gpu_paint(&a, DATA_ADDR, 0x900000);
	file = export(a.c.fd, bo);
	igt_assert_eq(pipe(ready) | pipe(go), 0);
	igt_fork(child, 1) {
		struct side b;

		side_init(&b, other);
		igt_assert_eq(drmPrimeFDToHandle(b.c.fd, file, &bo), 0);
		xetile_vm_map(b.c.fd, b.c.vm, bo, 0, DATA_ADDR, BUF_BYTES);
		for (unsigned int i = 0; i < 8; i++) {
			gpu_check(&b, DATA_ADDR, 0x900000 + (i << 12));
			gpu_paint(&b, DATA_ADDR, 0xa00000 + (i << 12));
			igt_assert_eq(write(ready[1], "", 1), 1);
			igt_assert_eq(read(go[0], &c, 1), 1);
		}
	}
	for (unsigned int i = 0; i < 8; i++) {
		igt_assert_eq(read(ready[0], &c, 1), 1);
		gpu_check(&a, DATA_ADDR, 0xa00000 + (i << 12));
		gpu_paint(&a, DATA_ADDR, 0x900000 + ((i + 1) << 12));
		igt_assert_eq(write(go[1], "", 1), 1);
	}
	igt_waitchildren();
	for (unsigned int i = 0; i < 2; i++) {
		close(ready[i]);
		close(go[i]);
	}
	close(file);
	forget(&a, bo);
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
	bo = xetile_bo(a.c.fd, BUF_BYTES, DRM_XETILE_PLACE_SYSTEM);
	xetile_vm_map(a.c.fd, a.c.vm, bo, 0, DATA_ADDR, BUF_BYTES);
	file = export(a.c.fd, bo);
	there = import(&b, file);

	/* The second card's job waits for the first one's. */
	paint(a.copy.map, 0xb00000);
	first = start_held(&a, DATA_ADDR, a.copy.addr);
	sync = xetile_fence_file(a.c.fd, first);
	syncs[0].handle = xetile_syncobj(b.c.fd);
	igt_assert_eq(drmSyncobjImportSyncFile(b.c.fd, syncs[0].handle, sync), 0);
	syncs[1] = signal_of(xetile_syncobj(b.c.fd));
	batch_begin(&batch, &b.c.batch, 0);
	emit_copy(&b, &batch, b.copy.addr, DATA_ADDR);
	igt_assert_eq(__xetile_exec(b.c.fd, b.queue, batch_addr(&batch), syncs, 2), 0);
	igt_assert(!xetile_is_done(b.c.fd, syncs[1].handle));

	/* The jobs that run have put nothing there that a reader or a writer would wait for. */
	igt_assert_eq(xetile_ioctl(file, DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &get), 0);
	igt_assert_eq(xetile_file_end(get.fd), 1);
	let_go(&a, first);
	xetile_wait_done(b.c.fd, syncs[1].handle);
	check(b.copy.map, 0xb00000);
	close(sync);

	/* Another driver's write is put there: both cards' jobs run all the same. */
	write_fence = xetile_syncobj(a.c.fd);
	vgem_fence(&v, a.c.fd, write_fence);
	put.fd = xetile_fence_file(a.c.fd, write_fence);
	igt_assert_eq(xetile_ioctl(file, DMA_BUF_IOCTL_IMPORT_SYNC_FILE, &put), 0);
	gpu_check(&a, DATA_ADDR, 0xb00000);
	gpu_check(&b, DATA_ADDR, 0xb00000);
	igt_assert(!xetile_is_done(a.c.fd, write_fence));
	get = (struct dma_buf_export_sync_file) { .flags = DMA_BUF_SYNC_READ };
	igt_assert_eq(xetile_ioctl(file, DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &get), 0);
	igt_assert_eq(vgem_signal(&v), 0);
	igt_assert_eq(xetile_file_end(get.fd), 1);

	close(put.fd);
	close(file);
	forget(&b, there);
	forget(&a, bo);
	side_fini(&b);
	side_fini(&a);
	vgem_fini(&v);
}

igt_main
{
	igt_describe("Two cards must see each other's data in a buffer of each color, be told where "
		     "it lies, and the buffer must have its color again in the end");
	igt_subtest("colors")
		test_colors();
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
