/* SPDX-License-Identifier: MIT */
/* Two results of a kernel: equal within the manifest's bounds? */
#ifndef CORPUS_COMPARE_H
#define CORPUS_COMPARE_H

#include "manifest.h"

/* A unit in the last place of @v in a float of @size bytes. */
double corpus_ulp(double v, unsigned int size);

/* May @got stand where @want is right? NULL @tol: bits, but any NaN and either zero. */
bool corpus_equal(const struct corpus_arg *arg, const struct corpus_tol *tol,
		  const void *got, const void *want);

/*
 * Compare all buffers of @k, one after the other in @got and @want. Returns the
 * number of elements that differ and tells the first in @text.
 */
uint64_t corpus_compare(const struct corpus_kernel *k, const char *config, const void *got,
			const void *want, char *text, size_t size);

#endif
