/* SPDX-License-Identifier: MIT */
/*
 * MI commands: bits 31:29 = 0, opcode in 28:23. An opcode below 0x10 is one
 * dword; every other command has (its length field) + 2 dwords. The values
 * here include the length field where the length is fixed.
 */
#ifndef _XT_MI_COMMANDS_H_
#define _XT_MI_COMMANDS_H_

#include "xt_bits.h"

#define XT_MI_OPCODE_MASK	XT_BITS(31, 23)
#define XT_MI_INSTR(opcode, len)	(((unsigned int)(opcode) << 23) | (len))
/* Length in dwords minus two. */
#define XT_MI_LEN		XT_BITS(7, 0)

/* Flags that several commands share. */
#define XT_MI_GGTT		XT_BIT(22)
/* LRI, SRM and LRM: the register number is relative to the engine. */
#define XT_MI_ADD_CS_OFFSET	XT_BIT(19)
/* LRI, SRM and LRM: 0x2000-based register number, moved to this engine. */
#define XT_MI_MMIO_REMAP	XT_BIT(17)

/* One dword */
#define XT_MI_NOOP		XT_MI_INSTR(0x00, 0)
#define   XT_MI_NOOP_WRITE_ID	XT_BIT(22)
#define   XT_MI_NOOP_ID		XT_BITS(21, 0)
#define XT_MI_SET_PREDICATE	XT_MI_INSTR(0x01, 0)
#define   XT_MI_SET_PREDICATE_ENABLE	XT_BITS(3, 0)
#define     XT_MI_SET_PREDICATE_OFF		0u
#define     XT_MI_SET_PREDICATE_NOOP_CLEAR	1u
#define     XT_MI_SET_PREDICATE_NOOP_SET	2u
#define     XT_MI_SET_PREDICATE_NOOP_ALWAYS	15u
#define   XT_MI_SET_PREDICATE_WPARID	XT_BITS(5, 4)
#define     XT_MI_SET_PREDICATE_WPARID_NEVER	0u
#define     XT_MI_SET_PREDICATE_WPARID_ZERO	1u
#define     XT_MI_SET_PREDICATE_WPARID_NONZERO	2u
#define XT_MI_USER_INTERRUPT	XT_MI_INSTR(0x02, 0)
#define XT_MI_ARB_CHECK		XT_MI_INSTR(0x05, 0)
#define   XT_MI_ARB_CHECK_PREPARSER_OFF	XT_BIT(0)
#define   XT_MI_ARB_CHECK_PREPARSER_MASK	XT_BIT(8)
#define XT_MI_ARB_ON_OFF	XT_MI_INSTR(0x08, 0)
#define   XT_MI_ARB_ENABLE	XT_BIT(0)
#define XT_MI_MEM_FENCE		XT_MI_INSTR(0x09, 0)
#define   XT_MI_MEM_FENCE_RELEASE	0u
#define   XT_MI_MEM_FENCE_ACQUIRE	XT_BIT(0)
#define XT_MI_BATCH_BUFFER_END	XT_MI_INSTR(0x0a, 0)
/* Only in a context image: the end of the register lists. */
#define   XT_MI_BATCH_BUFFER_END_CONTEXT	XT_BIT(0)
#define   XT_MI_BATCH_BUFFER_END_PREDICATE	XT_BIT(15)
#define XT_MI_PREDICATE		XT_MI_INSTR(0x0c, 0)
#define   XT_MI_PREDICATE_LOAD		XT_BITS(7, 6)
#define     XT_MI_PREDICATE_LOAD_KEEP		0u
#define     XT_MI_PREDICATE_LOAD_LOAD		2u
#define     XT_MI_PREDICATE_LOAD_LOADINV	3u
#define   XT_MI_PREDICATE_COMBINE	XT_BITS(4, 3)
#define     XT_MI_PREDICATE_COMBINE_SET		0u
#define     XT_MI_PREDICATE_COMBINE_AND		1u
#define     XT_MI_PREDICATE_COMBINE_OR		2u
#define     XT_MI_PREDICATE_COMBINE_XOR		3u
#define   XT_MI_PREDICATE_COMPARE	XT_BITS(1, 0)
#define     XT_MI_PREDICATE_COMPARE_TRUE	0u
#define     XT_MI_PREDICATE_COMPARE_FALSE	1u
#define     XT_MI_PREDICATE_COMPARE_SRCS	2u
#define     XT_MI_PREDICATE_COMPARE_DELTAS	3u
#define XT_MI_TOPOLOGY_FILTER	XT_MI_INSTR(0x0d, 0)

/* Longer ones */
#define XT_MI_MATH		XT_MI_INSTR(0x1a, 0)
#define XT_MI_SEMAPHORE_SIGNAL	XT_MI_INSTR(0x1b, 0)
#define XT_MI_SEMAPHORE_WAIT	XT_MI_INSTR(0x1c, 3)
/* The older form without the token dword. */
#define XT_MI_SEMAPHORE_WAIT_4DW	XT_MI_INSTR(0x1c, 2)
#define   XT_MI_SEMAPHORE_SWITCH_MODE	XT_BITS(9, 8)
#define   XT_MI_SEMAPHORE_COMPARE	XT_BITS(14, 12)
#define   XT_MI_SEMAPHORE_POLL		XT_BIT(15)
#define   XT_MI_SEMAPHORE_REGISTER_POLL	XT_BIT(16)
#define   XT_MI_SEMAPHORE_INDIRECT_DATA	XT_BIT(17)
#define   XT_MI_SEMAPHORE_WPARID_OFFSET	XT_BIT(18)
#define   XT_MI_SEMAPHORE_GGTT		XT_MI_GGTT
/* "memory op data", shared by SEMAPHORE_WAIT and CONDITIONAL_BATCH_BUFFER_END */
#define   XT_MI_COMPARE_GT		0u
#define   XT_MI_COMPARE_GE		1u
#define   XT_MI_COMPARE_LT		2u
#define   XT_MI_COMPARE_LE		3u
#define   XT_MI_COMPARE_EQ		4u
#define   XT_MI_COMPARE_NE		5u
#define XT_MI_FORCE_WAKEUP	XT_MI_INSTR(0x1d, 0)

#define XT_MI_STORE_DATA_IMM	XT_MI_INSTR(0x20, 2)
/* n consecutive qwords, n <= XT_MI_SDI_QWORDS_MAX */
#define XT_MI_STORE_DATA_IMM_QW(n)	(XT_MI_INSTR(0x20, 2 * (n) + 1) | XT_MI_SDI_QWORD)
#define   XT_MI_SDI_LEN			XT_BITS(9, 0)
#define   XT_MI_SDI_QWORDS_MAX		510
#define   XT_MI_SDI_FORCE_COMPLETION	XT_BIT(10)
#define   XT_MI_SDI_WPARID_OFFSET	XT_BIT(11)
#define   XT_MI_SDI_QWORD		XT_BIT(21)
#define   XT_MI_SDI_GGTT		XT_MI_GGTT
#define XT_MI_STORE_DATA_INDEX	XT_MI_INSTR(0x21, 1)

/* n pairs of register number and value, n <= XT_MI_LRI_PAIRS_MAX */
#define XT_MI_LOAD_REGISTER_IMM(n)	XT_MI_INSTR(0x22, 2 * (n) - 1)
#define   XT_MI_LRI_PAIRS_MAX		126
#define   XT_MI_LRI_BYTE_DISABLE	XT_BITS(11, 8)
#define   XT_MI_LRI_FORCE_POSTED	XT_BIT(12)
#define   XT_MI_LRI_REMAP		XT_MI_MMIO_REMAP
#define   XT_MI_LRI_ADD_CS		XT_MI_ADD_CS_OFFSET
#define   XT_MI_REG_MASK		XT_BITS(22, 2)
#define XT_MI_UPDATE_GTT	XT_MI_INSTR(0x23, 0)
#define XT_MI_STORE_REGISTER_MEM	XT_MI_INSTR(0x24, 2)
#define   XT_MI_SRM_WPARID_OFFSET	XT_BIT(16)
#define   XT_MI_SRM_REMAP		XT_MI_MMIO_REMAP
#define   XT_MI_SRM_ADD_CS		XT_MI_ADD_CS_OFFSET
#define   XT_MI_SRM_PREDICATE		XT_BIT(21)
#define   XT_MI_SRM_GGTT		XT_MI_GGTT
#define XT_MI_FLUSH_DW		XT_MI_INSTR(0x26, 2)
#define XT_MI_FLUSH_DW_QW	XT_MI_INSTR(0x26, 3)
#define   XT_MI_FLUSH_DW_LEN		XT_BITS(5, 0)
#define   XT_MI_FLUSH_DW_NOTIFY		XT_BIT(8)
#define   XT_MI_FLUSH_DW_FLUSH_LLC	XT_BIT(9)
#define   XT_MI_FLUSH_DW_POST_SYNC	XT_BITS(15, 14)	/* XT_POST_SYNC_* */
#define   XT_MI_FLUSH_DW_FLUSH_CCS	XT_BIT(16)
#define   XT_MI_FLUSH_DW_TLB_INVALIDATE	XT_BIT(18)
#define   XT_MI_FLUSH_DW_STORE_INDEX	XT_BIT(21)
#define   XT_MI_FLUSH_DW_ADDR_GGTT	XT_BIT(2)	/* in DW1 */
#define XT_MI_REPORT_PERF_COUNT	XT_MI_INSTR(0x28, 2)
#define   XT_MI_REPORT_PERF_LEN		XT_BITS(5, 0)
#define XT_MI_LOAD_REGISTER_MEM	XT_MI_INSTR(0x29, 2)
#define   XT_MI_LRM_WPARID_OFFSET	XT_BIT(16)
#define   XT_MI_LRM_REMAP		XT_MI_MMIO_REMAP
#define   XT_MI_LRM_ADD_CS		XT_MI_ADD_CS_OFFSET
#define   XT_MI_LRM_ASYNC		XT_BIT(21)
#define   XT_MI_LRM_GGTT		XT_MI_GGTT
#define XT_MI_LOAD_REGISTER_REG	XT_MI_INSTR(0x2a, 1)
#define   XT_MI_LRR_REMAP_SRC		XT_BIT(16)
#define   XT_MI_LRR_REMAP_DST		XT_BIT(17)
#define   XT_MI_LRR_ADD_CS_SRC		XT_BIT(18)
#define   XT_MI_LRR_ADD_CS_DST		XT_BIT(19)
#define XT_MI_COPY_MEM_MEM	XT_MI_INSTR(0x2e, 3)
#define   XT_MI_COPY_MEM_MEM_DST_GGTT	XT_BIT(21)
#define   XT_MI_COPY_MEM_MEM_SRC_GGTT	XT_BIT(22)
#define XT_MI_ATOMIC		XT_MI_INSTR(0x2f, 1)
/* With the operands in the command; see the operand order below. */
#define XT_MI_ATOMIC_INLINE	(XT_MI_INSTR(0x2f, 9) | XT_MI_ATOMIC_INLINE_DATA)
#define   XT_MI_ATOMIC_OPCODE		XT_BITS(15, 8)
#define     XT_MI_ATOMIC_OP_MOVE	0x04u
#define     XT_MI_ATOMIC_OP_INC		0x05u
#define     XT_MI_ATOMIC_OP_DEC		0x06u
#define     XT_MI_ATOMIC_OP_ADD		0x07u
#define     XT_MI_ATOMIC_OP_SUB		0x08u
#define     XT_MI_ATOMIC_OP_CMP_WR	0x0eu
/* Added to an opcode: it works on a qword. */
#define     XT_MI_ATOMIC_OP_QWORD	0x20u
#define   XT_MI_ATOMIC_RETURN_DATA	XT_BIT(16)	/* old value to GPR4 */
#define   XT_MI_ATOMIC_CS_STALL		XT_BIT(17)
#define   XT_MI_ATOMIC_INLINE_DATA	XT_BIT(18)
#define   XT_MI_ATOMIC_SIZE		XT_BITS(20, 19)
#define     XT_MI_ATOMIC_SIZE_DWORD	0u
#define     XT_MI_ATOMIC_SIZE_QWORD	1u
#define     XT_MI_ATOMIC_SIZE_OWORD	2u
#define   XT_MI_ATOMIC_POST_SYNC	XT_BIT(21)
#define   XT_MI_ATOMIC_GGTT		XT_MI_GGTT
#define   XT_MI_ATOMIC_WPARID_OFFSET	XT_BIT(0)	/* in DW1 */
/* Inline operands: dword i of operand 1 is DW3 + 2i, of operand 2 DW4 + 2i. */
#define   XT_MI_ATOMIC_OPERAND1_DW(i)	(3 + 2 * (i))
#define   XT_MI_ATOMIC_OPERAND2_DW(i)	(4 + 2 * (i))
#define XT_MI_BATCH_BUFFER_START	XT_MI_INSTR(0x31, 1)
#define   XT_MI_BATCH_BUFFER_START_PPGTT	XT_BIT(8)
#define   XT_MI_BATCH_BUFFER_START_PREDICATE	XT_BIT(15)
/* The target is taken from GPR0. */
#define   XT_MI_BATCH_BUFFER_START_INDIRECT	XT_BIT(18)
#define   XT_MI_BATCH_BUFFER_START_CMD_CACHE	XT_BIT(19)
#define   XT_MI_BATCH_BUFFER_START_2ND_LEVEL	XT_BIT(22)
#define XT_MI_CONDITIONAL_BATCH_BUFFER_END	XT_MI_INSTR(0x36, 2)
#define   XT_MI_COND_BBE_COMPARE	XT_BITS(14, 12)
#define   XT_MI_COND_BBE_PREDICATE	XT_BIT(15)
#define   XT_MI_COND_BBE_CURRENT_LEVEL	XT_BIT(18)
#define   XT_MI_COND_BBE_MASK_MODE	XT_BIT(19)
#define   XT_MI_COND_BBE_COMPARE_SEMAPHORE	XT_BIT(21)
#define   XT_MI_COND_BBE_GGTT		XT_MI_GGTT

/* MI_MATH: one ALU instruction per dword */
#define XT_MI_MATH_N(n)		(XT_MI_MATH | ((n) - 1))
#define XT_ALU(opcode, op1, op2)	(((unsigned int)(opcode) << 20) | ((op1) << 10) | (op2))
#define XT_ALU_OPCODE		XT_BITS(31, 20)
#define XT_ALU_OPERAND1		XT_BITS(19, 10)
#define XT_ALU_OPERAND2		XT_BITS(9, 0)
#define   XT_ALU_NOOP		0x000u
#define   XT_ALU_FENCE_RD	0x001u
#define   XT_ALU_FENCE_WR	0x002u
#define   XT_ALU_LOAD		0x080u
#define   XT_ALU_LOAD0		0x081u
#define   XT_ALU_LOADIND	0x082u
#define   XT_ALU_LOADINV	0x480u
#define   XT_ALU_LOAD1		0x481u
#define   XT_ALU_ADD		0x100u
#define   XT_ALU_SUB		0x101u
#define   XT_ALU_AND		0x102u
#define   XT_ALU_OR		0x103u
#define   XT_ALU_XOR		0x104u
#define   XT_ALU_SHL		0x105u
#define   XT_ALU_SHR		0x106u
#define   XT_ALU_SAR		0x107u
#define   XT_ALU_STORE		0x180u
#define   XT_ALU_STOREIND	0x181u
#define   XT_ALU_STOREINV	0x580u
#define   XT_ALU_R(n)		(n)
#define   XT_ALU_SRCA		0x20u
#define   XT_ALU_SRCB		0x21u
#define   XT_ALU_ACCU		0x31u
#define   XT_ALU_ZF		0x32u
#define   XT_ALU_CF		0x33u

#endif
