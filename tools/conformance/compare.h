/* SPDX-License-Identifier: MIT */
/* Comparison of two results of a kernel within the manifest's bounds. */
#ifndef CTS_COMPARE_H
#define CTS_COMPARE_H

#include "manifest.h"

/* A unit in the last place of @v in a float of @size bytes. */
double cts_ulp(double v, unsigned int size);

/* Is @got within @tol of @want? NULL @tol: equal bits, or both NaN, or both zero. */
bool cts_equal(const struct cts_arg *arg, const struct cts_tol *tol,
	       const void *got, const void *want);

/*
 * Compare all buffers of @k, which @got and @want hold one after the other. Returns the
 * number of elements that differ and describes the first in @text.
 */
uint64_t cts_compare(const struct cts_kernel *k, const char *config, const void *got,
		     const void *want, char *text, size_t size);

/* Are the lines equal, in any order? Work-items print in any order. */
bool cts_same_lines(const char *got, const char *want);

#endif
