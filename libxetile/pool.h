/* SPDX-License-Identifier: MIT */
/*
 * Pools: objects of one buffer. slab.c makes pools of buffers of its own. Functions that can fail
 * return a negative errno with an error text.
 */
#ifndef _XT_POOL_H_
#define _XT_POOL_H_

#include <stdint.h>

#include "memory.h"

/* Make a pool of a buffer, which stays the caller's. */
int xt_pool_init(struct xetile_pool *pool, struct xetile_mem *mem);
void xt_pool_fini(struct xetile_pool *pool);
/*
 * Take an object, whose pages keep their color. Its layout is empty. Returns 0, -ENOMEM, or
 * -ENOSPC when the pool has no such range. xetile_mem_free() gives it back.
 */
int xt_pool_take(struct xetile_pool *pool, uint64_t size, uint64_t align, struct xetile_mem **out);

#endif
