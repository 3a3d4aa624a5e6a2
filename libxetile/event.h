/* SPDX-License-Identifier: MIT */
/*
 * An event: the fence of one submission. queue.c creates the events.
 */
#ifndef _XETILE_EVENT_H_
#define _XETILE_EVENT_H_

#include <stdint.h>

#include "xetile.h"

struct xetile_event {
	struct xetile_context *context;
	uint32_t syncobj;
};

/* Returns 0 or a negative errno with an error text. */
int xt_event_create(struct xetile_context *context, struct xetile_event **out);

#endif
