/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_SCHED_QUEUE_H__
#define __XETILE_SCHED_QUEUE_H__

#include <linux/kref.h>
#include <linux/wait.h>

#include "card/xetile_gate.h"
#include "card/xetile_times.h"
#include "exec/xetile_sched_types.h"

void xetile_sched_queue_init(struct xetile_sched_queue *sq, struct xetile_device *xt,
			     const struct xetile_sched_queue_ops *ops,
			     struct xetile_dispatch_client *client,
			     enum xetile_engine_class class, unsigned int num_members,
			     int priority, unsigned int weight, unsigned int timeout_ms,
			     const struct xetile_times *times);
int xetile_sched_queue_error(struct xetile_sched_queue *sq);
int xetile_sched_queue_wait_room(struct xetile_sched_queue *sq);
void xetile_sched_submit_begin(struct xetile_sched_queue *sq);
void xetile_sched_submit_end(struct xetile_sched_queue *sq);
void xetile_sched_push(struct xetile_sched_queue *sq, struct xetile_job *job);
bool xetile_sched_has_jobs(struct xetile_sched_queue *sq);
bool xetile_sched_wait_idle(struct xetile_sched_queue *sq, unsigned long timeout);

/* With the execution lock held */
void xetile_sched_retire_locked(struct xetile_sched_queue *sq);
void xetile_sched_settle_locked(struct xetile_sched_queue *sq);
void xetile_sched_queue_read_times(struct xetile_sched_queue *sq);

/**
 * xetile_sched_queue_get() - take a reference
 * @sq: a queue the caller has a reference of
 */
static inline void xetile_sched_queue_get(struct xetile_sched_queue *sq)
{
	kref_get(&sq->ref);
}

/**
 * xetile_sched_limit_ms() - how long a batch of a queue may take
 * @sq: the queue
 *
 * Return: engine time in ms; U32_MAX: as long as it likes.
 */
static inline u32 xetile_sched_limit_ms(const struct xetile_sched_queue *sq)
{
	if (sq->lr)
		return U32_MAX;
	return sq->timeout_ms ?:
	       xetile_times_clamp(sq->times, XETILE_TIME_JOB,
				  xetile_times_read(sq->times, XETILE_TIME_JOB, XETILE_TIME_SET));
}

/* For xetile_sched_queue_put() alone */
static inline void xetile_sched_queue_release(struct kref *ref)
{
	struct xetile_sched_queue *sq = container_of(ref, struct xetile_sched_queue, ref);

	xetile_gated_queue(&sq->free_work);
}

/**
 * xetile_sched_queue_put() - drop a reference
 * @sq: the queue
 *
 * Context: any, interrupts included.
 */
static inline void xetile_sched_queue_put(struct xetile_sched_queue *sq)
{
	kref_put(&sq->ref, xetile_sched_queue_release);
}

/**
 * xetile_sched_queue_wake_waiters() - have tasks that wait for a queue look again
 * @sq: the queue
 *
 * Most of the time no task waits.
 *
 * Context: any.
 */
static inline void xetile_sched_queue_wake_waiters(struct xetile_sched_queue *sq)
{
	if (wq_has_sleeper(&sq->off))
		wake_up_all(&sq->off);
}

#endif
