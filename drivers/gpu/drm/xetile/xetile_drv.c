// SPDX-License-Identifier: GPL-2.0-only
#include <linux/fs.h>
#include <linux/module.h>

#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_gem.h>
#include <drm/drm_ioctl.h>
#include <drm/xetile_drm.h>

#include "ioctl/xetile_file.h"
#include "ioctl/xetile_ioctl.h"
#include "look/xetile_fdinfo.h"
#include "mem/xetile_bo.h"
#include "xe/xetile_xe_barrier.h"
#include "xe/xetile_xe_gone.h"
#include "xe/xetile_xe_ioctls.h"
#include "xe/xetile_xe_name.h"
#include "xetile_device.h"

/**
 * DOC: what userspace may call
 *
 * The tables by which the DRM core finds the driver's calls and files. All of it is constant.
 */

/*
 * The calls of both interfaces, whatever the device is called. The table has holes: the DRM core
 * answers EINVAL to their numbers.
 */
static const struct drm_ioctl_desc xetile_ioctls[] = {
	XETILE_XE_IOCTLS
	DRM_IOCTL_DEF_DRV(XETILE_QUERY, xetile_ioctl_query, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(XETILE_BO_CREATE, xetile_ioctl_bo_create, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(XETILE_BO_INFO, xetile_ioctl_bo_info, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(XETILE_BO_MMAP, xetile_ioctl_bo_mmap, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(XETILE_VM_CREATE, xetile_ioctl_vm_create, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(XETILE_VM_DESTROY, xetile_ioctl_vm_destroy, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(XETILE_VM_BIND, xetile_ioctl_vm_bind, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(XETILE_QUEUE_CREATE, xetile_ioctl_queue_create, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(XETILE_QUEUE_DESTROY, xetile_ioctl_queue_destroy, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(XETILE_QUEUE_INFO, xetile_ioctl_queue_info, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(XETILE_EXEC, xetile_ioctl_exec, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(XETILE_BO_RECOLOR, xetile_ioctl_bo_recolor, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(XETILE_BO_ADVISE, xetile_ioctl_bo_advise, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(XETILE_BO_PIN, xetile_ioctl_bo_pin, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(XETILE_BO_PURGE, xetile_ioctl_bo_purge, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(XETILE_PROCESS, xetile_ioctl_process, DRM_RENDER_ALLOW),
};

/*
 * drm_ioctl() answers ENODEV when the card is gone, but for a few calls of the xe driver
 * (xetile_xe_gone.c). A handler that goes on to use the card does so
 * within xetile_device_enter(). It reads and writes its caller's memory outside of that section,
 * because such an access may wait for a third process, for ever, and the removal of the card must
 * not. Handlers that only look at state, or give an object up as close() does, need no card; nor do
 * the DRM core's calls.
 */
static const struct file_operations xetile_fops = {
	.owner = THIS_MODULE,
	.open = drm_open,
	.release = drm_release,
	.unlocked_ioctl = xetile_xe_ioctl,
	.compat_ioctl = drm_compat_ioctl,
	.mmap = xetile_xe_mmap,
	.poll = drm_poll,
	.read = drm_read,
	.llseek = noop_llseek,
	.show_fdinfo = drm_show_fdinfo,
	.fop_flags = FOP_UNSIGNED_OFFSET,
};

#define XETILE_DRIVER(called) {									\
	.driver_features = DRIVER_GEM | DRIVER_RENDER | DRIVER_SYNCOBJ | DRIVER_SYNCOBJ_TIMELINE |\
			   DRIVER_GEM_GPUVA,							\
	.open = xetile_file_open,								\
	.postclose = xetile_file_close,								\
	.gem_prime_import = xetile_bo_prime_import,						\
	.show_fdinfo = xetile_fdinfo_show,							\
	.fops = &xetile_fops,									\
	.ioctls = xetile_ioctls,								\
	.num_ioctls = ARRAY_SIZE(xetile_ioctls),						\
	.name = (called),									\
	.desc = "Intel Data Center GPU Max, by tile",						\
	.major = DRM_XETILE_VERSION_MAJOR,							\
	.minor = DRM_XETILE_VERSION_MINOR,							\
}

static const struct drm_driver xetile_driver = XETILE_DRIVER("xetile");
static const struct drm_driver xetile_driver_xe = XETILE_DRIVER("xe");

/**
 * xetile_driver_of() - what the DRM core has to know to make a card's device
 * @pdev: the card
 *
 * Runtimes tell by its name which calls a device answers. xetile's answers those of both
 * interfaces, and the administrator chooses the name.
 *
 * Context: any.
 * Return: a driver that differs from the others in its name only.
 */
const struct drm_driver *xetile_driver_of(struct pci_dev *pdev)
{
	return xetile_xe_is_name(pdev) ? &xetile_driver_xe : &xetile_driver;
}
