// SPDX-License-Identifier: MIT
/*
 * Error texts. Each thread has a text of its own, so that two threads that fail at once do not
 * read each other's text.
 */
#include "error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

/* So much of a text is shown around its wrong place. */
#define SHOWN	60

/* A terminal obeys some bytes, and a caret must stand under the right one. */
static void copy_clean(char *to, size_t size, const char *from)
{
	size_t i;

	for (i = 0; i + 1 < size && from[i]; i++)
		to[i] = from[i] >= ' ' && from[i] <= '~' ? from[i] : '?';
	to[i] = 0;
}

int xt_error_at(const char *name, const char *text, const char *at, const char *what)
{
	const char *from = at - text > SHOWN ? at - SHOWN : text;
	char shown[2 * SHOWN + 1], begin[SHOWN + 5];

	copy_clean(shown, sizeof(shown), from);
	copy_clean(begin, sizeof(begin), text);
	return xt_error(-EINVAL, "%s '%s' is no %s\n  %s\n  %*s^", name, begin, what, shown,
			(int)(at - from), "");
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

/* The driver gives some errno values a meaning that strerror() does not know. */
const char *xt_driver_error(int err)
{
	switch (-err) {
	case ENOSPC: return "no room in HBM";
	case ENOBUFS: return "the card has no numbers left, too many are in use";
	case EDQUOT: return "a limit of this context or of its user is reached";
	case ECANCELED: return "banned after a batch that failed or did not end";
	case ENODATA: return "the contents of a buffer are lost";
	case EIO: return "the card is wedged";
	case ENODEV: return "the card is gone";
	}
	return strerror(-err);
}

/* The texts continue "the work was stopped:". */
const char *xt_fence_error(int err)
{
	switch (-err) {
	case ETIME: return "the batch did not end in time";
	case EIO: return "the batch failed, or the card is wedged";
	case ECANCELED: return "the batch did not run, because the queue was banned before";
	case EAGAIN: return "another batch's fault reset the engine";
	case ENODATA: return "the batch did not run, because the contents of a buffer are lost";
	}
	return strerror(-err);
}

const char *xetile_last_error(void)
{
	return text;
}
