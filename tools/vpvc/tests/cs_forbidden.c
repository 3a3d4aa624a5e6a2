// SPDX-License-Identifier: MIT
/*
 * Commands that are refused where public drivers avoid them. Each row is sent twice: a strict
 * card stops the engine with an instruction error, and a lenient one runs the batch to its end.
 */
#include "card.h"
#include "core/regs.h"
#include "core/strict.h"
#include "tests/cs_launch.h"

#define STALL	PVC_PIPE_CONTROL, PVC_PIPE_CONTROL1_CS_STALL, 0, 0, 0, 0

static void pipe_control(struct ctx *x, uint32_t flags1)
{
	BATCH(x, PVC_PIPE_CONTROL, PVC_PIPE_CONTROL1_CS_STALL | flags1, 0, 0, 0, 0);
}

static void flush_dw(struct ctx *x)
{
	BATCH(x, PVC_MI_FLUSH_DW_QW, 0, 0, 0, 0);
}

static void pipeline_3d(struct ctx *x)
{
	BATCH(x, PVC_PIPELINE_SELECT | PVC_FIELD_PREP(PVC_PIPELINE_SELECT_MASK, 3));
}

static void base_address_under_walker(struct ctx *x)
{
	struct launch l = counting(5, 1, 1);

	emit_state(x);
	emit_walker(x, &l);
	BATCH(x, PVC_STATE_BASE_ADDRESS, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	      0);
}

static void compute_mode_under_walker(struct ctx *x)
{
	struct launch l = counting(5, 1, 1);

	emit_state(x);
	emit_walker(x, &l);
	BATCH(x, PVC_STATE_COMPUTE_MODE, PVC_SCM_MASKED(PVC_SCM_LARGE_GRF, PVC_SCM_LARGE_GRF));
}

static void walker_without_pipeline(struct ctx *x)
{
	struct launch l = counting(5, 1, 1);

	BATCH(x, PVC_CFE_STATE, 0, 0, 0x10008800, 0, 0);
	BATCH(x, PVC_STATE_BASE_ADDRESS, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	      PVC_LOWER_32(BATCH_VA) | PVC_SBA_MODIFY, PVC_UPPER_32(BATCH_VA), 0, 0, 0, 0, 0, 0, 0,
	      0, 0, 0);
	emit_walker(x, &l);
}

static void walker_without_threads(struct ctx *x)
{
	struct launch l = counting(5, 1, 1);

	emit_state(x);
	BATCH(x, PVC_CFE_STATE, 0, 0, 0, 0, 0);
	emit_walker(x, &l);
}

static void partition_from_elsewhere(struct ctx *x)
{
	struct launch l = counting(5, 1, 1);

	emit_state(x);
	l.partition_type = PVC_COMPUTE_WALKER_PARTITION_X;
	l.partition_size = 5;
	l.start[0] = 1;
	emit_walker(x, &l);
}

static void cond_end_without_semaphore(struct ctx *x)
{
	/* 0 == 0: the batch goes on. */
	BATCH(x, PVC_MI_CONDITIONAL_BATCH_BUFFER_END |
	      PVC_FIELD_PREP(PVC_MI_COND_BBE_COMPARE, PVC_MI_COMPARE_EQ), 0, ADDR(VA(8)));
}

#define WITH_BIT(text, bit) \
	{ .name = "PIPE_CONTROL: " text, .flags1 = PVC_PIPE_CONTROL1_##bit }
#define COMMAND(text, fn)	{ .name = text, .emit = fn }

static const struct row {
	const char *name;
	void (*emit)(struct ctx *x);
	uint32_t flags1;		/* of a PIPE_CONTROL, if @emit is NULL */
} forbidden[] = {
	WITH_BIT("depth flush", DEPTH_FLUSH),
	WITH_BIT("stall at the scoreboard", STALL_SCOREBOARD),
	WITH_BIT("invalidation of vertices", VF_INVALIDATE),
	WITH_BIT("indirect state off", INDIRECT_DISABLE),
	WITH_BIT("depth stall", DEPTH_STALL),
	WITH_BIT("PSD sync", PSD_SYNC),
	WITH_BIT("tile cache", TILE_CACHE_FLUSH),
	COMMAND("MI_FLUSH_DW on a compute engine", flush_dw),
	COMMAND("PIPELINE_SELECT of 3D", pipeline_3d),
	COMMAND("STATE_BASE_ADDRESS under a walker", base_address_under_walker),
	COMMAND("STATE_COMPUTE_MODE under a walker", compute_mode_under_walker),
	COMMAND("COMPUTE_WALKER without PIPELINE_SELECT", walker_without_pipeline),
	COMMAND("COMPUTE_WALKER without CFE_STATE", walker_without_threads),
	COMMAND("COMPUTE_WALKER partitioned, first group not 0", partition_from_elsewhere),
	COMMAND("MI_CONDITIONAL_BATCH_BUFFER_END without bit 21", cond_end_without_semaphore),
};

/* Does the batch of the context end? If not, the engine has stopped with an error. */
static bool ends(struct ctx *x)
{
	struct engine *e = x->e;
	bool done;

	batch_store(x, 1, 1);
	batch_end(x);
	ring_batch(x, 0);
	submit(x);
	CHECK(WAIT_FOR(!busy(e) ||
		       mmio_read(x->t, PVC_RING_EIR(e->base)) & PVC_ERROR_INSTRUCTION));
	done = !busy(e);
	CHECK_EQ(data32(x, 1), done);
	if (!done) {
		mmio_write(x->t, PVC_RING_EIR(e->base), PVC_ERROR_INSTRUCTION);
		reset_engine(x->b, e);
	}
	return done;
}

/* The same of a fresh context's */
static bool row_ends(struct bench *b, struct engine *e, unsigned int id, const struct row *row)
{
	struct ctx x;

	ctx_init(b, &x, e, id);
	load_kernel(&x, kernel_count, sizeof(kernel_count));
	if (row->emit)
		row->emit(&x);
	else
		pipe_control(&x, row->flags1);
	return ends(&x);
}

TEST(forbidden_commands_stop_the_engine)
{
	struct engine *e;
	struct bench b;

	bench_init(&b, 1);
	REQUIRE(b.c);
	/* Each row begins with the state of a reset, not with what the row before it left. */
	b.c->opt.lenient |= STRICT_STALE_STATE;
	e = bench_engine(&b, 0, PVC_CLASS_CCS, 0);
	for (unsigned int i = 0; i < sizeof(forbidden) / sizeof(forbidden[0]); i++) {
		b.c->opt.lenient &= ~STRICT_COMMANDS;
		if (row_ends(&b, e, 2 * i + 1, &forbidden[i]))
			test_fail(__FILE__, __LINE__, "%s: accepted", forbidden[i].name);
		b.c->opt.lenient |= STRICT_COMMANDS;
		if (!row_ends(&b, e, 2 * i + 2, &forbidden[i]))
			test_fail(__FILE__, __LINE__, "%s: refused by a lenient card",
				  forbidden[i].name);
	}
	bench_fini(&b);
}

static void runtime_flush(struct ctx *x)
{
	struct launch l = counting(5, 1, 1);

	/* What Intel's runtime sends although these bits are 3D's, too */
	pipe_control(x, PVC_PIPE_CONTROL1_TEXTURE_INVALIDATE | PVC_PIPE_CONTROL1_RT_FLUSH |
		     PVC_PIPE_CONTROL1_STATE_INVALIDATE | PVC_PIPE_CONTROL1_FLUSH_ENABLE |
		     PVC_PIPE_CONTROL1_DC_FLUSH | PVC_BIT(25));
	emit_state(x);
	emit_walker(x, &l);
	emit_walker(x, &l);
	BATCH(x, STALL);
	BATCH(x, PVC_STATE_COMPUTE_MODE, PVC_SCM_MASKED(PVC_SCM_LARGE_GRF, 0));
}

/* The same commands in their places are taken. */
TEST(forbidden_commands_leave_others_alone)
{
	static const struct row runtime = COMMAND("what Intel's runtime sends", runtime_flush);
	static const struct row flush = COMMAND("MI_FLUSH_DW on a copy engine", flush_dw);
	struct bench b;

	bench_init(&b, 1);
	REQUIRE(b.c);
	CHECK(row_ends(&b, bench_engine(&b, 0, PVC_CLASS_CCS, 0), 1, &runtime));
	CHECK(row_ends(&b, bench_engine(&b, 0, PVC_CLASS_BCS, 1), 2, &flush));
	bench_fini(&b);
}

/* Only MI commands and blits are known to work in a per-context batch. */
TEST(forbidden_pipe_control_in_a_per_context_batch)
{
	static const uint32_t stall[] = { STALL, PVC_MI_BATCH_BUFFER_END };

	for (unsigned int i = 0; i < 4; i++) {
		bool lenient = i & 1, per_ctx = i & 2;
		struct bench b;
		struct ctx x;
		uint64_t at;

		bench_init(&b, 1);
		REQUIRE(b.c);
		/* The batches run although the restore is inhibited. */
		b.c->opt.lenient |= STRICT_STALE_STATE;
		if (lenient)
			b.c->opt.lenient |= STRICT_COMMANDS;
		ctx_init(&b, &x, bench_engine(&b, 0, PVC_CLASS_CCS, 0), 1);
		at = hbm_alloc(&b, 0, 4096, 4096);
		memcpy(hbm32(&b, at), stall, sizeof(stall));
		ggtt_map(&b, x.t, at, 4096);
		if (per_ctx)
			image(&x)[PVC_LRC_BB_PER_CTX_PTR + 1] =
				(at - x.t->dpa_base) | PVC_BB_PER_CTX_VALID;
		else
			image(&x)[PVC_LRC_INDIRECT_CTX + 1] = (at - x.t->dpa_base) | 1;
		CHECK_EQ(ends(&x), lenient || !per_ctx);
		bench_fini(&b);
	}
}
