/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_SCHED_H__
#define __XETILE_SCHED_H__

#include "exec/xetile_sched_types.h"

int xetile_sched_init(struct xetile_device *xt);
int xetile_sched_start(struct xetile_device *xt);
void xetile_sched_stop(struct xetile_device *xt);
void xetile_sched_fini(struct xetile_device *xt);

unsigned int xetile_sched_engine_index(const struct xetile_engine *engine);
struct xetile_engine *xetile_sched_engine(struct xetile_device *xt, unsigned int index);
bool xetile_sched_engine_is_owned(const struct xetile_engine *engine);

struct xetile_sched_usage *xetile_sched_usage_create(void);
void xetile_sched_usage_get(struct xetile_sched_usage *usage);
void xetile_sched_usage_put(struct xetile_sched_usage *usage);
void xetile_sched_usage_read(struct xetile_device *xt, struct xetile_sched_usage *usage,
			     u64 *compute_ns, u64 *copy_ns);

void xetile_sched_queue_init(struct xetile_sched_queue *sq, struct xetile_device *xt,
			     const struct xetile_sched_queue_ops *ops,
			     struct xetile_dispatch_client *client,
			     enum xetile_engine_class class, unsigned int num_members,
			     int priority, unsigned int weight, unsigned int timeout_ms,
			     const struct xetile_times *times);
void xetile_sched_queue_add(struct xetile_sched_queue *sq);
void xetile_sched_queue_get(struct xetile_sched_queue *sq);
void xetile_sched_queue_put(struct xetile_sched_queue *sq);
int xetile_sched_queue_error(struct xetile_sched_queue *sq);
int xetile_sched_queue_wait_room(struct xetile_sched_queue *sq);
void xetile_sched_submit_begin(struct xetile_sched_queue *sq);
void xetile_sched_submit_end(struct xetile_sched_queue *sq);
void xetile_sched_push(struct xetile_sched_queue *sq, struct xetile_job *job);
void xetile_sched_kill(struct xetile_sched_queue *sq, int error);
bool xetile_sched_has_jobs(struct xetile_sched_queue *sq);
bool xetile_sched_wait_idle(struct xetile_sched_queue *sq, unsigned long timeout);

/* For resets: hold the lock over several steps */
unsigned long xetile_sched_lock(struct xetile_sched *sched) __acquires(&sched->lock);
void xetile_sched_unlock(struct xetile_sched *sched, unsigned long flags) __releases(&sched->lock);
void xetile_sched_ban_locked(struct xetile_sched_queue *sq, int error, int head_error);
void xetile_sched_blame_locked(struct xetile_sched_queue *sq, int head_error);
void xetile_sched_note_fault(struct xetile_engine *engine, u64 addr, bool write);
void xetile_sched_lost_locked(struct xetile_sched_queue *sq, unsigned int member);
void xetile_sched_poll_locked(struct xetile_sched *sched);
void xetile_sched_visit_queues(struct xetile_sched *sched,
			       void (*visit)(struct xetile_sched_queue *sq));
u64 xetile_sched_now(void);

#endif
