// SPDX-License-Identifier: GPL-2.0-only
#include "exec/xetile_ring.h"

#include <linux/bug.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/string.h>

#include <asm/barrier.h>

#include "instructions/pvc_gfx_commands.h"
#include "instructions/pvc_mi_commands.h"
#include "regs/pvc_engine_regs.h"
#include "regs/pvc_gt_regs.h"

#include "exec/xetile_dummy_blit.h"
#include "exec/xetile_lrc.h"
#include "exec/xetile_sched_types.h"
#include "xetile_device.h"

/**
 * DOC: what the ring holds for a job
 *
 * The commands of a job set the streamer's own state, the partition registers and where a walker
 * may be interrupted, invalidate caches (and translations if the VM unmapped something since),
 * store the number of the job that begins, and call its batch. Then, not to be interrupted, they
 * flush the batch's writes, store what the user wants to see then, in the address space of the
 * batch, store the number of the job that is done, and raise the interrupt. Whoever waits for the
 * user's value looks at it when the interrupt comes. If there is no memory for the value, the
 * engine reports that as a fault of the batch.
 *
 * A batch may end with predication on. The streamer would skip all that follows in the ring, up
 * to and including the invalidation at the head of the next job, which keeps the context from
 * memory that is no longer its own. Only the commands that steer the streamer are obeyed then;
 * PVC_MI_SET_PREDICATE is one of them. So this command comes first after each batch. It also
 * begins each job, as does the command that allows arbitration, because a context that goes on
 * there after a reset may have been saved with the one on or the other off.
 *
 * Commands may straddle the end of the ring. The tail stays a multiple of 8.
 */

#define JOB_DWORDS	(XETILE_RING_JOB_BYTES / sizeof(u32))

/* struct commands - commands of a job in the making: the ring is written once, because it is far */
struct commands {
	u32 *dwords;			/* JOB_DWORDS */
	unsigned int num;
};

/* Inlined, so that the few dwords of a command are stored one by one */
static __always_inline void emit(struct commands *cmds, const u32 *dwords, unsigned int n)
{
	if (WARN_ON_ONCE(n > JOB_DWORDS - cmds->num))
		return;
	/* __builtin_memcpy() does not check the bounds once more. */
	__builtin_memcpy(cmds->dwords + cmds->num, dwords, n * sizeof(*dwords));
	cmds->num += n;
}

#define EMIT(cmds, ...) ({						\
	const u32 dwords__[] = { __VA_ARGS__ };				\
	emit(cmds, dwords__, ARRAY_SIZE(dwords__));			\
})

/* Whatever ran before, have the streamer obey what follows, and let itself be interrupted. */
static void emit_begin(struct commands *cmds)
{
	EMIT(cmds, PVC_MI_SET_PREDICATE | PVC_MI_SET_PREDICATE_OFF,
	     PVC_MI_ARB_ON_OFF | PVC_MI_ARB_ENABLE);
}

/*
 * The restore batch sets the same registers, but a batch may have changed them since. A user who
 * sets them once relies on them in later batches.
 */
static void emit_partition(struct commands *cmds, struct xetile_lrc *lrc)
{
	EMIT(cmds, PVC_MI_LOAD_REGISTER_IMM(2) | PVC_MI_LRI_ADD_CS,
	     PVC_CS_WPARID, lrc->member,
	     PVC_CS_PARTITION_STRIDE, PVC_WALKER_POST_SYNC_IMM_STRIDE);
}

/*
 * The hardware would by default interrupt the threads of a running walker, and send them to a
 * system routine. Nobody has installed one, so they would hang. Each batch begins with a choice
 * that is safe: walkers are interrupted between groups of threads. The register is part of the
 * context, and open to batches (prelim i915: gt/intel_workarounds.c). So it is written here, and
 * not by the restore batch: a batch's own choice must hold as long as the batch, and no longer.
 */
static void emit_granularity(struct commands *cmds)
{
	EMIT(cmds, PVC_MI_LOAD_REGISTER_IMM(1) | PVC_MI_LRI_ADD_CS, PVC_CS_CHICKEN1(0),
	     PVC_MASKED_FIELD(PVC_CS_CHICKEN1_PREEMPT_MASK, PVC_CS_CHICKEN1_PREEMPT_GROUP));
}

static void emit_preparser(struct commands *cmds, bool on)
{
	EMIT(cmds, PVC_MI_ARB_CHECK | PVC_MI_ARB_CHECK_PREPARSER_MASK |
	     (on ? 0 : PVC_MI_ARB_CHECK_PREPARSER_OFF));
}

/* Only a post-sync write makes an invalidation complete. */
static void emit_invalidate_compute(struct commands *cmds, struct xetile_lrc *lrc, bool tlb)
{
	EMIT(cmds, PVC_PIPE_CONTROL,
	     PVC_PIPE_CONTROL1_CS_STALL | PVC_PIPE_CONTROL1_CMD_CACHE_INVALIDATE |
	     PVC_PIPE_CONTROL1_INSTR_INVALIDATE | PVC_PIPE_CONTROL1_CONST_INVALIDATE |
	     PVC_PIPE_CONTROL1_STATE_INVALIDATE |
	     (tlb ? PVC_PIPE_CONTROL1_TLB_INVALIDATE : 0) | PVC_PIPE_CONTROL1_GGTT |
	     PVC_FIELD_PREP(PVC_PIPE_CONTROL1_POST_SYNC, PVC_POST_SYNC_IMM),
	     xetile_lrc_scratch_ggtt(lrc), 0, 0, 0);
}

static void emit_invalidate_copy(struct commands *cmds, struct xetile_lrc *lrc)
{
	EMIT(cmds, PVC_MI_FLUSH_DW_QW | PVC_MI_FLUSH_DW_TLB_INVALIDATE |
	     PVC_FIELD_PREP(PVC_MI_FLUSH_DW_POST_SYNC, PVC_POST_SYNC_IMM),
	     xetile_lrc_scratch_ggtt(lrc) | PVC_MI_FLUSH_DW_ADDR_GGTT, 0, 0, 0);
}

/*
 * The number is written before the batch does anything, so that no batch runs twice unasked.
 * Without a batch there are as many dwords that do nothing. Returns where the batch is called.
 */
static __always_inline u32 emit_batch(struct commands *cmds, struct xetile_lrc *lrc,
				      const u64 *batch, u32 seqno)
{
	u32 call = cmds->num + 4;

	if (batch)
		EMIT(cmds, PVC_MI_STORE_DATA_IMM | PVC_MI_SDI_GGTT | PVC_MI_SDI_FORCE_COMPLETION,
		     xetile_lrc_begun_ggtt(lrc), 0, seqno,
		     PVC_MI_BATCH_BUFFER_START | PVC_MI_BATCH_BUFFER_START_PPGTT,
		     lower_32_bits(*batch), upper_32_bits(*batch));
	else
		EMIT(cmds, PVC_MI_NOOP, PVC_MI_NOOP, PVC_MI_NOOP, PVC_MI_NOOP, PVC_MI_NOOP,
		     PVC_MI_NOOP, PVC_MI_NOOP);
	return (lrc->tail + call * sizeof(u32)) & (XETILE_RING_SIZE - 1);
}

static void emit_done_compute(struct commands *cmds, struct xetile_lrc *lrc,
			      const struct xetile_ring_job *job)
{
	EMIT(cmds, PVC_PIPE_CONTROL | PVC_PIPE_CONTROL0_HDC_FLUSH | PVC_PIPE_CONTROL0_UNTYPED_FLUSH,
	     PVC_PIPE_CONTROL1_CS_STALL, 0, 0, 0, 0);
	if (job->store)
		EMIT(cmds, PVC_PIPE_CONTROL,
		     PVC_PIPE_CONTROL1_CS_STALL |
		     PVC_FIELD_PREP(PVC_PIPE_CONTROL1_POST_SYNC, PVC_POST_SYNC_IMM),
		     lower_32_bits(*job->store), upper_32_bits(*job->store),
		     lower_32_bits(job->value), upper_32_bits(job->value));
	EMIT(cmds, PVC_PIPE_CONTROL,
	     PVC_PIPE_CONTROL1_CS_STALL | PVC_PIPE_CONTROL1_GGTT |
	     PVC_FIELD_PREP(PVC_PIPE_CONTROL1_POST_SYNC, PVC_POST_SYNC_IMM),
	     xetile_lrc_seqno_ggtt(lrc), 0, job->seqno, 0);
}

/* Without the blit the flush may overtake the batch's last writes; see xetile_dummy_blit.h. */
static void emit_done_copy(struct commands *cmds, struct xetile_lrc *lrc,
			   const struct xetile_ring_job *job)
{
	emit(cmds, xetile_dummy_blit, ARRAY_SIZE(xetile_dummy_blit));
	if (job->store)
		EMIT(cmds, PVC_MI_FLUSH_DW_QW |
		     PVC_FIELD_PREP(PVC_MI_FLUSH_DW_POST_SYNC, PVC_POST_SYNC_IMM),
		     lower_32_bits(*job->store), upper_32_bits(*job->store),
		     lower_32_bits(job->value), upper_32_bits(job->value));
	EMIT(cmds, PVC_MI_FLUSH_DW_QW |
	     PVC_FIELD_PREP(PVC_MI_FLUSH_DW_POST_SYNC, PVC_POST_SYNC_IMM),
	     xetile_lrc_seqno_ggtt(lrc) | PVC_MI_FLUSH_DW_ADDR_GGTT, 0, job->seqno, 0);
}

/* Inlined for each class: where its commands have a known length no check of the room is left. */
static __always_inline u32 emit_job(struct xetile_lrc *lrc, const enum xetile_engine_class class,
				    const struct xetile_ring_job *job)
{
	u32 dwords[JOB_DWORDS], call;
	struct commands cmds = { .dwords = dwords };

	lockdep_assert_held(&lrc->tile->xt->sched->lock);
	emit_begin(&cmds);
	if (!lrc->owns_partition)
		emit_partition(&cmds, lrc);
	if (class == XETILE_ENGINE_COMPUTE) {
		emit_granularity(&cmds);
		emit_preparser(&cmds, false);
		emit_invalidate_compute(&cmds, lrc, job->invalidate_tlb);
		emit_preparser(&cmds, true);
	} else if (job->invalidate_tlb) {
		emit_preparser(&cmds, false);
		emit_invalidate_copy(&cmds, lrc);
		emit_preparser(&cmds, true);
	}
	call = emit_batch(&cmds, lrc, job->batch, job->seqno);
	EMIT(&cmds, PVC_MI_SET_PREDICATE | PVC_MI_SET_PREDICATE_OFF, PVC_MI_ARB_ON_OFF);
	if (class == XETILE_ENGINE_COMPUTE)
		emit_done_compute(&cmds, lrc, job);
	else
		emit_done_copy(&cmds, lrc, job);
	EMIT(&cmds, PVC_MI_USER_INTERRUPT, PVC_MI_ARB_ON_OFF | PVC_MI_ARB_ENABLE, PVC_MI_ARB_CHECK);
	if (cmds.num % 2)
		EMIT(&cmds, PVC_MI_NOOP);
	xetile_lrc_ring_write(lrc, dwords, cmds.num);
	/*
	 * The ring is behind a write-combining mapping, and another CPU may load the context up
	 * to this tail: its barrier does not drain the writes of this CPU.
	 */
	wmb();
	return call;
}

/**
 * xetile_ring_emit_job() - append a job to a context's ring
 * @lrc: context with XETILE_RING_JOB_BYTES of room
 * @class: its class
 * @job: what it is to hold
 *
 * Context: the execution lock is held.
 * Return: where in the ring the batch is called, for xetile_ring_skip_batch().
 */
u32 xetile_ring_emit_job(struct xetile_lrc *lrc, enum xetile_engine_class class,
			 const struct xetile_ring_job *job)
{
	if (class == XETILE_ENGINE_COMPUTE)
		return emit_job(lrc, XETILE_ENGINE_COMPUTE, job);
	return emit_job(lrc, XETILE_ENGINE_COPY, job);
}

/**
 * xetile_ring_skip_batch() - let a job end without its batch
 * @lrc: a context no engine has, which has not begun the job
 * @call: what xetile_ring_emit_job() returned of a job with a batch
 *
 * Context: the execution lock is held.
 */
void xetile_ring_skip_batch(struct xetile_lrc *lrc, u32 call)
{
	static const u32 nothing[3] = { PVC_MI_NOOP, PVC_MI_NOOP, PVC_MI_NOOP };

	lockdep_assert_held(&lrc->tile->xt->sched->lock);
	xetile_lrc_ring_replace(lrc, call, nothing, ARRAY_SIZE(nothing));
	/* Another CPU may load the context, as in xetile_ring_emit_job(). */
	wmb();
}

/**
 * xetile_ring_emit_noops() - give a context something to run
 * @lrc: an engine's idle context
 *
 * Context: the execution lock is held.
 */
void xetile_ring_emit_noops(struct xetile_lrc *lrc)
{
	static const u32 noops[] = { PVC_MI_NOOP, PVC_MI_NOOP };

	lockdep_assert_held(&lrc->tile->xt->sched->lock);
	xetile_lrc_ring_write(lrc, noops, ARRAY_SIZE(noops));
}
