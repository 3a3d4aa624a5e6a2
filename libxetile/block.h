/* SPDX-License-Identifier: MIT */
/*
 * Blocks: buffers whose GPU address no other memory of the process has. usm.c and slab.c create
 * them.
 */
#ifndef _XETILE_BLOCK_H_
#define _XETILE_BLOCK_H_

#include <stdbool.h>
#include <stdint.h>

#include "xetile.h"

struct xt_block_desc {
	struct xetile_mem_desc mem;
	uint64_t align;			/* a power of two, or 0 */
	bool cpu;			/* the CPU has the buffer there; else nothing is there */
	bool migrates;			/* to where it is used; only if the driver can do that */
};

/* Returns 0 or a negative errno with an error text. */
int xt_block_create(struct xetile_context *context, struct xetile_device *device,
		    const struct xt_block_desc *desc, struct xetile_mem **out);
void xt_block_destroy(struct xetile_mem *block);

#endif
