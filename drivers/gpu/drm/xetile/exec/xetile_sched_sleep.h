/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_SCHED_SLEEP_H__
#define __XETILE_SCHED_SLEEP_H__

#include <linux/types.h>

struct xetile_sched;

void xetile_sched_sleep(struct xetile_sched *sched, bool users);
void xetile_sched_wake_up(struct xetile_sched *sched, bool users);
void xetile_sched_force_load(struct xetile_sched *sched);

#endif
