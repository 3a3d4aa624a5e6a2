// SPDX-License-Identifier: MIT
/*
 * The text of a thread's last failure. Per thread, so that two threads that
 * fail at once do not read each other's text.
 */
#include <stdarg.h>
#include <string.h>

#include "internal.h"

#define ERROR_SIZE	512

static __thread char text[ERROR_SIZE];

int xt_error(int err, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return err;
}

int xt_error_add(int err, const char *fmt, ...)
{
	char before[ERROR_SIZE];
	va_list args;
	int used;

	memcpy(before, text, sizeof(before));
	va_start(args, fmt);
	used = vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (used >= 0 && used < ERROR_SIZE - 3)
		snprintf(text + used, sizeof(text) - used, ": %.*s",
			 (int)(sizeof(text) - used - 3), before);
	return err;
}

const char *xetile_last_error(void)
{
	return text;
}
