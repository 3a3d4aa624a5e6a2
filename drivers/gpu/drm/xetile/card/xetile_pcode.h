/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_PCODE_H__
#define __XETILE_PCODE_H__

#include <linux/types.h>

struct xetile_device;

int xetile_pcode_wait_ready(struct xetile_device *xt, bool killable);

#endif
