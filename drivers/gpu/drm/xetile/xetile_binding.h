/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_BINDING_H__
#define __XETILE_BINDING_H__

struct pci_dev;
struct xetile_info;

int xetile_binding_begin(struct pci_dev *pdev, const struct xetile_info *info);
void xetile_binding_end(struct pci_dev *pdev);

#endif
