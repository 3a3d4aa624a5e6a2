/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_VM_TYPES_H__
#define __XETILE_VM_TYPES_H__

#include <linux/dma-resv.h>
#include <linux/kref.h>
#include <linux/refcount.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include <drm/drm_gpuvm.h>

#include "card/xetile_gate.h"
#include "card/xetile_tile.h"
#include "mem/xetile_pt.h"
#include "mem/xetile_stray.h"
#include "mem/xetile_user.h"
#include "mem/xetile_vm_hold.h"
#include "mem/xetile_vm_need.h"
#include "mem/xetile_vm_run.h"
#include "mem/xetile_vm_update.h"

/**
 * DOC: what an address space is made of
 *
 * For the files of address spaces alone. The reservation of the group protects all fields that are
 * not constant and name no other lock.
 */

struct drm_gem_object;
struct xetile_bo_group;
struct xetile_device;
struct xetile_pt;
struct xetile_room;
struct xetile_vma;

/** struct xetile_vm - an address space; for the files of address spaces alone */
struct xetile_vm {
	/** @ref: references */
	struct kref ref;
	/**
	 * @users: its id, its queues, and binds in the making: without users nobody can see what a
	 *	bind does that still waits
	 */
	refcount_t users;
	/**
	 * @xt: card, with a reference, because binds that wait for fences of others may outlive the
	 *	files
	 */
	struct xetile_device *xt;
	/** @group: BOs private to it; carries the reservation */
	struct xetile_bo_group *group;
	/** @gem: base of @group */
	struct drm_gem_object *gem;
	/** @asid: its number for the hardware */
	u32 asid;
	/** @closed: the id is given up */
	bool closed;
	/** @tile_mask: tiles it exists on: all, or one for a kernel VM */
	unsigned long tile_mask;
	/** @flags: mask of XETILE_VM_*; constant */
	u32 flags;
	/** @gpuvm: what is mapped, on all tiles: see xetile_vma_addr() */
	struct drm_gpuvm gpuvm;
	/** @trees: page tables, by tile */
	struct xetile_pt_tree trees[XETILE_MAX_TILES];
	/** @updates: changes of the page tables */
	struct xetile_vm_updates updates;
	/** @holds: holds of changes of bind queues that are made */
	struct xetile_vm_holds holds;
	/** @run: XETILE_VM_LR: when its jobs run */
	struct xetile_vm_run run;
	/** @needs: XETILE_VM_LR: HBM that its BOs need at once; under the reservation */
	struct xetile_vm_needs needs;
	/** @ranges: memory of processes that it maps */
	struct xetile_users ranges;
	/** @spare: memory for mappings; under the reservation */
	struct xetile_vma *spare;
	/** @num_spares: number of them */
	unsigned int num_spares;
	/** @room: the call that has the BOs validated; under the reservation */
	struct xetile_room *room;
	/** @placed: while BOs are validated: all have their places; under the reservation */
	bool placed;
	/** @may_copy: parts that may have copies are left over for then; as @placed */
	bool may_copy;
	/**
	 * @touch: counts the BOs of which TTM was told, which says which one is next; under the
	 *	reservation
	 */
	unsigned int touch;
	/** @strays: BOs it maps that do not lie as asked */
	struct xetile_strays strays;
	/**
	 * @sparse_start: start of the range where changes that waited may have left empty
	 *	directories; under the reservation
	 */
	u64 sparse_start;
	/** @sparse_end: end of that range; 0: there is none */
	u64 sparse_end;
	/** @free_work: frees the VM, when its jobs are done */
	struct xetile_gated free_work;
	/** @put_work: drops what may be the card's last reference */
	struct work_struct put_work;
	/** @window: kernel VM: tables of the window */
	struct xetile_pt **window;
	/** @window_tables: elements of @window */
	unsigned int window_tables;
};

static inline struct xetile_vm *to_xetile_vm(struct drm_gpuvm *gpuvm)
{
	return container_of(gpuvm, struct xetile_vm, gpuvm);
}

/**
 * xetile_vm_try_lock() - try the reservation of a buffer that a VM maps
 * @gpuvm: VM with its reservation held, which that of a private buffer is, too
 * @obj: the buffer
 *
 * That of another buffer must not be waited for under the VM's.
 *
 * Context: any, with the VM's reservation.
 * Return: whether the caller has it, until xetile_vm_unlock().
 */
static inline bool xetile_vm_try_lock(struct drm_gpuvm *gpuvm, struct drm_gem_object *obj)
{
	drm_gpuvm_resv_assert_held(gpuvm);
	return obj->resv == drm_gpuvm_resv(gpuvm) || dma_resv_trylock(obj->resv);
}

/**
 * xetile_vm_unlock() - undo xetile_vm_try_lock()
 * @gpuvm: the VM
 * @obj: the buffer
 *
 * Context: any, with the VM's reservation.
 */
static inline void xetile_vm_unlock(struct drm_gpuvm *gpuvm, struct drm_gem_object *obj)
{
	drm_gpuvm_resv_assert_held(gpuvm);
	if (obj->resv != drm_gpuvm_resv(gpuvm))
		dma_resv_unlock(obj->resv);
}

#endif
