/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_VM_H__
#define __XETILE_VM_H__

#include <linux/bits.h>
#include <linux/types.h>

struct dma_fence;
struct drm_exec;
struct drm_gpuvm_bo;
struct drm_printer;
struct xetile_account;
struct xetile_room;
struct drm_gem_object;
struct xetile_device;
struct xetile_sync;
struct xetile_tile;
struct xetile_vm;
struct xetile_vm_line;

#define XETILE_VA_BITS		57
#define XETILE_VA_SIZE		BIT_ULL(XETILE_VA_BITS)
#define XETILE_BIND_ALIGN	(64 * 1024)

/* Identity map of all HBM in a tile's kernel VM starts here (1 GiB leaves) */
#define XETILE_IDENTITY_BASE	(256ull << 30)

/** enum xetile_bind_kind - what a bind does */
enum xetile_bind_kind { XETILE_BIND_MAP, XETILE_BIND_UNMAP, XETILE_BIND_NULL };

#define XETILE_BIND_READONLY	BIT(0)

/** struct xetile_bind_op - one bind, checked by the caller */
struct xetile_bind_op {
	/** @kind: what to do */
	enum xetile_bind_kind kind;
	/** @flags: mask of XETILE_BIND_* */
	u32 flags;
	/** @addr: GPU address */
	u64 addr;
	/** @range: bytes */
	u64 range;
	/** @gem: MAP: the BO; the op holds a reference, the caller drops it */
	struct drm_gem_object *gem;
	/** @offset: MAP: bytes into the BO */
	u64 offset;
	/** @tile_mask: tiles whose tables change */
	u32 tile_mask;
	/** @vm_bo: MAP: the BO in the VM, for xetile_vm_bind() alone; NULL at first */
	struct drm_gpuvm_bo *vm_bo;
};

struct xetile_vm *xetile_vm_create(struct xetile_device *xt, struct xetile_account *account);
struct xetile_vm *xetile_vm_get(struct xetile_vm *vm);
void xetile_vm_put(struct xetile_vm *vm);
bool xetile_vm_use(struct xetile_vm *vm);
void xetile_vm_unuse(struct xetile_vm *vm);
void xetile_vm_close(struct xetile_vm *vm);
struct drm_gem_object *xetile_vm_gem(struct xetile_vm *vm);
void xetile_vms_end(struct xetile_device *xt);

int xetile_vm_bind(struct xetile_vm *vm, struct xetile_vm_line *line,
		   struct xetile_bind_op *ops, unsigned int num_ops,
		   struct xetile_sync *syncs, unsigned int num_syncs);

/* What a job needs of its VM */
u64 xetile_vm_pdp0(struct xetile_vm *vm, struct xetile_tile *tile);
u32 xetile_vm_asid(struct xetile_vm *vm);
u64 xetile_vm_tlb_seq(struct xetile_vm *vm);
struct dma_fence *xetile_vm_bound(struct xetile_vm *vm);
int xetile_vm_lock(struct xetile_vm *vm, struct drm_exec *exec);
int xetile_vm_validate(struct xetile_vm *vm, struct drm_exec *exec, struct xetile_room *room);
int xetile_vm_fills(struct xetile_vm *vm, struct dma_fence ***fences, unsigned int *num);
void xetile_vm_add_fence(struct xetile_vm *vm, struct drm_exec *exec, struct dma_fence *fence);

void xetile_vm_print(struct xetile_vm *vm, struct drm_printer *p, unsigned int max);

/* A tile's kernel VM: identity map of HBM, and a window for system pages */
struct xetile_vm *xetile_vm_create_kernel(struct xetile_tile *tile, unsigned int window_pages);
u64 xetile_vm_window(struct xetile_vm *vm);
void xetile_vm_window_set(struct xetile_vm *vm, unsigned int first, dma_addr_t addr,
			  unsigned int n);

#endif
