// SPDX-License-Identifier: MIT
/* Ports, events, contexts, resets. */
#include <time.h>

#include "card.h"
#include "core/clock.h"
#include "core/regs.h"
#include "cs/execlist.h"
#include "tests/cs_test.h"

/* SDI of @val to data word @i in the context's batch. */
static void batch_store(struct ctx *x, unsigned int i, uint32_t val)
{
	BATCH(x, XT_MI_STORE_DATA_IMM, ADDR(VA(i)), val);
}

/* Poll data word @i for @val. */
static void batch_wait(struct ctx *x, unsigned int i, uint32_t val)
{
	BATCH(x, XT_MI_SEMAPHORE_WAIT | XT_MI_SEMAPHORE_POLL |
	      XT_FIELD_PREP(XT_MI_SEMAPHORE_COMPARE, XT_MI_COMPARE_EQ), val, ADDR(VA(i)), 0);
}

static void batch_end(struct ctx *x)
{
	batch_dw(x, XT_MI_BATCH_BUFFER_END);
}

static void set_data(struct ctx *x, unsigned int i, uint32_t val)
{
	__atomic_store_n(hbm32(x->b, x->data + 4ull * i), val, __ATOMIC_SEQ_CST);
}

TEST(cs_submit_store_event_interrupt)
{
	static const struct { unsigned int class; unsigned int instance; } engines[] = {
		{ XT_CLASS_CCS, 0 }, { XT_CLASS_CCS, 3 }, { XT_CLASS_BCS, 0 }, { XT_CLASS_BCS, 1 },
		{ XT_CLASS_BCS, 8 },
	};
	struct bench b;

	bench_init(&b, 2);
	REQUIRE(b.c);
	for (unsigned int t = 0; t < 2; t++) {
		for (unsigned int n = 0; n < 5; n++) {
			struct engine *e = bench_engine(&b, t, engines[n].class,
							engines[n].instance);
			struct ctx x;

			ctx_init(&b, &x, e, 5 + n);
			batch_store(&x, 0, 0xc0ffee);
			CHECK(run_batch(&x));
			CHECK_EQ(data32(&x, 0), 0xc0ffee);
			CHECK_EQ(image(&x)[XT_LRC_RING_HEAD + 1], x.tail);
			CHECK_EQ(image(&x)[XT_LRC_CONTEXT_CONTROL + 1], 0x00090008);
			CHECK_EQ(csb_ptr(&b, e), 1);
			CHECK_EQ(csb(&b, e, 0), csb_entry(e, 5 + n, IDLE, 0, true));
			CHECK_EQ(csb(&b, e, 1), csb_entry(e, IDLE, 5 + n, 0, false));
			/* mirrors */
			CHECK_EQ(mmio_read(e->tile, XT_RING_CSB_LO(e->base, 1)),
				 XT_LOWER_32(csb(&b, e, 1)));
			CHECK_EQ(mmio_read(e->tile, XT_RING_CSB_HI(e->base, 1)),
				 XT_UPPER_32(csb(&b, e, 1)));
			CHECK_EQ(mmio_read(e->tile, XT_CONTEXT_STATUS_PTR(e->base)) & 0xf, 1);
			CHECK(WAIT_FOR(take_irq(e) & XT_VEC_CONTEXT_SWITCH));
			CHECK_EQ(counter_get(&e->cnt.elsq_loads), 1);
			CHECK_EQ(counter_get(&e->cnt.contexts), 1);
			CHECK_EQ(counter_get(&e->cnt.last_context), 5 + n);
		}
	}
	bench_fini(&b);
}

TEST(cs_csb_wraps_after_twelve)
{
	struct bench b;
	struct ctx x;

	bench_init(&b, 1);
	REQUIRE(b.c);
	ctx_init(&b, &x, bench_engine(&b, 0, XT_CLASS_BCS, 0), 1);
	for (unsigned int i = 0; i < 20; i++) {
		batch_store(&x, 0, i + 1);
		REQUIRE(run_batch(&x));
		CHECK_EQ(data32(&x, 0), i + 1);
		CHECK_EQ(csb_ptr(&b, x.e), (2 * i + 1) % 12);
		CHECK_EQ(csb(&b, x.e, 2 * i + 1), csb_entry(x.e, IDLE, 1, 0, false));
	}
	bench_fini(&b);
}

TEST(cs_status_while_busy_and_lite_restore)
{
	struct bench b;
	struct ctx x;

	bench_init(&b, 1);
	REQUIRE(b.c);
	ctx_init(&b, &x, bench_engine(&b, 0, XT_CLASS_CCS, 0), 77);
	batch_wait(&x, 0, 1);
	batch_end(&x);
	ring_batch(&x, 0);
	submit(&x);
	CHECK(WAIT_FOR(counter_get(&x.e->cnt.batches) == 1));
	CHECK(busy(x.e));
	CHECK_EQ(mmio_read(x.t, XT_EXECLIST_STATUS_UDW(x.e->base)), XT_UPPER_32(descriptor(&x)));
	CHECK_EQ(mmio_read(x.t, XT_CURRENT_LRCA(x.e->base)),
		 XT_LOWER_32(x.lrc - x.t->dpa_base) | XT_CURRENT_LRCA_VALID);
	CHECK(!(mmio_read(x.t, XT_RING_MI_MODE(x.e->base)) & XT_MI_MODE_IDLE));

	/* more work, same context: taken without a switch */
	RING(&x, XT_MI_STORE_DATA_IMM, ADDR(VA(1)), 0x1234);
	submit(&x);
	CHECK(WAIT_FOR(counter_get(&x.e->cnt.lite_restores) == 1));
	CHECK_EQ(data32(&x, 1), 0);
	CHECK(WAIT_FOR(csb_ptr(&b, x.e) == 1));
	CHECK_EQ(csb(&b, x.e, 1), csb_entry(x.e, 77, 77, 0, true));
	set_data(&x, 0, 1);
	CHECK(wait_idle(x.e));
	CHECK_EQ(data32(&x, 1), 0x1234);
	CHECK_EQ(image(&x)[XT_LRC_RING_HEAD + 1], x.tail);
	CHECK_EQ(csb(&b, x.e, 2), csb_entry(x.e, IDLE, 77, 0, false));
	CHECK_EQ(counter_get(&x.e->cnt.contexts), 1);
	CHECK(mmio_read(x.t, XT_RING_MI_MODE(x.e->base)) & XT_MI_MODE_IDLE);
	CHECK_EQ(counter_get(&x.e->cnt.preemptions), 0);
	bench_fini(&b);
}

/* As fast as a handler comes; a second at most. */
static bool spin_for_irq(struct engine *e, uint32_t vector)
{
	uint64_t end = card_timestamp() + CARD_TIMESTAMP_HZ;

	while (card_timestamp() < end)
		if (take_irq(e) & vector)
			return true;
	return false;
}

/*
 * A driver that submits from its interrupt handler when the port is free: the
 * interrupt of the last job finds it free.
 */
TEST(cs_port_is_free_at_the_last_user_interrupt)
{
	struct bench b;
	struct ctx x;
	unsigned int late = 0;

	bench_init(&b, 1);
	REQUIRE(b.c);
	ctx_init(&b, &x, bench_engine(&b, 0, XT_CLASS_BCS, 8), 1);
	for (unsigned int i = 1; i <= 300; i++) {
		RING(&x, XT_MI_STORE_DATA_IMM, ADDR(VA(0)), i, XT_MI_USER_INTERRUPT,
		     XT_MI_ARB_ON_OFF | XT_MI_ARB_ENABLE, XT_MI_ARB_CHECK);
		/* time enough for a handler to be early */
		for (unsigned int k = 0; k < 300; k++)
			ring_dw(&x, XT_MI_NOOP);
		submit(&x);
		REQUIRE(spin_for_irq(x.e, XT_VEC_USER));
		late += busy(x.e);
		CHECK_EQ(data32(&x, 0), i);
	}
	CHECK_EQ(late, 0);
	/* one for the load, one for the job and its end together */
	CHECK_EQ(counter_get(&x.e->cnt.interrupts), 600);
	/* with more work behind it, it does not wait for that */
	RING(&x, XT_MI_USER_INTERRUPT, XT_MI_ARB_CHECK,
	     XT_MI_BATCH_BUFFER_START | XT_MI_BATCH_BUFFER_START_PPGTT, ADDR(BATCH_VA));
	batch_wait(&x, 0, 0);
	batch_end(&x);
	submit(&x);
	CHECK(WAIT_FOR(take_irq(x.e) & XT_VEC_USER));
	CHECK(busy(x.e));
	set_data(&x, 0, 0);
	CHECK(wait_idle(x.e));
	bench_fini(&b);
}

TEST(cs_queue_of_two)
{
	struct bench b;
	struct ctx x, y;
	struct engine *e;

	bench_init(&b, 1);
	REQUIRE(b.c);
	e = bench_engine(&b, 0, XT_CLASS_BCS, 2);
	ctx_init(&b, &x, e, 1);
	ctx_init(&b, &y, e, 2);
	RING(&x, XT_MI_STORE_DATA_IMM, ADDR(VA(0)), 11);
	RING(&y, XT_MI_STORE_DATA_IMM, ADDR(VA(0)), 22);
	ring_close(&x);
	ring_close(&y);
	submit2(e, descriptor(&x), descriptor(&y));
	CHECK(wait_idle(e));
	CHECK_EQ(data32(&x, 0), 11);
	CHECK_EQ(data32(&y, 0), 22);
	CHECK_EQ(csb(&b, e, 0), csb_entry(e, 1, IDLE, 0, true));
	CHECK_EQ(csb(&b, e, 1), csb_entry(e, 2, 1, 0, false));
	CHECK_EQ(csb(&b, e, 2), csb_entry(e, IDLE, 2, 0, false));
	CHECK_EQ(csb_ptr(&b, e), 2);
	bench_fini(&b);
}

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
	e = bench_engine(&b, 0, XT_CLASS_CCS, 1);
	ctx_init(&b, &x, e, 1);
	ctx_init(&b, &y, e, 2);
	BATCH(&x, XT_MI_LOAD_REGISTER_IMM(2) | XT_MI_LRI_ADD_CS,
	      XT_CS_USER_GPR(3), 0x5555, XT_CS_WPARID, 1);
	batch_wait(&x, 0, 1);
	BATCH(&x, XT_MI_STORE_REGISTER_MEM | XT_MI_SRM_ADD_CS, XT_CS_USER_GPR(3), ADDR(VA(1)));
	BATCH(&x, XT_MI_STORE_REGISTER_MEM | XT_MI_SRM_ADD_CS, XT_CS_WPARID, ADDR(VA(2)));
	batch_end(&x);
	ring_batch(&x, 0);
	RING(&x, XT_MI_STORE_DATA_IMM, ADDR(VA(3)), 0xaaaa);
	submit(&x);
	CHECK(WAIT_FOR(counter_get(&e->cnt.batches) == 1));

	RING(&y, XT_MI_STORE_DATA_IMM, ADDR(VA(0)), 0xbeef);
	RING(&y, XT_MI_LOAD_REGISTER_IMM(1) | XT_MI_LRI_ADD_CS, XT_CS_USER_GPR(3), 0x6666);
	submit(&y);
	CHECK(wait_idle(e));
	CHECK_EQ(data32(&y, 0), 0xbeef);
	CHECK_EQ(data32(&x, 3), 0);
	CHECK_EQ(counter_get(&e->cnt.preemptions), 1);
	CHECK_EQ(csb(&b, e, 1), csb_entry(e, 2, 1, XT_CSB_DETAIL_PREEMPTED, true));
	CHECK_EQ(csb(&b, e, 2), csb_entry(e, IDLE, 2, 0, false));
	CHECK(image(&x)[XT_LRC_BBADDR + 1] & XT_BBADDR_VALID);

	set_data(&x, 0, 1);
	submit(&x);
	CHECK(wait_idle(e));
	CHECK_EQ(data32(&x, 1), 0x5555);
	CHECK_EQ(data32(&x, 2), 1);
	CHECK_EQ(data32(&x, 3), 0xaaaa);
	CHECK_EQ(image(&x)[XT_LRC_RING_HEAD + 1], x.tail);
	bench_fini(&b);
}

TEST(cs_spinning_batch_yields_at_arb_check)
{
	struct bench b;
	struct ctx x, y;
	struct engine *e;

	bench_init(&b, 1);
	REQUIRE(b.c);
	e = bench_engine(&b, 0, XT_CLASS_BCS, 0);
	ctx_init(&b, &x, e, 1);
	ctx_init(&b, &y, e, 2);
	/* loop while word 0 > 0: IGT's spinner */
	set_data(&x, 0, ~0u);
	BATCH(&x, XT_MI_ARB_CHECK,
	      XT_MI_CONDITIONAL_BATCH_BUFFER_END | XT_MI_COND_BBE_COMPARE_SEMAPHORE |
	      XT_FIELD_PREP(XT_MI_COND_BBE_COMPARE, XT_MI_COMPARE_GT), 0, ADDR(VA(0)),
	      XT_MI_BATCH_BUFFER_START, ADDR(BATCH_VA));
	ring_batch(&x, 0);
	submit(&x);
	CHECK(WAIT_FOR(counter_get(&e->cnt.batches) > 3));
	RING(&y, XT_MI_STORE_DATA_IMM, ADDR(VA(0)), 9);
	submit(&y);
	CHECK(wait_idle(e));
	CHECK_EQ(data32(&y, 0), 9);
	CHECK_EQ(counter_get(&e->cnt.preemptions), 1);
	set_data(&x, 0, 0);
	submit(&x);
	CHECK(wait_idle(e));
	CHECK_EQ(image(&x)[XT_LRC_RING_HEAD + 1], x.tail);
	bench_fini(&b);
}

/* A loop of jumps that never looks up keeps its engine until a reset. */
TEST(cs_spin_without_an_arbitration_point)
{
	struct bench b;
	struct ctx x, y;
	struct engine *e;

	bench_init(&b, 1);
	REQUIRE(b.c);
	e = bench_engine(&b, 0, XT_CLASS_BCS, 0);
	ctx_init(&b, &x, e, 1);
	ctx_init(&b, &y, e, 2);
	BATCH(&x, XT_MI_NOOP, XT_MI_BATCH_BUFFER_START, ADDR(BATCH_VA));
	ring_batch(&x, 0);
	submit(&x);
	CHECK(WAIT_FOR(counter_get(&e->cnt.batches) > 3));
	RING(&y, XT_MI_STORE_DATA_IMM, ADDR(VA(0)), 9);
	submit(&y);
	CHECK(WAIT_FOR(counter_get(&e->cnt.batches) > 500));
	CHECK_EQ(data32(&y, 0), 0);
	CHECK_EQ(counter_get(&e->cnt.preemptions), 0);
	reset_engine(&b, e);
	bench_fini(&b);
}

/* The 1,024 loops after the 1,024th sleep 100 us each, those after them 200 us. */
TEST(cs_a_long_spin_slows_down)
{
	uint64_t then, ticks;
	struct bench b;
	struct ctx x;

	bench_init(&b, 1);
	REQUIRE(b.c);
	ctx_init(&b, &x, bench_engine(&b, 0, XT_CLASS_BCS, 0), 1);
	set_data(&x, 0, ~0u);
	BATCH(&x, XT_MI_CONDITIONAL_BATCH_BUFFER_END | XT_MI_COND_BBE_COMPARE_SEMAPHORE |
	      XT_FIELD_PREP(XT_MI_COND_BBE_COMPARE, XT_MI_COMPARE_GT), 0, ADDR(VA(0)),
	      XT_MI_BATCH_BUFFER_START, ADDR(BATCH_VA));
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
	e = bench_engine(&b, 0, XT_CLASS_BCS, 0);
	ctx_init(&b, &x, e, 1);
	ctx_init(&b, &y, e, 2);
	batch_wait(&x, 0, 1);
	batch_end(&x);
	RING(&x, XT_MI_ARB_ON_OFF, XT_MI_BATCH_BUFFER_START | XT_MI_BATCH_BUFFER_START_PPGTT,
	     ADDR(BATCH_VA), XT_MI_ARB_ON_OFF | XT_MI_ARB_ENABLE);
	submit(&x);
	CHECK(WAIT_FOR(counter_get(&e->cnt.batches) == 1));
	RING(&y, XT_MI_STORE_DATA_IMM, ADDR(VA(0)), 9);
	submit(&y);
	usleep(30000);
	CHECK_EQ(data32(&y, 0), 0);
	set_data(&x, 0, 1);
	CHECK(wait_idle(e));
	CHECK_EQ(data32(&y, 0), 9);
	/* x was done: complete, replaced by the new queue */
	CHECK_EQ(csb(&b, e, 1), csb_entry(e, 2, 1, csb(&b, e, 1) & 0xf, true));
	CHECK_EQ(image(&x)[XT_LRC_RING_HEAD + 1], x.tail);
	bench_fini(&b);
}

/*
 * A user's batch that switches it off and waits: nothing but a reset ends it.  What it
 * leaves off stays off in the ring, also when the context comes back.
 */
TEST(cs_arbitration_off_by_a_batch)
{
	struct engine *e;
	struct ctx x, y;
	struct bench b;

	bench_init(&b, 1);
	REQUIRE(b.c);
	e = bench_engine(&b, 0, XT_CLASS_BCS, 0);
	ctx_init(&b, &x, e, 1);
	ctx_init(&b, &y, e, 2);
	BATCH(&x, XT_MI_ARB_ON_OFF);
	batch_end(&x);
	ring_batch(&x, 0);
	submit(&x);
	REQUIRE(wait_idle(e));
	x.batch_at = 0;
	batch_wait(&x, 0, 1);
	batch_end(&x);
	RING(&x, XT_MI_BATCH_BUFFER_START | XT_MI_BATCH_BUFFER_START_PPGTT, ADDR(BATCH_VA));
	submit(&x);
	CHECK(WAIT_FOR(counter_get(&e->cnt.batches) == 2));
	RING(&y, XT_MI_STORE_DATA_IMM, ADDR(VA(0)), 9);
	submit(&y);
	usleep(30000);
	CHECK_EQ(data32(&y, 0), 0);
	CHECK_EQ(counter_get(&e->cnt.preemptions), 0);
	reset_engine(&b, e);
	/* the other context has nothing of it */
	batch_wait(&y, 1, 1);
	batch_end(&y);
	image_init(&y);
	y.tail = 0;
	RING(&y, XT_MI_BATCH_BUFFER_START | XT_MI_BATCH_BUFFER_START_PPGTT, ADDR(BATCH_VA));
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
	e = bench_engine(&b, 0, XT_CLASS_CCS, 0);
	ctx_init(&b, &x, e, 1);
	batch_wait(&x, 0, 1);
	batch_store(&x, 1, 0xbad);
	batch_end(&x);
	ring_batch(&x, 0);
	RING(&x, XT_MI_NOOP, XT_MI_NOOP);
	submit(&x);
	CHECK(WAIT_FOR(counter_get(&e->cnt.batches) == 1));
	submit2(e, 0, 0);	/* preempt to idle */
	CHECK(wait_idle(e));
	CHECK_EQ(csb(&b, e, 1), csb_entry(e, IDLE, 1, XT_CSB_DETAIL_PREEMPTED, true));
	set_data(&x, 0, 1);
	image(&x)[XT_LRC_RING_HEAD + 1] = x.tail;
	RING(&x, XT_MI_STORE_DATA_IMM, ADDR(VA(2)), 3);
	submit(&x);
	CHECK(wait_idle(e));
	CHECK_EQ(data32(&x, 1), 0);
	CHECK_EQ(data32(&x, 2), 3);
	bench_fini(&b);
}

TEST(cs_semaphore_between_two_engines_of_two_tiles)
{
	struct bench b;
	struct ctx x, y;

	bench_init(&b, 2);
	REQUIRE(b.c);
	ctx_init(&b, &x, bench_engine(&b, 0, XT_CLASS_CCS, 0), 1);
	ctx_init(&b, &y, bench_engine(&b, 1, XT_CLASS_CCS, 0), 2);
	/* both see x's page */
	ppgtt_map(&b, 1, y.root, USER_VA, x.data | XT_PTE_PRESENT | XT_PTE_WRITE | XT_PTE_DM |
		  XT_PDE_2M | XT_PTE_AE, 1);
	for (unsigned int round = 1; round <= 10; round++) {
		batch_wait(&x, 0, round);
		batch_store(&x, 1, round);
		batch_store(&y, 0, round);
		batch_wait(&y, 1, round);
	}
	batch_end(&x);
	batch_end(&y);
	ring_batch(&x, 0);
	ring_batch(&y, 0);
	submit(&x);
	submit(&y);
	CHECK(wait_idle(x.e));
	CHECK(wait_idle(y.e));
	CHECK_EQ(data32(&x, 0), 10);
	CHECK_EQ(data32(&x, 1), 10);
	bench_fini(&b);
}

TEST(cs_restore_batches_run_at_every_load)
{
	struct bench b;
	struct ctx x;
	uint64_t wa, ind;
	uint32_t *p;

	bench_init(&b, 1);
	REQUIRE(b.c);
	ctx_init(&b, &x, bench_engine(&b, 0, XT_CLASS_CCS, 0), 1);
	wa = hbm_alloc(&b, 0, 4096, 4096);
	ind = hbm_alloc(&b, 0, 4096, 4096);
	/* GPR0 += 0 by memory: store a constant to GGTT, set WPARID */
	p = hbm32(&b, wa);
	*p++ = XT_MI_LOAD_REGISTER_IMM(1) | XT_MI_LRI_ADD_CS;
	*p++ = XT_CS_WPARID;
	*p++ = 3;
	*p++ = XT_MI_ATOMIC | XT_MI_ATOMIC_GGTT |
	       XT_FIELD_PREP(XT_MI_ATOMIC_OPCODE, XT_MI_ATOMIC_OP_INC);
	*p++ = ggtt_map(&b, x.t, wa, 4096) + 0x800;
	*p++ = 0;
	*p++ = XT_MI_BATCH_BUFFER_END;
	p = hbm32(&b, ind);
	*p++ = XT_MI_ATOMIC | XT_MI_ATOMIC_GGTT |
	       XT_FIELD_PREP(XT_MI_ATOMIC_OPCODE, XT_MI_ATOMIC_OP_INC);
	*p++ = ggtt_map(&b, x.t, ind, 4096) + 0x800;
	*p++ = 0;
	/* sixteen dwords are its size: what follows must not run */
	p[13] = 0xffffffff;
	image(&x)[XT_LRC_BB_PER_CTX_PTR + 1] = (wa - x.t->dpa_base) | XT_BB_PER_CTX_VALID;
	image(&x)[XT_LRC_INDIRECT_CTX + 1] = (ind - x.t->dpa_base) | 1;
	for (unsigned int i = 1; i <= 3; i++) {
		BATCH(&x, XT_MI_STORE_REGISTER_MEM | XT_MI_SRM_ADD_CS, XT_CS_WPARID, ADDR(VA(i)));
		REQUIRE(run_batch(&x));
		CHECK_EQ(data32(&x, i), 3);
		CHECK_EQ(*hbm32(&b, wa + 0x800), i);
		CHECK_EQ(*hbm32(&b, ind + 0x800), i);
	}
	bench_fini(&b);
}

TEST(cs_restore_inhibit_gives_defaults)
{
	struct bench b;
	struct ctx x;

	bench_init(&b, 1);
	REQUIRE(b.c);
	ctx_init(&b, &x, bench_engine(&b, 0, XT_CLASS_CCS, 0), 1);
	BATCH(&x, XT_MI_LOAD_REGISTER_IMM(1) | XT_MI_LRI_ADD_CS, XT_CS_USER_GPR(7), 0x77);
	REQUIRE(run_batch(&x));
	BATCH(&x, XT_MI_STORE_REGISTER_MEM | XT_MI_SRM_ADD_CS, XT_CS_USER_GPR(7), ADDR(VA(0)));
	REQUIRE(run_batch(&x));
	CHECK_EQ(data32(&x, 0), 0x77);
	image(&x)[XT_LRC_CONTEXT_CONTROL + 1] = 0x00090009;
	BATCH(&x, XT_MI_STORE_REGISTER_MEM | XT_MI_SRM_ADD_CS, XT_CS_USER_GPR(7), ADDR(VA(1)));
	REQUIRE(run_batch(&x));
	CHECK_EQ(data32(&x, 1), 0);
	bench_fini(&b);
}

TEST(cs_context_time_is_saved_and_grows)
{
	struct bench b;
	struct ctx x;
	uint32_t first;

	bench_init(&b, 1);
	REQUIRE(b.c);
	ctx_init(&b, &x, bench_engine(&b, 0, XT_CLASS_BCS, 1), 1);
	image(&x)[XT_LRC_CTX_TIMESTAMP + 1] = 1000;
	BATCH(&x, XT_MI_STORE_REGISTER_MEM | XT_MI_SRM_ADD_CS, 0x3a8, ADDR(VA(0)));
	REQUIRE(run_batch(&x));
	first = image(&x)[XT_LRC_CTX_TIMESTAMP + 1];
	CHECK(data32(&x, 0) >= 1000);
	CHECK(first >= data32(&x, 0));
	CHECK(first < 1000 + CARD_TIMESTAMP_HZ);
	usleep(20000);	/* not running: does not count */
	BATCH(&x, XT_MI_STORE_REGISTER_MEM | XT_MI_SRM_ADD_CS, 0x3a8, ADDR(VA(0)));
	REQUIRE(run_batch(&x));
	CHECK(data32(&x, 0) >= first);
	CHECK(data32(&x, 0) - first < CARD_TIMESTAMP_HZ / 100);
	bench_fini(&b);
}

TEST(cs_commands_straddle_the_ring_end)
{
	struct bench b;
	struct ctx x;

	bench_init(&b, 1);
	REQUIRE(b.c);
	ctx_init(&b, &x, bench_engine(&b, 0, XT_CLASS_CCS, 0), 1);
	/* every split of a four-dword command: 5 dwords per job walk the ring */
	for (unsigned int i = 0; i < 3000; i++) {
		/* an operand that is no command, should it be taken for one */
		RING(&x, XT_MI_STORE_DATA_IMM, ADDR(VA(0)), 0xe0000000 | i);
		if (i % 3 == 0)
			ring_dw(&x, XT_MI_NOOP);
		if (i % 37 == 0) {
			submit(&x);
			REQUIRE(wait_idle(x.e));
			CHECK_EQ(data32(&x, 0), 0xe0000000 | i);
			CHECK_EQ(image(&x)[XT_LRC_RING_HEAD + 1] & XT_RING_HEAD_MASK, x.tail);
		}
	}
	CHECK(image(&x)[XT_LRC_RING_HEAD + 1] >> 21);
	bench_fini(&b);
}

/* ---- what goes wrong ---- */

static void expect_stopped(struct ctx *x, uint32_t header)
{
	CHECK(WAIT_FOR(mmio_read(x->t, XT_RING_EIR(x->e->base)) & XT_ERROR_INSTRUCTION));
	CHECK_EQ(mmio_read(x->t, XT_RING_IPEHR(x->e->base)), header);
	CHECK(WAIT_FOR(take_irq(x->e) & XT_VEC_CS_ERROR));
	CHECK(busy(x->e));
}

static void expect_works(struct ctx *x)
{
	BATCH(x, XT_MI_STORE_DATA_IMM, ADDR(VA(100)), 0x900d);
	*hbm32(x->b, x->data + 400) = 0;
	CHECK(run_batch(x));
	CHECK_EQ(data32(x, 100), 0x900d);
}

TEST(cs_unknown_opcodes_stop_the_engine)
{
	static const uint32_t bad[] = {
		0x20000000, 0x07800000, 0x1f800000, 0x50000000, 0x5fc00000, 0x7f000000,
		0x60000000, 0xa0000000, 0xffffffff, 0x52000003,
	};
	struct bench b;

	bench_init(&b, 1);
	REQUIRE(b.c);
	for (unsigned int i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct ctx x, y;
		struct engine *e = bench_engine(&b, 0, i & 1 ? XT_CLASS_CCS : XT_CLASS_BCS, 0);

		ctx_init(&b, &x, e, 1);
		ctx_init(&b, &y, e, 2);
		BATCH(&x, XT_MI_STORE_DATA_IMM, ADDR(VA(0)), 1, bad[i]);
		batch_store(&x, 1, 1);
		batch_end(&x);
		ring_batch(&x, 0);
		submit(&x);
		expect_stopped(&x, bad[i]);
		CHECK(WAIT_FOR(!strcmp(engine_state(e), "stopped")));
		CHECK_EQ(data32(&x, 0), 1);
		CHECK_EQ(data32(&x, 1), 0);
		reset_engine(&b, e);
		CHECK(!busy(e));
		CHECK(!strcmp(engine_state(e), "idle"));
		expect_works(&y);
	}
	bench_fini(&b);
}

TEST(cs_wrong_lengths_and_engines_stop)
{
	static const struct { bool ccs; uint32_t header; } bad[] = {
		{ false, XT_MI_STORE_DATA_IMM + 1 },	/* three dwords without b21 */
		{ false, XT_MI_LOAD_REGISTER_IMM(1) + 1 },
		{ false, XT_MI_SEMAPHORE_WAIT + 1 },
		{ false, XT_PIPE_CONTROL },
		{ true, XT_MEM_SET },
		{ true, XT_COMPUTE_WALKER + 1 },
		{ true, XT_MI_ATOMIC + 1 },
		/* a qword at an odd dword */
		{ true, XT_MI_ATOMIC | XT_FIELD_PREP(XT_MI_ATOMIC_OPCODE,
		  XT_MI_ATOMIC_OP_QWORD | XT_MI_ATOMIC_OP_INC) },
	};
	struct bench b;

	bench_init(&b, 1);
	REQUIRE(b.c);
	for (unsigned int i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct engine *e = bench_engine(&b, 0, bad[i].ccs ? XT_CLASS_CCS : XT_CLASS_BCS, 0);
		struct ctx x;

		ctx_init(&b, &x, e, 1);
		BATCH(&x, bad[i].header, ADDR(VA(1)), 0, 0, 0, 0, 0);
		batch_end(&x);
		ring_batch(&x, 0);
		submit(&x);
		expect_stopped(&x, bad[i].header);
		reset_engine(&b, e);
	}
	bench_fini(&b);
}

TEST(cs_page_fault_stops_and_is_reported)
{
	struct bench b;
	struct ctx x, y;
	struct engine *e;
	uint64_t va = USER_VA + (3ull << 30);

	bench_init(&b, 1);
	REQUIRE(b.c);
	e = bench_engine(&b, 0, XT_CLASS_CCS, 2);
	ctx_init(&b, &x, e, 1);
	ctx_init(&b, &y, e, 2);
	BATCH(&x, XT_MI_STORE_DATA_IMM, ADDR(va), 1);
	batch_end(&x);
	ring_batch(&x, 0);
	submit(&x);
	CHECK(WAIT_FOR(mmio_read(x.t, XT_RING_RESET_CTL(e->base)) & XT_RESET_CTL_CAT_ERROR));
	CHECK(WAIT_FOR(take_irq(e) & XT_VEC_CS_ERROR));
	CHECK(busy(e));
	CHECK(mmio_read(x.t, XT_RING_FAULT) & XT_RING_FAULT_VALID);
	CHECK(mmio_read(x.t, XT_RING_FAULT) & XT_RING_FAULT_WRITE);
	CHECK_EQ(mmio_read(x.t, XT_FAULT_TLB_DATA0), XT_LOWER_32(va >> 12));
	CHECK_EQ(counter_get(&e->cnt.faults), 1);
	/* a load while it stands is not taken */
	ring_close(&y);
	submit(&y);
	usleep(20000);
	CHECK(busy(e));
	mmio_write(x.t, XT_RING_RESET_CTL(e->base), 0x00040004);
	CHECK(!(mmio_read(x.t, XT_RING_RESET_CTL(e->base)) & XT_RESET_CTL_CAT_ERROR));
	mmio_write(x.t, XT_RING_FAULT, 0);
	reset_engine(&b, e);
	expect_works(&y);
	bench_fini(&b);
}

TEST(cs_faults_of_every_source)
{
	struct bench b;
	struct engine *e;

	bench_init(&b, 1);
	REQUIRE(b.c);
	e = bench_engine(&b, 0, XT_CLASS_BCS, 3);
	for (unsigned int i = 0; i < 6; i++) {
		struct ctx x;

		ctx_init(&b, &x, e, 1);
		switch (i) {
		case 0:	/* batch not mapped */
			RING(&x, XT_MI_BATCH_BUFFER_START | XT_MI_BATCH_BUFFER_START_PPGTT,
			     ADDR(0x10000));
			break;
		case 1:	/* ring not mapped */
			image(&x)[XT_LRC_RING_START + 1] = 0xf0000000;
			ring_dw(&x, 0);
			break;
		case 2:	/* image not mapped */
			x.t->ggtt[((x.lrc - x.t->dpa_base) >> 12) + 1] = 0;
			ring_dw(&x, 0);
			break;
		case 3:	/* read only page */
			map_4k(&x, 0x1000000, x.data, false);
			RING(&x, XT_MI_STORE_DATA_IMM, ADDR(0x1000000), 1);
			break;
		case 4:	/* guest memory that is not there: DMA outside */
			ppgtt_map(&b, 0, x.root, 0x2000000, 0x7fffff000ull | 3, 0);
			RING(&x, XT_MI_STORE_DATA_IMM, ADDR(0x2000000), 1);
			break;
		case 5:	/* HBM that is not there */
			ppgtt_map(&b, 0, x.root, 0x3000000, 0x7fffff000ull | 3 | XT_PTE_DM, 0);
			RING(&x, XT_MI_STORE_DATA_IMM, ADDR(0x3000000), 1);
			break;
		}
		submit(&x);
		CHECK(WAIT_FOR(counter_get(&e->cnt.faults) == i + 1));
		CHECK(busy(e));
		mmio_write(x.t, XT_RING_RESET_CTL(e->base), 0x00040004);
		reset_engine(&b, e);
		CHECK(!busy(e));
	}
	bench_fini(&b);
}

TEST(cs_damaged_images_stop)
{
	struct bench b;
	struct engine *e;

	bench_init(&b, 1);
	REQUIRE(b.c);
	e = bench_engine(&b, 0, XT_CLASS_CCS, 0);
	for (unsigned int i = 0; i < 5; i++) {
		struct ctx x;
		uint32_t *im;

		ctx_init(&b, &x, e, 1);
		im = image(&x);
		RING(&x, XT_MI_STORE_DATA_IMM, ADDR(VA(0)), 1);
		ring_close(&x);
		switch (i) {
		case 0:
			im[XT_LRC_RING_TAIL + 1] = 0x100000;
			break;
		case 1:
			im[XT_LRC_RING_HEAD + 1] = 0x100000;
			break;
		case 2:
			im[XT_LRC_RING_CTL + 1] = 0;
			break;
		case 3:
			im[1] = 0x7a000004;
			break;
		case 4:
			memset(im, 0, 0x100);
			break;
		}
		submit2(e, descriptor(&x), 0);
		CHECK(WAIT_FOR(mmio_read(x.t, XT_RING_EIR(e->base)) & XT_ERROR_INSTRUCTION));
		CHECK_EQ(data32(&x, 0), 0);
		reset_engine(&b, e);
	}
	bench_fini(&b);
}

TEST(cs_reset_of_a_hung_batch)
{
	struct bench b;
	struct ctx x, y, z;
	struct engine *e, *other;

	bench_init(&b, 1);
	REQUIRE(b.c);
	e = bench_engine(&b, 0, XT_CLASS_BCS, 1);
	other = bench_engine(&b, 0, XT_CLASS_BCS, 2);
	ctx_init(&b, &x, e, 1);
	ctx_init(&b, &y, e, 2);
	ctx_init(&b, &z, other, 3);
	batch_wait(&x, 0, 1);
	batch_end(&x);
	ring_batch(&x, 0);
	submit(&x);
	batch_wait(&z, 0, 1);
	batch_store(&z, 1, 2);
	batch_end(&z);
	ring_batch(&z, 0);
	submit(&z);
	CHECK(WAIT_FOR(counter_get(&e->cnt.batches) == 1));
	CHECK(WAIT_FOR(counter_get(&other->cnt.batches) == 1));
	CHECK(!strcmp(engine_state(e), "active"));

	/* stop the ring first, as drivers do: it stops between polls */
	mmio_write(x.t, XT_RING_MI_MODE(e->base), 0x01000100);
	CHECK(WAIT_FOR(mmio_read(x.t, XT_RING_MI_MODE(e->base)) & XT_MI_MODE_IDLE));
	reset_engine(&b, e);
	CHECK(!busy(e));
	CHECK_EQ(counter_get(&e->cnt.resets), 1);
	CHECK_EQ(counter_get(&other->cnt.resets), 0);
	/* HEAD was not saved */
	CHECK_EQ(image(&x)[XT_LRC_RING_HEAD + 1], 0);
	expect_works(&y);
	/* the neighbour went on */
	CHECK(busy(other));
	set_data(&z, 0, 1);
	CHECK(wait_idle(other));
	CHECK_EQ(data32(&z, 1), 2);
	bench_fini(&b);
}

TEST(cs_stop_ring_holds_a_load_back)
{
	struct bench b;
	struct ctx x;

	bench_init(&b, 1);
	REQUIRE(b.c);
	ctx_init(&b, &x, bench_engine(&b, 0, XT_CLASS_CCS, 0), 1);
	mmio_write(x.t, XT_RING_MI_MODE(x.e->base), 0x01000100);
	CHECK(mmio_read(x.t, XT_RING_MI_MODE(x.e->base)) & XT_MI_MODE_IDLE);
	RING(&x, XT_MI_STORE_DATA_IMM, ADDR(VA(0)), 1);
	submit(&x);
	usleep(20000);
	CHECK_EQ(data32(&x, 0), 0);
	CHECK(busy(x.e));
	mmio_write(x.t, XT_RING_MI_MODE(x.e->base), 0x01000000);
	CHECK(wait_idle(x.e));
	CHECK_EQ(data32(&x, 0), 1);
	bench_fini(&b);
}

/* A driver may load again before the engine's thread has seen the first. */
TEST(cs_loads_wait_in_line)
{
	struct bench b;
	struct ctx x, y;
	struct engine *e;

	bench_init(&b, 1);
	REQUIRE(b.c);
	e = bench_engine(&b, 0, XT_CLASS_BCS, 3);
	ctx_init(&b, &x, e, 1);
	ctx_init(&b, &y, e, 2);
	RING(&x, XT_MI_STORE_DATA_IMM, ADDR(VA(0)), 11);
	RING(&y, XT_MI_STORE_DATA_IMM, ADDR(VA(0)), 22);
	/* the engine is late: until then it takes nothing */
	mmio_write(x.t, XT_RING_MI_MODE(e->base), 0x01000100);
	submit(&x);
	submit(&y);
	mmio_write(x.t, XT_RING_MI_MODE(e->base), 0x01000000);
	CHECK(wait_idle(e));
	CHECK_EQ(data32(&x, 0), 11);
	CHECK_EQ(data32(&y, 0), 22);
	CHECK_EQ(counter_get(&e->cnt.contexts), 2);
	CHECK_EQ(csb(&b, e, 0), csb_entry(e, 1, IDLE, 0, true));
	CHECK_EQ(csb(&b, e, 1), csb_entry(e, 2, 1, 0, true));
	CHECK_EQ(csb(&b, e, 2), csb_entry(e, IDLE, 2, 0, false));
	bench_fini(&b);
}

TEST(cs_idle_engines_cost_nothing)
{
	struct bench b;
	struct timespec before, after;

	bench_init(&b, 2);
	REQUIRE(b.c);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
	usleep(300000);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
	CHECK((after.tv_sec - before.tv_sec) * 1000000000ll + after.tv_nsec - before.tv_nsec <
	      10000000);
	bench_fini(&b);
}

/* 600 commands' worth of random dwords: never a crash, always back after reset. */
TEST(cs_random_batches_never_crash)
{
	uint64_t seed = 0x9e3779b97f4a7c15ull;
	struct bench b;

	bench_init(&b, 1);
	REQUIRE(b.c);
	for (unsigned int round = 0; round < 150; round++) {
		struct engine *e = bench_engine(&b, 0, round & 1 ? XT_CLASS_CCS : XT_CLASS_BCS, 0);
		struct ctx x;

		b.next[0] = 0x2000000;	/* memory of the round before again */
		ctx_init(&b, &x, e, 1);
		for (unsigned int i = 0; i < 64; i++) {
			uint32_t dw;

			seed = seed * 6364136223846793005ull + 1442695040888963407ull;
			dw = seed >> 32;
			/* mostly MI commands, so that more than the first one runs */
			if (i % 4 == 0)
				dw &= 0x1fffffff;
			batch_dw(&x, dw);
		}
		batch_end(&x);
		ring_batch(&x, 0);
		submit(&x);
		for (unsigned int i = 0; i < 20 && busy(e); i++)
			usleep(500);
		mmio_write(x.t, XT_RING_RESET_CTL(e->base), 0x00040004);
		reset_engine(&b, e);
		REQUIRE(!busy(e));
	}
	bench_fini(&b);
}
