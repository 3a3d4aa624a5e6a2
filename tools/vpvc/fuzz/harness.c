// SPDX-License-Identifier: MIT
/* test_fail() for targets that use the unit tests' helpers: a failed check aborts. */
#include <stdarg.h>
#include <stdlib.h>

#include "tests/test.h"

void test_fail(const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "%s:%d: ", file, line);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	abort();
}
