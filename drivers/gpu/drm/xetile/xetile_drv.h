/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_DRV_H__
#define __XETILE_DRV_H__

struct drm_driver;

extern const struct drm_driver xetile_driver;

#endif
