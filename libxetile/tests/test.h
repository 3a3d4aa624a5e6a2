/* SPDX-License-Identifier: MIT */
/*
 * The smallest frame for unit tests: named cases of checks, counted. A case
 * fails at its first check that fails and says which.
 */
#ifndef _XETILE_TEST_H_
#define _XETILE_TEST_H_

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

extern unsigned int test_passed, test_failed;

/* Fail the case that runs. */
#define CHECK(cond, ...)							\
	do {									\
		if (!(cond)) {							\
			printf("  %s:%d: %s", __FILE__, __LINE__, #cond);	\
			printf(" " __VA_ARGS__);				\
			printf("\n");						\
			return false;						\
		}								\
	} while (0)

/* The last error text must hold a word. */
#define CHECK_TEXT(word)							\
	CHECK(strstr(xetile_last_error(), word), "text is '%s', without '%s'",	\
	      xetile_last_error(), word)

static inline void test_run(const char *name, bool ok)
{
	if (ok)
		test_passed++;
	else
		test_failed++;
	printf("%s %s\n", ok ? "ok  " : "FAIL", name);
}

static inline int test_end(void)
{
	printf("RESULT %u %u\n", test_passed, test_failed);
	return test_failed != 0;
}

/* A file of the tree, in malloc()ed memory; ends the program when it is not there. */
void *test_read_file(const char *path, size_t *size);
/* Directory of libxetile, from the environment. */
const char *test_top(void);

#endif
