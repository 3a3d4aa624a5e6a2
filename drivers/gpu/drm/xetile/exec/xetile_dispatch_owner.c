// SPDX-License-Identifier: GPL-2.0-only
#include "exec/xetile_dispatch_owner.h"

#include <linux/bug.h>
#include <linux/list.h>

#include "exec/xetile_dispatch_epoch.h"
#include "exec/xetile_dispatch_line.h"
#include "exec/xetile_dispatch_share.h"
#include "exec/xetile_dispatch_types.h"

/**
 * DOC: engines and the gangs that own them
 *
 * A gang that starts owns an engine for each member, from then on until all members are off their
 * engines. Whoever gives engines back has others start at once.
 */

/* How many slices of a gang an epoch lasts at least, if other modes are wanted */
#define EPOCH_SLICES	4

static u64 dispatch_free(const struct xetile_dispatch *dispatch)
{
	return dispatch->usable & ~dispatch->owned;
}

/*
 * Choose an engine for each member out of @free, if possible the one it had last, because its
 * caches may still be warm. Returns whether all members got one. The chosen engines leave @free
 * in either case, because they are reserved.
 */
static bool gang_choose(struct xetile_dispatch *dispatch, const struct xetile_gang *gang,
			u64 *free, u8 *engines)
{
	bool all = true;
	unsigned int m;

	for (m = 0; m < gang->num_members; m++) {
		const struct xetile_gang_member *member = &gang->members[m];
		u64 choice = xetile_dispatch_epoch_choice(dispatch, member, *free);

		if (!choice) {
			all = false;
			continue;
		}
		if (member->engine != XETILE_DISPATCH_NONE && (choice & (1ull << member->engine)))
			engines[m] = member->engine;
		else
			engines[m] = (u8)__builtin_ctzll(choice);
		*free &= ~(1ull << engines[m]);
	}
	return all;
}

/**
 * xetile_dispatch_owner_run() - a gang's engines get its contexts, with all their work
 * @dispatch: dispatcher
 * @gang: a gang that owns engines
 *
 * Context: the execution lock is held.
 */
void xetile_dispatch_owner_run(struct xetile_dispatch *dispatch, struct xetile_gang *gang)
{
	unsigned int m;

	for (m = 0; m < gang->num_members; m++)
		gang->members[m].loaded = true;
	dispatch->ops->run(dispatch, gang);
}

/**
 * xetile_dispatch_owner_slice() - how long a turn of a gang is
 * @gang: the gang
 *
 * Context: the execution lock is held.
 * Return: the time in ns.
 */
u64 xetile_dispatch_owner_slice(const struct xetile_gang *gang)
{
	/* A longer slice by weight holds only among gangs of the same priority. */
	if (gang->rank != gang->priority && gang->slice_ns > XETILE_DISPATCH_SLICE_NS)
		return XETILE_DISPATCH_SLICE_NS;
	return gang->slice_ns;
}

static void gang_start(struct xetile_dispatch *dispatch, struct xetile_gang *gang,
		       const u8 *engines, u64 now)
{
	unsigned int m;

	xetile_dispatch_share_start(dispatch, gang, now);
	xetile_dispatch_line_remove(dispatch, gang, true);
	xetile_dispatch_epoch_begin(dispatch, gang,
				    EPOCH_SLICES * xetile_dispatch_owner_slice(gang), now);
	for (m = 0; m < gang->num_members; m++) {
		WARN_ON(dispatch->owners[engines[m]]);
		dispatch->owners[engines[m]] = gang;
		dispatch->owned |= 1ull << engines[m];
		gang->members[m].engine = engines[m];
	}
	gang->state = XETILE_GANG_RUNNING;
	gang->spins = false;
	gang->dispatched_ns = now;
	gang->since_ns = now;
	xetile_dispatch_owner_run(dispatch, gang);
}

/**
 * xetile_dispatch_owner_stop() - ask a gang to leave its engines
 * @dispatch: dispatcher
 * @gang: a gang that owns engines; it may have left them on return
 * @now: time in ns
 *
 * Context: the execution lock is held.
 */
void xetile_dispatch_owner_stop(struct xetile_dispatch *dispatch, struct xetile_gang *gang,
				u64 now)
{
	gang->state = XETILE_GANG_STOPPING;
	gang->stopped_ns = now;
	dispatch->ops->stop(dispatch, gang);
}

/* Start all gangs of one priority that can start; engines that are reserved leave @free. */
static void dispatch_priority(struct xetile_dispatch *dispatch, struct list_head *ready, u64 *free,
			      u64 now)
{
	/* The last set that could not start; the set behind it comes next. */
	struct list_head *waits = ready;

	while (*free && waits->next != ready) {
		struct xetile_gang *gang = list_entry(waits->next, struct xetile_gang,
						      set);
		u8 engines[XETILE_GANG_MEMBERS];

		dispatch->looks++;
		/* A gang that starts takes its line behind all others, and thereby its set. */
		if (xetile_dispatch_epoch_fits(dispatch, gang) &&
		    gang_choose(dispatch, gang, free, engines))
			gang_start(dispatch, gang, engines, now);
		else
			waits = &gang->set;
	}
}

/**
 * xetile_dispatch_owner_start() - start all gangs that can start
 * @dispatch: dispatcher
 * @now: time in ns
 *
 * Context: the execution lock is held.
 */
void xetile_dispatch_owner_start(struct xetile_dispatch *dispatch, u64 now)
{
	u64 free = dispatch_free(dispatch);
	unsigned int p;

	xetile_dispatch_epoch_look(dispatch);
	for (p = XETILE_DISPATCH_PRIORITIES; p-- && free; ) {
		if (dispatch->mixed)
			xetile_dispatch_epoch_decide(dispatch, p, now);
		dispatch_priority(dispatch, &dispatch->ready[p], &free, now);
	}
}

/**
 * xetile_dispatch_owner_wait() - a gang waits for its engines
 * @dispatch: dispatcher
 * @gang: the gang, which is idle
 * @now: time in ns
 *
 * It may start with the next xetile_dispatch_owner_start().
 *
 * Context: the execution lock is held.
 */
void xetile_dispatch_owner_wait(struct xetile_dispatch *dispatch, struct xetile_gang *gang,
				u64 now)
{
	xetile_dispatch_line_push(dispatch, gang, now);
	xetile_dispatch_epoch_waits(dispatch, gang);
}

/**
 * xetile_dispatch_owner_leaves() - whether there is an engine to come
 * @dispatch: dispatcher
 * @candidates: mask of engines
 *
 * Context: the execution lock is held.
 * Return: true if one of them is free, and only reserved, or is being left.
 */
bool xetile_dispatch_owner_leaves(const struct xetile_dispatch *dispatch, u64 candidates)
{
	u64 rest;

	if (candidates & ~dispatch->owned)
		return true;
	for (rest = candidates; rest; rest &= rest - 1)
		if (dispatch->owners[__builtin_ctzll(rest)]->state == XETILE_GANG_STOPPING)
			return true;
	return false;
}

/* The gang is off its engines: give them back. */
static void gang_release(struct xetile_dispatch *dispatch, struct xetile_gang *gang, u64 now)
{
	unsigned int m;

	for (m = 0; m < gang->num_members; m++) {
		dispatch->owners[gang->members[m].engine] = NULL;
		dispatch->owned &= ~(1ull << gang->members[m].engine);
	}
	if (now >= gang->dispatched_ns + xetile_dispatch_owner_slice(gang))
		gang->waits_ns = now;
	gang->rank = gang->priority;
	gang->spun = gang->spins;
	gang->spins = false;
	gang->ran_ns += now - gang->since_ns;
	gang->state = XETILE_GANG_IDLE;
	xetile_dispatch_line_charge(dispatch, gang, now);
	dispatch->changed = true;
	/* The gang has left after all. Of other hangs the owner knows, and once is enough. */
	if (gang->stuck || gang->lenient)
		gang->hung = false;
	gang->stuck = false;
	dispatch->ops->left(dispatch, gang);
	if (gang->state == XETILE_GANG_IDLE && gang->work && !gang->holds)
		xetile_dispatch_owner_wait(dispatch, gang, now);
	if (xetile_dispatch_line_any(dispatch))
		xetile_dispatch_owner_start(dispatch, now);
}

/**
 * xetile_dispatch_member_left() - an engine is done with a member's context
 * @dispatch: dispatcher
 * @gang: the gang
 * @member: member whose context has run dry, or was switched away from
 * @now: time in ns
 *
 * The engine stays the gang's until the last member is off: members that are done early may get
 * work before that.
 *
 * Context: the execution lock is held.
 */
void xetile_dispatch_member_left(struct xetile_dispatch *dispatch, struct xetile_gang *gang,
				 unsigned int member, u64 now)
{
	unsigned int m;

	if (xetile_gang_is_off(gang))
		return;

	gang->members[member].loaded = false;
	for (m = 0; m < gang->num_members; m++)
		if (gang->members[m].loaded)
			return;
	gang_release(dispatch, gang, now);
}
