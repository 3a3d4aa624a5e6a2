/* SPDX-License-Identifier: MIT */
/*
 * DOC: chooses the subtests of a list that run next in one process. A line of the list is "SUBTEST
 * SECONDS HOW"; subtests that have a result are done. Pure.
 */
#ifndef RUNNER_TODO_H
#define RUNNER_TODO_H

#include "list.h"

/* How a subtest is to run. */
#define HOW_TOGETHER	"together"	/* with others in one process */
#define HOW_APART	"apart"		/* in a process of its own */
#define HOW_ALONE	"alone"		/* in a guest of its own */
#define HOW_FAILS	"fails"		/* together, and each is expected to fail */
#define HOW_HANGS	"hangs"		/* apart, and expected never to end */

struct todo {
	char *test, *how;
	double limit;
	struct names names;	/* "TEST@SUBTEST" */
};

/*
 * Chooses the first subtest of @list without a result in @results, and those of the same test that
 * follow, @size at most, or @most if all are expected to fail.
 *
 * Return: whether anything is left.
 */
bool todo_next(const char *list, const char *results, unsigned int size, unsigned int most,
	       struct todo *next);
void todo_free(struct todo *t);

#endif
