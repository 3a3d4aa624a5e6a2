// SPDX-License-Identifier: MIT
/*
 * COMPUTE_WALKER (layout: the driver's pvc_gfx_commands.h), run by cs.c on the engine's
 * thread; eu_run() uses more host threads, which call translate() here.
 *
 * A walker runs in boxes of groups that follow its walk order. Between two boxes the
 * engine checks for a reset or another context, and a preempted walker continues with the
 * next box. The first box holds as many threads as the engine's slices can, so that groups
 * that would be resident together on silicon run together. Later boxes are smaller if the
 * last one took the host too long for preemption, and larger if it took little time.
 */
#include "cs/compute_walker.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "bus/dma.h"
#include "card.h"
#include "core/clock.h"
#include "core/regs.h"
#include "core/strict.h"
#include "core/tile.h"
#include "core/xlat.h"
#include "cs/cs_mem.h"
#include "cs/cs_state.h"
#include "cs/post_sync.h"
#include "cs/walker.h"
#include "eu/eu.h"
#include "log.h"
#include "mem/memory.h"
#include "pvc_gfx_commands.h"
#include "pvc_gt_regs.h"

/* 16 sub-slices of 8 units with 8 threads each */
#define CSLICE_THREADS		1024
/* A box that took longer is followed by a smaller one, of BOX_MIN_GROUPS at least. */
#define BOX_LONG_NS		50000000ull
#define BOX_MIN_GROUPS		64u

/* Walkers that run now on all engines: they share the host's processors. */
static atomic_uint walkers_running;

/* ---- decode ---- */

static unsigned int barrier_count(unsigned int code)
{
	static const unsigned int count[8] = { 0, 1, 2, 4, 8, 16, 24, 32 };

	return count[code];
}

static uint64_t owned_dss(struct cs *cs, unsigned int cslices)
{
	uint64_t mask = 0;

	for (unsigned int i = 0; i < TILE_CSLICES; i++)
		if (cslices & (1u << i))
			mask |= 0xffffull << (PVC_DSS_PER_CSLICE * i);
	return mask & cs->tile->dss_mask;
}

static enum cs_result decode(struct cs *cs, const uint32_t *dw, struct eu_walker *w)
{
	const uint32_t *idd = dw + PVC_COMPUTE_WALKER_IDD_DW;
	const struct cs_compute *c = &cs->ctx.s.compute;
	unsigned int simd = PVC_FIELD_GET(PVC_COMPUTE_WALKER4_SIMD, dw[4]);
	int slm = walker_slm_bytes(PVC_FIELD_GET(PVC_IDD5_SLM, idd[5]));

	if (simd != PVC_COMPUTE_WALKER_SIMD16 && simd != PVC_COMPUTE_WALKER_SIMD32)
		return cs_error(cs, "COMPUTE_WALKER: SIMD code %u", simd);
	if (slm < 0)
		return cs_error(cs, "COMPUTE_WALKER: SLM size code %u",
				PVC_FIELD_GET(PVC_IDD5_SLM, idd[5]));
	memset(w, 0, sizeof(*w));
	w->simd = simd == PVC_COMPUTE_WALKER_SIMD16 ? 16 : 32;
	w->large_grf = c->compute_mode & PVC_SCM_LARGE_GRF;
	w->threads_per_group = PVC_FIELD_GET(PVC_IDD5_THREADS, idd[5]);
	w->last_thread_mask = dw[PVC_COMPUTE_WALKER_EXEC_MASK_DW];
	if (!w->last_thread_mask)
		w->last_thread_mask = 0xffffffff;
	w->local_size[0] = PVC_FIELD_GET(PVC_COMPUTE_WALKER6_LOCAL_X, dw[6]) + 1;
	w->local_size[1] = PVC_FIELD_GET(PVC_COMPUTE_WALKER6_LOCAL_Y, dw[6]) + 1;
	w->local_size[2] = PVC_FIELD_GET(PVC_COMPUTE_WALKER6_LOCAL_Z, dw[6]) + 1;
	w->generate_local_ids = dw[4] & PVC_COMPUTE_WALKER4_GENERATE_LOCAL;
	w->emit_local_ids = PVC_FIELD_GET(PVC_COMPUTE_WALKER4_EMIT_LOCAL, dw[4]);
	w->walk_order = PVC_FIELD_GET(PVC_COMPUTE_WALKER4_WALK_ORDER, dw[4]);
	w->has_inline = dw[4] & PVC_COMPUTE_WALKER4_EMIT_INLINE;
	memcpy(w->inline_data, dw + PVC_COMPUTE_WALKER_INLINE_DW, sizeof(w->inline_data));
	w->indirect_start = dw[3] & PVC_COMPUTE_WALKER3_INDIRECT_START;
	w->indirect_length = dw[2] & PVC_COMPUTE_WALKER2_INDIRECT_LENGTH;
	w->kernel = idd[0] & PVC_IDD0_KERNEL_START;
	w->gsba = c->gsba;
	w->iba = c->iba;
	w->ssba = c->ssba;
	w->bindless = c->bindless;
	w->binding_table = idd[4] & PVC_IDD4_BINDING_POINTER;
	w->scratch = c->scratch;
	w->slm_size = slm;
	w->barriers = barrier_count(PVC_FIELD_GET(PVC_IDD5_BARRIERS, idd[5]));
	w->alt_float = idd[2] & PVC_IDD2_FP_ALTERNATE;
	w->keep_denorms = idd[2] & PVC_IDD2_DENORM_BY_KERNEL;
	w->rounding = PVC_FIELD_GET(PVC_IDD5_ROUNDING, idd[5]);
	w->tile = cs->tile->id;
	w->engine = cs->e->instance;
	return CS_OK;
}

/* The partition this context runs, and its groups. */
static enum cs_result decode_groups(struct cs *cs, const uint32_t *dw, struct walker_box *box,
				    uint32_t *partition)
{
	unsigned int type = PVC_FIELD_GET(PVC_COMPUTE_WALKER2_PARTITION_TYPE, dw[2]);
	uint32_t size = dw[PVC_COMPUTE_WALKER_PARTITION_SIZE_DW];

	for (unsigned int i = 0; i < 3; i++) {
		box->start[i] = dw[PVC_COMPUTE_WALKER_START_DW(i)];
		box->end[i] = dw[0] & PVC_COMPUTE_WALKER0_INDIRECT ?
			      cs_reg(cs, PVC_CS_DISPATCH_DIM(i)) :
			      dw[PVC_COMPUTE_WALKER_GROUPS_DW(i)];
		if (box->end[i] < box->start[i])
			box->end[i] = box->start[i];
	}
	*partition = dw[0] & PVC_COMPUTE_WALKER0_PARTITION ? cs_reg(cs, PVC_CS_WPARID) :
		     dw[PVC_COMPUTE_WALKER_PARTITION_ID_DW];
	if (type != PVC_COMPUTE_WALKER_PARTITION_OFF && !size)
		return cs_error(cs, "COMPUTE_WALKER: partition type %u of size 0", type);
	/* Intel's runtime does not partition such a walker, because the hardware cannot. */
	if (type != PVC_COMPUTE_WALKER_PARTITION_OFF &&
	    (box->start[0] | box->start[1] | box->start[2]) &&
	    card_punishes(cs->card, STRICT_COMMANDS))
		return cs_error(cs, "COMPUTE_WALKER: partition type %u, but not from group 0",
				type);
	walker_partition(box, type, *partition, size);
	return CS_OK;
}

/* ---- run ---- */

/* Execution units translate addresses by this function, on any of their threads. */
static int translate(void *ctx, uint64_t va, bool write, struct eu_span *out)
{
	struct cs *cs = ctx;
	struct span s = { 0 };
	enum xlat x;

	card_mem_lock(cs->card);
	x = cs_translate(cs, false, va, write, &s);
	card_mem_unlock(cs->card);
	if (x != XLAT_OK) {
		out->cause = x | s.level << 8;
		return -EFAULT;
	}
	out->host = s.host;
	out->va = va;
	out->size = s.len;
	out->writable = s.writable;
	switch (s.place) {
	case PLACE_REMOTE:
		out->place = EU_REMOTE;
		break;
	case PLACE_SYSTEM:
		out->place = EU_SYSTEM;
		break;
	default:
		out->place = EU_LOCAL;
	}
	return 0;
}

static void count(struct engine *e, const struct eu_counters *c)
{
	static const enum place place[EU_PLACES] = {
		[EU_LOCAL] = PLACE_LOCAL, [EU_REMOTE] = PLACE_REMOTE, [EU_SYSTEM] = PLACE_SYSTEM,
	};

	counter_add(&e->cnt.work_groups, c->groups);
	counter_add(&e->cnt.threads, c->threads);
	counter_add(&e->cnt.instructions, c->instructions);
	counter_add(&e->cnt.read_arguments, c->arguments);
	for (unsigned int i = 0; i < EU_NUM_OPCODES; i++)
		if (c->opcodes[i])
			counter_add(&e->cnt.opcodes[i], c->opcodes[i]);
	for (unsigned int i = 0; i < EU_PLACES; i++) {
		count_access(e, place[i], false, c->read[i]);
		count_access(e, place[i], true, c->written[i]);
	}
}

/* Report the reason why the execution units stopped, as the hardware would. */
static enum cs_result stopped(struct cs *cs, const struct eu_walker *w, const struct eu_stop *stop)
{
	struct mem_fault f = { .va = stop->va, .write = stop->write,
			       .ggtt = cs_space(cs, false).ggtt,
			       .kind = stop->cause & 0xff, .level = stop->cause >> 8 };

	switch (stop->reason) {
	case EU_CANCELLED:
		return CS_STOP;
	case EU_FAULT:
		/* Accesses that no address space has end before a translation. */
		if (f.kind == XLAT_OK)
			f.kind = XLAT_NOT_PRESENT;
		vlog("%s: kernel %#llx+%#x: %s of %#llx: %s", cs->e->name,
		     (unsigned long long)w->iba, stop->ip, f.write ? "write" : "read",
		     (unsigned long long)f.va, stop->text);
		return cs_fault(cs, &f);
	case EU_DEADLOCK:
		vlog("guest error: %s: kernel %#llx+%#x: %s; the walker hangs", cs->e->name,
		     (unsigned long long)w->iba, stop->ip, stop->text);
		return cs_hang(cs);
	default:
		return cs_error(cs, "COMPUTE_WALKER: %s, kernel %#llx+%#x: %s",
				eu_reason_text(stop->reason), (unsigned long long)w->iba,
				stop->ip, stop->text);
	}
}

static unsigned int host_threads(void)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned int running = atomic_load(&walkers_running);

	if (cpus < 1)
		cpus = 1;
	if (cpus > 16)
		cpus = 16;
	return running < cpus ? cpus / running : 1;
}

/* Groups of the next box, if @groups took @ns. */
static uint64_t next_box(uint64_t groups, uint64_t ns, uint64_t resident)
{
	uint64_t least = resident < BOX_MIN_GROUPS ? resident : BOX_MIN_GROUPS;

	if (ns > BOX_LONG_NS)
		groups /= 2;
	else if (ns < BOX_LONG_NS / 4 && groups < UINT32_MAX)
		groups *= 2;
	return groups < least ? least : groups;
}

/* The walker starts with its first box: preemption before that is no start. */
static void begin(struct cs *cs, unsigned int cslices)
{
	cs->ctx.s.walker_ctx_start = cs_context_time(cs);
	cs->ctx.s.walker_start = card_timestamp();
	counter_add(&cs->e->cnt.walkers, 1);
	counter_set(&cs->e->cnt.last_walker, atomic_fetch_add(&cs->card->walkers, 1) + 1);
	counter_set(&cs->e->cnt.last_cslices, cslices);
}

/* Where a walker that has begun can be interrupted */
enum preemption {
	PREEMPT_NEVER,
	PREEMPT_GROUPS,		/* when the groups that run have ended */
	PREEMPT_THREADS,	/* anywhere, by a system routine that saves the threads */
};

/*
 * Either of two settings keeps preemption out of threads: thread group granularity in
 * CS_CHICKEN1 (i915 has used nothing else against mid-thread preemption on gen12) and the
 * descriptor's bit (IGT's batches reach only that one, because they write CS_CHICKEN1 of the
 * absent render engine). Intel's runtime sets both.
 */
static enum preemption preemption(struct cs *cs, const uint32_t *idd)
{
	uint32_t granularity = cs_reg(cs, PVC_CS_CHICKEN1(0)) & PVC_CS_CHICKEN1_PREEMPT_MASK;

	if (cs->ctx.s.arb_off || cs->batch.in_wa || granularity == PVC_CS_CHICKEN1_PREEMPT_COMMAND)
		return PREEMPT_NEVER;
	if (!card_punishes(cs->card, STRICT_PREEMPT) ||
	    granularity == PVC_CS_CHICKEN1_PREEMPT_GROUP ||
	    (idd[2] & PVC_IDD2_THREAD_PREEMPTION_DISABLE))
		return PREEMPT_GROUPS;
	return PREEMPT_THREADS;
}

/* The threads of a walker leave for the system routine in their midst. */
static enum cs_result enter_system_routine(struct cs *cs)
{
	if (cs->ctx.s.compute.sip_given)
		return cs_error(cs, "unimplemented: preemption of threads, system routine %#llx",
				(unsigned long long)cs->ctx.s.compute.sip);
	vlog("guest error: %s: COMPUTE_WALKER hangs: threads were preempted, no system routine",
	     cs->e->name);
	return cs_hang(cs);
}

/* Run the groups of @box that the context has not run yet. */
static enum cs_result run_boxes(struct cs *cs, struct eu_walker *w, const struct walker_box *box,
				unsigned int cslices, enum preemption how)
{
	uint64_t total = walker_groups(box), resident, per_box;
	unsigned int slices = __builtin_popcount(cslices);
	struct eu_memory memory = {
		.ctx = cs, .translate = translate, .generation = &cs->card->mem_generation,
	};

	resident = slices * CSLICE_THREADS / (w->threads_per_group ? w->threads_per_group : 1);
	if (!resident)
		resident = 1;
	per_box = resident;
	/* Runs work without a cache, but slower. */
	if (!cs->batch.eu_cache)
		cs->batch.eu_cache = eu_cache_create();
	if (card_punishes(cs->card, STRICT_STALE_CODE))
		w->code_generation = cs->batch.code_generation | 1u << 31;
	if (!total)
		begin(cs, cslices);
	while (cs->ctx.s.walker_groups < total) {
		struct eu_counters counters = { 0 };
		struct eu_stop stop = { 0 };
		struct walker_box part;
		uint64_t start;
		int err;

		if (cs_stopping(cs))
			return CS_STOP;
		/* Before its first group a walker has no thread that could be interrupted. */
		if (how != PREEMPT_NEVER &&
		    (how == PREEMPT_GROUPS || !cs->ctx.s.walker_groups) && cs_preempt_due(cs))
			return CS_AGAIN;
		if (!walker_next(box, w->walk_order, cs->ctx.s.walker_groups, per_box, &part))
			return cs_error(cs, "COMPUTE_WALKER: walk order %u", w->walk_order);
		if (!cs->ctx.s.walker_groups)
			begin(cs, cslices);
		memcpy(w->start, part.start, sizeof(w->start));
		memcpy(w->end, part.end, sizeof(w->end));
		start = cs_now_ns();
		err = eu_run(w, &memory, cs->batch.eu_cache, host_threads(), &cs->port.cancel,
			     &counters, &stop);
		cs->batch.waited_ns += cs_now_ns() - start;
		count(cs->e, &counters);
		if (err)
			return stopped(cs, w, &stop);
		/* Threads are interrupted at once, so the last ones do not get to their end. */
		if (how == PREEMPT_THREADS && cs_switch_waits(cs))
			return enter_system_routine(cs);
		cs->ctx.s.walker_groups += walker_groups(&part);
		per_box = next_box(per_box, cs_now_ns() - start, resident);
		cs_slow_part(cs, start);
	}
	return CS_OK;
}

/* Each partition writes to its own place, by a stride for the kind of result. */
static enum cs_result post_sync(struct cs *cs, const uint32_t *dw, uint32_t partition)
{
	const uint32_t *p = dw + PVC_COMPUTE_WALKER_POST_SYNC_DW;
	unsigned int op = PVC_FIELD_GET(PVC_WALKER_POST_SYNC0_OP, p[0]);
	uint64_t addr = (uint64_t)p[2] << 32 | p[1];
	uint64_t imm = (uint64_t)p[4] << 32 | p[3];
	uint32_t packet[4];

	if (!(dw[0] & PVC_COMPUTE_WALKER0_PARTITION))
		partition = 0;
	switch (op) {
	case PVC_POST_SYNC_NONE:
		return CS_OK;
	case PVC_POST_SYNC_IMM:
		addr += (uint64_t)partition * PVC_WALKER_POST_SYNC_IMM_STRIDE;
		return cs_post_sync(cs, op, false, addr, imm, true);
	case PVC_POST_SYNC_TIMESTAMP:
		addr += (uint64_t)partition * PVC_WALKER_POST_SYNC_TIMESTAMP_STRIDE;
		packet[0] = cs->ctx.s.walker_ctx_start;
		packet[1] = cs->ctx.s.walker_start;
		packet[2] = cs_context_time(cs);
		packet[3] = card_timestamp();
		return cs_write(cs, false, addr, packet, sizeof(packet));
	}
	return cs_error(cs, "unimplemented: COMPUTE_WALKER post-sync operation %u", op);
}

/* What every user of this part sends before the first walker of a context */
static enum cs_result check_state(struct cs *cs)
{
	const struct cs_compute *c = &cs->ctx.s.compute;

	if (!card_punishes(cs->card, STRICT_COMMANDS))
		return CS_OK;
	if (PVC_FIELD_GET(PVC_PIPELINE_SELECT_PIPELINE, c->pipeline) != PVC_PIPELINE_SELECT_GPGPU)
		return cs_error(cs, "COMPUTE_WALKER: no PIPELINE_SELECT chose GPGPU");
	if (!c->max_threads)
		return cs_error(cs, "COMPUTE_WALKER: no CFE_STATE gave a number of threads");
	return CS_OK;
}

/* A walker without a slice never ends, as on silicon. */
static enum cs_result no_slices(struct cs *cs)
{
	vlog("guest error: %s: COMPUTE_WALKER hangs: no cslice by RCU_MODE %#x, CCS_MODE %#x%s",
	     cs->e->name, reg_read(cs->tile, PVC_RCU_MODE), reg_read(cs->tile, PVC_CCS_MODE),
	     atomic_load(&cs->tile->slices_torn) ? ", which changed under a context" : "");
	return cs_hang(cs);
}

enum cs_result compute_walker(struct cs *cs, const uint32_t *dw, unsigned int len)
{
	unsigned int cslices = tile_ccs_cslices(cs->tile, cs->e->instance);
	struct walker_box box;
	struct eu_walker w;
	uint32_t partition;
	enum cs_result r;

	(void)len;
	if (dw[0] & PVC_COMPUTE_WALKER0_PREDICATE && !(cs_reg(cs, PVC_CS_PREDICATE_RESULT) & 1))
		return CS_OK;
	r = check_state(cs);
	if (r != CS_OK)
		return r;
	r = decode(cs, dw, &w);
	if (r != CS_OK)
		return r;
	r = decode_groups(cs, dw, &box, &partition);
	if (r != CS_OK)
		return r;
	if (!cslices || atomic_load(&cs->tile->slices_torn))
		return no_slices(cs);
	w.dss_mask = owned_dss(cs, cslices);
	cs->batch.jumps = 0;
	cs->ctx.s.compute.walking = true;

	atomic_fetch_add(&walkers_running, 1);
	atomic_fetch_or(&cs->tile->busy_cslices, cslices);
	r = run_boxes(cs, &w, &box, cslices, preemption(cs, dw + PVC_COMPUTE_WALKER_IDD_DW));
	atomic_fetch_and(&cs->tile->busy_cslices, ~cslices);
	atomic_fetch_sub(&walkers_running, 1);
	if (r == CS_AGAIN)
		return r;
	cs->ctx.s.walker_groups = 0;
	if (r != CS_OK)
		return r;
	return post_sync(cs, dw, partition);
}
