/* SPDX-License-Identifier: MIT */
/* Two results of a kernel: equal within the manifest's bounds? */
#ifndef CTS_COMPARE_H
#define CTS_COMPARE_H

#include "manifest.h"

/* A unit in the last place of @v in a float of @size bytes. */
double cts_ulp(double v, unsigned int size);

/* May @got stand where @want is right? NULL @tol: bits, but any NaN and either zero. */
bool cts_equal(const struct cts_arg *arg, const struct cts_tol *tol,
	       const void *got, const void *want);

/*
 * Compare all buffers of @k, one after the other in @got and @want. Returns the
 * number of elements that differ and tells the first in @text.
 */
uint64_t cts_compare(const struct cts_kernel *k, const char *config, const void *got,
		     const void *want, char *text, size_t size);

#endif
