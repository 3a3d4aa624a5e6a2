/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_SCHED_H__
#define __XETILE_SCHED_H__

#include "exec/xetile_sched_types.h"

int xetile_sched_init(struct xetile_device *xt);
int xetile_sched_start(struct xetile_device *xt);
void xetile_sched_stop(struct xetile_device *xt);
void xetile_sched_fini(struct xetile_device *xt);

void xetile_sched_idle_mode(struct xetile_tile *tile, unsigned int mode);
bool xetile_sched_engine_is_owned(const struct xetile_engine *engine);

void xetile_sched_queue_add(struct xetile_sched_queue *sq);

void xetile_sched_visit_queues(struct xetile_sched *sched,
			       void (*visit)(struct xetile_sched_queue *sq));

#endif
