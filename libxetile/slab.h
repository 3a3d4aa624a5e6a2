/* SPDX-License-Identifier: MIT */
/*
 * Slabs: blocks of 2 MiB from which small allocations are taken. usm.c asks for them; a context
 * has them.
 */
#ifndef _XETILE_SLAB_H_
#define _XETILE_SLAB_H_

#include <pthread.h>

#include "block.h"
#include "xetile.h"

struct xt_slab;

struct xt_slabs {
	pthread_mutex_t lock;		/* protects the rest, and all slabs */
	struct xt_slab *first;		/* of the list of those with room */
	struct xt_slab *empty;		/* the last one that became empty, kept for later */
};

void xt_slabs_init(struct xt_slabs *slabs);
void xt_slabs_fini(struct xt_slabs *slabs);
/*
 * Take a small allocation. Returns 0, with a @slab of NULL when none is for such allocations; or a
 * negative errno with an error text.
 */
int xt_slab_alloc(struct xt_slabs *slabs, struct xetile_context *context,
		  struct xetile_device *device, const struct xt_block_desc *desc,
		  struct xt_slab **slab, struct xetile_mem **out);
void xt_slab_free(struct xt_slabs *slabs, struct xt_slab *slab, struct xetile_mem *object);

#endif
