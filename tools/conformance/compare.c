// SPDX-License-Identifier: MIT
/* Comparison of two results of a kernel within the manifest's bounds, for judge.c. */
#include "compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data.h"

double cts_ulp(double v, unsigned int size)
{
	int bits = size == 2 ? 11 : size == 4 ? 24 : 53;
	int least = size == 2 ? -24 : size == 4 ? -149 : -1074;
	int e;

	frexp(v, &e);
	if (!v || e - bits < least)
		return ldexp(1, least);
	return ldexp(1, e - bits);
}

static bool within(const struct cts_tol *tol, unsigned int size, double got, double want)
{
	double at = fabs(want);

	if (isnan(got) || isnan(want))
		return isnan(got) && isnan(want);
	if (got == want)
		return true;
	if (isinf(got) || isinf(want) || !tol)
		return false;
	switch (tol->kind) {
	case CTS_ABS:
		return fabs(got - want) <= tol->bound;
	case CTS_REL:
		return fabs(got - want) <= tol->bound * at;
	default:
		if (at < tol->at)
			at = tol->at;
		return fabs(got - want) <= tol->bound * cts_ulp(at, size);
	}
}

bool cts_equal(const struct cts_arg *arg, const struct cts_tol *tol,
	       const void *got, const void *want)
{
	if (tol && tol->kind == CTS_ANY)
		return true;
	if (!memcmp(got, want, arg->size))
		return true;
	if (arg->type != 'f')
		return false;
	return within(tol, arg->size, cts_element_get('f', arg->size, got),
		      cts_element_get('f', arg->size, want));
}

static void tell(const struct cts_arg *a, const void *got, const void *want, char *text,
		 size_t size)
{
	uint64_t g = 0, w = 0;

	if (a->type == 'f') {
		double x = cts_element_get('f', a->size, got);
		double y = cts_element_get('f', a->size, want);

		snprintf(text, size, "%.17g, not %.17g (%.3g ulp)", x, y,
			 fabs(x - y) / cts_ulp(y, a->size));
		return;
	}
	memcpy(&g, got, a->size);
	memcpy(&w, want, a->size);
	snprintf(text, size, "%#llx, not %#llx", (unsigned long long)g, (unsigned long long)w);
}

uint64_t cts_compare(const struct cts_kernel *k, const char *config, const void *got,
		     const void *want, char *text, size_t size)
{
	const uint8_t *g = got, *w = want;
	uint64_t i, wrong = 0;
	char what[96];
	unsigned int n;

	for (n = 0; n < k->num_args; n++) {
		const struct cts_arg *a = &k->args[n];
		const struct cts_tols *tols = cts_tols(a, config);

		if (a->kind != CTS_BUFFER)
			continue;
		for (i = 0; i < a->count; i++, g += a->size, w += a->size) {
			if (cts_equal(a, tols ? &tols->tol[i % tols->num] : NULL, g, w))
				continue;
			if (wrong++)
				continue;
			tell(a, g, w, what, sizeof(what));
			snprintf(text, size, "argument %u, element %llu is %s", n,
				 (unsigned long long)i, what);
		}
	}
	return wrong;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The lines of @text, sorted, in an array to be freed; @text is cut up. */
static char **sort_lines(char *text, size_t *num)
{
	size_t most = 1;
	char **lines, *save, *s;

	for (s = text; *s; s++)
		most += *s == '\n';
	lines = malloc(most * sizeof(*lines));
	if (!lines)
		abort();
	*num = 0;
	for (s = strtok_r(text, "\n", &save); s; s = strtok_r(NULL, "\n", &save))
		lines[(*num)++] = s;
	qsort(lines, *num, sizeof(*lines), by_text);
	return lines;
}

bool cts_same_lines(const char *got, const char *want)
{
	char *x = strdup(got), *y = strdup(want), **a, **b;
	size_t i, n, m;

	if (!x || !y)
		abort();
	a = sort_lines(x, &n);
	b = sort_lines(y, &m);
	for (i = 0; i < n && n == m && !strcmp(a[i], b[i]); i++)
		;
	free(a);
	free(b);
	free(x);
	free(y);
	return n == m && i == n;
}
