// SPDX-License-Identifier: MIT
/*
 * MI_MATH (encoding: the driver's pvc_mi_commands.h): an ALU with two 64-bit sources, an
 * accumulator and two flags. cs.c runs it on the engine's thread.
 */
#include "cs/mi_math.h"

#include "cs/cs_mem.h"
#include "cs/cs_state.h"
#include "pvc_mi_commands.h"

struct alu {
	uint64_t srca, srcb, accu;
	bool zero, carry;
};

/* A stored flag is all ones or zero, by the description in public headers. */
static uint64_t flag_value(bool flag)
{
	return flag ? ~0ull : 0;
}

static bool alu_operand(struct cs *cs, const struct alu *a, unsigned int op, uint64_t *val)
{
	if (op < PVC_CS_GPRS)
		*val = cs_gpr(cs, op);
	else if (op == PVC_ALU_SRCA)
		*val = a->srca;
	else if (op == PVC_ALU_SRCB)
		*val = a->srcb;
	else if (op == PVC_ALU_ACCU)
		*val = a->accu;
	else if (op == PVC_ALU_ZF)
		*val = flag_value(a->zero);
	else if (op == PVC_ALU_CF)
		*val = flag_value(a->carry);
	else
		return false;
	return true;
}

static bool alu_load(struct alu *a, unsigned int op, uint64_t val)
{
	if (op == PVC_ALU_SRCA)
		a->srca = val;
	else if (op == PVC_ALU_SRCB)
		a->srcb = val;
	else
		return false;
	return true;
}

static void alu_compute(struct alu *a, unsigned int opcode)
{
	/* Silicon takes powers of two only; this model takes any amount of six bits. */
	unsigned int shift = a->srcb & 63;

	a->carry = false;
	switch (opcode) {
	case PVC_ALU_ADD:
		a->accu = a->srca + a->srcb;
		a->carry = a->accu < a->srca;
		break;
	case PVC_ALU_SUB:
		a->accu = a->srca - a->srcb;
		a->carry = a->srca < a->srcb;
		break;
	case PVC_ALU_AND:
		a->accu = a->srca & a->srcb;
		break;
	case PVC_ALU_OR:
		a->accu = a->srca | a->srcb;
		break;
	case PVC_ALU_XOR:
		a->accu = a->srca ^ a->srcb;
		break;
	case PVC_ALU_SHL:
		a->accu = a->srca << shift;
		break;
	case PVC_ALU_SHR:
		a->accu = a->srca >> shift;
		break;
	case PVC_ALU_SAR:
		a->accu = (uint64_t)((int64_t)a->srca >> shift);
		break;
	}
	a->zero = a->accu == 0;
}

static enum cs_result alu_step(struct cs *cs, struct alu *a, uint32_t dw)
{
	unsigned int opcode = PVC_FIELD_GET(PVC_ALU_OPCODE, dw);
	unsigned int op1 = PVC_FIELD_GET(PVC_ALU_OPERAND1, dw);
	unsigned int op2 = PVC_FIELD_GET(PVC_ALU_OPERAND2, dw);
	enum cs_result r;
	uint64_t val = 0;
	uint32_t word;

	switch (opcode) {
	case PVC_ALU_NOOP:
	case PVC_ALU_FENCE_RD:
	case PVC_ALU_FENCE_WR:
		return CS_OK;
	case PVC_ALU_LOAD:
	case PVC_ALU_LOADINV:
		if (!alu_operand(cs, a, op2, &val))
			break;
		if (!alu_load(a, op1, opcode == PVC_ALU_LOADINV ? ~val : val))
			break;
		return CS_OK;
	case PVC_ALU_LOAD0:
	case PVC_ALU_LOAD1:
		if (!alu_load(a, op1, opcode == PVC_ALU_LOAD1))
			break;
		return CS_OK;
	case PVC_ALU_LOADIND:
		/* The register holds an address, whose dword is loaded. */
		if (op1 >= PVC_CS_GPRS || !alu_operand(cs, a, op2, &val))
			break;
		r = cs_load32(cs, false, val, &word);
		if (r == CS_OK)
			cs_set_gpr(cs, op1, word);
		return r;
	case PVC_ALU_ADD:
	case PVC_ALU_SUB:
	case PVC_ALU_AND:
	case PVC_ALU_OR:
	case PVC_ALU_XOR:
	case PVC_ALU_SHL:
	case PVC_ALU_SHR:
	case PVC_ALU_SAR:
		alu_compute(a, opcode);
		return CS_OK;
	case PVC_ALU_STORE:
	case PVC_ALU_STOREINV:
		if (op1 >= PVC_CS_GPRS || !alu_operand(cs, a, op2, &val))
			break;
		cs_set_gpr(cs, op1, opcode == PVC_ALU_STOREINV ? ~val : val);
		return CS_OK;
	case PVC_ALU_STOREIND:
		if (op1 >= PVC_CS_GPRS || !alu_operand(cs, a, op2, &val))
			break;
		return cs_store32(cs, false, cs_gpr(cs, op1), PVC_LOWER_32(val));
	}
	return cs_error(cs, "unimplemented: MI_MATH instruction %#010x", dw);
}

enum cs_result mi_math(struct cs *cs, const uint32_t *dw, unsigned int len)
{
	struct alu a = { 0 };

	for (unsigned int i = 1; i < len; i++) {
		enum cs_result r = alu_step(cs, &a, dw[i]);

		if (r != CS_OK)
			return r;
	}
	return CS_OK;
}
