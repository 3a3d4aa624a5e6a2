// SPDX-License-Identifier: GPL-2.0-only
#include "exec/xetile_lrc_batch.h"

#include <linux/bug.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "instructions/pvc_gfx_commands.h"
#include "instructions/pvc_mi_commands.h"
#include "regs/pvc_engine_regs.h"

#include "card/xetile_engine.h"
#include "exec/xetile_dummy_blit.h"

/**
 * DOC: the batch of a restore
 *
 * Each time an engine restores a context it runs a batch of the driver's (PER_CTX_BB) before it
 * goes on in the ring. What every stay on an engine begins with is set here: registers of which it
 * is not known whether the saved state has them, and registers whose value depends on the engine,
 * because a context may move to a sibling.
 *
 * The context may have left in the midst of a batch that had predication on, and the engine may
 * restore that first. So the batch has the same commands twice: if nothing is skipped, the
 * first part is obeyed, and ends the batch. If the first part is skipped, and its end with it,
 * the second part switches predication off, does the same, and switches predication on again,
 * which the interrupted batch needs in order to go on.
 */

static void emit(struct xetile_lrc_batch *batch, const u32 *dwords, unsigned int n)
{
	if (WARN_ON_ONCE(n > ARRAY_SIZE(batch->dwords) - batch->num))
		return;
	memcpy(batch->dwords + batch->num, dwords, n * sizeof(*dwords));
	batch->num += n;
}

#define EMIT(batch, ...) ({						\
	const u32 dwords__[] = { __VA_ARGS__ };				\
	emit(batch, dwords__, ARRAY_SIZE(dwords__));			\
})

/* It is not documented whether the partition registers belong to the saved state. */
static void emit_partition(struct xetile_lrc_batch *batch, u32 member)
{
	EMIT(batch, PVC_MI_LOAD_REGISTER_IMM(2) | PVC_MI_LRI_ADD_CS,
	     PVC_CS_WPARID, member,
	     PVC_CS_PARTITION_STRIDE, PVC_WALKER_POST_SYNC_IMM_STRIDE);
}

/*
 * Wa_16017236439: of the copy engines those with even numbers request system memory by 64 bytes at
 * a time, those with odd numbers by 256 (prelim i915: gt/intel_lrc.c, xehpc_emit_credits_wa()). A
 * context that comes from a sibling brings the other value.
 */
static void emit_request_size(struct xetile_lrc_batch *batch, const struct xetile_engine *engine)
{
	EMIT(batch, PVC_MI_LOAD_REGISTER_IMM(1) | PVC_MI_LRI_ADD_CS,
	     PVC_BCS_SWCTRL(0), xetile_engine_swctrl(engine));
}

/* Registers that each restore sets, by class and by instance of the engine */
static void emit_registers(struct xetile_lrc_batch *batch,
			   const struct xetile_lrc_batch_args *args)
{
	if (!args->owns_partition)
		emit_partition(batch, args->member);
	if (args->engine->class == XETILE_ENGINE_COPY)
		emit_request_size(batch, args->engine);
}

/*
 * Jobs invalidate the TLB of the engine they run on when the VM has changed. A copy context that
 * comes from a sibling may have done so there, and one that goes on in a batch has done so too
 * early, so the batch invalidates the older translations of its engine. For compute contexts, which
 * change engines between jobs only, xetile_lrc.c has another batch: nobody is known to put a
 * PIPE_CONTROL into this one.
 */
static void emit_forget(struct xetile_lrc_batch *batch, u32 scratch)
{
	EMIT(batch, PVC_MI_FLUSH_DW_QW | PVC_MI_FLUSH_DW_TLB_INVALIDATE |
	     PVC_FIELD_PREP(PVC_MI_FLUSH_DW_POST_SYNC, PVC_POST_SYNC_IMM),
	     scratch | PVC_MI_FLUSH_DW_ADDR_GGTT, 0, 0, 0);
}

/*
 * Each of the two parts. The blit comes before the flush. It finds no older translation of its
 * address that would be wrong, because that address is the same in all address spaces.
 */
static void emit_body(struct xetile_lrc_batch *batch, const struct xetile_lrc_batch_args *args)
{
	emit_registers(batch, args);
	if (args->engine->class != XETILE_ENGINE_COPY)
		return;
	emit(batch, xetile_dummy_blit, ARRAY_SIZE(xetile_dummy_blit));
	if (args->forgets)
		emit_forget(batch, args->scratch);
}

/**
 * xetile_lrc_batch_make() - make the batch that an engine runs when it restores a context
 * @batch: filled in
 * @args: what it depends on
 *
 * Context: any.
 */
void xetile_lrc_batch_make(struct xetile_lrc_batch *batch,
			   const struct xetile_lrc_batch_args *args)
{
	batch->num = 0;
	emit_body(batch, args);
	EMIT(batch, PVC_MI_BATCH_BUFFER_END | PVC_MI_BATCH_BUFFER_END_PREDICATE,
	     PVC_MI_SET_PREDICATE | PVC_MI_SET_PREDICATE_OFF);
	emit_body(batch, args);
	EMIT(batch, PVC_MI_SET_PREDICATE | PVC_MI_SET_PREDICATE_NOOP_ALWAYS,
	     PVC_MI_BATCH_BUFFER_END);
}
