/* SPDX-License-Identifier: MIT */
/*
 * DOC: the lines of a test in IGT's form that tell of its subtests. The output arrives in pieces of
 * any size; a line counts once it is whole. Pure.
 */
#ifndef RUNNER_WORDS_H
#define RUNNER_WORDS_H

#include "text.h"

enum outcome {
	NONE,
	PASS,
	SKIP,
	FAIL,
	TIMEOUT,	/* no end within the subtest's limit, or nothing moved */
	STUCK,		/* the subtest waits for an engine that has stopped by an error */
	KERNEL,		/* the kernel complained */
};

const char *outcome_name(enum outcome outcome);

struct words_ops {
	/* Each line, with its newline if it has one, before the calls that follow from it */
	void (*line)(void *ctx, const char *line);
	void (*begins)(void *ctx, const char *subtest);
	/* @seconds: as the test says them, "0.123" */
	void (*ends)(void *ctx, const char *subtest, enum outcome outcome, const char *seconds);
};

struct words {
	const struct words_ops *ops;
	void *ctx;
	struct text line;	/* the line that has not ended */
};

void words_feed(struct words *w, const char *piece, size_t len);
/* No more pieces will come. */
void words_close(struct words *w);

#endif
