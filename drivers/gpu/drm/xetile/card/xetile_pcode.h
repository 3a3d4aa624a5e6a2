/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_PCODE_H__
#define __XETILE_PCODE_H__

#include <linux/types.h>

struct xetile_device;
struct xetile_patience;

int xetile_pcode_ask(struct xetile_device *xt, u32 command, u32 *data);
int xetile_pcode_wait_ready(struct xetile_device *xt, struct xetile_patience *wait);

#endif
