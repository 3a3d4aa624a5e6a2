/* SPDX-License-Identifier: MIT */
/*
 * The text of a device coredump of the driver.
 */
#ifndef _XETILECTL_CRASH_TEXT_H_
#define _XETILECTL_CRASH_TEXT_H_

#include <stdbool.h>
#include <stddef.h>

/* Returns whether a text begins as a dump of the driver does. */
bool crash_text_is_dump(const char *text, size_t size);
/*
 * Print a dump, with its rings and batches decoded. Anything may follow the dump's first line.
 * Returns whether the dump is whole.
 */
bool crash_text_print(const char *text, size_t size);

#endif
