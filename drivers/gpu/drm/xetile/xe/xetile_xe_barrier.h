/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_XE_BARRIER_H__
#define __XETILE_XE_BARRIER_H__

#include <linux/types.h>

#include <drm/drm_gem.h>

struct file;
struct vm_area_struct;

#ifdef CONFIG_DRM_XETILE_XE
u64 xetile_xe_barrier_offset(void);
int xetile_xe_mmap(struct file *opened, struct vm_area_struct *vma);
#else
#define xetile_xe_mmap drm_gem_mmap
#endif

#endif
