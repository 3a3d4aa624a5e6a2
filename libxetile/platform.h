/* SPDX-License-Identifier: MIT */
/*
 * The platform: the tree of devices, built of DRM nodes and of the environment.
 * xetile_platform_open() reads both from the machine; a test gives its own to
 * xt_platform_build().
 */
#ifndef _XETILE_PLATFORM_H_
#define _XETILE_PLATFORM_H_

#include "xetile.h"

/* One DRM node of the driver */
struct xt_node {
	char pci[16];
	char node[64];
	char sysfs[96];
};

/* Values of the environment's variables; NULL: the variable is not set */
struct xt_env {
	const char *affinity;
	const char *hierarchy;
	const char *scaling;
	const char *scaling_compat;
	const char *storage_policy;
	const char *storage_granularity;
	const char *ccs;
	/* Folders with files of ratios; new files go to the first. */
	const char *state_dirs[2];
};

/* Returns 0 or a negative errno with an error text; the caller closes the platform. */
int xt_platform_build(const struct xt_node *nodes, unsigned int num,
		      const struct xt_env *env, struct xetile_platform **out);

#endif
