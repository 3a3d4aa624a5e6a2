/* SPDX-License-Identifier: MIT */
/*
 * A VM with queues for binds, fences they wait for, and jobs that tell what is mapped.
 */
#ifndef XETILE_BINDS_H
#define XETILE_BINDS_H

#include "xetile_igt.h"

#define BATCH_ADDR	0x10000000ull
/* Nothing is mapped from here on: it is the test's. */
#define DATA_ADDR	0x4000000000ull

/* A VM with a queue for jobs, two for binds, and a buffer for batches and words */
struct binds {
	int fd;
	uint32_t vm, queue, bind[2];
	struct xetile_buf ctl;
};

void binds_init(struct binds *s, int fd, uint32_t engine_class);
void binds_fini(struct binds *s);
/* Waits for @in, unless it is 0; its fence is in the syncobj @out, unless that is 0. */
int binds_try(struct binds *s, uint32_t queue, const struct drm_xetile_bind *bind, uint32_t in,
	      uint32_t out);
/* The same of 64 KiB, asserted */
void binds_map(struct binds *s, uint32_t queue, uint64_t addr, uint32_t bo, uint32_t in,
	       uint32_t out);
void binds_unmap(struct binds *s, uint32_t queue, uint64_t addr, uint64_t range, uint32_t in,
		 uint32_t out);
/* A job that stores, and waits for @in; returns its fence. */
uint32_t binds_store_after(struct binds *s, uint64_t addr, uint32_t value, uint32_t in);
/* How a job ended */
int binds_ended(struct binds *s, uint32_t fence);
/* A job that stores, and how it ended */
int binds_store(struct binds *s, uint64_t addr, uint32_t value);

/* A job of another VM that ends when it is told to */
struct gate {
	struct binds s;
	uint32_t fence;
};

void gate_init(struct gate *g, int fd);
void gate_open(struct gate *g);
void gate_fini(struct gate *g);

/* A buffer, and what the CPU sees of it */
struct data {
	uint32_t bo;
	volatile uint32_t *map;
};

struct data data_new(int fd);
/* Private to the VM */
struct data data_private(struct binds *s);
void data_fini(int fd, struct data *d);

#endif
