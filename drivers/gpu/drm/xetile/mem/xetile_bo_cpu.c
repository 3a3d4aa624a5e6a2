// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_bo_cpu.h"

#include <linux/dma-fence.h>
#include <linux/dma-resv.h>
#include <linux/io.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/pci.h>
#include <linux/pfn.h>
#include <linux/rwsem.h>
#include <linux/string.h>
#include <linux/wait.h>

#include <drm/drm_vma_manager.h>
#include <drm/ttm/ttm_bo.h>

#include "regs/pvc_soc_regs.h"

#include "card/xetile_mmio.h"
#include "mem/xetile_bo_fill.h"
#include "mem/xetile_bo_layout.h"
#include "mem/xetile_hbm_resource.h"
#include "mem/xetile_managed_copies.h"
#include "mem/xetile_room.h"
#include "mem/xetile_sysmem.h"
#include "xetile_device.h"

/**
 * DOC: how the CPU gets at a buffer
 *
 * Page faults of a user's mapping, and a debugger's access to it. The CPU sees HBM through BAR2.
 * BAR2 may be smaller than HBM: a buffer that lies beyond BAR2 goes to system memory first. HBM is
 * closed to users while it does not answer, or has lost its content. A buffer is shown only after
 * it was filled. The kernel's memory management calls, under mmap_lock or without; the buffer's
 * reservation is taken here, and &xetile_device.bar2.lock below it.
 */

/* Pages a fault maps at once: 2 MiB, because a fault costs more than the entries */
#define FAULT_PAGES	512

/* Can the CPU reach a resource through BAR2, which may be smaller than HBM? */
static bool in_reach(struct ttm_resource *res)
{
	return res->mem_type != XETILE_PL_HBM || !to_xetile_hbm_resource(res)->beyond;
}

/**
 * xetile_bo_io_mem_reserve() - the CPU is going to map a BO
 * @bdev: TTM's device
 * @res: where the BO lies
 *
 * Return: 0, or -EINVAL when the CPU does not reach it.
 */
int xetile_bo_io_mem_reserve(struct ttm_device *bdev, struct ttm_resource *res)
{
	if (res->mem_type != XETILE_PL_HBM)
		return 0;
	if (!in_reach(res))
		return -EINVAL;
	res->bus.is_iomem = true;
	res->bus.caching = ttm_write_combined;
	return 0;
}

/**
 * xetile_bo_io_mem_pfn() - where the CPU sees a page of a BO
 * @ttm: BO in HBM, within reach, with its reservation held
 * @page: number of the page in the BO
 *
 * Return: number of a page of BAR2.
 */
unsigned long xetile_bo_io_mem_pfn(struct ttm_buffer_object *ttm, unsigned long page)
{
	struct xetile_device *xt = ttm_to_xetile_device(ttm->bdev);
	struct xetile_layout layout;
	u64 addr;

	xetile_bo_layout(ttm_to_xetile_bo(ttm), &layout);
	xetile_layout_find(&layout, (u64)page << PAGE_SHIFT, PAGE_SIZE, &addr);
	return PHYS_PFN(xt->bar2.start + addr);
}

/**
 * xetile_bo_fault_may_drop() - may a page fault drop the mmap lock while it waits
 * @vmf: the fault
 *
 * Context: process.
 * Return: true if so.
 */
bool xetile_bo_fault_may_drop(struct vm_fault *vmf)
{
	return (vmf->flags & FAULT_FLAG_ALLOW_RETRY) && !(vmf->flags & FAULT_FLAG_RETRY_NOWAIT);
}

/**
 * xetile_bo_fault_drop_locks() - drop the locks of a page fault, which is going to wait
 * @bo: BO with its reservation held; gets a reference
 * @vmf: the fault, which xetile_bo_fault_may_drop() allows that
 *
 * Others that want the address space or the BO meanwhile need not wait too.
 *
 * Context: process, with the BO's reservation.
 */
void xetile_bo_fault_drop_locks(struct xetile_bo *bo, struct vm_fault *vmf)
{
	drm_gem_object_get(&bo->ttm.base);
	mmap_read_unlock(vmf->vma->vm_mm);
	dma_resv_unlock(bo->ttm.base.resv);
}

/**
 * xetile_bo_fault_wait_filled() - have the bytes of a BO in place for a page fault
 * @bo: BO with its reservation held
 * @vmf: the fault
 *
 * How the last copy ended must be known before the BO is mapped. TTM would wait as well, but
 * would map the BO even after a copy that failed.
 *
 * Context: process, with the BO's reservation.
 * Return: the answer to the fault, or 0 to go on. Locks are dropped if it is a VM_FAULT_RETRY
 * without FAULT_FLAG_RETRY_NOWAIT.
 */
vm_fault_t xetile_bo_fault_wait_filled(struct xetile_bo *bo, struct vm_fault *vmf)
{
	struct dma_fence *fence = bo->filled;

	if (!fence || dma_fence_is_signaled(fence))
		return 0;
	if (vmf->flags & FAULT_FLAG_RETRY_NOWAIT)
		return VM_FAULT_RETRY;
	if (!xetile_bo_fault_may_drop(vmf))
		return dma_fence_wait(fence, true) ? VM_FAULT_NOPAGE : 0;

	dma_fence_get(fence);
	xetile_bo_fault_drop_locks(bo, vmf);
	dma_fence_wait(fence, true);
	dma_fence_put(fence);
	drm_gem_object_put(&bo->ttm.base);
	return VM_FAULT_RETRY;
}

/*
 * A BO that the CPU cannot reach must go to system memory. If jobs use the BO, wait for the jobs,
 * however long they run; a signal ends the wait. Outside of xetile_device_enter(), so that the wait
 * does not hold up the removal of the card. Returns the answer to the fault, or 0 to go on.
 */
static vm_fault_t fault_wait_idle(struct xetile_bo *bo, struct vm_fault *vmf)
{
	dma_resv_assert_held(bo->ttm.base.resv);
	if (in_reach(bo->ttm.resource) || xetile_room_is_idle(bo))
		return 0;
	if (vmf->flags & FAULT_FLAG_RETRY_NOWAIT)
		return VM_FAULT_RETRY;
	if (!xetile_bo_fault_may_drop(vmf)) {
		/*
		 * Rare: the fault is repeated, and looks for signals before. Wait for fences alone,
		 * because binds release a BO under the reservation that is held here.
		 */
		dma_resv_wait_timeout(bo->ttm.base.resv, DMA_RESV_USAGE_BOOKKEEP, true, HZ / 10);
		return VM_FAULT_NOPAGE;
	}

	xetile_bo_fault_drop_locks(bo, vmf);
	/* The next fault sees whether the BO has gone to system memory. */
	xetile_room_vacate(bo);
	drm_gem_object_put(&bo->ttm.base);
	return VM_FAULT_RETRY;
}

/*
 * A BO that the CPU cannot reach goes to system memory. When a job wants it, it comes back as
 * evicted BOs do. Within xetile_device_enter(); no job uses the BO.
 */
static vm_fault_t fault_out_of_reach(struct xetile_bo *bo)
{
	int err = xetile_sysmem_take(&bo->ttm);

	dma_resv_assert_held(bo->ttm.base.resv);
	/* The access is tried again, and its fault then waits for the copy. */
	if (!err || err == -ERESTARTSYS || err == -EINTR || err == -EBUSY)
		return VM_FAULT_NOPAGE;
	return VM_FAULT_SIGBUS;
}

/**
 * xetile_bo_fault_wait_open() - wait as long as HBM has lost its content or does not answer
 * @xt: card
 * @vmf: the fault
 * @bo: BO with its reservation held, or NULL
 *
 * The access is made afterwards. Outside of xetile_device_enter().
 *
 * Context: process, with the BO's reservation.
 * Return: the answer to the fault. Locks are dropped if it is a VM_FAULT_RETRY without
 * FAULT_FLAG_RETRY_NOWAIT.
 */
vm_fault_t xetile_bo_fault_wait_open(struct xetile_device *xt, struct vm_fault *vmf,
				     struct xetile_bo *bo)
{
	if (vmf->flags & FAULT_FLAG_RETRY_NOWAIT)
		return VM_FAULT_RETRY;
	if (!xetile_bo_fault_may_drop(vmf)) {
		/* Rare: the fault is repeated, and looks for signals before. */
		wait_event_interruptible_timeout(xt->bar2.opened, !READ_ONCE(xt->bar2.closed),
						 HZ / 10);
		return VM_FAULT_NOPAGE;
	}

	if (bo)
		xetile_bo_fault_drop_locks(bo, vmf);
	else
		mmap_read_unlock(vmf->vma->vm_mm);
	wait_event_interruptible(xt->bar2.opened, !READ_ONCE(xt->bar2.closed));
	if (bo)
		drm_gem_object_put(&bo->ttm.base);
	return VM_FAULT_RETRY;
}

/* Map a BO that is in reach. @closed: out: not done, because no user may see HBM now */
static vm_fault_t fault_in_reach(struct xetile_bo *bo, struct vm_fault *vmf, bool *closed)
{
	struct xetile_device *xt = to_xetile_device(bo->ttm.base.dev);
	vm_fault_t ret = VM_FAULT_NOPAGE;

	dma_resv_assert_held(bo->ttm.base.resv);
	down_read(&xt->bar2.lock);
	*closed = xt->bar2.closed && bo->ttm.resource->mem_type == XETILE_PL_HBM;
	if (!*closed)
		ret = ttm_bo_vm_fault_reserved(vmf, vmf->vma->vm_page_prot, FAULT_PAGES);
	up_read(&xt->bar2.lock);
	return ret;
}

static vm_fault_t fault_reserved(struct xetile_bo *bo, struct vm_fault *vmf)
{
	struct xetile_device *xt = to_xetile_device(bo->ttm.base.dev);
	bool closed = false;
	vm_fault_t ret;
	int idx;

	dma_resv_assert_held(bo->ttm.base.resv);
	ret = xetile_bo_fault_wait_filled(bo, vmf);
	if (ret)
		return ret;
	if (xetile_bo_is_lost(bo))
		return VM_FAULT_SIGBUS;
	ret = fault_wait_idle(bo, vmf);
	if (ret)
		return ret;

	if (!xetile_device_enter(xt, &idx))
		return ttm_bo_vm_dummy_page(vmf, vmf->vma->vm_page_prot);
	if (in_reach(bo->ttm.resource))
		ret = fault_in_reach(bo, vmf, &closed);
	else
		ret = fault_out_of_reach(bo);
	xetile_device_exit(xt, idx);
	return closed ? xetile_bo_fault_wait_open(xt, vmf, bo) : ret;
}

static vm_fault_t gem_fault(struct vm_fault *vmf)
{
	struct ttm_buffer_object *ttm = vmf->vma->vm_private_data;
	vm_fault_t ret;

	ret = ttm_bo_vm_reserve(ttm, vmf);
	if (ret)
		return ret;
	ret = fault_reserved(ttm_to_xetile_bo(ttm), vmf);
	/* On a retry the reservation and mmap_lock were dropped before a wait. */
	if (ret == VM_FAULT_RETRY && !(vmf->flags & FAULT_FLAG_RETRY_NOWAIT))
		return ret;
	dma_resv_unlock(ttm->base.resv);
	return ret;
}

/**
 * xetile_bo_close_window() - let no user see HBM
 * @xt: card; unless its jobs end soon, no page fault may wait for them, because this waits for
 *	page faults
 *
 * Called while HBM does not answer, or its content is lost. A process that touches a mapping of
 * HBM waits, interruptibly. The driver's own accesses to HBM are not stopped.
 *
 * Context: process; takes &xetile_device.bar2.lock. Not nested.
 */
void xetile_bo_close_window(struct xetile_device *xt)
{
	down_write(&xt->bar2.lock);
	WRITE_ONCE(xt->bar2.closed, true);
	up_write(&xt->bar2.lock);
	unmap_mapping_range(xt->drm.anon_inode->i_mapping, 0, 0, 1);
}

/**
 * xetile_bo_open_window() - undo xetile_bo_close_window()
 * @xt: card
 *
 * Context: process; takes &xetile_device.bar2.lock.
 */
void xetile_bo_open_window(struct xetile_device *xt)
{
	down_write(&xt->bar2.lock);
	WRITE_ONCE(xt->bar2.closed, false);
	up_write(&xt->bar2.lock);
	wake_up_all(&xt->bar2.opened);
}

/* Bytes of HBM read or written, or -errno. Within xetile_device_enter(). */
static int access_hbm(struct xetile_bo *bo, u64 offset, void *buf, int len, int write)
{
	struct xetile_device *xt = to_xetile_device(bo->ttm.base.dev);
	struct xetile_layout layout;
	void __iomem *map;
	u64 addr;

	dma_resv_assert_held(bo->ttm.base.resv);
	xetile_bo_layout(bo, &layout);
	len = xetile_layout_find(&layout, offset, len, &addr);
	map = xt->bar2.map + addr;
	down_read(&xt->bar2.lock);
	if (xt->bar2.closed)
		len = -EIO;
	else if (write)
		memcpy_toio(map, buf, len);
	else
		memcpy_fromio(buf, map, len);
	up_read(&xt->bar2.lock);
	/* Out of the write-combining buffers */
	wmb();
	return len;
}

/* Bytes of system memory read or written, of one page, or -errno */
static int access_system(struct xetile_bo *bo, u64 offset, void *buf, int len, int write)
{
	struct ttm_bo_kmap_obj kmap;
	bool is_iomem;
	void *map;
	int err;

	dma_resv_assert_held(bo->ttm.base.resv);
	err = ttm_bo_kmap(&bo->ttm, offset >> PAGE_SHIFT, 1, &kmap);
	if (err)
		return err;
	map = ttm_kmap_obj_virtual(&kmap, &is_iomem) + offset_in_page(offset);
	len = min_t(int, len, PAGE_SIZE - offset_in_page(offset));
	if (write)
		memcpy(map, buf, len);
	else
		memcpy(buf, map, len);
	ttm_bo_kunmap(&kmap);
	return len;
}

/* Reserve the BO and have it in reach. Returns 0 or -errno. */
static int access_reserve(struct xetile_bo *bo)
{
	int err;

	for (;;) {
		err = ttm_bo_reserve(&bo->ttm, true, false, NULL);
		if (err || in_reach(bo->ttm.resource))
			return err;
		ttm_bo_unreserve(&bo->ttm);
		err = xetile_room_vacate(bo);
		if (err)
			return err;
	}
}

static int access_reserved(struct xetile_bo *bo, u64 offset, void *buf, int len, int write)
{
	int done = 0, n;

	dma_resv_assert_held(bo->ttm.base.resv);
	n = bo->filled ? dma_fence_wait(bo->filled, true) : 0;
	if (n)
		return n;
	if (xetile_bo_is_lost(bo))
		return -EIO;
	if (write)
		xetile_copies_drop(bo);

	while (done < len) {
		if (bo->ttm.resource->mem_type == XETILE_PL_HBM)
			n = access_hbm(bo, offset + done, buf + done, len - done, write);
		else
			n = access_system(bo, offset + done, buf + done, len - done, write);
		if (n < 0)
			return done ?: n;
		done += n;
	}
	return done;
}

/**
 * xetile_bo_access() - a debugger's access to a mapping
 * @bo: BO; its reservation is taken
 * @offset: bytes into it
 * @buf: the kernel's side
 * @len: bytes, within the BO
 * @write: to the BO; else from it
 *
 * TTM's function would not wait for the copy into fresh memory, and would show the data that a
 * former owner left there.
 *
 * Context: process; takes the BO's reservation.
 * Return: bytes that were read or written, or -errno.
 */
int xetile_bo_access(struct xetile_bo *bo, u64 offset, void *buf, int len, int write)
{
	struct xetile_device *xt = ttm_to_xetile_device(bo->ttm.bdev);
	int ret, idx;

	ret = access_reserve(bo);
	if (ret)
		return ret;
	/* Pages may not be taken, or mapped for the card, when the card is gone. */
	if (xetile_device_enter(xt, &idx)) {
		ret = access_reserved(bo, offset, buf, len, write);
		xetile_device_exit(xt, idx);
	} else {
		ret = -EIO;
	}
	ttm_bo_unreserve(&bo->ttm);
	return ret;
}

/* A card that does not answer reads as all ones, and each read may take long. */
#define PEEK_BYTES	256

static bool card_answers(const struct xetile_device *xt)
{
	return !PCI_POSSIBLE_ERROR(xetile_mmio_read(&xt->mmio, PVC_MTCFG));
}

/* Read, as long as the card answers. Returns NULL, or why not. */
static const char *peek_reserved(struct xetile_bo *bo, u64 offset, void *buf, int len)
{
	const struct xetile_device *xt = ttm_to_xetile_device(bo->ttm.bdev);
	bool far = bo->ttm.resource->mem_type == XETILE_PL_HBM;
	int done, n;

	dma_resv_assert_held(bo->ttm.base.resv);
	if (far && !card_answers(xt))
		return "the card does not answer";
	for (done = 0; done < len; done += n) {
		n = access_reserved(bo, offset + done, buf + done, min(len - done, PEEK_BYTES), 0);
		if (n <= 0)
			return "lost, or not to be read now";
		/* They may be the content as well. */
		if (far && !memchr_inv(buf + done, 0xff, n) && !card_answers(xt))
			return "the card does not answer";
	}
	return NULL;
}

/**
 * xetile_bo_peek() - read bytes of a BO where that needs no wait
 * @bo: BO with its reservation held
 * @offset: bytes into it
 * @buf: where to
 * @len: bytes, within the BO
 *
 * Nothing is moved, or brought back, for the read.
 *
 * Context: process, with the BO's reservation; takes &xetile_device.bar2.lock.
 * Return: NULL; or why nothing was read, in words.
 */
const char *xetile_bo_peek(struct xetile_bo *bo, u64 offset, void *buf, int len)
{
	struct xetile_device *xt = ttm_to_xetile_device(bo->ttm.bdev);
	struct ttm_resource *res = bo->ttm.resource;
	const char *why;
	int idx;

	dma_resv_assert_held(bo->ttm.base.resv);
	if (bo->import)
		return "memory of another device";
	if (bo->filled && !dma_fence_is_signaled(bo->filled))
		return "being moved";
	if (!in_reach(res))
		return "the CPU does not reach it";
	if (res->mem_type != XETILE_PL_HBM &&
	    !(bo->ttm.ttm && ttm_tt_is_populated(bo->ttm.ttm)))
		return "swapped out";
	if (!xetile_device_enter(xt, &idx))
		return "the card is gone";
	why = peek_reserved(bo, offset, buf, len);
	xetile_device_exit(xt, idx);
	return why;
}

static int gem_access(struct vm_area_struct *vma, unsigned long addr, void *buf, int len, int write)
{
	struct xetile_bo *bo = ttm_to_xetile_bo(vma->vm_private_data);
	u64 page = vma->vm_pgoff - drm_vma_node_start(&bo->ttm.base.vma_node);

	len = min_t(unsigned long, len, vma->vm_end - addr);
	return xetile_bo_access(bo, (page << PAGE_SHIFT) + (addr - vma->vm_start), buf, len, write);
}

/* A user's mapping of a BO */
const struct vm_operations_struct xetile_bo_vm_ops = {
	.fault = gem_fault,
	.open = ttm_bo_vm_open,
	.close = ttm_bo_vm_close,
	.access = gem_access,
};
