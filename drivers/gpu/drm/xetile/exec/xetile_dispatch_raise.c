// SPDX-License-Identifier: GPL-2.0-only
#include "exec/xetile_dispatch_raise.h"

#include <linux/list.h>
#include <linux/minmax.h>

#include "exec/xetile_dispatch_line.h"
#include "exec/xetile_dispatch_owner.h"
#include "exec/xetile_dispatch_share.h"
#include "exec/xetile_dispatch_types.h"

/**
 * DOC: gangs that higher priorities keep off their engines
 *
 * No priority is starved, and none has an engine for ever: when higher priorities have kept a set
 * off its engines for long, one gang of it is *raised*. It takes a turn at the priority of those
 * that have the engines, with a slice of the usual length; after that it counts as before. An
 * engine is taken once at a time for that, for each priority below the highest: of several sets
 * the one that has waited longest is the next. So if both others want an engine all the time, the
 * highest priority has it for fifteen of seventeen slices.
 */

/* How long a set is kept off its engines by higher priorities until one of it is raised */
#define RAISE_NS	(16 * XETILE_DISPATCH_SLICE_NS)

/* Engines one of which a member needs; or all of them, if they are to change their mode */
static u64 member_engines(const struct xetile_dispatch *dispatch,
			  const struct xetile_gang_member *member, bool *all)
{
	const struct xetile_dispatch_domain *domain = &dispatch->domains[member->domain];

	*all = member->mode && member->mode != domain->mode;
	return *all ? domain->engines : member->candidates & dispatch->usable;
}

/*
 * The rank at which a member could have what it needs, if higher priorities than @rank have that;
 * or 0. An owner that was raised is back at its own priority soon, and in nobody's way.
 */
static unsigned int member_needs(const struct xetile_dispatch *dispatch, unsigned int rank,
				 const struct xetile_gang_member *member)
{
	unsigned int least = XETILE_DISPATCH_PRIORITIES, most = 0;
	bool all;
	u64 engines = member_engines(dispatch, member, &all), rest;

	for (rest = engines & dispatch->owned; rest; rest &= rest - 1) {
		unsigned int priority = dispatch->owners[__builtin_ctzll(rest)]->priority;

		least = min(least, priority);
		most = max(most, priority);
	}
	if (engines & ~dispatch->owned)
		least = 0;
	if (!all)
		most = least == XETILE_DISPATCH_PRIORITIES ? 0 : least;
	return most > rank ? most : 0;
}

static unsigned int gang_needs(const struct xetile_dispatch *dispatch,
			       const struct xetile_gang *gang)
{
	unsigned int m, rank = 0;

	for (m = 0; m < gang->num_members; m++)
		rank = max(rank, member_needs(dispatch, gang->rank, &gang->members[m]));
	return rank;
}

static u64 gang_engines(const struct xetile_dispatch *dispatch, const struct xetile_gang *gang)
{
	u64 engines = 0;
	unsigned int m;
	bool all;

	for (m = 0; m < gang->num_members; m++)
		engines |= member_engines(dispatch, &gang->members[m], &all);
	return engines;
}

/* When a gang may be raised from a rank that could have one of @engines */
static u64 raise_ns(const struct xetile_dispatch *dispatch, unsigned int rank, u64 engines)
{
	u64 last = 0;

	for (; engines; engines &= engines - 1)
		last = max(last, dispatch->raised_ns[rank][__builtin_ctzll(engines)]);
	/* From the end of the raised turn on the others are owed their time. */
	return last ? last + XETILE_DISPATCH_SLICE_NS + RAISE_NS : 0;
}

/**
 * xetile_dispatch_raise() - a gang takes its turn at a higher rank
 * @dispatch: dispatcher
 * @gang: a gang that waits, the first of its set
 * @rank: the rank
 * @now: time in ns
 *
 * Context: the execution lock is held.
 */
void xetile_dispatch_raise(struct xetile_dispatch *dispatch, struct xetile_gang *gang,
			   unsigned int rank, u64 now)
{
	/* The others of its set wait anew, and it does, if that does not help. */
	gang->kept_ns = now;
	gang->waits_ns = now;
	/* One that is raised once more has paid. */
	if (gang->rank == gang->priority)
		xetile_dispatch_share_raise(gang, min(gang->slice_ns, XETILE_DISPATCH_SLICE_NS));
	xetile_dispatch_line_remove(dispatch, gang, true);
	gang->rank = rank;
	xetile_dispatch_owner_wait(dispatch, gang, now);
}

/*
 * Raise the first gang of a set that higher priorities have kept off its engines for long. A set
 * that cannot have one raised now, because another one had, is the next for all of its engines:
 * else one that needs several would wait for ever. Returns whether there was one; if not, @next is
 * when there may be.
 */
static bool raise_one(struct xetile_dispatch *dispatch, unsigned int rank, u64 now, u64 *next)
{
	u64 held = 0, least = XETILE_DISPATCH_NEVER;
	struct xetile_gang *gang;

	list_for_each_entry(gang, &dispatch->ready[rank], set) {
		unsigned int needs = gang_needs(dispatch, gang);
		u64 engines = gang_engines(dispatch, gang);
		u64 at = max(gang->kept_ns + RAISE_NS, raise_ns(dispatch, rank, engines));

		dispatch->looks++;
		if (!needs)
			continue;
		if (at <= now && !(engines & held)) {
			for (; engines; engines &= engines - 1)
				dispatch->raised_ns[rank][__builtin_ctzll(engines)] = now;
			xetile_dispatch_raise(dispatch, gang, needs, now);
			return true;
		}
		if (at > now)
			least = min(least, at);
		if (gang->kept_ns + RAISE_NS <= now)
			held |= engines;
	}
	*next = min(*next, least);
	return false;
}

/**
 * xetile_dispatch_raise_tick() - raise gangs that have waited for long for higher priorities
 * @dispatch: dispatcher
 * @now: time in ns
 *
 * Context: the execution lock is held.
 * Return: when to look again.
 */
u64 xetile_dispatch_raise_tick(struct xetile_dispatch *dispatch, u64 now)
{
	unsigned int rank;
	bool raised;
	u64 next;

	do {
		raised = false;
		next = XETILE_DISPATCH_NEVER;
		for (rank = 0; rank < XETILE_DISPATCH_PRIORITIES - 1; rank++)
			while (raise_one(dispatch, rank, now, &next))
				raised = true;
		if (raised)
			xetile_dispatch_owner_start(dispatch, now);
	} while (raised);
	return next;
}

/**
 * xetile_dispatch_raise_over() - end the turns of raised gangs
 * @dispatch: dispatcher
 * @now: time in ns
 *
 * A raised turn is over with its slice: after that the gang counts as its priority, also if nobody
 * wants the engines who could take them from its rank.
 *
 * Context: the execution lock is held.
 * Return: when the next one is over.
 */
u64 xetile_dispatch_raise_over(struct xetile_dispatch *dispatch, u64 now)
{
	u64 next = XETILE_DISPATCH_NEVER, rest;

	for (rest = dispatch->owned; rest; rest &= rest - 1) {
		struct xetile_gang *gang;
		u64 over;

		gang = xetile_dispatch_owner_at(dispatch, __builtin_ctzll(rest));
		if (!gang || gang->rank == gang->priority)
			continue;
		over = gang->dispatched_ns + xetile_dispatch_owner_slice(gang);
		if (over > now) {
			next = min(next, over);
			continue;
		}
		gang->rank = gang->priority;
		gang->waits_ns = now;
	}
	return next;
}
