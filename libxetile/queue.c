// SPDX-License-Identifier: MIT
/*
 * Queues, and what they are given to do: a submission lies in a slot (slot.c).
 */
#include "queue.h"

#include <drm/xetile_drm.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "card.h"
#include "context.h"
#include "debug.h"
#include "device.h"
#include "error.h"
#include "event.h"
#include "ioctl.h"
#include "memory.h"
#include "slot.h"
#include "times.h"
#include "util.h"

/* Fences of a submission for which no memory is allocated */
#define FEW_SYNCS	16

#define SAME_BAN(name) \
	_Static_assert((int)XETILE_BAN_##name == (int)DRM_XETILE_BAN_##name, #name)

SAME_BAN(NONE);
SAME_BAN(TIMEOUT);
SAME_BAN(PREEMPT);
SAME_BAN(ERROR);
SAME_BAN(FAULT);
SAME_BAN(WEDGED);
SAME_BAN(GONE);

static int choose_target(const struct xetile_device *device,
			 enum xetile_queue_class engine_class,
			 struct drm_xetile_queue_create *create, uint32_t *tile_mask)
{
	const struct xt_card *card = device->card;
	uint32_t all = (1u << card->props.num_tiles) - 1;
	uint32_t mask = xt_device_work_mask(device);
	unsigned int i;

	/* The copy engines of a root are those of its first tile. */
	if (engine_class == XETILE_COPY)
		mask = 1u << device->tile;
	*tile_mask = mask;

	if (mask & (mask - 1)) {
		if (mask != all)
			return xt_error(-EOPNOTSUPP, "a queue over some but not all tiles of card %u: give a tile",
					card->number);
		for (i = 0; i < device->num_subs; i++) {
			if (device->subs[i]->first_cslice)
				return xt_error(-EOPNOTSUPP, "the affinity mask hides cslice 0 of tile %u, which a queue on the whole card uses",
						device->subs[i]->tile);
		}
		create->target = DRM_XETILE_TARGET_ROOT;
		return 0;
	}

	create->target = DRM_XETILE_TARGET_TILE;
	create->tile = device->tile;
	if (engine_class == XETILE_COMPUTE &&
	    (device->kind == XETILE_DEVICE_CSLICE || device->one_cslice || device->first_cslice)) {
		create->target = DRM_XETILE_TARGET_CSLICE;
		create->cslice = device->first_cslice;
	}
	return 0;
}

static int choose_flags(const struct xt_card *card, const struct xetile_queue_desc *desc,
			struct drm_xetile_queue_create *create)
{
	uint64_t caps = card->props.caps;

	if (desc->flags & ~(XETILE_QUEUE_BORROW | XETILE_QUEUE_REPLAY | XETILE_QUEUE_TIMES))
		return xt_error(-EINVAL, "unknown flags %#x of a queue", desc->flags);
	if (desc->flags & XETILE_QUEUE_TIMES && desc->engine_class != XETILE_COMPUTE)
		return xt_error(-EINVAL, "only compute queues note times");
	if (desc->flags & XETILE_QUEUE_BORROW) {
		if (desc->engine_class != XETILE_COMPUTE || desc->priority)
			return xt_error(-EINVAL,
					"only compute queues of normal priority can borrow slices");
		if (!(caps & DRM_XETILE_CAP_BORROW))
			return xt_error(-EOPNOTSUPP, "the driver lends no slices");
		create->flags |= DRM_XETILE_QUEUE_BORROW;
	}
	if (desc->flags & XETILE_QUEUE_REPLAY) {
		if (!(caps & DRM_XETILE_CAP_REPLAY))
			return xt_error(-EOPNOTSUPP, "the driver runs no batch again");
		create->flags |= DRM_XETILE_QUEUE_REPLAY;
	}
	return 0;
}

/* The mode that the process has the tiles in, or 0 if it is not the same on all of them */
static uint32_t mode_of(const struct xt_card *card, uint32_t tiles)
{
	uint32_t t, mode = 0;

	for (t = 0; t < card->props.num_tiles; t++) {
		if (!(tiles & 1u << t))
			continue;
		if (mode && mode != card->modes[t])
			return 0;
		mode = card->modes[t];
	}
	return mode;
}

static void link_queue(struct xetile_queue *queue)
{
	struct xetile_context *context = queue->context;

	pthread_mutex_lock(&context->queues_lock);
	queue->link = &context->queues;
	queue->next = *queue->link;
	if (queue->next)
		queue->next->link = &queue->next;
	*queue->link = queue;
	pthread_mutex_unlock(&context->queues_lock);
}

static void unlink_queue(struct xetile_queue *queue)
{
	pthread_mutex_lock(&queue->context->queues_lock);
	*queue->link = queue->next;
	if (queue->next)
		queue->next->link = queue->link;
	pthread_mutex_unlock(&queue->context->queues_lock);
}

static void count_tiles(struct xetile_queue *queue)
{
	const struct xt_card *card = queue->context->card;
	uint32_t t;

	queue->num_tiles = __builtin_popcount(queue->tile_mask);
	for (t = 0; t < card->props.num_tiles; t++) {
		uint32_t dss = card->tiles[t].num_dss;

		if (queue->tile_mask & (1u << t) && (!queue->num_dss || dss < queue->num_dss))
			queue->num_dss = dss;
	}
}

int xt_queue_create(struct xetile_context *context, struct xetile_device *device,
		    const struct xetile_queue_desc *desc, struct xetile_queue **out)
{
	struct drm_xetile_queue_create create = { .vm_id = context->vm_id };
	struct xetile_queue *queue;
	int err;

	if (desc->engine_class != XETILE_COMPUTE && desc->engine_class != XETILE_COPY)
		return xt_error(-EINVAL, "unknown class %d of engines", (int)desc->engine_class);
	if (desc->priority < -1 || desc->priority > 1)
		return xt_error(-EINVAL, "priority %d is not -1, 0 or 1", desc->priority);
	err = choose_flags(context->card, desc, &create);
	if (err)
		return err;
	queue = calloc(1, sizeof(*queue));
	if (!queue)
		return xt_error(-ENOMEM, "out of memory");

	queue->context = context;
	queue->device = device;
	queue->engine_class = desc->engine_class;
	queue->timed = desc->flags & XETILE_QUEUE_TIMES;
	queue->replays = desc->flags & XETILE_QUEUE_REPLAY;
	create.engine_class = desc->engine_class == XETILE_COPY ?
		DRM_XETILE_ENGINE_COPY : DRM_XETILE_ENGINE_COMPUTE;
	create.priority = desc->priority > 0 ? DRM_XETILE_PRIORITY_HIGH :
		desc->priority < 0 ? DRM_XETILE_PRIORITY_LOW : DRM_XETILE_PRIORITY_NORMAL;
	create.weight = desc->weight;
	create.timeout_ms = desc->timeout_ms;
	err = choose_target(device, desc->engine_class, &create, &queue->tile_mask);
	if (err)
		goto err_free;
	/* A slice has its meaning in one mode; a queue of whole tiles has any, unless one is wished. */
	if (desc->engine_class == XETILE_COMPUTE &&
	    context->card->props.caps & DRM_XETILE_CAP_CCS_MODE &&
	    (context->card->wished_mode || create.target == DRM_XETILE_TARGET_CSLICE))
		create.ccs_mode = mode_of(context->card, queue->tile_mask);
	count_tiles(queue);
	err = xt_ioctl(context->fd, DRM_IOCTL_XETILE_QUEUE_CREATE, &create);
	if (err == -EBUSY) {
		xt_error(err, "cannot create a queue of CCS mode %u: the tile has another one, and its ccs_mode_policy allows no other",
			 create.ccs_mode);
		goto err_free;
	}
	if (err) {
		xt_error(err, "cannot create a queue: %s", xt_driver_error(err));
		goto err_free;
	}
	queue->id = create.queue_id;
	link_queue(queue);
	xt_debug("queue %u: %s, tiles 0x%x, CCS mode %u, weight %u", queue->id,
		 desc->engine_class == XETILE_COPY ? "copy" : "compute", queue->tile_mask,
		 create.ccs_mode, create.weight);
	*out = queue;
	return 0;
err_free:
	free(queue);
	return err;
}

/* A batch for other tiles than the queue's would be refused, or run in part. */
static int check_members(struct xetile_queue *queue)
{
	struct xetile_queue_info info;
	uint32_t i, mask = 0;
	int err = xt_queue_info(queue, &info);

	if (err)
		return err;
	for (i = 0; i < info.num_members; i++)
		mask |= info.members[i].tile < XETILE_MAX_TILES ? 1u << info.members[i].tile : 0;
	if (mask != queue->tile_mask)
		return xt_error(-EINVAL, "queue %u is one of the tiles 0x%x, not 0x%x of the device",
				queue->id, mask, queue->tile_mask);
	return 0;
}

int xt_queue_borrow(struct xetile_context *context, struct xetile_device *device,
		    enum xetile_queue_class engine_class, uint32_t id, struct xetile_queue **out)
{
	struct drm_xetile_queue_create target = { 0 };
	struct xetile_queue *queue = calloc(1, sizeof(*queue));
	int err;

	if (!queue)
		return xt_error(-ENOMEM, "out of memory");
	queue->context = context;
	queue->device = device;
	queue->engine_class = engine_class;
	queue->id = id;
	queue->borrowed = true;
	err = choose_target(device, engine_class, &target, &queue->tile_mask);
	if (!err)
		err = check_members(queue);
	if (err) {
		free(queue);
		return err;
	}
	count_tiles(queue);
	link_queue(queue);
	*out = queue;
	return 0;
}

static void free_mem(struct xetile_mem *mem, bool busy)
{
	if (busy)
		xt_mem_abandon(mem);
	else
		xetile_mem_free(mem);
}

void xt_queue_destroy(struct xetile_queue *queue)
{
	struct drm_xetile_queue_destroy arg = { 0 };
	struct xt_retired *retired;
	struct xt_slot *slot;
	bool busy = false;
	unsigned int i;

	while ((slot = queue->slots)) {
		if (xt_slot_wait(queue, slot))
			busy = true;
		queue->slots = slot->next;
		xt_slot_free(queue, slot);
	}
	for (i = 0; i < XT_THREAD_MEM_KINDS; i++)
		free_mem(queue->thread_mem[i].mem, busy);
	while ((retired = queue->retired)) {
		queue->retired = retired->next;
		free_mem(retired->mem, busy);
		free(retired);
	}
	/* Not before its work has ended: until then others may ask for a fence of it. */
	unlink_queue(queue);
	arg.queue_id = queue->id;
	if (!queue->borrowed)
		xt_ioctl(queue->context->fd, DRM_IOCTL_XETILE_QUEUE_DESTROY, &arg);
	free(queue);
}

int xt_queue_info(struct xetile_queue *queue, struct xetile_queue_info *info)
{
	struct drm_xetile_queue_info arg = { .queue_id = queue->id };
	uint32_t i;
	int err;

	err = xt_ioctl(queue->context->fd, DRM_IOCTL_XETILE_QUEUE_INFO, &arg);
	if (err)
		return xt_error(err, "cannot describe the queue: %s", xt_driver_error(err));
	if (arg.num_members > XETILE_MAX_TILES)
		return xt_error(-EIO, "the driver reports %u members of a queue", arg.num_members);
	memset(info, 0, sizeof(*info));
	info->banned = arg.flags & DRM_XETILE_QUEUE_BANNED;
	/* A later driver may have more reasons: the number passes as it is. */
	info->ban.reason = (enum xetile_ban_reason)arg.ban.reason;
	info->ban.tile = arg.ban.tile;
	info->ban.engine_class = arg.ban.engine_class == DRM_XETILE_ENGINE_COPY ?
		XETILE_COPY : XETILE_COMPUTE;
	info->ban.instance = arg.ban.instance;
	info->ban.fault_addr = arg.ban.fault_addr;
	info->ban.fault_known = arg.ban.reason == DRM_XETILE_BAN_FAULT &&
		(arg.ban.fault_access == DRM_XETILE_ACCESS_READ ||
		 arg.ban.fault_access == DRM_XETILE_ACCESS_WRITE);
	info->ban.fault_write = arg.ban.fault_access == DRM_XETILE_ACCESS_WRITE;
	info->resets = arg.resets;
	info->cslices_used = arg.cslices_used;
	info->cslices_total = arg.cslices_total;
	info->num_members = arg.num_members;
	for (i = 0; i < arg.num_members; i++) {
		const struct drm_xetile_queue_member *m = &arg.members[i];

		info->members[i].tile = m->tile;
		info->members[i].instance = m->instance == 0xffff ? -1 : m->instance;
		info->members[i].cslice_mask = m->cslice_mask;
	}
	return 0;
}

/* --- memory of hardware threads ------------------------------------------------- */

/*
 * Graphs go on using what they were written for. Sizes are powers of two then, so that all of this
 * together is less than twice the largest. Without the larger one the old one stays in use.
 */
static int grow_beside(struct xetile_queue *queue, struct xt_thread_mem *mem, uint64_t part_size)
{
	struct xt_retired *retired = calloc(1, sizeof(*retired));
	int err;

	if (!retired)
		return xt_error(-ENOMEM, "out of memory");
	while (part_size & (part_size - 1))
		part_size += part_size & -part_size;
	retired->mem = mem->mem;
	err = xt_mem_alloc_parts(queue->context, queue->tile_mask, part_size, &mem->mem);
	if (err) {
		free(retired);
		return err;
	}
	mem->part_size = part_size;
	retired->next = queue->retired;
	queue->retired = retired;
	return 0;
}

/*
 * All launches of a queue share the memory, because the queue runs one launch after the other.
 * Queues do not share memory, because two queues may run on a tile at once.
 */
int xt_queue_thread_mem(struct xetile_queue *queue, enum xt_thread_mem_kind kind,
			uint64_t part_size, const struct xt_thread_mem **out)
{
	struct xt_thread_mem *mem = &queue->thread_mem[kind];
	int err = 0;

	*out = mem;
	if (mem->mem && mem->part_size >= part_size)
		return 0;
	part_size = xt_align(part_size, XETILE_COLOR_PAGE);
	if (mem->mem && queue->graphs)
		return grow_beside(queue, mem, part_size);
	if (mem->mem)
		err = xt_slot_wait_for(queue, queue->submissions);
	if (err)
		return err;
	xetile_mem_free(mem->mem);
	mem->mem = NULL;
	mem->part_size = part_size;
	return xt_mem_alloc_parts(queue->context, queue->tile_mask, part_size, &mem->mem);
}

/* Count the fences of events that a submission waits for. */
static int count_waits(const struct xetile_queue *queue, const struct xt_order *order)
{
	unsigned int i, num = 0;

	/* Beside them are the fences of @after, of the last submission, the slot and the event. */
	for (i = 0; i < order->num_waits; i++) {
		const struct xetile_event *event = order->waits[i];

		if (!event || event->context != queue->context)
			return xt_error(-EINVAL, "event %u is not of the queue's context", i);
		num += event->num;
		if (num > DRM_XETILE_MAX_ARRAY - XETILE_MAX_TILES - 3)
			return xt_error(-EINVAL, "%u events to wait for are too many",
					order->num_waits);
	}
	return num;
}

/*
 * The driver runs the batches of a queue in their order on each tile, and a tile that is done with
 * one goes on at the next, whatever the other tiles do.
 */
static bool must_follow(const struct xetile_queue *queue)
{
	return queue->num_tiles > 1 && queue->last && queue->last->busy;
}

int xt_queue_submit_ordered(struct xetile_queue *queue, struct xt_slot *slot,
			    const struct xt_order *order)
{
	struct drm_xetile_exec exec = { .queue_id = queue->id };
	int err, waits = count_waits(queue, order);
	uint64_t batches[XETILE_MAX_TILES];
	struct drm_xetile_sync few[FEW_SYNCS], *syncs = few;
	unsigned int i, e, num = 0;

	if (waits < 0)
		return waits;
	memset(few, 0, sizeof(few));
	if (waits + order->num_after + 3 > FEW_SYNCS)
		syncs = calloc(waits + order->num_after + 3, sizeof(*syncs));
	if (!syncs)
		return xt_error(-ENOMEM, "out of memory");
	if (order->signal) {
		syncs[num].handle = order->signal;
		syncs[num++].flags = DRM_XETILE_SYNC_SIGNAL;
	}
	syncs[num].handle = slot->syncobj;
	syncs[num++].flags = DRM_XETILE_SYNC_SIGNAL;
	for (e = 0; e < order->num_waits; e++) {
		for (i = 0; i < order->waits[e]->num; i++)
			syncs[num++].handle = order->waits[e]->syncobjs[i];
	}
	for (i = 0; i < order->num_after; i++)
		syncs[num++].handle = order->after[i];
	if (must_follow(queue))
		syncs[num++].handle = queue->last->syncobj;

	for (i = 0; i < queue->num_tiles; i++)
		batches[i] = slot->mem->addr + i * slot->part_size;
	exec.num_batches = queue->num_tiles;
	exec.batch = queue->num_tiles > 1 ? (uintptr_t)batches : batches[0];
	exec.syncs = (struct drm_xetile_array)DRM_XETILE_ARRAY(syncs, num);

	/* The commands were written through a write-combining map: they must reach memory first. */
	__sync_synchronize();
	err = xt_ioctl(queue->context->fd, DRM_IOCTL_XETILE_EXEC, &exec);
	if (syncs != few)
		free(syncs);
	if (err)
		return xt_error(err, "cannot submit: %s", xt_driver_error(err));
	slot->busy = true;
	slot->number = ++queue->submissions;
	queue->last = slot;
	return 0;
}

int xt_queue_fence(const struct xetile_queue *queue, uint32_t syncobj)
{
	struct drm_xetile_sync sync = { .handle = syncobj, .flags = DRM_XETILE_SYNC_SIGNAL };
	struct drm_xetile_exec exec = {
		.syncs = DRM_XETILE_ARRAY(&sync, 1), .queue_id = queue->id,
	};
	int err = xt_ioctl(queue->context->fd, DRM_IOCTL_XETILE_EXEC, &exec);

	return err ? xt_error(err, "cannot wait for a queue: %s", xt_driver_error(err)) : 0;
}

int xt_queue_submit(struct xetile_queue *queue, struct xt_slot *slot,
		    unsigned int num_waits, struct xetile_event *const *waits,
		    struct xetile_event **out)
{
	struct xt_order order = { .num_waits = num_waits, .waits = waits };
	struct xetile_event *event = NULL;
	int err;

	if (out) {
		err = xt_event_take(queue->context, &event);
		if (err)
			return err;
		order.signal = event->syncobjs[0];
	}
	err = xt_queue_submit_ordered(queue, slot, &order);
	if (err)
		xetile_event_destroy(event);
	if (err || !out)
		return err;
	xt_times_bind(queue, slot, event);
	*out = event;
	return 0;
}
