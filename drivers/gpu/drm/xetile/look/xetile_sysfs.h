/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_SYSFS_H__
#define __XETILE_SYSFS_H__

struct xetile_device;

int xetile_sysfs_init(struct xetile_device *xt);
void xetile_sysfs_fini(struct xetile_device *xt);

#endif
