// SPDX-License-Identifier: GPL-2.0-only
#include "xetile_exec.h"

#include <linux/workqueue.h>

#include "exec/xetile_migrate.h"
#include "exec/xetile_reset.h"
#include "exec/xetile_sched.h"
#include "exec/xetile_wedge.h"
#include "xetile_device.h"

/**
 * xetile_exec_init() - bring up execution
 * @xt: the card: memory works, engines are started, modes are set
 *
 * Return: 0, or -errno; then nothing is left behind.
 */
int xetile_exec_init(struct xetile_device *xt)
{
	int err;

	err = xetile_sched_init(xt);
	if (err)
		return err;
	err = xetile_migrate_init(xt);
	if (err) {
		xetile_exec_stop(xt);
		xetile_sched_fini(xt);
	}
	return err;
}

/*
 * What follows has all fences signal, and all of it says so to lockdep but for the waits
 * for workers between: these say it themselves, and lockdep takes it for a circle when who
 * says it waits for who does.
 */

/**
 * xetile_exec_stop() - run nothing any more
 * @xt: the card; it may be gone already
 *
 * All fences have signalled on return, those of unfinished work with an error,
 * and no engine touches memory. Jobs that are pushed later end at once. May be
 * repeated.
 */
void xetile_exec_stop(struct xetile_device *xt)
{
	xetile_wedge(xt->gangs, -ENODEV);
	xetile_reset_stop(xt);
	xetile_sched_stop(xt);
}

/**
 * xetile_exec_wedge() - run nothing any more until the card is bound anew
 * @xt: the card; it may answer nothing
 * @error: what users are told: -EIO, or -ENODEV if it is gone
 *
 * All fences have signalled, or do in a moment, those of unfinished work with an error,
 * and no engine touches memory.
 *
 * Context: process; not together with removal.
 */
void xetile_exec_wedge(struct xetile_device *xt, int error)
{
	xetile_wedge(xt->gangs, xetile_wedged(xt->gangs) ?: error);
	xetile_reset_stop(xt);
	xetile_wedge_drop(xt->gangs);
}

/**
 * xetile_exec_tell() - a card that was wedged can be bound anew
 * @xt: the card
 *
 * Userspace is told by an event of the device, if the card is wedged. Context: any.
 */
void xetile_exec_tell(struct xetile_device *xt)
{
	if (xetile_wedged(xt->gangs))
		queue_work(xt->wq, &xt->gangs->wedged_work);
}

/**
 * xetile_exec_fini() - free what execution needed
 * @xt: the card, after xetile_exec_stop() and without interrupts
 */
void xetile_exec_fini(struct xetile_device *xt)
{
	xetile_migrate_fini(xt);
	xetile_sched_fini(xt);
}
