// SPDX-License-Identifier: GPL-2.0-only
#include "exec/xetile_dispatch.h"

#include <linux/bug.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "exec/xetile_dispatch_limit.h"
#include "exec/xetile_dispatch_line.h"
#include "exec/xetile_dispatch_owner.h"
#include "exec/xetile_dispatch_turn.h"

/**
 * DOC: who runs on which engine
 *
 * A *gang* is a set of contexts that must start together: the 1..T contexts of a queue. The
 * dispatcher gives a gang all its engines at once or none, and takes them back all at once::
 *
 *	        wake, resume            all engines free
 *	  IDLE ------------->  READY  --------------------->  RUNNING
 *	   ^  <-------------     ^                             |   |
 *	   |     suspend         | all off, work left          |   | slice over
 *	   |                     +---------------+             |   | and wanted,
 *	   |                                     |             |   | or suspended
 *	   |  all off, no work left              |             |   v
 *	   +------------------------------- STOPPING <---------|---+
 *	   +---------------------------------------------------+
 *
 * Waiting gangs are looked at by priority, then by turns. A gang that cannot start reserves the
 * engines it could have, so that no gang behind it takes them: single contexts that keep one of
 * its engines busy never starve it. And there is no deadlock, because no gang ever owns one
 * engine while it waits for another.
 *
 * Of the gangs that want the same engines the one goes first whose client, and then which itself,
 * has used least by its weight (xetile_dispatch_share.c). Gangs that wait stand in lines, and the
 * lines make up sets (xetile_dispatch_line.c). The dispatcher only ever looks at the first gangs
 * of the sets.
 *
 * A gang may want its engines in a certain mode; engines that have several modes take turns in
 * them (xetile_dispatch_epoch.c).
 *
 * Gangs get engines and give them back in xetile_dispatch_owner.c. When a gang has to leave them
 * for one that waits, says xetile_dispatch_turn.c; which ones give them up early,
 * xetile_dispatch_yield.c; how long higher priorities may keep others off,
 * xetile_dispatch_raise.c; and how long a batch may take, xetile_dispatch_limit.c.
 */

/* Weights scale slices up to this, and down to XETILE_DISPATCH_SLICE_MIN_NS. */
#define SLICE_MAX_NS	50000000ull
#define WEIGHT_DEFAULT	100

/* How long a gang may take to leave its engines when asked to */
#define LEAVE_NS	640000000ull

/**
 * xetile_dispatch_init() - an idle dispatcher
 * @dispatch: to initialize
 * @ops: the owner
 * @usable: mask of engines that exist
 *
 * Context: any.
 */
void xetile_dispatch_init(struct xetile_dispatch *dispatch, const struct xetile_dispatch_ops *ops,
			  u64 usable)
{
	unsigned int p;

	memset(dispatch, 0, sizeof(*dispatch));
	dispatch->ops = ops;
	dispatch->usable = usable;
	for (p = 0; p < XETILE_DISPATCH_PRIORITIES; p++)
		INIT_LIST_HEAD(&dispatch->ready[p]);
}

/**
 * xetile_dispatch_client_init() - a client without gangs
 * @client: to initialize; lives longer than its gangs
 *
 * Context: any.
 */
void xetile_dispatch_client_init(struct xetile_dispatch_client *client)
{
	memset(client, 0, sizeof(*client));
	INIT_LIST_HEAD(&client->lines);
}

/**
 * xetile_gang_init() - an idle gang
 * @gang: to initialize; its owner sets the candidates and the place before it wakes the gang
 * @client: client of the gang, with accounts for the gang's priority and group of places
 * @num_members: contexts, 1..XETILE_GANG_MEMBERS
 * @priority: 0 low, 1 normal, 2 high
 * @weight: its share of engine time beside others, not 0; 100 is the normal one
 * @limit_ns: engine time a batch may take, or XETILE_DISPATCH_NEVER
 *
 * Context: any.
 */
void xetile_gang_init(struct xetile_gang *gang, struct xetile_dispatch_client *client,
		      unsigned int num_members, unsigned int priority, unsigned int weight,
		      u64 limit_ns)
{
	u64 slice = XETILE_DISPATCH_SLICE_NS / WEIGHT_DEFAULT * weight;
	unsigned int m;

	memset(gang, 0, sizeof(*gang));
	gang->client = client;
	gang->num_members = num_members;
	gang->priority = priority;
	gang->used_place = XETILE_DISPATCH_NONE;
	gang->rank = priority;
	gang->weight = weight;
	gang->limit_ns = limit_ns;
	gang->leave_ns = LEAVE_NS;
	gang->slice_ns = slice < XETILE_DISPATCH_SLICE_MIN_NS ? XETILE_DISPATCH_SLICE_MIN_NS :
			 slice > SLICE_MAX_NS ? SLICE_MAX_NS : slice;
	for (m = 0; m < num_members; m++)
		gang->members[m].engine = XETILE_DISPATCH_NONE;
}

/**
 * xetile_dispatch_wake() - a gang got work
 * @dispatch: dispatcher
 * @gang: the gang; each of its contexts has got one more batch
 * @now: time in ns
 *
 * Context: the execution lock is held.
 */
void xetile_dispatch_wake(struct xetile_dispatch *dispatch, struct xetile_gang *gang, u64 now)
{
	if (!gang->work) {
		gang->work = true;
		gang->spun = false;
		gang->hung = false;
		gang->stuck = false;
		gang->ran_ns = 0;
		gang->since_ns = now;
		gang->waits_ns = now;
	}

	if (gang->state == XETILE_GANG_RUNNING) {
		xetile_dispatch_owner_run(dispatch, gang);
	} else if (gang->state == XETILE_GANG_IDLE && !gang->holds) {
		xetile_dispatch_owner_wait(dispatch, gang, now);
		xetile_dispatch_owner_start(dispatch, now);
	}
}

/**
 * xetile_dispatch_progress() - a gang's oldest batch is done
 * @gang: the gang
 * @work: whether another one is unfinished
 * @now: time in ns
 *
 * Context: the execution lock is held.
 */
void xetile_dispatch_progress(struct xetile_gang *gang, bool work, u64 now)
{
	gang->work = work;
	gang->hung = false;
	gang->stuck = false;
	gang->ran_ns = 0;
	gang->since_ns = now;
	gang->waits_ns = now;
}

/**
 * xetile_dispatch_suspend() - keep a gang off the engines
 * @dispatch: dispatcher
 * @gang: the gang
 * @now: time in ns
 *
 * Suspensions nest. The gang is off when xetile_gang_is_off() says so, which
 * &xetile_dispatch_ops.left announces.
 *
 * Context: the execution lock is held.
 */
void xetile_dispatch_suspend(struct xetile_dispatch *dispatch, struct xetile_gang *gang, u64 now)
{
	gang->holds++;
	if (gang->state == XETILE_GANG_READY) {
		xetile_dispatch_line_remove(dispatch, gang, false);
		gang->rank = gang->priority;
		/* The engines that it had reserved are free for the gangs behind it. */
		xetile_dispatch_owner_start(dispatch, now);
	} else if (gang->state == XETILE_GANG_RUNNING) {
		dispatch->changed = true;
		xetile_dispatch_owner_stop(dispatch, gang, now);
	}
}

/**
 * xetile_dispatch_resume() - undo one xetile_dispatch_suspend()
 * @dispatch: dispatcher
 * @gang: the gang
 * @now: time in ns
 *
 * Context: the execution lock is held.
 */
void xetile_dispatch_resume(struct xetile_dispatch *dispatch, struct xetile_gang *gang, u64 now)
{
	if (WARN_ON(!gang->holds))
		return;
	if (--gang->holds || gang->state != XETILE_GANG_IDLE || !gang->work)
		return;
	xetile_dispatch_owner_wait(dispatch, gang, now);
	xetile_dispatch_owner_start(dispatch, now);
}

/**
 * xetile_dispatch_set_usable() - say which engines may be given out
 * @dispatch: dispatcher
 * @usable: mask of engines; those that gangs own stay theirs
 * @now: time in ns
 *
 * Context: the execution lock is held.
 */
void xetile_dispatch_set_usable(struct xetile_dispatch *dispatch, u64 usable, u64 now)
{
	dispatch->usable = usable;
	dispatch->changed = true;
	xetile_dispatch_owner_start(dispatch, now);
}

/**
 * xetile_dispatch_set_mode() - say which engines are in one mode, and in which
 * @dispatch: dispatcher
 * @domain: number of the domain
 * @engines: mask of its engines; gangs that want a mode own none of them
 * @mode: mode that they are in, not 0
 * @now: time in ns
 *
 * Context: the execution lock is held, or nobody else has the dispatcher yet.
 */
void xetile_dispatch_set_mode(struct xetile_dispatch *dispatch, unsigned int domain, u64 engines,
			      unsigned int mode, u64 now)
{
	dispatch->domains[domain] = (struct xetile_dispatch_domain) {
		.engines = engines, .mode = mode, .began_ns = now,
	};
	/* Gangs that wait may want the mode that was. */
	dispatch->mixed |= xetile_dispatch_line_any(dispatch);
	dispatch->changed = true;
}

/**
 * xetile_dispatch_settled() - an engine without an owner has no context any more
 * @dispatch: dispatcher; it matters only while &xetile_dispatch.mixed is set
 * @now: time in ns
 *
 * Context: the execution lock is held.
 */
void xetile_dispatch_settled(struct xetile_dispatch *dispatch, u64 now)
{
	xetile_dispatch_owner_start(dispatch, now);
}

/**
 * xetile_dispatch_tick() - look at time limits and time slices
 * @dispatch: dispatcher
 * @now: time in ns
 *
 * To be called after other calls, before the lock is dropped, and when the time it returned has
 * come. Its cost depends on the number of engines alone.
 *
 * Context: the execution lock is held.
 * Return: the time of the next call in ns, or XETILE_DISPATCH_NEVER.
 */
u64 xetile_dispatch_tick(struct xetile_dispatch *dispatch, u64 now)
{
	while (dispatch->changed || now >= dispatch->slices_ns)
		dispatch->slices_ns = xetile_dispatch_turn_tick(dispatch, now);
	/* A gang that was just asked to leave has a limit as well. */
	return min(xetile_dispatch_limit_tick(dispatch, now), dispatch->slices_ns);
}
