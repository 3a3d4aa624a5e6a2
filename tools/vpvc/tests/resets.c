// SPDX-License-Identifier: MIT
/*
 * What the strict card does to a driver that asks for a reset once, or without a wait for the
 * power wells that an engine has asked for.
 */
#include "card/inject_command.h"
#include "core/regs.h"
#include "core/strict.h"
#include "pvc_gt_regs.h"
#include "pvc_soc_regs.h"
#include "tests/cs_test.h"

/* A request has an effect if the engine's registers are as after a reset. */
static bool resets(struct tile *t, struct engine *e, uint32_t domain)
{
	mmio_write(t, PVC_RING_HWS_PGA(e->base), 0x1000);
	mmio_write(t, PVC_GDRST, domain);
	CHECK(WAIT_FOR(!(mmio_read(t, PVC_GDRST) & domain)));
	return !mmio_read(t, PVC_RING_HWS_PGA(e->base));
}

/* One of two requests in line has an effect, but not always the first one. */
TEST(resets_are_requested_twice)
{
	unsigned int ignored = 0;
	struct bench b;
	struct engine *e;

	bench_init(&b, 1);
	REQUIRE(b.c);
	e = bench_engine(&b, 0, PVC_CLASS_BCS, 0);
	for (unsigned int i = 0; i < 12; i++) {
		bool first = resets(e->tile, e, PVC_GDRST_BCS0);

		CHECK(resets(e->tile, e, PVC_GDRST_BCS0) || first);
		ignored += !first;
	}
	CHECK(ignored > 0);
	CHECK(ignored < 12);
	bench_fini(&b);
}

/* A request for other domains does not repeat the one that was ignored: it is one of its own. */
TEST(resets_of_others_are_no_repeats)
{
	unsigned int other = 0;
	struct bench b;
	struct engine *e;

	bench_init(&b, 1);
	REQUIRE(b.c);
	e = bench_engine(&b, 0, PVC_CLASS_BCS, 0);
	/* as often as it takes until one is ignored */
	while (resets(e->tile, e, PVC_GDRST_BCS0) && other++ < 12)
		;
	CHECK(other < 12);
	/* of those that follow for another engine each third one is ignored, from the first on */
	e = bench_engine(&b, 0, PVC_CLASS_BCS, 1);
	CHECK(resets(e->tile, e, PVC_GDRST_BCS(1)));
	CHECK(resets(e->tile, e, PVC_GDRST_BCS(1)));
	CHECK(!resets(e->tile, e, PVC_GDRST_BCS(1)));
	CHECK(resets(e->tile, e, PVC_GDRST_BCS(1)));
	bench_fini(&b);
}

TEST(resets_of_a_lenient_card_work)
{
	struct bench b;
	struct engine *e;

	bench_init(&b, 1);
	REQUIRE(b.c);
	e = bench_engine(&b, 0, PVC_CLASS_CCS, 1);
	b.c->opt.lenient = STRICT_RESET_DROP;
	for (unsigned int i = 0; i < 12; i++) {
		mmio_write(e->tile, PVC_RING_HWS_PGA(e->base), 0x1000);
		mmio_write(e->tile, PVC_GDRST, PVC_GDRST_RENDER);
		CHECK_EQ(mmio_read(e->tile, PVC_GDRST), 0);
		CHECK_EQ(mmio_read(e->tile, PVC_RING_HWS_PGA(e->base)), 0);
	}
	bench_fini(&b);
}

static void stop_hung(struct ctx *x, struct engine *e)
{
	batch_wait(x, 0, 1);
	batch_end(x);
	ring_batch(x, 0);
	submit(x);
	CHECK(WAIT_FOR(counter_get(&e->cnt.batches) == 1));
	mmio_write(x->t, PVC_RING_MI_MODE(e->base), PVC_MASKED_SET(PVC_MI_MODE_STOP_RING));
}

/* An engine that is stopped in its work asks for the render well, and has it a moment later. */
TEST(resets_wait_for_wells)
{
	struct bench b;
	struct ctx x;
	struct engine *e;

	bench_init(&b, 1);
	REQUIRE(b.c);
	e = bench_engine(&b, 0, PVC_CLASS_BCS, 0);
	ctx_init(&b, &x, e, 1);
	/* nothing is asked for before, and each request is marked as valid */
	CHECK_EQ(mmio_read(x.t, PVC_MSG_IDLE_BCS), PVC_MSG_IDLE_FW_MASK << 16);
	CHECK(mmio_read(x.t, PVC_PWRGT_DOMAIN_STATUS) & PVC_PWRGT_RENDER_UP);
	stop_hung(&x, e);
	CHECK(atomic_load(&x.t->wake_due[1]) != 0);
	CHECK_EQ(atomic_load(&x.t->wake_due[0]), 0);
	CHECK(WAIT_FOR(mmio_read(x.t, PVC_PWRGT_DOMAIN_STATUS) & PVC_PWRGT_RENDER_UP));
	CHECK_EQ(mmio_read(x.t, PVC_MSG_IDLE_BCS), PVC_MSG_IDLE_FW_MASK << 16);
	reset_engine(&b, e);
	CHECK(!busy(e));
	bench_fini(&b);
}

/* A reset before that never ends, nor does any later one, until the function is reset. */
TEST(resets_without_wells_hang_the_card)
{
	char why[200];
	struct bench b;
	struct ctx x;
	struct engine *e;

	bench_init(&b, 2);
	REQUIRE(b.c);
	e = bench_engine(&b, 0, PVC_CLASS_CCS, 2);
	ctx_init(&b, &x, e, 1);
	stop_hung(&x, e);
	/* for ever, because this test may be slow */
	atomic_store(&x.t->wake_due[0], UINT64_MAX);
	CHECK_EQ(mmio_read(x.t, PVC_MSG_IDLE_CS) & PVC_MSG_IDLE_FW_MASK,
		 PVC_PWRGT_RENDER_UP << PVC_MSG_IDLE_FW_SHIFT);
	CHECK_EQ(mmio_read(x.t, PVC_MSG_IDLE_BCS) & PVC_MSG_IDLE_FW_MASK, 0);
	CHECK_EQ(mmio_read(x.t, PVC_PWRGT_DOMAIN_STATUS) & PVC_PWRGT_RENDER_UP, 0);
	/* the copy engine does not wait */
	CHECK(resets(x.t, bench_engine(&b, 0, PVC_CLASS_BCS, 0), PVC_GDRST_BCS0) ||
	      resets(x.t, bench_engine(&b, 0, PVC_CLASS_BCS, 0), PVC_GDRST_BCS0));
	mmio_write(x.t, PVC_GDRST, PVC_GDRST_RENDER);
	CHECK_EQ(mmio_read(x.t, PVC_GDRST), PVC_GDRST_RENDER);
	mmio_write(&b.c->tiles[1], PVC_GDRST, PVC_GDRST_FULL);
	CHECK_EQ(mmio_read(&b.c->tiles[1], PVC_GDRST), PVC_GDRST_FULL);
	CHECK(busy(e));
	/* a test that takes its faults back does not mend what is no fault of its own */
	CHECK_EQ(inject_command(b.c, "reset-hang", why, sizeof(why)), 0);
	CHECK_EQ(inject_command(b.c, "clear", why, sizeof(why)), 0);
	CHECK_EQ(mmio_read(x.t, PVC_GDRST), PVC_GDRST_RENDER);
	mmio_write(x.t, PVC_GDRST, PVC_GDRST_RENDER);
	CHECK_EQ(mmio_read(x.t, PVC_GDRST), PVC_GDRST_RENDER);
	CHECK(busy(e));
	mmio_write(x.t, PVC_GU_CNTL, PVC_GU_CNTL_DRIVERFLR);
	CHECK_EQ(mmio_read(x.t, PVC_GDRST), 0);
	CHECK(!busy(e));
	CHECK(resets(x.t, e, PVC_GDRST_RENDER) || resets(x.t, e, PVC_GDRST_RENDER));
	bench_fini(&b);
}

/* Firmware that another driver has left schedules until it is reset; a lock stays longer. */
TEST(resets_of_the_guc)
{
	struct bench b;
	struct ctx x;
	struct engine *e;
	char why[200];

	bench_init(&b, 2);
	REQUIRE(b.c);
	e = bench_engine(&b, 0, PVC_CLASS_BCS, 0);
	ctx_init(&b, &x, e, 1);
	CHECK_EQ(mmio_read(x.t, PVC_GUC_STATUS), PVC_GUC_STATUS_IN_RESET);
	CHECK_EQ(inject_command(b.c, "guc-ran tile=0", why, sizeof(why)), 0);
	CHECK(!(mmio_read(x.t, PVC_GUC_STATUS) & PVC_GUC_STATUS_IN_RESET));
	CHECK_EQ(mmio_read(&b.c->tiles[1], PVC_GUC_STATUS), PVC_GUC_STATUS_IN_RESET);
	batch_end(&x);
	ring_batch(&x, 0);
	submit(&x);
	CHECK_EQ(counter_get(&e->cnt.elsq_loads), 0);
	for (int i = 0; i < 2; i++)
		mmio_write(x.t, PVC_GDRST, PVC_GDRST_GUC);
	CHECK(mmio_read(x.t, PVC_GUC_STATUS) & PVC_GUC_STATUS_IN_RESET);
	submit(&x);
	CHECK(wait_idle(e));
	CHECK_EQ(counter_get(&e->cnt.batches), 1);
	mmio_write(x.t, PVC_GUC_WOPCM_SIZE, 0);
	CHECK(mmio_read(x.t, PVC_GUC_WOPCM_SIZE) & PVC_GUC_WOPCM_SIZE_LOCKED);
	mmio_write(x.t, PVC_GU_CNTL, PVC_GU_CNTL_DRIVERFLR);
	CHECK_EQ(mmio_read(x.t, PVC_GUC_WOPCM_SIZE), 0);
	/* What a driver locks itself stays when faults are taken back; what was injected goes. */
	mmio_write(x.t, PVC_GUC_WOPCM_SIZE, 0x00200000 | PVC_GUC_WOPCM_SIZE_LOCKED);
	CHECK_EQ(inject_command(b.c, "clear", why, sizeof(why)), 0);
	CHECK(mmio_read(x.t, PVC_GUC_WOPCM_SIZE) & PVC_GUC_WOPCM_SIZE_LOCKED);
	CHECK_EQ(inject_command(b.c, "guc-ran tile=1", why, sizeof(why)), 0);
	CHECK_EQ(inject_command(b.c, "clear", why, sizeof(why)), 0);
	CHECK_EQ(mmio_read(&b.c->tiles[1], PVC_GUC_STATUS), PVC_GUC_STATUS_IN_RESET);
	bench_fini(&b);
}

TEST(resets_of_a_lenient_card_need_no_wells)
{
	struct bench b;
	struct ctx x;
	struct engine *e;

	bench_init(&b, 1);
	REQUIRE(b.c);
	b.c->opt.lenient = STRICT_PENDING_MI;
	e = bench_engine(&b, 0, PVC_CLASS_CCS, 0);
	ctx_init(&b, &x, e, 1);
	stop_hung(&x, e);
	CHECK_EQ(mmio_read(x.t, PVC_MSG_IDLE_CS) & PVC_MSG_IDLE_FW_MASK, 0);
	reset_engine(&b, e);
	CHECK(!busy(e));
	bench_fini(&b);
}
