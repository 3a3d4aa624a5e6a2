/* SPDX-License-Identifier: MIT */
/* Batches with a COMPUTE_WALKER that runs a tiny kernel. */
#ifndef VPVC_CS_LAUNCH_H
#define VPVC_CS_LAUNCH_H

#include "tests/cs_test.h"

/*
 * Adds 1 to dword x + y * inline.uw[4] + z * inline.uw[6] of the array at
 * inline.uq[0]:
 *   mul r10.0 r0.6 r1.4:uw; mul r10.1 r0.7 r1.6:uw; add; add r0.1; shl 2;
 *   add r2:uq r1.0:uq; mov r4 1; send.dc1 a64 atomic add; EOT
 */
static const uint32_t kernel_count[] = {
	0x80000941, 0x0a050220, 0x01000064, 0x00000124,
	0x80001941, 0x0a150220, 0x01000074, 0x00000134,
	0x80001940, 0x0a050220, 0x02000a04, 0x00000a14,
	0x80001940, 0x0a050220, 0x02000a04, 0x00000014,
	0x80001969, 0x0a058220, 0x01000a04, 0x00020002,
	0x80001940, 0x02050330, 0x02000104, 0x00000a04,
	0x80001961, 0x04054160, 0x00000000, 0x00010001,
	0x80012131, 0x00000000, 0xcffe0214, 0x0120040c,
	0x8010a161, 0x7f050aa0, 0x00100004, 0x00000000,
	0x800c1131, 0x00000004, 0x30207f0c, 0x00000000,
};

/* mov r4 1; jmpi to it */
static const uint32_t kernel_endless[] = {
	0x80000061, 0x04054160, 0x00000000, 0x00010001,
	0x80000020, 0x00004000, 0x00000000, 0xfffffff0,
};

#define KERNEL_OFFSET	0x100000	/* in the batch area, which is the ISA heap */

static inline void load_kernel(struct ctx *x, const uint32_t *code, size_t size)
{
	memcpy(hbm32(x->b, x->batch + KERNEL_OFFSET), code, size);
	memset(hbm32(x->b, x->batch + KERNEL_OFFSET + size), 0, 256);
}

struct launch {
	uint32_t flags0;	/* DW0 */
	bool interruptible;	/* the descriptor lets threads be preempted */
	uint32_t partition_type, partition_size, partition_id;
	uint32_t groups[3], start[3];
	uint32_t order;
	uint32_t post_op;
	uint64_t post_addr, post_imm;
	uint64_t arg;
	uint32_t arg2;		/* Gx, Gx * Gy as words */
};

static inline void emit_state(struct ctx *x)
{
	/* State must not change under a walker, such as that of the last batch. */
	BATCH(x, PVC_PIPE_CONTROL, PVC_PIPE_CONTROL1_CS_STALL, 0, 0, 0, 0);
	BATCH(x, PVC_PIPELINE_SELECT | PVC_FIELD_PREP(PVC_PIPELINE_SELECT_MASK, 3) |
	      PVC_PIPELINE_SELECT_GPGPU);
	BATCH(x, PVC_STATE_COMPUTE_MODE, PVC_SCM_MASKED(PVC_SCM_LARGE_GRF, 0));
	BATCH(x, PVC_CFE_STATE, 0, 0, 0x10008800, 0, 0);
	/* absolute number of the absent engine, as IGT writes it */
	BATCH(x, PVC_MI_LOAD_REGISTER_IMM(1), 0x2580, 0x00060002);
	BATCH(x, PVC_STATE_BASE_ADDRESS, PVC_SBA_MODIFY, 0, 0, 0x200001, 0, 0x300001, 0, 0, 0,
	      PVC_LOWER_32(BATCH_VA) | PVC_SBA_MODIFY, PVC_UPPER_32(BATCH_VA),
	      0xfffff001, 0x10001, 0, 0xfffff001, 0, 0, 0x7fbf, 0, 0, 0);
	BATCH(x, PVC_3DSTATE_BINDING_TABLE_POOL_ALLOC, 0, 0, 0);
}

static inline void emit_walker(struct ctx *x, const struct launch *l)
{
	uint32_t w[PVC_COMPUTE_WALKER_DWORDS] = { 0 };
	uint32_t *idd = w + PVC_COMPUTE_WALKER_IDD_DW, *p = w + PVC_COMPUTE_WALKER_POST_SYNC_DW;

	w[0] = PVC_COMPUTE_WALKER | l->flags0;
	w[2] = PVC_FIELD_PREP(PVC_COMPUTE_WALKER2_PARTITION_TYPE, l->partition_type);
	w[4] = PVC_FIELD_PREP(PVC_COMPUTE_WALKER4_SIMD, PVC_COMPUTE_WALKER_SIMD16) |
	       PVC_FIELD_PREP(PVC_COMPUTE_WALKER4_MESSAGE_SIMD, PVC_COMPUTE_WALKER_SIMD16) |
	       PVC_FIELD_PREP(PVC_COMPUTE_WALKER4_WALK_ORDER, l->order) |
	       PVC_COMPUTE_WALKER4_EMIT_INLINE;
	w[5] = ~0u;
	w[6] = PVC_FIELD_PREP(PVC_COMPUTE_WALKER6_LOCAL_X, 15);
	for (unsigned int i = 0; i < 3; i++) {
		w[PVC_COMPUTE_WALKER_GROUPS_DW(i)] = l->groups[i];
		w[PVC_COMPUTE_WALKER_START_DW(i)] = l->start[i];
	}
	w[PVC_COMPUTE_WALKER_PARTITION_ID_DW] = l->partition_id;
	w[PVC_COMPUTE_WALKER_PARTITION_SIZE_DW] = l->partition_size;
	idd[0] = KERNEL_OFFSET;
	idd[2] = PVC_IDD2_DENORM_BY_KERNEL |
		 (l->interruptible ? 0 : PVC_IDD2_THREAD_PREEMPTION_DISABLE);
	idd[5] = PVC_FIELD_PREP(PVC_IDD5_THREADS, 1);
	p[0] = l->post_op;
	p[1] = PVC_LOWER_32(l->post_addr);
	p[2] = PVC_UPPER_32(l->post_addr);
	p[3] = PVC_LOWER_32(l->post_imm);
	p[4] = PVC_UPPER_32(l->post_imm);
	w[PVC_COMPUTE_WALKER_INLINE_DW] = PVC_LOWER_32(l->arg);
	w[PVC_COMPUTE_WALKER_INLINE_DW + 1] = PVC_UPPER_32(l->arg);
	w[PVC_COMPUTE_WALKER_INLINE_DW + 2] = l->arg2 & 0xffff;
	w[PVC_COMPUTE_WALKER_INLINE_DW + 3] = l->arg2 >> 16;
	batch_dws(x, w, PVC_COMPUTE_WALKER_DWORDS);
}

#define COUNTS	(USER_VA + 0x1000)

static inline struct launch counting(uint32_t gx, uint32_t gy, uint32_t gz)
{
	return (struct launch) {
		.groups = { gx, gy, gz }, .arg = COUNTS, .arg2 = gx | (gx * gy) << 16,
	};
}

static inline uint32_t counted(struct ctx *x, uint32_t i)
{
	return data32(x, 0x400 + i);
}

static inline void set_wparid(struct ctx *x, uint32_t id)
{
	BATCH(x, PVC_MI_LOAD_REGISTER_IMM(1) | PVC_MI_LRI_REMAP, 0x221c, id);
}

#endif
