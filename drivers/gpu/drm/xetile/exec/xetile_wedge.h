/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_WEDGE_H__
#define __XETILE_WEDGE_H__

struct xetile_gangs;

void xetile_wedge(struct xetile_gangs *gangs, int error);
int xetile_wedged(const struct xetile_gangs *gangs);
void xetile_wedge_set_still(struct xetile_gangs *gangs);
void xetile_wedge_drop(struct xetile_gangs *gangs);

#endif
