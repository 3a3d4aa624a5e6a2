/* SPDX-License-Identifier: MIT */
/*
 * DOC: one process that runs subtests of one test: the outcome of each, its output and the
 * kernel's messages meanwhile. The caller's hooks decide which outcomes count and when the
 * process is given up.
 */
#ifndef RUNNER_BATCH_H
#define RUNNER_BATCH_H

#include "process.h"
#include "words.h"

struct result {
	char *subtest;
	enum outcome outcome;
	char *seconds;
	struct text text;	/* output of the process before all subtests, then in this one */
};

/* The kernel's messages since this subtest began. @subtest is NULL before the first one. */
struct section {
	char *subtest;
	struct text text;
};

struct batch;

struct batch_ops {
	void (*line)(struct batch *b, const char *line);
	void (*begins)(struct batch *b, const char *subtest);
	/* The test says that the subtest ended. Messages of the kernel about it may follow. */
	void (*ends)(struct batch *b, const struct result *r);
	/* No more messages can follow. @kernel: those that the kernel said meanwhile */
	void (*settled)(struct batch *b, const struct result *r, const char *kernel);
	/*
	 * Called every @look seconds; an outcome other than NONE gives the process up. @heard:
	 * the process said something since the last call
	 */
	enum outcome (*enough)(struct batch *b, bool heard);
	/* The process is given up: this hook may look at it, and has to end it. */
	void (*given_up)(struct batch *b);
};

struct batch {
	const struct batch_ops *ops;
	void *ctx;
	const char *test;
	double limit;		/* seconds that a subtest may take; 0: any */
	double look;
	int log;		/* klog_open(), or -1 */
	unsigned int most_level;	/* of the messages that are kept, 7: all */

	struct process process;
	struct words words;
	struct text common;	/* output before or outside of all subtests */
	struct text text;	/* output since the last subtest began or ended */
	char *running;		/* the subtest that has begun and not ended */
	double start;		/* when the subtest began, or when the last one ended */
	enum outcome hangs;	/* why the process was given up, or NONE */
	struct result *results;
	unsigned int num_results, num_settled;
	struct section *sections;
	unsigned int num_sections;
};

/* Runs @argv, in the root @root if not NULL. Earlier messages of the kernel are dropped. */
void batch_run(struct batch *b, const char *root, char *const argv[]);
/*
 * Returns the kernel's messages of a subtest, to be freed. Those before the first subtest count
 * as that subtest's.
 */
char *batch_kernel(const struct batch *b, const char *subtest);
void batch_free(struct batch *b);

#endif
