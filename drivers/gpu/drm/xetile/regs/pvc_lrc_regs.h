/* SPDX-License-Identifier: MIT */
/*
 * Logical ring contexts: descriptor, image, status page, context events.
 * Source: xe xe_lrc.c, xe_execlist.c, regs/xe_lrc_layout.h; i915 gt/intel_lrc.c,
 * gt/intel_execlists_submission.c.
 */
#ifndef PVC_LRC_REGS_H
#define PVC_LRC_REGS_H

/* Context descriptor, as written to EXECLIST_SQ_CONTENTS */
#define PVC_CTX_VALID			0x0000000000000001ull
#define PVC_CTX_FORCE_PD_RESTORE	0x0000000000000002ull
#define PVC_CTX_FORCE_RESTORE		0x0000000000000004ull
#define PVC_CTX_ADDRESSING_MASK		0x0000000000000018ull
#define PVC_CTX_ADDRESSING_PPGTT	0x0000000000000018ull
#define PVC_CTX_FAULT_HALT		0x0000000000000040ull
#define PVC_CTX_PPGTT_ENABLE		0x0000000000000100ull
#define PVC_CTX_PRIORITY_MASK		0x0000000000000600ull
#define PVC_CTX_PRIORITY_SHIFT		9
#define PVC_CTX_LRCA_MASK		0x00000000fffff000ull	/* GGTT address */
#define PVC_CTX_SW_ID_MASK		0x007fff8000000000ull
#define PVC_CTX_SW_ID_SHIFT		39
#define PVC_CTX_SW_ID_NONE		0xffff
#define PVC_CTX_SW_COUNTER_MASK		0xfc00000000000000ull
#define PVC_CTX_SW_COUNTER_SHIFT	58

/* Image: the per-process status page, then the register state */
#define PVC_LRC_PPHWSP_SIZE		0x1000
#define PVC_LRC_STATE_OFFSET		0x1000
#define PVC_LRC_SIZE_CCS		(14 * 0x1000)
#define PVC_LRC_SIZE_BCS		(2 * 0x1000)

/* Dwords of the register state; the value follows at index + 1 */
#define PVC_LRC_CONTEXT_CONTROL		0x02
#define PVC_LRC_RING_HEAD		0x04
#define PVC_LRC_RING_TAIL		0x06
#define PVC_LRC_RING_START		0x08
#define PVC_LRC_RING_CTL		0x0a
#define PVC_LRC_BBADDR_UDW		0x0c
#define PVC_LRC_BBADDR			0x0e
#define PVC_LRC_BBSTATE			0x10
#define PVC_LRC_BB_PER_CTX_PTR		0x12
#define PVC_LRC_INDIRECT_CTX		0x14
#define PVC_LRC_INDIRECT_CTX_OFFSET	0x16
#define PVC_LRC_CCID			0x18
#define PVC_LRC_SEMAPHORE_TOKEN		0x1a
#define PVC_LRC_CTX_TIMESTAMP		0x22
#define PVC_LRC_PDP3_UDW		0x24	/* unused slots 28c, 288, 284 */
#define PVC_LRC_ACC_CTR_THOLD		0x2a
#define PVC_LRC_PASID			0x2c
#define PVC_LRC_ASID			0x2e
#define PVC_LRC_PDP0_UDW		0x30
#define PVC_LRC_PDP0			0x32
#define PVC_LRC_END			0x34	/* MI_BATCH_BUFFER_END */
#define PVC_LRC_MI_MODE			0x70
#define PVC_LRC_BB_OFFSET		0x80
#define PVC_LRC_GPR0			0x84

/* Engine status page: context status buffer */
#define PVC_HWSP_CSB			0x40	/* bytes; 12 entries of 8 */
#define PVC_HWSP_CSB_WRITE_PTR		0xbc	/* index last written */

/* Context status buffer entry */
#define PVC_CSB_SWITCH_DETAIL_MASK	0x000000000000000full
#define   PVC_CSB_DETAIL_COMPLETE	0x0
#define   PVC_CSB_DETAIL_SEMAPHORE	0x4
#define   PVC_CSB_DETAIL_PREEMPTED	0x5
#define PVC_CSB_INSTANCE_MASK		0x00000000000003f0ull
#define PVC_CSB_INSTANCE_SHIFT		4
#define PVC_CSB_TO_ID_MASK		0x0000000003fffc00ull
#define PVC_CSB_TO_ID_SHIFT		10
#define PVC_CSB_TO_COUNTER_MASK		0x00000000fc000000ull
#define PVC_CSB_TO_COUNTER_SHIFT	26
#define PVC_CSB_SEMAPHORE_WAIT		0x0000000100000000ull
#define PVC_CSB_NEW_QUEUE		0x0000000200000000ull
#define PVC_CSB_AWAY_ID_MASK		0x03fffc0000000000ull
#define PVC_CSB_AWAY_ID_SHIFT		42
#define PVC_CSB_AWAY_COUNTER_MASK	0xfc00000000000000ull
#define PVC_CSB_AWAY_COUNTER_SHIFT	58

#endif
