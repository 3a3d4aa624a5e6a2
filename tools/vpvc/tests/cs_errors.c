// SPDX-License-Identifier: MIT
/* Commands, images and addresses that stop an engine, and its reset; page faults. */
#include "bus/dma.h"
#include "card.h"
#include "core/regs.h"
#include "cs/execlist.h"
#include "tests/cs_test.h"

static void expect_stopped(struct ctx *x, uint32_t header)
{
	CHECK(WAIT_FOR(mmio_read(x->t, PVC_RING_EIR(x->e->base)) & PVC_ERROR_INSTRUCTION));
	CHECK_EQ(mmio_read(x->t, PVC_RING_IPEHR(x->e->base)), header);
	CHECK(WAIT_FOR(take_irq(x->e) & PVC_VEC_CS_ERROR));
	CHECK(busy(x->e));
}

static void expect_works(struct ctx *x)
{
	BATCH(x, PVC_MI_STORE_DATA_IMM, ADDR(VA(100)), 0x900d);
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
		struct engine *e = bench_engine(&b, 0, i & 1 ? PVC_CLASS_CCS : PVC_CLASS_BCS, 0);

		ctx_init(&b, &x, e, 1);
		ctx_init(&b, &y, e, 2);
		BATCH(&x, PVC_MI_STORE_DATA_IMM, ADDR(VA(0)), 1, bad[i]);
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
		{ false, PVC_MI_STORE_DATA_IMM + 1 },	/* three dwords without b21 */
		{ false, PVC_MI_LOAD_REGISTER_IMM(1) + 1 },
		{ false, PVC_MI_SEMAPHORE_WAIT + 1 },
		{ false, PVC_PIPE_CONTROL },
		{ true, PVC_MEM_SET },
		{ true, PVC_COMPUTE_WALKER + 1 },
		{ true, PVC_MI_ATOMIC + 1 },
		/* a qword at an odd dword */
		{ true, PVC_MI_ATOMIC | PVC_FIELD_PREP(PVC_MI_ATOMIC_OPCODE,
		  PVC_MI_ATOMIC_OP_QWORD | PVC_MI_ATOMIC_OP_INC) },
	};
	struct bench b;

	bench_init(&b, 1);
	REQUIRE(b.c);
	for (unsigned int i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct engine *e = bench_engine(&b, 0, bad[i].ccs ? PVC_CLASS_CCS : PVC_CLASS_BCS,
						0);
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
	e = bench_engine(&b, 0, PVC_CLASS_CCS, 2);
	ctx_init(&b, &x, e, 1);
	ctx_init(&b, &y, e, 2);
	BATCH(&x, PVC_MI_STORE_DATA_IMM, ADDR(va), 1);
	batch_end(&x);
	ring_batch(&x, 0);
	submit(&x);
	CHECK(WAIT_FOR(mmio_read(x.t, PVC_RING_RESET_CTL(e->base)) & PVC_RESET_CTL_CAT_ERROR));
	CHECK(WAIT_FOR(take_irq(e) & PVC_VEC_CS_ERROR));
	CHECK(busy(e));
	CHECK(mmio_read(x.t, PVC_RING_FAULT) & PVC_RING_FAULT_VALID);
	CHECK(mmio_read(x.t, PVC_RING_FAULT) & PVC_RING_FAULT_WRITE);
	CHECK_EQ(mmio_read(x.t, PVC_FAULT_TLB_DATA0), PVC_LOWER_32(va >> 12));
	CHECK_EQ(counter_get(&e->cnt.faults), 1);
	/* the stopped engine takes no load */
	ring_close(&y);
	submit(&y);
	usleep(20000);
	CHECK(busy(e));
	mmio_write(x.t, PVC_RING_RESET_CTL(e->base), 0x00040004);
	CHECK(!(mmio_read(x.t, PVC_RING_RESET_CTL(e->base)) & PVC_RESET_CTL_CAT_ERROR));
	mmio_write(x.t, PVC_RING_FAULT, 0);
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
	e = bench_engine(&b, 0, PVC_CLASS_BCS, 3);
	for (unsigned int i = 0; i < 6; i++) {
		struct ctx x;

		ctx_init(&b, &x, e, 1);
		switch (i) {
		case 0:	/* batch not mapped */
			RING(&x, PVC_MI_BATCH_BUFFER_START | PVC_MI_BATCH_BUFFER_START_PPGTT,
			     ADDR(0x10000));
			break;
		case 1:	/* ring not mapped */
			image(&x)[PVC_LRC_RING_START + 1] = 0xf0000000;
			ring_dw(&x, 0);
			break;
		case 2:	/* image not mapped */
			x.t->ggtt[((x.lrc - x.t->dpa_base) >> 12) + 1] = 0;
			ring_dw(&x, 0);
			break;
		case 3:	/* read only page */
			map_4k(&x, 0x1000000, x.data, false);
			RING(&x, PVC_MI_STORE_DATA_IMM, ADDR(0x1000000), 1);
			break;
		case 4:	/* bus address outside of guest memory */
			ppgtt_map(&b, 0, x.root, 0x2000000, 0x7fffff000ull | 3, 0);
			RING(&x, PVC_MI_STORE_DATA_IMM, ADDR(0x2000000), 1);
			break;
		case 5:	/* beyond HBM */
			ppgtt_map(&b, 0, x.root, 0x3000000, 0x7fffff000ull | 3 | PVC_PTE_DM, 0);
			RING(&x, PVC_MI_STORE_DATA_IMM, ADDR(0x3000000), 1);
			break;
		}
		submit(&x);
		CHECK(WAIT_FOR(counter_get(&e->cnt.faults) == i + 1));
		CHECK(busy(e));
		mmio_write(x.t, PVC_RING_RESET_CTL(e->base), 0x00040004);
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
	e = bench_engine(&b, 0, PVC_CLASS_CCS, 0);
	for (unsigned int i = 0; i < 5; i++) {
		struct ctx x;
		uint32_t *im;

		ctx_init(&b, &x, e, 1);
		im = image(&x);
		RING(&x, PVC_MI_STORE_DATA_IMM, ADDR(VA(0)), 1);
		ring_close(&x);
		switch (i) {
		case 0:
			im[PVC_LRC_RING_TAIL + 1] = 0x100000;
			break;
		case 1:
			im[PVC_LRC_RING_HEAD + 1] = 0x100000;
			break;
		case 2:
			im[PVC_LRC_RING_CTL + 1] = 0;
			break;
		case 3:
			im[1] = 0x7a000004;
			break;
		case 4:
			memset(im, 0, 0x100);
			break;
		}
		submit2(e, descriptor(&x), 0);
		CHECK(WAIT_FOR(mmio_read(x.t, PVC_RING_EIR(e->base)) & PVC_ERROR_INSTRUCTION));
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
	e = bench_engine(&b, 0, PVC_CLASS_BCS, 1);
	other = bench_engine(&b, 0, PVC_CLASS_BCS, 2);
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
	mmio_write(x.t, PVC_RING_MI_MODE(e->base), 0x01000100);
	CHECK(WAIT_FOR(mmio_read(x.t, PVC_RING_MI_MODE(e->base)) & PVC_MI_MODE_IDLE));
	reset_engine(&b, e);
	CHECK(!busy(e));
	CHECK_EQ(counter_get(&e->cnt.resets), 1);
	CHECK_EQ(counter_get(&other->cnt.resets), 0);
	/* HEAD was not saved */
	CHECK_EQ(image(&x)[PVC_LRC_RING_HEAD + 1], 0);
	expect_works(&y);
	/* the other engine went on */
	CHECK(busy(other));
	set_data(&z, 0, 1);
	CHECK(wait_idle(other));
	CHECK_EQ(data32(&z, 1), 2);
	bench_fini(&b);
}

/*
 * Page faults: an engine accesses an address, and the fault registers, the reset control
 * and the interrupt describe the fault to the driver.
 */

#define GIB	(1ull << 30)
#define MIB	(1ull << 20)
#define DIR	(PVC_PTE_PRESENT | PVC_PTE_WRITE)
#define LEAF	(DIR | PVC_PTE_DM)
#define FAULT_VA 0x0123456789abc000ull	/* 57 bits, another index on each level */

/* The entry of level @level on the way to @va; directories above it exist. */
static uint64_t *entry_of(struct ctx *x, uint64_t va, unsigned int level)
{
	uint64_t table = x->root;

	for (unsigned int l = 4; l > level; l--)
		table = *hbm64(x->b, table + 8 * (va >> PVC_PT_SHIFT(l) & 511)) & PVC_PTE_ADDR_MASK;
	return hbm64(x->b, table + 8 * (va >> PVC_PT_SHIFT(level) & 511));
}

struct expected {
	unsigned int level;		/* as the register has it */
	unsigned int type;
	bool write, ggtt;
};

/* Run the batch or ring of @x, which must fault at @va. */
static void check_fault(struct ctx *x, uint64_t va, const struct expected *want)
{
	struct tile *t = x->t;
	uint32_t fault;

	CHECK(WAIT_FOR(take_irq(x->e) & PVC_VEC_CS_ERROR));
	fault = mmio_read(t, PVC_RING_FAULT);
	CHECK_EQ(fault, PVC_RING_FAULT_VALID | want->level << PVC_RING_FAULT_LEVEL_SHIFT |
		 (want->ggtt ? PVC_RING_FAULT_GGTT : 0) |
		 (uint32_t)x->e->class << PVC_RING_FAULT_ENGINE_SHIFT |
		 (want->write ? PVC_RING_FAULT_WRITE : 0) |
		 want->type << PVC_RING_FAULT_TYPE_SHIFT);
	CHECK_EQ(mmio_read(t, PVC_FAULT_TLB_DATA0), (uint32_t)(va >> 12));
	CHECK_EQ(mmio_read(t, PVC_FAULT_TLB_DATA1),
		 (va >> 44 & 15) | (want->ggtt ? PVC_FAULT_TLB_GGTT : 0));
	CHECK(mmio_read(t, PVC_RING_RESET_CTL(x->e->base)) & PVC_RESET_CTL_CAT_ERROR);
	/* The engine is stopped, and its port is not free. */
	CHECK(busy(x->e));
	mmio_write(t, PVC_RING_FAULT, 0);
	reset_engine(x->b, x->e);
	CHECK_EQ(mmio_read(t, PVC_RING_RESET_CTL(x->e->base)) & PVC_RESET_CTL_CAT_ERROR, 0);
	CHECK(!busy(x->e));
}

static void access_va(struct ctx *x, uint64_t va, bool write)
{
	if (write)
		BATCH(x, PVC_MI_STORE_DATA_IMM, ADDR(va), 0x5a5a5a5a);
	else
		BATCH(x, PVC_MI_COPY_MEM_MEM, ADDR(USER_VA), ADDR(va));
	batch_dw(x, PVC_MI_BATCH_BUFFER_END);
	ring_batch(x, 0);
	submit(x);
}

/* A context with FAULT_VA mapped down to a 4 KiB page of its data. */
static void start(struct bench *b, struct ctx *x, unsigned int class)
{
	ctx_init(b, x, bench_engine(b, 0, class, 1), 3);
	map_4k(x, FAULT_VA, x->data, true);
}

TEST(faults_not_present_on_each_level)
{
	struct bench b;
	struct ctx x;

	bench_init(&b, 1);
	for (unsigned int level = 0; level < 5; level++) {
		for (unsigned int write = 0; write < 2; write++) {
			start(&b, &x, write ? PVC_CLASS_CCS : PVC_CLASS_BCS);
			*entry_of(&x, FAULT_VA, level) &= ~PVC_PTE_PRESENT;
			access_va(&x, FAULT_VA + 0x10, write);
			check_fault(&x, FAULT_VA, &(struct expected) {
				.level = level < 3 ? level : 3, .write = write });
		}
	}
	bench_fini(&b);
}

TEST(faults_of_entries_that_cannot_be)
{
	static const struct {
		unsigned int level;	/* of the entry that is patched */
		uint64_t entry;
		unsigned int shown;	/* level of the fault */
		bool write;
	} cases[] = {
		{ 0, 32 * MIB | PVC_PTE_PRESENT | PVC_PTE_DM, 0, true },	/* read-only */
		{ 0, 2 * GIB | LEAF, 0, false },			/* beyond HBM */
		{ 0, 0x200000 | DIR, 0, true },			/* beyond guest memory */
		{ 0, 0x1000 | LEAF | PVC_PTE_PS64, 0, false },	/* wrong place in 64 KiB */
		{ 1, (32 * MIB + 0x10000) | LEAF | PVC_PDE_2M, 1, true },
		{ 1, 2 * GIB | LEAF | PVC_PDE_2M, 1, false },
		{ 1, 2 * GIB | DIR, 0, false },			/* a table beyond HBM */
		{ 2, 2 * MIB | LEAF | PVC_PDPE_1G, 2, true },
		{ 3, 0 | LEAF | PVC_PDPE_1G, 3, false },	/* no leaves of 512 GiB */
		{ 4, 0 | LEAF | PVC_PDPE_1G, 3, true },
		{ 4, 2 * GIB | DIR, 3, true },
	};
	struct bench b;
	struct ctx x;

	bench_init(&b, 1);
	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		start(&b, &x, PVC_CLASS_BCS);
		*entry_of(&x, FAULT_VA, cases[i].level) = cases[i].entry;
		access_va(&x, FAULT_VA, cases[i].write);
		check_fault(&x, FAULT_VA, &(struct expected) {
			.level = cases[i].shown, .type = 1, .write = cases[i].write });
	}
	bench_fini(&b);
}

/* A compact table: its entries map 64 KiB, and a missing one faults for all of them. */
TEST(faults_in_compact_tables)
{
	struct bench b;
	struct ctx x;
	uint64_t table;

	bench_init(&b, 1);
	start(&b, &x, PVC_CLASS_BCS);
	*entry_of(&x, FAULT_VA, 1) |= PVC_PDE_COMPACT;
	table = *entry_of(&x, FAULT_VA, 1) & PVC_PTE_ADDR_MASK;
	memset(hbm64(&b, table), 0, 4096);
	*hbm64(&b, table + 8 * (FAULT_VA >> 16 & 31)) = (x.data + 0x1000) | LEAF;
	access_va(&x, FAULT_VA, true);
	check_fault(&x, FAULT_VA, &(struct expected) { .type = 1, .write = true });
	start(&b, &x, PVC_CLASS_BCS);
	*entry_of(&x, FAULT_VA, 1) |= PVC_PDE_COMPACT;
	memset(hbm64(&b, *entry_of(&x, FAULT_VA, 1) & PVC_PTE_ADDR_MASK), 0, 4096);
	access_va(&x, FAULT_VA, false);
	check_fault(&x, FAULT_VA, &(struct expected) { .level = 0 });
	bench_fini(&b);
}

/* NULL leaves on all three levels never fault: reads give 0, writes are dropped. */
TEST(faults_not_of_null_leaves)
{
	static const uint64_t null[3] = {
		LEAF | PVC_PTE_NULL, LEAF | PVC_PTE_NULL | PVC_PDE_2M,
		LEAF | PVC_PTE_NULL | PVC_PDPE_1G,
	};
	struct bench b;
	struct ctx x;

	bench_init(&b, 1);
	for (unsigned int level = 0; level < 3; level++) {
		start(&b, &x, PVC_CLASS_BCS);
		*entry_of(&x, FAULT_VA, level) = null[level];
		*hbm32(&b, x.data) = 7;
		BATCH(&x, PVC_MI_STORE_DATA_IMM, ADDR(FAULT_VA), 1);
		BATCH(&x, PVC_MI_COPY_MEM_MEM, ADDR(USER_VA), ADDR(FAULT_VA));
		CHECK(run_batch(&x));
		CHECK_EQ(data32(&x, 0), 0);
		CHECK_EQ(mmio_read(x.t, PVC_RING_FAULT), 0);
	}
	/* but a write to a read-only one does */
	start(&b, &x, PVC_CLASS_BCS);
	*entry_of(&x, FAULT_VA, 0) = (LEAF | PVC_PTE_NULL) & ~PVC_PTE_WRITE;
	access_va(&x, FAULT_VA, true);
	check_fault(&x, FAULT_VA, &(struct expected) { .type = 1, .write = true });
	bench_fini(&b);
}

TEST(faults_of_the_ggtt)
{
	static const struct {
		uint64_t pte;
		unsigned int type;
	} cases[] = {
		{ 0, 0 },
		{ 32 * MIB | PVC_GGTT_DM, 0 },
		{ 2 * GIB | PVC_GGTT_PRESENT | PVC_GGTT_DM, 1 },
		{ 0x200000 | PVC_GGTT_PRESENT, 1 },
	};
	const uint32_t va = 0xfe000000;
	struct bench b;
	struct ctx x;

	bench_init(&b, 1);
	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		start(&b, &x, PVC_CLASS_CCS);
		x.t->ggtt[va >> 12] = cases[i].pte;
		RING(&x, PVC_MI_STORE_DATA_IMM | PVC_MI_SDI_GGTT, va + 8, 0, 1);
		submit(&x);
		check_fault(&x, va, &(struct expected) {
			.type = cases[i].type, .write = true, .ggtt = true });
	}
	/* the context image itself */
	start(&b, &x, PVC_CLASS_CCS);
	x.t->ggtt[(x.lrc - x.t->dpa_base + PVC_LRC_STATE_OFFSET) >> 12] = 0;
	submit(&x);
	check_fault(&x, x.lrc - x.t->dpa_base + PVC_LRC_STATE_OFFSET,
		    &(struct expected) { .ggtt = true });
	bench_fini(&b);
}

/* Guest memory is unmapped under a running card. */
TEST(faults_of_guest_memory)
{
	struct bench b;
	struct ctx x;

	bench_init(&b, 1);
	start(&b, &x, PVC_CLASS_BCS);
	*entry_of(&x, FAULT_VA, 0) = 0x5000 | DIR;
	BATCH(&x, PVC_MI_STORE_DATA_IMM, ADDR(FAULT_VA), 9);
	CHECK(run_batch(&x));
	CHECK_EQ(dma_unmap(b.c, 0, 0x200000), 0);
	access_va(&x, FAULT_VA, true);
	check_fault(&x, FAULT_VA, &(struct expected) { .type = 1, .write = true });
	bench_fini(&b);
}
