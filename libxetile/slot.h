/* SPDX-License-Identifier: MIT */
/*
 * Slots: places for submissions, which a queue uses again. launch.c, copy.c and graph.c write into
 * them. Functions that can fail return a negative errno with an error text.
 */
#ifndef _XETILE_SLOT_H_
#define _XETILE_SLOT_H_

#include <stdbool.h>
#include <stdint.h>

#include "xetile.h"

struct xt_slot {
	struct xt_slot *next;
	struct xetile_mem *mem;
	uint64_t part_size;
	uint32_t syncobj;
	bool busy;			/* as far as the queue knows */
	uint64_t number;		/* of its submission, counted by the queue from 1 */
	uint32_t times;			/* offset of the stamps (times.h) in each part; 0: none */
	/* The lock of times.h protects these. */
	bool ended;			/* the event has told so */
	struct xetile_event *event;	/* of its submission; NULL: it has none any more */
};

/* Get a slot that is free and mapped and has @part_size bytes or more for each tile. */
int xt_queue_slot(struct xetile_queue *queue, uint64_t part_size, struct xt_slot **out);
/*
 * Wait until the work of a slot has ended. Only a wait without an error tells the end: the slot
 * stays busy after an error, because its batch may still run.
 */
int xt_slot_wait(struct xetile_queue *queue, struct xt_slot *slot);
/* Wait for the submission of a number, and with it for those before. */
int xt_slot_wait_for(struct xetile_queue *queue, uint64_t number);
void xt_slot_free(struct xetile_queue *queue, struct xt_slot *slot);

#endif
