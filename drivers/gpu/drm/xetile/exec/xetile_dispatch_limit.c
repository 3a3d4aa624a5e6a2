// SPDX-License-Identifier: GPL-2.0-only
#include "exec/xetile_dispatch_limit.h"

#include <linux/bits.h>
#include <linux/minmax.h>

#include "exec/xetile_dispatch_owner.h"
#include "exec/xetile_dispatch_types.h"

/**
 * DOC: time limits of gangs
 *
 * A batch's time limit counts the time its gang owned engines, not the time it waited for them.
 * A gang that was asked to leave has a time limit of its own for that: otherwise gangs that
 * wait for its engines would wait as long as its batch likes.
 */

/* How long a gang without work may take to leave its engines without being asked */
#define SETTLE_NS	1000000000ull

/*
 * When a gang will have used up its batch's time, or its time to leave: the earlier of the two,
 * or @now if that is past. XETILE_DISPATCH_NEVER: its batch may run for ever.
 */
static u64 gang_deadline(const struct xetile_gang *gang, u64 now, bool *stuck)
{
	u64 limit = gang->work ? gang->limit_ns : SETTLE_NS;
	/* The gang may have been started since the caller looked at the clock. */
	u64 ran = gang->ran_ns + (now > gang->since_ns ? now - gang->since_ns : 0);
	u64 at = ran >= limit ? now : now + min(limit - ran, XETILE_DISPATCH_NEVER - now);

	*stuck = gang->state == XETILE_GANG_STOPPING && gang->stopped_ns + gang->leave_ns < at;
	if (!*stuck)
		return at;
	return max(gang->stopped_ns + gang->leave_ns, now);
}

/**
 * xetile_dispatch_is_late() - whether the next xetile_dispatch_tick() reports that a gang hangs
 * @gang: a gang that owns engines
 * @now: time in ns
 *
 * Context: the execution lock is held.
 * Return: true if it does, unless the gang makes progress or leaves before.
 */
bool xetile_dispatch_is_late(const struct xetile_gang *gang, u64 now)
{
	bool stuck;

	return !gang->hung && gang_deadline(gang, now, &stuck) <= now;
}

/**
 * xetile_dispatch_asked() - an engine was asked to leave a gang
 * @gang: a gang that owns engines
 * @now: time in ns
 *
 * The engine may be asked later than &xetile_dispatch_ops.stop: then the gang's time to leave
 * begins anew, once for each of its engines. If the gang was reported to hang meanwhile, the report
 * came too early.
 *
 * Context: the execution lock is held.
 */
void xetile_dispatch_asked(struct xetile_gang *gang, u64 now)
{
	if (gang->state != XETILE_GANG_STOPPING)
		return;
	gang->stopped_ns = now;
	if (gang->stuck)
		gang->hung = false;
	gang->stuck = false;
}

/**
 * xetile_dispatch_restart_times() - a gang's times begin now
 * @gang: a gang that owns engines
 * @now: time in ns
 *
 * For a gang that has not got to its engines before. Its time to leave begins anew, and so does
 * this turn for its batch. If the gang was reported to hang, the report came too early.
 *
 * Context: the execution lock is held.
 */
void xetile_dispatch_restart_times(struct xetile_gang *gang, u64 now)
{
	gang->stopped_ns = now;
	gang->since_ns = now;
	gang->hung = false;
	gang->stuck = false;
}

static u32 loaded_members(const struct xetile_gang *gang)
{
	unsigned int m;
	u32 mask = 0;

	for (m = 0; m < gang->num_members; m++)
		if (gang->members[m].loaded)
			mask |= BIT(m);
	return mask;
}

/**
 * xetile_dispatch_untaken() - members that a gang waits for, because engines have not taken them
 * @gang: a gang that owns engines
 * @taken: mask of the members whose contexts engines have
 * @behind: mask of the members that are not done with the oldest batch
 *
 * Until an engine takes a context it runs nothing of it, and cannot be asked to leave it. So the
 * batch cannot end, and members that wait for others in it may not leave. A member that is done
 * with the oldest batch keeps nobody from its end, unless it is the only kind that is left.
 *
 * Context: the execution lock is held.
 * Return: mask of members.
 */
u32 xetile_dispatch_untaken(const struct xetile_gang *gang, u32 taken, u32 behind)
{
	u32 loaded = loaded_members(gang);

	return loaded & taken ? loaded & ~taken & behind : loaded;
}

/**
 * xetile_dispatch_taken() - an engine has taken a member's context
 * @gang: a gang that owns engines
 * @member: the member
 * @taken: as of xetile_dispatch_untaken(), with @member
 * @behind: the same
 * @now: time in ns
 *
 * Engines take the contexts of a gang one by one. Its times begin when the last one is taken that
 * its oldest batch needs: in a turn that is once for each member, so no batch can put its limit
 * off.
 *
 * Context: the execution lock is held.
 */
void xetile_dispatch_taken(struct xetile_gang *gang, unsigned int member, u32 taken, u32 behind,
			   u64 now)
{
	bool first = !(loaded_members(gang) & taken & ~BIT(member));

	if (first || behind & BIT(member))
		xetile_dispatch_restart_times(gang, now);
}

/**
 * xetile_dispatch_limit_tick() - report each gang that takes too long, once
 * @dispatch: dispatcher
 * @now: time in ns
 *
 * Context: the execution lock is held.
 * Return: when to look again.
 */
u64 xetile_dispatch_limit_tick(struct xetile_dispatch *dispatch, u64 now)
{
	u64 next = XETILE_DISPATCH_NEVER, rest;

	for (rest = dispatch->owned; rest; rest &= rest - 1) {
		struct xetile_gang *gang;
		bool stuck;
		u64 at;

		gang = xetile_dispatch_owner_at(dispatch, __builtin_ctzll(rest));
		if (!gang || gang->hung)
			continue;
		at = gang_deadline(gang, now, &stuck);
		if (at <= now) {
			gang->hung = true;
			gang->stuck = stuck;
			dispatch->ops->hung(dispatch, gang);
		} else if (at < next) {
			next = at;
		}
	}
	return next;
}
