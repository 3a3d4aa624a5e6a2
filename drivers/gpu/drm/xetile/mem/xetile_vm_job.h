/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_VM_JOB_H__
#define __XETILE_VM_JOB_H__

#include <linux/types.h>

struct dma_fence;
struct drm_exec;
struct drm_gpuvm_bo;
struct xetile_room;
struct xetile_tile;
struct xetile_vm;

u64 xetile_vm_pdp0(struct xetile_vm *vm, struct xetile_tile *tile);
u32 xetile_vm_asid(struct xetile_vm *vm);
u64 xetile_vm_tlb_seq(struct xetile_vm *vm);
struct dma_fence *xetile_vm_bound(struct xetile_vm *vm);
int xetile_vm_lock(struct xetile_vm *vm, struct drm_exec *exec);
int xetile_vm_validate(struct xetile_vm *vm, struct drm_exec *exec, struct xetile_room *room);
int xetile_vm_settle_imports(struct xetile_vm *vm, struct drm_exec *exec, struct dma_fence **other);
int xetile_vm_settle(struct xetile_vm *vm, struct drm_exec *exec, struct dma_fence **other);
int xetile_vm_fills(struct xetile_vm *vm, struct dma_fence ***fences, unsigned int *num);
int xetile_vm_fault_in(struct xetile_vm *vm);
bool xetile_vm_is_stale(const struct xetile_vm *vm);
bool xetile_vm_begin(struct xetile_vm *vm);
void xetile_vm_add_fence(struct xetile_vm *vm, struct drm_exec *exec, struct dma_fence *fence);

/* For the files of address spaces */
int xetile_vm_bo_validate(struct drm_gpuvm_bo *vm_bo, struct drm_exec *exec);
void xetile_vm_tidy(struct xetile_vm *vm);

#endif
