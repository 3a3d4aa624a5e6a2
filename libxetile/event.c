// SPDX-License-Identifier: MIT
/*
 * Events: a DRM syncobj holds the fence of one submission. A copy of several engines has one for
 * each. Any thread may wait for an event. Events of launches are used again, unless the program has
 * asked for the syncobj: it may have given it to others, who wait for the fence that it holds.
 */
#include "event.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "error.h"
#include "ioctl.h"
#include "util.h"

/* So many wait for their next use at most: a queue has no more launches in flight. */
#define MAX_SPARE	64

static struct xetile_event *take_spare(struct xetile_context *context)
{
	struct xetile_event *event;

	pthread_mutex_lock(&context->times_lock);
	event = context->spare;
	if (event) {
		context->spare = event->next;
		context->num_spare--;
	}
	pthread_mutex_unlock(&context->times_lock);
	return event;
}

/* Returns whether the event is kept. What others may know of it has to go. */
static bool keep_spare(struct xetile_event *event)
{
	struct xetile_context *context = event->context;
	bool keep = false;

	if (!event->again)
		return false;
	pthread_mutex_lock(&context->times_lock);
	if (context->num_spare < MAX_SPARE) {
		event->next = context->spare;
		context->spare = event;
		context->num_spare++;
		keep = true;
	}
	pthread_mutex_unlock(&context->times_lock);
	return keep;
}

static void event_free(struct xetile_event *event)
{
	unsigned int i;

	for (i = 0; i < event->num && !event->borrowed; i++)
		xt_syncobj_destroy(event->context->fd, event->syncobjs[i]);
	free(event);
}

void xt_event_drop_spare(struct xetile_context *context)
{
	struct xetile_event *event;

	while ((event = take_spare(context)))
		event_free(event);
}

int xt_event_create(struct xetile_context *context, unsigned int num, struct xetile_event **out)
{
	struct xetile_event *event = calloc(1, sizeof(*event));
	int err = 0;

	if (!event)
		return xt_error(-ENOMEM, "out of memory");
	event->context = context;
	while (event->num < num && !err) {
		err = xt_syncobj_create(context->fd, &event->syncobjs[event->num]);
		event->num += !err;
	}
	if (err) {
		event_free(event);
		return err;
	}
	*out = event;
	return 0;
}

int xt_event_take(struct xetile_context *context, struct xetile_event **out)
{
	int err;

	*out = take_spare(context);
	if (*out) {
		(*out)->times = (struct xt_times){ 0 };
		return 0;
	}
	err = xt_event_create(context, 1, out);
	if (!err)
		(*out)->again = true;
	return err;
}

int xetile_event_from_syncobj(struct xetile_context *context, uint32_t handle,
			      struct xetile_event **out)
{
	struct xetile_event *event;

	if (!handle)
		return xt_error(-EINVAL, "0 is no handle");
	event = calloc(1, sizeof(*event));
	if (!event)
		return xt_error(-ENOMEM, "out of memory");
	*event = (struct xetile_event) {
		.context = context, .borrowed = true, .num = 1, .syncobjs = { handle },
	};
	*out = event;
	return 0;
}

int xetile_event_syncobjs(const struct xetile_event *event, uint32_t *handles, unsigned int max)
{
	unsigned int i;

	((struct xetile_event *)event)->again = false;
	for (i = 0; i < event->num && i < max; i++)
		handles[i] = event->syncobjs[i];
	return event->num;
}

int xetile_event_status(struct xetile_event *event)
{
	int err = 0, one;
	unsigned int i;

	/* A part that failed does not say that the others have ended. */
	for (i = 0; i < event->num && err != -EINPROGRESS; i++) {
		one = xt_syncobj_status(event->context->fd, event->syncobjs[i]);
		if (!err || one == -EINPROGRESS)
			err = one;
	}
	if (err == -EINPROGRESS)
		return xt_error(err, "the work has not ended");
	if (err)
		return xt_error(err, "the work was stopped: %s", xt_fence_error(err));
	xt_times_take(event);
	return 0;
}

int xetile_event_wait(struct xetile_event *event, int timeout_ms)
{
	int err = xt_syncobj_wait(event->context->fd, event->syncobjs, event->num,
				  timeout_ms);

	if (err == -ETIMEDOUT)
		return xt_error(err, "the work has not ended within %d ms", timeout_ms);
	if (err)
		return xt_error(err, "cannot wait for the work: %s", strerror(-err));
	return xetile_event_status(event);
}

int (xetile_event_get_times)(struct xetile_event *event, struct xetile_times *times, size_t size)
{
	struct xetile_times all;
	int err = xetile_event_status(event);

	if (!err)
		err = xt_times_tell(event, &all);
	if (!err)
		xt_answer(times, size, &all, sizeof(all));
	return err;
}

void xetile_event_destroy(struct xetile_event *event)
{
	if (!event)
		return;
	xt_times_forget(event);
	if (!keep_spare(event))
		event_free(event);
}
