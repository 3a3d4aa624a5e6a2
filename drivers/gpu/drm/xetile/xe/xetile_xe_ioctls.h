/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_XE_IOCTLS_H__
#define __XETILE_XE_IOCTLS_H__

#ifdef CONFIG_DRM_XETILE_XE
#include <drm/xe_drm.h>

#include "xe/xetile_xe.h"

/* Newer than 6.12 */
#ifdef DRM_IOCTL_XE_EXEC_QUEUE_SET_PROPERTY
#define XETILE_XE_SET_PROPERTY									\
	DRM_IOCTL_DEF_DRV(XE_EXEC_QUEUE_SET_PROPERTY, xetile_xe_exec_queue_set_property,	\
			  DRM_RENDER_ALLOW),
#else
#define XETILE_XE_SET_PROPERTY
#endif

/* Rows of the table of calls, each with a comma behind it. All of their numbers are below 0x40. */
#define XETILE_XE_IOCTLS									\
	DRM_IOCTL_DEF_DRV(XE_DEVICE_QUERY, xetile_xe_device_query, DRM_RENDER_ALLOW),		\
	DRM_IOCTL_DEF_DRV(XE_EXEC_QUEUE_CREATE, xetile_xe_exec_queue_create, DRM_RENDER_ALLOW),	\
	DRM_IOCTL_DEF_DRV(XE_EXEC_QUEUE_DESTROY, xetile_xe_exec_queue_destroy, DRM_RENDER_ALLOW), \
	DRM_IOCTL_DEF_DRV(XE_EXEC_QUEUE_GET_PROPERTY, xetile_xe_exec_queue_get_property,	\
			  DRM_RENDER_ALLOW),							\
	XETILE_XE_SET_PROPERTY									\
	DRM_IOCTL_DEF_DRV(XE_EXEC, xetile_xe_exec, DRM_RENDER_ALLOW),
#else
#define XETILE_XE_IOCTLS
#endif

#endif
