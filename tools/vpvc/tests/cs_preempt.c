// SPDX-License-Identifier: MIT
/* Preemption: when a context leaves the engine, and where it continues. */
#include "card.h"
#include "core/clock.h"
#include "tests/cs_test.h"

/*
 * x polls in its batch with a register of its own set; y takes the engine,
 * releases x's word; x is submitted again and continues inside the batch.
 */
TEST(cs_preempted_in_a_semaphore_and_resumed)
{
	struct bench b;
	struct ctx x, y;
	struct engine *e;

	bench_init(&b, 1);
	REQUIRE(b.c);
	e = bench_engine(&b, 0, PVC_CLASS_CCS, 1);
	ctx_init(&b, &x, e, 1);
	ctx_init(&b, &y, e, 2);
	BATCH(&x, PVC_MI_LOAD_REGISTER_IMM(2) | PVC_MI_LRI_ADD_CS,
	      PVC_CS_USER_GPR(3), 0x5555, PVC_CS_WPARID, 1);
	batch_wait(&x, 0, 1);
	BATCH(&x, PVC_MI_STORE_REGISTER_MEM | PVC_MI_SRM_ADD_CS, PVC_CS_USER_GPR(3), ADDR(VA(1)));
	BATCH(&x, PVC_MI_STORE_REGISTER_MEM | PVC_MI_SRM_ADD_CS, PVC_CS_WPARID, ADDR(VA(2)));
	batch_end(&x);
	ring_batch(&x, 0);
	RING(&x, PVC_MI_STORE_DATA_IMM, ADDR(VA(3)), 0xaaaa);
	submit(&x);
	CHECK(WAIT_FOR(counter_get(&e->cnt.batches) == 1));

	RING(&y, PVC_MI_STORE_DATA_IMM, ADDR(VA(0)), 0xbeef);
	RING(&y, PVC_MI_LOAD_REGISTER_IMM(1) | PVC_MI_LRI_ADD_CS, PVC_CS_USER_GPR(3), 0x6666);
	submit(&y);
	CHECK(wait_idle(e));
	CHECK_EQ(data32(&y, 0), 0xbeef);
	CHECK_EQ(data32(&x, 3), 0);
	CHECK_EQ(counter_get(&e->cnt.preemptions), 1);
	CHECK_EQ(csb(&b, e, 1), csb_entry(e, 2, 1, PVC_CSB_DETAIL_PREEMPTED, true));
	CHECK_EQ(csb(&b, e, 2), csb_entry(e, IDLE, 2, 0, false));
	CHECK(image(&x)[PVC_LRC_BBADDR + 1] & PVC_BBADDR_VALID);

	set_data(&x, 0, 1);
	submit(&x);
	CHECK(wait_idle(e));
	CHECK_EQ(data32(&x, 1), 0x5555);
	CHECK_EQ(data32(&x, 2), 1);
	CHECK_EQ(data32(&x, 3), 0xaaaa);
	CHECK_EQ(image(&x)[PVC_LRC_RING_HEAD + 1], x.tail);
	bench_fini(&b);
}

TEST(cs_spinning_batch_yields_at_arb_check)
{
	struct bench b;
	struct ctx x, y;
	struct engine *e;

	bench_init(&b, 1);
	REQUIRE(b.c);
	e = bench_engine(&b, 0, PVC_CLASS_BCS, 0);
	ctx_init(&b, &x, e, 1);
	ctx_init(&b, &y, e, 2);
	/* loop while word 0 > 0: IGT's spinner */
	set_data(&x, 0, ~0u);
	BATCH(&x, PVC_MI_ARB_CHECK,
	      PVC_MI_CONDITIONAL_BATCH_BUFFER_END | PVC_MI_COND_BBE_COMPARE_SEMAPHORE |
	      PVC_FIELD_PREP(PVC_MI_COND_BBE_COMPARE, PVC_MI_COMPARE_GT), 0, ADDR(VA(0)),
	      PVC_MI_BATCH_BUFFER_START, ADDR(BATCH_VA));
	ring_batch(&x, 0);
	submit(&x);
	CHECK(WAIT_FOR(counter_get(&e->cnt.batches) > 3));
	RING(&y, PVC_MI_STORE_DATA_IMM, ADDR(VA(0)), 9);
	submit(&y);
	CHECK(wait_idle(e));
	CHECK_EQ(data32(&y, 0), 9);
	CHECK_EQ(counter_get(&e->cnt.preemptions), 1);
	set_data(&x, 0, 0);
	submit(&x);
	CHECK(wait_idle(e));
	CHECK_EQ(image(&x)[PVC_LRC_RING_HEAD + 1], x.tail);
	bench_fini(&b);
}

/* A loop of jumps without an arbitration point keeps its engine until a reset. */
TEST(cs_spin_without_an_arbitration_point)
{
	struct bench b;
	struct ctx x, y;
	struct engine *e;

	bench_init(&b, 1);
	REQUIRE(b.c);
	e = bench_engine(&b, 0, PVC_CLASS_BCS, 0);
	ctx_init(&b, &x, e, 1);
	ctx_init(&b, &y, e, 2);
	BATCH(&x, PVC_MI_NOOP, PVC_MI_BATCH_BUFFER_START, ADDR(BATCH_VA));
	ring_batch(&x, 0);
	submit(&x);
	CHECK(WAIT_FOR(counter_get(&e->cnt.batches) > 3));
	RING(&y, PVC_MI_STORE_DATA_IMM, ADDR(VA(0)), 9);
	submit(&y);
	CHECK(WAIT_FOR(counter_get(&e->cnt.batches) > 500));
	CHECK_EQ(data32(&y, 0), 0);
	CHECK_EQ(counter_get(&e->cnt.preemptions), 0);
	reset_engine(&b, e);
	bench_fini(&b);
}

/* Jumps 1,024 to 2,047 sleep 100 us each, later ones 200 us. */
TEST(cs_a_long_spin_slows_down)
{
	uint64_t then, ticks;
	struct bench b;
	struct ctx x;

	bench_init(&b, 1);
	REQUIRE(b.c);
	ctx_init(&b, &x, bench_engine(&b, 0, PVC_CLASS_BCS, 0), 1);
	set_data(&x, 0, ~0u);
	BATCH(&x, PVC_MI_CONDITIONAL_BATCH_BUFFER_END | PVC_MI_COND_BBE_COMPARE_SEMAPHORE |
	      PVC_FIELD_PREP(PVC_MI_COND_BBE_COMPARE, PVC_MI_COMPARE_GT), 0, ADDR(VA(0)),
	      PVC_MI_BATCH_BUFFER_START, ADDR(BATCH_VA));
	ring_batch(&x, 0);
	then = card_timestamp();
	submit(&x);
	CHECK(WAIT_FOR(counter_get(&x.e->cnt.batches) > 3072));
	ticks = card_timestamp() - then;
	CHECK(ticks >= CARD_TIMESTAMP_HZ / 1000 * 350);
	set_data(&x, 0, 0);
	CHECK(wait_idle(x.e));
	bench_fini(&b);
}

TEST(cs_arbitration_off_is_not_preempted)
{
	struct bench b;
	struct ctx x, y;
	struct engine *e;

	bench_init(&b, 1);
	REQUIRE(b.c);
	e = bench_engine(&b, 0, PVC_CLASS_BCS, 0);
	ctx_init(&b, &x, e, 1);
	ctx_init(&b, &y, e, 2);
	batch_wait(&x, 0, 1);
	batch_end(&x);
	RING(&x, PVC_MI_ARB_ON_OFF, PVC_MI_BATCH_BUFFER_START | PVC_MI_BATCH_BUFFER_START_PPGTT,
	     ADDR(BATCH_VA), PVC_MI_ARB_ON_OFF | PVC_MI_ARB_ENABLE);
	submit(&x);
	CHECK(WAIT_FOR(counter_get(&e->cnt.batches) == 1));
	RING(&y, PVC_MI_STORE_DATA_IMM, ADDR(VA(0)), 9);
	submit(&y);
	usleep(30000);
	CHECK_EQ(data32(&y, 0), 0);
	set_data(&x, 0, 1);
	CHECK(wait_idle(e));
	CHECK_EQ(data32(&y, 0), 9);
	/* x was done: complete, replaced by the new queue */
	CHECK_EQ(csb(&b, e, 1), csb_entry(e, 2, 1, csb(&b, e, 1) & 0xf, true));
	CHECK_EQ(image(&x)[PVC_LRC_RING_HEAD + 1], x.tail);
	bench_fini(&b);
}

/*
 * A user's batch that switches arbitration off and waits: only a reset ends it.  If a batch
 * leaves arbitration off, it stays off in the ring, also when the context comes back.
 */
TEST(cs_arbitration_off_by_a_batch)
{
	struct engine *e;
	struct ctx x, y;
	struct bench b;

	bench_init(&b, 1);
	REQUIRE(b.c);
	e = bench_engine(&b, 0, PVC_CLASS_BCS, 0);
	ctx_init(&b, &x, e, 1);
	ctx_init(&b, &y, e, 2);
	BATCH(&x, PVC_MI_ARB_ON_OFF);
	batch_end(&x);
	ring_batch(&x, 0);
	submit(&x);
	REQUIRE(wait_idle(e));
	x.batch_at = 0;
	batch_wait(&x, 0, 1);
	batch_end(&x);
	RING(&x, PVC_MI_BATCH_BUFFER_START | PVC_MI_BATCH_BUFFER_START_PPGTT, ADDR(BATCH_VA));
	submit(&x);
	CHECK(WAIT_FOR(counter_get(&e->cnt.batches) == 2));
	RING(&y, PVC_MI_STORE_DATA_IMM, ADDR(VA(0)), 9);
	submit(&y);
	usleep(30000);
	CHECK_EQ(data32(&y, 0), 0);
	CHECK_EQ(counter_get(&e->cnt.preemptions), 0);
	reset_engine(&b, e);
	/* arbitration is on in the other context */
	batch_wait(&y, 1, 1);
	batch_end(&y);
	image_init(&y);
	y.tail = 0;
	RING(&y, PVC_MI_BATCH_BUFFER_START | PVC_MI_BATCH_BUFFER_START_PPGTT, ADDR(BATCH_VA));
	submit(&y);
	CHECK(WAIT_FOR(counter_get(&e->cnt.batches) == 3));
	submit2(e, 0, 0);
	CHECK(wait_idle(e));
	CHECK_EQ(counter_get(&e->cnt.preemptions), 1);
	bench_fini(&b);
}

/* A preempted context whose HEAD the driver moves starts at the ring. */
TEST(cs_moved_head_drops_the_batch)
{
	struct bench b;
	struct ctx x;
	struct engine *e;

	bench_init(&b, 1);
	REQUIRE(b.c);
	e = bench_engine(&b, 0, PVC_CLASS_CCS, 0);
	ctx_init(&b, &x, e, 1);
	batch_wait(&x, 0, 1);
	batch_store(&x, 1, 0xbad);
	batch_end(&x);
	ring_batch(&x, 0);
	RING(&x, PVC_MI_NOOP, PVC_MI_NOOP);
	submit(&x);
	CHECK(WAIT_FOR(counter_get(&e->cnt.batches) == 1));
	submit2(e, 0, 0);	/* preempt to idle */
	CHECK(wait_idle(e));
	CHECK_EQ(csb(&b, e, 1), csb_entry(e, IDLE, 1, PVC_CSB_DETAIL_PREEMPTED, true));
	set_data(&x, 0, 1);
	image(&x)[PVC_LRC_RING_HEAD + 1] = x.tail;
	RING(&x, PVC_MI_STORE_DATA_IMM, ADDR(VA(2)), 3);
	submit(&x);
	CHECK(wait_idle(e));
	CHECK_EQ(data32(&x, 1), 0);
	CHECK_EQ(data32(&x, 2), 3);
	bench_fini(&b);
}
