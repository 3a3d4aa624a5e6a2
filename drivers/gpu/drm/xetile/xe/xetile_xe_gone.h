/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_XE_GONE_H__
#define __XETILE_XE_GONE_H__

#include <drm/drm_ioctl.h>

struct file;

#ifdef CONFIG_DRM_XETILE_XE
long xetile_xe_ioctl(struct file *opened, unsigned int cmd, unsigned long arg);
#else
#define xetile_xe_ioctl drm_ioctl
#endif

#endif
