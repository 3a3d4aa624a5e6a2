// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_vma.h"

#include <linux/dma-resv.h>
#include <linux/sched.h>
#include <linux/string.h>

#include <drm/drm_gpuvm.h>

/**
 * DOC: a mapping on one tile
 *
 * The callbacks of drm_gpuvm for changes of mappings. They must not fail, so a bind allocates
 * memory for all mappings that it may need beforehand: the *spares*. The VM's reservation is held.
 */

/**
 * xetile_vma_take_spare() - take memory for a mapping
 * @vm: VM with its reservation held, and with spares: see xetile_vma_have_spares()
 * @flags: mask of XETILE_BIND_*
 *
 * Context: process, with the VM's reservation.
 * Return: the memory, zeroed but for @flags.
 */
struct xetile_vma *xetile_vma_take_spare(struct xetile_vm *vm, u32 flags)
{
	struct xetile_vma *vma = vm->spare;

	dma_resv_assert_held(vm->gem->resv);
	vm->spare = vma->next_spare;
	vm->num_spares--;
	memset(vma, 0, sizeof(*vma));
	vma->flags = flags;
	return vma;
}

/**
 * xetile_vma_step_map() - a mapping is made, for drm_gpuvm
 * @op: what changes
 * @priv: struct xetile_vma_steps
 *
 * Takes a spare; under the reservation of the VM.
 *
 * Context: process, with the VM's reservation.
 * Return: 0.
 */
int xetile_vma_step_map(struct drm_gpuva_op *op, void *priv)
{
	struct xetile_vma_steps *steps = priv;
	struct xetile_vma *vma = xetile_vma_take_spare(steps->vm, steps->flags);

	dma_resv_assert_held(steps->vm->gem->resv);
	drm_gpuva_map(&steps->vm->gpuvm, &vma->base, &op->map);
	drm_gpuva_link(&vma->base, steps->vm_bo);
	if (steps->user)
		xetile_user_link(&vma->user, steps->user);
	return 0;
}

/* What stays of a mapping of a process's memory: none, one or two mappings */
static void move_user(struct xetile_vma *old, struct xetile_vma *prev, struct xetile_vma *next)
{
	if (!old->user.range)
		return;
	if (prev)
		xetile_user_link(&prev->user, old->user.range);
	if (next)
		xetile_user_link(&next->user, old->user.range);
	xetile_user_unlink(&old->user);
}

/**
 * xetile_vma_step_remap() - parts of a mapping stay, for drm_gpuvm
 * @op: what changes
 * @priv: struct xetile_vma_steps
 *
 * Takes a spare for each part, and gives back one; under the reservation of the VM.
 *
 * Context: process, with the VM's reservation.
 * Return: 0.
 */
int xetile_vma_step_remap(struct drm_gpuva_op *op, void *priv)
{
	struct drm_gpuva *old = op->remap.unmap->va;
	struct xetile_vma_steps *steps = priv;
	struct xetile_vma *prev = NULL, *next = NULL;

	dma_resv_assert_held(steps->vm->gem->resv);
	if (op->remap.prev)
		prev = xetile_vma_take_spare(steps->vm, to_xetile_vma(old)->flags);
	if (op->remap.next)
		next = xetile_vma_take_spare(steps->vm, to_xetile_vma(old)->flags);
	drm_gpuva_remap(prev ? &prev->base : NULL, next ? &next->base : NULL, &op->remap);
	if (prev)
		drm_gpuva_link(&prev->base, old->vm_bo);
	if (next)
		drm_gpuva_link(&next->base, old->vm_bo);
	drm_gpuva_unlink(old);
	move_user(to_xetile_vma(old), prev, next);
	xetile_vma_give_spare(steps->vm, to_xetile_vma(old));
	steps->replaced = true;
	return 0;
}

/**
 * xetile_vma_step_unmap() - a mapping is removed, for drm_gpuvm
 * @op: what changes
 * @priv: struct xetile_vma_steps
 *
 * Gives back a spare; under the reservation of the VM.
 *
 * Context: process, with the VM's reservation.
 * Return: 0.
 */
int xetile_vma_step_unmap(struct drm_gpuva_op *op, void *priv)
{
	struct drm_gpuva *old = op->unmap.va;
	struct xetile_vma_steps *steps = priv;

	dma_resv_assert_held(steps->vm->gem->resv);
	drm_gpuva_unmap(&op->unmap);
	drm_gpuva_unlink(old);
	move_user(to_xetile_vma(old), NULL, NULL);
	xetile_vma_give_spare(steps->vm, to_xetile_vma(old));
	steps->replaced = true;
	/* A bind may cover millions of mappings. */
	cond_resched();
	return 0;
}
