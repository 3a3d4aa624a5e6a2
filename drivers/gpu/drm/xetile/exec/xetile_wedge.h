/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_WEDGE_H__
#define __XETILE_WEDGE_H__

struct xetile_sched;

void xetile_wedge(struct xetile_sched *sched, int error);
int xetile_wedged(const struct xetile_sched *sched);
void xetile_wedge_set_still(struct xetile_sched *sched);
void xetile_wedge_drop(struct xetile_sched *sched);

#endif
