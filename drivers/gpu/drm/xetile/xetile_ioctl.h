/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_IOCTL_H__
#define __XETILE_IOCTL_H__

#include <linux/types.h>

struct drm_device;
struct drm_file;
struct xetile_sync;

int xetile_ioctl_query(struct drm_device *drm, void *data, struct drm_file *file);
int xetile_ioctl_bo_create(struct drm_device *drm, void *data, struct drm_file *file);
int xetile_ioctl_bo_info(struct drm_device *drm, void *data, struct drm_file *file);
int xetile_ioctl_bo_mmap(struct drm_device *drm, void *data, struct drm_file *file);
int xetile_ioctl_vm_create(struct drm_device *drm, void *data, struct drm_file *file);
int xetile_ioctl_vm_destroy(struct drm_device *drm, void *data, struct drm_file *file);
int xetile_ioctl_vm_bind(struct drm_device *drm, void *data, struct drm_file *file);
int xetile_ioctl_queue_create(struct drm_device *drm, void *data, struct drm_file *file);
int xetile_ioctl_queue_destroy(struct drm_device *drm, void *data, struct drm_file *file);
int xetile_ioctl_queue_info(struct drm_device *drm, void *data, struct drm_file *file);
int xetile_ioctl_exec(struct drm_device *drm, void *data, struct drm_file *file);

/* xetile_ioctl.c: what several calls share */
void *xetile_ioctl_array(u64 user, u32 num, u32 max, size_t elem);
int xetile_ioctl_syncs(struct drm_file *file, u64 user, u32 num, struct xetile_sync **syncs);
void xetile_ioctl_syncs_put(struct xetile_sync *syncs, u32 num);

#endif
