// SPDX-License-Identifier: GPL-2.0-only
#include "xe/xetile_xe.h"

#include <linux/err.h>
#include <linux/xarray.h>

#include <drm/drm_file.h>
#include <drm/xe_drm.h>

#include "ioctl/xetile_file.h"
#include "mem/xetile_vm.h"
#include "xe/xetile_xe_errno.h"
#include "xetile_device.h"

/**
 * DOC: the xe driver's calls on address spaces
 *
 * Checks, and translation of structs. The DRM core calls them in process context, without a lock.
 */

/* The flags that are missing need faults that the driver recovers from. */
static int read_flags(const struct drm_xe_vm_create *args, u32 *flags)
{
	if (args->flags & ~(DRM_XE_VM_CREATE_FLAG_SCRATCH_PAGE | DRM_XE_VM_CREATE_FLAG_LR_MODE))
		return -EINVAL;
	/* Users of xe give memory back before they unbind it. */
	*flags = XETILE_VM_OUTLIVES;
	if (args->flags & DRM_XE_VM_CREATE_FLAG_SCRATCH_PAGE)
		*flags |= XETILE_VM_SCRATCH;
	if (args->flags & DRM_XE_VM_CREATE_FLAG_LR_MODE)
		*flags |= XETILE_VM_LR;
	return 0;
}

static int make_vm(struct xetile_file *xf, u32 flags, u32 *id)
{
	struct xetile_vm *vm;
	int err, idx;

	if (!xetile_device_enter(xf->xt, &idx))
		return -ENODEV;
	vm = xetile_vm_create(xf->xt, xf->account, flags);
	xetile_device_exit(xf->xt, idx);
	if (IS_ERR(vm))
		return PTR_ERR(vm);
	err = xa_alloc(&xf->vms, id, vm, XA_LIMIT(1, XETILE_FILE_MAX_VMS), GFP_KERNEL_ACCOUNT);
	if (!err)
		return 0;
	xetile_vm_put(vm);
	return err == -EBUSY ? -EDQUOT : err;
}

/**
 * xetile_xe_vm_create() - DRM_IOCTL_XE_VM_CREATE
 * @drm: card
 * @data: struct drm_xe_vm_create
 * @file: caller
 *
 * Context: process; may sleep.
 *
 * Return: 0 or -errno.
 */
int xetile_xe_vm_create(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_xe_vm_create *args = data;
	u32 flags, id;
	int err;

	if (args->extensions || args->reserved[0] || args->reserved[1])
		return -EINVAL;
	err = read_flags(args, &flags);
	if (err)
		return err;
	err = make_vm(file->driver_priv, flags, &id);
	if (!err)
		args->vm_id = id;
	return xetile_xe_errno(err);
}

/**
 * xetile_xe_vm_destroy() - DRM_IOCTL_XE_VM_DESTROY
 * @drm: card
 * @data: struct drm_xe_vm_destroy
 * @file: caller
 *
 * Queues keep what they need of it.
 *
 * Context: process; may sleep.
 *
 * Return: 0 or -errno.
 */
int xetile_xe_vm_destroy(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct xetile_file *xf = file->driver_priv;
	struct drm_xe_vm_destroy *args = data;
	struct xetile_vm *vm;

	if (args->pad || args->reserved[0] || args->reserved[1])
		return -EINVAL;
	vm = xa_erase(&xf->vms, args->vm_id);
	if (!vm)
		return -ENOENT;
	xetile_vm_close(vm);
	return 0;
}

/**
 * xetile_xe_vm_unsupported() - calls on what the kernel does with an address space by itself
 * @drm: card
 * @data: struct of the call
 * @file: caller
 *
 * DRM_IOCTL_XE_MADVISE and DRM_IOCTL_XE_VM_QUERY_MEM_RANGE_ATTRS are about address spaces whose
 * faults the driver recovers from.
 *
 * Context: any.
 *
 * Return: -EOPNOTSUPP.
 */
int xetile_xe_vm_unsupported(struct drm_device *drm, void *data, struct drm_file *file)
{
	return -EOPNOTSUPP;
}

#ifdef DRM_IOCTL_XE_VM_GET_PROPERTY
/**
 * xetile_xe_vm_get_property() - DRM_IOCTL_XE_VM_GET_PROPERTY
 * @drm: card
 * @data: struct drm_xe_vm_get_property
 * @file: caller
 *
 * The only property are the faults of an address space, of which no list is kept.
 *
 * Context: process.
 *
 * Return: -EINVAL: a field, a property, or a size that no list has; -ENOENT: no such VM;
 * -EOPNOTSUPP.
 */
int xetile_xe_vm_get_property(struct drm_device *drm, void *data, struct drm_file *file)
{
	const struct drm_xe_vm_get_property *args = data;
	struct xetile_vm *vm;

	if (args->extensions || args->pad || args->reserved[0] || args->reserved[1] ||
	    args->reserved[2])
		return -EINVAL;
	vm = xetile_file_vm(file->driver_priv, args->vm_id);
	if (!vm)
		return -ENOENT;
	xetile_vm_put(vm);
	if (args->property != DRM_XE_VM_GET_PROPERTY_FAULTS ||
	    args->size % sizeof(struct xe_vm_fault))
		return -EINVAL;
	return -EOPNOTSUPP;
}
#endif
