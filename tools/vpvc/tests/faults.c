// SPDX-License-Identifier: MIT
/*
 * Page faults: an engine accesses an address, and the fault registers, the reset control
 * and the interrupt describe the fault to the driver.
 */
#include "bus/dma.h"
#include "card.h"
#include "core/regs.h"
#include "tests/cs_test.h"

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
