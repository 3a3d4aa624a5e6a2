// SPDX-License-Identifier: GPL-2.0-only
#include "exec/xetile_dispatch_turn.h"

#include <linux/list.h>
#include <linux/minmax.h>

#include "exec/xetile_dispatch_epoch.h"
#include "exec/xetile_dispatch_line.h"
#include "exec/xetile_dispatch_owner.h"
#include "exec/xetile_dispatch_raise.h"
#include "exec/xetile_dispatch_share.h"
#include "exec/xetile_dispatch_types.h"
#include "exec/xetile_dispatch_yield.h"

/**
 * DOC: the end of turns
 *
 * An engine is taken away only if a gang waits for it: at once for a higher priority, after a
 * time slice for the same, never for a lower one. Slices are longer or shorter by weight, within
 * bounds: the share comes from how often a gang has its turn. If the gang that waits wants the same
 * engines, and is ahead of the one that has them, that one goes on until it is as far.
 */

/* How often to ask whether engines without an owner have no context any more */
#define QUIET_NS	10000000ull

/* Whether another gang of the client of @owner has an engine that @owner could have, too */
static bool client_has_more(const struct xetile_dispatch *dispatch,
			    const struct xetile_gang *owner)
{
	u64 rest;

	for (rest = owner->members[0].candidates & dispatch->owned; rest; rest &= rest - 1) {
		const struct xetile_gang *other = dispatch->owners[__builtin_ctzll(rest)];

		if (other != owner && other->client == owner->client)
			return true;
	}
	return false;
}

/* When @owner has to leave its engine, for which @gang, of the same rank, waits */
static u64 turn_over(const struct xetile_dispatch *dispatch, const struct xetile_gang *owner,
		     const struct xetile_gang *gang)
{
	u64 over = owner->dispatched_ns + xetile_dispatch_owner_slice(owner);

	if (owner->rank != owner->priority || !xetile_dispatch_line_is_same(owner, gang))
		return over;
	/* Other clients that wait have their turns, however far the gangs of this one are. */
	if (owner->client == gang->client && !xetile_dispatch_line_is_alone(gang))
		return over;
	/* The client is as far sooner than this gang alone takes it there. */
	if (owner->client != gang->client && client_has_more(dispatch, owner))
		return over;
	/* Until then it would be the next to start again. */
	return max(over, xetile_dispatch_share_reaches(owner, gang));
}

/*
 * Make room for a waiting member: stop the first owner whose turn is over.
 * Returns when the next owner's turn will be over, or @now if one was stopped: another gang may
 * have been told that it goes on for longer.
 */
static u64 tick_member(struct xetile_dispatch *dispatch, const struct xetile_gang *gang,
		       const struct xetile_gang_member *member, u64 now)
{
	u64 candidates = member->candidates & dispatch->usable;
	u64 next = XETILE_DISPATCH_NEVER, rest;

	if (xetile_dispatch_owner_leaves(dispatch, candidates))
		return XETILE_DISPATCH_NEVER;
	for (rest = candidates; rest; rest &= rest - 1) {
		struct xetile_gang *owner = dispatch->owners[__builtin_ctzll(rest)];
		u64 over;

		if (owner->rank > gang->rank)
			continue;
		over = owner->rank < gang->rank ? now : turn_over(dispatch, owner, gang);
		if (over <= now) {
			xetile_dispatch_owner_stop(dispatch, owner, now);
			return now;
		}
		if (over < next)
			next = over;
	}
	return next;
}

/*
 * Stop the gangs whose turns are over and whose engines are to come into another mode. Returns when
 * the turn of another one will be over.
 */
static u64 tick_domain(struct xetile_dispatch *dispatch,
		       const struct xetile_dispatch_domain *domain, u64 now)
{
	u64 next = XETILE_DISPATCH_NEVER, rest;

	for (rest = domain->engines & dispatch->owned; rest; rest &= rest - 1) {
		struct xetile_gang *owner = dispatch->owners[__builtin_ctzll(rest)];
		u64 over = now;

		if (owner->state != XETILE_GANG_RUNNING)
			continue;
		if (owner->rank == domain->rank)
			over = owner->dispatched_ns + xetile_dispatch_owner_slice(owner);
		if (over > now)
			next = min(next, over);
		else
			xetile_dispatch_owner_stop(dispatch, owner, now);
		/* It has left at once. */
		if (dispatch->changed)
			return now;
	}
	return next;
}

/* Make room for the modes that gangs wait for. Returns when to look again. */
static u64 tick_modes(struct xetile_dispatch *dispatch, u64 now)
{
	u64 next = XETILE_DISPATCH_NEVER;
	unsigned int p, d;

	if (!dispatch->mixed)
		return next;
	/* Set again when there is such a gang */
	dispatch->mixed = false;
	xetile_dispatch_epoch_look(dispatch);
	for (p = XETILE_DISPATCH_PRIORITIES; p--; )
		next = min(next, xetile_dispatch_epoch_decide(dispatch, p, now));
	for (d = 0; d < XETILE_DISPATCH_DOMAINS && !dispatch->changed; d++) {
		const struct xetile_dispatch_domain *domain = &dispatch->domains[d];

		if (!domain->next)
			continue;
		if (domain->engines & dispatch->owned)
			next = min(next, tick_domain(dispatch, domain, now));
		else if (dispatch->ops->quiet(dispatch, d))
			xetile_dispatch_owner_start(dispatch, now);
		else
			next = min(next, now + QUIET_NS);
	}
	return next;
}

/**
 * xetile_dispatch_turn_tick() - make room for gangs that wait
 * @dispatch: dispatcher
 * @now: time in ns
 *
 * Only the first gang of a set is looked at, because the others can have no engine that it cannot
 * have.
 *
 * Context: the execution lock is held.
 * Return: when to look again.
 */
u64 xetile_dispatch_turn_tick(struct xetile_dispatch *dispatch, u64 now)
{
	u64 next = XETILE_DISPATCH_NEVER;
	unsigned int p, m;

	if (xetile_dispatch_line_any(dispatch)) {
		next = xetile_dispatch_raise_over(dispatch, now);
		next = min(next, xetile_dispatch_raise_tick(dispatch, now));
	}
	dispatch->changed = false;
	next = min(next, tick_modes(dispatch, now));
	if (dispatch->changed)
		return now;
	next = min(next, xetile_dispatch_yield_tick(dispatch, now));
	if (dispatch->changed || next <= now)
		return now;
	for (p = XETILE_DISPATCH_PRIORITIES; p--; ) {
		struct xetile_gang *gang;

		list_for_each_entry(gang, &dispatch->ready[p], set) {
			dispatch->looks++;
			if (!xetile_dispatch_epoch_fits(dispatch, gang))
				continue;
			for (m = 0; m < gang->num_members; m++) {
				u64 t = tick_member(dispatch, gang, &gang->members[m], now);

				/*
				 * The gang that was stopped has left at once, which changed the
				 * lists.
				 */
				if (dispatch->changed)
					return now;
				if (t < next)
					next = t;
			}
		}
	}
	return next;
}
