/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_COMPAT_H__
#define __XETILE_COMPAT_H__

/*
 * Gives older kernels the names of the newest kernel that the driver is written for, 7.2, and
 * gives newer kernels the names that have gone since. The compiler's command line includes this
 * header before every file; Kbuild.compat finds out what a kernel lacks. On 7.2 this header only
 * says what every kernel can do there.
 */

/* The same event, for the one kind of recovery that this driver asks for */
#if defined(XETILE_COMPAT_WEDGED_EVENT)
#include <drm/drm_device.h>
#include <drm/drm_file.h>
#include <linux/device.h>
#include <linux/kobject.h>
#define DRM_WEDGE_RECOVERY_REBIND	BIT(1)
#define DRM_WEDGE_RECOVERY_BUS_RESET	BIT(2)
static inline int drm_dev_wedged_event(struct drm_device *drm, unsigned long method, void *info)
{
	char *envp[2] = { "WEDGED=rebind,bus-reset", NULL };

	return kobject_uevent_env(&drm->primary->kdev->kobj, KOBJ_CHANGE, envp);
}
#elif defined(XETILE_COMPAT_WEDGED_INFO)
#include <drm/drm_drv.h>
#define drm_dev_wedged_event(drm, method, info) drm_dev_wedged_event(drm, method)
#endif

#ifdef XETILE_COMPAT_CGROUP_REGION
#define drmm_cgroup_register_region(drm, name, size) \
	((struct dmem_cgroup_region *)((void)(name), NULL))
#elif defined(XETILE_COMPAT_CGROUP_SIZE)
/* Newer than 7.2: the size is one of several parameters. */
#include <drm/drm_drv.h>
#include <linux/cgroup_dmem.h>
#define drmm_cgroup_register_region(drm, name, bytes) \
	drmm_cgroup_register_region(drm, name, &(struct dmem_cgroup_init) { .size = (bytes) })
#endif

/* Newer than 7.2: drivers that map need no flag any more. */
#ifdef XETILE_COMPAT_GEM_GPUVA
#define DRIVER_GEM_GPUVA 0
#endif

/* Older kernels print this statistic of all objects. */
#ifdef XETILE_COMPAT_GEM_ACTIVE
#define DRM_GEM_OBJECT_ACTIVE 0
#endif

#ifdef XETILE_COMPAT_EXEC_FOR_EACH
#include <drm/drm_exec.h>
#define xetile_compat_exec_for_each(exec, obj, i) \
	for (unsigned long i = 0; ((obj) = drm_exec_obj(exec, i)); i++)
#undef drm_exec_for_each_locked_object
#define drm_exec_for_each_locked_object(exec, obj) \
	xetile_compat_exec_for_each(exec, obj, __UNIQUE_ID(exec_i))
#endif

#ifdef XETILE_COMPAT_GPUVM_MAP_REQ
#include <drm/drm_gpuvm.h>
struct drm_gpuvm_map_req {
	struct drm_gpuva_op_map map;
};

static inline int xetile_compat_sm_map(struct drm_gpuvm *vm, void *priv,
				       const struct drm_gpuvm_map_req *req)
{
	return drm_gpuvm_sm_map(vm, priv, req->map.va.addr, req->map.va.range,
				req->map.gem.obj, req->map.gem.offset);
}

#define drm_gpuvm_sm_map xetile_compat_sm_map
#endif

#ifdef XETILE_COMPAT_GPUVM_BO_OBTAIN
#include <drm/drm_gpuvm.h>
#define drm_gpuvm_bo_obtain_locked drm_gpuvm_bo_obtain
#endif

#ifdef XETILE_COMPAT_TTM_ALLOCATION
#include <drm/ttm/ttm_device.h>
/* Older kernels have two bools in place of the flags. */
#define ttm_device_init(bdev, funcs, dev, mapping, vma, flags)			\
({										\
	BUILD_BUG_ON(flags);							\
	ttm_device_init(bdev, funcs, dev, mapping, vma, false, false);		\
})
#endif

#ifdef XETILE_COMPAT_TTM_BO_FINI
#include <drm/ttm/ttm_bo.h>
#define ttm_bo_fini ttm_bo_put
#endif

#ifdef XETILE_COMPAT_BUDDY_LOCK
#define gpu_buddy_driver_set_lock(mm, lock) do { (void)(mm); (void)(lock); } while (0)
#endif

/* Older kernels have the older names of the same, and tell importers only if configured so. */
#ifdef XETILE_COMPAT_INVALIDATE_MAPPINGS
#define XETILE_IMPORTERS_ARE_TOLD IS_ENABLED(CONFIG_DMABUF_MOVE_NOTIFY)
#define dma_buf_invalidate_mappings dma_buf_move_notify
#define invalidate_mappings move_notify
#else
#define XETILE_IMPORTERS_ARE_TOLD true
#endif

/* Older kernels make a string of the name themselves. */
#ifdef XETILE_COMPAT_IMPORT_NS
#include <linux/module.h>
#undef MODULE_IMPORT_NS
#define MODULE_IMPORT_NS(ns) MODULE_INFO(import_ns, ns)
#endif

#ifdef XETILE_COMPAT_HRTIMER_SETUP
#include <linux/hrtimer.h>
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*function)(struct hrtimer *),
				 clockid_t clock_id, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock_id, mode);
	timer->function = function;
}
#endif

/* Older kernels want the BAR released before, and do not assign it again on failure. */
#ifdef XETILE_COMPAT_RESIZE_EXCLUDE
#include <linux/pci.h>
static inline int xetile_compat_resize_resource(struct pci_dev *pdev, int bar, int size)
{
	int err;

	pci_release_resource(pdev, bar);
	err = pci_resize_resource(pdev, bar, size);
	if (err)
		pci_assign_unassigned_bus_resources(pdev->bus);
	return err;
}

#define pci_resize_resource(pdev, bar, size, exclude) \
	xetile_compat_resize_resource(pdev, bar, size)
#endif

/* Queries of xe that are newer; the numbers belong to userspace. */
#ifdef XETILE_COMPAT_XE_QUERIES
#define DRM_XE_DEVICE_QUERY_PXP_STATUS	9
#define DRM_XE_DEVICE_QUERY_EU_STALL	10
#endif

#ifdef XETILE_COMPAT_ALLOC_OBJ
#include <linux/slab.h>
#define xetile_compat_gfp(none, gfp, ...) gfp
#define kzalloc_obj(obj, ...) \
	kzalloc(sizeof(obj), xetile_compat_gfp(0, ##__VA_ARGS__, GFP_KERNEL))
#endif

/* Of xe's interface, for a bind: fail if its content is protected by a key that is gone */
#ifdef XETILE_COMPAT_XE_CHECK_PXP
#define DRM_XE_VM_BIND_FLAG_CHECK_PXP	BIT(4)
#endif

/* Of xe's interface: the page that a write makes a barrier on the bus */
#ifdef XETILE_COMPAT_XE_BARRIER
#define DRM_XE_MMAP_OFFSET_FLAG_PCI_BARRIER	BIT(0)
#endif

#endif
