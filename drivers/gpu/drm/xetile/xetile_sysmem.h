/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_SYSMEM_H__
#define __XETILE_SYSMEM_H__

struct xetile_device;

int xetile_sysmem_init(struct xetile_device *xt);

#endif
