// SPDX-License-Identifier: MIT
/* Copy engine commands against plain C on the same bytes. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>

#include "bus/dma.h"
#include "card.h"
#include "core/regs.h"
#include "mem/memory.h"
#include "tests/cs_test.h"

static uint64_t seed = 12345;

static uint32_t rnd(uint32_t limit)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (seed >> 33) % limit;
}

static void randomize(struct ctx *x)
{
	uint32_t *p = hbm32(x->b, x->data);

	for (uint64_t i = 0; i < DATA_BYTES / 4; i++)
		p[i] = rnd(0x7fffffff);
}

/* A copy of the data, which a test changes as the commands should. */
static uint8_t *expected(struct ctx *x)
{
	uint8_t *e = malloc(DATA_BYTES);

	memcpy(e, hbm32(x->b, x->data), DATA_BYTES);
	return e;
}

static bool matches(struct ctx *x, const uint8_t *e)
{
	return !memcmp(e, hbm32(x->b, x->data), DATA_BYTES);
}

static void mem_copy(struct ctx *x, uint32_t flags, uint32_t width, uint32_t height,
		     uint32_t spitch, uint32_t dpitch, uint64_t src, uint64_t dst)
{
	BATCH(x, PVC_MEM_COPY | flags, width - 1, height - 1, spitch - 1, dpitch - 1, ADDR(src),
	      ADDR(dst), 0);
}

TEST(blt_mem_copy_linear_and_matrix)
{
	struct bench b;
	struct ctx x;
	uint8_t *want;

	bench_init(&b, 1);
	REQUIRE(b.c);
	ctx_init(&b, &x, bench_engine(&b, 0, PVC_CLASS_BCS, 1), 1);
	randomize(&x);
	want = expected(&x);
	for (unsigned int i = 0; i < 60; i++) {
		uint32_t w = 1 + rnd(i & 1 ? 300 : 20000), h = 1 + rnd(12);
		uint32_t sp = w + rnd(50), dp = w + rnd(50);
		uint32_t src = rnd(0x80000), dst = 0x100000 + rnd(0x80000);

		if (i % 3 == 0) {
			mem_copy(&x, PVC_FIELD_PREP(PVC_MEM_TYPE, PVC_MEM_TYPE_LINEAR), w, 1, 1, 1,
				 USER_VA + src, USER_VA + dst);
			memcpy(want + dst, want + src, w);
			continue;
		}
		if (i % 3 == 1) {
			/* one run */
			sp = w;
			dp = w;
		}
		mem_copy(&x, PVC_FIELD_PREP(PVC_MEM_TYPE, PVC_MEM_TYPE_MATRIX), w, h, sp, dp,
			 USER_VA + src, USER_VA + dst);
		for (unsigned int r = 0; r < h; r++)
			memcpy(want + dst + r * dp, want + src + r * sp, w);
	}
	/* the longest, and pages of 256 bytes */
	mem_copy(&x, 0, PVC_MEM_DIM_MAX, 1, 1, 1, USER_VA, USER_VA + 0x100000);
	memcpy(want + 0x100000, want, PVC_MEM_DIM_MAX);
	mem_copy(&x, PVC_MEM_COPY_UNIT_PAGE, 3, 1, 1, 1, USER_VA + 0x1000, USER_VA + 0x80000);
	memcpy(want + 0x80000, want + 0x1000, 768);
	REQUIRE(run_copies(&x));
	CHECK(matches(&x, want));
	CHECK(counter_get(&x.e->cnt.read_local) > PVC_MEM_DIM_MAX);
	CHECK_EQ(counter_get(&x.e->cnt.read_local), counter_get(&x.e->cnt.write_local));
	CHECK_EQ(counter_get(&x.e->cnt.read_remote) + counter_get(&x.e->cnt.read_system), 0);
	free(want);
	bench_fini(&b);
}

TEST(blt_mem_set)
{
	struct bench b;
	struct ctx x;
	uint8_t *want;

	bench_init(&b, 1);
	REQUIRE(b.c);
	ctx_init(&b, &x, bench_engine(&b, 0, PVC_CLASS_BCS, 8), 1);
	randomize(&x);
	want = expected(&x);
	for (unsigned int i = 0; i < 60; i++) {
		uint32_t w = 1 + rnd(3000), h = 1 + rnd(20), pitch = i & 2 ? w : w + rnd(99);
		uint32_t dst = rnd(0x100000);
		uint8_t v = rnd(256);

		BATCH(&x, PVC_MEM_SET | PVC_FIELD_PREP(PVC_MEM_TYPE, i & 1), w - 1, h - 1,
		      pitch - 1,
		      ADDR(USER_VA + dst), PVC_FIELD_PREP(PVC_MEM_SET6_VALUE, v));
		for (unsigned int r = 0; r < (i & 1 ? h : 1); r++)
			memset(want + dst + r * pitch, v, w);
	}
	/* as drivers clear: rows of a page */
	BATCH(&x, PVC_MEM_SET | PVC_FIELD_PREP(PVC_MEM_TYPE, PVC_MEM_TYPE_MATRIX), 4095, 99, 4095,
	      ADDR(USER_VA + 0x100000), 2);
	memset(want + 0x100000, 0, 100 * 4096);
	REQUIRE(run_copies(&x));
	CHECK(matches(&x, want));
	free(want);
	bench_fini(&b);
}

static void set_rows(struct ctx *x, uint64_t offset, uint32_t rows, uint8_t value)
{
	BATCH(x, PVC_MEM_SET | PVC_FIELD_PREP(PVC_MEM_TYPE, PVC_MEM_TYPE_MATRIX), 4095, rows - 1,
	      4095, ADDR(USER_VA + offset), PVC_FIELD_PREP(PVC_MEM_SET6_VALUE, value));
}

/* Zeros do not take memory of the host where nobody has written; other bytes do. */
TEST(blt_mem_set_holes)
{
	const uint64_t half = DATA_BYTES / 2;
	struct bench b;
	uint8_t *data;
	struct ctx x;
	int fd;

	bench_init(&b, 1);
	REQUIRE(b.c);
	ctx_init(&b, &x, bench_engine(&b, 0, PVC_CLASS_BCS, 8), 1);
	fd = b.c->hbm_fd;
	REQUIRE(!fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)x.data,
			   DATA_BYTES));
	data = card_dpa(b.c, x.data, DATA_BYTES);
	data[half + 5000] = 7;
	set_rows(&x, 0, DATA_BYTES / 4096, 0);
	REQUIRE(run_copies(&x));
	CHECK_EQ(data[half + 5000], 0);
	CHECK_EQ(lseek(fd, (off_t)x.data, SEEK_DATA), (off_t)(x.data + half));
	set_rows(&x, 8192, 1, 9);
	REQUIRE(run_copies(&x));
	CHECK_EQ(data[8192], 9);
	CHECK_EQ(data[8192 + 4095], 9);
	CHECK_EQ(lseek(fd, (off_t)x.data, SEEK_DATA), (off_t)(x.data + 8192));
	bench_fini(&b);
}

TEST(blt_xy_fast_copy)
{
	static const struct { unsigned int code, bytes; } depth[] = {
		{ PVC_XY_FAST_COPY_DEPTH_8, 1 }, { PVC_XY_FAST_COPY_DEPTH_16, 2 },
		{ PVC_XY_FAST_COPY_DEPTH_32, 4 }, { PVC_XY_FAST_COPY_DEPTH_64, 8 },
		{ PVC_XY_FAST_COPY_DEPTH_128, 16 },
	};
	struct bench b;
	struct ctx x;
	uint8_t *want;

	bench_init(&b, 1);
	REQUIRE(b.c);
	ctx_init(&b, &x, bench_engine(&b, 0, PVC_CLASS_BCS, 0), 1);
	randomize(&x);
	want = expected(&x);
	/* kernel form: 32 bpp rows of 4096 bytes, flavour bits set */
	BATCH(&x, PVC_XY_FAST_COPY_BLT, 0xc3001000, 0, 64 << 16 | 1024, ADDR(USER_VA + 0x100000), 0,
	      4096, ADDR(USER_VA));
	memcpy(want + 0x100000, want, 64 * 4096);
	for (unsigned int i = 0; i < 40; i++) {
		unsigned int n = depth[i % 5].bytes;
		uint32_t w = 1 + rnd(100), h = 1 + rnd(20), pitch = 2048, sp = 4096;
		uint32_t x1 = rnd(20), y1 = rnd(20), sx = rnd(20), sy = rnd(20);

		BATCH(&x, PVC_XY_FAST_COPY_BLT,
		      PVC_FIELD_PREP(PVC_XY_FAST_COPY1_DEPTH, depth[i % 5].code) | pitch,
		      y1 << 16 | x1, (y1 + h) << 16 | (x1 + w), ADDR(USER_VA + 0x140000),
		      sy << 16 | sx, sp, ADDR(USER_VA));
		for (unsigned int r = 0; r < h; r++)
			memcpy(want + 0x140000 + (y1 + r) * pitch + x1 * n,
			       want + (sy + r) * sp + sx * n, w * n);
	}
	/* empty */
	BATCH(&x, PVC_XY_FAST_COPY_BLT, 0x03001000, 5 << 16 | 5, 5 << 16 | 9, ADDR(USER_VA), 0,
	      4096,
	      ADDR(USER_VA));
	REQUIRE(run_copies(&x));
	CHECK(matches(&x, want));
	free(want);
	bench_fini(&b);
}

/*
 * The layout of a tiled surface, independent of the code under test: each bit of an offset
 * comes from x (bytes) or y.
 */
static unsigned int tiled_offset(unsigned int tiling, unsigned int pitch, unsigned int x,
				 unsigned int y)
{
	static const char tile_x[] = "xxxxxxxxxyyy", tile_4[] = "xxxxyyxxyxyy";
	const char *bits = tiling == 1 ? tile_x : tile_4;
	unsigned int w = tiling == 1 ? 512 : 128, h = 4096 / w;
	unsigned int off = y / h * h * pitch + x / w * 4096, nx = 0, ny = 0;

	for (unsigned int i = 0; i < 12; i++)
		off |= (bits[i] == 'x' ? x >> nx++ & 1 : y >> ny++ & 1) << i;
	return off;
}

TEST(blt_xy_fast_copy_tiled)
{
	const unsigned int pitch = 2048, w = 100, h = 70;
	struct bench b;
	struct ctx x;
	uint8_t *want;

	bench_init(&b, 1);
	REQUIRE(b.c);
	ctx_init(&b, &x, bench_engine(&b, 0, PVC_CLASS_BCS, 0), 1);
	randomize(&x);
	want = expected(&x);
	/* into X tiles and into Tile4, pitch in dwords; a corner inside a tile */
	for (unsigned int t = 1; t <= 2; t++) {
		BATCH(&x, PVC_XY_FAST_COPY_BLT | PVC_FIELD_PREP(PVC_XY_FAST_COPY0_DST_TILING, t),
		      0xc3000000 | pitch / 4, 5 << 16 | 3, (5 + h) << 16 | (3 + w),
		      ADDR(USER_VA + 0x60000 * t), 2 << 16 | 1, 4096, ADDR(USER_VA));
		for (unsigned int r = 0; r < h; r++)
			for (unsigned int i = 0; i < 4 * w; i++)
				want[0x60000 * t + tiled_offset(t, pitch, 12 + i, 5 + r)] =
					want[(2 + r) * 4096 + 4 + i];
	}
	/* there and back through 64 KiB tiles, at every depth */
	for (unsigned int i = 0; i < 5; i++) {
		static const unsigned int code[] = { 0, 1, 3, 4, 5 };
		unsigned int n = 1 << i;

		BATCH(&x, PVC_XY_FAST_COPY_BLT | PVC_FIELD_PREP(PVC_XY_FAST_COPY0_DST_TILING, 3),
		      code[i] << 24 | 1024 / 4, 0, 64 << 16 | 1024 / n, ADDR(USER_VA + 0xf0000), 0,
		      4096, ADDR(USER_VA));
		BATCH(&x, PVC_XY_FAST_COPY_BLT | PVC_FIELD_PREP(PVC_XY_FAST_COPY0_SRC_TILING, 3),
		      code[i] << 24 | 1024, 0, 64 << 16 | 1024 / n,
		      ADDR(USER_VA + 0x140000 + 0x10000 * i), 0, 1024 / 4,
		      ADDR(USER_VA + 0xf0000));
		for (unsigned int r = 0; r < 64; r++)
			memcpy(want + 0x140000 + 0x10000 * i + r * 1024, want + r * 4096, 1024);
	}
	REQUIRE(run_copies(&x));
	/* the layout of the Tile64 surface between both copies is not checked */
	memcpy(want + 0xf0000, (uint8_t *)hbm32(&b, x.data) + 0xf0000, 0x40000);
	CHECK(matches(&x, want));
	free(want);
	bench_fini(&b);
}

static void block_copy(struct ctx *x, bool shortened, unsigned int code, uint32_t dpitch,
		       uint32_t spitch, const uint32_t *at, uint64_t dst, uint64_t src)
{
	unsigned int len = shortened ? PVC_XY_BLOCK_COPY_BLT_SHORT_DWORDS :
				       PVC_XY_BLOCK_COPY_BLT_DWORDS;

	BATCH(x, (PVC_XY_BLOCK_COPY_BLT & ~0xffu) | (len - 2) |
	      PVC_FIELD_PREP(PVC_XY_BLOCK0_DEPTH, code), dpitch - 1, at[1] << 16 | at[0],
	      (at[1] + at[3]) << 16 | (at[0] + at[2]), ADDR(dst), 0, at[5] << 16 | at[4],
	      spitch - 1, ADDR(src), 0);
	for (unsigned int i = 12; i < len; i++)
		batch_dw(x, 0);
}

TEST(blt_xy_block_copy_and_fast_color)
{
	static const unsigned int bytes[] = { 1, 2, 4, 8, 12, 16 };
	struct bench b;
	struct ctx x;
	uint8_t *want;

	bench_init(&b, 1);
	REQUIRE(b.c);
	ctx_init(&b, &x, bench_engine(&b, 0, PVC_CLASS_BCS, 0), 1);
	randomize(&x);
	want = expected(&x);
	for (unsigned int i = 0; i < 36; i++) {
		unsigned int code = i % 6, n = bytes[code];
		uint32_t at[6] = { rnd(9), rnd(9), 1 + rnd(60), 1 + rnd(20), rnd(9), rnd(9) };

		block_copy(&x, i & 1, code, 2000, 1500, at, USER_VA + 0x100000, USER_VA + 0x333);
		for (unsigned int r = 0; r < at[3]; r++)
			memcpy(want + 0x100000 + (at[1] + r) * 2000 + at[0] * n,
			       want + 0x333 + (at[5] + r) * 1500 + at[4] * n, at[2] * n);
	}
	for (unsigned int i = 0; i < 36; i++) {
		unsigned int code = i % 6, n = bytes[code];
		uint32_t x1 = rnd(9), y1 = rnd(9), w = 1 + rnd(60), h = 1 + rnd(20);
		uint32_t color[4] = { rnd(~0u), rnd(~0u), rnd(~0u), rnd(~0u) };

		BATCH(&x, PVC_XY_FAST_COLOR_BLT | PVC_FIELD_PREP(PVC_XY_BLOCK0_DEPTH, code), 1999,
		      y1 << 16 | x1, (y1 + h) << 16 | (x1 + w), ADDR(USER_VA + 0x180000), 0,
		      color[0], color[1], color[2], color[3], 0, 0, 0, 0, 0);
		for (unsigned int r = 0; r < h; r++)
			for (unsigned int c = 0; c < w; c++)
				memcpy(want + 0x180000 + (y1 + r) * 2000 + (x1 + c) * n, color, n);
	}
	REQUIRE(run_copies(&x));
	CHECK(matches(&x, want));
	free(want);
	bench_fini(&b);
}

/* A pattern of twelve bytes continues across page ends, whose size it does not divide. */
TEST(blt_color_over_scattered_pages)
{
	struct bench b;
	struct ctx x;
	uint32_t color[4] = { 0x03020100, 0x07060504, 0x0b0a0908, 0xffffffff };
	uint64_t page[4];
	unsigned int bad = 0;

	bench_init(&b, 1);
	REQUIRE(b.c);
	ctx_init(&b, &x, bench_engine(&b, 0, PVC_CLASS_BCS, 0), 1);
	for (unsigned int i = 0; i < 4; i++) {
		page[i] = hbm_alloc(&b, 0, 8192, 4096);
		map_4k(&x, 0x7000000 + 4096 * i, page[i], true);
	}
	BATCH(&x, PVC_XY_FAST_COLOR_BLT |
	      PVC_FIELD_PREP(PVC_XY_BLOCK0_DEPTH, PVC_XY_BLOCK_DEPTH_96),
	      1200 - 1, 0, 13 << 16 | 100, ADDR(0x7000000ull), 0, color[0], color[1], color[2],
	      color[3], 0, 0, 0, 0, 0);
	REQUIRE(run_copies(&x));
	for (unsigned int i = 0; i < 13 * 1200; i++)
		bad += ((uint8_t *)hbm32(&b, page[i / 4096]))[i % 4096] != i % 12;
	CHECK_EQ(bad, 0);
	CHECK_EQ(*hbm32(&b, page[3] + 13 * 1200 - 3 * 4096), 0);
	bench_fini(&b);
}

/* Pages scattered over both tiles, guest memory and NULL leaves. */
TEST(blt_every_kind_of_page)
{
	enum { PAGES = 64 };
	struct bench b;
	struct ctx x;
	uint8_t *want, *got;
	uint64_t page[PAGES];
	unsigned int remote = 0, local = 0, sys = 0;

	bench_init(&b, 2);
	REQUIRE(b.c);
	ctx_init(&b, &x, bench_engine(&b, 0, PVC_CLASS_BCS, 2), 1);
	request_size(&x, 64);
	randomize(&x);
	want = calloc(PAGES, 4096);
	got = calloc(PAGES, 4096);
	for (unsigned int i = 0; i < PAGES; i++) {
		uint64_t va = 0x40000000 + 4096ull * i;

		page[i] = 0;
		switch (i % 4) {
		case 0:
			page[i] = hbm_alloc(&b, 0, 4096, 4096);
			map_4k(&x, va, page[i], true);
			local++;
			break;
		case 1:
			page[i] = hbm_alloc(&b, 1, 4096, 4096);
			map_4k(&x, va, page[i], true);
			remote++;
			break;
		case 2:
			page[i] = 4096ull * (i + 1);
			ppgtt_map(&b, 0, x.root, va, page[i] | PVC_PTE_PRESENT | PVC_PTE_WRITE, 0);
			sys++;
			break;
		case 3:
			ppgtt_map(&b, 0, x.root, va,
				  PVC_PTE_PRESENT | PVC_PTE_WRITE | PVC_PTE_NULL, 0);
			break;
		}
	}
	/* there, with an odd start, and back */
	mem_copy(&x, 0, PAGES * 4096 - 7, 1, 1, 1, USER_VA + 3, 0x40000000 + 7);
	mem_copy(&x, 0, PAGES * 4096, 1, 1, 1, 0x40000000, USER_VA + 0x100000);
	REQUIRE(run_copies(&x));
	memcpy(want + 7, (uint8_t *)hbm32(&b, x.data) + 3, PAGES * 4096 - 7);
	for (unsigned int i = 3; i < PAGES; i += 4)
		memset(want + 4096 * i, 0, 4096);
	memcpy(got, hbm32(&b, x.data + 0x100000), PAGES * 4096);
	CHECK(!memcmp(want, got, PAGES * 4096));
	for (unsigned int i = 0; i < PAGES; i++) {
		void *p;

		card_mem_lock(b.c);
		p = i % 4 == 2 ? card_dma_map(b.c, page[i], 4096, false) :
		    i % 4 == 3 ? NULL : card_dpa(b.c, page[i], 4096);
		CHECK(i % 4 == 3 || (p && !memcmp(p, want + 4096 * i, 4096)));
		card_mem_unlock(b.c);
	}
	CHECK_EQ(counter_get(&x.e->cnt.write_remote), remote * 4096);
	CHECK_EQ(counter_get(&x.e->cnt.write_system), sys * 4096);
	CHECK_EQ(counter_get(&x.e->cnt.read_remote), remote * 4096);
	CHECK_EQ(counter_get(&x.e->cnt.read_system), sys * 4096);
	CHECK_EQ(counter_get(&x.e->cnt.write_local), PAGES * 4096 + local * 4096 - 7);
	free(want);
	free(got);
	bench_fini(&b);
}

TEST(blt_tiled_surfaces_and_faults_stop)
{
	struct bench b;
	struct engine *e;

	bench_init(&b, 1);
	REQUIRE(b.c);
	e = bench_engine(&b, 0, PVC_CLASS_BCS, 0);
	for (unsigned int i = 0; i < 5; i++) {
		struct ctx x;
		bool fault = false;

		ctx_init(&b, &x, e, 1);
		switch (i) {
		case 0:
			/* 96 bits have no tiled layout */
			BATCH(&x, (PVC_XY_BLOCK_COPY_BLT & ~0xffu) | 0xa |
			      PVC_FIELD_PREP(PVC_XY_BLOCK0_DEPTH, 4), 1u << 31 | 1023, 0,
			      1 << 16 | 1, ADDR(USER_VA), 0, 0, 1023, ADDR(USER_VA), 0);
			break;
		case 1:
			BATCH(&x, PVC_XY_FAST_COLOR_BLT, 1u << 30, 0, 1 << 16 | 1, ADDR(USER_VA),
			      0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
			break;
		case 2:
			BATCH(&x, PVC_MEM_SET | PVC_FIELD_PREP(PVC_MEM_TYPE, 2), 0, 0, 0,
			      ADDR(USER_VA), 0);
			break;
		case 3:	/* runs off the mapping */
			mem_copy(&x, 0, 4096, 1, 1, 1, USER_VA, USER_VA + DATA_BYTES - 100);
			fault = true;
			break;
		case 4:
			mem_copy(&x, 0, 4096, 1, 1, 1, USER_VA + DATA_BYTES - 100, USER_VA);
			fault = true;
			break;
		}
		batch_dw(&x, PVC_MI_BATCH_BUFFER_END);
		ring_batch(&x, 0);
		submit(&x);
		if (fault) {
			CHECK(WAIT_FOR(mmio_read(x.t, PVC_RING_RESET_CTL(e->base)) &
				       PVC_RESET_CTL_CAT_ERROR));
			CHECK_EQ(!!(mmio_read(x.t, PVC_RING_FAULT) & PVC_RING_FAULT_WRITE), i == 3);
			mmio_write(x.t, PVC_RING_FAULT, 0);
			mmio_write(x.t, PVC_RING_RESET_CTL(e->base), 0x00040004);
		} else {
			CHECK(WAIT_FOR(mmio_read(x.t, PVC_RING_EIR(e->base)) &
				       PVC_ERROR_INSTRUCTION));
		}
		reset_engine(&b, e);
	}
	bench_fini(&b);
}
