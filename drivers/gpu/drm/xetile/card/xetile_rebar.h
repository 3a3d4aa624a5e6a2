/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_REBAR_H__
#define __XETILE_REBAR_H__

struct xetile_device;

void xetile_rebar_grow(struct xetile_device *xt);

#endif
