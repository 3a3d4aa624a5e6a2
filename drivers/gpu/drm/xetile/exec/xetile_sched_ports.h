/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_SCHED_PORTS_H__
#define __XETILE_SCHED_PORTS_H__

#include <linux/lockdep.h>

#include "exec/xetile_sched_lock.h"
#include "exec/xetile_sched_types.h"

int xetile_sched_ports_create(struct xetile_device *xt);
void xetile_sched_ports_listen(struct xetile_device *xt);
void xetile_sched_ports_destroy(struct xetile_device *xt);

/* With the execution lock held */
void xetile_sched_poll_locked(struct xetile_sched *sched);
void xetile_sched_poll_silent_locked(struct xetile_sched *sched);

/**
 * xetile_sched_heard() - an engine reported something, or was told something
 * @sched: execution state, locked
 * @engine: number of the engine
 *
 * An engine that is silent for XETILE_SCHED_POLL_NS from now on is asked.
 *
 * Context: the execution lock is held.
 */
static inline void xetile_sched_heard(struct xetile_sched *sched, unsigned int engine)
{
	lockdep_assert_held(&sched->lock);
	sched->heard_ns[engine] = xetile_sched_now();
}

#endif
