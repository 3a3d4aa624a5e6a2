/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_XE_H__
#define __XETILE_XE_H__

/**
 * DOC: the calls of the xe driver
 *
 * For the table of calls in xetile_drv.c. The DRM core calls each in process context, without a
 * lock, also when the card is gone.
 */

struct drm_device;
struct drm_file;

/* The calls, each in the file of its object */
int xetile_xe_device_query(struct drm_device *drm, void *data, struct drm_file *file);
int xetile_xe_exec(struct drm_device *drm, void *data, struct drm_file *file);
int xetile_xe_exec_queue_create(struct drm_device *drm, void *data, struct drm_file *file);
int xetile_xe_exec_queue_destroy(struct drm_device *drm, void *data, struct drm_file *file);
int xetile_xe_exec_queue_get_property(struct drm_device *drm, void *data, struct drm_file *file);
int xetile_xe_exec_queue_set_property(struct drm_device *drm, void *data, struct drm_file *file);
int xetile_xe_gem_create(struct drm_device *drm, void *data, struct drm_file *file);
int xetile_xe_gem_mmap_offset(struct drm_device *drm, void *data, struct drm_file *file);
int xetile_xe_vm_bind(struct drm_device *drm, void *data, struct drm_file *file);
int xetile_xe_vm_create(struct drm_device *drm, void *data, struct drm_file *file);
int xetile_xe_vm_destroy(struct drm_device *drm, void *data, struct drm_file *file);
int xetile_xe_vm_get_property(struct drm_device *drm, void *data, struct drm_file *file);
int xetile_xe_vm_unsupported(struct drm_device *drm, void *data, struct drm_file *file);
int xetile_xe_wait_user_fence(struct drm_device *drm, void *data, struct drm_file *file);

#endif
