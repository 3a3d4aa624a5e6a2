// SPDX-License-Identifier: GPL-2.0-only
#include "ioctl/xetile_ioctl.h"

#include <linux/capability.h>
#include <linux/err.h>
#include <linux/sched/signal.h>
#include <linux/xarray.h>

#include <drm/drm_file.h>
#include <drm/xetile_drm.h>

#include "exec/xetile_client.h"
#include "exec/xetile_queue.h"
#include "ioctl/xetile_file.h"
#include "mem/xetile_bind_queue.h"
#include "mem/xetile_score.h"
#include "mem/xetile_vm.h"
#include "xetile_device.h"

/**
 * DOC: calls on queues
 *
 * Checks, and translation of uAPI structs, for DRM_XETILE_QUEUE_*, bind queues included. The
 * DRM core calls them in process context, without a lock.
 */

static_assert(sizeof(struct drm_xetile_queue_create) == 48);
static_assert(sizeof(struct drm_xetile_queue_info) == 112);
static_assert(DRM_XETILE_MAX_TILES == XETILE_MAX_TILES);
static_assert(DRM_XETILE_MAX_CSLICES == XETILE_MAX_CSLICES);

static int parse_class(u32 class, struct xetile_queue_args *q)
{
	switch (class) {
	case DRM_XETILE_ENGINE_COMPUTE:
		q->class = XETILE_ENGINE_COMPUTE;
		return 0;
	case DRM_XETILE_ENGINE_COPY:
		q->class = XETILE_ENGINE_COPY;
		return 0;
	default:
		return -EINVAL;
	}
}

static int parse_target(struct xetile_device *xt, const struct drm_xetile_queue_create *args,
			struct xetile_queue_args *q)
{
	switch (args->target) {
	case DRM_XETILE_TARGET_ROOT:
		q->target = XETILE_QUEUE_ROOT;
		if (args->tile || args->cslice)
			return -EINVAL;
		return 0;
	case DRM_XETILE_TARGET_TILE:
		q->target = XETILE_QUEUE_TILE;
		if (args->cslice)
			return -EINVAL;
		break;
	case DRM_XETILE_TARGET_CSLICE:
		q->target = XETILE_QUEUE_CSLICE;
		if (q->class != XETILE_ENGINE_COMPUTE || args->cslice >= XETILE_MAX_CSLICES)
			return -EINVAL;
		break;
	default:
		return -EINVAL;
	}
	if (args->tile >= xt->num_tiles)
		return -EINVAL;
	q->tile = args->tile;
	q->cslice = args->cslice;
	return 0;
}

static int parse_priority(s32 priority, struct xetile_queue_args *q)
{
	switch (priority) {
	case DRM_XETILE_PRIORITY_NORMAL:
		q->priority = 0;
		return 0;
	case DRM_XETILE_PRIORITY_LOW:
		q->priority = -1;
		return 0;
	case DRM_XETILE_PRIORITY_HIGH:
		q->priority = 1;
		return capable(CAP_SYS_NICE) ? 0 : -EACCES;
	default:
		return -EINVAL;
	}
}

/* Batches that take long delay others, so only privileged callers may ask for long timeouts. */
static int parse_timeout(struct xetile_device *xt, u32 timeout_ms, struct xetile_queue_args *q)
{
	const struct xetile_times *times = xetile_tile_times(&xt->tiles[q->tile], q->class);

	q->timeout_ms = timeout_ms;
	if (!timeout_ms)
		return 0;
	if (!xetile_times_job_possible(timeout_ms))
		return -EINVAL;
	if (xetile_times_clamp(times, XETILE_TIME_JOB, timeout_ms) != timeout_ms &&
	    !capable(CAP_SYS_NICE))
		return -EACCES;
	return 0;
}

/*
 * A high priority would keep all others out of the whole tile, and a low one interrupt slices that
 * it has nothing to do with whenever its turn is raised: so neither may borrow.
 */
static int parse_flags(u32 flags, struct xetile_queue_args *q)
{
	if (flags & ~(DRM_XETILE_QUEUE_BORROW | DRM_XETILE_QUEUE_REPLAY))
		return -EINVAL;
	q->replay = flags & DRM_XETILE_QUEUE_REPLAY;
	q->borrows = flags & DRM_XETILE_QUEUE_BORROW;
	return q->borrows && (q->class != XETILE_ENGINE_COMPUTE || q->priority) ? -EINVAL : 0;
}

static int parse_create(struct xetile_device *xt, const struct drm_xetile_queue_create *args,
			struct xetile_queue_args *q)
{
	int err;

	if (args->pad || args->weight > XETILE_QUEUE_MAX_WEIGHT)
		return -EINVAL;
	q->weight = args->weight ?: XETILE_QUEUE_DEFAULT_WEIGHT;

	err = parse_class(args->engine_class, q);
	if (err)
		return err;
	err = parse_target(xt, args, q);
	if (err)
		return err;
	if (args->ccs_mode && q->class != XETILE_ENGINE_COMPUTE)
		return -EINVAL;
	q->ccs_mode = args->ccs_mode;
	err = parse_timeout(xt, args->timeout_ms, q);
	if (err)
		return err;
	err = parse_priority(args->priority, q);
	if (err)
		return err;
	return parse_flags(args->flags, q);
}

/* A queue without an engine has nothing that can be set. */
static int check_bind(const struct drm_xetile_queue_create *args)
{
	if (args->target != DRM_XETILE_TARGET_ROOT || args->tile || args->cslice ||
	    args->priority || args->weight || args->flags || args->timeout_ms ||
	    args->ccs_mode || args->pad)
		return -EINVAL;
	return 0;
}

static int queue_create_bind(struct xetile_file *xf, struct drm_xetile_queue_create *args)
{
	struct xetile_bind_queue *queue;
	struct xetile_vm *vm;
	int err = check_bind(args);

	if (err)
		return err;
	vm = xetile_file_vm(xf, args->vm_id);
	if (!vm)
		return -ENOENT;
	queue = xetile_bind_queue_create(vm, xf->account);
	xetile_vm_put(vm);
	if (IS_ERR(queue))
		return PTR_ERR(queue);
	err = xetile_file_add_bind_queue(xf, queue, &args->queue_id);
	if (err)
		xetile_bind_queue_put(queue);
	return err;
}

/**
 * xetile_ioctl_queue_create() - DRM_IOCTL_XETILE_QUEUE_CREATE
 * @drm: the card
 * @data: struct drm_xetile_queue_create
 * @file: caller's file
 *
 * Context: process; may sleep.
 *
 * Return: 0 or -errno, see the uAPI.
 */
int xetile_ioctl_queue_create(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct xetile_device *xt = to_xetile_device(drm);
	struct drm_xetile_queue_create *args = data;
	struct xetile_file *xf = file->driver_priv;
	struct xetile_queue_args q = {
		.usage = xf->usage, .score = xf->score, .account = xf->account,
	};
	struct xetile_queue *queue;
	int err, idx;

	if (args->engine_class == DRM_XETILE_ENGINE_BIND)
		return queue_create_bind(xf, args);
	err = parse_create(xt, args, &q);
	if (err)
		return err;
	if (xetile_score_is_bad(xf->score))
		return -ECANCELED;
	q.vm = xetile_file_vm(xf, args->vm_id);
	q.vm_id = args->vm_id;
	if (!q.vm)
		return -ENOENT;
	/* Not the process that opened the file: the file may have been inherited, or sent. */
	q.client = xetile_client_get(xt, task_tgid(current));
	if (IS_ERR(q.client)) {
		xetile_vm_put(q.vm);
		return PTR_ERR(q.client);
	}
	queue = ERR_PTR(-ENODEV);
	if (xetile_device_enter(xt, &idx)) {
		queue = xetile_queue_create(xt, &q);
		xetile_device_exit(xt, idx);
	}
	xetile_client_put(q.client);
	xetile_vm_put(q.vm);
	if (IS_ERR(queue))
		return PTR_ERR(queue);

	return xetile_file_add_queue(xf, queue, &args->queue_id);
}

/**
 * xetile_ioctl_queue_destroy() - DRM_IOCTL_XETILE_QUEUE_DESTROY
 * @drm: the card
 * @data: struct drm_xetile_queue_destroy
 * @file: caller's file
 *
 * Context: process; may sleep.
 *
 * Return: 0 or -errno, see the uAPI.
 */
int xetile_ioctl_queue_destroy(struct drm_device *drm, void *data, struct drm_file *file)
{
	const struct drm_xetile_queue_destroy *args = data;

	if (args->pad)
		return -EINVAL;
	return xetile_file_destroy_queue(file->driver_priv, args->queue_id);
}

static u32 ban_reason(const struct xetile_queue_state *state)
{
	if (!state->banned)
		return DRM_XETILE_BAN_NONE;
	/* The queue's own failure is told even if the card failed afterwards. */
	switch (state->ban.reason) {
	case XETILE_BAN_TIMEOUT:
		return DRM_XETILE_BAN_TIMEOUT;
	case XETILE_BAN_PREEMPT:
		return DRM_XETILE_BAN_PREEMPT;
	case XETILE_BAN_ERROR:
		return DRM_XETILE_BAN_ERROR;
	case XETILE_BAN_FAULT:
		return DRM_XETILE_BAN_FAULT;
	case XETILE_BAN_NONE:
		break;
	}
	return state->error == -ENODEV ? DRM_XETILE_BAN_GONE : DRM_XETILE_BAN_WEDGED;
}

static void describe_ban(const struct xetile_queue_state *state, struct drm_xetile_queue_ban *out)
{
	const struct xetile_engine *engine = state->ban.engine;
	const struct xetile_fault *fault = &state->ban.fault;

	*out = (struct drm_xetile_queue_ban) { .reason = ban_reason(state) };
	if (!state->banned || !engine)
		return;
	out->tile = engine->tile->id;
	out->engine_class = engine->class == XETILE_ENGINE_COPY ? DRM_XETILE_ENGINE_COPY :
								  DRM_XETILE_ENGINE_COMPUTE;
	out->instance = engine->instance;
	if (state->ban.reason != XETILE_BAN_FAULT)
		return;
	out->fault_addr = fault->addr;
	out->fault_access = !fault->known ? DRM_XETILE_ACCESS_UNKNOWN :
			    fault->write ? DRM_XETILE_ACCESS_WRITE : DRM_XETILE_ACCESS_READ;
}

/**
 * xetile_ioctl_queue_info() - DRM_IOCTL_XETILE_QUEUE_INFO
 * @drm: the card
 * @data: struct drm_xetile_queue_info
 * @file: caller's file
 *
 * Context: process; may sleep.
 *
 * Return: 0 or -errno, see the uAPI.
 */
int xetile_ioctl_queue_info(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_xetile_queue_info *args = data;
	struct xetile_file *xf = file->driver_priv;
	struct xetile_queue_state state;
	struct xetile_queue *queue;
	unsigned int m;

	queue = xetile_file_queue(xf, args->queue_id);
	if (queue) {
		xetile_queue_state(queue, &state);
		xetile_queue_put(queue);
	} else if (xa_load(&xf->bind_queues, args->queue_id)) {
		/* A bind queue is on no engine, and cannot be banned. */
		state = (struct xetile_queue_state) { 0 };
	} else {
		return -ENOENT;
	}

	args->flags = state.banned ? DRM_XETILE_QUEUE_BANNED : 0;
	args->resets = state.resets;
	args->num_members = state.num_members;
	args->cslices_used = state.cslices_used;
	args->cslices_total = state.cslices_total;
	describe_ban(&state, &args->ban);
	memset(args->members, 0, sizeof(args->members));
	for (m = 0; m < state.num_members; m++) {
		args->members[m].tile = state.members[m].tile;
		args->members[m].instance = state.members[m].instance;
		args->members[m].cslice_mask = state.members[m].cslice_mask;
	}
	return 0;
}
