// SPDX-License-Identifier: GPL-2.0-only

#include <linux/module.h>
#include <linux/pci.h>
#include <linux/pm.h>
#include <linux/rcupdate.h>
#include <linux/string_choices.h>
#include <linux/workqueue.h>

#include <drm/drm_drv.h>
#include <drm/drm_print.h>

#include "xetile_device.h"
#include "xetile_info.h"

static int xetile_pci_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct xetile_device *xt;
	int err;

	err = pcim_enable_device(pdev);
	if (err)
		return dev_err_probe(&pdev->dev, err, "cannot be enabled\n");

	xt = devm_drm_dev_alloc(&pdev->dev, &xetile_driver, struct xetile_device, drm);
	if (IS_ERR(xt))
		return PTR_ERR(xt);
	xt->info = (const struct xetile_info *)id->driver_data;
	/* driver_override binds any id; what we do not know of we do not drive. */
	if (!xt->info) {
		drm_err(&xt->drm, "not a card this driver knows\n");
		return -ENODEV;
	}

	err = xetile_device_init(xt);
	if (err)
		return err;

	pci_set_drvdata(pdev, xt);
	drm_info(&xt->drm, "%s, %u tile%s\n", xt->info->name, xt->num_tiles,
		 str_plural(xt->num_tiles));
	return 0;
}

static void xetile_pci_remove(struct pci_dev *pdev)
{
	xetile_device_remove(pci_get_drvdata(pdev));
}

static void xetile_pci_shutdown(struct pci_dev *pdev)
{
	xetile_device_shutdown(pci_get_drvdata(pdev));
}

/*
 * Sleep takes the HBM's power; nothing here saves its content. Said before any device of
 * the machine is put to sleep, so that none has to come back.
 */
static int xetile_pci_prepare(struct device *dev)
{
	dev_err(dev, "the card cannot sleep: HBM would lose its content\n");
	return -EBUSY;
}

static const struct dev_pm_ops xetile_pci_pm = {
	.prepare = xetile_pci_prepare,
};

static struct pci_driver xetile_pci_driver = {
	.name = "xetile",
	.id_table = xetile_pci_ids,
	.probe = xetile_pci_probe,
	.remove = xetile_pci_remove,
	.shutdown = xetile_pci_shutdown,
	.driver.pm = pm_sleep_ptr(&xetile_pci_pm),
};

static int __init xetile_module_init(void)
{
	int err;

	xetile_release_wq = alloc_workqueue("xetile-release", WQ_UNBOUND, 0);
	if (!xetile_release_wq)
		return -ENOMEM;
	err = pci_register_driver(&xetile_pci_driver);
	if (err)
		destroy_workqueue(xetile_release_wq);
	return err;
}
module_init(xetile_module_init);

static void __exit xetile_module_exit(void)
{
	pci_unregister_driver(&xetile_pci_driver);
	/* Workers may be about to free the last of what files left behind. */
	xetile_devices_wait();
	destroy_workqueue(xetile_release_wq);
	/* Clients are freed by callbacks of the module's. */
	rcu_barrier();
}
module_exit(xetile_module_exit);

MODULE_DESCRIPTION("Tile-aware DRM driver for Intel Data Center GPU Max");
MODULE_LICENSE("GPL");
