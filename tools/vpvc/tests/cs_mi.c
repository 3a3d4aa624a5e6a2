// SPDX-License-Identifier: MIT
/* MI commands that move data, FLUSH_DW and PIPE_CONTROL, seen from memory. */
#include "bus/dma.h"
#include "card.h"
#include "core/clock.h"
#include "core/regs.h"
#include "tests/cs_test.h"

TEST(mi_store_data_imm_forms)
{
	struct bench b;
	struct ctx x;

	bench_init(&b, 1);
	REQUIRE(b.c);
	ctx_init(&b, &x, bench_engine(&b, 0, PVC_CLASS_CCS, 0), 1);
	BATCH(&x, PVC_MI_STORE_DATA_IMM, ADDR(VA(0)), 0x11111111);
	BATCH(&x, PVC_MI_STORE_DATA_IMM_QW(1), ADDR(VA(2)), 0x22222222, 0x33333333);
	BATCH(&x, PVC_MI_STORE_DATA_IMM_QW(3), ADDR(VA(4)), 1, 2, 3, 4, 5, 6);
	/* canonical address: bits above 57 are all alike */
	BATCH(&x, PVC_MI_STORE_DATA_IMM, PVC_LOWER_32(VA(10)), PVC_UPPER_32(VA(10)) | 0xfe000000,
	      7);
	/* partition 3 of stride 8 */
	BATCH(&x, LRI_CS(2), PVC_CS_WPARID, 3, PVC_CS_PARTITION_STRIDE, 8);
	BATCH(&x, PVC_MI_STORE_DATA_IMM | PVC_MI_SDI_WPARID_OFFSET, ADDR(VA(20)), 0x77);
	REQUIRE(run_batch(&x));
	CHECK_EQ(data32(&x, 0), 0x11111111);
	CHECK_EQ(data64(&x, 2), 0x3333333322222222);
	for (unsigned int i = 0; i < 6; i++)
		CHECK_EQ(data32(&x, 4 + i), i + 1);
	CHECK_EQ(data32(&x, 10), 7);
	CHECK_EQ(data32(&x, 20), 0);
	CHECK_EQ(data32(&x, 26), 0x77);

	/* as many qwords as the length field can say */
	batch_dw(&x, PVC_MI_STORE_DATA_IMM_QW(PVC_MI_SDI_QWORDS_MAX));
	BATCH(&x, ADDR(VA(1000)));
	for (unsigned int i = 0; i < 2 * PVC_MI_SDI_QWORDS_MAX; i++)
		batch_dw(&x, i + 5);
	REQUIRE(run_batch(&x));
	CHECK_EQ(data32(&x, 1000), 5);
	CHECK_EQ(data32(&x, 1000 + 2 * PVC_MI_SDI_QWORDS_MAX - 1), 2 * PVC_MI_SDI_QWORDS_MAX + 4);
	bench_fini(&b);
}

TEST(mi_registers_and_memory)
{
	struct bench b;
	struct ctx x;
	struct engine *e;

	bench_init(&b, 1);
	REQUIRE(b.c);
	e = bench_engine(&b, 0, PVC_CLASS_BCS, 4);
	ctx_init(&b, &x, e, 1);
	set_data(&x, 0, 0xabcd1234);
	set_data(&x, 12, 0x5150);
	/* engine-relative, remapped from both bases, absolute */
	BATCH(&x, LRI_CS(1), GPR(0), 1);
	BATCH(&x, PVC_MI_LOAD_REGISTER_IMM(1) | PVC_MI_LRI_REMAP, 0x2000 + GPR(1), 2);
	BATCH(&x, PVC_MI_LOAD_REGISTER_IMM(1) | PVC_MI_LRI_REMAP, 0x22000 + GPR(2), 3);
	BATCH(&x, PVC_MI_LOAD_REGISTER_IMM(1), e->base + GPR(3), 4);
	BATCH(&x, PVC_MI_LOAD_REGISTER_MEM | PVC_MI_LRM_REMAP, 0x2000 + GPR(4), ADDR(VA(0)));
	BATCH(&x, PVC_MI_LOAD_REGISTER_REG | PVC_MI_LRR_REMAP_SRC | PVC_MI_LRR_REMAP_DST,
	      0x2000 + GPR(4), 0x2000 + GPR(5));
	BATCH(&x, PVC_MI_LOAD_REGISTER_REG | PVC_MI_LRR_ADD_CS_SRC | PVC_MI_LRR_ADD_CS_DST,
	      GPR(5), GPR(6) + 4);
	for (unsigned int i = 0; i < 6; i++)
		BATCH(&x, SRM_CS, GPR(i), ADDR(VA(100 + i)));
	BATCH(&x, PVC_MI_STORE_REGISTER_MEM | PVC_MI_SRM_REMAP, 0x2000 + GPR(6) + 4, ADDR(VA(106)));
	/* byte 1 kept */
	BATCH(&x, LRI_CS(1) | PVC_FIELD_PREP(PVC_MI_LRI_BYTE_DISABLE, 2), GPR(5), 0xffffffff,
	      SRM_CS, GPR(5), ADDR(VA(107)));
	/* partition offset of LRM and SRM */
	BATCH(&x, LRI_CS(2), PVC_CS_WPARID, 2, PVC_CS_PARTITION_STRIDE, 16);
	BATCH(&x, PVC_MI_LOAD_REGISTER_MEM | PVC_MI_LRM_ADD_CS | PVC_MI_LRM_WPARID_OFFSET, GPR(8),
	      ADDR(VA(4)));
	BATCH(&x, SRM_CS | PVC_MI_SRM_WPARID_OFFSET, GPR(8), ADDR(VA(110)));
	REQUIRE(run_batch(&x));
	for (unsigned int i = 0; i < 4; i++)
		CHECK_EQ(data32(&x, 100 + i), i + 1);
	CHECK_EQ(data32(&x, 104), 0xabcd1234);
	CHECK_EQ(data32(&x, 105), 0xabcd1234);
	CHECK_EQ(data32(&x, 106), 0xabcd1234);
	CHECK_EQ(data32(&x, 107), 0xffff12ff);
	CHECK_EQ(data32(&x, 118), 0x5150);
	/* the registers stay readable by the host */
	CHECK_EQ(mmio_read(x.t, e->base + GPR(3)), 4);
	CHECK_EQ(mmio_read(x.t, e->base + PVC_CS_WPARID), 2);
	bench_fini(&b);
}

TEST(mi_users_keep_to_their_registers_and_tables)
{
	struct bench b;
	struct ctx x;
	uint32_t ggtt;

	bench_init(&b, 1);
	REQUIRE(b.c);
	ctx_init(&b, &x, bench_engine(&b, 0, PVC_CLASS_CCS, 0), 1);
	ggtt = x.lrc - x.t->dpa_base;
	BATCH(&x, LRI_CS(1), GPR(0), 0, LRI_CS(1), GPR(9), 0);
	BATCH(&x, PVC_MI_LOAD_REGISTER_IMM(1), PVC_RCU_MODE, 0x00030000);
	BATCH(&x, LRI_CS(1), 0x80, 0xbad000);
	BATCH(&x, PVC_MI_STORE_DATA_IMM | PVC_MI_SDI_GGTT, ggtt + 0x100, 0, 0xbad);
	BATCH(&x, PVC_MI_LOAD_REGISTER_MEM | PVC_MI_LRM_GGTT | PVC_MI_LRM_ADD_CS, GPR(0),
	      ggtt + 0x1000, 0);
	BATCH(&x, SRM_CS, GPR(0), ADDR(VA(0)));
	BATCH(&x, PVC_MI_ATOMIC | PVC_MI_ATOMIC_GGTT |
	      PVC_FIELD_PREP(PVC_MI_ATOMIC_OPCODE, PVC_MI_ATOMIC_OP_INC), ggtt + 0x100, 0);
	BATCH(&x, PVC_MI_UPDATE_GTT | 2, ggtt, 0, 0);
	BATCH(&x, PVC_PIPE_CONTROL, PVC_PIPE_CONTROL1_GGTT |
	      PVC_FIELD_PREP(PVC_PIPE_CONTROL1_POST_SYNC,
			     PVC_POST_SYNC_IMM), ggtt + 0x100, 0, 1, 1);
	/* nor may a user's batch start one in the GGTT */
	BATCH(&x, PVC_MI_BATCH_BUFFER_START, ADDR(BATCH_VA + 0x1000));
	*hbm32(&b, x.batch + 0x1000) = PVC_MI_STORE_DATA_IMM | PVC_MI_SDI_GGTT;
	*hbm32(&b, x.batch + 0x1004) = ggtt + 0x100;
	*hbm32(&b, x.batch + 0x1008) = 0;
	*hbm32(&b, x.batch + 0x100c) = 0xbad;
	*hbm32(&b, x.batch + 0x1010) = PVC_MI_STORE_DATA_IMM;
	*hbm32(&b, x.batch + 0x1014) = PVC_LOWER_32(VA(1));
	*hbm32(&b, x.batch + 0x1018) = PVC_UPPER_32(VA(1));
	*hbm32(&b, x.batch + 0x101c) = 5;
	*hbm32(&b, x.batch + 0x1020) = PVC_MI_BATCH_BUFFER_END;
	REQUIRE(run_batch(&x));
	CHECK_EQ(mmio_read(x.t, PVC_RCU_MODE) & 3, 3);
	CHECK(mmio_read(x.t, PVC_RING_HWS_PGA(x.e->base)) != 0xbad000);
	CHECK_EQ(*hbm32(&b, x.lrc + 0x100), 0);
	CHECK_EQ(data32(&x, 0), 0);
	CHECK_EQ(data32(&x, 1), 5);

	/* a slot opens one, another denies reading */
	mmio_write(x.t, PVC_FORCE_TO_NONPRIV(x.e->base, 0), 0x14800);
	mmio_write(x.t, PVC_FORCE_TO_NONPRIV(x.e->base, 1), (x.e->base + GPR(9)) |
		   PVC_NONPRIV_DENY);
	BATCH(&x, PVC_MI_LOAD_REGISTER_IMM(1), PVC_RCU_MODE, 0x00020000);
	BATCH(&x, LRI_CS(1), GPR(9), 9);
	BATCH(&x, SRM_CS, GPR(9), ADDR(VA(3)));
	REQUIRE(run_batch(&x));
	CHECK_EQ(mmio_read(x.t, PVC_RCU_MODE) & 3, 1);
	CHECK_EQ(mmio_read(x.t, x.e->base + GPR(9)), 0);

	/* the ring may do all of it */
	RING(&x, PVC_MI_LOAD_REGISTER_IMM(1), PVC_RCU_MODE, 0x00020002);
	RING(&x, PVC_MI_STORE_DATA_IMM | PVC_MI_SDI_GGTT, ggtt + 0x100, 0, 0x900d);
	RING(&x, PVC_MI_UPDATE_GTT | 2, 0x5000000, 0x1234003, 0);
	submit(&x);
	REQUIRE(wait_idle(x.e));
	CHECK_EQ(mmio_read(x.t, PVC_RCU_MODE) & 3, 3);
	CHECK_EQ(*hbm32(&b, x.lrc + 0x100), 0x900d);
	CHECK_EQ(x.t->ggtt[0x5000], 0x1234003);
	bench_fini(&b);
}

/* An access to a register without a model stops the engine. */
TEST(mi_registers_without_a_model)
{
	const uint32_t forms[][5] = {
		{ PVC_MI_LOAD_REGISTER_IMM(1), 0x123450, 1, 0, 0 },
		{ PVC_MI_LOAD_REGISTER_MEM | PVC_MI_LRM_GGTT, 0x123450, 0, 0, 0 },
		{ PVC_MI_LOAD_REGISTER_REG | PVC_MI_LRR_ADD_CS_DST, 0x123450, GPR(0), 0, 0 },
		{ PVC_MI_LOAD_REGISTER_REG | PVC_MI_LRR_ADD_CS_SRC, GPR(0), 0x123450, 0, 0 },
		{ PVC_MI_STORE_REGISTER_MEM | PVC_MI_SRM_GGTT, 0x123450, 0, 0, 0 },
		{ PVC_MI_LOAD_REGISTER_IMM(1) | PVC_MI_LRI_ADD_CS, 0x7f8, 1, 0, 0 },
	};
	struct bench b;
	struct ctx x;

	bench_init(&b, 1);
	REQUIRE(b.c);
	for (unsigned int i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		uint32_t scratch;

		ctx_init(&b, &x, bench_engine(&b, 0, PVC_CLASS_BCS, 1), 1 + i);
		scratch = x.lrc - x.t->dpa_base;
		for (unsigned int k = 0; k < 5; k++)
			ring_dw(&x, k == 2 && !forms[i][2] ? scratch : forms[i][k]);
		RING(&x, PVC_MI_STORE_DATA_IMM | PVC_MI_SDI_GGTT, scratch + 0x100, 0, 0xbad);
		submit(&x);
		CHECK(WAIT_FOR(mmio_read(x.t, PVC_RING_EIR(x.e->base)) & PVC_ERROR_INSTRUCTION));
		CHECK(WAIT_FOR(take_irq(x.e) & PVC_VEC_CS_ERROR));
		CHECK_EQ(*hbm32(&b, x.lrc + 0x100), 0);
		CHECK_EQ(reg_read(x.t, 0x123450), 0);
		reset_engine(&b, x.e);
		mmio_write(x.t, PVC_RING_EIR(x.e->base), ~0u);
	}
	/* in a user's batch a read stops the engine too; a write is denied */
	ctx_init(&b, &x, bench_engine(&b, 0, PVC_CLASS_BCS, 1), 20);
	BATCH(&x, PVC_MI_LOAD_REGISTER_IMM(1), 0x123450, 1);
	BATCH(&x, PVC_MI_STORE_DATA_IMM, ADDR(VA(0)), 5);
	REQUIRE(run_batch(&x));
	CHECK_EQ(data32(&x, 0), 5);
	BATCH(&x, PVC_MI_STORE_REGISTER_MEM, 0x123450, ADDR(VA(1)));
	batch_dw(&x, PVC_MI_BATCH_BUFFER_END);
	ring_batch(&x, 0);
	submit(&x);
	CHECK(WAIT_FOR(take_irq(x.e) & PVC_VEC_CS_ERROR));
	bench_fini(&b);
}

TEST(mi_math_against_c)
{
	static const uint64_t values[] = {
		0, 1, 2, 63, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000,
		0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff, 0x123456789abcdef0,
	};
	static const uint32_t ops[] = {
		PVC_ALU_ADD, PVC_ALU_SUB, PVC_ALU_AND, PVC_ALU_OR, PVC_ALU_XOR,
		PVC_ALU_SHL, PVC_ALU_SHR, PVC_ALU_SAR,
	};
	struct bench b;
	struct ctx x;

	bench_init(&b, 1);
	REQUIRE(b.c);
	ctx_init(&b, &x, bench_engine(&b, 0, PVC_CLASS_CCS, 0), 1);
	for (unsigned int i = 0; i < 12; i++) {
		for (unsigned int k = 0; k < 12; k++) {
			uint64_t p = values[i], q = values[k];
			uint64_t want[] = {
				p + q, p - q, p & q, p | q, p ^ q, p << (q & 63), p >> (q & 63),
				(uint64_t)((int64_t)p >> (q & 63)),
			};

			BATCH(&x, LRI_CS(4), GPR(0), PVC_LOWER_32(p), GPR(0) + 4, PVC_UPPER_32(p),
			      GPR(1), PVC_LOWER_32(q), GPR(1) + 4, PVC_UPPER_32(q));
			for (unsigned int o = 0; o < 8; o++) {
				BATCH(&x, PVC_MI_MATH_N(6),
				      PVC_ALU(PVC_ALU_LOAD, PVC_ALU_SRCA, PVC_ALU_R(0)),
				      PVC_ALU(PVC_ALU_LOAD, PVC_ALU_SRCB, PVC_ALU_R(1)),
				      PVC_ALU(ops[o], 0, 0),
				      PVC_ALU(PVC_ALU_STORE, PVC_ALU_R(2), PVC_ALU_ACCU),
				      PVC_ALU(PVC_ALU_STORE, PVC_ALU_R(3), PVC_ALU_ZF),
				      PVC_ALU(PVC_ALU_STOREINV, PVC_ALU_R(5), PVC_ALU_CF));
				BATCH(&x, SRM_CS, GPR(2), ADDR(VA(8 * o)));
				BATCH(&x, SRM_CS, GPR(2) + 4, ADDR(VA(8 * o + 1)));
				BATCH(&x, SRM_CS, GPR(3), ADDR(VA(8 * o + 2)));
				BATCH(&x, SRM_CS, GPR(5), ADDR(VA(8 * o + 3)));
			}
			REQUIRE(run_batch(&x));
			for (unsigned int o = 0; o < 8; o++) {
				bool carry = o == 0 ? p + q < p : o == 1 ? p < q : false;

				CHECK_EQ(data64(&x, 8 * o), want[o]);
				CHECK_EQ(data32(&x, 8 * o + 2), want[o] ? 0 : ~0u);
				CHECK_EQ(data32(&x, 8 * o + 3), carry ? 0 : ~0u);
			}
		}
	}
	/* constants, inverted load, indirect */
	set_data(&x, 64, 0xfeed);
	BATCH(&x, LRI_CS(2), GPR(8), PVC_LOWER_32(VA(64)), GPR(8) + 4, PVC_UPPER_32(VA(64)));
	BATCH(&x, PVC_MI_MATH_N(5), PVC_ALU(PVC_ALU_LOAD0, PVC_ALU_SRCA, 0),
	      PVC_ALU(PVC_ALU_LOADINV, PVC_ALU_SRCB, PVC_ALU_R(0)), PVC_ALU(PVC_ALU_OR, 0, 0),
	      PVC_ALU(PVC_ALU_STORE, PVC_ALU_R(2), PVC_ALU_ACCU),
	      PVC_ALU(PVC_ALU_LOADIND, PVC_ALU_R(9), PVC_ALU_R(8)));
	BATCH(&x, SRM_CS, GPR(2), ADDR(VA(0)), SRM_CS, GPR(9), ADDR(VA(1)));
	REQUIRE(run_batch(&x));
	CHECK_EQ(data32(&x, 0), ~(uint32_t)values[11]);
	CHECK_EQ(data32(&x, 1), 0xfeed);
	bench_fini(&b);
}

static void atomic_inline(struct ctx *x, unsigned int op, unsigned int i, uint64_t a, uint64_t c)
{
	unsigned int size = op & PVC_MI_ATOMIC_OP_QWORD ? PVC_MI_ATOMIC_SIZE_QWORD :
							 PVC_MI_ATOMIC_SIZE_DWORD;

	BATCH(x, PVC_MI_ATOMIC_INLINE | PVC_FIELD_PREP(PVC_MI_ATOMIC_OPCODE, op) |
	      PVC_FIELD_PREP(PVC_MI_ATOMIC_SIZE, size) | PVC_MI_ATOMIC_RETURN_DATA |
	      PVC_MI_ATOMIC_CS_STALL, ADDR(VA(i)), PVC_LOWER_32(a), PVC_LOWER_32(c),
	      PVC_UPPER_32(a), PVC_UPPER_32(c), 0, 0, 0, 0);
	BATCH(x, SRM_CS, GPR(4), ADDR(VA(200)), SRM_CS, GPR(4) + 4, ADDR(VA(201)));
}

TEST(mi_atomic_operations)
{
	static const struct {
		unsigned int op;
		uint64_t old, a, b, want;
	} cases[] = {
		{ PVC_MI_ATOMIC_OP_MOVE, 5, 9, 0, 9 },
		{ PVC_MI_ATOMIC_OP_INC, 0xffffffff, 0, 0, 0 },
		{ PVC_MI_ATOMIC_OP_DEC, 0, 0, 0, 0xffffffff },
		{ PVC_MI_ATOMIC_OP_ADD, 5, 9, 0, 14 },
		{ PVC_MI_ATOMIC_OP_SUB, 5, 9, 0, 0xfffffffc },
		{ PVC_MI_ATOMIC_OP_CMP_WR, 5, 5, 8, 8 },
		{ PVC_MI_ATOMIC_OP_CMP_WR, 5, 6, 8, 5 },
		{ 0x01, 0xc, 0xa, 0, 0x8 }, { 0x02, 0xc, 0xa, 0, 0xe }, { 0x03, 0xc, 0xa, 0, 0x6 },
		{ 0x09, 5, 9, 0, 4 },
		{ 0x0a, 0xffffffff, 1, 0, 1 }, { 0x0b, 0xffffffff, 1, 0, 0xffffffff },
		{ 0x0c, 0xffffffff, 1, 0, 0xffffffff }, { 0x0d, 0xffffffff, 1, 0, 1 },
		{ PVC_MI_ATOMIC_OP_QWORD | PVC_MI_ATOMIC_OP_INC, 0xffffffff, 0, 0, 0x100000000 },
		{ PVC_MI_ATOMIC_OP_QWORD | PVC_MI_ATOMIC_OP_ADD, 1, 0xffffffffffffffff, 0, 0 },
		{ PVC_MI_ATOMIC_OP_QWORD | PVC_MI_ATOMIC_OP_MOVE, 1, 0x123456789abcdef0, 0,
		  0x123456789abcdef0 },
		{ PVC_MI_ATOMIC_OP_QWORD | PVC_MI_ATOMIC_OP_CMP_WR, 0x500000005, 0x500000005,
		  0x600000006, 0x600000006 },
	};
	struct bench b;
	struct ctx x;

	bench_init(&b, 1);
	REQUIRE(b.c);
	ctx_init(&b, &x, bench_engine(&b, 0, PVC_CLASS_CCS, 0), 1);
	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		bool qw = cases[i].op & PVC_MI_ATOMIC_OP_QWORD;

		*hbm64(&b, x.data) = qw ? cases[i].old : cases[i].old | 0xaaaaaaaa00000000;
		atomic_inline(&x, cases[i].op, 0, cases[i].a, cases[i].b);
		REQUIRE(run_batch(&x));
		CHECK_EQ(data64(&x, 0), qw ? cases[i].want : cases[i].want | 0xaaaaaaaa00000000);
		CHECK_EQ(data64(&x, 200), cases[i].old);
	}
	/* three dwords, then the rest of a user-mode driver's struct: NOOPs */
	set_data(&x, 0, 41);
	BATCH(&x, PVC_MI_ATOMIC | PVC_FIELD_PREP(PVC_MI_ATOMIC_OPCODE, PVC_MI_ATOMIC_OP_INC),
	      ADDR(VA(0)), 0, 0, 0, 0, 0, 0, 0, 0);
	/* at partition 2 */
	BATCH(&x, LRI_CS(2), PVC_CS_WPARID, 2, PVC_CS_PARTITION_STRIDE, 8);
	BATCH(&x, PVC_MI_ATOMIC | PVC_FIELD_PREP(PVC_MI_ATOMIC_OPCODE, PVC_MI_ATOMIC_OP_INC),
	      PVC_LOWER_32(VA(0)) | PVC_MI_ATOMIC_WPARID_OFFSET, PVC_UPPER_32(VA(0)));
	/* no inline data: GPR0 */
	BATCH(&x, LRI_CS(1), GPR(0), 7,
	      PVC_MI_ATOMIC | PVC_FIELD_PREP(PVC_MI_ATOMIC_OPCODE,
					     PVC_MI_ATOMIC_OP_MOVE), ADDR(VA(8)));
	set_data(&x, 4, 1);
	REQUIRE(run_batch(&x));
	CHECK_EQ(data32(&x, 0), 42);
	CHECK_EQ(data32(&x, 4), 2);
	CHECK_EQ(data32(&x, 8), 7);
	bench_fini(&b);
}

/* Many engines count on one word: no count is lost, and each old value appears once. */
TEST(mi_atomic_from_all_engines)
{
	struct bench b;
	struct ctx x[8];
	uint64_t seen = 0;

	bench_init(&b, 2);
	REQUIRE(b.c);
	for (unsigned int i = 0; i < 8; i++) {
		ctx_init(&b, &x[i], bench_engine(&b, i & 1, i & 2 ? PVC_CLASS_CCS : PVC_CLASS_BCS,
						i / 4),
			 i + 1);
		ppgtt_map(&b, i & 1, x[i].root, USER_VA, x[0].data | PVC_PTE_PRESENT |
			  PVC_PTE_WRITE | PVC_PTE_DM | PVC_PDE_2M, 1);
		for (unsigned int k = 0; k < 200; k++)
			BATCH(&x[i], PVC_MI_ATOMIC |
			      PVC_FIELD_PREP(PVC_MI_ATOMIC_OPCODE, PVC_MI_ATOMIC_OP_INC) |
			      PVC_MI_ATOMIC_RETURN_DATA, ADDR(VA(0)));
		BATCH(&x[i], SRM_CS, GPR(4), ADDR(VA(16 + i)), PVC_MI_BATCH_BUFFER_END);
		ring_batch(&x[i], 0);
	}
	for (unsigned int i = 0; i < 8; i++)
		submit(&x[i]);
	for (unsigned int i = 0; i < 8; i++)
		CHECK(wait_idle(x[i].e));
	CHECK_EQ(data32(&x[0], 0), 1600);
	for (unsigned int i = 0; i < 8; i++)
		seen |= data32(&x[0], 16 + i) == 1599;
	CHECK(seen);
	bench_fini(&b);
}

TEST(mi_copy_mem_mem_flush_dw_and_interrupts)
{
	struct bench b;
	struct ctx x;
	uint32_t ggtt;

	bench_init(&b, 1);
	REQUIRE(b.c);
	ctx_init(&b, &x, bench_engine(&b, 0, PVC_CLASS_BCS, 6), 1);
	ggtt = x.lrc - x.t->dpa_base;
	set_data(&x, 0, 0x1357);
	BATCH(&x, PVC_MI_COPY_MEM_MEM, ADDR(VA(1)), ADDR(VA(0)));
	BATCH(&x, PVC_MI_FLUSH_DW | PVC_FIELD_PREP(PVC_MI_FLUSH_DW_POST_SYNC, PVC_POST_SYNC_IMM),
	      ADDR(VA(2)), 0x2468);
	BATCH(&x, PVC_MI_FLUSH_DW_QW | PVC_FIELD_PREP(PVC_MI_FLUSH_DW_POST_SYNC, PVC_POST_SYNC_IMM),
	      ADDR(VA(4)), 1, 2);
	BATCH(&x, PVC_MI_FLUSH_DW_QW |
	      PVC_FIELD_PREP(PVC_MI_FLUSH_DW_POST_SYNC,
			     PVC_POST_SYNC_TIMESTAMP), ADDR(VA(6)), 0, 0);
	BATCH(&x, PVC_MI_FLUSH_DW_QW | PVC_MI_FLUSH_DW_FLUSH_LLC, 0, 0, 0, 0);
	REQUIRE(run_batch(&x));
	CHECK_EQ(data32(&x, 1), 0x1357);
	CHECK_EQ(data64(&x, 2), 0x2468);
	CHECK_EQ(data64(&x, 4), 0x200000001);
	CHECK(data64(&x, 6) && data64(&x, 6) <= card_timestamp());
	take_irq(x.e);

	/* kernel forms: GGTT address, index into the status page, notify, user interrupt */
	RING(&x, PVC_MI_FLUSH_DW | PVC_FIELD_PREP(PVC_MI_FLUSH_DW_POST_SYNC, PVC_POST_SYNC_IMM) |
	     PVC_MI_FLUSH_DW_TLB_INVALIDATE, (ggtt + 0x200) | PVC_MI_FLUSH_DW_ADDR_GGTT, 0, 5);
	RING(&x, PVC_MI_FLUSH_DW | PVC_FIELD_PREP(PVC_MI_FLUSH_DW_POST_SYNC, PVC_POST_SYNC_IMM) |
	     PVC_MI_FLUSH_DW_STORE_INDEX, 0xd0, 0, 6);
	RING(&x, PVC_MI_STORE_DATA_INDEX, 0xe0, 7);
	RING(&x, PVC_MI_FLUSH_DW | PVC_MI_FLUSH_DW_NOTIFY, 0, 0, 0);
	RING(&x, PVC_MI_USER_INTERRUPT, PVC_MI_NOOP | PVC_MI_NOOP_WRITE_ID | 0x1234);
	submit(&x);
	REQUIRE(wait_idle(x.e));
	CHECK_EQ(*hbm32(&b, x.lrc + 0x200), 5);
	CHECK_EQ(*hbm32(&b, x.lrc + 0xd0), 6);
	CHECK_EQ(*hbm32(&b, x.lrc + 0xe0), 7);
	CHECK_EQ(mmio_read(x.t, PVC_RING_NOPID(x.e->base)), 0x1234);
	CHECK_EQ(take_irq(x.e), PVC_VEC_USER | PVC_VEC_NOTIFY | PVC_VEC_CONTEXT_SWITCH);
	bench_fini(&b);
}

TEST(mi_pipe_control)
{
	struct bench b;
	struct ctx x;
	uint32_t ggtt;
	unsigned int generation;

	bench_init(&b, 1);
	REQUIRE(b.c);
	ctx_init(&b, &x, bench_engine(&b, 0, PVC_CLASS_CCS, 0), 1);
	ggtt = x.lrc - x.t->dpa_base;
	generation = atomic_load(&b.c->mem_generation);
	BATCH(&x, LRI_CS(2), PVC_CS_WPARID, 1, PVC_CS_PARTITION_STRIDE, 8);
	BATCH(&x, PVC_PIPE_CONTROL | PVC_PIPE_CONTROL0_HDC_FLUSH | PVC_PIPE_CONTROL0_UNTYPED_FLUSH |
	      PVC_PIPE_CONTROL0_WPARID_OFFSET, PVC_PIPE_CONTROL1_CS_STALL |
	      PVC_FIELD_PREP(PVC_PIPE_CONTROL1_POST_SYNC, PVC_POST_SYNC_IMM), ADDR(VA(0)), 3, 4);
	BATCH(&x, PVC_PIPE_CONTROL, PVC_PIPE_CONTROL1_CS_STALL | PVC_PIPE_CONTROL1_TLB_INVALIDATE |
	      PVC_FIELD_PREP(PVC_PIPE_CONTROL1_POST_SYNC,
			     PVC_POST_SYNC_TIMESTAMP), ADDR(VA(4)), 0, 0);
	BATCH(&x, PVC_PIPE_CONTROL, PVC_PIPE_CONTROL1_LRI_POST_SYNC |
	      PVC_FIELD_PREP(PVC_PIPE_CONTROL1_POST_SYNC, PVC_POST_SYNC_IMM),
	      x.e->base + GPR(2), 0, 0x99, 0);
	/* flushes without post-sync */
	BATCH(&x, PVC_PIPE_CONTROL, 0x20100000, 0, 0, 0, 0);
	REQUIRE(run_batch(&x));
	CHECK_EQ(data64(&x, 0), 0);
	CHECK_EQ(data64(&x, 2), 0x400000003);
	CHECK(data64(&x, 4));
	CHECK_EQ(mmio_read(x.t, x.e->base + GPR(2)), 0x99);
	CHECK(atomic_load(&b.c->mem_generation) != generation);
	take_irq(x.e);
	RING(&x, PVC_PIPE_CONTROL, PVC_PIPE_CONTROL1_GGTT | PVC_PIPE_CONTROL1_NOTIFY |
	     PVC_PIPE_CONTROL1_CS_STALL |
	     PVC_FIELD_PREP(PVC_PIPE_CONTROL1_POST_SYNC, PVC_POST_SYNC_IMM), ggtt + 0x300, 0, 8, 9);
	RING(&x, PVC_PIPE_CONTROL, PVC_PIPE_CONTROL1_STORE_INDEX |
	     PVC_FIELD_PREP(PVC_PIPE_CONTROL1_POST_SYNC, PVC_POST_SYNC_IMM), 0xd0, 0, 0xa, 0xb);
	submit(&x);
	REQUIRE(wait_idle(x.e));
	CHECK_EQ(*hbm64(&b, x.lrc + 0x300), 0x900000008);
	CHECK_EQ(*hbm64(&b, x.lrc + 0xd0), 0xb0000000a);
	CHECK_EQ(take_irq(x.e), PVC_VEC_NOTIFY | PVC_VEC_CONTEXT_SWITCH);
	bench_fini(&b);
}

TEST(mi_guest_memory_is_reached)
{
	struct bench b;
	struct ctx x;
	uint32_t *ram;

	bench_init(&b, 1);
	REQUIRE(b.c);
	ctx_init(&b, &x, bench_engine(&b, 0, PVC_CLASS_CCS, 0), 1);
	ppgtt_map(&b, 0, x.root, 0x7000, 0x3000 | PVC_PTE_PRESENT | PVC_PTE_WRITE, 0);
	BATCH(&x, PVC_MI_STORE_DATA_IMM, ADDR(0x7010), 0x4321);
	BATCH(&x, PVC_MI_COPY_MEM_MEM, ADDR(VA(0)), ADDR(0x7010));
	REQUIRE(run_batch(&x));
	card_mem_lock(b.c);
	ram = card_dma_map(b.c, 0x3010, 4, false);
	CHECK(ram && *ram == 0x4321);
	card_mem_unlock(b.c);
	CHECK_EQ(data32(&x, 0), 0x4321);
	bench_fini(&b);
}
