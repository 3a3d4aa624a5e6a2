/* SPDX-License-Identifier: MIT */
/*
 * DOC: which subtests of a list run next in one process: "SUBTEST SECONDS HOW" a line, of
 * which those that have a result are done.  Pure.
 */
#ifndef RUNNER_TODO_H
#define RUNNER_TODO_H

#include "list.h"

/* How a subtest is to run. */
#define HOW_TOGETHER	"together"	/* with others in one process */
#define HOW_APART	"apart"		/* in a process of its own */
#define HOW_ALONE	"alone"		/* in a guest of its own */
#define HOW_FAILS	"fails"		/* together, and all are expected to fail */
#define HOW_HANGS	"hangs"		/* apart, and expected never to end */

struct todo {
	char *test, *how;
	double limit;
	struct names names;	/* "TEST@SUBTEST" */
};

/*
 * The first of @list without a result in @results, and those of its test that follow, @size
 * at most, or @most of those that are all expected to fail.
 *
 * Return: whether anything is left.
 */
bool todo_next(const char *list, const char *results, unsigned int size, unsigned int most,
	       struct todo *next);
void todo_free(struct todo *t);

#endif
