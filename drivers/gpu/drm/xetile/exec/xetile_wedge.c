// SPDX-License-Identifier: GPL-2.0-only
#include "exec/xetile_wedge.h"

#include <linux/bug.h>
#include <linux/dma-fence.h>
#include <linux/lockdep.h>
#include <linux/sched.h>

#include "card/xetile_gate.h"
#include "exec/xetile_dispatch.h"
#include "exec/xetile_dispatch_owner.h"
#include "exec/xetile_execlist.h"
#include "exec/xetile_sched_ban.h"
#include "exec/xetile_sched_lock.h"
#include "exec/xetile_sched_types.h"
#include "xetile_device.h"

/**
 * DOC: a card that runs nothing any more
 *
 * A card is wedged after a reset that failed, or because it is gone. First nothing new starts and
 * every queue is banned. Once its engines stand still, or are gone, they are taken from the queues,
 * and all jobs end. The reset, the removal of the card and the handlers of PCI errors call these
 * functions, which take the execution lock themselves.
 */

/* Ban some queues; returns whether there are more. A queue that is added is banned already. */
static bool ban_some(struct xetile_sched *sched, int error)
{
	unsigned long flags = xetile_sched_lock(sched);
	unsigned int n;
	bool more;

	for (n = 0; n < XETILE_SCHED_BATCH && !list_empty(&sched->queues); n++) {
		struct xetile_sched_queue *sq =
			list_first_entry(&sched->queues, struct xetile_sched_queue, link);

		/* In front, where a walk still comes to it: xetile_sched_visit_queues() */
		list_move(&sq->link, &sched->banned);
		xetile_sched_ban_locked(sq, error, error == -EIO ? -EIO : -ECANCELED);
	}
	more = !list_empty(&sched->queues);
	xetile_sched_unlock(sched, flags);
	return more;
}

/**
 * xetile_wedge() - run nothing any more
 * @sched: execution state
 * @error: error that users get: -EIO or -ENODEV
 *
 * Queues keep their engines until xetile_wedge_drop(). There may be very many queues, so the
 * execution lock is dropped after each batch of them.
 *
 * Context: process; takes the execution lock.
 */
void xetile_wedge(struct xetile_sched *sched, int error)
{
	bool cookie = dma_fence_begin_signalling();
	unsigned long flags = xetile_sched_lock(sched);

	WRITE_ONCE(sched->wedged, error);
	xetile_dispatch_set_usable(&sched->dispatch, 0, xetile_sched_now());
	/* Tasks that wait for engines to be left need not wait any more. */
	wake_up_all(&sched->left);
	xetile_sched_unlock(sched, flags);
	while (ban_some(sched, error))
		cond_resched();
	xetile_gate_stay_open(&sched->xt->gate);
	dma_fence_end_signalling(cookie);
}

/**
 * xetile_wedged() - whether nothing runs any more
 * @sched: execution state
 *
 * The answer may be out of date when it arrives: a caller that goes on finds its queue banned.
 * Context: any.
 *
 * Return: 0, or the error: -EIO or -ENODEV.
 */
int xetile_wedged(const struct xetile_sched *sched)
{
	/* Written under the lock; a read without it will do. */
	return READ_ONCE(sched->wedged);
}

/* Count a gang as off all its engines, whatever they do. */
static void gang_drop(struct xetile_sched *sched, struct xetile_gang *gang)
{
	unsigned int m;

	lockdep_assert_held(&sched->lock);
	for (m = 0; m < gang->num_members; m++)
		if (gang->members[m].loaded)
			xetile_dispatch_member_left(&sched->dispatch, gang, m, xetile_sched_now());
}

/**
 * xetile_wedge_set_still() - note that the engines stand still
 * @sched: execution state, wedged
 *
 * All engines of all tiles were stopped and reset, or are gone, or cannot reach the
 * machine's memory any more.
 *
 * Context: any; takes the execution lock.
 */
void xetile_wedge_set_still(struct xetile_sched *sched)
{
	unsigned long flags = xetile_sched_lock(sched);

	sched->still = true;
	xetile_sched_unlock(sched, flags);
}

/**
 * xetile_wedge_drop() - count all queues as off their engines
 * @sched: execution state, wedged, after xetile_wedge_set_still()
 *
 * All jobs end here, and their memory may be given to others at once. So nothing is dropped as
 * long as an engine might run, because to wait for ever is better.
 *
 * Context: any; takes the execution lock.
 */
void xetile_wedge_drop(struct xetile_sched *sched)
{
	bool cookie = dma_fence_begin_signalling();
	unsigned long flags = xetile_sched_lock(sched);
	struct xetile_tile *tile;
	unsigned int i;

	if (WARN_ON(!sched->wedged || !sched->still))
		goto out;
	/* A card that was gone may come back, and with it its interrupts. */
	xetile_for_each_tile(tile, sched->xt)
		for (i = 0; i < tile->num_engines; i++)
			if (tile->engines[i].execlist)
				xetile_execlist_disable(tile->engines[i].execlist);
	for (i = 0; i < XETILE_DISPATCH_ENGINES; i++)
		if (sched->dispatch.owners[i])
			gang_drop(sched, sched->dispatch.owners[i]);
out:
	xetile_sched_unlock(sched, flags);
	dma_fence_end_signalling(cookie);
}
