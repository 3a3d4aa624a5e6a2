/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_VM_PRINT_H__
#define __XETILE_VM_PRINT_H__

#include <linux/types.h>

struct drm_printer;
struct xetile_device;
struct xetile_vm;

void xetile_vm_print(struct xetile_vm *vm, struct drm_printer *p, unsigned int tile, u64 addr,
		     unsigned int max);
int xetile_vms_print(struct xetile_device *xt, struct drm_printer *p);

#endif
