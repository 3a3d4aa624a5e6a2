/* SPDX-License-Identifier: MIT */
/* A batch with one compute walker that runs libxetile's fill kernel, built by hand */
#ifndef XETILE_WALKER_H
#define XETILE_WALKER_H

#include "xetile_igt.h"

/*
 * The kernel computes out[i] = pattern + i for i < groups * FILL_LOCAL, where out is an array of
 * dwords at the GPU address @out. The kernel's code goes to the buffer @isa, the commands to
 * offset 0 of the buffer @batch, and the kernel's arguments to offset FILL_ARGS of @batch. With
 * @tiles > 1 the walker is partitioned over that many tiles along X. fill_batch() returns the
 * GPU address of the batch.
 */
#define FILL_LOCAL	256
#define FILL_ARGS	0x2000
/* Offset of the machine code in @isa, in bytes */
#define FILL_START	128

uint64_t fill_batch(struct xetile_buf *batch, struct xetile_buf *isa, uint64_t out,
		    uint32_t pattern, uint32_t groups, uint32_t tiles);
/* Changes the walker in such a batch: its threads cannot be preempted. */
void fill_disable_preemption(struct xetile_buf *batch);

#endif
