/* SPDX-License-Identifier: MIT */
/*
 * Exec queues, and batches, by the calls of xe_drm.h. VMs and buffers may be made by either
 * interface: both share their ids.
 *
 * A function whose name begins with __ returns 0 or a negative errno. Every other function
 * asserts that the calls it makes succeed.
 */
#ifndef XETILE_XE_EXEC_H
#define XETILE_XE_EXEC_H

#include <drm/xe_drm.h>

#include "xetile_igt.h"

/* Returns placements of @class on @tile: @instances is a mask. Their number goes to @num. */
const struct drm_xe_engine_class_instance *xe_places(uint32_t tile, uint32_t class,
						     uint32_t instances, uint16_t *num);
/* EXEC_QUEUE_CREATE */
int __xe_queue_create(int fd, struct drm_xe_exec_queue_create *args);
/*
 * Creates a queue of @class that may run on the engines @instances, a mask, of @tile. @extension
 * is NULL or a property.
 */
int __xe_queue(int fd, uint32_t vm, uint32_t tile, uint32_t class, uint32_t instances,
	       const struct drm_xe_ext_set_property *extension, uint32_t *queue);
uint32_t xe_queue(int fd, uint32_t vm, uint32_t tile, uint32_t class, uint32_t instances);
/* EXEC_QUEUE_DESTROY */
int __xe_queue_destroy(int fd, uint32_t queue);
void xe_queue_destroy(int fd, uint32_t queue);
/* Returns the ban property: 0 or 1, or a negative errno. */
int __xe_queue_is_banned(int fd, uint32_t queue);
/* EXEC of the one batch at the GPU address @batch; signals @syncobj, if that is not 0 */
int __xe_exec_batch(int fd, uint32_t queue, uint64_t batch, uint32_t syncobj);
/* Runs the batch at @batch; asserts that its fence signals in 20 seconds, without an error. */
void xe_run(int fd, uint32_t queue, uint64_t batch);
/* Returns the engine that the work of a queue has, or had last; 0xffff: none yet. */
uint32_t xe_instance(int fd, uint32_t queue);

/* A queue, and a batch that runs until xe_held_end() */
struct xe_held {
	int fd;
	uint32_t queue, syncobj;
	uint64_t addr;
	volatile uint32_t *words;
};

/*
 * Starts the batch on a queue, which the caller has made; @slot, of 16, is its part of the buffers
 * of @c.
 */
void xe_held_start(struct xe_held *h, struct ctx *c, uint32_t queue, unsigned int slot);
/* Returns whether the batch has begun to run. */
bool xe_held_runs(const struct xe_held *h);
/* Lets the batch end; asserts that it ends without an error. */
void xe_held_end(struct xe_held *h);

#endif
