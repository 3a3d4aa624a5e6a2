/* SPDX-License-Identifier: MIT */
/* One compute walker with libxetile's fill kernel, built by hand. */
#ifndef XETILE_WALKER_H
#define XETILE_WALKER_H

#include "xetile_igt.h"

/*
 * out[i] = pattern + i for i < groups * FILL_LOCAL.  @isa is a buffer of its
 * own, @batch holds the commands at offset 0 and the kernel's arguments at
 * FILL_ARGS.  With @tiles > 1 the walker is partitioned over as many tiles
 * along X.
 */
#define FILL_LOCAL	256
#define FILL_ARGS	0x2000
/* Where in @isa the machine code starts */
#define FILL_START	128

uint64_t fill_batch(struct xetile_buf *batch, struct xetile_buf *isa, uint64_t out,
		    uint32_t pattern, uint32_t groups, uint32_t tiles);
/* Of the walker in such a batch: its threads are not to be preempted. */
void fill_disable_preemption(struct xetile_buf *batch);

#endif
