/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_SCHED_BAN_H__
#define __XETILE_SCHED_BAN_H__

#include <linux/types.h>

struct xetile_engine;
struct xetile_fault;
struct xetile_sched_queue;

void xetile_sched_kill(struct xetile_sched_queue *sq, int error);
void xetile_sched_end_late(struct xetile_sched_queue *sq, unsigned int ms);
void xetile_sched_note_fault(struct xetile_engine *engine, const struct xetile_fault *fault);

/* With the execution lock held */
u64 xetile_sched_late_locked(struct xetile_sched_queue *sq);
void xetile_sched_taken_locked(struct xetile_sched_queue *sq, unsigned int member);
u64 xetile_sched_untaken_locked(struct xetile_sched_queue *sq);
void xetile_sched_ban_locked(struct xetile_sched_queue *sq, int error, int head_error);
void xetile_sched_blame_locked(struct xetile_sched_queue *sq, int head_error);

#endif
