/* SPDX-License-Identifier: MIT */
/*
 * Registers outside the GT: tile discovery, memory ranges, pcode mailbox,
 * device reset.  Offsets are from a tile's MMIO base; "root" means the register
 * exists once and is reached through tile 0.
 */
#ifndef PVC_SOC_REGS_H
#define PVC_SOC_REGS_H

/*
 * Errors of the device by severity, write 1 to clear; a bit comes back while the unit that it
 * names still has an error. Source: prelim i915_reg.h, i915_irq.c; xe 7.2 xe_hw_error.c
 */
#define PVC_DEV_ERR_STAT_FATAL		0x100174
#define PVC_DEV_ERR_STAT_NONFATAL	0x100178
#define PVC_DEV_ERR_STAT_CORRECTABLE	0x10017c
#define   PVC_DEV_ERR_GT		0x00000001
#define   PVC_DEV_ERR_GSC		0x00000100
#define   PVC_DEV_ERR_SOC		0x00010000	/* HBM is behind it */
#define PVC_DEV_PCIEERR_STATUS		0x100180	/* root, write back to clear */
#define   PVC_DEV_PCIEERR_FATAL(t)	(0x4u << ((t) * 4))

/* Numbers of the severities, in the offsets below. Source: prelim i915_reg.h */
#define PVC_ERR_CORRECTABLE		0
#define PVC_ERR_NONFATAL		1
#define PVC_ERR_FATAL			2
#define PVC_NUM_ERR			3

/* Errors of the GT: a summary for each severity, and vectors of its units, write 1 to clear */
#define PVC_ERR_STAT_GT(severity)	(0x100160 + 4 * (severity))
#define PVC_ERR_VECTOR_GT_FATAL(i)	(0x100260 + 4 * (i))
#define PVC_NUM_ERR_VECTORS_FATAL	8
#define PVC_ERR_VECTOR_GT_CORRECTABLE(i) (0x1002a0 + 4 * (i))
#define PVC_NUM_ERR_VECTORS_CORRECTABLE	4
/* What the vectors tell: 0 and 1 of subslices, 2 and 3 of L3 banks, 4 and 5 of nothing known */
#define PVC_ERR_VECTOR_SUBSLICE		0
#define PVC_ERR_VECTOR_L3BANK		2
#define PVC_ERR_VECTOR_TLB		6
#define PVC_ERR_VECTOR_L3_FABRIC	7

/*
 * Errors of the rest of the tile. Two error handlers (IEH), each with a global and a local status
 * by severity, write 1 to clear; the second reports to the first. The local status of uncorrectable
 * errors is one for both severities. Source: prelim i915_reg.h, i915_irq.c
 */
#define PVC_IEH_FIRST			0x282000
#define PVC_IEH_SECOND			0x283000
#define PVC_IEH_GLOBAL(base, severity)	((base) + 0x200 + 0x10 * (severity))
#define   PVC_IEH_GLOBAL_LOCAL		0x00000001	/* see the local status */
#define   PVC_IEH_GLOBAL_SECOND		0x00000002	/* of the first: see the second */
#define   PVC_IEH_FIRST_HBM		0x0003fffc	/* a bit for each channel */
#define   PVC_IEH_SECOND_HBM		0x0001fffe
#define   PVC_IEH_SECOND_MDFI		0x00040000	/* link to the fabric's die */
#define PVC_IEH_LOCAL_UNCORRECTABLE(base) ((base) + 0x280)
#define PVC_IEH_LOCAL_CORRECTABLE(base)	((base) + 0x294)
#define   PVC_IEH_FIRST_MDFI		0x00000050	/* links to other tiles, to compute dies */
#define   PVC_IEH_LOCAL_HBM		0x00100000
#define PVC_IEH_EVENTS(base)		((base) + 0x264)	/* severities that are reported */
#define   PVC_IEH_EVENTS_ALL		0x00000007
#define PVC_IEH_FIRST_HEADER		0x2822b0	/* severity of an MDFI error */
#define   PVC_IEH_HEADER_FATAL		0x00330000
#define   PVC_IEH_HEADER_NONFATAL	0x00310000

/* Errors of the security controller, tile 0. Source: prelim i915_reg.h, i915_irq.c */
#define PVC_GSC_ERR_UNCORRECTABLE	0x284118
#define PVC_GSC_ERR_CORRECTABLE		0x284128
#define   PVC_GSC_ERR_FW_REPORTED	0x00000002	/* of the correctable ones: HBM's health */
#define PVC_GSC_ERR_FW_CAUSE		0x284130

/* What firmware found when it trained the card, root. Source: prelim pvc_ras.c */
#define PVC_BOOT_HEALTH			0x13810c
#define   PVC_BOOT_HBM_TRAINING_FAILED	0x00000400
#define   PVC_BOOT_PUNIT_FAILED		0x00000800
#define   PVC_BOOT_GT_FAILED		0x00001000
#define   PVC_BOOT_HBM_REPLACE		0x00004000
#define   PVC_BOOT_MDFI_NO_MARGIN	0x00008000
#define   PVC_BOOT_MDFI_LOW_MARGIN	0x00010000
#define   PVC_BOOT_HBM_INVALID		0x00020000
#define   PVC_BOOT_HBM_DIAGNOSED	0x00040000
#define   PVC_BOOT_HBM_WIPE_FAILED	0x00200000
#define   PVC_BOOT_HBM_IO_FAILED	0x00400000
#define   PVC_BOOT_STAGE2_DONE		0x02000000
#define   PVC_BOOT_HBM_DIAGNOSIS_INCOMPLETE 0x04000000
#define   PVC_BOOT_HBM_REPAIR_ATTEMPTED	0x20000000
#define   PVC_BOOT_HBM_SPARE_EXHAUSTED	0x40000000

/* Driver-initiated function level reset, root. Source: xe xe_device.c __xe_driver_flr() */
#define PVC_GU_CNTL_PROTECTED		0x10100c
#define   PVC_GU_CNTL_DRIVERINT_FLR_DIS	0x80000000
#define PVC_GU_CNTL			0x101010
#define   PVC_GU_CNTL_DRIVERFLR		0x80000000	/* trigger, self-clearing */
#define   PVC_GU_CNTL_LMEM_INIT		0x00000080	/* HBM trained and usable */
#define PVC_GU_DEBUG			0x101018
#define   PVC_GU_DEBUG_DRIVERFLR_STATUS	0x80000000	/* done, write 1 to clear */

/* A write drops the translations of the GGTT that engines keep. Source: i915 gt/intel_ggtt.c */
#define PVC_GFX_FLSH_CNTL		0x101008
#define   PVC_GFX_FLSH_CNTL_EN		0x00000001

/* Tiles of the card. Source: prelim i915_reg.h, gt/intel_gt.c */
#define PVC_MTCFG			0x101800
#define   PVC_MTCFG_TILE_ID_MASK	0x000000ff	/* number of the tile read through */
#define   PVC_MTCFG_TILE_COUNT_MASK	0x0000ff00	/* tiles - 1 */
#define   PVC_MTCFG_TILE_COUNT_SHIFT	8
#define PVC_MTCFG_UDW			0x101804	/* read along with it, nothing in it */

/* Carve-outs at the top of a tile's HBM, 64-bit pairs. Source: xe xe_vram.c, xe_ttm_stolen_mgr.c */
#define PVC_DSMBASE			0x1080c0
#define PVC_DSMBASE_UDW			0x1080c4
#define   PVC_DSMBASE_MASK		0xfffffffffff00000ull
#define PVC_GSMBASE			0x108100	/* end of the usable HBM, DPA */
#define PVC_GSMBASE_UDW			0x108104
#define PVC_STOLEN_RESERVED		0x1082c0
#define PVC_STOLEN_RESERVED_UDW		0x1082c4
#define   PVC_STOLEN_WOPCM_MASK		0x00000380	/* c <= 3: 1 << c MiB; 5, 6: 1 << (c-1) */
#define   PVC_STOLEN_WOPCM_SHIFT	7

/* HBM range of tile n. Source: xe 7.2 regs/xe_regs.h */
#define PVC_SG_TILE_ADDR_RANGE(n)	(0x1083a0 + 4 * (n))
#define   PVC_SG_TILE_SIZE_MASK		0x0003ff00	/* GiB */
#define   PVC_SG_TILE_SIZE_SHIFT	8
#define   PVC_SG_TILE_BASE_MASK		0x000000fe	/* GiB */
#define   PVC_SG_TILE_BASE_SHIFT	1

/* Power-control mailbox. Source: xe xe_pcode.c, xe_pcode_api.h */
#define PVC_PCODE_MAILBOX		0x138124
#define   PVC_PCODE_READY		0x80000000	/* set: in progress */
#define   PVC_PCODE_PARAM2_MASK		0x00ff0000
#define   PVC_PCODE_PARAM2_SHIFT	16
#define   PVC_PCODE_PARAM1_MASK		0x0000ff00
#define   PVC_PCODE_PARAM1_SHIFT	8
#define   PVC_PCODE_COMMAND_MASK	0x000000ff
#define   PVC_PCODE_ERROR_MASK		0x000000ff	/* after completion */
#define     PVC_PCODE_SUCCESS		0x00
#define     PVC_PCODE_ILLEGAL_CMD	0x01
#define     PVC_PCODE_TIMEOUT		0x02
#define     PVC_PCODE_ILLEGAL_DATA	0x03
#define     PVC_PCODE_ILLEGAL_SUBCOMMAND	0x04
#define     PVC_PCODE_LOCKED		0x06
#define     PVC_PCODE_GT_RATIO_OUT_OF_RANGE 0x10
#define     PVC_PCODE_REJECTED		0x11
#define PVC_PCODE_DATA0			0x138128
#define PVC_PCODE_DATA1			0x13812c
#define PVC_PCODE_CMD_STATUS		0x7e
#define   PVC_PCODE_STATUS_GET		0	/* in DATA0 */
#define   PVC_PCODE_STATUS_COMPLETE	0x1	/* out DATA0: initialisation is complete */
#define PVC_PCODE_CMD_POWER_SETUP	0x7c
#define   PVC_PCODE_POWER_READ_I1	4	/* in PARAM1; out DATA0: limit, 0 = none */
#define     PVC_PCODE_I1_WATTS		0x80000000	/* else amperes */
#define     PVC_PCODE_I1_MASK		0x0000ffff
#define     PVC_PCODE_I1_SHIFT		6		/* bits of the fraction */
#define   PVC_PCODE_POWER_WRITE_I1	5

/*
 * What firmware makes of the request for a frequency. Limit reasons: bits 15:0 are true now, bits
 * 31:16 have been true. Source: xe xe_gt_throttle.c, prelim i915_reg.h, gt/intel_gt_regs.h
 */
#define PVC_LIMIT_REASONS		0x1381a8
#define   PVC_LIMIT_PROCHOT		0x00000001
#define   PVC_LIMIT_THERMAL		0x00000002
#define   PVC_LIMIT_RATL		0x00000020
#define   PVC_LIMIT_VR_THERMALERT	0x00000040
#define   PVC_LIMIT_VR_TDC		0x00000080
#define   PVC_LIMIT_POWER_4		0x00000100
#define   PVC_LIMIT_POWER_1		0x00000400
#define   PVC_LIMIT_POWER_2		0x00000800
#define   PVC_LIMIT_ANY			0x00000de3
#define PVC_RPSTAT1			0x1381b4
#define   PVC_RPSTAT1_RATIO_MASK	0x000ff800	/* in units of 50/3 MHz */
#define   PVC_RPSTAT1_RATIO_SHIFT	11
#define   PVC_RPSTAT1_CHIPLET_MASK	0x1ff00000
#define   PVC_RPSTAT1_CHIPLET_SHIFT	20
#define PVC_RP_STATE_CAP		0x281014	/* in units of 50 MHz */
#define   PVC_RP0_CAP_MASK		0x000000ff
#define   PVC_RP1_CAP_MASK		0x0000ff00
#define   PVC_RP1_CAP_SHIFT		8
#define   PVC_RPN_CAP_MASK		0x00ff0000
#define   PVC_RPN_CAP_SHIFT		16

/*
 * Energy and power. The package is a tile; that of tile 0 has the limit of the card, and the energy
 * of the platform is that of the card. Source: xe xe_hwmon.c, prelim i915_hwmon.c
 */
#define PVC_PACKAGE_ENERGY_STATUS	0x281004
#define PVC_PACKAGE_RAPL_LIMIT		0x281008
#define   PVC_RAPL_LIMIT_POWER_MASK	0x00007fff
#define   PVC_RAPL_LIMIT_ENABLE		0x00008000
#define   PVC_RAPL_LIMIT_TIME_Y_MASK	0x003e0000	/* (1 + x/4) * 2^y units of time */
#define   PVC_RAPL_LIMIT_TIME_Y_SHIFT	17
#define   PVC_RAPL_LIMIT_TIME_X_MASK	0x00c00000
#define   PVC_RAPL_LIMIT_TIME_X_SHIFT	22
#define PVC_PACKAGE_POWER_SKU_UNIT	0x281068	/* each unit is 1/2^n W, J, s */
#define   PVC_SKU_UNIT_POWER_MASK	0x0000000f
#define   PVC_SKU_UNIT_ENERGY_MASK	0x00001f00
#define   PVC_SKU_UNIT_ENERGY_SHIFT	8
#define   PVC_SKU_UNIT_TIME_MASK	0x000f0000
#define   PVC_SKU_UNIT_TIME_SHIFT	16
#define PVC_PLATFORM_ENERGY_STATUS	0x28106c
#define PVC_PACKAGE_POWER_SKU		0x281080
#define   PVC_POWER_SKU_TDP_MASK	0x00007fff
#define   PVC_POWER_SKU_MIN_MASK	0x7fff0000
#define   PVC_POWER_SKU_MIN_SHIFT	16
#define PVC_PACKAGE_POWER_SKU_UDW	0x281084
#define   PVC_POWER_SKU_UDW_MAX_MASK	0x00007fff

/* HECI firmware status. Source: xe 7.2 xe_nvm.c */
#define PVC_HECI_FWSTS2			0x285c48
#define   PVC_HECI_FWSTS2_NVM_ACCESS_MODE 0x00000008

/* Virtual function capability; bit 0 clear on a physical function. Source: xe xe_sriov.c */
#define PVC_VF_CAP			0x1901f8
#define   PVC_VF_CAP_VIRTUAL		0x00000001

#endif
