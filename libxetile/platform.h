/* SPDX-License-Identifier: MIT */
/*
 * The platform: the tree of devices, built of DRM nodes and of the environment.
 * xetile_platform_open() reads both from the machine; a test gives its own to
 * xt_platform_build().
 */
#ifndef _XETILE_PLATFORM_H_
#define _XETILE_PLATFORM_H_

#include <stdbool.h>

#include "xetile.h"

#define XT_MAX_CARDS	64

struct xt_card;

struct xetile_platform {
	enum xetile_hierarchy hierarchy;
	unsigned int num_cards;
	struct xt_card *cards[XT_MAX_CARDS];
	unsigned int num_top;
	struct xetile_device **top;
	char *selector;			/* of the default device; NULL: the first one */
};

/* One DRM node of the driver */
struct xt_node {
	char pci[16];
	char node[64];
	char primary[64];		/* the node of the same card for its owner; empty: none */
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
	const char *device;
	/* Folders with files of ratios; new files go to the first. */
	const char *state_dirs[2];
};

/* Whether a PCI device, by its folder in sysfs, is bound to the driver */
bool xt_is_ours(const char *sysfs);
/* Returns 0 or a negative errno with an error text; the caller closes the platform. */
int xt_platform_build(const struct xt_node *nodes, unsigned int num,
		      const struct xt_env *env, struct xetile_platform **out);

#endif
