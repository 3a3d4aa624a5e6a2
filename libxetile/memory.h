/* SPDX-License-Identifier: MIT */
/*
 * Memory: a buffer object with its GPU address and its CPU mapping. Modules and queues allocate
 * their parts with xt_mem_alloc_parts(); share.c makes buffers of those of others.
 */
#ifndef _XETILE_MEMORY_H_
#define _XETILE_MEMORY_H_

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "layout.h"
#include "va.h"
#include "xetile.h"

struct drm_xetile_bo_range;

struct xetile_mem {
	struct xetile_context *context;
	struct xetile_mem *next, **link;	/* in a list of the context */
	uint64_t size;
	uint64_t addr;
	uint64_t span;			/* bytes of address space that the buffer takes */
	uint32_t handle;
	/*
	 * Tiles that have a copy each, or 0. @size is that of a copy. It is mapped twice: read-only
	 * at @addr, and behind that, where the library's own copies write.
	 */
	uint32_t copies;
	void *map;			/* NULL before the first xetile_mem_map() */
	struct xt_layout layout;	/* by color: a spill or an eviction does not change it */
	/* An object of a pool has the pool's handle, and is in no list. */
	struct xetile_pool *pool;	/* NULL: the buffer is one of the driver's */
	uint64_t offset;		/* where the object begins in the pool's buffer */
};

/* Where copy engines write a buffer */
static inline uint64_t xt_mem_written_at(const struct xetile_mem *mem)
{
	return mem->addr + (mem->copies ? mem->size : 0);
}

/* A buffer of which pool.c takes objects */
struct xetile_pool {
	struct xetile_mem *mem;
	pthread_mutex_t lock;		/* protects the rest, and the mapping of @mem */
	struct xt_va ranges;		/* the free ones, as offsets in @mem */
};

bool xt_mem_can_recolor(const struct xetile_context *context);

/*
 * Allocate one part of @part_size bytes on each tile of @mask; the parts follow each other in
 * the order of the tiles. Returns 0 or a negative errno with an error text.
 */
int xt_mem_alloc_parts(struct xetile_context *context, uint32_t mask,
		       uint64_t part_size, struct xetile_mem **out);
/*
 * Add a buffer to the lists of its context, or find one by its handle. With the lock of the
 * context held.
 */
void xt_mem_link(struct xetile_mem *mem);
struct xetile_mem *xt_mem_find(struct xetile_context *context, uint32_t handle);
/*
 * Note the color of a whole buffer, whose size is known; the offset and size of @range do not
 * count. Returns 0, or -ENOMEM with an error text.
 */
int xt_mem_paint(struct xetile_mem *mem, const struct drm_xetile_bo_range *range);
/*
 * Give a buffer of the lists, whose handle and size are known, an address, and map it there for the
 * GPU. Returns 0 or a negative errno with an error text.
 */
int xt_mem_place(struct xetile_mem *mem);
/*
 * Give up a buffer that running work may still use. Its mapping for the GPU, which keeps the
 * memory, and its address stay until the context is destroyed. @mem may be NULL.
 */
void xt_mem_abandon(struct xetile_mem *mem);

#endif
