// SPDX-License-Identifier: GPL-2.0-only
#include "xetile_binding.h"

#include <linux/device.h>
#include <linux/err.h>
#include <linux/gfp.h>
#include <linux/kobject.h>
#include <linux/pci.h>
#include <linux/pm_runtime.h>
#include <linux/string_choices.h>
#include <linux/workqueue.h>

#include <drm/drm_drv.h>
#include <drm/drm_print.h>

#include "exec/xetile_wedge.h"
#include "xetile_bringup.h"
#include "xetile_device.h"
#include "xetile_hardware.h"
#include "xetile_info.h"
#include "xetile_trace.h"

/**
 * DOC: a card's binding, and its reset
 *
 * A card lives from the driver's binding to a function until its removal. A binding is also renewed
 * in between: engines, and then tiles, are reset under the jobs of others, who go on
 * (xetile_reset.c); when not even a tile ends its reset, the card is wedged. All jobs have ended
 * then, with an error, and no engine reaches the machine's memory. Then the function is reset. That
 * loses registers, page tables and contexts, and nobody promises what it leaves in HBM, so nothing
 * of before could go on, and no buffer is given to anybody again. Therefore the card is taken down
 * and a new one is brought up in its place, which programs all of it, and clears memory before it
 * is given out. Files that were open before answer ENODEV; what their programs open next is a card
 * that works.
 *
 * All of this happens under the device's lock, as it would in the core, so that removal, errors of
 * the link, sleep and shutdown come before or after it. That is why the driver takes its part of
 * the device's resources down by itself, a group of devres, and does not ask the core to bind the
 * device anew: the core would take the lock for each half, and in between somebody else might give
 * the function to another driver.
 *
 * A card may fall asleep alone while it is bound, except while all of this happens. The core holds
 * a reference of the usage count of runtime PM (xetile_awake.h) when it has the driver bind a
 * function, and expects one when it has the driver let go. The binding gives it back when the card
 * is up, and takes it again, which wakes the card up, before the card is taken down.
 *
 * If the function cannot be reset, or the card behind it does not work afterwards, it stays bound
 * and wedged. An event tells userspace, and the administrator decides. If the new card does not
 * come up the function stays bound without a card.
 */

/* The group of all that devres holds for a card */
static char group;

/* The function, by whatever means the kernel has; the card must work as after power on. */
static int reset_card(struct xetile_device *xt)
{
	struct pci_dev *pdev = to_pci_dev(xt->drm.dev);
	int err = -ENODEV;

	/* The core would wait for a minute for a card that was pulled out. */
	if (pci_device_is_present(pdev)) {
		trace_xetile_reset(dev_name(&pdev->dev), "card", -1, "wedged");
		xt->recovering = true;
		err = pci_reset_function_locked(pdev);
		xt->recovering = false;
	}
	/* A card that has ignored the reset has engines that do not end theirs. */
	err = err ?: xetile_hardware_check(xt) ?: xetile_hardware_reset(xt);
	if (err)
		drm_err(&xt->drm, "the card cannot be reset: %pe, it stays wedged\n", ERR_PTR(err));
	return err;
}

static void recover(struct work_struct *work);

static int bring_up(struct pci_dev *pdev, const struct xetile_info *info,
		    const struct xetile_card_resets *past)
{
	struct xetile_device *xt;
	int err;

	xt = devm_drm_dev_alloc(&pdev->dev, xetile_driver_of(pdev), struct xetile_device, drm);
	if (IS_ERR(xt))
		return PTR_ERR(xt);
	INIT_WORK(&xt->recover_work, recover);
	if (past)
		xt->resets = *past;
	xt->info = info;
	/* driver_override binds any id, but this driver drives only cards that it knows. */
	if (!xt->info) {
		drm_err(&xt->drm, "not a card this driver knows\n");
		return -ENODEV;
	}

	err = xetile_device_init(xt);
	if (err)
		return err;

	pci_set_drvdata(pdev, xt);
	/* xetile_pci_slot_reset() restores this state. */
	pci_save_state(pdev);
	drm_info(&xt->drm, "%s, %u tile%s\n", xt->info->name, xt->num_tiles,
		 str_plural(xt->num_tiles));
	pm_runtime_mark_last_busy(&pdev->dev);
	pm_runtime_put_autosuspend(&pdev->dev);
	return 0;
}

static int begin(struct pci_dev *pdev, const struct xetile_info *info,
		 const struct xetile_card_resets *past)
{
	int err;

	if (!devres_open_group(&pdev->dev, &group, GFP_KERNEL))
		return -ENOMEM;
	err = bring_up(pdev, info, past);
	if (err)
		devres_release_group(&pdev->dev, &group);
	else
		devres_close_group(&pdev->dev, &group);
	return err;
}

/* There is no DRM device for the event; what helps is the same. */
static void tell_of_function(struct pci_dev *pdev)
{
	char *env[2] = { "WEDGED=rebind,bus-reset" };

	kobject_uevent_env(&pdev->dev.kobj, KOBJ_CHANGE, env);
}

/* The card is wedged, and all its jobs have ended. */
static void reset_and_renew(struct xetile_device *xt)
{
	struct pci_dev *pdev = to_pci_dev(xt->drm.dev);
	int err;

	if (!xetile_hardware_may_reset(xt) || reset_card(xt)) {
		xetile_device_tell(xt);
		return;
	}
	drm_notice(&xt->drm, "the card was reset, its memory is lost: it is brought up anew\n");
	xetile_binding_end(pdev);
	/* The bring-up lets a card reach memory when its engines stand still. */
	pci_clear_master(pdev);
	err = begin(pdev, xt->info, &xt->resets);
	if (err) {
		dev_err(&pdev->dev, "no card after its reset: %pe\n", ERR_PTR(err));
		tell_of_function(pdev);
	}
}

/*
 * Is it still the card of this binding, wedged but not gone? While the core recovers the link
 * above, it alone resets what is below, and tells of the end.
 */
static bool may_recover(struct xetile_device *xt)
{
	device_lock_assert(xt->drm.dev);
	return dev_get_drvdata(xt->drm.dev) == xt && !xetile_device_is_unplugged(xt) &&
	       xetile_wedged(xt->sched) == -EIO && !pci_channel_offline(to_pci_dev(xt->drm.dev));
}

static void recover(struct work_struct *work)
{
	struct xetile_device *xt = container_of(work, struct xetile_device, recover_work);
	struct device *dev = xt->drm.dev;

	/* The card may have been wedged as it fell asleep. */
	pm_runtime_get_sync(dev);
	device_lock(dev);
	if (may_recover(xt))
		reset_and_renew(xt);
	device_unlock(dev);
	pm_runtime_put_autosuspend(dev);
	/* May be the last one, and with it that of the device. */
	drm_dev_put(&xt->drm);
}

/**
 * xetile_binding_begin() - bring a card up in its function
 * @pdev: the function, enabled
 * @info: what the driver knows of its id, or NULL
 *
 * The card is the function's driver data on return.
 *
 * Context: process, with the device's lock.
 * Return: 0, or an error: nothing of the card is left then.
 */
int xetile_binding_begin(struct pci_dev *pdev, const struct xetile_info *info)
{
	return begin(pdev, info, NULL);
}

/**
 * xetile_binding_end() - take the card of a function down
 * @pdev: the function; it has no driver data on return
 *
 * Does nothing if there is no card, because none came up after its reset.
 *
 * Context: process, with the device's lock.
 */
void xetile_binding_end(struct pci_dev *pdev)
{
	struct xetile_device *xt = pci_get_drvdata(pdev);

	if (!xt)
		return;
	pm_runtime_get_sync(&pdev->dev);
	xetile_device_remove(xt);
	pci_set_drvdata(pdev, NULL);
	devres_release_group(&pdev->dev, &group);
}
