/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_XE_NAME_H__
#define __XETILE_XE_NAME_H__

#include <linux/types.h>

struct pci_dev;

#ifdef CONFIG_DRM_XETILE_XE
bool xetile_xe_is_name(struct pci_dev *pdev);
#else
static inline bool xetile_xe_is_name(struct pci_dev *pdev)
{
	return false;
}
#endif

#endif
