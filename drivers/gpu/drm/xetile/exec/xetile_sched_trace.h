/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_SCHED_TRACE_H__
#define __XETILE_SCHED_TRACE_H__

struct xetile_sched_queue;

/* With the execution lock held */
void xetile_sched_trace_run(struct xetile_sched_queue *sq);
void xetile_sched_trace_stop(struct xetile_sched_queue *sq);
void xetile_sched_trace_left(struct xetile_sched_queue *sq);

#endif
