/* SPDX-License-Identifier: MIT */
/*
 * A VM with bind queues, fences that binds wait for, and jobs that show which buffer is mapped.
 */
#ifndef XETILE_BINDS_H
#define XETILE_BINDS_H

#include "xetile_igt.h"

/* A VM with a queue for jobs, two bind queues, and a buffer for batches and words */
struct binds {
	int fd;
	uint32_t vm, queue, bind[2];
	struct xetile_buf ctl;
};

/* The job queue is one of @engine_class on tile 0. */
void binds_init(struct binds *s, int fd, uint32_t engine_class);
void binds_fini(struct binds *s);
/*
 * VM_BIND of @bind, or of no bind for NULL, on @queue. The bind waits for the syncobj @in and
 * puts its fence into the syncobj @out; either may be 0. Returns 0 or -errno.
 */
int binds_try(struct binds *s, uint32_t queue, const struct drm_xetile_bind *bind, uint32_t in,
	      uint32_t out);
/* Map 64 KiB of @bo, and unmap @range bytes, at @addr; assert that the call succeeds. */
void binds_map(struct binds *s, uint32_t queue, uint64_t addr, uint32_t bo, uint32_t in,
	       uint32_t out);
void binds_unmap(struct binds *s, uint32_t queue, uint64_t addr, uint64_t range, uint32_t in,
		 uint32_t out);
/*
 * Submits a job that waits for the syncobj @in, unless that is 0, and stores @value to @addr.
 * Returns the syncobj of its fence.
 */
uint32_t binds_store_after(struct binds *s, uint64_t addr, uint32_t value, uint32_t in);
/*
 * Asserts that a fence signals within 20 seconds, and destroys its syncobj. Returns the status
 * of the fence: 1 or -errno.
 */
int binds_ended(struct binds *s, uint32_t fence);
/* Runs a job that stores @value to @addr. Returns the status of its fence: 1 or -errno. */
int binds_store(struct binds *s, uint64_t addr, uint32_t value);

/* A job of another VM on a copy engine that runs until gate_open() */
struct gate {
	struct binds s;
	uint32_t fence;
};

void gate_init(struct gate *g, int fd);
/* Lets the job end; asserts that it does so within 20 seconds, without an error. */
void gate_open(struct gate *g);
void gate_fini(struct gate *g);

/* A BO of 64 KiB in HBM, and its mapping for the CPU */
struct data {
	uint32_t bo;
	volatile uint32_t *map;
};

struct data data_new(int fd);
/* As data_new(), but the BO is private to the VM of @s. */
struct data data_private(struct binds *s);
/* Unmaps @d; also closes the handle unless it is 0. */
void data_fini(int fd, struct data *d);

#endif
