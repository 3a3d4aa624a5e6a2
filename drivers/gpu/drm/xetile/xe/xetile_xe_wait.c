// SPDX-License-Identifier: GPL-2.0-only
#include "xe/xetile_xe.h"

#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>

#include <drm/drm_file.h>
#include <drm/xe_drm.h>

#include "exec/xetile_queue.h"
#include "exec/xetile_wedge.h"
#include "ioctl/xetile_file.h"
#include "mem/xetile_number.h"
#include "xetile_device.h"

/**
 * DOC: waiting for a number in memory
 *
 * The caller says which number, and nobody knows who writes it: see xetile_number.c. The wait reads
 * the caller's memory and may take for ever, so it does not enter the card, holds nothing but its
 * place in line, and ends when the card is gone.
 */

/* How often it looks without being woken, should an engine have written a number and told nobody */
#define RECHECK		(HZ / 10)

/* struct wait - a call that waits */
struct wait {
	struct xetile_file *xf;
	const struct drm_xe_wait_user_fence *args;
	/* when it gives up; KTIME_MAX: never */
	ktime_t end;
};

static int check_wait(const struct drm_xe_wait_user_fence *args)
{
	if (args->extensions || args->pad || args->pad2 || args->reserved[0] || args->reserved[1])
		return -EINVAL;
	if ((args->flags & ~DRM_XE_UFENCE_WAIT_FLAG_ABSTIME) ||
	    args->op > DRM_XE_UFENCE_WAIT_OP_LTE || args->addr % sizeof(u64))
		return -EINVAL;
	return 0;
}

static bool compare(u64 found, u64 wanted, u16 op)
{
	switch (op) {
	case DRM_XE_UFENCE_WAIT_OP_EQ:
		return found == wanted;
	case DRM_XE_UFENCE_WAIT_OP_NEQ:
		return found != wanted;
	case DRM_XE_UFENCE_WAIT_OP_GT:
		return found > wanted;
	case DRM_XE_UFENCE_WAIT_OP_GTE:
		return found >= wanted;
	case DRM_XE_UFENCE_WAIT_OP_LT:
		return found < wanted;
	default:
		return found <= wanted;
	}
}

/* Returns 1 if the number is what is waited for, 0 if not, or an error. */
static int look(const struct drm_xe_wait_user_fence *args)
{
	u64 found;

	if (args->addr != (uintptr_t)args->addr ||
	    copy_from_user(&found, u64_to_user_ptr(args->addr), sizeof(found)))
		return -EFAULT;
	return compare(found & args->mask, args->value & args->mask, args->op);
}

/*
 * The queue is looked up each time: a wait that held it would keep its contexts after its
 * destruction. One that is gone writes no more. A bind queue writes to the end.
 */
static bool writer_is_dead(const struct wait *wait)
{
	u32 id = wait->args->exec_queue_id;
	struct xetile_queue *queue;
	bool dead;

	if (xetile_device_is_unplugged(wait->xf->xt) || xetile_wedged(wait->xf->xt->sched))
		return true;
	if (!id || xa_load(&wait->xf->bind_queues, id))
		return false;
	queue = xetile_file_queue(wait->xf, id);
	dead = !queue || xetile_queue_is_banned(queue);
	if (queue)
		xetile_queue_put(queue);
	return dead;
}

/* How long to sleep, in jiffies; 0: the time is over */
static long patience(const struct wait *wait)
{
	s64 left = ktime_sub(wait->end, ktime_get());

	if (wait->end == KTIME_MAX)
		return RECHECK;
	return left <= 0 ? 0 : min_t(u64, RECHECK, nsecs_to_jiffies64(left) + 1);
}

static int wait_in_line(struct wait *wait)
{
	struct xetile_number_wait line;
	long sleep;
	int ret;

	xetile_number_begin(&line, wait->xf->xt);
	for (;;) {
		xetile_number_line_up(&line);
		ret = look(wait->args);
		if (ret)
			break;
		sleep = patience(wait);
		if (signal_pending(current))
			ret = -ERESTARTSYS;
		else if (writer_is_dead(wait))
			ret = -EIO;
		else if (!sleep)
			ret = -ETIME;
		if (ret)
			break;
		xetile_number_sleep(&line, sleep);
	}
	xetile_number_end(&line);
	return ret < 0 ? ret : 0;
}

static bool has_queue(struct xetile_file *xf, u32 id)
{
	struct xetile_queue *queue;

	if (!id || xa_load(&xf->bind_queues, id))
		return true;
	queue = xetile_file_queue(xf, id);
	if (queue)
		xetile_queue_put(queue);
	return queue;
}

/**
 * xetile_xe_wait_user_fence() - DRM_IOCTL_XE_WAIT_USER_FENCE
 * @drm: card
 * @data: struct drm_xe_wait_user_fence
 * @file: caller
 *
 * A relative timeout is what is left of it on return, so that a call that a signal has ended can
 * be repeated as it is. A negative one stays.
 *
 * Context: process; may sleep.
 *
 * Return: 0; -ETIME; -EIO: the queue that is to write the number is banned or destroyed, or the
 * card is lost; -ENOENT: no such queue; -EINVAL, -EFAULT, -ERESTARTSYS.
 */
int xetile_xe_wait_user_fence(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct xetile_file *xf = file->driver_priv;
	struct drm_xe_wait_user_fence *args = data;
	bool relative = !(args->flags & DRM_XE_UFENCE_WAIT_FLAG_ABSTIME);
	struct wait wait = { .xf = xf, .args = args, .end = KTIME_MAX };
	int err;

	err = check_wait(args);
	if (err)
		return err;
	if (!has_queue(xf, args->exec_queue_id))
		return -ENOENT;
	if (args->timeout >= 0)
		wait.end = relative ? ktime_add_safe(ktime_get(), args->timeout) : args->timeout;
	err = wait_in_line(&wait);
	if (relative && args->timeout > 0)
		args->timeout = max_t(s64, 0, min_t(s64, args->timeout,
						    ktime_sub(wait.end, ktime_get())));
	return err;
}
