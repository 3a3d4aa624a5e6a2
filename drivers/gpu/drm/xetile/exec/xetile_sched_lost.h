/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_SCHED_LOST_H__
#define __XETILE_SCHED_LOST_H__

struct xetile_sched_queue;

void xetile_sched_lost_locked(struct xetile_sched_queue *sq, unsigned int member);

#endif
