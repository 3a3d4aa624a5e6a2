/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_RING_H__
#define __XETILE_RING_H__

#include <linux/types.h>

#include "card/xetile_engine.h"

struct xetile_lrc;

/* Bytes of a ring that a job's commands take at most */
#define XETILE_RING_JOB_BYTES	208

/** struct xetile_ring_job - what a ring is to hold for a job */
struct xetile_ring_job {
	/**
	 * @batch: GPU address of the batch, or NULL: the job has none, or has failed, and only its
	 *	number counts
	 */
	const u64 *batch;
	/** @seqno: number of the job, one more than that before it */
	u32 seqno;
	/** @invalidate_tlb: the VM unmapped addresses whose translations the context may have */
	bool invalidate_tlb;
	/** @store: GPU address of 8 bytes to be written when the batch is done, or NULL */
	const u64 *store;
	/** @value: what is written there */
	u64 value;
};

u32 xetile_ring_emit_job(struct xetile_lrc *lrc, enum xetile_engine_class class,
			 const struct xetile_ring_job *job);
void xetile_ring_skip_batch(struct xetile_lrc *lrc, u32 call);
void xetile_ring_emit_noops(struct xetile_lrc *lrc);

#endif
