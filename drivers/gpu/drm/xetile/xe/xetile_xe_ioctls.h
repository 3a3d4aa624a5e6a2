/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_XE_IOCTLS_H__
#define __XETILE_XE_IOCTLS_H__

#ifdef CONFIG_DRM_XETILE_XE
#include <drm/xe_drm.h>

#include "xe/xetile_xe.h"

/* Rows of the table of calls, each with a comma behind it. All of their numbers are below 0x40. */
#define XETILE_XE_IOCTLS
#else
#define XETILE_XE_IOCTLS
#endif

#endif
