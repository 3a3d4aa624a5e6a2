/* SPDX-License-Identifier: MIT */
/*
 * Replaces the driver's header of devices, and the kernel's of PCI, because the host cannot compile
 * them. The compiler includes this file first; rebar.c defines the functions.
 */
#ifndef HOST_REBAR_DEVICE_H
#define HOST_REBAR_DEVICE_H

#define __XETILE_DEVICE_H__

#include "host_kernel.h"

#define SZ_1M		0x100000u
#define PCI_COMMAND	0x04
#define PCI_COMMAND_MEMORY	0x2

#define drm_info(drm, ...)	((void)(drm))
#define to_pci_dev(dev)		(dev)

typedef u64 resource_size_t;

struct pci_dev;

struct xetile_device {
	struct {
		struct pci_dev *dev;
	} drm;
};

static inline int fls64(u64 x)
{
	return x ? 64 - __builtin_clzll(x) : 0;
}

u64 pci_rebar_get_possible_sizes(struct pci_dev *pdev, int bar);
int pci_resize_resource(struct pci_dev *pdev, int bar, int size, int exclude_bars);
resource_size_t pci_resource_len(struct pci_dev *pdev, int bar);
void pci_read_config_word(struct pci_dev *pdev, int where, u16 *value);
void pci_write_config_word(struct pci_dev *pdev, int where, u16 value);

#endif
