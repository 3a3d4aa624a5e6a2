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
	bool borrowed;			/* the fences are the program's, and outlive the event */
	unsigned int num;
	uint32_t syncobjs[XETILE_MAX_TILES];
	struct xt_times times;
};

/* An event of @num fences. Returns 0 or a negative errno with an error text. */
int xt_event_create(struct xetile_context *context, unsigned int num, struct xetile_event **out);

#endif
