/* SPDX-License-Identifier: MIT */
/*
 * What events and slots tell each other. The event of a submission tells the slot that the work has
 * ended, when somebody has waited for it. The slot has the times of the launch, which the commands
 * stored there on each tile: the event takes them at the end of the work, or at the latest before
 * the slot is used again. Until then the two point to each other.
 */
#ifndef _XETILE_TIMES_H_
#define _XETILE_TIMES_H_

#include <stdint.h>

#include "xetile.h"

struct xetile_queue;
struct xt_slot;

/* What the card stores on a tile, in ticks */
struct xt_stamps {
	uint64_t start, end;
};

/* What an event has of them */
struct xt_times {
	const struct xetile_queue *queue;	/* of @slot */
	struct xt_slot *slot;			/* of the submission; NULL: no longer */
	uint32_t tile_mask;			/* tiles of @stamps; 0: there are none */
	struct xt_stamps stamps[XETILE_MAX_TILES];
};

/* Bind a slot that was just submitted and the event of the submission. */
void xt_times_bind(const struct xetile_queue *queue, struct xt_slot *slot,
		   struct xetile_event *event);
/* The work of an event has ended well: take its stamps, and tell the slot. */
void xt_times_take(struct xetile_event *event);
/* The times that were taken. Returns 0, or a negative errno with an error text. */
int xt_times_tell(const struct xetile_event *event, struct xetile_times *times);
/* The number of the latest submission whose event has told its end; 0: none */
uint64_t xt_times_ended(const struct xetile_queue *queue);
/* Before a slot is used again or freed: give its event what it has for it. */
void xt_times_settle(const struct xetile_queue *queue, struct xt_slot *slot);
/* Before an event is freed */
void xt_times_forget(struct xetile_event *event);

#endif
