// SPDX-License-Identifier: MIT
/*
 * Lines of decisions. A line is one write, so that those of several processes and threads do not
 * mix.
 */
#include "debug.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool xt_debugs;

/* The variable is read once: a thread may change the environment while another one reads it. */
static void __attribute__((constructor)) read_variable(void)
{
	const char *value = secure_getenv("XETILE_DEBUG");

	xt_debugs = value && !strcmp(value, "1");
}

void xt_debug_line(const char *fmt, ...)
{
	char line[512] = "xetile: ";
	size_t len = strlen(line);
	va_list args;
	int more;

	va_start(args, fmt);
	more = vsnprintf(line + len, sizeof(line) - 1 - len, fmt, args);
	va_end(args);
	if (more < 0)
		return;
	len = strlen(line);
	line[len++] = '\n';
	if (write(STDERR_FILENO, line, len) < 0)
		return; /* nobody listens, which is no failure of what was decided */
}
