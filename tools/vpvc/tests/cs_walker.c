// SPDX-License-Identifier: MIT
/* COMPUTE_WALKER with three tiny kernels. */
#include <time.h>

#include "card.h"
#include "card/inject_command.h"
#include "core/regs.h"
#include "core/strict.h"
#include "cs/walker.h"
#include "tests/cs_launch.h"

/* Loads the dword at inline.uq[0]; EOT. */
static const uint32_t kernel_load[] = {
	0x80000961, 0x05050330, 0x00000104, 0x00000000,
	0x80032131, 0x030c0000, 0xfb00050c, 0x00200000,
	0x80108161, 0x7f050aa0, 0x00100004, 0x00000000,
	0x800c1131, 0x00000004, 0x30207f0c, 0x00000000,
};

static const uint32_t kernel_illegal[] = { 0, 0, 0, 0 };

/* Where kernel_count has what it adds */
#define KERNEL_ADDEND	(4 * (6 * 4 + 3))

/* Executions by opcode: kernel_count has 2 mul, 3 add, shl, 2 mov, 2 send. */
TEST(walker_counts_opcodes)
{
	static const struct {
		unsigned int opcode;
		unsigned int times;
	} want[] = { { 0x41, 2 }, { 0x40, 3 }, { 0x69, 1 }, { 0x61, 2 }, { 0x31, 2 } };
	struct launch l = counting(33, 4, 5);
	struct bench b;
	struct ctx x;
	uint64_t threads, sum = 0;

	bench_init(&b, 1);
	REQUIRE(b.c);
	ctx_init(&b, &x, bench_engine(&b, 0, PVC_CLASS_CCS, 0), 1);
	load_kernel(&x, kernel_count, sizeof(kernel_count));
	emit_state(&x);
	emit_walker(&x, &l);
	REQUIRE(run_batch(&x));
	threads = counter_get(&x.e->cnt.threads);
	CHECK_EQ(threads, 33 * 4 * 5);
	for (unsigned int i = 0; i < sizeof(want) / sizeof(want[0]); i++)
		CHECK_EQ(counter_get(&x.e->cnt.opcodes[want[i].opcode]), want[i].times * threads);
	for (unsigned int i = 0; i < EU_NUM_OPCODES; i++)
		sum += counter_get(&x.e->cnt.opcodes[i]);
	CHECK_EQ(sum, 10 * threads);
	CHECK_EQ(counter_get(&x.e->cnt.instructions), sum);
	CHECK(counter_get(&x.e->cnt.page_walks) > 10);
	bench_fini(&b);
}

/* A batch runs a kernel, has it add 2 instead of 1, and runs it again. */
static uint32_t rewrite_kernel(unsigned int lenient, uint32_t invalidate)
{
	struct launch l = counting(1, 1, 1);
	uint32_t sum = 0;
	struct bench b;
	struct ctx x;

	bench_init(&b, 1);
	if (!b.c)
		return 0;
	b.c->opt.lenient = lenient;
	ctx_init(&b, &x, bench_engine(&b, 0, PVC_CLASS_CCS, 0), 1);
	load_kernel(&x, kernel_count, sizeof(kernel_count));
	emit_state(&x);
	emit_walker(&x, &l);
	BATCH(&x, PVC_PIPE_CONTROL, PVC_PIPE_CONTROL1_CS_STALL, 0, 0, 0, 0);
	BATCH(&x, PVC_MI_STORE_DATA_IMM, ADDR(BATCH_VA + KERNEL_OFFSET + KERNEL_ADDEND),
	      0x00020002);
	BATCH(&x, PVC_PIPE_CONTROL, PVC_PIPE_CONTROL1_CS_STALL | invalidate, 0, 0, 0, 0);
	emit_walker(&x, &l);
	if (run_batch(&x))
		sum = counted(&x, 0);
	bench_fini(&b);
	return sum;
}

TEST(walker_runs_old_code_until_it_is_invalidated)
{
	CHECK_EQ(rewrite_kernel(0, 0), 1 + 1);
	CHECK_EQ(rewrite_kernel(0, PVC_PIPE_CONTROL1_STATE_INVALIDATE), 1 + 1);
	CHECK_EQ(rewrite_kernel(0, PVC_PIPE_CONTROL1_INSTR_INVALIDATE), 1 + 2);
	CHECK_EQ(rewrite_kernel(STRICT_STALE_CODE, 0), 1 + 2);
}

TEST(walker_runs_each_group_once)
{
	static const uint32_t shapes[][3] = {
		{ 1, 1, 1 }, { 7, 1, 1 }, { 1, 9, 1 }, { 1, 1, 11 }, { 5, 4, 3 }, { 33, 3, 2 },
		{ 3000, 1, 1 }, { 17, 16, 15 },
	};
	struct bench b;
	struct ctx x;
	uint64_t total = 0;

	bench_init(&b, 1);
	REQUIRE(b.c);
	ctx_init(&b, &x, bench_engine(&b, 0, PVC_CLASS_CCS, 0), 1);
	load_kernel(&x, kernel_count, sizeof(kernel_count));
	for (unsigned int i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		const uint32_t *g = shapes[i];
		struct launch l = counting(g[0], g[1], g[2]);
		unsigned int bad = 0;

		l.order = i % 6;
		l.post_op = PVC_POST_SYNC_IMM;
		l.post_addr = USER_VA;
		l.post_imm = 0x1122334455667700 + i;
		memset(hbm32(&b, x.data), 0, DATA_BYTES);
		emit_state(&x);
		emit_walker(&x, &l);
		REQUIRE(run_batch(&x));
		for (uint32_t k = 0; k < g[0] * g[1] * g[2]; k++)
			bad += counted(&x, k) != 1;
		CHECK_EQ(bad, 0);
		CHECK_EQ(counted(&x, g[0] * g[1] * g[2]), 0);
		CHECK_EQ(data64(&x, 0), l.post_imm);
		total += g[0] * g[1] * g[2];
		CHECK_EQ(counter_get(&x.e->cnt.work_groups), total);
		CHECK_EQ(counter_get(&x.e->cnt.last_walker), i + 1);
		CHECK_EQ(counter_get(&x.e->cnt.last_cslices), 0xf);
	}
	CHECK_EQ(counter_get(&x.e->cnt.write_local), 4 * total);
	CHECK_EQ(counter_get(&x.e->cnt.write_remote), 0);
	bench_fini(&b);
}

/* The same batch on all tiles, with different WPARID: each group runs once, on one tile. */
TEST(walker_partitioned_over_tiles)
{
	static const uint32_t shapes[][3] = {
		{ 21, 1, 1 }, { 1, 1, 1 }, { 4, 5, 6 }, { 2, 19, 3 }, { 3, 2, 18 },
	};

	for (unsigned int tiles = 1; tiles <= 4; tiles *= 2) {
		struct bench b;
		struct ctx x[4];

		bench_init(&b, tiles);
		REQUIRE(b.c);
		for (unsigned int t = 0; t < tiles; t++) {
			ctx_init(&b, &x[t], bench_engine(&b, t, PVC_CLASS_CCS, 0), t + 1);
			if (t)
				map_2m(&x[t], USER_VA, x[0].data);
			load_kernel(&x[t], kernel_count, sizeof(kernel_count));
		}
		for (unsigned int i = 0; i < 15; i++) {
			const uint32_t *g = shapes[i / 3];
			unsigned int type = 1 + i % 3, bad = 0, n = g[0] * g[1] * g[2];
			uint32_t size = (g[type - 1] + tiles - 1) / tiles;
			struct launch l = counting(g[0], g[1], g[2]);
			uint64_t before[4];

			l.flags0 = PVC_COMPUTE_WALKER0_PARTITION;
			l.partition_type = type;
			l.partition_size = size;
			l.post_op = i & 1 ? PVC_POST_SYNC_IMM : PVC_POST_SYNC_TIMESTAMP;
			l.post_addr = USER_VA;
			l.post_imm = 0xd00d;
			memset(hbm32(&b, x[0].data), 0, DATA_BYTES);
			for (unsigned int t = 0; t < tiles; t++) {
				before[t] = counter_get(&x[t].e->cnt.work_groups);
				set_wparid(&x[t], t);
				emit_state(&x[t]);
				emit_walker(&x[t], &l);
				BATCH(&x[t], PVC_MI_BATCH_BUFFER_END);
				x[t].batch_at = 0;
				ring_batch(&x[t], 0);
			}
			for (unsigned int t = 0; t < tiles; t++)
				submit(&x[t]);
			for (unsigned int t = 0; t < tiles; t++)
				REQUIRE(wait_idle(x[t].e));
			for (unsigned int k = 0; k < n; k++)
				bad += counted(&x[0], k) != 1;
			CHECK_EQ(bad, 0);
			for (unsigned int t = 0; t < tiles; t++) {
				uint64_t first = (uint64_t)t * size, last = first + size;

				if (last > g[type - 1])
					last = g[type - 1];
				CHECK_EQ(counter_get(&x[t].e->cnt.work_groups) - before[t],
					 first < last ? (last - first) * (n / g[type - 1]) : 0);
				if (i & 1) {
					CHECK_EQ(data64(&x[0], 2 * t), 0xd00d);
				} else {
					/* start not after end, 16 bytes apart */
					CHECK(data32(&x[0], 4 * t + 1) <= data32(&x[0], 4 * t + 3));
					CHECK(data32(&x[0], 4 * t + 3));
				}
			}
		}
		if (tiles > 1)
			CHECK(counter_get(&x[1].e->cnt.write_remote) > 0);
		bench_fini(&b);
	}
}

TEST(walker_other_group_sources)
{
	struct bench b;
	struct ctx x;
	struct launch l = counting(10, 1, 1);

	bench_init(&b, 1);
	REQUIRE(b.c);
	ctx_init(&b, &x, bench_engine(&b, 0, PVC_CLASS_CCS, 0), 1);
	load_kernel(&x, kernel_count, sizeof(kernel_count));
	/* start .. end-1 */
	l.start[0] = 4;
	emit_state(&x);
	emit_walker(&x, &l);
	/* partition number from the command */
	l.start[0] = 0;
	l.partition_type = PVC_COMPUTE_WALKER_PARTITION_X;
	l.partition_size = 3;
	l.partition_id = 1;
	l.arg += 0x1000;
	emit_walker(&x, &l);
	/* dimensions from registers */
	l.partition_type = 0;
	l.flags0 = PVC_COMPUTE_WALKER0_INDIRECT;
	l.arg += 0x1000;
	BATCH(&x, PVC_MI_LOAD_REGISTER_IMM(3) | PVC_MI_LRI_REMAP, 0x2500, 6, 0x2504, 1, 0x2508, 1);
	emit_walker(&x, &l);
	/* none */
	l.flags0 = 0;
	l.groups[1] = 0;
	l.arg += 0x1000;
	l.post_op = PVC_POST_SYNC_IMM;
	l.post_addr = USER_VA;
	l.post_imm = 3;
	emit_walker(&x, &l);
	/* predicate off: nothing, not even the post-sync */
	BATCH(&x, PVC_MI_LOAD_REGISTER_IMM(1) | PVC_MI_LRI_ADD_CS, PVC_CS_PREDICATE_RESULT, 0);
	l.flags0 = PVC_COMPUTE_WALKER0_PREDICATE;
	l.groups[1] = 1;
	l.post_imm = 4;
	emit_walker(&x, &l);
	REQUIRE(run_batch(&x));
	for (unsigned int i = 0; i < 10; i++) {
		CHECK_EQ(counted(&x, i), i >= 4);
		CHECK_EQ(counted(&x, 0x400 + i), i >= 3 && i < 6);
		CHECK_EQ(counted(&x, 0x800 + i), i < 6);
		CHECK_EQ(counted(&x, 0xc00 + i), 0);
	}
	CHECK_EQ(data64(&x, 0), 3);
	bench_fini(&b);
}

/* The batch of IGT's compute test writes its time stamps to its own first dwords. */
TEST(walker_post_sync_onto_its_own_batch)
{
	struct bench b;
	struct ctx x;
	struct launch l = counting(3, 1, 1);

	bench_init(&b, 1);
	REQUIRE(b.c);
	ctx_init(&b, &x, bench_engine(&b, 0, PVC_CLASS_CCS, 0), 1);
	load_kernel(&x, kernel_count, sizeof(kernel_count));
	l.post_op = PVC_POST_SYNC_TIMESTAMP;
	l.post_addr = BATCH_VA;
	emit_state(&x);
	emit_walker(&x, &l);
	REQUIRE(run_batch(&x));
	CHECK_EQ(counted(&x, 2), 1);
	CHECK(*hbm32(&b, x.batch) != (PVC_PIPELINE_SELECT | 0x302));
	bench_fini(&b);
}

TEST(walker_needs_a_slice)
{
	struct bench b;
	struct ctx x;
	struct engine *e;

	bench_init(&b, 1);
	REQUIRE(b.c);
	/* mode 2: slices 0, 2 on CCS0, 1, 3 on CCS1 */
	mmio_write(&b.c->tiles[0], PVC_CCS_MODE, 0x0fff0208);
	for (unsigned int n = 0; n < 4; n++) {
		struct launch l = counting(5, 1, 1);

		e = bench_engine(&b, 0, PVC_CLASS_CCS, n);
		ctx_init(&b, &x, e, n + 1);
		load_kernel(&x, kernel_count, sizeof(kernel_count));
		emit_state(&x);
		emit_walker(&x, &l);
		BATCH(&x, PVC_MI_BATCH_BUFFER_END);
		ring_batch(&x, 0);
		submit(&x);
		if (n < 2) {
			CHECK(wait_idle(e));
			CHECK_EQ(counted(&x, 4), 1);
			CHECK_EQ(counter_get(&e->cnt.last_cslices), n ? 0xa : 0x5);
		} else {
			usleep(20000);
			CHECK(busy(e));
			CHECK_EQ(counted(&x, 4), 0);
			CHECK(!(mmio_read(x.t, PVC_RING_EIR(e->base)) & PVC_ERROR_INSTRUCTION));
			reset_engine(&b, e);
			mmio_write(x.t, PVC_CCS_MODE, 0x0fff0208);
			CHECK(!busy(e));
		}
	}
	bench_fini(&b);
}

/* Slices that change their engine under a context: no walker of the tile ends, until a reset. */
TEST(walker_slices_change_under_a_context)
{
	struct bench b;
	struct ctx x, y;
	struct engine *e, *other;
	struct launch endless = counting(100, 1, 1), l = counting(5, 1, 1);

	for (unsigned int strict = 0; strict < 2; strict++) {
		bench_init(&b, 1);
		REQUIRE(b.c);
		if (!strict)
			b.c->opt.lenient |= STRICT_CCS_MODE;
		mmio_write(&b.c->tiles[0], PVC_CCS_MODE, 0x0fff0208);
		e = bench_engine(&b, 0, PVC_CLASS_CCS, 0);
		other = bench_engine(&b, 0, PVC_CLASS_CCS, 1);
		ctx_init(&b, &x, e, 1);
		load_kernel(&x, kernel_endless, sizeof(kernel_endless));
		emit_state(&x);
		emit_walker(&x, &endless);
		BATCH(&x, PVC_MI_BATCH_BUFFER_END);
		ring_batch(&x, 0);
		submit(&x);
		CHECK(WAIT_FOR(busy(e)));
		/* The same value changes nothing. */
		mmio_write(&b.c->tiles[0], PVC_CCS_MODE, 0x0fff0208);
		CHECK(!atomic_load(&b.c->tiles[0].slices_torn));
		mmio_write(&b.c->tiles[0], PVC_CCS_MODE, 0x0fff0000 | 0x688);
		ctx_init(&b, &y, other, 2);
		load_kernel(&y, kernel_count, sizeof(kernel_count));
		emit_state(&y);
		emit_walker(&y, &l);
		BATCH(&y, PVC_MI_BATCH_BUFFER_END);
		ring_batch(&y, 0);
		submit(&y);
		if (strict) {
			usleep(20000);
			CHECK(busy(other));
			CHECK_EQ(counted(&y, 4), 0);
		} else {
			CHECK(wait_idle(other));
			CHECK_EQ(counted(&y, 4), 1);
		}
		reset_engine(&b, e);
		CHECK(!atomic_load(&b.c->tiles[0].slices_torn));
		bench_fini(&b);
	}
}

/* Of each subslice the register says whether its execution units are idle. */
static uint32_t row_done(struct tile *t, unsigned int dss)
{
	mmio_write(t, PVC_MCR_SELECTOR,
		   PVC_MCR_MULTICAST | dss / PVC_DSS_PER_MCR_GROUP << PVC_MCR_GROUP_SHIFT |
		   dss % PVC_DSS_PER_MCR_GROUP << PVC_MCR_INSTANCE_SHIFT);
	return mmio_read(t, PVC_ROW_INSTDONE) & PVC_ROW_INSTDONE_IC_DONE;
}

TEST(walker_endless_kernel_is_reset)
{
	struct bench b;
	struct ctx x, y;
	struct engine *e;
	struct launch l = counting(100, 1, 1);
	struct timespec before, after;

	bench_init(&b, 1);
	REQUIRE(b.c);
	e = bench_engine(&b, 0, PVC_CLASS_CCS, 0);
	ctx_init(&b, &x, e, 1);
	ctx_init(&b, &y, e, 2);
	load_kernel(&x, kernel_endless, sizeof(kernel_endless));
	emit_state(&x);
	emit_walker(&x, &l);
	BATCH(&x, PVC_MI_BATCH_BUFFER_END);
	ring_batch(&x, 0);
	submit(&x);
	CHECK(WAIT_FOR(counter_get(&e->cnt.walkers) == 1));
	usleep(20000);
	CHECK(busy(e));
	CHECK(!row_done(e->tile, 0));
	CHECK(!row_done(e->tile, 63));
	clock_gettime(CLOCK_MONOTONIC, &before);
	reset_engine(&b, e);
	clock_gettime(CLOCK_MONOTONIC, &after);
	CHECK(!busy(e));
	CHECK(row_done(e->tile, 0));
	/* a few ms on a quiet machine */
	CHECK((after.tv_sec - before.tv_sec) * 1000 +
	      (after.tv_nsec - before.tv_nsec) / 1000000 < 500);
	load_kernel(&y, kernel_count, sizeof(kernel_count));
	emit_state(&y);
	l = counting(100, 1, 1);
	emit_walker(&y, &l);
	REQUIRE(run_batch(&y));
	CHECK_EQ(counted(&y, 99), 1);
	bench_fini(&b);
}

/* A walker is preempted between boxes and continues: each group runs once. */
TEST(walker_preempted_between_groups)
{
	enum { GROUPS = 60000, ROUNDS = 40 };
	struct bench b;
	struct ctx x, y;
	struct engine *e;
	struct launch l = counting(GROUPS, 1, 1);
	unsigned int bad = 0;

	bench_init(&b, 1);
	REQUIRE(b.c);
	e = bench_engine(&b, 0, PVC_CLASS_CCS, 0);
	ctx_init(&b, &x, e, 1);
	ctx_init(&b, &y, e, 2);
	load_kernel(&x, kernel_count, sizeof(kernel_count));
	emit_state(&x);
	for (unsigned int i = 0; i < ROUNDS; i++)
		emit_walker(&x, &l);
	BATCH(&x, PVC_MI_BATCH_BUFFER_END);
	ring_batch(&x, 0);
	submit(&x);
	CHECK(WAIT_FOR(counter_get(&e->cnt.work_groups) > 0));
	RING(&y, PVC_MI_STORE_DATA_IMM, ADDR(VA(0)), 5);
	submit(&y);
	CHECK(WAIT_FOR(data32(&y, 0) == 5));
	CHECK(wait_idle(e));
	CHECK_EQ(counter_get(&e->cnt.preemptions), 1);
	CHECK(counter_get(&e->cnt.work_groups) < (uint64_t)GROUPS * ROUNDS);
	submit(&x);
	CHECK(WAIT_FOR(!busy(e)));
	for (unsigned int i = 0; i < GROUPS; i++)
		bad += counted(&x, i) != ROUNDS;
	CHECK_EQ(bad, 0);
	CHECK_EQ(counter_get(&e->cnt.work_groups), (uint64_t)GROUPS * ROUNDS);
	CHECK_EQ(counter_get(&e->cnt.walkers), ROUNDS);
	bench_fini(&b);
}

/* One long group keeps the engine: its threads run to their end. */
TEST(walker_is_not_preempted_within_a_group)
{
	struct launch l = counting(100, 1, 1);
	struct engine *e;
	struct ctx x, y;
	struct bench b;

	bench_init(&b, 1);
	REQUIRE(b.c);
	e = bench_engine(&b, 0, PVC_CLASS_CCS, 0);
	ctx_init(&b, &x, e, 1);
	ctx_init(&b, &y, e, 2);
	load_kernel(&x, kernel_endless, sizeof(kernel_endless));
	emit_state(&x);
	emit_walker(&x, &l);
	BATCH(&x, PVC_MI_BATCH_BUFFER_END);
	ring_batch(&x, 0);
	submit(&x);
	CHECK(WAIT_FOR(counter_get(&e->cnt.walkers) == 1));
	RING(&y, PVC_MI_STORE_DATA_IMM, ADDR(VA(0)), 5);
	submit(&y);
	usleep(30000);
	CHECK_EQ(data32(&y, 0), 0);
	CHECK_EQ(counter_get(&e->cnt.preemptions), 0);
	reset_engine(&b, e);
	bench_fini(&b);
}

/* A walker keeps its engine if preemption is allowed between commands only. */
TEST(walker_is_not_preempted_with_coarse_granularity)
{
	enum { GROUPS = 60000, ROUNDS = 40 };
	struct launch l = counting(GROUPS, 1, 1);
	struct engine *e;
	struct ctx x, y;
	struct bench b;

	bench_init(&b, 1);
	REQUIRE(b.c);
	e = bench_engine(&b, 0, PVC_CLASS_CCS, 0);
	ctx_init(&b, &x, e, 1);
	ctx_init(&b, &y, e, 2);
	load_kernel(&x, kernel_count, sizeof(kernel_count));
	emit_state(&x);
	BATCH(&x, PVC_MI_LOAD_REGISTER_IMM(1) | PVC_MI_LRI_ADD_CS, PVC_CS_CHICKEN1(0), 0x00060004);
	for (unsigned int i = 0; i < ROUNDS; i++)
		emit_walker(&x, &l);
	BATCH(&x, PVC_MI_BATCH_BUFFER_END);
	ring_batch(&x, 0);
	submit(&x);
	CHECK(WAIT_FOR(counter_get(&e->cnt.work_groups) > 0));
	RING(&y, PVC_MI_STORE_DATA_IMM, ADDR(VA(0)), 5);
	submit(&y);
	CHECK(counter_get(&e->cnt.work_groups) < (uint64_t)GROUPS * ROUNDS);
	CHECK(WAIT_FOR(data32(&y, 0) == 5));
	CHECK(wait_idle(e));
	CHECK_EQ(counter_get(&e->cnt.preemptions), 0);
	CHECK_EQ(counter_get(&e->cnt.work_groups), (uint64_t)GROUPS * ROUNDS);
	bench_fini(&b);
}

TEST(walker_faults_and_bad_kernels_stop)
{
	struct bench b;
	struct engine *e;

	bench_init(&b, 1);
	REQUIRE(b.c);
	e = bench_engine(&b, 0, PVC_CLASS_CCS, 0);
	for (unsigned int i = 0; i < 6; i++) {
		struct launch l = counting(5, 1, 1);
		struct ctx x;
		bool fault = i < 3;

		ctx_init(&b, &x, e, 1);
		load_kernel(&x, kernel_count, sizeof(kernel_count));
		switch (i) {
		case 0:	/* store to an address that is not mapped */
			l.arg = 0xdead0000;
			break;
		case 1:	/* load from an address that is not mapped */
			load_kernel(&x, kernel_load, sizeof(kernel_load));
			l.arg = 0xdead0000;
			break;
		case 2:	/* post-sync to an address that is not mapped */
			l.post_op = PVC_POST_SYNC_IMM;
			l.post_addr = 0xdead0000;
			break;
		case 3:
			load_kernel(&x, kernel_illegal, sizeof(kernel_illegal));
			break;
		case 4:	/* partition of size 0 */
			l.partition_type = 1;
			break;
		case 5:
			l.order = 7;
			break;
		}
		emit_state(&x);
		emit_walker(&x, &l);
		BATCH(&x, PVC_MI_STORE_DATA_IMM, ADDR(VA(1)), 1, PVC_MI_BATCH_BUFFER_END);
		ring_batch(&x, 0);
		submit(&x);
		if (fault) {
			CHECK(WAIT_FOR(mmio_read(x.t, PVC_RING_RESET_CTL(e->base)) &
				       PVC_RESET_CTL_CAT_ERROR));
			CHECK_EQ(mmio_read(x.t, PVC_FAULT_TLB_DATA0), 0xdead0);
			CHECK_EQ(!!(mmio_read(x.t, PVC_RING_FAULT) & PVC_RING_FAULT_WRITE), i != 1);
			mmio_write(x.t, PVC_RING_FAULT, 0);
			mmio_write(x.t, PVC_RING_RESET_CTL(e->base), 0x00040004);
		} else {
			CHECK(WAIT_FOR(mmio_read(x.t, PVC_RING_EIR(e->base)) &
				       PVC_ERROR_INSTRUCTION));
		}
		CHECK(busy(e));
		CHECK_EQ(data32(&x, 1), 0);
		reset_engine(&b, e);
	}
	bench_fini(&b);
}

/* The fault is reported that the units met, not that of another look at the page. */
TEST(walker_fault_that_happens_once)
{
	static const uint32_t *const kernel[] = { kernel_load, kernel_count };
	char command[96], why[160];
	struct bench b;
	struct engine *e;

	bench_init(&b, 1);
	REQUIRE(b.c);
	e = bench_engine(&b, 0, PVC_CLASS_CCS, 0);
	for (unsigned int write = 0; write < 2; write++) {
		struct launch l = counting(1, 1, 1);
		struct ctx x;

		ctx_init(&b, &x, e, 1);
		load_kernel(&x, kernel[write], write ? sizeof(kernel_count) : sizeof(kernel_load));
		l.arg = VA(1);
		emit_state(&x);
		emit_walker(&x, &l);
		BATCH(&x, PVC_MI_BATCH_BUFFER_END);
		ring_batch(&x, 0);
		snprintf(command, sizeof(command), "fault address=%#llx size=4 count=1 %s",
			 (unsigned long long)VA(1), "kind=misaligned");
		CHECK_EQ(inject_command(b.c, command, why, sizeof(why)), 0);
		submit(&x);
		CHECK(WAIT_FOR(mmio_read(x.t, PVC_RING_RESET_CTL(e->base)) &
			       PVC_RESET_CTL_CAT_ERROR));
		CHECK_EQ(mmio_read(x.t, PVC_FAULT_TLB_DATA0), (uint32_t)(VA(1) >> 12));
		CHECK_EQ(mmio_read(x.t, PVC_RING_FAULT) & PVC_RING_FAULT_TYPE_MASK,
			 1u << PVC_RING_FAULT_TYPE_SHIFT);
		CHECK_EQ(!!(mmio_read(x.t, PVC_RING_FAULT) & PVC_RING_FAULT_WRITE), write);
		mmio_write(x.t, PVC_RING_FAULT, 0);
		mmio_write(x.t, PVC_RING_RESET_CTL(e->base), 0x00040004);
		CHECK(busy(e));
		CHECK_EQ(data32(&x, 1), 0);
		reset_engine(&b, e);
	}
	bench_fini(&b);
}

/* ---- the groups of COMPUTE_WALKER, exhaustively ---- */

/* The rule of partitions, applied to each group. */
static bool runs(uint32_t g, uint32_t id, uint32_t size, uint32_t groups)
{
	return g >= (uint64_t)id * size && g < (uint64_t)(id + 1) * size && g < groups;
}

TEST(walker_partitions_cover_each_group_once)
{
	unsigned int bad = 0;

	for (unsigned int tiles = 1; tiles <= 4; tiles *= 2) {
		for (unsigned int type = 1; type <= 3; type++) {
			for (uint32_t groups = 1; groups <= 130; groups++) {
				uint32_t size = (groups + tiles - 1) / tiles;
				uint64_t sum = 0;

				for (unsigned int id = 0; id < tiles; id++) {
					struct walker_box box = { { 0, 0, 0 }, { 3, 5, 7 } };

					box.end[type - 1] = groups;
					walker_partition(&box, type, id, size);
					for (uint32_t g = 0; g < groups; g++)
						bad += runs(g, id, size, groups) !=
						       (g >= box.start[type - 1] &&
							g < box.end[type - 1]);
					sum += walker_groups(&box);
				}
				bad += sum != 105ull / (type == 1 ? 3 : type == 2 ? 5 : 7) * groups;
			}
		}
	}
	CHECK_EQ(bad, 0);
}

TEST(walker_partition_corners)
{
	struct walker_box box = { { 0, 0, 0 }, { 10, 10, 10 } };

	walker_partition(&box, PVC_COMPUTE_WALKER_PARTITION_OFF, 3, 1);
	CHECK_EQ(walker_groups(&box), 1000);
	/* all in partition 0 */
	walker_partition(&box, PVC_COMPUTE_WALKER_PARTITION_Z, 1, 10);
	CHECK_EQ(walker_groups(&box), 0);
	/* no 32-bit wrap: 0xffffffff * 0xffffffff */
	box = (struct walker_box) { { 0, 0, 0 }, { 10, 10, 10 } };
	walker_partition(&box, PVC_COMPUTE_WALKER_PARTITION_X, 0xffffffff, 0xffffffff);
	CHECK_EQ(walker_groups(&box), 0);
	box = (struct walker_box) { { 0, 0, 0 }, { ~0u, ~0u, ~0u } };
	CHECK_EQ(walker_groups(&box), UINT64_MAX);
	CHECK_EQ(walker_slm_bytes(PVC_SLM_24K), 24 * 1024);
	CHECK_EQ(walker_slm_bytes(PVC_SLM_128K), 128 * 1024);
	CHECK_EQ(walker_slm_bytes(12), -1);
}

/* Number of a group in walk order @d; @less is subtracted from each coordinate. */
static uint64_t linear(const struct walker_box *all, const uint8_t *d, const uint32_t *at,
		       uint32_t less)
{
	uint64_t n = 0;

	for (unsigned int i = 3; i-- > 0;)
		n = n * (all->end[d[i]] - all->start[d[i]]) + at[d[i]] - less - all->start[d[i]];
	return n;
}

/* Consecutive boxes visit each group once, in walk order between boxes. */
TEST(walker_boxes_follow_the_order)
{
	static const uint8_t orders[6][3] = {
		{ 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 }, { 2, 0, 1 }, { 1, 2, 0 }, { 2, 1, 0 },
	};
	unsigned int bad = 0;

	for (unsigned int order = 0; order < 6; order++) {
		for (unsigned int shape = 0; shape < 5 * 6 * 7; shape++) {
			uint32_t n[3] = { 1 + shape % 5, 1 + shape / 5 % 6, 1 + shape / 30 };
			struct walker_box all = { { 2, 3, 4 }, { 2 + n[0], 3 + n[1], 4 + n[2] } };
			const uint8_t *d = orders[order];

			for (uint64_t max = 1; max < 40; max += 3) {
				uint64_t done = 0;

				while (done < walker_groups(&all)) {
					struct walker_box part;
					uint64_t first, last, size;

					bad += !walker_next(&all, order, done, max, &part);
					size = walker_groups(&part);
					/* linear numbers of its first and last group */
					first = linear(&all, d, part.start, 0);
					last = linear(&all, d, part.end, 1);
					bad += first != done || last != done + size - 1 ||
					       size > max || !size;
					if (bad)
						break;
					done += size;
				}
				bad += done != walker_groups(&all);
			}
		}
	}
	CHECK_EQ(bad, 0);
}
