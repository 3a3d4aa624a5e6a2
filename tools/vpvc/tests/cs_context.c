// SPDX-License-Identifier: MIT
/*
 * What a context begins with: its own image, or what the engine had before. Mostly the engine has
 * run context x, and context y is about to run.
 */
#include "core/regs.h"
#include "core/strict.h"
#include "tests/cs_test.h"

#define INHIBIT		0x00090009
#define WAIT_BEFORE	0x00080008

/* A batch stores a register of the command streamer to data word @i. */
static void store(struct ctx *x, uint32_t reg, unsigned int i)
{
	BATCH(x, SRM_CS, reg, ADDR(VA(i)));
}

/* A batch of the context leaves @value in GPR 7. */
static bool leave(struct ctx *x, uint32_t value)
{
	BATCH(x, LRI_CS(1), GPR(7), value);
	return run_batch(x);
}

/* The next batch of the context has to find @value in GPR 7. */
static void check_finds(struct ctx *x, uint32_t value)
{
	set_data(x, 0, ~value);
	store(x, GPR(7), 0);
	REQUIRE(run_batch(x));
	CHECK_EQ(data32(x, 0), value);
}

/*
 * A driver that inhibits the restore of a new context hands it the registers of the last one,
 * other processes' secrets among them.
 */
TEST(cs_inhibited_context_has_the_state_of_the_last)
{
	struct pair p;

	REQUIRE(pair_init(&p, PVC_CLASS_CCS));
	BATCH(&p.x, LRI_CS(1), GPR(7), 0x77, LRI_CS(1), PVC_CS_WPARID, 5,
	      LRI_CS(1), PVC_CS_PREDICATE_RESULT, 1);
	REQUIRE(run_batch(&p.x));
	store(&p.y, GPR(7), 0);
	store(&p.y, PVC_CS_WPARID, 1);
	store(&p.y, PVC_CS_PREDICATE_RESULT, 2);
	REQUIRE(run_batch(&p.y));
	CHECK_EQ(data32(&p.y, 0), 0x77);
	CHECK_EQ(data32(&p.y, 1), 5);
	CHECK_EQ(data32(&p.y, 2), 1);
	/* and predication */
	BATCH(&p.x, PVC_MI_SET_PREDICATE | PVC_MI_SET_PREDICATE_NOOP_ALWAYS);
	REQUIRE(run_batch(&p.x));
	image(&p.y)[PVC_LRC_CONTEXT_CONTROL + 1] = INHIBIT;
	RING(&p.y, PVC_MI_STORE_DATA_IMM, ADDR(VA(3)), 1);
	submit(&p.y);
	REQUIRE(wait_idle(p.e));
	CHECK_EQ(data32(&p.y, 3), 0);
	bench_fini(&p.b);
}

TEST(cs_inhibited_context_of_a_kind_card_has_zeros)
{
	struct pair p;

	REQUIRE(pair_init(&p, PVC_CLASS_CCS));
	p.b.c->opt.lenient |= STRICT_STALE_STATE;
	REQUIRE(leave(&p.x, 0x77));
	check_finds(&p.y, 0);
	/* a context that was restored keeps its own */
	check_finds(&p.x, 0x77);
	bench_fini(&p.b);
}

/* An image without the part that only saves write cannot be restored. */
TEST(cs_unsaved_image_is_no_better_than_inhibited)
{
	struct pair p;

	REQUIRE(pair_init(&p, PVC_CLASS_CCS));
	REQUIRE(leave(&p.x, 0x77));
	image(&p.y)[PVC_LRC_CONTEXT_CONTROL + 1] = WAIT_BEFORE;
	check_finds(&p.y, 0x77);
	bench_fini(&p.b);
}

/* A context may have no page tables, but not some without a root. */
TEST(cs_page_tables_have_a_root)
{
	for (unsigned int i = 0; i < 6; i++) {
		bool strict = i & 1, rootless = i / 2 >= 1, without = i / 2 == 2;
		struct bench b;
		struct ctx x;

		bench_init(&b, 1);
		REQUIRE(b.c);
		if (!strict)
			b.c->opt.lenient |= STRICT_PPGTT_ROOT;
		ctx_init(&b, &x, bench_engine(&b, 0, PVC_CLASS_BCS, 1), 1);
		RING(&x, PVC_MI_NOOP);
		ring_close(&x);
		if (rootless) {
			image(&x)[PVC_LRC_PDP0 + 1] = 0;
			image(&x)[PVC_LRC_PDP0_UDW + 1] = 0;
		}
		submit2(x.e, descriptor(&x) & ~(without ? PVC_CTX_PPGTT_ENABLE : 0), 0);
		if (strict && rootless && !without)
			CHECK(WAIT_FOR(mmio_read(x.t, PVC_RING_EIR(x.e->base)) &
				       PVC_ERROR_INSTRUCTION));
		else
			CHECK(wait_idle(x.e));
		bench_fini(&b);
	}
}

/* How a driver gives every context the same start: the image of one, copied. */
TEST(cs_copied_image_is_a_state_of_its_own)
{
	struct pair p;

	REQUIRE(pair_init(&p, PVC_CLASS_CCS));
	REQUIRE(leave(&p.x, 0x11));
	memcpy(image(&p.y), image(&p.x), PVC_LRC_SIZE_CCS - PVC_LRC_STATE_OFFSET);
	image_init(&p.y);
	image(&p.y)[PVC_LRC_END] = PVC_MI_NOOP;
	image(&p.y)[PVC_LRC_CONTEXT_CONTROL + 1] = WAIT_BEFORE;
	image(&p.y)[PVC_LRC_RING_HEAD + 1] = 0;
	REQUIRE(leave(&p.x, 0x22));
	check_finds(&p.y, 0x11);
	bench_fini(&p.b);
}

/* A restore executes the image: what a driver's own end cuts off is not restored. */
TEST(cs_image_that_ends_early_loses_the_rest)
{
	struct pair p;

	REQUIRE(pair_init(&p, PVC_CLASS_CCS));
	REQUIRE(leave(&p.y, 0x11));
	/* A save replaces the end. */
	CHECK_EQ(image(&p.y)[PVC_LRC_END], PVC_MI_NOOP);
	REQUIRE(leave(&p.x, 0x22));
	image(&p.y)[PVC_LRC_END] = PVC_MI_BATCH_BUFFER_END | PVC_MI_BATCH_BUFFER_END_CONTEXT;
	check_finds(&p.y, 0x22);
	bench_fini(&p.b);
}

/* A reset leaves no user's values, nor zeros that a driver could count on. */
TEST(cs_registers_are_noise_after_a_reset)
{
	struct pair p;
	uint32_t first;

	REQUIRE(pair_init(&p, PVC_CLASS_BCS));
	first = mmio_read(p.x.t, p.e->base + GPR(7));
	CHECK(first);
	CHECK(first != mmio_read(p.x.t, p.e->base + GPR(8)));
	REQUIRE(leave(&p.x, 0x77));
	reset_engine(&p.b, p.e);
	CHECK_EQ(mmio_read(p.x.t, p.e->base + GPR(7)), first);
	/* the modes have values that the hardware chose */
	CHECK_EQ(mmio_read(p.x.t, p.e->base + PVC_CS_CHICKEN1(0)), 0);
	bench_fini(&p.b);
}

/* The mode is in the image: a driver's choice stays with the context, and so does a stop. */
TEST(cs_mode_belongs_to_the_context)
{
	struct pair p;

	REQUIRE(pair_init(&p, PVC_CLASS_CCS));
	RING(&p.x, LRI_CS(1), PVC_RING_MI_MODE(0), PVC_MASKED_CLEAR(PVC_MI_MODE_NESTED_BB));
	submit(&p.x);
	REQUIRE(wait_idle(p.e));
	CHECK_EQ(image(&p.x)[PVC_LRC_MI_MODE], p.e->base + PVC_RING_MI_MODE(0));
	CHECK_EQ(image(&p.x)[PVC_LRC_MI_MODE + 1] & PVC_MI_MODE_NESTED_BB, 0);
	RING(&p.y, LRI_CS(1), PVC_RING_MI_MODE(0), PVC_MASKED_SET(PVC_MI_MODE_NESTED_BB));
	submit(&p.y);
	REQUIRE(wait_idle(p.e));
	RING(&p.x, SRM_CS | PVC_MI_SRM_GGTT, PVC_RING_MI_MODE(0),
	     p.x.lrc - p.x.t->dpa_base + 0x100, 0);
	submit(&p.x);
	REQUIRE(wait_idle(p.e));
	CHECK_EQ(*hbm32(&p.b, p.x.lrc + 0x100) & PVC_MI_MODE_NESTED_BB, 0);
	image(&p.x)[PVC_LRC_MI_MODE + 1] = PVC_MASKED_SET(PVC_MI_MODE_STOP_RING);
	RING(&p.x, PVC_MI_STORE_DATA_IMM, ADDR(VA(4)), 1);
	submit(&p.x);
	usleep(20000);
	CHECK_EQ(data32(&p.x, 4), 0);
	mmio_write(p.x.t, PVC_RING_MI_MODE(p.e->base), PVC_MASKED_CLEAR(PVC_MI_MODE_STOP_RING));
	REQUIRE(wait_idle(p.e));
	CHECK_EQ(data32(&p.x, 4), 1);
	bench_fini(&p.b);
}

/* Store @val to word @i, then one command to @target, then store what must not be reached. */
static void level(struct ctx *x, uint32_t at, unsigned int i, uint32_t dw, uint64_t target)
{
	x->batch_at = at;
	BATCH(x, PVC_MI_STORE_DATA_IMM, ADDR(VA(i)), 1, dw);
	if (target)
		BATCH(x, ADDR(target));
}

#define CHAIN	PVC_MI_BATCH_BUFFER_START
#define CALL	(PVC_MI_BATCH_BUFFER_START | PVC_MI_BATCH_BUFFER_START_2ND_LEVEL)
#define END	PVC_MI_BATCH_BUFFER_END

/*
 * What the engine begins with: each start with bit 22 returns to the batch that has it, three
 * levels deep.  In the older mode a second level that starts another one with the bit is replaced.
 */
static void levels(struct pair *p, bool nested)
{
	struct ctx *x = &p->x;

	RING(x, LRI_CS(1), PVC_RING_MI_MODE(0), nested ? PVC_MASKED_SET(PVC_MI_MODE_NESTED_BB) :
						PVC_MASKED_CLEAR(PVC_MI_MODE_NESTED_BB));
	level(x, 0, 0, CALL, BATCH_VA + 0x1000);
	BATCH(x, PVC_MI_STORE_DATA_IMM, ADDR(VA(5)), 1, END);
	level(x, 0x1000, 1, CALL, BATCH_VA + 0x2000);
	BATCH(x, PVC_MI_STORE_DATA_IMM, ADDR(VA(4)), 1, END);
	level(x, 0x2000, 2, CHAIN, BATCH_VA + 0x3000);
	BATCH(x, PVC_MI_STORE_DATA_IMM, ADDR(VA(9)), 1, END);
	level(x, 0x3000, 3, END, 0);
	ring_batch(x, 0);
	submit(x);
	REQUIRE(wait_idle(x->e));
	for (unsigned int i = 0; i < 4; i++)
		CHECK_EQ(data32(x, i), 1);
	CHECK_EQ(data32(x, 4), nested);
	/* the chain of the older mode is to the first level: nothing returns */
	CHECK_EQ(data32(x, 5), nested);
	CHECK_EQ(data32(x, 9), 0);
}

TEST(cs_levels_of_batches)
{
	for (unsigned int nested = 0; nested < 2; nested++) {
		struct pair p;

		REQUIRE(pair_init(&p, PVC_CLASS_BCS));
		CHECK(mmio_read(p.x.t, PVC_RING_MI_MODE(p.e->base)) & PVC_MI_MODE_NESTED_BB);
		levels(&p, nested);
		bench_fini(&p.b);
	}
}
