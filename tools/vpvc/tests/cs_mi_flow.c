// SPDX-License-Identifier: MIT
/* MI commands that control the flow: waits, conditions, levels of batches, predication. */
#include "core/regs.h"
#include "tests/cs_test.h"

static void semaphore(struct ctx *x, uint32_t flags, unsigned int op, uint32_t data, uint64_t addr,
		      bool five)
{
	BATCH(x, (five ? PVC_MI_SEMAPHORE_WAIT : PVC_MI_SEMAPHORE_WAIT_4DW) |
	      PVC_MI_SEMAPHORE_POLL |
	      flags | PVC_FIELD_PREP(PVC_MI_SEMAPHORE_COMPARE, op), data, ADDR(addr));
	if (five)
		batch_dw(x, 0);
}

TEST(mi_semaphore_comparisons)
{
	static const struct { unsigned int op; uint32_t mem, imm; bool pass; } cases[] = {
		{ PVC_MI_COMPARE_GT, 6, 5, true }, { PVC_MI_COMPARE_GT, 5, 5, false },
		{ PVC_MI_COMPARE_GE, 5, 5, true }, { PVC_MI_COMPARE_GE, 4, 5, false },
		{ PVC_MI_COMPARE_LT, 4, 5, true }, { PVC_MI_COMPARE_LT, 5, 5, false },
		{ PVC_MI_COMPARE_LE, 5, 5, true }, { PVC_MI_COMPARE_LE, 6, 5, false },
		{ PVC_MI_COMPARE_EQ, 5, 5, true }, { PVC_MI_COMPARE_EQ, 6, 5, false },
		{ PVC_MI_COMPARE_NE, 6, 5, true }, { PVC_MI_COMPARE_NE, 5, 5, false },
		/* unsigned */
		{ PVC_MI_COMPARE_GT, 0x80000000, 1, true },
	};
	struct bench b;

	bench_init(&b, 1);
	REQUIRE(b.c);
	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct engine *e = bench_engine(&b, 0, PVC_CLASS_BCS, 0);
		struct ctx x;

		b.next[0] = 0x4000000;
		ctx_init(&b, &x, e, 1);
		set_data(&x, 0, cases[i].mem);
		semaphore(&x, 0, cases[i].op, cases[i].imm, VA(0), i & 1);
		BATCH(&x, PVC_MI_STORE_DATA_IMM, ADDR(VA(1)), 1, PVC_MI_BATCH_BUFFER_END);
		ring_batch(&x, 0);
		submit(&x);
		if (cases[i].pass) {
			CHECK(wait_idle(e));
		} else {
			usleep(5000);
			CHECK(busy(e));
			CHECK(WAIT_FOR(take_irq(e) & PVC_VEC_SEMAPHORE_WAIT));
			reset_engine(&b, e);
		}
		CHECK_EQ(data32(&x, 1), cases[i].pass);
	}
	bench_fini(&b);
}

TEST(mi_semaphore_register_poll_and_partition)
{
	struct bench b;
	struct ctx x;

	bench_init(&b, 1);
	REQUIRE(b.c);
	ctx_init(&b, &x, bench_engine(&b, 0, PVC_CLASS_CCS, 1), 1);
	BATCH(&x, LRI_CS(3), GPR(0), 5, PVC_CS_WPARID, 3, PVC_CS_PARTITION_STRIDE, 16);
	semaphore(&x, PVC_MI_SEMAPHORE_REGISTER_POLL, PVC_MI_COMPARE_EQ, 5, 0x2000 + GPR(0), true);
	set_data(&x, 12, 9);
	semaphore(&x, PVC_MI_SEMAPHORE_WPARID_OFFSET, PVC_MI_COMPARE_EQ, 9, VA(0), true);
	semaphore(&x, PVC_MI_SEMAPHORE_INDIRECT_DATA | PVC_MI_SEMAPHORE_WPARID_OFFSET,
		  PVC_MI_COMPARE_GT, 0x2000 + GPR(0), VA(0), true);
	REQUIRE(run_batch(&x));
	/* a register the host changes releases it */
	semaphore(&x, PVC_MI_SEMAPHORE_REGISTER_POLL, PVC_MI_COMPARE_EQ, 6, 0x2000 + GPR(0), true);
	BATCH(&x, PVC_MI_BATCH_BUFFER_END);
	ring_batch(&x, 0);
	submit(&x);
	usleep(5000);
	CHECK(busy(x.e));
	mmio_write(x.t, x.e->base + GPR(0), 6);
	CHECK(wait_idle(x.e));
	bench_fini(&b);
}

TEST(mi_conditional_batch_end)
{
	static const struct { unsigned int op; uint32_t mem, imm; bool on; } cases[] = {
		{ PVC_MI_COMPARE_GT, 1, 0, true }, { PVC_MI_COMPARE_GT, 0, 0, false },
		{ PVC_MI_COMPARE_NE, 1, 0, true }, { PVC_MI_COMPARE_NE, 7, 7, false },
		{ PVC_MI_COMPARE_EQ, 7, 7, true }, { PVC_MI_COMPARE_LE, 8, 7, false },
	};
	struct bench b;
	struct ctx x;

	bench_init(&b, 1);
	REQUIRE(b.c);
	ctx_init(&b, &x, bench_engine(&b, 0, PVC_CLASS_CCS, 0), 1);
	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		set_data(&x, 0, cases[i].mem);
		set_data(&x, 2, 0);
		BATCH(&x, PVC_MI_CONDITIONAL_BATCH_BUFFER_END | PVC_MI_COND_BBE_COMPARE_SEMAPHORE |
		      PVC_FIELD_PREP(PVC_MI_COND_BBE_COMPARE,
				     cases[i].op), cases[i].imm, ADDR(VA(0)),
		      PVC_MI_STORE_DATA_IMM, ADDR(VA(2)), 1);
		REQUIRE(run_batch(&x));
		CHECK_EQ(data32(&x, 2), cases[i].on);
	}
	/* an odd dword is compared by itself */
	set_data(&x, 0, 1);
	set_data(&x, 1, 0);
	set_data(&x, 2, 0);
	BATCH(&x, PVC_MI_CONDITIONAL_BATCH_BUFFER_END | PVC_MI_COND_BBE_COMPARE_SEMAPHORE |
	      PVC_FIELD_PREP(PVC_MI_COND_BBE_COMPARE, PVC_MI_COMPARE_GT), 0, ADDR(VA(1)),
	      PVC_MI_STORE_DATA_IMM, ADDR(VA(2)), 1);
	REQUIRE(run_batch(&x));
	CHECK_EQ(data32(&x, 2), 0);
	/* mask mode: mem & mask in the dword behind */
	set_data(&x, 0, 0xf5);
	set_data(&x, 1, 0x0f);
	set_data(&x, 2, 0);
	BATCH(&x, PVC_MI_CONDITIONAL_BATCH_BUFFER_END | PVC_MI_COND_BBE_COMPARE_SEMAPHORE |
	      PVC_MI_COND_BBE_MASK_MODE | PVC_FIELD_PREP(PVC_MI_COND_BBE_COMPARE,
							 PVC_MI_COMPARE_EQ), 5,
	      ADDR(VA(0)), PVC_MI_STORE_DATA_IMM, ADDR(VA(2)), 1);
	REQUIRE(run_batch(&x));
	CHECK_EQ(data32(&x, 2), 1);
	bench_fini(&b);
}

/* Write a batch at @at: a store of @val to word @i, then a command and its operands. */
static void put(struct ctx *x, uint32_t at, unsigned int i, uint32_t val, uint32_t dw,
		uint64_t target)
{
	x->batch_at = at;
	BATCH(x, PVC_MI_STORE_DATA_IMM, ADDR(VA(i)), val, dw);
	if (target)
		BATCH(x, ADDR(target));
}

TEST(mi_batch_levels)
{
	struct bench b;
	struct ctx x;

	bench_init(&b, 1);
	REQUIRE(b.c);
	ctx_init(&b, &x, bench_engine(&b, 0, PVC_CLASS_BCS, 0), 1);
	RING(&x, LRI_CS(1), PVC_RING_MI_MODE(0), PVC_MASKED_CLEAR(PVC_MI_MODE_NESTED_BB));
	/* first calls second level at 0x1000, which chains inside its level to 0x2000 */
	put(&x, 0, 0, 1, PVC_MI_BATCH_BUFFER_START | PVC_MI_BATCH_BUFFER_START_2ND_LEVEL,
	    BATCH_VA + 0x1000);
	BATCH(&x, PVC_MI_STORE_DATA_IMM, ADDR(VA(3)), 4);
	/* then jumps, without return, to 0x3000 */
	BATCH(&x, PVC_MI_BATCH_BUFFER_START, ADDR(BATCH_VA + 0x3000));
	BATCH(&x, PVC_MI_STORE_DATA_IMM, ADDR(VA(9)), 0xbad, PVC_MI_BATCH_BUFFER_END);
	put(&x, 0x1000, 1, 2, PVC_MI_BATCH_BUFFER_START | PVC_MI_BATCH_BUFFER_START_2ND_LEVEL,
	    BATCH_VA + 0x2000);
	BATCH(&x, PVC_MI_STORE_DATA_IMM, ADDR(VA(9)), 0xbad, PVC_MI_BATCH_BUFFER_END);
	put(&x, 0x2000, 2, 3, PVC_MI_BATCH_BUFFER_END, 0);
	put(&x, 0x3000, 4, 5, PVC_MI_BATCH_BUFFER_END, 0);
	ring_batch(&x, 0);
	RING(&x, PVC_MI_STORE_DATA_IMM, ADDR(VA(5)), 6);
	/* bit 22 from the ring is a call into the first level */
	RING(&x, PVC_MI_BATCH_BUFFER_START | PVC_MI_BATCH_BUFFER_START_PPGTT |
	     PVC_MI_BATCH_BUFFER_START_2ND_LEVEL, ADDR(BATCH_VA + 0x3000));
	RING(&x, PVC_MI_STORE_DATA_IMM, ADDR(VA(6)), 7);
	submit(&x);
	REQUIRE(wait_idle(x.e));
	for (unsigned int i = 0; i < 7; i++)
		CHECK_EQ(data32(&x, i), i + 1);
	CHECK_EQ(data32(&x, 9), 0);
	bench_fini(&b);
}

TEST(mi_predication)
{
	static const struct { uint32_t wparid, mask, mode; bool noop; } cases[] = {
		{ 0, 0xffff, PVC_MI_SET_PREDICATE_WPARID_ZERO, true },
		{ 1, 0xffff, PVC_MI_SET_PREDICATE_WPARID_ZERO, false },
		{ 0, 0xffff, PVC_MI_SET_PREDICATE_WPARID_NONZERO, false },
		{ 1, 0xffff, PVC_MI_SET_PREDICATE_WPARID_NONZERO, true },
		{ 1, 0xfffe, PVC_MI_SET_PREDICATE_WPARID_NONZERO, false },
		{ 2, 0xfffe, PVC_MI_SET_PREDICATE_WPARID_NONZERO, true },
	};
	struct bench b;
	struct ctx x;

	bench_init(&b, 1);
	REQUIRE(b.c);
	ctx_init(&b, &x, bench_engine(&b, 0, PVC_CLASS_CCS, 0), 1);
	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		memset(hbm32(&b, x.data), 0, 64);
		BATCH(&x, LRI_CS(2), PVC_CS_WPARID, cases[i].wparid, PVC_CS_WPARID_MASK,
		      cases[i].mask, PVC_MI_SET_PREDICATE |
		      PVC_FIELD_PREP(PVC_MI_SET_PREDICATE_WPARID, cases[i].mode));
		BATCH(&x, PVC_MI_STORE_DATA_IMM, ADDR(VA(0)), 1);
		BATCH(&x, PVC_MI_BATCH_BUFFER_START | PVC_MI_BATCH_BUFFER_START_PREDICATE,
		      ADDR(BATCH_VA + 0x1000));
		BATCH(&x, PVC_MI_SET_PREDICATE, PVC_MI_STORE_DATA_IMM, ADDR(VA(1)), 1);
		*hbm32(&b, x.batch + 0x1000) = PVC_MI_BATCH_BUFFER_END;
		REQUIRE(run_batch(&x));
		CHECK_EQ(data32(&x, 0), !cases[i].noop);
		/* without a jump the next commands run */
		CHECK_EQ(data32(&x, 1), cases[i].noop);
	}
	/* MI_PREDICATE into result; SRM obeys it, and a predicated PIPE_CONTROL */
	for (unsigned int i = 0; i < 2; i++) {
		memset(hbm32(&b, x.data), 0, 64);
		BATCH(&x, LRI_CS(5), PVC_CS_PREDICATE_SRC0, 5, PVC_CS_PREDICATE_SRC0 + 4, 0,
		      PVC_CS_PREDICATE_SRC1, 5 + i, PVC_CS_PREDICATE_SRC1 + 4, 0, GPR(0), 7);
		BATCH(&x, PVC_MI_PREDICATE |
		      PVC_FIELD_PREP(PVC_MI_PREDICATE_LOAD, PVC_MI_PREDICATE_LOAD_LOAD) |
		      PVC_FIELD_PREP(PVC_MI_PREDICATE_COMPARE, PVC_MI_PREDICATE_COMPARE_SRCS));
		BATCH(&x, SRM_CS | PVC_MI_SRM_PREDICATE, GPR(0), ADDR(VA(0)));
		BATCH(&x, PVC_PIPE_CONTROL | PVC_PIPE_CONTROL0_PREDICATE,
		      PVC_FIELD_PREP(PVC_PIPE_CONTROL1_POST_SYNC, PVC_POST_SYNC_IMM),
		      ADDR(VA(2)), 7, 0);
		REQUIRE(run_batch(&x));
		CHECK_EQ(data32(&x, 0), i ? 0 : 7);
		CHECK_EQ(data32(&x, 2), i ? 0 : 7);
	}
	/* predicated end */
	memset(hbm32(&b, x.data), 0, 64);
	BATCH(&x, PVC_MI_SET_PREDICATE |
	      PVC_FIELD_PREP(PVC_MI_SET_PREDICATE_ENABLE, PVC_MI_SET_PREDICATE_NOOP_ALWAYS),
	      PVC_MI_BATCH_BUFFER_END | PVC_MI_BATCH_BUFFER_END_PREDICATE,
	      PVC_MI_SET_PREDICATE, PVC_MI_STORE_DATA_IMM, ADDR(VA(0)), 3,
	      PVC_MI_BATCH_BUFFER_END | PVC_MI_BATCH_BUFFER_END_PREDICATE,
	      PVC_MI_STORE_DATA_IMM, ADDR(VA(1)), 3);
	REQUIRE(run_batch(&x));
	CHECK_EQ(data32(&x, 0), 3);
	CHECK_EQ(data32(&x, 1), 0);
	bench_fini(&b);
}

#define PREDICATE_ON	(PVC_MI_SET_PREDICATE | \
			 PVC_FIELD_PREP(PVC_MI_SET_PREDICATE_ENABLE,	\
					PVC_MI_SET_PREDICATE_NOOP_ALWAYS))

/* A flush with a post-sync write, in the form of each class. */
static void ring_flush(struct ctx *x, uint64_t va, uint32_t val)
{
	if (x->e->class == PVC_CLASS_CCS)
		RING(x, PVC_PIPE_CONTROL, PVC_PIPE_CONTROL1_CS_STALL |
		     PVC_FIELD_PREP(PVC_PIPE_CONTROL1_POST_SYNC,
				    PVC_POST_SYNC_IMM), ADDR(va), val, 0);
	else
		RING(x, PVC_MI_FLUSH_DW_QW |
		     PVC_FIELD_PREP(PVC_MI_FLUSH_DW_POST_SYNC,
				    PVC_POST_SYNC_IMM), ADDR(va), val, 0);
}

/* The commands of a driver's ring under predication that a batch has left on. */
static void predicate_left_on(struct bench *b, struct engine *e)
{
	struct ctx x, y;

	ctx_init(b, &x, e, 1);
	ctx_init(b, &y, e, 2);
	/* a context of its own state, and not of what the engine had before */
	submit(&y);
	REQUIRE(wait_idle(e));
	take_irq(e);
	BATCH(&x, LRI_CS(1), GPR(0), 0, PREDICATE_ON, PVC_MI_BATCH_BUFFER_END);
	x.batch_at = 0x1000;
	BATCH(&x, PVC_MI_SET_PREDICATE, PVC_MI_STORE_DATA_IMM, ADDR(VA(8)), 3,
	      PVC_MI_BATCH_BUFFER_END);
	ring_batch(&x, 0);
	RING(&x, PVC_MI_STORE_DATA_IMM, ADDR(VA(0)), 1);
	RING(&x, LRI_CS(1), GPR(0), 1);
	ring_flush(&x, VA(2), 1);
	RING(&x, PVC_MI_USER_INTERRUPT);
	submit(&x);
	REQUIRE(wait_idle(e));
	/* predication was saved, and no other context has it */
	RING(&y, PVC_MI_STORE_DATA_IMM, ADDR(VA(0)), 2);
	submit(&y);
	REQUIRE(wait_idle(e));
	CHECK_EQ(data32(&y, 0), 2);
	/* it is on again until the next batch switches it off */
	RING(&x, PVC_MI_STORE_DATA_IMM, ADDR(VA(4)), 1);
	ring_batch(&x, 0x1000);
	ring_flush(&x, VA(6), 4);
	RING(&x, SRM_CS, GPR(0), ADDR(VA(10)));
	submit(&x);
	REQUIRE(wait_idle(e));
	for (unsigned int i = 0; i <= 4; i += 2)
		CHECK_EQ(data32(&x, i), 0);
	CHECK_EQ(data32(&x, 8), 3);
	CHECK_EQ(data32(&x, 6), 4);
	CHECK_EQ(data32(&x, 10), 0);
	CHECK_EQ(take_irq(e) & PVC_VEC_USER, 0);
}

/* Predication off at a batch's end is off in the ring, and when the context comes back. */
TEST(mi_predicate_left_on)
{
	struct bench b;

	bench_init(&b, 1);
	REQUIRE(b.c);
	predicate_left_on(&b, bench_engine(&b, 0, PVC_CLASS_CCS, 0));
	predicate_left_on(&b, bench_engine(&b, 0, PVC_CLASS_BCS, 1));
	bench_fini(&b);
}

/* The ring can switch predication off, because MI_SET_PREDICATE always runs. */
TEST(mi_predicate_is_switched_off_in_the_ring)
{
	struct bench b;
	struct ctx x;

	bench_init(&b, 1);
	REQUIRE(b.c);
	ctx_init(&b, &x, bench_engine(&b, 0, PVC_CLASS_CCS, 0), 1);
	BATCH(&x, PREDICATE_ON, PVC_MI_BATCH_BUFFER_END);
	ring_batch(&x, 0);
	RING(&x, PVC_MI_SET_PREDICATE);
	ring_flush(&x, VA(0), 5);
	submit(&x);
	REQUIRE(wait_idle(x.e));
	CHECK_EQ(data32(&x, 0), 5);
	bench_fini(&b);
}

/*
 * The loop of user-mode drivers for dynamic partitioning, with a counter in place of the
 * walker, on two tiles: each partition runs exactly once.
 */
TEST(mi_dynamic_partition_loop)
{
	struct bench b;
	struct ctx x[2];

	bench_init(&b, 2);
	REQUIRE(b.c);
	for (unsigned int i = 0; i < 2; i++) {
		struct ctx *p = &x[i];

		ctx_init(&b, p, bench_engine(&b, i, PVC_CLASS_CCS, 0), i + 1);
		ppgtt_map(&b, i, p->root, USER_VA, x[0].data | PVC_PTE_PRESENT | PVC_PTE_WRITE |
			  PVC_PTE_DM | PVC_PDE_2M, 1);
		BATCH(p, PVC_MI_LOAD_REGISTER_IMM(2) | PVC_MI_LRI_REMAP, 0x21fc, 0xfff8, 0x23b4, 8);
		BATCH(p, PVC_MI_ATOMIC | PVC_FIELD_PREP(PVC_MI_ATOMIC_OPCODE,
							PVC_MI_ATOMIC_OP_INC) |
		      PVC_MI_ATOMIC_RETURN_DATA | PVC_MI_ATOMIC_CS_STALL, ADDR(VA(0)),
		      0, 0, 0, 0, 0, 0, 0, 0);
		BATCH(p, PVC_MI_LOAD_REGISTER_REG | PVC_MI_LRR_REMAP_SRC | PVC_MI_LRR_REMAP_DST,
		      0x2620, 0x221c);
		BATCH(p, PVC_MI_SET_PREDICATE |
		      PVC_FIELD_PREP(PVC_MI_SET_PREDICATE_WPARID,
				     PVC_MI_SET_PREDICATE_WPARID_NONZERO));
		BATCH(p, PVC_MI_BATCH_BUFFER_START | PVC_MI_BATCH_BUFFER_START_PPGTT |
		      PVC_MI_BATCH_BUFFER_START_PREDICATE, ADDR(BATCH_VA + 0x1000));
		BATCH(p, PVC_MI_SET_PREDICATE);
		/* all tiles reached */
		BATCH(p, PVC_MI_ATOMIC | PVC_FIELD_PREP(PVC_MI_ATOMIC_OPCODE, PVC_MI_ATOMIC_OP_INC),
		      ADDR(VA(1)));
		semaphore(p, 0, PVC_MI_COMPARE_GE, 2, VA(1), true);
		BATCH(p, PVC_MI_BATCH_BUFFER_END);
		p->batch_at = 0x1000;
		/* count at 100 + 2 * partition */
		BATCH(p, PVC_MI_ATOMIC | PVC_FIELD_PREP(PVC_MI_ATOMIC_OPCODE, PVC_MI_ATOMIC_OP_INC),
		      PVC_LOWER_32(VA(100)) | PVC_MI_ATOMIC_WPARID_OFFSET, PVC_UPPER_32(VA(100)));
		BATCH(p, PVC_MI_BATCH_BUFFER_START | PVC_MI_BATCH_BUFFER_START_PPGTT,
		      ADDR(BATCH_VA));
		ring_batch(p, 0);
	}
	submit(&x[0]);
	submit(&x[1]);
	CHECK(wait_idle(x[0].e));
	CHECK(wait_idle(x[1].e));
	for (unsigned int i = 0; i < 10; i++)
		CHECK_EQ(data32(&x[0], 100 + 2 * i), i < 8);
	CHECK_EQ(data32(&x[0], 0), 10);
	bench_fini(&b);
}
