/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_COMPAT_H__
#define __XETILE_COMPAT_H__

/*
 * Gives older kernels the names of the newest. Included by the compiler's command
 * line before every file; what a kernel lacks is found by Kbuild.compat. On a
 * kernel that has all of it this header is empty.
 */

/* Said of all objects, asked for or not */
#ifdef XETILE_COMPAT_GEM_ACTIVE
#define DRM_GEM_OBJECT_ACTIVE 0
#endif

#ifdef XETILE_COMPAT_GEM_VMAP
#include <drm/drm_gem.h>
#define drm_gem_vmap drm_gem_vmap_unlocked
#define drm_gem_vunmap drm_gem_vunmap_unlocked
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

static inline struct drm_gpuva_ops *
xetile_compat_sm_map_ops_create(struct drm_gpuvm *vm, const struct drm_gpuvm_map_req *req)
{
	return drm_gpuvm_sm_map_ops_create(vm, req->map.va.addr, req->map.va.range,
					   req->map.gem.obj, req->map.gem.offset);
}

#define drm_gpuvm_sm_map xetile_compat_sm_map
#define drm_gpuvm_sm_map_ops_create xetile_compat_sm_map_ops_create
#endif

#ifdef XETILE_COMPAT_GPUVM_BO_OBTAIN
#include <drm/drm_gpuvm.h>
#define drm_gpuvm_bo_obtain_locked drm_gpuvm_bo_obtain
#endif

#ifdef XETILE_COMPAT_DRMM_WORKQUEUE
#include <drm/drm_managed.h>
#include <linux/workqueue.h>
static inline void xetile_compat_workqueue_release(struct drm_device *drm, void *wq)
{
	destroy_workqueue(wq);
}

#define drmm_alloc_ordered_workqueue(dev, fmt, flags, args...)				\
({											\
	struct workqueue_struct *wq__ = alloc_ordered_workqueue(fmt, flags, ##args);	\
	int err__ = wq__ ? drmm_add_action_or_reset(dev,				\
				xetile_compat_workqueue_release, wq__) : -ENOMEM;	\
	err__ ? ERR_PTR(err__) : wq__;							\
})
#endif

#ifdef XETILE_COMPAT_SCHED_STAT
#include <drm/gpu_scheduler.h>
#define DRM_GPU_SCHED_STAT_RESET DRM_GPU_SCHED_STAT_NOMINAL
#endif

#ifdef XETILE_COMPAT_SCHED_INIT
#include <drm/gpu_scheduler.h>
struct drm_sched_init_args {
	const struct drm_sched_backend_ops *ops;
	struct workqueue_struct *submit_wq;
	struct workqueue_struct *timeout_wq;
	u32 num_rqs;
	u32 credit_limit;
	unsigned int hang_limit;
	long timeout;
	atomic_t *score;
	const char *name;
	struct device *dev;
};

static inline int xetile_compat_sched_init(struct drm_gpu_scheduler *sched,
					   const struct drm_sched_init_args *args)
{
	return drm_sched_init(sched, args->ops, args->submit_wq, args->num_rqs,
			      args->credit_limit, args->hang_limit, args->timeout,
			      args->timeout_wq, args->score, args->name, args->dev);
}

#define drm_sched_init xetile_compat_sched_init
#endif

#ifdef XETILE_COMPAT_SCHED_START
#include <drm/gpu_scheduler.h>
static inline void xetile_compat_sched_start(struct drm_gpu_scheduler *sched, int error)
{
	drm_sched_start(sched);
}

#define drm_sched_start xetile_compat_sched_start
#endif

#ifdef XETILE_COMPAT_TTM_ALLOCATION
#include <drm/ttm/ttm_device.h>
#define TTM_ALLOCATION_POOL_USE_DMA_ALLOC	BIT(8)
#define TTM_ALLOCATION_POOL_USE_DMA32		BIT(9)
/* Older kernels always turn ENOSPC into ENOMEM. */
#define TTM_ALLOCATION_PROPAGATE_ENOSPC		0
static inline int xetile_compat_ttm_device_init(struct ttm_device *bdev,
						const struct ttm_device_funcs *funcs,
						struct device *dev,
						struct address_space *mapping,
						struct drm_vma_offset_manager *vma,
						unsigned int flags)
{
	return ttm_device_init(bdev, funcs, dev, mapping, vma,
			       flags & TTM_ALLOCATION_POOL_USE_DMA_ALLOC,
			       flags & TTM_ALLOCATION_POOL_USE_DMA32);
}

#define ttm_device_init xetile_compat_ttm_device_init
#endif

#ifdef XETILE_COMPAT_TTM_BO_FINI
#include <drm/ttm/ttm_bo.h>
#define ttm_bo_fini ttm_bo_put
#endif

#ifdef XETILE_COMPAT_FENCE_SIGNAL
#include <linux/dma-fence.h>
#define dma_fence_check_and_signal(fence) (!!dma_fence_signal(fence))
#define dma_fence_check_and_signal_locked(fence) (!!dma_fence_signal_locked(fence))
#endif

#ifdef XETILE_COMPAT_FENCE_TEST
#include <linux/dma-fence.h>
static inline bool dma_fence_test_signaled_flag(struct dma_fence *fence)
{
	return test_bit(DMA_FENCE_FLAG_SIGNALED_BIT, &fence->flags);
}
#endif

#ifdef XETILE_COMPAT_FENCE_ARRAY
#include <linux/dma-fence-array.h>
#define dma_fence_array_create(num, fences, context, seqno) \
	dma_fence_array_create(num, fences, context, seqno, false)
#endif

#ifdef XETILE_COMPAT_BUDDY_LOCK
#define gpu_buddy_driver_set_lock(mm, lock) do { (void)(mm); (void)(lock); } while (0)
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

#ifdef XETILE_COMPAT_TIMER_CONTAINER_OF
#include <linux/timer.h>
#define timer_container_of from_timer
#endif

#endif
