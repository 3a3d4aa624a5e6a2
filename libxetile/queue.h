/* SPDX-License-Identifier: MIT */
/*
 * A queue and its memory for hardware threads. launch.c and copy.c take a slot (slot.h), write
 * a batch into the slot and submit the slot. A queue of several copy engines has none of these, but
 * a queue for each engine (engines.h). The caller sees to it that one thread at a time uses
 * a queue. Functions that can fail return a negative errno with an error text.
 */
#ifndef _XETILE_QUEUE_H_
#define _XETILE_QUEUE_H_

#include <stdbool.h>
#include <stdint.h>

#include "xetile.h"

/* Memory that is divided among the hardware threads of a tile */
enum xt_thread_mem_kind {
	XT_THREAD_SCRATCH0,
	XT_THREAD_SCRATCH1,
	XT_THREAD_PRIVATE,
	XT_THREAD_MEM_KINDS
};

struct xt_thread_mem {
	struct xetile_mem *mem;		/* NULL: none yet */
	uint64_t part_size;
};

/* Memory that is freed with the queue */
struct xt_retired {
	struct xt_retired *next;
	struct xetile_mem *mem;
};

struct xt_engines;
struct xt_slot;

struct xetile_queue {
	struct xetile_context *context;
	struct xetile_queue *next, **link;	/* in the list of the context */
	struct xetile_device *device;
	enum xetile_queue_class engine_class;
	uint32_t id;
	bool borrowed;			/* the driver's queue is the program's, and outlives this one */
	bool replays;			/* what was lost is run again */
	bool timed;			/* launches with an event store their times */
	uint32_t tile_mask;		/* tiles that the queue runs on */
	unsigned int num_tiles;
	uint32_t num_dss;		/* of the smallest of these tiles */
	struct xt_slot *slots;		/* in order of creation, newest first */
	uint64_t submissions;		/* number of the latest */
	struct xt_slot *last;		/* of the latest submission; NULL: that is over, or none */
	struct xt_thread_mem thread_mem[XT_THREAD_MEM_KINDS];
	unsigned int graphs;		/* that have addresses of thread_mem */
	struct xt_retired *retired;	/* what thread_mem was, and graphs may use */
	/* NULL: the queue is one of the driver's. Else it is in no list. */
	struct xt_engines *engines;
};

/* What a submission waits for and signals, besides the fence of its slot */
struct xt_order {
	unsigned int num_waits;
	struct xetile_event *const *waits;
	unsigned int num_after;
	uint32_t after[XETILE_MAX_TILES];	/* fences (syncobjs) of other submissions */
	uint32_t signal;			/* a syncobj; 0: none */
};

/*
 * A queue of the driver, on the device's engine or, for launches on a root, on those of all tiles;
 * engines.c makes queues of several copy engines of them.
 */
int xt_queue_create(struct xetile_context *context, struct xetile_device *device,
		    const struct xetile_queue_desc *desc, struct xetile_queue **out);
/* The same of a queue that the program has made */
int xt_queue_borrow(struct xetile_context *context, struct xetile_device *device,
		    enum xetile_queue_class engine_class, uint32_t id, struct xetile_queue **out);
void xt_queue_destroy(struct xetile_queue *queue);
int xt_queue_info(struct xetile_queue *queue, struct xetile_queue_info *info);
/*
 * Have a syncobj tell that all work submitted so far has ended. Any thread may call this that keeps
 * the queue from being destroyed. -ECANCELED for a queue that is banned, which runs nothing more.
 */
int xt_queue_fence(const struct xetile_queue *queue, uint32_t syncobj);
/* Get @part_size bytes or more for each tile; their contents last for one launch. */
int xt_queue_thread_mem(struct xetile_queue *queue, enum xt_thread_mem_kind kind,
			uint64_t part_size, const struct xt_thread_mem **out);
int xt_queue_submit_ordered(struct xetile_queue *queue, struct xt_slot *slot,
			    const struct xt_order *order);
int xt_queue_submit(struct xetile_queue *queue, struct xt_slot *slot,
		    unsigned int num_waits, struct xetile_event *const *waits,
		    struct xetile_event **out);

#endif
