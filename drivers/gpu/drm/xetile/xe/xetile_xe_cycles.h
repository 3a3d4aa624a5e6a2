/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_XE_CYCLES_H__
#define __XETILE_XE_CYCLES_H__

struct drm_xe_device_query;
struct xetile_device;

int xetile_xe_query_cycles(struct xetile_device *xt, struct drm_xe_device_query *query);

#endif
