/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_VM_GRANULE_H__
#define __XETILE_VM_GRANULE_H__

#include <linux/types.h>

struct drm_gem_object;
struct xetile_bind_op;
struct xetile_vm;

u32 xetile_vm_granule(struct drm_gem_object *gem);
int xetile_vm_granule_check(struct xetile_vm *vm, const struct xetile_bind_op *ops,
			    unsigned int num_ops);

#endif
