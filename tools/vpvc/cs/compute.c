// SPDX-License-Identifier: MIT
/*
 * State commands of the compute engine and PIPE_CONTROL (layouts: the driver's
 * pvc_gfx_commands.h), run by cs.c on the engine's thread. State belongs to a context; the
 * walker (compute_walker.c) reads it.
 */
#include "cs/compute.h"

#include "core/strict.h"
#include "cs/command.h"
#include "cs/command_list.h"
#include "cs/compute_walker.h"
#include "cs/cs_regs.h"
#include "cs/cs_state.h"
#include "cs/post_sync.h"
#include "mem/tlb.h"
#include "pvc_gfx_commands.h"
#include "pvc_gtt.h"
#include "pvc_mi_commands.h"

/*
 * Bits of PIPE_CONTROL for units that this part lacks (prelim i915: gt/intel_gpu_commands.h says
 * which must not be set). Intel's runtime sets some of them on this part all the same: the flushes
 * of DC, render targets and AMFS, the invalidation of textures, and FLUSH_ENABLE.
 */
#define PIPE_CONTROL1_3D \
	(PVC_PIPE_CONTROL1_DEPTH_FLUSH | PVC_PIPE_CONTROL1_STALL_SCOREBOARD | \
	 PVC_PIPE_CONTROL1_VF_INVALIDATE | PVC_PIPE_CONTROL1_INDIRECT_DISABLE | \
	 PVC_PIPE_CONTROL1_DEPTH_STALL | PVC_PIPE_CONTROL1_PSD_SYNC | \
	 PVC_PIPE_CONTROL1_TILE_CACHE_FLUSH)

static uint64_t qword(const uint32_t *dw)
{
	return (uint64_t)dw[1] << 32 | dw[0];
}

/*
 * State that walkers read as they run must wait for their end. Intel's runtime has a stalling
 * PIPE_CONTROL before each such command.
 */
static enum cs_result changes_state(struct cs *cs, const char *name)
{
	if (cs->ctx.s.compute.walking && card_punishes(cs->card, STRICT_COMMANDS))
		return cs_error(cs, "%s: no PIPE_CONTROL has waited for the last walker", name);
	return CS_OK;
}

static enum cs_result pipeline_select(struct cs *cs, const uint32_t *dw, unsigned int len)
{
	uint32_t mask = PVC_FIELD_GET(PVC_PIPELINE_SELECT_MASK, dw[0]);

	(void)len;
	if ((mask & PVC_PIPELINE_SELECT_PIPELINE) && card_punishes(cs->card, STRICT_COMMANDS) &&
	    PVC_FIELD_GET(PVC_PIPELINE_SELECT_PIPELINE, dw[0]) != PVC_PIPELINE_SELECT_GPGPU)
		return cs_error(cs, "PIPELINE_SELECT: this part has no other pipeline than GPGPU");
	cs->ctx.s.compute.pipeline = (cs->ctx.s.compute.pipeline & ~mask) | (dw[0] & mask);
	return CS_OK;
}

static enum cs_result state_compute_mode(struct cs *cs, const uint32_t *dw, unsigned int len)
{
	enum cs_result r = changes_state(cs, "STATE_COMPUTE_MODE");
	uint32_t mask = dw[1] >> 16;

	(void)len;
	if (r != CS_OK)
		return r;
	cs->ctx.s.compute.compute_mode = (cs->ctx.s.compute.compute_mode & ~mask) | (dw[1] & mask);
	return CS_OK;
}

/* A base address changes if its own modify bit is set. */
static void set_base(uint64_t *base, const uint32_t *dw)
{
	if (dw[0] & PVC_SBA_MODIFY)
		*base = qword(dw) & ~0xfffull;
}

static enum cs_result state_base_address(struct cs *cs, const uint32_t *dw, unsigned int len)
{
	enum cs_result r = changes_state(cs, "STATE_BASE_ADDRESS");
	struct cs_compute *c = &cs->ctx.s.compute;

	(void)len;
	if (r != CS_OK)
		return r;
	set_base(&c->gsba, dw + PVC_SBA_GENERAL_DW);
	set_base(&c->ssba, dw + PVC_SBA_SURFACE_DW);
	set_base(&c->dsba, dw + PVC_SBA_DYNAMIC_DW);
	set_base(&c->iba, dw + PVC_SBA_INSTRUCTION_DW);
	set_base(&c->bindless, dw + PVC_SBA_BINDLESS_DW);
	return CS_OK;
}

static enum cs_result cfe_state(struct cs *cs, const uint32_t *dw, unsigned int len)
{
	(void)len;
	cs->ctx.s.compute.scratch = dw[1] & PVC_CFE1_SCRATCH;
	cs->ctx.s.compute.max_threads = PVC_FIELD_GET(PVC_CFE3_MAX_THREADS, dw[3]);
	return CS_OK;
}

static enum cs_result state_sip(struct cs *cs, const uint32_t *dw, unsigned int len)
{
	(void)len;
	cs->ctx.s.compute.sip = qword(dw + 1) & ~0xfull;
	cs->ctx.s.compute.sip_given = cs->ctx.s.compute.sip != 0;
	return CS_OK;
}

static enum cs_result fence_address(struct cs *cs, const uint32_t *dw, unsigned int len)
{
	(void)len;
	cs->ctx.s.compute.fence = qword(dw + 1) & ~0xfffull;
	return CS_OK;
}

static enum cs_result binding_table_pool(struct cs *cs, const uint32_t *dw, unsigned int len)
{
	(void)len;
	cs->ctx.s.compute.binding_pool = qword(dw + 1) & ~0xfffull;
	cs->ctx.s.compute.binding_pool_size = dw[3] & PVC_SBA_SIZE;
	return CS_OK;
}

/* Hints, and state of units that no walker of this model uses. */
static enum cs_result no_effect(struct cs *cs, const uint32_t *dw, unsigned int len)
{
	(void)cs;
	(void)dw;
	(void)len;
	return CS_OK;
}

/* Post-sync as a register write: the address has the offset, the data the value. */
static enum cs_result post_sync_register(struct cs *cs, const uint32_t *dw)
{
	enum cs_result r = cs_reg_store(cs, dw[2] & PVC_MI_REG_MASK, dw[4]);

	return r == CS_SKIP ? CS_OK : r;
}

/*
 * A TLB invalidation has no effect without a stall of the streamer. The kernel's drivers never
 * send one without a post-sync write either, as no MI_FLUSH_DW may be.
 */
static bool invalidates_tlb(struct cs *cs, uint32_t flags)
{
	return (flags & PVC_PIPE_CONTROL1_TLB_INVALIDATE) &&
	       (flags & PVC_PIPE_CONTROL1_CS_STALL) &&
	       (PVC_FIELD_GET(PVC_PIPE_CONTROL1_POST_SYNC, flags) != PVC_POST_SYNC_NONE ||
		!card_punishes(cs->card, STRICT_COMMANDS));
}

static enum cs_result pipe_control(struct cs *cs, const uint32_t *dw, unsigned int len)
{
	unsigned int op = PVC_FIELD_GET(PVC_PIPE_CONTROL1_POST_SYNC, dw[1]);
	bool ggtt = dw[1] & PVC_PIPE_CONTROL1_GGTT;
	uint64_t addr = qword(dw + 2) & ~3ull;
	enum cs_result r = CS_OK;

	(void)len;
	if ((dw[1] & PIPE_CONTROL1_3D) && card_punishes(cs->card, STRICT_COMMANDS))
		return cs_error(cs, "PIPE_CONTROL: bits %#x are those of the 3D pipeline",
				dw[1] & PIPE_CONTROL1_3D);
	if (dw[0] & PVC_PIPE_CONTROL0_PREDICATE && !(cs_reg(cs, PVC_CS_PREDICATE_RESULT) & 1))
		return CS_OK;
	if (dw[1] & PVC_PIPE_CONTROL1_CS_STALL)
		cs->ctx.s.compute.walking = false;
	if (dw[1] & PVC_PIPE_CONTROL1_INSTR_INVALIDATE)
		cs->batch.code_generation++;
	if (invalidates_tlb(cs, dw[1])) {
		counter_add(&cs->e->cnt.invalidations, 1);
		tlb_invalidate(cs->e, cs->ctx.pdp0 & PVC_PTE_ADDR_MASK);
	}
	if (dw[1] & PVC_PIPE_CONTROL1_STORE_INDEX) {
		ggtt = true;
		addr = cs->ctx.lrca + (addr & 0xffc);
	} else if (op && ggtt && !cs_privileged(cs)) {
		cs_log(cs, "PIPE_CONTROL on the GGTT in a user's batch, post-sync dropped");
		op = PVC_POST_SYNC_NONE;
	} else if (dw[0] & PVC_PIPE_CONTROL0_WPARID_OFFSET) {
		addr += cs_partition_offset(cs);
	}
	if (dw[1] & PVC_PIPE_CONTROL1_LRI_POST_SYNC)
		r = post_sync_register(cs, dw);
	else
		r = cs_post_sync(cs, op, ggtt, addr, qword(dw + 4), true);
	if (r == CS_OK && dw[1] & PVC_PIPE_CONTROL1_NOTIFY)
		cs_irq(cs, PVC_VEC_NOTIFY);
	return r;
}

#define ROW(code, text, length, least, most, which, function) \
	{ .mask = PVC_GFX_OPCODE_MASK, .value = (code) & PVC_GFX_OPCODE_MASK, .name = text, \
	  .len_mask = length, .min = least, .max = most, .flags = which, .run = function },

const struct cs_command compute_commands[] = {
	GFX_COMMANDS(ROW)
	{ 0 },
};
