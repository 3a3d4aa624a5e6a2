/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_NUMBER_H__
#define __XETILE_NUMBER_H__

#include <linux/wait.h>

struct xetile_device;

/** struct xetile_number_wait - a task that waits for a number in memory */
struct xetile_number_wait {
	/** @xt: the card */
	struct xetile_device *xt;
	/** @entry: its place among the waiters, if it was not woken since */
	struct wait_queue_entry entry;
};

void xetile_number_init(struct xetile_device *xt);
void xetile_number_wake(struct xetile_device *xt);
void xetile_number_begin(struct xetile_number_wait *wait, struct xetile_device *xt);
void xetile_number_line_up(struct xetile_number_wait *wait);
void xetile_number_sleep(struct xetile_number_wait *wait, long timeout);
void xetile_number_end(struct xetile_number_wait *wait);

#endif
