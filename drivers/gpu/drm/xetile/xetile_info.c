// SPDX-License-Identifier: GPL-2.0-only
#include "xetile_info.h"

#include <linux/module.h>
#include <linux/pci.h>
#include <linux/sizes.h>

#include "regs/pvc_pci_regs.h"

/**
 * DOC: what the PCI id says of a card
 *
 * The ids that the driver binds, with a name for each, and the few facts that no register
 * tells. The PCI core and xetile_pci.c read it. All of it is constant.
 */

/*
 * Tiles, HBM and fuses are never concluded from the id, because the card tells them. Source of
 * threads and shared local memory: Intel's Xe HPC programming model; of the release of the IP, by
 * which runtimes choose their compiler's target: Intel's compute runtime.
 */
#define PVC_OF(label, release) {	\
	.name = (label),		\
	.ip_release = (release),	\
	.dma_bits = PVC_DMA_BITS,	\
	.threads_per_eu = 8,		\
	.max_slm = SZ_128K,		\
}

#define PVC(label) PVC_OF(label, 60)

static const struct xetile_info info_engineering = PVC("Ponte Vecchio, engineering sample");
static const struct xetile_info info_pvc = PVC("Ponte Vecchio");
static const struct xetile_info info_1100 = PVC("Data Center GPU Max 1100");
static const struct xetile_info info_1100c = PVC("Data Center GPU Max 1100C");
static const struct xetile_info info_1350 = PVC("Data Center GPU Max 1350");
static const struct xetile_info info_1450 = PVC("Data Center GPU Max 1450");
static const struct xetile_info info_1550 = PVC("Data Center GPU Max 1550");
static const struct xetile_info info_1550vg = PVC_OF("Data Center GPU Max 1550VG", 61);

/*
 * No other driver in the kernel binds these ids: xe describes the part, but has
 * no entry for it in its table.
 */
const struct pci_device_id xetile_pci_ids[] = {
	{ PCI_VDEVICE(INTEL, PVC_PCI_DEVICE_MAX_1450), (kernel_ulong_t)&info_1450 },
	{ PCI_VDEVICE(INTEL, PVC_PCI_DEVICE_MAX_1100C), (kernel_ulong_t)&info_1100c },
	{ PCI_VDEVICE(INTEL, PVC_PCI_DEVICE_ENGINEERING), (kernel_ulong_t)&info_engineering },
	{ PCI_VDEVICE(INTEL, PVC_PCI_DEVICE_MAX_1550VG), (kernel_ulong_t)&info_1550vg },
	{ PCI_VDEVICE(INTEL, PVC_PCI_DEVICE_MAX_1550), (kernel_ulong_t)&info_1550 },
	{ PCI_VDEVICE(INTEL, PVC_PCI_DEVICE_MAX_1550_B), (kernel_ulong_t)&info_1550 },
	{ PCI_VDEVICE(INTEL, PVC_PCI_DEVICE_MAX_1350), (kernel_ulong_t)&info_1350 },
	{ PCI_VDEVICE(INTEL, PVC_PCI_DEVICE_MAX_1350_B), (kernel_ulong_t)&info_1350 },
	{ PCI_VDEVICE(INTEL, PVC_PCI_DEVICE_MAX_1100), (kernel_ulong_t)&info_1100 },
	{ PCI_VDEVICE(INTEL, PVC_PCI_DEVICE_MAX_1100_B), (kernel_ulong_t)&info_1100 },
	{ PCI_VDEVICE(INTEL, PVC_PCI_DEVICE_MAX_1100_C), (kernel_ulong_t)&info_1100 },
	{ PCI_VDEVICE(INTEL, PVC_PCI_DEVICE_UNNAMED_0), (kernel_ulong_t)&info_pvc },
	{ PCI_VDEVICE(INTEL, PVC_PCI_DEVICE_UNNAMED_1), (kernel_ulong_t)&info_pvc },
	{ PCI_VDEVICE(INTEL, PVC_PCI_DEVICE_UNNAMED_2), (kernel_ulong_t)&info_pvc },
	{ }
};
MODULE_DEVICE_TABLE(pci, xetile_pci_ids);
