/* SPDX-License-Identifier: MIT */
/* Kernels in C, for those no CPU OpenCL can run: written from what their built-ins mean. */
#ifndef CORPUS_REFERENCE_H
#define CORPUS_REFERENCE_H

#include "manifest.h"

/* A launch: buffers as pointers, values as their bytes. */
struct corpus_run {
	unsigned int simd, items, local;
	void *buffer[CORPUS_MAX_ARGS];
	const struct corpus_arg *args;
};

struct corpus_reference_entry {
	const char *name;
	void (*run)(const struct corpus_run *r);
};

/* The kernels over non-uniform groups; the last entry has no name. */
extern const struct corpus_reference_entry corpus_group_references[];

/*
 * What becomes of the buffers of @k, all in @data one after the other, when a
 * sub-group has @simd work-items. -1: there is no reference for that kernel.
 */
int corpus_reference(const struct corpus_kernel *k, unsigned int simd, void *data);

#endif
