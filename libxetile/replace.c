// SPDX-License-Identifier: MIT
/*
 * Another color, by the driver or by replacement. A buffer with copies has more bytes than one
 * without, and an object of the driver keeps its number of bytes. So a buffer that gets copies, or
 * loses them, becomes another object: that is allocated, gets the bytes by copy engines, and is
 * mapped at the buffer's address, all at once. Until then nothing of the buffer has changed, and
 * after that nothing can fail.
 */
#include "xetile.h"

#include <drm/xetile_drm.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "coloring.h"
#include "context.h"
#include "error.h"
#include "event.h"
#include "ioctl.h"
#include "memory.h"
#include "queue.h"

/* The end of all work that was submitted to a context */
struct work {
	struct xetile_event **events;
	unsigned int num;
};

/* --- what can be replaced ------------------------------------------------------------------ */

static int check_info(const struct drm_xetile_bo_info *info)
{
	if (!(info->placement & DRM_XETILE_PLACE_HBM))
		return xt_error(-EINVAL, "system memory has no copies on tiles");
	if (info->pinned)
		return xt_error(-EINVAL, "a buffer that is pinned cannot get copies, or lose them");
	return 0;
}

static int check_memory(const struct xetile_mem *mem)
{
	if (mem->pool)
		return xt_error(-EOPNOTSUPP, "an object of a pool cannot have copies");
	if (mem->block)
		return xt_error(-EOPNOTSUPP,
				"unified shared memory cannot get copies, or lose them");
	if (mem->shared)
		return xt_error(-EOPNOTSUPP, "a buffer that was exported or imported cannot get "
				"copies, or lose them: others would keep the old one");
	if (mem->purgeable)
		return xt_error(-EINVAL, "a buffer that may be purged has no bytes to copy");
	return 0;
}

/* Describe the new object: it is what the old one is, but for the color. */
static int describe(const struct xetile_mem *mem, const struct xetile_mem_desc *color,
		    struct xetile_mem_desc *desc)
{
	struct drm_xetile_bo_info info = { .handle = mem->handle };
	int err = xt_ioctl(mem->context->fd, DRM_IOCTL_XETILE_BO_INFO, &info);

	if (err)
		return xt_error(err, "cannot read what memory is: %s", xt_driver_error(err));
	err = check_info(&info);
	if (err)
		return err;
	*desc = *color;
	desc->size = mem->size;
	desc->flags = 0;
	if (info.placement & DRM_XETILE_PLACE_SYSTEM)
		desc->flags |= XETILE_MEM_SPILL;
	if (info.flags & DRM_XETILE_BO_STRICT)
		desc->flags |= XETILE_MEM_STRICT;
	if (info.vm_id)
		desc->flags |= XETILE_MEM_PRIVATE;
	return 0;
}

/* --- the bytes ----------------------------------------------------------------------------- */

static void forget_work(struct work *work)
{
	while (work->num)
		xetile_event_destroy(work->events[--work->num]);
	free(work->events);
}

/* A queue that is banned runs nothing any more: there is nothing to wait for. */
static int add_work(struct work *work, struct xetile_queue *queue)
{
	struct xetile_event *event;
	int err = xt_event_create(queue->context, 1, &event);

	if (err)
		return err;
	err = xt_queue_fence(queue, event->syncobjs[0]);
	if (!err) {
		work->events[work->num++] = event;
		return 0;
	}
	xetile_event_destroy(event);
	return err == -ECANCELED ? 0 : err;
}

/*
 * The driver has no wait for one buffer. But all work of a context uses all its buffers, as the
 * driver sees it, and the queues tell when that ends. A queue is destroyed when its work has ended.
 */
static int find_work(struct xetile_context *context, struct work *work)
{
	struct xetile_queue *queue;
	unsigned int num = 0;
	int err = 0;

	*work = (struct work) { 0 };
	pthread_mutex_lock(&context->queues_lock);
	for (queue = context->queues; queue; queue = queue->next)
		num++;
	work->events = calloc(num + 1, sizeof(struct xetile_event *));
	if (!work->events)
		err = xt_error(-ENOMEM, "out of memory");
	for (queue = context->queues; queue && !err; queue = queue->next)
		err = add_work(work, queue);
	pthread_mutex_unlock(&context->queues_lock);
	if (err)
		forget_work(work);
	return err;
}

/* Only a wait without an error tells the end of the copy: else it may still be @running. */
static int wait_for_copy(struct xetile_event *event, bool *running)
{
	int err = xt_syncobj_wait(event->context->fd, event->syncobjs, event->num, -1);

	*running = err;
	if (err)
		return xt_error(err, "cannot wait for a copy: %s", strerror(-err));
	return xetile_event_status(event);
}

/* Copy all bytes, behind all work that may still write them, and wait for the end. */
static int copy_bytes(struct xetile_mem *to, struct xetile_mem *from, struct xetile_device *device,
		      bool *running)
{
	const struct xetile_queue_desc split = { .engine_class = XETILE_COPY_SPLIT };
	struct xetile_event *event = NULL;
	struct xetile_queue *queue;
	struct work work;
	int err;

	*running = false;
	err = find_work(from->context, &work);
	if (err)
		return err;
	err = xetile_queue_create(from->context, device, &split, &queue);
	if (err)
		goto out;
	err = xetile_copy(queue, to, 0, from, 0, from->size, work.num, work.events, &event);
	if (!err)
		err = wait_for_copy(event, running);
	xetile_event_destroy(event);
	xetile_queue_destroy(queue);
out:
	forget_work(&work);
	return err;
}

/* --- the place ----------------------------------------------------------------------------- */

/* Map the new object in place of the old one. Work that is submitted from then on has it. */
static int map_in_place(const struct xetile_mem *mem, const struct xetile_mem *other)
{
	struct drm_xetile_bind bind = {
		.addr = mem->addr, .range = mem->size, .op = DRM_XETILE_BIND_MAP,
		.flags = other->copies ? DRM_XETILE_BIND_READONLY : 0, .handle = other->handle,
	};
	struct drm_xetile_vm_bind arg = {
		.binds = DRM_XETILE_ARRAY(&bind, 1), .vm_id = mem->context->vm_id,
	};
	int err = xt_ioctl(mem->context->fd, DRM_IOCTL_XETILE_VM_BIND, &arg);

	return err ? xt_error(err, "cannot map %" PRIu64 " bytes for the GPU: %s", mem->size,
			      xt_driver_error(err)) : 0;
}

static void give(struct xetile_mem *to, const struct xetile_mem *from)
{
	to->handle = from->handle;
	to->copies = from->copies;
	to->written = from->written;
	to->map = from->map;
	to->layout = from->layout;
}

/* Exchange the objects of two buffers, but not the addresses at which the GPU uses them. */
static void exchange(struct xetile_mem *mem, struct xetile_mem *other)
{
	struct xetile_context *context = mem->context;
	const struct xetile_mem old = *mem;

	pthread_mutex_lock(&context->lock);
	xt_mem_unlink(mem);
	xt_mem_unlink(other);
	give(mem, other);
	give(other, &old);
	xt_mem_link(mem);
	xt_mem_link(other);
	pthread_mutex_unlock(&context->lock);
}

/* Give all of a buffer a color that it can only have as another object. */
static int replace(struct xetile_mem *mem, struct xetile_device *device,
		   const struct xetile_mem_desc *desc)
{
	struct xetile_mem_desc all;
	struct xetile_mem *other;
	bool running = false;
	int err;

	err = check_memory(mem);
	if (!err)
		err = describe(mem, desc, &all);
	if (!err)
		err = xetile_mem_alloc(mem->context, device, &all, &other);
	if (err)
		return err;
	if (other->size != mem->size)
		err = xt_error(-EIO, "the driver gave %" PRIu64 " bytes instead of %" PRIu64,
			       other->size, mem->size);
	if (!err)
		err = copy_bytes(other, mem, device, &running);
	if (!err)
		err = map_in_place(mem, other);
	if (running) {
		xt_mem_abandon(other);
		return err;
	}
	/* The old object goes, with what it had: the CPU's mapping and all other addresses. */
	if (!err)
		exchange(mem, other);
	xetile_mem_free(other);
	return err;
}

/* --- another color ------------------------------------------------------------------------- */

static int recolor_copies(struct xetile_mem *mem, struct xetile_device *device,
			  const struct xetile_mem_range *range, unsigned int num)
{
	struct drm_xetile_bo_range color = { 0 };
	bool whole, same;
	int err;

	err = xt_recolor_check(mem, device, num);
	if (!err)
		err = xt_color_fill_range(&color, mem, device, range);
	if (err)
		return err;
	whole = num == 1 && !color.offset && color.size == mem->size;
	same = color.color == DRM_XETILE_COLOR_REPLICATE && color.tile_mask == mem->copies;
	xt_color_free(&color);
	if (!whole)
		return xt_error(-EOPNOTSUPP, "only a whole buffer can get copies, or lose them");
	return same ? 0 : replace(mem, device, &range->desc);
}

int xetile_mem_recolor(struct xetile_mem *mem, struct xetile_device *device,
		       const struct xetile_mem_range *ranges, unsigned int num)
{
	bool copies = mem->copies;
	unsigned int i;

	for (i = 0; i < num && !copies; i++)
		copies = ranges[i].desc.color == XETILE_COLOR_REPLICATE;
	if (copies)
		return recolor_copies(mem, device, ranges, num);
	return xt_recolor(mem, device, ranges, num);
}
