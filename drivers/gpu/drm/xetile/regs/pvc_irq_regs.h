/* SPDX-License-Identifier: MIT */
/*
 * The interrupt tree: root summary, tile summary, engine bits, identities.
 * Source: xe xe_irq.c, 7.2 regs/xe_irq_regs.h; prelim gt/intel_gt_irq.c
 */
#ifndef PVC_IRQ_REGS_H
#define PVC_IRQ_REGS_H

/* Root: one bit per tile, the message goes out while b31 is set. */
#define PVC_MSTR_TILE_INTR		0x190008
#define   PVC_MSTR_IRQ_ENABLE		0x80000000
#define   PVC_MSTR_TILE(t)		(1u << (t))

/* Tile, write 1 to clear. All ones: the device is gone. */
#define PVC_GFX_MSTR_IRQ		0x190010
#define   PVC_GFX_MSTR_GT_DW(b)		(1u << (b))
#define   PVC_GFX_MSTR_DISPLAY		0x00010000
#define   PVC_GFX_MSTR_ERR_CORRECTABLE	0x04000000
#define   PVC_GFX_MSTR_ERR_NONFATAL	0x08000000
#define   PVC_GFX_MSTR_ERR_FATAL	0x10000000
#define   PVC_GFX_MSTR_ERRORS		0x1c000000
#define   PVC_GFX_MSTR_GU_MISC		0x20000000
#define   PVC_GFX_MSTR_PCU		0x40000000

/* Engines, write 1 to clear. */
#define PVC_GT_INTR_DW(b)		(0x190018 + 4 * (b))
#define   PVC_GT_INTR0_RCS		0x00000001
#define   PVC_GT_INTR0_CCS(n)		(1u << (4 + (n)))
#define   PVC_GT_INTR0_BCS(n)		((n) == 8 ? 1u << 23 : 1u << (15 - (n)))
#define   PVC_GT_INTR0_GUC		0x02000000
#define   PVC_GT_INTR0_GSC		0x80000000
#define   PVC_GT_INTR1_VCS(n)		(1u << (n))
#define   PVC_GT_INTR1_VECS(n)		(1u << (31 - (n)))

/*
 * Write one bit of GT_INTR_DW to the selector, the identity shows what is
 * pending of that unit; write the identity back to acknowledge.
 */
#define PVC_INTR_IDENTITY(b)		(0x190060 + 4 * (b))
#define   PVC_INTR_VECTOR_MASK		0x0000ffff
#define   PVC_INTR_CLASS_MASK		0x00070000
#define   PVC_INTR_CLASS_SHIFT		16
#define   PVC_INTR_INSTANCE_MASK	0x03f00000
#define   PVC_INTR_INSTANCE_SHIFT	20
#define   PVC_INTR_VALID		0x80000000
#define PVC_IIR_SELECTOR(b)		(0x190070 + 4 * (b))

/* Vector bits of an engine */
#define PVC_VEC_USER			0x0001	/* MI_USER_INTERRUPT */
#define PVC_VEC_CS_ERROR		0x0008
#define PVC_VEC_NOTIFY			0x0010	/* PIPE_CONTROL / MI_FLUSH_DW notify */
#define PVC_VEC_CONTEXT_SWITCH		0x0100
#define PVC_VEC_SEMAPHORE_WAIT		0x0800

/* Enables: two classes each. */
#define PVC_RENDER_COPY_INTR_ENABLE	0x190030	/* hi RCS, lo BCS */
#define PVC_VCS_VECS_INTR_ENABLE	0x190034	/* hi VCS, lo VECS */
#define PVC_GUC_SG_INTR_ENABLE		0x190038
#define PVC_GPM_WGBOXPERF_INTR_ENABLE	0x19003c
#define PVC_CRYPTO_RSVD_INTR_ENABLE	0x190040
#define PVC_GUNIT_GSC_INTR_ENABLE	0x190044
#define PVC_CCS_RSVD_INTR_ENABLE	0x190048	/* hi CCS */

/* Masks, 1 = masked: one instance (hi) or two (which half is which is not documented). */
#define PVC_RCS0_RSVD_INTR_MASK		0x190090
#define PVC_BCS_RSVD_INTR_MASK		0x1900a0	/* hi BCS0 */
#define PVC_VCS0_VCS1_INTR_MASK		0x1900a8
#define PVC_VCS2_VCS3_INTR_MASK		0x1900ac
#define PVC_VECS0_VECS1_INTR_MASK	0x1900d0
#define PVC_HECI2_RSVD_INTR_MASK	0x1900e4
#define PVC_GUC_SG_INTR_MASK		0x1900e8
#define PVC_GPM_WGBOXPERF_INTR_MASK	0x1900ec
#define PVC_CRYPTO_RSVD_INTR_MASK	0x1900f0
#define PVC_GUNIT_GSC_INTR_MASK		0x1900f4
#define PVC_CCS0_CCS1_INTR_MASK		0x190100
#define PVC_CCS2_CCS3_INTR_MASK		0x190104
#define PVC_BCS1_BCS2_INTR_MASK		0x190110
#define PVC_BCS3_BCS4_INTR_MASK		0x190114
#define PVC_BCS5_BCS6_INTR_MASK		0x190118
#define PVC_BCS7_BCS8_INTR_MASK		0x19011c

/* Blocks of four registers: status, mask, identity (write 1 to clear), enable. */
#define PVC_PCU_IRQ_BASE		0x444e0
#define PVC_GU_MISC_IRQ_BASE		0x444f0
#define PVC_IRQ_BLOCK_ISR(base)		((base) + 0x0)
#define PVC_IRQ_BLOCK_IMR(base)		((base) + 0x4)
#define PVC_IRQ_BLOCK_IIR(base)		((base) + 0x8)
#define PVC_IRQ_BLOCK_IER(base)		((base) + 0xc)
#define   PVC_GU_MISC_GSE		0x08000000

#endif
