/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_XE_H__
#define __XETILE_XE_H__

struct drm_device;
struct drm_file;

/* The calls, each in the file of its object */

#endif
