/* SPDX-License-Identifier: MIT */
/*
 * Logical ring contexts: descriptor, image, status page, context events.
 * Source: xe xe_lrc.c, xe_execlist.c, regs/xe_lrc_layout.h; i915 gt/intel_lrc.c,
 * gt/intel_execlists_submission.c.
 */
#ifndef XT_LRC_REGS_H
#define XT_LRC_REGS_H

/* Context descriptor, as written to EXECLIST_SQ_CONTENTS */
#define XT_CTX_VALID			0x0000000000000001ull
#define XT_CTX_FORCE_PD_RESTORE		0x0000000000000002ull
#define XT_CTX_FORCE_RESTORE		0x0000000000000004ull
#define XT_CTX_ADDRESSING_MASK		0x0000000000000018ull
#define XT_CTX_ADDRESSING_PPGTT		0x0000000000000018ull
#define XT_CTX_FAULT_HALT		0x0000000000000040ull
#define XT_CTX_PPGTT_ENABLE		0x0000000000000100ull
#define XT_CTX_PRIORITY_MASK		0x0000000000000600ull
#define XT_CTX_PRIORITY_SHIFT		9
#define XT_CTX_LRCA_MASK		0x00000000fffff000ull	/* GGTT address */
#define XT_CTX_SW_ID_MASK		0x007fff8000000000ull
#define XT_CTX_SW_ID_SHIFT		39
#define XT_CTX_SW_ID_NONE		0xffff
#define XT_CTX_SW_COUNTER_MASK		0xfc00000000000000ull
#define XT_CTX_SW_COUNTER_SHIFT		58

/* Image: the per-process status page, then the register state */
#define XT_LRC_PPHWSP_SIZE		0x1000
#define XT_LRC_STATE_OFFSET		0x1000
#define XT_LRC_SIZE_CCS			(14 * 0x1000)
#define XT_LRC_SIZE_BCS			(2 * 0x1000)

/* Dwords of the register state; the value follows at index + 1 */
#define XT_LRC_CONTEXT_CONTROL		0x02
#define XT_LRC_RING_HEAD		0x04
#define XT_LRC_RING_TAIL		0x06
#define XT_LRC_RING_START		0x08
#define XT_LRC_RING_CTL			0x0a
#define XT_LRC_BBADDR_UDW		0x0c
#define XT_LRC_BBADDR			0x0e
#define XT_LRC_BBSTATE			0x10
#define XT_LRC_BB_PER_CTX_PTR		0x12
#define XT_LRC_INDIRECT_CTX		0x14
#define XT_LRC_INDIRECT_CTX_OFFSET	0x16
#define XT_LRC_CCID			0x18
#define XT_LRC_SEMAPHORE_TOKEN		0x1a
#define XT_LRC_CTX_TIMESTAMP		0x22
#define XT_LRC_PDP3_UDW			0x24	/* unused slots 28c, 288, 284 */
#define XT_LRC_ACC_CTR_THOLD		0x2a
#define XT_LRC_PASID			0x2c
#define XT_LRC_ASID			0x2e
#define XT_LRC_PDP0_UDW			0x30
#define XT_LRC_PDP0			0x32
#define XT_LRC_END			0x34	/* MI_BATCH_BUFFER_END */
#define XT_LRC_MI_MODE			0x70
#define XT_LRC_BB_OFFSET		0x80
#define XT_LRC_GPR0			0x84

/* Engine status page: context status buffer */
#define XT_HWSP_CSB			0x40	/* bytes; 12 entries of 8 */
#define XT_HWSP_CSB_WRITE_PTR		0xbc	/* index last written */

/* Context status buffer entry */
#define XT_CSB_SWITCH_DETAIL_MASK	0x000000000000000full
#define   XT_CSB_DETAIL_COMPLETE	0x0
#define   XT_CSB_DETAIL_SEMAPHORE	0x4
#define   XT_CSB_DETAIL_PREEMPTED	0x5
#define XT_CSB_INSTANCE_MASK		0x00000000000003f0ull
#define XT_CSB_INSTANCE_SHIFT		4
#define XT_CSB_TO_ID_MASK		0x0000000003fffc00ull
#define XT_CSB_TO_ID_SHIFT		10
#define XT_CSB_TO_COUNTER_MASK		0x00000000fc000000ull
#define XT_CSB_TO_COUNTER_SHIFT		26
#define XT_CSB_SEMAPHORE_WAIT		0x0000000100000000ull
#define XT_CSB_NEW_QUEUE		0x0000000200000000ull
#define XT_CSB_AWAY_ID_MASK		0x03fffc0000000000ull
#define XT_CSB_AWAY_ID_SHIFT		42
#define XT_CSB_AWAY_COUNTER_MASK	0xfc00000000000000ull
#define XT_CSB_AWAY_COUNTER_SHIFT	58

#endif
