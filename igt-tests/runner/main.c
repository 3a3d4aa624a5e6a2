// SPDX-License-Identifier: MIT
/* DOC: runs tests in IGT's form, in a guest, and judges how they ended. */
#include <stdio.h>
#include <string.h>

#include "verbs.h"

static const struct {
	const char *name, *what;
	int (*run)(int argc, char **argv);
} verbs[] = {
	{ "suite", "our suites: each subtest's outcome, and their sum", verb_suite },
	{ "list", "the subtests of tests", verb_list },
	{ "together", "some subtests at once", verb_together },
	{ "todo", "another driver's tests, as far as this guest goes", verb_todo },
	{ "plan", "which of these run in a guest, and how", verb_plan },
	{ "judge", "what came out of these against what had to", verb_judge },
	{ "complaints", "what a healthy kernel does not say, of logs", verb_complaints },
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
		fprintf(stderr, "  %-12s %s\n", verbs[i].name, verbs[i].what);
	return 2;
}
