/* SPDX-License-Identifier: MIT */
/* DOC: the frame of the runner's tests: checks, a folder for each test, verbs in processes. */
#ifndef RUNNER_TEST_H
#define RUNNER_TEST_H

#include <sys/types.h>

#include "text.h"

extern const char *test_folder;		/* of the tests' own sources */
extern bool test_bad;			/* the test that runs now has failed */
extern bool test_kill_fails;		/* kill() does nothing, as if the kernel held the process */
/* Answers read() in place of the kernel, if not NULL. */
extern ssize_t (*test_read)(int fd, void *buf, size_t len);

void run_test(const char *name, void (*test)(void));

#define CHECK(condition) \
	do { \
		if (!(condition)) { \
			printf("  %s:%d: %s\n", __FILE__, __LINE__, #condition); \
			test_bad = true; \
		} \
	} while (0)

/* @text must equal @want: else both are shown. */
void check_text(const char *file, int line, const char *text, const char *want);
#define CHECK_TEXT(text, want)	check_text(__FILE__, __LINE__, text, want)
/* @text must hold, or not hold, @part. */
void check_part(const char *file, int line, const char *text, const char *part, bool holds);
#define CHECK_HOLDS(text, part)	check_part(__FILE__, __LINE__, text, part, true)
#define CHECK_LACKS(text, part)	check_part(__FILE__, __LINE__, text, part, false)

/* Returns the path, to be freed, of a file in the test's folder, which each test finds empty. */
char *own(const char *name);
/* Returns the text that the verb prints, to be freed. @status may be NULL; NULL ends the words. */
char *said_by(int (*verb)(int argc, char **argv), int *status, ...);
/* Starts the verb in a process of its own, which prints to the file said; returns the process. */
pid_t start_verb(int (*verb)(int argc, char **argv), ...);
/* Returns whether all processes of this group end within some seconds. */
bool group_ends(pid_t group);
/* Returns the number in the file once the file has a line. */
int awaited_number(const char *path);

void tests_pure(void);
void tests_suite(void);
void tests_guest(void);
void tests_judge(void);

#endif
