/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_VMA_H__
#define __XETILE_VMA_H__

#include <linux/dma-resv.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/types.h>

#include <drm/drm_gem.h>
#include <drm/drm_gpuvm.h>

#include "mem/xetile_bind_op.h"
#include "mem/xetile_bo_types.h"
#include "mem/xetile_pte.h"
#include "mem/xetile_user.h"
#include "mem/xetile_va.h"
#include "mem/xetile_vm.h"
#include "mem/xetile_vm_types.h"

/** struct xetile_vma - a mapping on one tile */
struct xetile_vma {
	/** @base: drm_gpuvm's part */
	struct drm_gpuva base;
	/** @flags: mask of XETILE_BIND_* */
	u32 flags;
	/** @user: memory of a process that is mapped, from the mapping's offset on */
	struct xetile_user_link user;
	/** @next_spare: the next one in the list &xetile_vm.spare */
	struct xetile_vma *next_spare;
};

/**
 * struct xetile_vma_steps - state while the mappings of one operation change; nothing fails
 *
 * drm_gpuvm hands it to the steps.
 */
struct xetile_vma_steps {
	/** @vm: VM */
	struct xetile_vm *vm;
	/** @vm_bo: NULL where no memory is mapped */
	struct drm_gpuvm_bo *vm_bo;
	/** @user: memory of a process that is mapped, or NULL */
	struct xetile_user_range *user;
	/** @flags: mask of XETILE_BIND_* of what is mapped */
	u32 flags;
	/** @replaced: a mapping was removed, or parts of it */
	bool replaced;
};

/*
 * For drm_gpuvm the address spaces of all tiles lie one after the other in one address space:
 * so it needs one drm_gpuvm_bo for a BO, and not one for each tile.
 */
/**
 * xetile_vma_addr() - an address as drm_gpuvm knows it
 * @tile: the tile
 * @addr: GPU address on it
 *
 * Return: the address in the one space of all tiles.
 */
static inline u64 xetile_vma_addr(unsigned int tile, u64 addr)
{
	return tile * XETILE_VA_SIZE + addr;
}

/**
 * xetile_vma_tile() - the tile of a mapping
 * @va: the mapping
 *
 * Return: its number.
 */
static inline unsigned int xetile_vma_tile(const struct drm_gpuva *va)
{
	return va->va.addr >> XETILE_VA_BITS;
}

static inline struct xetile_vma *to_xetile_vma(struct drm_gpuva *va)
{
	return container_of(va, struct xetile_vma, base);
}

/**
 * xetile_vma_pte_flags() - what page table entries get from a bind
 * @bo: BO that is mapped, with its reservation held; NULL: memory of a process
 * @bind_flags: mask of XETILE_BIND_*
 *
 * Return: mask of XETILE_PTE_*.
 */
static inline u32 xetile_vma_pte_flags(const struct xetile_bo *bo, u32 bind_flags)
{
	u32 flags = bind_flags & XETILE_PTE_PAT_MASK;

	/* Nobody writes what may have copies. */
	if (bind_flags & XETILE_BIND_READONLY || (bo && bo->copies))
		flags |= XETILE_PTE_READONLY;
	return flags;
}

struct xetile_vma *xetile_vma_take_spare(struct xetile_vm *vm, u32 flags);

/**
 * xetile_vma_give_spare() - keep the memory of a mapping that is no more
 * @vm: VM, with its reservation held
 * @vma: the mapping, unlinked
 *
 * Context: process, with the VM's reservation.
 */
static inline void xetile_vma_give_spare(struct xetile_vm *vm, struct xetile_vma *vma)
{
	dma_resv_assert_held(vm->gem->resv);
	vma->next_spare = vm->spare;
	vm->spare = vma;
	vm->num_spares++;
}

/**
 * xetile_vma_have_spares() - have memory for mappings, so that making them cannot fail
 * @vm: VM, with its reservation held
 * @num: how many mappings
 *
 * Context: process, with the VM's reservation.
 * Return: 0 or -ENOMEM.
 */
static inline int xetile_vma_have_spares(struct xetile_vm *vm, unsigned int num)
{
	dma_resv_assert_held(vm->gem->resv);
	while (vm->num_spares < num) {
		struct xetile_vma *vma = kzalloc_obj(*vma, GFP_KERNEL_ACCOUNT);

		if (!vma)
			return -ENOMEM;
		xetile_vma_give_spare(vm, vma);
	}
	return 0;
}

/**
 * xetile_vma_drop_spares() - keep memory for no more than so many mappings
 * @vm: VM, with its reservation held
 * @num: how many mappings
 *
 * Context: process, with the VM's reservation.
 */
static inline void xetile_vma_drop_spares(struct xetile_vm *vm, unsigned int num)
{
	dma_resv_assert_held(vm->gem->resv);
	while (vm->num_spares > num) {
		struct xetile_vma *vma = xetile_vma_take_spare(vm, 0);

		kfree(vma);
		/* One bind may have unmapped millions of mappings. */
		cond_resched();
	}
}

int xetile_vma_step_map(struct drm_gpuva_op *op, void *priv);
int xetile_vma_step_remap(struct drm_gpuva_op *op, void *priv);
int xetile_vma_step_unmap(struct drm_gpuva_op *op, void *priv);

#endif
