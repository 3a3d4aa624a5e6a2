/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_SCHED_REST_H__
#define __XETILE_SCHED_REST_H__

struct xetile_sched_queue;

void xetile_sched_begin_at_rest(struct xetile_sched_queue *sq);
void xetile_sched_rest(struct xetile_sched_queue *sq);
void xetile_sched_go_on(struct xetile_sched_queue *sq);

/* With the execution lock held */
void xetile_sched_rest_settle_locked(struct xetile_sched_queue *sq);

#endif
