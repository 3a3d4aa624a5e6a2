/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_QUEUE_H__
#define __XETILE_QUEUE_H__

#include <linux/types.h>

#include "xetile_engine.h"
#include "xetile_tile.h"

struct pid;
struct xetile_client;
struct xetile_device;
struct xetile_queue;
struct xetile_sync;
struct xetile_vm;

/** enum xetile_queue_target - what a queue submits to */
enum xetile_queue_target { XETILE_QUEUE_ROOT, XETILE_QUEUE_TILE, XETILE_QUEUE_CSLICE };

/** struct xetile_queue_args - a queue, as asked for; checked by the caller */
struct xetile_queue_args {
	struct xetile_vm *vm;
	struct xetile_client *client;
	enum xetile_engine_class class;
	enum xetile_queue_target target;
	unsigned int tile;
	unsigned int cslice;
	int priority;		/* -1 low, 0 normal, 1 high */
	unsigned int weight;	/* 1..1000 */
	unsigned int timeout_ms;
};

/** struct xetile_queue_state - a queue, as it is now */
struct xetile_queue_state {
	bool banned;
	unsigned int resets;
	unsigned int num_members;
	unsigned int cslices_used;
	unsigned int cslices_total;
	struct {
		unsigned int tile;
		unsigned int instance;	/* 0xffff: never bound */
		unsigned int cslice_mask;
	} members[XETILE_MAX_TILES];
};

struct xetile_queue *xetile_queue_create(struct xetile_device *xt,
					 const struct xetile_queue_args *args);
struct xetile_queue *xetile_queue_get(struct xetile_queue *queue);
void xetile_queue_put(struct xetile_queue *queue);
void xetile_queue_close(struct xetile_queue *queue);
void xetile_queue_state(struct xetile_queue *queue, struct xetile_queue_state *state);
unsigned int xetile_queue_num_members(const struct xetile_queue *queue);
int xetile_queue_submit(struct xetile_queue *queue, const u64 *batches, unsigned int num_batches,
			struct xetile_sync *syncs, unsigned int num_syncs);

#endif
