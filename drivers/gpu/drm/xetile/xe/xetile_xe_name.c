// SPDX-License-Identifier: GPL-2.0-only
#include "xe/xetile_xe_name.h"

#include <linux/moduleparam.h>
#include <linux/pci.h>
#include <linux/string.h>

/**
 * DOC: the name of a card's device
 *
 * Intel's runtimes use a device that is called xe. The administrator says which cards' are. A
 * device has one name, because two devices of one function would share a path in /dev/dri.
 */

static char *uapi = "xetile";
module_param(uapi, charp, 0444);
MODULE_PARM_DESC(uapi, "Name of the cards' devices: xetile (default), or xe for Intel's runtimes");

/**
 * xetile_xe_is_name() - is a card's device called xe
 * @pdev: the card
 *
 * Context: any.
 * Return: true if the administrator wants it.
 */
bool xetile_xe_is_name(struct pci_dev *pdev)
{
	return !strcmp(uapi, "xe");
}
