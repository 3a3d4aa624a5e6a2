// SPDX-License-Identifier: MIT
/*
 * Events and slots. Any thread may ask an event, while another one uses the slots of the queue: the
 * lock is between them.
 */
#include "times.h"

#include <errno.h>
#include <string.h>

#include "batch.h"
#include "card.h"
#include "context.h"
#include "error.h"
#include "event.h"
#include "memory.h"
#include "queue.h"
#include "slot.h"

/* The clock has so many bits (compute-runtime: 36 valid bits of a kernel's timestamps). */
#define CLOCK_MASK	((1ull << 36) - 1)
#define NS		1000000000ull

void xt_times_bind(const struct xetile_queue *queue, struct xt_slot *slot,
		   struct xetile_event *event)
{
	pthread_mutex_lock(&queue->context->times_lock);
	slot->event = event;
	slot->ended = false;
	event->times.queue = queue;
	event->times.slot = slot;
	pthread_mutex_unlock(&queue->context->times_lock);
}

/* With the lock held, as the next one */
static void take(struct xetile_event *event)
{
	struct xt_times *times = &event->times;
	const struct xetile_queue *queue = times->queue;
	const struct xt_slot *slot = times->slot;
	const uint8_t *from = (const uint8_t *)slot->mem->map + slot->times;
	unsigned int i;

	if (!slot->times)
		return;
	for (i = 0; i < queue->num_tiles; i++)
		memcpy(&times->stamps[i], from + i * slot->part_size, sizeof(times->stamps[i]));
	times->tile_mask = queue->tile_mask;
}

static void unbind(struct xetile_event *event)
{
	event->times.slot->event = NULL;
	event->times.slot = NULL;
}

void xt_times_take(struct xetile_event *event)
{
	pthread_mutex_lock(&event->context->times_lock);
	if (event->times.slot) {
		take(event);
		event->times.slot->ended = true;
		unbind(event);
	}
	pthread_mutex_unlock(&event->context->times_lock);
}

uint64_t xt_times_ended(const struct xetile_queue *queue)
{
	const struct xt_slot *slot;
	uint64_t number = 0;

	pthread_mutex_lock(&queue->context->times_lock);
	for (slot = queue->slots; slot; slot = slot->next) {
		if (slot->ended && slot->number > number)
			number = slot->number;
	}
	pthread_mutex_unlock(&queue->context->times_lock);
	return number;
}

void xt_times_settle(const struct xetile_queue *queue, struct xt_slot *slot)
{
	pthread_mutex_lock(&queue->context->times_lock);
	if (slot->event) {
		/* What a slot whose work may still run holds says nothing. */
		if (!slot->busy)
			take(slot->event);
		unbind(slot->event);
	}
	slot->ended = false;
	pthread_mutex_unlock(&queue->context->times_lock);
}

void xt_times_forget(struct xetile_event *event)
{
	pthread_mutex_lock(&event->context->times_lock);
	if (event->times.slot)
		unbind(event);
	pthread_mutex_unlock(&event->context->times_lock);
}

static uint64_t to_ns(uint64_t ticks, uint64_t hz)
{
	return ticks / hz * NS + ticks % hz * NS / hz;
}

static void convert(const struct xt_times *from, uint64_t hz, struct xetile_times *to)
{
	const struct xt_stamps *stamps = from->stamps;
	struct xetile_tile_times *tile = to->tiles;
	uint64_t start, ticks;
	uint32_t t;

	memset(to, 0, sizeof(*to));
	for (t = 0; t < XETILE_MAX_TILES; t++) {
		if (!(from->tile_mask & 1u << t))
			continue;
		start = stamps->start & CLOCK_MASK;
		ticks = (stamps->end - stamps->start) & CLOCK_MASK;
		tile->tile = t;
		tile->start = to_ns(start, hz);
		tile->end = to_ns(start + ticks, hz);
		if (to_ns(ticks, hz) > to->duration)
			to->duration = to_ns(ticks, hz);
		stamps++;
		tile++;
		to->num_tiles++;
	}
}

int xt_times_tell(const struct xetile_event *event, struct xetile_times *times)
{
	uint64_t hz = event->context->card->props.timestamp_hz;

	if (!event->times.tile_mask)
		return xt_error(-ENODATA, "the event has no times: launches of queues with XETILE_QUEUE_TIMES have");
	if (!hz)
		return xt_error(-EIO, "the driver tells no frequency of the card's clock");
	convert(&event->times, hz, times);
	return 0;
}
