// SPDX-License-Identifier: MIT
/* Injected faults of engines and tiles: their effects, targets and counts, and their end. */
#include <errno.h>
#include <linux/pci_regs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

#include "bus/dma.h"
#include "bus/pci.h"
#include "card.h"
#include "card/inject_command.h"
#include "card/life.h"
#include "core/clock.h"
#include "core/irq.h"
#include "core/regs.h"
#include "core/strict.h"
#include "core/xlat.h"
#include "pvc_soc_regs.h"
#include "tests/cs_test.h"

#define inject(c, text)	CHECK_EQ(inject_command(c, text, why, sizeof(why)), 0)

static char why[512];

/* Store @val in data word @i of the context. */
static void store_dw(struct ctx *x, unsigned int i, uint32_t val)
{
	BATCH(x, PVC_MI_STORE_DATA_IMM, ADDR(VA(i)), val);
}

struct fixture {
	struct bench b;
	struct engine *e;
	struct ctx x;
};

static void start(struct fixture *f, unsigned int tiles)
{
	bench_init(&f->b, tiles);
	f->e = bench_engine(&f->b, 0, PVC_CLASS_BCS, 1);
	ctx_init(&f->b, &f->x, f->e, 7);
}

/* ---- engines ---- */

TEST(injected_arguments)
{
	static const char * const bad[] = {
		"", " ", "nothing", "hang", "hang before=0", "hang before=1 after=1", "hang after",
		"hang after=1 after=2", "hang after=-1", "hang after=1x", "hang after=0x",
		"hang engine=tile0.bcs9 after=1", "hang engine= after=1",
		"hang engine=tile2 after=1",
		"hang engine=tile after=1", "slow", "slow us=0", "slow us=60000001", "irq-late",
		"irq-lost us=3", "irq-lost vector=0", "irq-lost vector=0x10000", "fuse0 off",
		"unplug off", "poison", "poison address=0", "poison address=0x40000000 size=1",
		"poison address=0x3fffffff size=2", "poison address=0 size=0x1000001",
		"poison address=1 size=0xffffffffffffffff",
		"fault address=0", "fault address=0 size=1 kind=weird", "fault address=0 size=0",
		"fault address=0 size=1 access=read",
		"fault address=0 size=1 engine=tile1", "fault address=0 size=1 context=0x10000",
		"poison address=0 size=1 engine=all", "forcewake-dead tile=1",
		"forcewake-dead well=gtx", "forcewake-dead well=", "pcode-error code=0",
		"pcode-error code=256", "clear now", "all-ones maybe", "register address=0x100",
		"register value=1", "register address=2 value=1",
		"register address=0x800000 value=1", "register address=0 value=0x100000000",
		"register address=0 value=0 mask=0", "csb-wrong tile=0",
		"load-late", "load-late us=60000001",
		"reset-dead domain=0", "reset-dead engine=tile0",
	};
	static const char * const good[] = {
		"hang before=1", "hang engine=tile0 after=18446744073709551615", "hang off",
		"slow engine=all us=1", "slow engine=tile0.ccs0 off", "slow off",
		"irq-late,us=0x10,vector=1,skip=2,count=0",
		"fault address=1 size=1 kind=misaligned",
		"fault address=1 size=1 engine=tile0.ccs3 context=0xffff",
		"poison address=0x3f000000 size=0x1000000", "all-ones", "all-ones off",
		"register address=0x7ffffc value=0xffffffff mask=1 tile=0", "csb-wrong", "clear",
	};
	char longest[300];
	struct card *c = test_card(1, 0);

	for (unsigned int i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		why[0] = '\0';
		if (inject_command(c, bad[i], why, sizeof(why)) != -EINVAL || !why[0] ||
		    strpbrk(why, "\"\\"))
			test_fail(__FILE__, __LINE__, "\"%s\" -> %s", bad[i], why);
	}
	for (unsigned int i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		if (inject_command(c, good[i], why, sizeof(why)))
			test_fail(__FILE__, __LINE__, "\"%s\" -> %s", good[i], why);
	memset(longest, 'a', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	CHECK_EQ(inject_command(c, longest, why, sizeof(why)), -EINVAL);
	/* faults that were refused or disarmed have no effect */
	CHECK_EQ(atomic_load(&c->tiles[0].injected), 0);
	for (unsigned int n = 0; n < TILE_MAX_ENGINES; n++)
		CHECK_EQ(atomic_load(&c->tiles[0].engines[n].injected), 0);
	test_card_free(c);
}

TEST(injected_from_the_start)
{
	struct card_options opt = *TEST_OPTIONS(1,
		.inject = { "all-ones", "pcode-error,count=0" }, .num_inject = 2);
	struct card *c;

	c = test_card_full(&opt, 0);
	CHECK_EQ(mmio_read(&c->tiles[0], PVC_MTCFG), ~0u);
	test_card_free(c);
	opt.inject[1] = "pcode-error,tile=1";
	CHECK_EQ(card_create(&c, &opt), -EINVAL);
}

TEST(injected_hang_before)
{
	struct fixture f;

	start(&f, 1);
	/* ring: ARB, BATCH_START; batch: store, store */
	inject(f.b.c, "hang engine=tile0.bcs1 before=4");
	store_dw(&f.x, 0, 1);
	store_dw(&f.x, 1, 2);
	batch_dw(&f.x, PVC_MI_BATCH_BUFFER_END);
	ring_batch(&f.x, 0);
	submit(&f.x);
	CHECK(WAIT_FOR(counter_get(&f.b.c->injected) == 1));
	CHECK_EQ(data32(&f.x, 0), 1);
	CHECK_EQ(data32(&f.x, 1), 0);
	CHECK_EQ(counter_get(&f.e->cnt.commands), 3);
	CHECK(busy(f.e));
	CHECK_EQ(mmio_read(f.e->tile, PVC_RING_ACTHD(f.e->base)), (uint32_t)BATCH_VA + 16);
	/* only a reset helps, and the fault happens once */
	reset_engine(&f.b, f.e);
	CHECK(!busy(f.e));
	ctx_init(&f.b, &f.x, f.e, 8);
	store_dw(&f.x, 1, 3);
	CHECK(run_batch(&f.x));
	CHECK_EQ(data32(&f.x, 1), 3);
	CHECK_EQ(counter_get(&f.b.c->injected), 1);
	bench_fini(&f.b);
}

TEST(injected_hang_after)
{
	struct fixture f;
	struct ctx other;

	start(&f, 1);
	inject(f.b.c, "hang engine=tile0.bcs1 after=4");
	store_dw(&f.x, 0, 1);
	store_dw(&f.x, 1, 2);
	batch_dw(&f.x, PVC_MI_BATCH_BUFFER_END);
	ring_batch(&f.x, 0);
	submit(&f.x);
	CHECK(WAIT_FOR(counter_get(&f.b.c->injected) == 1));
	CHECK_EQ(data32(&f.x, 1), 2);
	CHECK_EQ(counter_get(&f.e->cnt.commands), 4);
	CHECK(busy(f.e));
	/* another engine has no fault */
	ctx_init(&f.b, &other, bench_engine(&f.b, 0, PVC_CLASS_BCS, 2), 9);
	store_dw(&other, 0, 5);
	CHECK(run_batch(&other));
	CHECK_EQ(data32(&other, 0), 5);
	reset_engine(&f.b, f.e);
	bench_fini(&f.b);
}

TEST(injected_slow)
{
	struct fixture f;
	uint64_t t;

	start(&f, 1);
	inject(f.b.c, "slow engine=tile0.bcs1 us=5000");
	store_dw(&f.x, 0, 1);
	t = card_timestamp();
	CHECK(run_batch(&f.x));
	/* four commands of 5 ms at least */
	CHECK(card_timestamp() - t >= 4ull * 5000 * 19);
	CHECK_EQ(data32(&f.x, 0), 1);
	CHECK_EQ(counter_get(&f.b.c->injected), counter_get(&f.e->cnt.commands));
	bench_fini(&f.b);
}

TEST(injected_irq_lost)
{
	struct fixture f;

	start(&f, 1);
	inject(f.b.c, "irq-lost engine=tile0.bcs1 vector=1 skip=1 count=2");
	irq_raise(f.e->tile, PVC_CLASS_BCS, 1, PVC_VEC_USER);
	CHECK_EQ(take_irq(f.e), PVC_VEC_USER);
	irq_raise(f.e->tile, PVC_CLASS_BCS, 1, PVC_VEC_USER);
	CHECK_EQ(take_irq(f.e), 0);
	/* another vector passes and does not count */
	irq_raise(f.e->tile, PVC_CLASS_BCS, 1, PVC_VEC_USER | PVC_VEC_CONTEXT_SWITCH);
	CHECK_EQ(take_irq(f.e), PVC_VEC_CONTEXT_SWITCH);
	irq_raise(f.e->tile, PVC_CLASS_BCS, 2, PVC_VEC_USER);
	CHECK_EQ(take_irq(f.e + 1), PVC_VEC_USER);
	irq_raise(f.e->tile, PVC_CLASS_BCS, 1, PVC_VEC_USER);
	CHECK_EQ(take_irq(f.e), PVC_VEC_USER);
	CHECK_EQ(counter_get(&f.b.c->injected), 2);
	CHECK_EQ(atomic_load(&f.e->injected), 0);
	bench_fini(&f.b);
}

TEST(injected_irq_late)
{
	struct fixture f;
	uint64_t t;

	start(&f, 1);
	inject(f.b.c, "irq-late engine=tile0.bcs1 us=30000 count=2");
	t = card_timestamp();
	irq_raise(f.e->tile, PVC_CLASS_BCS, 1, PVC_VEC_USER);
	CHECK_EQ(take_irq(f.e), 0);
	CHECK(WAIT_FOR(mmio_read(f.e->tile, PVC_GT_INTR_DW(0))));
	CHECK(card_timestamp() - t >= 30000 * 192 / 10);
	CHECK_EQ(take_irq(f.e), PVC_VEC_USER);
	/* a reset of the card drops late interrupts */
	inject(f.b.c, "irq-late engine=tile0.bcs1 us=20000");
	irq_raise(f.e->tile, PVC_CLASS_BCS, 1, PVC_VEC_USER);
	card_reset(f.b.c);
	usleep(60000);
	CHECK_EQ(mmio_read(f.e->tile, PVC_GT_INTR_DW(0)), 0);
	bench_fini(&f.b);
}

TEST(injected_irq_twice)
{
	struct fixture f;
	int fd = eventfd(0, EFD_NONBLOCK);
	uint64_t n;

	start(&f, 1);
	test_irq_enable(f.b.c);
	pci_set_msi(f.b.c, fd);
	inject(f.b.c, "irq-twice engine=tile0.bcs1");
	irq_raise(f.e->tile, PVC_CLASS_BCS, 1, PVC_VEC_CONTEXT_SWITCH);
	CHECK(read(fd, &n, sizeof(n)) == sizeof(n));
	mmio_write(f.e->tile, PVC_MSTR_TILE_INTR, 0);
	mmio_write(f.e->tile, PVC_GFX_MSTR_IRQ, ~0u);
	CHECK_EQ(take_irq(f.e), PVC_VEC_CONTEXT_SWITCH);
	/* after the acknowledgement the vector is pending again, with another message */
	mmio_write(f.e->tile, PVC_MSTR_TILE_INTR, PVC_MSTR_IRQ_ENABLE);
	CHECK(read(fd, &n, sizeof(n)) == sizeof(n));
	CHECK_EQ(take_irq(f.e), PVC_VEC_CONTEXT_SWITCH);
	CHECK_EQ(take_irq(f.e), 0);
	bench_fini(&f.b);
}

/* An engine that runs nothing takes a load late, and keeps none over a reset. */
TEST(injected_load_late)
{
	struct fixture f;
	uint64_t since;

	start(&f, 1);
	inject(f.b.c, "load-late engine=tile0.bcs1 us=200000");
	since = card_timestamp();
	store_dw(&f.x, 0, 1);
	CHECK(run_batch(&f.x));
	CHECK(card_timestamp() - since >= card_ticks(200000));
	CHECK_EQ(counter_get(&f.b.c->injected), 1);
	/* Once, unless more are asked for */
	store_dw(&f.x, 0, 2);
	CHECK(run_batch(&f.x));
	CHECK_EQ(counter_get(&f.b.c->injected), 1);

	inject(f.b.c, "load-late engine=tile0.bcs1 us=60000000");
	store_dw(&f.x, 0, 3);
	batch_dw(&f.x, PVC_MI_BATCH_BUFFER_END);
	ring_batch(&f.x, 0);
	submit(&f.x);
	CHECK(WAIT_FOR(counter_get(&f.b.c->injected) == 2));
	CHECK(busy(f.e));
	CHECK_EQ(counter_get(&f.e->cnt.context_switches), 4);
	reset_engine(&f.b, f.e);
	CHECK(!busy(f.e));
	CHECK_EQ(data32(&f.x, 0), 2);
	ctx_init(&f.b, &f.x, f.e, 8);
	store_dw(&f.x, 1, 4);
	CHECK(run_batch(&f.x));
	CHECK_EQ(data32(&f.x, 1), 4);
	bench_fini(&f.b);
}

TEST(injected_csb_lost)
{
	struct fixture f;
	unsigned int ptr;

	start(&f, 1);
	/* the switch to the context is reported, the switch away is not */
	inject(f.b.c, "csb-lost engine=tile0.bcs1 skip=1");
	store_dw(&f.x, 0, 1);
	CHECK(run_batch(&f.x));
	CHECK(WAIT_FOR(counter_get(&f.e->cnt.context_switches) == 2));
	CHECK(WAIT_FOR(counter_get(&f.b.c->injected) == 1));
	CHECK_EQ(csb_ptr(&f.b, f.e), 0);
	CHECK_EQ(csb(&f.b, f.e, 0), csb_entry(f.e, 7, IDLE, PVC_CSB_DETAIL_COMPLETE, true));
	ptr = mmio_read(f.e->tile, PVC_CONTEXT_STATUS_PTR(f.e->base)) & PVC_CSB_PTR_WRITE_MASK;
	CHECK_EQ(ptr, 1);
	CHECK(WAIT_FOR(take_irq(f.e) & PVC_VEC_CONTEXT_SWITCH));
	bench_fini(&f.b);
}

TEST(injected_csb_late)
{
	struct fixture f;

	start(&f, 1);
	store_dw(&f.x, 0, 1);
	CHECK(run_batch(&f.x));
	inject(f.b.c, "csb-late engine=tile0.bcs1");
	CHECK(run_batch(&f.x));
	CHECK(WAIT_FOR(counter_get(&f.e->cnt.context_switches) == 4));
	CHECK_EQ(counter_get(&f.b.c->injected), 1);
	/* the entry of the switch to the context came with that of the switch away */
	CHECK_EQ(csb(&f.b, f.e, 2), csb_entry(f.e, 7, IDLE, PVC_CSB_DETAIL_COMPLETE, true));
	CHECK_EQ(csb(&f.b, f.e, 3), csb_entry(f.e, IDLE, 7, PVC_CSB_DETAIL_COMPLETE, false));
	CHECK_EQ(csb_ptr(&f.b, f.e), 3);
	/* the last entry never comes, because none follows */
	inject(f.b.c, "csb-late engine=tile0.bcs1 skip=1");
	CHECK(run_batch(&f.x));
	CHECK(WAIT_FOR(counter_get(&f.e->cnt.context_switches) == 6));
	CHECK_EQ(csb_ptr(&f.b, f.e), 4);
	CHECK_EQ(csb(&f.b, f.e, 5), 0);
	CHECK_EQ(mmio_read(f.e->tile, PVC_CONTEXT_STATUS_PTR(f.e->base)) & PVC_CSB_PTR_WRITE_MASK,
		 5);
	bench_fini(&f.b);
}

TEST(injected_csb_wrong)
{
	struct fixture f;

	start(&f, 1);
	store_dw(&f.x, 0, 1);
	CHECK(run_batch(&f.x));
	inject(f.b.c, "csb-wrong engine=tile0.bcs1 skip=1");
	store_dw(&f.x, 0, 2);
	CHECK(run_batch(&f.x));
	/* the first event passes; the second has wrong contexts in memory and registers */
	CHECK_EQ(counter_get(&f.b.c->injected), 1);
	CHECK_EQ(csb_ptr(&f.b, f.e), 3);
	CHECK_EQ(csb(&f.b, f.e, 2), csb_entry(f.e, 7, IDLE, PVC_CSB_DETAIL_COMPLETE, true));
	CHECK_EQ(csb(&f.b, f.e, 3), csb_entry(f.e, IDLE ^ 1, 7 ^ 1, PVC_CSB_DETAIL_COMPLETE,
					      false));
	CHECK_EQ(mmio_read(f.e->tile, PVC_RING_CSB_LO(f.e->base, 3)),
		 PVC_LOWER_32(csb(&f.b, f.e, 3)));
	CHECK_EQ(data32(&f.x, 0), 2);
	bench_fini(&f.b);
}

/* The second piece of a page or more is lost; the rest of the blit, and smaller blits, are not. */
TEST(injected_copy_lost)
{
	struct fixture f;

	start(&f, 1);
	f.b.c->opt.lenient |= STRICT_BCS_LATE;
	inject(f.b.c, "copy-lost engine=tile0.bcs1 skip=1");
	for (unsigned int i = 0; i < 4; i++) {
		BATCH(&f.x, PVC_MEM_SET, (i == 3 ? 1024 : 4096) - 1, 0, 4095,
		      ADDR(VA(0) + 4096 * i), PVC_FIELD_PREP(PVC_MEM_SET6_VALUE, 7));
		batch_dw(&f.x, PVC_MI_NOOP);
	}
	CHECK(run_batch(&f.x));
	CHECK_EQ(counter_get(&f.b.c->injected), 1);
	CHECK_EQ(data32(&f.x, 0), 0x07070707);
	CHECK_EQ(data32(&f.x, 1024), 0);
	CHECK_EQ(data32(&f.x, 2047), 0);
	CHECK_EQ(data32(&f.x, 2048), 0x07070707);
	CHECK_EQ(data32(&f.x, 3072), 0x07070707);
	CHECK_EQ(atomic_load(&f.e->injected), 0);
	bench_fini(&f.b);
}

TEST(injected_clear)
{
	struct fixture f;
	struct span s;
	char poison[80];

	start(&f, 2);
	inject(f.b.c, "hang after=1");
	inject(f.b.c, "slow us=1000000");
	inject(f.b.c, "irq-lost count=0");
	inject(f.b.c, "csb-lost count=0");
	inject(f.b.c, "fault address=0 size=0xffffffffffffffff count=0");
	snprintf(poison, sizeof(poison), "poison address=%#llx size=4096",
		 (unsigned long long)f.x.root);
	inject(f.b.c, poison);
	inject(f.b.c, "all-ones");
	CHECK_EQ(ppgtt_translate(f.e->tile, f.x.root, USER_VA, false, &s), XLAT_POISONED);
	inject(f.b.c, "clear");
	/* poisoned tables stay lost; a new context has others */
	ctx_init(&f.b, &f.x, f.e, 8);
	store_dw(&f.x, 0, 1);
	CHECK(run_batch(&f.x));
	CHECK_EQ(data32(&f.x, 0), 1);
	CHECK(WAIT_FOR(take_irq(f.e) & PVC_VEC_CONTEXT_SWITCH));
	bench_fini(&f.b);
}

/* Requests without room are refused, and disarming makes room. */
TEST(injected_ranges_run_out)
{
	struct card *c = test_card(1, 0);

	for (unsigned int i = 0; i < 16; i++)
		inject(c, "poison address=0x1000 size=1");
	CHECK_EQ(inject_command(c, "poison address=0x1000 size=1", why, sizeof(why)), -EINVAL);
	inject(c, "poison off");
	inject(c, "poison address=0x1000 size=1");
	test_card_free(c);
}

TEST(injected_power_cycle)
{
	struct card *c = test_card(1, 0);
	struct tile *t = &c->tiles[0];

	inject(c, "unplug");
	CHECK(atomic_load(&c->unplugged));
	c->hbm[0x5000] = 1;
	t->ggtt[5] = 1;
	mmio_write(t, PVC_PAT_INDEX(0), 5);
	card_power_cycle(c);
	CHECK_EQ(c->hbm[0x5000], 0);
	CHECK_EQ(t->ggtt[5], 0);
	CHECK_EQ(mmio_read(t, PVC_PAT_INDEX(0)), 0);
	CHECK(!dma_bus_master(c));
	test_card_free(c);
}

/* ---- tiles: resets, registers, wells, pcode, memory ---- */

/* Start a batch that stores for ever, and wait for its first store. */
static void store_for_ever(struct fixture *f, uint64_t va)
{
	BATCH(&f->x, PVC_MI_STORE_DATA_IMM, ADDR(va), 1, PVC_MI_BATCH_BUFFER_START, ADDR(BATCH_VA));
	ring_batch(&f->x, 0);
	submit(&f->x);
	CHECK(WAIT_FOR(counter_get(&f->e->cnt.stores) > 10));
}

static bool stores_on(struct engine *e)
{
	uint64_t then = counter_get(&e->cnt.stores);

	return WAIT_FOR(counter_get(&e->cnt.stores) > then + 10);
}

static void gdrst(struct fixture *f, uint32_t domains)
{
	mmio_write(f->e->tile, PVC_GDRST, domains);
}

/* These tests count requests, so none may be ignored at random. */
static void start_with_resets(struct fixture *f, unsigned int tiles)
{
	start(f, tiles);
	f->b.c->opt.lenient = STRICT_RESET_DROP;
}

TEST(injected_reset_dead)
{
	struct fixture f;
	struct tile *t;

	start_with_resets(&f, 2);
	t = f.e->tile;
	inject(f.b.c, "reset-dead tile=0 domain=0x1000000 skip=1 count=2");
	CHECK_EQ(PVC_GDRST_BCS(1), 0x1000000);
	gdrst(&f, PVC_GDRST_BCS(1));
	CHECK_EQ(mmio_read(t, PVC_GDRST), 0);
	f.e = bench_engine(&f.b, 0, PVC_CLASS_BCS, 1);
	mmio_write(t, PVC_RING_HWS_PGA(f.e->base), f.x.lrc - t->dpa_base);
	store_for_ever(&f, VA(0));
	/* other domains are reset on all tiles; the dead one's bit stays set */
	gdrst(&f, PVC_GDRST_BCS(1) | PVC_GDRST_RENDER);
	CHECK_EQ(mmio_read(t, PVC_GDRST), PVC_GDRST_BCS(1));
	CHECK_EQ(mmio_read(t, PVC_RCU_MODE), 0);
	gdrst(&f, PVC_GDRST_RENDER);
	CHECK_EQ(mmio_read(t, PVC_GDRST), PVC_GDRST_BCS(1));
	mmio_write(&f.b.c->tiles[1], PVC_GDRST, PVC_GDRST_BCS(1));
	CHECK_EQ(mmio_read(&f.b.c->tiles[1], PVC_GDRST), 0);
	gdrst(&f, PVC_GDRST_BCS(1));
	CHECK_EQ(mmio_read(t, PVC_GDRST), PVC_GDRST_BCS(1));
	CHECK(busy(f.e));
	CHECK(stores_on(f.e));
	CHECK_EQ(counter_get(&f.b.c->injected), 2);
	/* the fault was armed for two events */
	gdrst(&f, PVC_GDRST_BCS(1));
	CHECK_EQ(mmio_read(t, PVC_GDRST), 0);
	CHECK(!busy(f.e));
	bench_fini(&f.b);
}

TEST(injected_reset_dead_for_good)
{
	struct fixture f;
	struct tile *t;

	start_with_resets(&f, 1);
	t = f.e->tile;
	store_for_ever(&f, VA(0));
	inject(f.b.c, "reset-dead count=0");
	for (int i = 0; i < 3; i++)
		gdrst(&f, PVC_GDRST_FULL);
	CHECK_EQ(mmio_read(t, PVC_GDRST), PVC_GDRST_FULL);
	CHECK(stores_on(f.e));
	inject(f.b.c, "reset-dead off");
	CHECK_EQ(mmio_read(t, PVC_GDRST), 0);
	CHECK(stores_on(f.e));
	/* a reset of the function always works */
	inject(f.b.c, "reset-dead count=0");
	gdrst(&f, PVC_GDRST_FULL);
	card_reset(f.b.c);
	CHECK_EQ(mmio_read(t, PVC_GDRST), 0);
	CHECK(!busy(f.e));
	bench_fini(&f.b);
}

TEST(injected_resets_of_each_step)
{
	const uint16_t flr = PCI_EXP_DEVCTL_BCR_FLR;
	const unsigned int express = 0x70;
	struct fixture f;
	struct tile *t;

	start_with_resets(&f, 2);
	t = f.e->tile;
	inject(f.b.c, "reset-hang");
	inject(f.b.c, "flr-dead");
	gdrst(&f, PVC_GDRST_BCS(1));
	CHECK_EQ(mmio_read(t, PVC_GDRST), PVC_GDRST_BCS(1));
	gdrst(&f, PVC_GDRST_FULL);
	CHECK(mmio_read(t, PVC_GDRST) & PVC_GDRST_FULL);
	mmio_write(&f.b.c->tiles[1], PVC_GDRST, PVC_GDRST_FULL);
	CHECK(mmio_read(&f.b.c->tiles[1], PVC_GDRST) & PVC_GDRST_FULL);
	/* by both of its ways */
	pci_config_write(f.b.c, express + PCI_EXP_DEVCTL, &flr, sizeof(flr));
	mmio_write(t, PVC_GU_CNTL, PVC_GU_CNTL_DRIVERFLR);
	CHECK(mmio_read(t, PVC_GDRST) & PVC_GDRST_FULL);
	CHECK_EQ(counter_get(&f.b.c->injected), 2);
	inject(f.b.c, "flr-dead off");
	mmio_write(t, PVC_GU_CNTL, PVC_GU_CNTL_DRIVERFLR);
	CHECK_EQ(mmio_read(t, PVC_GDRST), 0);
	gdrst(&f, PVC_GDRST_FULL);
	CHECK_EQ(mmio_read(t, PVC_GDRST), 0);
	bench_fini(&f.b);
}

/* Without bus mastering guest memory does not change, and the engine stops. */
TEST(stores_end_with_bus_mastering)
{
	const uint16_t off = PCI_COMMAND_MEMORY;
	struct fixture f;
	uint64_t then;

	start(&f, 1);
	ppgtt_map(&f.b, 0, f.x.root, USER_VA + DATA_BYTES,
		  0x5000 | PVC_PTE_PRESENT | PVC_PTE_WRITE, 0);
	store_for_ever(&f, USER_VA + DATA_BYTES);
	CHECK(WAIT_FOR(counter_get(&f.e->cnt.stores_system) > 10));
	pci_config_write(f.b.c, PCI_COMMAND, &off, sizeof(off));
	CHECK(WAIT_FOR(mmio_read(f.e->tile, PVC_RING_FAULT) & PVC_RING_FAULT_VALID));
	then = counter_get(&f.e->cnt.stores_system);
	usleep(10000);
	CHECK_EQ(counter_get(&f.e->cnt.stores_system), then);
	bench_fini(&f.b);
}

TEST(injected_register)
{
	struct card *c = test_card(2, 0);
	struct tile *t0 = &c->tiles[0], *t1 = &c->tiles[1];
	uint32_t fuses = mmio_read(t0, PVC_COMPUTE_DSS_ENABLE);

	CHECK(fuses & ~0xfu);
	inject(c, "register address=0x9144 value=5 mask=0xf tile=1 skip=1 count=2");
	CHECK_EQ(PVC_COMPUTE_DSS_ENABLE, 0x9144);
	CHECK_EQ(mmio_read(t1, PVC_COMPUTE_DSS_ENABLE), fuses);
	CHECK_EQ(mmio_read(t1, PVC_COMPUTE_DSS_ENABLE), (fuses & ~0xfu) | 5);
	CHECK_EQ(mmio_read(t0, PVC_COMPUTE_DSS_ENABLE), fuses);
	CHECK_EQ(mmio_read(t1, PVC_COMPUTE_DSS_ENABLE), (fuses & ~0xfu) | 5);
	CHECK_EQ(mmio_read(t1, PVC_COMPUTE_DSS_ENABLE), fuses);
	/* storage does not change; each tile's window has its own false value */
	inject(c, "register address=0x9144 value=0 count=0");
	inject(c, "register address=0x101010 value=0 tile=1 count=0");
	CHECK_EQ(mmio_read(t0, PVC_COMPUTE_DSS_ENABLE), 0);
	CHECK_EQ(reg_read(t0, PVC_COMPUTE_DSS_ENABLE), fuses);
	CHECK_EQ(PVC_GU_CNTL, 0x101010);
	CHECK_EQ(mmio_read(t1, PVC_GU_CNTL), 0);
	CHECK_EQ(mmio_read(t0, PVC_GU_CNTL), PVC_GU_CNTL_LMEM_INIT);
	CHECK_EQ(counter_get(&c->injected), 4);
	inject(c, "register off");
	CHECK_EQ(mmio_read(t0, PVC_COMPUTE_DSS_ENABLE), fuses);
	CHECK_EQ(atomic_load(&t0->injected) | atomic_load(&t1->injected), 0);
	/* there is room for sixteen */
	for (unsigned int i = 0; i < 16; i++)
		inject(c, "register address=0 value=0");
	CHECK_EQ(inject_command(c, "register address=0 value=0", why, sizeof(why)), -EINVAL);
	test_card_free(c);
}

TEST(injected_forcewake_dead)
{
	struct card *c = test_card(2, 0);
	struct tile *t = &c->tiles[1];

	inject(c, "forcewake-dead tile=1 well=render");
	mmio_write(t, PVC_FORCEWAKE_RENDER, 0x00010001);
	mmio_write(t, PVC_FORCEWAKE_GT, 0x00010001);
	CHECK_EQ(mmio_read(t, PVC_FORCEWAKE_ACK_RENDER) & 1, 0);
	CHECK_EQ(mmio_read(t, PVC_FORCEWAKE_ACK_GT) & 1, 1);
	mmio_write(&c->tiles[0], PVC_FORCEWAKE_RENDER, 0x00010001);
	CHECK_EQ(mmio_read(&c->tiles[0], PVC_FORCEWAKE_ACK_RENDER) & 1, 1);
	inject(c, "forcewake-dead off");
	mmio_write(t, PVC_FORCEWAKE_RENDER, 0x00010001);
	CHECK_EQ(mmio_read(t, PVC_FORCEWAKE_ACK_RENDER) & 1, 1);
	/* a well that is awake never goes to sleep again */
	inject(c, "forcewake-dead");
	mmio_write(t, PVC_FORCEWAKE_GT, 0x00010000);
	CHECK_EQ(mmio_read(t, PVC_FORCEWAKE_ACK_GT) & 1, 1);
	test_card_free(c);
}

TEST(injected_forcewake_lost)
{
	struct card *c = test_card(1, 0);
	struct tile *t = &c->tiles[0];

	inject(c, "forcewake-lost well=gt skip=1");
	mmio_write(t, PVC_FORCEWAKE_GT, 0x00010001);
	CHECK_EQ(mmio_read(t, PVC_FORCEWAKE_ACK_GT), 1);
	mmio_write(t, PVC_FORCEWAKE_GT, 0x00010000);
	CHECK_EQ(mmio_read(t, PVC_FORCEWAKE_ACK_GT), 1);
	mmio_write(t, PVC_FORCEWAKE_RENDER, 0x00010001);
	CHECK_EQ(mmio_read(t, PVC_FORCEWAKE_ACK_RENDER), 1);
	/* another bit brings both */
	mmio_write(t, PVC_FORCEWAKE_GT, PVC_MASKED_SET(PVC_FORCEWAKE_FALLBACK));
	CHECK_EQ(mmio_read(t, PVC_FORCEWAKE_ACK_GT), PVC_FORCEWAKE_FALLBACK);
	CHECK_EQ(counter_get(&c->injected), 1);
	test_card_free(c);
}

static uint32_t ask_pcode(struct tile *t, uint32_t command)
{
	mmio_write(t, PVC_PCODE_DATA0, 0);
	mmio_write(t, PVC_PCODE_MAILBOX, PVC_PCODE_READY | command);
	return mmio_read(t, PVC_PCODE_MAILBOX);
}

TEST(injected_pcode)
{
	struct card *c = test_card(1, 0);
	struct tile *t = &c->tiles[0];

	inject(c, "pcode-error command=0x7e code=0x11 skip=1");
	CHECK_EQ(ask_pcode(t, PVC_PCODE_CMD_STATUS) & PVC_PCODE_ERROR_MASK, 0);
	CHECK_EQ(ask_pcode(t, 0x7c) & PVC_PCODE_ERROR_MASK, PVC_PCODE_ILLEGAL_SUBCOMMAND);
	CHECK_EQ(ask_pcode(t, PVC_PCODE_CMD_STATUS) & PVC_PCODE_ERROR_MASK, 0x11);
	CHECK_EQ(ask_pcode(t, PVC_PCODE_CMD_STATUS), PVC_PCODE_SUCCESS);
	inject(c, "pcode-busy count=0");
	CHECK(ask_pcode(t, PVC_PCODE_CMD_STATUS) & PVC_PCODE_READY);
	CHECK(ask_pcode(t, PVC_PCODE_CMD_STATUS) & PVC_PCODE_READY);
	inject(c, "pcode-busy off");
	CHECK_EQ(mmio_read(t, PVC_PCODE_MAILBOX) & PVC_PCODE_READY, 0);
	CHECK_EQ(ask_pcode(t, PVC_PCODE_CMD_STATUS), PVC_PCODE_SUCCESS);
	test_card_free(c);
}

TEST(injected_poison)
{
	struct fixture f;
	struct tile *t;
	char cmd[80];
	int fd = eventfd(0, EFD_NONBLOCK);
	uint64_t n;

	start(&f, 2);
	t = f.e->tile;
	pci_set_msi(f.b.c, fd);
	snprintf(cmd, sizeof(cmd), "poison address=%#llx size=64",
		 (unsigned long long)f.x.data + 64);
	inject(f.b.c, cmd);
	/* accesses beside the range pass */
	store_dw(&f.x, 15, 1);
	store_dw(&f.x, 32, 2);
	CHECK(run_batch(&f.x));
	CHECK_EQ(counter_get(&f.e->cnt.faults), 0);
	store_dw(&f.x, 16, 3);
	batch_dw(&f.x, PVC_MI_BATCH_BUFFER_END);
	ring_batch(&f.x, 0);
	while (take_irq(f.e))
		;
	submit(&f.x);
	CHECK(WAIT_FOR(take_irq(f.e) & PVC_VEC_CS_ERROR));
	/* the host reads all ones there, and only there */
	CHECK_EQ(data32(&f.x, 15), 1);
	CHECK_EQ(data32(&f.x, 16), ~0u);
	CHECK_EQ(data32(&f.x, 31), ~0u);
	CHECK_EQ(data32(&f.x, 32), 2);
	CHECK(mmio_read(t, PVC_RING_RESET_CTL(f.e->base)) & PVC_RESET_CTL_CAT_ERROR);
	/* poison is an error of the device, not a page fault */
	CHECK_EQ(mmio_read(t, PVC_RING_FAULT), 0);
	CHECK(mmio_read(t, PVC_GFX_MSTR_IRQ) & PVC_GFX_MSTR_ERR_NONFATAL);
	CHECK_EQ(mmio_read(t, PVC_DEV_ERR_STAT_NONFATAL), PVC_DEV_ERR_SOC);
	CHECK(read(fd, &n, sizeof(n)) == sizeof(n));
	mmio_write(t, PVC_IEH_GLOBAL(PVC_IEH_FIRST, PVC_ERR_NONFATAL), ~0u);
	mmio_write(t, PVC_DEV_ERR_STAT_NONFATAL, PVC_DEV_ERR_SOC);
	mmio_write(t, PVC_GFX_MSTR_IRQ, PVC_GFX_MSTR_ERR_NONFATAL);
	CHECK_EQ(mmio_read(t, PVC_DEV_ERR_STAT_NONFATAL), 0);
	CHECK_EQ(mmio_read(t, PVC_GFX_MSTR_IRQ) & PVC_GFX_MSTR_ERR_NONFATAL, 0);
	/* healed */
	reset_engine(&f.b, f.e);
	inject(f.b.c, "poison off");
	image(&f.x)[PVC_LRC_RING_HEAD + 1] = f.x.tail;
	f.x.batch_at = 0;
	store_dw(&f.x, 16, 4);
	CHECK(run_batch(&f.x));
	CHECK_EQ(data32(&f.x, 16), 4);
	bench_fini(&f.b);
}

TEST(injected_fault)
{
	struct fixture f;
	struct tile *t;
	struct span s;
	char cmd[160];

	start(&f, 1);
	t = f.e->tile;
	snprintf(cmd, sizeof(cmd), "fault address=%#llx size=4096 access=write count=1",
		 (unsigned long long)USER_VA + 0x1000);
	inject(f.b.c, cmd);
	/* pieces end where the range begins; reads inside pass, but may not write */
	CHECK_EQ(ppgtt_translate(t, f.x.root, USER_VA, true, &s), XLAT_OK);
	CHECK_EQ(s.len, 0x1000);
	CHECK_EQ(ppgtt_translate(t, f.x.root, USER_VA + 0x1010, false, &s), XLAT_OK);
	CHECK(!s.writable);
	CHECK_EQ(ppgtt_translate(t, f.x.root, USER_VA + 0x2000, true, &s), XLAT_OK);
	store_dw(&f.x, 0x400, 1);
	batch_dw(&f.x, PVC_MI_BATCH_BUFFER_END);
	ring_batch(&f.x, 0);
	submit(&f.x);
	CHECK(WAIT_FOR(take_irq(f.e) & PVC_VEC_CS_ERROR));
	CHECK_EQ(mmio_read(t, PVC_RING_FAULT) & ~PVC_RING_FAULT_LEVEL_MASK, PVC_RING_FAULT_VALID |
		 (uint32_t)PVC_CLASS_BCS << PVC_RING_FAULT_ENGINE_SHIFT | PVC_RING_FAULT_WRITE);
	CHECK_EQ(mmio_read(t, PVC_FAULT_TLB_DATA0), (uint32_t)((USER_VA + 0x1000) >> 12));
	CHECK_EQ(counter_get(&f.e->cnt.faults), 1);
	/* the fault was armed for one event */
	CHECK_EQ(ppgtt_translate(t, f.x.root, USER_VA + 0x1000, true, &s), XLAT_OK);
	reset_engine(&f.b, f.e);

	inject(f.b.c, "fault address=0x1000 size=0x1000 space=ggtt kind=misaligned skip=2");
	ggtt_map(&f.b, t, t->dpa_base + 0x1000, 4096);
	CHECK_EQ(ggtt_translate(t, 0x1000, false, &s), XLAT_OK);
	CHECK_EQ(s.len, 64);
	CHECK_EQ(ggtt_translate(t, 0x1ffc, false, &s), XLAT_OK);
	CHECK_EQ(ggtt_translate(t, 0x1ffc, false, &s), XLAT_MISALIGNED);
	CHECK_EQ(ggtt_translate(t, 0x1ffc, false, &s), XLAT_OK);
	bench_fini(&f.b);
}

/* A fault at an address can be restricted to an engine or a context. */
TEST(injected_fault_of_one)
{
	struct fixture f;
	struct ctx other, same;
	char cmd[160];

	start(&f, 1);
	ctx_init(&f.b, &other, f.e + 1, 7);
	ctx_init(&f.b, &same, f.e, 9);
	snprintf(cmd, sizeof(cmd),
		 "fault address=%#llx size=64 engine=tile0.bcs1 context=7 count=0",
		 (unsigned long long)VA(0));
	inject(f.b.c, cmd);
	store_dw(&other, 0, 1);
	CHECK(run_batch(&other));
	CHECK_EQ(data32(&other, 0), 1);
	store_dw(&same, 0, 2);
	CHECK(run_batch(&same));
	CHECK_EQ(data32(&same, 0), 2);
	CHECK_EQ(counter_get(&f.b.c->injected), 0);
	store_dw(&f.x, 0, 3);
	batch_dw(&f.x, PVC_MI_BATCH_BUFFER_END);
	ring_batch(&f.x, 0);
	submit(&f.x);
	CHECK(WAIT_FOR(counter_get(&f.e->cnt.faults) == 1));
	CHECK_EQ(data32(&f.x, 0), 0);
	CHECK_EQ(counter_get(&f.b.c->injected), 1);
	reset_engine(&f.b, f.e);
	bench_fini(&f.b);
}
