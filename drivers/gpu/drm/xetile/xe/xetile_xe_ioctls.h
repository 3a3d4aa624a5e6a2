/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_XE_IOCTLS_H__
#define __XETILE_XE_IOCTLS_H__

#include <drm/xe_drm.h>

#include "xe/xetile_xe.h"

/**
 * DOC: rows of the table of calls
 *
 * Those of the xe driver, for xetile_drv.c. No lock: all of it is constant.
 */

#ifdef CONFIG_DRM_XETILE_XE
/* Newer than 6.12 */
#ifdef DRM_IOCTL_XE_EXEC_QUEUE_SET_PROPERTY
#define XETILE_XE_SET_PROPERTY									\
	DRM_IOCTL_DEF_DRV(XE_EXEC_QUEUE_SET_PROPERTY, xetile_xe_exec_queue_set_property,	\
			  DRM_RENDER_ALLOW),
#else
#define XETILE_XE_SET_PROPERTY
#endif
#ifdef DRM_IOCTL_XE_MADVISE
#define XETILE_XE_MADVISE									\
	DRM_IOCTL_DEF_DRV(XE_MADVISE, xetile_xe_vm_unsupported, DRM_RENDER_ALLOW),		\
	DRM_IOCTL_DEF_DRV(XE_VM_QUERY_MEM_RANGE_ATTRS, xetile_xe_vm_unsupported,		\
			  DRM_RENDER_ALLOW),
#else
#define XETILE_XE_MADVISE
#endif
#ifdef DRM_IOCTL_XE_VM_GET_PROPERTY
#define XETILE_XE_VM_GET_PROPERTY								\
	DRM_IOCTL_DEF_DRV(XE_VM_GET_PROPERTY, xetile_xe_vm_get_property, DRM_RENDER_ALLOW),
#else
#define XETILE_XE_VM_GET_PROPERTY
#endif

/* Rows of the table of calls, each with a comma behind it. All of their numbers are below 0x40. */
#define XETILE_XE_IOCTLS									\
	DRM_IOCTL_DEF_DRV(XE_DEVICE_QUERY, xetile_xe_device_query, DRM_RENDER_ALLOW),		\
	DRM_IOCTL_DEF_DRV(XE_GEM_CREATE, xetile_xe_gem_create, DRM_RENDER_ALLOW),		\
	DRM_IOCTL_DEF_DRV(XE_GEM_MMAP_OFFSET, xetile_xe_gem_mmap_offset, DRM_RENDER_ALLOW),	\
	DRM_IOCTL_DEF_DRV(XE_VM_CREATE, xetile_xe_vm_create, DRM_RENDER_ALLOW),			\
	DRM_IOCTL_DEF_DRV(XE_VM_DESTROY, xetile_xe_vm_destroy, DRM_RENDER_ALLOW),		\
	DRM_IOCTL_DEF_DRV(XE_VM_BIND, xetile_xe_vm_bind, DRM_RENDER_ALLOW),			\
	XETILE_XE_MADVISE									\
	XETILE_XE_VM_GET_PROPERTY								\
	DRM_IOCTL_DEF_DRV(XE_EXEC_QUEUE_CREATE, xetile_xe_exec_queue_create, DRM_RENDER_ALLOW),	\
	DRM_IOCTL_DEF_DRV(XE_EXEC_QUEUE_DESTROY, xetile_xe_exec_queue_destroy, DRM_RENDER_ALLOW), \
	DRM_IOCTL_DEF_DRV(XE_EXEC_QUEUE_GET_PROPERTY, xetile_xe_exec_queue_get_property,	\
			  DRM_RENDER_ALLOW),							\
	XETILE_XE_SET_PROPERTY									\
	DRM_IOCTL_DEF_DRV(XE_EXEC, xetile_xe_exec, DRM_RENDER_ALLOW),				\
	DRM_IOCTL_DEF_DRV(XE_WAIT_USER_FENCE, xetile_xe_wait_user_fence, DRM_RENDER_ALLOW),
#else
#define XETILE_XE_IOCTLS
#endif

#endif
