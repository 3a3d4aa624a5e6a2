// SPDX-License-Identifier: MIT
/* The errata of the copy engines: bytes that land late, and requests without credits. */
#include "bus/dma.h"
#include "card.h"
#include "core/regs.h"
#include "core/strict.h"
#include "mem/memory.h"
#include "tests/cs_test.h"

#define BYTES		0x3000u		/* of a copy */
#define LATE		0x1000u		/* of them that land late */
#define SRC		0x10000u	/* places in the data, and the byte that is there */
#define DST		0x20000u
#define OTHER		0x30000u
#define MARK		0x55
#define SYSTEM_VA	0x7000000ull
#define SYSTEM_PAGE	0x8000ull	/* guest memory */

static uint8_t *data8(struct ctx *x, uint64_t at)
{
	return (uint8_t *)hbm32(x->b, x->data) + at;
}

static void copy(struct ctx *x, uint64_t dst, uint64_t src, uint32_t bytes)
{
	BATCH(x, PVC_MEM_COPY, bytes - 1, 0, 0, 0, ADDR(src), ADDR(dst), 0);
}

/* A flush that tells in word 0 of the data that all is done */
static void flush(struct ctx *x, uint32_t value)
{
	BATCH(x, PVC_MI_FLUSH_DW_QW | PVC_FIELD_PREP(PVC_MI_FLUSH_DW_POST_SYNC, PVC_POST_SYNC_IMM),
	      ADDR(USER_VA), value, 0);
}

static void begin(struct bench *b, struct ctx *x, unsigned int instance)
{
	ctx_init(b, x, bench_engine(b, 0, PVC_CLASS_BCS, instance), 1 + instance);
	memset(data8(x, SRC), MARK, BYTES);
}

static bool start(struct bench *b, struct ctx *x, unsigned int instance)
{
	bench_init(b, 1);
	if (!b->c)
		return false;
	begin(b, x, instance);
	return true;
}

static bool all(struct ctx *x, uint64_t at, uint64_t bytes, uint8_t value)
{
	for (uint64_t i = 0; i < bytes; i++)
		if (data8(x, at)[i] != value)
			return false;
	return true;
}

/* Wa_16018031267: the flush is done, the copy's end is not in memory. */
TEST(blt_end_lands_after_the_flush)
{
	struct bench b;
	struct ctx x;

	REQUIRE(start(&b, &x, 3));
	copy(&x, USER_VA + DST, USER_VA + SRC, BYTES);
	flush(&x, 1);
	REQUIRE(run_batch(&x));
	CHECK_EQ(data32(&x, 0), 1);
	CHECK(all(&x, DST, BYTES - LATE, MARK));
	CHECK(all(&x, DST + BYTES - LATE, LATE, 0));
	/* A small blit reaches one sub-blitter, and not that which has the end. */
	BATCH(&x, PVC_MEM_SET, 0, 0, 0, ADDR(USER_VA + 8), 0);
	flush(&x, 2);
	REQUIRE(run_batch(&x));
	CHECK(all(&x, DST + BYTES - LATE, LATE, 0));
	dummy_blit(&x);
	flush(&x, 3);
	REQUIRE(run_batch(&x));
	CHECK(all(&x, DST, BYTES, MARK));
	bench_fini(&b);
}

/* The same for a fill, which is no dummy blit for itself */
TEST(blt_end_of_a_fill_lands_after_the_flush)
{
	const uint32_t rows = 64;
	struct bench b;
	struct ctx x;

	REQUIRE(start(&b, &x, 8));
	BATCH(&x, PVC_MEM_SET | PVC_FIELD_PREP(PVC_MEM_TYPE, PVC_MEM_TYPE_MATRIX), 4095, rows - 1,
	      4095, ADDR(USER_VA + DST), PVC_FIELD_PREP(PVC_MEM_SET6_VALUE, MARK));
	flush(&x, 1);
	REQUIRE(run_batch(&x));
	CHECK(all(&x, DST, rows * 4096 - LATE, MARK));
	CHECK(all(&x, DST + rows * 4096 - LATE, LATE, 0));
	REQUIRE(run_copies(&x));
	CHECK(all(&x, DST, rows * 4096, MARK));
	bench_fini(&b);
}

/* Wa_16010961369: a dummy blit reaches all sub-blitters if they take turns. */
TEST(blt_dummy_needs_round_robin)
{
	struct bench b;
	struct ctx x;

	REQUIRE(start(&b, &x, 1));
	mmio_write(x.t, PVC_RING_ECOSKPD(x.e->base), PVC_ECOSKPD_SCHEDULING_MASK << 16);
	copy(&x, USER_VA + DST, USER_VA + SRC, BYTES);
	REQUIRE(run_copies(&x));
	CHECK(all(&x, DST + BYTES - LATE, LATE, 0));
	program_blitter(x.e);
	REQUIRE(run_copies(&x));
	CHECK(all(&x, DST, BYTES, MARK));
	bench_fini(&b);
}

TEST(blt_dependent_copies_are_in_order)
{
	struct bench b;
	struct ctx x;

	REQUIRE(start(&b, &x, 2));
	copy(&x, USER_VA + DST, USER_VA + SRC, BYTES);
	copy(&x, USER_VA + OTHER, USER_VA + DST, BYTES);
	/* over the end of the first one */
	BATCH(&x, PVC_MEM_SET, BYTES - 1, 0, 0, ADDR(USER_VA + DST), 0);
	REQUIRE(run_copies(&x));
	CHECK(all(&x, OTHER, BYTES, MARK));
	CHECK(all(&x, DST, BYTES, 0));
	bench_fini(&b);
}

TEST(blt_reset_loses_what_is_late)
{
	struct ctx x, next;
	struct bench b;

	REQUIRE(start(&b, &x, 4));
	copy(&x, USER_VA + DST, USER_VA + SRC, BYTES);
	REQUIRE(run_batch(&x));
	reset_engine(&b, x.e);
	/* the dummy blit of another context would make them land */
	begin(&b, &next, 4);
	REQUIRE(run_copies(&next));
	CHECK(all(&x, DST, BYTES - LATE, MARK));
	CHECK(all(&x, DST + BYTES - LATE, LATE, 0));
	bench_fini(&b);
}

TEST(blt_lenient_card_copies_at_once)
{
	struct bench b;
	struct ctx x;

	REQUIRE(start(&b, &x, 0));
	b.c->opt.lenient |= STRICT_BCS_LATE;
	copy(&x, USER_VA + DST, USER_VA + SRC, BYTES);
	REQUIRE(run_batch(&x));
	CHECK(all(&x, DST, BYTES, MARK));
	bench_fini(&b);
}

/* ---- credits ---- */

/* Have the engine request @size bytes, and copy @bytes to guest memory; word 1 tells of the end. */
static void copy_out(struct bench *b, struct ctx *x, unsigned int instance, unsigned int size,
		     unsigned int bytes)
{
	begin(b, x, instance);
	ppgtt_map(b, 0, x->root, SYSTEM_VA, SYSTEM_PAGE | PVC_PTE_PRESENT | PVC_PTE_WRITE, 0);
	request_size(x, size);
	copy(x, USER_VA + OTHER, USER_VA + SRC, BYTES);
	copy(x, SYSTEM_VA, USER_VA + SRC, bytes);
	batch_store(x, 1, 1);
}

static uint8_t *guest(struct bench *b)
{
	return card_dma_map(b->c, SYSTEM_PAGE, 4096, false);
}

/* Wa_16017236439 */
TEST(blt_requests_without_credits_hang)
{
	static const struct { unsigned int instance, size, bytes; bool hangs; } cases[] = {
		{ 0, 256, 4096, true }, { 0, 64, 4096, false }, { 8, 256, 256, true },
		{ 8, 256, 255, false }, { 7, 256, 4096, false }, { 7, 64, 4096, true },
		{ 2, 256, 64, false }, { 2, 64, 4096, false },
	};
	struct bench b;

	bench_init(&b, 1);
	REQUIRE(b.c);
	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ctx x;

		memset(guest(&b), 0, 4096);
		copy_out(&b, &x, cases[i].instance, cases[i].size, cases[i].bytes);
		if (!cases[i].hangs) {
			CHECK(run_copies(&x));
			CHECK_EQ(data32(&x, 1), 1);
			CHECK_EQ(guest(&b)[cases[i].bytes - 1], MARK);
			continue;
		}
		batch_end(&x);
		ring_batch(&x, 0);
		submit(&x);
		/* The copy within HBM is done, and the next one is in the engine. */
		CHECK(WAIT_FOR(*data8(&x, OTHER) == MARK));
		CHECK(WAIT_FOR(mmio_read(x.t, PVC_RING_ACTHD(x.e->base)) ==
			       PVC_LOWER_32(BATCH_VA) + 4 * PVC_MEM_COPY_DWORDS));
		usleep(20000);
		CHECK(busy(x.e));
		CHECK_EQ(data32(&x, 1), 0);
		CHECK_EQ(guest(&b)[0], 0);
		reset_engine(&b, x.e);
	}
	bench_fini(&b);
}

TEST(blt_lenient_card_has_credits)
{
	struct bench b;
	struct ctx x;

	bench_init(&b, 1);
	REQUIRE(b.c);
	b.c->opt.lenient |= STRICT_BCS_CREDITS;
	copy_out(&b, &x, 0, 256, 4096);
	CHECK(run_copies(&x));
	CHECK_EQ(data32(&x, 1), 1);
	CHECK_EQ(guest(&b)[4095], MARK);
	bench_fini(&b);
}
