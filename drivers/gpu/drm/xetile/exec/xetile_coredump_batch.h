/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_COREDUMP_BATCH_H__
#define __XETILE_COREDUMP_BATCH_H__

#include <linux/types.h>

struct drm_printer;
struct xetile_engine;
struct xetile_vm;

/** struct xetile_coredump_batch - where the batch of a context is */
struct xetile_coredump_batch {
	/** @begin: GPU address of the job's batch; 0: no job was in the rings */
	u64 begin;
	/** @at: GPU address of the command that the context is at */
	u64 at;
	/** @inside: @at is valid: the context is in a batch, and not in its ring */
	bool inside;
};

void xetile_coredump_batch_capture(struct xetile_coredump_batch *batch,
				   struct xetile_engine *engine);
void xetile_coredump_batch_saved(struct xetile_coredump_batch *batch, const u32 *state);
u64 xetile_coredump_batch_focus(const struct xetile_coredump_batch *batch);
void xetile_coredump_batch_print(const struct xetile_coredump_batch *batch, unsigned int member,
				 struct xetile_vm *vm, unsigned int tile, struct drm_printer *p);

#endif
