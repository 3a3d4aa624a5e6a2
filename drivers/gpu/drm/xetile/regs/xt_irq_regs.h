/* SPDX-License-Identifier: MIT */
/*
 * The interrupt tree: root summary, tile summary, engine bits, identities.
 * Source: xe xe_irq.c, 7.2 regs/xe_irq_regs.h; prelim gt/intel_gt_irq.c
 */
#ifndef XT_IRQ_REGS_H
#define XT_IRQ_REGS_H

/* Root: one bit per tile, the message goes out while b31 is set. */
#define XT_MSTR_TILE_INTR		0x190008
#define   XT_MSTR_IRQ_ENABLE		0x80000000
#define   XT_MSTR_TILE(t)		(1u << (t))

/* Tile, write 1 to clear. All ones: the device is gone. */
#define XT_GFX_MSTR_IRQ			0x190010
#define   XT_GFX_MSTR_GT_DW(b)		(1u << (b))
#define   XT_GFX_MSTR_DISPLAY		0x00010000
#define   XT_GFX_MSTR_ERR_CORRECTABLE	0x04000000
#define   XT_GFX_MSTR_ERR_NONFATAL	0x08000000
#define   XT_GFX_MSTR_ERR_FATAL		0x10000000
#define   XT_GFX_MSTR_GU_MISC		0x20000000
#define   XT_GFX_MSTR_PCU		0x40000000

/* Engines, write 1 to clear. */
#define XT_GT_INTR_DW(b)		(0x190018 + 4 * (b))
#define   XT_GT_INTR0_RCS		0x00000001
#define   XT_GT_INTR0_CCS(n)		(1u << (4 + (n)))
#define   XT_GT_INTR0_BCS(n)		((n) == 8 ? 1u << 23 : 1u << (15 - (n)))
#define   XT_GT_INTR0_GUC		0x02000000
#define   XT_GT_INTR0_GSC		0x80000000
#define   XT_GT_INTR1_VCS(n)		(1u << (n))
#define   XT_GT_INTR1_VECS(n)		(1u << (31 - (n)))

/*
 * Write one bit of GT_INTR_DW to the selector, the identity shows what is
 * pending of that unit; write the identity back to acknowledge.
 */
#define XT_INTR_IDENTITY(b)		(0x190060 + 4 * (b))
#define   XT_INTR_VECTOR_MASK		0x0000ffff
#define   XT_INTR_CLASS_MASK		0x00070000
#define   XT_INTR_CLASS_SHIFT		16
#define   XT_INTR_INSTANCE_MASK		0x03f00000
#define   XT_INTR_INSTANCE_SHIFT	20
#define   XT_INTR_VALID			0x80000000
#define XT_IIR_SELECTOR(b)		(0x190070 + 4 * (b))

/* Vector bits of an engine */
#define XT_VEC_USER			0x0001	/* MI_USER_INTERRUPT */
#define XT_VEC_CS_ERROR			0x0008
#define XT_VEC_NOTIFY			0x0010	/* PIPE_CONTROL / MI_FLUSH_DW notify */
#define XT_VEC_CONTEXT_SWITCH		0x0100
#define XT_VEC_SEMAPHORE_WAIT		0x0800

/* Enables: two classes each. */
#define XT_RENDER_COPY_INTR_ENABLE	0x190030	/* hi RCS, lo BCS */
#define XT_VCS_VECS_INTR_ENABLE		0x190034	/* hi VCS, lo VECS */
#define XT_GUC_SG_INTR_ENABLE		0x190038
#define XT_GPM_WGBOXPERF_INTR_ENABLE	0x19003c
#define XT_CRYPTO_RSVD_INTR_ENABLE	0x190040
#define XT_GUNIT_GSC_INTR_ENABLE	0x190044
#define XT_CCS_RSVD_INTR_ENABLE		0x190048	/* hi CCS */

/* Masks, 1 = masked: one instance (hi) or two (which half is which is not documented). */
#define XT_RCS0_RSVD_INTR_MASK		0x190090
#define XT_BCS_RSVD_INTR_MASK		0x1900a0	/* hi BCS0 */
#define XT_VCS0_VCS1_INTR_MASK		0x1900a8
#define XT_VCS2_VCS3_INTR_MASK		0x1900ac
#define XT_VECS0_VECS1_INTR_MASK	0x1900d0
#define XT_HECI2_RSVD_INTR_MASK		0x1900e4
#define XT_GUC_SG_INTR_MASK		0x1900e8
#define XT_GPM_WGBOXPERF_INTR_MASK	0x1900ec
#define XT_CRYPTO_RSVD_INTR_MASK	0x1900f0
#define XT_GUNIT_GSC_INTR_MASK		0x1900f4
#define XT_CCS0_CCS1_INTR_MASK		0x190100
#define XT_CCS2_CCS3_INTR_MASK		0x190104
#define XT_BCS1_BCS2_INTR_MASK		0x190110
#define XT_BCS3_BCS4_INTR_MASK		0x190114
#define XT_BCS5_BCS6_INTR_MASK		0x190118
#define XT_BCS7_BCS8_INTR_MASK		0x19011c

/* Blocks of four registers: status, mask, identity (write 1 to clear), enable. */
#define XT_PCU_IRQ_BASE			0x444e0
#define XT_GU_MISC_IRQ_BASE		0x444f0
#define XT_IRQ_BLOCK_ISR(base)		((base) + 0x0)
#define XT_IRQ_BLOCK_IMR(base)		((base) + 0x4)
#define XT_IRQ_BLOCK_IIR(base)		((base) + 0x8)
#define XT_IRQ_BLOCK_IER(base)		((base) + 0xc)
#define   XT_GU_MISC_GSE		0x08000000

#endif
