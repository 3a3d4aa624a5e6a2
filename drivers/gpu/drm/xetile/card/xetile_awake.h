/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_AWAKE_H__
#define __XETILE_AWAKE_H__

#include <linux/errno.h>
#include <linux/pm_runtime.h>

#include <drm/drm_drv.h>

#include "xetile_device.h"

/**
 * DOC: who needs the card awake
 *
 * A card that nobody uses may fall asleep alone (xetile_device_rest()). It is awake as long as
 * somebody has a reference of the usage count that the PM core keeps for its device. An account has
 * one, so that a card is awake as long as a file is open, or a queue or an address space lives that
 * the file has made; and so has each BO, which may outlive all of these as a dma-buf. Whatever runs
 * for one of them (calls, page faults, workers) needs no reference of its own. What else uses the
 * card takes one for a moment.
 *
 * A reference is dropped in any context. It is taken without a lock that the card's sleep takes,
 * which is any lock of ours.
 */

/**
 * xetile_awake_get() - wake the card up, and keep it awake
 * @xt: the card
 *
 * A card that does not wake up is wedged, as after a sleep of the machine, and that is no error
 * here: who uses it then gets its error.
 *
 * Context: process; may take a minute if the card's firmware is not ready.
 * Return: 0, and the caller owes xetile_awake_put(); -ENODEV if the card is gone, or -EIO if the
 * bus above it does not wake up.
 */
static inline int xetile_awake_get(struct xetile_device *xt)
{
	if (pm_runtime_resume_and_get(xt->drm.dev) >= 0)
		return 0;
	return xetile_device_is_unplugged(xt) ? -ENODEV : -EIO;
}

/**
 * xetile_awake_hold() - keep a card awake that is awake
 * @xt: the card; the caller's caller keeps it awake
 *
 * Context: any. The caller owes xetile_awake_put().
 */
static inline void xetile_awake_hold(struct xetile_device *xt)
{
	pm_runtime_get_noresume(xt->drm.dev);
}

/**
 * xetile_awake_put() - the card may fall asleep, after a while
 * @xt: the card; may be gone
 *
 * Context: any.
 */
static inline void xetile_awake_put(struct xetile_device *xt)
{
	pm_runtime_mark_last_busy(xt->drm.dev);
	pm_runtime_put_autosuspend(xt->drm.dev);
}

/**
 * xetile_awake_enter() - begin to use a card that may be asleep, for an administrator's file
 * @xt: the card
 * @idx: for xetile_awake_exit()
 *
 * Short accesses follow, as within drm_dev_enter().
 *
 * Context: process, outside of drm_dev_enter(), in which nobody waits.
 * Return: 0; -ENODEV if the card is gone; or the error of xetile_awake_get().
 */
static inline int xetile_awake_enter(struct xetile_device *xt, int *idx)
{
	int err = xetile_awake_get(xt);

	if (err)
		return err;
	if (drm_dev_enter(&xt->drm, idx))
		return 0;
	xetile_awake_put(xt);
	return -ENODEV;
}

/**
 * xetile_awake_exit() - the end of xetile_awake_enter()
 * @xt: the card
 * @idx: of xetile_awake_enter()
 *
 * Context: process.
 */
static inline void xetile_awake_exit(struct xetile_device *xt, int idx)
{
	drm_dev_exit(idx);
	xetile_awake_put(xt);
}

/**
 * xetile_awake_look() - may registers be read now
 * @xt: the card
 *
 * For figures that tools read again and again: they shall not keep the card from falling asleep.
 *
 * Context: process.
 * Return: true, and the caller owes xetile_awake_looked(); or false: the card is asleep, or about
 * to be.
 */
static inline bool xetile_awake_look(struct xetile_device *xt)
{
	int awake = pm_runtime_get_if_active(xt->drm.dev);

	/* The card does not sleep alone: the kernel has no runtime PM. */
	if (awake < 0)
		pm_runtime_get_noresume(xt->drm.dev);
	return awake;
}

/**
 * xetile_awake_looked() - registers were read, which does not count as a use of the card
 * @xt: the card
 *
 * Context: process.
 */
static inline void xetile_awake_looked(struct xetile_device *xt)
{
	pm_runtime_put(xt->drm.dev);
}

#endif
