/* SPDX-License-Identifier: MIT */
/*
 * DOC: one process that runs subtests of one test: the outcome of each, what it said and what
 * the kernel said meanwhile. Who runs it decides with hooks what counts and when it is enough.
 */
#ifndef RUNNER_BATCH_H
#define RUNNER_BATCH_H

#include "process.h"
#include "words.h"

struct result {
	char *subtest;
	enum outcome outcome;
	char *seconds;
	struct text text;	/* what the process said before all subtests, then in this one */
};

/* What the kernel said since a subtest began; before the first one, NULL, has begun. */
struct section {
	char *subtest;
	struct text text;
};

struct batch;

struct batch_ops {
	void (*line)(struct batch *b, const char *line);
	void (*begins)(struct batch *b, const char *subtest);
	/* at its own words, when the kernel may go on to speak of it */
	void (*ends)(struct batch *b, const struct result *r);
	/* once nothing more can be said of it; @kernel: what the kernel said */
	void (*settled)(struct batch *b, const struct result *r, const char *kernel);
	/*
	 * asked every @look seconds: an outcome other than NONE gives up; @heard: it said
	 * something
	 */
	enum outcome (*enough)(struct batch *b, bool heard);
	/* it is given up: it may be looked at, and is to be ended */
	void (*given_up)(struct batch *b);
};

struct batch {
	const struct batch_ops *ops;
	void *ctx;
	const char *test;
	double limit;		/* seconds that a subtest may take; 0: any */
	double look;
	int log;		/* klog_open(), or -1 */
	unsigned int most_level;	/* of what is kept of it, 7: all */

	struct process process;
	struct words words;
	struct text common;	/* said before or outside of all subtests */
	struct text text;	/* said since the last subtest began or ended */
	char *running;		/* the subtest that has begun and not ended */
	double start;		/* of the one that runs, or of what follows the last one */
	enum outcome hangs;	/* why it was given up, or NONE */
	struct result *results;
	unsigned int num_results, num_settled;
	struct section *sections;
	unsigned int num_sections;
};

/* Runs @argv in @root, or as it is. What the kernel said before belongs to nobody. */
void batch_run(struct batch *b, const char *root, char *const argv[]);
/* Of a subtest; of the first one also what stands before it. To be freed. */
char *batch_kernel(const struct batch *b, const char *subtest);
void batch_free(struct batch *b);

#endif
