/* SPDX-License-Identifier: MIT */
/*
 * Counts and reports of a host unit test: RUN() runs a test under a name, and a test may make
 * millions of checks.
 */
#ifndef HOST_CHECK_H
#define HOST_CHECK_H

#include <stdio.h>
#include <stdlib.h>

/* The program ends after so many failed checks, because more of them tell nothing new. */
#define CHECK_GIVE_UP	20

static unsigned int failed, passed;
static unsigned long checks, wrong;

#define CHECK(cond, ...) do {							\
	checks++;								\
	if (!(cond)) {								\
		fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #cond);	\
		fprintf(stderr, __VA_ARGS__);					\
		fprintf(stderr, "\n");						\
		if (++wrong >= CHECK_GIVE_UP)					\
			check_give_up();					\
	}									\
} while (0)

static inline int check_end(void)
{
	printf("%u passed, %u failed\n", passed, failed);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

static inline void check_give_up(void)
{
	printf("FAIL: too many wrong checks\n");
	failed++;
	exit(check_end());
}

/* Run one test: @code proves the statement @name. */
#define RUN(name, code) do {							\
	unsigned long checks_before = checks, wrong_before = wrong;		\
										\
	code;									\
	if (wrong == wrong_before)						\
		passed++;							\
	else									\
		failed++;							\
	printf("%s %s (%lu checks)\n", wrong == wrong_before ? "ok  " : "FAIL", name, \
	       checks - checks_before);						\
	/* The next test may crash, and would lose this line. */		\
	fflush(stdout);								\
} while (0)

#endif
