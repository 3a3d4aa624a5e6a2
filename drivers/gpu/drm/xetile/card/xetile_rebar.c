// SPDX-License-Identifier: GPL-2.0-only
#include "card/xetile_rebar.h"

#include <linux/bitops.h>
#include <linux/pci.h>
#include <linux/sizes.h>

#include <drm/drm_print.h>

#include "regs/pvc_pci_regs.h"

#include "xetile_device.h"

/**
 * DOC: the size of BAR2
 *
 * The machine's firmware may give BAR2 fewer bytes than the card has HBM, and the CPU does not
 * reach the rest. A card with the resizable BAR capability can offer more, if the bridges above
 * it have the room. This happens before any BAR is mapped, under the device's lock; a card that
 * cannot be given more is used as it is.
 */

/* The largest BAR that fits, from @sizes: bit n stands for 2^n MiB */
static int resize(struct pci_dev *pdev, u64 sizes, resource_size_t now)
{
	int n, err = -ENOSPC;

	for (n = fls64(sizes) - 1; n >= 0 && (u64)SZ_1M << n > now; n--) {
		if (!(sizes & BIT_ULL(n)))
			continue;
		err = pci_resize_resource(pdev, PVC_BAR_HBM, n, 0);
		if (!err)
			break;
	}
	return err;
}

/**
 * xetile_rebar_grow() - have BAR2 show as much HBM as can be had
 * @xt: the card; none of its BARs is in use
 *
 * Context: process.
 */
void xetile_rebar_grow(struct xetile_device *xt)
{
	struct pci_dev *pdev = to_pci_dev(xt->drm.dev);
	u64 sizes = pci_rebar_get_possible_sizes(pdev, PVC_BAR_HBM);
	resource_size_t now = pci_resource_len(pdev, PVC_BAR_HBM);
	u16 command;
	int err;

	/* Sizes beyond this have no encoding. */
	sizes &= GENMASK_ULL(42, 0);
	if (!now || !sizes || (u64)SZ_1M << (fls64(sizes) - 1) <= now)
		return;

	/* Nothing may decode the addresses while they change. */
	pci_read_config_word(pdev, PCI_COMMAND, &command);
	pci_write_config_word(pdev, PCI_COMMAND, command & ~PCI_COMMAND_MEMORY);
	err = resize(pdev, sizes, now);
	pci_write_config_word(pdev, PCI_COMMAND, command);

	if (err)
		drm_info(&xt->drm, "BAR2 cannot be enlarged beyond %pa bytes: %d\n", &now, err);
	else
		drm_info(&xt->drm, "BAR2 was enlarged from %llu to %llu MiB\n", (u64)now >> 20,
			 (u64)pci_resource_len(pdev, PVC_BAR_HBM) >> 20);
}
