/* SPDX-License-Identifier: MIT */
/*
 * Page table formats.
 *
 * PPGTT: five levels, 57-bit addresses; level 4 is the root (PDP0), level 0 holds
 * 4 KiB pages, or 64 KiB pages in a compact table.  Table addresses are device
 * physical addresses.
 * Source: xe xe_pt.c, xe_vm.c, regs/xe_gtt_defs.h; prelim gt/intel_gtt.h
 */
#ifndef PVC_GTT_H
#define PVC_GTT_H

#define PVC_PT_LEVELS			5
#define PVC_PT_ENTRIES			512
#define PVC_PT_COMPACT_ENTRIES		32
#define PVC_PT_SHIFT(level)		(12 + 9 * (level))	/* address bits below an entry */
#define PVC_PT_COMPACT_SHIFT		16
#define PVC_PT_TABLE_SIZE		4096

/* Any entry */
#define PVC_PTE_PRESENT			0x0000000000000001ull
#define PVC_PTE_WRITE			0x0000000000000002ull
#define PVC_PTE_PAT0			0x0000000000000008ull
#define PVC_PTE_PAT1			0x0000000000000010ull
#define PVC_PTE_NULL			0x0000000000000200ull	/* reads 0, writes dropped */
#define PVC_PTE_ADDR_MASK		0x000ffffffffff000ull

/* Leaves */
#define PVC_PTE_NC			0x0000000000000020ull	/* local memory not cached */
#define PVC_PTE_AE			0x0000000000000400ull	/* device atomics allowed */
#define PVC_PTE_DM			0x0000000000000800ull	/* device memory: a DPA */

/* Level 0 */
#define PVC_PTE_PAT2			0x0000000000000080ull
#define PVC_PTE_PS64			0x0000000000000100ull	/* one of 16 contiguous pages */
#define PVC_PTE_64K_ADDR_MASK		0x000fffffffff0000ull	/* in a compact table */

/* Level 1 */
#define PVC_PDE_2M			0x0000000000000080ull	/* leaf */
#define PVC_PDE_COMPACT			0x0000000000000040ull	/* child is a compact table */
#define PVC_PDE_2M_ADDR_MASK		0x000fffffffe00000ull
#define PVC_PDE_LEAF_PAT2		0x0000000000001000ull

/* Level 2 */
#define PVC_PDPE_1G			0x0000000000000080ull	/* leaf */
#define PVC_PDPE_1G_ADDR_MASK		0x000fffffc0000000ull

/* GGTT. Source: xe xe_ggtt.c, prelim gt/intel_ggtt.c */
#define PVC_GGTT_PRESENT		0x0000000000000001ull
#define PVC_GGTT_DM			0x0000000000000002ull
#define PVC_GGTT_ADDR_MASK		0x00003ffffffff000ull
#define PVC_GGTT_ADDR_BITS		46	/* fewer than the device can produce */
#define PVC_GGTT_ENTRIES		0x100000
#define PVC_GGTT_WOPCM_END		0x00400000	/* below: firmware's */
#define PVC_GGTT_GUC_TOP		0xfee00000	/* from here: firmware's */

#endif
