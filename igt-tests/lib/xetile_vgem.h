/* SPDX-License-Identifier: MIT */
/*
 * Fences of another driver, which signal when the test says so: vgem's. One that is
 * forgotten signals with -ETIMEDOUT after ten seconds.
 */
#ifndef XETILE_VGEM_H
#define XETILE_VGEM_H

#include "xetile_igt.h"

/* A buffer of vgem's, which a fence can be put on */
struct vgem {
	int fd;
	uint32_t handle;
	int buf;		/* the buffer, as a file */
	uint32_t fence;		/* the last one, of vgem's own numbers */
};

/* Skips where the kernel has no vgem. */
void vgem_init(struct vgem *v);
void vgem_fini(struct vgem *v);
/* A new fence, in the syncobj @syncobj of @fd. The one before has signalled. */
void vgem_fence(struct vgem *v, int fd, uint32_t syncobj);
/* Signals it: 0, or -ETIMEDOUT: it has expired before. May be called by any thread. */
int vgem_signal(const struct vgem *v);

#endif
