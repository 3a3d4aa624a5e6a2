// SPDX-License-Identifier: GPL-2.0-only
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/pm.h>
#include <linux/pm_runtime.h>

#include <drm/drm_print.h>

#include "look/xetile_pmu.h"
#include "xetile_binding.h"
#include "xetile_bringup.h"
#include "xetile_device.h"
#include "xetile_hardware.h"
#include "xetile_info.h"
#include "xetile_release.h"

/**
 * DOC: the driver at the PCI core
 *
 * Each function hands a call of the PCI core, or of the machine's sleep, to xetile_bringup.c: a
 * card comes, goes, sleeps, is reset, or its link failed. The core holds the device's lock in
 * all of them, except for those of runtime PM. A function has no card, and no driver data, while a
 * card is brought up in it, and when none came up after its reset (xetile_binding.c).
 */

/*
 * How long a card has to be without use before it falls asleep alone, at first. Programs that are
 * run one after the other shall not have to wait for it each time.
 */
#define REST_DELAY_MS	10000

/* The core forbids that until the administrator writes "auto" to the device's power/control. */
static int xetile_pci_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	int err = pcim_enable_device(pdev);

	if (err)
		return dev_err_probe(&pdev->dev, err, "cannot be enabled\n");
	pm_runtime_set_autosuspend_delay(&pdev->dev, REST_DELAY_MS);
	pm_runtime_use_autosuspend(&pdev->dev);
	err = xetile_binding_begin(pdev, (const struct xetile_info *)id->driver_data);
	if (err)
		pm_runtime_dont_use_autosuspend(&pdev->dev);
	return err;
}

static void xetile_pci_remove(struct pci_dev *pdev)
{
	xetile_binding_end(pdev);
	pm_runtime_dont_use_autosuspend(&pdev->dev);
}

static void xetile_pci_shutdown(struct pci_dev *pdev)
{
	struct xetile_device *xt = pci_get_drvdata(pdev);

	if (xt)
		xetile_device_shutdown(xt);
}

/* Before any device of the machine is put to sleep, so that none has to come back on failure. */
static int xetile_pci_prepare(struct device *dev)
{
	struct xetile_device *xt = dev_get_drvdata(dev);

	/* Some hypervisors have devices sleep without the notice by which the card was woken up. */
	pm_runtime_resume(dev);
	return xt ? xetile_device_prepare(xt) : 0;
}

static void xetile_pci_complete(struct device *dev)
{
	struct xetile_device *xt = dev_get_drvdata(dev);

	if (xt)
		xetile_device_complete(xt);
}

static int xetile_pci_suspend(struct device *dev)
{
	struct xetile_device *xt = dev_get_drvdata(dev);
	int err = xt ? xetile_device_sleep(xt) : 0;

	/* The core has dropped the saved state, which xetile_pci_slot_reset() may need. */
	if (err)
		pci_save_state(to_pci_dev(dev));
	return err;
}

static int xetile_pci_wake(struct device *dev)
{
	struct xetile_device *xt = dev_get_drvdata(dev);

	if (!xt)
		return 0;
	xetile_device_wake(xt);
	/* Save the same state again, but never all ones, which would be restored some day. */
	if (xetile_hardware_answers(xt))
		pci_save_state(to_pci_dev(dev));
	return 0;
}

/*
 * The machine's memory is about to be copied, or to become another kernel's. So a card must not
 * reach it, however little the card obeys.
 */
static int xetile_pci_freeze(struct device *dev)
{
	int err = xetile_pci_suspend(dev);

	if (!err)
		pci_clear_master(to_pci_dev(dev));
	return err;
}

/*
 * Nobody uses the card. On success the core saves the configuration space and puts the function
 * into D3hot; what it does with the ports above may take the power away as well.
 */
static int xetile_pci_runtime_suspend(struct device *dev)
{
	int err = xetile_device_rest(dev_get_drvdata(dev));

	/* As in xetile_pci_suspend() */
	if (err)
		pci_save_state(to_pci_dev(dev));
	return err;
}

/* Without an error: the core would never again call for a device that does not resume. */
static int xetile_pci_runtime_resume(struct device *dev)
{
	xetile_pci_wake(dev);
	xetile_pci_complete(dev);
	return 0;
}

static const struct dev_pm_ops xetile_pci_pm = {
	.prepare = xetile_pci_prepare,
	.complete = xetile_pci_complete,
	.suspend = xetile_pci_suspend,
	.resume = xetile_pci_wake,
	.freeze = xetile_pci_freeze,
	.thaw = xetile_pci_wake,
	.poweroff = xetile_pci_suspend,
	.restore = xetile_pci_wake,
	.runtime_suspend = xetile_pci_runtime_suspend,
	.runtime_resume = xetile_pci_runtime_resume,
};

/*
 * A reset of the function, or of the link, loses the engines' state, the registers, and perhaps
 * the content of HBM, without a warning. So all work ends then, and the card has to be bound
 * anew, which programs everything.
 */
static void xetile_pci_reset_prepare(struct pci_dev *pdev)
{
	struct xetile_device *xt = pci_get_drvdata(pdev);

	/* The driver resets the function itself while it binds the card (xetile_hardware.c). */
	if (!xt)
		return;
	if (!xt->recovering)
		drm_err(&xt->drm,
			"the function is reset: the card is wedged until it is bound anew\n");
	xetile_device_wedge(xt, -EIO);
	xetile_device_close(xt);
}

/* Tell userspace only now, because it may bind the card anew at once, and must find it there. */
static void xetile_pci_reset_done(struct pci_dev *pdev)
{
	struct xetile_device *xt = pci_get_drvdata(pdev);

	if (!xt)
		return;
	/* The core has used up the saved state, which xetile_pci_slot_reset() may need. */
	pci_save_state(pdev);
	xetile_device_open(xt);
	if (!xt->recovering)
		xetile_device_tell(xt);
}

/*
 * The port above reported an error. An error that the link has survived is over when the
 * registers answer; after any other error the link is reset.
 */
static pci_ers_result_t xetile_pci_error_detected(struct pci_dev *pdev,
						  pci_channel_state_t state)
{
	struct xetile_device *xt = pci_get_drvdata(pdev);

	if (state == pci_channel_io_normal)
		return PCI_ERS_RESULT_CAN_RECOVER;
	if (!xt)
		return PCI_ERS_RESULT_NEED_RESET;
	drm_err(&xt->drm, "the link failed: the card is wedged until it is bound anew\n");
	xetile_device_wedge(xt, -EIO);
	if (state != pci_channel_io_perm_failure) {
		/*
		 * Closed until xetile_pci_slot_reset(), or until the card is unbound if that does
		 * not come
		 */
		xetile_device_close(xt);
		return PCI_ERS_RESULT_NEED_RESET;
	}
	/* The core does not call again. */
	xetile_device_open(xt);
	xetile_device_tell(xt);
	return PCI_ERS_RESULT_DISCONNECT;
}

static pci_ers_result_t xetile_pci_mmio_enabled(struct pci_dev *pdev)
{
	struct xetile_device *xt = pci_get_drvdata(pdev);

	if (!xt || xetile_hardware_answers(xt))
		return PCI_ERS_RESULT_RECOVERED;
	drm_err(&xt->drm, "no answer after an error of the link: the card is wedged\n");
	xetile_device_wedge(xt, -EIO);
	/* The core may not call again. */
	xetile_device_tell(xt);
	return PCI_ERS_RESULT_DISCONNECT;
}

/* The function is as new. A driver that binds it anew has to find its BARs. */
static pci_ers_result_t xetile_pci_slot_reset(struct pci_dev *pdev)
{
	struct xetile_device *xt = pci_get_drvdata(pdev);

	pci_restore_state(pdev);
	/* Save the state again, so that it can be restored once more. */
	pci_save_state(pdev);
	if (xt)
		xetile_device_open(xt);
	return PCI_ERS_RESULT_RECOVERED;
}

static void xetile_pci_resume(struct pci_dev *pdev)
{
	struct xetile_device *xt = pci_get_drvdata(pdev);

	if (xt)
		xetile_device_tell(xt);
}

static const struct pci_error_handlers xetile_pci_errors = {
	.reset_prepare = xetile_pci_reset_prepare,
	.reset_done = xetile_pci_reset_done,
	.error_detected = xetile_pci_error_detected,
	.mmio_enabled = xetile_pci_mmio_enabled,
	.slot_reset = xetile_pci_slot_reset,
	.resume = xetile_pci_resume,
};

static struct pci_driver xetile_pci_driver = {
	.name = "xetile",
	.id_table = xetile_pci_ids,
	.probe = xetile_pci_probe,
	.remove = xetile_pci_remove,
	.shutdown = xetile_pci_shutdown,
	.err_handler = &xetile_pci_errors,
	.driver.pm = pm_ptr(&xetile_pci_pm),
};

static int __init xetile_module_init(void)
{
	int err;

	err = xetile_release_init();
	if (err)
		return err;
	err = pci_register_driver(&xetile_pci_driver);
	if (err)
		xetile_release_fini();
	return err;
}
module_init(xetile_module_init);

static void __exit xetile_module_exit(void)
{
	pci_unregister_driver(&xetile_pci_driver);
	xetile_release_fini();
	xetile_pmu_exit();
}
module_exit(xetile_module_exit);

MODULE_DESCRIPTION("Tile-aware DRM driver for Intel Data Center GPU Max");
MODULE_LICENSE("GPL");
