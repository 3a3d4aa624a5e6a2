// SPDX-License-Identifier: GPL-2.0-only
#include "card/xetile_patience.h"

#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/sched/signal.h>

#include <drm/drm_print.h>

#include "xetile_device.h"

/**
 * DOC: long waits
 *
 * The card's firmware may need minutes after a power-on and seconds after a reset of the function
 * before it lets a driver work. Such a wait tells the log every few seconds that it goes on, and
 * what it waits for. A process that waits for the binding of the card, insmod or a write to the
 * driver's bind file, can be killed: then the wait ends, and with it the binding. (On a machine
 * with several NUMA nodes the PCI core may have a kernel thread bind the card, which nobody can
 * kill.) A card that is pulled out ends the wait as well, because its registers read all ones; an
 * orderly removal waits until the binding has ended. A wait is on its caller's stack, and has no
 * lock.
 */

#define PAUSE_MS	10
#define TELL_MS		5000

/**
 * xetile_patience_begin() - begin a long wait
 * @wait: the wait
 * @xt: the card
 * @timeout_ms: how long it lasts at most, milliseconds
 * @killable: whether it ends when the process is killed
 *
 * Context: any.
 */
void xetile_patience_begin(struct xetile_patience *wait, struct xetile_device *xt,
			   unsigned int timeout_ms, bool killable)
{
	wait->xt = xt;
	wait->start = jiffies;
	wait->end = wait->start + msecs_to_jiffies(timeout_ms);
	wait->tell = wait->start + msecs_to_jiffies(TELL_MS);
	wait->killable = killable;
}

/**
 * xetile_patience_go_on() - wait a little
 * @wait: the wait
 * @why: what is waited for, for the log
 *
 * Context: process.
 * Return: 0: the caller has to look again; -ETIMEDOUT: it has looked long enough; -EINTR: the
 * process was killed.
 */
int xetile_patience_go_on(struct xetile_patience *wait, const char *why)
{
	if (time_after(jiffies, wait->end))
		return -ETIMEDOUT;
	if (time_after(jiffies, wait->tell)) {
		drm_info(&wait->xt->drm, "waiting for %u s: %s\n",
			 jiffies_to_msecs(jiffies - wait->start) / 1000, why);
		wait->tell = jiffies + msecs_to_jiffies(TELL_MS);
	}
	if (!wait->killable) {
		msleep(PAUSE_MS);
		return 0;
	}
	schedule_timeout_killable(msecs_to_jiffies(PAUSE_MS));
	return fatal_signal_pending(current) ? -EINTR : 0;
}

/**
 * xetile_patience_tell_end() - tell the log why a wait has failed
 * @wait: the wait
 * @why: what was waited for
 * @err: what xetile_patience_go_on() has returned, or -ENODEV: the card does not answer any more
 *
 * Context: any.
 */
void xetile_patience_tell_end(const struct xetile_patience *wait, const char *why, int err)
{
	struct drm_device *drm = &wait->xt->drm;

	if (err == -EINTR)
		drm_err(drm, "%s: its binding was interrupted\n", why);
	else if (err == -ENODEV)
		drm_err(drm, "%s: the card does not answer\n", why);
	else
		drm_err(drm, "%s: given up after %u s\n", why,
			jiffies_to_msecs(wait->end - wait->start) / 1000);
}
