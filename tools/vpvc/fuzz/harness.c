// SPDX-License-Identifier: MIT
/* What the frame of the unit tests asks for: a check that fails is a finding. */
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
