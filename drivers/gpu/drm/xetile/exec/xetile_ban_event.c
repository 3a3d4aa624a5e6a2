// SPDX-License-Identifier: GPL-2.0-only
#include "exec/xetile_ban_event.h"

#include <linux/device.h>
#include <linux/jiffies.h>
#include <linux/kobject.h>
#include <linux/lockdep.h>
#include <linux/ratelimit.h>
#include <linux/sprintf.h>
#include <linux/workqueue.h>

#include <drm/drm_device.h>
#include <drm/drm_file.h>

#include "exec/xetile_sched_lock.h"
#include "exec/xetile_sched_queue.h"
#include "exec/xetile_sched_types.h"
#include "mem/xetile_score.h"
#include "xetile_device.h"

/**
 * DOC: uevents of banned queues
 *
 * When a queue is banned because of what a batch of it did, an event of the DRM device says so, for
 * the administrator: the reason, the engine and the process. Every user of the machine may read
 * events: so they have neither addresses nor names of programs. (The process needs no event: its
 * fence has the error, and QUEUE_INFO the reason.)
 *
 * Anybody can have queues banned as fast as engines are reset, and each event costs the machine's
 * udev some work: so only a few are sent, as lines to the log; of each file and of each user fewer
 * than of all together, so that nobody can hide what others do. An event says how many before it
 * were not sent.
 *
 * The queue is noted when it is banned, and told of when its reason is final. A worker sends the
 * event, because that takes memory, for which no reset may wait. Each queue is banned once only.
 */

/* So many events in so many seconds */
#define EVENT_BURST		20
#define EVENT_SECONDS		5

/* Returns whether it was sent: there may be no memory. */
static bool send_event(struct xetile_sched_queue *sq, unsigned int missed)
{
	static const char * const reasons[] = {
		[XETILE_BAN_TIMEOUT] = "timeout", [XETILE_BAN_PREEMPT] = "preempt",
		[XETILE_BAN_ERROR] = "error", [XETILE_BAN_FAULT] = "fault",
	};
	struct drm_device *drm = &sq->xt->drm;
	char banned[32], process[32], before[32], engine[40];
	char *env[5] = { banned, process, before };
	struct xetile_ban ban;
	unsigned long flags;

	spin_lock_irqsave(&sq->xt->sched->lock, flags);
	ban = sq->ban;
	spin_unlock_irqrestore(&sq->xt->sched->lock, flags);

	snprintf(banned, sizeof(banned), "XETILE_BANNED=%s", reasons[ban.reason]);
	snprintf(process, sizeof(process), "XETILE_PROCESS=%d", sq->pid);
	snprintf(before, sizeof(before), "XETILE_MISSED=%u", missed);
	if (ban.engine) {
		snprintf(engine, sizeof(engine), "XETILE_ENGINE=%s", ban.engine->name);
		env[3] = engine;
	}
	return !kobject_uevent_env(&drm->primary->kdev->kobj, KOBJ_CHANGE, env);
}

static void tell(struct xetile_sched_queue *sq)
{
	struct xetile_sched *sched = sq->xt->sched;

	if (xetile_score_may_tell(sq->score) && __ratelimit(&sched->events.limit) &&
	    send_event(sq, sched->events.missed))
		sched->events.missed = 0;
	else
		sched->events.missed++;
}

static void event_work(struct work_struct *work)
{
	struct xetile_sched *sched = container_of(work, struct xetile_sched, events.work);
	struct xetile_sched_queue *sq, *next;
	LIST_HEAD(list);
	unsigned long flags;

	spin_lock_irqsave(&sched->lock, flags);
	list_splice_init(&sched->events.queues, &list);
	spin_unlock_irqrestore(&sched->lock, flags);

	list_for_each_entry(sq, &list, event_link)
		tell(sq);
	/* The references have kept the card until here. */
	list_for_each_entry_safe(sq, next, &list, event_link)
		xetile_sched_queue_put(sq);
}

/**
 * xetile_ban_event_init() - set up the state that events need
 * @sched: execution state
 *
 * Context: any.
 */
void xetile_ban_event_init(struct xetile_sched *sched)
{
	INIT_LIST_HEAD(&sched->events.queues);
	INIT_WORK(&sched->events.work, event_work);
	ratelimit_state_init(&sched->events.limit, EVENT_SECONDS * HZ, EVENT_BURST);
	/* What is left out is not worth a line in the log. */
	ratelimit_set_flags(&sched->events.limit, RATELIMIT_MSG_ON_RELEASE);
}

/**
 * xetile_ban_event_note_locked() - a queue is banned because of what a batch of it did
 * @sq: the queue; called once, when it has its reason
 *
 * Context: the execution lock is held.
 */
void xetile_ban_event_note_locked(struct xetile_sched_queue *sq)
{
	lockdep_assert_held(&sq->xt->sched->lock);
	xetile_sched_queue_get(sq);
	list_add_tail(&sq->event_link, &sq->xt->sched->events.queues);
}

/**
 * xetile_ban_event_send() - tell of the queues that were noted
 * @sched: execution state
 *
 * To be called when their reasons are final.
 *
 * Context: any; does not wait.
 */
void xetile_ban_event_send(struct xetile_sched *sched)
{
	bool any;

	scoped_guard(spinlock_irqsave, &sched->lock)
		any = !list_empty(&sched->events.queues);
	if (any)
		queue_work(sched->xt->wq, &sched->events.work);
}
