// SPDX-License-Identifier: GPL-2.0-only
/*
 * A module that takes all free numbers of VMs and of contexts of a card, and frees these numbers
 * when the module is unloaded. A test cannot use up the numbers with real objects, because a card
 * has a million numbers of VMs, and its memory has no room for all numbers of contexts. The card
 * must not be unbound while the module is loaded.
 */
#include <linux/bitmap.h>
#include <linux/bits.h>
#include <linux/device.h>
#include <linux/idr.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/xarray.h>

#include "../regs/pvc_lrc_regs.h"
#include "../xetile_device.h"

#define NUM_ASIDS	BIT(20)

static char *card;
module_param(card, charp, 0444);
MODULE_PARM_DESC(card, "PCI address of the card whose numbers are taken");

static struct pci_dev *pdev;
static DECLARE_BITMAP(lrc_ids, PVC_CTX_SW_ID_NONE);

static void give_numbers(struct xetile_device *xt)
{
	unsigned long id;

	/* xa_release() frees reservations only, so that the numbers of VMs stay. */
	for (id = 0; id < NUM_ASIDS; id++) {
		xa_release(&xt->asids, id);
		cond_resched();
	}
	for_each_set_bit(id, lrc_ids, PVC_CTX_SW_ID_NONE)
		ida_free(&xt->lrc_ids, id);
}

static int take_numbers(struct xetile_device *xt)
{
	unsigned long id;
	int err = 0;

	/* A look-up of a reserved number finds no VM. */
	for (id = 1; id < NUM_ASIDS && !err; id++) {
		err = xa_reserve(&xt->asids, id, GFP_KERNEL);
		cond_resched();
	}
	while (!err) {
		int taken = ida_alloc_max(&xt->lrc_ids, PVC_CTX_SW_ID_NONE - 1, GFP_KERNEL);

		if (taken == -ENOSPC)
			return 0;
		if (taken < 0)
			err = taken;
		else
			__set_bit(taken, lrc_ids);
	}
	give_numbers(xt);
	return err;
}

static int __init numbers_init(void)
{
	struct device *dev = card ? bus_find_device_by_name(&pci_bus_type, NULL, card) : NULL;
	int err = -ENODEV;

	if (!dev)
		return -ENODEV;
	pdev = to_pci_dev(dev);
	if (pdev->driver && !strcmp(pdev->driver->name, "xetile"))
		err = take_numbers(pci_get_drvdata(pdev));
	if (err)
		pci_dev_put(pdev);
	return err;
}
module_init(numbers_init);

static void __exit numbers_exit(void)
{
	give_numbers(pci_get_drvdata(pdev));
	pci_dev_put(pdev);
}
module_exit(numbers_exit);

MODULE_DESCRIPTION("Takes all free numbers of a xetile card");
MODULE_LICENSE("GPL");
