/* SPDX-License-Identifier: MIT */
/* DOC: the frame of the runner's tests. */
#ifndef RUNNER_TEST_H
#define RUNNER_TEST_H

#include <sys/types.h>

#include "text.h"

extern const char *test_folder;		/* of the tests' own sources */
extern bool test_bad;			/* the one that runs has failed */
extern bool test_kill_fails;		/* kill() does nothing, as to a process the kernel holds */
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

/* @text must be as wanted: else both are shown. */
void check_text(const char *file, int line, const char *text, const char *want);
#define CHECK_TEXT(text, want)	check_text(__FILE__, __LINE__, text, want)
/* @text must hold, or not hold, @part. */
void check_part(const char *file, int line, const char *text, const char *part, bool holds);
#define CHECK_HOLDS(text, part)	check_part(__FILE__, __LINE__, text, part, true)
#define CHECK_LACKS(text, part)	check_part(__FILE__, __LINE__, text, part, false)

/* A file of the test's own folder, which is emptied before each; to be freed. */
char *own(const char *name);
/* What the verb prints; @status may be NULL. The words end with NULL. To be freed. */
char *said_by(int (*verb)(int argc, char **argv), int *status, ...);
/* Starts the verb in a process of its own, which prints to the file said. Return: the process. */
pid_t start_verb(int (*verb)(int argc, char **argv), ...);
/* Whether all processes of this group end within some seconds. */
bool group_ends(pid_t group);
/* The number that the file holds once it holds one. */
int awaited_number(const char *path);

void tests_pure(void);
void tests_suite(void);
void tests_guest(void);
void tests_judge(void);

#endif
