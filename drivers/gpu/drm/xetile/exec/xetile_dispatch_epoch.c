// SPDX-License-Identifier: GPL-2.0-only
#include "exec/xetile_dispatch_epoch.h"

#include <linux/list.h>
#include <linux/minmax.h>

#include "exec/xetile_dispatch.h"

/**
 * DOC: engines that take turns in modes
 *
 * The compute engines of a tile are a *domain*: its mode says which of them there are, and can
 * change only while no gang owns any of them. A gang may want each of its domains in a certain
 * mode. The time that a domain is in one mode is an *epoch*::
 *
 *	gangs of the mode take turns, until the epoch's time is over and another mode is wanted
 *	-> none of them starts any more, and those that run leave at the end of their slices
 *	-> no engine is owned: the gang that wants the other mode begins an epoch of it
 *
 * An epoch ends at once when no gang of its mode, and of the same priority, runs or waits, and
 * when a gang of a higher priority than all that run wants another mode. It never ends for a
 * lower priority. As long as all gangs want the mode that there is, nothing of this happens.
 *
 * Of the gangs that want other modes the one with the oldest turn decides which comes next. It
 * decides for all of its domains, also for those that are in its mode already, so that two gangs
 * that want several domains never wait for each other. A gang that wants a mode that is not there,
 * or not to come, reserves no engine.
 *
 * So a gang waits for one turn of each line that stood before it when it came, and for one epoch
 * of another mode after these: k epochs are k - 1 lines before it at worst, all of other modes.
 */

static struct xetile_dispatch_domain *domain_of(struct xetile_dispatch *dispatch,
						const struct xetile_gang_member *member)
{
	return member->mode ? &dispatch->domains[member->domain] : NULL;
}

/* Whether all domains of a gang are in its modes */
static bool is_there(const struct xetile_dispatch *dispatch, const struct xetile_gang *gang)
{
	unsigned int m;

	for (m = 0; m < gang->num_members; m++) {
		const struct xetile_gang_member *member = &gang->members[m];

		if (member->mode && dispatch->domains[member->domain].mode != member->mode)
			return false;
	}
	return true;
}

/* Whether a gang of @rank that wants the domain in its present mode waits */
static bool is_wanted(struct xetile_dispatch *dispatch,
		      const struct xetile_dispatch_domain *domain, unsigned int rank)
{
	struct xetile_gang *gang;
	unsigned int m;

	list_for_each_entry(gang, &dispatch->ready[rank], set) {
		dispatch->looks++;
		for (m = 0; m < gang->num_members; m++)
			if (domain_of(dispatch, &gang->members[m]) == domain &&
			    gang->members[m].mode == domain->mode)
				return true;
	}
	return false;
}

/* When a gang of @rank may end the domain's epoch */
static u64 epoch_over(struct xetile_dispatch *dispatch,
		      const struct xetile_dispatch_domain *domain, unsigned int rank)
{
	u64 rest, over = 0;

	for (rest = domain->engines & dispatch->owned; rest; rest &= rest - 1) {
		const struct xetile_gang *owner = dispatch->owners[__builtin_ctzll(rest)];

		if (owner->rank > rank)
			return XETILE_DISPATCH_NEVER;
		if (owner->rank == rank)
			over = domain->until_ns;
	}
	return over || !is_wanted(dispatch, domain, rank) ? over : domain->until_ns;
}

/* A gang, some of whose domains are in other modes, decides. Returns when it can decide more. */
static u64 gang_decides(struct xetile_dispatch *dispatch, const struct xetile_gang *gang, u64 now)
{
	u64 next = XETILE_DISPATCH_NEVER;
	unsigned int m;

	for (m = 0; m < gang->num_members; m++) {
		const struct xetile_gang_member *member = &gang->members[m];
		struct xetile_dispatch_domain *domain = domain_of(dispatch, member);
		u64 over;

		if (!domain || domain->kept || domain->next)
			continue;
		if (member->mode == domain->mode) {
			domain->kept = true;
			continue;
		}
		over = epoch_over(dispatch, domain, gang->rank);
		if (over <= now) {
			domain->next = member->mode;
			domain->rank = gang->rank;
		} else {
			next = min(next, over);
		}
	}
	return next;
}

/**
 * xetile_dispatch_epoch_waits() - a gang waits
 * @dispatch: dispatcher
 * @gang: the gang
 *
 * If all gangs that wait want the modes that there are, nobody looks at modes.
 */
void xetile_dispatch_epoch_waits(struct xetile_dispatch *dispatch, const struct xetile_gang *gang)
{
	if (!is_there(dispatch, gang))
		dispatch->mixed = true;
}

/**
 * xetile_dispatch_epoch_look() - nothing is decided yet
 * @dispatch: dispatcher
 *
 * Begins a look at all gangs that wait, from the highest rank to the lowest.
 */
void xetile_dispatch_epoch_look(struct xetile_dispatch *dispatch)
{
	unsigned int d;

	for (d = 0; d < XETILE_DISPATCH_DOMAINS; d++) {
		dispatch->domains[d].kept = false;
		dispatch->domains[d].next = 0;
	}
}

/**
 * xetile_dispatch_epoch_decide() - find the domains whose modes are to change
 * @dispatch: dispatcher
 * @rank: for gangs of this rank; those above have decided
 * @now: time in ns
 *
 * Return: time at which more can be decided, or XETILE_DISPATCH_NEVER.
 */
u64 xetile_dispatch_epoch_decide(struct xetile_dispatch *dispatch, unsigned int rank, u64 now)
{
	u64 next = XETILE_DISPATCH_NEVER;
	struct xetile_gang *gang;

	list_for_each_entry(gang, &dispatch->ready[rank], set) {
		dispatch->looks++;
		if (is_there(dispatch, gang))
			continue;
		dispatch->mixed = true;
		next = min(next, gang_decides(dispatch, gang, now));
	}
	return next;
}

/**
 * xetile_dispatch_epoch_fits() - may a gang start, as far as modes are concerned
 * @dispatch: dispatcher
 * @gang: a gang that waits
 *
 * Return: true if each of its domains is in its mode and stays so, or is to come into it.
 */
bool xetile_dispatch_epoch_fits(const struct xetile_dispatch *dispatch,
				const struct xetile_gang *gang)
{
	unsigned int m;

	for (m = 0; m < gang->num_members; m++) {
		const struct xetile_gang_member *member = &gang->members[m];
		const struct xetile_dispatch_domain *domain = &dispatch->domains[member->domain];

		if (member->mode && member->mode != (domain->next ?: domain->mode))
			return false;
	}
	return true;
}

/**
 * xetile_dispatch_epoch_choice() - engines that a member could have
 * @dispatch: dispatcher
 * @member: member of a gang that fits
 * @free: engines that are free
 *
 * Return: its candidates of these; none as long as engines of a domain that is to change its mode
 * are in use.
 */
u64 xetile_dispatch_epoch_choice(const struct xetile_dispatch *dispatch,
				 const struct xetile_gang_member *member, u64 free)
{
	const struct xetile_dispatch_domain *domain = &dispatch->domains[member->domain];

	if (member->mode && domain->next && (domain->engines & ~free))
		return 0;
	return member->candidates & free;
}

/**
 * xetile_dispatch_epoch_begin() - a gang starts: its domains come into its modes
 * @dispatch: dispatcher
 * @gang: the gang, whose engines are free
 * @until: when these epochs may end, in ns
 */
void xetile_dispatch_epoch_begin(struct xetile_dispatch *dispatch, const struct xetile_gang *gang,
				 u64 until)
{
	unsigned int m;

	for (m = 0; m < gang->num_members; m++) {
		const struct xetile_gang_member *member = &gang->members[m];
		struct xetile_dispatch_domain *domain = domain_of(dispatch, member);

		if (!domain || !domain->next)
			continue;
		domain->next = 0;
		domain->mode = member->mode;
		domain->until_ns = until;
		/* Gangs that wait may want the mode that was. */
		dispatch->mixed = true;
		dispatch->ops->mode(dispatch, member->domain, member->mode);
	}
}
