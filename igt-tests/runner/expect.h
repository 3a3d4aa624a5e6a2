/* SPDX-License-Identifier: MIT */
/*
 * DOC: the expected outcomes of another driver's subtests. The first line of the file
 * expectations that fits a subtest counts, "expect SUBTEST KERNEL TILES OUTCOME CAUSE"; without
 * one the subtest has to pass. Pure but for the reading of the file.
 */
#ifndef RUNNER_EXPECT_H
#define RUNNER_EXPECT_H

#include "text.h"

struct expected {
	char *want;		/* an outcome, or several: "pass|stuck" */
	char *cause;
	char *quotes;		/* lines, each of which must be in the logs, "A" or "B"; or NULL */
	char *lacks;		/* a name that the kernel must not know, or NULL */
};

/* @table: of file_table_of() */
void expect(char **table, const char *subtest, const char *kernel, const char *tiles,
	    struct expected *e);
void expected_free(struct expected *e);
/* Returns whether @want allows @outcome. A subtest that may pass may also skip. */
bool fits(const char *outcome, const char *want);
/*
 * Returns "SECONDS HOW", to be freed: the time that the subtest may take, and how it runs.
 * @alone: in a guest of its own in any case
 */
char *limited(const struct expected *e, unsigned int limit, bool alone);

#endif
