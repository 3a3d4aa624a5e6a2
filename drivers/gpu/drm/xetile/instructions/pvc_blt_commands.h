/* SPDX-License-Identifier: MIT */
/*
 * Commands of the copy engines: bits 31:29 = 2, opcode in 28:22, length
 * (bits 7:0) + 2 dwords. Field macros are named after their dword.
 */
#ifndef _PVC_BLT_COMMANDS_H_
#define _PVC_BLT_COMMANDS_H_

#include "pvc_bits.h"

#define PVC_BLT_OPCODE_MASK	PVC_BITS(31, 22)
#define PVC_BLT_LEN		PVC_BITS(7, 0)
/* 7-bit MOCS field of the copy commands: index in 6:1, encryption in 0 */
#define PVC_BLT_MOCS(index)	((unsigned int)(index) << 1)

#define PVC_MEM_COPY		0x56800008u
#define PVC_MEM_COPY_DWORDS	10
#define PVC_MEM_SET		0x56c00005u
#define PVC_MEM_SET_DWORDS	7
/* DW0, MEM_COPY and MEM_SET */
#define   PVC_MEM_TYPE			PVC_BITS(18, 17)
#define     PVC_MEM_TYPE_LINEAR		0u
#define     PVC_MEM_TYPE_MATRIX		1u
#define   PVC_MEM_COPY_UNIT_PAGE	PVC_BIT(19)
#define     PVC_MEM_COPY_PAGE_BYTES	256
/* DW1, DW2, DW3 and (copy only) DW4: width, height, pitches, each minus one */
#define   PVC_MEM_DIM			PVC_BITS(17, 0)
#define   PVC_MEM_DIM_MAX		0x40000
#define   PVC_MEM_COPY_PAGE_DIM		PVC_BITS(23, 0)
#define   PVC_MEM_COPY9_DST_MOCS	PVC_BITS(6, 0)
#define   PVC_MEM_COPY9_SRC_MOCS	PVC_BITS(31, 25)
#define   PVC_MEM_SET6_MOCS		PVC_BITS(6, 0)
#define   PVC_MEM_SET6_VALUE		PVC_BITS(31, 24)
/* A MEM_SET of so many rows occupies all sub-blitters. Source: prelim i915 gt/gen8_engine_cs.c */
#define   PVC_DUMMY_BLIT_WIDTH		4096
#define   PVC_DUMMY_BLIT_ROWS		36

#define PVC_XY_FAST_COPY_BLT	0x50800008u
#define PVC_XY_FAST_COPY_BLT_DWORDS	10
#define   PVC_XY_FAST_COPY0_DST_TILING	PVC_BITS(14, 13)
#define   PVC_XY_FAST_COPY0_SRC_TILING	PVC_BITS(21, 20)
#define   PVC_XY_FAST_COPY1_PITCH	PVC_BITS(15, 0)
#define   PVC_XY_FAST_COPY1_DEPTH	PVC_BITS(26, 24)
#define     PVC_XY_FAST_COPY_DEPTH_8	0u
#define     PVC_XY_FAST_COPY_DEPTH_16	1u
#define     PVC_XY_FAST_COPY_DEPTH_32	3u
#define     PVC_XY_FAST_COPY_DEPTH_64	4u
#define     PVC_XY_FAST_COPY_DEPTH_128	5u
#define   PVC_XY_FAST_COPY1_DST_SYSTEM	PVC_BIT(28)
#define   PVC_XY_FAST_COPY1_SRC_SYSTEM	PVC_BIT(29)
#define   PVC_XY_FAST_COPY7_PITCH	PVC_BITS(15, 0)
/* A corner: x in 15:0, y in 31:16; the second corner is exclusive */
#define   PVC_XY_X			PVC_BITS(15, 0)
#define   PVC_XY_Y			PVC_BITS(31, 16)

#define PVC_XY_BLOCK_COPY_BLT	0x50400014u
#define PVC_XY_BLOCK_COPY_BLT_DWORDS	22
#define PVC_XY_BLOCK_COPY_BLT_SHORT_DWORDS	12
#define PVC_XY_FAST_COLOR_BLT	0x5100000eu
#define PVC_XY_FAST_COLOR_BLT_DWORDS	16
#define   PVC_XY_BLOCK0_DEPTH		PVC_BITS(21, 19)
#define     PVC_XY_BLOCK_DEPTH_8	0u
#define     PVC_XY_BLOCK_DEPTH_16	1u
#define     PVC_XY_BLOCK_DEPTH_32	2u
#define     PVC_XY_BLOCK_DEPTH_64	3u
#define     PVC_XY_BLOCK_DEPTH_96	4u
#define     PVC_XY_BLOCK_DEPTH_128	5u
#define   PVC_XY_BLOCK1_PITCH		PVC_BITS(17, 0)	/* minus one */
#define   PVC_XY_BLOCK1_MOCS		PVC_BITS(27, 21)
#define   PVC_XY_BLOCK1_TILING		PVC_BITS(31, 30)
#define   PVC_XY_BLOCK6_X_OFFSET	PVC_BITS(13, 0)
#define   PVC_XY_BLOCK6_Y_OFFSET	PVC_BITS(29, 16)
#define   PVC_XY_BLOCK6_SYSTEM		PVC_BIT(31)
/* BLOCK_COPY DW17 and DW20, FAST_COLOR DW14 */
#define   PVC_XY_BLOCK17_LOD		PVC_BITS(3, 0)
/* BLOCK_COPY DW18 and DW21, FAST_COLOR DW15 */
#define   PVC_XY_BLOCK18_ARRAY_INDEX	PVC_BITS(31, 21)

/* Present in headers, useless on this part: it has no compression metadata */
#define PVC_XY_CTRL_SURF_COPY_BLT	0x52000003u

#endif
