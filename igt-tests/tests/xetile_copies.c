// SPDX-License-Identifier: MIT
/*
 * What the copy engines' errata ask of the driver. The virtual card punishes a driver that does
 * not honour them: see "Errata of the copy engines" in Documentation/specs/vpvc.rst.
 *
 * suite: igt
 */
#include <sys/mman.h>
#include <unistd.h>

#include "xetile_igt.h"

IGT_TEST_DESCRIPTION("The copy engines' errata");

#define SIZE		(3 * SZ_64K)
#define AT(i)		(DATA_ADDR + (i) * (uint64_t)SZ_2M)
#define MEM_SET_MATRIX	(2u << 29 | 0x5bu << 22 | 1u << 17 | 5)
#define FLUSH_DW_IMM	(0x26u << 23 | 1u << 14 | 3)
#define BLIT_CCTL	0x204
#define MOCS_UC		1u
#define MAX_JOBS	9

/* A buffer in HBM or in system memory */
struct area {
	uint32_t bo;
	uint32_t *map;
};

static void area_init(struct area *a, const struct ctx *c, uint64_t addr, uint32_t placement)
{
	a->bo = xetile_bo(c->fd, SIZE, placement);
	a->map = xetile_bo_map(c->fd, a->bo, SIZE);
	xetile_vm_map(c->fd, c->vm, a->bo, 0, addr, SIZE);
}

static void area_fini(struct area *a, const struct ctx *c)
{
	munmap(a->map, SIZE);
	xetile_bo_close(c->fd, a->bo);
}

static void fill(struct area *a, uint32_t seed)
{
	for (uint32_t i = 0; i < SIZE / 4; i++)
		a->map[i] = (seed + i) * 2654435761u;
}

static void check(const struct area *a, uint32_t seed)
{
	for (uint32_t i = 0; i < SIZE / 4; i++)
		igt_assert_eq_u32(a->map[i], (seed + i) * 2654435761u);
}

/* The blit that makes the ends of the copies in front of it land, at the driver's addresses */
static void batch_dummy_blit(struct xetile_batch *b)
{
	batch_emit(b, MEM_SET_MATRIX);
	batch_emit(b, 4096 - 1);
	batch_emit(b, 36 - 1);
	batch_emit(b, 0);
	batch_emit(b, (uint32_t)DRM_XETILE_VA_NOWHERE);
	batch_emit(b, DRM_XETILE_VA_NOWHERE >> 32);
	batch_emit(b, MOCS_UC << 1);
}

static void batch_flush(struct xetile_batch *b, uint64_t addr, uint32_t value)
{
	batch_emit(b, FLUSH_DW_IMM);
	batch_emit(b, addr);
	batch_emit(b, addr >> 32);
	batch_emit(b, value);
	batch_emit(b, 0);
}

/* Wa_16018031267: a job is done when all bytes are in memory; nothing comes behind it. */
static void test_end(const struct xetile_card *card, uint32_t from, uint32_t to)
{
	struct area src, dst;
	struct xetile_batch b;
	struct ctx c;
	uint32_t q;

	ctx_init(&c, card->fd);
	area_init(&src, &c, AT(0), from);
	area_init(&dst, &c, AT(1), to);
	q = xetile_copy_queue(c.fd, c.vm);
	for (uint32_t i = 1; i <= 3; i++) {
		fill(&src, i << 20);
		batch_begin(&b, &c.batch, i * SZ_4K);
		batch_mem_copy(&b, AT(1), AT(0), SIZE);
		batch_end(&b);
		xetile_run(c.fd, q, batch_addr(&b));
		check(&dst, i << 20);
	}
	xetile_queue_destroy(c.fd, q);
	area_fini(&src, &c);
	area_fini(&dst, &c);
	ctx_fini(&c);
}

/*
 * Wa_16017236439, on all copy engines of the users at once: each of them copies to system memory
 * and back, and is held then. Nobody waits for the job's end: the batch has a blit and a flush of
 * its own, so this tests also that the sub-blitters take turns.
 */
static void test_engines(const struct xetile_card *card)
{
	uint32_t jobs = card->tiles[0].num_copy_engines, q[MAX_JOBS], done[MAX_JOBS];
	struct area hbm[MAX_JOBS], sys[MAX_JOBS], back[MAX_JOBS];
	struct xetile_batch b;
	struct ctx c;

	/* One engine is the driver's, unless it is the only one. */
	jobs -= jobs > 1;
	igt_assert_lte(jobs, MAX_JOBS);
	ctx_init(&c, card->fd);
	for (uint32_t i = 0; i < jobs; i++) {
		struct drm_xetile_sync sync = { .flags = DRM_XETILE_SYNC_SIGNAL };

		area_init(&hbm[i], &c, AT(3 * i), DRM_XETILE_PLACE_HBM);
		area_init(&sys[i], &c, AT(3 * i + 1), DRM_XETILE_PLACE_SYSTEM);
		area_init(&back[i], &c, AT(3 * i + 2), DRM_XETILE_PLACE_HBM);
		fill(&hbm[i], i << 20);
		done[i] = xetile_syncobj(c.fd);
		q[i] = xetile_copy_queue(c.fd, c.vm);
		batch_begin(&b, &c.batch, i * SZ_4K);
		batch_mem_copy(&b, AT(3 * i + 1), AT(3 * i), SIZE);
		batch_mem_copy(&b, AT(3 * i + 2), AT(3 * i + 1), SIZE);
		batch_dummy_blit(&b);
		batch_flush(&b, GATE_ADDR + 64 * i, i + 1);
		batch_wait(&b, GATE_ADDR + SZ_4K, 1);
		batch_end(&b);
		sync.handle = done[i];
		igt_assert_eq(__xetile_exec(c.fd, q[i], batch_addr(&b), &sync, 1), 0);
	}
	for (uint32_t i = 0; i < jobs; i++) {
		xetile_assert_soon(*(volatile uint32_t *)&c.gate.map[16 * i] == i + 1);
		igt_assert(!xetile_is_done(c.fd, done[i]));
		check(&sys[i], i << 20);
		check(&back[i], i << 20);
	}
	*(volatile uint32_t *)&c.gate.map[SZ_4K / 4] = 1;
	for (uint32_t i = 0; i < jobs; i++) {
		xetile_wait_done(c.fd, done[i]);
		xetile_syncobj_destroy(c.fd, done[i]);
		xetile_queue_destroy(c.fd, q[i]);
		area_fini(&hbm[i], &c);
		area_fini(&sys[i], &c);
		area_fini(&back[i], &c);
	}
	ctx_fini(&c);
}

/* Entry 0 of the table of caching policies is for errors. */
static void test_caching(const struct xetile_card *card)
{
	struct xetile_batch b;
	struct ctx c;
	uint32_t q;

	ctx_init(&c, card->fd);
	for (uint32_t i = 0; i < card->tiles[0].num_copy_engines; i++) {
		c.gate.map[i] = ~0u;
		q = xetile_copy_queue(c.fd, c.vm);
		batch_begin(&b, &c.batch, 64 * i);
		batch_store_reg(&b, BLIT_CCTL, GATE_ADDR + 4 * i);
		batch_end(&b);
		xetile_run(c.fd, q, batch_addr(&b));
		igt_assert_eq_u32(c.gate.map[i] & 0x7e7e, MOCS_UC << 9 | MOCS_UC << 1);
		xetile_queue_destroy(c.fd, q);
	}
	ctx_fini(&c);
}

igt_main
{
	struct xetile_card card = { .fd = -1 };

	igt_fixture
		xetile_open_card(&card);

	igt_describe("All bytes of a copy must be in memory when its job is done");
	igt_subtest("end-hbm")
		test_end(&card, DRM_XETILE_PLACE_HBM, DRM_XETILE_PLACE_HBM);
	igt_subtest("end-system")
		test_end(&card, DRM_XETILE_PLACE_HBM, DRM_XETILE_PLACE_SYSTEM);
	igt_describe("Every copy engine must copy to system memory and back, and a batch's own "
		     "blit to nowhere must make its flush complete");
	igt_subtest("engines")
		test_engines(&card);
	igt_describe("Copies without a caching policy of their own must not have that for errors");
	igt_subtest("caching")
		test_caching(&card);

	igt_fixture
		close(card.fd);
}
