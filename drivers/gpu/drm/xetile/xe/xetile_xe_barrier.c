// SPDX-License-Identifier: GPL-2.0-only
#include "xe/xetile_xe_barrier.h"

#include <linux/build_bug.h>
#include <linux/fs.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/pci.h>
#include <linux/rwsem.h>
#include <linux/sizes.h>

#include <drm/drm_device.h>
#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_gem.h>
#include <drm/drm_vma_manager.h>

#include "regs/pvc_pci_regs.h"

#include "mem/xetile_bo_cpu.h"
#include "xetile_device.h"

/**
 * DOC: a page that a write makes a barrier on the bus
 *
 * A ring that its owner fills through BAR2 runs on without a call, so its owner wants to know that
 * what it wrote has arrived. A write to the card's registers behind it tells that, if the card
 * takes it: the last page of the doorbells is one that no firmware gives to anybody, and writes to
 * it do nothing. A process may map it for writing.
 *
 * When the card is gone, writes go to a page of the mapping's own, so that the process may go on
 * and learn it from a call.
 */

/* Below all offsets that the GEM core gives to buffers */
#define BARRIER_OFFSET	SZ_1M

static_assert(BARRIER_OFFSET >> PAGE_SHIFT < DRM_FILE_PAGE_OFFSET_START);

static vm_fault_t map_dummy(struct vm_fault *vmf)
{
	struct page *dummy = vmf->vma->vm_private_data;

	return vmf_insert_pfn_prot(vmf->vma, vmf->address, page_to_pfn(dummy),
				   vm_get_page_prot(vmf->vma->vm_flags));
}

static vm_fault_t barrier_fault(struct vm_fault *vmf)
{
	struct drm_file *file = vmf->vma->vm_file->private_data;
	struct xetile_device *xt = to_xetile_device(file->minor->dev);
	struct pci_dev *pdev = to_pci_dev(xt->drm.dev);
	vm_fault_t ret = VM_FAULT_NOPAGE;
	bool closed;
	int idx;

	if (!xetile_device_enter(xt, &idx))
		return map_dummy(vmf);
	down_read(&xt->bar2.lock);
	closed = xt->bar2.closed;
	if (!closed)
		ret = vmf_insert_pfn(vmf->vma, vmf->address,
				     PHYS_PFN(pci_resource_start(pdev, PVC_BAR_MMIO) +
					      PVC_MMIO_LAST_DOORBELL));
	up_read(&xt->bar2.lock);
	xetile_device_exit(xt, idx);
	/* While the card is reset, no register may be touched, either. */
	return closed ? xetile_bo_fault_wait_open(xt, vmf, NULL) : ret;
}

static void barrier_open(struct vm_area_struct *vma)
{
	get_page(vma->vm_private_data);
}

static void barrier_close(struct vm_area_struct *vma)
{
	put_page(vma->vm_private_data);
}

static const struct vm_operations_struct barrier_ops = {
	.open = barrier_open,
	.close = barrier_close,
	.fault = barrier_fault,
};

static int barrier_mmap(struct vm_area_struct *vma)
{
	struct page *dummy;

	if (vma->vm_end - vma->vm_start != PVC_DOORBELL_SIZE || PAGE_SIZE != PVC_DOORBELL_SIZE)
		return -EINVAL;
	if (!(vma->vm_flags & VM_SHARED) || (vma->vm_flags & (VM_READ | VM_EXEC)))
		return -EINVAL;
	dummy = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	if (!dummy)
		return -ENOMEM;
	vm_flags_mod(vma, VM_PFNMAP | VM_IO | VM_DONTEXPAND | VM_DONTDUMP, VM_MAYREAD | VM_MAYEXEC);
	vma->vm_page_prot = pgprot_noncached(vm_get_page_prot(vma->vm_flags));
	vma->vm_private_data = dummy;
	vma->vm_ops = &barrier_ops;
	return 0;
}

/**
 * xetile_xe_barrier_offset() - where the page is in the address space of the device's file
 *
 * Context: any.
 * Return: offset for mmap().
 */
u64 xetile_xe_barrier_offset(void)
{
	return BARRIER_OFFSET;
}

/**
 * xetile_xe_mmap() - map a buffer, or the page of the barrier
 * @opened: the device's file
 * @vma: where
 *
 * Context: process, with the caller's mmap lock.
 * Return: 0 or -errno.
 */
int xetile_xe_mmap(struct file *opened, struct vm_area_struct *vma)
{
	struct drm_file *file = opened->private_data;

	if (vma->vm_pgoff != BARRIER_OFFSET >> PAGE_SHIFT)
		return drm_gem_mmap(opened, vma);
	if (drm_dev_is_unplugged(file->minor->dev))
		return -ENODEV;
	return barrier_mmap(vma);
}
