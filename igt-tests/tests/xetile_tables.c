// SPDX-License-Identifier: MIT
/*
 * Page tables: addresses without memory on all engines, binds of single tiles, the largest leaves
 * that a color allows after every step, and what many mappings take.
 *
 * With XETILE_MAPPINGS=1000000 in the environment the subtest "many" makes so many mappings.
 *
 * suite: once soak-alone
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "xetile_leaves.h"
#include "xetile_memcg.h"
#include "xetile_walker.h"

IGT_TEST_DESCRIPTION("Page tables: no memory, single tiles, large leaves, many mappings");

#define HUGE_ADDR	(DATA_ADDR + SZ_1G)	/* a multiple of 1 GiB */

static struct xetile_leaves before[DRM_XETILE_MAX_TILES];

/* Remembers the leaves that the card has, when the VMs of earlier subtests are freed. */
static void read_before(const struct xetile_card *card)
{
	xetile_wait_hbm_free(card->fd);
	for (uint32_t t = 0; t < card->device.num_tiles; t++)
		xetile_leaves_read(card->fd, t, &before[t]);
}

/* One bind of op @op; @tiles: 0 is all tiles */
static int try_bind(int fd, uint32_t vm, uint32_t op, uint32_t bo, uint64_t addr, uint64_t range,
		    uint64_t offset, uint32_t tiles)
{
	struct drm_xetile_bind bind = {
		.op = op, .handle = bo, .addr = addr, .range = range, .offset = offset,
		.tile_mask = tiles,
	};

	return __xetile_vm_bind(fd, vm, &bind, 1, NULL, 0);
}

static void bind_null(int fd, uint32_t vm, uint64_t addr, uint64_t range, uint32_t tiles)
{
	igt_assert_eq(try_bind(fd, vm, DRM_XETILE_BIND_MAP_NULL, 0, addr, range, 0, tiles), 0);
}

/* --- addresses without memory -------------------------------------------------- */

#define WORDS		(FILL_LOCAL * 4)	/* dwords that a walker of 4 groups writes */

/* A VM with 1 GiB without memory, and a buffer that is painted before the GPU writes zeros to it */
struct nowhere {
	struct ctx c;
	struct xetile_buf isa, data;
	uint32_t tile, compute, copy;
};

static void nowhere_init(struct nowhere *n, int fd, uint32_t tile)
{
	ctx_init(&n->c, fd);
	xetile_buf_init(&n->isa, fd, n->c.vm, DATA_ADDR, SZ_64K, DRM_XETILE_PLACE_HBM);
	xetile_buf_init(&n->data, fd, n->c.vm, DATA_ADDR + SZ_64K, SZ_64K, DRM_XETILE_PLACE_HBM);
	n->tile = tile;
	n->compute = xetile_queue(fd, n->c.vm, COMPUTE, TILE, tile, 0);
	n->copy = xetile_queue(fd, n->c.vm, COPY, TILE, tile, 0);
}

static void nowhere_fini(struct nowhere *n)
{
	xetile_queue_destroy(n->c.fd, n->copy);
	xetile_queue_destroy(n->c.fd, n->compute);
	xetile_buf_fini(&n->data);
	xetile_buf_fini(&n->isa);
	ctx_fini(&n->c);
}

static void expect_words(const struct nowhere *n, uint32_t value)
{
	for (unsigned int i = 0; i < WORDS; i++)
		igt_assert_eq_u32(n->data.map[i], value);
}

static void paint_words(struct nowhere *n, uint32_t value)
{
	for (unsigned int i = 0; i < WORDS; i++)
		n->data.map[i] = value;
}

/* All engines write at @addr; then all engines read there, and find zeros. */
static void use_nowhere(struct nowhere *n, uint64_t addr)
{
	struct xetile_batch b;

	/* Threads, the engine's own commands, and a copy engine write. */
	xetile_run(n->c.fd, n->compute, fill_batch(&n->c.batch, &n->isa, addr, 0x1234, 4, 1));
	batch_begin(&b, &n->c.batch, 0);
	batch_store(&b, addr, 0x5678, false);
	batch_end(&b);
	xetile_run(n->c.fd, n->compute, batch_addr(&b));
	paint_words(n, 0x9abc);
	batch_begin(&b, &n->c.batch, 0);
	batch_mem_copy(&b, addr, n->data.addr, WORDS * 4);
	batch_end(&b);
	xetile_run(n->c.fd, n->copy, batch_addr(&b));
	expect_words(n, 0x9abc);

	xetile_run(n->c.fd, n->compute, copy_batch(&n->c.batch, &n->isa, n->data.addr, addr, 4, 1));
	expect_words(n, 0);
	paint_words(n, 0xdef0);
	batch_begin(&b, &n->c.batch, 0);
	batch_mem_copy(&b, n->data.addr, addr, WORDS * 4);
	batch_end(&b);
	xetile_run(n->c.fd, n->copy, batch_addr(&b));
	expect_words(n, 0);
	batch_begin(&b, &n->c.batch, 0);
	batch_wait(&b, addr, 0);
	batch_end(&b);
	xetile_run(n->c.fd, n->compute, batch_addr(&b));
}

/* The walkers themselves work: what threads write and copy arrives where there is memory. */
static void check_walkers(struct nowhere *n)
{
	uint64_t half = n->data.addr + SZ_64K / 2;

	xetile_run(n->c.fd, n->compute, fill_batch(&n->c.batch, &n->isa, half, 0x77, 4, 1));
	xetile_run(n->c.fd, n->compute, copy_batch(&n->c.batch, &n->isa, n->data.addr, half, 4, 1));
	for (unsigned int i = 0; i < WORDS; i++)
		igt_assert_eq_u32(n->data.map[i], 0x77 + i);
}

/* Each engine reads zero and drops its writes, in leaves of every size, on each tile. */
static void test_null_engines(const struct xetile_card *card)
{
	struct nowhere n;

	for (uint32_t tile = 0; tile < card->device.num_tiles; tile++) {
		nowhere_init(&n, card->fd, tile);
		check_walkers(&n);
		bind_null(card->fd, n.c.vm, HUGE_ADDR - SZ_2M - SZ_64K - SZ_4K,
			  SZ_4K + SZ_64K + SZ_2M + SZ_1G, 0);
		use_nowhere(&n, HUGE_ADDR + SZ_1G - SZ_64K);
		use_nowhere(&n, HUGE_ADDR - SZ_2M);
		use_nowhere(&n, HUGE_ADDR - SZ_2M - SZ_64K);
		use_nowhere(&n, HUGE_ADDR - SZ_2M - SZ_64K - SZ_4K);
		nowhere_fini(&n);
	}
}

/* Addresses without memory take one leaf for each 1 GiB, and no more tables than that needs. */
static void test_null_leaves(const struct xetile_card *card)
{
	struct xetile_mapping maps[DRM_XETILE_MAX_TILES * 3] = { 0 };
	const uint64_t hole = HUGE_ADDR + 5 * SZ_2M + 7 * SZ_64K;
	unsigned int tiles = card->device.num_tiles, n = 0;
	struct xetile_leaves empty, is;
	uint32_t vm, bo, *map;

	read_before(card);
	vm = xetile_vm(card->fd);
	xetile_leaves_read(card->fd, 0, &empty);
	bind_null(card->fd, vm, HUGE_ADDR, 16 * SZ_1G, 0);
	for (uint32_t t = 0; t < tiles; t++)
		maps[n++] = (struct xetile_mapping) {
			.tile = t, .addr = HUGE_ADDR, .range = 16 * SZ_1G,
		};
	xetile_leaves_check(card, before, maps, n);
	xetile_leaves_read(card->fd, 0, &is);
	/* Below the root there is one table of each of the levels 3 and 2. */
	igt_assert_eq_u64(is.tables, empty.tables + 2);
	igt_assert_eq_u64(is.null_1g, before[0].null_1g + 16);

	/* A buffer in the middle splits the leaf that it is in, and no other one. */
	bo = xetile_bo_color(card->fd, SZ_64K, DRM_XETILE_COLOR_TILE, 1, 0);
	map = xetile_bo_map(card->fd, bo, SZ_64K);
	map[0] = 0x600d;
	xetile_vm_map(card->fd, vm, bo, 0, hole, SZ_64K);
	for (uint32_t t = 0; t < tiles; t++) {
		maps[t].range = hole - HUGE_ADDR;
		maps[n++] = (struct xetile_mapping) {
			.tile = t, .bo = bo, .addr = hole, .range = SZ_64K,
		};
		maps[n++] = (struct xetile_mapping) {
			.tile = t, .addr = hole + SZ_64K,
			.range = HUGE_ADDR + 16 * SZ_1G - hole - SZ_64K,
		};
	}
	xetile_leaves_check(card, before, maps, n);

	/* One leaf of 1 GiB again, in place of all of it; the tables below it are gone. */
	bind_null(card->fd, vm, HUGE_ADDR, SZ_1G, 0);
	xetile_leaves_read(card->fd, 0, &is);
	igt_assert_eq_u64(is.null_1g, before[0].null_1g + 16);
	igt_assert_eq_u64(is.of_64k, before[0].of_64k);
	igt_assert_eq_u32(map[0], 0x600d);
	xetile_vm_unmap(card->fd, vm, 0, HUGE_ADDR + 16 * SZ_1G);
	xetile_leaves_check(card, before, NULL, 0);
	xetile_leaves_read(card->fd, 0, &is);
	igt_assert_eq_u64(is.tables, empty.tables);

	munmap(map, SZ_64K);
	xetile_bo_close(card->fd, bo);
	xetile_vm_destroy(card->fd, vm);
}

/* --- binds of single tiles ------------------------------------------------------ */

/* Stores a dword on each tile. Returns the mask of the tiles whose job failed. */
static uint32_t store_on_tiles(const struct xetile_card *card, struct ctx *c, uint64_t addr,
			       uint32_t value)
{
	uint32_t failed = 0;

	for (uint32_t t = 0; t < card->device.num_tiles; t++) {
		struct drm_xetile_sync sync = { .flags = DRM_XETILE_SYNC_SIGNAL };
		uint32_t queue = xetile_queue(c->fd, c->vm, COMPUTE, TILE, t, 0);
		struct xetile_batch b;
		int status;

		sync.handle = xetile_syncobj(c->fd);
		batch_begin(&b, &c->batch, 0);
		batch_store(&b, addr, value + t, false);
		batch_end(&b);
		igt_assert_eq(__xetile_exec(c->fd, queue, batch_addr(&b), &sync, 1), 0);
		igt_assert_eq(__xetile_wait(c->fd, sync.handle, 30000), 0);
		status = xetile_fence_status(c->fd, sync.handle);
		igt_assert(status == 1 || status == -EIO);
		failed |= (status != 1) << t;
		xetile_syncobj_destroy(c->fd, sync.handle);
		xetile_queue_destroy(c->fd, queue);
	}
	return failed;
}

static void require_tiles(const struct xetile_card *card)
{
	igt_require_f(card->device.num_tiles > 1, "the card has one tile\n");
}

/* The same address leads to another buffer on each tile, also after the buffers were evicted. */
static void test_tiles_own(const struct xetile_card *card)
{
	unsigned int tiles = card->device.num_tiles;
	uint32_t bo[DRM_XETILE_MAX_TILES], *map[DRM_XETILE_MAX_TILES];
	struct ctx c;

	require_tiles(card);
	ctx_init(&c, card->fd);
	for (uint32_t t = 0; t < tiles; t++) {
		bo[t] = xetile_bo(c.fd, SZ_2M, DRM_XETILE_PLACE_HBM | DRM_XETILE_PLACE_SYSTEM);
		map[t] = xetile_bo_map(c.fd, bo[t], SZ_2M);
		igt_assert_eq(try_bind(c.fd, c.vm, DRM_XETILE_BIND_MAP, bo[t], DATA_ADDR, SZ_2M, 0,
				       1u << t), 0);
	}
	for (unsigned int round = 0; round < 2; round++) {
		igt_assert_eq_u32(store_on_tiles(card, &c, DATA_ADDR + SZ_64K, 0x100 * round), 0);
		for (uint32_t t = 0; t < tiles; t++)
			igt_assert_eq_u32(map[t][SZ_64K / 4], 0x100 * round + t);
		if (!round)
			xetile_evict_all(c.fd);
	}
	/* One buffer less: only its tile faults. The others' stay. */
	xetile_bo_close(c.fd, bo[0]);
	igt_assert_eq(try_bind(c.fd, c.vm, DRM_XETILE_BIND_UNMAP, 0, DATA_ADDR, SZ_2M, 0, 1), 0);
	igt_assert_eq_u32(store_on_tiles(card, &c, DATA_ADDR, 0x300), 1);
	for (uint32_t t = 0; t < tiles; t++)
		igt_assert_eq_u32(map[t][0], t ? 0x300 + t : 0);
	/* No memory on one tile, instead */
	bind_null(c.fd, c.vm, DATA_ADDR, SZ_2M, 1);
	igt_assert_eq_u32(store_on_tiles(card, &c, DATA_ADDR, 0x400), 0);
	for (uint32_t t = 1; t < tiles; t++)
		igt_assert_eq_u32(map[t][0], 0x400 + t);
	for (uint32_t t = 0; t < tiles; t++) {
		munmap(map[t], SZ_2M);
		if (t)
			xetile_bo_close(c.fd, bo[t]);
	}
	ctx_fini(&c);
}

/* Each tile has leaves for what is bound there, and no others. */
static void test_tiles_leaves(const struct xetile_card *card)
{
	struct xetile_mapping maps[DRM_XETILE_MAX_TILES * 2] = { 0 };
	unsigned int tiles = card->device.num_tiles, n = 0;
	uint32_t vm, bo;

	require_tiles(card);
	read_before(card);
	vm = xetile_vm(card->fd);
	bo = xetile_bo_color(card->fd, DRM_XETILE_MAX_TILES * SZ_2M, DRM_XETILE_COLOR_TILE, 2,
			     0);
	for (uint32_t t = 0; t < tiles; t++) {
		maps[n] = (struct xetile_mapping) {
			.bo = bo, .tile = t, .addr = HUGE_ADDR, .range = (t + 1) * SZ_2M,
		};
		igt_assert_eq(try_bind(card->fd, vm, DRM_XETILE_BIND_MAP, bo, HUGE_ADDR,
				       maps[n++].range, 0, 1u << t), 0);
		maps[n] = (struct xetile_mapping) {
			.tile = t, .addr = HUGE_ADDR + SZ_1G, .range = (t + 1) * SZ_64K,
		};
		bind_null(card->fd, vm, maps[n].addr, maps[n].range, 1u << t);
		xetile_leaves_check(card, before, maps, ++n);
	}
	igt_assert_eq(try_bind(card->fd, vm, DRM_XETILE_BIND_UNMAP, 0, HUGE_ADDR, 2 * SZ_1G, 0, 2),
		      0);
	for (unsigned int i = 0; i < n; i++)
		if (maps[i].tile == 1)
			maps[i].range = 0;
	xetile_leaves_check(card, before, maps, n);
	xetile_bo_close(card->fd, bo);
	xetile_vm_destroy(card->fd, vm);
}

/* A ROOT queue's batch runs on all tiles, and each tile writes what is bound there. */
static void test_tiles_root(const struct xetile_card *card)
{
	unsigned int tiles = card->device.num_tiles;
	uint32_t bo[DRM_XETILE_MAX_TILES], *map[DRM_XETILE_MAX_TILES], queue;
	struct xetile_batch b;
	struct ctx c;

	require_tiles(card);
	ctx_init(&c, card->fd);
	queue = xetile_queue(c.fd, c.vm, COMPUTE, ROOT, 0, 0);
	for (uint32_t t = 0; t < tiles; t++) {
		bo[t] = xetile_bo(c.fd, SZ_64K, DRM_XETILE_PLACE_HBM);
		map[t] = xetile_bo_map(c.fd, bo[t], SZ_64K);
		igt_assert_eq(try_bind(c.fd, c.vm, DRM_XETILE_BIND_MAP, bo[t], DATA_ADDR, SZ_64K, 0,
				       1u << t), 0);
	}
	batch_begin(&b, &c.batch, 0);
	batch_store(&b, DATA_ADDR, 0x51, true);
	batch_end(&b);
	xetile_run(c.fd, queue, batch_addr(&b));
	for (uint32_t t = 0; t < tiles; t++) {
		for (uint32_t word = 0; word < tiles; word++)
			igt_assert_eq_u32(map[t][word * 2], word == t ? 0x51 : 0);
		munmap(map[t], SZ_64K);
		xetile_bo_close(c.fd, bo[t]);
	}
	xetile_queue_destroy(c.fd, queue);
	ctx_fini(&c);
}

/* --- the largest leaves, after every step ---------------------------------------- */

#define SLOTS		512u		/* of 64 KiB: 32 MiB of addresses */
#define PIECES		4u		/* buffers */

/* What a tile has at 64 KiB of addresses; .bind is 0 where there is nothing */
struct slot {
	uint32_t bind;		/* number of the bind that made it */
	uint32_t bo;		/* 0: no memory */
	uint64_t offset;
};

struct canvases {
	const struct xetile_card *card;
	struct ctx c;
	uint32_t bo[PIECES], queue, binds;
	uint64_t size[PIECES];
	struct slot slots[DRM_XETILE_MAX_TILES][SLOTS];
	struct xetile_mapping maps[DRM_XETILE_MAX_TILES * SLOTS];
};

static uint32_t random_below(uint32_t n)
{
	return random() % n;
}

/* What is left of a bind is in one piece: a mapping of the driver's. */
static unsigned int list_mappings(struct canvases *s)
{
	unsigned int num = 0;

	for (uint32_t t = 0; t < s->card->device.num_tiles; t++)
		for (unsigned int i = 0; i < SLOTS; i++) {
			const struct slot *slot = &s->slots[t][i];

			if (!slot->bind)
				continue;
			if (i && slot[-1].bind == slot->bind) {
				s->maps[num - 1].range += SZ_64K;
				continue;
			}
			s->maps[num++] = (struct xetile_mapping) {
				.bo = slot->bo, .tile = t, .addr = HUGE_ADDR + i * SZ_64K,
				.range = SZ_64K, .offset = slot->offset,
			};
		}
	return num;
}

static void random_bind(struct canvases *s)
{
	uint32_t tiles = 1u << s->card->device.num_tiles, mask = random_below(tiles);
	uint32_t unit = random_below(2) ? 32 : 1, which = random_below(PIECES + 2), bo = 0;
	uint32_t first = random_below(SLOTS / unit) * unit, count, page = 0;
	uint32_t op = DRM_XETILE_BIND_UNMAP;

	count = (1 + random_below(random_below(2) ? 256 / unit : 4)) * unit;
	if (count > SLOTS - first)
		count = SLOTS - first;
	if (which == PIECES) {
		op = DRM_XETILE_BIND_MAP_NULL;
	} else if (which < PIECES) {
		uint32_t pages = s->size[which] / SZ_64K;

		op = DRM_XETILE_BIND_MAP;
		bo = s->bo[which];
		page = random_below(pages / unit + 1) * unit % pages;
		if (count > pages - page)
			count = pages - page;
	}
	igt_assert_eq(try_bind(s->c.fd, s->c.vm, op, bo, HUGE_ADDR + first * SZ_64K,
			       count * SZ_64K, page * SZ_64K, mask), 0);
	s->binds++;
	for (uint32_t t = 0; t < s->card->device.num_tiles; t++)
		for (uint32_t i = 0; i < count && (!mask || mask & 1u << t); i++)
			s->slots[t][first + i] = (struct slot) {
				.bind = op == DRM_XETILE_BIND_UNMAP ? 0 : s->binds, .bo = bo,
				.offset = (page + i) * SZ_64K,
			};
}

/* A job: the card walks what the step has made. */
static void run_job(struct canvases *s)
{
	struct xetile_batch b;

	batch_begin(&b, &s->c.batch, 0);
	batch_store(&b, s->c.gate.addr, 1, false);
	batch_end(&b);
	xetile_run(s->c.fd, s->queue, batch_addr(&b));
}

static void test_largest(const struct xetile_card *card, unsigned int steps)
{
	static const struct {
		uint64_t size, granule;
		uint32_t color;
	} kinds[PIECES] = {
		{ 16 * SZ_2M, 0, DRM_XETILE_COLOR_EVEN },
		{ 8 * SZ_2M, 2 * SZ_2M, DRM_XETILE_COLOR_CHUNK },
		{ 5 * SZ_2M + 3 * SZ_64K, 0, DRM_XETILE_COLOR_EVEN },
		{ 8 * SZ_2M, 0, DRM_XETILE_COLOR_FOLLOW },
	};
	struct canvases *s = calloc(1, sizeof(*s));
	uint64_t of_2m = 0;

	s->card = card;
	/* The VMs of earlier subtests are freed late: none of their leaves may be counted. */
	xetile_wait_hbm_free(card->fd);
	ctx_init(&s->c, card->fd);
	s->queue = xetile_queue(s->c.fd, s->c.vm, COMPUTE, TILE, 0, 0);
	for (unsigned int i = 0; i < PIECES; i++) {
		s->size[i] = kinds[i].size;
		s->bo[i] = xetile_bo_color(s->c.fd, s->size[i], kinds[i].color, 0,
					   kinds[i].granule);
	}
	for (uint32_t t = 0; t < card->device.num_tiles; t++)
		xetile_leaves_read(card->fd, t, &before[t]);
	srandom(1);
	for (unsigned int step = 0; step < steps; step++) {
		struct xetile_leaves is;

		random_bind(s);
		run_job(s);
		igt_debug("step %u\n", step);
		xetile_leaves_check(card, before, s->maps, list_mappings(s));
		xetile_leaves_read(card->fd, 0, &is);
		of_2m += is.of_2m - before[0].of_2m;
	}
	/* The steps were worth it. */
	igt_assert(of_2m > steps);
	for (unsigned int i = 0; i < PIECES; i++)
		xetile_bo_close(s->c.fd, s->bo[i]);
	xetile_queue_destroy(s->c.fd, s->queue);
	ctx_fini(&s->c);
	free(s);
}

/* --- many mappings ---------------------------------------------------------------- */

/*
 * What Documentation/gpu/xetile/memory.rst says: bytes of kernel memory of a mapping on a tile, of
 * a table of level 0, and of a table above
 */
#define MAPPING_BYTES	200
#define LEAVES_BYTES	656
#define TABLE_BYTES	8336

/* Tables of level 0 translate 32 of the mappings; the other tables that there are begin with 2. */
static uint64_t level0_tables(uint64_t mappings)
{
	return (mappings + 31) / 32;
}

static uint64_t level1_tables(uint64_t mappings)
{
	return (level0_tables(mappings) + 511) / 512;
}

static uint64_t kernel_bytes(uint64_t mappings)
{
	return mappings * MAPPING_BYTES + level0_tables(mappings) * LEAVES_BYTES +
	       level1_tables(mappings) * TABLE_BYTES;
}

/* Maps one buffer @num times, side by side, by calls of 4096 binds. */
static void map_many(int fd, uint32_t vm, uint32_t bo, uint64_t num)
{
	struct drm_xetile_bind *binds = calloc(DRM_XETILE_MAX_ARRAY, sizeof(*binds));

	for (uint64_t done = 0; done < num; ) {
		unsigned int n = 0;

		for (; n < DRM_XETILE_MAX_ARRAY && done < num; n++, done++)
			binds[n] = (struct drm_xetile_bind) {
				.handle = bo, .range = SZ_64K, .addr = HUGE_ADDR + done * SZ_64K,
			};
		igt_assert_eq(__xetile_vm_bind(fd, vm, binds, n, NULL, 0), 0);
	}
	free(binds);
}

/* Does the kernel put something around each of its objects, to find errors? */
static bool has_redzones(void)
{
	FILE *f = fopen("/proc/slabinfo", "re");
	unsigned int size = 0;
	char line[256];

	igt_assert_f(f, "/proc/slabinfo: %m\n");
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "kmalloc-cg-192 %*u %*u %u", &size) == 1)
			break;
	fclose(f);
	return size != 192;
}

static void many(const struct xetile_card *card, uint64_t num)
{
	unsigned int tiles = card->device.num_tiles;
	uint64_t empty, mapped, most, mappings, tables;
	uint32_t bo, *map, queue;
	struct xetile_batch b;
	struct ctx c;

	memcg_enter();
	ctx_init(&c, xetile_reopen(card->fd));
	queue = xetile_queue(c.fd, c.vm, COMPUTE, TILE, 0, 0);
	bo = xetile_bo(c.fd, SZ_64K, DRM_XETILE_PLACE_HBM);
	map = xetile_bo_map(c.fd, bo, SZ_64K);
	mappings = xetile_debugfs_sum(c.fd, "vms", "mappings");
	tables = xetile_debugfs_sum(c.fd, "vms", "tables");
	empty = memcg_bytes("stat", "kernel ");
	map_many(c.fd, c.vm, bo, num);

	/* Exactly so many mappings and tables */
	igt_assert_eq_u64(xetile_debugfs_sum(c.fd, "vms", "mappings"), mappings + num * tiles);
	igt_assert_eq_u64(xetile_debugfs_sum(c.fd, "vms", "tables"),
			  tables + (level0_tables(num) + level1_tables(num)) * tiles);
	/* Processors keep some charges for themselves: 1 MiB is for them. */
	mapped = memcg_bytes("stat", "kernel ") - empty;
	most = kernel_bytes(num) * tiles + (1 << 20);
	igt_info("%" PRIu64 " mappings on %u tiles: %" PRIu64 " bytes of kernel memory, at most %"
		 PRIu64 "\n", num, tiles, mapped, most);
	if (has_redzones())
		igt_info("not compared, because this kernel's objects are larger than usual\n");
	else
		igt_assert_lte_u64(mapped, most);

	/* They work, and jobs see the last one. */
	batch_begin(&b, &c.batch, 0);
	batch_store(&b, HUGE_ADDR + (num - 1) * SZ_64K + 8, 0xfeed, false);
	batch_end(&b);
	xetile_run(c.fd, queue, batch_addr(&b));
	igt_assert_eq_u32(map[2], 0xfeed);
	/* One bind removes all of them, and their memory is free. */
	xetile_vm_unmap(c.fd, c.vm, HUGE_ADDR, num * SZ_64K);
	igt_assert_eq_u64(xetile_debugfs_sum(c.fd, "vms", "mappings"), mappings);
	xetile_assert_soon(memcg_bytes("stat", "kernel ") < empty + (1 << 20));
	xetile_assert_soon(xetile_debugfs_sum(c.fd, "vms", "tables") == tables);
	/* The VM goes while it has them. */
	map_many(c.fd, c.vm, bo, num);
	munmap(map, SZ_64K);
	xetile_bo_close(c.fd, bo);
	xetile_queue_destroy(c.fd, queue);
	ctx_fini(&c);
	close(c.fd);
}

static void test_many(const struct xetile_card *card)
{
	const char *asked = getenv("XETILE_MAPPINGS");
	uint64_t num = asked ? strtoull(asked, NULL, 0) : 100000;

	xetile_wait_hbm_free(card->fd);
	memcg_init();
	igt_fork(child, 1)
		many(card, num);
	igt_waitchildren();
	memcg_fini();
	xetile_wait_hbm_free(card->fd);
}

igt_main
{
	struct xetile_card card = { .fd = -1 };

	igt_fixture
		xetile_open_card(&card);

	igt_describe("Threads, commands and copy engines must read zero and lose writes where "
		     "there is no memory");
	igt_subtest("null-engines")
		test_null_engines(&card);
	igt_describe("Addresses without memory must take the fewest leaves and tables");
	igt_subtest("null-leaves")
		test_null_leaves(&card);
	igt_describe("Each tile must see what is bound on that tile, and nothing else");
	igt_subtest("tiles-own")
		test_tiles_own(&card);
	igt_describe("A bind of a tile must change that tile's tables alone");
	igt_subtest("tiles-leaves")
		test_tiles_leaves(&card);
	igt_describe("Each tile of a ROOT queue must see what is bound on that tile");
	igt_subtest("tiles-root")
		test_tiles_root(&card);
	igt_describe("After each step leaves must be as large as the color allows");
	igt_subtest("largest")
		test_largest(&card, 100);
	igt_describe("Many mappings must take no more memory than the documentation says");
	igt_subtest("many")
		test_many(&card);

	igt_fixture
		close(card.fd);
}
