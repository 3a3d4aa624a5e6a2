/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_HARDWARE_H__
#define __XETILE_HARDWARE_H__

#include <linux/types.h>

struct xetile_device;

int xetile_hardware_init(struct xetile_device *xt);
int xetile_hardware_check(struct xetile_device *xt);
int xetile_hardware_reset(struct xetile_device *xt);
bool xetile_hardware_may_reset(struct xetile_device *xt);
bool xetile_hardware_answers(struct xetile_device *xt);

#endif
