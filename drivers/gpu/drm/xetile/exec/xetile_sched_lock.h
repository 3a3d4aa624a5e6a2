/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_SCHED_LOCK_H__
#define __XETILE_SCHED_LOCK_H__

#include <linux/ktime.h>
#include <linux/spinlock.h>

#include "exec/xetile_sched_types.h"

/* How late the loss of an interrupt may be found */
#define XETILE_SCHED_POLL_NS	NSEC_PER_SEC

void xetile_sched_unlock(struct xetile_sched *sched, unsigned long flags) __releases(&sched->lock);

/**
 * xetile_sched_lock() - take the card's execution lock
 * @sched: execution state
 *
 * Context: any; takes the execution lock.
 * Return: flags for xetile_sched_unlock().
 */
static inline unsigned long xetile_sched_lock(struct xetile_sched *sched) __acquires(&sched->lock)
{
	unsigned long flags;

	spin_lock_irqsave(&sched->lock, flags);
	return flags;
}

/**
 * xetile_sched_now() - the dispatcher's clock
 *
 * Return: time in ns.
 */
static inline u64 xetile_sched_now(void)
{
	return ktime_get_ns();
}

#endif
