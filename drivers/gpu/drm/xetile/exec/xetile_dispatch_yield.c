// SPDX-License-Identifier: GPL-2.0-only
#include "exec/xetile_dispatch_yield.h"

#include <linux/list.h>
#include <linux/minmax.h>

#include "exec/xetile_dispatch_epoch.h"
#include "exec/xetile_dispatch_line.h"
#include "exec/xetile_dispatch_owner.h"
#include "exec/xetile_dispatch_raise.h"
#include "exec/xetile_dispatch_types.h"

/**
 * DOC: gangs that wait in the midst of a batch
 *
 * A batch may wait in the midst for a number in memory that others are to write, perhaps a batch
 * that waits for the same engine. A gang that says so *yields* the engine, after a slice of the
 * least length, to any gang that waits for it, also of a lower priority, which takes a turn at that
 * of the gang that yields. Those come first who did not wait in their own last turns. Nobody tells
 * when the wait is over, so the other one has a whole turn; and the gang that yields has had its
 * own, as far as it counts, because those that have used less are the next again.
 */

/* Whether a gang that waits could do with an engine, and with no other one soon */
static bool gang_wants(const struct xetile_dispatch *dispatch, const struct xetile_gang *gang,
		       unsigned int engine)
{
	unsigned int m;

	for (m = 0; m < gang->num_members; m++) {
		u64 candidates = gang->members[m].candidates & dispatch->usable;

		if (candidates >> engine & 1 && !xetile_dispatch_owner_leaves(dispatch, candidates))
			return xetile_dispatch_epoch_fits(dispatch, gang);
	}
	return false;
}

/*
 * The gang to which an engine is yielded: of those that did not spin the first by rank, or else the
 * one whose last turn is the oldest; NULL: nobody wants it
 */
static struct xetile_gang *gang_yields_to(struct xetile_dispatch *dispatch, unsigned int engine)
{
	struct xetile_gang *gang, *spun = NULL;
	unsigned int p;

	for (p = XETILE_DISPATCH_PRIORITIES; p--; ) {
		list_for_each_entry(gang, &dispatch->ready[p], set) {
			dispatch->looks++;
			if (!gang_wants(dispatch, gang, engine))
				continue;
			if (!gang->spun)
				return gang;
			if (!spun || gang->dispatched_ns < spun->dispatched_ns)
				spun = gang;
		}
	}
	return spun;
}

/**
 * xetile_dispatch_spins() - the batch that an engine runs waits for a number in memory
 * @dispatch: dispatcher
 * @engine: the engine
 *
 * Context: the execution lock is held.
 */
void xetile_dispatch_spins(struct xetile_dispatch *dispatch, unsigned int engine)
{
	struct xetile_gang *gang = dispatch->owners[engine];

	if (!gang || !gang->yields || gang->spins || gang->state != XETILE_GANG_RUNNING)
		return;
	gang->spins = true;
	dispatch->changed = true;
}

/**
 * xetile_dispatch_yield_tick() - stop a gang that yields an engine to another one
 * @dispatch: dispatcher
 * @now: time in ns
 *
 * Context: the execution lock is held.
 * Return: when the next one will yield, or @now if one was stopped.
 */
u64 xetile_dispatch_yield_tick(struct xetile_dispatch *dispatch, u64 now)
{
	u64 next = XETILE_DISPATCH_NEVER, rest;

	for (rest = dispatch->owned; rest; rest &= rest - 1) {
		unsigned int engine = __builtin_ctzll(rest);
		struct xetile_gang *owner = dispatch->owners[engine], *gang;
		u64 over = owner->dispatched_ns + XETILE_DISPATCH_SLICE_MIN_NS;

		if (!owner->spins || owner->state != XETILE_GANG_RUNNING)
			continue;
		gang = gang_yields_to(dispatch, engine);
		if (!gang)
			continue;
		if (over > now) {
			next = min(next, over);
			continue;
		}
		if (gang->rank < owner->rank)
			xetile_dispatch_raise(dispatch, gang, owner->rank, now);
		over = owner->dispatched_ns + xetile_dispatch_owner_slice(owner);
		xetile_dispatch_line_yield(dispatch, owner, over > now ? over - now : 0, gang);
		xetile_dispatch_owner_stop(dispatch, owner, now);
		return now;
	}
	return next;
}
