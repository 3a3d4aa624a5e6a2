/* SPDX-License-Identifier: MIT */
/*
 * DOC: what is expected of another driver's subtests: the first line of the file expectations
 * that fits, "SUBTEST KERNEL TILES OUTCOME CAUSE", or a pass. Pure but for the reading.
 */
#ifndef RUNNER_EXPECT_H
#define RUNNER_EXPECT_H

#include "text.h"

struct expected {
	char *want;		/* an outcome, or several: "pass|stuck" */
	char *cause;
	char *quotes;		/* lines that the logs must hold, each "A" or "B"; or NULL */
	char *lacks;		/* what the kernel must not know, or NULL */
};

/* @table: file_table() */
void expect(char **table, const char *subtest, const char *kernel, const char *tiles,
	    struct expected *e);
void expected_free(struct expected *e);
/* What may pass may skip. */
bool fits(const char *outcome, const char *want);
/* The seconds that it may take, and how it runs: @alone if in a guest of its own. To be freed. */
char *limited(const struct expected *e, unsigned int limit, bool alone);

#endif
