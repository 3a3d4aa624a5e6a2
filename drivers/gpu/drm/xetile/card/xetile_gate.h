/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_GATE_H__
#define __XETILE_GATE_H__

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

/** struct xetile_gate - keeps workers from writing HBM while the card is asleep */
struct xetile_gate {
	/** @lock: protects all of it, and &xetile_gated.held and &xetile_gated.dead */
	spinlock_t lock;
	/** @closed: no work may enter */
	bool closed;
	/** @stays_open: the gate does not close any more */
	bool stays_open;
	/** @inside: number of works that have entered */
	unsigned int inside;
	/** @left: woken when no work is inside, and when the gate is opened */
	wait_queue_head_t left;
	/** @held: works that found the gate closed */
	struct list_head held;
};

/** struct xetile_gated - work that goes through a gate */
struct xetile_gated {
	/** @work: the work; calls xetile_gate_enter() */
	struct work_struct work;
	/** @wq: the workqueue of @work */
	struct workqueue_struct *wq;
	/** @held: in &xetile_gate.held, or empty */
	struct list_head held;
	/** @dead: the work was cancelled, and is not to be held any more */
	bool dead;
};

void xetile_gate_init(struct xetile_gate *gate);
void xetile_gate_close(struct xetile_gate *gate);
void xetile_gate_open(struct xetile_gate *gate);
void xetile_gate_stay_open(struct xetile_gate *gate);

void xetile_gated_init(struct xetile_gated *gated, struct workqueue_struct *wq);
void xetile_gated_cancel(struct xetile_gate *gate, struct xetile_gated *gated);
bool xetile_gate_enter(struct xetile_gate *gate, struct xetile_gated *gated);
void xetile_gate_leave(struct xetile_gate *gate);

/**
 * xetile_gated_queue() - run a work soon, or when the gate is opened
 * @gated: the work
 *
 * Context: any.
 */
static inline void xetile_gated_queue(struct xetile_gated *gated)
{
	queue_work(gated->wq, &gated->work);
}

#endif
