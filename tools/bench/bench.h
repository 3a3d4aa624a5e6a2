/* SPDX-License-Identifier: MIT */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdio.h>

#include "ops.h"

#define MAX_QUEUES	40

/* What operations work on */
struct state {
	const struct ops *ops;
	unsigned int tiles;
	const char *pci;		/* the card's folder in /sys */
	int fd;
	uint64_t size;			/* of the operation's BO */
	unsigned int count, most;	/* of what there are many of, and at most */
	uint32_t bo, vm, batch;
	uint32_t queues[MAX_QUEUES], syncobjs[MAX_QUEUES];
	unsigned int num_queues;
	void *scratch;
};

/* A thing that is measured: one line of the table in operations.c */
struct operation {
	const char *name;
	void (*setup)(struct state *s);
	void (*before)(struct state *s);	/* each sample, outside of it */
	void (*run)(struct state *s);
	void (*after)(struct state *s);
	void (*teardown)(struct state *s);
	uint64_t size;
	/* Tables of growth: how many there are of what others have */
	unsigned int count;
	bool (*can)(const struct ops *ops);	/* for drivers that can; NULL: all can */
	bool busy;			/* an engine works all the time */
	bool cold;			/* each sample takes long to prepare: none in vain */
	unsigned int samples;
	unsigned int settle_ms;		/* until all it set off is done */
	unsigned int min_tiles, max_tiles;	/* of a card it is for; 0: any */
};

/* Ends with one without a name */
extern const struct operation self_tests[], operations[], growth[];

void measure_memory(struct state *s, FILE *out);

/* The caller's part is left for a moment, for what is no part of the operation. */
void magic_return(void);
void magic_resume(void);

#endif
