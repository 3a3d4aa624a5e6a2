/* SPDX-License-Identifier: MIT */
/*
 * A dispatch: the numbers of one launch, the same for every tile. xetile_launch() plans the
 * dispatch; batch.c and indirect.c write it into the memory of each tile.
 */
#ifndef _XETILE_DISPATCH_H_
#define _XETILE_DISPATCH_H_

#include <drm/xetile_drm.h>
#include <stdbool.h>
#include <stdint.h>

#include "xetile.h"

struct xt_dispatch {
	uint32_t groups[3];
	uint32_t local[3];
	uint32_t offset[3];
	uint32_t work_dim;
	uint32_t threads;		/* of a group */
	uint32_t slm_total;		/* bytes */
	bool hw_local_ids;		/* the hardware makes the local ids */
	uint32_t max_threads;		/* of a tile */
	uint32_t scratch_slots;		/* threads that scratch must have room for */
	uint32_t private_slots;		/* threads that private memory must have room for */
	uint32_t implicit_size;		/* bytes of implicit arguments */
	uint32_t indirect_size;		/* bytes of implicit, cross-thread and per-thread data */
	bool partitioned;
	struct xetile_plan plan;
	uint32_t more;			/* bytes of commands that XT_BATCH_BYTES has no room for */
};

/* Returns 0, or -EINVAL with an error text that names the wrong argument or size. */
int xt_dispatch_plan(const struct xetile_kernel *kernel,
		     const struct drm_xetile_query_device *props, uint32_t num_dss,
		     unsigned int tiles, const struct xetile_launch_desc *desc,
		     struct xt_dispatch *d);

#endif
