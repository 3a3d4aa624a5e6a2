// SPDX-License-Identifier: GPL-2.0-only
#include "card/xetile_gate.h"

#include <linux/lockdep.h>

/**
 * DOC: workers and the machine's sleep
 *
 * Some workers write page tables or free contexts. Changes that they make while the card is
 * asleep are lost, or overwritten when the card wakes up. The workers may not be frozen like
 * users' processes, because a card that is pulled out of its slot while the machine sleeps is
 * removed before anything is thawed, and the removal waits for them.
 *
 * So each of them enters a gate before such a change. When the gate is closed the worker
 * returns, and is queued again when the gate is opened. The gate is opened when the machine is
 * awake again, or did not fall asleep; and for good when the card is wedged or removed, because
 * nothing has to be kept then.
 */

/**
 * xetile_gate_init() - make a gate, which is open
 * @gate: the gate
 *
 * Context: any.
 */
void xetile_gate_init(struct xetile_gate *gate)
{
	spin_lock_init(&gate->lock);
	init_waitqueue_head(&gate->left);
	INIT_LIST_HEAD(&gate->held);
}

static bool nobody_inside(struct xetile_gate *gate)
{
	bool nobody;

	spin_lock(&gate->lock);
	nobody = !gate->inside || !gate->closed;
	spin_unlock(&gate->lock);
	return nobody;
}

/**
 * xetile_gate_close() - let nobody enter, and wait until those who are inside have left
 * @gate: the gate; returns at once if the gate stays open, also if xetile_gate_stay_open() is
 *	called meanwhile
 *
 * Context: process, without any lock that a gated work takes.
 */
void xetile_gate_close(struct xetile_gate *gate)
{
	spin_lock(&gate->lock);
	gate->closed = !gate->stays_open;
	spin_unlock(&gate->lock);
	wait_event(gate->left, nobody_inside(gate));
}

static void open_locked(struct xetile_gate *gate)
{
	struct xetile_gated *gated, *next;

	lockdep_assert_held(&gate->lock);
	gate->closed = false;
	/* Under the lock, because xetile_gated_cancel() may be called for these works */
	list_for_each_entry_safe(gated, next, &gate->held, held) {
		list_del_init(&gated->held);
		xetile_gated_queue(gated);
	}
	wake_up_all(&gate->left);
}

/**
 * xetile_gate_open() - let workers enter, and queue the works that found the gate closed
 * @gate: the gate; may be open
 *
 * Context: process.
 */
void xetile_gate_open(struct xetile_gate *gate)
{
	spin_lock(&gate->lock);
	open_locked(gate);
	spin_unlock(&gate->lock);
}

/**
 * xetile_gate_stay_open() - open a gate for good
 * @gate: the gate
 *
 * Context: process.
 */
void xetile_gate_stay_open(struct xetile_gate *gate)
{
	spin_lock(&gate->lock);
	gate->stays_open = true;
	open_locked(gate);
	spin_unlock(&gate->lock);
}

/**
 * xetile_gated_init() - make a work that goes through a gate
 * @gated: the caller has called INIT_WORK() for &xetile_gated.work, because lockdep tells works
 *	apart by the place of that call, and one work cancels another
 * @wq: the workqueue it is queued on
 *
 * Context: any.
 */
void xetile_gated_init(struct xetile_gated *gated, struct workqueue_struct *wq)
{
	gated->wq = wq;
	INIT_LIST_HEAD(&gated->held);
	gated->dead = false;
}

/**
 * xetile_gated_cancel() - be sure that a work does not run any more
 * @gate: the gate
 * @gated: the work, which nobody else queues any more
 *
 * Context: process, not in a work of the same queue; may be inside the gate.
 */
void xetile_gated_cancel(struct xetile_gate *gate, struct xetile_gated *gated)
{
	/* Otherwise the work might be held, and queued again, after it was cancelled. */
	spin_lock(&gate->lock);
	gated->dead = true;
	list_del_init(&gated->held);
	spin_unlock(&gate->lock);
	cancel_work_sync(&gated->work);
}

/**
 * xetile_gate_enter() - whether a work may go on
 * @gate: the gate
 * @gated: the work, which calls this
 *
 * Context: process.
 * Return: true: the work calls xetile_gate_leave() when it is done; or false: the work must return,
 * and runs again when the gate is open.
 */
bool xetile_gate_enter(struct xetile_gate *gate, struct xetile_gated *gated)
{
	bool enters;

	spin_lock(&gate->lock);
	enters = !gate->closed;
	if (enters)
		gate->inside++;
	else if (!gated->dead && list_empty(&gated->held))
		list_add_tail(&gated->held, &gate->held);
	spin_unlock(&gate->lock);
	return enters;
}

/**
 * xetile_gate_leave() - a work is done
 * @gate: the gate, which the work has entered; the work itself may be freed already
 *
 * Context: process.
 */
void xetile_gate_leave(struct xetile_gate *gate)
{
	spin_lock(&gate->lock);
	if (!--gate->inside)
		wake_up_all(&gate->left);
	spin_unlock(&gate->lock);
}
