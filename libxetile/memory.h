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

struct xetile_mem {
	struct xetile_context *context;
	struct xetile_mem *next, **link;	/* in a list of the context */
	uint64_t size;
	uint64_t addr;
	uint64_t span;			/* bytes of address space that a mapping takes */
	uint32_t handle;		/* 0: memory of the program, at @map */
	bool readonly;			/* for the GPU */
	bool purgeable;			/* and so not mapped for the GPU */
	bool purged;			/* it was, and nobody has been told yet */
	bool borrowed;			/* the handle is the program's, and outlives the memory */
	bool bound;			/* the program has mapped it at @addr, and unmaps it */
	bool shared;			/* others have it, or may have it, by a file */
	bool block;			/* of block.c: the CPU's addresses are reserved, too */
	/*
	 * Tiles that have a copy each, or 0. @size is that of a copy. It is mapped twice: read-only
	 * at @addr, and at @written, where the library's own copies write.
	 */
	uint32_t copies;
	uint64_t written;
	void *map;			/* NULL before the first xetile_mem_map() */
	struct xt_layout layout;	/* by color: a spill or an eviction does not change it */
	/* An object of a pool has the pool's handle, and is in no list. */
	struct xetile_pool *pool;	/* NULL: the buffer is one of the driver's */
	uint64_t offset;		/* where the object begins in the pool's buffer */
};

/* Where copy engines write a buffer */
static inline uint64_t xt_mem_written_at(const struct xetile_mem *mem)
{
	return mem->copies ? mem->written : mem->addr;
}

/* A buffer of which pool.c takes objects */
struct xetile_pool {
	struct xetile_mem *mem;
	pthread_mutex_t lock;		/* protects the rest, and the mapping of @mem */
	struct xt_va ranges;		/* the free ones, as offsets in @mem */
};

struct xt_mem_at {
	uint64_t addr;			/* xt_mem_place() takes it; 0: any */
	bool migrates;			/* the buffer moves to where it is used */
};

/* As xetile_mem_alloc(), at an address */
int xt_mem_alloc_at(struct xetile_context *context, struct xetile_device *device,
		    const struct xetile_mem_desc *desc, const struct xt_mem_at *at,
		    struct xetile_mem **out);
/*
 * Map a buffer that the CPU does not have yet, in place of whatever is at @at; NULL: anywhere. A
 * failure may have unmapped that. The driver tells the @offset.
 */
int xt_mem_map_at(struct xetile_mem *mem, void *at, uint64_t offset);
int xt_mem_map_offset(const struct xetile_mem *mem, uint64_t *offset);
/* The alignment at which the driver can use the largest page that fits into a buffer */
uint64_t xt_mem_align(uint64_t size);

/*
 * Allocate one part of @part_size bytes on each tile of @mask; the parts follow each other in
 * the order of the tiles. Returns 0 or a negative errno with an error text.
 */
int xt_mem_alloc_parts(struct xetile_context *context, uint32_t mask,
		       uint64_t part_size, struct xetile_mem **out);
/*
 * Add a buffer to the lists of its context, take it out of them, or find one by its handle. With
 * the lock of the context held.
 */
void xt_mem_link(struct xetile_mem *mem);
void xt_mem_unlink(struct xetile_mem *mem);
struct xetile_mem *xt_mem_find(struct xetile_context *context, uint32_t handle);
/*
 * Map a buffer, whose handle and size are known, for the GPU: at its address, or if that is 0, at
 * one that is found for it. Returns 0; -EEXIST when its address is not free; or another errno;
 * with an error text.
 */
int xt_mem_place(struct xetile_mem *mem);
/* Map a buffer for the GPU at its address, or unmap it there. Return 0 or a negative errno. */
int xt_mem_bind(struct xetile_mem *mem);
int xt_mem_unbind(struct xetile_mem *mem);
/*
 * Give up a buffer that running work may still use. Its mapping for the GPU, which keeps the
 * memory, and its address stay until the context is destroyed. @mem may be NULL.
 */
void xt_mem_abandon(struct xetile_mem *mem);

#endif
