/* SPDX-License-Identifier: MIT */
/*
 * Helpers that every file of the library may use. This header includes no header of the
 * library.
 */
#ifndef _XETILE_UTIL_H_
#define _XETILE_UTIL_H_

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* Round @v up to a multiple of @to. */
static inline uint64_t xt_align(uint64_t v, uint64_t to)
{
	return (v + to - 1) / to * to;
}

/*
 * Give a caller, whose struct has @size bytes, an answer of @bytes: a program that was built with
 * an older header gets the fields that it knows, one with a newer header zeros in those that are
 * not known here.
 */
static inline void xt_answer(void *to, size_t size, const void *answer, size_t bytes)
{
	size_t known = size < bytes ? size : bytes;

	memcpy(to, answer, known);
	memset((char *)to + known, 0, size - known);
}

#endif
