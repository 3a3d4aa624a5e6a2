/* SPDX-License-Identifier: MIT */
/*
 * Replaces the driver's headers of devices and tiles, and the kernel's of DRM, because the host
 * cannot compile them. The compiler includes this file first; this file declares all that page
 * tables need of those headers.
 */
#ifndef HOST_PT_DEVICE_H
#define HOST_PT_DEVICE_H

#define __XETILE_DEVICE_H__
#define __XETILE_TILE_H__

#include <stdlib.h>

#include "host_kernel.h"

#define static_assert(cond)	_Static_assert(cond, #cond)

struct xetile_pt_scratch;

/* What is to be called when the card goes */
struct drm_device {
	void (*action)(struct drm_device *drm, void *arg);
	void *arg;
};

struct xetile_device {
	struct drm_device drm;
};

struct xetile_tile {
	struct xetile_device *xt;
	struct {
		u64 capacity;
	} range;
	const struct xetile_pt_scratch *scratch;
};

int host_may_alloc(void);

static inline void *drmm_kzalloc(struct drm_device *drm, size_t size, int gfp)
{
	return host_may_alloc() ? calloc(1, size) : NULL;
}

static inline int drmm_add_action(struct drm_device *drm,
				  void (*action)(struct drm_device *drm, void *arg), void *arg)
{
	drm->action = action;
	drm->arg = arg;
	return 0;
}

#endif
