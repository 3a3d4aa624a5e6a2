/* SPDX-License-Identifier: MIT */
/*
 * Fences of another driver, vgem, which signal when the test says so. A fence that the test
 * does not signal expires after ten seconds: it signals with -ETIMEDOUT.
 */
#ifndef XETILE_VGEM_H
#define XETILE_VGEM_H

#include "xetile_igt.h"

/* A buffer of vgem, to which fences can be attached */
struct vgem {
	int fd;
	uint32_t handle;
	int buf;		/* the buffer, as a file */
	uint32_t fence;		/* the latest fence, by vgem's own number */
};

/* Skips the test when the kernel has no vgem. */
void vgem_init(struct vgem *v);
void vgem_fini(struct vgem *v);
/*
 * Attaches a new fence and puts it into the syncobj @syncobj of @fd. The fence before must have
 * signalled.
 */
void vgem_fence(struct vgem *v, int fd, uint32_t syncobj);
/*
 * Signals the latest fence. Returns 0, or -ETIMEDOUT when it has expired before. Any thread may
 * call this.
 */
int vgem_signal(const struct vgem *v);

#endif
