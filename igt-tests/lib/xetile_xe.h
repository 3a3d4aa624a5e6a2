/* SPDX-License-Identifier: MIT */
/*
 * Helpers for tests of the xe driver's calls, which the card answers whatever its device is called.
 *
 * A function whose name begins with __ returns 0 or a negative errno; the others assert success.
 */
#ifndef XETILE_XE_H
#define XETILE_XE_H

#include <drm/xe_drm.h>

#include "xetile_igt.h"

/* Memory as the processors cache it: the entry of the PAT that all buffers may be mapped with */
#define XE_PAT_WB	3

/* The flag of GEM_MMAP_OFFSET for the page of a barrier, and what the card answers to a read of it */
#define XE_MMAP_BARRIER		1
#define XE_BARRIER_READS	0xdeadbeef

/* A table of calls that fail */
struct xe_bad {
	const char *what;
	int err;
};

/* GEM_CREATE */
int __xe_bo(int fd, struct drm_xe_gem_create *args);
/* Creates a BO in regions @placement, write-combined if one of them is HBM. Returns its handle. */
uint32_t xe_bo(int fd, uint64_t size, uint32_t placement);
/* VM_CREATE with @flags. Returns the id. */
uint32_t xe_vm(int fd, uint32_t flags);
/* VM_BIND of one bind, with one sync, or none for NULL */
int __xe_bind(int fd, uint32_t vm, const struct drm_xe_vm_bind_op *op,
	      const struct drm_xe_sync *sync);
/* A bind that maps all of a BO */
struct drm_xe_vm_bind_op xe_map_op(uint32_t bo, uint64_t addr, uint64_t size);
void xe_map(int fd, uint32_t vm, uint32_t bo, uint64_t addr, uint64_t size);
void xe_unmap(int fd, uint32_t vm, uint64_t addr, uint64_t size);
/* Maps the page of a barrier on the bus for writing; it is not touched yet. */
volatile uint32_t *xe_map_barrier(int fd);
/* WAIT_USER_FENCE; the call updates @args. Not repeated after a signal. */
int __xe_wait(int fd, struct drm_xe_wait_user_fence *args);

#endif
