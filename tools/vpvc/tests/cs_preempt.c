// SPDX-License-Identifier: MIT
/*
 * What becomes of a walker when another context wants its engine, by its granularity. Context x
 * runs walkers, and context y stores 5 to its word 0. The work-groups of x wait until the test lets
 * them go on, so that the walkers do not end before y comes, however slow the host is.
 */
#include "card.h"
#include "core/freq.h"
#include "core/regs.h"
#include "core/strict.h"
#include "pvc_gt_regs.h"
#include "tests/cs_launch.h"

enum { GROUPS = 60000, ROUNDS = 40 };

#define GATE	(COUNTS - 2048)

/*
 * For the begin of a kernel: waits until dword 0 of the memory GATE is not 0.
 *   add r6:uq r1.0:uq -2048; send.ugm load r8 from r6; cmp (eq)f0.0 r8 0; jmpi to the send
 */
static const uint32_t kernel_wait[] = {
	0x80000040, 0x06058330, 0x05000104, 0xf800f800,
	0x80000031, 0x080c0000, 0xfb00060c, 0x00200000,
	0x80000070, 0x00018220, 0x12000804, 0x00000000,
	0x84000020, 0x00004000, 0x00000000, 0xffffffe0,
};

static void prepare(struct ctx *x)
{
	uint32_t code[(sizeof(kernel_wait) + sizeof(kernel_count)) / 4];

	memcpy(code, kernel_wait, sizeof(kernel_wait));
	memcpy(code + sizeof(kernel_wait) / 4, kernel_count, sizeof(kernel_count));
	load_kernel(x, code, sizeof(code));
	emit_state(x);
}

/* Let the work-groups go on. */
static void open_gate(struct ctx *x)
{
	atomic_store((_Atomic uint32_t *)hbm32(x->b, x->data + (GATE - USER_VA)), 1);
}

static void set_granularity(struct ctx *x, uint32_t level)
{
	BATCH(x, PVC_MI_LOAD_REGISTER_IMM(1) | PVC_MI_LRI_ADD_CS, PVC_CS_CHICKEN1(0),
	      PVC_CS_CHICKEN1_PREEMPT_MASK << 16 | level);
}

static void submit_walkers(struct ctx *x, const struct launch *l)
{
	for (unsigned int i = 0; i < ROUNDS; i++)
		emit_walker(x, l);
	batch_end(x);
	ring_batch(x, 0);
	submit(x);
}

/* Start walkers whose descriptor lets threads be preempted, or not; wait until one has begun. */
static void start(struct pair *p, bool interruptible)
{
	struct launch l = counting(GROUPS, 1, 1);

	l.interruptible = interruptible;
	submit_walkers(&p->x, &l);
	CHECK(WAIT_FOR(counter_get(&p->e->cnt.walkers) == 1));
}

static void interrupt(struct pair *p)
{
	RING(&p->y, PVC_MI_STORE_DATA_IMM, ADDR(VA(0)), 5);
	submit(&p->y);
	open_gate(&p->x);
}

/* Each group of each walker has run once. */
static void check_counts(struct ctx *x)
{
	unsigned int bad = 0;

	for (unsigned int i = 0; i < GROUPS; i++)
		bad += counted(x, i) != ROUNDS;
	CHECK_EQ(bad, 0);
}

/* Interrupt x once, let it go on, and check that each group ran once. */
static void leaves_between_groups(struct pair *p)
{
	interrupt(p);
	CHECK(WAIT_FOR(data32(&p->y, 0) == 5));
	CHECK(wait_idle(p->e));
	CHECK_EQ(counter_get(&p->e->cnt.preemptions), 1);
	CHECK(counter_get(&p->e->cnt.work_groups) < (uint64_t)GROUPS * ROUNDS);
	submit(&p->x);
	CHECK(wait_idle(p->e));
	check_counts(&p->x);
	CHECK_EQ(counter_get(&p->e->cnt.work_groups), (uint64_t)GROUPS * ROUNDS);
	CHECK_EQ(counter_get(&p->e->cnt.walkers), ROUNDS);
}

/* x does not leave, nor end: only a reset helps, and y runs after it. */
static void hangs(struct pair *p)
{
	interrupt(p);
	CHECK(WAIT_FOR(counter_get(&p->e->cnt.hangs) == 1));
	CHECK(counter_get(&p->e->cnt.work_groups) < (uint64_t)GROUPS * ROUNDS);
	CHECK(busy(p->e));
	CHECK_EQ(data32(&p->y, 0), 0);
	CHECK_EQ(counter_get(&p->e->cnt.preemptions), 0);
	reset_engine(&p->b, p->e);
	submit(&p->y);
	CHECK(WAIT_FOR(data32(&p->y, 0) == 5));
}

/* Nobody chose anything: the threads go to a system routine that does not exist. */
TEST(preempt_threads_hang_by_default)
{
	struct pair p;

	REQUIRE(pair_init(&p, PVC_CLASS_CCS));
	prepare(&p.x);
	start(&p, true);
	hangs(&p);
	bench_fini(&p.b);
}

/* Thread group granularity is enough, whatever the descriptor says. */
TEST(preempt_groups_by_register)
{
	struct pair p;

	REQUIRE(pair_init(&p, PVC_CLASS_CCS));
	prepare(&p.x);
	set_granularity(&p.x, PVC_CS_CHICKEN1_PREEMPT_GROUP);
	start(&p, true);
	leaves_between_groups(&p);
	bench_fini(&p.b);
}

/* The descriptor's bit is enough, whatever the granularity. */
TEST(preempt_groups_by_descriptor)
{
	struct pair p;

	REQUIRE(pair_init(&p, PVC_CLASS_CCS));
	prepare(&p.x);
	set_granularity(&p.x, PVC_CS_CHICKEN1_PREEMPT_THREAD);
	start(&p, false);
	leaves_between_groups(&p);
	bench_fini(&p.b);
}

/* Both bits of the granularity name no level: the card takes the worse one. */
TEST(preempt_threads_by_reserved_level)
{
	struct pair p;

	REQUIRE(pair_init(&p, PVC_CLASS_CCS));
	prepare(&p.x);
	set_granularity(&p.x, PVC_CS_CHICKEN1_PREEMPT_MASK);
	start(&p, true);
	hangs(&p);
	bench_fini(&p.b);
}

/* Level 2: the walker runs to its end, and then the context leaves. */
TEST(preempt_commands_waits_for_the_walker)
{
	struct pair p;

	REQUIRE(pair_init(&p, PVC_CLASS_CCS));
	prepare(&p.x);
	set_granularity(&p.x, PVC_CS_CHICKEN1_PREEMPT_COMMAND);
	start(&p, true);
	interrupt(&p);
	CHECK(WAIT_FOR(data32(&p.y, 0) == 5));
	CHECK(wait_idle(p.e));
	CHECK_EQ(counter_get(&p.e->cnt.preemptions), 0);
	CHECK_EQ(counter_get(&p.e->cnt.work_groups), (uint64_t)GROUPS * ROUNDS);
	bench_fini(&p.b);
}

/* With a system routine the threads would go on; the card does not run one, and says so. */
TEST(preempt_threads_with_a_system_routine)
{
	struct pair p;

	REQUIRE(pair_init(&p, PVC_CLASS_CCS));
	prepare(&p.x);
	BATCH(&p.x, PVC_STATE_SIP, ADDR(BATCH_VA + KERNEL_OFFSET));
	start(&p, true);
	interrupt(&p);
	CHECK(WAIT_FOR(mmio_read(p.x.t, PVC_RING_EIR(p.e->base)) & PVC_ERROR_INSTRUCTION));
	CHECK(busy(p.e));
	reset_engine(&p.b, p.e);
	bench_fini(&p.b);
}

/* A new tail for the context that runs interrupts nothing. */
TEST(preempt_a_new_tail_interrupts_nothing)
{
	struct pair p;

	REQUIRE(pair_init(&p, PVC_CLASS_CCS));
	prepare(&p.x);
	start(&p, true);
	RING(&p.x, PVC_MI_STORE_DATA_IMM, ADDR(VA(1)), 7);
	submit(&p.x);
	open_gate(&p.x);
	CHECK(WAIT_FOR(data32(&p.x, 1) == 7));
	CHECK(wait_idle(p.e));
	CHECK_EQ(counter_get(&p.e->cnt.lite_restores), 1);
	CHECK_EQ(counter_get(&p.e->cnt.work_groups), (uint64_t)GROUPS * ROUNDS);
	bench_fini(&p.b);
}

/*
 * A walker at a low frequency takes longer part by part, so that one that is interrupted has paid
 * for what it ran. This one begins at the highest frequency, so nothing else was slowed down.
 */
TEST(preempt_slow_walker)
{
	struct launch l = counting(GROUPS, ROUNDS, 1);
	struct pair p;

	REQUIRE(pair_init(&p, PVC_CLASS_CCS));
	mmio_write(p.x.t, PVC_RP_CONTROL, PVC_RP_CONTROL_SOFTWARE);
	mmio_write(p.x.t, PVC_RPNSWREQ, FREQ_RP0 << PVC_RPNSWREQ_RATIO_SHIFT);
	CHECK(!freq_is_low(p.x.t));
	prepare(&p.x);
	set_granularity(&p.x, PVC_CS_CHICKEN1_PREEMPT_GROUP);
	/* each row counts in the same words */
	l.arg2 = 0;
	emit_walker(&p.x, &l);
	batch_end(&p.x);
	ring_batch(&p.x, 0);
	submit(&p.x);
	CHECK(WAIT_FOR(counter_get(&p.e->cnt.walkers) == 1));
	CHECK_EQ(counter_get(&p.e->cnt.slowed_us), 0);
	mmio_write(p.x.t, PVC_RPNSWREQ, 0);
	open_gate(&p.x);
	CHECK(WAIT_FOR(counter_get(&p.e->cnt.slowed_us) > 0));
	interrupt(&p);
	CHECK(WAIT_FOR(data32(&p.y, 0) == 5));
	CHECK_EQ(counter_get(&p.e->cnt.preemptions), 1);
	CHECK(counter_get(&p.e->cnt.work_groups) < (uint64_t)GROUPS * ROUNDS);
	mmio_write(p.x.t, PVC_RPNSWREQ, FREQ_RP0 << PVC_RPNSWREQ_RATIO_SHIFT);
	submit(&p.x);
	CHECK(wait_idle(p.e));
	check_counts(&p.x);
	bench_fini(&p.b);
}

/* A kind card interrupts every walker between groups. */
TEST(preempt_lenient)
{
	struct pair p;

	REQUIRE(pair_init(&p, PVC_CLASS_CCS));
	prepare(&p.x);
	p.b.c->opt.lenient |= STRICT_PREEMPT;
	start(&p, true);
	leaves_between_groups(&p);
	bench_fini(&p.b);
}

/*
 * A walker over two tiles is interrupted many times on both: each group runs once, and each
 * partition's result is written once, when its last group has run.
 */
TEST(preempt_partitions_of_two_tiles)
{
	struct launch l = counting(GROUPS, 1, 1);
	unsigned int rounds = 0;
	struct ctx x[2], y[2];
	struct bench b;

	bench_init(&b, 2);
	REQUIRE(b.c);
	l.flags0 = PVC_COMPUTE_WALKER0_PARTITION;
	l.partition_type = PVC_COMPUTE_WALKER_PARTITION_X;
	l.partition_size = GROUPS / 2;
	l.interruptible = true;
	l.post_op = PVC_POST_SYNC_IMM;
	l.post_addr = USER_VA;
	l.post_imm = 0xd00d;
	for (unsigned int t = 0; t < 2; t++) {
		struct engine *e = bench_engine(&b, t, PVC_CLASS_CCS, 0);

		ctx_init(&b, &x[t], e, 1);
		ctx_init(&b, &y[t], e, 2);
		if (t)
			map_2m(&x[t], USER_VA, x[0].data);
		prepare(&x[t]);
		set_wparid(&x[t], t);
		set_granularity(&x[t], PVC_CS_CHICKEN1_PREEMPT_GROUP);
		submit_walkers(&x[t], &l);
	}
	CHECK(WAIT_FOR(counter_get(&x[0].e->cnt.walkers) && counter_get(&x[1].e->cnt.walkers)));
	for (;;) {
		bool done = counter_get(&x[0].e->cnt.work_groups) +
			    counter_get(&x[1].e->cnt.work_groups) >=
			    (uint64_t)GROUPS * ROUNDS;

		if (done)
			break;
		rounds++;
		for (unsigned int t = 0; t < 2; t++) {
			RING(&y[t], PVC_MI_STORE_DATA_IMM, ADDR(VA(0)), rounds);
			submit(&y[t]);
		}
		open_gate(&x[0]);
		for (unsigned int t = 0; t < 2; t++) {
			REQUIRE(WAIT_FOR(data32(&y[t], 0) == rounds));
			REQUIRE(wait_idle(x[t].e));
			submit(&x[t]);
		}
	}
	CHECK(wait_idle(x[0].e) && wait_idle(x[1].e));
	check_counts(&x[0]);
	CHECK_EQ(data64(&x[0], 0), 0xd00d);
	CHECK_EQ(data64(&x[0], 2), 0xd00d);
	CHECK(counter_get(&x[0].e->cnt.preemptions) + counter_get(&x[1].e->cnt.preemptions) > 1);
	bench_fini(&b);
}
