/* SPDX-License-Identifier: MIT */
/*
 * Commands of the compute engine: bits 31:29 = 3, subtype in 28:27, opcode in
 * 26:24, sub-opcode in 23:16 (subtype 2: sub-opcode 23:18, variant 17:16).
 * Length is (bits 7:0) + 2 dwords, except subtype 1, which is one dword.
 * Field macros are grouped under their dword.
 */
#ifndef _XT_GFX_COMMANDS_H_
#define _XT_GFX_COMMANDS_H_

#include "xt_bits.h"

#define XT_GFX_OPCODE_MASK	XT_BITS(31, 16)
#define XT_GFX_LEN		XT_BITS(7, 0)

/* PIPE_CONTROL, 6 dwords: flags, flags, address lo, address hi, data lo, hi */
#define XT_PIPE_CONTROL		0x7a000004u
#define XT_PIPE_CONTROL_DWORDS	6
#define   XT_PIPE_CONTROL0_PREDICATE		XT_BIT(8)
#define   XT_PIPE_CONTROL0_HDC_FLUSH		XT_BIT(9)
#define   XT_PIPE_CONTROL0_UNTYPED_FLUSH	XT_BIT(11)
#define   XT_PIPE_CONTROL0_CCS_FLUSH		XT_BIT(13)
#define   XT_PIPE_CONTROL0_WPARID_OFFSET	XT_BIT(14)
#define   XT_PIPE_CONTROL1_DEPTH_FLUSH		XT_BIT(0)
#define   XT_PIPE_CONTROL1_STALL_SCOREBOARD	XT_BIT(1)
#define   XT_PIPE_CONTROL1_STATE_INVALIDATE	XT_BIT(2)
#define   XT_PIPE_CONTROL1_CONST_INVALIDATE	XT_BIT(3)
#define   XT_PIPE_CONTROL1_VF_INVALIDATE	XT_BIT(4)
#define   XT_PIPE_CONTROL1_DC_FLUSH		XT_BIT(5)
#define   XT_PIPE_CONTROL1_FLUSH_ENABLE		XT_BIT(7)
#define   XT_PIPE_CONTROL1_NOTIFY		XT_BIT(8)
#define   XT_PIPE_CONTROL1_INDIRECT_DISABLE	XT_BIT(9)
#define   XT_PIPE_CONTROL1_TEXTURE_INVALIDATE	XT_BIT(10)
#define   XT_PIPE_CONTROL1_INSTR_INVALIDATE	XT_BIT(11)
#define   XT_PIPE_CONTROL1_RT_FLUSH		XT_BIT(12)
#define   XT_PIPE_CONTROL1_DEPTH_STALL		XT_BIT(13)
#define   XT_PIPE_CONTROL1_POST_SYNC		XT_BITS(15, 14)	/* XT_POST_SYNC_* */
#define   XT_PIPE_CONTROL1_PSD_SYNC		XT_BIT(17)
#define   XT_PIPE_CONTROL1_TLB_INVALIDATE	XT_BIT(18)
#define   XT_PIPE_CONTROL1_CS_STALL		XT_BIT(20)
#define   XT_PIPE_CONTROL1_STORE_INDEX		XT_BIT(21)
#define   XT_PIPE_CONTROL1_LRI_POST_SYNC	XT_BIT(23)
#define   XT_PIPE_CONTROL1_GGTT			XT_BIT(24)
#define   XT_PIPE_CONTROL1_FLUSH_LLC		XT_BIT(26)
#define   XT_PIPE_CONTROL1_TILE_CACHE_FLUSH	XT_BIT(28)
#define   XT_PIPE_CONTROL1_CMD_CACHE_INVALIDATE	XT_BIT(29)
#define   XT_PIPE_CONTROL1_L3_FABRIC_FLUSH	XT_BIT(30)

#define XT_PIPELINE_SELECT	0x69040000u
#define   XT_PIPELINE_SELECT_PIPELINE	XT_BITS(1, 0)
#define     XT_PIPELINE_SELECT_GPGPU	2u
#define   XT_PIPELINE_SELECT_SYSTOLIC	XT_BIT(7)
#define   XT_PIPELINE_SELECT_MASK	XT_BITS(15, 8)	/* write enable of 7:0 */

#define XT_STATE_COMPUTE_MODE	0x61050000u
#define XT_STATE_COMPUTE_MODE_DWORDS	2
/* DW1; write mask of each bit sixteen higher */
#define   XT_SCM_NON_COHERENT		XT_BITS(4, 3)
#define     XT_SCM_NON_COHERENT_OFF	0u
#define     XT_SCM_NON_COHERENT_CPU	1u
#define     XT_SCM_NON_COHERENT_GPU	2u
#define   XT_SCM_EU_SCHEDULING		XT_BITS(14, 13)
#define     XT_SCM_EU_SCHEDULING_RR_STALL	3u
#define   XT_SCM_LARGE_GRF		XT_BIT(15)
#define   XT_SCM_MASKED(bits, v)	(((bits) << 16) | (v))

#define XT_STATE_BASE_ADDRESS	0x61010014u
#define XT_STATE_BASE_ADDRESS_DWORDS	22
#define   XT_SBA_MODIFY			XT_BIT(0)
#define   XT_SBA_MOCS			XT_BITS(10, 5)	/* index */
#define   XT_SBA_GENERAL_DW		1
#define   XT_SBA_STATELESS_DW		3
#define     XT_SBA_STATELESS_MOCS	XT_BITS(22, 17)	/* index */
#define   XT_SBA_SURFACE_DW		4
#define   XT_SBA_DYNAMIC_DW		6
#define   XT_SBA_INSTRUCTION_DW		10
#define   XT_SBA_GENERAL_SIZE_DW	12
#define   XT_SBA_DYNAMIC_SIZE_DW	13
#define   XT_SBA_INDIRECT_SIZE_DW	14
#define   XT_SBA_INSTRUCTION_SIZE_DW	15
#define   XT_SBA_BINDLESS_DW		16
#define   XT_SBA_BINDLESS_COUNT_DW	18
#define   XT_SBA_BINDLESS_SAMPLER_DW	19
#define   XT_SBA_SIZE			XT_BITS(31, 12)	/* 4 KiB pages */

#define XT_STATE_SIP		0x61020001u
#define XT_STATE_SIP_DWORDS	3
#define XT_STATE_PREFETCH	0x60030002u
#define XT_STATE_PREFETCH_DWORDS	4
#define XT_STATE_SYSTEM_MEM_FENCE_ADDRESS	0x61090001u
#define XT_STATE_SYSTEM_MEM_FENCE_DWORDS	3
#define XT_3DSTATE_BINDING_TABLE_POOL_ALLOC	0x79190002u
#define XT_3DSTATE_BINDING_TABLE_POOL_DWORDS	4
#define XT_3DSTATE_BTD		0x61060004u
#define XT_3DSTATE_BTD_DWORDS	6

#define XT_CFE_STATE		0x72000004u
#define XT_CFE_STATE_DWORDS	6
#define   XT_CFE1_SCRATCH		XT_BITS(31, 10)	/* surface state offset >> 6 */
#define   XT_CFE3_WALKERS		XT_BITS(5, 3)	/* minus one */
#define   XT_CFE3_OVERDISPATCH_DISABLE	XT_BIT(11)
#define   XT_CFE3_DISPATCH_ALL		XT_BIT(12)
#define   XT_CFE3_OVERDISPATCH		XT_BITS(15, 14)
#define     XT_CFE3_OVERDISPATCH_NORMAL	2u
#define   XT_CFE3_MAX_THREADS		XT_BITS(31, 16)

#define XT_COMPUTE_WALKER	0x72080025u
#define XT_COMPUTE_WALKER_DWORDS	39
#define   XT_COMPUTE_WALKER0_PREDICATE		XT_BIT(8)
#define   XT_COMPUTE_WALKER0_PARTITION		XT_BIT(9)
#define   XT_COMPUTE_WALKER0_INDIRECT		XT_BIT(10)
#define   XT_COMPUTE_WALKER0_SYSTOLIC		XT_BIT(14)
#define   XT_COMPUTE_WALKER2_INDIRECT_LENGTH	XT_BITS(16, 0)	/* bytes */
#define   XT_COMPUTE_WALKER2_PARTITION_TYPE	XT_BITS(31, 30)
#define     XT_COMPUTE_WALKER_PARTITION_OFF	0u
#define     XT_COMPUTE_WALKER_PARTITION_X	1u
#define     XT_COMPUTE_WALKER_PARTITION_Y	2u
#define     XT_COMPUTE_WALKER_PARTITION_Z	3u
#define   XT_COMPUTE_WALKER3_INDIRECT_START	XT_BITS(31, 6)
#define   XT_COMPUTE_WALKER4_DISPATCH_ALL	XT_BIT(0)
#define   XT_COMPUTE_WALKER4_MESSAGE_SIMD	XT_BITS(18, 17)
#define   XT_COMPUTE_WALKER4_TILE_LAYOUT	XT_BITS(21, 19)
#define   XT_COMPUTE_WALKER4_WALK_ORDER		XT_BITS(24, 22)
#define   XT_COMPUTE_WALKER4_EMIT_INLINE	XT_BIT(25)
#define   XT_COMPUTE_WALKER4_EMIT_LOCAL		XT_BITS(28, 26)	/* X 1, Y 2, Z 4 */
#define   XT_COMPUTE_WALKER4_GENERATE_LOCAL	XT_BIT(29)
#define   XT_COMPUTE_WALKER4_SIMD		XT_BITS(31, 30)
#define     XT_COMPUTE_WALKER_SIMD16		1u
#define     XT_COMPUTE_WALKER_SIMD32		2u
#define   XT_COMPUTE_WALKER_EXEC_MASK_DW	5
#define   XT_COMPUTE_WALKER6_LOCAL_X		XT_BITS(9, 0)	/* size - 1 */
#define   XT_COMPUTE_WALKER6_LOCAL_Y		XT_BITS(19, 10)
#define   XT_COMPUTE_WALKER6_LOCAL_Z		XT_BITS(29, 20)
#define   XT_COMPUTE_WALKER_GROUPS_DW(dim)	(7 + (dim))
#define   XT_COMPUTE_WALKER_START_DW(dim)	(10 + (dim))
#define   XT_COMPUTE_WALKER_PARTITION_ID_DW	13
#define   XT_COMPUTE_WALKER_PARTITION_SIZE_DW	14
#define   XT_COMPUTE_WALKER_RESUME_DW(dim)	(15 + (dim))
#define   XT_COMPUTE_WALKER_IDD_DW		18
#define   XT_COMPUTE_WALKER_POST_SYNC_DW	26
#define   XT_COMPUTE_WALKER_INLINE_DW		31

/* Interface descriptor, 8 dwords at XT_COMPUTE_WALKER_IDD_DW */
#define   XT_IDD0_KERNEL_START			XT_BITS(31, 6)
#define   XT_IDD2_FP_ALTERNATE			XT_BIT(16)
#define   XT_IDD2_SINGLE_PROGRAM_FLOW		XT_BIT(18)
#define   XT_IDD2_DENORM_BY_KERNEL		XT_BIT(19)
#define   XT_IDD2_THREAD_PREEMPTION_DISABLE	XT_BIT(20)
#define   XT_IDD4_BINDING_COUNT			XT_BITS(4, 0)
#define   XT_IDD4_BINDING_POINTER		XT_BITS(20, 5)
#define   XT_IDD5_THREADS			XT_BITS(9, 0)
#define   XT_IDD5_SLM				XT_BITS(20, 16)	/* XT_SLM_* */
#define   XT_IDD5_ROUNDING			XT_BITS(23, 22)
#define   XT_IDD5_DISPATCH_SIZE			XT_BITS(27, 26)
#define   XT_IDD5_BARRIERS			XT_BITS(30, 28)	/* XT_BARRIERS_* */
#define   XT_IDD5_BTD				XT_BIT(31)
#define   XT_IDD6_PREFERRED_SLM			XT_BITS(3, 0)
/* SLM size codes */
#define   XT_SLM_0K		0u
#define   XT_SLM_1K		1u
#define   XT_SLM_2K		2u
#define   XT_SLM_4K		3u
#define   XT_SLM_8K		4u
#define   XT_SLM_16K		5u
#define   XT_SLM_32K		6u
#define   XT_SLM_64K		7u
#define   XT_SLM_24K		8u
#define   XT_SLM_48K		9u
#define   XT_SLM_96K		10u
#define   XT_SLM_128K		11u
/* Barrier count codes */
#define   XT_BARRIERS_NONE	0u
#define   XT_BARRIERS_1		1u
#define   XT_BARRIERS_2		2u
#define   XT_BARRIERS_4		3u
#define   XT_BARRIERS_8		4u
#define   XT_BARRIERS_16	5u
#define   XT_BARRIERS_24	6u
#define   XT_BARRIERS_32	7u

/*
 * Surface state, 16 dwords, 64-byte aligned. Of a scratch surface the number of
 * slices less one is spread over width, height and depth; the pitch is a slice.
 */
#define XT_SURFACE_STATE_DWORDS		16
#define   XT_SURFACE0_TYPE			XT_BITS(31, 29)
#define     XT_SURFACE_SCRATCH		6u
#define   XT_SURFACE0_FORMAT			XT_BITS(26, 18)
#define     XT_SURFACE_FORMAT_RAW	0x1ffu
#define   XT_SURFACE1_MOCS			XT_BITS(30, 25)	/* index */
#define   XT_SURFACE2_WIDTH			XT_BITS(6, 0)	/* of the number */
#define   XT_SURFACE2_HEIGHT			XT_BITS(29, 16)
#define   XT_SURFACE3_DEPTH			XT_BITS(31, 21)
#define   XT_SURFACE3_PITCH			XT_BITS(17, 0)	/* bytes - 1 */
#define   XT_SURFACE_BASE_DW			8

/* Post-sync of the walker, 5 dwords at XT_COMPUTE_WALKER_POST_SYNC_DW */
#define   XT_WALKER_POST_SYNC0_OP		XT_BITS(1, 0)	/* XT_POST_SYNC_* */
#define   XT_WALKER_POST_SYNC0_DATAPORT_FLUSH	XT_BIT(2)
#define   XT_WALKER_POST_SYNC0_MOCS		XT_BITS(10, 5)	/* index */
#define   XT_WALKER_POST_SYNC0_SYSTEM_FENCE	XT_BIT(11)
#define   XT_WALKER_POST_SYNC0_SUBSLICE_FLUSH	XT_BIT(12)
/* Bytes between the results of two partitions */
#define   XT_WALKER_POST_SYNC_IMM_STRIDE	8
#define   XT_WALKER_POST_SYNC_TIMESTAMP_STRIDE	16

/* Engine registers that a partitioned batch programs, offsets from the engine */
#define XT_CS_WPARID			0x21c
#define XT_CS_WPARID_MASK		0x1fc
#define XT_CS_PARTITION_STRIDE		0x3b4
#define XT_CS_USER_GPR(n)		(0x600 + 8 * (n))
#define XT_CS_DISPATCH_DIM(dim)		(0x500 + 4 * (dim))
/* Engine registers of predication and of the semaphore's register poll, likewise */
#define XT_CS_SEMAPHORE_POLL		0x24c	/* number of the register to poll */
#define XT_CS_RING_PREDICATE_RESULT	0x3b8
#define XT_CS_PREDICATE_RESULT_2	0x3bc
#define XT_CS_PREDICATE_SRC0		0x400	/* 64 bits, as the next two */
#define XT_CS_PREDICATE_SRC1		0x408
#define XT_CS_PREDICATE_DATA		0x410
#define XT_CS_PREDICATE_RESULT		0x418
#define XT_CS_PREDICATE_RESULT_1	0x41c
/* Base of the register numbers that XT_MI_MMIO_REMAP relocates */
#define XT_CS_REMAP_BASE		0x2000

#endif
