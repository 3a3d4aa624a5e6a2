/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_HWMON_H__
#define __XETILE_HWMON_H__

struct xetile_device;

void xetile_hwmon_init(struct xetile_device *xt);
void xetile_hwmon_sleep(struct xetile_device *xt);
void xetile_hwmon_wake(struct xetile_device *xt);
void xetile_hwmon_stop(struct xetile_device *xt);

#endif
