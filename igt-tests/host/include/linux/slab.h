/* SPDX-License-Identifier: MIT */
/* Allocations a test can make fail. */
#ifndef HOST_LINUX_SLAB_H
#define HOST_LINUX_SLAB_H

#include <stdlib.h>

#include <linux/overflow.h>

#define GFP_KERNEL		0
#define GFP_KERNEL_ACCOUNT	0
/* Flags, if any are given, mean nothing here. */
#define kzalloc_obj(object, ...) kzalloc(sizeof(object), GFP_KERNEL)

/* Of the test: may the next allocation succeed? */
int host_may_alloc(void);

static inline void *kzalloc(size_t size, int gfp)
{
	return host_may_alloc() ? calloc(1, size) : NULL;
}

static inline void *kmalloc(size_t size, int gfp)
{
	return kzalloc(size, gfp);
}

static inline void *kcalloc(size_t num, size_t size, int gfp)
{
	return kzalloc(num * size, gfp);
}

static inline void kfree(void *p)
{
	free(p);
}

#endif
