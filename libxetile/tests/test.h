/* SPDX-License-Identifier: MIT */
/*
 * A small frame for unit tests. A test has named cases, and a case has checks. A case ends at
 * its first check that fails, and prints this check.
 */
#ifndef _XETILE_TEST_H_
#define _XETILE_TEST_H_

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

extern unsigned int test_passed, test_failed;

/* End the case when @cond is false. */
#define CHECK(cond, ...)							\
	do {									\
		if (!(cond)) {							\
			printf("  %s:%d: %s", __FILE__, __LINE__, #cond);	\
			printf(" " __VA_ARGS__);				\
			printf("\n");						\
			return false;						\
		}								\
	} while (0)

/* The last error text must contain @word. */
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

/* Read a file into memory of malloc(). The program ends when the file cannot be read. */
void *test_read_file(const char *path, size_t *size);
/* Directory of libxetile, from the environment */
const char *test_top(void);

#endif
