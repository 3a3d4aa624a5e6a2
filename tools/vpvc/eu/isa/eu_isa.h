/* SPDX-License-Identifier: MIT */
/*
 * The instruction set of the Xe-HPC execution unit as data: opcodes, types and
 * the decoded form of one instruction.
 */
#ifndef EU_ISA_H
#define EU_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EU_REG_BYTES	64
#define EU_MAX_LANES	32

enum eu_opcode {
#define EU_OPCODE(code, NAME, text, format, modifiers, kind, slow, fast) EU_OP_##NAME = code,
#include "eu/isa/eu_opcodes.def"
	EU_OPCODES = 0x80
};

enum eu_format {
	EU_FMT_NONE,		/* not an instruction */
	EU_FMT_PLAIN,		/* illegal, nop */
	EU_FMT_SYNC,
	EU_FMT_BRANCH_JIP,
	EU_FMT_BRANCH_JIP_UIP,
	EU_FMT_RET,
	EU_FMT_SEND,
	EU_FMT_MATH,
	EU_FMT_ONE,
	EU_FMT_TWO,
	EU_FMT_THREE,
	EU_FMT_DPAS,
};

/* Fields and modifiers that an opcode may have */
#define EU_HAS_PRED	0x01
#define EU_HAS_COND	0x02
#define EU_HAS_SAT	0x04
#define EU_HAS_MODS	0x08
#define EU_HAS_COMPACT	0x10
/* the instruction evaluates the condition itself: it does not test the result */
#define EU_OWN_COND	0x20
/* a negative source is its complement */
#define EU_NEG_IS_NOT	0x40

struct eu_opinfo {
	const char *name;
	enum eu_format format;
	unsigned int has;
};

extern const struct eu_opinfo eu_opinfo[EU_OPCODES];

/* The first 16 are the codes of one- and two-source instructions. */
enum eu_type {
	EU_UB, EU_UW, EU_UD, EU_UQ, EU_B, EU_W, EU_D, EU_Q,
	EU_BF8, EU_HF, EU_F, EU_DF, EU_TYPE12, EU_BF, EU_TF32, EU_TYPE15,
	EU_UV, EU_V, EU_VF,
	EU_TYPES
};

struct eu_typeinfo {
	const char *name;
	uint8_t size;		/* bytes, 0 for codes that do not exist */
	bool is_float;
	bool is_signed;
};

extern const struct eu_typeinfo eu_typeinfo[EU_TYPES];

enum eu_file { EU_NO_OPERAND, EU_GRF, EU_ARF, EU_IMM };

/* Upper four bits of the register number of an ARF operand */
enum eu_arf {
	EU_NULL, EU_A0, EU_ACC, EU_FLAG, EU_CE, EU_MSG, EU_ARF6, EU_SR, EU_CR,
	EU_N0, EU_IP, EU_TDR, EU_TM, EU_FC, EU_ARF14, EU_DBG,
};

enum eu_cond {
	EU_COND_NONE, EU_EQ, EU_NE, EU_GT, EU_GE, EU_LT, EU_LE,
	EU_COND7, EU_OV, EU_UN, EU_CONDS
};

enum eu_math {
	EU_INV = 1, EU_LOG, EU_EXP, EU_SQT, EU_RSQT, EU_SIN, EU_COS,
	EU_INVM = 14, EU_RSQTM = 15
};

enum eu_sync { EU_SYNC_NOP = 0, EU_ALLRD = 2, EU_ALLWR, EU_FENCE = 13, EU_BAR, EU_HOST };

enum eu_sfid { EU_SFID_UGML = 1, EU_SFID_GATEWAY = 3, EU_SFID_DC0 = 10, EU_SFID_DC1 = 12,
	       EU_SFID_TGM, EU_SFID_SLM, EU_SFID_UGM };

#define EU_VXH	0xff		/* vertical stride of one address per row */
#define EU_MME_NONE 8

/**
 * struct eu_operand - a decoded operand
 * @vs: vertical stride in elements, or EU_VXH
 * @w: width in elements
 * @hs: horizontal stride in elements; the only one of a destination
 * @sub: first byte inside the register
 * @a0: word of a0 that holds the address of an indirect operand
 * @a0_offset: bytes added to that address
 * @mme: extra mantissa register of madm, invm, rsqtm
 * @precision: dpas: 0 = 8 bit, 1 = 4 bit, 2 = 2 bit integers
 */
struct eu_operand {
	uint8_t file;
	uint8_t type;
	uint8_t reg;
	uint8_t sub;
	uint8_t vs, w, hs;
	bool neg, abs, indirect;
	uint8_t a0;
	int16_t a0_offset;
	uint8_t mme;
	uint8_t precision;
	uint64_t imm;
};

struct eu_insn {
	uint32_t ip;
	uint8_t opcode;
	uint8_t size;		/* 8 or 16 bytes */
	uint8_t exec_size;	/* lanes, 0 when the code is invalid */
	uint8_t channel;	/* first channel: 0, 8, 16, 24 */
	uint8_t flag;		/* f0..f3 */
	uint8_t flag_sub;
	uint8_t pred;		/* 0 none, 1 normal, 2 any, 3 all */
	bool pred_inv;
	bool nomask;
	bool saturate;
	bool branch_ctrl;
	bool eot;
	uint8_t cond;		/* enum eu_cond */
	uint8_t function;	/* math, sync, SFID, truth table of bfn */
	uint16_t swsb;
	uint8_t sources;
	struct eu_operand dst, src[3];
	/* branches */
	bool has_jip, has_uip, jip_reg;
	int32_t jip, uip;
	/* send */
	uint32_t desc, exdesc;
	bool desc_reg, exdesc_reg, exbso, cps;
	uint8_t exdesc_a0;	/* dword of a0 */
	uint8_t src1_len;	/* registers; 0xff: in the register descriptor */
	/* dpas */
	uint8_t depth, repeat;
};

static inline bool eu_is_null(const struct eu_operand *o)
{
	return o->file == EU_ARF && o->reg >> 4 == EU_NULL;
}

static inline bool eu_is_arf(const struct eu_operand *o, enum eu_arf arf)
{
	return o->file == EU_ARF && o->reg >> 4 == arf;
}

#endif
