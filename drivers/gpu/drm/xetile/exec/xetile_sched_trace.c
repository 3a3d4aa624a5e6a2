// SPDX-License-Identifier: GPL-2.0-only
#include "exec/xetile_sched_trace.h"

#include <linux/device.h>
#include <linux/list.h>
#include <linux/lockdep.h>

#include "exec/xetile_job.h"
#include "exec/xetile_sched_engine.h"
#include "exec/xetile_sched_types.h"
#include "xetile_device.h"
#include "xetile_trace.h"

/**
 * DOC: a queue's turns, for tracers
 *
 * The dispatcher is pure and traces nothing. The scheduler calls these functions when the
 * dispatcher tells it what becomes of a queue. The execution lock is held.
 */

/* Number of the fence of the oldest unfinished job, or 0 */
static u64 sq_head(struct xetile_sched_queue *sq)
{
	const struct xetile_job *job =
		list_first_entry_or_null(&sq->running, struct xetile_job, link);

	lockdep_assert_held(&sq->xt->sched->lock);
	return job ? job->fence.base.seqno : 0;
}

/**
 * xetile_sched_trace_run() - a queue's gang is loaded
 * @sq: the queue
 *
 * A gang that got more work is loaded again; only the first time is traced.
 *
 * Context: the execution lock is held.
 */
void xetile_sched_trace_run(struct xetile_sched_queue *sq)
{
	unsigned int m;

	lockdep_assert_held(&sq->xt->sched->lock);
	if (sq->started)
		return;
	sq->started = true;
	if (!trace_xetile_start_enabled())
		return;
	for (m = 0; m < sq->gang.num_members; m++)
		trace_xetile_start(dev_name(sq->xt->drm.dev), sq->fence_context, sq_head(sq),
				   xetile_sched_engine(sq->xt, sq->gang.members[m].engine)->name);
}

/**
 * xetile_sched_trace_stop() - a queue's gang is asked to leave its engines
 * @sq: the queue
 *
 * Context: the execution lock is held.
 */
void xetile_sched_trace_stop(struct xetile_sched_queue *sq)
{
	lockdep_assert_held(&sq->xt->sched->lock);
	trace_xetile_preempt(dev_name(sq->xt->drm.dev), sq->fence_context, sq_head(sq));
}

/**
 * xetile_sched_trace_left() - a queue's gang has left its engines
 * @sq: the queue, without the jobs that are done
 *
 * Context: the execution lock is held.
 */
void xetile_sched_trace_left(struct xetile_sched_queue *sq)
{
	lockdep_assert_held(&sq->xt->sched->lock);
	sq->started = false;
	trace_xetile_leave(dev_name(sq->xt->drm.dev), sq->fence_context, sq->num_running);
}
