// SPDX-License-Identifier: GPL-2.0-only
#include "xe/xetile_xe.h"

#include <linux/capability.h>
#include <linux/err.h>
#include <linux/minmax.h>
#include <linux/nospec.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>
#include <linux/xarray.h>

#include <drm/drm_file.h>
#include <drm/xe_drm.h>

#include "card/xetile_engine.h"
#include "card/xetile_times.h"
#include "exec/xetile_ccs.h"
#include "exec/xetile_client.h"
#include "exec/xetile_queue.h"
#include "ioctl/xetile_file.h"
#include "mem/xetile_bind_queue.h"
#include "mem/xetile_privilege.h"
#include "mem/xetile_score.h"
#include "mem/xetile_vm.h"
#include "xe/xetile_xe_errno.h"
#include "xetile_device.h"

/**
 * DOC: calls on exec queues
 *
 * Checks, and translation of the structs of xe_drm.h, for EXEC_QUEUE_*, queues of class VM_BIND
 * included. A queue names the engines that it may run on, of one class and tile. The compute
 * engines that userspace sees are virtual slices of its process. Batches of these queues own the
 * partition registers: runtimes set them once in the life of a context. And they wait for each
 * other by numbers in memory, in rings that never end: so they yield their engines.
 *
 * The DRM core calls the handlers in process context, without a lock; user memory is read before
 * the card is entered. Lasting conditions are never told by -EBUSY, because runtimes repeat such a
 * call for ever.
 */

static_assert(sizeof(struct drm_xe_exec_queue_create) == 48);
static_assert(sizeof(struct drm_xe_engine_class_instance) == 8);

/* As many placements as a class could have engines; and extensions of a call, as with xe */
#define MAX_PLACEMENTS		27
#define MAX_EXTENSIONS		16

/* Of the two engine classes of a card */
static const struct {
	enum xetile_engine_class class;
	bool known;
} classes[] = {
	[DRM_XE_ENGINE_CLASS_COPY] = { XETILE_ENGINE_COPY, true },
	[DRM_XE_ENGINE_CLASS_COMPUTE] = { XETILE_ENGINE_COMPUTE, true },
};

static int set_priority(u64 value, struct xetile_queue_args *q)
{
	static const int priorities[] = { -1, 0, 1 };

	if (value >= ARRAY_SIZE(priorities))
		return -EINVAL;
	q->priority = priorities[array_index_nospec(value, ARRAY_SIZE(priorities))];
	return q->priority <= 0 || capable(CAP_SYS_NICE) ? 0 : -EPERM;
}

/* Not by weight: it counts from 100. */
static int set_timeslice(struct xetile_device *xt, u64 value, struct xetile_queue_args *q)
{
	const struct xetile_times *times = xetile_tile_times(&xt->tiles[q->tile], q->class);

	if (value != xetile_times_clamp(times, XETILE_TIME_SLICE, value))
		return -EINVAL;
	q->slice_us = value;
	return 0;
}

static int set_property(struct xetile_device *xt, const struct drm_xe_ext_set_property *ext,
			struct xetile_queue_args *q)
{
	if (ext->pad || ext->reserved[0] || ext->reserved[1])
		return -EINVAL;
	switch (ext->property) {
	case DRM_XE_EXEC_QUEUE_SET_PROPERTY_PRIORITY:
		return set_priority(ext->value, q);
	case DRM_XE_EXEC_QUEUE_SET_PROPERTY_TIMESLICE:
		return set_timeslice(xt, ext->value, q);
	default:
		return -EINVAL;
	}
}

static int read_extension(u64 at, struct drm_xe_ext_set_property *ext)
{
	const void __user *from = u64_to_user_ptr(at);

	/* A 32-bit kernel would drop the upper half of the pointer, and read another place. */
	if (at != (uintptr_t)at || copy_from_user(&ext->base, from, sizeof(ext->base)))
		return -EFAULT;
	if (ext->base.pad || ext->base.name != DRM_XE_EXEC_QUEUE_EXTENSION_SET_PROPERTY)
		return -EINVAL;
	/* The chain was read: it leads where the first copy says, whatever a thread writes now. */
	if (copy_from_user((void *)ext + sizeof(ext->base), from + sizeof(ext->base),
			   sizeof(*ext) - sizeof(ext->base)))
		return -EFAULT;
	return 0;
}

/* The tile and the class are known: the bounds of times are theirs. */
static int parse_extensions(struct xetile_device *xt, u64 at, struct xetile_queue_args *q)
{
	struct drm_xe_ext_set_property ext;
	unsigned int i;
	int err = 0;

	for (i = 0; at && !err; i++) {
		if (i == MAX_EXTENSIONS)
			return -E2BIG;
		err = read_extension(at, &ext) ?: set_property(xt, &ext, q);
		at = ext.base.next_extension;
	}
	return err;
}

/* Adds an engine to the queue's placements. Compute: xetile_queue_create() knows the mode. */
static int add_placement(struct xetile_tile *tile, unsigned int instance,
			 struct xetile_queue_args *q)
{
	struct xetile_engine *engine;

	if (instance >= BITS_PER_TYPE(q->placements))
		return -EINVAL;
	if (q->class == XETILE_ENGINE_COPY) {
		engine = xetile_engine_find(tile, XETILE_ENGINE_COPY, instance);
		if (!engine || engine->kernel_only)
			return -EINVAL;
	}
	q->placements |= BIT(instance);
	return 0;
}

static int parse_placements(struct xetile_device *xt,
			    const struct drm_xe_engine_class_instance *places, unsigned int num,
			    struct xetile_queue_args *q)
{
	unsigned int class = places->engine_class, tile = places->gt_id, i;
	int err = 0;

	if (class >= ARRAY_SIZE(classes) || tile >= xt->num_tiles)
		return -EINVAL;
	class = array_index_nospec(class, ARRAY_SIZE(classes));
	if (!classes[class].known)
		return -EINVAL;
	q->class = classes[class].class;
	q->target = XETILE_QUEUE_TILE;
	q->tile = array_index_nospec(tile, xt->num_tiles);
	for (i = 0; i < num && !err; i++) {
		if (places[i].engine_class != places->engine_class ||
		    places[i].gt_id != places->gt_id || places[i].pad)
			return -EINVAL;
		err = add_placement(&xt->tiles[q->tile], places[i].engine_instance, q);
	}
	return err;
}

/* Parallel submission is for engines that start together, of which no two are on a tile. */
static int check_create(const struct drm_xe_exec_queue_create *args)
{
	if (args->flags || args->reserved[0] || args->reserved[1])
		return -EINVAL;
	if (args->width != 1 || !args->num_placements || args->num_placements > MAX_PLACEMENTS)
		return -EINVAL;
	return 0;
}

static int read_placements(const struct drm_xe_exec_queue_create *args,
			   struct drm_xe_engine_class_instance *places)
{
	if (args->instances != (uintptr_t)args->instances ||
	    copy_from_user(places, u64_to_user_ptr(args->instances),
			   args->num_placements * sizeof(*places)))
		return -EFAULT;
	return 0;
}

static int create_bind(struct xetile_file *xf, struct drm_xe_exec_queue_create *args,
		       const struct drm_xe_engine_class_instance *place)
{
	/* Nothing of what may be set matters for a queue without an engine; it is checked. */
	struct xetile_queue_args q = { .class = XETILE_ENGINE_COPY };
	struct xetile_bind_queue *queue;
	struct xetile_vm *vm;
	int err;

	if (args->num_placements != 1 || place->engine_instance || place->pad ||
	    place->gt_id >= xf->xt->num_tiles)
		return -EINVAL;
	q.tile = array_index_nospec(place->gt_id, xf->xt->num_tiles);
	err = parse_extensions(xf->xt, args->extensions, &q);
	if (err)
		return err;
	vm = xetile_file_vm(xf, args->vm_id);
	if (!vm)
		return -ENOENT;
	queue = xetile_bind_queue_create(vm, xf->account);
	xetile_vm_put(vm);
	if (IS_ERR(queue))
		return PTR_ERR(queue);
	err = xetile_file_add_bind_queue(xf, queue, &args->exec_queue_id);
	if (err)
		xetile_bind_queue_put(queue);
	return err;
}

static struct xetile_queue *create_queue(struct xetile_device *xt, struct xetile_queue_args *q)
{
	struct xetile_queue *queue = ERR_PTR(-ENODEV);
	int idx;

	/* Not the process that opened the file: the file may have been inherited, or sent. */
	q->client = xetile_client_get(xt, task_tgid(current));
	if (IS_ERR(q->client))
		return ERR_CAST(q->client);
	if (xetile_device_enter(xt, &idx)) {
		queue = xetile_queue_create(xt, q);
		xetile_device_exit(xt, idx);
	}
	xetile_client_put(q->client);
	return queue == ERR_PTR(-EIO) ? ERR_PTR(-ECANCELED) : queue;
}

/*
 * The slice that the process has for its queues for the first compute engine. The tile's mode may
 * have fewer slices, and may change at any time: xetile_queue_create() has the last word.
 */
static void slice_by_process(struct xetile_device *xt, struct xetile_queue_args *q)
{
	unsigned int slices = xetile_ccs_mode(&xt->tiles[q->tile]);
	struct xetile_client_wish wish;

	if (q->class != XETILE_ENGINE_COMPUTE || q->placements != BIT(0) || !slices)
		return;
	xetile_client_wish(xt, task_tgid(current), &wish);
	q->placements = BIT(min(wish.cslice, slices - 1));
}

static int create_exec(struct xetile_file *xf, struct drm_xe_exec_queue_create *args,
		       const struct drm_xe_engine_class_instance *places)
{
	struct xetile_queue_args q = {
		.usage = xf->usage, .score = xf->score, .account = xf->account,
		.weight = XETILE_QUEUE_DEFAULT_WEIGHT, .owns_partition = true, .yields = true,
		.vm_id = args->vm_id,
	};
	struct xetile_queue *queue;
	int err;

	err = parse_placements(xf->xt, places, args->num_placements, &q) ?:
	      parse_extensions(xf->xt, args->extensions, &q);
	if (err)
		return err;
	slice_by_process(xf->xt, &q);
	/* Upstream's driver has no such limit, and tests of root's hang each engine, and again. */
	if (xetile_score_is_bad(xf->score) && !xetile_may_exceed_limits())
		return -ECANCELED;
	q.vm = xetile_file_vm(xf, args->vm_id);
	if (!q.vm)
		return -ENOENT;
	queue = create_queue(xf->xt, &q);
	xetile_vm_put(q.vm);
	if (IS_ERR(queue))
		return PTR_ERR(queue);
	return xetile_file_add_queue(xf, queue, &args->exec_queue_id);
}

/**
 * xetile_xe_exec_queue_create() - DRM_IOCTL_XE_EXEC_QUEUE_CREATE
 * @drm: the card
 * @data: struct drm_xe_exec_queue_create
 * @file: caller's file
 *
 * Context: process; may sleep.
 *
 * Return: 0; -EINVAL: a field, an extension, or an engine that is not listed; -E2BIG: too many
 * extensions; -EPERM: the priority; -ENOENT: no such VM, or it was given up; -ECANCELED: too
 * many batches of the file or the user failed of late, without CAP_SYS_RESOURCE, or the card is
 * wedged; -EFAULT; or as xetile_queue_create(), with -ENOMEM for -EDQUOT.
 */
int xetile_xe_exec_queue_create(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_xe_engine_class_instance places[MAX_PLACEMENTS];
	struct drm_xe_exec_queue_create *args = data;
	struct xetile_file *xf = file->driver_priv;
	int err;

	err = check_create(args) ?: read_placements(args, places);
	if (err)
		return err;
	if (places->engine_class == DRM_XE_ENGINE_CLASS_VM_BIND)
		err = create_bind(xf, args, places);
	else
		err = create_exec(xf, args, places);
	return xetile_xe_errno(err);
}

/**
 * xetile_xe_exec_queue_destroy() - DRM_IOCTL_XE_EXEC_QUEUE_DESTROY
 * @drm: the card, which may be gone
 * @data: struct drm_xe_exec_queue_destroy
 * @file: caller's file
 *
 * Context: process; may sleep.
 *
 * Return: 0, -EINVAL: a field; -ENOENT: no such queue.
 */
int xetile_xe_exec_queue_destroy(struct drm_device *drm, void *data, struct drm_file *file)
{
	const struct drm_xe_exec_queue_destroy *args = data;

	if (args->pad || args->reserved[0] || args->reserved[1])
		return -EINVAL;
	return xetile_file_destroy_queue(file->driver_priv, args->exec_queue_id);
}

/* A bind queue cannot be banned, and is not when the card is gone: binds say that themselves. */
static int queue_is_banned(struct xetile_file *xf, u32 id, u64 *banned)
{
	struct xetile_queue *queue = xetile_file_queue(xf, id);
	struct xetile_queue_state state;

	*banned = 0;
	if (!queue)
		return xa_load(&xf->bind_queues, id) ? 0 : -ENOENT;
	xetile_queue_state(queue, &state);
	xetile_queue_put(queue);
	/* As for a submission: all queues of a card that is wedged, or gone, run nothing. */
	*banned = state.banned || state.error || xetile_device_is_unplugged(xf->xt);
	return 0;
}

/**
 * xetile_xe_exec_queue_get_property() - DRM_IOCTL_XE_EXEC_QUEUE_GET_PROPERTY
 * @drm: the card, which may be gone
 * @data: struct drm_xe_exec_queue_get_property
 * @file: caller's file
 *
 * Context: process.
 *
 * Return: 0, -EINVAL: a field, or a property that queues do not have; -ENOENT: no such queue.
 */
int xetile_xe_exec_queue_get_property(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_xe_exec_queue_get_property *args = data;
	u64 banned;
	int err;

	if (args->extensions || args->reserved[0] || args->reserved[1])
		return -EINVAL;
	err = queue_is_banned(file->driver_priv, args->exec_queue_id, &banned);
	if (err)
		return err;
	if (args->property != DRM_XE_EXEC_QUEUE_GET_PROPERTY_BAN)
		return -EINVAL;
	args->value = banned;
	return 0;
}

#ifdef DRM_IOCTL_XE_EXEC_QUEUE_SET_PROPERTY
/**
 * xetile_xe_exec_queue_set_property() - DRM_IOCTL_XE_EXEC_QUEUE_SET_PROPERTY
 * @drm: the card
 * @data: struct drm_xe_exec_queue_set_property
 * @file: caller's file
 *
 * What may be set later belongs to groups of queues that share a context. The card has none.
 *
 * Context: process.
 *
 * Return: -EINVAL: a field, or a property; -ENOENT: no such queue; -EOPNOTSUPP.
 */
int xetile_xe_exec_queue_set_property(struct drm_device *drm, void *data, struct drm_file *file)
{
	const struct drm_xe_exec_queue_set_property *args = data;
	u64 banned;
	int err;

	if (args->extensions || args->reserved[0] || args->reserved[1] ||
	    args->property != DRM_XE_EXEC_QUEUE_SET_PROPERTY_MULTI_QUEUE_PRIORITY)
		return -EINVAL;
	err = queue_is_banned(file->driver_priv, args->exec_queue_id, &banned);
	return err ?: -EOPNOTSUPP;
}
#endif
