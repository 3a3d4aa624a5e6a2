/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_QUEUE_TYPES_H__
#define __XETILE_QUEUE_TYPES_H__

#include <linux/container_of.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>

#include "card/xetile_tile.h"
#include "exec/xetile_queue.h"
#include "exec/xetile_sched_types.h"
#include "mem/xetile_user.h"
#include "mem/xetile_vm_run.h"

/**
 * DOC: what a queue is made of
 *
 * For the files xetile_queue*.c alone. Most of it is set when the queue is made and
 * never changes; the other fields name their writers. &xetile_queue.closed is set once, without a
 * lock, and submitters look at it after they have said that they have begun.
 */

/** struct xetile_queue - a place to submit to */
struct xetile_queue {
	/** @sq: first member: the scheduler's part, whose references keep the queue */
	struct xetile_sched_queue sq;
	/** @vm: address space of its batches */
	struct xetile_vm *vm;
	/** @in_vm: known to the memory of processes that @vm maps */
	struct xetile_user_queue in_vm;
	/** @runner: in an address space for endless jobs: known to @vm */
	struct xetile_vm_runner runner;
	/** @order: there it keeps submitters in order, from the number of a fence to the line */
	struct mutex order;
	/** @id: its id in its file, for reports */
	u32 id;
	/** @vm_id: the id of @vm in its file, for reports */
	u32 vm_id;
	/** @client: the process, or NULL: the kernel's */
	struct xetile_client *client;
	/** @target: engines the queue submits to */
	enum xetile_queue_target target;
	/** @cslice: virtual slice of its tiles, the first of its placements; compute only */
	unsigned int cslice;
	/** @placements: as &xetile_queue_args.placements */
	u32 placements;
	/** @slice: virtual slice that its work has, or had last; compute only; execution lock */
	unsigned int slice;
	/** @single: its work has a copy engine of its placements alone; execution lock */
	bool single;
	/** @modes: mode that it has each of its tiles in; compute only */
	unsigned int modes[XETILE_MAX_TILES];
	/** @borrows: may borrow idle slices of its tiles; compute only */
	bool borrows;
	/** @num_members: valid elements of @tiles */
	unsigned int num_members;
	/** @tiles: tile of each member */
	struct xetile_tile *tiles[XETILE_MAX_TILES];
	/** @instances: compute engines its members are, or were last, bound to; execution lock */
	unsigned int instances[XETILE_MAX_TILES];
	/** @fence_seqno: number of the last fence; the VM's lock orders submitters, or @order */
	u32 fence_seqno;
	/** @attached: holds the mode of its tiles; used only by the call that closes or frees it */
	bool attached;
	/** @counted: counts in its file's account; likewise */
	bool counted;
	/** @closed: takes no more batches */
	bool closed;
	/** @given_up: among those of its file whose id is gone; under the execution lock */
	struct list_head given_up;
};

extern const char * const xetile_queue_target_names[];

static inline struct xetile_queue *xetile_sq_to_queue(struct xetile_sched_queue *sq)
{
	return container_of(sq, struct xetile_queue, sq);
}

static inline bool xetile_queue_is_compute(const struct xetile_queue *queue)
{
	return queue->sq.class == XETILE_ENGINE_COMPUTE;
}

#endif
