// SPDX-License-Identifier: GPL-2.0-only
#include "exec/xetile_wedge.h"

#include <linux/bug.h>
#include <linux/dma-fence.h>
#include <linux/lockdep.h>
#include <linux/sched.h>

#include "card/xetile_gate.h"
#include "exec/xetile_execlist.h"
#include "exec/xetile_gang.h"
#include "exec/xetile_sched.h"
#include "xetile_device.h"

/*
 * A card that runs nothing any more: after a reset that failed, or because it is gone.
 * First nothing new starts and every queue is banned; once its engines stand still, or
 * are gone, they are taken from the queues, and all jobs end.
 */

/* Ban some queues; returns whether there are more. A queue that is added is banned already. */
static bool ban_some(struct xetile_gangs *gangs, int error)
{
	unsigned long flags = xetile_sched_lock(gangs);
	unsigned int n;
	bool more;

	for (n = 0; n < XETILE_SCHED_BATCH && !list_empty(&gangs->queues); n++) {
		struct xetile_sched_queue *sq =
			list_first_entry(&gangs->queues, struct xetile_sched_queue, link);

		/* In front, where a walk comes to it yet: xetile_sched_visit_queues() */
		list_move(&sq->link, &gangs->banned);
		xetile_sched_ban_locked(sq, error, error == -EIO ? -EIO : -ECANCELED);
	}
	more = !list_empty(&gangs->queues);
	xetile_sched_unlock(gangs, flags);
	return more;
}

/**
 * xetile_wedge() - run nothing any more
 * @gangs: execution state
 * @error: what users are told: -EIO or -ENODEV
 *
 * Engines are taken from nobody: see xetile_wedge_drop(). There may be very many
 * queues: the execution lock is let go of between some and the next.
 */
void xetile_wedge(struct xetile_gangs *gangs, int error)
{
	bool cookie = dma_fence_begin_signalling();
	unsigned long flags = xetile_sched_lock(gangs);

	WRITE_ONCE(gangs->wedged, error);
	xetile_gang_set_usable(&gangs->gang, 0, xetile_sched_now());
	/* Who waits for engines to be left need not any more. */
	wake_up_all(&gangs->left);
	xetile_sched_unlock(gangs, flags);
	while (ban_some(gangs, error))
		cond_resched();
	xetile_gate_stay_open(&gangs->xt->gate);
	dma_fence_end_signalling(cookie);
}

/**
 * xetile_wedged() - whether nothing runs any more
 * @gangs: execution state
 *
 * The answer may be old when it arrives: who goes on finds its queue banned. Context: any.
 *
 * Return: 0, or why: -EIO or -ENODEV.
 */
int xetile_wedged(const struct xetile_gangs *gangs)
{
	/* Written under the lock, which this is not worth. */
	return READ_ONCE(gangs->wedged);
}

/* A unit leaves all its engines, without their doing. */
static void unit_drop(struct xetile_gangs *gangs, struct xetile_gang_unit *unit)
{
	unsigned int m;

	lockdep_assert_held(&gangs->lock);
	for (m = 0; m < unit->num_members; m++)
		if (unit->members[m].on)
			xetile_gang_member_off(&gangs->gang, unit, m, xetile_sched_now());
}

/**
 * xetile_wedge_set_still() - say that the engines stand still
 * @gangs: execution state, wedged
 *
 * All engines of all tiles were stopped and reset, or are gone, or cannot reach the
 * machine's memory any more.
 */
void xetile_wedge_set_still(struct xetile_gangs *gangs)
{
	unsigned long flags = xetile_sched_lock(gangs);

	gangs->still = true;
	xetile_sched_unlock(gangs, flags);
}

/**
 * xetile_wedge_drop() - count all queues as off their engines
 * @gangs: execution state, wedged, after xetile_wedge_set_still()
 *
 * All jobs end here, and what they used may be given to others at once. So nothing is
 * dropped as long as an engine might run: it is better to wait for ever.
 */
void xetile_wedge_drop(struct xetile_gangs *gangs)
{
	bool cookie = dma_fence_begin_signalling();
	unsigned long flags = xetile_sched_lock(gangs);
	struct xetile_tile *tile;
	unsigned int i;

	if (WARN_ON(!gangs->wedged || !gangs->still))
		goto out;
	/* A card that was gone may come back, and its interrupts with it. */
	xetile_for_each_tile(tile, gangs->xt)
		for (i = 0; i < tile->num_engines; i++)
			if (tile->engines[i].execlist)
				xetile_execlist_disable(tile->engines[i].execlist);
	for (i = 0; i < XETILE_GANG_ENGINES; i++)
		if (gangs->gang.owners[i])
			unit_drop(gangs, gangs->gang.owners[i]);
out:
	xetile_sched_unlock(gangs, flags);
	dma_fence_end_signalling(cookie);
}
