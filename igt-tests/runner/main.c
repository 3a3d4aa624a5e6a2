// SPDX-License-Identifier: MIT
/* DOC: runs tests in IGT's form, in a guest, and judges their outcomes. */
#include <stdio.h>
#include <string.h>

#include "verbs.h"

static const struct {
	const char *name, *help;
	int (*run)(int argc, char **argv);
} verbs[] = {
	{ "suite", "this driver's tests: each subtest's outcome, and their sum", verb_suite },
	{ "list", "the names of tests' subtests", verb_list },
	{ "together", "some subtests, all at once", verb_together },
	{ "todo", "another driver's tests, until this guest has to end", verb_todo },
	{ "plan", "that driver's subtests that run in a guest, and how each runs", verb_plan },
	{ "judge", "their outcomes, compared with the expected ones", verb_judge },
	{ "unused", "the lines about its subtests that fit none", verb_unused },
	{ "complaints", "the lines of logs that a healthy kernel does not say", verb_complaints },
};

#define NUM_VERBS	(sizeof(verbs) / sizeof(verbs[0]))

int main(int argc, char **argv)
{
	for (unsigned int i = 0; argc > 1 && i < NUM_VERBS; i++) {
		if (!strcmp(argv[1], verbs[i].name))
			return verbs[i].run(argc - 2, argv + 2);
	}
	fprintf(stderr, "usage: runner VERB [argument...]\n");
	for (unsigned int i = 0; i < NUM_VERBS; i++)
		fprintf(stderr, "  %-12s %s\n", verbs[i].name, verbs[i].help);
	return 2;
}
