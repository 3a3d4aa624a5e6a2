// SPDX-License-Identifier: MIT
/* --tlb: without an invalidation the engine still uses old translations. */
#include "bus/dma.h"
#include "card.h"
#include "core/regs.h"
#include "core/strict.h"
#include "mem/tlb.h"
#include "pvc_gtt.h"
#include "pvc_soc_regs.h"
#include "tests/cs_test.h"

#define PAGE_VA		(USER_VA + DATA_BYTES)

/* The page of the context's data that a store to PAGE_VA reaches: 0 or 1; -1: none. */
static int arrives(struct ctx *x)
{
	static uint32_t mark;
	int at = -1;

	BATCH(x, PVC_MI_STORE_DATA_IMM, ADDR(PAGE_VA), ++mark);
	if (!run_batch(x))
		return -1;
	for (int i = 0; i < 2; i++)
		if (data32(x, 1024 * i) == mark)
			at = at < 0 ? i : 2;
	return at;
}

static void map_page(struct ctx *x, unsigned int n)
{
	map_4k(x, PAGE_VA, x->data + 4096 * n, true);
}

/* An invalidation by a command */
static void flush(struct ctx *x)
{
	RING(x, PVC_MI_FLUSH_DW_QW | PVC_MI_FLUSH_DW_TLB_INVALIDATE |
	     PVC_FIELD_PREP(PVC_MI_FLUSH_DW_POST_SYNC, PVC_POST_SYNC_IMM), ADDR(VA(64)), 0, 0);
}

static void start(struct bench *b, struct ctx *x, unsigned int class, bool tlb)
{
	bench_init(b, 1);
	ctx_init(b, x, bench_engine(b, 0, class, 1), 4);
	if (tlb)
		CHECK_EQ(tlb_init(x->e), 0);
	map_page(x, 0);
	CHECK_EQ(arrives(x), 0);
	map_page(x, 1);
}

/* Have the entry of @va in the GGTT name page @n of the context's data. */
static void map_ggtt(struct ctx *x, uint32_t va, unsigned int n)
{
	x->t->ggtt[va >> 12] = (x->data + 4096 * n) | PVC_GGTT_PRESENT | PVC_GGTT_DM;
}

/* Store @value to @va in the GGTT; it has to arrive in page @n of the context's data. */
static void check_store_ggtt(struct ctx *x, uint32_t va, uint32_t value, unsigned int n)
{
	RING(x, PVC_MI_STORE_DATA_IMM | PVC_MI_SDI_GGTT, ADDR(va), value);
	CHECK(run_batch(x));
	CHECK_EQ(data32(x, 1024 * n), value);
}

/* Without --tlb engines keep translations of the GGTT: what ends that, and what does not. */
TEST(tlb_keeps_the_ggtt_until_it_is_invalidated)
{
	struct bench b;
	struct ctx x;
	uint32_t va;

	bench_init(&b, 1);
	REQUIRE(b.c);
	ctx_init(&b, &x, bench_engine(&b, 0, PVC_CLASS_BCS, 1), 4);
	va = ggtt_map(&b, x.t, x.data, 4096);
	check_store_ggtt(&x, va, 1, 0);
	/* the entry changes, and the engine does not know */
	map_ggtt(&x, va, 1);
	check_store_ggtt(&x, va, 2, 0);
	CHECK_EQ(data32(&x, 1024), 0);
	/* a write without the bit drops nothing, and does not count */
	mmio_write(x.t, PVC_GFX_FLSH_CNTL, ~PVC_GFX_FLSH_CNTL_EN);
	check_store_ggtt(&x, va, 2, 0);
	CHECK_EQ(counter_get(&x.t->cnt.ggtt_invalidations), 0);
	mmio_write(x.t, PVC_GFX_FLSH_CNTL, PVC_GFX_FLSH_CNTL_EN);
	check_store_ggtt(&x, va, 3, 1);
	CHECK_EQ(counter_get(&x.t->cnt.ggtt_invalidations), 1);
	CHECK_EQ(data32(&x, 0), 2);
	/* so does an invalidation by a command */
	map_ggtt(&x, va, 0);
	flush(&x);
	check_store_ggtt(&x, va, 4, 0);
	/* and as many invalidations as there are generations */
	for (unsigned int i = 0; i < 0xffff; i++)
		mmio_write(x.t, PVC_GFX_FLSH_CNTL, PVC_GFX_FLSH_CNTL_EN);
	map_ggtt(&x, va, 1);
	check_store_ggtt(&x, va, 5, 1);
	bench_fini(&b);
}

/* An engine of a lenient card sees a change of the GGTT at once. */
TEST(tlb_of_a_lenient_card_keeps_no_ggtt)
{
	struct bench b;
	struct ctx x;
	uint32_t va;

	bench_init_lenient(&b, 1, STRICT_GGTT_TLB);
	REQUIRE(b.c);
	ctx_init(&b, &x, bench_engine(&b, 0, PVC_CLASS_BCS, 1), 4);
	va = ggtt_map(&b, x.t, x.data, 4096);
	check_store_ggtt(&x, va, 1, 0);
	map_ggtt(&x, va, 1);
	check_store_ggtt(&x, va, 2, 1);
	CHECK_EQ(data32(&x, 0), 1);
	bench_fini(&b);
}

TEST(tlb_is_not_there_unless_asked_for)
{
	struct bench b;
	struct ctx x;

	start(&b, &x, PVC_CLASS_BCS, false);
	CHECK_EQ(arrives(&x), 1);
	CHECK_EQ(counter_get(&x.e->cnt.tlb_hits), 0);
	bench_fini(&b);
}

TEST(tlb_holds_until_a_flush)
{
	struct bench b;
	struct ctx x;

	start(&b, &x, PVC_CLASS_BCS, true);
	CHECK_EQ(arrives(&x), 0);
	CHECK(counter_get(&x.e->cnt.tlb_hits));
	/* an invalidation without a post-sync write has no effect */
	RING(&x, PVC_MI_FLUSH_DW_QW | PVC_MI_FLUSH_DW_TLB_INVALIDATE, 0, 0, 0, 0);
	CHECK_EQ(arrives(&x), 0);
	flush(&x);
	CHECK_EQ(arrives(&x), 1);
	bench_fini(&b);
}

TEST(tlb_holds_until_a_pipe_control)
{
	struct bench b;
	struct ctx x;

	start(&b, &x, PVC_CLASS_CCS, true);
	CHECK_EQ(arrives(&x), 0);
	RING(&x, PVC_PIPE_CONTROL, PVC_PIPE_CONTROL1_TLB_INVALIDATE, 0, 0, 0, 0);
	CHECK_EQ(arrives(&x), 0);
	RING(&x, PVC_PIPE_CONTROL, PVC_PIPE_CONTROL1_TLB_INVALIDATE | PVC_PIPE_CONTROL1_CS_STALL,
	     0, 0, 0, 0);
	CHECK_EQ(arrives(&x), 0);
	RING(&x, PVC_PIPE_CONTROL, PVC_PIPE_CONTROL1_TLB_INVALIDATE | PVC_PIPE_CONTROL1_CS_STALL |
	     PVC_FIELD_PREP(PVC_PIPE_CONTROL1_POST_SYNC, PVC_POST_SYNC_IMM), ADDR(VA(64)), 0, 0);
	CHECK_EQ(arrives(&x), 1);
	bench_fini(&b);
}

/* Each engine keeps its own, each invalidation is of one address space. */
TEST(tlb_is_of_an_engine_and_an_address_space)
{
	struct ctx x, neighbour, other;
	struct bench b;

	start(&b, &x, PVC_CLASS_BCS, true);
	CHECK_EQ(tlb_init(x.e + 1), 0);
	/* the same tables in another engine */
	ctx_init(&b, &neighbour, x.e + 1, 5);
	neighbour.root = x.root;
	neighbour.data = x.data;
	image_init(&neighbour);
	map_page(&x, 0);
	map_2m(&x, BATCH_VA, neighbour.batch);
	CHECK_EQ(arrives(&neighbour), 0);
	map_2m(&x, BATCH_VA, x.batch);
	map_page(&x, 1);
	/* other tables in the same engine: their invalidation drops only their translations */
	ctx_init(&b, &other, x.e, 6);
	flush(&other);
	CHECK(run_batch(&other));
	CHECK_EQ(arrives(&x), 0);
	flush(&x);
	CHECK_EQ(arrives(&x), 1);
	CHECK_EQ(arrives(&neighbour), 0);
	bench_fini(&b);
}

TEST(tlb_is_lost_by_registers_and_resets)
{
	struct bench b;
	struct ctx x;

	start(&b, &x, PVC_CLASS_BCS, true);
	CHECK_EQ(arrives(&x), 0);
	mmio_write(x.t, PVC_TLB_INV_DESC0, PVC_TLB_INV_DESC0_VALID);
	CHECK_EQ(arrives(&x), 1);
	map_page(&x, 0);
	CHECK_EQ(arrives(&x), 1);
	mmio_write(x.t, PVC_GFX_TLB_INV, 1);
	CHECK_EQ(arrives(&x), 0);
	map_page(&x, 1);
	reset_engine(&b, x.e);
	CHECK_EQ(arrives(&x), 1);
	bench_fini(&b);
}

/* A write walks again if the kept leaf is read-only. */
TEST(tlb_learns_of_more_rights)
{
	struct bench b;
	struct ctx x;

	start(&b, &x, PVC_CLASS_BCS, true);
	tlb_invalidate_engine(x.e);
	map_4k(&x, PAGE_VA, x.data, false);
	BATCH(&x, PVC_MI_COPY_MEM_MEM, ADDR(VA(64)), ADDR(PAGE_VA));
	CHECK(run_batch(&x));
	map_page(&x, 1);
	CHECK_EQ(arrives(&x), 1);
	bench_fini(&b);
}

/* Memory that the host unmaps is not reachable by kept translations. */
TEST(tlb_holds_no_memory)
{
	struct bench b;
	struct ctx x;

	start(&b, &x, PVC_CLASS_BCS, true);
	ppgtt_map(&b, 0, x.root, PAGE_VA + 4096, 0x5000 | PVC_PTE_PRESENT | PVC_PTE_WRITE, 0);
	BATCH(&x, PVC_MI_STORE_DATA_IMM, ADDR(PAGE_VA + 4096), 9);
	CHECK(run_batch(&x));
	CHECK_EQ(dma_unmap(b.c, 0, 0x200000), 0);
	BATCH(&x, PVC_MI_STORE_DATA_IMM, ADDR(PAGE_VA + 4096), 9);
	batch_dw(&x, PVC_MI_BATCH_BUFFER_END);
	ring_batch(&x, 0);
	submit(&x);
	CHECK(WAIT_FOR(mmio_read(x.t, PVC_RING_FAULT) & PVC_RING_FAULT_VALID));
	reset_engine(&b, x.e);
	bench_fini(&b);
}

/* The entry of @level for @va in the tables at @root. */
static uint64_t *entry_of(struct bench *b, uint64_t root, uint64_t va, unsigned int level)
{
	for (unsigned int l = PVC_PT_LEVELS - 1; l > level; l--)
		root = *hbm64(b, root + 8 * (va >> PVC_PT_SHIFT(l) & 511)) & PVC_PTE_ADDR_MASK;
	return hbm64(b, root + 8 * (va >> PVC_PT_SHIFT(level) & 511));
}

/* Replace the table of @level on the way to PAGE_VA by a copy; returns the old one. */
static uint64_t replace_table(struct ctx *x, unsigned int level)
{
	uint64_t *entry = entry_of(x->b, x->root, PAGE_VA, level + 1);
	uint64_t old = *entry & PVC_PTE_ADDR_MASK;
	uint64_t new = hbm_alloc(x->b, x->t->id, PVC_PT_TABLE_SIZE, PVC_PT_TABLE_SIZE);

	memcpy(hbm64(x->b, new), hbm64(x->b, old), PVC_PT_TABLE_SIZE);
	*entry = new | (*entry & ~PVC_PTE_ADDR_MASK);
	return old;
}

/* The page of the data that a store to @va reaches: one of the first four, or none. */
static int page_of(struct ctx *x, uint64_t va)
{
	static uint32_t mark = 0x10000;

	BATCH(x, PVC_MI_STORE_DATA_IMM, ADDR(va), ++mark);
	if (!run_batch(x))
		return -1;
	for (int i = 0; i < 4; i++)
		if (data32(x, 1024 * i) == mark)
			return i;
	return -1;
}

/*
 * A new address below a kept table that was replaced, and whose memory another owner uses
 * now: the other owner's entries translate the address.
 */
static void keeps_tables_of(unsigned int level)
{
	uint64_t va = PAGE_VA ^ 2ull << PVC_PT_SHIFT(level), old, stranger;
	struct bench b;
	struct ctx x;

	start(&b, &x, PVC_CLASS_BCS, true);
	stranger = hbm_alloc(&b, 0, PVC_PT_TABLE_SIZE, PVC_PT_TABLE_SIZE);
	ppgtt_map(&b, 0, stranger, va,
		  (x.data + 3 * 4096) | PVC_PTE_PRESENT | PVC_PTE_WRITE | PVC_PTE_DM, 0);
	old = replace_table(&x, level);
	map_4k(&x, va, x.data + 2 * 4096, true);
	*hbm64(&b, old + 8 * (va >> PVC_PT_SHIFT(level) & 511)) =
		*entry_of(&b, stranger, va, level);
	CHECK_EQ(page_of(&x, va), 3);
	CHECK(counter_get(&x.e->cnt.table_hits));
	flush(&x);
	CHECK_EQ(page_of(&x, va), 2);
	bench_fini(&b);
}

TEST(tlb_keeps_tables)
{
	for (unsigned int level = 0; level < PVC_PT_LEVELS - 1; level++)
		keeps_tables_of(level);
}

TEST(tlb_keeps_no_tables_unless_asked_for)
{
	uint64_t va = PAGE_VA + 4096, old;
	struct bench b;
	struct ctx x;

	start(&b, &x, PVC_CLASS_BCS, false);
	old = replace_table(&x, 0);
	memset(hbm64(&b, old), 0, PVC_PT_TABLE_SIZE);
	map_4k(&x, va, x.data + 2 * 4096, true);
	CHECK_EQ(page_of(&x, va), 2);
	CHECK_EQ(counter_get(&x.e->cnt.table_hits), 0);
	bench_fini(&b);
}

/* Missing entries are not kept: a table may be added without an invalidation. */
TEST(tlb_keeps_no_holes)
{
	uint64_t va = PAGE_VA + (4ull << 30);
	struct bench b;
	struct ctx x;

	start(&b, &x, PVC_CLASS_BCS, true);
	BATCH(&x, PVC_MI_STORE_DATA_IMM, ADDR(va), 9, PVC_MI_BATCH_BUFFER_END);
	ring_batch(&x, 0);
	submit(&x);
	CHECK(WAIT_FOR(mmio_read(x.t, PVC_RING_FAULT) & PVC_RING_FAULT_VALID));
	/* the reset drops all translations: walk again, up to the missing entry */
	reset_engine(&b, x.e);
	x.tail = 0;
	x.batch_at = 0;
	image_init(&x);
	image(&x)[PVC_LRC_RING_HEAD + 1] = 0;
	CHECK_EQ(arrives(&x), 1);
	map_4k(&x, va, x.data + 2 * 4096, true);
	CHECK_EQ(page_of(&x, va), 2);
	bench_fini(&b);
}

/* A missing entry in a kept table is a fault, even if the new table has the entry. */
TEST(tlb_faults_in_a_table_that_is_gone)
{
	uint64_t va = PAGE_VA + 4096;
	struct bench b;
	struct ctx x;

	start(&b, &x, PVC_CLASS_BCS, true);
	replace_table(&x, 0);
	map_4k(&x, va, x.data, true);
	BATCH(&x, PVC_MI_STORE_DATA_IMM, ADDR(va), 9, PVC_MI_BATCH_BUFFER_END);
	ring_batch(&x, 0);
	submit(&x);
	CHECK(WAIT_FOR(mmio_read(x.t, PVC_RING_FAULT) & PVC_RING_FAULT_VALID));
	reset_engine(&b, x.e);
	bench_fini(&b);
}

/* A write walks again from the root if the kept table was reached by a read-only entry. */
TEST(tlb_learns_of_more_rights_on_the_way)
{
	struct bench b;
	struct ctx x;

	start(&b, &x, PVC_CLASS_BCS, true);
	tlb_invalidate_engine(x.e);
	*entry_of(&b, x.root, PAGE_VA, 1) &= ~PVC_PTE_WRITE;
	BATCH(&x, PVC_MI_COPY_MEM_MEM, ADDR(VA(64)), ADDR(PAGE_VA));
	CHECK(run_batch(&x));
	*entry_of(&b, x.root, PAGE_VA, 1) |= PVC_PTE_WRITE;
	CHECK_EQ(arrives(&x), 1);
	bench_fini(&b);
}

/* A flush that predication skips invalidates nothing. */
TEST(tlb_is_not_flushed_by_what_is_skipped)
{
	struct bench b;
	struct ctx x;

	start(&b, &x, PVC_CLASS_BCS, true);
	RING(&x, PVC_MI_SET_PREDICATE |
	     PVC_FIELD_PREP(PVC_MI_SET_PREDICATE_ENABLE, PVC_MI_SET_PREDICATE_NOOP_ALWAYS));
	flush(&x);
	RING(&x, PVC_MI_SET_PREDICATE);
	CHECK_EQ(arrives(&x), 0);
	flush(&x);
	CHECK_EQ(arrives(&x), 1);
	bench_fini(&b);
}
