// SPDX-License-Identifier: GPL-2.0-only
#include "xetile_wedge.h"

#include <linux/bug.h>

#include "xetile_device.h"
#include "xetile_execlist.h"
#include "xetile_gang.h"
#include "xetile_sched.h"

/*
 * A card that runs nothing any more: after a reset that failed, or because it is gone.
 * First nothing new starts and every queue is banned; once its engines stand still, or
 * are gone, they are taken from the queues, and all jobs end.
 */

static void ban_all(struct xetile_gangs *gangs, int error)
{
	struct xetile_sched_queue *sq;

	list_for_each_entry(sq, &gangs->queues, link)
		xetile_sched_ban_locked(sq, error, error == -EIO ? -EIO : -ECANCELED);
}

/**
 * xetile_wedge() - run nothing any more
 * @gangs: execution state
 * @error: what users are told: -EIO or -ENODEV
 *
 * Engines are taken from nobody: see xetile_wedge_drop().
 */
void xetile_wedge(struct xetile_gangs *gangs, int error)
{
	unsigned long flags = xetile_sched_lock(gangs);

	WRITE_ONCE(gangs->wedged, error);
	xetile_gang_set_usable(&gangs->gang, 0, xetile_sched_now());
	ban_all(gangs, error);
	/* Who waits for engines to be left need not any more. */
	wake_up_all(&gangs->off);
	xetile_sched_unlock(gangs, flags);
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
	unsigned long flags = xetile_sched_lock(gangs);
	struct xetile_sched_queue *sq;
	struct xetile_tile *tile;
	unsigned int i, m;

	if (WARN_ON(!gangs->wedged || !gangs->still)) {
		xetile_sched_unlock(gangs, flags);
		return;
	}
	/* A card that was gone may come back, and its interrupts with it. */
	xetile_for_each_tile(tile, gangs->xt)
		for (i = 0; i < tile->num_engines; i++)
			if (tile->engines[i].execlist)
				xetile_execlist_disable(tile->engines[i].execlist);
	list_for_each_entry(sq, &gangs->queues, link)
		for (m = 0; m < sq->unit.num_members; m++)
			if (sq->unit.members[m].on)
				xetile_gang_member_off(&gangs->gang, &sq->unit, m,
						       xetile_sched_now());
	xetile_sched_unlock(gangs, flags);
}
