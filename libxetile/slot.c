// SPDX-License-Identifier: MIT
/*
 * Slots. A submission lies in a slot: a buffer with a part on every tile that the queue runs on, so
 * that each tile reads its commands and arguments from its own HBM. A slot is used again after its
 * work has ended. A queue's submissions end in their order, so one that has ended tells of all
 * before it: a fence is asked about only when no event has told enough, and seldom then.
 */
#include "slot.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "debug.h"
#include "error.h"
#include "ioctl.h"
#include "memory.h"
#include "queue.h"
#include "times.h"
#include "util.h"

/* With so many slots a submission waits until half of them are free. */
#define MAX_SLOTS	64

/* What a queue knows of its slots */
struct view {
	struct xt_slot *fits;		/* free and large enough */
	struct xt_slot **small;		/* the free one that was used longest ago: a link to it */
	struct xt_slot *newest;		/* the busy one that was submitted last */
	unsigned int num;
};

static void note_ended(struct xetile_queue *queue, uint64_t number)
{
	struct xt_slot *slot;

	for (slot = queue->slots; slot; slot = slot->next) {
		if (slot->number <= number)
			slot->busy = false;
	}
}

int xt_slot_wait(struct xetile_queue *queue, struct xt_slot *slot)
{
	int err;

	if (!slot->busy)
		return 0;
	err = xt_syncobj_wait(queue->context->fd, &slot->syncobj, 1, -1);
	if (err)
		return xt_error(err, "cannot wait for the queue's work: %s", strerror(-err));
	note_ended(queue, slot->number);
	return 0;
}

int xt_slot_wait_for(struct xetile_queue *queue, uint64_t number)
{
	struct xt_slot *slot = queue->slots;

	/* A slot has another number only when the work of this one has ended. */
	while (slot && slot->number != number)
		slot = slot->next;
	return slot ? xt_slot_wait(queue, slot) : 0;
}

void xt_slot_free(struct xetile_queue *queue, struct xt_slot *slot)
{
	xt_times_settle(queue, slot);
	if (slot->busy)
		xt_mem_abandon(slot->mem);
	else
		xetile_mem_free(slot->mem);
	xt_syncobj_destroy(queue->context->fd, slot->syncobj);
	free(slot);
}

static int slot_new(struct xetile_queue *queue, uint64_t part_size, struct xt_slot **out)
{
	struct xt_slot *slot = calloc(1, sizeof(*slot));
	void *map;
	int err;

	if (!slot)
		return xt_error(-ENOMEM, "out of memory");
	slot->part_size = part_size;
	err = xt_syncobj_create(queue->context->fd, &slot->syncobj);
	if (err) {
		free(slot);
		return err;
	}
	err = xt_mem_alloc_parts(queue->context, queue->tile_mask, part_size, &slot->mem);
	if (!err)
		err = xetile_mem_map(slot->mem, &map);
	if (err) {
		xt_slot_free(queue, slot);
		return err;
	}
	xt_debug("queue %u: another slot of %" PRIu64 " bytes a tile", queue->id, part_size);
	slot->next = queue->slots;
	queue->slots = slot;
	*out = slot;
	return 0;
}

static void look(struct xetile_queue *queue, uint64_t part_size, struct view *view)
{
	struct xt_slot *slot, **link;

	memset(view, 0, sizeof(*view));
	for (link = &queue->slots; (slot = *link); link = &slot->next) {
		view->num++;
		if (slot->busy) {
			if (!view->newest || slot->number > view->newest->number)
				view->newest = slot;
		} else if (slot->part_size >= part_size) {
			view->fits = slot;
		} else if (!view->small || slot->number < (*view->small)->number) {
			view->small = link;
		}
	}
}

/* A slot that is too small gives its place to a new one. */
static int replace(struct xetile_queue *queue, struct xt_slot **link, uint64_t part_size,
		   struct xt_slot **out)
{
	struct xt_slot *slot = *link;

	if (queue->last == slot)
		queue->last = NULL;
	*link = slot->next;
	xt_slot_free(queue, slot);
	return slot_new(queue, part_size, out);
}

int xt_queue_slot(struct xetile_queue *queue, uint64_t part_size, struct xt_slot **out)
{
	struct view view;
	int err;

	part_size = xt_align(part_size, XETILE_COLOR_PAGE);
	note_ended(queue, xt_times_ended(queue));
	look(queue, part_size, &view);
	/* The slot stays busy when the question fails: see xt_slot_wait(). */
	if (!view.fits && view.newest &&
	    !xt_syncobj_wait(queue->context->fd, &view.newest->syncobj, 1, 0)) {
		note_ended(queue, view.newest->number);
		look(queue, part_size, &view);
	}
	if (!view.fits && !view.small && view.num >= MAX_SLOTS) {
		err = xt_slot_wait_for(queue, queue->submissions - MAX_SLOTS / 2);
		if (err)
			return err;
		look(queue, part_size, &view);
	}
	if (!view.fits)
		return view.num < MAX_SLOTS ? slot_new(queue, part_size, out) :
		       replace(queue, view.small, part_size, out);
	xt_times_settle(queue, view.fits);
	*out = view.fits;
	return 0;
}
