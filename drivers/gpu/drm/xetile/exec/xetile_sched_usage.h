/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_SCHED_USAGE_H__
#define __XETILE_SCHED_USAGE_H__

#include <linux/kref.h>
#include <linux/lockdep.h>
#include <linux/types.h>

#include "card/xetile_engine.h"
#include "exec/xetile_sched_types.h"
#include "xetile_device.h"

/** struct xetile_sched_usage - engine time that the queues of a file have used */
struct xetile_sched_usage {
	/** @ref: the file has one, each queue has one */
	struct kref ref;
	/** @compute_ns: time on all compute engines together; protected by the execution lock */
	u64 compute_ns;
	/** @copy_ns: time on all copy engines together; protected by the execution lock */
	u64 copy_ns;
};

struct xetile_sched_usage *xetile_sched_usage_create(void);
void xetile_sched_usage_get(struct xetile_sched_usage *usage);
void xetile_sched_usage_put(struct xetile_sched_usage *usage);
void xetile_sched_usage_read(struct xetile_device *xt, struct xetile_sched_usage *usage,
			     u64 *compute_ns, u64 *copy_ns);

/**
 * xetile_sched_usage_add() - count a turn that is over
 * @sq: the queue
 * @ns: how long it had its engines
 * @engines: number of these engines, all of the queue's class
 *
 * Context: the execution lock is held.
 */
static inline void xetile_sched_usage_add(struct xetile_sched_queue *sq, u64 ns,
					  unsigned int engines)
{
	lockdep_assert_held(&sq->xt->sched->lock);
	if (!sq->usage)
		return;
	if (sq->class == XETILE_ENGINE_COMPUTE)
		sq->usage->compute_ns += ns * engines;
	else
		sq->usage->copy_ns += ns * engines;
}

#endif
