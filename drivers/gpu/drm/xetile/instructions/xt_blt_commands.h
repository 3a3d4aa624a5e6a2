/* SPDX-License-Identifier: MIT */
/*
 * Commands of the copy engines: bits 31:29 = 2, opcode in 28:22, length
 * (bits 7:0) + 2 dwords. Field macros are named after their dword.
 */
#ifndef _XT_BLT_COMMANDS_H_
#define _XT_BLT_COMMANDS_H_

#include "xt_bits.h"

#define XT_BLT_OPCODE_MASK	XT_BITS(31, 22)
#define XT_BLT_LEN		XT_BITS(7, 0)
/* 7-bit MOCS field of the copy commands: index in 6:1, encryption in 0 */
#define XT_BLT_MOCS(index)	((unsigned int)(index) << 1)

#define XT_MEM_COPY		0x56800008u
#define XT_MEM_COPY_DWORDS	10
#define XT_MEM_SET		0x56c00005u
#define XT_MEM_SET_DWORDS	7
/* DW0, MEM_COPY and MEM_SET */
#define   XT_MEM_TYPE			XT_BITS(18, 17)
#define     XT_MEM_TYPE_LINEAR		0u
#define     XT_MEM_TYPE_MATRIX		1u
#define   XT_MEM_COPY_UNIT_PAGE		XT_BIT(19)
#define     XT_MEM_COPY_PAGE_BYTES	256
/* DW1, DW2, DW3 and (copy only) DW4: width, height, pitches, each minus one */
#define   XT_MEM_DIM			XT_BITS(17, 0)
#define   XT_MEM_DIM_MAX		0x40000
#define   XT_MEM_COPY_PAGE_DIM		XT_BITS(23, 0)
#define   XT_MEM_COPY9_DST_MOCS		XT_BITS(6, 0)
#define   XT_MEM_COPY9_SRC_MOCS		XT_BITS(31, 25)
#define   XT_MEM_SET6_MOCS		XT_BITS(6, 0)
#define   XT_MEM_SET6_VALUE		XT_BITS(31, 24)

#define XT_XY_FAST_COPY_BLT	0x50800008u
#define XT_XY_FAST_COPY_BLT_DWORDS	10
#define   XT_XY_FAST_COPY0_DST_TILING	XT_BITS(14, 13)
#define   XT_XY_FAST_COPY0_SRC_TILING	XT_BITS(21, 20)
#define   XT_XY_FAST_COPY1_PITCH	XT_BITS(15, 0)
#define   XT_XY_FAST_COPY1_DEPTH	XT_BITS(26, 24)
#define     XT_XY_FAST_COPY_DEPTH_8	0u
#define     XT_XY_FAST_COPY_DEPTH_16	1u
#define     XT_XY_FAST_COPY_DEPTH_32	3u
#define     XT_XY_FAST_COPY_DEPTH_64	4u
#define     XT_XY_FAST_COPY_DEPTH_128	5u
#define   XT_XY_FAST_COPY1_DST_SYSTEM	XT_BIT(28)
#define   XT_XY_FAST_COPY1_SRC_SYSTEM	XT_BIT(29)
#define   XT_XY_FAST_COPY7_PITCH	XT_BITS(15, 0)
/* A corner: x in 15:0, y in 31:16; the second corner is exclusive */
#define   XT_XY_X			XT_BITS(15, 0)
#define   XT_XY_Y			XT_BITS(31, 16)

#define XT_XY_BLOCK_COPY_BLT	0x50400014u
#define XT_XY_BLOCK_COPY_BLT_DWORDS	22
#define XT_XY_BLOCK_COPY_BLT_SHORT_DWORDS	12
#define XT_XY_FAST_COLOR_BLT	0x5100000eu
#define XT_XY_FAST_COLOR_BLT_DWORDS	16
#define   XT_XY_BLOCK0_DEPTH		XT_BITS(21, 19)
#define     XT_XY_BLOCK_DEPTH_8		0u
#define     XT_XY_BLOCK_DEPTH_16	1u
#define     XT_XY_BLOCK_DEPTH_32	2u
#define     XT_XY_BLOCK_DEPTH_64	3u
#define     XT_XY_BLOCK_DEPTH_96	4u
#define     XT_XY_BLOCK_DEPTH_128	5u
#define   XT_XY_BLOCK1_PITCH		XT_BITS(17, 0)	/* minus one */
#define   XT_XY_BLOCK1_MOCS		XT_BITS(27, 21)
#define   XT_XY_BLOCK1_TILING		XT_BITS(31, 30)
#define   XT_XY_BLOCK6_X_OFFSET		XT_BITS(13, 0)
#define   XT_XY_BLOCK6_Y_OFFSET		XT_BITS(29, 16)
#define   XT_XY_BLOCK6_SYSTEM		XT_BIT(31)
/* BLOCK_COPY DW17 and DW20, FAST_COLOR DW14 */
#define   XT_XY_BLOCK17_LOD		XT_BITS(3, 0)
/* BLOCK_COPY DW18 and DW21, FAST_COLOR DW15 */
#define   XT_XY_BLOCK18_ARRAY_INDEX	XT_BITS(31, 21)

/* Present in headers, useless on this part: it has no compression metadata */
#define XT_XY_CTRL_SURF_COPY_BLT	0x52000003u

#endif
