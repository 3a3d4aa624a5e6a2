/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_RING_H__
#define __XETILE_RING_H__

#include <linux/types.h>

#include "card/xetile_engine.h"

struct xetile_lrc;

/* Bytes of a ring that a job's commands take at most */
#define XETILE_RING_JOB_BYTES	192

u32 xetile_ring_emit_job(struct xetile_lrc *lrc, enum xetile_engine_class class, const u64 *batch,
			 u32 seqno, bool invalidate_tlb);
void xetile_ring_skip_batch(struct xetile_lrc *lrc, u32 call);
void xetile_ring_emit_noops(struct xetile_lrc *lrc);

#endif
