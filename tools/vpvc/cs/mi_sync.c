// SPDX-License-Identifier: MIT
/*
 * MI_ATOMIC, MI_SEMAPHORE_WAIT, MI_CONDITIONAL_BATCH_BUFFER_END (layouts: the driver's
 * pvc_mi_commands.h), run by cs.c on the engine's thread.
 */
#include "cs/mi_sync.h"

#include "card.h"
#include "core/strict.h"
#include "cs/cs_mem.h"
#include "cs/cs_regs.h"
#include "cs/cs_state.h"
#include "pvc_mi_commands.h"

#define SEMAPHORE_SLEEP_US	20
#define SEMAPHORE_SLEEP_MAX_US	500

/* ---- MI_ATOMIC ---- */

/* The header lacks some opcodes: these follow the numbering of the GPU family. */
enum atomic_op {
	AOP_AND = 0x01,
	AOP_OR = 0x02,
	AOP_XOR = 0x03,
	AOP_MOVE = PVC_MI_ATOMIC_OP_MOVE,
	AOP_INC = PVC_MI_ATOMIC_OP_INC,
	AOP_DEC = PVC_MI_ATOMIC_OP_DEC,
	AOP_ADD = PVC_MI_ATOMIC_OP_ADD,
	AOP_SUB = PVC_MI_ATOMIC_OP_SUB,
	AOP_RSUB = 0x09,
	AOP_IMAX = 0x0a,
	AOP_IMIN = 0x0b,
	AOP_UMAX = 0x0c,
	AOP_UMIN = 0x0d,
	AOP_CMP_WR = PVC_MI_ATOMIC_OP_CMP_WR,
};

struct atomic_args {
	unsigned int op;
	bool qword;
	uint64_t a, b;
};

static int64_t as_signed(uint64_t v, bool qword)
{
	return qword ? (int64_t)v : (int32_t)v;
}

static uint64_t apply(uint64_t old, const void *arg)
{
	const struct atomic_args *x = arg;
	bool less;

	switch (x->op) {
	case AOP_AND:
		return old & x->a;
	case AOP_OR:
		return old | x->a;
	case AOP_XOR:
		return old ^ x->a;
	case AOP_MOVE:
		return x->a;
	case AOP_INC:
		return old + 1;
	case AOP_DEC:
		return old - 1;
	case AOP_ADD:
		return old + x->a;
	case AOP_SUB:
		return old - x->a;
	case AOP_RSUB:
		return x->a - old;
	case AOP_IMAX:
	case AOP_IMIN:
		less = as_signed(old, x->qword) < as_signed(x->a, x->qword);
		return less == (x->op == AOP_IMAX) ? x->a : old;
	case AOP_UMAX:
		return old < x->a ? x->a : old;
	case AOP_UMIN:
		return old < x->a ? old : x->a;
	case AOP_CMP_WR:
		return old == x->a ? x->b : old;
	}
	return old;
}

static bool atomic_op_known(unsigned int op)
{
	return op >= AOP_AND && op <= AOP_CMP_WR;
}

enum cs_result mi_atomic(struct cs *cs, const uint32_t *dw, unsigned int len)
{
	unsigned int opcode = PVC_FIELD_GET(PVC_MI_ATOMIC_OPCODE, dw[0]);
	unsigned int size = PVC_FIELD_GET(PVC_MI_ATOMIC_SIZE, dw[0]);
	bool is_inline = dw[0] & PVC_MI_ATOMIC_INLINE_DATA;
	bool ggtt = dw[0] & PVC_MI_ATOMIC_GGTT;
	uint64_t addr = (uint64_t)dw[2] << 32 | (dw[1] & ~3u), old;
	struct atomic_args x = {
		.op = opcode & 0x1f,
		.qword = opcode & PVC_MI_ATOMIC_OP_QWORD,
	};
	enum cs_result r;

	if (opcode & ~0x3fu || !atomic_op_known(x.op) || size == PVC_MI_ATOMIC_SIZE_OWORD)
		return cs_error(cs, "unimplemented: MI_ATOMIC opcode %#x size %u", opcode, size);
	if (len != 3 && len != 11)
		return cs_error(cs, "MI_ATOMIC: %u dwords is none of its forms", len);
	if (is_inline && len != 11)
		return cs_error(cs, "MI_ATOMIC: inline operands in %u dwords", len);
	if (ggtt && !cs_privileged(cs)) {
		cs_log(cs, "MI_ATOMIC on the GGTT in a user's batch, dropped");
		return CS_OK;
	}
	if (is_inline) {
		x.a = dw[PVC_MI_ATOMIC_OPERAND1_DW(0)] |
		      (uint64_t)dw[PVC_MI_ATOMIC_OPERAND1_DW(1)] << 32;
		x.b = dw[PVC_MI_ATOMIC_OPERAND2_DW(0)] |
		      (uint64_t)dw[PVC_MI_ATOMIC_OPERAND2_DW(1)] << 32;
	} else {
		x.a = cs_gpr(cs, 0);
		x.b = cs_gpr(cs, 1);
	}
	if (!x.qword) {
		x.a = PVC_LOWER_32(x.a);
		x.b = PVC_LOWER_32(x.b);
	}
	if (dw[1] & PVC_MI_ATOMIC_WPARID_OFFSET)
		addr += cs_partition_offset(cs);
	r = cs_rmw(cs, ggtt, addr, x.qword, apply, &x, &old);
	if (r == CS_OK && dw[0] & PVC_MI_ATOMIC_RETURN_DATA)
		cs_set_gpr(cs, 4, old);
	return r;
}

/* ---- comparisons ---- */

/* Compare @mem with @imm; false: no such comparison. */
static bool compare(unsigned int op, uint32_t mem, uint32_t imm, bool *result)
{
	switch (op) {
	case PVC_MI_COMPARE_GT:
		*result = mem > imm;
		return true;
	case PVC_MI_COMPARE_GE:
		*result = mem >= imm;
		return true;
	case PVC_MI_COMPARE_LT:
		*result = mem < imm;
		return true;
	case PVC_MI_COMPARE_LE:
		*result = mem <= imm;
		return true;
	case PVC_MI_COMPARE_EQ:
		*result = mem == imm;
		return true;
	case PVC_MI_COMPARE_NE:
		*result = mem != imm;
		return true;
	}
	return false;
}

/*
 * A failed look sleeps and returns to arbitration, because two contexts of one engine
 * that wait for each other must be able to alternate.
 */
enum cs_result mi_semaphore_wait(struct cs *cs, const uint32_t *dw, unsigned int len)
{
	unsigned int op = PVC_FIELD_GET(PVC_MI_SEMAPHORE_COMPARE, dw[0]);
	bool ggtt = dw[0] & PVC_MI_SEMAPHORE_GGTT;
	uint64_t addr = (uint64_t)dw[3] << 32 | (dw[2] & ~3u);
	uint32_t mem, imm = dw[1];
	enum cs_result r;
	bool done;

	(void)len;	/* the form of five dwords adds a token, which is ignored */
	if (dw[0] & PVC_MI_SEMAPHORE_INDIRECT_DATA) {
		uint32_t reg = cs_resolve(cs, dw[1] & PVC_MI_REG_MASK, true, false);

		r = cs_reg_load(cs, reg, &imm);
		if (r != CS_OK)
			return r;
	}
	if (dw[0] & PVC_MI_SEMAPHORE_REGISTER_POLL) {
		uint32_t reg = cs_resolve(cs, dw[2] & PVC_MI_REG_MASK, true, false);

		r = cs_reg_load(cs, reg, &mem);
		if (r != CS_OK)
			return r;
	} else {
		if (ggtt && !cs_privileged(cs)) {
			cs_log(cs, "MI_SEMAPHORE_WAIT on the GGTT in a user's batch, dropped");
			return CS_OK;
		}
		if (dw[0] & PVC_MI_SEMAPHORE_WPARID_OFFSET)
			addr += cs_partition_offset(cs);
		r = cs_load32(cs, ggtt, addr, &mem);
		if (r != CS_OK)
			return r;
	}
	if (!compare(op, mem, imm, &done))
		return cs_error(cs, "unimplemented: MI_SEMAPHORE_WAIT comparison %u", op);
	if (done) {
		cs->batch.poll_us = 0;
		return CS_OK;
	}
	/* The interrupt lets a scheduler give the engine to another context. */
	if (!cs->batch.poll_us) {
		cs->batch.poll_us = SEMAPHORE_SLEEP_US;
		cs_irq(cs, PVC_VEC_SEMAPHORE_WAIT);
	}
	cs_sleep(cs, cs->batch.poll_us);
	if (cs->batch.poll_us < SEMAPHORE_SLEEP_MAX_US)
		cs->batch.poll_us *= 2;
	return CS_AGAIN;
}

/* The batch ends unless the condition is true. */
enum cs_result mi_cond_batch_end(struct cs *cs, const uint32_t *dw, unsigned int len)
{
	unsigned int op = PVC_FIELD_GET(PVC_MI_COND_BBE_COMPARE, dw[0]);
	bool ggtt = dw[0] & PVC_MI_COND_BBE_GGTT;
	bool mask = dw[0] & PVC_MI_COND_BBE_MASK_MODE;
	/*
	 * With a mask the address is that of a pair of dwords, aligned to 8 bytes; without
	 * one it may be any dword, as in the spinner of IGT's tests.
	 */
	uint64_t addr = (uint64_t)dw[3] << 32 | (dw[2] & (mask ? ~7u : ~3u));
	uint32_t word[2], mem;
	enum cs_result r;
	bool go_on;

	(void)len;
	if (!(dw[0] & PVC_MI_COND_BBE_COMPARE_SEMAPHORE) &&
	    card_punishes(cs->card, STRICT_COMMANDS))
		return cs_error(cs, "MI_CONDITIONAL_BATCH_BUFFER_END: bit 21 must be set");
	if (dw[0] & PVC_MI_COND_BBE_PREDICATE && cs->ctx.s.noop)
		return CS_OK;
	if (ggtt && !cs_privileged(cs)) {
		cs_log(cs, "MI_CONDITIONAL_BATCH_BUFFER_END: GGTT in a user's batch, dropped");
		return CS_OK;
	}
	r = cs_load32(cs, ggtt, addr, &word[0]);
	if (r != CS_OK)
		return r;
	mem = word[0];
	if (mask) {
		/* The mask is the dword behind the compared one. */
		r = cs_load32(cs, ggtt, addr + 4, &word[1]);
		if (r != CS_OK)
			return r;
		mem &= word[1];
	}
	if (!compare(op, mem, dw[1], &go_on))
		return cs_error(cs, "unimplemented: comparison %u", op);
	if (!go_on) {
		if (!cs->ctx.s.level)
			return cs_error(cs, "MI_CONDITIONAL_BATCH_BUFFER_END in the ring");
		cs_batch_end(cs, !(dw[0] & PVC_MI_COND_BBE_CURRENT_LEVEL));
	}
	return CS_OK;
}
