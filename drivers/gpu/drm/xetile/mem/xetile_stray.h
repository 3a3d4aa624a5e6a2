/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_STRAY_H__
#define __XETILE_STRAY_H__

#include <linux/list.h>
#include <linux/types.h>

struct drm_exec;
struct drm_gpuvm_bo;
struct xetile_device;
struct xetile_room;
struct xetile_vm_need;

/** struct xetile_strays - BOs that do not lie as asked, of one VM; under its reservation */
struct xetile_strays {
	/** @list: struct xetile_stray; those to be looked at come first */
	struct list_head list;
	/** @num: elements of @list */
	unsigned int num;
	/** @rest: how many are to be looked at */
	unsigned int rest;
	/** @freed: xetile_hbm_freed() when all were to be looked at */
	u64 freed;
	/** @waited: when a job last waited for a stray, in 64-bit jiffies */
	u64 waited;
};

void xetile_strays_init(struct xetile_strays *strays);
struct drm_gpuvm_bo *xetile_stray_alloc(void);
void xetile_stray_free(struct drm_gpuvm_bo *vm_bo);
struct xetile_vm_need *xetile_stray_need(struct drm_gpuvm_bo *vm_bo);
void xetile_stray_note(struct xetile_strays *strays, struct drm_gpuvm_bo *vm_bo);
void xetile_stray_set_current(struct drm_gpuvm_bo *vm_bo);
bool xetile_stray_is_current(struct drm_gpuvm_bo *vm_bo);
int xetile_strays_return(struct xetile_strays *strays, struct drm_exec *exec,
			 struct xetile_room *room);

#endif
