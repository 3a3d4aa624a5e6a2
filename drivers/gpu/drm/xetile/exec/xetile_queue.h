/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_QUEUE_H__
#define __XETILE_QUEUE_H__

#include <linux/types.h>

#include "card/xetile_engine.h"
#include "card/xetile_tile.h"
#include "exec/xetile_sched_types.h"

struct xetile_account;
struct xetile_client;
struct xetile_device;
struct xetile_queue;
struct xetile_sched_usage;
struct xetile_score;
struct xetile_vm;

#define XETILE_QUEUE_DEFAULT_WEIGHT	100
#define XETILE_QUEUE_MAX_WEIGHT		1000

/* A member that was not bound to an engine yet */
#define XETILE_QUEUE_NEVER		0xffff

/** enum xetile_queue_target - what a queue submits to */
enum xetile_queue_target {
	/** @XETILE_QUEUE_ROOT: all tiles for compute, tile 0 for copy */
	XETILE_QUEUE_ROOT,
	/** @XETILE_QUEUE_TILE: one tile */
	XETILE_QUEUE_TILE,
	/** @XETILE_QUEUE_CSLICE: one virtual slice of a tile */
	XETILE_QUEUE_CSLICE,
	/** @XETILE_QUEUE_KERNEL: the engine of a tile kept for the kernel */
	XETILE_QUEUE_KERNEL,
};

/** struct xetile_queue_args - arguments of a new queue; checked by the caller */
struct xetile_queue_args {
	/** @vm: address space; the queue takes a reference */
	struct xetile_vm *vm;
	/** @vm_id: the id of @vm in its file; 0 for the kernel */
	u32 vm_id;
	/** @client: the process; NULL for the kernel */
	struct xetile_client *client;
	/** @usage: where its engine time is counted; NULL for the kernel */
	struct xetile_sched_usage *usage;
	/** @account: account of the file; NULL for the kernel */
	struct xetile_account *account;
	/** @score: score of the file; NULL for the kernel */
	struct xetile_score *score;
	/** @class: class of engines */
	enum xetile_engine_class class;
	/** @target: what to submit to */
	enum xetile_queue_target target;
	/** @tile: number of the tile, unless ROOT */
	unsigned int tile;
	/** @cslice: CSLICE: number of the virtual slice */
	unsigned int cslice;
	/**
	 * @placements: TILE: mask of what it may run on there, of at least one; 0: all. Copy:
	 *	engines by instance, none of the kernel's own; compute: virtual slices
	 */
	u32 placements;
	/** @ccs_mode: compute: mode that it wants its tiles in, or 0 */
	unsigned int ccs_mode;
	/** @borrows: compute of normal priority: borrows idle slices */
	bool borrows;
	/**
	 * @owns_partition: its batches set the partition registers once, and rely on them from then
	 *	on: neither jobs nor restores set them
	 */
	bool owns_partition;
	/** @yields: a batch that waits for a number in memory lets others have its engine */
	bool yields;
	/** @replay: a batch that is lost in another's reset is run again */
	bool replay;
	/** @priority: -1 low, 0 normal, 1 high */
	int priority;
	/** @weight: 1..XETILE_QUEUE_MAX_WEIGHT */
	unsigned int weight;
	/**
	 * @timeout_ms: ms of engine time a batch may take; 0: the time that the administrator sets
	 */
	unsigned int timeout_ms;
	/** @slice_us: engine time of a turn at weight 100, in us; 0: likewise */
	unsigned int slice_us;
};

/** struct xetile_queue_state - a queue, as it is now */
struct xetile_queue_state {
	/** @banned: runs nothing any more */
	bool banned;
	/** @error: 0, or the error of a submission now */
	int error;
	/** @ban: reason of the ban */
	struct xetile_ban ban;
	/** @resets: resets its batches caused, or were lost in */
	unsigned int resets;
	/** @num_members: valid elements of @members */
	unsigned int num_members;
	/** @cslices_used: compute slices its members reach together, with their last work */
	unsigned int cslices_used;
	/** @cslices_total: compute slices of the card */
	unsigned int cslices_total;
	/** @members: its contexts */
	struct {
		/** @members.tile: number of the tile */
		unsigned int tile;
		/** @members.instance: instance of its engine, now or last, or XETILE_QUEUE_NEVER */
		unsigned int instance;
		/** @members.cslice_mask: slices of that engine */
		unsigned int cslice_mask;
	} members[XETILE_MAX_TILES];
};

struct xetile_queue *xetile_queue_create(struct xetile_device *xt,
					 const struct xetile_queue_args *args);
struct xetile_queue *xetile_queue_get(struct xetile_queue *queue);
void xetile_queue_set_id(struct xetile_queue *queue, u32 id);
void xetile_queue_put(struct xetile_queue *queue);
void xetile_queue_close(struct xetile_queue *queue, struct list_head *given_up);
void xetile_queue_kill(struct xetile_queue *queue);
void xetile_queue_drain(struct xetile_queue *queue, unsigned long until);
void xetile_queues_kill(struct xetile_device *xt, struct list_head *given_up);
void xetile_queues_drain(struct list_head *given_up, unsigned long until);
bool xetile_queue_is_banned(const struct xetile_queue *queue);
void xetile_queue_state(struct xetile_queue *queue, struct xetile_queue_state *state);
unsigned int xetile_queue_num_members(const struct xetile_queue *queue);
struct xetile_vm *xetile_queue_vm(const struct xetile_queue *queue);

#endif
