/* SPDX-License-Identifier: MIT */
/* Batches with a compute walker that runs a kernel of libxetile, built by hand */
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
/* As fill_batch(), but the kernel computes out[i] = in[i], with @in a GPU address. */
uint64_t copy_batch(struct xetile_buf *batch, struct xetile_buf *isa, uint64_t out, uint64_t in,
		    uint32_t groups, uint32_t tiles);
/* Changes the walker in such a batch: its threads cannot be preempted. */
void fill_disable_preemption(struct xetile_buf *batch);

/* What a batch of count_batch() says about the preemption of its walkers */
enum count_preemption {
	COUNT_AS_DRIVER,	/* nothing: the driver has chosen for it */
	COUNT_BY_DESCRIPTOR,	/* the register allows it in threads, each walker forbids it */
	COUNT_IN_THREADS,	/* the register and each walker allow it in threads */
};

/*
 * Each of @walkers walkers adds 1 to dword i of @out for each of its groups i < @groups, which has
 * one thread. With @tiles > 1 each walker is partitioned over that many tiles. Behind the last
 * dword, on the next 64 bytes, tile t adds nothing but stores COUNT_DONE to qword t when its part
 * of a walker has ended. The rest is as in fill_batch().
 */
#define COUNT_DONE	0xd00eu
uint64_t count_batch(struct xetile_buf *batch, struct xetile_buf *isa, uint64_t out,
		     uint32_t groups, uint32_t walkers, uint32_t tiles, enum count_preemption how);

#endif
