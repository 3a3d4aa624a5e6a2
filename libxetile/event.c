// SPDX-License-Identifier: MIT
/*
 * Events: a DRM syncobj holds the fence of one submission. Any thread may wait for an event.
 */
#include "event.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "error.h"
#include "ioctl.h"

int xt_event_create(struct xetile_context *context, struct xetile_event **out)
{
	struct xetile_event *event = calloc(1, sizeof(*event));
	int err;

	if (!event)
		return xt_error(-ENOMEM, "out of memory");
	event->context = context;
	err = xt_syncobj_create(context->fd, &event->syncobj);
	if (err) {
		free(event);
		return err;
	}
	*out = event;
	return 0;
}

int xetile_event_status(struct xetile_event *event)
{
	int err = xt_syncobj_status(event->context->fd, event->syncobj);

	if (err == -EINPROGRESS)
		return xt_error(err, "the work has not ended");
	if (err)
		return xt_error(err, "the work was stopped: %s", xt_fence_error(err));
	return 0;
}

int xetile_event_wait(struct xetile_event *event, int timeout_ms)
{
	int err = xt_syncobj_wait(event->context->fd, event->syncobj, timeout_ms);

	if (err == -ETIMEDOUT)
		return xt_error(err, "the work has not ended within %d ms", timeout_ms);
	if (err)
		return xt_error(err, "cannot wait for the work: %s", strerror(-err));
	return xetile_event_status(event);
}

void xetile_event_destroy(struct xetile_event *event)
{
	if (!event)
		return;
	xt_syncobj_destroy(event->context->fd, event->syncobj);
	free(event);
}
