/* SPDX-License-Identifier: MIT */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdio.h>

#include "ops.h"

#define MAX_QUEUES	40
#define LARGE_HBM	(16ull << 30)

/* The objects that operations work on */
struct state {
	const struct ops *ops;
	unsigned int tiles;
	const char *pci;		/* the card's folder in /sys */
	int fd;
	bool large;			/* the card has more than LARGE_HBM on each tile */
	uint64_t size;			/* of the operation's BO */
	unsigned int count, most;	/* table of growth: the number of objects, and its limit */
	uint32_t bo, vm, batch;
	uint32_t queues[MAX_QUEUES], syncobjs[MAX_QUEUES];
	unsigned int num_queues;
	void *scratch;
};

/* A measured operation: one row of the table in operations.c or growth.c */
struct operation {
	const char *name;
	void (*setup)(struct state *s);
	void (*before)(struct state *s);	/* in front of each sample, and not counted */
	void (*run)(struct state *s);
	void (*after)(struct state *s);
	void (*teardown)(struct state *s);
	uint64_t size;
	unsigned int count;		/* table of growth: the number of objects */
	bool (*can)(const struct ops *ops);	/* the driver can do it; NULL: all drivers can */
	bool large;			/* for a card with much HBM, and for no other */
	bool busy;			/* an engine works all the time */
	bool cold;			/* no warm-up, because preparing a sample takes long */
	unsigned int samples;
	unsigned int settle_ms;		/* quiet time after which its work has ended */
	unsigned int min_tiles, max_tiles;	/* tiles of the card; 0: any number */
};

/* The last element of each table has no name. */
extern const struct operation self_tests[], operations[], growth[];

/* Write the memory of one object of each kind. */
void measure_memory(struct state *s, FILE *out);

/* Between these two calls the caller's instructions are no part of the operation. */
void magic_return(void);
void magic_resume(void);

#endif
