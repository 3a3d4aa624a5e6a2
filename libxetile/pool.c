// SPDX-License-Identifier: MIT
/*
 * Pools: ranges of one buffer, each with a color of its own. An object has a layout of its own, so
 * that threads share nothing of a pool but the list of free ranges and the mapping for the CPU.
 */
#include "pool.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "coloring.h"
#include "error.h"
#include "util.h"
#include "va.h"
#include "xetile.h"

int xt_pool_init(struct xetile_pool *pool, struct xetile_mem *mem)
{
	int err = xt_va_init(&pool->ranges, 0, mem->size);

	if (err)
		return err;
	pool->mem = mem;
	pthread_mutex_init(&pool->lock, NULL);
	return 0;
}

void xt_pool_fini(struct xetile_pool *pool)
{
	xt_va_fini(&pool->ranges);
	pthread_mutex_destroy(&pool->lock);
}

int xetile_pool_create(struct xetile_context *context, struct xetile_device *device,
		       const struct xetile_mem_desc *desc, struct xetile_pool **out)
{
	struct xetile_pool *pool;
	struct xetile_mem *mem;
	int err;

	if (desc->flags & XETILE_MEM_SYSTEM)
		return xt_error(-EINVAL, "objects in system memory have no color");
	if (desc->color == XETILE_COLOR_REPLICATE)
		return xt_error(-EINVAL, "objects cannot have a color of their own in copies");
	if (!xt_can_recolor(context))
		return xt_error(-EOPNOTSUPP, "the driver cannot recolor memory");
	pool = calloc(1, sizeof(*pool));
	if (!pool)
		return xt_error(-ENOMEM, "out of memory");
	err = xetile_mem_alloc(context, device, desc, &mem);
	if (err)
		goto err_free;
	err = xt_pool_init(pool, mem);
	if (err)
		goto err_mem;
	*out = pool;
	return 0;

err_mem:
	xetile_mem_free(mem);
err_free:
	free(pool);
	return err;
}

void xetile_pool_destroy(struct xetile_pool *pool)
{
	if (!pool)
		return;
	xetile_mem_free(pool->mem);
	xt_pool_fini(pool);
	free(pool);
}

int xt_pool_take(struct xetile_pool *pool, uint64_t size, uint64_t align, struct xetile_mem **out)
{
	struct xetile_mem *object = calloc(1, sizeof(*object));
	int err;

	if (!object)
		return xt_error(-ENOMEM, "out of memory");
	object->pool = pool;
	object->context = pool->mem->context;
	object->handle = pool->mem->handle;
	object->size = size;
	pthread_mutex_lock(&pool->lock);
	err = xt_va_alloc(&pool->ranges, size, align, &object->offset);
	pthread_mutex_unlock(&pool->lock);
	if (err) {
		free(object);
		return err == -ENOSPC ?
			xt_error(err, "the pool has no range of %" PRIu64 " bytes", size) : err;
	}
	object->addr = pool->mem->addr + object->offset;
	*out = object;
	return 0;
}

uint32_t xetile_pool_handle(const struct xetile_pool *pool)
{
	return pool->mem->handle;
}

int xetile_pool_alloc(struct xetile_pool *pool, struct xetile_device *device,
		      const struct xetile_mem_desc *desc, struct xetile_mem **out)
{
	struct xetile_mem_range range = { .desc = *desc };
	struct xetile_mem *object;
	int err;

	if (!desc->size || desc->size > pool->mem->size)
		return xt_error(desc->size ? -ENOSPC : -EINVAL,
				"an object of %" PRIu64 " bytes in a pool of %" PRIu64, desc->size,
				pool->mem->size);
	range.desc.size = xt_align(desc->size, XETILE_COLOR_PAGE);
	err = xt_pool_take(pool, range.desc.size, XETILE_COLOR_PAGE, &object);
	if (err)
		return err;
	err = xt_recolor(object, device, &range, 1);
	if (err) {
		xetile_mem_free(object);
		return err;
	}
	*out = object;
	return 0;
}
