/* SPDX-License-Identifier: MIT */
/*
 * Registers of a GT: power wells, fuses, steering, caches, compute slices,
 * reset, faults, translation caches.
 *
 * "masked": bits 31:16 of a write enable the bits 15:0 it changes.
 * "MCR": replicated register, steered by PVC_MCR_SELECTOR.
 */
#ifndef PVC_GT_REGS_H
#define PVC_GT_REGS_H

/* A write to a masked register that sets / clears the bits of @b. */
#define PVC_MASKED_SET(b)		(((b) << 16) | (b))
#define PVC_MASKED_CLEAR(b)		((b) << 16)
#define PVC_MASKED_FIELD(mask, val)	(((mask) << 16) | (val))

/* Clock. Source: xe xe_gt_clock.c */
#define PVC_RPM_CONFIG0			0xd00
#define   PVC_RPM_CRYSTAL_MASK		0x00000038
#define     PVC_RPM_CRYSTAL_24_MHZ	0x00000000
#define     PVC_RPM_CRYSTAL_19_2_MHZ	0x00000008
#define     PVC_RPM_CRYSTAL_38_4_MHZ	0x00000010
#define     PVC_RPM_CRYSTAL_25_MHZ	0x00000018
#define   PVC_RPM_CTC_SHIFT_MASK	0x00000006	/* timestamp = crystal >> (3 - s) */
#define   PVC_RPM_CTC_SHIFT_SHIFT	1
#define PVC_TIMESTAMP_OVERRIDE		0x44074
#define PVC_CTC_MODE			0xa26c
#define   PVC_CTC_MODE_SOURCE_DIVIDE	0x00000001

#define PVC_GMD_ID			0xd8c	/* 0: this part has none */

/* Forcewake: masked request, ack follows bit 0. Source: xe xe_force_wake.c, regs/xe_gt_regs.h */
#define PVC_FORCEWAKE_GT		0xa188
#define PVC_FORCEWAKE_ACK_GT		0x130044
#define PVC_FORCEWAKE_RENDER		0xa278
#define PVC_FORCEWAKE_ACK_RENDER	0xd84
#define PVC_FORCEWAKE_MEDIA_VDBOX(n)	(0xa540 + 4 * (n))
#define PVC_FORCEWAKE_ACK_MEDIA_VDBOX(n)	(0xd50 + 4 * (n))
#define   PVC_FORCEWAKE_KERNEL		0x0001
#define   PVC_FORCEWAKE_FALLBACK	0x8000	/* Source: prelim intel_uncore.c */
#define   PVC_FORCEWAKE_ALL		0xffff

/*
 * The frequency that software asks for, in units of 50/3 MHz; taken while software mode is on.
 * Source: xe xe_guc_pc.c, prelim gt/intel_rps.c
 */
#define PVC_RPNSWREQ			0xa008
#define   PVC_RPNSWREQ_RATIO_MASK	0xff800000
#define   PVC_RPNSWREQ_RATIO_SHIFT	23
#define PVC_RP_CONTROL			0xa024
#define   PVC_RP_CONTROL_MODE_MASK	0x00000600
#define   PVC_RP_CONTROL_SOFTWARE	0x00000400
#define PVC_RATIO_PER_50_MHZ		3

/* Sleep and power gating of a tile's parts. Source: prelim gt/intel_rc6.c, xe xe_gt_idle.c */
#define PVC_RC_CONTROL			0xa090
#define PVC_RC_STATE			0xa094
#define PVC_PG_ENABLE			0xa210

/*
 * Wells that an engine itself has asked for and waits for. A bit of MSG_IDLE stands for the same
 * bit of the status, which is set while the well is up. Source: prelim gt/intel_engine_cs.c
 * intel_engine_wait_for_pending_mi_fw(), gt/intel_gt_regs.h
 */
#define PVC_MSG_IDLE_CS			0x8000		/* of all CCS */
#define PVC_MSG_IDLE_BCS		0x800c		/* of BCS0 */
#define   PVC_MSG_IDLE_FW_MASK		0x00003e00	/* valid if its bit << 16 is set, too */
#define   PVC_MSG_IDLE_FW_SHIFT		9
#define PVC_PWRGT_DOMAIN_STATUS		0xa2a0
#define   PVC_PWRGT_MEDIA_UP		0x00000001
#define   PVC_PWRGT_RENDER_UP		0x00000002

/* Steering. Source: xe xe_gt_mcr.c */
#define PVC_MCR_SELECTOR		0xfdc
#define   PVC_MCR_MULTICAST		0x80000000
#define   PVC_MCR_GROUP_MASK		0x78000000
#define   PVC_MCR_GROUP_SHIFT		27
#define   PVC_MCR_INSTANCE_MASK		0x07000000
#define   PVC_MCR_INSTANCE_SHIFT	24
#define   PVC_DSS_PER_MCR_GROUP		8	/* group n / 8, instance n % 8 (xe_gt_mcr.c) */

/* HBM range of tile n (MCR). Source: xe 6.12 xe_vram.c, prelim gt/intel_region_lmem.c */
#define PVC_TILE_ADDR_RANGE(n)		(0x4900 + 4 * (n))
#define   PVC_TILE_SIZE_MASK		0x00007f00	/* GiB */
#define   PVC_TILE_SIZE_SHIFT		8
#define   PVC_TILE_BASE_MASK		0x000000fe	/* GiB */
#define   PVC_TILE_BASE_SHIFT		1

/* Page attribute table (MCR). Source: xe xe_pat.c */
#define PVC_PAT_INDEX(i)		(0x4800 + 4 * (i))
#define   PVC_PAT_ENTRIES		8
#define   PVC_PAT_MEM_TYPE_MASK		0x00000003
#define     PVC_PAT_UC			0x00000000
#define     PVC_PAT_WC			0x00000001
#define     PVC_PAT_WT			0x00000002
#define     PVC_PAT_WB			0x00000003
#define   PVC_PAT_CLOS_MASK		0x0000000c
#define   PVC_PAT_CLOS_SHIFT		2

/* Fuses. Source: xe xe_gt_topology.c, xe_hw_engine.c; prelim gt/intel_engine_cs.c */
#define PVC_FUSE4			0x9114
#define PVC_MIRROR_FUSE3		0x9118
#define   PVC_FUSE3_MEML3_EN_MASK	0x0000000f	/* bit j: BCS 2j+1 and 2j+2 */
#define   PVC_FUSE3_L3_MODE_MASK	0x000000f0
#define PVC_FUSE2			0x9120
#define   PVC_FUSE2_PRODUCTION_HW	0x00000004
#define PVC_EU_ENABLE			0x9134
#define   PVC_EU_ENABLE_MASK		0x000000ff	/* one bit per EU of a DSS */
#define PVC_GEOMETRY_DSS_ENABLE		0x913c
#define PVC_VEBOX_VDBOX_ENABLE		0x9140
#define PVC_COMPUTE_DSS_ENABLE		0x9144		/* DSS 31:0 */
#define PVC_COMPUTE_DSS_ENABLE_EXT	0x9148		/* DSS 63:32 */
#define   PVC_DSS_PER_CSLICE		16	/* CCSn exists iff its quarter is not empty */

/* Clock gating. Source: xe xe_wa.c */
#define PVC_MISCCPCTL			0x9424
#define   PVC_MISCCPCTL_DOP_CLOCK_GATE_RENDER 0x00000002

/* Firmware (GuC) of other drivers. Source: prelim gt/uc/intel_guc_reg.h, gt/uc/intel_uc.c */
#define PVC_GUC_STATUS			0xc000
#define   PVC_GUC_STATUS_IN_RESET	0x00000001
#define PVC_GUC_WOPCM_SIZE		0xc050
#define   PVC_GUC_WOPCM_SIZE_LOCKED	0x00000001	/* until the device is reset */
#define PVC_GUC_WOPCM_OFFSET		0xc340
#define   PVC_GUC_WOPCM_OFFSET_VALID	0x00000001	/* until the device is reset */

/* Reset, bits clear themselves. Source: xe xe_gt.c, prelim gt/intel_engine_cs.c */
#define PVC_GDRST			0x941c
#define   PVC_GDRST_FULL		0x00000001
#define   PVC_GDRST_RENDER		0x00000002	/* render and all CCS at once */
#define   PVC_GDRST_BCS0		0x00000004
#define   PVC_GDRST_GUC			0x00000008
#define   PVC_GDRST_BCS(n)		(1u << (23 + (n)))	/* n = 1..8 */

/* L3 and caches. Source: xe xe_mocs.c, xe_wa.c */
#define PVC_LNCFMISCCFGREG0		0xb01c	/* masked, MCR */
#define   PVC_LNCF_OVRLSCCC		0x0001
#define   PVC_LNCF_HOSTCACHEEN		0x0002
#define PVC_LNCFCMOCS(i)		(0xb020 + 4 * (i))	/* two entries of 16 bit each */
#define   PVC_LNCFCMOCS_L3_UC		0x0010
#define   PVC_LNCFCMOCS_L3_WB		0x0030
#define   PVC_MOCS_ERROR		0
#define   PVC_MOCS_UC			1
#define   PVC_MOCS_WB			2

/* GAM: faults and translation caches (MCR). Source: prelim gt/intel_gt_regs.h, gt/intel_gt.c */
#define PVC_FAULT_TLB_DATA0		0xceb8	/* VA 43:12 */
#define PVC_FAULT_TLB_DATA1		0xcebc
#define   PVC_FAULT_TLB_VA_HIGH_MASK	0x0000000f	/* VA 47:44 */
#define   PVC_FAULT_TLB_GGTT		0x00000010
#define PVC_RING_FAULT			0xcec4
#define   PVC_RING_FAULT_VALID		0x00000001
#define   PVC_RING_FAULT_LEVEL_MASK	0x00000006
#define   PVC_RING_FAULT_LEVEL_SHIFT	1
#define   PVC_RING_FAULT_SOURCE_MASK	0x000007f8
#define   PVC_RING_FAULT_SOURCE_SHIFT	3
#define   PVC_RING_FAULT_GGTT		0x00000800
#define   PVC_RING_FAULT_ENGINE_MASK	0x00007000
#define   PVC_RING_FAULT_ENGINE_SHIFT	12
#define   PVC_RING_FAULT_WRITE		0x00020000
#define   PVC_RING_FAULT_TYPE_MASK	0x000c0000
#define   PVC_RING_FAULT_TYPE_SHIFT	18
/*
 * Invalidation by MMIO: write, wait until the bits read 0.  Upstream i915 has
 * these for neighbours of this part only. Source: i915 gt/intel_tlb.c
 */
#define PVC_GFX_TLB_INV			0xced8
#define PVC_BLT_TLB_INV			0xcee4
#define PVC_COMPCTX_TLB_INV		0xcf04	/* masked */
#define PVC_TLB_INV_DESC0		0xcf7c
#define   PVC_TLB_INV_DESC0_VALID	0x00000001
#define PVC_TLB_INV_DESC1		0xcf80
#define PVC_RENDER_MOD_CTRL		0xcf2c
#define PVC_COMP_MOD_CTRL		0xcf30
#define PVC_VDBX_MOD_CTRL		0xcf34
#define PVC_VEBX_MOD_CTRL		0xcf38
#define PVC_BLT_MOD_CTRL		0xcf3c
#define   PVC_MOD_CTRL_FORCE_MISS_FTLB	0x00000008
#define PVC_GAMSTLB_CTRL		0xcf4c
#define   PVC_GAMSTLB_PROMOTE_ALL	0x00000004

/* EU and LSC chickens (MCR). Source: xe xe_wa.c */
#define PVC_CACHE_MODE_SS		0xe420	/* masked */
#define PVC_ROW_CHICKEN4		0xe48c	/* masked */
#define   PVC_ROW_CHICKEN4_DIS_BBL_SYSPIPE 0x0800
#define PVC_ROW_CHICKEN			0xe4f0	/* masked */
#define PVC_ROW_INSTDONE		0xe580
#define   PVC_ROW_INSTDONE_IC_DONE	0x00001000
#define PVC_LSC_CHICKEN_BIT_0		0xe7c8
#define   PVC_LSC_DISABLE_D8_D16_COALESCE 0x40000000

/* Compute slices. Source: xe xe_gt_ccs_mode.c, xe_hw_engine.c; prelim gt/intel_gt_ccs_mode.c */
#define PVC_RCU_MODE			0x14800	/* masked */
#define   PVC_RCU_MODE_CCS_ENABLE	0x0001
#define   PVC_RCU_MODE_FIXED_SLICE	0x0002
#define PVC_CCS_MODE			0x14804
#define   PVC_CCS_MODE_CSLICE_SHIFT(n)	(3 * (n))
#define   PVC_CCS_MODE_CSLICE_MASK	0x7	/* CCS that owns the slice */
#define   PVC_CCS_MODE_CSLICE_OFF	0x7
#define PVC_RCU_ASYNC_FLUSH		0x149fc
#define   PVC_RCU_ASYNC_FLUSH_BUSY	0x80000000
#define PVC_RCU_DEBUG_1			0x14a00

#endif
