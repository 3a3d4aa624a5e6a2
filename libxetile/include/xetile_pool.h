/* SPDX-License-Identifier: MIT */
#ifndef _XETILE_POOL_H_
#define _XETILE_POOL_H_

/**
 * DOC: pool
 *
 * A pool is one buffer of the driver, with one handle and one mapping for the GPU, of which a
 * program takes many objects. Each object has a color of its own, as if it had been allocated
 * alone, and xetile_mem_recolor() gives it another one. There is no limit of objects or runs but
 * the pages.
 *
 * An object is memory like any other, and xetile_mem_free() gives its range back to the pool. There
 * are these differences:
 *
 * - it holds what an earlier object left in its pages;
 * - xetile_mem_export() and xetile_mem_send() return -EOPNOTSUPP;
 * - xetile_mem_share() tells of the whole pool;
 * - it cannot have the color REPLICATE;
 * - pages whose tile changes move when an object is taken, and the driver moves them when no work
 *   uses any page of the pool. So take objects before the work begins, or take them of a pool that
 *   is idle. If all pages lie where the color wants them, nothing is waited for.
 *
 * Several threads may take objects of a pool, use them and free them at once, if no two threads use
 * the same object at once.
 */

#ifndef _XETILE_H_
#error "include <xetile.h>"
#endif

#if defined(__cplusplus)
extern "C" {
#endif

struct xetile_pool;

/**
 * xetile_pool_create() - allocate a pool and map it for the GPU
 * @context: the context
 * @device: as for xetile_mem_alloc()
 * @desc: size, flags without XETILE_MEM_SYSTEM, and the color of pages before their first object
 * @out: the pool
 *
 * Return: 0; -EOPNOTSUPP for a driver that cannot recolor memory; errors of xetile_mem_alloc().
 */
int xetile_pool_create(struct xetile_context *context, struct xetile_device *device,
		       const struct xetile_mem_desc *desc, struct xetile_pool **out);

/**
 * xetile_pool_destroy() - free a pool
 * @pool: may be NULL; free its objects before
 */
void xetile_pool_destroy(struct xetile_pool *pool);

/**
 * xetile_pool_alloc() - take an object of a pool
 * @pool: the pool
 * @device: as for xetile_mem_alloc()
 * @desc: size in bytes, which is rounded up to 64 KiB, and color; no flags: those of the pool
 *        hold for its objects
 * @out: the object
 *
 * Return: 0; -EINVAL; -ENOSPC when the pool has no range that is large enough; errors of
 * xetile_mem_recolor().
 */
int xetile_pool_alloc(struct xetile_pool *pool, struct xetile_device *device,
		      const struct xetile_mem_desc *desc, struct xetile_mem **out);

#if defined(__cplusplus)
}
#endif

#endif
