/* SPDX-License-Identifier: MIT */
/*
 * A launch between its plan and its submission: xetile_launch() writes it into a slot, graph.c into
 * memory of a graph. Functions that can fail return a negative errno with an error text.
 */
#ifndef _XETILE_LAUNCH_PLAN_H_
#define _XETILE_LAUNCH_PLAN_H_

#include <stdbool.h>
#include <stdint.h>

#include "dispatch.h"
#include "queue.h"
#include "split.h"
#include "xetile.h"

struct xt_launch {
	struct xetile_queue *queue;
	const struct xetile_kernel *kernel;
	struct xt_dispatch dispatch;
	const struct xt_thread_mem *mem[XT_THREAD_MEM_KINDS];
	struct xt_split split;
	uint64_t bytes;			/* that it takes on each tile, from a multiple of 4 KiB */
};

/* Check a launch, and get the memory that its threads need. */
int xt_launch_plan(struct xetile_queue *queue, const struct xetile_kernel *kernel,
		   const struct xetile_launch_desc *desc, struct xt_launch *launch);
/*
 * Write it @offset bytes into each part of @mem, which is mapped. @timed: it stores its times
 * there.
 * @num: the number of dwords of the commands in each part, behind which is the end; may be NULL
 */
void xt_launch_write(const struct xt_launch *launch, struct xetile_mem *mem, uint64_t part_size,
		     uint64_t offset, bool timed, unsigned int num[XETILE_MAX_TILES]);

#endif
