/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_VM_H__
#define __XETILE_VM_H__

#include <linux/bits.h>
#include <linux/types.h>

struct drm_gem_object;
struct xetile_account;
struct xetile_device;
struct xetile_user_queue;
struct xetile_user_range;
struct xetile_vm;

/* Its jobs may run for ever: their ends are told to nobody, and they leave its memory when asked */
#define XETILE_VM_LR	BIT(0)
/* What nothing is mapped to reads zero, and writes there are dropped */
#define XETILE_VM_SCRATCH	BIT(1)
/*
 * Jobs run without memory that a process has given back: where they use it they have a page fault,
 * or what XETILE_VM_SCRATCH says; so it is with XETILE_VM_LR, too
 */
#define XETILE_VM_OUTLIVES	BIT(2)

struct xetile_vm *xetile_vm_create(struct xetile_device *xt, struct xetile_account *account,
				   u32 flags);
struct xetile_vm *xetile_vm_create_on(struct xetile_device *xt, struct xetile_account *account,
				      unsigned long tile_mask, u32 flags);
bool xetile_vm_is_lr(const struct xetile_vm *vm);
struct xetile_vm *xetile_vm_get(struct xetile_vm *vm);
void xetile_vm_put(struct xetile_vm *vm);
bool xetile_vm_use(struct xetile_vm *vm);
void xetile_vm_unuse(struct xetile_vm *vm);
void xetile_vm_close(struct xetile_vm *vm);
struct drm_gem_object *xetile_vm_gem(struct xetile_vm *vm);
struct xetile_user_range *xetile_vm_user_range(struct xetile_vm *vm, u64 start, u64 size,
					       bool readonly);
void xetile_vm_add_queue(struct xetile_vm *vm, struct xetile_user_queue *queue);
void xetile_vm_del_queue(struct xetile_vm *vm, struct xetile_user_queue *queue);
void xetile_vm_reap_users(struct xetile_vm *vm);
void xetile_vms_end(struct xetile_device *xt);
void xetile_vms_rest_users(struct xetile_device *xt);
void xetile_vms_unmap_users(struct xetile_device *xt);

#endif
