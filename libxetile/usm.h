/* SPDX-License-Identifier: MIT */
/*
 * Unified shared memory of a context: its allocations by address, and the slabs of small ones.
 * context.c begins and ends it.
 */
#ifndef _XT_USM_H_
#define _XT_USM_H_

#include <pthread.h>

#include "slab.h"

struct xt_usm {
	pthread_mutex_t lock;		/* protects @index */
	void *index;			/* allocations by address, a tree of <search.h> */
	struct xt_slabs slabs;
};

void xt_usm_init(struct xt_usm *usm);
/* All allocations have been freed. */
void xt_usm_fini(struct xt_usm *usm);

#endif
