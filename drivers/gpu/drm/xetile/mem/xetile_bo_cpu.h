/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_BO_CPU_H__
#define __XETILE_BO_CPU_H__

#include <linux/mm.h>

struct ttm_buffer_object;
struct ttm_device;
struct ttm_resource;
struct xetile_bo;
struct xetile_device;

extern const struct vm_operations_struct xetile_bo_vm_ops;

void xetile_bo_close_window(struct xetile_device *xt);
void xetile_bo_open_window(struct xetile_device *xt);

bool xetile_bo_fault_may_drop(struct vm_fault *vmf);
void xetile_bo_fault_drop_locks(struct xetile_bo *bo, struct vm_fault *vmf);
vm_fault_t xetile_bo_fault_wait_open(struct xetile_device *xt, struct vm_fault *vmf,
				     struct xetile_bo *bo);
vm_fault_t xetile_bo_fault_wait_filled(struct xetile_bo *bo, struct vm_fault *vmf);
const char *xetile_bo_peek(struct xetile_bo *bo, u64 offset, void *buf, int len);
int xetile_bo_access(struct xetile_bo *bo, u64 offset, void *buf, int len, int write);

/* For TTM, by way of xetile_bo_move.c */
int xetile_bo_io_mem_reserve(struct ttm_device *bdev, struct ttm_resource *res);
unsigned long xetile_bo_io_mem_pfn(struct ttm_buffer_object *ttm, unsigned long page);

#endif
