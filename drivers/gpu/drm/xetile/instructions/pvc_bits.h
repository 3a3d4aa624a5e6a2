/* SPDX-License-Identifier: MIT */
/*
 * Bit-field helpers of the instruction headers: plain integer expressions,
 * usable in kernel code, in userspace and in constant expressions.
 */
#ifndef _PVC_BITS_H_
#define _PVC_BITS_H_

#define PVC_BIT(n)		(1u << (n))
/* Mask of bits hi..lo, inclusive. */
#define PVC_BITS(hi, lo)	((0xffffffffu >> (31 - (hi))) & (0xffffffffu << (lo)))
#define PVC_LOW_BIT(mask)	((mask) & (0u - (mask)))
/* Take a field out of a dword, put a value into its place. */
#define PVC_FIELD_GET(mask, dw)	(((dw) & (mask)) / PVC_LOW_BIT(mask))
#define PVC_FIELD_PREP(mask, v)	(((unsigned int)(v) * PVC_LOW_BIT(mask)) & (mask))
#define PVC_LOWER_32(v)		((unsigned int)((v) & 0xffffffffu))
#define PVC_UPPER_32(v)		((unsigned int)((unsigned long long)(v) >> 32))

/* The class of any command: bits 31:29 of its first dword. */
#define PVC_CMD_TYPE		PVC_BITS(31, 29)
#define   PVC_CMD_TYPE_MI	0u
#define   PVC_CMD_TYPE_BLT	2u
#define   PVC_CMD_TYPE_GFX	3u

/* Post-sync operation, shared by FLUSH_DW, PIPE_CONTROL and COMPUTE_WALKER */
#define PVC_POST_SYNC_NONE		0u
#define PVC_POST_SYNC_IMM		1u
#define PVC_POST_SYNC_DEPTH_COUNT	2u
#define PVC_POST_SYNC_TIMESTAMP	3u

#endif
