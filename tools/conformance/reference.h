/* SPDX-License-Identifier: MIT */
/* Kernels in C, for those no CPU OpenCL can run: written from what their built-ins mean. */
#ifndef CTS_REFERENCE_H
#define CTS_REFERENCE_H

#include "manifest.h"

/* A launch: buffers as pointers, values as their bytes. */
struct cts_run {
	unsigned int simd, items, local;
	void *buffer[CTS_MAX_ARGS];
	const struct cts_arg *args;
};

struct cts_reference_entry {
	const char *name;
	void (*run)(const struct cts_run *r);
};

/*
 * The kernels over sub-groups, those over non-uniform groups, and the joint algorithms of
 * the latter; the last entry has no name.
 */
extern const struct cts_reference_entry cts_subgroup_references[];
extern const struct cts_reference_entry cts_group_references[];
extern const struct cts_reference_entry cts_joint_references[];

/*
 * What becomes of the buffers of @k, all in @data one after the other, when a
 * sub-group has @simd work-items. -1: there is no reference for that kernel.
 */
int cts_reference(const struct cts_kernel *k, unsigned int simd, void *data);

#endif
