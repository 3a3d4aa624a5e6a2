/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_BRINGUP_H__
#define __XETILE_BRINGUP_H__

#include <linux/types.h>

struct xetile_device;

int xetile_device_init(struct xetile_device *xt);
void xetile_device_remove(struct xetile_device *xt);
void xetile_device_shutdown(struct xetile_device *xt);
void xetile_device_wedge(struct xetile_device *xt, int error);
void xetile_device_tell(struct xetile_device *xt);
void xetile_device_close(struct xetile_device *xt);
void xetile_device_open(struct xetile_device *xt);
int xetile_device_prepare(struct xetile_device *xt);
int xetile_device_sleep(struct xetile_device *xt);
void xetile_device_complete(struct xetile_device *xt);
int xetile_device_rest(struct xetile_device *xt);
void xetile_device_wake(struct xetile_device *xt);

#endif
