// SPDX-License-Identifier: MIT
/*
 * MI commands that move data and control the flow (layouts: the driver's
 * pvc_mi_commands.h), run by cs.c on the engine's thread. mi_math.c has arithmetic,
 * mi_sync.c atomics and waits.
 */
#include "cs/mi.h"

#include <string.h>

#include "card.h"
#include "core/clock.h"
#include "core/strict.h"
#include "cs/command.h"
#include "cs/command_list.h"
#include "cs/cs_mem.h"
#include "cs/cs_regs.h"
#include "cs/cs_state.h"
#include "cs/mi_math.h"
#include "cs/mi_sync.h"
#include "cs/post_sync.h"
#include "mem/tlb.h"
#include "pvc_gfx_commands.h"
#include "pvc_gtt.h"
#include "pvc_lrc_regs.h"
#include "pvc_mi_commands.h"

static uint64_t address(const uint32_t *dw)
{
	return (uint64_t)dw[1] << 32 | (dw[0] & ~3u);
}

static bool addresses_ggtt(struct cs *cs, bool ggtt, const char *name)
{
	if (!ggtt || cs_privileged(cs))
		return true;
	cs_log(cs, "%s on the GGTT in a user's batch, dropped", name);
	return false;
}

/* ---- one dword ---- */

static enum cs_result mi_noop(struct cs *cs, const uint32_t *dw, unsigned int len)
{
	(void)len;
	if (dw[0] & PVC_MI_NOOP_WRITE_ID)
		cs_set_reg(cs, PVC_RING_NOPID(0), dw[0] & PVC_MI_NOOP_ID);
	return CS_OK;
}

static enum cs_result mi_set_predicate(struct cs *cs, const uint32_t *dw, unsigned int len)
{
	bool result = cs_reg(cs, PVC_CS_PREDICATE_RESULT_2) & 1;
	bool partition = cs_reg(cs, PVC_CS_WPARID) & cs_reg(cs, PVC_CS_WPARID_MASK) & 0xffff;
	unsigned int enable = PVC_FIELD_GET(PVC_MI_SET_PREDICATE_ENABLE, dw[0]);
	unsigned int wparid = PVC_FIELD_GET(PVC_MI_SET_PREDICATE_WPARID, dw[0]);
	bool noop;

	(void)len;
	switch (enable) {
	case PVC_MI_SET_PREDICATE_OFF:
		noop = false;
		break;
	case PVC_MI_SET_PREDICATE_NOOP_CLEAR:
		noop = !result;
		break;
	case PVC_MI_SET_PREDICATE_NOOP_SET:
		noop = result;
		break;
	case PVC_MI_SET_PREDICATE_NOOP_ALWAYS:
		noop = true;
		break;
	default:
		return cs_error(cs, "unimplemented: MI_SET_PREDICATE enable %u", enable);
	}
	switch (wparid) {
	case PVC_MI_SET_PREDICATE_WPARID_NEVER:
		break;
	case PVC_MI_SET_PREDICATE_WPARID_ZERO:
		noop |= !partition;
		break;
	case PVC_MI_SET_PREDICATE_WPARID_NONZERO:
		noop |= partition;
		break;
	default:
		return cs_error(cs, "unimplemented: MI_SET_PREDICATE WPARID mode %u", wparid);
	}
	cs->ctx.s.noop = noop;
	return CS_OK;
}

static enum cs_result mi_user_interrupt(struct cs *cs, const uint32_t *dw, unsigned int len)
{
	(void)dw;
	(void)len;
	cs->batch.held_irq |= PVC_VEC_USER;
	return CS_OK;
}

static enum cs_result mi_arb_check(struct cs *cs, const uint32_t *dw, unsigned int len)
{
	(void)dw;	/* there is no pre-parser to switch */
	(void)len;
	cs->batch.arb_point = true;
	return CS_OK;
}

/*
 * A user's batch may turn arbitration off, too: no source says that silicon ignores the
 * command there, and a driver that relies on that must fail here, with a batch that cannot
 * be preempted.
 */
static enum cs_result mi_arb_on_off(struct cs *cs, const uint32_t *dw, unsigned int len)
{
	(void)len;
	cs->ctx.s.arb_off = !(dw[0] & PVC_MI_ARB_ENABLE);
	return CS_OK;
}

static enum cs_result mi_mem_fence(struct cs *cs, const uint32_t *dw, unsigned int len)
{
	(void)cs;
	(void)dw;
	(void)len;
	atomic_thread_fence(memory_order_seq_cst);
	return CS_OK;
}

static enum cs_result mi_nothing(struct cs *cs, const uint32_t *dw, unsigned int len)
{
	(void)cs;
	(void)dw;
	(void)len;
	return CS_OK;
}

static uint64_t reg_pair(struct cs *cs, uint32_t off)
{
	return cs_reg(cs, off) | (uint64_t)cs_reg(cs, off + 4) << 32;
}

/* Compare SRC0 with SRC1 and combine the outcome with the last result. */
static enum cs_result mi_predicate(struct cs *cs, const uint32_t *dw, unsigned int len)
{
	uint64_t src0 = reg_pair(cs, PVC_CS_PREDICATE_SRC0);
	uint64_t src1 = reg_pair(cs, PVC_CS_PREDICATE_SRC1);
	uint64_t data = reg_pair(cs, PVC_CS_PREDICATE_DATA);
	bool now = cs_reg(cs, PVC_CS_PREDICATE_RESULT) & 1, x = false;

	(void)len;
	switch (PVC_FIELD_GET(PVC_MI_PREDICATE_COMPARE, dw[0])) {
	case PVC_MI_PREDICATE_COMPARE_TRUE:
		x = true;
		break;
	case PVC_MI_PREDICATE_COMPARE_FALSE:
		x = false;
		break;
	case PVC_MI_PREDICATE_COMPARE_SRCS:
		x = src0 == src1;
		break;
	case PVC_MI_PREDICATE_COMPARE_DELTAS:
		x = src0 - src1 == data;
		break;
	}
	switch (PVC_FIELD_GET(PVC_MI_PREDICATE_COMBINE, dw[0])) {
	case PVC_MI_PREDICATE_COMBINE_SET:
		break;
	case PVC_MI_PREDICATE_COMBINE_AND:
		x = x && now;
		break;
	case PVC_MI_PREDICATE_COMBINE_OR:
		x = x || now;
		break;
	case PVC_MI_PREDICATE_COMBINE_XOR:
		x = x != now;
		break;
	}
	switch (PVC_FIELD_GET(PVC_MI_PREDICATE_LOAD, dw[0])) {
	case PVC_MI_PREDICATE_LOAD_KEEP:
		return CS_OK;
	case PVC_MI_PREDICATE_LOAD_LOAD:
		break;
	case PVC_MI_PREDICATE_LOAD_LOADINV:
		x = !x;
		break;
	default:
		return cs_error(cs, "unimplemented: MI_PREDICATE load operation 1");
	}
	cs_set_reg(cs, PVC_CS_PREDICATE_RESULT, x);
	return CS_OK;
}

/* ---- flow ---- */

static enum cs_result mi_batch_end(struct cs *cs, const uint32_t *dw, unsigned int len)
{
	(void)len;
	if (dw[0] & PVC_MI_BATCH_BUFFER_END_PREDICATE && cs->ctx.s.noop)
		return CS_OK;
	if (!cs->ctx.s.level)
		return cs_error(cs, "MI_BATCH_BUFFER_END in the ring");
	cs_batch_end(cs, false);
	return CS_OK;
}

static enum cs_result mi_batch_start(struct cs *cs, const uint32_t *dw, unsigned int len)
{
	uint64_t addr = address(dw + 1);

	(void)len;
	if (dw[0] & PVC_MI_BATCH_BUFFER_START_PREDICATE && cs->ctx.s.noop)
		return CS_OK;
	if (dw[0] & PVC_MI_BATCH_BUFFER_START_INDIRECT)
		addr = cs_gpr(cs, 0) & ~3ull;
	cs_batch_start(cs, addr, !(dw[0] & PVC_MI_BATCH_BUFFER_START_PPGTT),
		       dw[0] & PVC_MI_BATCH_BUFFER_START_2ND_LEVEL);
	return CS_OK;
}

/* ---- data ---- */

static enum cs_result mi_store_data_imm(struct cs *cs, const uint32_t *dw, unsigned int len)
{
	bool ggtt = dw[0] & PVC_MI_SDI_GGTT;
	uint64_t addr = address(dw + 1);

	if (!addresses_ggtt(cs, ggtt, "MI_STORE_DATA_IMM"))
		return CS_OK;
	if (dw[0] & PVC_MI_SDI_WPARID_OFFSET)
		addr += cs_partition_offset(cs);
	if (!(dw[0] & PVC_MI_SDI_QWORD)) {
		if (len != 4)
			return cs_error(cs, "MI_STORE_DATA_IMM: %u dwords to store", len - 3);
		return cs_store32(cs, ggtt, addr, dw[3]);
	}
	if (!(len & 1))
		return cs_error(cs, "MI_STORE_DATA_IMM: half a qword at the end");
	for (unsigned int i = 3; i < len; i += 2, addr += 8) {
		enum cs_result r;

		/* One store: no reader may see a page table entry half written. */
		if (addr & 7)
			r = cs_write(cs, ggtt, addr, dw + i, 8);
		else
			r = cs_store64(cs, ggtt, addr, dw[i] | (uint64_t)dw[i + 1] << 32);
		if (r != CS_OK)
			return r;
	}
	return CS_OK;
}

static enum cs_result mi_store_data_index(struct cs *cs, const uint32_t *dw, unsigned int len)
{
	uint64_t addr = cs->ctx.lrca + (uint64_t)(dw[1] & 0xffc);

	if (len == 4)
		return cs_store64(cs, true, addr, dw[2] | (uint64_t)dw[3] << 32);
	return cs_store32(cs, true, addr, dw[2]);
}

static enum cs_result mi_load_register_imm(struct cs *cs, const uint32_t *dw, unsigned int len)
{
	unsigned int keep = PVC_FIELD_GET(PVC_MI_LRI_BYTE_DISABLE, dw[0]);
	uint32_t mask = 0;

	if (!(len & 1))
		return cs_error(cs, "MI_LOAD_REGISTER_IMM: a register without a value");
	for (unsigned int i = 0; i < 4; i++)
		if (keep & (1u << i))
			mask |= 0xffu << (8 * i);
	for (unsigned int i = 1; i < len; i += 2) {
		uint32_t reg = cs_resolve(cs, dw[i] & PVC_MI_REG_MASK, dw[0] & PVC_MI_LRI_REMAP,
					  dw[0] & PVC_MI_LRI_ADD_CS);
		uint32_t val = dw[i + 1], old = 0;
		enum cs_result r = CS_OK;

		if (mask)
			r = cs_reg_load(cs, reg, &old);
		if (r == CS_OK)
			r = cs_reg_store(cs, reg, (val & ~mask) | (old & mask));
		/* A register that is denied is skipped; the others are still loaded. */
		if (r != CS_OK && r != CS_SKIP)
			return r;
	}
	return CS_OK;
}

static enum cs_result mi_load_register_reg(struct cs *cs, const uint32_t *dw, unsigned int len)
{
	uint32_t src = cs_resolve(cs, dw[1] & PVC_MI_REG_MASK, dw[0] & PVC_MI_LRR_REMAP_SRC,
				  dw[0] & PVC_MI_LRR_ADD_CS_SRC);
	uint32_t dst = cs_resolve(cs, dw[2] & PVC_MI_REG_MASK, dw[0] & PVC_MI_LRR_REMAP_DST,
				  dw[0] & PVC_MI_LRR_ADD_CS_DST);
	enum cs_result r;
	uint32_t val;

	(void)len;
	r = cs_reg_load(cs, src, &val);
	return r == CS_OK ? cs_reg_store(cs, dst, val) : r;
}

static enum cs_result mi_load_register_mem(struct cs *cs, const uint32_t *dw, unsigned int len)
{
	uint32_t reg = cs_resolve(cs, dw[1] & PVC_MI_REG_MASK, dw[0] & PVC_MI_LRM_REMAP,
				  dw[0] & PVC_MI_LRM_ADD_CS);
	bool ggtt = dw[0] & PVC_MI_LRM_GGTT;
	uint64_t addr = address(dw + 2);
	enum cs_result r;
	uint32_t val;

	(void)len;
	if (!addresses_ggtt(cs, ggtt, "MI_LOAD_REGISTER_MEM"))
		return CS_OK;
	if (dw[0] & PVC_MI_LRM_WPARID_OFFSET)
		addr += cs_partition_offset(cs);
	r = cs_load32(cs, ggtt, addr, &val);
	return r == CS_OK ? cs_reg_store(cs, reg, val) : r;
}

static enum cs_result mi_store_register_mem(struct cs *cs, const uint32_t *dw, unsigned int len)
{
	uint32_t reg = cs_resolve(cs, dw[1] & PVC_MI_REG_MASK, dw[0] & PVC_MI_SRM_REMAP,
				  dw[0] & PVC_MI_SRM_ADD_CS);
	bool ggtt = dw[0] & PVC_MI_SRM_GGTT;
	uint64_t addr = address(dw + 2);
	enum cs_result r;
	uint32_t val;

	(void)len;
	if (dw[0] & PVC_MI_SRM_PREDICATE && !(cs_reg(cs, PVC_CS_PREDICATE_RESULT) & 1))
		return CS_OK;
	if (!addresses_ggtt(cs, ggtt, "MI_STORE_REGISTER_MEM"))
		return CS_OK;
	if (dw[0] & PVC_MI_SRM_WPARID_OFFSET)
		addr += cs_partition_offset(cs);
	r = cs_reg_load(cs, reg, &val);
	return r == CS_OK ? cs_store32(cs, ggtt, addr, val) : r;
}

static enum cs_result mi_copy_mem_mem(struct cs *cs, const uint32_t *dw, unsigned int len)
{
	bool dst_ggtt = dw[0] & PVC_MI_COPY_MEM_MEM_DST_GGTT;
	bool src_ggtt = dw[0] & PVC_MI_COPY_MEM_MEM_SRC_GGTT;
	enum cs_result r;
	uint32_t val;

	(void)len;
	if (!addresses_ggtt(cs, dst_ggtt || src_ggtt, "MI_COPY_MEM_MEM"))
		return CS_OK;
	r = cs_load32(cs, src_ggtt, address(dw + 3), &val);
	if (r == CS_OK)
		r = cs_store32(cs, dst_ggtt, address(dw + 1), val);
	return r;
}

static enum cs_result mi_update_gtt(struct cs *cs, const uint32_t *dw, unsigned int len)
{
	uint32_t entry = dw[1] >> 12;

	if (len & 1)
		return cs_error(cs, "MI_UPDATE_GTT: half an entry at the end");
	for (unsigned int i = 2; i < len; i += 2, entry++) {
		if (entry >= GGTT_ENTRIES)
			return cs_error(cs, "MI_UPDATE_GTT: entry %#x beyond the table", entry);
		atomic_store(&cs->tile->ggtt[entry], dw[i] | (uint64_t)dw[i + 1] << 32);
	}
	return CS_OK;
}

/*
 * The model has no observation unit: a report has the identity and the time, and all its
 * counters are zero.
 */
static enum cs_result mi_report_perf_count(struct cs *cs, const uint32_t *dw, unsigned int len)
{
	bool ggtt = dw[1] & 1;
	uint64_t addr = address(dw + 1) & ~63ull;
	uint32_t report[64] = { dw[3], PVC_LOWER_32(card_timestamp()),
				cs->ctx.lrca };

	(void)len;
	if (!addresses_ggtt(cs, ggtt, "MI_REPORT_PERF_COUNT"))
		return CS_OK;
	return cs_write(cs, ggtt, addr, report, sizeof(report));
}

static enum cs_result mi_flush_dw(struct cs *cs, const uint32_t *dw, unsigned int len)
{
	bool ggtt = dw[1] & PVC_MI_FLUSH_DW_ADDR_GGTT;
	uint64_t addr = ((uint64_t)dw[2] << 32 | dw[1]) & ~7ull;
	uint64_t imm = len > 3 ? dw[3] : 0;
	unsigned int op = PVC_FIELD_GET(PVC_MI_FLUSH_DW_POST_SYNC, dw[0]);
	enum cs_result r;

	/* The kernel's drivers send it to copy and media engines; others have PIPE_CONTROL. */
	if (cs->e->class == PVC_CLASS_CCS && card_punishes(cs->card, STRICT_COMMANDS))
		return cs_error(cs, "MI_FLUSH_DW: not a command of a compute engine");
	if (len > 4)
		imm |= (uint64_t)dw[4] << 32;
	/* A TLB invalidation has no effect without a post-sync operation. */
	if ((dw[0] & PVC_MI_FLUSH_DW_TLB_INVALIDATE) && op) {
		counter_add(&cs->e->cnt.invalidations, 1);
		tlb_invalidate(cs->e, cs->ctx.pdp0 & PVC_PTE_ADDR_MASK);
	}
	if (dw[0] & PVC_MI_FLUSH_DW_STORE_INDEX) {
		ggtt = true;
		addr = cs->ctx.lrca + (addr & 0xff8);
	} else if (op && !addresses_ggtt(cs, ggtt, "MI_FLUSH_DW")) {
		op = PVC_POST_SYNC_NONE;
	}
	r = cs_post_sync(cs, op, ggtt, addr, imm, len > 4);
	if (r == CS_OK && dw[0] & PVC_MI_FLUSH_DW_NOTIFY)
		cs_irq(cs, PVC_VEC_NOTIFY);
	return r;
}

_Static_assert(COMMAND_MAX_DWORDS == CS_MAX_COMMAND, "there is room for the longest command");

#define ROW(code, text, length, least, most, which, function) \
	{ .mask = PVC_MI_OPCODE_MASK, .value = (code) & PVC_MI_OPCODE_MASK, .name = text, \
	  .len_mask = length, .min = least, .max = most, .flags = which, .run = function },

const struct cs_command mi_commands[] = {
	MI_COMMANDS(ROW)
	{ 0 },
};
