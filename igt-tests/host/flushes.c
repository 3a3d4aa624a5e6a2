// SPDX-License-Identifier: MIT
/*
 * The flushes and invalidations around a job, and those of a restore, bit by bit. The virtual card
 * has TLBs, and contexts that run old instructions until these are invalidated. It has no caches of
 * data and state, so a run of the driver cannot tell whether most of these bits are there.
 *
 * What is expected is what prelim i915 sends on this part (gt/gen8_engine_cs.c, gt/intel_lrc.c),
 * less what is for the 3D pipeline. The flushes of the data ports are those that compute-runtime
 * sends before others may read what a kernel has written.
 */
#include <stdbool.h>
#include <string.h>

#include "check.h"

#include "instructions/pvc_blt_commands.h"
#include "instructions/pvc_gfx_commands.h"
#include "instructions/pvc_mi_commands.h"
#include "regs/pvc_engine_regs.h"
#include "exec/xetile_lrc.h"
#include "exec/xetile_lrc_batch.h"
#include "exec/xetile_ring.h"
#include "mem/xetile_va.h"

#define SEQNO_GGTT	0x111000u
#define BEGUN_GGTT	0x222000u
#define SCRATCH_GGTT	0x333000u
#define BATCH		0x123456780000ull
#define SEQNO		77u
#define MEMBER		3u

int host_may_alloc(void)
{
	return 1;
}

static unsigned int unseen;

void host_write_wc(void *at, const void *from, size_t size)
{
	memcpy(at, from, size);
	unseen++;
}

void host_wmb(void)
{
	unseen = 0;
}

/* --- what the driver writes ----------------------------------------------------------- */

static u32 dwords[XETILE_RING_JOB_BYTES / 4];
static unsigned int num;

void xetile_lrc_ring_write(struct xetile_lrc *lrc, const u32 *from, unsigned int n)
{
	CHECK(num + n <= ARRAY_SIZE(dwords), "too long");
	host_write_wc(dwords + num, from, n * sizeof(*from));
	num += n;
	lrc->tail += n * sizeof(*from);
}

void xetile_lrc_ring_replace(struct xetile_lrc *lrc, u32 offset, const u32 *from, unsigned int n)
{
	host_write_wc((char *)dwords + offset, from, n * sizeof(*from));
}

u32 xetile_lrc_seqno_ggtt(const struct xetile_lrc *lrc)
{
	return SEQNO_GGTT;
}

u32 xetile_lrc_begun_ggtt(const struct xetile_lrc *lrc)
{
	return BEGUN_GGTT;
}

u32 xetile_lrc_scratch_ggtt(const struct xetile_lrc *lrc)
{
	return SCRATCH_GGTT;
}

/* Wa_16017236439 */
u32 xetile_engine_swctrl(const struct xetile_engine *engine)
{
	return PVC_BCS_SWCTRL_DISABLE_256B << 16 |
	       (engine->instance % 2 ? 0 : PVC_BCS_SWCTRL_DISABLE_256B);
}

/* --- its commands --------------------------------------------------------------------- */

static unsigned int length(u32 dw)
{
	if (PVC_FIELD_GET(PVC_CMD_TYPE, dw) == PVC_CMD_TYPE_MI && (dw >> 23 & 0x3f) < 0x10)
		return 1;
	return (dw & 0xff) + 2;
}

/* Returns the place of the next command from @from on that is @dw in the bits of @mask, or @end. */
static unsigned int next(unsigned int from, unsigned int end, u32 dw, u32 mask)
{
	while (from < end && (dwords[from] ^ dw) & mask)
		from += length(dwords[from]);
	return from < end ? from : end;
}

#define MI(from, end, dw)	next(from, end, dw, PVC_MI_OPCODE_MASK)
#define GFX(from, end, dw)	next(from, end, dw, PVC_GFX_OPCODE_MASK)
#define BLT(from, end, dw)	next(from, end, dw, PVC_BLT_OPCODE_MASK)

/* A command of one dword, with all its bits */
#define WORD(from, end, dw)	next(from, end, dw, ~0u)

static bool post_syncs(u32 flags)
{
	return PVC_FIELD_GET(PVC_PIPE_CONTROL1_POST_SYNC, flags) == PVC_POST_SYNC_IMM;
}

/* The last blit in front of a flush occupies all sub-blitters, and writes to nowhere. */
static void check_blit(unsigned int from, unsigned int end)
{
	unsigned int at = BLT(from, end, PVC_MEM_SET);

	CHECK(at < end && at + length(dwords[at]) == end, "no blit right before %u", end);
	if (at >= end)
		return;
	CHECK(PVC_FIELD_GET(PVC_MEM_TYPE, dwords[at]) == PVC_MEM_TYPE_MATRIX, "not by rows");
	CHECK(dwords[at + 1] + 1 >= 4096 && dwords[at + 2] + 1 >= 36, "%u rows of %u bytes",
	      dwords[at + 2] + 1, dwords[at + 1] + 1);
	CHECK(dwords[at + 4] == (u32)XETILE_VA_NOWHERE &&
	      dwords[at + 5] == XETILE_VA_NOWHERE >> 32, "to another address");
}

/* The streamer must not read ahead across an invalidation. */
static void check_preparser(unsigned int call, unsigned int invalidation)
{
	const u32 word = PVC_MI_ARB_CHECK | PVC_MI_ARB_CHECK_PREPARSER_MASK;
	unsigned int off = WORD(0, call, word | PVC_MI_ARB_CHECK_PREPARSER_OFF);
	unsigned int on = WORD(0, call, word);

	CHECK(off < invalidation, "the preparser is on");
	CHECK(invalidation < on && on < call, "the preparser stays off");
}

static void check_head_compute(unsigned int call, bool tlb)
{
	const u32 all = PVC_PIPE_CONTROL1_CMD_CACHE_INVALIDATE |
			PVC_PIPE_CONTROL1_INSTR_INVALIDATE | PVC_PIPE_CONTROL1_CONST_INVALIDATE |
			PVC_PIPE_CONTROL1_STATE_INVALIDATE | PVC_PIPE_CONTROL1_CS_STALL;
	unsigned int at = GFX(0, call, PVC_PIPE_CONTROL);
	unsigned int chicken = MI(0, call, PVC_MI_LOAD_REGISTER_IMM(1));

	CHECK(at < call, "no invalidation");
	if (at >= call)
		return;
	CHECK((dwords[at + 1] & all) == all, "%#x is not invalidated", all & ~dwords[at + 1]);
	CHECK(!!(dwords[at + 1] & PVC_PIPE_CONTROL1_TLB_INVALIDATE) == tlb, "the TLB");
	CHECK(post_syncs(dwords[at + 1]) && dwords[at + 1] & PVC_PIPE_CONTROL1_GGTT &&
	      dwords[at + 2] == SCRATCH_GGTT, "nothing completes it");
	check_preparser(call, at);
	while (chicken < call && dwords[chicken + 1] != PVC_CS_CHICKEN1(0))
		chicken = MI(chicken + length(dwords[chicken]), call, PVC_MI_LOAD_REGISTER_IMM(1));
	CHECK(chicken < call, "the granularity of preemption is not chosen");
}

static void check_head_copy(unsigned int call, bool tlb)
{
	unsigned int at = MI(0, call, PVC_MI_FLUSH_DW);

	CHECK(tlb == (at < call), "the TLB");
	if (at >= call)
		return;
	CHECK(dwords[at] & PVC_MI_FLUSH_DW_TLB_INVALIDATE, "the TLB");
	CHECK(post_syncs(dwords[at]) &&
	      dwords[at + 1] == (SCRATCH_GGTT | PVC_MI_FLUSH_DW_ADDR_GGTT), "nothing completes it");
	check_preparser(call, at);
}

/* The batch's writes are flushed, and the flush has ended, before the number is written. */
static unsigned int check_done_compute(unsigned int from)
{
	const u32 ports = PVC_PIPE_CONTROL0_HDC_FLUSH | PVC_PIPE_CONTROL0_UNTYPED_FLUSH;
	unsigned int at = GFX(from, num, PVC_PIPE_CONTROL), done;

	CHECK(at < num && (dwords[at] & ports) == ports, "data ports are not flushed");
	CHECK(at < num && dwords[at + 1] & PVC_PIPE_CONTROL1_CS_STALL, "the flush is not awaited");
	done = GFX(at + length(dwords[at]), num, PVC_PIPE_CONTROL);
	CHECK(done < num, "no number");
	if (done >= num)
		return num;
	CHECK(post_syncs(dwords[done + 1]) && dwords[done + 1] & PVC_PIPE_CONTROL1_CS_STALL &&
	      dwords[done + 1] & PVC_PIPE_CONTROL1_GGTT && dwords[done + 2] == SEQNO_GGTT &&
	      dwords[done + 4] == SEQNO, "another number");
	return done;
}

static unsigned int check_done_copy(unsigned int from)
{
	unsigned int done = MI(from, num, PVC_MI_FLUSH_DW);

	CHECK(done < num, "no flush");
	if (done >= num)
		return num;
	check_blit(from, done);
	CHECK(post_syncs(dwords[done]) &&
	      dwords[done + 1] == (SEQNO_GGTT | PVC_MI_FLUSH_DW_ADDR_GGTT) &&
	      dwords[done + 3] == SEQNO, "another number");
	return done;
}

static void check_job(enum xetile_engine_class class, bool tlb)
{
	const u32 obey = PVC_MI_SET_PREDICATE | PVC_MI_SET_PREDICATE_OFF;
	const u32 hold = PVC_MI_ARB_ON_OFF, let = PVC_MI_ARB_ON_OFF | PVC_MI_ARB_ENABLE;
	unsigned int call = MI(0, num, PVC_MI_BATCH_BUFFER_START);
	unsigned int begun = MI(0, call, PVC_MI_STORE_DATA_IMM);
	unsigned int back = call + PVC_MI_BATCH_BUFFER_START % 0x100 + 2, done, tell;

	CHECK(dwords[0] == obey && dwords[1] == let, "the streamer may skip the job");
	CHECK(begun < call && dwords[begun + 1] == BEGUN_GGTT && dwords[begun + 3] == SEQNO &&
	      dwords[begun] & PVC_MI_SDI_FORCE_COMPLETION, "nobody knows that the batch began");
	if (class == XETILE_ENGINE_COMPUTE)
		check_head_compute(call, tlb);
	else
		check_head_copy(call, tlb);
	CHECK(dwords[back] == obey, "the streamer may skip the flush");
	CHECK(dwords[back + 1] == hold, "the job may be interrupted before it tells its end");
	done = class == XETILE_ENGINE_COMPUTE ? check_done_compute(back) : check_done_copy(back);
	tell = WORD(done, num, PVC_MI_USER_INTERRUPT);
	CHECK(tell < num, "no interrupt");
	CHECK(WORD(tell, num, let) < WORD(tell, num, PVC_MI_ARB_CHECK) &&
	      WORD(tell, num, PVC_MI_ARB_CHECK) < num, "a finished job cannot be interrupted");
	CHECK(!(num % 2), "the tail is not a multiple of 8");
}

static void test_job(enum xetile_engine_class class)
{
	struct xetile_sched sched = { 0 };
	struct xetile_device xt = { .sched = &sched };
	struct xetile_tile tile = { .xt = &xt };
	const u64 batch = BATCH;

	for (unsigned int tlb = 0; tlb < 2; tlb++) {
		struct xetile_lrc lrc = { .tile = &tile, .class = class, .member = MEMBER };

		num = 0;
		xetile_ring_emit_job(&lrc, class, &(struct xetile_ring_job) {
			.batch = &batch, .seqno = SEQNO, .invalidate_tlb = tlb,
		});
		check_job(class, tlb);
		CHECK(!unseen, "other CPUs may load the job before it has left this one");
	}
}

/*
 * A user's number is written in the address space of the batch, behind the flush of what the batch
 * wrote, and before the driver's number and the interrupt.
 */
static void test_store(enum xetile_engine_class class)
{
	struct xetile_sched sched = { 0 };
	struct xetile_device xt = { .sched = &sched };
	struct xetile_tile tile = { .xt = &xt };
	struct xetile_lrc lrc = { .tile = &tile, .class = class, .member = MEMBER,
				  .owns_partition = true };
	const u64 batch = BATCH, store = 0x123456789ab8;
	bool compute = class == XETILE_ENGINE_COMPUTE;
	unsigned int call, flush, at, done;

	num = 0;
	xetile_ring_emit_job(&lrc, class, &(struct xetile_ring_job) {
		.batch = &batch, .seqno = SEQNO, .store = &store, .value = 0xfedcba9876543210,
	});
	CHECK(num * sizeof(u32) <= XETILE_RING_JOB_BYTES && !(num % 2), "%u dwords", num);
	call = MI(0, num, PVC_MI_BATCH_BUFFER_START);
	for (at = MI(0, num, PVC_MI_LOAD_REGISTER_IMM(1)); at < num;
	     at = MI(at + length(dwords[at]), num, PVC_MI_LOAD_REGISTER_IMM(1)))
		CHECK(dwords[at + 1] != PVC_CS_WPARID, "the user's partition is overwritten");
	if (compute) {
		flush = GFX(call, num, PVC_PIPE_CONTROL);
		at = GFX(flush + length(dwords[flush]), num, PVC_PIPE_CONTROL);
		done = GFX(at + length(dwords[at]), num, PVC_PIPE_CONTROL);
		CHECK(post_syncs(dwords[at + 1]) && dwords[at + 1] & PVC_PIPE_CONTROL1_CS_STALL &&
		      !(dwords[at + 1] & PVC_PIPE_CONTROL1_GGTT), "in another address space");
		CHECK(dwords[at + 2] == (u32)store && dwords[at + 3] == store >> 32 &&
		      dwords[at + 4] == 0x76543210 && dwords[at + 5] == 0xfedcba98, "the number");
		CHECK(dwords[done + 2] == SEQNO_GGTT, "the driver's number");
	} else {
		at = MI(call, num, PVC_MI_FLUSH_DW);
		check_blit(call + 3, at);
		done = MI(at + length(dwords[at]), num, PVC_MI_FLUSH_DW);
		CHECK(post_syncs(dwords[at]) && dwords[at] & PVC_MI_FLUSH_DW_QW &&
		      dwords[at + 1] == (u32)store && dwords[at + 2] == store >> 32 &&
		      dwords[at + 3] == 0x76543210 && dwords[at + 4] == 0xfedcba98, "the number");
		CHECK(dwords[done + 1] == (SEQNO_GGTT | PVC_MI_FLUSH_DW_ADDR_GGTT),
		      "the driver's number");
	}
	CHECK(done < num && WORD(done, num, PVC_MI_USER_INTERRUPT) < num, "no interrupt behind it");
}

/* --- the restore's batch -------------------------------------------------------------- */

/* One of the two parts, of which the engine obeys one */
static void check_part(const struct xetile_engine *engine, unsigned int from, unsigned int end,
		       bool moved)
{
	bool copy = engine->class == XETILE_ENGINE_COPY;
	unsigned int at = MI(from, end, PVC_MI_LOAD_REGISTER_IMM(1)), size = end, flush;

	for (; at < end; at = MI(at + length(dwords[at]), end, PVC_MI_LOAD_REGISTER_IMM(1)))
		if (dwords[at + 1] == PVC_BCS_SWCTRL(0))
			size = at;
	CHECK(copy == (size < end), "the size of requests");
	if (size < end)
		CHECK(dwords[size + 2] == xetile_engine_swctrl(engine), "another size");
	CHECK(GFX(from, end, PVC_PIPE_CONTROL) == end, "nobody is known to send it here");
	flush = MI(from, end, PVC_MI_FLUSH_DW);
	CHECK((copy && moved) == (flush < end), "older translations of a new engine");
	if (flush < end)
		CHECK(dwords[flush] & PVC_MI_FLUSH_DW_TLB_INVALIDATE && post_syncs(dwords[flush]) &&
		      dwords[flush + 1] == (SCRATCH_GGTT | PVC_MI_FLUSH_DW_ADDR_GGTT),
		      "the TLB");
	if (copy)
		check_blit(from, flush);
}

static void test_restore(enum xetile_engine_class class, bool moved)
{
	for (unsigned int i = 0; i < 9; i++) {
		struct xetile_engine engine = { .class = class, .instance = i };
		struct xetile_lrc_batch batch;
		unsigned int first, second;

		xetile_lrc_batch_make(&batch, &(struct xetile_lrc_batch_args) {
			.engine = &engine, .member = MEMBER, .scratch = SCRATCH_GGTT,
			.forgets = moved,
		});
		num = batch.num;
		CHECK(num <= ARRAY_SIZE(dwords), "too long");
		memcpy(dwords, batch.dwords, num * sizeof(*dwords));
		first = WORD(0, num, PVC_MI_BATCH_BUFFER_END | PVC_MI_BATCH_BUFFER_END_PREDICATE);
		second = WORD(first, num, PVC_MI_SET_PREDICATE |
					  PVC_MI_SET_PREDICATE_NOOP_ALWAYS);
		CHECK(first < second && second < num, "not two parts");
		check_part(&engine, 0, first, moved);
		/* ... behind the first part's end, and the command that has it obeyed */
		CHECK(dwords[first + 1] == (PVC_MI_SET_PREDICATE | PVC_MI_SET_PREDICATE_OFF),
		      "the second part is skipped, too");
		check_part(&engine, first + 2, second, moved);
	}
}

int main(void)
{
	RUN("a compute job invalidates and flushes", test_job(XETILE_ENGINE_COMPUTE));
	RUN("a copy job invalidates and flushes", test_job(XETILE_ENGINE_COPY));
	RUN("M5: a compute job stores a number of the user", test_store(XETILE_ENGINE_COMPUTE));
	RUN("M5: a copy job stores a number of the user", test_store(XETILE_ENGINE_COPY));
	RUN("a restore of a compute context flushes nothing",
	    test_restore(XETILE_ENGINE_COMPUTE, false));
	RUN("... also on a new engine", test_restore(XETILE_ENGINE_COMPUTE, true));
	RUN("a restore of a copy context has its blit", test_restore(XETILE_ENGINE_COPY, false));
	RUN("... and invalidates on a new engine", test_restore(XETILE_ENGINE_COPY, true));
	return check_end();
}
