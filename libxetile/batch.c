// SPDX-License-Identifier: MIT
/*
 * Batches: the commands that the command streamer reads for a launch, a copy or a fill. The
 * functions are pure: they write only to the memory that the caller names.
 *
 * Layout of a launch, the same for every tile, at the general state base:
 *
 *   0                   commands
 *   XT_BATCH_TIMES      the tile's clock at begin and end, when the launch stores it
 *   XT_BATCH_STATES     surface states of scratch memory
 *   XT_BATCH_BYTES      implicit arguments, when the kernel needs them
 *   then                cross-thread data: the arguments, a multiple of 32 bytes
 *   then                a row of local ids for each thread, when the hardware cannot
 *                       make the ids
 *
 * The commands of many walkers take more room, and all that is behind them begins so much later.
 *
 * A kernel loads its arguments relative to the general state base, so each tile reads the
 * arguments from its own part of the buffer.
 */
#include "batch.h"

#include <stddef.h>
#include <string.h>

#include <pvc_bits.h>
#include <pvc_blt_commands.h>
#include <pvc_gfx_commands.h>
#include <pvc_gt_regs.h>
#include <pvc_mi_commands.h>

#include "dispatch.h"
#include "split.h"
#include "times.h"
#include "util.h"
#include "zebin.h"

/* The smallest slice of scratch for a hardware thread, in bytes */
#define SCRATCH_LEAST		1024

static const struct {
	uint32_t bytes;
	uint32_t code;
} slm_codes[] = {
	{ 0, PVC_SLM_0K }, { 1 << 10, PVC_SLM_1K }, { 2 << 10, PVC_SLM_2K },
	{ 4 << 10, PVC_SLM_4K }, { 8 << 10, PVC_SLM_8K }, { 16 << 10, PVC_SLM_16K },
	{ 24 << 10, PVC_SLM_24K }, { 32 << 10, PVC_SLM_32K }, { 48 << 10, PVC_SLM_48K },
	{ 64 << 10, PVC_SLM_64K }, { 96 << 10, PVC_SLM_96K }, { XT_MAX_SLM, PVC_SLM_128K },
};

static const struct {
	uint32_t count;
	uint32_t code;
} barrier_codes[] = {
	{ 0, PVC_BARRIERS_NONE }, { 1, PVC_BARRIERS_1 }, { 2, PVC_BARRIERS_2 },
	{ 4, PVC_BARRIERS_4 }, { 8, PVC_BARRIERS_8 }, { 16, PVC_BARRIERS_16 },
	{ 24, PVC_BARRIERS_24 }, { 32, PVC_BARRIERS_32 },
};

static uint32_t slm_code(uint32_t bytes)
{
	unsigned int i = 0;

	while (i < ARRAY_SIZE(slm_codes) - 1 && slm_codes[i].bytes < bytes)
		i++;
	return slm_codes[i].code;
}

static uint32_t barrier_code(uint32_t count)
{
	unsigned int i = 0;

	while (i < ARRAY_SIZE(barrier_codes) - 1 && barrier_codes[i].count < count)
		i++;
	return barrier_codes[i].code;
}

/* --- commands of a launch -------------------------------------------------------------- */

static uint32_t *emit_pipe_control(uint32_t *dw, uint32_t flags0, uint32_t flags1)
{
	memset(dw, 0, PVC_PIPE_CONTROL_DWORDS * sizeof(*dw));
	dw[0] = PVC_PIPE_CONTROL | flags0;
	dw[1] = flags1 | PVC_PIPE_CONTROL1_CS_STALL;
	return dw + PVC_PIPE_CONTROL_DWORDS;
}

/* The same, and when all of that is done the clock is stored, if there is an address for it. */
static uint32_t *emit_stamp(uint32_t *dw, uint32_t flags0, uint32_t flags1, uint64_t address)
{
	if (address)
		flags1 |= PVC_FIELD_PREP(PVC_PIPE_CONTROL1_POST_SYNC, PVC_POST_SYNC_TIMESTAMP);
	emit_pipe_control(dw, flags0, flags1);
	dw[2] = PVC_LOWER_32(address);
	dw[3] = PVC_UPPER_32(address);
	return dw + PVC_PIPE_CONTROL_DWORDS;
}

static uint32_t *emit_pipeline_select(uint32_t *dw, bool systolic)
{
	*dw++ = PVC_PIPELINE_SELECT |
		PVC_FIELD_PREP(PVC_PIPELINE_SELECT_MASK,
			       PVC_PIPELINE_SELECT_PIPELINE | PVC_PIPELINE_SELECT_SYSTOLIC) |
		PVC_FIELD_PREP(PVC_PIPELINE_SELECT_PIPELINE, PVC_PIPELINE_SELECT_GPGPU) |
		(systolic ? PVC_PIPELINE_SELECT_SYSTOLIC : 0);
	return dw;
}

static uint32_t *emit_compute_mode(uint32_t *dw, bool large_grf)
{
	*dw++ = PVC_STATE_COMPUTE_MODE;
	*dw++ = PVC_SCM_MASKED(PVC_SCM_NON_COHERENT | PVC_SCM_EU_SCHEDULING | PVC_SCM_LARGE_GRF,
			      PVC_FIELD_PREP(PVC_SCM_NON_COHERENT, PVC_SCM_NON_COHERENT_GPU) |
			      PVC_FIELD_PREP(PVC_SCM_EU_SCHEDULING,
					     PVC_SCM_EU_SCHEDULING_RR_STALL) |
			      (large_grf ? PVC_SCM_LARGE_GRF : 0));
	return dw;
}

uint32_t xt_batch_scratch_pitch(uint32_t size)
{
	uint32_t pitch = SCRATCH_LEAST;

	while (pitch < size)
		pitch *= 2;
	return pitch;
}

/* Each hardware thread has a slice of scratch. */
void xt_batch_states(uint32_t *to, const struct xt_kernel_desc *k,
		     const struct xt_dispatch *d, const struct xt_batch_place *place)
{
	uint32_t last = d->scratch_slots - 1;
	unsigned int i;

	memset(to, 0, 2 * PVC_SURFACE_STATE_DWORDS * sizeof(*to));
	for (i = 0; i < 2; i++, to += PVC_SURFACE_STATE_DWORDS) {
		if (!k->scratch[i])
			continue;
		to[0] = PVC_FIELD_PREP(PVC_SURFACE0_TYPE, PVC_SURFACE_SCRATCH) |
			PVC_FIELD_PREP(PVC_SURFACE0_FORMAT, PVC_SURFACE_FORMAT_RAW);
		to[1] = PVC_FIELD_PREP(PVC_SURFACE1_MOCS, PVC_MOCS_WB);
		/* Width, height and depth hold the number of slices less one, low bits first. */
		to[2] = PVC_FIELD_PREP(PVC_SURFACE2_WIDTH, last) |
			PVC_FIELD_PREP(PVC_SURFACE2_HEIGHT, last >> 7);
		to[3] = PVC_FIELD_PREP(PVC_SURFACE3_DEPTH, last >> 21) |
			PVC_FIELD_PREP(PVC_SURFACE3_PITCH,
				       xt_batch_scratch_pitch(k->scratch[i]) - 1);
		to[PVC_SURFACE_BASE_DW] = PVC_LOWER_32(place->scratch[i]);
		to[PVC_SURFACE_BASE_DW + 1] = PVC_UPPER_32(place->scratch[i]);
	}
}

static uint32_t *emit_cfe_state(uint32_t *dw, uint32_t max_threads, uint32_t scratch)
{
	memset(dw, 0, PVC_CFE_STATE_DWORDS * sizeof(*dw));
	dw[0] = PVC_CFE_STATE;
	dw[1] = PVC_FIELD_PREP(PVC_CFE1_SCRATCH, scratch / 64);
	dw[3] = PVC_CFE3_OVERDISPATCH_DISABLE |
		PVC_FIELD_PREP(PVC_CFE3_OVERDISPATCH, PVC_CFE3_OVERDISPATCH_NORMAL) |
		PVC_FIELD_PREP(PVC_CFE3_MAX_THREADS, max_threads);
	return dw + PVC_CFE_STATE_DWORDS;
}

static void put_base(uint32_t *dw, uint64_t base)
{
	dw[0] = PVC_LOWER_32(base) | PVC_FIELD_PREP(PVC_SBA_MOCS, PVC_MOCS_WB) | PVC_SBA_MODIFY;
	dw[1] = PVC_UPPER_32(base);
}

static uint32_t *emit_base_address(uint32_t *dw, uint64_t general, uint64_t instruction)
{
	memset(dw, 0, PVC_STATE_BASE_ADDRESS_DWORDS * sizeof(*dw));
	dw[0] = PVC_STATE_BASE_ADDRESS;
	put_base(dw + PVC_SBA_GENERAL_DW, general);
	dw[PVC_SBA_STATELESS_DW] = PVC_FIELD_PREP(PVC_SBA_STATELESS_MOCS, PVC_MOCS_WB);
	/* No kernel uses surfaces other than scratch, or samplers, but the bases must be valid. */
	put_base(dw + PVC_SBA_SURFACE_DW, general);
	put_base(dw + PVC_SBA_DYNAMIC_DW, general);
	put_base(dw + PVC_SBA_INSTRUCTION_DW, instruction);
	dw[PVC_SBA_GENERAL_SIZE_DW] = PVC_SBA_SIZE | PVC_SBA_MODIFY;
	dw[PVC_SBA_DYNAMIC_SIZE_DW] = PVC_SBA_SIZE | PVC_SBA_MODIFY;
	dw[PVC_SBA_INDIRECT_SIZE_DW] = PVC_SBA_SIZE | PVC_SBA_MODIFY;
	dw[PVC_SBA_INSTRUCTION_SIZE_DW] = PVC_SBA_SIZE | PVC_SBA_MODIFY;
	put_base(dw + PVC_SBA_BINDLESS_DW, general);
	return dw + PVC_STATE_BASE_ADDRESS_DWORDS;
}

static const uint32_t partition_type[3] = {
	PVC_COMPUTE_WALKER_PARTITION_X, PVC_COMPUTE_WALKER_PARTITION_Y,
	PVC_COMPUTE_WALKER_PARTITION_Z,
};

/* All groups, or with partitions the share of the tile */
static uint32_t *emit_walker(uint32_t *dw, const struct xt_kernel_desc *k,
			     const struct xt_dispatch *d, const struct xt_batch_place *place)
{
	uint32_t simd = k->simd == 16 ? PVC_COMPUTE_WALKER_SIMD16 : PVC_COMPUTE_WALKER_SIMD32;
	uint32_t rest = d->local[0] * d->local[1] * d->local[2] % k->simd;
	uint64_t start = k->image_offset + (d->hw_local_ids ? k->skip_offset : 0);
	uint32_t *idd = dw + PVC_COMPUTE_WALKER_IDD_DW;
	unsigned int i;

	memset(dw, 0, PVC_COMPUTE_WALKER_DWORDS * sizeof(*dw));
	dw[0] = PVC_COMPUTE_WALKER | (k->has_dpas ? PVC_COMPUTE_WALKER0_SYSTOLIC : 0);
	dw[2] = PVC_FIELD_PREP(PVC_COMPUTE_WALKER2_INDIRECT_LENGTH, d->indirect_size);
	dw[3] = place->indirect & PVC_COMPUTE_WALKER3_INDIRECT_START;
	dw[4] = PVC_FIELD_PREP(PVC_COMPUTE_WALKER4_SIMD, simd) |
		PVC_FIELD_PREP(PVC_COMPUTE_WALKER4_MESSAGE_SIMD, simd);
	if (d->hw_local_ids)
		dw[4] |= PVC_COMPUTE_WALKER4_GENERATE_LOCAL |
			PVC_FIELD_PREP(PVC_COMPUTE_WALKER4_EMIT_LOCAL, 7);
	dw[PVC_COMPUTE_WALKER_EXEC_MASK_DW] = rest ? (1u << rest) - 1 : ~0u;
	dw[6] = PVC_FIELD_PREP(PVC_COMPUTE_WALKER6_LOCAL_X, d->local[0] - 1) |
		PVC_FIELD_PREP(PVC_COMPUTE_WALKER6_LOCAL_Y, d->local[1] - 1) |
		PVC_FIELD_PREP(PVC_COMPUTE_WALKER6_LOCAL_Z, d->local[2] - 1);
	for (i = 0; i < 3; i++)
		dw[PVC_COMPUTE_WALKER_GROUPS_DW(i)] = d->groups[i];
	/* The driver sets each tile's partition number, by which the tile takes its share. */
	if (d->partitioned) {
		dw[0] |= PVC_COMPUTE_WALKER0_PARTITION;
		dw[2] |= PVC_FIELD_PREP(PVC_COMPUTE_WALKER2_PARTITION_TYPE,
					partition_type[d->plan.dim]);
		dw[PVC_COMPUTE_WALKER_PARTITION_SIZE_DW] = d->plan.share;
	}

	idd[0] = (uint32_t)start & PVC_IDD0_KERNEL_START;
	/* Without a system routine a thread that is interrupted never goes on. */
	idd[2] = PVC_IDD2_DENORM_BY_KERNEL | PVC_IDD2_THREAD_PREEMPTION_DISABLE;
	idd[5] = PVC_FIELD_PREP(PVC_IDD5_THREADS, d->threads) |
		PVC_FIELD_PREP(PVC_IDD5_SLM, slm_code(d->slm_total)) |
		PVC_FIELD_PREP(PVC_IDD5_BARRIERS, barrier_code(k->barriers));
	return dw + PVC_COMPUTE_WALKER_DWORDS;
}

/* The groups of a piece of a range, see split.c: no driver need set this number of a partition. */
static uint32_t *emit_piece(uint32_t *dw, uint32_t first, uint32_t end,
			    const struct xt_kernel_desc *k, const struct xt_dispatch *d,
			    const struct xt_batch_place *place)
{
	uint32_t *next = emit_walker(dw, k, d, place);

	dw[0] &= ~PVC_COMPUTE_WALKER0_PARTITION;
	dw[2] &= ~PVC_COMPUTE_WALKER2_PARTITION_TYPE;
	dw[PVC_COMPUTE_WALKER_GROUPS_DW(place->split->dim)] = end;
	if (first)
		dw[2] |= PVC_FIELD_PREP(PVC_COMPUTE_WALKER2_PARTITION_TYPE,
					partition_type[place->split->dim]);
	dw[PVC_COMPUTE_WALKER_PARTITION_ID_DW] = first ? 1 : 0;
	dw[PVC_COMPUTE_WALKER_PARTITION_SIZE_DW] = first;
	return next;
}

/* The ranges of a tile may run at the same time, as its groups do. */
static uint32_t *emit_ranges(uint32_t *dw, const struct xt_kernel_desc *k,
			     const struct xt_dispatch *d, const struct xt_batch_place *place)
{
	const struct xt_split_range *r = place->split->ranges;
	const struct xt_split_range *last = r + place->split->num;
	uint32_t at, end;

	for (; r < last; r++) {
		for (at = r->first; r->tile == place->tile && at < r[1].first; at = end) {
			end = xt_split_piece(at, r[1].first);
			dw = emit_piece(dw, at, end, k, d, place);
		}
	}
	return dw;
}

uint32_t xt_batch_more(unsigned int walkers)
{
	if (walkers <= XT_BATCH_WALKERS)
		return 0;
	return xt_align((walkers - XT_BATCH_WALKERS) * PVC_COMPUTE_WALKER_DWORDS * sizeof(uint32_t),
			XT_BATCH_BYTES);
}

/*
 * The work's bytes and the number by which the driver reports its end may go to different memory:
 * HBM of one tile or the other, and the system's. A fence behind the work makes all of its bytes
 * visible before what comes next. It wants an address, where the hardware notes it
 * (compute-runtime: isReleaseGlobalFenceInCommandStreamRequired(), on all parts but XL A0).
 */
static uint32_t *emit_fence(uint32_t *dw, uint64_t address)
{
	*dw++ = PVC_STATE_SYSTEM_MEM_FENCE_ADDRESS;
	*dw++ = PVC_LOWER_32(address);
	*dw++ = PVC_UPPER_32(address);
	*dw++ = PVC_MI_MEM_FENCE | PVC_MI_MEM_FENCE_RELEASE;
	return dw;
}
#define FENCE_DWORDS	(PVC_STATE_SYSTEM_MEM_FENCE_DWORDS + 1)

/* A batch ends on a qword. */
static unsigned int end_batch(uint32_t *start, uint32_t *dw)
{
	*dw++ = PVC_MI_BATCH_BUFFER_END;
	if ((dw - start) % 2)
		*dw++ = PVC_MI_NOOP;
	return dw - start;
}

unsigned int xt_batch_launch(uint32_t *start, const struct xt_kernel_desc *k,
			     const struct xt_dispatch *d, const struct xt_batch_place *place)
{
	const uint32_t flush = PVC_PIPE_CONTROL0_HDC_FLUSH | PVC_PIPE_CONTROL0_UNTYPED_FLUSH;
	const uint64_t end = offsetof(struct xt_stamps, end);
	uint32_t *dw = start;

	/*
	 * The caches may hold older arguments and code. State may change only after the work in
	 * front of this command has drained.
	 */
	dw = emit_stamp(dw, flush, PVC_PIPE_CONTROL1_STATE_INVALIDATE |
			PVC_PIPE_CONTROL1_CONST_INVALIDATE |
			PVC_PIPE_CONTROL1_INSTR_INVALIDATE, place->times);
	dw = emit_pipeline_select(dw, k->has_dpas);
	dw = emit_compute_mode(dw, k->grf_count == 256);
	dw = emit_cfe_state(dw, d->max_threads, k->scratch[0] || k->scratch[1] ?
			    XT_BATCH_STATES + d->more : 0);
	dw = emit_base_address(dw, place->base, place->image);
	if (place->split)
		dw = emit_ranges(dw, k, d, place);
	else
		dw = emit_walker(dw, k, d, place);
	dw = emit_stamp(dw, flush, 0, place->times ? place->times + end : 0);
	return emit_fence(dw, place->fence) - start;
}

unsigned int xt_batch_end(uint32_t *start, unsigned int num)
{
	return end_batch(start, start + num);
}

/* --- graphs ------------------------------------------------------------------------------- */

/* A word in a page for each tile that writes there: of calls, and of what they call */
#define MEETING_CALL		0
#define MEETING_INSIDE		1024
#define MEETING_STRIDE		64	/* each has a cache line of its own */

static uint64_t word_of(const struct xt_batch_meeting *m, unsigned int of, unsigned int from,
			uint32_t kind)
{
	return m->pages[of] + kind + from * MEETING_STRIDE;
}

static uint32_t *emit_store(uint32_t *dw, uint64_t address, uint32_t value)
{
	*dw++ = PVC_MI_STORE_DATA_IMM | PVC_MI_SDI_FORCE_COMPLETION;
	*dw++ = PVC_LOWER_32(address);
	*dw++ = PVC_UPPER_32(address);
	*dw++ = value;
	return dw;
}

static uint32_t *emit_wait(uint32_t *dw, uint64_t address, uint32_t compare, uint32_t value)
{
	*dw++ = PVC_MI_SEMAPHORE_WAIT | PVC_MI_SEMAPHORE_POLL |
		PVC_FIELD_PREP(PVC_MI_SEMAPHORE_COMPARE, compare);
	*dw++ = value;
	*dw++ = PVC_LOWER_32(address);
	*dw++ = PVC_UPPER_32(address);
	*dw++ = 0;
	return dw;
}

/* Tell each other tile that this one is here, and wait until each has told the same. */
static uint32_t *emit_meeting(uint32_t *dw, const struct xt_batch_meeting *m, uint32_t kind,
			      uint32_t compare, uint32_t number)
{
	unsigned int i;

	for (i = 0; i < m->num; i++) {
		if (i != m->self)
			dw = emit_store(dw, word_of(m, i, m->self, kind), number);
	}
	for (i = 0; i < m->num; i++) {
		if (i != m->self)
			dw = emit_wait(dw, word_of(m, m->self, i, kind), compare, number);
	}
	return dw;
}

static uint32_t *emit_start(uint32_t *dw, uint64_t address)
{
	*dw++ = PVC_MI_BATCH_BUFFER_START | PVC_MI_BATCH_BUFFER_START_PPGTT |
		PVC_MI_BATCH_BUFFER_START_2ND_LEVEL;
	*dw++ = PVC_LOWER_32(address);
	*dw++ = PVC_UPPER_32(address);
	return dw;
}

/* A fence is behind the work of this tile: whoever sees that the tile is here sees what it did. */
unsigned int xt_batch_next(uint32_t *start, uint64_t next, const struct xt_batch_meeting *meeting,
			   uint32_t number)
{
	uint32_t *dw = start;

	if (meeting)
		dw = emit_meeting(dw, meeting, MEETING_INSIDE, PVC_MI_COMPARE_GE, number);
	return emit_start(dw, next) - start;
}

/*
 * What the tiles told each other in the last call, or in one that was stopped in its midst, is
 * still there: each tile clears its page. Nobody may write there before, so they meet behind that,
 * by a number that no call before had.
 */
unsigned int xt_batch_call(uint32_t *start, const struct xt_batch_call *call)
{
	const uint32_t flush = PVC_PIPE_CONTROL0_HDC_FLUSH | PVC_PIPE_CONTROL0_UNTYPED_FLUSH;
	const struct xt_batch_meeting *m = call->meeting;
	uint32_t *dw = start;
	unsigned int i;

	if (call->times)
		dw = emit_stamp(dw, 0, 0, call->times);
	for (i = 0; m && i < m->num; i++) {
		if (i != m->self)
			dw = emit_store(dw, word_of(m, m->self, i, MEETING_INSIDE), 0);
	}
	if (m) {
		dw = emit_fence(dw, call->fence);
		dw = emit_meeting(dw, m, MEETING_CALL, PVC_MI_COMPARE_EQ, call->number);
	}
	dw = emit_start(dw, call->commands);
	if (call->times) {
		dw = emit_stamp(dw, flush, 0, call->times + offsetof(struct xt_stamps, end));
		dw = emit_fence(dw, call->fence);
	}
	return end_batch(start, dw);
}

/* --- copies and fills --------------------------------------------------------------------- */

/*
 * A command copies a matrix of up to 16 Ki rows of 16 KiB. The rest is less than a row, and a
 * command copies the rest as a line of bytes.
 */
#define COPY_ROW	(16u << 10)
#define COPY_ROWS	(16u << 10)

/* The bytes that the next command copies, and its rows; 0 rows mean a line. */
static uint64_t next_piece(uint64_t size, uint32_t *rows)
{
	uint64_t n = size / COPY_ROW;

	*rows = n > COPY_ROWS ? COPY_ROWS : n;
	return *rows ? (uint64_t)*rows * COPY_ROW : size;
}

uint64_t xt_batch_copy_bytes(uint64_t size)
{
	uint64_t max = (uint64_t)COPY_ROW * COPY_ROWS;
	uint64_t commands = size / max + 2;

	return (commands * PVC_MEM_COPY_DWORDS + PVC_MEM_SET_DWORDS + FENCE_DWORDS + 8) *
	       sizeof(uint32_t);
}

/*
 * The flush may overtake the last bytes of the copy, unless a blit that occupies all sub-blitters
 * is between them (prelim i915: gt/gen8_engine_cs.c, Wa_16018031267). The driver has one between
 * the batch and its own flush; this one is for whoever sees the batch's flush first. The blit needs
 * an address that an older driver does not map: on such a driver, which has no blit of its own
 * either, it would make a fault of each copy.
 */
static uint32_t *emit_dummy_blit(uint32_t *dw)
{
	*dw++ = PVC_MEM_SET | PVC_FIELD_PREP(PVC_MEM_TYPE, PVC_MEM_TYPE_MATRIX);
	*dw++ = PVC_DUMMY_BLIT_WIDTH - 1;
	*dw++ = PVC_DUMMY_BLIT_ROWS - 1;
	*dw++ = 0;
	*dw++ = PVC_LOWER_32(DRM_XETILE_VA_NOWHERE);
	*dw++ = PVC_UPPER_32(DRM_XETILE_VA_NOWHERE);
	*dw++ = PVC_FIELD_PREP(PVC_MEM_SET6_MOCS, PVC_BLT_MOCS(PVC_MOCS_UC));
	return dw;
}

static uint32_t *emit_copy_end(uint32_t *dw, const struct xt_batch_end *end)
{
	if (end->nowhere)
		dw = emit_dummy_blit(dw);
	*dw++ = PVC_MI_FLUSH_DW_QW;
	memset(dw, 0, 4 * sizeof(*dw));
	return emit_fence(dw + 4, end->fence);
}

/* One command; 0 rows mean a line. */
static uint32_t *emit_copy(uint32_t *dw, const struct xt_batch_rect *rect, uint32_t rows)
{
	memset(dw, 0, PVC_MEM_COPY_DWORDS * sizeof(*dw));
	dw[0] = PVC_MEM_COPY | PVC_FIELD_PREP(PVC_MEM_TYPE, rows ? PVC_MEM_TYPE_MATRIX :
					      PVC_MEM_TYPE_LINEAR);
	dw[1] = PVC_FIELD_PREP(PVC_MEM_DIM, rect->width - 1);
	if (rows) {
		dw[2] = PVC_FIELD_PREP(PVC_MEM_DIM, rows - 1);
		dw[3] = PVC_FIELD_PREP(PVC_MEM_DIM, rect->src_pitch - 1);
		dw[4] = PVC_FIELD_PREP(PVC_MEM_DIM, rect->dst_pitch - 1);
	}
	dw[5] = PVC_LOWER_32(rect->src);
	dw[6] = PVC_UPPER_32(rect->src);
	dw[7] = PVC_LOWER_32(rect->dst);
	dw[8] = PVC_UPPER_32(rect->dst);
	dw[9] = PVC_FIELD_PREP(PVC_MEM_COPY9_DST_MOCS, PVC_BLT_MOCS(PVC_MOCS_UC)) |
		PVC_FIELD_PREP(PVC_MEM_COPY9_SRC_MOCS, PVC_BLT_MOCS(PVC_MOCS_UC));
	return dw + PVC_MEM_COPY_DWORDS;
}

static uint32_t *emit_copies(uint32_t *dw, uint64_t dst, uint64_t src, uint64_t size)
{
	struct xt_batch_rect rect = { .dst_pitch = COPY_ROW, .src_pitch = COPY_ROW };
	uint64_t piece;
	uint32_t rows;

	for (; size; size -= piece, dst += piece, src += piece) {
		piece = next_piece(size, &rows);
		rect.dst = dst;
		rect.src = src;
		rect.width = rows ? COPY_ROW : piece;
		dw = emit_copy(dw, &rect, rows);
	}
	return dw;
}

unsigned int xt_batch_copy(uint32_t *start, uint64_t dst, uint64_t src, uint64_t size,
			   const struct xt_batch_end *end)
{
	uint32_t *dw = emit_copies(start, dst, src, size);

	return end_batch(start, emit_copy_end(dw, end));
}

/* A command cannot tell a longer pitch: each row is a copy of its own then. */
static bool is_long(const struct xt_batch_rect *rect)
{
	_Static_assert(XT_BATCH_MAX_PITCH == PVC_MEM_DIM_MAX, "a pitch has 18 bits");
	return rect->dst_pitch > XT_BATCH_MAX_PITCH || rect->src_pitch > XT_BATCH_MAX_PITCH;
}

uint64_t xt_batch_rect_bytes(const struct xt_batch_rect *rect)
{
	uint64_t columns = (rect->width + COPY_ROW - 1) / COPY_ROW;
	uint64_t commands = columns * ((rect->rows + COPY_ROWS - 1) / COPY_ROWS);

	if (is_long(rect))
		commands = rect->rows * (rect->width / COPY_ROW / COPY_ROWS + 2);
	return xt_batch_copy_bytes(0) + commands * PVC_MEM_COPY_DWORDS * sizeof(uint32_t);
}

unsigned int xt_batch_rect(uint32_t *start, const struct xt_batch_rect *rect,
			   const struct xt_batch_end *end)
{
	struct xt_batch_rect piece = *rect;
	uint64_t x, y, row;
	uint32_t *dw = start;

	if (is_long(rect)) {
		for (y = 0; y < rect->rows; y++)
			dw = emit_copies(dw, rect->dst + y * rect->dst_pitch,
					 rect->src + y * rect->src_pitch, rect->width);
		return end_batch(start, emit_copy_end(dw, end));
	}
	for (y = 0; y < rect->rows; y += row) {
		row = rect->rows - y < COPY_ROWS ? rect->rows - y : COPY_ROWS;
		for (x = 0; x < rect->width; x += COPY_ROW) {
			piece.width = rect->width - x < COPY_ROW ? rect->width - x : COPY_ROW;
			piece.dst = rect->dst + y * rect->dst_pitch + x;
			piece.src = rect->src + y * rect->src_pitch + x;
			dw = emit_copy(dw, &piece, row);
		}
	}
	return end_batch(start, emit_copy_end(dw, end));
}

unsigned int xt_batch_fill(uint32_t *start, uint64_t dst, uint64_t size, uint8_t value,
			   const struct xt_batch_end *end)
{
	uint32_t *dw = start, rows;
	uint64_t piece;

	for (; size; size -= piece, dst += piece) {
		piece = next_piece(size, &rows);
		memset(dw, 0, PVC_MEM_SET_DWORDS * sizeof(*dw));
		dw[0] = PVC_MEM_SET | PVC_FIELD_PREP(PVC_MEM_TYPE, rows ? PVC_MEM_TYPE_MATRIX :
						     PVC_MEM_TYPE_LINEAR);
		dw[1] = PVC_FIELD_PREP(PVC_MEM_DIM, (rows ? COPY_ROW : piece) - 1);
		if (rows) {
			dw[2] = PVC_FIELD_PREP(PVC_MEM_DIM, rows - 1);
			dw[3] = PVC_FIELD_PREP(PVC_MEM_DIM, COPY_ROW - 1);
		}
		dw[4] = PVC_LOWER_32(dst);
		dw[5] = PVC_UPPER_32(dst);
		dw[6] = PVC_FIELD_PREP(PVC_MEM_SET6_MOCS, PVC_BLT_MOCS(PVC_MOCS_UC)) |
			PVC_FIELD_PREP(PVC_MEM_SET6_VALUE, value);
		dw += PVC_MEM_SET_DWORDS;
	}
	return end_batch(start, emit_copy_end(dw, end));
}
