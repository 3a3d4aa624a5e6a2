/* SPDX-License-Identifier: MIT */
/*
 * The allocator of a context's GPU addresses. It is pure: no call reaches the driver. The caller
 * holds the context's lock. Functions that can fail return a negative errno with an error text.
 */
#ifndef _XETILE_VA_H_
#define _XETILE_VA_H_

#include <stdint.h>

struct xt_va_hole;

struct xt_va {
	struct xt_va_hole *holes;	/* by address; no two holes touch */
	uint64_t low;			/* xt_va_alloc() finds no address below; may be raised */
};

int xt_va_init(struct xt_va *va, uint64_t start, uint64_t end);
void xt_va_fini(struct xt_va *va);
int xt_va_alloc(struct xt_va *va, uint64_t size, uint64_t align, uint64_t *addr);
/* Returns -EEXIST when a part of the range is not free, or outside of the address space. */
int xt_va_take(struct xt_va *va, uint64_t addr, uint64_t size);
int xt_va_free(struct xt_va *va, uint64_t addr, uint64_t size);

#endif
