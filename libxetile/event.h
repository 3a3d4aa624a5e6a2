/* SPDX-License-Identifier: MIT */
/*
 * An event: the fence of one submission, or the fences of the parts of a copy. queue.c and copy.c
 * create the events.
 */
#ifndef _XETILE_EVENT_H_
#define _XETILE_EVENT_H_

#include <stdbool.h>
#include <stdint.h>

#include "times.h"
#include "xetile.h"

struct xetile_event {
	struct xetile_context *context;
	struct xetile_event *next;	/* of those that wait for their next use */
	bool borrowed;			/* the fences are the program's, and outlive the event */
	bool again;			/* it serves another submission later */
	unsigned int num;
	uint32_t syncobjs[XETILE_MAX_TILES];
	struct xt_times times;
};

/* An event of @num fences. Returns 0 or a negative errno with an error text, as the next one. */
int xt_event_create(struct xetile_context *context, unsigned int num, struct xetile_event **out);
/* An event of one fence, which is an old one until a submission sets it */
int xt_event_take(struct xetile_context *context, struct xetile_event **out);
/* Free the events that wait for their next use. */
void xt_event_drop_spare(struct xetile_context *context);

#endif
