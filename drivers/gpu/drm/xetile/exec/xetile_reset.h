/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_RESET_H__
#define __XETILE_RESET_H__

struct xetile_device;
struct xetile_sched;

int xetile_reset_init(struct xetile_sched *sched);
void xetile_reset_stop(struct xetile_device *xt);

#endif
