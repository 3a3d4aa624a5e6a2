// SPDX-License-Identifier: MIT
/* Runs every registered test, or those whose name contains an argument. */
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "tests/test.h"

#define TEST_SECONDS	240

static struct test *tests;
static unsigned int failures;

void test_register(struct test *t)
{
	struct test **p = &tests;

	while (*p)
		p = &(*p)->next;
	*p = t;
}

void test_fail(const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	failures++;
	fprintf(stderr, "  %s:%d: ", file, line);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

static bool selected(const struct test *t, int argc, char **argv)
{
	if (argc < 2)
		return true;
	for (int i = 1; i < argc; i++)
		if (strstr(t->name, argv[i]))
			return true;
	return false;
}

int main(int argc, char **argv)
{
	unsigned int passed = 0, failed = 0;

	/* Some tests write to peers that have closed the connection. */
	signal(SIGPIPE, SIG_IGN);
	for (struct test *t = tests; t; t = t->next) {
		if (!selected(t, argc, argv))
			continue;
		failures = 0;
		/* The alarm kills a test that hangs. */
		alarm(TEST_SECONDS);
		t->fn();
		if (failures) {
			printf("FAIL %s\n", t->name);
			failed++;
		} else {
			printf("ok   %s\n", t->name);
			passed++;
		}
		fflush(stdout);
	}
	printf("%u passed, %u failed\n", passed, failed);
	return failed || !passed;
}
