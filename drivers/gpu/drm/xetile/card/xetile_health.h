/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_HEALTH_H__
#define __XETILE_HEALTH_H__

struct xetile_device;

int xetile_health_check(struct xetile_device *xt);

#endif
