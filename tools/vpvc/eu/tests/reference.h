/* SPDX-License-Identifier: MIT */
/*
 * The reference of the arithmetic instructions, in plain C by the description of the instruction
 * set. The reference uses no code of the interpreter: it has its own description of an
 * instruction and its own state, and computes with exact numbers that are rounded at the end.
 */
#ifndef EU_TEST_REFERENCE_H
#define EU_TEST_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

/* The types with their codes. As immediates ub, b and bf8 are the vectors uv, v and vf. */
enum ref_type {
	REF_UB, REF_UW, REF_UD, REF_UQ, REF_B, REF_W, REF_D, REF_Q,
	REF_BF8, REF_HF, REF_F, REF_DF, REF_BF = 13, REF_TF32
};

static inline unsigned int ref_size(enum ref_type type)
{
	static const uint8_t sizes[] = { 1, 2, 4, 8, 1, 2, 4, 8, 1, 2, 4, 8, 0, 2, 4 };

	return sizes[type];
}

static inline bool ref_is_float(enum ref_type type)
{
	return type >= REF_BF8;
}

static inline bool ref_is_signed(enum ref_type type)
{
	return type >= REF_B;
}

enum ref_kind { REF_GRF, REF_ACC, REF_NULL, REF_IMM, REF_INDIRECT, REF_VXH };

struct ref_operand {
	enum ref_kind kind;
	enum ref_type type;
	unsigned int reg, sub;		/* sub in bytes */
	unsigned int vs, w, hs;		/* elements */
	unsigned int a0;
	int offset;			/* added to the address in a0 */
	bool neg, abs;
	uint64_t imm;
};

struct ref_insn {
	const char *name;
	unsigned int opcode, function;	/* function of math, truth table of bfn */
	unsigned int exec_size, channel;
	bool nomask, saturate;
	unsigned int pred;		/* 0 none, 1 normal, 2 any, 3 all */
	bool pred_inv;
	unsigned int flag, flag_sub, cond;
	unsigned int sources;
	struct ref_operand dst, src[3];
};

#define REF_LANES 32

struct ref_state {
	uint8_t grf[256 * 64];
	uint8_t acc[16 * 64];
	uint16_t a0[16];
	uint32_t f[4];
	uint32_t cr0, em;
	/* the exact products that acc0 stands for */
	int64_t wide[REF_LANES];
	bool wide_valid;
};

/* How far a result may differ from the reference */
enum ref_exactness { REF_BITS, REF_ANY_NAN, REF_ONE_ULP };

/* The writes: for each lane in @mask, @size bytes at offset @at[lane] of @where */
struct ref_result {
	uint32_t mask;
	uint8_t *where;
	unsigned int at[REF_LANES], size;
	enum ref_exactness exact[REF_LANES];
};

/* madm, math.invm and math.rsqtm: the steps of an exact division or root */
static inline bool ref_is_mme(const struct ref_insn *in)
{
	return in->opcode == 0x5d || (in->opcode == 0x38 && in->function >= 14);
}

/* The parts that an instruction may have */
#define REF_HAS_PRED	1u
#define REF_HAS_COND	2u
#define REF_HAS_SAT	4u
#define REF_HAS_MODS	8u

/* The forms of an instruction, or of a math function (its code is in the opcode from bit 8 on) */
struct ref_form {
	const char *name;
	unsigned int opcode, sources, has;
	const char *types;	/* "destinations <- sources; ..." */
};

/* All arithmetic of the instruction set; the last element has no name */
extern const struct ref_form ref_forms[];

/* Encodes @in as machine code. */
void ref_encode(const struct ref_insn *in, uint64_t w[2]);

/* Executes @in on the state @s, and tells the writes in @r. */
void ref_execute(const struct ref_insn *in, struct ref_state *s, struct ref_result *r);

#endif
