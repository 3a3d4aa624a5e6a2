/* SPDX-License-Identifier: MIT */
/* Kernels in C that no CPU OpenCL can run, written from the definitions of their built-ins. */
#ifndef CTS_REFERENCE_H
#define CTS_REFERENCE_H

#include "manifest.h"

/* The most work-items of a launch that the references over non-uniform groups take */
#define CTS_GROUP_ITEMS	1024

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
 * Run the reference of @k on its buffers, which @data holds one after the other, with
 * sub-groups of @simd work-items. -1: the kernel has no reference, or one for fewer
 * work-items.
 */
int cts_reference(const struct cts_kernel *k, unsigned int simd, void *data);

#endif
