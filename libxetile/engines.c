// SPDX-License-Identifier: MIT
/*
 * Queues as the application sees them: queues of the driver, and queues of several copy engines.
 * Engines know no order among each other, so a copy waits for the latest one, which waited for
 * those before it.
 */
#include "engines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "device.h"
#include "error.h"
#include "queue.h"
#include "slot.h"
#include "util.h"

/* The device on which a queue has the copy engine of one tile */
static struct xetile_device *tile_device(struct xetile_device *device, uint32_t tile)
{
	unsigned int i;

	for (i = 0; device->kind == XETILE_DEVICE_ROOT && i < device->num_subs; i++) {
		if (device->subs[i]->tile == tile)
			return device->subs[i];
	}
	return device;
}

static int create_engines(struct xetile_context *context, struct xetile_device *device,
			  const struct xetile_queue_desc *desc, struct xetile_queue **out)
{
	struct xetile_queue_desc one = *desc;
	struct xetile_queue *queue = calloc(1, sizeof(*queue));
	struct xt_engines *engines = calloc(1, sizeof(*engines));
	uint32_t t;
	int err;

	if (!queue || !engines) {
		free(queue);
		free(engines);
		return xt_error(-ENOMEM, "out of memory");
	}
	queue->context = context;
	queue->device = device;
	queue->engine_class = desc->engine_class;
	queue->tile_mask = xt_device_work_mask(device);
	queue->num_tiles = __builtin_popcount(queue->tile_mask);
	queue->engines = engines;
	one.engine_class = XETILE_COPY;
	err = xt_costs_find(context->card, context->fd, &engines->costs);
	for (t = 0; t < XETILE_MAX_TILES && !err; t++) {
		if (queue->tile_mask & (1u << t))
			err = xt_queue_create(context, tile_device(device, t), &one,
					      &engines->of[t]);
	}
	if (err) {
		xetile_queue_destroy(queue);
		return err;
	}
	*out = queue;
	return 0;
}

int xetile_queue_create(struct xetile_context *context, struct xetile_device *device,
			const struct xetile_queue_desc *desc, struct xetile_queue **out)
{
	static const struct xetile_queue_desc defaults;

	if (!desc)
		desc = &defaults;
	if (device->card != context->card)
		return xt_error(-EINVAL, "the device is of another card than the context");
	if (desc->engine_class == XETILE_COPY_NEAREST || desc->engine_class == XETILE_COPY_SPLIT)
		return create_engines(context, device, desc, out);
	return xt_queue_create(context, device, desc, out);
}

int xetile_queue_from_id(struct xetile_context *context, struct xetile_device *device,
			 enum xetile_queue_class engine_class, uint32_t id,
			 struct xetile_queue **out)
{
	if (device->card != context->card)
		return xt_error(-EINVAL, "the device is of another card than the context");
	if (engine_class != XETILE_COMPUTE && engine_class != XETILE_COPY)
		return xt_error(-EINVAL, "a queue of the driver is of class COMPUTE or COPY");
	return xt_queue_borrow(context, device, engine_class, id, out);
}

int xetile_queue_ids(const struct xetile_queue *queue, uint32_t *ids, unsigned int max)
{
	unsigned int num = 0;
	uint32_t t;

	for (t = 0; t < XETILE_MAX_TILES; t++) {
		const struct xetile_queue *one = queue->engines ? queue->engines->of[t] :
						 t ? NULL : queue;

		if (one && num++ < max)
			ids[num - 1] = one->id;
	}
	return num;
}

void xetile_queue_destroy(struct xetile_queue *queue)
{
	uint32_t t;

	if (!queue)
		return;
	if (!queue->engines) {
		xt_queue_destroy(queue);
		return;
	}
	for (t = 0; t < XETILE_MAX_TILES; t++) {
		if (queue->engines->of[t])
			xt_queue_destroy(queue->engines->of[t]);
	}
	free(queue->engines);
	free(queue);
}

/* The engines as members */
static int engines_info(const struct xetile_queue *queue, struct xetile_queue_info *info)
{
	struct xetile_queue_info all = { 0 }, one;
	uint32_t t;
	int err;

	for (t = 0; t < XETILE_MAX_TILES; t++) {
		if (!queue->engines->of[t])
			continue;
		err = xt_queue_info(queue->engines->of[t], &one);
		if (err)
			return err;
		if (one.banned && !all.banned) {
			all.banned = true;
			all.ban = one.ban;
		}
		all.resets += one.resets;
		all.cslices_used += one.cslices_used;
		all.cslices_total = one.cslices_total;
		all.members[all.num_members++] = one.members[0];
	}
	*info = all;
	return 0;
}

int (xetile_queue_get_info)(struct xetile_queue *queue, struct xetile_queue_info *info, size_t size)
{
	struct xetile_queue_info now;
	int err = queue->engines ? engines_info(queue, &now) : xt_queue_info(queue, &now);

	if (!err)
		xt_answer(info, size, &now, sizeof(now));
	return err;
}

void xt_engines_after(const struct xt_engines *engines, uint32_t tile, struct xt_order *order)
{
	uint32_t t;

	for (t = 0; t < XETILE_MAX_TILES; t++) {
		const struct xt_slot *last = engines->of[t] ? engines->of[t]->last : NULL;

		/* A slot that is not busy may have been chosen for this copy. */
		if (t != tile && engines->last_tiles & (1u << t) && last && last->busy)
			order->after[order->num_after++] = last->syncobj;
	}
}
