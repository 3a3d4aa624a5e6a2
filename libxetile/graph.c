// SPDX-License-Identifier: MIT
/*
 * Graphs. The commands of the launches are a chain in memory of the graph, with a part on each
 * tile: each launch goes on at the next one, and the last one ends. A submission is a slot of the
 * queue with a few commands that call the chain. On several tiles a launch begins when the one
 * before has ended on all of them. Fences see to that between batches (queue.c); inside of one the
 * tiles meet: a queue of several tiles runs on all of them at the same time.
 *
 * Memory of a graph, the same for each tile's part of the first segment:
 *
 *   0                   words that the other tiles store (batch.c)
 *   4 KiB               launches, each from a multiple of 4 KiB
 */
#include "xetile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "batch.h"
#include "context.h"
#include "error.h"
#include "launch.h"
#include "memory.h"
#include "queue.h"
#include "slot.h"
#include "times.h"
#include "util.h"

#define PAGE		4096u
#define SEGMENT		(256u << 10)	/* bytes on each tile of all but the first segment */
#define CALL_BYTES	(XT_BATCH_CALL + sizeof(struct xt_stamps) + XT_BATCH_PREFETCH)

struct segment {
	struct segment *next;
	struct xetile_mem *mem;
	uint64_t part_size, used;
};

struct xetile_graph {
	struct xetile_queue *queue;
	struct segment *segments;	/* the latest first */
	uint64_t pages, pages_part;	/* the words of the first tile; distance of the parts */
	uint64_t first, first_part;	/* likewise the first launch */
	/* The last launch: its segment, its offset, the dwords of its commands in each part */
	struct segment *last_segment;
	uint64_t last_offset;
	unsigned int last_dwords[XETILE_MAX_TILES];
	uint32_t num;			/* launches */
	uint32_t calls;
	uint64_t last;			/* submission of the queue */
};

int xetile_graph_create(struct xetile_queue *queue, struct xetile_graph **out)
{
	struct xetile_graph *graph;

	if (queue->engine_class != XETILE_COMPUTE)
		return xt_error(-EINVAL, "kernels run on compute queues only");
	graph = calloc(1, sizeof(*graph));
	if (!graph)
		return xt_error(-ENOMEM, "out of memory");
	graph->queue = queue;
	queue->graphs++;
	*out = graph;
	return 0;
}

void xetile_graph_destroy(struct xetile_graph *graph)
{
	struct segment *segment;
	bool busy;

	if (!graph)
		return;
	busy = graph->last && xt_slot_wait_for(graph->queue, graph->last);
	while ((segment = graph->segments)) {
		graph->segments = segment->next;
		if (busy)
			xt_mem_abandon(segment->mem);
		else
			xetile_mem_free(segment->mem);
		free(segment);
	}
	graph->queue->graphs--;
	free(graph);
}

/* --- launches ------------------------------------------------------------------------------ */

static int segment_new(struct xetile_graph *graph, uint64_t bytes)
{
	struct segment *segment = calloc(1, sizeof(*segment));
	void *map;
	int err;

	if (!segment)
		return xt_error(-ENOMEM, "out of memory");
	segment->used = graph->segments ? 0 : PAGE;
	/* A graph of a few launches takes little. */
	segment->part_size = xt_align(segment->used + bytes, graph->segments ? SEGMENT :
				      XETILE_COLOR_PAGE);
	err = xt_mem_alloc_parts(graph->queue->context, graph->queue->tile_mask,
				 segment->part_size, &segment->mem);
	if (!err)
		err = xetile_mem_map(segment->mem, &map);
	if (err) {
		xetile_mem_free(segment->mem);
		free(segment);
		return err;
	}
	if (!graph->segments) {
		graph->pages = segment->mem->addr;
		graph->pages_part = segment->part_size;
	}
	segment->next = graph->segments;
	graph->segments = segment;
	return 0;
}

static void meet(const struct xetile_graph *graph, unsigned int self, struct xt_batch_meeting *m)
{
	m->num = graph->queue->num_tiles;
	m->self = self;
	for (self = 0; self < m->num; self++)
		m->pages[self] = graph->pages + self * graph->pages_part;
}

/* The launches of a graph of one tile, or with one launch, need nobody else's. */
static bool has_meetings(const struct xetile_graph *graph)
{
	return graph->queue->num_tiles > 1 && graph->num > 1;
}

/* Have the last launch go on at @offset of a segment. */
static void chain(struct xetile_graph *graph, const struct segment *segment, uint64_t offset)
{
	const struct segment *from = graph->last_segment;
	struct xt_batch_meeting m;
	unsigned int i;

	for (i = 0; i < graph->queue->num_tiles; i++) {
		uint8_t *to = (uint8_t *)from->mem->map + i * from->part_size + graph->last_offset;
		uint64_t next = segment->mem->addr + i * segment->part_size + offset;

		meet(graph, i, &m);
		xt_batch_next((uint32_t *)to + graph->last_dwords[i], next,
			      m.num > 1 ? &m : NULL, graph->num);
	}
}

int xetile_graph_add_launch(struct xetile_graph *graph, struct xetile_kernel *kernel,
			    const struct xetile_launch_desc *desc)
{
	struct xetile_queue *queue = graph->queue;
	struct segment *segment;
	struct xt_launch launch;
	unsigned int num[XETILE_MAX_TILES];
	uint64_t bytes;
	int err;

	if (graph->last)
		return xt_error(-EINVAL, "a graph that was submitted takes no more launches");
	if (graph->num && queue->num_tiles > 1 && queue->replays)
		return xt_error(-EOPNOTSUPP, "launches whose tiles wait for each other cannot be run again: the queue has XETILE_QUEUE_REPLAY");
	err = xt_launch_plan(queue, kernel, desc, &launch);
	if (err)
		return err;
	bytes = xt_align(launch.bytes, PAGE);
	segment = graph->segments;
	if (!segment || segment->part_size - segment->used < bytes + XT_BATCH_PREFETCH) {
		err = segment_new(graph, bytes + XT_BATCH_PREFETCH);
		if (err)
			return err;
		segment = graph->segments;
	}
	xt_launch_write(&launch, segment->mem, segment->part_size, segment->used, false, num);
	if (graph->num) {
		chain(graph, segment, segment->used);
	} else {
		graph->first = segment->mem->addr + segment->used;
		graph->first_part = segment->part_size;
	}
	graph->last_segment = segment;
	graph->last_offset = segment->used;
	memcpy(graph->last_dwords, num, sizeof(num));
	segment->used += bytes;
	graph->num++;
	return 0;
}

/* --- submissions --------------------------------------------------------------------------- */

int xetile_graph_submit(struct xetile_graph *graph, unsigned int num_waits,
			struct xetile_event *const *waits, struct xetile_event **out)
{
	struct xetile_queue *queue = graph->queue;
	struct xt_batch_meeting m;
	struct xt_batch_call call = { .number = ++graph->calls };
	struct xt_slot *slot;
	uint32_t t, part = 0;
	int err;

	if (!graph->num)
		return xt_error(-EINVAL, "the graph has no launches");
	err = xt_queue_slot(queue, CALL_BYTES, &slot);
	if (err)
		return err;
	slot->times = queue->timed && out ? XT_BATCH_CALL : 0;
	for (t = 0; t < XETILE_MAX_TILES; t++) {
		uint64_t at = part * slot->part_size;

		if (!(queue->tile_mask & (1u << t)))
			continue;
		meet(graph, part, &m);
		call.meeting = has_meetings(graph) ? &m : NULL;
		call.commands = graph->first + part * graph->first_part;
		call.times = slot->times ? slot->mem->addr + at + slot->times : 0;
		call.fence = xt_context_fence(queue->context, t);
		xt_batch_call((uint32_t *)((uint8_t *)slot->mem->map + at), &call);
		part++;
	}
	err = xt_queue_submit(queue, slot, num_waits, waits, out);
	if (!err)
		graph->last = slot->number;
	return err;
}
