/* SPDX-License-Identifier: MIT */
/*
 * Registers of one command streamer, by offset from the engine's base.
 * Source: xe regs/xe_engine_regs.h, i915 gt/intel_engine_regs.h.
 * "masked": bits 31:16 of a write enable the bits 15:0 it changes.
 */
#ifndef PVC_ENGINE_REGS_H
#define PVC_ENGINE_REGS_H

/* Bases. Source: xe regs/xe_engine_regs.h, xe_hw_engine.c */
#define PVC_RCS_BASE			0x02000		/* absent on this part */
#define PVC_CCS0_BASE			0x1a000
#define PVC_CCS1_BASE			0x1c000
#define PVC_CCS2_BASE			0x1e000
#define PVC_CCS3_BASE			0x26000
#define PVC_CCS_BASE(n)			((n) == 3 ? PVC_CCS3_BASE : PVC_CCS0_BASE + 0x2000 * (n))
#define PVC_BCS0_BASE			0x22000
#define PVC_BCS_BASE(n)			((n) == 0 ? PVC_BCS0_BASE : 0x3e0000 + 0x2000 * ((n) - 1))
#define PVC_ENGINE_REGS_SIZE		0x800
#define PVC_NUM_CCS			4
#define PVC_NUM_BCS			9

/* Hardware classes, as in ENGINE_ID and interrupt identities */
#define PVC_CLASS_RCS			0
#define PVC_CLASS_VCS			1
#define PVC_CLASS_VECS			2
#define PVC_CLASS_BCS			3
#define PVC_CLASS_OTHER			4
#define PVC_CLASS_CCS			5

#define PVC_RING_TAIL(base)		((base) + 0x30)
#define   PVC_RING_TAIL_MASK		0x001ffff8
#define PVC_RING_HEAD(base)		((base) + 0x34)
#define   PVC_RING_HEAD_MASK		0x001ffffc
#define   PVC_RING_HEAD_WRAP_MASK	0xffe00000
#define PVC_RING_START(base)		((base) + 0x38)
#define PVC_RING_CTL(base)		((base) + 0x3c)
#define   PVC_RING_CTL_VALID		0x00000001
#define   PVC_RING_CTL_SIZE_MASK	0x001ff000	/* bytes - 4096 */
#define PVC_RING_START_UDW(base)	((base) + 0x48)
#define PVC_RING_PSMI_CTL(base)		((base) + 0x50)	/* masked */
#define   PVC_PSMI_IDLE_MSG_DISABLE	0x0001
#define PVC_RING_PWRCTX_MAXCNT(base)	((base) + 0x54)
#define PVC_RING_ACTHD_UDW(base)	((base) + 0x5c)
#define PVC_RING_DMA_FADD_UDW(base)	((base) + 0x60)
#define PVC_RING_IPEIR(base)		((base) + 0x64)
#define PVC_RING_IPEHR(base)		((base) + 0x68)	/* header of the last command */
#define PVC_RING_INSTDONE(base)		((base) + 0x6c)	/* all ones when idle */
#define PVC_RING_INSTPS(base)		((base) + 0x70)
#define PVC_RING_ACTHD(base)		((base) + 0x74)
#define PVC_RING_DMA_FADD(base)		((base) + 0x78)
#define PVC_RING_HWS_PGA(base)		((base) + 0x80)	/* GGTT, status page */
#define PVC_RING_ENGINE_ID(base)	((base) + 0x8c)
#define   PVC_ENGINE_ID_CLASS_MASK	0x00000007
#define   PVC_ENGINE_ID_INSTANCE_MASK	0x000003f0
#define   PVC_ENGINE_ID_INSTANCE_SHIFT	4
#define PVC_RING_NOPID(base)		((base) + 0x94)
#define PVC_RING_HWSTAM(base)		((base) + 0x98)
#define PVC_RING_MI_MODE(base)		((base) + 0x9c)	/* masked */
#define   PVC_MI_MODE_STOP_RING		0x0100
#define   PVC_MI_MODE_IDLE		0x0200		/* read only */
#define   PVC_MI_MODE_NESTED_BB		0x1000		/* three levels of batches */
#define PVC_RING_IMR(base)		((base) + 0xa8)
#define PVC_RING_EIR(base)		((base) + 0xb0)	/* write 1 to clear */
#define PVC_RING_EMR(base)		((base) + 0xb4)
#define PVC_RING_ESR(base)		((base) + 0xb8)
#define   PVC_ERROR_INSTRUCTION		0x00000001
#define   PVC_ERROR_PRIVILEGE		0x00000004
#define PVC_RING_INSTPM(base)		((base) + 0xc0)
#define PVC_RING_CMD_CCTL(base)		((base) + 0xc4)	/* masked */
#define   PVC_CMD_CCTL_WRITE_MOCS_MASK	0x3f00
#define   PVC_CMD_CCTL_WRITE_MOCS_SHIFT	8
#define   PVC_CMD_CCTL_READ_MOCS_MASK	0x007e
#define   PVC_CMD_CCTL_READ_MOCS_SHIFT	1
#define PVC_RING_R_PWR_CLK_STATE(base)	((base) + 0xc8)
#define PVC_RING_RESET_CTL(base)	((base) + 0xd0)	/* masked */
#define   PVC_RESET_CTL_REQUEST		0x0001
#define   PVC_RESET_CTL_READY		0x0002
#define   PVC_RESET_CTL_CAT_ERROR	0x0004
#define PVC_RING_CSFE_CHICKEN1(base)	((base) + 0xd4)	/* masked */
#define PVC_RING_BBSTATE(base)		((base) + 0x110)
#define PVC_RING_SBBADDR(base)		((base) + 0x114)
#define PVC_RING_SBBADDR_UDW(base)	((base) + 0x11c)
#define PVC_RING_PRT_BB_STATE(base)	((base) + 0x120)
#define PVC_RING_PRT_BB_STATE_UDW(base)	((base) + 0x124)
#define PVC_RING_BBADDR(base)		((base) + 0x140)
#define   PVC_BBADDR_VALID		0x00000001
#define PVC_RING_BB_OFFSET(base)	((base) + 0x158)
#define PVC_RING_BBADDR_UDW(base)	((base) + 0x168)
#define PVC_RING_CCID(base)		((base) + 0x180)
#define PVC_RING_BB_PER_CTX_PTR(base)	((base) + 0x1c0)
#define   PVC_BB_PER_CTX_VALID		0x00000001
#define   PVC_BB_PER_CTX_ADDR_MASK	0xfffff000
#define PVC_RING_INDIRECT_CTX(base)	((base) + 0x1c4)
#define   PVC_INDIRECT_CTX_ADDR_MASK	0xffffffc0
#define   PVC_INDIRECT_CTX_SIZE_MASK	0x0000003f	/* cache lines */
#define   PVC_INDIRECT_CTX_LINE		64		/* bytes of one */
#define PVC_RING_INDIRECT_CTX_OFFSET(base) ((base) + 0x1c8)
#define   PVC_INDIRECT_CTX_OFFSET	(0xdu << 6)	/* where in a restore: i915's default */
#define PVC_RING_ECOSKPD(base)		((base) + 0x1d0)	/* masked */
/* Copy engines: how the sub-blitters are chosen. Source: prelim i915 gt/intel_engine_regs.h */
#define   PVC_ECOSKPD_SCHEDULING_MASK	0x1800
#define   PVC_ECOSKPD_ROUND_ROBIN	0x0800
#define PVC_BCS_SWCTRL(base)		((base) + 0x200)	/* masked */
#define   PVC_BCS_SWCTRL_DISABLE_256B	0x0004
#define PVC_BLIT_CCTL(base)		((base) + 0x204)
#define   PVC_BLIT_CCTL_DST_MOCS_MASK	0x7e00
#define   PVC_BLIT_CCTL_DST_MOCS_SHIFT	9
#define   PVC_BLIT_CCTL_SRC_MOCS_MASK	0x007e
#define   PVC_BLIT_CCTL_SRC_MOCS_SHIFT	1
#define PVC_EXECLIST_STATUS(base)	((base) + 0x234)
#define   PVC_EXECLIST_STATUS_ACTIVE	0x00000080	/* don't submit now */
#define PVC_EXECLIST_STATUS_UDW(base)	((base) + 0x238)	/* upper half of the descriptor */
#define PVC_RING_IDLEDLY(base)		((base) + 0x23c)
#define PVC_CURRENT_LRCA(base)		((base) + 0x240)
#define   PVC_CURRENT_LRCA_VALID	0x00000001
#define   PVC_CURRENT_LRCA_MASK		0xfffff000
#define PVC_CONTEXT_CONTROL(base)	((base) + 0x244)	/* masked */
#define   PVC_CTX_CTRL_RESTORE_INHIBIT	0x0001
#define   PVC_CTX_CTRL_SAVE_INHIBIT	0x0004
#define   PVC_CTX_CTRL_INHIBIT_SYN_SWITCH 0x0008
#define   PVC_CTX_CTRL_INDIRECT_RING	0x0010
#define   PVC_CTX_CTRL_RUN_ALONE	0x0080
#define   PVC_CTX_CTRL_OA_ENABLE	0x0100
#define PVC_RING_PDP(base, n)		((base) + 0x270 + 8 * (n))
#define PVC_RING_PDP_UDW(base, n)	((base) + 0x274 + 8 * (n))
#define PVC_CTX_ASID(base)		((base) + 0x278)
#define PVC_CTX_PASID(base)		((base) + 0x27c)
#define PVC_CTX_ACC_CTR_THOLD(base)	((base) + 0x280)
#define PVC_GFX_MODE(base)		((base) + 0x29c)	/* masked */
#define   PVC_GFX_MODE_DISABLE_LEGACY	0x0008
#define   PVC_GFX_MODE_PREFETCH_DISABLE	0x0400
#define   PVC_GFX_MODE_MSIX		0x2000
#define PVC_RING_SEMAPHORE_TOKEN(base)	((base) + 0x2b4)
#define PVC_RING_TIMESTAMP(base)	((base) + 0x358)
#define PVC_RING_TIMESTAMP_UDW(base)	((base) + 0x35c)
#define PVC_RING_CSB_LO(base, n)	((n) < 6 ? (base) + 0x370 + 8 * (n) : \
						   (base) + 0x3c0 + 8 * ((n) - 6))
#define PVC_RING_CSB_HI(base, n)	(PVC_RING_CSB_LO(base, n) + 4)
#define   PVC_CSB_ENTRIES		12
#define PVC_CONTEXT_STATUS_PTR(base)	((base) + 0x3a0)	/* masked */
#define   PVC_CSB_PTR_WRITE_MASK	0x000f
#define   PVC_CSB_PTR_READ_MASK		0x0f00
#define   PVC_CSB_PTR_READ_SHIFT	8
#define   PVC_CSB_PTR_RESET		0xffff0b0b	/* the driver's write */
#define PVC_CTX_TIMESTAMP(base)		((base) + 0x3a8)
#define PVC_FORCE_TO_NONPRIV(base, n)	((base) + 0x4d0 + 4 * (n))
#define   PVC_NONPRIV_SLOTS		12
#define   PVC_NONPRIV_REG_MASK		0x03fffffc
#define   PVC_NONPRIV_RANGE_1		0x00000000
#define   PVC_NONPRIV_RANGE_4		0x00000001
#define   PVC_NONPRIV_RANGE_16		0x00000002
#define   PVC_NONPRIV_RANGE_64		0x00000003
#define   PVC_NONPRIV_ACCESS_RW		0x00000000
#define   PVC_NONPRIV_ACCESS_RD		0x10000000
#define   PVC_NONPRIV_ACCESS_WR		0x20000000
#define   PVC_NONPRIV_DENY		0x40000000
/* Two blocks of 64 dwords batches must not reach. Source: xe xe_reg_whitelist.c */
#define   PVC_WA_16014440446_BLOCK(n)	(0x4400 + 0x100 * (n))
#define PVC_EXECLIST_SQ_CONTENTS(base, n) ((base) + 0x510 + 8 * (n))
#define PVC_EXECLIST_SQ_CONTENTS_UDW(base, n) ((base) + 0x514 + 8 * (n))
#define   PVC_EXECLIST_PORTS		2		/* as the kernel drivers use them */
#define PVC_EXECLIST_CONTROL(base)	((base) + 0x550)
#define   PVC_EXECLIST_CONTROL_LOAD	0x00000001
#define PVC_CS_CHICKEN1(base)		((base) + 0x580)	/* masked */
#define   PVC_CS_CHICKEN1_PREEMPT_MASK	0x0006
#define   PVC_CS_CHICKEN1_PREEMPT_THREAD 0x0000	/* within threads, by a system routine */
#define   PVC_CS_CHICKEN1_PREEMPT_GROUP	0x0002	/* between groups of threads */
#define   PVC_CS_CHICKEN1_PREEMPT_COMMAND 0x0004	/* between commands alone */
#define PVC_CS_GPR(base, n)		((base) + 0x600 + 8 * (n))
#define PVC_CS_GPR_UDW(base, n)		((base) + 0x604 + 8 * (n))
#define   PVC_CS_GPRS			16

#endif
