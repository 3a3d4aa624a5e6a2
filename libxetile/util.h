/* SPDX-License-Identifier: MIT */
/*
 * Two helpers that every file of the library may use. This header includes no header of the
 * library.
 */
#ifndef _XETILE_UTIL_H_
#define _XETILE_UTIL_H_

#include <stdint.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* Round @v up to a multiple of @to. */
static inline uint64_t xt_align(uint64_t v, uint64_t to)
{
	return (v + to - 1) / to * to;
}

#endif
