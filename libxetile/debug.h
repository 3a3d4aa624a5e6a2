/* SPDX-License-Identifier: MIT */
/*
 * What the library decides, a line each on standard error, when XETILE_DEBUG=1. Any file may call
 * it.
 */
#ifndef _XETILE_DEBUG_H_
#define _XETILE_DEBUG_H_

#include <stdbool.h>

extern bool xt_debugs;

/* Without the variable a decision costs a look at one word. */
#define xt_debug(...)			\
	do {				\
		if (xt_debugs)		\
			xt_debug_line(__VA_ARGS__);	\
	} while (0)

void xt_debug_line(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
