/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_IOCTL_H__
#define __XETILE_IOCTL_H__

#include <linux/stddef.h>
#include <linux/types.h>

struct drm_device;
struct drm_file;
struct drm_xetile_array;
struct xetile_bind_op;
struct xetile_bind_queue;
struct xetile_device;
struct xetile_file;
struct xetile_queue;
struct xetile_submit;
struct xetile_sync_set;
struct xetile_vm;
struct xetile_vm_line;

int xetile_ioctl_query(struct drm_device *drm, void *data, struct drm_file *file);
int xetile_ioctl_bo_create(struct drm_device *drm, void *data, struct drm_file *file);
int xetile_ioctl_bo_info(struct drm_device *drm, void *data, struct drm_file *file);
int xetile_ioctl_bo_mmap(struct drm_device *drm, void *data, struct drm_file *file);
int xetile_ioctl_bo_recolor(struct drm_device *drm, void *data, struct drm_file *file);
int xetile_ioctl_bo_advise(struct drm_device *drm, void *data, struct drm_file *file);
int xetile_ioctl_bo_pin(struct drm_device *drm, void *data, struct drm_file *file);
int xetile_ioctl_bo_purge(struct drm_device *drm, void *data, struct drm_file *file);
int xetile_ioctl_vm_create(struct drm_device *drm, void *data, struct drm_file *file);
int xetile_ioctl_vm_destroy(struct drm_device *drm, void *data, struct drm_file *file);
int xetile_ioctl_vm_bind(struct drm_device *drm, void *data, struct drm_file *file);
int xetile_ioctl_queue_create(struct drm_device *drm, void *data, struct drm_file *file);
int xetile_ioctl_queue_destroy(struct drm_device *drm, void *data, struct drm_file *file);
int xetile_ioctl_queue_info(struct drm_device *drm, void *data, struct drm_file *file);
int xetile_ioctl_exec(struct drm_device *drm, void *data, struct drm_file *file);
int xetile_ioctl_process(struct drm_device *drm, void *data, struct drm_file *file);

/* xetile_ioctl_vm.c: what both interfaces do for a bind */
int xetile_ioctl_bind_queue(struct xetile_file *xf, struct xetile_vm *vm, u32 id,
			    struct xetile_bind_queue **queue);
int xetile_ioctl_make_binds(struct drm_file *file, struct xetile_vm *vm, u32 vm_id,
			    struct xetile_vm_line *line, struct xetile_bind_op *ops, u32 num,
			    const struct xetile_sync_set *syncs);

/* xetile_ioctl_exec.c: what both interfaces do for a submission */
int xetile_ioctl_submit(struct xetile_device *xt, struct xetile_queue *queue,
			const struct xetile_submit *submit);

/* xetile_ioctl.c: helpers that several ioctls share */
int xetile_ioctl_array_check(const struct drm_xetile_array *array, size_t first);
int xetile_ioctl_elem(const struct drm_xetile_array *array, u32 i, void *to, size_t elem);
void *xetile_ioctl_array_get(const struct drm_xetile_array *array, size_t elem, size_t first);
int xetile_ioctl_answer_put(struct drm_xetile_array *array, const void *data, u32 num,
			    size_t elem, size_t first);
int xetile_ioctl_syncs(struct drm_file *file, const struct drm_xetile_array *from,
		       struct xetile_sync_set *syncs);
void xetile_ioctl_syncs_put(struct xetile_sync_set *syncs);

/*
 * An array of the uAPI, with elements of @type, whose first version ended with the field
 * @last: macros to check it for xetile_ioctl_elem(), to read it, and to write it.
 */
#define xetile_ioctl_array_ok(array, type, last) \
	xetile_ioctl_array_check(array, offsetofend(type, last))
#define xetile_ioctl_array(array, type, last) \
	xetile_ioctl_array_get(array, sizeof(type), offsetofend(type, last))
#define xetile_ioctl_answer(array, data, num, type, last) \
	xetile_ioctl_answer_put(array, data, num, sizeof(type), offsetofend(type, last))

#endif
