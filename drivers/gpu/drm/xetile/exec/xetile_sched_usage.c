// SPDX-License-Identifier: GPL-2.0-only
#include "exec/xetile_sched_usage.h"

#include <linux/bitops.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "exec/xetile_sched_lock.h"

/**
 * DOC: engine time
 *
 * How long the queues of a file had engines, for the statistics of the file. The scheduler adds
 * each turn that is over. The execution lock protects the sums.
 */

/**
 * xetile_sched_usage_create() - begin to count engine time
 *
 * Context: process; may sleep.
 *
 * Return: a reference for xetile_sched_usage_put(), or NULL without memory.
 */
struct xetile_sched_usage *xetile_sched_usage_create(void)
{
	struct xetile_sched_usage *usage = kzalloc(sizeof(*usage), GFP_KERNEL_ACCOUNT);

	if (usage)
		kref_init(&usage->ref);
	return usage;
}

/**
 * xetile_sched_usage_get() - take a reference
 * @usage: usage the caller has a reference of
 *
 * Context: any.
 */
void xetile_sched_usage_get(struct xetile_sched_usage *usage)
{
	kref_get(&usage->ref);
}

static void usage_release(struct kref *ref)
{
	kfree(container_of(ref, struct xetile_sched_usage, ref));
}

/**
 * xetile_sched_usage_put() - drop a reference
 * @usage: usage, or NULL
 *
 * Context: any.
 */
void xetile_sched_usage_put(struct xetile_sched_usage *usage)
{
	if (usage)
		kref_put(&usage->ref, usage_release);
}

/**
 * xetile_sched_usage_read() - how much engine time was used
 * @xt: the card
 * @usage: of a file
 * @compute_ns: out: time on compute engines, with the turns that are not over yet
 * @copy_ns: out: time on copy engines
 *
 * A queue uses its engines from when it gets them until they have left its contexts.
 *
 * Context: any; takes the execution lock.
 */
void xetile_sched_usage_read(struct xetile_device *xt, struct xetile_sched_usage *usage,
			     u64 *compute_ns, u64 *copy_ns)
{
	struct xetile_sched *sched = xt->sched;
	unsigned long flags;
	u64 now, rest;

	/* Nothing changes here, so the dispatcher need not look. */
	spin_lock_irqsave(&sched->lock, flags);
	now = xetile_sched_now();
	*compute_ns = usage->compute_ns;
	*copy_ns = usage->copy_ns;
	for (rest = sched->dispatch.owned; rest; rest &= rest - 1) {
		struct xetile_sched_queue *sq =
			xetile_gang_to_sq(sched->dispatch.owners[__ffs64(rest)]);

		if (sq->usage != usage)
			continue;
		if (sq->class == XETILE_ENGINE_COMPUTE)
			*compute_ns += now - sq->gang.dispatched_ns;
		else
			*copy_ns += now - sq->gang.dispatched_ns;
	}
	spin_unlock_irqrestore(&sched->lock, flags);
}
