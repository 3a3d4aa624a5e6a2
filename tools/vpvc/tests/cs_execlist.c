// SPDX-License-Identifier: MIT
/* Ports, events, contexts; preemption. */
#include <time.h>

#include "card.h"
#include "core/clock.h"
#include "core/regs.h"
#include "tests/cs_test.h"

TEST(cs_submit_store_event_interrupt)
{
	static const struct { unsigned int class; unsigned int instance; } engines[] = {
		{ PVC_CLASS_CCS, 0 }, { PVC_CLASS_CCS, 3 }, { PVC_CLASS_BCS, 0 },
		{ PVC_CLASS_BCS, 1 },
		{ PVC_CLASS_BCS, 8 },
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
			CHECK_EQ(image(&x)[PVC_LRC_RING_HEAD + 1], x.tail);
			CHECK_EQ(image(&x)[PVC_LRC_CONTEXT_CONTROL + 1], 0x00090008);
			CHECK_EQ(csb_ptr(&b, e), 1);
			CHECK_EQ(csb(&b, e, 0), csb_entry(e, 5 + n, IDLE, 0, true));
			CHECK_EQ(csb(&b, e, 1), csb_entry(e, IDLE, 5 + n, 0, false));
			/* mirrors */
			CHECK_EQ(mmio_read(e->tile, PVC_RING_CSB_LO(e->base, 1)),
				 PVC_LOWER_32(csb(&b, e, 1)));
			CHECK_EQ(mmio_read(e->tile, PVC_RING_CSB_HI(e->base, 1)),
				 PVC_UPPER_32(csb(&b, e, 1)));
			CHECK_EQ(mmio_read(e->tile, PVC_CONTEXT_STATUS_PTR(e->base)) & 0xf, 1);
			CHECK(WAIT_FOR(take_irq(e) & PVC_VEC_CONTEXT_SWITCH));
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
	ctx_init(&b, &x, bench_engine(&b, 0, PVC_CLASS_BCS, 0), 1);
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
	ctx_init(&b, &x, bench_engine(&b, 0, PVC_CLASS_CCS, 0), 77);
	batch_wait(&x, 0, 1);
	batch_end(&x);
	ring_batch(&x, 0);
	submit(&x);
	CHECK(WAIT_FOR(counter_get(&x.e->cnt.batches) == 1));
	CHECK(busy(x.e));
	CHECK_EQ(mmio_read(x.t, PVC_EXECLIST_STATUS_UDW(x.e->base)), PVC_UPPER_32(descriptor(&x)));
	CHECK_EQ(mmio_read(x.t, PVC_CURRENT_LRCA(x.e->base)),
		 PVC_LOWER_32(x.lrc - x.t->dpa_base) | PVC_CURRENT_LRCA_VALID);
	CHECK(!(mmio_read(x.t, PVC_RING_MI_MODE(x.e->base)) & PVC_MI_MODE_IDLE));

	/* more work, same context: taken without a switch */
	RING(&x, PVC_MI_STORE_DATA_IMM, ADDR(VA(1)), 0x1234);
	submit(&x);
	CHECK(WAIT_FOR(counter_get(&x.e->cnt.lite_restores) == 1));
	CHECK_EQ(data32(&x, 1), 0);
	CHECK(WAIT_FOR(csb_ptr(&b, x.e) == 1));
	CHECK_EQ(csb(&b, x.e, 1), csb_entry(x.e, 77, 77, 0, true));
	set_data(&x, 0, 1);
	CHECK(wait_idle(x.e));
	CHECK_EQ(data32(&x, 1), 0x1234);
	CHECK_EQ(image(&x)[PVC_LRC_RING_HEAD + 1], x.tail);
	CHECK_EQ(csb(&b, x.e, 2), csb_entry(x.e, IDLE, 77, 0, false));
	CHECK_EQ(counter_get(&x.e->cnt.contexts), 1);
	CHECK(mmio_read(x.t, PVC_RING_MI_MODE(x.e->base)) & PVC_MI_MODE_IDLE);
	CHECK_EQ(counter_get(&x.e->cnt.preemptions), 0);
	bench_fini(&b);
}

/* Wait for an interrupt without sleeping, as a fast handler would; a second at most. */
static bool spin_for_irq(struct engine *e, uint32_t vector)
{
	uint64_t end = card_timestamp() + CARD_TIMESTAMP_HZ;

	while (card_timestamp() < end)
		if (take_irq(e) & vector)
			return true;
	return false;
}

/*
 * A driver submits from its interrupt handler when the port is free: at the interrupt of
 * the last job the port must be free.
 */
TEST(cs_port_is_free_at_the_last_user_interrupt)
{
	struct bench b;
	struct ctx x;
	unsigned int late = 0;

	bench_init(&b, 1);
	REQUIRE(b.c);
	ctx_init(&b, &x, bench_engine(&b, 0, PVC_CLASS_BCS, 8), 1);
	for (unsigned int i = 1; i <= 300; i++) {
		RING(&x, PVC_MI_STORE_DATA_IMM, ADDR(VA(0)), i, PVC_MI_USER_INTERRUPT,
		     PVC_MI_ARB_ON_OFF | PVC_MI_ARB_ENABLE, PVC_MI_ARB_CHECK);
		/* time enough for a handler to be early */
		for (unsigned int k = 0; k < 300; k++)
			ring_dw(&x, PVC_MI_NOOP);
		submit(&x);
		REQUIRE(spin_for_irq(x.e, PVC_VEC_USER));
		late += busy(x.e);
		CHECK_EQ(data32(&x, 0), i);
	}
	CHECK_EQ(late, 0);
	/* one for the load, one for the job and its end together */
	CHECK_EQ(counter_get(&x.e->cnt.interrupts), 600);
	/* with more work behind the job, its interrupt does not wait for that work */
	RING(&x, PVC_MI_USER_INTERRUPT, PVC_MI_ARB_CHECK,
	     PVC_MI_BATCH_BUFFER_START | PVC_MI_BATCH_BUFFER_START_PPGTT, ADDR(BATCH_VA));
	batch_wait(&x, 0, 0);
	batch_end(&x);
	submit(&x);
	CHECK(WAIT_FOR(take_irq(x.e) & PVC_VEC_USER));
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
	e = bench_engine(&b, 0, PVC_CLASS_BCS, 2);
	ctx_init(&b, &x, e, 1);
	ctx_init(&b, &y, e, 2);
	RING(&x, PVC_MI_STORE_DATA_IMM, ADDR(VA(0)), 11);
	RING(&y, PVC_MI_STORE_DATA_IMM, ADDR(VA(0)), 22);
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

TEST(cs_semaphore_between_two_engines_of_two_tiles)
{
	struct bench b;
	struct ctx x, y;

	bench_init(&b, 2);
	REQUIRE(b.c);
	ctx_init(&b, &x, bench_engine(&b, 0, PVC_CLASS_CCS, 0), 1);
	ctx_init(&b, &y, bench_engine(&b, 1, PVC_CLASS_CCS, 0), 2);
	/* both see x's page */
	ppgtt_map(&b, 1, y.root, USER_VA, x.data | PVC_PTE_PRESENT | PVC_PTE_WRITE | PVC_PTE_DM |
		  PVC_PDE_2M | PVC_PTE_AE, 1);
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

TEST(cs_restore_batches_run_at_every_restore)
{
	struct bench b;
	struct ctx x;
	uint64_t wa, ind;
	uint32_t *p;

	bench_init(&b, 1);
	REQUIRE(b.c);
	ctx_init(&b, &x, bench_engine(&b, 0, PVC_CLASS_CCS, 0), 1);
	wa = hbm_alloc(&b, 0, 4096, 4096);
	ind = hbm_alloc(&b, 0, 4096, 4096);
	/* GPR0 += 0 by memory: store a constant to GGTT, set WPARID */
	p = hbm32(&b, wa);
	*p++ = PVC_MI_LOAD_REGISTER_IMM(1) | PVC_MI_LRI_ADD_CS;
	*p++ = PVC_CS_WPARID;
	*p++ = 3;
	*p++ = PVC_MI_ATOMIC | PVC_MI_ATOMIC_GGTT |
	       PVC_FIELD_PREP(PVC_MI_ATOMIC_OPCODE, PVC_MI_ATOMIC_OP_INC);
	*p++ = ggtt_map(&b, x.t, wa, 4096) + 0x800;
	*p++ = 0;
	*p++ = PVC_MI_BATCH_BUFFER_END;
	p = hbm32(&b, ind);
	*p++ = PVC_MI_ATOMIC | PVC_MI_ATOMIC_GGTT |
	       PVC_FIELD_PREP(PVC_MI_ATOMIC_OPCODE, PVC_MI_ATOMIC_OP_INC);
	*p++ = ggtt_map(&b, x.t, ind, 4096) + 0x800;
	*p++ = 0;
	/* the batch has sixteen dwords: commands behind them must not run */
	p[13] = 0xffffffff;
	image(&x)[PVC_LRC_BB_PER_CTX_PTR + 1] = (wa - x.t->dpa_base) | PVC_BB_PER_CTX_VALID;
	image(&x)[PVC_LRC_INDIRECT_CTX + 1] = (ind - x.t->dpa_base) | 1;
	/* the first load restores nothing */
	REQUIRE(run_batch(&x));
	CHECK_EQ(*hbm32(&b, wa + 0x800), 0);
	CHECK_EQ(*hbm32(&b, ind + 0x800), 0);
	for (unsigned int i = 1; i <= 3; i++) {
		BATCH(&x, PVC_MI_STORE_REGISTER_MEM | PVC_MI_SRM_ADD_CS, PVC_CS_WPARID,
		      ADDR(VA(i)));
		REQUIRE(run_batch(&x));
		CHECK_EQ(data32(&x, i), 3);
		CHECK_EQ(*hbm32(&b, wa + 0x800), i);
		CHECK_EQ(*hbm32(&b, ind + 0x800), i);
	}
	bench_fini(&b);
}

TEST(cs_context_time_is_saved_and_grows)
{
	struct bench b;
	struct ctx x;
	uint32_t first;

	bench_init(&b, 1);
	REQUIRE(b.c);
	ctx_init(&b, &x, bench_engine(&b, 0, PVC_CLASS_BCS, 1), 1);
	image(&x)[PVC_LRC_CTX_TIMESTAMP + 1] = 1000;
	BATCH(&x, PVC_MI_STORE_REGISTER_MEM | PVC_MI_SRM_ADD_CS, 0x3a8, ADDR(VA(0)));
	REQUIRE(run_batch(&x));
	first = image(&x)[PVC_LRC_CTX_TIMESTAMP + 1];
	CHECK(data32(&x, 0) >= 1000);
	CHECK(first >= data32(&x, 0));
	CHECK(first < 1000 + CARD_TIMESTAMP_HZ);
	usleep(20000);	/* not running: does not count */
	BATCH(&x, PVC_MI_STORE_REGISTER_MEM | PVC_MI_SRM_ADD_CS, 0x3a8, ADDR(VA(0)));
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
	ctx_init(&b, &x, bench_engine(&b, 0, PVC_CLASS_CCS, 0), 1);
	/* every split of a four-dword command: 5 dwords per job walk the ring */
	for (unsigned int i = 0; i < 3000; i++) {
		/* an operand that would be an invalid command */
		RING(&x, PVC_MI_STORE_DATA_IMM, ADDR(VA(0)), 0xe0000000 | i);
		if (i % 3 == 0)
			ring_dw(&x, PVC_MI_NOOP);
		if (i % 37 == 0) {
			submit(&x);
			REQUIRE(wait_idle(x.e));
			CHECK_EQ(data32(&x, 0), 0xe0000000 | i);
			CHECK_EQ(image(&x)[PVC_LRC_RING_HEAD + 1] & PVC_RING_HEAD_MASK, x.tail);
		}
	}
	CHECK(image(&x)[PVC_LRC_RING_HEAD + 1] >> 21);
	bench_fini(&b);
}

TEST(cs_stop_ring_holds_a_load_back)
{
	struct bench b;
	struct ctx x;

	bench_init(&b, 1);
	REQUIRE(b.c);
	ctx_init(&b, &x, bench_engine(&b, 0, PVC_CLASS_CCS, 0), 1);
	mmio_write(x.t, PVC_RING_MI_MODE(x.e->base), 0x01000100);
	CHECK(mmio_read(x.t, PVC_RING_MI_MODE(x.e->base)) & PVC_MI_MODE_IDLE);
	RING(&x, PVC_MI_STORE_DATA_IMM, ADDR(VA(0)), 1);
	submit(&x);
	usleep(20000);
	CHECK_EQ(data32(&x, 0), 0);
	CHECK(busy(x.e));
	mmio_write(x.t, PVC_RING_MI_MODE(x.e->base), 0x01000000);
	CHECK(wait_idle(x.e));
	CHECK_EQ(data32(&x, 0), 1);
	bench_fini(&b);
}

/* A driver may load again before the engine's thread has taken the first load. */
TEST(cs_loads_wait_in_line)
{
	struct bench b;
	struct ctx x, y;
	struct engine *e;

	bench_init(&b, 1);
	REQUIRE(b.c);
	e = bench_engine(&b, 0, PVC_CLASS_BCS, 3);
	ctx_init(&b, &x, e, 1);
	ctx_init(&b, &y, e, 2);
	RING(&x, PVC_MI_STORE_DATA_IMM, ADDR(VA(0)), 11);
	RING(&y, PVC_MI_STORE_DATA_IMM, ADDR(VA(0)), 22);
	/* STOP_RING keeps the engine from taking loads for a while */
	mmio_write(x.t, PVC_RING_MI_MODE(e->base), 0x01000100);
	submit(&x);
	submit(&y);
	mmio_write(x.t, PVC_RING_MI_MODE(e->base), 0x01000000);
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

/* Batches of random dwords never crash the card, and a reset always works. */
TEST(cs_random_batches_never_crash)
{
	uint64_t seed = 0x9e3779b97f4a7c15ull;
	struct bench b;

	bench_init(&b, 1);
	REQUIRE(b.c);
	for (unsigned int round = 0; round < 150; round++) {
		struct engine *e = bench_engine(&b, 0, round & 1 ? PVC_CLASS_CCS : PVC_CLASS_BCS,
						0);
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
		mmio_write(x.t, PVC_RING_RESET_CTL(e->base), 0x00040004);
		reset_engine(&b, e);
		REQUIRE(!busy(e));
	}
	bench_fini(&b);
}

/* ---- preemption: when a context leaves the engine, and where it continues ---- */

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

/* Each wait begins with an interrupt, also if another context, or one before a reset, waited. */
TEST(cs_a_wait_after_another_interrupts)
{
	struct bench b;
	struct ctx x, y;
	struct engine *e;

	bench_init(&b, 1);
	REQUIRE(b.c);
	e = bench_engine(&b, 0, PVC_CLASS_CCS, 1);
	ctx_init(&b, &x, e, 1);
	ctx_init(&b, &y, e, 2);
	batch_wait(&x, 0, 1);
	batch_end(&x);
	ring_batch(&x, 0);
	submit(&x);
	CHECK(WAIT_FOR(take_irq(e) & PVC_VEC_SEMAPHORE_WAIT));
	batch_wait(&y, 0, 1);
	batch_end(&y);
	ring_batch(&y, 0);
	submit(&y);
	CHECK(WAIT_FOR(take_irq(e) & PVC_VEC_SEMAPHORE_WAIT));
	CHECK_EQ(counter_get(&e->cnt.preemptions), 1);
	reset_engine(&b, e);
	submit(&x);
	CHECK(WAIT_FOR(take_irq(e) & PVC_VEC_SEMAPHORE_WAIT));
	set_data(&x, 0, 1);
	CHECK(wait_idle(e));
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
