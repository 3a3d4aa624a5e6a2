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
#define XETILE_MAX_TILES	4
#define static_assert(cond)	_Static_assert(cond, #cond)

/* --- fences ------------------------------------------------------------------------------ */

struct dma_fence;
struct dma_fence_cb;

typedef void dma_fence_fn(struct dma_fence *fence, struct dma_fence_cb *cb);

struct dma_fence_cb {
	struct dma_fence_cb *next;
	dma_fence_fn *fn;
};

struct dma_fence {
	int refs, error;
	bool signalled;
	struct dma_fence_cb *callbacks;
};

/* The test defines these two: it counts fences, and runs the engines while it waits. */
void host_fence_free(struct dma_fence *fence);
void host_wait(struct dma_fence *fence);

static inline struct dma_fence *dma_fence_get(struct dma_fence *fence)
{
	fence->refs++;
	return fence;
}

static inline void dma_fence_put(struct dma_fence *fence)
{
	if (fence && !--fence->refs)
		host_fence_free(fence);
}

static inline struct dma_fence *dma_fence_get_stub(void)
{
	static struct dma_fence stub = { .refs = 1, .signalled = true };

	return dma_fence_get(&stub);
}

static inline int dma_fence_add_callback(struct dma_fence *fence, struct dma_fence_cb *cb,
					 dma_fence_fn *fn)
{
	if (fence->signalled)
		return -ENOENT;
	*cb = (struct dma_fence_cb) { .next = fence->callbacks, .fn = fn };
	fence->callbacks = cb;
	return 0;
}

static inline void dma_fence_signal(struct dma_fence *fence)
{
	struct dma_fence_cb *cb, *next;

	fence->signalled = true;
	for (cb = fence->callbacks; cb; cb = next) {
		next = cb->next;
		cb->fn(fence, cb);
	}
}

#define dma_fence_set_error(fence, err)		((void)((fence)->error = (err)))
#define dma_fence_wait(fence, intr)		host_wait(fence)
#define dma_fence_context_alloc(num)		((u64)(num))
#define dma_fence_begin_signalling()		true
#define dma_fence_end_signalling(cookie)	((void)(cookie))

typedef struct { int value; } atomic_t;

#define atomic_set(counter, n)			((void)((counter)->value = (n)))
#define atomic_read(counter)			((counter)->value)
#define atomic_dec_and_test(counter)		(!--(counter)->value)
#define atomic_cmpxchg(counter, old, new)	\
	((counter)->value = (counter)->value == (old) ? (new) : (counter)->value)

/* --- one task; engines run while it sleeps -------------------------------------------------- */

struct semaphore {
	int count;
};

/* The test defines this: 0, or -EINTR if the task may be killed and is. */
int host_down(struct semaphore *semaphore, bool killable);

#define down(semaphore)		((void)host_down(semaphore, false))
#define down_killable(semaphore) host_down(semaphore, true)
#define down_trylock(semaphore)	((semaphore)->count ? (semaphore)->count--, 0 : 1)
#define up(semaphore)		((void)(semaphore)->count++)
#define mutex_lock(mutex)	((void)(mutex))
#define mutex_unlock(mutex)	((void)(mutex))
#define atomic64_inc(counter)	((counter)->value++)

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
	struct dma_fence *dep;
};

struct xetile_job *xetile_job_create(void);
void xetile_job_destroy(struct xetile_job *job);
int xetile_job_add_dep(struct xetile_job *job, struct dma_fence *fence, bool vital);

#define xetile_job_reserve_deps(job, num)		0

struct xetile_bo_mover {
	int (*check)(struct xetile_device *xt);
	struct dma_fence *(*clear)(struct xetile_device *xt, const struct xetile_layout *dst,
				   bool killable);
	struct dma_fence *(*copy)(struct xetile_device *xt, const struct xetile_layout *dst,
				  const struct xetile_layout *src, bool killable);
};

#endif
