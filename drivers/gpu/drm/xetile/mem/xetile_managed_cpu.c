// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_managed_cpu.h"

#include <linux/dma-resv.h>
#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>

#include <drm/drm_gem.h>
#include <drm/drm_vma_manager.h>
#include <drm/ttm/ttm_bo.h>
#include <drm/ttm/ttm_tt.h>

#include "mem/xetile_bo_cpu.h"
#include "mem/xetile_bo_fill.h"
#include "mem/xetile_bo_types.h"
#include "mem/xetile_managed_types.h"
#include "mem/xetile_room.h"
#include "mem/xetile_sysmem.h"
#include "xetile_device.h"

/**
 * DOC: how the CPU gets at memory that moves on access
 *
 * A process maps the whole, see xetile_managed.c, and sees each part in system memory, and never in
 * HBM: a fault brings the part that it hits there, and maps all of it that the mapping has. When a
 * part moves, the mappings of its range end, so that the next touch is a fault again. If jobs use
 * the part in HBM, the fault waits for them with no lock held, see xetile_room_fetch(). The
 * kernel's memory management calls, under mmap_lock or without; the reservation is taken here.
 */

/* Where in the whole an address of its mapping is, in bytes */
static u64 offset_of(struct vm_area_struct *vma, unsigned long addr)
{
	struct ttm_buffer_object *ttm = vma->vm_private_data;
	u64 page = vma->vm_pgoff - drm_vma_node_start(&ttm->base.vma_node);

	return (page << PAGE_SHIFT) + (addr - vma->vm_start);
}

static struct xetile_bo *part_at(struct vm_area_struct *vma, u64 offset)
{
	return ttm_to_xetile_bo(vma->vm_private_data)->parts[offset >> XETILE_MANAGED_SHIFT];
}

/*
 * Jobs use the part in HBM, or another call is about to move it. Outside of xetile_device_enter(),
 * so that the wait does not hold up the removal of the card.
 */
static vm_fault_t fault_wait_idle(struct xetile_bo *part, struct vm_fault *vmf)
{
	bool user = vmf->flags & FAULT_FLAG_USER;
	int err;

	dma_resv_assert_held(part->ttm.base.resv);
	if (vmf->flags & FAULT_FLAG_RETRY_NOWAIT)
		return VM_FAULT_RETRY;
	if (!xetile_bo_fault_may_drop(vmf)) {
		/* Rare: the fault is repeated, and not everybody looks for signals before. */
		dma_resv_wait_timeout(part->ttm.base.resv, DMA_RESV_USAGE_BOOKKEEP, true, HZ / 10);
		return fatal_signal_pending(current) ? VM_FAULT_SIGBUS : VM_FAULT_NOPAGE;
	}

	xetile_bo_fault_drop_locks(part, vmf);
	/* An error that stays shows again when the fault is repeated, and the part is idle. */
	err = xetile_room_fetch(part);
	drm_gem_object_put(xetile_bo_gem(part));
	/* In the kernel a fault is repeated in spite of a signal that is not fatal: do not spin. */
	if (err == -ERESTARTSYS && !user)
		schedule_timeout_killable(HZ / 10);
	return VM_FAULT_RETRY;
}

/* Within xetile_device_enter(); no job uses the part. Returns the answer, or 0: it is there. */
static vm_fault_t fault_bring(struct xetile_bo *part)
{
	int err;

	dma_resv_assert_held(part->ttm.base.resv);
	part->touched = true;
	err = xetile_sysmem_take(&part->ttm);
	part->touched = false;
	if (err == -ERESTARTSYS || err == -EINTR || err == -EBUSY)
		return VM_FAULT_NOPAGE;
	if (err || xetile_bo_is_lost(part))
		return VM_FAULT_SIGBUS;
	/* xetile_sysmem_take() has waited for the copy, but a failure may show a moment later. */
	return part->filled ? VM_FAULT_NOPAGE : 0;
}

/* Map all of a part that the mapping has: the next touches of it are no faults. */
static vm_fault_t fault_map(struct xetile_bo *part, struct vm_fault *vmf)
{
	u64 offset = offset_of(vmf->vma, vmf->address) & (XETILE_MANAGED_RANGE - 1) & PAGE_MASK;
	unsigned long addr = vmf->address & PAGE_MASK, before, behind, at;
	struct ttm_tt *tt = part->ttm.ttm;
	vm_fault_t ret;

	dma_resv_assert_held(part->ttm.base.resv);
	before = min_t(u64, offset, addr - vmf->vma->vm_start);
	behind = min_t(u64, part->args.size - offset, vmf->vma->vm_end - addr);
	/* The page that is touched first, because only its failure is one of the touch. */
	ret = vmf_insert_pfn(vmf->vma, addr, page_to_pfn(tt->pages[offset >> PAGE_SHIFT]));
	for (at = addr - before; at < addr + behind && ret == VM_FAULT_NOPAGE; at += PAGE_SIZE)
		if (vmf_insert_pfn(vmf->vma, at,
				   page_to_pfn(tt->pages[(offset + at - addr) >> PAGE_SHIFT])) !=
		    VM_FAULT_NOPAGE)
			break;
	xetile_room_unkeep(part);
	return ret;
}

static vm_fault_t fault_reserved(struct xetile_bo *part, struct vm_fault *vmf)
{
	struct xetile_device *xt = to_xetile_device(part->ttm.base.dev);
	bool there = part->ttm.resource->mem_type == XETILE_PL_SYSTEM;
	vm_fault_t ret;
	int idx;

	dma_resv_assert_held(part->ttm.base.resv);
	ret = xetile_bo_fault_wait_filled(part, vmf);
	if (ret)
		return ret;
	if (xetile_bo_is_lost(part))
		return VM_FAULT_SIGBUS;
	if (!there && (part->held_by || !xetile_room_is_idle(part)))
		return fault_wait_idle(part, vmf);

	if (!xetile_device_enter(xt, &idx))
		return ttm_bo_vm_dummy_page(vmf, vmf->vma->vm_page_prot);
	ret = there ? 0 : fault_bring(part);
	if (!ret)
		ret = fault_map(part, vmf);
	xetile_device_exit(xt, idx);
	return ret;
}

static vm_fault_t managed_fault(struct vm_fault *vmf)
{
	struct xetile_bo *part = part_at(vmf->vma, offset_of(vmf->vma, vmf->address));
	vm_fault_t ret;

	ret = ttm_bo_vm_reserve(&part->ttm, vmf);
	if (ret)
		return ret;
	ret = fault_reserved(part, vmf);
	/* On a retry the reservation and mmap_lock were dropped before a wait. */
	if (ret == VM_FAULT_RETRY && !(vmf->flags & FAULT_FLAG_RETRY_NOWAIT))
		return ret;
	dma_resv_unlock(part->ttm.base.resv);
	return ret;
}

/* A debugger sees a part where it lies: its access moves nothing. */
static int managed_access(struct vm_area_struct *vma, unsigned long addr, void *buf, int len,
			  int write)
{
	u64 offset = offset_of(vma, addr), in_part = offset & (XETILE_MANAGED_RANGE - 1);
	struct xetile_bo *part = part_at(vma, offset);

	len = min_t(u64, min_t(u64, len, vma->vm_end - addr), part->args.size - in_part);
	return xetile_bo_access(part, in_part, buf, len, write);
}

static void managed_open(struct vm_area_struct *vma)
{
	struct ttm_buffer_object *ttm = vma->vm_private_data;

	drm_gem_object_get(&ttm->base);
}

static void managed_close(struct vm_area_struct *vma)
{
	struct ttm_buffer_object *ttm = vma->vm_private_data;

	drm_gem_object_put(&ttm->base);
}

/* A user's mapping of a whole; the private data are its TTM part, for ttm_bo_vm_dummy_page() */
const struct vm_operations_struct xetile_managed_vm_ops = {
	.fault = managed_fault,
	.open = managed_open,
	.close = managed_close,
	.access = managed_access,
};

/**
 * xetile_managed_moves() - end the CPU's mappings of a part, which is about to move
 * @part: BO with its reservation held; nothing happens if it is no part
 *
 * Context: process, with the BO's reservation.
 */
void xetile_managed_moves(struct xetile_bo *part)
{
	struct xetile_bo *whole = part->whole;

	dma_resv_assert_held(part->ttm.base.resv);
	if (!whole || part->ttm.resource->mem_type != XETILE_PL_SYSTEM)
		return;
	unmap_mapping_range(whole->ttm.base.dev->anon_inode->i_mapping,
			    drm_vma_node_offset_addr(&whole->ttm.base.vma_node) +
			    ((u64)part->part << XETILE_MANAGED_SHIFT), part->args.size, 1);
}
