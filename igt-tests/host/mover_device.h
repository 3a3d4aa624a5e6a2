/* SPDX-License-Identifier: MIT */
/*
 * Replaces the driver's headers of devices, tiles, buffers and jobs, and the kernel's of fences and
 * DRM, because the host cannot compile them. The compiler includes this file first; this file
 * declares all that the mover and the shared page tables need of those headers.
 */
#ifndef HOST_MOVER_DEVICE_H
#define HOST_MOVER_DEVICE_H

#define __XETILE_BO_TYPES_H__
#define __XETILE_DEVICE_H__
#define __XETILE_JOB_H__
#define __XETILE_TILE_H__

#include "host_kernel.h"

#include "mem/xetile_layout.h"

#define SZ_256M			0x10000000ull
#define static_assert(cond)	_Static_assert(cond, #cond)

/* --- fences: a job is done when it was pushed ----------------------------------------- */

struct dma_fence {
	int refs;
};

struct dma_fence_cb {
	int unused;
};

typedef void dma_fence_fn(struct dma_fence *fence, struct dma_fence_cb *cb);

static inline struct dma_fence *dma_fence_get_stub(void)
{
	static struct dma_fence stub;

	return &stub;
}

#define dma_fence_put(fence)			((void)(fence))
#define dma_fence_wait(fence, intr)		((void)(fence))
#define dma_fence_begin_signalling()		true
#define dma_fence_end_signalling(cookie)	((void)(cookie))
/* It has signalled: the callback will not be called. */
#define dma_fence_add_callback(fence, cb, fn)	((void)(fn), -ENOENT)

/* --- one task at a time ----------------------------------------------------------------- */

struct semaphore {
	int count;
};

typedef struct { long value; } atomic64_t;

#define down(semaphore)		((void)(semaphore)->count--)
#define down_killable(semaphore) ((semaphore)->count--, 0)
#define up(semaphore)		((void)(semaphore)->count++)
#define mutex_lock(mutex)	((void)(mutex))
#define mutex_unlock(mutex)	((void)(mutex))
#define atomic64_inc(counter)	((counter)->value++)

#define ERESTARTSYS		512

static inline void clear_bit_unlock(unsigned int bit, unsigned long *mask)
{
	*mask &= ~BIT(bit);
}

static inline bool test_and_set_bit_lock(unsigned int bit, unsigned long *mask)
{
	bool was = *mask & BIT(bit);

	*mask |= BIT(bit);
	return was;
}

static inline unsigned int find_first_zero_bit(const unsigned long *mask, unsigned int bits)
{
	unsigned int bit = 0;

	while (bit < bits && *mask & BIT(bit))
		bit++;
	return bit;
}

/* --- the driver's objects --------------------------------------------------------------- */

struct xetile_sched;
struct xetile_pt;

struct drm_device {
	int unused;
};

struct xetile_tile {
	struct xetile_device *xt;
	struct {
		u64 base, size, capacity;
	} range;
	struct xetile_migrate *migrate;
	struct xetile_pt *top;
};

struct xetile_device {
	struct drm_device drm;
	struct xetile_sched *sched;
	struct xetile_tile *tiles;
	unsigned int num_tiles;
};

#define xetile_for_each_tile(tile__, xt__) \
	for ((tile__) = (xt__)->tiles; (tile__) < (xt__)->tiles + (xt__)->num_tiles; (tile__)++)

#define drmm_add_action_or_reset(drm, action, arg)	((void)(action), (void)(arg), 0)

struct xetile_job {
	bool invalidate_tlb;
	u64 batches[1];
};

struct xetile_job *xetile_job_create(void);
void xetile_job_destroy(struct xetile_job *job);

#define xetile_job_reserve_deps(job, num)		0
#define xetile_job_add_dep(job, fence, vital)		((void)(fence), 0)

struct xetile_bo_mover {
	int (*check)(struct xetile_device *xt);
	struct dma_fence *(*clear)(struct xetile_device *xt, const struct xetile_layout *dst,
				   bool killable);
	struct dma_fence *(*copy)(struct xetile_device *xt, const struct xetile_layout *dst,
				  const struct xetile_layout *src, bool killable);
};

#endif
