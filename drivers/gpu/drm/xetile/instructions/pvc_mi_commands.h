/* SPDX-License-Identifier: MIT */
/*
 * MI commands: bits 31:29 = 0, opcode in 28:23. An opcode below 0x10 is one
 * dword; every other command has (its length field) + 2 dwords. The values
 * here include the length field where the length is fixed.
 */
#ifndef _PVC_MI_COMMANDS_H_
#define _PVC_MI_COMMANDS_H_

#include "pvc_bits.h"

#define PVC_MI_OPCODE_MASK	PVC_BITS(31, 23)
#define PVC_MI_INSTR(opcode, len)	(((unsigned int)(opcode) << 23) | (len))
/* Length in dwords minus two. */
#define PVC_MI_LEN		PVC_BITS(7, 0)

/* Flags that several commands share. */
#define PVC_MI_GGTT		PVC_BIT(22)
/* LRI, SRM and LRM: the register number is relative to the engine. */
#define PVC_MI_ADD_CS_OFFSET	PVC_BIT(19)
/* LRI, SRM and LRM: 0x2000-based register number, moved to this engine. */
#define PVC_MI_MMIO_REMAP	PVC_BIT(17)

/* One dword */
#define PVC_MI_NOOP		PVC_MI_INSTR(0x00, 0)
#define   PVC_MI_NOOP_WRITE_ID	PVC_BIT(22)
#define   PVC_MI_NOOP_ID	PVC_BITS(21, 0)
#define PVC_MI_SET_PREDICATE	PVC_MI_INSTR(0x01, 0)
#define   PVC_MI_SET_PREDICATE_ENABLE	PVC_BITS(3, 0)
#define     PVC_MI_SET_PREDICATE_OFF		0u
#define     PVC_MI_SET_PREDICATE_NOOP_CLEAR	1u
#define     PVC_MI_SET_PREDICATE_NOOP_SET	2u
#define     PVC_MI_SET_PREDICATE_NOOP_ALWAYS	15u
#define   PVC_MI_SET_PREDICATE_WPARID	PVC_BITS(5, 4)
#define     PVC_MI_SET_PREDICATE_WPARID_NEVER	0u
#define     PVC_MI_SET_PREDICATE_WPARID_ZERO	1u
#define     PVC_MI_SET_PREDICATE_WPARID_NONZERO	2u
#define PVC_MI_USER_INTERRUPT	PVC_MI_INSTR(0x02, 0)
#define PVC_MI_ARB_CHECK	PVC_MI_INSTR(0x05, 0)
#define   PVC_MI_ARB_CHECK_PREPARSER_OFF	PVC_BIT(0)
#define   PVC_MI_ARB_CHECK_PREPARSER_MASK	PVC_BIT(8)
#define PVC_MI_ARB_ON_OFF	PVC_MI_INSTR(0x08, 0)
#define   PVC_MI_ARB_ENABLE	PVC_BIT(0)
#define PVC_MI_MEM_FENCE	PVC_MI_INSTR(0x09, 0)
#define   PVC_MI_MEM_FENCE_RELEASE	0u
#define   PVC_MI_MEM_FENCE_ACQUIRE	PVC_BIT(0)
#define PVC_MI_BATCH_BUFFER_END	PVC_MI_INSTR(0x0a, 0)
/* Only in a context image: the end of the register lists. */
#define   PVC_MI_BATCH_BUFFER_END_CONTEXT	PVC_BIT(0)
#define   PVC_MI_BATCH_BUFFER_END_PREDICATE	PVC_BIT(15)
#define PVC_MI_PREDICATE	PVC_MI_INSTR(0x0c, 0)
#define   PVC_MI_PREDICATE_LOAD		PVC_BITS(7, 6)
#define     PVC_MI_PREDICATE_LOAD_KEEP		0u
#define     PVC_MI_PREDICATE_LOAD_LOAD		2u
#define     PVC_MI_PREDICATE_LOAD_LOADINV	3u
#define   PVC_MI_PREDICATE_COMBINE	PVC_BITS(4, 3)
#define     PVC_MI_PREDICATE_COMBINE_SET	0u
#define     PVC_MI_PREDICATE_COMBINE_AND	1u
#define     PVC_MI_PREDICATE_COMBINE_OR		2u
#define     PVC_MI_PREDICATE_COMBINE_XOR	3u
#define   PVC_MI_PREDICATE_COMPARE	PVC_BITS(1, 0)
#define     PVC_MI_PREDICATE_COMPARE_TRUE	0u
#define     PVC_MI_PREDICATE_COMPARE_FALSE	1u
#define     PVC_MI_PREDICATE_COMPARE_SRCS	2u
#define     PVC_MI_PREDICATE_COMPARE_DELTAS	3u
#define PVC_MI_TOPOLOGY_FILTER	PVC_MI_INSTR(0x0d, 0)

/* Longer ones */
#define PVC_MI_MATH		PVC_MI_INSTR(0x1a, 0)
#define PVC_MI_SEMAPHORE_SIGNAL	PVC_MI_INSTR(0x1b, 0)
#define PVC_MI_SEMAPHORE_WAIT	PVC_MI_INSTR(0x1c, 3)
/* The older form without the token dword. */
#define PVC_MI_SEMAPHORE_WAIT_4DW	PVC_MI_INSTR(0x1c, 2)
#define   PVC_MI_SEMAPHORE_SWITCH_MODE	PVC_BITS(9, 8)
#define   PVC_MI_SEMAPHORE_COMPARE	PVC_BITS(14, 12)
#define   PVC_MI_SEMAPHORE_POLL		PVC_BIT(15)
#define   PVC_MI_SEMAPHORE_REGISTER_POLL	PVC_BIT(16)
#define   PVC_MI_SEMAPHORE_INDIRECT_DATA	PVC_BIT(17)
#define   PVC_MI_SEMAPHORE_WPARID_OFFSET	PVC_BIT(18)
#define   PVC_MI_SEMAPHORE_GGTT		PVC_MI_GGTT
/* "memory op data", shared by SEMAPHORE_WAIT and CONDITIONAL_BATCH_BUFFER_END */
#define   PVC_MI_COMPARE_GT		0u
#define   PVC_MI_COMPARE_GE		1u
#define   PVC_MI_COMPARE_LT		2u
#define   PVC_MI_COMPARE_LE		3u
#define   PVC_MI_COMPARE_EQ		4u
#define   PVC_MI_COMPARE_NE		5u
#define PVC_MI_FORCE_WAKEUP	PVC_MI_INSTR(0x1d, 0)

#define PVC_MI_STORE_DATA_IMM	PVC_MI_INSTR(0x20, 2)
/* n consecutive qwords, n <= PVC_MI_SDI_QWORDS_MAX */
#define PVC_MI_STORE_DATA_IMM_QW(n)	(PVC_MI_INSTR(0x20, 2 * (n) + 1) | PVC_MI_SDI_QWORD)
#define   PVC_MI_SDI_LEN		PVC_BITS(9, 0)
#define   PVC_MI_SDI_QWORDS_MAX		510
#define   PVC_MI_SDI_FORCE_COMPLETION	PVC_BIT(10)
#define   PVC_MI_SDI_WPARID_OFFSET	PVC_BIT(11)
#define   PVC_MI_SDI_QWORD		PVC_BIT(21)
#define   PVC_MI_SDI_GGTT		PVC_MI_GGTT
#define PVC_MI_STORE_DATA_INDEX	PVC_MI_INSTR(0x21, 1)

/* n pairs of register number and value, n <= PVC_MI_LRI_PAIRS_MAX */
#define PVC_MI_LOAD_REGISTER_IMM(n)	PVC_MI_INSTR(0x22, 2 * (n) - 1)
#define   PVC_MI_LRI_PAIRS_MAX		126
#define   PVC_MI_LRI_BYTE_DISABLE	PVC_BITS(11, 8)
#define   PVC_MI_LRI_FORCE_POSTED	PVC_BIT(12)
#define   PVC_MI_LRI_REMAP		PVC_MI_MMIO_REMAP
#define   PVC_MI_LRI_ADD_CS		PVC_MI_ADD_CS_OFFSET
#define   PVC_MI_REG_MASK		PVC_BITS(22, 2)
#define PVC_MI_UPDATE_GTT	PVC_MI_INSTR(0x23, 0)
#define PVC_MI_STORE_REGISTER_MEM	PVC_MI_INSTR(0x24, 2)
#define   PVC_MI_SRM_WPARID_OFFSET	PVC_BIT(16)
#define   PVC_MI_SRM_REMAP		PVC_MI_MMIO_REMAP
#define   PVC_MI_SRM_ADD_CS		PVC_MI_ADD_CS_OFFSET
#define   PVC_MI_SRM_PREDICATE		PVC_BIT(21)
#define   PVC_MI_SRM_GGTT		PVC_MI_GGTT
#define PVC_MI_FLUSH_DW		PVC_MI_INSTR(0x26, 2)
#define PVC_MI_FLUSH_DW_QW	PVC_MI_INSTR(0x26, 3)
#define   PVC_MI_FLUSH_DW_LEN		PVC_BITS(5, 0)
#define   PVC_MI_FLUSH_DW_NOTIFY	PVC_BIT(8)
#define   PVC_MI_FLUSH_DW_FLUSH_LLC	PVC_BIT(9)
#define   PVC_MI_FLUSH_DW_POST_SYNC	PVC_BITS(15, 14)	/* PVC_POST_SYNC_* */
#define   PVC_MI_FLUSH_DW_FLUSH_CCS	PVC_BIT(16)
#define   PVC_MI_FLUSH_DW_TLB_INVALIDATE	PVC_BIT(18)
#define   PVC_MI_FLUSH_DW_STORE_INDEX	PVC_BIT(21)
#define   PVC_MI_FLUSH_DW_ADDR_GGTT	PVC_BIT(2)	/* in DW1 */
#define PVC_MI_REPORT_PERF_COUNT	PVC_MI_INSTR(0x28, 2)
#define   PVC_MI_REPORT_PERF_LEN	PVC_BITS(5, 0)
#define PVC_MI_LOAD_REGISTER_MEM	PVC_MI_INSTR(0x29, 2)
#define   PVC_MI_LRM_WPARID_OFFSET	PVC_BIT(16)
#define   PVC_MI_LRM_REMAP		PVC_MI_MMIO_REMAP
#define   PVC_MI_LRM_ADD_CS		PVC_MI_ADD_CS_OFFSET
#define   PVC_MI_LRM_ASYNC		PVC_BIT(21)
#define   PVC_MI_LRM_GGTT		PVC_MI_GGTT
#define PVC_MI_LOAD_REGISTER_REG	PVC_MI_INSTR(0x2a, 1)
#define   PVC_MI_LRR_REMAP_SRC		PVC_BIT(16)
#define   PVC_MI_LRR_REMAP_DST		PVC_BIT(17)
#define   PVC_MI_LRR_ADD_CS_SRC		PVC_BIT(18)
#define   PVC_MI_LRR_ADD_CS_DST		PVC_BIT(19)
#define PVC_MI_COPY_MEM_MEM	PVC_MI_INSTR(0x2e, 3)
#define   PVC_MI_COPY_MEM_MEM_DST_GGTT	PVC_BIT(21)
#define   PVC_MI_COPY_MEM_MEM_SRC_GGTT	PVC_BIT(22)
#define PVC_MI_ATOMIC		PVC_MI_INSTR(0x2f, 1)
/* With the operands in the command; see the operand order below. */
#define PVC_MI_ATOMIC_INLINE	(PVC_MI_INSTR(0x2f, 9) | PVC_MI_ATOMIC_INLINE_DATA)
#define   PVC_MI_ATOMIC_OPCODE		PVC_BITS(15, 8)
#define     PVC_MI_ATOMIC_OP_MOVE	0x04u
#define     PVC_MI_ATOMIC_OP_INC	0x05u
#define     PVC_MI_ATOMIC_OP_DEC	0x06u
#define     PVC_MI_ATOMIC_OP_ADD	0x07u
#define     PVC_MI_ATOMIC_OP_SUB	0x08u
#define     PVC_MI_ATOMIC_OP_CMP_WR	0x0eu
/* Added to an opcode: it works on a qword. */
#define     PVC_MI_ATOMIC_OP_QWORD	0x20u
#define   PVC_MI_ATOMIC_RETURN_DATA	PVC_BIT(16)	/* old value to GPR4 */
#define   PVC_MI_ATOMIC_CS_STALL	PVC_BIT(17)
#define   PVC_MI_ATOMIC_INLINE_DATA	PVC_BIT(18)
#define   PVC_MI_ATOMIC_SIZE		PVC_BITS(20, 19)
#define     PVC_MI_ATOMIC_SIZE_DWORD	0u
#define     PVC_MI_ATOMIC_SIZE_QWORD	1u
#define     PVC_MI_ATOMIC_SIZE_OWORD	2u
#define   PVC_MI_ATOMIC_POST_SYNC	PVC_BIT(21)
#define   PVC_MI_ATOMIC_GGTT		PVC_MI_GGTT
#define   PVC_MI_ATOMIC_WPARID_OFFSET	PVC_BIT(0)	/* in DW1 */
/* Inline operands: dword i of operand 1 is DW3 + 2i, of operand 2 DW4 + 2i. */
#define   PVC_MI_ATOMIC_OPERAND1_DW(i)	(3 + 2 * (i))
#define   PVC_MI_ATOMIC_OPERAND2_DW(i)	(4 + 2 * (i))
#define PVC_MI_BATCH_BUFFER_START	PVC_MI_INSTR(0x31, 1)
#define   PVC_MI_BATCH_BUFFER_START_PPGTT	PVC_BIT(8)
#define   PVC_MI_BATCH_BUFFER_START_PREDICATE	PVC_BIT(15)
/* The target is taken from GPR0. */
#define   PVC_MI_BATCH_BUFFER_START_INDIRECT	PVC_BIT(18)
#define   PVC_MI_BATCH_BUFFER_START_CMD_CACHE	PVC_BIT(19)
#define   PVC_MI_BATCH_BUFFER_START_2ND_LEVEL	PVC_BIT(22)
#define PVC_MI_CONDITIONAL_BATCH_BUFFER_END	PVC_MI_INSTR(0x36, 2)
#define   PVC_MI_COND_BBE_COMPARE	PVC_BITS(14, 12)
#define   PVC_MI_COND_BBE_PREDICATE	PVC_BIT(15)
#define   PVC_MI_COND_BBE_CURRENT_LEVEL	PVC_BIT(18)
#define   PVC_MI_COND_BBE_MASK_MODE	PVC_BIT(19)
#define   PVC_MI_COND_BBE_COMPARE_SEMAPHORE	PVC_BIT(21)
#define   PVC_MI_COND_BBE_GGTT		PVC_MI_GGTT

/* MI_MATH: one ALU instruction per dword */
#define PVC_MI_MATH_N(n)	(PVC_MI_MATH | ((n) - 1))
#define PVC_ALU(opcode, op1, op2)	(((unsigned int)(opcode) << 20) | ((op1) << 10) | (op2))
#define PVC_ALU_OPCODE		PVC_BITS(31, 20)
#define PVC_ALU_OPERAND1	PVC_BITS(19, 10)
#define PVC_ALU_OPERAND2	PVC_BITS(9, 0)
#define   PVC_ALU_NOOP		0x000u
#define   PVC_ALU_FENCE_RD	0x001u
#define   PVC_ALU_FENCE_WR	0x002u
#define   PVC_ALU_LOAD		0x080u
#define   PVC_ALU_LOAD0		0x081u
#define   PVC_ALU_LOADIND	0x082u
#define   PVC_ALU_LOADINV	0x480u
#define   PVC_ALU_LOAD1		0x481u
#define   PVC_ALU_ADD		0x100u
#define   PVC_ALU_SUB		0x101u
#define   PVC_ALU_AND		0x102u
#define   PVC_ALU_OR		0x103u
#define   PVC_ALU_XOR		0x104u
#define   PVC_ALU_SHL		0x105u
#define   PVC_ALU_SHR		0x106u
#define   PVC_ALU_SAR		0x107u
#define   PVC_ALU_STORE		0x180u
#define   PVC_ALU_STOREIND	0x181u
#define   PVC_ALU_STOREINV	0x580u
#define   PVC_ALU_R(n)		(n)
#define   PVC_ALU_SRCA		0x20u
#define   PVC_ALU_SRCB		0x21u
#define   PVC_ALU_ACCU		0x31u
#define   PVC_ALU_ZF		0x32u
#define   PVC_ALU_CF		0x33u

#endif
